//! What a place may do with a setting, and which of two values is the tighter one.

use super::value;

/// What a place may do with a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Permission {
    /// Set it.
    Set,
    /// Set it once the user has trusted the repository.
    AfterTrust,
    /// Make it tighter than it is, never looser.
    Tighten(Order),
    /// Nothing.
    Never,
}

/// What "tighter" means for a key.
///
/// A value that no lower layer has set cannot be tightened: a repository must not introduce a budget.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Order {
    /// A smaller number, as [`value::limit`] reads it.
    Smaller,
    /// Some of the values and no others.
    Fewer,
}

impl Order {
    /// True when new values say no more than the present ones allow.
    #[must_use]
    pub fn holds(self, present: &[String], new: &[String]) -> bool {
        match self {
            Self::Smaller => {
                let limits = (
                    present.last().and_then(|text| value::limit(text)),
                    new.last().and_then(|text| value::limit(text)),
                );
                matches!(limits, (Some(present), Some(new)) if new <= present)
            }
            Self::Fewer => {
                value::words(new).all(|word| value::words(present).any(|allowed| allowed == word))
            }
        }
    }
}
