//! Reading the store: the tree of `refs/merkle/frames`, three tree reads and one blob away from any head.
//!
//! A [`Store`] is a snapshot: it sees the commit that it was opened at, whatever is written meanwhile.

use super::codec::{CodecError, decode};
use super::commit::Stored;
use super::model::{BasisKind, Frame};
use super::name::{FrameName, fan_out, node_prefix};
use super::record::Record;
use crate::base::{AgentId, FrameType, NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, ObjectKind, RefError, Repository, diff_trees, tree_entries};

/// The ref that holds all frames.
pub const FRAMES_REF: &str = "refs/merkle/frames";

/// Why the store could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An object of the store is missing or damaged.
    #[error("cannot read the frame store")]
    Object(#[from] ObjectError),
    /// The ref cannot be read.
    #[error("cannot read the frame store")]
    Ref(#[from] RefError),
    /// The ref points at something else than a commit.
    #[error("'{FRAMES_REF}' does not point at a commit")]
    NoCommit(#[source] ObjectError),
    /// A blob in the store is not a frame.
    #[error("damaged frame '{name}'")]
    Frame {
        /// Where it stands in the store's tree.
        name: String,
        /// What is wrong with it.
        #[source]
        source: CodecError,
    },
}

/// One agent's kind of statement: with a node it names a line of frames, newest last.
pub type Slot = (AgentId, FrameType);

/// A frame's entry in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    /// What the name says.
    pub name: FrameName,
    /// The blob that holds the frame.
    pub blob: NodeId,
}

/// The current frame of a slot of a node.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    /// The newest frame that says something.
    pub frame: Frame,
    /// True when an invalidation is newer than it.
    pub invalidated: bool,
    /// The largest generation number in the slot.
    pub seq_max: u32,
}

/// The frames as of one commit of [`FRAMES_REF`].
pub struct Store<'r> {
    repo: &'r Repository,
    commit: Option<NodeId>,
    tree: Option<NodeId>,
}

impl<'r> Store<'r> {
    /// Opens the store as it is now; a repository without frames has an empty one.
    pub fn open(repo: &'r Repository) -> Result<Self, StoreError> {
        let commit = repo.find_direct_ref(FRAMES_REF)?;
        let tree = commit.as_ref().map(|commit| repo.tree_of_commit(commit)).transpose().map_err(|error| match error {
            ObjectError::Kind { .. } => StoreError::NoCommit(error),
            error => StoreError::Object(error),
        })?;
        Ok(Self { repo, commit, tree })
    }

    /// Opens the store as of a commit.
    pub fn at(repo: &'r Repository, commit: Option<NodeId>) -> Result<Self, StoreError> {
        let tree = commit.as_ref().map(|commit| repo.tree_of(commit)).transpose()?;
        Ok(Self { repo, commit, tree })
    }

    /// The commit; `None` when there are no frames yet.
    #[must_use]
    pub fn commit(&self) -> Option<NodeId> {
        self.commit
    }

    /// The commit's tree.
    #[must_use]
    pub fn tree(&self) -> Option<NodeId> {
        self.tree
    }

    /// The repository that the store is part of.
    #[must_use]
    pub fn repository(&self) -> &'r Repository {
        self.repo
    }

    /// All entries of a node, by agent, type and generation.
    pub fn entries(&self, node: &NodeId) -> Result<Vec<Entry>, StoreError> {
        let Some(tree) = self.tree else { return Ok(Vec::new()) };
        let (first, second) = fan_out(node);
        let path = [&first[..], b"/", &second[..]].concat();
        let Some((_, leaf_tree)) = self.repo.find_entry(&tree, &path)? else { return Ok(Vec::new()) };
        let mut data = Vec::new();
        self.repo.read(&leaf_tree, ObjectKind::Tree, &mut data)?;
        let prefix = node_prefix(node);
        let mut entries = Vec::new();
        for entry in tree_entries(leaf_tree, &data, self.repo.hash_kind()) {
            let entry = entry?;
            if !entry.name.starts_with(prefix.as_bytes()) {
                continue;
            }
            if let Some(name) = FrameName::parse(&first, &second, entry.name) {
                entries.push(Entry { name, blob: entry.id });
            }
        }
        Ok(entries)
    }

    /// Reads one frame and checks it against its name.
    pub fn read(&self, entry: &Entry) -> Result<Frame, StoreError> {
        read_entry(self.repo, entry)
    }

    /// The current frame of one slot; `None` when it has never had one.
    pub fn head(&self, node: &NodeId, agent: &AgentId, frame_type: &FrameType) -> Result<Option<Head>, StoreError> {
        let entries = self.entries(node)?;
        let slot: Vec<_> = entries.into_iter().filter(|e| e.name.agent == *agent && e.name.frame_type == *frame_type).collect();
        self.head_of(&slot)
    }

    /// The current frames of all slots of a node, by agent and type.
    pub fn heads(&self, node: &NodeId) -> Result<Vec<Head>, StoreError> {
        let entries = self.entries(node)?;
        let slots = entries.chunk_by(|a, b| a.name.agent == b.name.agent && a.name.frame_type == b.name.frame_type);
        let heads = slots.map(|slot| self.head_of(slot)).collect::<Result<Vec<_>, _>>()?;
        Ok(heads.into_iter().flatten().collect())
    }

    /// The head of one slot's entries, oldest first: the newest that is no invalidation.
    fn head_of(&self, slot: &[Entry]) -> Result<Option<Head>, StoreError> {
        for (age, entry) in slot.iter().rev().enumerate() {
            let frame = self.read(entry)?;
            if frame.basis_kind != BasisKind::Invalidation {
                let seq_max = slot.last().map_or(frame.seq, |newest| newest.name.seq);
                return Ok(Some(Head { frame, invalidated: age > 0, seq_max }));
            }
        }
        Ok(None)
    }

    /// The head of one slot as the index would know it.
    pub fn record(&self, node: &NodeId, agent: &AgentId, frame_type: &FrameType) -> Result<Option<Record>, StoreError> {
        let mut invalidation = None;
        let entries = self.entries(node)?;
        for entry in entries.iter().rev().filter(|e| e.name.agent == *agent && e.name.frame_type == *frame_type) {
            let stored = Stored::of(&self.read(entry)?, entry.blob);
            if stored.basis_kind != BasisKind::Invalidation {
                return Ok(Some(stored.record(invalidation)));
            }
            invalidation = invalidation.or(Some((stored.name.seq, stored.name.frame)));
        }
        Ok(None)
    }

    /// Calls `visit` with the path and id of everything in the store's tree that is no directory, well named or not.
    pub fn for_each(&self, visit: &mut dyn FnMut(&TreePath, NodeId)) -> Result<(), StoreError> {
        diff_trees(self.repo, None, self.tree, &mut |change| {
            if let Some((mode, id)) = change.new
                && mode != EntryMode::Directory
            {
                visit(&change.path, id);
            }
            true
        })?;
        Ok(())
    }
}

/// Reads a frame and checks it against the name that it stands under.
pub(super) fn read_entry(repo: &Repository, entry: &Entry) -> Result<Frame, StoreError> {
    let mut data = Vec::new();
    repo.read(&entry.blob, ObjectKind::Blob, &mut data)?;
    let name = &entry.name;
    let named = |source| StoreError::Frame { name: name.path(), source };
    let frame = decode(&data).map_err(named)?;
    let said = (&frame.node, &frame.agent, &frame.frame_type, frame.seq, &frame.id);
    if said != (&name.node, &name.agent, &name.frame_type, name.seq, &name.frame) {
        return Err(named(CodecError::Name));
    }
    Ok(frame)
}
