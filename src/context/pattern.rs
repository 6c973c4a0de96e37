//! What an entry of a list says, as a value: nothing is looked up here.
//!
//! | entry | means |
//! |---|---|
//! | `https://…`, `http://…` | a page |
//! | `frame:<node>[@<agent>.<type>]` | a head frame |
//! | `….context` | another list |
//! | `<rev>:<path>` | a path as it was |
//! | `dir/` | what is said about a directory |
//! | `*`, `?`, `[…]`, `**` | the files that match, as in `.gitignore`; `dir/**` are all files below |
//! | anything else | a file |
//!
//! A path that stands in the tree as it is written comes first, so a file whose name looks like a pattern can be listed.

use crate::base::path::is_git_directory;
use crate::base::{AgentId, FrameType, TreePath};

/// Why a path is not even looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// `/…`
    #[error("refused: absolute paths lead out of the repository")]
    Absolute,
    /// A `..` in it.
    #[error("refused: '..' could lead out of the repository")]
    Parent,
    /// `.git`, in any spelling that some file system takes for it.
    #[error("refused: '.git' is not content")]
    GitDirectory,
    /// NUL or a line feed in a place where neither can mean anything.
    #[error("refused: not a path")]
    NotAPath,
}

/// A path as written in an entry, cleaned of `.` and repeated slashes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Pattern {
    /// The path.
    pub path: TreePath,
    /// True when it was written with `/` at its end.
    pub is_directory: bool,
}

impl Pattern {
    /// Cleans and checks a path.
    pub fn parse(text: &[u8]) -> Result<Self, Refusal> {
        if text.starts_with(b"/") {
            return Err(Refusal::Absolute);
        }
        if text.contains(&0) {
            return Err(Refusal::NotAPath);
        }
        let mut path = TreePath::root();
        for name in text
            .split(|byte| *byte == b'/')
            .filter(|name| !name.is_empty() && *name != b".")
        {
            match name {
                b".." => return Err(Refusal::Parent),
                name if is_git_directory(name) => return Err(Refusal::GitDirectory),
                name => path = path.join(name),
            }
        }
        let is_directory = path.is_root() || text.ends_with(b"/") || text.ends_with(b"/.");
        Ok(Self { path, is_directory })
    }

    /// True when the path has a character that matches others.
    #[must_use]
    pub fn is_glob(&self) -> bool {
        self.path
            .as_bytes()
            .iter()
            .any(|byte| b"*?[".contains(byte))
    }

    /// The directory before the first name with such a character.
    #[must_use]
    pub fn base(&self) -> TreePath {
        let plain = self
            .path
            .names()
            .take_while(|name| !name.iter().any(|byte| b"*?[".contains(byte)));
        plain.fold(TreePath::root(), |path, name| path.join(name))
    }

    /// True for `dir/**`: everything below the base.
    #[must_use]
    pub fn is_all_below(&self) -> bool {
        self.base().join(b"**") == self.path
    }
}

/// True for entries that are pages, whatever the case of their scheme.
#[must_use]
pub fn is_url(entry: &[u8]) -> bool {
    [&b"https://"[..], b"http://"].iter().any(|scheme| {
        entry
            .get(..scheme.len())
            .is_some_and(|start| start.eq_ignore_ascii_case(scheme))
    })
}

/// Splits `<node>[@<agent>.<type>]`.
#[must_use]
pub fn parse_frame(text: &[u8]) -> (&[u8], Option<(AgentId, FrameType)>) {
    let slot = |at: usize| {
        let (agent, frame_type) = std::str::from_utf8(&text[at + 1..]).ok()?.split_once('.')?;
        Some((agent.parse().ok()?, frame_type.parse().ok()?))
    };
    match text
        .iter()
        .rposition(|byte| *byte == b'@')
        .and_then(|at| Some((at, slot(at)?)))
    {
        Some((at, slot)) => (&text[..at], Some(slot)),
        None => (text, None),
    }
}

/// Splits `<rev>:<path>`; neither part is looked at, but a revision is UTF-8 and not empty.
#[must_use]
pub fn parse_revision(text: &[u8]) -> Option<(&str, &[u8])> {
    let at = text
        .iter()
        .position(|byte| *byte == b':')
        .filter(|at| *at > 0)?;
    Some((std::str::from_utf8(&text[..at]).ok()?, &text[at + 1..]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn spellings_of_a_path_are_one() {
        let clean = |text: &str| {
            Pattern::parse(text.as_bytes()).map(|pattern| (pattern.path, pattern.is_directory))
        };
        assert_eq!(clean("./src//lib.rs"), Ok(("src/lib.rs".into(), false)));
        assert_eq!(clean("src/."), Ok(("src".into(), true)));
        assert_eq!(clean("src/"), Ok(("src".into(), true)));
        assert_eq!(clean("."), Ok((TreePath::root(), true)));
        assert_eq!(clean("a..b/...c"), Ok(("a..b/...c".into(), false)));
    }

    #[test]
    fn what_could_lead_out_is_refused() {
        for (text, refusal) in [
            ("/etc/passwd", Refusal::Absolute),
            ("../x", Refusal::Parent),
            ("a/../b", Refusal::Parent),
            (".git/config", Refusal::GitDirectory),
            ("a/.GIT", Refusal::GitDirectory),
            (".git. /x", Refusal::GitDirectory),
            (".g\u{200c}it/x", Refusal::GitDirectory),
            ("git~1/x", Refusal::GitDirectory),
            (".git::$INDEX_ALLOCATION/x", Refusal::GitDirectory),
            ("a\0b", Refusal::NotAPath),
        ] {
            assert_eq!(Pattern::parse(text.as_bytes()), Err(refusal), "{text}");
        }
        for text in [".gitignore", ".github/x", "git", "a.git/x", "..a"] {
            assert!(Pattern::parse(text.as_bytes()).is_ok(), "{text}");
        }
    }

    #[test]
    fn a_pattern_starts_at_its_plain_part() {
        let parse = |text: &str| Pattern::parse(text.as_bytes()).expect("a path");
        for (text, base, is_all_below) in [
            ("src/**", "src", true),
            ("**", "", true),
            ("src/*.rs", "src", false),
            ("a/b/**/x", "a/b", false),
            ("**/x", "", false),
        ] {
            assert_eq!(
                (parse(text).base(), parse(text).is_all_below()),
                (base.into(), is_all_below),
                "{text}"
            );
        }
        assert!(!parse("src/lib.rs").is_glob());
    }

    #[test]
    fn frames_and_revisions_split_where_they_can() {
        let slot = (
            "docs".parse().expect("a word"),
            "summary".parse().expect("a word"),
        );
        assert_eq!(parse_frame(b"src@docs.summary"), (&b"src"[..], Some(slot)));
        assert_eq!(parse_frame(b"src/@types"), (&b"src/@types"[..], None));
        assert_eq!(
            parse_revision(b"HEAD~1:src/lib.rs"),
            Some(("HEAD~1", &b"src/lib.rs"[..]))
        );
        assert_eq!(parse_revision(b":x"), None);
        assert_eq!(parse_revision(b"x"), None);
    }
}
