//! One kernel lock per common git directory around all writes of this program: it dies with its holder.
//!
//! The file stays when the lock is released: removing it would let two holders lock two files of one name.

use std::fs::{DirBuilder, File, OpenOptions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::Path;
use std::time::{Duration, Instant};

/// Longest pause between two attempts.
const PAUSE_MAX: Duration = Duration::from_millis(20);

/// A held lock; released when dropped, and by the kernel when the process dies.
#[derive(Debug)]
pub struct Lock {
    file: File,
}

impl Lock {
    /// Takes the lock on a file outside of the state directory, waiting up to `wait`; `Ok(None)` when another process
    /// still holds it then.
    ///
    /// The file (mode 0600) and its directory (0700) are made when missing.
    pub fn acquire(file: &Path, wait: Duration) -> io::Result<Option<Self>> {
        if let Some(directory) = file.parent() {
            DirBuilder::new()
                .recursive(true)
                .mode(0o700)
                .create(directory)?;
        }
        Self::on(
            OpenOptions::new()
                .create(true)
                .truncate(false)
                .write(true)
                .mode(0o600)
                .open(file)?,
            wait,
        )
    }

    /// Takes the lock on an open file.
    pub fn on(file: File, wait: Duration) -> io::Result<Option<Self>> {
        let deadline = Instant::now() + wait;
        let mut pause = Duration::from_millis(1);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(Some(Self { file })),
                Err(TryLockError::Error(error)) => return Err(error),
                Err(TryLockError::WouldBlock) => {}
            }
            let left = deadline.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return Ok(None);
            }
            std::thread::sleep(pause.min(left));
            pause = (pause * 2).min(PAUSE_MAX);
        }
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // Closing would do, were it not for a child that is just being started and has the file until it runs.
        let _ = self.file.unlock();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_holder_at_a_time() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("merkle/lock");
        let held = Lock::acquire(&file, Duration::ZERO).unwrap().unwrap();
        assert!(
            Lock::acquire(&file, Duration::from_millis(5))
                .unwrap()
                .is_none()
        );
        drop(held);
        assert!(Lock::acquire(&file, Duration::ZERO).unwrap().is_some());
        assert_eq!(file.metadata().unwrap().permissions().mode() & 0o777, 0o600);
        assert_eq!(
            file.parent()
                .unwrap()
                .metadata()
                .unwrap()
                .permissions()
                .mode()
                & 0o777,
            0o700
        );
    }
}
