//! Signing statements, and what signatures say about frames.

use crate::config::table;
use crate::frame::{Frame, Store};
use crate::git::{Prompt, Repository, StateDir};
use crate::sync::error::SyncError;
use crate::sync::{SignError, Signature, Signatures, sign};
use crate::workspace::Workspace;

/// Signs what this clone has said and waits for a signature; how many statements that were.
pub fn sign(workspace: &Workspace, prompt: Prompt) -> Result<usize, SignError> {
    if !workspace.state.lists_unsigned() {
        return Ok(0);
    }
    sign::sign(
        &workspace.repository,
        &workspace.state,
        workspace.settings.stack().text(&table::SIGNING_KEY),
        prompt,
    )
}

/// How many statements wait for a signature.
#[must_use]
pub fn unsigned(state: &StateDir) -> usize {
    sign::waiting(state)
}

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
