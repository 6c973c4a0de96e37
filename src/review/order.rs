//! The order in which a reviewer reads: what others rely on before what they do not see.

use std::cmp::Reverse;

use super::change::{Change, Changes, How};
use super::role::Role;

/// The parts of a review, first to last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Section {
    /// Public declarations that went or that others see changed.
    Public,
    /// Bodies.
    Body,
    /// Public declarations that came.
    Added,
    /// What stands elsewhere.
    Moved,
    /// What only its own file or package may use.
    Private,
    /// Examples, tools and what is generated.
    Aside,
    /// Tests.
    Test,
}

impl Changes {
    /// Puts the list in order; in each part what more files outside tests refer to comes first.
    pub fn order(&mut self) {
        let roles: Vec<Role> = self.files.iter().map(super::change::File::role).collect();
        for change in &mut self.list {
            change.section = section(change, roles[change.file as usize]);
        }
        self.list.sort_by_cached_key(|change| {
            (
                change.section,
                Reverse(weight(change)),
                change.file,
                change.declaration().line,
                change.how,
            )
        });
    }
}

/// Who relies on it, by how much of it differs: a word that many see is less than a class that a few rely on.
fn weight(change: &Change) -> usize {
    let files = 1 + change.refers.files.len();
    let lines = 100 * (1 + change.lines);
    let removed = if change.how == How::Removed { 2 } else { 1 };
    removed * files * lines.isqrt()
}

fn section(change: &Change, role: Role) -> Section {
    let is_test = [&change.old, &change.new]
        .into_iter()
        .flatten()
        .all(|one| one.is_test);
    match (role, change.how, change.is_public()) {
        (Role::Test, _, _) => Section::Test,
        _ if is_test => Section::Test,
        (Role::Aside, _, _) => Section::Aside,
        (_, How::Body, _) => Section::Body,
        (_, How::Moved, _) => Section::Moved,
        (_, _, false) => Section::Private,
        (_, How::Added, _) => Section::Added,
        (_, How::Removed | How::Signature, _) => Section::Public,
    }
}
