//! What the last run with a model did, kept as the document that was printed, for `status --last`.

use std::io::{self, Write};

use crate::base::absent::if_there;
use crate::git::StateDir;

/// Largest document that is read back.
const BYTES_MAX: u64 = 16 << 20;
const FILE_NAME: &str = "last-run.json";

/// Keeps the document of a run. It only informs: a disk that refuses is no failure of the run.
pub fn save(state: &StateDir, document: &str) {
    let log = log_dir(state);
    let _ = log
        .create()
        .and_then(|()| log.replace(FILE_NAME, |open| open.write_all(document.as_bytes())));
}

/// The document of the last run; `None` when there was none.
pub fn load(state: &StateDir) -> io::Result<Option<String>> {
    if_there(log_dir(state).read_text(FILE_NAME, BYTES_MAX))
}

fn log_dir(state: &StateDir) -> StateDir {
    state.folder("log")
}
