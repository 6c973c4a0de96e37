//! Files that are not there: often an answer, and no failure.

use std::io::{self, ErrorKind};

/// What stands under a name; `None` where nothing does.
pub fn if_there<T>(found: io::Result<T>) -> io::Result<Option<T>> {
    match found {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        found => found.map(Some),
    }
}

/// Takes a missing file for a success, where it was to be removed.
pub fn absent_is_fine(error: io::Error) -> io::Result<()> {
    if_there(Err(error)).map(|_: Option<()>| ())
}

/// True where there is no such file, or no folder that could hold it.
#[must_use]
pub fn is_absent(error: &io::Error) -> bool {
    matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory)
}
