//! What signatures say about frames.

use crate::frame::{Frame, Store};
use crate::git::{Repository, StateDir};
use crate::sync::error::SyncError;
use crate::sync::{Signature, Signatures};

/// What signatures say about frames of the store, in their order; none about what any clone can make.
///
/// Where the user names no file of allowed signers, nothing is looked at and nothing is known.
pub fn signatures(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    frames: &[&Frame],
) -> Result<Vec<Option<Signature>>, SyncError> {
    match Signatures::of(repo, state) {
        Ok(None) => Ok(vec![None; frames.len()]),
        Ok(Some(signatures)) => signatures.of_frames(store.tree(), frames),
        Err(error) => Err(error.into()),
    }
}
