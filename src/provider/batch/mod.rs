//! Many requests as one batch: half the price, and the answers come within a day.
//!
//! Two dialects, Anthropic's Message Batches and OpenAI's Batch API. What is under way stands in the state directory, sealed,
//! from before the first byte leaves until the last answer was taken:
//!
//! | step | on the disk | killed here |
//! |---|---|---|
//! | intent | the requests' ids, no id of a batch | nothing was sent: taken back later |
//! | worst case reserved in the ledger | the same | the same, and the reservation is settled with nothing |
//! | `POST` | the same | the provider's list tells whether the batch is there |
//! | answered | the id of the batch | collected later |
//! | ended | the results, then what they took in the ledger, then that it has ended | downloaded again |
//! | taken | fewer requests, then nothing | an answer whose frame is there is not wanted any more |
//!
//! `exchange` keeps this order, `files` has the bytes, `client` speaks HTTP, `openai` and `anthropic` are the dialects, pure.
//! No request goes out for a basis that has one under way: [`OwedBatch::open`] says which have.

mod anthropic;
mod client;
mod exchange;
mod files;
mod line;
mod openai;
mod owed;
mod part;

pub use client::{BatchClient, BatchOutcome};
pub use exchange::{Cancelled, SentBatch, SubmitError, cancel, collect, submit};
pub use files::BatchFiles;
pub use owed::{BatchStage, Owed, OwedBatch};
pub use part::BatchPart;
