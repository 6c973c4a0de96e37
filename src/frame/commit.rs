//! The write protocol: a batch of frames becomes visible whole or not at all, and no two writers lose anything.
//!
//! Under one kernel lock per common git directory: (1) read the ref, give each frame the next generation of its
//! slot and build the new trees; (2) write blobs, trees and the commit, flushed to disk and held against a
//! concurrent `git gc` (`git::write` says how); (3) check that everything is there; (4) move [`FRAMES_REF`] by
//! compare-and-swap; when a process without the lock moved it meanwhile (a fetch), start again on what is there now.
//! A process killed anywhere leaves the old state or the new one, and objects that git collects in its time.

use std::collections::BTreeSet;
use std::time::Duration;

use super::entry::{FRAMES_REF, ManifestEntry, StoreError};
use super::merge::{self, Gift};
use super::spool;
use super::store::Store;
use super::stored::{NewFrame, Stored};
use super::unsigned::{self, Waiting};
use crate::base::count::counted;
use crate::base::{NodeId, TreePath, clock, hash};
use crate::git::{
    Batch, Encoded, Expected, Lock, ObjectKind, RefError, Repository, StateDir, WriteError,
    commit_body,
};

/// The lock around all writes, in the state directory.
pub const LOCK_FILE: &str = "lock";
/// The local ref that keeps what was taken out of the store.
pub const SET_ASIDE_REF: &str = "refs/merkle/set-aside";

/// How long a writer waits for another one.
pub const LOCK_WAIT: Duration = Duration::from_secs(20);

/// How often a batch is put on top of a ref that keeps moving.
const TRIES_MAX: u32 = 12;

/// How many commits another store may be ahead where this one moves there without a commit of its own.
const LINE_MAX: usize = 1_000;

/// Why frames could not be stored. Nothing of the batch is visible then.
#[derive(Debug, thiserror::Error)]
pub enum CommitError {
    /// Another process holds the lock, or the ref keeps moving: try again.
    #[error("the frame store is busy")]
    Busy,
    /// The state directory or the lock file cannot be written.
    #[error("cannot lock the frame store")]
    Lock(#[source] std::io::Error),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// Objects cannot be written.
    #[error("cannot store frames")]
    Write(#[from] WriteError),
    /// The ref cannot be moved.
    #[error("cannot store frames")]
    Ref(#[from] RefError),
    /// A written object cannot be read back.
    #[error("object {0} vanished while frames were stored")]
    Vanished(NodeId),
}

/// What a commit of frames did.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Committed {
    /// The store's commit now.
    pub commit: Option<NodeId>,
    /// The commit that the frames were added to.
    pub parent: Option<NodeId>,
    /// The frames that were added, with the names they got. Those that the store had already are not among them.
    pub frames: Vec<Stored>,
}

/// Stores frames; see the module for the protocol. `message` is the commit message's first line.
pub fn commit(
    repo: &Repository,
    state: &StateDir,
    frames: &[NewFrame],
    message: &str,
) -> Result<Committed, CommitError> {
    let _lock = lock(repo, state, LOCK_WAIT)?;
    append(repo, state, frames, message)
}

/// Stores every frame that waits in the spool and empties it; `own` is the caller's, which is newer than the others.
///
/// The spool is read under the lock, so each frame in it is stored by exactly one process: the one that put it there,
/// or whichever process comes first. The caller's file may thus be gone, and is in the store then.
pub fn commit_spooled(
    repo: &Repository,
    state: &StateDir,
    own: Option<&str>,
    wait: Duration,
) -> Result<Committed, CommitError> {
    let _lock = lock(repo, state, wait)?;
    let (mut waiting, _) = spool::list(state).map_err(CommitError::Lock)?;
    waiting.sort_by_key(|waiting| own == Some(waiting.file.as_str()));
    let message = match waiting.as_slice() {
        [one] => format!("{}: a frame", one.frame.agent),
        several => format!("{} frames from the spool", several.len()),
    };
    let frames = waiting
        .iter()
        .map(|waiting| NewFrame::new(repo.hash_kind(), &waiting.frame, false));
    let frames: Vec<_> = frames
        .collect::<Result<_, _>>()
        .expect("what was decoded can be encoded");
    let committed = append(repo, state, &frames, &message)?;
    let files: Vec<_> = waiting.into_iter().map(|waiting| waiting.file).collect();
    spool::remove(state, &files).map_err(CommitError::Lock)?;
    Ok(committed)
}

/// Adds frames to the store; the caller holds the lock.
fn append(
    repo: &Repository,
    state: &StateDir,
    frames: &[NewFrame],
    message: &str,
) -> Result<Committed, CommitError> {
    if frames.is_empty() {
        let commit = Store::open(repo)?.commit();
        return Ok(Committed {
            commit,
            parent: commit,
            frames: Vec::new(),
        });
    }
    retry(|| {
        let store = Store::open(repo)?;
        let mut batch = Batch::default();
        let (added, tree) = merge::insert(repo, store.tree(), frames, &mut batch)?;
        if added.is_empty() {
            return Ok(Committed {
                commit: store.commit(),
                parent: store.commit(),
                frames: Vec::new(),
            });
        }
        for frame in &added {
            batch.add(frame.blob.clone());
        }
        if state.lists_unsigned() {
            let said = added
                .iter()
                .filter(|frame| frame.is_said)
                .map(|frame| &frame.stored);
            let waiting = said.map(|stored| Waiting {
                name: stored.name.clone(),
                blob: stored.blob,
            });
            unsigned::add(state, waiting).map_err(CommitError::Lock)?;
        }
        let parents: Vec<NodeId> = store.commit().into_iter().collect();
        let commit = publish(repo, &mut batch, tree, &parents, message)?;
        let frames = added.into_iter().map(|frame| frame.stored).collect();
        Ok(Committed {
            commit: Some(commit),
            parent: store.commit(),
            frames,
        })
    })
}

/// Takes entries out of the store, by their paths in its tree; how many it took.
///
/// Nothing is lost: a commit at [`SET_ASIDE_REF`] holds them, and has the store as it was as a parent. The ref is
/// local, so another clone's store may bring the same entries back.
pub fn set_aside(
    repo: &Repository,
    state: &StateDir,
    paths: &[TreePath],
) -> Result<usize, CommitError> {
    let bad: BTreeSet<Vec<u8>> = paths.iter().map(|path| path.as_bytes().to_vec()).collect();
    let _lock = lock(repo, state, LOCK_WAIT)?;
    retry(|| {
        let store = Store::open(repo)?;
        let Some((current, tree)) = store.commit().zip(store.tree()) else {
            return Ok(0);
        };
        let mut batch = Batch::default();
        let (kept, aside, count) =
            merge::part(repo, &tree, &bad, &mut batch).map_err(StoreError::from)?;
        if count == 0 {
            return Ok(0);
        }
        let (kept, aside) = (
            merge::write_level(repo, &kept, &mut batch),
            merge::write_level(repo, &aside, &mut batch),
        );
        let message = format!("{} set aside", counted(count, "entry", "entries"));
        let before = repo.find_ref(SET_ASIDE_REF)?;
        let parents: Vec<NodeId> = before.into_iter().chain([current]).collect();
        let old = commit_object(repo, &aside, &parents, &message);
        let new = commit_object(repo, &kept, &[current], &message);
        let (old_id, new_id) = (old.id, new.id);
        batch.add(old);
        batch.add(new);
        let held = repo.write(&batch)?;
        repo.verify(&batch).map_err(CommitError::Vanished)?;
        repo.update_ref(SET_ASIDE_REF, &old_id, expected(before))?;
        repo.update_ref(FRAMES_REF, &new_id, Expected::At(current))?;
        drop(held);
        Ok(count)
    })
}

/// Clears away what writers that died have left; nothing is done while another one is at work.
pub fn clear_leftovers(repo: &Repository, state: &StateDir) -> Result<(), CommitError> {
    lock(repo, state, Duration::ZERO).map(drop)
}

/// Adds entries of other stores to this one, as they are; the frames are checked by the caller.
///
/// The history of `theirs`, which has some of the entries, comes along; where the result is that store, and that stands upon
/// this one, the ref moves there without a commit. No frames are named in what is returned.
pub fn add_entries(
    repo: &Repository,
    state: &StateDir,
    gift: &Gift,
    theirs: Option<NodeId>,
    message: &str,
) -> Result<Committed, CommitError> {
    let _lock = lock(repo, state, LOCK_WAIT)?;
    retry(|| {
        let (ours, other) = (Store::open(repo)?, Store::at(repo, theirs)?);
        let mut batch = Batch::default();
        let tree = match (gift.is_whole, other.tree()) {
            (true, Some(theirs)) => merge::union(repo, ours.tree(), Some(theirs), &mut batch)
                .map_err(StoreError::from)?
                .unwrap_or(theirs),
            _ => merge::graft(repo, ours.tree(), gift.clone(), &mut batch)?,
        };
        let committed = |commit| Committed {
            commit,
            parent: ours.commit(),
            frames: Vec::new(),
        };
        if Some(tree) == ours.tree() {
            return Ok(committed(ours.commit()));
        }
        // Not in the place of a store with a line of its own, which says what was dropped from it.
        if let Some(theirs) = theirs.filter(|_| Some(tree) == other.tree())
            && descends(repo, &theirs, ours.commit())?
        {
            repo.update_ref(FRAMES_REF, &theirs, expected(ours.commit()))?;
            return Ok(committed(Some(theirs)));
        }
        // Their history comes along where there is one to join: it says who added what.
        let parents: Vec<NodeId> = ours
            .commit()
            .map_or_else(Vec::new, |ours| [ours].into_iter().chain(theirs).collect());
        publish(repo, &mut batch, tree, &parents, message).map(|commit| committed(Some(commit)))
    })
}

/// Adds signed lists of statements, and takes these from what waits for a signature.
pub fn add_manifests(
    repo: &Repository,
    state: &StateDir,
    manifests: &[Vec<u8>],
    done: &[Waiting],
    message: &str,
) -> Result<(), CommitError> {
    let _lock = lock(repo, state, LOCK_WAIT)?;
    if !manifests.is_empty() {
        retry(|| {
            let store = Store::open(repo)?;
            let mut batch = Batch::default();
            let mut gift = Gift::default();
            for bytes in manifests {
                let blob = Encoded::new(repo.hash_kind(), ObjectKind::Blob, bytes);
                gift.manifests.push(ManifestEntry {
                    digest: hash::sha256(bytes),
                    blob: blob.id,
                });
                batch.add(blob);
            }
            let tree = merge::graft(repo, store.tree(), gift, &mut batch)?;
            let parents: Vec<NodeId> = store.commit().into_iter().collect();
            publish(repo, &mut batch, tree, &parents, message).map(drop)
        })?;
    }
    unsigned::remove(state, done).map_err(CommitError::Lock)
}

/// True when a commit stands in the line of another one's first parents, or is none.
fn descends(repo: &Repository, from: &NodeId, commit: Option<NodeId>) -> Result<bool, StoreError> {
    let Some(commit) = commit else {
        return Ok(true);
    };
    for step in repo.first_parents(from).take(LINE_MAX) {
        if step?.0 == commit {
            return Ok(true);
        }
    }
    Ok(false)
}

/// Takes the lock. The holder clears away what writers that died have left: marks and temporary files.
pub(super) fn lock(
    repo: &Repository,
    state: &StateDir,
    wait: Duration,
) -> Result<Lock, CommitError> {
    let lock = state
        .lock(LOCK_FILE, wait)
        .map_err(CommitError::Lock)?
        .ok_or(CommitError::Busy)?;
    repo.remove_stale_keeps().map_err(CommitError::Lock)?;
    state.spool().remove_abandoned();
    state.cache().remove_abandoned();
    Ok(lock)
}

/// Waits before another attempt: a short, growing, uneven pause keeps contenders apart.
pub fn back_off(tries: u32) {
    let longest = Duration::from_millis(2 << tries.min(8));
    std::thread::sleep(longest.mul_f64(0.5 + 0.5 * clock::random_part()));
}

/// Runs an attempt until the ref holds still.
fn retry<T>(mut attempt: impl FnMut() -> Result<T, CommitError>) -> Result<T, CommitError> {
    for tries in 0..TRIES_MAX {
        match attempt() {
            Err(CommitError::Ref(RefError::Moved(_)) | CommitError::Vanished(_)) => back_off(tries),
            done => return done,
        }
    }
    Err(CommitError::Busy)
}

/// Steps 2 to 4: the objects and their commit to disk, checked, and the ref moved.
fn publish(
    repo: &Repository,
    batch: &mut Batch,
    tree: NodeId,
    parents: &[NodeId],
    message: &str,
) -> Result<NodeId, CommitError> {
    let object = commit_object(repo, &tree, parents, message);
    let commit = object.id;
    batch.add(object);
    let held = repo.write(batch)?;
    repo.verify(batch).map_err(CommitError::Vanished)?;
    repo.update_ref(FRAMES_REF, &commit, expected(parents.first().copied()))?;
    drop(held);
    Ok(commit)
}

/// A commit of the store, by the user of the repository and of now.
pub(crate) fn commit_object(
    repo: &Repository,
    tree: &NodeId,
    parents: &[NodeId],
    message: &str,
) -> Encoded {
    let (name, mail) = repo.signature();
    let body = commit_body(tree, parents, [&name, &mail], message, clock::now_seconds());
    Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body)
}

fn expected(current: Option<NodeId>) -> Expected {
    current.map_or(Expected::Absent, Expected::At)
}
