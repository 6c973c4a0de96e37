//! What is known of each node: the heads of all slots, why they are not fresh, and what people say.

use std::collections::HashMap;
use std::sync::Arc;

use super::super::carried::{self, PeopleSay};
use super::super::refresh::{self, Planned, RefreshError};
use super::super::syntheses;
use crate::agent::{Agent, Maker};
use crate::base::{NodeId, NodeKind, TreePath};
use crate::frame::store::read_blob;
use crate::frame::{BasisKind, Frame, Index, MadeBy, Record, Slot, Store};
use crate::git::Repository;
use crate::node::{Scan, SnapshotRoot};
use crate::site::Freshness;
use crate::synthesis::summarize::says;
use crate::synthesis::{Part, PartKind, Reason};
use crate::workspace::{Target, Workspace};

/// What a slot's frames are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sort {
    Model,
    /// Of an agent that is not planned: fresh until it was declared void.
    Other,
    Synthesis,
    Outline,
}

/// A slot, with the nodes that are not fresh in it.
struct KnownSlot {
    slot: Slot,
    /// `None` where the store has no frame of it.
    number: Option<u16>,
    sort: Sort,
    reasons: HashMap<u32, Reason>,
}

/// What is known of a snapshot.
pub(super) struct KnownNodes {
    pub(super) scan: Scan,
    index: Index,
    slots: Vec<KnownSlot>,
    people: PeopleSay,
    freshness: Vec<Freshness>,
}

/// A statement about a node.
pub(super) struct Heard {
    pub(super) frame: Frame,
    pub(super) reason: Option<Reason>,
    /// How old a person's note about an earlier content is.
    pub(super) age: Option<String>,
    pub(super) is_synthesis: bool,
}

impl KnownNodes {
    pub(super) fn of(
        workspace: &Workspace,
        store: &Store<'_>,
        root: &SnapshotRoot,
    ) -> Result<Self, RefreshError> {
        let agents = workspace.agents();
        let outline = agents
            .iter()
            .find(|agent| agent.maker == Maker::Outline)
            .expect("the outline builder is built in");
        let planned = refresh::plan_tree(workspace, store, root.tree, outline)?;
        let mut known = Self {
            slots: vec![planned_slot(outline, &planned, &planned.scan)],
            freshness: Vec::new(),
            people: carried::people_say(&workspace.repository, &workspace.state, store, root)?,
            scan: planned.scan,
            index: planned.index,
        };
        for agent in agents.iter().filter(|agent| is_asked(agent)) {
            let slot = Slot::new(&agent.id, &agent.frame_type);
            if known.index.slot(&slot).is_some() {
                let planned = refresh::plan_tree(workspace, store, root.tree, agent)?;
                let slot = planned_slot(agent, &planned, &known.scan);
                known.slots.push(slot);
            }
        }
        let target = Target::root_of(root.tree);
        for slot in syntheses::synthesized_slots(workspace, &known.index) {
            let planned =
                syntheses::plan_syntheses(workspace, store, &target, &slot, root.history)?;
            let tasks = planned.plan.tasks.iter();
            let reasons = tasks.filter_map(|task| {
                let node = known.scan.find(&planned.scan.node(task.node).id)?;
                Some((node, task.reason))
            });
            let reasons = reasons.collect();
            known.add_slot(slot, Sort::Synthesis, reasons);
        }
        for slot in known.index.slots().to_vec() {
            if known.slots.iter().all(|known| known.slot != slot) {
                known.add_slot(slot, Sort::Other, HashMap::new());
            }
        }
        // What was said by others than this program stands first.
        known.slots.sort_by_key(|slot| slot.sort as u8);
        known.freshness = (0..known.scan.len() as u32)
            .map(|node| known.look(node))
            .collect();
        Ok(known)
    }

    fn add_slot(&mut self, slot: Slot, sort: Sort, reasons: HashMap<u32, Reason>) {
        let number = self.index.slot(&slot);
        self.slots.push(KnownSlot {
            slot,
            number,
            sort,
            reasons,
        });
    }

    fn id(&self, node: u32) -> NodeId {
        self.scan.node(node).id
    }

    fn look(&self, node: u32) -> Freshness {
        let mut freshness = Freshness::Missing;
        let mut is_said = self
            .people
            .standing
            .get(&self.id(node))
            .is_some_and(|said| !said.is_empty());
        for known in &self.slots {
            let head = self.head(known, node);
            let is_void = head.is_some_and(|head| head.is_invalidated());
            let reason = known.reasons.get(&node).copied();
            match (known.sort, reason) {
                (_, Some(Reason::Missing)) => {}
                (_, Some(_)) => return Freshness::Outdated,
                (Sort::Other, None) if is_void => return Freshness::Outdated,
                (Sort::Outline, None) if head.is_some() => freshness = Freshness::Outlined,
                (Sort::Model | Sort::Other, None) => is_said |= head.is_some(),
                _ => {}
            }
        }
        if is_said { Freshness::Fresh } else { freshness }
    }

    /// What an agent has made; what people have written is among what they say.
    fn head(&self, known: &KnownSlot, node: u32) -> Option<Record> {
        let head = self.index.find_head(&self.id(node), known.number?)?;
        (head.basis_kind != BasisKind::Written).then_some(head)
    }

    /// How what is said of a node stands that is at a path.
    pub(super) fn freshness(&self, node: u32, path: &TreePath) -> Freshness {
        let freshness = self.freshness[node as usize];
        let is_carried = !self.people.carried.is_empty() && self.people.carried.contains_key(path);
        if is_carried {
            freshness.max(Freshness::Carried)
        } else {
            freshness
        }
    }

    /// What is said of a node at a path: people, models, syntheses, the outline.
    pub(super) fn heard(&self, repo: &Repository, node: u32, path: &TreePath) -> Vec<Heard> {
        let notes = self.people.notes(&self.scan.node(node).id, path.as_bytes());
        let mut heard: Vec<Heard> = notes
            .map(|(frame, carried)| Heard {
                frame: frame.clone(),
                reason: None,
                age: carried.map(carried::Carried::age),
                is_synthesis: false,
            })
            .collect();
        for known in &self.slots {
            let head = self.head(known, node).filter(|head| !head.is_invalidated());
            // An entry that is no frame is counted by the index, and named by `validate`.
            let frame = head.and_then(|head| read_blob(repo, &head.blob).ok());
            heard.extend(frame.map(|frame| Heard {
                reason: known.reasons.get(&node).copied(),
                age: None,
                is_synthesis: known.sort == Sort::Synthesis,
                frame,
            }));
        }
        heard
    }

    /// What is to be made again of a node, and why. What a model has never spoken of is its user's to ask for.
    pub(super) fn behind(&self, node: u32) -> impl Iterator<Item = (&Slot, Reason)> {
        self.slots.iter().filter_map(move |known| {
            let reason = known.reasons.get(&node).copied()?;
            let is_told = known.sort == Sort::Outline || reason != Reason::Missing;
            is_told.then_some((&known.slot, reason))
        })
    }
}

/// Agents whose frames are planned: those with a model that speak of files and directories.
fn is_asked(agent: &Agent) -> bool {
    matches!(agent.maker, Maker::Model(_)) && agent.makes(NodeKind::Directory)
}

fn planned_slot(agent: &Agent, planned: &Planned, scan: &Scan) -> KnownSlot {
    let slot = Slot::new(&agent.id, &agent.frame_type);
    let tasks = planned.plan.tasks.iter();
    let reasons = tasks.filter_map(|task| {
        let node = scan.find(&planned.scan.node(task.node).id)?;
        Some((node, task.reason))
    });
    let reasons = reasons.collect();
    KnownSlot {
        number: planned.index.slot(&slot),
        sort: if agent.maker == Maker::Outline {
            Sort::Outline
        } else {
            Sort::Model
        },
        slot,
        reasons,
    }
}

/// What is said in one sentence: by a model before the outline; Markdown.
pub(super) fn sentence(heard: &[Heard], name: &[u8], is_directory: bool) -> Option<String> {
    let speaks = |one: &&Heard| !one.is_synthesis && one.frame.made_by() != MadeBy::Person;
    let best = heard.iter().find(speaks)?;
    says(&Part {
        name: String::from_utf8_lossy(name),
        kind: if is_directory {
            PartKind::Directory
        } else {
            PartKind::File
        },
        bodies: vec![(
            best.frame.frame_type.clone(),
            Arc::from(best.frame.content.as_str()),
        )],
    })
}
