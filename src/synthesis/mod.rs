//! Words without a model: a directory's frame from its children's, by a fixed policy; and what every frame depends on.
//!
//! Pure: the same children give the same bytes, on every machine. Owns the basis table, the reasons for making a
//! frame, and the policies. Never reads or writes the store.
//!
//! | a frame depends on | file | directory | written by hand | invalidation |
//! |---|---|---|---|---|
//! | basis kind, agent, type | yes | yes | yes | yes |
//! | instructions (prompt digest, or policy and options) | yes | yes | no | no |
//! | the node's id | yes | no | yes | yes, and its generation |
//! | the path | if the agent is path-sensitive | no | no | no |
//! | the outline instead of the id | if the agent says so | – | no | no |
//! | names, kinds, and content of the children's heads | – | yes | no | no |
//! | provider, model, parameters, clock, branch | no | no | no | no |
//!
//! Start with [`basis`] and [`policy`].

pub mod basis;
mod child;
pub mod facts;
mod hosting;
mod likeness;
mod names;
mod nested;
pub mod outline;
pub mod policies;
pub mod policy;
mod reading;
pub mod recipe;
mod reopened;
mod short;

pub mod spec;
pub mod summarize;

pub use basis::{Child, ChildState};
pub use child::{ChildNode, PartKind};
pub use facts::Facts;
pub use policies::Policies;
pub use policy::{Filter, Policy, PolicyError};
pub use recipe::Reason;
pub use spec::{PolicySpec, SourceTypes};
