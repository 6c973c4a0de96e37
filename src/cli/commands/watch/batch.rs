//! What a batch of changes has changed, path by path: what an editor has to read again.

use std::collections::{BTreeMap, BTreeSet};

use serde::Serialize;

use crate::base::{AgentId, FrameType, NodeId, NodeKind, TreePath};
use crate::cli::{CliError, json};
use crate::frame::{Slot, Store};
use crate::git::{EntryMode, Side, diff_trees};
use crate::ops;
use crate::regen::{Event, Report};
use crate::workspace::{Target, Workspace};

/// A batch of changes.
#[derive(Serialize)]
pub(super) struct Batch {
    root: String,
    pub(super) made_files: u64,
    pub(super) made_directories: u64,
    pub(super) reused: u64,
    pub(super) failed: u64,
    pub(super) changes: Vec<Change>,
}

/// A path whose content or frames are others than at the last batch.
#[derive(Serialize)]
pub(super) struct Change {
    path: String,
    kind: &'static str,
    /// `added`, `modified` or `deleted`; `unchanged` where only a frame is new.
    #[serde(rename = "change")]
    what: &'static str,
    frames: Vec<FrameState>,
}

/// What an agent says about it now.
#[derive(Serialize)]
struct FrameState {
    agent: String,
    r#type: String,
    /// `fresh`; `outdated` where there is only a frame of what stood there before, or of other inputs; `failed`, `absent`.
    state: &'static str,
}

/// What the runs of one batch tell, by path.
#[derive(Default)]
pub(super) struct BatchStates {
    states: BTreeMap<TreePath, Vec<(Slot, &'static str)>>,
}

impl BatchStates {
    /// Takes note of a step of an agent's run.
    pub(super) fn add(&mut self, agent: &AgentId, frame_type: &FrameType, event: Event) {
        let (path, state) = match event {
            Event::Made(path) | Event::Reused(path) | Event::Kept(path) => (path, "fresh"),
            Event::Absent(path) => (path, "absent"),
            Event::Failed { path, .. } => (path, "failed"),
            _ => return,
        };
        self.states
            .entry(path)
            .or_default()
            .push((Slot::new(agent, frame_type), state));
    }

    /// The batch, once all agents have run. `before` is the tree of the last batch, if there was one.
    pub(super) fn batch(
        mut self,
        workspace: &Workspace,
        report: &Report,
        before: Option<NodeId>,
        tree: NodeId,
    ) -> Result<Batch, CliError> {
        let store = workspace.store()?;
        let mut changes = Vec::new();
        for difference in differences(workspace, before, tree) {
            let told = self.states.remove(&difference.path).unwrap_or_default();
            changes.push(change(workspace, &store, tree, difference, told)?);
        }
        for (path, told) in self.states {
            let Some(side) = find(workspace, tree, &path)? else {
                continue;
            };
            let same = Difference {
                path,
                old: Some(side),
                new: Some(side),
            };
            changes.push(change(workspace, &store, tree, same, told)?);
        }
        changes.sort_by(|a, b| a.path.cmp(&b.path));
        Ok(Batch {
            root: tree.to_string(),
            made_files: report.made_files,
            made_directories: report.made_directories,
            reused: report.reused,
            failed: report.failed.len() as u64,
            changes,
        })
    }
}

/// A path with what stood there and what stands there.
struct Difference {
    path: TreePath,
    old: Option<Side>,
    new: Option<Side>,
}

/// The paths that differ, directories and the root among them; none where the last tree is not known any more.
fn differences(workspace: &Workspace, before: Option<NodeId>, tree: NodeId) -> Vec<Difference> {
    let Some(before) = before.filter(|before| *before != tree) else {
        return Vec::new();
    };
    let root = |tree| Some((EntryMode::Directory, tree));
    let mut found = vec![Difference {
        path: TreePath::root(),
        old: root(before),
        new: root(tree),
    }];
    let compared = diff_trees(
        &workspace.repository,
        Some(before),
        Some(tree),
        &mut |change| {
            found.push(Difference {
                path: change.path,
                old: change.old,
                new: change.new,
            });
            true
        },
    );
    if compared.is_ok() { found } else { Vec::new() }
}

/// What stands at a path of a tree.
fn find(workspace: &Workspace, tree: NodeId, path: &TreePath) -> Result<Option<Side>, CliError> {
    if path.is_root() {
        return Ok(Some((EntryMode::Directory, tree)));
    }
    Ok(workspace.repository.find_entry(&tree, path.as_bytes())?)
}

fn change(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    difference: Difference,
    told: Vec<(Slot, &'static str)>,
) -> Result<Change, CliError> {
    let Difference { path, old, new } = difference;
    let mut frames: Vec<(Slot, &'static str)> = Vec::new();
    if let Some((id, kind)) = new.and_then(node) {
        let target = Target {
            id,
            kind,
            path: Some(path.clone()),
            root: Some(tree),
        };
        for head in store.heads(&id)? {
            let slot = head.frame.slot();
            let state = match told.iter().find(|(known, _)| *known == slot) {
                Some((_, state)) => state,
                None if ops::staleness::staleness(workspace, store, &target, &head)?.is_some() => {
                    "outdated"
                }
                None => "fresh",
            };
            frames.push((slot, state));
        }
        let known: BTreeSet<Slot> = frames.iter().map(|(slot, _)| slot.clone()).collect();
        frames.extend(told.into_iter().filter(|(slot, _)| !known.contains(slot)));
        let known: BTreeSet<Slot> = frames.iter().map(|(slot, _)| slot.clone()).collect();
        let earlier = old
            .and_then(node)
            .map_or_else(|| Ok(Vec::new()), |(id, _)| store.heads(&id))?
            .into_iter();
        let earlier = earlier
            .map(|head| head.frame.slot())
            .filter(|slot| !known.contains(slot));
        frames.extend(earlier.map(|slot| (slot, "outdated")));
    }
    frames.sort();
    let what = match (old, new) {
        (None, _) => "added",
        (_, None) => "deleted",
        _ if old == new => "unchanged",
        _ => "modified",
    };
    let kind = new.or(old).map_or("file", |(mode, _)| kind(mode));
    let state = |(Slot { agent, frame_type }, state): (Slot, &'static str)| FrameState {
        agent: agent.to_string(),
        r#type: frame_type.to_string(),
        state,
    };
    Ok(Change {
        path: json::path(path.as_bytes()),
        kind,
        what,
        frames: frames.into_iter().map(state).collect(),
    })
}

/// The node of a side; nothing is said about links and submodules.
fn node(side: Side) -> Option<(NodeId, NodeKind)> {
    let (mode, id) = side;
    mode.node_kind().map(|kind| (id, kind))
}

fn kind(mode: EntryMode) -> &'static str {
    match mode {
        EntryMode::File | EntryMode::Executable => "file",
        EntryMode::Directory => "directory",
        EntryMode::Symlink => "symlink",
        EntryMode::Submodule => "submodule",
    }
}
