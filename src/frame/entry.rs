//! One entry of the store: a frame or a list of signed statements by name and blob, and reading it against its name.

use super::codec::{CodecError, decode};
use super::fault::Fault;
use super::manifest::{MANIFEST_BYTES_MAX, Manifest, ManifestError};
use super::model::Frame;
use super::name::FrameName;
use crate::base::limit::{FRAME_READ_BYTES_MAX, STORE_ENTRIES_MAX, STORE_FAULTS_MAX};
use crate::base::{Digest, NodeId, hash};
use crate::git::{ObjectError, ObjectKind, RefError, Repository};

/// The ref that holds all frames.
pub const FRAMES_REF: &str = "refs/merkle/frames";

/// Why the store could not be read.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// An object of the store is missing or damaged.
    #[error("cannot read the frame store")]
    Object(#[from] ObjectError),
    /// The ref cannot be read.
    #[error("cannot read the frame store")]
    Ref(#[from] RefError),
    /// The ref points at something else than a commit.
    #[error("'{FRAMES_REF}' does not point at a commit")]
    NoCommit(#[source] ObjectError),
    /// More than [`STORE_ENTRIES_MAX`].
    #[error("the frame store has more than {STORE_ENTRIES_MAX} entries")]
    Entries,
    /// More than [`STORE_FAULTS_MAX`].
    #[error("the frame store has more than {STORE_FAULTS_MAX} entries that are no frames")]
    Faults,
    /// A tree of the snapshot that statements are about is missing or damaged; the store is whole.
    #[error("cannot read what the statements are about")]
    Snapshot(#[source] ObjectError),
    /// A slot has no generation left.
    #[error("no generation number is left for '{0}'")]
    Full(String),
}

/// A frame's entry in the store.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Entry {
    /// What the name says.
    pub name: FrameName,
    /// The blob that holds the frame.
    pub blob: NodeId,
}

/// Reads a frame and checks it against the name that it stands under. Its size is looked up first.
pub fn read_entry(repo: &Repository, entry: &Entry) -> Result<Frame, Fault> {
    let frame = read_blob(repo, &entry.blob)?;
    if entry.name.is_of(&frame) {
        Ok(frame)
    } else {
        Err(CodecError::Name.into())
    }
}

/// Reads a frame, whatever its name. Its size is looked up first.
pub fn read_blob(repo: &Repository, blob: &NodeId) -> Result<Frame, Fault> {
    let mut data = Vec::new();
    repo.read_at_most(blob, ObjectKind::Blob, FRAME_READ_BYTES_MAX, &mut data)?;
    Ok(decode(&data)?)
}

/// The folder's name.
pub(super) const FOLDER: &str = "signed";

/// A manifest's entry in the store.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct ManifestEntry {
    /// The SHA-256 of its bytes, which is its name.
    pub digest: Digest,
    /// The blob that holds it.
    pub blob: NodeId,
}

impl ManifestEntry {
    /// Its path in the store's tree.
    #[must_use]
    pub fn path(&self) -> String {
        let [folder, above, name] = self.steps();
        format!("{folder}/{above}/{name}")
    }

    /// The names on the way to it.
    pub(super) fn steps(&self) -> [String; 3] {
        let name = self.digest.to_string();
        [FOLDER.to_owned(), name[..2].to_owned(), name]
    }

    /// Reads it and holds its bytes against its name. The size is looked up first.
    pub fn read(&self, repo: &Repository) -> Result<Manifest, Fault> {
        let mut bytes = Vec::new();
        repo.read_at_most(&self.blob, ObjectKind::Blob, MANIFEST_BYTES_MAX, &mut bytes)?;
        if hash::sha256(&bytes) != self.digest {
            return Err(ManifestError::Name.into());
        }
        Ok(Manifest::decode(&bytes)?)
    }
}
