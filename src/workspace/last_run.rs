//! What the last run with a model did, kept as the document that was printed, for `status --last`.

use std::io::{self, Write};
use std::path::PathBuf;

use super::open::Workspace;
use crate::git::file;

/// Largest document that is read back.
const BYTES_MAX: u64 = 16 << 20;

impl Workspace {
    /// Keeps the document of a run. It only informs: a disk that refuses is no failure of the run.
    pub fn save_last_run(&self, document: &str) {
        let _ = self.state.create(&self.log_dir());
        let _ = file::replace(&self.log_dir().join("last-run.json"), |open| open.write_all(document.as_bytes()));
    }

    /// The document of the last run; `None` when there was none.
    pub fn load_last_run(&self) -> io::Result<Option<String>> {
        let path = self.log_dir().join("last-run.json");
        match std::fs::metadata(&path) {
            Ok(found) if found.len() > BYTES_MAX => Ok(None),
            Ok(_) => std::fs::read_to_string(path).map(Some),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(error) => Err(error),
        }
    }

    fn log_dir(&self) -> PathBuf {
        self.state.root().join("log")
    }
}
