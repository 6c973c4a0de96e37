//! The name of a clone among those that publish to refs of their own.

use std::fmt;

use crate::git::StateDir;

/// Hex digits of a name.
const DIGITS: usize = 32;

/// A clone's name: digits that say nothing about a person or a machine.
///
/// It is derived from the user's own random key and the place of the git directory, so that nothing has to be written, a
/// copied folder has another name at its new place, and a folder that another person packed names no ref of theirs.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Writer(String);

impl Writer {
    /// The name of this clone.
    #[must_use]
    pub fn of(state: &StateDir) -> Self {
        let digest = state
            .key("git-merkle 2026 writer/1")
            .digest(b"")
            .to_string();
        Self(digest[..DIGITS].to_owned())
    }

    /// Reads a name as it stands in a ref; a remote may hold anything there.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let is_digit = |byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f');
        (text.len() == DIGITS && text.bytes().all(is_digit)).then(|| Self(text.to_owned()))
    }
}

impl fmt::Display for Writer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A copied folder, and one of another user, write to another ref.
    #[test]
    fn a_name_belongs_to_one_place_of_one_user() {
        let folder = tempfile::tempdir().expect("a folder");
        let name = |user: &str, place: &str| {
            let place = folder.path().join(place);
            std::fs::create_dir_all(&place).expect("a folder");
            Writer::of(&StateDir::at(&place).sealed(Some(folder.path().join(user))))
        };
        let own = name("user", "clone");
        assert_eq!(
            (name("user", "clone"), Writer::parse(&own.to_string())),
            (own.clone(), Some(own.clone()))
        );
        assert!(name("user", "copy") != own && name("other", "clone") != own);
        for bad in [
            "",
            "..",
            "0",
            &"A".repeat(32),
            &"g".repeat(32),
            &"0".repeat(33),
            "0/000000000000000000000000000000",
        ] {
            assert_eq!(Writer::parse(bad), None, "{bad}");
        }
    }
}
