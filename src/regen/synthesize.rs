//! Syntheses of a scan: which directories have one, whether it still says what its policy would say, and making it again.
//!
//! A synthesis depends on what its children's frames say and on the policy that its header remembers, so no model is
//! needed. A directory has one where its head remembers a policy, where an earlier content of its path had one, or where
//! the directory above has one: that is what `synthesize` would make today. One that was invalidated is left alone until
//! the user requests it again, and so is what a person or a model has said in its slot.

use std::collections::HashSet;
use std::sync::Arc;

use super::body::{FrameBody, NodeError};
use super::make::{ChildBodies, read_frame};
use super::plan::{PlannedNode, take_up};
use super::remake::{self, Remade};
use crate::agent::Agent;
use crate::base::number::{IndexSlice, IndexVec};
use crate::base::{BasisId, FieldHasher, FrameId, FrameType, NodeId, TreePath};
use crate::frame::model::POLICY_KEY;
use crate::frame::{
    Basis, BasisKind, Children, CodecError, Frame, FrameName, Index, NewFrame, NodeKind, Record,
    Slot, content_digest,
};
use crate::git::Repository;
use crate::node::scan::NodeEntry;
use crate::node::{NodeNumber, Scan};
use crate::secret::SecretFound;
use crate::synthesis::basis::BasisOf;
use crate::synthesis::{
    Child, ChildNode, ChildState, PartKind, Policy, PolicySpec, Reason, outline,
};

/// Why a directory has no synthesis. The run goes on.
#[derive(Debug, thiserror::Error)]
pub enum SynthesisError {
    /// What a child says cannot be read, or what is said now is no frame.
    #[error(transparent)]
    Node(#[from] NodeError),
    /// It would say what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
}

impl From<CodecError> for SynthesisError {
    fn from(error: CodecError) -> Self {
        Self::Node(error.into())
    }
}

/// A slot over a scan.
pub struct Synthesizer<'s> {
    /// Where frames are read.
    pub repo: &'s Repository,
    /// What was scanned.
    pub scan: &'s Scan,
    /// Where the scan's root stands in the snapshot.
    pub root: &'s TreePath,
    /// What is known of the store.
    pub index: &'s Index,
    /// Whose frames are read, and who speaks.
    pub agent: &'s Agent,
    /// The type of the frames that are made.
    pub into: &'s FrameType,
}

/// A directory whose synthesis is made next.
struct Next<'n> {
    number: NodeNumber,
    one: &'n Chosen,
    basis: BasisId,
}

/// What is known of each node's head.
type Heads = IndexVec<NodeNumber, Option<Record>>;

/// A policy that directories of a slot have, with the start of their bases.
struct Chosen {
    spec: PolicySpec,
    policy: Arc<dyn Policy>,
    bases: BasisOf,
}

/// Which syntheses are to be made, and what is known of all of them.
#[derive(Default)]
pub struct SynthesisPlan {
    /// Directories whose synthesis is missing or outdated, children first.
    pub tasks: Vec<PlannedNode>,
    /// Directories whose synthesis says what its policy would say.
    pub fresh: u64,
    chosen: IndexVec<NodeNumber, Option<Arc<Chosen>>>,
    heads: Heads,
}

/// What came of a run; the frames are yet to be stored.
#[derive(Default)]
pub struct Synthesized {
    /// Frames that were made.
    pub frames: Vec<NewFrame>,
    /// The directories that they are about.
    pub made: Vec<TreePath>,
    /// Directories that turned out to say what they said.
    pub kept: u64,
    /// Directories that could not be made because one below failed.
    pub held_back: u64,
    /// Directories that failed.
    pub failed: Vec<(TreePath, SynthesisError)>,
    /// The frame of the scan's root, if it has one.
    pub root: Option<FrameId>,
}

/// Finds the policy that an earlier content of a path had.
pub type FindEarlier<'f> = dyn FnMut(&NodeId, &TreePath) -> Option<PolicySpec> + 'f;

impl Synthesizer<'_> {
    /// Plans what brings the slot's syntheses up to date.
    pub fn plan(&self, find_earlier: &mut FindEarlier<'_>) -> SynthesisPlan {
        let heads = self.heads();
        let mut chosen: IndexVec<_, Option<Arc<Chosen>>> = self.scan.list_of(None);
        let mut is_left = self.scan.list_of(false);
        let mut is_fresh = self.scan.list_of(false);
        let mut known = Vec::new();
        for number in self.directories() {
            chosen[number] = match &heads[number] {
                Some(head) if head.has_policy && !head.is_invalidated() => {
                    let by_basis = self.find_by_basis(number, head, &heads, &known);
                    is_fresh[number] = by_basis.is_some();
                    by_basis.or_else(|| self.find_in_frame(head, &mut known))
                }
                None if self.is_changed(number) => {
                    let found = find_earlier(
                        &self.scan.node(number).id,
                        &self.scan.path(self.root, number),
                    );
                    found.and_then(|spec| self.choose(spec, &mut known))
                }
                Some(_) | None => None,
            };
            is_left[number] = heads[number].is_some();
        }
        // From the top: a directory that came since the synthesis above it was made has that one's policy.
        for number in self.directories().rev() {
            let Some(above) = chosen[number].clone() else {
                continue;
            };
            for child in self.scan.children(number) {
                if self.scan.node(child).is_directory && chosen[child].is_none() && !is_left[child]
                {
                    chosen[child] = Some(above.clone());
                }
            }
        }
        self.tasks(chosen, heads, &is_fresh)
    }

    /// Plans a synthesis of every directory, by one policy, as the user requests it.
    pub fn plan_all(&self, spec: PolicySpec, policy: Arc<dyn Policy>) -> SynthesisPlan {
        let one = Arc::new(self.chosen(spec, policy));
        let mut chosen = self.scan.list_of(None);
        self.directories()
            .for_each(|number| chosen[number] = Some(one.clone()));
        self.tasks(chosen, self.heads(), &self.scan.list_of(false))
    }

    /// What is to be made. Of some directories it is known that their policy gives the basis of their head.
    fn tasks(
        &self,
        chosen: IndexVec<NodeNumber, Option<Arc<Chosen>>>,
        heads: Heads,
        is_fresh: &IndexSlice<NodeNumber, [bool]>,
    ) -> SynthesisPlan {
        let mut plan = SynthesisPlan {
            tasks: Vec::new(),
            fresh: 0,
            chosen,
            heads,
        };
        let mut is_task = self.scan.list_of(false);
        for number in self.directories() {
            let Some(one) = &plan.chosen[number] else {
                continue;
            };
            let waits = || self.scan.children(number).any(|child| is_task[child]);
            let reason = match &plan.heads[number] {
                None if self.is_changed(number) => Some(Reason::Changed),
                None => Some(Reason::Missing),
                Some(head) if head.is_invalidated() => Some(Reason::Invalidated),
                Some(_) if waits() => Some(Reason::Waiting),
                Some(_) if is_fresh[number] => None,
                Some(head) => {
                    (self.basis(number, one, &plan.heads) != head.basis).then_some(Reason::Children)
                }
            };
            match reason {
                None => plan.fresh += 1,
                Some(reason) => {
                    is_task[number] = true;
                    plan.tasks.push(PlannedNode {
                        node: number,
                        reason,
                    });
                }
            }
        }
        plan
    }

    /// Makes what a plan names. `guard` stops what must not be said at a path.
    pub fn run(
        &self,
        plan: SynthesisPlan,
        guard: &dyn Fn(&str, &TreePath) -> Result<(), SecretFound>,
    ) -> Synthesized {
        let SynthesisPlan {
            tasks,
            chosen,
            mut heads,
            ..
        } = plan;
        let mut done = Synthesized::default();
        let mut bodies = ChildBodies::new(self.scan, &tasks);
        let mut is_failed = self.scan.list_of(false);
        for PlannedNode {
            node: number,
            reason,
        } in tasks
        {
            let Some(one) = &chosen[number] else { continue };
            if self.scan.children(number).any(|child| is_failed[child]) {
                is_failed[number] = true;
                done.held_back += 1;
                bodies.release(self.scan, number);
                continue;
            }
            let basis = self.basis(number, one, &heads);
            let is_same =
                |head: Record| head.basis == basis && head.has_policy && !head.is_invalidated();
            if reason != Reason::Forged && heads[number].is_some_and(is_same) {
                done.kept += 1;
                bodies.release(self.scan, number);
                continue;
            }
            let next = Next { number, one, basis };
            match self.make(&next, &heads, &bodies, guard) {
                Ok((frame, body)) => {
                    let invalidation = heads[number].and_then(|head| head.invalidation);
                    heads[number] = Some(frame.stored().record(invalidation));
                    bodies.put(number, body);
                    done.frames.push(frame);
                    done.made.push(self.scan.path(self.root, number));
                }
                Err(error) => {
                    is_failed[number] = true;
                    done.failed.push((self.scan.path(self.root, number), error));
                }
            }
            bodies.release(self.scan, number);
        }
        done.root = heads[self.scan.root()].map(|head| head.frame);
        done
    }

    fn make(
        &self,
        next: &Next<'_>,
        heads: &Heads,
        bodies: &ChildBodies,
        guard: &dyn Fn(&str, &TreePath) -> Result<(), SecretFound>,
    ) -> Result<(NewFrame, FrameBody), SynthesisError> {
        let Next { number, one, basis } = *next;
        let (content, frames) = self.content(number, one, heads, bodies)?;
        let path = self.scan.path(self.root, number);
        guard(&content, &path)?;
        let slot = Slot::new(&self.agent.id, self.into);
        let node = self.scan.node(number).id;
        let basis = Basis {
            kind: BasisKind::Synthesis,
            id: basis,
        };
        let mut frame = Frame::new(node, NodeKind::Directory, slot, basis, content).at(Some(path));
        frame.children = Children::of(frames);
        frame.seq = heads[number].map_or(1, |head| head.seq_max().saturating_add(1));
        frame.unknown = vec![(POLICY_KEY.to_owned(), one.spec.render())];
        let new = NewFrame::new(self.repo.hash_kind(), &frame, false)?;
        Ok((new, frame.content.into()))
    }

    /// What a policy makes of what a directory's children say, and the frames that say it.
    fn content(
        &self,
        number: NodeNumber,
        one: &Chosen,
        heads: &Heads,
        bodies: &ChildBodies,
    ) -> Result<(String, Vec<FrameId>), SynthesisError> {
        let (mut parts, mut frames) = (Vec::new(), Vec::new());
        for entry in self.scan.entries(number) {
            let mut said = Vec::new();
            for (frame_type, record) in self.said(&entry, one, heads) {
                let made = entry.node.and_then(|child| bodies.made(child));
                let body = made.map_or_else(
                    || Ok(read_frame(self.repo, &record.blob)?.content.into()),
                    Ok::<FrameBody, NodeError>,
                )?;
                frames.push(record.frame);
                said.push((frame_type, body));
            }
            parts.push(ChildNode {
                name: outline::shown_name(entry.name),
                kind: PartKind::of(entry.mode),
                bodies: said,
            });
        }
        Ok((one.policy.synthesize(&parts), frames))
    }

    /// Makes the syntheses that look fresh again, all of them or as many as `sample`, and compares them.
    #[must_use]
    pub fn remake(&self, plan: &SynthesisPlan, sample: Option<usize>) -> Remade {
        let tasks: HashSet<NodeNumber> = plan.tasks.iter().map(|task| task.node).collect();
        let is_fresh =
            |number: &NodeNumber| plan.chosen[*number].is_some() && !tasks.contains(number);
        let Self {
            scan,
            root,
            index,
            agent,
            into,
            ..
        } = *self;
        let nothing_made = ChildBodies::new(scan, &[]);
        remake::compare(
            self.repo,
            self.directories().filter(is_fresh).collect(),
            sample,
            |repo, number| {
                let (one, head) = (plan.chosen[number].as_ref()?, plan.heads[number].as_ref()?);
                let (content, _) = Synthesizer {
                    repo,
                    scan,
                    root,
                    index,
                    agent,
                    into,
                }
                .content(number, one, &plan.heads, &nothing_made)
                .ok()?;
                Some(content_digest(&content) != head.content)
            },
        )
    }

    /// Takes up directories that look fresh and are to be made again, and the directories that wait for them.
    pub fn make_again(&self, plan: &mut SynthesisPlan, again: &HashSet<NodeNumber>) {
        let chosen = &plan.chosen;
        let added = take_up(
            self.scan,
            &mut plan.tasks,
            again,
            Reason::Forged,
            |number| chosen[number].is_some(),
        );
        plan.fresh = plan.fresh.saturating_sub(added);
    }

    /// The name of the frame that a directory's head is.
    #[must_use]
    pub fn head_name(&self, plan: &SynthesisPlan, number: NodeNumber) -> Option<FrameName> {
        let head = plan.heads[number].as_ref()?;
        Some(remake::name_of(
            head,
            self.scan.node(number).id,
            &self.agent.id,
            self.into,
        ))
    }

    /// Names of the entries of a directory that say something else than what its head was made from.
    #[must_use]
    pub fn changed_entries(
        &self,
        plan: &SynthesisPlan,
        number: NodeNumber,
        made_from: &[FrameId],
    ) -> Vec<Vec<u8>> {
        let Some(one) = &plan.chosen[number] else {
            return Vec::new();
        };
        let differs = |entry: &NodeEntry<'_>| {
            self.said(entry, one, &plan.heads)
                .iter()
                .any(|(_, record)| !made_from.contains(&record.frame))
        };
        self.scan
            .entries(number)
            .filter(differs)
            .map(|entry| entry.name.to_vec())
            .collect()
    }

    fn directories(&self) -> impl DoubleEndedIterator<Item = NodeNumber> + '_ {
        self.scan
            .bottom_up()
            .iter()
            .copied()
            .filter(|number| self.scan.node(*number).is_directory)
    }

    fn slot(&self) -> Option<u16> {
        self.index.slot(&Slot::new(&self.agent.id, self.into))
    }

    fn heads(&self) -> Heads {
        let mut heads = self.scan.list_of(None);
        let Some(slot) = self.slot() else {
            return heads;
        };
        for number in self.directories() {
            heads[number] = self.index.find_head(&self.scan.node(number).id, slot);
        }
        heads
    }

    fn is_changed(&self, number: NodeNumber) -> bool {
        self.slot().is_some_and(|slot| {
            self.index
                .speaks_of(slot, &self.scan.path(self.root, number))
        })
    }

    fn chosen(&self, spec: PolicySpec, policy: Arc<dyn Policy>) -> Chosen {
        let bases = BasisOf::synthesis(self.agent, self.into, &spec.digest(&*policy));
        Chosen {
            spec,
            policy,
            bases,
        }
    }

    /// The policy of a specification; `None` for one that this program does not have.
    fn choose(&self, spec: PolicySpec, known: &mut Vec<Arc<Chosen>>) -> Option<Arc<Chosen>> {
        if let Some(one) = known.iter().find(|one| one.spec == spec) {
            return Some(one.clone());
        }
        let policy = spec.policy().ok()?;
        let one = Arc::new(self.chosen(spec, policy));
        known.push(one.clone());
        Some(one)
    }

    /// The policy among those that are known by which a head says what it would say now.
    fn find_by_basis(
        &self,
        number: NodeNumber,
        head: &Record,
        heads: &Heads,
        known: &[Arc<Chosen>],
    ) -> Option<Arc<Chosen>> {
        let gives = |one: &&Arc<Chosen>| self.basis(number, one, heads) == head.basis;
        known.iter().find(gives).cloned()
    }

    /// The policy that a head was made by, as its frame says.
    fn find_in_frame(&self, head: &Record, known: &mut Vec<Arc<Chosen>>) -> Option<Arc<Chosen>> {
        let frame = read_frame(self.repo, &head.blob).ok()?;
        self.choose(PolicySpec::parse(frame.policy()?)?, known)
    }

    /// The frames through which an entry speaks: a directory through its own synthesis, a file through its heads.
    fn said(&self, entry: &NodeEntry<'_>, one: &Chosen, heads: &Heads) -> Vec<(FrameType, Record)> {
        let Some(child) = entry.node else {
            return Vec::new();
        };
        if self.scan.node(child).is_directory {
            let head = heads[child].filter(|head| !head.is_invalidated());
            return head
                .map(|head| (self.into.clone(), head))
                .into_iter()
                .collect();
        }
        let slots = self.index.slots().iter().enumerate();
        let read = slots.filter(|(_, slot)| {
            slot.agent == self.agent.id && one.spec.reads(&slot.frame_type, self.into)
        });
        let found = read.filter_map(|(at, slot)| {
            let head = self.index.find_head(&entry.id, u16::try_from(at).ok()?)?;
            Some((slot.frame_type.clone(), head))
        });
        let mut said: Vec<_> = found.filter(|(_, head)| !head.is_invalidated()).collect();
        said.sort_by(|(a, _), (b, _)| a.cmp(b));
        said
    }

    fn basis(&self, number: NodeNumber, one: &Chosen, heads: &Heads) -> BasisId {
        one.bases.directory(self.scan.entries(number).map(|entry| {
            let said = self.said(&entry, one, heads);
            let mut hasher = FieldHasher::new("git-merkle 2026 said/1");
            for (frame_type, record) in &said {
                hasher.add(frame_type.as_str().as_bytes());
                hasher.add(&record.content.0);
            }
            let state = if said.is_empty() {
                ChildState::Node(entry.id)
            } else {
                ChildState::Content(hasher.finish())
            };
            Child {
                name: entry.name,
                kind: PartKind::of(entry.mode).as_str(),
                state,
            }
        }))
    }
}
