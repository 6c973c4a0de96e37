//! What is known of one batch.

use std::collections::BTreeMap;

use crate::base::BasisId;
use crate::provider::ledger::Spend;

/// One batch, from the intent to send it to the last of its answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OwedBatch {
    /// Our own name for it: of its files, of its reservation, and in OpenAI's metadata.
    pub run: String,
    /// The provider's name.
    pub provider: String,
    /// Where the provider listened: nothing about this batch is sent anywhere else.
    pub endpoint: String,
    /// Whose frames it is for.
    pub agent: String,
    /// When it was sent, in seconds since 1970.
    pub begun: u64,
    /// How far it is.
    pub stage: BatchStage,
    /// Batches of others that looked like this one.
    pub foreign: Vec<String>,
    /// When it was first not found in the provider's list, in seconds since 1970.
    pub missed: Option<u64>,
    /// True where its id is of a batch of that time and size, which may be another program's.
    pub is_guessed: bool,
    /// How many requests went out.
    pub requests: u64,
    /// Those whose answers were not taken yet, each with its worst case.
    pub open: BTreeMap<BasisId, Owed>,
}

/// A request whose answer is owed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Owed {
    /// The most that it can take.
    pub worst: Spend,
    /// True when it is wanted though the same was said before.
    pub is_again: bool,
}

/// How far a batch is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum BatchStage {
    /// It is going to be sent, or was, and the provider's answer did not come.
    Intended,
    /// The provider has it, under this id.
    UnderWay(String),
    /// It has ended, and the results are on the disk; why a request that has none was not run.
    Ended(String),
}

impl OwedBatch {
    /// What it is known by: the provider's id, or ours.
    #[must_use]
    pub fn ticket(&self) -> &str {
        match &self.stage {
            BatchStage::UnderWay(id) => id,
            BatchStage::Intended | BatchStage::Ended(_) => &self.run,
        }
    }

    /// True once there is nothing more to wait for.
    #[must_use]
    pub fn has_ended(&self) -> bool {
        matches!(self.stage, BatchStage::Ended(_))
    }
}
