//! What a remote can know: objects that its branches reach, and all paths that their histories ever had.
//!
//! The branches are those that the remote has by its last listing, as far as this clone has seen them. A statement names its object and the path at which it was made, and
//! the path alone may tell what a private branch is about: a licence that stands in a folder of a new product is an object
//! that every clone has. What was looked for in vain is remembered with the tips, so that the next push walks what they
//! have gained and not their whole history.

use std::collections::{BTreeSet, HashSet};

use super::error::SelectError;
use super::memory::Memory;
use crate::base::NodeId;
use crate::git::Repository;

/// Tips in whose trees paths, and the objects there, are looked for before histories are walked.
const TIPS_LOOKED_AT: usize = 16;

/// What statements are about.
#[derive(Debug, Default)]
pub(super) struct Wanted {
    pub nodes: BTreeSet<NodeId>,
    /// Not among them the root, which every tree has.
    pub paths: BTreeSet<Vec<u8>>,
}

/// What of it a remote with branches at these tips cannot know, as the memory says afterwards; `memory` is that of the last exchange.
pub(super) fn look(
    repo: &Repository,
    tips: &[NodeId],
    wanted: Wanted,
    memory: &mut Memory,
) -> Result<(), SelectError> {
    let Wanted { nodes, paths } = not_at_tips(repo, tips, wanted);
    let (known_nodes, new_nodes) = nodes
        .into_iter()
        .partition::<BTreeSet<_>, _>(|node| memory.nodes.contains(node));
    let (known_paths, new_paths) = paths
        .into_iter()
        .partition::<BTreeSet<_>, _>(|path| memory.paths.contains(path));
    let before = std::mem::replace(&mut memory.tips, tips.to_vec());
    memory.nodes = without(new_nodes, |wanted| {
        Ok(repo.reachable_of(tips, &[], wanted)?)
    })?;
    memory.paths = without(new_paths, |wanted| Ok(repo.paths_of(tips, &[], wanted)?))?;
    if before == tips {
        memory.nodes.extend(known_nodes);
        memory.paths.extend(known_paths);
        return Ok(());
    }
    // A tip of then that is gone, after a forced push and 'git gc', leaves nothing to begin at.
    let before = if before
        .iter()
        .all(|tip| matches!(repo.header(tip), Ok(Some(_))))
    {
        before
    } else {
        Vec::new()
    };
    memory.nodes.extend(without(known_nodes, |wanted| {
        Ok(repo.reachable_of(tips, &before, wanted)?)
    })?);
    memory.paths.extend(without(known_paths, |wanted| {
        Ok(repo.paths_of(tips, &before, wanted)?)
    })?);
    Ok(())
}

/// Leaves out what stands in the trees of the first tips. That is most of it.
fn not_at_tips(repo: &Repository, tips: &[NodeId], wanted: Wanted) -> Wanted {
    let mut left = wanted;
    for tree in tips
        .iter()
        .take(TIPS_LOOKED_AT)
        .filter_map(|tip| repo.tree_of(tip).ok())
    {
        left.nodes.remove(&tree);
        left.paths
            .retain(|path| match repo.find_entry(&tree, path) {
                Ok(Some((_, node))) => {
                    left.nodes.remove(&node);
                    false
                }
                _ => true,
            });
    }
    left
}

fn without<T: Ord + std::hash::Hash + Clone>(
    mut wanted: BTreeSet<T>,
    find: impl FnOnce(HashSet<T>) -> Result<HashSet<T>, SelectError>,
) -> Result<BTreeSet<T>, SelectError> {
    let found = find(wanted.iter().cloned().collect())?;
    wanted.retain(|one| !found.contains(one));
    Ok(wanted)
}
