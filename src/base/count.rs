//! Counts in words.

/// A count and its word: `1 file`, `2 files`.
#[must_use]
pub fn counted(count: u64, one: &str, many: &str) -> String {
    format!("{count} {}", if count == 1 { one } else { many })
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
