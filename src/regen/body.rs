//! What is kept of a node while its parents are made: its body, or why there is none.

use std::sync::Arc;

use crate::frame::CodecError;
use crate::git::ObjectError;
use crate::profile::FitError;
use crate::prompt::PayloadError;

/// Why one node has no frame. The run goes on.
#[derive(Debug, thiserror::Error)]
pub enum NodeError {
    /// Its content cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// What was said of it cannot be read, or what is said now is no frame.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// It cannot be laid out.
    #[error(transparent)]
    Payload(#[from] PayloadError),
    /// The agent's words leave no room for the node in the model's window.
    #[error(
        "the agent's prompts alone are about {needed} tokens, and an answer may have {output}: too much for a window of {window}"
    )]
    NoRoom {
        /// By our count, what the prompts and the shortest content block take.
        needed: u64,
        /// Tokens of the window.
        window: u64,
        /// Tokens that the answer may have.
        output: u64,
    },
    /// It does not fit into the model's window.
    #[error(transparent)]
    Fit(#[from] FitError),
}

impl NodeError {
    /// True when an object cannot be read: it is missing or damaged. No frame can be made about it until it is repaired, so
    /// nothing else waits for it.
    #[must_use]
    pub fn is_unreadable(&self) -> bool {
        matches!(self, Self::Object(_))
    }
}

/// What a finished node says.
pub type FrameBody = Arc<str>;
