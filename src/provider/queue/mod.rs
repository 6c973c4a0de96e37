//! Requests by way of a NATS server, for workers on other machines: the same requests, another transport.
//!
//! The coordinator is the run itself. Where it would ask its provider, [`Workers`] publishes the request as a task and waits
//! for the answer, so that the ledger, retries, checks and storing are those of any other answer. [`worker`] is the other
//! end: it asks its own provider with its own key, and needs no repository.
//!
//! | what travels | where | how long |
//! |---|---|---|
//! | task: model, messages, limits, a claim | stream `MERKLE_TASKS`, `merkle.task.<model>.<repository>` | until a worker acknowledges it, a day at most |
//! | answer: worker, claim, words, usage | stream `MERKLE_ANSWERS`, `merkle.answer.<repository>.<worker>` | until the run ends, a week at most |
//! | who coordinates a repository | bucket `merkle-lease` | as long as it is renewed |
//!
//! Nothing here is trusted. A task that was begun is not run a second time: the coordinator is told that it was lost,
//! books it in full, reserves anew and publishes it again. A task that is gone without an answer is lost as well. An answer
//! counts only with the claim of its task, which only those can know who were given the task. Keys and endpoints never
//! travel; requests name none.

mod address;
mod codec;
mod lease;
mod link;
mod sweep;
mod waiting;
pub mod worker;
mod workers;

pub use address::{QueueAddress, QueueAddressError};
pub use link::QueueError;
pub use workers::{QueueTerms, Workers};
