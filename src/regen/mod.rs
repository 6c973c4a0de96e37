//! Work: bringing frames up to date. A plan says what is missing or outdated and why; a run makes exactly that.
//!
//! The plan is pure: a scan, the heads and the agent go in, tasks come out, children before the directories that
//! wait for them. The run makes files on all cores and directories as their children are done, stops where a child
//! says what it said before, and stores in batches. Never looks at what the plan does not name.
//! Start with [`plan()`] and [`Runner`].

mod body;
pub mod event;
pub mod generate;
mod make;
pub mod memory;
pub mod plan;
pub mod prepare;
pub mod queue;
pub mod record;
pub mod refused;
pub mod remake;
mod repeat;
pub mod run;
pub mod signals;
pub mod survey;
pub mod synthesize;
mod warm;

pub use body::{FrameBody, NodeError};
pub use event::{Cause, Event, Report, Stop, UnderWay};
pub use generate::{BatchMode, Batching};
pub use plan::{Inputs, Known, NodeFilter, Plan, PlannedNode, Shard, plan};
pub use prepare::{Composed, Nodes, Writer};
pub use run::{RunError, Runner};
