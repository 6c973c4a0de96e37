//! What is known of each node: the heads of all slots, why they are not fresh, and what people say.

use std::collections::HashMap;
use std::sync::Arc;

use crate::agent::{Agent, Maker};
use crate::base::limit::STALE_COMMITS_MAX;
use crate::base::number::IndexVec;
use crate::base::{NodeId, NodeKind, TreePath};
use crate::frame::entry::read_blob;
use crate::frame::manifest::{AttestedStatements, StatementKey};
use crate::frame::{BasisKind, Frame, Index, MadeBy, Record, Slot, Store};
use crate::git::{ObjectError, Repository, diff_trees};
use crate::node::{NodeNumber, Scan, SnapshotRoot};
use crate::ops::carried::{self, PeopleSay};
use crate::ops::refresh::{self, Planned, RefreshError};
use crate::ops::{signing, syntheses};
use crate::site::Freshness;
use crate::sync::Attested;
use crate::synthesis::summarize::says;
use crate::synthesis::{ChildNode, PartKind, Reason};
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
    reasons: HashMap<NodeNumber, Reason>,
}

/// What is known of a snapshot.
pub(super) struct KnownNodes {
    pub(super) scan: Scan,
    index: Index,
    slots: Vec<KnownSlot>,
    people: PeopleSay,
    freshness: IndexVec<NodeNumber, Freshness>,
    earlier: EarlierHeads,
    pub(super) attested: AttestedStatements,
}

/// What models have said last about earlier contents of paths that have changed since, by path and number of the slot.
type EarlierHeads = HashMap<TreePath, Vec<EarlierHead>>;

/// A statement about what stood at a path before.
struct EarlierHead {
    slot: u16,
    blob: NodeId,
    /// The newest commit that has the content there.
    commit: NodeId,
}

/// A statement about a node.
pub(super) struct NodeStatement {
    pub(super) frame: Frame,
    pub(super) reason: Option<Reason>,
    /// How old a person's note about an earlier content is.
    pub(super) age: Option<String>,
    /// The commit that has the content that a model's statement is about, where that is an earlier one.
    pub(super) commit: Option<NodeId>,
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
            freshness: IndexVec::new(),
            earlier: HashMap::new(),
            attested: HashMap::new(),
            people: carried::people_say(&workspace.repository, &workspace.state, store, root)
                .map_err(RefreshError::from)?,
            scan: planned.scan,
            index: planned.index,
        };
        for agent in agents.iter().filter(|agent| has_model(agent)) {
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
        known.freshness = known.scan.numbers().map(|node| known.look(node)).collect();
        known.look_back(&workspace.repository, root)?;
        let attested = signing::attested(workspace, store);
        if attested.may_say() {
            known.attest(&workspace.repository, &attested);
        }
        Ok(known)
    }

    /// Finds what signatures say of all that people and models say: pages are drawn on all cores, and one can ask.
    fn attest(&mut self, repo: &Repository, attested: &Attested<'_>) {
        let mut words = AttestedStatements::new();
        let mut add = |frame: &Frame| {
            let said = attested.words(frame);
            words.extend(said.map(|said| (StatementKey::of(frame), said)));
        };
        let carried = self.people.carried.values().flatten().map(|one| &one.frame);
        let standing = self.people.standing.values().flatten();
        standing.chain(carried).for_each(&mut add);
        let models = self
            .slots
            .iter()
            .filter(|known| known.sort != Sort::Outline);
        let heads = models.flat_map(|known| {
            self.scan
                .numbers()
                .filter_map(|node| Some(self.head(known, node)?.blob))
        });
        let earlier = self.earlier.values().flatten().map(|one| one.blob);
        for blob in heads.chain(earlier) {
            read_blob(repo, &blob).iter().for_each(&mut add);
        }
        self.attested = words;
    }

    /// Finds what models have said about earlier contents of what has changed since: one walk back along first parents
    /// for all paths, which reads what each commit has changed.
    fn look_back(&mut self, repo: &Repository, root: &SnapshotRoot) -> Result<(), ObjectError> {
        let mut wanted: HashMap<TreePath, Vec<u16>> = HashMap::new();
        for known in self.slots.iter().filter(|known| known.sort == Sort::Model) {
            let changed = known.reasons.iter();
            let changed = changed.filter(|(_, reason)| **reason == Reason::Changed);
            for ((node, _), number) in changed.zip(std::iter::repeat(known.number)) {
                let path = self.scan.path(&TreePath::root(), *node);
                wanted.entry(path).or_default().extend(number);
            }
        }
        let Some(start) = root.history.filter(|_| !wanted.is_empty()) else {
            return Ok(());
        };
        let mut newer: Option<NodeId> = Some(root.tree);
        for step in repo.first_parents(&start).take(STALE_COMMITS_MAX + 1) {
            let (commit, tree) = step?;
            let new = newer.replace(tree);
            let (index, earlier) = (&self.index, &mut self.earlier);
            let mut meet = |path: TreePath, old: NodeId| {
                let Some(slots) = wanted.get_mut(&path) else {
                    return;
                };
                slots.retain(|slot| {
                    let head = index.find_head(&old, *slot);
                    let head = head.filter(|head| {
                        !head.is_invalidated() && head.basis_kind != BasisKind::Written
                    });
                    let found = head.map(|head| EarlierHead {
                        slot: *slot,
                        blob: head.blob,
                        commit,
                    });
                    let is_left = found.is_none();
                    if let Some(found) = found {
                        earlier.entry(path.clone()).or_default().push(found);
                    }
                    is_left
                });
            };
            if new != Some(tree) {
                meet(TreePath::root(), tree);
            }
            diff_trees(repo, Some(tree), new, &mut |change| {
                let is_there = change.new.is_some();
                if let Some((_, old)) = change.old.filter(|_| is_there) {
                    meet(change.path, old);
                }
                is_there
            })?;
            wanted.retain(|_, slots| !slots.is_empty());
            if wanted.is_empty() {
                break;
            }
        }
        Ok(())
    }

    fn add_slot(&mut self, slot: Slot, sort: Sort, reasons: HashMap<NodeNumber, Reason>) {
        let number = self.index.slot(&slot);
        self.slots.push(KnownSlot {
            slot,
            number,
            sort,
            reasons,
        });
    }

    fn id(&self, node: NodeNumber) -> NodeId {
        self.scan.node(node).id
    }

    fn look(&self, node: NodeNumber) -> Freshness {
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
    fn head(&self, known: &KnownSlot, node: NodeNumber) -> Option<Record> {
        let head = self.index.find_head(&self.id(node), known.number?)?;
        (head.basis_kind != BasisKind::Written).then_some(head)
    }

    /// How what is said of a node stands that is at a path.
    pub(super) fn freshness(&self, node: NodeNumber, path: &TreePath) -> Freshness {
        let freshness = self.freshness[node];
        let is_carried = !self.people.carried.is_empty() && self.people.carried.contains_key(path);
        if is_carried {
            freshness.max(Freshness::Carried)
        } else {
            freshness
        }
    }

    /// What is said of a node at a path: people, models, syntheses, the outline.
    pub(super) fn heard(
        &self,
        repo: &Repository,
        node: NodeNumber,
        path: &TreePath,
    ) -> Vec<NodeStatement> {
        let notes = self.people.notes(&self.scan.node(node).id, path.as_bytes());
        let mut heard: Vec<NodeStatement> = notes
            .map(|(frame, carried)| NodeStatement {
                frame: frame.clone(),
                reason: None,
                age: carried.map(carried::Carried::age),
                commit: None,
                is_synthesis: false,
            })
            .collect();
        for known in &self.slots {
            let head = self.head(known, node).filter(|head| !head.is_invalidated());
            let earlier = self.earlier.get(path).into_iter().flatten();
            let mut earlier = earlier.filter(|one| Some(one.slot) == known.number);
            let (blob, commit) = match (head, earlier.next_back()) {
                (Some(head), _) => (head.blob, None),
                (None, Some(earlier)) => (earlier.blob, Some(earlier.commit)),
                (None, None) => continue,
            };
            // An entry that is no frame is counted by the index, and named by `validate`.
            let frame = read_blob(repo, &blob).ok();
            heard.extend(frame.map(|frame| NodeStatement {
                reason: known.reasons.get(&node).copied(),
                age: None,
                commit,
                is_synthesis: known.sort == Sort::Synthesis,
                frame,
            }));
        }
        heard
    }

    /// What is to be made again of a node, and why. What a model has never spoken of is its user's to ask for.
    pub(super) fn behind(&self, node: NodeNumber) -> impl Iterator<Item = (&Slot, Reason)> {
        self.slots.iter().filter_map(move |known| {
            let reason = known.reasons.get(&node).copied()?;
            let is_told = known.sort == Sort::Outline || reason != Reason::Missing;
            is_told.then_some((&known.slot, reason))
        })
    }
}

/// Agents whose frames are planned: those with a model that speak of files and directories.
fn has_model(agent: &Agent) -> bool {
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
pub(super) fn sentence(heard: &[NodeStatement], name: &[u8], is_directory: bool) -> Option<String> {
    let speaks = |one: &&NodeStatement| !one.is_synthesis && one.frame.made_by() != MadeBy::Person;
    let best = heard.iter().find(speaks)?;
    says(&ChildNode {
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
