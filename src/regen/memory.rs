//! The last finished run, remembered: the same inputs need no walk, and a later tree only its difference.
//!
//! Derived and local. A file for each set of agents, of one line, `tree agents store`: after it, every node of that
//! tree was fresh for agents of that digest in the store of that commit. Anything else in it counts as nothing remembered.

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

/// What the files' names begin with; digits of the agents' digest follow.
const PREFIX: &str = "finished-";
const NAME_DIGITS: usize = 16;

/// Reads what is remembered of agents of a digest.
#[must_use]
pub fn load(cache: &Path, agents: &Digest) -> Option<Finished> {
    parse(&cache.join(name(agents))).filter(|finished| finished.agents == *agents)
}

/// Remembers; a disk that refuses only costs a walk next time.
pub fn save(cache: &Path, finished: &Finished) {
    let Finished { tree, agents, store } = finished;
    let _ = file::replace(&cache.join(name(agents)), |open| writeln!(open, "{tree} {agents} {store}"));
}

/// Carries what is remembered of other agents over a step of the store that added frames of one agent alone.
pub fn carry(cache: &Path, from: NodeId, to: NodeId) {
    let Ok(entries) = std::fs::read_dir(cache) else { return };
    let is_ours = |path: &Path| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(PREFIX));
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| is_ours(path) && !file::is_temporary(path)) {
        if let Some(finished) = parse(&path).filter(|finished| finished.store == from) {
            save(cache, &Finished { store: to, ..finished });
        }
    }
}

fn name(agents: &Digest) -> String {
    format!("{PREFIX}{}", &agents.to_string()[..NAME_DIGITS])
}

fn parse(path: &Path) -> Option<Finished> {
    let text = std::fs::read_to_string(path).ok()?;
    let mut words = text.split_ascii_whitespace();
    let finished = Finished {
        tree: words.next()?.parse().ok()?,
        agents: Digest::from_hex(words.next()?)?,
        store: words.next()?.parse().ok()?,
    };
    words.next().is_none().then_some(finished)
}
