//! Files of this program inside the git directory: replaced as a whole, durable, readable by their owner only.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};

use super::repo::Repository;

/// What the extension of a temporary file starts with.
const TEMPORARY_PREFIX: &str = "tmp-";

/// Writes a file by way of a temporary one and a rename: readers see the old bytes or the new, never a part.
///
/// Not flushed to the disk: for derived data. See [`replace_durably`].
pub fn replace(file: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    replace_and(file, write, |_| Ok(()))
}

/// Same, and the bytes and the name are on the disk (fsync) when this returns.
pub fn replace_durably(file: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    replace_and(file, write, File::sync_all)?;
    file.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all())
}

fn replace_and(
    file: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    flush: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (mut open, temporary) = open_temporary(file)?;
    let result = write(&mut open).and_then(|()| flush(&open)).and_then(|()| fs::rename(&temporary, file));
    if result.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    result
}

/// Makes a temporary file beside a file, locked by the kernel as long as its writer lives.
fn open_temporary(file: &Path) -> io::Result<(File, PathBuf)> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = file.with_extension(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
        let open = match OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path) {
            // Left by a dead process that had the same number.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => continue,
            open => open?,
        };
        // Where locks are not supported nobody else gets one either, and nothing is cleared away.
        let is_taken = matches!(open.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && open.metadata()?.nlink() > 0 {
            return Ok((open, path));
        }
        // Somebody took it for a dead one's in the moment before it was locked.
    }
}

/// True for the name of a file that is being written, or was when its writer died.
#[must_use]
pub fn is_temporary(file: &Path) -> bool {
    file.extension().is_some_and(|extension| extension.as_encoded_bytes().starts_with(TEMPORARY_PREFIX.as_bytes()))
}

/// Removes the temporary files in a directory whose writers have died; the kernel has let go of their locks.
///
/// What cannot be removed now, or looked at, is left for another time.
pub fn remove_abandoned(directory: &Path) {
    let Ok(entries) = fs::read_dir(directory) else { return };
    for path in entries.flatten().map(|entry| entry.path()).filter(|path| is_temporary(path)) {
        if File::open(&path).is_ok_and(|open| open.try_lock().is_ok()) {
            let _ = fs::remove_file(&path);
        }
    }
}

/// The machine's own state, `<common git dir>/merkle`, shared by linked worktrees, mode 0700.
#[derive(Debug, Clone)]
pub struct StateDir(PathBuf);

impl StateDir {
    /// The directory's place; nothing is created.
    #[must_use]
    pub fn of(repo: &Repository) -> Self {
        Self(repo.common_dir().join("merkle"))
    }

    /// The lock file around all writes.
    #[must_use]
    pub fn lock(&self) -> PathBuf {
        self.0.join("lock")
    }

    /// Finished answers that are not in the store yet.
    #[must_use]
    pub fn spool(&self) -> PathBuf {
        self.0.join("spool")
    }

    /// Derived data, deletable at any time.
    #[must_use]
    pub fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }

    /// What hooks leave behind: what was installed, and what happened since.
    #[must_use]
    pub fn hooks(&self) -> PathBuf {
        self.0.join("hooks")
    }

    /// Creates one of the directories, private to the user, with its parents.
    pub fn create(&self, directory: &Path) -> io::Result<()> {
        if directory.is_dir() {
            return Ok(());
        }
        fs::DirBuilder::new().recursive(true).mode(0o700).create(directory)
    }

    /// The directory itself.
    #[must_use]
    pub fn root(&self) -> &Path {
        &self.0
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write;

    use super::*;

    #[test]
    fn what_a_dead_process_of_the_same_number_left_is_stepped_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        for number in 0..2_000 {
            let left = file.with_extension(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
            fs::write(left, "half").unwrap();
        }
        replace(&file, |open| open.write_all(b"whole")).unwrap();
        assert_eq!(fs::read(&file).unwrap(), b"whole");
    }

    #[test]
    fn only_temporary_files_of_the_dead_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let names = || fs::read_dir(folder.path()).unwrap().count();
        let file = folder.path().join("index");
        fs::write(file.with_extension("tmp-1-0"), "torn").unwrap();
        fs::write(folder.path().join("note.txt"), "").unwrap();
        replace(&file, |open| {
            remove_abandoned(folder.path());
            assert_eq!(names(), 2, "the dead one's is gone, this one's is not");
            open.write_all(b"whole")
        })
        .unwrap();
        assert_eq!((fs::read(&file).unwrap(), names()), (b"whole".to_vec(), 2));
        remove_abandoned(&folder.path().join("absent"));
    }
}
