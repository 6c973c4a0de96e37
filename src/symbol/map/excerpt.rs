//! Which part of a map is shown: the files, and how much of each.

use std::collections::BTreeSet;

use super::entries::EntryNumber;

/// What is shown of a file beside its path.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Excerpt {
    /// Declarations, by their numbers.
    pub entries: BTreeSet<EntryNumber>,
    /// Those of them that say what they refer to.
    pub calls: BTreeSet<EntryNumber>,
    /// Whether its imports are shown.
    pub has_imports: bool,
}
