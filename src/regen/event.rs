//! What a run tells while it works, and what it has done in the end.

use std::fmt;
use std::path::PathBuf;
use std::time::Duration;

use crate::base::{NodeKind, TreePath};
use crate::chat::Usage;
use crate::provider::ProviderError;
use crate::provider::batch::OwedBatch;
use crate::provider::ledger::Spend;

/// A step of a run, for progress, logs and `--json-lines`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Event {
    /// This many of all tasks are done.
    Progress {
        /// Tasks done, of whatever outcome.
        done: u64,
        /// All tasks.
        total: u64,
        /// What the answers so far have taken.
        spent: Spend,
    },
    /// A request about a node is sent to a model.
    Sent(TreePath),
    /// A model has answered, and the answer is on the disk.
    Answered {
        /// About which node.
        path: TreePath,
        /// What it took, as the provider says.
        usage: Option<Usage>,
        /// What it cost; `None` when no price is known.
        nano_dollars: Option<u64>,
    },
    /// A node's frame was made.
    Made(TreePath),
    /// A node's frame was attached without asking: the same was said before.
    Reused(TreePath),
    /// A directory turned out to be fresh: what it holds says what it said.
    Kept(TreePath),
    /// A file's content is not in this clone, so nothing is said about it.
    Absent(TreePath),
    /// An attempt failed and is made again.
    Retried {
        /// About which node.
        path: TreePath,
        /// Why.
        reason: String,
        /// After how long.
        pause: Duration,
    },
    /// A node's answer comes later, under a ticket.
    Awaited {
        /// Which.
        path: TreePath,
        /// What the answer is known by.
        ticket: String,
    },
    /// A node has no frame.
    Failed {
        /// Which.
        path: TreePath,
        /// Why.
        reason: String,
    },
    /// A batch of this many frames is in the store.
    Stored(u64),
    /// Another run of the same agent is at work in this clone; this one waits for what it stores.
    Waiting,
    /// Nothing new is begun any more.
    Stopping(Stop),
}

/// Why a run ended before everything was done.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Stop {
    /// The next call does not fit into the budget: which limit.
    Budget(String),
    /// A node failed, and that was to end the run.
    FailFast,
    /// The provider cannot be used at all: why.
    Provider(String),
    /// No answer of the last ones could be used: why not.
    Unusable(String),
    /// Ctrl-C.
    Interrupted,
    /// A request to terminate.
    Terminated,
}

/// Why a node has no frame.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cause {
    /// What failed.
    pub reason: String,
    /// Where the answer is kept that was paid for and could not be used.
    pub kept: Option<PathBuf>,
}

impl From<String> for Cause {
    fn from(reason: String) -> Self {
        Self { reason, kept: None }
    }
}

impl fmt::Display for Cause {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.kept {
            Some(file) => write!(
                f,
                "{}; the answer is kept in '{}'",
                self.reason,
                file.display()
            ),
            None => f.write_str(&self.reason),
        }
    }
}

/// What became of all tasks of a run.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Report {
    /// Frames of files that were made.
    pub made_files: u64,
    /// Frames of directories that were made.
    pub made_directories: u64,
    /// Frames whose basis had a frame already, at another node: attached, not made.
    pub reused: u64,
    /// Directories that turned out to be fresh because their children say what they said.
    pub kept: u64,
    /// Nodes that were fresh to begin with.
    pub fresh: u64,
    /// Files whose content is not in this partial clone.
    pub absent: Vec<TreePath>,
    /// Nodes that failed, and why; the directories above them failed with them and are not listed.
    pub failed: Vec<(TreePath, Cause)>,
    /// Nodes whose answers come later, with their tickets; what waits for them is left.
    pub awaited: Vec<(TreePath, String)>,
    /// Batches that are under way, or have answers that were not taken yet.
    pub batches: Vec<UnderWay>,
    /// What went wrong with batches; they stay as they were.
    pub batch_problems: Vec<String>,
    /// What workers of a queue sent that was refused.
    pub queue_problems: Vec<String>,
    /// Directories that could not be made because something below failed.
    pub held_back: u64,
    /// Frames that were stored: made and reused ones that the store did not have.
    pub stored: u64,
    /// Tasks that were not started.
    pub left: u64,
    /// Why, if some were not started.
    pub stop: Option<Stop>,
    /// How the last call failed, where no answer came after it.
    pub trouble: Option<ProviderError>,
    /// Attempts that were made again.
    pub retries: u64,
    /// Passages that were taken out of what was sent because they look like secrets.
    pub redacted: u64,
    /// Tokens of all attempts: as the provider counts them, else as we do.
    pub usage: Usage,
    /// Attempts whose tokens are our own count, because the provider tells none.
    pub estimated: u64,
    /// How many calls were in flight at once in the end, where answers broke off with more.
    pub concurrency: Option<usize>,
    /// The model's window, when the provider told it by refusing a request.
    pub window: Option<u64>,
    /// What was spent, by the ledger.
    pub spent: Spend,
}

/// A batch whose answers are owed, or were not taken yet.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct UnderWay {
    /// What it is known by: the provider's id, or ours.
    pub ticket: String,
    /// The provider.
    pub provider: String,
    /// Whose frames it is for.
    pub agent: String,
    /// When it was sent, in seconds since 1970.
    pub begun: u64,
    /// Requests whose answers were not taken yet.
    pub requests: u64,
    /// True once the answers are here.
    pub has_ended: bool,
}

impl UnderWay {
    /// What is to be said of batches.
    #[must_use]
    pub fn of(batches: &[OwedBatch]) -> Vec<Self> {
        let open = batches.iter().filter(|batch| !batch.open.is_empty());
        open.map(|batch| Self {
            ticket: batch.ticket().to_owned(),
            provider: batch.provider.clone(),
            agent: batch.agent.clone(),
            begun: batch.begun,
            requests: batch.open.len() as u64,
            has_ended: batch.has_ended(),
        })
        .collect()
    }
}

impl Report {
    /// How many frames were made.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made_files + self.made_directories
    }

    /// Counts a frame of a node; the event that tells of it.
    pub(super) fn count_frame(&mut self, is_reused: bool, kind: NodeKind, path: TreePath) -> Event {
        match kind {
            _ if is_reused => {
                self.reused += 1;
                return Event::Reused(path);
            }
            NodeKind::Directory => self.made_directories += 1,
            NodeKind::File => self.made_files += 1,
        }
        Event::Made(path)
    }

    /// True when every task was done.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.failed.is_empty() && self.absent.is_empty() && self.left == 0
    }

    /// Adds what another run has done.
    pub fn add(&mut self, other: Self) {
        self.made_files += other.made_files;
        self.made_directories += other.made_directories;
        self.reused += other.reused;
        self.kept += other.kept;
        self.fresh += other.fresh;
        self.absent.extend(other.absent);
        self.failed.extend(other.failed);
        self.awaited.extend(other.awaited);
        self.batches.extend(other.batches);
        self.batch_problems.extend(other.batch_problems);
        self.queue_problems.extend(other.queue_problems);
        self.held_back += other.held_back;
        self.stored += other.stored;
        self.left += other.left;
        self.stop = other.stop.or(self.stop.take());
        self.trouble = other.trouble.or(self.trouble.take());
        self.retries += other.retries;
        self.redacted += other.redacted;
        self.usage += other.usage;
        self.estimated += other.estimated;
        self.concurrency = other.concurrency.or(self.concurrency);
        self.window = other.window.or(self.window);
        self.spent += other.spent;
    }
}
