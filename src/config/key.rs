//! The name of a setting, in the one spelling in which it is compared, guarded and looked up.
//!
//! People write `confirmAbove` in git's configuration, `confirm_above` or `confirm-above` in TOML and
//! `GIT_MERKLE_CONFIRM_ABOVE` in the environment. All are made the same key before anything looks at them, so no
//! spelling can pass a guard that another would not.

use std::fmt;

/// A dotted name without the leading `merkle.`: `notes`, `provider.claude.endpoint`.
///
/// Lower case throughout. The first and the last part have no `-` and `_`; a part between is a name that the user chose,
/// in which `_` is `-`.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Key(String);

impl Key {
    /// Makes a key of any spelling; `None` when a part is empty, or invisible characters stand in it.
    #[must_use]
    pub fn new(spelling: &str) -> Option<Self> {
        if spelling
            .chars()
            .any(|c| c.is_control() || c.is_whitespace())
        {
            return None;
        }
        let parts: Vec<&str> = spelling.split('.').collect();
        let last = parts.len() - 1;
        let canonical: Vec<String> = parts
            .iter()
            .enumerate()
            .map(|(at, part)| match at {
                0 => bare(part),
                at if at == last => bare(part),
                _ => part.to_ascii_lowercase().replace('_', "-"),
            })
            .collect();
        canonical
            .iter()
            .all(|part| !part.is_empty())
            .then(|| Self(canonical.join(".")))
    }

    /// A key that no setting has, for a spelling that is no key: what is wrong with it is a `?`.
    #[must_use]
    pub fn malformed(spelling: &str) -> Self {
        let plain = |c: char| {
            if c.is_control() || c.is_whitespace() {
                '?'
            } else {
                c
            }
        };
        let plain: String = spelling.to_lowercase().chars().map(plain).collect();
        let parts: Vec<&str> = plain
            .split('.')
            .map(|part| if part.is_empty() { "?" } else { part })
            .collect();
        let key = parts.join(".");
        Self(if key.contains('?') {
            key
        } else {
            format!("{key}?")
        })
    }

    /// The canonical spelling, without `merkle.`.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The parts between the dots.
    pub fn parts(&self) -> impl Iterator<Item = &str> {
        self.0.split('.')
    }
}

impl fmt::Display for Key {
    /// As git's configuration names it, with `merkle.`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "merkle.{}", self.0)
    }
}

impl std::borrow::Borrow<str> for Key {
    fn borrow(&self) -> &str {
        &self.0
    }
}

fn bare(part: &str) -> String {
    part.chars()
        .filter(|c| !matches!(c, '-' | '_'))
        .map(|c| c.to_ascii_lowercase())
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_is_one_key() {
        for spelling in [
            "confirmAbove",
            "confirm_above",
            "confirm-above",
            "CONFIRM_ABOVE",
            "confirmabove",
        ] {
            assert_eq!(Key::new(spelling).expect("a key").as_str(), "confirmabove");
        }
        let key = Key::new("Provider.My_Claude.API_key").expect("a key");
        assert_eq!(key.as_str(), "provider.my-claude.apikey");
        assert_eq!(key.to_string(), "merkle.provider.my-claude.apikey");
    }

    #[test]
    fn what_has_no_name_is_no_key() {
        for spelling in ["", ".", "a.", ".a", "a..b", "_", "a.-", "a b", "a\n"] {
            assert_eq!(Key::new(spelling), None, "{spelling:?}");
        }
    }
}
