//! Frames that the store had once and has no more: a forced fetch onto its ref throws them away, and its log finds them.

use crate::base::NodeId;
use crate::base::count::counted;
use crate::frame::commit::{self, CommitError};
use crate::frame::merge::Gift;
use crate::frame::{FRAMES_REF, ManifestEntry, Store, StoreError, epoch};
use crate::git::{Repository, StateDir};

use super::accept;
use super::remote::Share;

/// A state of the store that had frames which it lacks now.
#[derive(Debug)]
pub struct Lost {
    /// The store's commit then.
    pub commit: NodeId,
    /// What it had.
    pub entries: Vec<crate::frame::entry::Entry>,
    /// The signed lists that it had.
    pub manifests: Vec<ManifestEntry>,
}

/// Looks for lost frames in the log of the store's ref, newest state first.
///
/// What `doctor --fix` has set aside is not lost: the state that held it is one that the store has grown from. Nor is what `gc`
/// has dropped: the store names the state that held it.
pub fn find(repo: &Repository) -> Result<Option<Lost>, StoreError> {
    let store = Store::open(repo)?;
    let (now, settled) = (
        store.tree(),
        store
            .commit()
            .map(|commit| epoch::dropped_from(repo, commit)),
    );
    for commit in repo.left_behind(FRAMES_REF, &settled.unwrap_or_default()) {
        // What 'git gc' took away cannot be brought back.
        let Ok(tree) = repo.tree_of_commit(&commit) else {
            continue;
        };
        let Ok(delivery) = accept::check(repo, now, Some(tree), Share::All) else {
            continue;
        };
        let (entries, manifests) = (delivery.accepted, delivery.manifests);
        if !entries.is_empty() {
            return Ok(Some(Lost {
                commit,
                entries,
                manifests,
            }));
        }
    }
    Ok(None)
}

/// Puts lost frames back.
pub fn restore(repo: &Repository, state: &StateDir, lost: &Lost) -> Result<(), CommitError> {
    let message = counted(
        lost.entries.len(),
        "frame that was lost",
        "frames that were lost",
    );
    let gift = Gift {
        entries: lost.entries.clone(),
        manifests: lost.manifests.clone(),
        is_whole: false,
    };
    commit::add_entries(repo, state, &gift, Some(lost.commit), &message).map(drop)
}
