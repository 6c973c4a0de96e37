//! One child of a directory, as a policy sees it.

use std::sync::Arc;

use crate::base::FrameType;
use crate::git::EntryMode;

/// What a directory's entry is.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum PartKind {
    /// A blob.
    File,
    /// A tree.
    Directory,
    /// A symlink, which is never followed.
    Symlink,
    /// A submodule, which is never entered.
    Submodule,
}

impl PartKind {
    /// The kind of an entry of a tree.
    #[must_use]
    pub fn of(mode: EntryMode) -> Self {
        match mode {
            EntryMode::File | EntryMode::Executable => Self::File,
            EntryMode::Directory => Self::Directory,
            EntryMode::Symlink => Self::Symlink,
            EntryMode::Submodule => Self::Submodule,
        }
    }

    /// The word in a basis and in filters.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Directory => "directory",
            Self::Symlink => "symlink",
            Self::Submodule => "submodule",
        }
    }
}

/// One child of a directory, as a policy sees it.
#[derive(Debug, Clone)]
pub struct ChildNode<'p> {
    /// Its name; replacement characters stand for what is not UTF-8.
    pub name: std::borrow::Cow<'p, str>,
    /// What it is.
    pub kind: PartKind,
    /// What its heads say, by frame type; empty when nothing is said.
    pub bodies: Vec<(FrameType, Arc<str>)>,
}

impl ChildNode<'_> {
    /// What its first head says; empty when nothing is said.
    pub(super) fn body(&self) -> &str {
        self.bodies.first().map_or("", |(_, body)| &**body)
    }
}

#[cfg(test)]
impl<'p> ChildNode<'p> {
    /// A child of which an outline says this.
    pub(super) fn outlined(name: &'p str, kind: PartKind, body: &str) -> Self {
        Self {
            name: name.into(),
            kind,
            bodies: vec![("outline".parse().expect("a word"), body.into())],
        }
    }
}
