//! Directories that were read lately. Lookups by path, and of frames by node, read the same few again and again.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use crate::base::NodeId;
use crate::base::quick_hash::QuickHash;

/// Most bytes of directories that are kept; all go when there would be more.
const BYTES_MAX: usize = 16 << 20;

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
        let kept = &mut *self.0.borrow_mut();
        if kept.bytes + tree.len() > BYTES_MAX {
            *kept = Kept::default();
        }
        if tree.len() <= BYTES_MAX {
            kept.bytes += tree.len();
            kept.trees.insert(*id, Arc::clone(&tree));
        }
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
            let bytes: usize = kept.trees.values().map(|tree| tree.len()).sum();
            assert!(bytes == kept.bytes && bytes <= BYTES_MAX && bytes > 0);
            drop(kept);
            assert!(trees.get(&id(number)).is_some());
        }
        let large = vec![0; BYTES_MAX + 1];
        assert_eq!(trees.keep(&id(100), large).len(), BYTES_MAX + 1);
        assert!(trees.get(&id(100)).is_none());
    }
}
