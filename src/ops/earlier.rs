//! What was said about an earlier content of a path: found by going back from a commit along first parents.

use super::refresh::RefreshError;
use crate::base::limit::STALE_COMMITS_MAX;
use crate::base::{NodeId, TreePath};
use crate::context::resource::weight;
use crate::frame::{Head, MadeBy, Store};
use crate::git::Repository;
use crate::node::Snapshot;
use crate::workspace::{Target, Workspace};

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

/// What a model or a person said of what the last commit has at a path, where something else stands there now.
pub(super) fn said_earlier(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    path: &TreePath,
) -> Option<Head> {
    store.tree()?;
    let head = head_tree(workspace).filter(|head| *head != tree)?;
    let at = |tree: &NodeId| {
        if path.is_root() {
            Some(*tree)
        } else {
            workspace
                .repository
                .find_entry(tree, path.as_bytes())
                .ok()?
                .map(|(_, id)| id)
        }
    };
    let node = at(&head).filter(|node| at(&tree) != Some(*node))?;
    best_head(store.heads(&node).ok()?, true)
}

/// The head that says most: what a model or a person said before what a fixed rule made.
pub(super) fn best_head(heads: Vec<Head>, spoken_only: bool) -> Option<Head> {
    let is_wanted = |head: &Head| {
        let is_spoken = head.frame.made_by() != MadeBy::Program;
        !head.invalidated && head.frame.policy().is_none() && (is_spoken || !spoken_only)
    };
    // A person's words stand among the notes.
    let rank = |head: &Head| (head.frame.made_by() == MadeBy::Person, weight(head));
    heads
        .into_iter()
        .filter(is_wanted)
        .filter(|head| head.frame.made_by() != MadeBy::Person || spoken_only)
        .min_by_key(rank)
}

/// The root tree of the last commit.
pub(super) fn head_tree(workspace: &Workspace) -> Option<NodeId> {
    let head = workspace.root(&Snapshot::Revision("HEAD".to_owned()));
    head.ok().map(|head| head.tree)
}
