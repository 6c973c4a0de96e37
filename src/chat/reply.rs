//! What comes back: an answer now, or a ticket for one that comes later.

use serde::{Deserialize, Serialize};

/// Tokens of one answer, as the provider counted them. Never computed here.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Usage {
    /// Read, cached ones included.
    pub input: u64,
    /// Written, reasoning included.
    pub output: u64,
    /// Of the input: served from the provider's cache.
    #[serde(default)]
    pub cache_read: u64,
    /// Of the input: written to the provider's cache.
    #[serde(default)]
    pub cache_write: u64,
    /// Of the output: spent on reasoning that is not shown.
    #[serde(default)]
    pub reasoning: u64,
}

impl Usage {
    /// Tokens in and out together.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.input.saturating_add(self.output)
    }
}

impl std::ops::AddAssign for Usage {
    fn add_assign(&mut self, other: Self) {
        self.input = self.input.saturating_add(other.input);
        self.output = self.output.saturating_add(other.output);
        self.cache_read = self.cache_read.saturating_add(other.cache_read);
        self.cache_write = self.cache_write.saturating_add(other.cache_write);
        self.reasoning = self.reasoning.saturating_add(other.reasoning);
    }
}

/// A whole answer. One that was cut off is an error, never this.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Reply {
    /// What the model says; not empty.
    pub text: String,
    /// The model, as the provider returned it.
    pub model: Option<String>,
    /// What it took; `None` when the provider does not say.
    pub usage: Option<Usage>,
    /// The worker that asked the model, where a queue lies between.
    #[serde(skip)]
    pub worker: Option<String>,
}

/// A claim on an answer that comes later: from a person, a batch, a slow model.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ticket(pub String);

/// What asking leads to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Answer {
    /// The answer.
    Ready(Reply),
    /// It comes later.
    Pending(Ticket),
}
