//! What an exchange leaves out of the store that came, and why.

use crate::base::TreePath;

/// An entry that does not count.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LeftOut {
    /// Where it stands in the remote's tree.
    pub path: TreePath,
    /// What is wrong with it.
    pub reason: String,
}
