//! What of a remote's store counts: each entry that this store lacks is checked, and a bad one is left out by name.
//!
//! The remote's tree is hostile until it is checked. `frame::listing` reads it in bounded work, a directory at a time;
//! here each frame is read, by its size first, and compared with its name. A blob is read once however many names it
//! has, because it is right under one of them only.

use std::collections::HashMap;

use super::remote::Share;
use crate::agent::OUTLINE;
use crate::base::{NodeId, TreePath, printable};
use crate::frame::listing;
use crate::frame::store::{Entry, read_blob};
use crate::frame::{BasisKind, CodecError, Fault, Frame, FrameName, StoreError};
use crate::git::Repository;

/// Most entries whose names are kept when they are left out; the rest is counted.
pub const NAMED_MAX: usize = 100;

/// What a remote has that this store lacks.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Entries that may be united.
    pub accepted: Vec<Entry>,
    /// Entries that are derived, and are made here when they are needed.
    pub derived: usize,
    /// Entries that do not count, the first [`NAMED_MAX`] of them.
    pub left_out: Vec<LeftOut>,
    /// How many do not count.
    pub left_out_count: usize,
    /// What was wrong with blobs that do not count: the name under which each would, if any.
    misplaced: HashMap<NodeId, Option<FrameName>>,
}

/// An entry that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it stands in the remote's tree.
    pub path: TreePath,
    /// What is wrong with it.
    pub reason: String,
}

/// Checks what stands in `theirs` and not in `ours`, both trees of stores.
///
/// Errors are those of this clone's own objects: whatever the remote sent is left out instead.
pub fn check(repo: &Repository, ours: Option<NodeId>, theirs: Option<NodeId>, share: Share) -> Result<Delivery, StoreError> {
    let mut delivery = Delivery::default();
    listing::visit_added(repo, ours, theirs, &mut |added| {
        for bad in added.bad {
            delivery.leave_out(bad.path, &bad.fault);
        }
        for entry in added.entries {
            delivery.look_at(repo, entry, share);
        }
        Ok(())
    })?;
    Ok(delivery)
}

impl Delivery {
    fn look_at(&mut self, repo: &Repository, entry: Entry, share: Share) {
        if share == Share::Said && is_outline(&entry.name) {
            self.derived += 1;
            return;
        }
        let fault = match self.misplaced.get(&entry.blob) {
            Some(right) if right.as_ref() != Some(&entry.name) => CodecError::Name.into(),
            _ => match read_blob(repo, &entry.blob) {
                Ok(frame) if FrameName::of(&frame) != entry.name => {
                    self.misplaced.insert(entry.blob, Some(FrameName::of(&frame)));
                    CodecError::Name.into()
                }
                Ok(frame) if share == Share::Said && is_derived(&frame) => {
                    self.derived += 1;
                    return;
                }
                Ok(_) => return self.accepted.push(entry),
                Err(fault) => {
                    self.misplaced.insert(entry.blob, None);
                    fault
                }
            },
        };
        self.leave_out(TreePath::new(entry.name.path()), &fault);
    }

    fn leave_out(&mut self, path: TreePath, fault: &Fault) {
        self.left_out_count += 1;
        if self.left_out.len() < NAMED_MAX {
            self.left_out.push(LeftOut { path, reason: printable::chain(fault) });
        }
    }
}

/// True for the name of an outline, so that it need not be read: no agent with a model, and no person, can say one.
#[must_use]
pub fn is_outline(name: &FrameName) -> bool {
    name.agent.as_str() == OUTLINE && name.frame_type.as_str() == OUTLINE
}

/// True for a frame that any clone makes again from the objects, without a model and without a person.
#[must_use]
pub fn is_derived(frame: &Frame) -> bool {
    let is_made = matches!(frame.basis_kind, BasisKind::Generated | BasisKind::Synthesis);
    is_made && frame.provider.is_none()
}
