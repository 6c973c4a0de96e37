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
/// Commits that are looked back through for a stale frame of the same path.
pub const STALE_COMMITS_MAX: usize = 100;
