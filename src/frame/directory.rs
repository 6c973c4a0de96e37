//! One directory of the store: where it stands, and reading it in bounded work.

use std::sync::Arc;

use super::entry::{self, StoreError};
use super::fault::{BadEntry, Fault};
use super::name::directory_of;
use crate::base::limit::{STORE_FAULTS_MAX, STORE_TREE_BYTES_MAX};
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository, tree_entries};

/// The directory that a frame stands in.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(super) struct Place(pub [u8; 2]);

impl Place {
    pub(super) fn of(node: &NodeId) -> Self {
        Self(directory_of(node))
    }

    /// The path of an entry in this place, or of the place itself.
    pub(super) fn path(self, name: Option<&[u8]>) -> TreePath {
        let place = TreePath::new(&self.0[..]);
        name.map_or_else(|| place.clone(), |name| place.join(name))
    }
}

/// Notes a bad entry, but no more of them than tell a reader that there are too many: they cost memory.
pub(super) fn note(bad: &mut Vec<BadEntry>, path: impl FnOnce() -> TreePath, fault: Fault) {
    if bad.len() <= STORE_FAULTS_MAX {
        bad.push(BadEntry {
            path: path(),
            fault,
        });
    }
}

/// Reads a directory of the store, or says that it is too large.
pub(super) fn read_tree(
    repo: &Repository,
    tree: &NodeId,
    data: &mut Vec<u8>,
) -> Result<Result<(), Fault>, StoreError> {
    or_too_large(repo.read_at_most(tree, ObjectKind::Tree, STORE_TREE_BYTES_MAX, data))
}

/// The same of a directory that is looked into for one node, and is kept for the next.
pub(super) fn keep_tree(
    repo: &Repository,
    tree: &NodeId,
) -> Result<Result<Arc<Vec<u8>>, Fault>, StoreError> {
    or_too_large(repo.tree(tree, STORE_TREE_BYTES_MAX))
}

fn or_too_large<T>(read: Result<T, ObjectError>) -> Result<Result<T, Fault>, StoreError> {
    match read {
        Ok(data) => Ok(Ok(data)),
        Err(ObjectError::Size { size_bytes, .. }) => Ok(Err(Fault::Directory(size_bytes))),
        Err(error) => Err(error.into()),
    }
}

pub(super) fn two_digits(name: &[u8]) -> Option<[u8; 2]> {
    let digits: [u8; 2] = name.try_into().ok()?;
    digits
        .iter()
        .all(|digit| matches!(digit, b'0'..=b'9' | b'a'..=b'f'))
        .then_some(digits)
}

/// The folder with manifests in a store's tree.
pub(super) fn signed_folder(
    repo: &Repository,
    tree: Option<NodeId>,
) -> Result<Option<NodeId>, StoreError> {
    let (Some(tree), mut data) = (tree, Vec::new()) else {
        return Ok(None);
    };
    if read_tree(repo, &tree, &mut data)?.is_err() {
        return Ok(None);
    }
    let mut entries = tree_entries(tree, &data, repo.hash_kind()).flatten();
    let found = entries
        .find(|entry| entry.name == entry::FOLDER.as_bytes() && entry.mode == EntryMode::Directory);
    Ok(found.map(|entry| entry.id))
}
