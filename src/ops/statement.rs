//! Statements that are handed in, as opposed to the plan: put and invalidate.
//!
//! Every write of a frame from outside a plan passes here, and so the one gate of roles and the spool.

use std::path::PathBuf;

use super::refresh::{self, RefreshError};
use crate::agent::{Agent, AgentError, HUMAN};
use crate::base::count::counted;
use crate::base::{AgentId, FrameId, FrameType, NodeId, TreePath};
use crate::frame::commit::{CommitError, LOCK_WAIT};
use crate::frame::{
    Basis, BasisKind, CodecError, Frame, NewFrame, NodeKind, Slot, Store, StoreError, Voice,
    commit, content_digest, spool,
};
use crate::node::Scan;
use crate::regen::NodeError;
use crate::regen::synthesize::SynthesisError;
use crate::secret::{Allowed, SecretFound, redact_name};
use crate::synthesis::basis;
use crate::workspace::{RulesError, Target, Workspace};

/// A statement about a node.
pub struct Statement<'a> {
    /// Who.
    pub agent: &'a Agent,
    /// As what.
    pub frame_type: FrameType,
    /// The text.
    pub content: String,
    /// When (RFC 3339, UTC).
    pub created: String,
}

/// Why a statement was not stored.
#[derive(Debug, thiserror::Error)]
pub enum StatementError {
    /// Git does not know who speaks.
    #[error("git does not know who you are, and what a person says has an author")]
    NoAuthor,
    /// The agent may not say it.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// It does not fit into a frame.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// It could not be kept safe before it was stored.
    #[error("cannot write to the spool")]
    Spool(#[source] std::io::Error),
    /// It could not be stored.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// It could not be stored yet, and is safe: the next command stores it.
    #[error("the statement waits in '{file}'")]
    Waiting {
        /// Where it waits.
        file: PathBuf,
        /// Why it could not be stored.
        #[source]
        source: CommitError,
    },
    /// It is in the store, and another frame is shown in its place.
    #[error("frame {0} is stored, but the store shows another one in its place")]
    NotShown(FrameId),
    /// What is there already cannot be read.
    #[error(transparent)]
    Refresh(#[from] RefreshError),
    /// Synthesis makes frames of directories.
    #[error("'{0}' is a file; only directories are synthesized")]
    NotDirectory(String),
    /// What an agent makes by itself is never replaced by a synthesis.
    #[error("frames of type '{1}' are what agent '{0}' says by itself")]
    OwnType(AgentId, FrameType),
    /// What a child says cannot be read.
    #[error(transparent)]
    Node(NodeError),
    /// It would say what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
    /// The rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

impl From<SynthesisError> for StatementError {
    fn from(error: SynthesisError) -> Self {
        match error {
            SynthesisError::Node(inner) => Self::Node(inner),
            SynthesisError::Secret(inner) => inner.into(),
        }
    }
}

impl From<StoreError> for StatementError {
    fn from(error: StoreError) -> Self {
        Self::Refresh(error.into())
    }
}

/// Stores a statement and returns its frame, or the one that says the same already. Once this returns it is on disk.
pub fn put(
    workspace: &Workspace,
    target: &Target,
    statement: Statement<'_>,
) -> Result<Frame, StatementError> {
    let Statement {
        agent,
        frame_type,
        content,
        created,
    } = statement;
    agent.may_write(target.kind, BasisKind::Written)?;
    let basis = basis::written(
        agent.id.as_str(),
        &frame_type,
        &target.id,
        &content_digest(&content),
    );
    let slot = Slot::new(&agent.id, &frame_type);
    let basis = Basis {
        kind: BasisKind::Written,
        id: basis,
    };
    let mut frame =
        Frame::new(target.id, target.kind, slot, basis, content).at(target.path.clone());
    frame.created = Some(created);
    let (name, mail) = if agent.id.as_str() == HUMAN {
        let author = workspace.repository.known_author();
        author.ok_or(StatementError::NoAuthor)?
    } else {
        workspace.repository.author()
    };
    let mut frame = frame.by(&name, &mail);
    let file = spool::put(&workspace.state, &frame).map_err(StatementError::Spool)?;
    let committed = commit::commit_spooled(
        &workspace.repository,
        &workspace.state,
        Some(&file),
        LOCK_WAIT,
    );
    let waiting = |source| StatementError::Waiting {
        file: workspace.state.spool().shown_file(&file),
        source,
    };
    let committed = committed.map_err(waiting)?;
    let store =
        Store::at(&workspace.repository, committed.commit)?.noting(workspace.skipped.clone());
    let head = store.head(&frame.node, &frame.agent, &frame.frame_type)?;
    let is_ours = committed
        .frames
        .iter()
        .any(|stored| stored.name.frame == frame.id);
    match head {
        Some(head) if head.frame.id == frame.id && !head.invalidated => {
            frame.seq = head.frame.seq;
        }
        // Another process stored it for us, and a third may have said something since.
        Some(head) if !is_ours && head.frame.id != frame.id => frame.seq = head.seq_max,
        _ => return Err(StatementError::NotShown(frame.id)),
    }
    Ok(frame)
}

/// Ends what the user has said in a slot, about a node and about what stood at its path before.
///
/// What other people say about the node is said once more above it, as it was: a reader that knows of one head for a
/// slot finds theirs.
pub fn retract(
    workspace: &Workspace,
    target: &Target,
    slot: &Slot,
    created: &str,
) -> Result<(), StatementError> {
    let store = workspace.store()?;
    let (name, mail) = workspace.repository.author();
    let entries = store.entries(&target.id)?;
    let mut of_slot = entries.iter().filter(|entry| {
        (&entry.name.agent, &entry.name.frame_type) == (&slot.agent, &slot.frame_type)
    });
    let seq_max = of_slot.next_back().map_or(0, |entry| entry.name.seq);
    let mut end = invalidation(target.id, target.kind, slot.clone(), seq_max)
        .at(target.path.clone())
        .by(&name, &mail);
    end.created = Some(created.to_owned());
    let own = Voice::of(&end);
    let others = store
        .voices(&target.id)?
        .heads
        .into_iter()
        .rev()
        .map(|head| head.frame);
    let others =
        others.filter(|frame| Voice::of(frame).slot == own.slot && Voice::of(frame) != own);
    let frames = [end]
        .into_iter()
        .chain(others)
        .map(|frame| NewFrame::new(workspace.repository.hash_kind(), &frame, true));
    let frames: Vec<NewFrame> = frames.collect::<Result<_, _>>()?;
    let message = format!("{}: a retraction", slot.agent);
    commit(&workspace.repository, &workspace.state, &frames, &message)?;
    Ok(())
}

/// How many frames `invalidate` declared void, and how many it left.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Invalidated {
    /// Declared void.
    pub invalidated: usize,
    /// Written by hand: no run makes these again, so their agent has to be named.
    pub left: usize,
}

/// Which frames are to be declared void.
#[derive(Debug, Clone, Copy)]
pub struct Invalidation<'a> {
    /// Those of everything below a directory, too.
    pub is_recursive: bool,
    /// Those of this agent; where it is `None` all that are not written by hand.
    pub agent: Option<&'a AgentId>,
    /// Those of this type.
    pub frame_type: Option<&'a FrameType>,
}

impl Invalidation<'_> {
    fn names(&self, frame: &Frame) -> bool {
        self.agent.is_none_or(|agent| *agent == frame.agent)
            && self.frame_type.is_none_or(|of| *of == frame.frame_type)
    }
}

/// Appends an invalidation to slots of a node, and of everything below it. Slots that are void already are left alone.
pub fn invalidate(
    workspace: &Workspace,
    target: &Target,
    which: Invalidation<'_>,
    created: &str,
) -> Result<Invalidated, StatementError> {
    let store = workspace.store()?;
    let scan = if which.is_recursive {
        refresh::scan(&workspace.repository, target, None)?
    } else {
        Scan::of_file(target.id)
    };
    let root = target.path.clone().unwrap_or_default();
    let (mut frames, mut invalidated, mut left) = (Vec::new(), 0, 0);
    for &number in scan.bottom_up() {
        let node = scan.node(number);
        let is_directory = if which.is_recursive {
            node.is_directory
        } else {
            target.kind == NodeKind::Directory
        };
        let kind = if is_directory {
            NodeKind::Directory
        } else {
            NodeKind::File
        };
        let path = scan.path(&root, number);
        let path = TreePath::new(redact_name(
            path.as_bytes(),
            workspace.scanner()?,
            &Allowed::default(),
        ));
        let voices = store.voices(&node.id)?;
        let heads = store.heads(&node.id)?.into_iter();
        for head in heads.filter(|head| !head.invalidated && which.names(&head.frame)) {
            let slot = head.frame.slot();
            // Several people may speak in one slot.
            let is_same = |one: &&crate::frame::Head| one.frame.slot() == slot;
            let said = voices.heads.iter().filter(is_same).count().max(1);
            if which.agent.is_none() && head.frame.basis_kind == BasisKind::Written {
                left += said;
                continue;
            }
            invalidated += said;
            let mut frame = invalidation(node.id, kind, slot, head.seq_max).at(Some(path.clone()));
            frame.created = Some(created.to_owned());
            let hash_kind = workspace.repository.hash_kind();
            frames.push(NewFrame::new(hash_kind, &frame, false)?);
        }
    }
    commit(
        &workspace.repository,
        &workspace.state,
        &frames,
        &format!("invalidate {}", counted(invalidated, "frame", "frames")),
    )?;
    Ok(Invalidated { invalidated, left })
}

/// The frame that ends what stands in a slot of a node, whose newest has the number `seq_max`.
fn invalidation(node: NodeId, kind: NodeKind, slot: Slot, seq_max: u32) -> Frame {
    let id = basis::invalidation(slot.agent.as_str(), &slot.frame_type, &node, seq_max);
    let basis = Basis {
        kind: BasisKind::Invalidation,
        id,
    };
    let mut frame = Frame::new(node, kind, slot, basis, String::new());
    frame.seq = seq_max + 1;
    frame
}
