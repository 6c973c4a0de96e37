//! What the worker did, and the error that the next command in the foreground tells once.

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use crate::base::clock;
use crate::git::{StateDir, file};

/// From this size on the log starts anew; the one before is kept.
const LOG_BYTES_MAX: u64 = 256 * 1024;
/// Largest error that is told.
const ERROR_BYTES_MAX: usize = 2_000;

/// The log's place: a line for each run of the worker.
#[must_use]
pub fn path(state: &StateDir) -> PathBuf {
    folder(state).join("worker.log")
}

/// Adds a line with the time. A disk that refuses costs the line and nothing else.
pub fn add(state: &StateDir, line: &str) {
    let _ = try_add(state, line);
}

fn try_add(state: &StateDir, line: &str) -> io::Result<()> {
    state.create(&folder(state))?;
    let path = path(state);
    if fs::metadata(&path).is_ok_and(|found| found.len() > LOG_BYTES_MAX) {
        fs::rename(&path, path.with_extension("old"))?;
    }
    let mut open = OpenOptions::new().append(true).create(true).mode(0o600).open(path)?;
    let line = line.replace(['\n', '\r'], " ");
    writeln!(open, "{} {line}", clock::render_utc(clock::now_seconds()))
}

/// The last lines, oldest first.
#[must_use]
pub fn tail(state: &StateDir, lines: usize) -> Vec<String> {
    let text = fs::read_to_string(path(state)).unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..].iter().map(|line| (*line).to_owned()).collect()
}

/// Leaves an error for the next command in the foreground.
pub fn leave_error(state: &StateDir, error: &str) {
    let text: String = error.chars().take(ERROR_BYTES_MAX).collect();
    let _ = state.create(&folder(state));
    let _ = file::replace(&error_file(state), |open| open.write_all(text.as_bytes()));
}

/// Takes the error that was left, so that it is told once; `None` when there is none.
#[must_use]
pub fn take_error(state: &StateDir) -> Option<String> {
    let text = fs::read_to_string(error_file(state)).ok()?;
    fs::remove_file(error_file(state)).ok()?;
    Some(text).filter(|text| !text.is_empty())
}

fn folder(state: &StateDir) -> PathBuf {
    state.root().join("log")
}

fn error_file(state: &StateDir) -> PathBuf {
    folder(state).join("worker-error")
}
