//! Files of this program: replaced as a whole, durable, readable by their owner only.
//!
//! The functions with a path are for files outside of the state directory, whose folders the user may have linked. What
//! stands below the state directory goes through [`StateDir`](super::StateDir), which uses the same steps on an open folder.

use std::fs::{File, TryLockError};
use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};

use rustix::fs::{AtFlags, Dir, Mode, OFlags, openat, renameat, unlinkat};

/// What the extension of a temporary file starts with.
const TEMPORARY_PREFIX: &str = "tmp-";
/// Most names that are read of one folder; what is beyond them waits for another time.
const NAMES_MAX: usize = 1 << 17;

/// What files of this program may be: read and written by their owner.
pub(super) const OWNERS: Mode = Mode::from_raw_mode(0o600);
/// What git's own files are, less what the user's umask takes away.
pub(super) const GITS: Mode = Mode::from_raw_mode(0o666);

/// Writes a file by way of a temporary one and a rename: readers see the old bytes or the new, never a part.
///
/// Not flushed to the disk: for derived data. See [`replace_durably`].
pub fn replace(file: &Path, write: impl FnOnce(&mut File) -> io::Result<()>) -> io::Result<()> {
    let (folder, name) = parts(file)?;
    replace_in(folder.as_fd(), name, write, |_| Ok(()))
}

/// Same, and the bytes and the name are on the disk (fsync) when this returns.
pub fn replace_durably(
    file: &Path,
    write: impl FnOnce(&mut File) -> io::Result<()>,
) -> io::Result<()> {
    let (folder, name) = parts(file)?;
    replace_in(folder.as_fd(), name, write, File::sync_all)?;
    folder.sync_all()
}

/// Removes the temporary files in a directory whose writers have died; the kernel has let go of their locks.
///
/// What cannot be removed now, or looked at, is left for another time.
pub fn remove_abandoned(directory: &Path) {
    if let Ok(folder) = File::open(directory) {
        remove_abandoned_in(folder.as_fd());
    }
}

/// True for the name of a file that is being written, or was when its writer died.
#[must_use]
pub fn is_temporary(file: &Path) -> bool {
    file.extension().is_some_and(|extension| {
        extension
            .as_bytes()
            .starts_with(TEMPORARY_PREFIX.as_bytes())
    })
}

/// The open folder of a file, and the file's name.
fn parts(file: &Path) -> io::Result<(File, &str)> {
    let name = file
        .file_name()
        .and_then(|name| name.to_str())
        .ok_or(io::ErrorKind::InvalidInput)?;
    let folder = file
        .parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."));
    Ok((File::open(folder)?, name))
}

/// Writes a file in an open folder; the steps of [`replace`].
pub(super) fn replace_in(
    folder: BorrowedFd<'_>,
    name: &str,
    write: impl FnOnce(&mut File) -> io::Result<()>,
    flush: impl FnOnce(&File) -> io::Result<()>,
) -> io::Result<()> {
    let (mut open, temporary) = open_temporary(folder, name)?;
    let written = write(&mut open).and_then(|()| flush(&open));
    let result = written.and_then(|()| Ok(renameat(folder, &temporary, folder, name)?));
    if result.is_err() {
        let _ = unlinkat(folder, &temporary, AtFlags::empty());
    }
    result
}

/// Makes a temporary file beside a file, locked by the kernel as long as its writer lives.
fn open_temporary(folder: BorrowedFd<'_>, name: &str) -> io::Result<(File, String)> {
    static COUNTER: AtomicU32 = AtomicU32::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = Path::new(name)
            .with_extension(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
        let temporary = path.to_str().expect("made from text").to_owned();
        let Some(open) = create_new_in(folder, &temporary, OWNERS)? else {
            continue;
        };
        // Where the file system has no locks, no process gets one, and nothing is cleared away.
        let is_taken = matches!(open.try_lock(), Err(TryLockError::WouldBlock));
        if !is_taken && open.metadata()?.nlink() > 0 {
            return Ok((open, temporary));
        }
        // Another process took it for a dead one's in the moment before it was locked.
    }
}

/// Makes a file that was not there; `None` where something has the name.
pub(super) fn create_new_in(
    folder: BorrowedFd<'_>,
    name: &str,
    mode: Mode,
) -> io::Result<Option<File>> {
    let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    match openat(folder, name, flags, mode) {
        Err(rustix::io::Errno::EXIST) => Ok(None),
        made => Ok(Some(File::from(made?))),
    }
}

/// Removes from an open folder what [`remove_abandoned`] does.
pub(super) fn remove_abandoned_in(folder: BorrowedFd<'_>) {
    for name in names_in(folder)
        .unwrap_or_default()
        .iter()
        .filter(|name| is_temporary(Path::new(name)))
    {
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let Ok(open) = openat(folder, name, flags, Mode::empty()).map(File::from) else {
            continue;
        };
        if open.metadata().is_ok_and(|found| found.is_file()) && open.try_lock().is_ok() {
            let _ = unlinkat(folder, name, AtFlags::empty());
        }
    }
}

/// The names in an open folder, in order. One that is not UTF-8 was not given by this program, and is left out.
pub(super) fn names_in(folder: BorrowedFd<'_>) -> io::Result<Vec<String>> {
    let mut names = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        match entry.file_name().to_str() {
            Ok("." | "..") | Err(_) => {}
            Ok(name) => names.push(name.to_owned()),
        }
        if names.len() == NAMES_MAX {
            break;
        }
    }
    names.sort();
    Ok(names)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::io::Write;

    use super::*;

    #[test]
    fn what_a_dead_process_of_the_same_number_left_is_stepped_over() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x");
        for number in 0..2_000 {
            let left =
                file.with_extension(format!("{TEMPORARY_PREFIX}{}-{number}", std::process::id()));
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
