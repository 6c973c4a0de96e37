//! Statements that are handed in, as opposed to the plan: put and invalidate.
//!
//! Every write of a frame from outside a plan passes here, and so the one gate of roles and the spool.

use std::collections::BTreeSet;
use std::path::PathBuf;

use super::refresh::{self, RefreshError};
use crate::agent::{Agent, AgentError, HUMAN};
use crate::base::count::counted;
use crate::base::{AgentId, FrameId, FrameType, NodeId, TreePath, clock};
use crate::frame::commit::{CommitError, LOCK_WAIT};
use crate::frame::{
    Basis, BasisKind, CodecError, Entry, Frame, NewFrame, NodeKind, Slot, Store, StoreError, Voice,
    commit, content_digest, spool,
};
use crate::node::Scan;
use crate::regen::NodeError;
use crate::regen::synthesize::SynthesisError;
use crate::secret::{Allowed, SecretFound, redact_name};
use crate::synthesis::basis::{self, Spoken};
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
    let (name, mail) = if agent.id.as_str() == HUMAN {
        let author = workspace.repository.known_author();
        author.ok_or(StatementError::NoAuthor)?
    } else {
        workspace.repository.author()
    };
    let slot = Slot::new(&agent.id, &frame_type);
    let by = Spoken {
        mail: &mail,
        path: target.path.as_ref(),
    };
    let basis = Basis {
        kind: BasisKind::Written,
        id: basis::written(&slot, &target.id, &content_digest(&content), by),
    };
    let frame = Frame::new(target.id, target.kind, slot, basis, content).at(target.path.clone());
    let mut frame = frame.by(&name, &mail);
    // What is said is kept safe whatever the store is like; storing it says what is wrong.
    let created = match workspace.store() {
        Ok(store) => {
            let said = store.entries(&target.id).unwrap_or_default();
            let voice = Voice::of(&frame);
            not_before(&store, &said, &|one| Voice::of(one) == voice, created)
        }
        Err(_) => created,
    };
    frame.created = Some(created);
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
    // Another process may have stored it for us; what its author says later by then stands in its place.
    let entries = store.entries(&frame.node)?.into_iter().rev();
    let mut stored = entries.filter(|entry| entry.name.frame == frame.id);
    let stored = stored.next().ok_or(StatementError::NotShown(frame.id))?;
    frame.seq = stored.name.seq;
    Ok(frame)
}

/// The time of a new statement: not before those that it takes the place of, by whatever clock these were said.
fn not_before(
    store: &Store<'_>,
    entries: &[Entry],
    is_before: &dyn Fn(&Frame) -> bool,
    created: String,
) -> String {
    let said = entries.iter().filter_map(|entry| store.read(entry));
    let times = said.filter(is_before).filter_map(|frame| frame.created);
    // Anyone who can push can write any text there.
    let times = times.filter(|time| clock::parse_day(time).is_some());
    times.fold(created, Ord::max)
}

/// Ends what the user has said in a slot about a path: of today's content, and of that of which `own` was said.
pub fn retract(
    workspace: &Workspace,
    target: &Target,
    slot: &Slot,
    own: &Frame,
    created: &str,
) -> Result<(), StatementError> {
    let store = workspace.store()?;
    let (name, mail) = workspace.repository.author();
    // The content of which it was said may come back.
    let nodes: BTreeSet<NodeId> = [target.id, own.node].into();
    let mut ends = Vec::new();
    for node in nodes {
        let entries = store.entries(&node)?;
        let mut of_slot = entries.iter().filter(|entry| {
            (&entry.name.agent, &entry.name.frame_type) == (&slot.agent, &slot.frame_type)
        });
        let seq_max = of_slot.next_back().map_or(0, |entry| entry.name.seq);
        let path = own.path.as_ref();
        let by = Spoken { mail: &mail, path };
        let end = invalidation(node, target.kind, slot.clone(), seq_max, Some(by));
        let mut end = end.at(path.cloned()).by(&name, &mail);
        let voice = Voice::of(&end);
        let is_own = |frame: &Frame| Voice::of(frame) == voice;
        end.created = Some(not_before(&store, &entries, &is_own, created.to_owned()));
        ends.push(NewFrame::new(workspace.repository.hash_kind(), &end, true)?);
    }
    let message = format!("{}: a retraction", slot.agent);
    commit(&workspace.repository, &workspace.state, &ends, &message)?;
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
    /// Whether a frame is one of them, by its slot.
    #[must_use]
    pub fn names(&self, frame: &Frame) -> bool {
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
            let end = invalidation(node.id, kind, slot, head.seq_max, None);
            // Of an object that was named by its id alone no path is known.
            let mut frame = end.at(target.path.as_ref().map(|_| path.clone()));
            let entries = store.entries(&node.id)?;
            let is_of_slot = |one: &Frame| one.slot() == frame.slot();
            let created = not_before(&store, &entries, &is_of_slot, created.to_owned());
            frame.created = Some(created);
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

/// The frame that ends what stands in a slot of a node, whose newest has the number `seq_max`: what one has said, or all.
fn invalidation(
    node: NodeId,
    kind: NodeKind,
    slot: Slot,
    seq_max: u32,
    by: Option<Spoken<'_>>,
) -> Frame {
    let id = basis::invalidation(&slot, &node, seq_max, by);
    let basis = Basis {
        kind: BasisKind::Invalidation,
        id,
    };
    let mut frame = Frame::new(node, kind, slot, basis, String::new());
    frame.seq = seq_max + 1;
    frame
}
