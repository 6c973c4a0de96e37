//! Paths inside a git tree: bytes with `/` between the names, relative to the root, whatever the platform.
//!
//! Git does not promise UTF-8, so neither does this. The root directory is the empty path.

use std::fmt;

/// The last name of a path.
#[must_use]
pub fn last_name(path: &[u8]) -> &[u8] {
    path.rsplit(|byte| *byte == b'/').next().unwrap_or(path)
}

/// A path in a tree, without leading or trailing `/`; empty for the root.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Default)]
pub struct TreePath(Vec<u8>);

impl TreePath {
    /// The root directory.
    #[must_use]
    pub fn root() -> Self {
        Self::default()
    }

    /// Takes bytes as they stand in a tree or an index.
    #[must_use]
    pub fn new(bytes: impl Into<Vec<u8>>) -> Self {
        Self(bytes.into())
    }

    /// The raw bytes.
    #[must_use]
    pub fn as_bytes(&self) -> &[u8] {
        &self.0
    }

    /// True for the root directory.
    #[must_use]
    pub fn is_root(&self) -> bool {
        self.0.is_empty()
    }

    /// This path with one more name at its end.
    #[must_use]
    pub fn join(&self, name: &[u8]) -> Self {
        let mut bytes = Vec::with_capacity(self.0.len() + 1 + name.len());
        bytes.extend_from_slice(&self.0);
        if !bytes.is_empty() {
            bytes.push(b'/');
        }
        bytes.extend_from_slice(name);
        Self(bytes)
    }

    /// The path that a relative one leads to from here, by its `.` and `..`; `None` when it leads out of the root.
    #[must_use]
    pub fn follow(&self, written: &[u8]) -> Option<Self> {
        let mut names: Vec<&[u8]> = self.names().collect();
        for name in written.split(|b| *b == b'/') {
            match name {
                b"" | b"." => {}
                b".." => drop(names.pop()?),
                name => names.push(name),
            }
        }
        Some(Self(names.join(&b'/')))
    }

    /// The path as it is shown: the root is `./`.
    #[must_use]
    pub fn shown(&self) -> &[u8] {
        if self.is_root() { b"./" } else { &self.0 }
    }

    /// The directory that this path stands in; `None` for the root.
    #[must_use]
    pub fn parent(&self) -> Option<Self> {
        if self.is_root() {
            return None;
        }
        let end = self.0.iter().rposition(|b| *b == b'/').unwrap_or(0);
        Some(Self(self.0[..end].to_vec()))
    }

    /// The last name; empty for the root.
    #[must_use]
    pub fn name(&self) -> &[u8] {
        last_name(&self.0)
    }

    /// The names from the root down.
    pub fn names(&self) -> impl Iterator<Item = &[u8]> {
        self.0.split(|b| *b == b'/').filter(|name| !name.is_empty())
    }

    /// The path as text, with replacement characters where it is not UTF-8: for rules and people, not for lookups.
    #[must_use]
    pub fn to_text(&self) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(&self.0)
    }
}

impl From<&str> for TreePath {
    fn from(text: &str) -> Self {
        Self(text.as_bytes().to_vec())
    }
}

impl fmt::Debug for TreePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:?}", self.to_text())
    }
}

/// Quotes a path the way git's output does: unchanged when plain, else in double quotes with C escapes.
///
/// With `quote_high` (git's `core.quotePath`, on by default) bytes above 0x7f are octal escapes as well.
#[must_use]
pub fn quote(path: &[u8], quote_high: bool) -> String {
    let plain = |b: u8| match b {
        b'"' | b'\\' | 0x7f => false,
        0x80.. => !quote_high,
        _ => b >= 0x20,
    };
    if path.iter().all(|b| plain(*b))
        && let Ok(text) = std::str::from_utf8(path)
    {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    let utf8 = std::str::from_utf8(path).is_ok();
    let mut kept = Vec::new();
    for &byte in path {
        if plain(byte) && (byte < 0x80 || utf8) {
            kept.push(byte);
            continue;
        }
        out.push_str(&String::from_utf8_lossy(&kept));
        kept.clear();
        match byte {
            b'\x07' => out.push_str("\\a"),
            b'\x08' => out.push_str("\\b"),
            b'\t' => out.push_str("\\t"),
            b'\n' => out.push_str("\\n"),
            b'\x0b' => out.push_str("\\v"),
            b'\x0c' => out.push_str("\\f"),
            b'\r' => out.push_str("\\r"),
            b'"' => out.push_str("\\\""),
            b'\\' => out.push_str("\\\\"),
            _ => {
                out.push('\\');
                out.extend(
                    [byte >> 6, byte >> 3 & 7, byte & 7].map(|digit| char::from(b'0' + digit)),
                );
            }
        }
    }
    out.push_str(&String::from_utf8_lossy(&kept));
    out.push('"');
    out
}

/// Reads what [`quote`] wrote, with or without quotation marks; `None` where they are wrong.
#[must_use]
pub fn unquote(text: &str) -> Option<Vec<u8>> {
    let Some(inner) = text.strip_prefix('"') else {
        return Some(text.as_bytes().to_vec());
    };
    let mut rest = inner.strip_suffix('"')?.bytes();
    let mut out = Vec::new();
    while let Some(byte) = rest.next() {
        if byte != b'\\' {
            out.push(byte);
            continue;
        }
        out.push(match rest.next()? {
            b'a' => 0x07,
            b'b' => 0x08,
            b't' => b'\t',
            b'n' => b'\n',
            b'v' => 0x0b,
            b'f' => 0x0c,
            b'r' => b'\r',
            plain @ (b'"' | b'\\') => plain,
            high @ b'0'..=b'3' => {
                let mut digit = || Some(rest.next().filter(|b| (b'0'..=b'7').contains(b))? - b'0');
                (high - b'0') << 6 | digit()? << 3 | digit()?
            }
            _ => return None,
        });
    }
    Some(out)
}

/// True for `.git` as any file system may read it: without regard to case, with dots and spaces at its end, with
/// characters that HFS+ ignores, or as the short name of NTFS.
#[must_use]
pub fn is_git_directory(name: &[u8]) -> bool {
    let visible: String = String::from_utf8_lossy(name)
        .chars()
        .filter(|c| !is_ignored_by_hfs(*c))
        .collect();
    let visible = visible.to_ascii_lowercase();
    let plain = visible
        .split(':')
        .next()
        .unwrap_or_default()
        .trim_end_matches(['.', ' ']);
    plain == ".git" || plain == "git~1"
}

/// The list is that of git's `utf8.c`.
fn is_ignored_by_hfs(c: char) -> bool {
    matches!(c, '\u{200c}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{206a}'..='\u{206f}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parents_lead_to_the_root() {
        let path = TreePath::from("a/b/c.rs");
        assert_eq!(path.name(), b"c.rs");
        assert_eq!(path.parent(), Some(TreePath::from("a/b")));
        assert_eq!(TreePath::from("a").parent(), Some(TreePath::root()));
        assert_eq!(TreePath::root().parent(), None);
        assert_eq!(
            TreePath::root().join(b"x").join(b"y"),
            TreePath::from("x/y")
        );
    }

    #[test]
    fn quoting_is_gits() {
        assert_eq!(quote(b"src/lib.rs", true), "src/lib.rs");
        assert_eq!(quote("ä\n".as_bytes(), true), "\"\\303\\244\\n\"");
        assert_eq!(quote("ä".as_bytes(), false), "ä");
        assert_eq!(quote(b"a\"b\\\x01", true), "\"a\\\"b\\\\\\001\"");
        assert_eq!(quote(b"\xff", false), "\"\\377\"");
    }

    #[test]
    fn what_is_quoted_can_be_read() {
        for path in [
            &b"src/lib.rs"[..],
            "ä\n".as_bytes(),
            b"a\"b\\\x01",
            b"\xff\x07\x0b",
        ] {
            for quote_high in [true, false] {
                assert_eq!(unquote(&quote(path, quote_high)).as_deref(), Some(path));
            }
        }
        for broken in ["\"", "\"a", "\"\\\"", "\"\\9\"", "\"\\07\""] {
            assert_eq!(unquote(broken), None, "{broken}");
        }
    }
}
