//! Epochs: what tells a store from which frames were dropped on purpose from one that has lost them.
//!
//! A store grows, and two stores unite: nothing that one of them lacks is taken from the other. A commit that drops frames
//! says so in its message: the epoch, one more than before, and the commit that held them, which is no parent of it, since
//! history would keep what was dropped. Commits on top say nothing; theirs is the epoch of the line of first parents.
//!
//! | a clone knew the remote as | and finds | then |
//! |---|---|---|
//! | any state | a descendant of it, or no higher epoch | the union: the clone gives back what the remote has lost |
//! | any state | a higher epoch | what the remote had and has no more goes; all else stays, what was said since above all |
//! | nothing | any state | the union: all that the clone holds is its own |

use std::collections::BTreeSet;

use super::commit::{self, CommitError, LOCK_WAIT};
use super::entry::{FRAMES_REF, StoreError};
use super::merge;
use super::store::Store;
use crate::base::NodeId;
use crate::git::{Batch, Expected, ObjectError, RefError, Repository, StateDir};

const EPOCH: &str = "Merkle-Epoch: ";
const BEFORE: &str = "Merkle-Before: ";
/// Most drops that are gone back over from a store.
const DROPS_MAX: usize = 1_000;

/// What a commit says that drops frames.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Drop {
    epoch: u64,
    before: NodeId,
}

impl Drop {
    fn parse(message: &str) -> Option<Self> {
        let value = |key: &str| message.lines().find_map(|line| line.strip_prefix(key));
        Some(Self {
            epoch: value(EPOCH)?.parse().ok()?,
            before: value(BEFORE)?.parse().ok()?,
        })
    }
}

/// The message of a commit in the place of another one that drops frames which that one holds.
pub fn message(repo: &Repository, subject: &str, before: &NodeId) -> Result<String, ObjectError> {
    let epoch = last_drop(repo, before, None)?
        .1
        .map_or(0, |drop| drop.epoch)
        .saturating_add(1);
    Ok(format!("{subject}\n\n{EPOCH}{epoch}\n{BEFORE}{before}\n"))
}

/// True when a store has dropped frames since another state of it.
pub fn has_dropped(repo: &Repository, before: &NodeId, now: &NodeId) -> Result<bool, ObjectError> {
    let (is_descendant, drop) = last_drop(repo, now, Some(before))?;
    let Some(drop) = drop.filter(|_| !is_descendant) else {
        return Ok(false);
    };
    Ok(drop.epoch
        > last_drop(repo, before, None)?
            .1
            .map_or(0, |drop| drop.epoch))
}

/// True when a store is a later state of another one, also where the first thing since was a drop.
pub fn goes_on_from(repo: &Repository, before: &NodeId, now: &NodeId) -> Result<bool, ObjectError> {
    let (is_descendant, drop) = last_drop(repo, now, Some(before))?;
    Ok(is_descendant || drop.is_some_and(|drop| drop.before == *before))
}

/// Goes back along first parents to a commit that drops frames, or to `until`, and says whether it came there.
fn last_drop(
    repo: &Repository,
    from: &NodeId,
    until: Option<&NodeId>,
) -> Result<(bool, Option<Drop>), ObjectError> {
    for step in repo.first_parents(from) {
        let (commit, _) = step?;
        if Some(&commit) == until {
            return Ok((true, None));
        }
        if let Some(drop) = Drop::parse(&repo.message_of(&commit)?) {
            return Ok((false, Some(drop)));
        }
    }
    Ok((false, None))
}

/// The states of the store that held what it has dropped since, as far as they are still here.
#[must_use]
pub fn dropped_from(repo: &Repository, store: NodeId) -> Vec<NodeId> {
    let before = |commit: &NodeId| {
        last_drop(repo, commit, None)
            .ok()?
            .1
            .map(|drop| drop.before)
    };
    let is_here = |commit: &NodeId| matches!(repo.header(commit), Ok(Some(_)));
    std::iter::successors(before(&store), before)
        .take_while(is_here)
        .take(DROPS_MAX)
        .collect()
}

/// A change of the store that takes something out of it.
pub struct Shrink<'a> {
    /// The store's commit for which it was planned.
    pub from: NodeId,
    /// Paths of what goes.
    pub gone: &'a BTreeSet<Vec<u8>>,
    /// The other store's commit, which the new one stands on. None: on nothing, so that git can collect what went.
    pub theirs: Option<NodeId>,
    /// The commit message's first line.
    pub subject: &'a str,
}

/// Puts a store without some entries in the place of this one; false when the store has moved since that was planned.
pub fn shrink(
    repo: &Repository,
    state: &StateDir,
    change: &Shrink<'_>,
) -> Result<bool, CommitError> {
    let _lock = commit::lock(repo, state, LOCK_WAIT)?;
    let store = Store::open(repo)?;
    let Some(tree) = store.tree().filter(|_| store.commit() == Some(change.from)) else {
        return Ok(false);
    };
    let mut batch = Batch::default();
    let tree = merge::without(repo, &tree, change.gone, &mut batch).map_err(StoreError::from)?;
    let message = message(repo, change.subject, &change.from).map_err(StoreError::from)?;
    let parents: Vec<NodeId> = change.theirs.into_iter().collect();
    let object = commit::commit_object(repo, &tree, &parents, &message);
    let commit = object.id;
    batch.add(object);
    let held = repo.write(&batch)?;
    repo.verify(&batch).map_err(CommitError::Vanished)?;
    match repo.update_ref(FRAMES_REF, &commit, Expected::At(change.from)) {
        Ok(()) => {}
        Err(RefError::Moved(_)) => return Ok(false),
        Err(error) => return Err(error.into()),
    }
    drop(held);
    Ok(true)
}
