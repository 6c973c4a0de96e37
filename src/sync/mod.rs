//! The store and its copies elsewhere: frames come from a remote, are checked, united, and go back.
//!
//! | step | where | what holds |
//! |---|---|---|
//! | fetch | [`remote`] | the remote's frames stand under a ref of their own; the store is not touched |
//! | accept | [`accept`] | every entry that the store lacks is checked before it counts; a bad one is left out by name |
//! | unite | `frame::commit::add_entries` | the store only grows, by one compare-and-swap |
//! | select | [`select`], [`public`] | what goes was said, not derived, and is about objects and paths that the remote can know |
//! | push | [`exchange`] | a commit on top of the remote's own, so that no history of this clone goes along |
//!
//! Must never move a ref of the user, drop an entry that the remote holds, or send a statement about an object of a
//! branch that the remote does not have. Start with [`exchange`].

pub mod accept;
pub mod exchange;
pub mod lost;
pub mod memory;
pub mod public;
pub mod remote;
pub mod select;

pub use accept::{Delivery, LeftOut};
pub use exchange::{Exchange, Outcome, SyncError, fetch, push};
pub use memory::{Memory, Unpushed, unpushed};
pub use remote::{Remote, RemoteError, Share};
