//! Counts in words.

use std::fmt::Display;

/// A count and its word: `1 file`, `2 files`.
#[must_use]
pub fn counted<N: Copy + Display + PartialEq + From<u8>>(
    count: N,
    one: &str,
    many: &str,
) -> String {
    format!("{count} {}", if count == N::from(1) { one } else { many })
}

/// `1 file, 2 directories`.
#[must_use]
pub fn files_and_directories(files: u64, directories: u64) -> String {
    let files = counted(files, "file", "files");
    format!(
        "{files}, {}",
        counted(directories, "directory", "directories")
    )
}
