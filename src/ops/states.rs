//! Two states of the store against each other: which nodes of a snapshot have frames that one state lacks.
//!
//! Only directories of the store that differ are read, so that the last of a thousand commits costs what it has added.

use std::collections::HashSet;

use crate::base::limit::DIFF_PATHS_MAX;
use crate::base::{NodeId, TreePath};
use crate::frame::{Store, StoreError, listing};
use crate::git::{EntryMode, ObjectError, diff_trees};

/// Why two states cannot be compared.
#[derive(Debug, thiserror::Error)]
pub enum StatesError {
    /// A tree of the snapshot cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// One of the states cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// There is more than a person could read.
    #[error("the states differ in more than {DIFF_PATHS_MAX} paths")]
    TooMany,
}

/// The nodes whose frames differ.
#[derive(Debug, Default)]
pub struct StateNodes {
    /// Those that stand in the snapshot, in tree order; a node that stands in several places several times.
    pub placed: Vec<(TreePath, NodeId)>,
    /// How many stand in other snapshots only.
    pub elsewhere: usize,
    /// Entries of either state that are no frames.
    pub faults: usize,
}

/// Finds the nodes whose frames differ between two states, and where they stand in a root tree.
pub fn state_nodes(
    old: &Store<'_>,
    new: &Store<'_>,
    tree: NodeId,
) -> Result<StateNodes, StatesError> {
    let repo = new.repository();
    let mut nodes = HashSet::new();
    let mut found = StateNodes::default();
    for (from, to) in [(old, new), (new, old)] {
        listing::visit_added(repo, from.tree(), to.tree(), &mut |listed| {
            nodes.extend(listed.entries.into_iter().map(|entry| entry.name.node));
            found.faults += listed.bad.len();
            Ok(())
        })?;
    }
    let mut seen = HashSet::new();
    let mut note = |path: TreePath, id: NodeId| {
        if nodes.contains(&id) {
            seen.insert(id);
            found.placed.push((path, id));
        }
        found.placed.len() <= DIFF_PATHS_MAX
    };
    note(TreePath::root(), tree);
    diff_trees(repo, None, Some(tree), &mut |entry| {
        let is_node = |(mode, _): &(EntryMode, NodeId)| {
            !matches!(mode, EntryMode::Symlink | EntryMode::Submodule)
        };
        match entry.new.filter(is_node) {
            Some((_, id)) => note(entry.path, id),
            None => false,
        }
    })?;
    if found.placed.len() > DIFF_PATHS_MAX {
        return Err(StatesError::TooMany);
    }
    found.elsewhere = nodes.len() - seen.len();
    Ok(found)
}
