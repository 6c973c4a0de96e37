//! One message of a conversation.

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
    /// True where a provider that takes marks may cache everything up to and with this message.
    pub ends_cached_prefix: bool,
}

impl Message {
    /// A message without a cache mark.
    #[must_use]
    pub fn new(role: Role, text: impl Into<String>) -> Self {
        Self { role, text: text.into(), ends_cached_prefix: false }
    }
}
