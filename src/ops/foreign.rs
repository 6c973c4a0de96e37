//! What a remote's store says of what a branch touches, and this clone's store does not: of a fork whose frames were fetched
//! and not accepted.
//!
//! It is shown and counts for nothing else: no basis, no view and no state knows of it. Their store is hostile until each
//! frame is read, which is what reading a head does.

use std::collections::HashSet;

use super::refresh::RefreshError;
use super::touched::touches;
use crate::base::{NodeId, TreePath};
use crate::frame::{BasisKind, Frame, Head, Store};
use crate::workspace::Workspace;

/// Most statements of one remote that are shown.
pub const FOREIGN_MAX: usize = 500;

/// A statement that stands in another store only.
#[derive(Debug)]
pub struct ForeignStatement {
    /// What it is about.
    pub path: TreePath,
    /// It.
    pub frame: Frame,
}

/// Finds what `theirs` says of the new side of what differs between two root trees, at most [`FOREIGN_MAX`] statements.
pub fn foreign(
    workspace: &Workspace,
    ours: &Store<'_>,
    theirs: &Store<'_>,
    old: NodeId,
    new: NodeId,
) -> Result<Vec<ForeignStatement>, RefreshError> {
    let mut found = Vec::new();
    if theirs.commit().is_none() || theirs.tree() == ours.tree() {
        return Ok(found);
    }
    for touch in touches(workspace, old, new)? {
        let Some(node) = touch.new else { continue };
        let mut heads = theirs.heads(&node.id)?;
        heads.retain(|head| !head.invalidated && is_said(&head.frame));
        // Of people each speaks for themselves.
        heads.retain(|head| head.frame.basis_kind != BasisKind::Written);
        heads.extend(theirs.voices(&node.id)?.heads);
        if heads.is_empty() {
            continue;
        }
        let known = ours.entries(&node.id)?.into_iter();
        let known: HashSet<_> = known.map(|entry| entry.name.frame).collect();
        heads.retain(|Head { frame, .. }| !known.contains(&frame.id));
        let left = FOREIGN_MAX - found.len();
        found.extend(heads.into_iter().take(left).map(|head| ForeignStatement {
            path: touch.path.clone(),
            frame: head.frame,
        }));
        if found.len() == FOREIGN_MAX {
            break;
        }
    }
    Ok(found)
}

/// What any clone makes by a rule is no statement of theirs.
fn is_said(frame: &Frame) -> bool {
    !frame.is_derived() && frame.policy().is_none()
}
