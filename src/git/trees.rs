//! Directories that were read lately. Lookups by path, and of frames by node, read the same few again and again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::base::NodeId;
use crate::base::quick_hash::QuickHash;

/// Most bytes of directories that are kept; all go when there would be more.
const BYTES_MAX: usize = 16 << 20;

/// What keeping a directory costs beside its bytes: its entry in the table, its count of owners, its memory's head.
const ENTRY_BYTES: usize = 160;

/// The bytes of directories, by id.
#[derive(Debug, Default)]
pub(super) struct Trees(RefCell<Kept>);

#[derive(Debug, Default)]
struct Kept {
    trees: HashMap<NodeId, Arc<Vec<u8>>, QuickHash>,
    bytes: usize,
}

impl Trees {
    /// A directory that was read before.
    pub(super) fn get(&self, id: &NodeId) -> Option<Arc<Vec<u8>>> {
        self.0.borrow().trees.get(id).map(Arc::clone)
    }

    /// Keeps a directory that was read.
    pub(super) fn keep(&self, id: &NodeId, mut data: Vec<u8>) -> Arc<Vec<u8>> {
        data.shrink_to_fit();
        let tree = Arc::new(data);
        let bytes = tree.len() + ENTRY_BYTES;
        if bytes > BYTES_MAX {
            return tree;
        }
        let kept = &mut *self.0.borrow_mut();
        if kept.bytes + bytes > BYTES_MAX {
            *kept = Kept::default();
        }
        kept.bytes += bytes;
        kept.trees.insert(*id, Arc::clone(&tree));
        tree
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_more_is_kept_than_may_be() {
        let trees = Trees::default();
        let id = |number: u32| -> NodeId { format!("{number:040x}").parse().expect("an id") };
        for number in 0..100 {
            let data = vec![0; BYTES_MAX / 10];
            assert_eq!(trees.keep(&id(number), data).len(), BYTES_MAX / 10);
            let kept = trees.0.borrow();
            let sizes = kept.trees.values().map(|tree| tree.len() + ENTRY_BYTES);
            assert!(sizes.sum::<usize>() == kept.bytes && kept.bytes <= BYTES_MAX);
            drop(kept);
            assert!(trees.get(&id(number)).is_some());
        }
        let large = vec![0; BYTES_MAX + 1];
        assert_eq!(trees.keep(&id(100), large).len(), BYTES_MAX + 1);
        assert!(trees.get(&id(100)).is_none() && trees.get(&id(99)).is_some());
    }
}
