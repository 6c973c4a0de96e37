//! What a run tells while it works, and what it has done in the end.

use crate::base::TreePath;

/// A step of a run, for progress and logs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Event {
    /// So many of so many tasks are done.
    Progress {
        /// Tasks done, of whatever outcome.
        done: u64,
        /// All tasks.
        total: u64,
    },
    /// A batch of so many frames is in the store.
    Stored(u64),
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
    pub absent: u64,
    /// Nodes that failed, and why; the directories above them failed with them and are not listed.
    pub failed: Vec<(TreePath, String)>,
    /// Directories that could not be made because something below failed.
    pub held_back: u64,
    /// Frames that were stored: made and reused ones that the store did not have.
    pub stored: u64,
}

impl Report {
    /// How many frames were made.
    #[must_use]
    pub fn made(&self) -> u64 {
        self.made_files + self.made_directories
    }

    /// Adds what another run has done.
    pub fn add(&mut self, other: Self) {
        self.made_files += other.made_files;
        self.made_directories += other.made_directories;
        self.reused += other.reused;
        self.kept += other.kept;
        self.fresh += other.fresh;
        self.absent += other.absent;
        self.failed.extend(other.failed);
        self.held_back += other.held_back;
        self.stored += other.stored;
    }
}
