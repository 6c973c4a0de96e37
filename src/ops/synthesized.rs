//! Syntheses on request that had nothing to make, remembered: the same request needs no walk.
//!
//! Sealed, derived, and deletable at any time: `cache/synthesized` has a line for each, the newest last: the digest of all that
//! the answer follows from, the frame of the directory, and how many frames say it already. The number of lines is bounded.

use crate::base::{Digest, FieldHasher, FrameId, NodeId};
use crate::frame::{Slot, Store};
use crate::git::StateDir;
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

/// All that the answer follows from; `None` for a store that has no commit. `policy` is the digest of what combines the frames.
///
/// A directory's frame follows from the ids below it, what is ignored there, what the store says, and the policy.
pub(super) fn request(
    store: &Store<'_>,
    target: &Target,
    into: &Slot,
    policy: &Digest,
) -> Option<Digest> {
    let commit = store.commit()?;
    let path = target.path.clone().unwrap_or_default();
    let root = target.root.as_ref().map(NodeId::as_bytes);
    let hasher = FieldHasher::new("git-merkle 2026 synthesized/1")
        .field(commit.as_bytes())
        .field(target.id.as_bytes())
        .field(root.unwrap_or_default())
        .field(path.as_bytes())
        .field(into.agent.as_str().as_bytes())
        .field(into.frame_type.as_str().as_bytes());
    Some(hasher.field(&policy.0).finish())
}

/// What was remembered of a request.
pub(super) fn find(cache: &StateDir, request: &Digest) -> Option<SynthesisReport> {
    let hex = request.to_string();
    let lines = lines(cache);
    let line = lines
        .iter()
        .rev()
        .find_map(|line| line.strip_prefix(&hex))?;
    let mut words = line.split_ascii_whitespace();
    let frame: FrameId = words.next()?.parse().ok()?;
    let kept = words.next()?.parse().ok()?;
    Some(SynthesisReport {
        frame,
        made: 0,
        kept,
    })
}

/// Remembers what a request found where it had nothing to make; a disk that refuses only costs a walk next time.
pub(super) fn save(cache: &StateDir, request: &Digest, report: &SynthesisReport) {
    let mut lines = lines(cache);
    lines.push(format!("{request} {} {}", report.frame, report.kept));
    let from = lines.len().saturating_sub(LINES_MAX);
    let text = lines[from..].join("\n");
    let _ = cache
        .create()
        .and_then(|()| cache.write_sealed_lightly(FILE_NAME, text.as_bytes()));
}

fn lines(cache: &StateDir) -> Vec<String> {
    let bytes = cache.read_sealed(FILE_NAME, FILE_BYTES_MAX);
    let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
    text.iter()
        .flat_map(|text| text.lines().map(str::to_owned))
        .collect()
}
