//! What the worker did, and the error that the next command in the foreground tells once.

use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;

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

/// The error that an answer has taken which may have to be made again.
struct TakenError(String);

/// Takes the error that was left, so that it is told once; `None` when there is none.
#[must_use]
pub fn take_error(state: &StateDir) -> Option<String> {
    let (shelf, left) = (state.shelf(), take_left(state));
    let before = shelf.find::<TakenError>(|_| true);
    shelf.clear::<TakenError>();
    if !shelf.is_believing() {
        return left.or_else(|| Some(before?.0.clone()));
    }
    if let Some(error) = &left {
        shelf.put(Arc::new(TakenError(error.clone())), 1);
    }
    left
}

fn take_left(state: &StateDir) -> Option<String> {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Shelf;

    #[test]
    fn an_error_is_told_once_by_an_answer_that_is_given() {
        let folder = tempfile::tempdir().unwrap();
        let shelf = Shelf::lasting();
        let of = |shelf: Shelf| StateDir::at(folder.path()).with_shelf(shelf);
        let take = |shelf: Shelf| take_error(&of(shelf));
        leave_error(&of(shelf.clone()), "late");
        assert_eq!(take(shelf.believing()).as_deref(), Some("late"));
        assert_eq!(take(shelf.clone()).as_deref(), Some("late"), "made again");
        assert_eq!(take(shelf.clone()), None);
        leave_error(&of(shelf.clone()), "later");
        assert_eq!(take(shelf.believing()).as_deref(), Some("later"));
        assert_eq!(take(shelf.believing()), None, "the one before was given");
        assert_eq!(take(shelf), None);
        leave_error(&of(Shelf::default()), "last");
        assert_eq!(take(Shelf::default()).as_deref(), Some("last"));
        assert_eq!(take(Shelf::default()), None);
    }
}
