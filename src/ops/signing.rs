//! What signatures say about statements of the store.

use crate::frame::{Frame, Store};
use crate::sync::error::SyncError;
use crate::sync::{Attested, Signature, Signatures};
use crate::workspace::Workspace;

/// What signatures say about frames, in their order; none about what any clone can make.
///
/// Where the user names no file of allowed signers, nothing is looked at and nothing is known.
pub fn signatures(
    workspace: &Workspace,
    store: &Store<'_>,
    frames: &[&Frame],
) -> Result<Vec<Option<Signature>>, SyncError> {
    let signatures = Signatures::of(&workspace.repository, &workspace.state)?;
    let attested = Attested::new(signatures, store.tree());
    frames
        .iter()
        .map(|frame| attested.signature(frame))
        .collect()
}

/// The same for a document that shows statements: where nothing can be checked, it says so beside each.
pub fn attested<'w>(workspace: &'w Workspace, store: &Store<'_>) -> Attested<'w> {
    match Signatures::of(&workspace.repository, &workspace.state) {
        Ok(signatures) => Attested::new(signatures, store.tree()),
        Err(_) => Attested::refused(),
    }
}
