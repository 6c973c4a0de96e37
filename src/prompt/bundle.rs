//! A request, as one neutral value.

use crate::chat::Message;

/// One request in words, for every reader.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// The role of the model, and the standards.
    pub system_context: String,
    /// The question itself.
    pub request: String,
    /// How the answer is to look; empty when that is free.
    pub output_instructions: String,
    /// Answers as they should be.
    pub examples: Vec<String>,
    /// What was said before.
    pub history: Vec<Message>,
}
