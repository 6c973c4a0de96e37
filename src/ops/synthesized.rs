//! Syntheses that had nothing to make, remembered: the same request needs no walk, and the same slot no plan.
//!
//! Sealed, derived, and deletable at any time: `cache/synthesized` has a line for each, the newest last: the digest of all that
//! the answer follows from, the frame of the directory that was named, `-` for a slot as a whole, and how many frames say
//! already what they should. The number of lines is bounded.

use crate::agent::Agent;
use crate::base::{Digest, FieldHasher, FrameId, FrameType, NodeId};
use crate::frame::{Slot, Store};
use crate::git::StateDir;
use crate::synthesis::Policies;
use crate::workspace::Target;

const FILE_NAME: &str = "synthesized";
const LINES_MAX: usize = 64;
const FILE_BYTES_MAX: u64 = 64 << 10;

/// What came of a synthesis.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisReport {
    /// The frame of the directory that was named.
    pub frame: FrameId,
    /// Directories whose frame was made.
    pub made: u64,
    /// Directories whose frame says it already.
    pub kept: u64,
}

/// All that the answer to a request follows from; `None` for a store that has no commit. `policy` is the digest of what
/// combines the frames.
///
/// A directory's frame follows from the ids below it, what is ignored there, what the store says, and the policy.
pub(super) fn request(
    store: &Store<'_>,
    target: &Target,
    into: &Slot,
    policy: &Digest,
) -> Option<Digest> {
    let hasher = FieldHasher::new("git-merkle 2026 synthesized/1");
    let hasher = add_place(hasher, store.commit()?, target, into);
    Some(hasher.field(&policy.0).finish())
}

/// All that decides whether a slot's syntheses are up to date below a target, where no earlier content of a path counts.
///
/// Which policy a directory has follows from the store; the rest is as for one directory, whichever of the policies it has.
pub(super) fn upkeep(
    store: &Store<'_>,
    target: &Target,
    agent: &Agent,
    into: &FrameType,
) -> Option<Digest> {
    let hasher = FieldHasher::new("git-merkle 2026 synthesized/2");
    let hasher = add_place(hasher, store.commit()?, target, &Slot::new(&agent.id, into))
        .field(&agent.prompt_digest().0)
        .field(&Policies::digest_of_built_in().0);
    Some(hasher.finish())
}

fn add_place(hasher: FieldHasher, commit: NodeId, target: &Target, slot: &Slot) -> FieldHasher {
    let path = target.path.clone().unwrap_or_default();
    let root = target.root.as_ref().map(NodeId::as_bytes);
    hasher
        .field(commit.as_bytes())
        .field(target.id.as_bytes())
        .field(root.unwrap_or_default())
        .field(path.as_bytes())
        .field(slot.agent.as_str().as_bytes())
        .field(slot.frame_type.as_str().as_bytes())
}

/// What was remembered of a request.
pub(super) fn find(cache: &StateDir, request: &Digest) -> Option<SynthesisReport> {
    let (frame, kept) = find_line(cache, request)?;
    Some(SynthesisReport {
        frame: frame.parse().ok()?,
        made: 0,
        kept,
    })
}

/// How many syntheses a slot has, where it is remembered that all of them are up to date.
pub(super) fn find_fresh(cache: &StateDir, upkeep: &Digest) -> Option<u64> {
    find_line(cache, upkeep).map(|(_, fresh)| fresh)
}

/// Remembers what a request found where it had nothing to make; a disk that refuses only costs a walk next time.
pub(super) fn save(cache: &StateDir, request: &Digest, report: &SynthesisReport) {
    save_line(cache, request, &report.frame.to_string(), report.kept);
}

/// Remembers how many syntheses a slot has, all of them up to date.
pub(super) fn save_fresh(cache: &StateDir, upkeep: &Digest, fresh: u64) {
    save_line(cache, upkeep, "-", fresh);
}

fn find_line(cache: &StateDir, key: &Digest) -> Option<(String, u64)> {
    let hex = key.to_string();
    let lines = lines(cache);
    let line = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix(&hex))?;
    let mut words = line.split_ascii_whitespace();
    Some((words.next()?.to_owned(), words.next()?.parse().ok()?))
}

fn save_line(cache: &StateDir, key: &Digest, frame: &str, count: u64) {
    let mut lines = lines(cache);
    lines.push(format!("{key} {frame} {count}"));
    let from = lines.len().saturating_sub(LINES_MAX);
    let text = lines[from..].join("\n");
    let _ = cache.keep(FILE_NAME, text.as_bytes());
}

fn lines(cache: &StateDir) -> Vec<String> {
    let text = cache.kept_text(FILE_NAME, FILE_BYTES_MAX);
    text.lines().map(str::to_owned).collect()
}
