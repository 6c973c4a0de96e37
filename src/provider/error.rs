//! Every way in which asking fails: a closed list, whatever the protocol.

use std::time::Duration;

use super::length::Lengths;
use crate::chat::{Reply, Usage};

/// Why there is no answer. Texts hold no key and no words of the request.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ProviderError {
    /// Something is missing or wrong in the configuration: endpoint, model, program, key.
    #[error("provider '{provider}' is not configured: {reason}")]
    NotConfigured {
        /// Its name.
        provider: String,
        /// What is missing.
        reason: String,
    },
    /// The key is refused.
    #[error("the provider refuses the key: {0}")]
    Auth(String),
    /// What the account has paid for, or may spend, is used up.
    #[error("the account's quota is used up: {0}")]
    Quota(String),
    /// Too many requests or tokens in a time.
    #[error("the provider's rate limit is reached{}", asked_wait(*retry_after))]
    RateLimited {
        /// How long the provider asks to wait.
        retry_after: Option<Duration>,
    },
    /// No such model.
    #[error("the provider has no model '{model}'")]
    ModelNotFound {
        /// Requested.
        model: String,
        /// What there is, if it tells.
        available: Vec<String>,
    },
    /// The request is larger than the model's window.
    #[error("the request is too long for the model: {reason}")]
    ContextTooLong {
        /// What the provider says.
        reason: String,
        /// The numbers in it.
        lengths: Box<Lengths>,
    },
    /// The model or a filter in front of it declines to answer.
    #[error("the model refuses to answer: {0}")]
    Refused(String),
    /// The answer was cut at the limit of output tokens.
    #[error("the answer was cut at the limit of output tokens")]
    Truncated,
    /// A stream came to an end before the answer did, as servers end one that do one thing at a time.
    #[error("the provider's answer breaks off before its end")]
    BrokenOff,
    /// A stream without any event, as servers end one that they cannot begin: asked at once, they say why.
    #[error("the provider's stream holds no event")]
    NoEvent,
    /// A worker took the request and was not heard of any more, or the queue has lost it.
    #[error("no worker has answered: the request was lost on its way")]
    Lost,
    /// The queue between the coordinator and the workers cannot be used.
    #[error("the queue cannot be used: {0}")]
    Queue(String),
    /// The request is larger than what the server of the queue takes.
    #[error(
        "the request has {size_bytes} bytes, and the server of the queue takes {size_bytes_max} (max_payload)"
    )]
    TooLarge {
        /// Its size.
        size_bytes: usize,
        /// The server's limit.
        size_bytes_max: usize,
    },
    /// Another run coordinates the requests of this repository.
    #[error("another run of this repository uses the queue")]
    QueueBusy,
    /// The endpoint has nothing at this path: another program answers there, or a part of the address is missing.
    #[error("there is no such thing at the provider's address: {0}")]
    Address(String),
    /// It does not take the request, whatever the reason: a parameter, the model, the form.
    #[error("the provider does not take the request: {0}")]
    Rejected(String),
    /// What came back is not what the protocol says: HTML, broken JSON, an empty answer, no end.
    #[error("the provider's answer is not understood: {0}")]
    Protocol(String),
    /// Nothing came for too long.
    #[error("the provider did not answer within {} s", .0.as_secs())]
    Timeout(Duration),
    /// It cannot be reached, or it fails on its side.
    #[error("the provider is unavailable: {reason}")]
    Unavailable {
        /// What failed.
        reason: String,
        /// How long it asks to wait.
        retry_after: Option<Duration>,
    },
}

impl ProviderError {
    /// The same failure with another text, where what a provider or a server said stands in it.
    #[must_use]
    pub(super) fn map_text(self, change: impl FnOnce(String) -> String) -> Self {
        match self {
            Self::Auth(text) => Self::Auth(change(text)),
            Self::Quota(text) => Self::Quota(change(text)),
            Self::ContextTooLong { reason, lengths } => Self::ContextTooLong {
                reason: change(reason),
                lengths,
            },
            Self::Refused(text) => Self::Refused(change(text)),
            Self::Address(text) => Self::Address(change(text)),
            Self::Rejected(text) => Self::Rejected(change(text)),
            Self::Protocol(text) => Self::Protocol(change(text)),
            Self::Unavailable {
                reason,
                retry_after,
            } => Self::Unavailable {
                reason: change(reason),
                retry_after,
            },
            other => other,
        }
    }
}

/// What stands behind a rate limit whose end the provider names.
fn asked_wait(retry_after: Option<Duration>) -> String {
    retry_after.map_or_else(String::new, |wait| {
        format!("; it asks to wait for {} s", wait.as_secs())
    })
}

/// What a failed attempt may have cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Charge {
    /// Nothing: it was never sent, or refused before any work.
    Nothing,
    /// What the provider says.
    Usage(Usage),
    /// The cost is unknown: it counts in full.
    Unknown,
}

/// A failed attempt.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{error}")]
pub struct Failure {
    /// Why.
    pub error: ProviderError,
    /// What it may have cost.
    pub charge: Charge,
    /// True when part of an answer had come in: what was said is void, and asking again costs again.
    pub answered_in_part: bool,
    /// What had come of an answer that was cut at the limit of output tokens.
    pub partial: Option<Box<Reply>>,
}

impl Failure {
    /// A failure before anything of an answer was there.
    #[must_use]
    pub fn new(error: ProviderError, charge: Charge) -> Self {
        Self {
            error,
            charge,
            answered_in_part: false,
            partial: None,
        }
    }
}
