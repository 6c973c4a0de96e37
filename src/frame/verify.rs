//! Checking a whole store: every name, every frame, every digest.

use super::entry::{Entry, StoreError, read_entry};
use super::fault::{BadEntry, Fault};
use super::listing::{self, Leaf};
use super::signed;
use super::store::Store;
use crate::base::limit::{STORE_ENTRIES_MAX, STORE_FAULTS_MAX};
use crate::base::{NodeId, NodeKind, TreePath};
use crate::git::{ObjectKind, Repository};

/// The result of a check.
#[derive(Debug, Default)]
pub struct Verification {
    /// Entries looked at.
    pub checked: u64,
    /// Directories of the store that were read.
    pub directories: u64,
    /// What is wrong, by path in the store's tree; at most [`STORE_FAULTS_MAX`].
    pub faults: Vec<BadEntry>,
    /// True when the check ended early because there were more faults than that.
    pub is_cut: bool,
    /// Frames of newer formats, which this program cannot vouch for and carries.
    pub newer: Vec<BadEntry>,
}

impl Verification {
    fn add(&mut self, bad: BadEntry) {
        if bad.fault.is_newer() {
            self.newer.push(bad);
        } else {
            self.faults.push(bad);
        }
    }
}

/// What nodes are, where a tree that was read says so; of all others the object is looked up.
pub type KnownKinds<'k> = dyn Fn(&NodeId) -> Option<NodeKind> + 'k;

/// Reads and checks every frame; `progress` is told how many are done.
pub fn verify(
    store: &Store<'_>,
    known: &KnownKinds<'_>,
    progress: &mut dyn FnMut(u64),
) -> Result<Verification, StoreError> {
    let repo = store.repository();
    let mut changes = listing::changes(repo, None, store.tree())?;
    let manifests = signed::added(repo, changes.signed, &mut changes.bad)?;
    let mut verdict = Verification {
        checked: changes.bad.len() as u64,
        directories: changes.directories,
        ..Verification::default()
    };
    changes.bad.into_iter().for_each(|bad| verdict.add(bad));
    for entry in manifests {
        verdict.checked += 1;
        if let Err(fault) = entry.read(repo) {
            verdict.add(BadEntry {
                path: TreePath::new(entry.path()),
                fault,
            });
        }
        if verdict.faults.len() > STORE_FAULTS_MAX {
            break;
        }
    }
    for leaf in changes.leaves {
        verify_leaf(repo, leaf, known, &mut verdict)?;
        progress(verdict.checked);
        if verdict.checked > STORE_ENTRIES_MAX {
            return Err(StoreError::Entries);
        }
        if verdict.faults.len() + verdict.newer.len() > STORE_FAULTS_MAX {
            verdict.is_cut = true;
            break;
        }
    }
    verdict.faults.truncate(STORE_FAULTS_MAX);
    verdict.faults.sort_by(|a, b| a.path.cmp(&b.path));
    Ok(verdict)
}

fn verify_leaf(
    repo: &Repository,
    leaf: Leaf,
    known: &KnownKinds<'_>,
    verdict: &mut Verification,
) -> Result<(), StoreError> {
    let Some(tree) = leaf.new else { return Ok(()) };
    let listed = listing::list(repo, leaf.place, &tree, None)?;
    verdict.directories += 1;
    verdict.checked += (listed.entries.len() + listed.bad.len()) as u64;
    listed.bad.into_iter().for_each(|bad| verdict.add(bad));
    for entry in listed.entries {
        if let Err(fault) = check(repo, &entry, known) {
            verdict.add(BadEntry {
                path: TreePath::new(entry.name.path()),
                fault,
            });
        }
        // Reading in vain is what an attacker makes expensive.
        if verdict.faults.len() > STORE_FAULTS_MAX {
            return Ok(());
        }
    }
    Ok(())
}

fn check(repo: &Repository, entry: &Entry, known: &KnownKinds<'_>) -> Result<(), Fault> {
    let frame = read_entry(repo, entry)?;
    let object_kind = |kind| match kind {
        NodeKind::File => ObjectKind::Blob,
        NodeKind::Directory => ObjectKind::Tree,
    };
    let actual = match known(&frame.node) {
        Some(kind) => Some(object_kind(kind)),
        // Nodes of other clones need not be here.
        None => repo.header(&frame.node)?.map(|header| header.kind),
    };
    match actual {
        Some(actual) if actual != object_kind(frame.kind) => Err(Fault::Kind {
            stated: frame.kind.as_str(),
            actual: actual.to_string(),
        }),
        _ => Ok(()),
    }
}
