//! Facts: which files and directories a snapshot has, each once however often it stands in the tree.
//!
//! Owns snapshots, the walk, the ignore rules and the limits on what is walked. Never reads a file's content and
//! never looks at frames. Start with [`scan()`].

pub mod ignore;
pub mod scan;
pub mod snapshot;

pub use ignore::{IgnoreRules, looks_like_secret};
pub use scan::{
    Counts, Node, NodeEntry, NodeNumber, Scan, ScanError, Start, rules_above, scan, scan_all,
    scan_entries,
};
pub use snapshot::{Snapshot, SnapshotError, SnapshotRoot};
