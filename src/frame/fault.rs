//! What can be wrong with one entry of the store, and which of it may be set aside.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use super::codec::CodecError;
use super::manifest::{MANIFESTS_MAX, ManifestError};
use super::name::FrameName;
use crate::base::limit::{SEQ_GAP_MAX, STORE_TREE_BYTES_MAX};
use crate::base::{TreePath, locked, printable};
use crate::git::{EntryMode, ObjectError};

/// Something wrong with one entry of the store.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The name is not one that this program would write, or it stands at another depth.
    #[error("not a frame's name")]
    Name,
    /// A link, a submodule or a directory under the name of a frame.
    #[error("{} stands in the place of a frame", kind_of(*.0))]
    Mode(EntryMode),
    /// Too far above the other generations of its slot.
    #[error("generation {0} is more than {SEQ_GAP_MAX} above the next lower one")]
    Generation(u32),
    /// A directory that stands in several places, and whose frames belong to another one.
    #[error("the frames in this directory are about nodes of another directory")]
    Shared,
    /// A directory of the store that is too large to be read.
    #[error("directory of {0} bytes is over the limit of {STORE_TREE_BYTES_MAX}")]
    Directory(u64),
    /// The blob is no frame, or not the one that its name promises.
    #[error(transparent)]
    Frame(#[from] CodecError),
    /// The blob is no list of signed statements, or not the one that its name promises.
    #[error(transparent)]
    Manifest(#[from] ManifestError),
    /// More than [`MANIFESTS_MAX`] manifests.
    #[error("more than {MANIFESTS_MAX} lists of signed statements; the others are left out")]
    Manifests,
    /// The blob cannot be read, or is too large.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The node is an object of another kind than the frame says.
    #[error("it says that its node is a {stated}, and the node is a {actual}")]
    Kind {
        /// What the header says.
        stated: &'static str,
        /// What the object is.
        actual: String,
    },
    /// This program makes other words from the same inputs.
    #[error(
        "it does not say what is made from the same inputs; 'git merkle regenerate --verify' makes it again"
    )]
    Forged,
}

impl Fault {
    /// True for a frame of a newer format: this program cannot read it, and carries it.
    #[must_use]
    pub fn is_newer(&self) -> bool {
        matches!(
            self,
            Self::Frame(CodecError::Format(_)) | Self::Manifest(ManifestError::Format(_))
        )
    }

    /// True for what no program can ever use. What is missing or cannot be read now may come back, what is forged is
    /// made again above the forgery, and what is newer belongs to a newer program.
    #[must_use]
    pub fn is_lasting(&self) -> bool {
        let is_readable = !matches!(self, Self::Object(error) if !matches!(error, ObjectError::Size { .. } | ObjectError::Kind { .. }));
        is_readable && !self.is_newer() && !matches!(self, Self::Forged | Self::Manifests)
    }
}

fn kind_of(mode: EntryMode) -> &'static str {
    match mode {
        EntryMode::File | EntryMode::Executable => "a file",
        EntryMode::Directory => "a directory",
        EntryMode::Symlink => "a symbolic link",
        EntryMode::Submodule => "a submodule",
    }
}

/// An entry of the store that is no frame.
#[derive(Debug)]
pub struct BadEntry {
    /// Where it stands in the store's tree.
    pub path: TreePath,
    /// What is wrong with it.
    pub fault: Fault,
}

/// The entries that readers have passed over, to be told to the user once each. Clones share one list.
#[derive(Debug, Clone, Default)]
pub struct Skipped(Arc<Mutex<BTreeMap<String, String>>>);

impl Skipped {
    /// Notes an entry.
    pub(super) fn add(&self, path: &TreePath, fault: &Fault) {
        let mut entries = locked(&self.0);
        entries
            .entry(path.to_text().into_owned())
            .or_insert_with(|| printable::chain(fault));
    }

    /// Notes the entry of a name.
    pub(super) fn add_name(&self, name: &FrameName, fault: &Fault) {
        self.add(&TreePath::new(name.path()), fault);
    }

    /// True when no entry was noted since they were taken.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let entries = locked(&self.0);
        entries.is_empty()
    }

    /// Every entry that was noted since the last call, and what is wrong with it.
    #[must_use]
    pub fn take(&self) -> Vec<(String, String)> {
        std::mem::take(&mut *locked(&self.0)).into_iter().collect()
    }
}
