//! A request, as one neutral value, and what is kept beside it and never sent.

use std::collections::BTreeMap;

use crate::chat::{GenerationParams, Message};

/// One request in words, for every reader.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Bundle {
    /// The role of the model, and the standards.
    pub system_context: String,
    /// The question itself.
    pub request: String,
    /// How the answer is to look; empty when that is free.
    pub output_instructions: String,
    /// How to generate, where the asker wants something.
    pub generation_params: Option<GenerationParams>,
    /// Answers as they should be.
    pub examples: Vec<String>,
    /// What was said before.
    pub history: Vec<Message>,
}

/// What an asker wants to find again when the answer comes: target files, iteration, scope. No adapter takes it.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Tracking(pub BTreeMap<String, String>);

/// A bundle with what is kept beside it. Adapters take the bundle alone.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct TrackedBundle {
    /// What is said.
    pub bundle: Bundle,
    /// What is not.
    pub tracking: Tracking,
}
