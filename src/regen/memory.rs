//! The last finished run, remembered: the same inputs need no walk, and a later tree only its difference.
//!
//! Derived and local. One line, `tree agents store`: after it, every node of that tree was fresh for agents of
//! that digest in the store of that commit. Anything else in the file counts as nothing remembered.

use std::io::Write as _;
use std::path::Path;

use crate::base::{Digest, NodeId};
use crate::git::file;

/// A finished run.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Finished {
    /// The root tree all of whose nodes are fresh.
    pub tree: NodeId,
    /// Digest of the agents, types and instructions that it was for.
    pub agents: Digest,
    /// The store's commit then.
    pub store: NodeId,
}

/// Reads what is remembered.
#[must_use]
pub fn load(cache: &Path) -> Option<Finished> {
    let text = std::fs::read_to_string(cache.join("finished")).ok()?;
    let mut words = text.split_ascii_whitespace();
    let finished = Finished {
        tree: words.next()?.parse().ok()?,
        agents: Digest::from_hex(words.next()?)?,
        store: words.next()?.parse().ok()?,
    };
    words.next().is_none().then_some(finished)
}

/// Remembers; a disk that refuses only costs a walk next time.
pub fn save(cache: &Path, finished: &Finished) {
    let Finished { tree, agents, store } = finished;
    let _ = file::replace(&cache.join("finished"), |open| writeln!(open, "{tree} {agents} {store}"));
}
