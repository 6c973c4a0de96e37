//! Statements of this clone that wait for a signature: one sealed list in the state directory.
//!
//! A statement is listed under the store's lock before the store moves, so that none is forgotten when the process is killed; one
//! that never came there is passed over later. The list is sealed: a packed repository must not have its own words signed by the
//! user who unpacks it.

use std::collections::HashSet;
use std::io;

use super::name::FrameName;
use crate::base::NodeId;
use crate::git::StateDir;

const FILE_NAME: &str = "unsigned";
const FIRST_LINE: &str = "git-merkle unsigned 1\n";
/// Largest list, in bytes. Statements that do not fit stay unsigned.
const FILE_BYTES_MAX: u64 = 16 << 20;

/// A statement that waits, by its name and the blob that it had.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Waiting {
    /// Its name in the store.
    pub name: FrameName,
    /// Its blob.
    pub blob: NodeId,
}

/// What waits, in the order in which it was said.
#[must_use]
pub fn list(state: &StateDir) -> Vec<Waiting> {
    let text = state.kept_text(FILE_NAME, FILE_BYTES_MAX);
    let text = text.strip_prefix(FIRST_LINE).unwrap_or_default();
    let waiting = |line: &str| {
        let (path, blob) = line.split_once(' ')?;
        Some(Waiting {
            name: FrameName::parse_path(path.as_bytes())?,
            blob: blob.parse().ok()?,
        })
    };
    text.lines().filter_map(waiting).collect()
}

/// Adds statements; the caller holds the store's lock.
pub(super) fn add(state: &StateDir, new: impl IntoIterator<Item = Waiting>) -> io::Result<()> {
    let mut waiting = list(state);
    let before = waiting.len();
    waiting.extend(new);
    if waiting.len() == before {
        Ok(())
    } else {
        save(state, &waiting)
    }
}

/// Takes statements out; the caller holds the store's lock.
pub(super) fn remove(state: &StateDir, done: &[Waiting]) -> io::Result<()> {
    let (mut waiting, done) = (list(state), done.iter().collect::<HashSet<_>>());
    waiting.retain(|one| !done.contains(one));
    if waiting.is_empty() {
        state.remove(FILE_NAME)
    } else {
        save(state, &waiting)
    }
}

fn save(state: &StateDir, waiting: &[Waiting]) -> io::Result<()> {
    let mut text = FIRST_LINE.to_owned();
    for Waiting { name, blob } in waiting {
        let line = format!("{} {blob}\n", name.path());
        if (text.len() + line.len()) as u64 > FILE_BYTES_MAX {
            break;
        }
        text.push_str(&line);
    }
    state.create()?;
    state.write_sealed(FILE_NAME, text.as_bytes())
}
