//! A secret text: a key, or the value of a header. It prints as `***`.

use std::fmt;

/// What stands for a key wherever text is made.
pub(super) const HIDDEN: &str = "***";

/// A secret text: a key, or the value of a header. It prints as `***`.
#[derive(Clone, PartialEq, Eq)]
pub struct ApiKey(String);

impl fmt::Debug for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl fmt::Display for ApiKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(HIDDEN)
    }
}

impl ApiKey {
    /// Takes a text that can stand in a header; `None` for what is empty or cannot.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let text = text.trim();
        let is_key = !text.is_empty() && text.bytes().all(|byte| (b' '..=b'~').contains(&byte));
        is_key.then(|| Self(text.to_owned()))
    }

    /// The text itself, for a header and for a credential helper.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }
}
