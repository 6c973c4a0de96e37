//! Facts: who can be asked, what they can do, and the asking itself. The only home of their protocols and of HTTP.
//!
//! Owns the definitions of providers (protected settings alone), keys, one attempt over the wire, the closed list of
//! failures, which of them are worth another attempt, rate limits, and the ledger of what was spent. Never reads a
//! repository's text for instructions, and never stores a frame. Start with [`Provider`] and [`definition`].

mod api_key;
mod ask;
pub mod batch;
pub mod call;
mod command;
pub mod connect;
pub mod definition;
pub mod endpoint;
pub mod error;
mod family;
mod fault;
mod http;
pub mod key;
pub mod kind;
pub mod ledger;
pub mod length;
pub mod limit;
mod manual;
mod model;
pub mod price;
mod protocol;
pub mod queue;
mod read;
mod replay;
pub mod retry;
mod retry_after;
mod transport;
mod wire;
mod worst_case;

pub use api_key::ApiKey;
pub use ask::{Provider, ReplyFuture, TextSink};
pub use connect::{Connected, Lacking, Surroundings, connect, lacking};
pub use definition::{Definition, Definitions};
pub use endpoint::{Endpoint, EndpointError};
pub use error::{Charge, Failure, ProviderError};
pub use key::{KeyPlace, KeyStatus};
pub use kind::ProviderKind;
pub use length::Lengths;
pub use limit::{Company, Gate, Leave, Limits, Settled};
pub use price::Prices;
pub use read::DefinitionError;
pub use wire::{body, protocol};
