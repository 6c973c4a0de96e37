//! What was said about an earlier content of a path: found by going back from a commit along first parents.

use super::refresh::RefreshError;
use crate::base::NodeId;
use crate::base::limit::STALE_COMMITS_MAX;
use crate::frame::{Head, Store};
use crate::git::Repository;
use crate::workspace::Target;

/// An earlier content of a path about which something is said.
pub struct Earlier {
    /// What stood at the path.
    pub node: NodeId,
    /// The newest commit that has it there.
    pub commit: NodeId,
    /// The commit after that one, which changed it; `None` where only the index or the work tree does.
    pub changed_in: Option<NodeId>,
    /// What is said about it.
    pub heads: Vec<Head>,
}

/// The newest earlier content of a target's path that has a wanted head, at most 100 commits back from `start`.
pub fn earlier(
    repo: &Repository,
    store: &Store<'_>,
    start: Option<NodeId>,
    target: &Target,
    wanted: &dyn Fn(&Head) -> bool,
) -> Result<Option<Earlier>, RefreshError> {
    let (Some(start), Some(path)) = (start, &target.path) else {
        return Ok(None);
    };
    let (mut last, mut newer) = (Some(target.id), None);
    for step in repo.first_parents(&start).take(STALE_COMMITS_MAX + 1) {
        let (commit, tree) = step?;
        let there = repo.find_entry(&tree, path.as_bytes())?.map(|(_, id)| id);
        let changed_in = newer.replace(commit);
        if there == last {
            continue;
        }
        last = there;
        let Some(node) = there else { continue };
        let heads: Vec<Head> = store.heads(&node)?.into_iter().filter(wanted).collect();
        if !heads.is_empty() {
            return Ok(Some(Earlier {
                node,
                commit,
                changed_in,
                heads,
            }));
        }
    }
    Ok(None)
}
