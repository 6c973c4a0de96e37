//! What differs: slots of paths that say something else, and what a side has no frames of.

use std::collections::BTreeMap;

use crate::base::TreePath;
use crate::frame::Slot;

/// A slot of a path that says something else, or that has a frame on one side only.
pub(super) struct Difference {
    pub(super) path: TreePath,
    pub(super) slot: Slot,
    pub(super) old: Option<String>,
    pub(super) new: Option<String>,
    /// True when the node stands on the old side and a frame would, but none does: that is no addition.
    pub(super) lacks_old: bool,
    /// The same of the new side.
    pub(super) lacks_new: bool,
    /// Where the same words stood before, in the slot of a node that is gone there.
    pub(super) moved_from: Option<TreePath>,
}

impl Difference {
    /// One of which both sides say all that there is.
    pub(super) fn of_words(
        path: TreePath,
        slot: Slot,
        old: Option<String>,
        new: Option<String>,
    ) -> Self {
        Self {
            path,
            slot,
            old,
            new,
            lacks_old: false,
            lacks_new: false,
            moved_from: None,
        }
    }
}

/// Of how many changed nodes a side has no frame, by slot.
pub(super) type Lacking = BTreeMap<Slot, u64>;

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    pub(super) differences: Vec<Difference>,
    pub(super) old: Lacking,
    pub(super) new: Lacking,
}
