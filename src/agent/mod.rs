//! Facts: who may speak, in which role, and from which instructions.
//!
//! Owns the definitions of agents, the built-in ones, and the one place where roles are enforced
//! ([`Agent::may_write`]). Never knows an endpoint or a key, and never makes a frame. Start with [`Registry`].

pub mod definition;
pub mod registry;

pub use definition::{Agent, AgentError, Maker, Origin, Role, Sensitivity};
pub use registry::{HUMAN, OUTLINE, Registry};
