//! One message of a conversation.

use super::image::{IMAGE_TOKENS, Image};
use crate::base::token;

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// Standing instructions.
    System,
    /// The asking side.
    User,
    /// The model.
    Assistant,
}

impl Role {
    /// The word that the protocols use.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::System => "system",
            Self::User => "user",
            Self::Assistant => "assistant",
        }
    }
}

/// What one side says.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    /// Who.
    pub role: Role,
    /// The words.
    pub text: String,
    /// What goes along with the words.
    pub images: Vec<Image>,
    /// True where a provider that takes marks may cache everything up to and with this message.
    pub ends_cached_prefix: bool,
}

impl Message {
    /// A message without images and without a cache mark.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self {
            role,
            text: text.into(),
            images: Vec::new(),
            ends_cached_prefix: false,
        }
    }

    /// True when it says nothing at all.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.text.is_empty() && self.images.is_empty()
    }

    /// How many tokens its words and images are, by estimate.
    #[must_use]
    pub fn tokens_estimated(&self) -> u64 {
        token::estimate(&self.text) + self.images.len() as u64 * IMAGE_TOKENS
    }
}
