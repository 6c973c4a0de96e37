//! `fetch`, `push` and `sync`: frames come from a remote, are united, and go back, again until no other push was faster.
//!
//! A push is a commit whose only parent is the remote's own and whose tree is the remote's tree with the statements of
//! this clone added. So the remote's ref only moves forward, nothing that it holds is dropped, and two clones that push
//! at once make one of them fetch, unite and push again. A killed process leaves the old state or the new on either side.

use std::time::Duration;

use super::accept::{self, Delivery, LeftOut};
use super::memory::Memory;
use super::remote::{Remote, Share};
use super::retain::{self, RetainError};
use super::select::{self, Gained, Rules, SelectError, Selection};
use crate::base::{NodeId, clock};
use crate::frame::commit::{self, CommitError};
use crate::frame::epoch::{self, Shrink};
use crate::frame::{Store, StoreError, merge};
use crate::git::{
    Batch, ChildError, Encoded, Expected, Lock, ObjectError, ObjectKind, Prompt, Pushed, RefError, Repository, StateDir,
    WriteError, commit_body,
};

/// How often a push that another one overtook is tried again.
pub const TRIES_MAX: u32 = 12;

/// The pause after the first attempt that lost; it doubles, and each clone waits a random part of it.
const PAUSE_FIRST: Duration = Duration::from_millis(200);

/// The longest pause.
const PAUSE_MAX: Duration = Duration::from_secs(8);

/// The lock around an exchange, in the state directory.
const LOCK_FILE: &str = "exchange";

/// How long another exchange of this clone is waited for.
const LOCK_WAIT: Duration = Duration::from_mins(1);

/// How often a transfer that broke off is tried again.
const BROKEN_TRIES_MAX: u32 = 3;

/// What git says of a connection that broke off, in any of its transports.
const BROKEN: [&str; 10] = [
    "hung up",
    "early EOF",
    "unexpected disconnect",
    "onnection reset",
    "onnection refused",
    "unable to connect",
    "Broken pipe",
    "timed out",
    "unpack-objects failed",
    "index-pack failed",
];

/// Why frames could not be exchanged. What was united by then stays.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// git could not reach the remote, or the remote refused to talk.
    #[error("cannot reach remote '{remote}'")]
    Transfer {
        /// Its name.
        remote: String,
        /// What git said.
        #[source]
        source: ChildError,
    },
    /// Its ref holds something else.
    #[error("'{name}' of remote '{remote}' is no store of frames")]
    NoStore {
        /// The remote's name.
        remote: String,
        /// The ref.
        name: String,
        /// What is wrong with it.
        #[source]
        source: StoreError,
    },
    /// The remote does not take the ref.
    #[error("remote '{remote}' refuses '{name}': {reason}")]
    Refused {
        /// Its name.
        remote: String,
        /// The ref.
        name: String,
        /// Its own words.
        reason: String,
    },
    /// Other pushes were faster, each time.
    #[error("other pushes to remote '{0}' were faster, {TRIES_MAX} times in a row; nothing is lost")]
    Busy(String),
    /// Another process of this clone exchanges frames.
    #[error("another process exchanges frames")]
    Locked,
    /// The state directory or the lock file cannot be written.
    #[error("cannot lock the exchange of frames")]
    Lock(#[source] std::io::Error),
    /// What goes cannot be chosen.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// What goes from a store cannot be chosen.
    #[error(transparent)]
    Retain(#[from] RetainError),
    /// The remote has branches or tags that this clone has not fetched.
    #[error("remote '{0}' has branches or tags that this clone lacks")]
    Unfetched(String),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The commit for the remote cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// A ref cannot be read or moved.
    #[error(transparent)]
    Ref(#[from] RefError),
}

impl From<ObjectError> for SyncError {
    fn from(error: ObjectError) -> Self {
        Self::Store(error.into())
    }
}

impl SyncError {
    pub(super) fn transfer(remote: &Remote, source: ChildError) -> Self {
        Self::Transfer { remote: remote.name().to_owned(), source }
    }

    /// True when the connection broke off, so that the same transfer may succeed.
    fn is_broken_transfer(&self) -> bool {
        matches!(self, Self::Transfer { source: ChildError::Failed { message, .. }, .. } if BROKEN.iter().any(|sign| message.contains(sign)))
    }
}

/// What an exchange needs.
pub struct Exchange<'a> {
    /// The repository.
    pub repo: &'a Repository,
    /// Its lock and spool.
    pub state: &'a StateDir,
    /// The other side.
    pub remote: &'a Remote,
    /// Which frames are shared, in both directions.
    pub share: Share,
    /// Whether git may ask for a password.
    pub prompt: Prompt,
    /// Whether to say what would go instead of pushing it. What comes is united all the same.
    pub dry_run: bool,
}

/// What came and went.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub struct Outcome {
    /// Frames that this clone lacked.
    pub came: usize,
    /// Frames that the remote lacked.
    pub went: usize,
    /// Frames that went from this clone, because another one dropped them for all.
    pub dropped: usize,
    /// Statements about objects that the remote does not have.
    pub held_back: usize,
    /// Entries of the remote that are no frames, the first of them.
    pub left_out: Vec<LeftOut>,
    /// How many entries of the remote are no frames.
    pub left_out_count: usize,
    /// How often the remote was asked to take the frames.
    pub attempts: u32,
}

/// Fetches the remote's frames and unites what may count with the store.
pub fn fetch(exchange: &Exchange<'_>) -> Result<Outcome, SyncError> {
    let _lock = lock(exchange)?;
    fetch_once(exchange)
}

/// One exchange of a clone at a time: two would overtake each other, and what a dead one has left is cleared by the next.
pub(super) fn lock(exchange: &Exchange<'_>) -> Result<Lock, SyncError> {
    let lock = exchange.state.lock(LOCK_FILE, LOCK_WAIT).map_err(SyncError::Lock)?.ok_or(SyncError::Locked)?;
    exchange.repo.find_direct_ref(&exchange.remote.tracking_ref())?;
    exchange.repo.clear_refs(&exchange.remote.incoming_refs())?;
    Ok(lock)
}

pub(super) fn fetch_once(exchange: &Exchange<'_>) -> Result<Outcome, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let to = remote.tracking_ref();
    let before = repo.find_direct_ref(&to)?;
    let outcome = match transfer(exchange)? {
        Some(now) => take(exchange, before, now)?,
        // The remote has lost its frames, or never had any: nothing may be taken for being there.
        None => {
            repo.delete_ref(&to)?;
            Outcome::default()
        }
    };
    let memory = Memory::load(exchange.state, remote.name()).unwrap_or_default();
    Memory { seconds: clock::now_seconds(), ..memory }.save(exchange.state, remote.name());
    Ok(outcome)
}

/// Brings the remote's frames to a ref of this process, and returns where that is; `None` where it has no frames.
///
/// Not to the tracking ref, because a git that is killed leaves its lock: that is moved by this program, whose locks do
/// not outlive it. A symbolic tracking ref, or one behind a link, is refused.
fn transfer(exchange: &Exchange<'_>) -> Result<Option<NodeId>, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    repo.check_log_path(&remote.tracking_ref())?;
    let incoming = incoming_ref(remote);
    repo.check_log_path(&incoming)?;
    let fetched = repo.fetch_ref(remote.name(), remote.frames_ref(), &incoming, exchange.prompt);
    let is_there = fetched.map_err(|source| SyncError::transfer(remote, source))?;
    Ok(if is_there { repo.find_direct_ref(&incoming)? } else { None })
}

fn incoming_ref(remote: &Remote) -> String {
    format!("{}{}", remote.incoming_refs(), std::process::id())
}

/// Takes a state of the remote into the store, and then moves the tracking ref there, which stood at `before`.
///
/// In this order: what the remote has dropped is known by the difference of the two, so a process that is killed between must
/// find the difference again.
pub(super) fn take(exchange: &Exchange<'_>, before: Option<NodeId>, now: NodeId) -> Result<Outcome, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let theirs = Store::at(repo, Some(now)).map_err(|source| no_store(remote, source))?;
    let Delivery { accepted, left_out, left_out_count, .. } =
        accept::check(repo, Store::open(repo)?.tree(), theirs.tree(), exchange.share)?;
    let came = accepted.len();
    if came > 0 {
        let message = format!("{came} frames from {}", remote.name());
        commit::add_entries(repo, exchange.state, &accepted, now, &message)?;
    }
    let dropped = follow(exchange, before, &theirs)?;
    if before != Some(now) {
        repo.update_ref(&remote.tracking_ref(), &now, before.map_or(Expected::Absent, Expected::At))?;
    }
    repo.delete_ref(&incoming_ref(remote))?;
    Ok(Outcome { came, dropped, left_out, left_out_count, ..Outcome::default() })
}

/// Takes out what the remote has dropped for all; how many frames that were.
fn follow(exchange: &Exchange<'_>, before: Option<NodeId>, theirs: &Store<'_>) -> Result<usize, SyncError> {
    let Exchange { repo, state, remote, .. } = *exchange;
    for _ in 0..TRIES_MAX {
        let ours = Store::open(repo)?;
        let gone = retain::dropped_there(repo, &ours, before, theirs)?;
        let Some(from) = ours.commit().filter(|_| !gone.is_empty()) else { return Ok(0) };
        let subject = format!("{} frames dropped by {}", gone.len(), remote.name());
        if epoch::shrink(repo, state, &Shrink { from, gone: &gone, theirs: theirs.commit(), subject: &subject })? {
            return Ok(gone.len());
        }
    }
    Err(CommitError::Busy.into())
}

fn no_store(remote: &Remote, source: StoreError) -> SyncError {
    SyncError::NoStore { remote: remote.name().to_owned(), name: remote.frames_ref().to_owned(), source }
}

/// The remote's store as it was last fetched.
pub fn tracked<'r>(repo: &'r Repository, remote: &Remote) -> Result<Store<'r>, SyncError> {
    let commit = repo.find_direct_ref(&remote.tracking_ref())?;
    Store::at(repo, commit).map_err(|source| no_store(remote, source))
}

/// Fetches, unites, and pushes what the remote lacks; again when another push was faster or a transfer broke off.
pub fn push(exchange: &Exchange<'_>, rules: &Rules<'_>) -> Result<Outcome, SyncError> {
    let _lock = lock(exchange)?;
    let (mut so_far, mut broken) = (Outcome::default(), 0);
    for attempt in 1..=TRIES_MAX {
        match try_once(exchange, rules, &mut so_far) {
            Ok(true) => return Ok(Outcome { attempts: attempt, ..so_far }),
            Ok(false) => {}
            Err(error) if broken < BROKEN_TRIES_MAX && error.is_broken_transfer() => broken += 1,
            Err(error) => return Err(error),
        }
        std::thread::sleep(pause(attempt));
    }
    Err(SyncError::Busy(exchange.remote.name().to_owned()))
}

/// One attempt; false when another push was faster. What it did is added to `so_far`.
fn try_once(exchange: &Exchange<'_>, rules: &Rules<'_>, so_far: &mut Outcome) -> Result<bool, SyncError> {
    let fetched = fetch_once(exchange)?;
    let (came, dropped) = (so_far.came + fetched.came, so_far.dropped + fetched.dropped);
    *so_far = Outcome { came, dropped, went: so_far.went, ..fetched };
    push_once(exchange, rules, so_far)
}

/// Pushes on top of what was fetched; false when another push was faster.
fn push_once(exchange: &Exchange<'_>, rules: &Rules<'_>, outcome: &mut Outcome) -> Result<bool, SyncError> {
    let Exchange { repo, remote, .. } = *exchange;
    let theirs = tracked(repo, remote)?;
    let ours = Store::open(repo)?;
    let gained = Gained { old: theirs.tree(), new: ours.tree() };
    let mut memory = Memory::load(exchange.state, remote.name()).unwrap_or_default();
    let Selection { entries, held_back } = select::select(repo, gained, remote, rules, &mut memory)?;
    outcome.held_back = held_back;
    memory = Memory { store: ours.commit(), held_back, seconds: clock::now_seconds(), ..memory };
    if entries.is_empty() {
        memory.save(exchange.state, remote.name());
        return Ok(true);
    }
    // Not added up: after a transfer that broke off the same frames are counted again.
    outcome.went = entries.len();
    if exchange.dry_run {
        return Ok(true);
    }
    let mut batch = Batch::default();
    let message = match entries.len() {
        1 => "1 frame".to_owned(),
        count => format!("{count} frames"),
    };
    let tree = merge::graft(repo, theirs.tree(), entries, &mut batch)?;
    let commit = commit_on(repo, &mut batch, tree, theirs.commit(), &message);
    // Held against a concurrent 'git gc' until the tracking ref reaches it.
    let held = repo.write(&batch)?;
    if !is_accepted(remote, repo.push_commit(remote.name(), &commit, remote.frames_ref(), exchange.prompt))? {
        return Ok(false);
    }
    match repo.update_ref(&remote.tracking_ref(), &commit, theirs.commit().map_or(Expected::Absent, Expected::At)) {
        // Another fetch has seen the remote since: what it saw is as new.
        Ok(()) | Err(RefError::Moved(_)) => {}
        Err(error) => return Err(error.into()),
    }
    drop(held);
    memory.save(exchange.state, remote.name());
    Ok(true)
}

/// False when another push was faster.
pub(super) fn is_accepted(remote: &Remote, pushed: Result<Pushed, ChildError>) -> Result<bool, SyncError> {
    match pushed.map_err(|source| SyncError::transfer(remote, source))? {
        Pushed::Accepted => Ok(true),
        Pushed::Behind => Ok(false),
        Pushed::Refused(reason) => {
            let name = remote.frames_ref().to_owned();
            Err(SyncError::Refused { remote: remote.name().to_owned(), name, reason })
        }
    }
}

pub(super) fn commit_on(repo: &Repository, batch: &mut Batch, tree: NodeId, parent: Option<NodeId>, message: &str) -> NodeId {
    let (name, mail) = repo.signature();
    let parents: Vec<NodeId> = parent.into_iter().collect();
    let body = commit_body(&tree, &parents, (&name, &mail), message, clock::now_seconds());
    let object = Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body);
    let commit = object.id;
    batch.add(object);
    commit
}

/// A random part of a pause that doubles with each attempt: clones that met once do not meet again.
pub(super) fn pause(attempt: u32) -> Duration {
    let longest = PAUSE_FIRST.saturating_mul(1 << attempt.min(16)).min(PAUSE_MAX);
    longest.mul_f64(clock::random_part())
}
