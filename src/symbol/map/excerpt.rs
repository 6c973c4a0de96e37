//! What of a map is shown: the files and how much of each.

use std::collections::BTreeSet;

/// What is shown of a file beside its path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Declarations, by their numbers.
    pub entries: BTreeSet<u32>,
    /// Those of them that say what they refer to.
    pub calls: BTreeSet<u32>,
    /// Whether its imports are shown.
    pub has_imports: bool,
}
