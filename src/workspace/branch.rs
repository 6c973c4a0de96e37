//! How a snapshot stands to the last commit: which files differ, and in words that say what a document shows.

use super::open::Workspace;
use crate::base::{NodeId, TreePath};
use crate::context::people::DIRECTORY;
use crate::git::{EntryMode, ObjectError, diff_trees};
use crate::node::{Snapshot, SnapshotRoot};

/// Changes that are looked at: a tree can have far more paths than objects.
const CHANGES_MAX: u32 = 100_000;
/// Hexadecimal digits of a commit id in words.
const SHORT_ID: usize = 12;

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it stands.
    pub path: TreePath,
    /// True when the older tree has it.
    pub was_there: bool,
    /// True when the newer tree has it.
    pub is_there: bool,
}

impl Workspace {
    /// The files that differ between two trees, in tree order; of a great many changes only the first.
    pub fn changed_files(&self, old: Option<NodeId>, new: NodeId) -> Result<Vec<ChangedFile>, ObjectError> {
        let (mut files, mut changes) = (Vec::new(), 0);
        diff_trees(&self.repository, old, Some(new), &mut |change| {
            changes += 1;
            let is_file = |side: &(EntryMode, NodeId)| side.0 != EntryMode::Directory;
            let (was_there, is_there) = (change.old.as_ref().is_some_and(is_file), change.new.as_ref().is_some_and(is_file));
            if was_there || is_there {
                files.push(ChangedFile { path: change.path, was_there, is_there });
            }
            changes < CHANGES_MAX
        })?;
        Ok(files)
    }

    /// The same against `HEAD`, without people's own files in `.teddy`, and the commit of `HEAD`. `None` where nothing is committed.
    pub fn uncommitted(&self, tree: NodeId) -> Result<Option<(NodeId, Vec<ChangedFile>)>, ObjectError> {
        let Ok(head) = self.root(&Snapshot::Revision("HEAD".to_owned())) else { return Ok(None) };
        let Some(commit) = head.commit else { return Ok(None) };
        let mut files = self.changed_files(Some(head.tree), tree)?;
        files.retain(|file| file.path.names().next() != Some(DIRECTORY));
        Ok(Some((commit, files)))
    }

    /// Which state of the repository a snapshot is, in words for a reader who does not see the machine.
    pub(super) fn snapshot_words(&self, root: &SnapshotRoot) -> Result<String, ObjectError> {
        let short = |id: &NodeId| id.to_string()[..SHORT_ID].to_owned();
        if let Some(commit) = &root.commit {
            return Ok(format!("commit {}", short(commit)));
        }
        let place = match root.snapshot {
            Snapshot::Revision(_) => return Ok(format!("tree {}", short(&root.tree))),
            Snapshot::Index => "the index",
            Snapshot::Worktree => "the work tree",
        };
        let Some((head, files)) = self.uncommitted(root.tree)? else {
            return Ok(format!("{place}; nothing is committed yet"));
        };
        let head = short(&head);
        Ok(match files.len() {
            0 => format!("{place}, as in commit {head}"),
            1 => format!("{place}; 1 file differs from commit {head}"),
            count => format!("{place}; {count} files differ from commit {head}"),
        })
    }
}
