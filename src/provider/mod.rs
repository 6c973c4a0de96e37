//! Facts: who can be asked, what they can do, and the asking itself. The only home of genai and of HTTP.
//!
//! Owns the definitions of providers (protected settings alone), keys, one attempt over the wire, the closed list of
//! failures, which of them are worth another attempt, rate limits, and the ledger of what was spent. Never reads a
//! repository's text for instructions, and never stores a frame. Start with [`Provider`] and [`definition`].

mod ask;
pub mod error;
pub mod ledger;

pub use ask::{Asking, Provider, TextSink};
pub use error::{Charge, Failure, ProviderError};
