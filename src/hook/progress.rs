//! Whether git is in the middle of something in a worktree: then what is checked out is on its way to something else.

use std::path::Path;

/// What stands in a worktree's git directory while an operation goes on.
const SIGNS: [&str; 6] = [
    "rebase-merge",
    "rebase-apply",
    "MERGE_HEAD",
    "CHERRY_PICK_HEAD",
    "REVERT_HEAD",
    "sequencer",
];

/// True while a rebase, merge, cherry-pick or revert goes on.
#[must_use]
pub fn is_going_on(git_dir: &Path) -> bool {
    SIGNS.iter().any(|sign| git_dir.join(sign).exists())
}
