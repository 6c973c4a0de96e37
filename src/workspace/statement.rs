//! Statements that somebody or a policy makes, as opposed to the plan: put, invalidate, synthesize.
//!
//! Every write of a frame from outside a plan passes here, and so the one gate of roles and the spool.

use std::collections::HashMap;
use std::sync::Arc;

use super::open::Workspace;
use super::refresh::RefreshError;
use super::secrets::RulesError;
use super::target::Target;
use crate::agent::{Agent, AgentError};
use crate::base::{AgentId, BasisId, FrameId, FrameType};
use crate::frame::commit::{CommitError, LOCK_WAIT};
use crate::frame::{
    BasisKind, Children, CodecError, Frame, NewFrame, NodeKind, Store, StoreError, commit, content_digest, spool,
};
use crate::node::Scan;
use crate::regen::plan::part_kind;
use crate::secret::{Allowed, SecretFound, guard};
use crate::synthesis::basis::{self, BasisOf};
use crate::synthesis::{Child, ChildState, Part, Policy};

/// Something that somebody says about a node.
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
    /// The agent may not say it.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// It does not fit into a frame.
    #[error(transparent)]
    Codec(#[from] CodecError),
    /// It could not be kept safe before it was stored.
    #[error("cannot write to the spool")]
    Spool(#[source] std::io::Error),
    /// It could not be stored. It waits in the spool, if it got there.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// What is there already cannot be read.
    #[error(transparent)]
    Refresh(#[from] RefreshError),
    /// Synthesis makes frames of directories.
    #[error("'{0}' is a file; only directories are synthesized")]
    NotDirectory(String),
    /// It would say what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
    /// The rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

impl From<StoreError> for StatementError {
    fn from(error: StoreError) -> Self {
        Self::Refresh(error.into())
    }
}

/// Which frames of the children are put together.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SourceTypes {
    /// Those of one type.
    One(FrameType),
    /// All that the agent has.
    All,
}

/// A synthesis that somebody asks for.
pub struct Synthesis<'a> {
    /// Whose frames are read, and who speaks.
    pub agent: &'a Agent,
    /// Which frames are read.
    pub source: SourceTypes,
    /// The type of the frames that are made.
    pub into: FrameType,
    /// How they are put together.
    pub policy: &'a dyn Policy,
    /// What may be said though it looks like a secret.
    pub allowed: &'a Allowed,
}

/// What came of a synthesis.
#[derive(Debug, Clone, Copy)]
pub struct Synthesized {
    /// The frame of the directory that was named.
    pub frame: FrameId,
    /// Directories whose frame was made.
    pub made: u64,
    /// Directories whose frame says it already.
    pub kept: u64,
}

impl Workspace {
    /// Stores a statement and returns its frame, or the one that says the same already. Once this returns it is on disk.
    pub fn put(&self, target: &Target, statement: Statement<'_>) -> Result<Frame, StatementError> {
        let Statement { agent, frame_type, content, created } = statement;
        agent.may_write(target.kind, BasisKind::Written)?;
        let basis = basis::written(agent.id.as_str(), &frame_type, &target.id, &content_digest(&content));
        let slot = (agent.id.clone(), frame_type);
        let mut frame = Frame::new((target.id, target.kind), slot, (BasisKind::Written, basis), content).at(target.path.clone());
        frame.created = Some(created);
        let file = spool::put(&self.state, &frame).map_err(StatementError::Spool)?;
        let committed = commit::commit_spooled(&self.repository, &self.state, Some(&file), LOCK_WAIT)?;
        let entries = Store::at(&self.repository, committed.commit)?.entries(&frame.node)?;
        let mut stored = entries.iter().map(|entry| &entry.name);
        if let Some(name) = stored.rfind(|name| name.frame == frame.id) {
            frame.seq = name.seq;
        }
        Ok(frame)
    }

    /// Appends an invalidation to the wanted slots of a node, and of everything below it if `recursive`.
    ///
    /// Returns how many heads were declared void. Slots that are void already are left alone.
    pub fn invalidate(
        &self,
        target: &Target,
        recursive: bool,
        wanted: &dyn Fn(&AgentId, &FrameType) -> bool,
        created: &str,
    ) -> Result<usize, StatementError> {
        let store = self.store()?;
        let scan = if recursive { self.scan(target, None)? } else { Scan::of_file(target.id) };
        let root = target.path.clone().unwrap_or_default();
        let mut frames = Vec::new();
        for &number in scan.bottom_up() {
            let node = scan.node(number);
            let is_directory = if recursive { node.is_directory } else { target.kind == NodeKind::Directory };
            let kind = if is_directory { NodeKind::Directory } else { NodeKind::File };
            let at = Target { id: node.id, kind, path: Some(scan.path(&root, number)), root: target.root };
            for head in store.heads(&node.id)?.into_iter().filter(|head| !head.invalidated) {
                let slot = (head.frame.agent.clone(), head.frame.frame_type.clone());
                if wanted(&slot.0, &slot.1) {
                    let basis = basis::invalidation(slot.0.as_str(), &slot.1, &node.id, head.seq_max);
                    let how = (BasisKind::Invalidation, basis);
                    let mut frame = Frame::new((at.id, at.kind), slot, how, String::new()).at(at.path.clone());
                    frame.seq = head.seq_max + 1;
                    frame.created = Some(created.to_owned());
                    frames.push(NewFrame::new(self.repository.hash_kind(), &frame, false)?);
                }
            }
        }
        let count = frames.len();
        commit(&self.repository, &self.state, &frames, &format!("invalidate {count} frames"), LOCK_WAIT)?;
        Ok(count)
    }

    /// Makes the frames of a directory and of all directories below it, bottom-up. Nothing outside is looked at.
    pub fn synthesize(&self, target: &Target, synthesis: &Synthesis<'_>) -> Result<Synthesized, StatementError> {
        if target.kind != NodeKind::Directory {
            let name = target.path.as_ref().map_or_else(|| target.id.to_string(), |path| path.to_text().into_owned());
            return Err(StatementError::NotDirectory(name));
        }
        synthesis.agent.may_write(target.kind, BasisKind::Synthesis)?;
        let store = self.store()?;
        let scan = self.scan(target, None)?;
        let mut work = Work { store: &store, scan: &scan, synthesis, made: HashMap::new() };
        let bases = BasisOf::synthesis(synthesis.agent, &synthesis.into, &synthesis.policy.digest());
        let slot = (synthesis.agent.id.clone(), synthesis.into.clone());
        let root = target.path.clone().unwrap_or_default();
        let (mut frames, mut kept, mut last) = (Vec::new(), 0, None);
        for &number in scan.bottom_up().iter().filter(|number| scan.node(**number).is_directory) {
            let parts = work.parts(number)?;
            let basis = work.basis(&bases, number, &parts);
            let content = synthesis.policy.synthesize(&parts.iter().map(|(part, _)| part.clone()).collect::<Vec<_>>());
            let path = scan.path(&root, number);
            guard(content.as_bytes(), &path.to_text(), self.scanner()?, synthesis.allowed)?;
            let at = Target { id: scan.node(number).id, kind: NodeKind::Directory, path: Some(path), root: target.root };
            let how = (BasisKind::Synthesis, basis);
            let mut frame = Frame::new((at.id, at.kind), slot.clone(), how, content).at(at.path);
            frame.children = Children::of(parts.iter().flat_map(|(_, frames)| frames.iter().copied()).collect());
            last = Some(frame.id);
            let head = store.head(&at.id, &slot.0, &slot.1)?;
            if head.is_some_and(|head| !head.invalidated && head.frame.id == frame.id) {
                kept += 1;
            } else {
                frames.push(NewFrame::new(self.repository.hash_kind(), &frame, false)?);
            }
            work.made.insert(number, (frame.id, frame.content.into()));
        }
        let made = frames.len() as u64;
        commit(&self.repository, &self.state, &frames, &format!("{}: {made} frames", slot.0), LOCK_WAIT)?;
        Ok(Synthesized { frame: last.expect("a directory was named"), made, kept })
    }
}

/// A synthesis at work.
struct Work<'w> {
    store: &'w Store<'w>,
    scan: &'w Scan,
    synthesis: &'w Synthesis<'w>,
    /// What directories of this run say.
    made: HashMap<u32, (FrameId, Arc<str>)>,
}

impl Work<'_> {
    /// The children with what they say, and the frames in which they say it.
    ///
    /// A directory speaks through the frame that this run has made of it; a file through its heads.
    fn parts(&self, number: u32) -> Result<Vec<(Part<'_>, Vec<FrameId>)>, StatementError> {
        let mut parts = Vec::new();
        for entry in self.scan.entries(number) {
            let said = match entry.node {
                Some(child) => self.said(child)?,
                None => Vec::new(),
            };
            let (bodies, frames) = said.into_iter().map(|(frame_type, frame, body)| ((frame_type, body), frame)).unzip();
            let name = String::from_utf8_lossy(entry.name);
            parts.push((Part { name, kind: part_kind(entry.mode), bodies }, frames));
        }
        Ok(parts)
    }

    fn said(&self, child: u32) -> Result<Vec<(FrameType, FrameId, Arc<str>)>, StatementError> {
        if let Some((frame, body)) = self.made.get(&child) {
            return Ok(vec![(self.synthesis.into.clone(), *frame, body.clone())]);
        }
        let heads = self.store.heads(&self.scan.node(child).id)?.into_iter();
        let wanted = heads.filter(|head| {
            head.frame.agent == self.synthesis.agent.id
                && match &self.synthesis.source {
                    SourceTypes::All => head.frame.frame_type != self.synthesis.into,
                    SourceTypes::One(frame_type) => head.frame.frame_type == *frame_type,
                }
        });
        Ok(wanted.map(|head| (head.frame.frame_type, head.frame.id, head.frame.content.into())).collect())
    }

    fn basis(&self, bases: &BasisOf, number: u32, parts: &[(Part<'_>, Vec<FrameId>)]) -> BasisId {
        let digest = |part: &Part<'_>| {
            let whole: String = part
                .bodies
                .iter()
                .map(|(frame_type, body)| format!("{frame_type}\n{}\n{body}", body.len()))
                .collect::<Vec<_>>()
                .concat();
            content_digest(&whole)
        };
        bases.directory(self.scan.entries(number).zip(parts).map(|(entry, (part, _))| Child {
            name: entry.name,
            kind: part.kind.as_str(),
            state: if part.bodies.is_empty() { ChildState::Unsaid(entry.id) } else { ChildState::Said(digest(part)) },
        }))
    }
}
