//! `.teddyignore`: which tracked files take no part, and which ignored ones do all the same.
//!
//! The syntax and the precedence are those of `.gitignore`: the last match in a file decides, a file deeper in the
//! tree outranks one above it, and nothing below an ignored directory can come back. Git's own ignore rules speak of
//! untracked files only, so a committed file is left out by `.teddyignore` alone. `.git` can never be let in: git
//! has no such entry in a tree.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use ::ignore::Match;
use ::ignore::gitignore::{Gitignore, GitignoreBuilder};

use crate::base::TreePath;
use crate::base::limit::{IGNORE_BYTES_MAX, IGNORE_LINES_MAX};

/// The name of the files that hold the rules.
pub const FILE_NAME: &[u8] = b".teddyignore";

/// The rules in force at a place in the tree: those of its directory and of all above it.
#[derive(Default)]
pub struct IgnoreRules {
    /// The directory of each file, from the root down, its rules, and how many lines they are.
    files: Vec<(TreePath, Gitignore, usize)>,
}

/// A file of rules cannot be used. Without its rules files would leave that are to stay: nothing goes on.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{}' is over the limit: {IGNORE_BYTES_MAX} bytes, and {IGNORE_LINES_MAX} lines with those above it", .0.to_text())]
pub struct TooManyRules(pub TreePath);

impl IgnoreRules {
    /// True when no rule can match anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.is_empty()
    }

    /// Adds the rules of the `.teddyignore` in `directory`. Lines that are no valid pattern are skipped, as git does.
    pub fn push(&mut self, directory: TreePath, text: &[u8]) -> Result<(), TooManyRules> {
        let lines = text.split(|byte| *byte == b'\n').count();
        let above: usize = self.files.iter().map(|(_, _, lines)| lines).sum();
        if text.len() as u64 > IGNORE_BYTES_MAX || above + lines > IGNORE_LINES_MAX {
            return Err(TooManyRules(directory.join(FILE_NAME)));
        }
        let mut builder = GitignoreBuilder::new("");
        for line in String::from_utf8_lossy(text)
            .trim_start_matches('\u{feff}')
            .lines()
        {
            let _ = builder.add_line(None, line);
        }
        if let Ok(rules) = builder.build()
            && !rules.is_empty()
        {
            self.files.push((directory, rules, lines));
        }
        Ok(())
    }

    /// Forgets the rules of directories that `path` is not below.
    pub fn retain_above(&mut self, path: &TreePath) {
        self.files
            .retain(|(directory, ..)| relative(directory, path).is_some());
    }

    /// What the rules say of one entry: `Some(true)` leave out, `Some(false)` let in, `None` nothing.
    #[must_use]
    pub fn matched(&self, path: &TreePath, is_directory: bool) -> Option<bool> {
        self.files.iter().rev().find_map(|(directory, rules, _)| {
            let below = relative(directory, path)?;
            match rules.matched(Path::new(OsStr::from_bytes(below)), is_directory) {
                Match::None => None,
                Match::Ignore(_) => Some(true),
                Match::Whitelist(_) => Some(false),
            }
        })
    }

    /// True when a file or a directory above it is left out.
    #[must_use]
    pub fn is_ignored(&self, path: &TreePath, is_directory: bool) -> bool {
        let mut above = TreePath::root();
        let names: Vec<&[u8]> = path.names().collect();
        names.iter().enumerate().any(|(depth, name)| {
            above = above.join(name);
            let is_directory = is_directory || depth + 1 < names.len();
            self.matched(&above, is_directory) == Some(true)
        })
    }
}

/// `path` as seen from `directory`; `None` when it is not below it.
fn relative<'p>(directory: &TreePath, path: &'p TreePath) -> Option<&'p [u8]> {
    if directory.is_root() {
        return Some(path.as_bytes());
    }
    path.as_bytes()
        .strip_prefix(directory.as_bytes())?
        .strip_prefix(b"/")
}

/// True for names that usually hold credentials: letting such a file in deserves a warning.
#[must_use]
pub fn looks_like_secret(name: &[u8]) -> bool {
    const NAMES: [&str; 12] = [
        ".netrc",
        "_netrc",
        ".git-credentials",
        ".npmrc",
        ".pypirc",
        ".htpasswd",
        "id_rsa",
        "id_dsa",
        "id_ecdsa",
        "id_ed25519",
        "credentials",
        "credentials.json",
    ];
    const ENDINGS: [&str; 8] = [
        ".pem",
        ".key",
        ".p12",
        ".pfx",
        ".jks",
        ".keystore",
        ".kdbx",
        ".ppk",
    ];
    let name = String::from_utf8_lossy(name).to_lowercase();
    let is_env = name == ".env"
        || name.starts_with(".env.") && !name.ends_with(".example") && !name.ends_with(".sample");
    is_env || NAMES.contains(&name.as_str()) || ENDINGS.iter().any(|ending| name.ends_with(ending))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::number::to_index;

    #[test]
    fn deeper_files_and_later_lines_win() {
        let mut rules = IgnoreRules::default();
        rules
            .push(TreePath::root(), b"*.log\n/build/\n# comment\n!keep.log\n")
            .expect("few rules");
        rules
            .push(TreePath::from("sub"), b"!*.log\nonly-here\n")
            .expect("few rules");
        let says = |path: &str, directory| rules.matched(&TreePath::from(path), directory);
        assert_eq!(says("a.log", false), Some(true));
        assert_eq!(says("keep.log", false), Some(false));
        assert_eq!(says("build", true), Some(true));
        assert_eq!(says("build", false), None);
        assert_eq!(says("x/build", true), None);
        assert_eq!(says("sub/a.log", false), Some(false));
        assert_eq!(says("only-here", false), None);
        assert_eq!(says("sub/deep/only-here", false), Some(true));
        assert!(rules.is_ignored(&TreePath::from("build/x.rs"), false));
        assert!(!rules.is_ignored(&TreePath::from("src/x.rs"), false));
        assert!(rules.is_ignored(&TreePath::from("build"), true));
        assert!(!rules.is_ignored(&TreePath::from("build"), false));
    }

    #[test]
    fn more_rules_than_the_limit_are_refused() {
        let (half, path) = ("x\n".repeat(IGNORE_LINES_MAX / 2), TreePath::from("a"));
        let mut rules = IgnoreRules::default();
        rules
            .push(TreePath::root(), half.as_bytes())
            .expect("half of the limit");
        let refused = rules
            .push(path.clone(), half.as_bytes())
            .expect_err("over it");
        assert_eq!(refused, TooManyRules(TreePath::from("a/.teddyignore")));
        rules.push(path, b"few\n").expect("few rules");
        rules.retain_above(&TreePath::from("b"));
        rules
            .push(
                TreePath::from("b"),
                "y\n".repeat(IGNORE_LINES_MAX / 3).as_bytes(),
            )
            .expect("those of 'a' do not count");
        assert!(
            IgnoreRules::default()
                .push(
                    TreePath::root(),
                    &vec![b'#'; to_index(IGNORE_BYTES_MAX) + 1]
                )
                .is_err()
        );
    }

    #[test]
    fn secrets_are_known_by_name() {
        for name in [".env", ".env.local", "server.PEM", "id_ed25519", ".netrc"] {
            assert!(looks_like_secret(name.as_bytes()), "{name}");
        }
        for name in ["environment.rs", ".env.example", "key.rs", "monkey"] {
            assert!(!looks_like_secret(name.as_bytes()), "{name}");
        }
    }
}
