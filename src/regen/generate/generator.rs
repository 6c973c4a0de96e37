//! What a run with a model works with: the repository, the plan's inputs, the provider, and how fast it goes.

use super::owing::Batching;
use crate::git::{Repository, StateDir};
use crate::node::Scan;
use crate::provider::call::Caller;
use crate::regen::plan::Inputs;
use crate::regen::prepare::Writer;
use crate::regen::queue::Priority;

/// How a run goes about it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Calls at once.
    pub concurrency: usize,
    /// The first failure ends the run.
    pub fail_fast: bool,
    /// How urgent the nodes are for their own sake; `None` to tell by their reasons.
    pub priority: Option<Priority>,
}

/// Everything that a run with a model works with.
pub struct Generator<'g> {
    /// Where objects are read and written.
    pub repo: &'g Repository,
    /// Where this machine keeps its state.
    pub state: &'g StateDir,
    /// What was scanned.
    pub scan: &'g Scan,
    /// Whose frames are made.
    pub inputs: &'g Inputs<'g>,
    /// The request.
    pub writer: &'g Writer<'g>,
    /// The provider.
    pub caller: &'g Caller,
    /// How many at once, and what ends it.
    pub pace: Pace,
    /// What goes out in batches, and what is owed by them.
    pub batching: &'g Batching,
}
