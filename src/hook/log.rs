//! What the worker did, and the error that the next command in the foreground tells once.

use std::io::{self, Write};
use std::path::PathBuf;

use crate::base::clock;
use crate::git::StateDir;

/// From this size on the log starts anew; the one before is kept.
const LOG_BYTES_MAX: u64 = 256 * 1024;
/// Room for one line more; what is larger was not written by this program, and is not shown.
const READ_BYTES_MAX: u64 = 4 * LOG_BYTES_MAX;
const LOG_FILE: &str = "worker.log";
const OLD_LOG_FILE: &str = "worker.old";
const ERROR_FILE: &str = "worker-error";
/// Largest error that is told.
const ERROR_BYTES_MAX: usize = 2_000;

/// The log's place: a line for each run of the worker.
#[must_use]
pub fn path(state: &StateDir) -> PathBuf {
    folder(state).shown_file(LOG_FILE)
}

/// Adds a line with the time. A disk that refuses costs the line and nothing else.
pub fn add(state: &StateDir, line: &str) {
    let _ = try_add(state, line);
}

fn try_add(state: &StateDir, line: &str) -> io::Result<()> {
    let folder = folder(state);
    folder.create()?;
    let mut open = folder.open_to_append(LOG_FILE)?;
    if open.metadata()?.len() > LOG_BYTES_MAX {
        folder.rename(LOG_FILE, OLD_LOG_FILE)?;
        open = folder.open_to_append(LOG_FILE)?;
    }
    let line = line.replace(['\n', '\r'], " ");
    writeln!(open, "{} {line}", clock::render_utc(clock::now_seconds()))
}

/// The last lines, oldest first.
#[must_use]
pub fn tail(state: &StateDir, lines: usize) -> Vec<String> {
    let text = folder(state)
        .read_text(LOG_FILE, READ_BYTES_MAX)
        .unwrap_or_default();
    let all: Vec<&str> = text.lines().collect();
    all[all.len().saturating_sub(lines)..]
        .iter()
        .map(|line| (*line).to_owned())
        .collect()
}

/// Leaves an error for the next command in the foreground.
pub fn leave_error(state: &StateDir, error: &str) {
    let text: String = error.chars().take(ERROR_BYTES_MAX).collect();
    let folder = folder(state);
    let _ = folder
        .create()
        .and_then(|()| folder.replace(ERROR_FILE, |open| open.write_all(text.as_bytes())));
}

/// Takes the error that was left, so that it is told once; `None` when there is none.
#[must_use]
pub fn take_error(state: &StateDir) -> Option<String> {
    let folder = folder(state);
    let text = folder
        .read_text(ERROR_FILE, 4 * ERROR_BYTES_MAX as u64)
        .ok()?;
    folder.remove(ERROR_FILE).ok()?;
    Some(text).filter(|text| !text.is_empty())
}

fn folder(state: &StateDir) -> StateDir {
    state.folder("log")
}
