//! Stability tiers: which parts of a long prompt stand in front, so that a provider's prompt cache can serve them again.
//!
//! Owns the items of a prompt, what a session remembers of them, the two policies that put items into tiers (`counter`
//! and `expected-cost`), the layout that comes out, and a model of a prompt cache to measure both with. Everything is
//! pure and in whole numbers: the same state, items and terms give the same layout on every machine. Knows no text of
//! a message, no git and no clock; the caller reads history and hands in [`Touches`].
//!
//! What must hold: no item stands in two blocks; blocks are ordered most stable first, so a changed block changes no
//! block before it; messages of a conversation keep their order; an item that changed is active at once under
//! `counter`. Start with [`advance`].

mod advance;
mod array;
pub mod cache;
mod chance;
mod codec;
mod counter;
mod cut;
mod expected_cost;
mod item;
mod lag;
mod layout;
mod observe;
mod order;
mod reason;
mod shape;
mod state;
#[cfg(test)]
mod tests;

pub use advance::{Step, TierPolicy, advance, advance_by_sample};
pub use array::{FileList, Texts, array, item_text, structure, tree};
pub use codec::{Notice, decode, encode};
pub use item::{CacheTerms, Content, Item, Key, Request, Touches};
pub use lag::advance_lagging;
pub use layout::{Block, Layout, Tier};
pub use reason::{ItemReport, explain};
pub use state::{State, Tracked};
