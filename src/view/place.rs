//! The node that a view is about, and where it stands.

use crate::base::{NodeId, TreePath};
use crate::frame::NodeKind;
use crate::git::{ObjectError, ObjectKind, Repository, tree_entries};

/// A node and, when that is known, where it stands.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedNode {
    /// The node.
    pub id: NodeId,
    /// File or directory.
    pub kind: NodeKind,
    /// The tree that it was found in and its path there; `None` for an object that was named by itself.
    pub found_in: Option<(NodeId, TreePath)>,
}

/// How large a node is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Extent {
    /// Bytes of a file; `None` when it is not in this partial clone.
    Bytes(Option<u64>),
    /// Entries of a directory.
    Entries(u64),
}

impl LocatedNode {
    /// Where the node stands, when that is known.
    #[must_use]
    pub fn path(&self) -> Option<&TreePath> {
        self.found_in.as_ref().map(|(_, path)| path)
    }

    /// How large the node is.
    pub fn extent(&self, repo: &Repository) -> Result<Extent, ObjectError> {
        if self.kind == NodeKind::File {
            return Ok(Extent::Bytes(
                repo.header(&self.id)?.map(|header| header.size_bytes),
            ));
        }
        let mut data = Vec::new();
        repo.read(&self.id, ObjectKind::Tree, &mut data)?;
        let count = tree_entries(self.id, &data, repo.hash_kind())
            .collect::<Result<Vec<_>, _>>()?
            .len();
        Ok(Extent::Entries(count as u64))
    }
}
