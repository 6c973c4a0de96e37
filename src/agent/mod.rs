//! Facts: who may speak, in which role, and from which instructions.
//!
//! Owns the definitions of agents, the built-in ones, their prompts and templates, and the one place where roles are
//! enforced ([`Agent::may_write`]). Never knows an endpoint or a key, reads no file by itself (a folder is handed in
//! whole), and never makes a frame. Start with [`Registry`].

pub mod definition;
pub mod exclusion;
mod file;
pub mod include;
pub mod instructions;
mod keys;
mod prompt;
pub mod registry;
pub mod template;

pub use definition::{Agent, AgentError, AgentOrigin, AgentRole, Maker, Sensitivity};

pub use exclusion::Exclusion;
pub use include::{Include, IncludeError};
pub use instructions::Instructions;
pub use registry::{ASSISTANT, HUMAN, OUTLINE, Registry};
pub use template::{Template, TemplateError, Values};
