//! The worker: one for each common git directory, by kernel lock. It waits for quiet, does what the markers ask for,
//! and ends when there are none.

use std::fs::TryLockError;
use std::io;
use std::path::Path;
use std::time::{Duration, Instant};

use super::marker::{self, Marker};
use super::{log, progress};
use crate::git::StateDir;

/// How long an operation of git that is in progress is waited for. After it, its end brings the next marker.
const PATIENCE: Duration = Duration::from_mins(10);
/// The file whose lock the worker holds; it is empty.
const LOCK_FILE: &str = "worker-lock";
const LOCK_BYTES_MAX: u64 = 4096;
/// Pause between two looks.
const LOOK: Duration = Duration::from_millis(100);
/// How long the lock is tried for: a process that only checks for a worker holds it for a moment.
const LOOKED_AT: Duration = Duration::from_millis(200);

/// What the worker does with a marker; what it returns stands in the log.
pub type Work<'w> = &'w mut dyn FnMut(&Marker) -> Result<String, String>;

/// True when a worker is at work for this state directory. Writes nothing.
///
/// Looks with a shared lock: two processes that look at once do not take each other for a worker.
#[must_use]
pub fn is_at_work(state: &StateDir) -> bool {
    let lock = state.open(LOCK_FILE, LOCK_BYTES_MAX);
    lock.is_ok_and(|file| matches!(file.try_lock_shared(), Err(TryLockError::WouldBlock)))
}

/// Works until there is nothing left; `Ok(false)` when another worker is at it.
///
/// A marker that is left between the last look and the end of the lock is seen by the look after it.
pub fn run(state: &StateDir, quiet: Duration, work: Work<'_>) -> io::Result<bool> {
    loop {
        let Some(lock) = state.lock(LOCK_FILE, LOOKED_AT)? else {
            return Ok(false);
        };
        marker::clear_abandoned(state);
        let gave_up = until_empty(state, quiet, work)?;
        drop(lock);
        if gave_up || marker::list(state)?.is_empty() {
            return Ok(true);
        }
    }
}

/// Takes markers until none is left; true when what is left waits for an operation that does not end.
fn until_empty(state: &StateDir, quiet: Duration, work: Work<'_>) -> io::Result<bool> {
    let mut waiting_since = Instant::now();
    loop {
        let markers = marker::list(state)?;
        if markers.is_empty() {
            return Ok(false);
        }
        let ready = markers
            .iter()
            .find(|(marker, age)| *age >= quiet && !progress::is_going_on(&marker.git_dir));
        match ready {
            Some((marker, _)) => {
                marker::take(state, marker)?;
                act(state, marker, work);
                marker::finish(state, marker)?;
                waiting_since = Instant::now();
            }
            None if waiting_since.elapsed() > PATIENCE => return Ok(true),
            None => std::thread::sleep(LOOK),
        }
    }
}

fn act(state: &StateDir, marker: &Marker, work: Work<'_>) {
    if !Path::new(&marker.git_dir).exists() {
        return;
    }
    match work(marker) {
        Ok(line) => log::add(state, &format!("{} {line}", marker.event)),
        Err(error) => {
            log::add(state, &format!("{} failed: {error}", marker.event));
            log::leave_error(state, &error);
        }
    }
}
