//! What the last run with a model did, kept as the document that was printed, for `status --last`.

use std::io::{self, Write};

use super::open::Workspace;
use crate::git::StateDir;

/// Largest document that is read back.
const BYTES_MAX: u64 = 16 << 20;
const FILE_NAME: &str = "last-run.json";

impl Workspace {
    /// Keeps the document of a run. It only informs: a disk that refuses is no failure of the run.
    pub fn save_last_run(&self, document: &str) {
        let log = self.log_dir();
        let _ = log
            .create()
            .and_then(|()| log.replace(FILE_NAME, |open| open.write_all(document.as_bytes())));
    }

    /// The document of the last run; `None` when there was none.
    pub fn load_last_run(&self) -> io::Result<Option<String>> {
        match self.log_dir().read_text(FILE_NAME, BYTES_MAX) {
            Ok(text) => Ok(Some(text)),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn log_dir(&self) -> StateDir {
        self.state.folder("log")
    }
}
