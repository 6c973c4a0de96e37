//! What is known of the files and directories that a branch touches: statements of models that say something else now,
//! people's notes that are carried, and what lags behind.

use std::collections::{BTreeMap, HashMap, HashSet};

use super::carried::{self, Carried};
use super::refresh::{self, RefreshError};
use crate::agent::{Agent, Maker};
use crate::base::{NodeId, NodeKind, TreePath};
use crate::frame::{BasisKind, Frame, Index, Record, Slot, Store};
use crate::git::{ObjectError, Side, diff_trees};
use crate::node::SnapshotRoot;
use crate::site::Freshness;
use crate::synthesis::Reason;
use crate::workspace::Workspace;

/// What is known of what a branch touches.
#[derive(Debug, Default)]
pub struct Touched {
    /// Statements of models, by path.
    pub statements: Vec<Restated>,
    /// What people have said about earlier contents, by path; of directories only where an entry came or went.
    pub carried: Vec<(TreePath, Carried)>,
    /// Agents whose statements are not fresh.
    pub behind: Vec<Behind>,
    /// How what is said of each path stands, where something is or was said.
    pub freshness: BTreeMap<TreePath, Freshness>,
}

/// What a model says of a path, where that is new or another than before.
#[derive(Debug)]
pub struct Restated {
    /// Where.
    pub path: TreePath,
    /// What was said, if anything.
    pub old: Option<String>,
    /// What is said.
    pub new: Frame,
    /// Why that does not hold any more.
    pub reason: Option<Reason>,
}

/// How many statements of an agent about what the branch touches are not fresh.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Behind {
    /// Whose.
    pub slot: Slot,
    /// About what stood there before, or made from what is no more.
    pub stale: u64,
    /// About what the agent has never spoken of.
    pub missing: u64,
}

/// A path that differs, with both sides.
pub(super) struct Touch {
    pub(super) path: TreePath,
    pub(super) old: Option<TouchedNode>,
    pub(super) new: Option<TouchedNode>,
    /// Whether the entry came or went: of links and submodules neither side is a node.
    comes_or_goes: bool,
}

/// A file or directory on one side.
#[derive(Clone, Copy)]
pub(super) struct TouchedNode {
    pub(super) id: NodeId,
    pub(super) kind: NodeKind,
}

impl Touch {
    fn ids(&self) -> [Option<NodeId>; 2] {
        [self.old, self.new].map(|node| node.map(|node| node.id))
    }

    /// True where a directory stands on either side.
    pub(super) fn is_directory(&self) -> bool {
        let sides = [self.old, self.new].into_iter().flatten();
        sides
            .into_iter()
            .any(|node| node.kind == NodeKind::Directory)
    }
}

/// Looks at the paths that differ between a tree and a snapshot.
pub fn touched(
    workspace: &Workspace,
    store: &Store<'_>,
    old: NodeId,
    new: &SnapshotRoot,
) -> Result<Touched, RefreshError> {
    if store.commit().is_none() {
        return Ok(Touched::default());
    }
    let touches = touches(workspace, old, new.tree)?;
    let paths: HashSet<&TreePath> = touches.iter().map(|touch| &touch.path).collect();
    let refilled = refilled(&touches);
    let said = carried::people_say(&workspace.repository, &workspace.state, store, new)?
        .carried
        .into_iter();
    let (mut carried, mut unasked) = (Vec::new(), Vec::new());
    for (path, all) in said.filter(|(path, _)| paths.contains(path)) {
        let is_file = |one: &Carried| one.frame.kind == NodeKind::File;
        if refilled.contains(&path) || all.iter().any(is_file) {
            carried.extend(all.into_iter().map(|one| (path.clone(), one)));
        } else {
            unasked.push(path);
        }
    }
    let index = refresh::index(&workspace.state, store, 2 * touches.len())?;
    let reasons = reasons(workspace, store, &index, new, &touches)?;
    let told = |index: &Index| {
        let mut freshness = BTreeMap::new();
        let statements = statements(store, index, &touches, &reasons, &mut freshness);
        (statements, freshness)
    };
    let (mut statements, mut freshness) = told(&index);
    if index.is_damaged() {
        (statements, freshness) = told(&refresh::rebuild_index(&workspace.state, store)?);
    }
    for touch in &touches {
        let is_stale = |reason: &&Reason| **reason != Reason::Missing;
        let node = touch.ids()[1];
        let mut of_slots = reasons.iter().filter_map(|(_, all)| all.get(&node?));
        if of_slots.any(|reason| is_stale(&reason)) {
            freshness.insert(touch.path.clone(), Freshness::Outdated);
        }
    }
    for path in carried.iter().map(|(path, _)| path).chain(&unasked) {
        let known = freshness.entry(path.clone()).or_insert(Freshness::Carried);
        *known = Freshness::Carried.max(*known);
    }
    Ok(Touched {
        statements,
        carried,
        freshness,
        behind: reasons
            .iter()
            .map(|(slot, reasons)| behind(slot, reasons))
            .filter(is_behind)
            .collect(),
    })
}

/// Directories in which an entry came or went. A directory is another one with every change below it, so a note on the root
/// would be asked about in each review of its repository; what is said of a directory is about what it holds.
fn refilled(touches: &[Touch]) -> HashSet<TreePath> {
    let moved = touches.iter().filter(|touch| touch.comes_or_goes);
    moved.filter_map(|touch| touch.path.parent()).collect()
}

/// Files and directories that differ, the root included.
pub(super) fn touches(
    workspace: &Workspace,
    old: NodeId,
    new: NodeId,
) -> Result<Vec<Touch>, ObjectError> {
    let root = |id| {
        Some(TouchedNode {
            id,
            kind: NodeKind::Directory,
        })
    };
    let mut touches = vec![Touch {
        path: TreePath::root(),
        old: root(old),
        new: root(new),
        comes_or_goes: false,
    }];
    diff_trees(&workspace.repository, Some(old), Some(new), &mut |change| {
        let node = |(mode, id): Side| {
            let kind = mode.node_kind()?;
            Some(TouchedNode { id, kind })
        };
        touches.push(Touch {
            comes_or_goes: change.old.is_none() || change.new.is_none(),
            path: change.path,
            old: change.old.and_then(node),
            new: change.new.and_then(node),
        });
        true
    })?;
    Ok(touches)
}

/// Why nodes of the new side are not fresh, for each slot of a model.
type Reasons = Vec<(Slot, HashMap<NodeId, Reason>)>;

fn reasons(
    workspace: &Workspace,
    store: &Store<'_>,
    index: &Index,
    new: &SnapshotRoot,
    touches: &[Touch],
) -> Result<Reasons, RefreshError> {
    let nodes: HashSet<NodeId> = touches.iter().filter_map(|touch| touch.ids()[1]).collect();
    let mut found = Reasons::new();
    let agents = workspace.agents();
    let has_model =
        |agent: &&Agent| matches!(agent.maker, Maker::Model(_)) && agent.makes(NodeKind::File);
    for agent in agents.iter().filter(has_model) {
        let slot = Slot::new(&agent.id, &agent.frame_type);
        if index.slot(&slot).is_none() {
            continue;
        }
        let planned = refresh::plan_tree(workspace, store, new.tree, agent)?;
        let tasks = planned.plan.tasks.iter();
        let reasons = tasks.map(|task| (planned.scan.node(task.node).id, task.reason));
        let reasons = reasons.filter(|(node, _)| nodes.contains(node)).collect();
        found.push((slot, reasons));
    }
    Ok(found)
}

fn behind(slot: &Slot, reasons: &HashMap<NodeId, Reason>) -> Behind {
    let is_missing = |reason: &&Reason| **reason == Reason::Missing;
    let missing = reasons.values().filter(is_missing).count() as u64;
    Behind {
        slot: slot.clone(),
        stale: reasons.len() as u64 - missing,
        missing,
    }
}

fn is_behind(behind: &Behind) -> bool {
    behind.stale + behind.missing > 0
}

/// What models say that they did not say before, path by path; and of each path whether anything is said.
fn statements(
    store: &Store<'_>,
    index: &Index,
    touches: &[Touch],
    reasons: &Reasons,
    said: &mut BTreeMap<TreePath, Freshness>,
) -> Vec<Restated> {
    let mut slots: Vec<(&Slot, u16)> = index.slots().iter().zip(0..).collect();
    slots.sort_unstable();
    let head = |node: Option<NodeId>, slot: u16| {
        let head = index.find_head(&node?, slot)?;
        (!head.is_invalidated()).then_some(head)
    };
    let of_model = |node: Option<NodeId>, slot: &Slot, head: Record| {
        let frame = store.read_head(&node?, slot, &head)?;
        is_of_model(&frame).then_some(frame)
    };
    let mut found = Vec::new();
    for touch in touches {
        let [old, new] = touch.ids();
        for (slot, number) in &slots {
            let Some(later) = head(new, *number) else {
                continue;
            };
            let known = said.entry(touch.path.clone());
            let known = known.or_insert(Freshness::Outlined);
            if later.is_derived {
                continue;
            }
            *known = Freshness::Fresh;
            let Some(frame) = of_model(new, slot, later) else {
                continue;
            };
            let before = head(old, *number).and_then(|head| of_model(old, slot, head));
            let old = before.map(|before| before.content);
            if old.as_ref() == Some(&frame.content) {
                continue;
            }
            let of_slot = reasons.iter().find(|(known, _)| known == *slot);
            let reason = of_slot.and_then(|(_, reasons)| reasons.get(&frame.node).copied());
            found.push(Restated {
                path: touch.path.clone(),
                old,
                new: frame,
                reason,
            });
        }
    }
    found
}

/// What a program makes by a rule is no statement to be read again, and people are told apart.
fn is_of_model(frame: &Frame) -> bool {
    !frame.is_derived() && frame.basis_kind != BasisKind::Written && frame.policy().is_none()
}
