//! The one interface of everything that answers: a model behind an endpoint, a program, a person, a recording.

use std::pin::Pin;

use super::error::{Charge, Failure, ProviderError};
use crate::chat::{Answer, Capabilities, Request, Ticket};

/// An answer on its way. Dropping it cancels.
pub type ReplyFuture<'a, T, E> = Pin<Box<dyn Future<Output = Result<T, E>> + Send + 'a>>;

/// Receives an answer piece by piece while it comes in; what it saw of a failed attempt is void.
pub type TextSink<'a> = &'a mut (dyn FnMut(&str) + Send);

/// Something that can be asked. One call is one attempt: retries, limits and the ledger are the caller's.
pub trait Provider: Send + Sync {
    /// What it can do, as configured. Reaches nothing.
    fn capabilities(&self) -> &Capabilities;

    /// Finds out whether it can be reached with its key and model, without spending anything.
    fn validate(&self) -> ReplyFuture<'_, (), ProviderError> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Asks once. `on_text` sees the pieces of a streamed answer.
    fn complete<'a>(
        &'a self,
        request: &'a Request,
        on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure>;

    /// Looks whether the answer of an earlier [`Answer::Pending`] is there; the same ticket comes back while it is not.
    /// The default is for providers that answer at once and give no tickets.
    fn collect<'a>(&'a self, _ticket: &'a Ticket) -> ReplyFuture<'a, Answer, Failure> {
        let error = ProviderError::Protocol("it answers at once".to_owned());
        Box::pin(std::future::ready(Err(Failure::new(
            error,
            Charge::Nothing,
        ))))
    }

    /// Gets ready before the first request of a run, where that reaches something.
    fn open(&self) -> ReplyFuture<'_, (), ProviderError> {
        Box::pin(std::future::ready(Ok(())))
    }

    /// Hears that nothing new is wanted: what was sent and not begun may come back undone.
    fn halt(&self) {}

    /// Gives back what it holds elsewhere, after the last answer; what there is to tell of that.
    fn close(&self) -> ReplyFuture<'_, Vec<String>, ProviderError> {
        Box::pin(std::future::ready(Ok(Vec::new())))
    }
}
