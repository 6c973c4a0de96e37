//! The last finished run, remembered: the same inputs need no walk, and a later tree only its difference.
//!
//! Derived and local. A file for each set of agents, of one line, `tree agents store`: after it, every node of that
//! tree was fresh for agents of that digest in the store of that commit. Anything else in it counts as nothing remembered,
//! and so does what this user did not seal: a file that came with a repository would hide work.

use crate::base::{Digest, NodeId};
use crate::git::StateDir;

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
/// Room for the longest line.
const FILE_BYTES_MAX: u64 = 512;

/// Reads what is remembered of agents of a digest.
#[must_use]
pub fn load(cache: &StateDir, agents: &Digest) -> Option<Finished> {
    read(cache, &name(agents)).filter(|finished| finished.agents == *agents)
}

/// Remembers; a disk that refuses only costs a walk next time.
pub fn save(cache: &StateDir, finished: &Finished) {
    let Finished {
        tree,
        agents,
        store,
    } = finished;
    let _ = cache.write_sealed_lightly(
        &name(agents),
        format!("{tree} {agents} {store}\n").as_bytes(),
    );
}

/// Carries what is remembered of other agents over a step of the store that added frames of one agent alone.
pub fn carry(cache: &StateDir, from: NodeId, to: NodeId) {
    for name in cache
        .names()
        .unwrap_or_default()
        .iter()
        .filter(|name| is_name(name))
    {
        if let Some(finished) = read(cache, name).filter(|finished| finished.store == from) {
            save(
                cache,
                &Finished {
                    store: to,
                    ..finished
                },
            );
        }
    }
}

fn name(agents: &Digest) -> String {
    format!("{PREFIX}{}", &agents.to_string()[..NAME_DIGITS])
}

/// True for the name of such a file.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let digits = name.strip_prefix(PREFIX);
    digits.is_some_and(|digits| {
        digits.len() == NAME_DIGITS && digits.bytes().all(|byte| byte.is_ascii_hexdigit())
    })
}

fn read(cache: &StateDir, name: &str) -> Option<Finished> {
    let text = String::from_utf8(cache.read_sealed(name, FILE_BYTES_MAX)?).ok()?;
    let mut words = text.split_ascii_whitespace();
    let finished = Finished {
        tree: words.next()?.parse().ok()?,
        agents: Digest::from_hex(words.next()?)?,
        store: words.next()?.parse().ok()?,
    };
    words.next().is_none().then_some(finished)
}
