//! Words: what one request says, and how each kind of reader gets it.
//!
//! Owns the neutral value of a request ([`Bundle`]), its renderings ([`adapter`]), and what is said about one node
//! ([`node`]). Pure: the same inputs give the same words on every machine. Never knows a provider, a clock, a branch or
//! a path of the machine.
//!
//! | part of a node's payload | where it comes from |
//! |---|---|
//! | system message | the agent's system prompt, nothing else |
//! | content block | the file's bytes, or the heads of the directory's children for this agent and type |
//! | task block | the agent's template for this kind of node, filled |
//! | structure | the agent's response template; its schema where the provider takes none |
//!
//! Start with [`node_payload`] and [`to_request`].

pub mod adapter;
pub mod attribute;
mod block;
pub mod bundle;
mod commit_message;
mod cut;
pub mod node;
mod system;
mod tag;

pub use adapter::{display, manual, messages, to_request};
pub use attribute::path_text;
pub use block::ChildText;
pub use bundle::Bundle;
pub use commit_message::commit_message;
pub use node::{Content, NodePayload, PayloadError, node_payload};
pub use system::SYSTEM_PROMPT;
