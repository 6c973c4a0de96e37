//! Every size that is refused, with its name, in one place, so that an error can quote the number.

/// Deepest directory nesting that is walked: git's own `core.maxTreeDepth`.
pub const TREE_DEPTH_MAX: usize = 2_048;
/// Most distinct nodes in one snapshot.
pub const NODES_MAX: usize = 500_000;
/// Most entries in one directory.
pub const TREE_ENTRIES_MAX: usize = 2_000_000;
/// Largest frame body in bytes.
pub const BODY_BYTES_MAX: usize = 256 * 1024;
/// Largest frame header in bytes, with both `---` lines.
pub const HEADER_BYTES_MAX: usize = 64 * 1024;
/// Largest file whose text is read for an outline or a payload, in bytes; larger ones get a placeholder.
pub const FILE_BYTES_MAX: u64 = 8 * 1024 * 1024;
/// Largest `.teddyignore`, in bytes.
pub const IGNORE_BYTES_MAX: u64 = 1024 * 1024;
/// Most lines of all `.teddyignore` files that are in force at a place together: each becomes a pattern of some kilobytes.
pub const IGNORE_LINES_MAX: usize = 20_000;
/// Commits that are looked back through for a stale frame of the same path.
pub const STALE_COMMITS_MAX: usize = 100;
/// Commits that are looked back through for how old a carried note is, and where its path went.
pub const NOTE_COMMITS_MAX: usize = 1_000;
/// The most commits for which this program asks git where a path with notes went.
pub const NOTE_RENAMES_MAX: usize = 16;
/// The most changed files and directories of a commit for which it asks.
pub const NOTE_CHANGES_MAX: usize = 20_000;
/// Merged branches that are looked back through for contents which the line of first parents did not have.
pub const NOTE_MERGES_MAX: usize = 32;
/// How often a path with notes may have been renamed.
pub const NOTE_WAYS_MAX: usize = 8;
/// Largest blob of the frame store that is read, in bytes. A frame of this version is far smaller; a newer format may
/// need more, and is told from damage by its first line.
pub const FRAME_READ_BYTES_MAX: u64 = 1024 * 1024;
/// Largest directory of the frame store that is read, in bytes.
pub const STORE_TREE_BYTES_MAX: u64 = 32 * 1024 * 1024;
/// Most entries in the frame store.
pub const STORE_ENTRIES_MAX: u64 = 8_000_000;
/// Most blobs and directories of one store that are read in vain, and most faults that a check lists.
pub const STORE_FAULTS_MAX: usize = 10_000;
/// How far a generation may be above the next lower one of its slot: a higher one is a fault.
pub const SEQ_GAP_MAX: u32 = 65_536;
/// Most paths in which two trees that are compared may differ.
pub const DIFF_PATHS_MAX: usize = 200_000;
