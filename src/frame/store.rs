//! Reading the store: the tree of `refs/merkle/frames`, two trees and one blob away from any head.
//!
//! A [`Store`] is a snapshot: it sees the commit that it was opened at, whatever is written meanwhile.
//! Who can push to the ref can put anything there. So an entry that is no good is passed over and noted, and never
//! ends a read.

use super::directory::Place;
use super::entry::{Entry, FRAMES_REF, StoreError, read_entry};
use super::fault::Skipped;
use super::listing;
use super::model::{BasisKind, Frame, Head, MadeBy, Slot};
use super::name::FrameName;
use super::record::Record;
use super::stored::Stored;
use super::voice::Voices;
use crate::base::{AgentId, FrameType, NodeId};
use crate::git::{EntryMode, ObjectError, Repository};

/// The frames as of one commit of [`FRAMES_REF`].
pub struct Store<'r> {
    repo: &'r Repository,
    state: StoreState,
}

/// A store without a handle of its repository.
#[derive(Debug, Clone)]
pub struct StoreState {
    commit: Option<NodeId>,
    tree: Option<NodeId>,
    skipped: Skipped,
}

impl StoreState {
    /// The store, read with a handle of its repository.
    #[must_use]
    pub fn open<'r>(&self, repo: &'r Repository) -> Store<'r> {
        Store {
            repo,
            state: self.clone(),
        }
    }
}

impl<'r> Store<'r> {
    /// Opens the store as it is now; a repository without frames has an empty one.
    pub fn open(repo: &'r Repository) -> Result<Self, StoreError> {
        Self::at(repo, repo.find_direct_ref(FRAMES_REF)?)
    }

    /// Opens the store as of a commit.
    pub fn at(repo: &'r Repository, commit: Option<NodeId>) -> Result<Self, StoreError> {
        let tree = commit
            .as_ref()
            .map(|commit| repo.tree_of_commit(commit))
            .transpose()
            .map_err(|error| match error {
                ObjectError::Kind { .. } => StoreError::NoCommit(error),
                error => StoreError::Object(error),
            })?;
        let skipped = Skipped::default();
        let state = StoreState {
            commit,
            tree,
            skipped,
        };
        Ok(Self { repo, state })
    }

    /// Which store it is, for threads that each have a handle of the repository.
    #[must_use]
    pub fn state(&self) -> StoreState {
        self.state.clone()
    }

    /// The commit; `None` when there are no frames yet.
    #[must_use]
    pub fn commit(&self) -> Option<NodeId> {
        self.state.commit
    }

    /// The commit's tree.
    #[must_use]
    pub fn tree(&self) -> Option<NodeId> {
        self.state.tree
    }

    /// The repository that the store is part of.
    #[must_use]
    pub fn repository(&self) -> &'r Repository {
        self.repo
    }

    /// Readers of this store note what they pass over in that list.
    #[must_use]
    pub fn noting(self, skipped: Skipped) -> Self {
        let state = StoreState {
            skipped,
            ..self.state
        };
        Self { state, ..self }
    }

    /// What was passed over so far.
    #[must_use]
    pub fn skipped(&self) -> &Skipped {
        &self.state.skipped
    }

    /// All entries of a node whose names are good and whose generations count, by agent, type and generation.
    pub fn entries(&self, node: &NodeId) -> Result<Vec<Entry>, StoreError> {
        let Some(tree) = self.state.tree else {
            return Ok(Vec::new());
        };
        let place = Place::of(node);
        let found = self.repo.find_entry(&tree, place.path(None).as_bytes())?;
        let Some((EntryMode::Directory, leaf)) = found else {
            return Ok(Vec::new());
        };
        let listed = listing::list(self.repo, place, &leaf, Some(node))?;
        listed
            .bad
            .iter()
            .for_each(|bad| self.state.skipped.add(&bad.path, &bad.fault));
        Ok(listed.entries)
    }

    /// The frames whose ids begin with these hex digits, in no order: all names of the store are looked at.
    pub fn entries_of_id(&self, start: &str) -> Result<Vec<Entry>, StoreError> {
        let mut found = Vec::new();
        listing::visit_added(self.repo, None, self.tree(), &mut |listed| {
            let entries = listed.entries.into_iter();
            found.extend(entries.filter(|entry| entry.name.frame.to_string().starts_with(start)));
            Ok(())
        })?;
        Ok(found)
    }

    /// Reads one frame and checks it against its name; `None` for an entry that is no good, which is noted.
    #[must_use]
    pub fn read(&self, entry: &Entry) -> Option<Frame> {
        read_entry(self.repo, entry)
            .inspect_err(|fault| self.state.skipped.add_name(&entry.name, fault))
            .ok()
    }

    /// Reads the frame of a head that the index knows; `None` for one that is no good, which is noted.
    #[must_use]
    pub fn read_head(&self, node: &NodeId, slot: &Slot, head: &Record) -> Option<Frame> {
        let name = FrameName {
            node: *node,
            agent: slot.agent.clone(),
            frame_type: slot.frame_type.clone(),
            seq: head.seq,
            frame: head.frame,
        };
        self.read(&Entry {
            name,
            blob: head.blob,
        })
    }

    /// The current frame of one slot; `None` when it has never had one.
    pub fn head(
        &self,
        node: &NodeId,
        agent: &AgentId,
        frame_type: &FrameType,
    ) -> Result<Option<Head>, StoreError> {
        let entries = self.entries(node)?;
        let slot: Vec<_> = entries
            .into_iter()
            .filter(|e| e.name.agent == *agent && e.name.frame_type == *frame_type)
            .collect();
        Ok(self.head_of(&slot))
    }

    /// The current frames of all slots of a node, by agent and type.
    pub fn heads(&self, node: &NodeId) -> Result<Vec<Head>, StoreError> {
        Ok(self.heads_of(&self.entries(node)?))
    }

    /// The same of the entries of a node.
    #[must_use]
    pub fn heads_of(&self, entries: &[Entry]) -> Vec<Head> {
        let slots = entries.chunk_by(|a, b| a.name.is_of_slot_of(&b.name));
        slots.filter_map(|slot| self.head_of(slot)).collect()
    }

    /// What stands at a node: the head of each slot, and what each person said last.
    pub fn standing(&self, node: &NodeId) -> Result<Vec<Head>, StoreError> {
        let entries = self.entries(node)?;
        let mut standing = self.heads_of(&entries);
        standing.extend(self.voices_of(&entries).heads);
        Ok(standing)
    }

    /// What people say about a node: of each the last statement that stands.
    ///
    /// An invalidation ends what stands below it: of its author alone, or of all where it names none. In the slot of an
    /// agent that makes its frames itself only what was handed in after the last of them counts.
    pub fn voices(&self, node: &NodeId) -> Result<Voices, StoreError> {
        Ok(self.voices_of(&self.entries(node)?))
    }

    /// The same of the entries of a node.
    #[must_use]
    pub fn voices_of(&self, entries: &[Entry]) -> Voices {
        let mut voices = Voices::default();
        for slot in entries.chunk_by(|a, b| a.name.is_of_slot_of(&b.name)) {
            let seq_max = slot.last().map_or(0, |entry| entry.name.seq);
            voices.add(self.said_by_people(slot), seq_max);
        }
        voices
    }

    /// What people said and ended in a slot since its agent made a frame there: that takes the place of what was handed in before.
    #[must_use]
    pub fn said_by_people(&self, slot: &[Entry]) -> Vec<Frame> {
        let frames = slot.iter().rev().filter_map(|entry| self.read(entry));
        frames
            .take_while(|frame| frame.made_by() == MadeBy::Person)
            .collect()
    }

    /// The head of one slot's entries, oldest first: the newest good one that is no invalidation, and of people what stands.
    fn head_of(&self, slot: &[Entry]) -> Option<Head> {
        let seq_max = slot.last()?.name.seq;
        let (mut invalidated, mut is_looked_at) = (false, false);
        for (at, entry) in slot.iter().enumerate().rev() {
            let Some(frame) = self.read(entry) else {
                continue;
            };
            let is_by_people = frame.made_by() == MadeBy::Person;
            if is_by_people && !is_looked_at {
                is_looked_at = true;
                let mut voices = Voices::default();
                voices.add(self.said_by_people(&slot[..=at]), seq_max);
                if let Some(head) = voices.heads.into_iter().next() {
                    return Some(head);
                }
            }
            if frame.basis_kind != BasisKind::Invalidation {
                return Some(Head {
                    invalidated: invalidated || is_by_people,
                    frame,
                    seq_max,
                });
            }
            invalidated = true;
        }
        None
    }

    /// The head of one slot as the index would know it.
    pub fn record(
        &self,
        node: &NodeId,
        agent: &AgentId,
        frame_type: &FrameType,
    ) -> Result<Option<Record>, StoreError> {
        let mut invalidation = None;
        let entries = self.entries(node)?;
        for entry in entries
            .iter()
            .rev()
            .filter(|e| e.name.agent == *agent && e.name.frame_type == *frame_type)
        {
            let Some(frame) = self.read(entry) else {
                continue;
            };
            let stored = Stored::of(&frame, entry.blob);
            if stored.basis_kind != BasisKind::Invalidation {
                return Ok(Some(stored.record(invalidation)));
            }
            invalidation = invalidation.or(Some((stored.name.seq, stored.name.frame)));
        }
        Ok(None)
    }
}
