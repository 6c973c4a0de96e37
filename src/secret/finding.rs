//! One place in a text that looks like a secret, and the name under which it may be allowed.

use std::fmt;
use std::ops::Range;
use std::str::FromStr;

use crate::base::hash::FieldHasher;

/// Hex digits of an id: enough to tell findings apart, few enough to say little about a weak secret.
const ID_DIGITS: usize = 12;

/// Something that looks like a secret.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Finding {
    /// The rule that says so.
    pub rule: String,
    /// The line in which it begins, from 1.
    pub line: usize,
    /// The bytes of the secret.
    pub range: Range<usize>,
    /// What allows it.
    pub id: FindingId,
}

/// The name of a finding: a short digest of the rule and the secret, so that neither line nor file matter.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FindingId(String);

impl FindingId {
    /// The id of these bytes, found by a rule of this name.
    #[must_use]
    pub fn of(rule: &str, secret: &[u8]) -> Self {
        let digest = FieldHasher::new("git-merkle 2026 secret/1")
            .field(rule.as_bytes())
            .field(secret)
            .finish();
        let mut text = digest.to_string();
        text.truncate(ID_DIGITS);
        Self(text)
    }

    /// The hex digits.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for FindingId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

/// Why a text is not the id of a finding.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("expected the {ID_DIGITS} hex digits that the message about the secret names")]
pub struct FindingIdError;

impl FromStr for FindingId {
    type Err = FindingIdError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let is_id = text.len() == ID_DIGITS
            && text
                .bytes()
                .all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        if is_id {
            Ok(Self(text.to_owned()))
        } else {
            Err(FindingIdError)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_depends_on_rule_and_bytes_and_reads_back() {
        let id = FindingId::of("jwt", b"x");
        assert_eq!(id.to_string().parse(), Ok(id.clone()));
        assert_ne!(id, FindingId::of("jwt", b"y"));
        assert_ne!(id, FindingId::of("jw", b"tx"));
        for text in ["", "abc", "ABCDEF012345", "0123456789abc", "0123456789ag"] {
            assert_eq!(text.parse::<FindingId>(), Err(FindingIdError), "{text}");
        }
    }
}
