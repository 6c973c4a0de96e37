//! The order in which a reviewer reads: what others rely on before what they do not see.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::change::{Change, Changes, How};
use super::role::FileRole;

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
    /// Puts the list in order: by section, then by weight; what is told together stands together.
    pub fn order(&mut self) {
        let roles: Vec<FileRole> = self.files.iter().map(super::change::File::role).collect();
        for change in &mut self.list {
            change.section = section(change, roles[change.file as usize]);
        }
        let mut heaviest: BTreeMap<Group, usize> = BTreeMap::new();
        for change in &self.list {
            let most = heaviest.entry(group(change)).or_default();
            *most = weight(change).max(*most);
        }
        self.list.sort_by_cached_key(|change| {
            let group = group(change);
            let line = change.declaration().line;
            (
                change.section,
                Reverse(heaviest[&group]),
                group,
                Reverse(weight(change)),
                line,
            )
        });
    }
}

/// What is told in one line, but for signatures that changed alike: a section, how, the file, and in it one declaration or all.
type Group = (Section, How, u32, u32);

fn group(change: &Change) -> Group {
    let is_alone = matches!(change.how, How::Signature)
        || change.how == How::Removed && change.section == Section::Public;
    let line = if is_alone {
        change.declaration().line
    } else {
        0
    };
    (change.section, change.how, change.file, line)
}

/// Who relies on it, by how much of it differs: a word that many see is less than a class that a few rely on.
fn weight(change: &Change) -> usize {
    let removed = if change.how == How::Removed { 2 } else { 1 };
    removed * (1 + change.refers.files.len()) * (100 * (1 + change.lines)).isqrt()
}

fn section(change: &Change, role: FileRole) -> Section {
    let is_test = [&change.old, &change.new]
        .into_iter()
        .flatten()
        .all(|one| one.is_test);
    match (role, change.how, change.is_public()) {
        (FileRole::Test, _, _) => Section::Test,
        _ if is_test => Section::Test,
        (FileRole::Aside, _, _) => Section::Aside,
        (_, How::Body, _) => Section::Body,
        (_, How::Moved, _) => Section::Moved,
        (_, _, false) => Section::Private,
        (_, How::Added, _) => Section::Added,
        (_, How::Removed | How::Signature, _) => Section::Public,
    }
}
