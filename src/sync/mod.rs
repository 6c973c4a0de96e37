//! The store and its copies elsewhere: frames come from a remote, are checked, united, and go back.
//!
//! | step | where | what holds |
//! |---|---|---|
//! | fetch | `transfer` | the remote's frames stand under refs of their own; the store is not touched |
//! | accept | [`accept`] | every entry that the store lacks is checked before it counts; a bad one is left out by name |
//! | unite | `frame::commit::add_entries` | the store grows by one compare-and-swap; `frame::epoch::shrink` where the remote has dropped something |
//! | select | [`select`], [`public`] | what goes was said, not derived, and is about objects and paths that the remote can know |
//! | push | `attempt` | a commit on top of the remote's own, so that no history of this clone goes along |
//! | drop | [`mod@gc`], [`retain`] | the store shrinks, here or at the remote; an epoch keeps the others from bringing back what went |
//!
//! Must never move a ref of the user, drop what a person said, or send a statement about an object of a
//! branch that the remote does not have. Start with [`exchange`].

pub mod accept;
mod attempt;
pub mod auto;
pub mod error;
pub mod exchange;
pub mod gc;
mod left_out;
pub mod lost;
pub mod memory;
mod outline;
mod pace;
pub mod public;
pub mod remote;
pub mod retain;
pub mod select;
pub mod sign;
pub mod signature;
mod terms;
mod transfer;
pub mod unpushed;
mod writer;

pub use accept::{AcceptFrames, Delivery};
pub use auto::AutoSync;
pub use error::SyncError;
pub use exchange::{Outcome, fetch, push, sync};
pub use gc::{gc, publish};
pub use left_out::LeftOut;
pub use memory::Memory;
pub use remote::{Publish, Remote, RemoteError, Share, parse_remote_ref};
pub use sign::SignError;
pub use signature::{Attested, Signature, Signatures};
pub use terms::Exchange;
pub use unpushed::{Unpushed, unpushed};
pub use writer::Writer;
