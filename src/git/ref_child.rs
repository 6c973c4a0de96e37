//! Children that move refs, and the locks that a killed one leaves behind.
//!
//! Git's own locks do not say whose they are, and one that stays blocks every later write. So a child is given its
//! instructions as a file, `<common>/merkle/child-<pid>-<n>`, which the kernel locks: the lock lives as long as this process
//! or the child, because both have it open. A file without a lock was left by a child that was killed. A lock of git is
//! known to be that child's when all of this holds, and only then [`remove`](RefLockLeft::remove) takes it away:
//!
//! - it came while such a child ran, and belongs to this user;
//! - no process has it open, and no git works in this repository (seen in `/proc`; without that nothing is known);
//! - it is older than git's longest wait for a lock.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, SystemTime};

use super::repo::Repository;
use super::state::StateDir;
use crate::base::absent::absent_is_fine;

/// What the names of instructions start with.
const PREFIX: &str = "child-";
/// Larger than any instructions.
const INSTRUCTIONS_BYTES_MAX: u64 = 1 << 16;
/// A child takes its locks within this time; git itself waits one second at most for each.
const START_MAX: Duration = Duration::from_secs(10);
/// No chain of processes that started one another is longer.
const ANCESTORS_MAX: usize = 64;
/// A lock that is younger is left alone.
const AGE_MIN: Duration = Duration::from_secs(5);

/// The instructions of a child that is about to run; removed when dropped.
pub(super) struct RefChild {
    state: StateDir,
    name: String,
    file: File,
    is_kept: bool,
}

impl RefChild {
    /// Writes the instructions, locks them, and removes those of the dead that have left no lock.
    pub(super) fn write(repo: &Repository, instructions: &str) -> io::Result<Self> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let state = StateDir::of(repo);
        state.create()?;
        if locks(repo).is_empty() {
            remove_abandoned(&state)?;
        }
        loop {
            let number = COUNTER.fetch_add(1, Ordering::Relaxed);
            let name = format!("{PREFIX}{}-{number}", std::process::id());
            let Some(mut made) = state.create_new(&name)? else {
                continue;
            };
            made.write_all(instructions.as_bytes())?;
            let file = match state.open(&name, INSTRUCTIONS_BYTES_MAX) {
                // Another process took it for a dead one's in the moment before it was locked.
                Err(error) if error.kind() == io::ErrorKind::NotFound => continue,
                file => file?,
            };
            // Where the file system has no such locks, nothing is ever taken for abandoned.
            let _ = file.try_lock();
            if file.metadata()?.nlink() > 0 {
                return Ok(Self {
                    state,
                    name,
                    file,
                    is_kept: false,
                });
            }
        }
    }

    /// The child's standard input; the kernel's lock lives as long as one of the two.
    pub(super) fn input(&self) -> io::Result<File> {
        self.file.try_clone()
    }

    /// Leaves the file, because the child was killed.
    pub(super) fn keep(mut self) {
        self.is_kept = true;
    }
}

impl Drop for RefChild {
    fn drop(&mut self) {
        if !self.is_kept {
            let _ = self.state.remove(&self.name);
        }
    }
}

/// A lock of git on the refs of this repository that is there now.
#[derive(Debug)]
pub struct RefLockLeft {
    /// Its file.
    pub path: PathBuf,
    /// Whose it is.
    pub owner: LockOwner,
}

/// Whose lock it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum LockOwner {
    /// That of a process at work.
    Process(u32),
    /// That of a child of this program that was killed.
    DeadChild,
    /// Nothing says whose.
    Unknown,
}

impl Repository {
    /// The locks on refs that this program writes too, and whose they are.
    #[must_use]
    pub fn ref_locks_left(&self) -> Vec<RefLockLeft> {
        locks(self)
            .into_iter()
            .map(|path| RefLockLeft {
                owner: self.owner_of(&path),
                path,
            })
            .collect()
    }

    fn owner_of(&self, path: &Path) -> LockOwner {
        let Ok(lock) = fs::symlink_metadata(path) else {
            return LockOwner::Unknown;
        };
        let places = [self.work_dir(), Some(self.common_dir())];
        let places: Vec<PathBuf> = places
            .into_iter()
            .flatten()
            .filter_map(|place| place.canonicalize().ok())
            .collect();
        match holder(&lock, &places) {
            Ok(Some(process)) => LockOwner::Process(process),
            Ok(None) if self.is_of_dead_child(&lock) => LockOwner::DeadChild,
            _ => LockOwner::Unknown,
        }
    }

    fn is_of_dead_child(&self, lock: &Metadata) -> bool {
        let own = rustix::process::geteuid().as_raw() == lock.uid();
        let Ok(came) = lock.modified() else {
            return false;
        };
        let is_old = came.elapsed().is_ok_and(|age| age >= AGE_MIN);
        let dead = abandoned(&StateDir::of(self)).unwrap_or_default();
        own && is_old
            && dead.into_iter().any(|(_, started)| {
                came.duration_since(started)
                    .is_ok_and(|after| after <= START_MAX)
            })
    }
}

impl RefLockLeft {
    /// Removes it when a dead child of this program left it; true when it is gone.
    pub fn remove(&self, repo: &Repository) -> io::Result<bool> {
        // Looked at again: what was true a moment ago is no proof.
        if self.owner != LockOwner::DeadChild || repo.owner_of(&self.path) != LockOwner::DeadChild {
            return Ok(false);
        }
        fs::remove_file(&self.path).or_else(absent_is_fine)?;
        if locks(repo).is_empty() {
            remove_abandoned(&StateDir::of(repo))?;
        }
        Ok(true)
    }
}

/// Git's locks on refs: those of a reftable, or of the packed refs and of this program's own.
fn locks(repo: &Repository) -> Vec<PathBuf> {
    let common_dir = repo.common_dir();
    let directories = if repo.is_reftable() {
        vec!["reftable"]
    } else {
        vec!["", "refs/merkle"]
    };
    let entries = directories
        .into_iter()
        .filter_map(|directory| fs::read_dir(common_dir.join(directory)).ok());
    let names = entries.flatten().flatten().map(|entry| entry.path());
    let is_lock = |path: &PathBuf| {
        let is_top = path.parent() == Some(common_dir);
        let name = path.file_name().unwrap_or_default();
        path.extension().is_some_and(|end| end == "lock") && (!is_top || name == "packed-refs.lock")
    };
    let mut found: Vec<PathBuf> = names.filter(is_lock).collect();
    found.sort();
    found
}

/// Instructions that no process has open any more: names and times.
fn abandoned(state: &StateDir) -> io::Result<Vec<(String, SystemTime)>> {
    let mut found = Vec::new();
    for name in state
        .names()?
        .into_iter()
        .filter(|name| name.starts_with(PREFIX))
    {
        // What is refused there was not made by this program.
        let Ok(open) = state.open(&name, INSTRUCTIONS_BYTES_MAX) else {
            continue;
        };
        if open.try_lock().is_ok() {
            found.push((name, open.metadata()?.modified()?));
        }
    }
    Ok(found)
}

fn remove_abandoned(state: &StateDir) -> io::Result<()> {
    abandoned(state)?
        .iter()
        .try_for_each(|(name, _)| state.remove(name))
}

/// The process that has a lock open, or a git that works in one of the places; an error where the system does not say.
fn holder(lock: &Metadata, places: &[PathBuf]) -> io::Result<Option<u32>> {
    let ancestors = ancestors(std::process::id())?;
    for entry in fs::read_dir("/proc")?.flatten() {
        let Some(process) = entry
            .file_name()
            .to_str()
            .and_then(|name| name.parse::<u32>().ok())
        else {
            continue;
        };
        let files = fs::read_dir(entry.path().join("fd"))
            .into_iter()
            .flatten()
            .flatten();
        let mut files = files.filter_map(|file| fs::metadata(file.path()).ok());
        let has_it = files.any(|file| (file.dev(), file.ino()) == (lock.dev(), lock.ino()));
        if has_it || !ancestors.contains(&process) && is_git_at_work(&entry.path(), places) {
            return Ok(Some(process));
        }
    }
    Ok(None)
}

fn is_git_at_work(process: &Path, places: &[PathBuf]) -> bool {
    let is_git = fs::read(process.join("comm")).is_ok_and(|name| name.trim_ascii_end() == b"git");
    let stands = || {
        fs::read_link(process.join("cwd"))
            .is_ok_and(|cwd| places.iter().any(|place| cwd.starts_with(place)))
    };
    let watches = || {
        fs::read(process.join("cmdline"))
            .is_ok_and(|line| String::from_utf8_lossy(&line).contains("fsmonitor--daemon"))
    };
    is_git && stands() && !watches()
}

/// This process and those that started it: `git merkle` is a git that waits for this program.
fn ancestors(process: u32) -> io::Result<Vec<u32>> {
    let (mut found, mut at) = (vec![process], process);
    while found.len() < ANCESTORS_MAX {
        let status = fs::read_to_string(format!("/proc/{at}/status"))?;
        let parent = status
            .lines()
            .find_map(|line| line.strip_prefix("PPid:")?.trim().parse().ok());
        let Some(parent) = parent.filter(|parent| *parent != 0) else {
            break;
        };
        found.push(parent);
        at = parent;
    }
    Ok(found)
}
