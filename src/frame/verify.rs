//! Checking a whole store: every name, every frame, every digest.

use super::codec::CodecError;
use super::name::FrameName;
use super::store::{Entry, Store, StoreError};
use crate::base::{NodeId, TreePath};
use crate::git::ObjectError;

/// Something wrong with one entry of the store.
#[derive(Debug, thiserror::Error)]
pub enum Fault {
    /// The name is not one that this program would write.
    #[error("not a frame's name")]
    Name,
    /// The blob is no frame, or not the one that its name promises.
    #[error(transparent)]
    Frame(CodecError),
    /// The blob cannot be read.
    #[error(transparent)]
    Object(ObjectError),
}

/// The result of a check.
#[derive(Debug, Default)]
pub struct Verdict {
    /// Entries looked at.
    pub checked: u64,
    /// What is wrong, by path in the store's tree.
    pub faults: Vec<(TreePath, Fault)>,
}

/// Reads and checks every frame; `progress` is told how many are done.
///
/// Frames of a newer format are counted as faults too: this program cannot vouch for them.
pub fn verify(store: &Store<'_>, progress: &mut dyn FnMut(u64)) -> Result<Verdict, StoreError> {
    let mut entries: Vec<(TreePath, NodeId)> = Vec::new();
    store.for_each(&mut |path, blob| entries.push((path.clone(), blob)))?;
    let mut verdict = Verdict::default();
    for (path, blob) in entries {
        verdict.checked += 1;
        progress(verdict.checked);
        let Some(name) = FrameName::parse_path(path.as_bytes()) else {
            verdict.faults.push((path, Fault::Name));
            continue;
        };
        match store.read(&Entry { name, blob }) {
            Ok(_) => {}
            Err(StoreError::Frame { source, .. }) => verdict.faults.push((path, Fault::Frame(source))),
            Err(StoreError::Object(source)) => verdict.faults.push((path, Fault::Object(source))),
            Err(other) => return Err(other),
        }
    }
    Ok(verdict)
}
