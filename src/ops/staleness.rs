//! Whether the head of a slot still holds, and why not: for one node, as `show`, `get-node` and payloads tell it.
//!
//! A run plans everything below a target instead; see `refresh` and `syntheses`.

use super::refresh::{self, Refresh, RefreshError, outlines, scan_shallow};
use super::syntheses;
use crate::agent::Agent;
use crate::base::{NodeId, NodeKind};
use crate::frame::{BasisKind, Head, Record, Slot, Store, StoreError};
use crate::git::EntryMode;
use crate::node;
use crate::regen::{self, Inputs, Known, NodeFilter};
use crate::synthesis::Reason;
use crate::view::Subject;
use crate::workspace::{Target, Workspace};

/// Why a head is not fresh; `None` when it is. Looks at the node and its children, not deeper.
///
/// Frames of agents that this program cannot run, and of types that an agent does not make by itself, stand at the very
/// node that they were made for: fresh until they are invalidated. A synthesis is compared with everything below it.
pub fn staleness(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    head: &Head,
) -> Result<Option<Reason>, RefreshError> {
    if head.invalidated {
        return Ok(Some(Reason::Invalidated));
    }
    let known = workspace.known_agents().get(head.frame.agent.as_str()).ok();
    if known.is_some() && head.frame.policy().is_some() {
        return syntheses::synthesis_reason(workspace, store, target, head);
    }
    let is_made =
        |agent: &&Agent| agent.makes(target.kind) && agent.frame_type == head.frame.frame_type;
    let Some(agent) = known.filter(is_made) else {
        return Ok(None);
    };
    if head.frame.basis_kind == BasisKind::Written {
        return Ok(None);
    }
    let path = target.path.clone().or_else(|| head.frame.path.clone());
    let target = Target {
        path,
        ..target.clone()
    };
    if is_of_finished_run(workspace, store, &target, agent) {
        return Ok(None);
    }
    let scan = scan_shallow(&workspace.repository, &target)?;
    let slot = head.frame.slot();
    let root = target.path.clone().unwrap_or_default();
    let outlines = outlines(&workspace.repository, &workspace.state, &scan, &root, agent);
    let inputs = Inputs {
        agent,
        frame_type: &slot.frame_type,
        root: &root,
        force: false,
        outlines: &outlines,
        reach: NodeFilter::All,
    };
    let mut find_head = |node: &NodeId| find_record(store, node, &slot);
    let plan = regen::plan(
        &scan,
        &inputs,
        &mut Known {
            find_head: &mut find_head,
            speaks_of: &|_| false,
        },
    );
    Ok(plan
        .tasks
        .iter()
        .find(|task| task.node == scan.root())
        .map(|task| task.reason))
}

/// Whether the last finished run has left every node of the snapshot fresh, and this one is among them.
fn is_of_finished_run(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    agent: &Agent,
) -> bool {
    let (Some(tree), Some(path)) = (target.root, &target.path) else {
        return false;
    };
    // What agents with instructions leave out depends on more than the tree.
    if agent.instructions().is_some() {
        return false;
    }
    let root = Target::root_of(tree);
    let (repo, state) = (&workspace.repository, &workspace.state);
    let wanted = match target.kind {
        NodeKind::Directory => |mode| mode == EntryMode::Directory,
        NodeKind::File => EntryMode::is_file,
    };
    // What cannot be read is no short cut; the plan says why.
    let found = repo.find_entry(&tree, path.as_bytes()).ok().flatten();
    if !found.is_some_and(|(mode, id)| id == target.id && wanted(mode))
        || !refresh::is_up_to_date(repo, state, store, &root, &Refresh::of(agent))
    {
        return false;
    }
    let rules = node::rules_above(repo, tree, path);
    let is_directory = target.kind == NodeKind::Directory;
    rules.is_ok_and(|rules| !rules.is_ignored(path, is_directory))
}

/// Whether the head of what a view gathers holds: the answer that [`crate::view::gather()`] wants.
pub fn is_subject_fresh(
    workspace: &Workspace,
    store: &Store<'_>,
    root: Option<NodeId>,
    subject: &Subject,
    head: &Head,
) -> Result<bool, StoreError> {
    let target = Target {
        id: subject.id,
        kind: subject.kind,
        path: subject.path.clone(),
        root,
    };
    match staleness(workspace, store, &target, head) {
        Ok(reason) => Ok(reason.is_none()),
        Err(RefreshError::Store(error)) => Err(error),
        Err(RefreshError::Object(error)) => Err(error.into()),
        Err(_) => Ok(false),
    }
}

/// Whether a head still holds at its node, wherever that stands in the snapshot.
pub(super) fn state_word(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    head: &Head,
) -> &'static str {
    let target = Target {
        id: head.frame.node,
        kind: head.frame.kind,
        path: None,
        root: Some(tree),
    };
    match staleness(workspace, store, &target, head) {
        Ok(None) => "fresh",
        Ok(Some(_)) => "outdated",
        Err(_) => "not checked",
    }
}

/// A head as the index would know it, from the store itself: for a few lookups.
fn find_record(store: &Store<'_>, node: &NodeId, slot: &Slot) -> Option<Record> {
    store
        .record(node, &slot.agent, &slot.frame_type)
        .ok()
        .flatten()
}
