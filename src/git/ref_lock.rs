//! The lock on one ref: git's `<ref>.lock`, made so that a process that dies with it leaves proof of its death.
//!
//! The new value is first written to a draft in this program's own directory, `<common>/merkle/ref-<pid>-<n>-<name>`, flushed,
//! and locked by the kernel; then it is hard-linked to `<ref>.lock`, which fails if any git holds that lock. Renaming the
//! lock to the ref publishes the value. When the process is killed in between, the kernel lets go of the draft, and
//! the next process sees a draft without a lock: a `<ref>.lock` that is the same file was left by the dead and is
//! removed. A lock that is no such file belongs to another program and is never touched.
//!
//! Some file systems have no hard links (FAT, some network and FUSE mounts). There the ref is moved by git, as in a reftable
//! repository.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use rustix::io::Errno;

use super::state::StateDir;

/// How long to wait for another process's lock on the ref: git's own `core.filesRefLockTimeout`.
const WAIT: Duration = Duration::from_millis(100);
/// What the names of drafts start with.
const DRAFT_PREFIX: &str = "ref-";
/// Larger than any draft: an id and a line feed.
const DRAFT_BYTES_MAX: u64 = 1024;

/// What the system says where a file can have no second name.
const NO_LINKS: [Errno; 6] = [
    Errno::PERM,
    Errno::NOTSUP,
    Errno::OPNOTSUPP,
    Errno::NOSYS,
    Errno::MLINK,
    Errno::XDEV,
];

/// What came of asking for a lock.
pub(super) enum LockAttempt {
    /// It is held.
    Held(RefLock),
    /// Another process holds it all the while.
    Busy,
    /// This file system has no hard links.
    NoLinks,
}

/// A held lock on a ref, with its new value inside; let go without effect when dropped.
pub(super) struct RefLock {
    lock: PathBuf,
    drafts: StateDir,
    draft: String,
    /// Holds the kernel's lock on the draft.
    #[cfg_attr(not(test), expect(dead_code, reason = "held, not used"))]
    file: File,
    committed: bool,
}

impl RefLock {
    /// Locks a ref that is shared by all worktrees, with its new value, empty for none.
    pub(super) fn acquire(drafts: &StateDir, name: &str, value: &str) -> io::Result<LockAttempt> {
        drafts.create()?;
        let common_dir = drafts.git_dir();
        let lock = common_dir.join(format!("{name}.lock"));
        let deadline = Instant::now() + WAIT;
        loop {
            remove_stale(drafts)?;
            if let Some((draft, file)) = write_draft(drafts, name, value)? {
                fs::create_dir_all(lock.parent().expect("a ref has a directory"))?;
                let held = Self {
                    lock: lock.clone(),
                    drafts: drafts.clone(),
                    draft,
                    file,
                    committed: false,
                };
                match drafts.link(&held.draft, &held.lock) {
                    Ok(()) => return Ok(LockAttempt::Held(held)),
                    // Taken, or git removed the empty directory, or another process took the draft for a dead one's.
                    Err(error)
                        if matches!(
                            error.kind(),
                            io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
                        ) =>
                    {
                        held.abandon();
                    }
                    Err(error) => {
                        held.abandon();
                        let code = error.raw_os_error().map(Errno::from_raw_os_error);
                        return if code.is_some_and(|code| NO_LINKS.contains(&code)) {
                            Ok(LockAttempt::NoLinks)
                        } else {
                            Err(error)
                        };
                    }
                }
            }
            if Instant::now() >= deadline {
                return Ok(LockAttempt::Busy);
            }
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    /// Makes the new value the ref's.
    pub(super) fn commit(mut self, path: &Path) -> io::Result<()> {
        fs::rename(&self.lock, path)?;
        self.committed = true;
        Ok(())
    }

    /// Leaves everything as a killed process does: the kernel lets go of the draft, the files stay.
    #[cfg(test)]
    pub(super) fn die(self) {
        self.file.unlock().unwrap();
        std::mem::forget(self);
    }

    /// Removes the draft of a lock that was not got.
    fn abandon(mut self) {
        self.committed = true;
    }
}

impl Drop for RefLock {
    fn drop(&mut self) {
        // What cannot be removed now is removed as stale by the next lock.
        if !self.committed {
            let _ = fs::remove_file(&self.lock);
        }
        let _ = self.drafts.remove(&self.draft);
    }
}

/// Writes, locks and flushes a draft; `None` when another process took it for stale in the moment before it was locked.
fn write_draft(drafts: &StateDir, name: &str, value: &str) -> io::Result<Option<(String, File)>> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    let number = COUNTER.fetch_add(1, Ordering::Relaxed);
    // A ref name has no ':'.
    let draft = format!(
        "{DRAFT_PREFIX}{}-{number}-{}",
        std::process::id(),
        name.replace('/', ":")
    );
    let Some(mut file) = drafts.create_new_for_git(&draft)? else {
        return Ok(None);
    };
    if file.try_lock().is_err() {
        return Ok(None);
    }
    if !value.is_empty() {
        file.write_all(value.as_bytes())?;
        file.sync_all()?;
    }
    Ok(Some((draft, file)))
}

/// Removes drafts whose writers are dead, and the locks that are the same files.
fn remove_stale(drafts: &StateDir) -> io::Result<()> {
    for file_name in drafts.names()? {
        let Some(name) = ref_of(&file_name) else {
            continue;
        };
        let Ok(file) = drafts.open(&file_name, DRAFT_BYTES_MAX) else {
            continue;
        };
        if file.try_lock().is_err() {
            continue;
        }
        let lock = drafts.git_dir().join(format!("{name}.lock"));
        if fs::symlink_metadata(&lock).is_ok_and(|lock| {
            file.metadata()
                .is_ok_and(|draft| is_same_file(&lock, &draft))
        }) {
            fs::remove_file(&lock)?;
        }
        let _ = drafts.remove(&file_name);
    }
    Ok(())
}

/// The ref that a draft is for; `None` for a name that no draft has. Its `/` are not those of another folder.
fn ref_of(file_name: &str) -> Option<String> {
    let mut parts = file_name.strip_prefix(DRAFT_PREFIX)?.splitn(3, '-');
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let (process, number) = (parts.next()?, parts.next()?);
    let name = parts.next()?.replace(':', "/");
    let is_ref = name.starts_with("refs/") && gix::refs::FullName::try_from(name.as_str()).is_ok();
    (is_number(process) && is_number(number) && is_ref).then_some(name)
}

fn is_same_file(one: &Metadata, two: &Metadata) -> bool {
    (one.dev(), one.ino()) == (two.dev(), two.ino())
}
