//! Snapshots: the root tree of a commit, of the index, or of the work tree.

use std::cell::RefCell;
use std::collections::HashMap;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use super::ignore::{FILE_NAME, IgnoreRules, looks_like_secret};
use crate::base::limit::IGNORE_BYTES_MAX;
use crate::base::{NodeId, TreePath};
use crate::git::child::ChildError;
use crate::git::{IncludeFilter, ObjectError, ObjectKind, Repository, RevisionError};

/// Which state of the repository is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Snapshot {
    /// A commit, or anything that leads to a tree.
    Revision(String),
    /// What the next commit would hold.
    Index,
    /// Tracked files as they are on disk, and untracked ones that are not ignored.
    Worktree,
}

/// A snapshot's root.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SnapshotRoot {
    /// Which state of the repository it is the root of.
    pub snapshot: Snapshot,
    /// Its root tree.
    pub tree: NodeId,
    /// The commit, where the snapshot is one.
    pub commit: Option<NodeId>,
    /// The commit from which earlier contents of a path are looked for: that of the snapshot, or `HEAD` of an index or
    /// work tree.
    pub history: Option<NodeId>,
    /// Files that were let in against git's ignore rules though their names look like secrets.
    pub secrets: Vec<TreePath>,
}

/// Why there is no such snapshot.
#[derive(Debug, thiserror::Error)]
pub enum SnapshotError {
    /// The revision names nothing.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// Its objects cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The index or the work tree cannot be written as a tree.
    #[error(transparent)]
    Child(#[from] ChildError),
    /// A bare repository has neither index nor work tree.
    #[error("a bare repository has no work tree")]
    Bare,
}

impl Snapshot {
    /// Finds, or for index and work tree writes, the snapshot's root tree. The user's index stays as it is.
    pub fn root(&self, repo: &Repository) -> Result<SnapshotRoot, SnapshotError> {
        let snapshot = self.clone();
        match self {
            Self::Revision(spec) => {
                let object = repo.resolve(spec)?;
                let is_tree = repo
                    .header(&object)?
                    .is_some_and(|header| header.kind == ObjectKind::Tree);
                let tree = if is_tree {
                    object
                } else {
                    repo.tree_of(&object)?
                };
                let commit = (!is_tree).then_some(object);
                Ok(SnapshotRoot {
                    snapshot,
                    tree,
                    commit,
                    history: commit,
                    secrets: Vec::new(),
                })
            }
            Self::Index => {
                repo.work_dir().ok_or(SnapshotError::Bare)?;
                let history = repo.resolve_commit("HEAD").ok();
                Ok(SnapshotRoot {
                    snapshot,
                    tree: repo.write_index_tree()?,
                    commit: None,
                    history,
                    secrets: Vec::new(),
                })
            }
            Self::Worktree => {
                let directory = repo.work_dir().ok_or(SnapshotError::Bare)?;
                let included = Included::new(directory);
                let tree = repo.write_work_tree(Some(&IncludeFilter {
                    name: FILE_NAME,
                    lets_any_in: &|folder| included.lets_any_in(folder),
                    lets_in: &|path| included.lets_in(path),
                }))?;
                let history = repo.resolve_commit("HEAD").ok();
                Ok(SnapshotRoot {
                    snapshot,
                    tree,
                    commit: None,
                    history,
                    secrets: included.secrets.into_inner(),
                })
            }
        }
    }
}

/// The `.teddyignore` files of a work tree, read where an ignored file asks for them.
struct Included<'d> {
    directory: &'d Path,
    files: RefCell<HashMap<TreePath, Option<Vec<u8>>>>,
    secrets: RefCell<Vec<TreePath>>,
}

impl<'d> Included<'d> {
    fn new(directory: &'d Path) -> Self {
        Self {
            directory,
            files: RefCell::default(),
            secrets: RefCell::default(),
        }
    }

    /// False where the file in a directory has no rule that could let a file in.
    fn lets_any_in(&self, directory: &[u8]) -> bool {
        let text = self.read(&TreePath::new(directory));
        text.is_some_and(|text| text.contains(&b'!'))
    }

    fn lets_in(&self, path: &[u8]) -> bool {
        let path = TreePath::new(path);
        let mut rules = IgnoreRules::default();
        let mut at = TreePath::root();
        for name in path
            .parent()
            .unwrap_or_default()
            .names()
            .map(Some)
            .chain([None])
        {
            if let Some(text) = self
                .files
                .borrow_mut()
                .entry(at.clone())
                .or_insert_with(|| self.read(&at))
                && rules.push(at.clone(), text).is_err()
            {
                // The scan of the tree says so; what is ignored stays out until then.
                return false;
            }
            at = name.map_or_else(|| at.clone(), |name| at.join(name));
        }
        let is_in = rules.matched(&path, false) == Some(false) || parent_is_in(&rules, &path);
        if is_in && looks_like_secret(path.name()) {
            self.secrets.borrow_mut().push(path);
        }
        is_in
    }

    fn read(&self, directory: &TreePath) -> Option<Vec<u8>> {
        let file = self
            .directory
            .join(OsStr::from_bytes(directory.as_bytes()))
            .join(OsStr::from_bytes(FILE_NAME));
        let found = std::fs::symlink_metadata(&file).ok()?;
        if !found.is_file() || found.len() > IGNORE_BYTES_MAX {
            return None;
        }
        std::fs::read(file).ok()
    }
}

/// True when a directory above was let back in by name and nothing below takes the file out again.
fn parent_is_in(rules: &IgnoreRules, path: &TreePath) -> bool {
    if rules.is_empty() || rules.is_ignored(path, false) {
        return false;
    }
    let above = std::iter::successors(path.parent(), TreePath::parent);
    above
        .filter(|parent| !parent.is_root())
        .any(|parent| rules.matched(&parent, true) == Some(false))
}
