//! A file that a command creates and never writes over, and what became of it.

use std::fs;
use std::io::{self, Write};
use std::path::Path;

use serde::Serialize;

use crate::cli::{CliError, Exit, Style};

/// What became of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "lowercase")]
pub(in crate::cli) enum State {
    /// It was not there.
    Created,
    /// Its marked block was added or brought up to date.
    Updated,
    /// It was there and says the same.
    Kept,
    /// It was there and says something else; nothing was done to it.
    Different,
}

impl State {
    /// The word for people, and its colour.
    pub(in crate::cli) fn word(self) -> (&'static str, Style) {
        match self {
            Self::Created => ("created", Style::Good),
            Self::Updated => ("updated", Style::Good),
            Self::Kept => ("kept", Style::Dim),
            Self::Different => ("different", Style::Caution),
        }
    }
}

/// Creates a file below the root unless it is there; directories on the way must be directories, not links.
pub(in crate::cli) fn create(
    root: &Path,
    relative: &str,
    content: &str,
) -> Result<State, CliError> {
    make_directories(root, relative)?;
    let path = root.join(relative);
    match fs::OpenOptions::new()
        .write(true)
        .create_new(true)
        .open(&path)
    {
        Ok(mut file) => match file.write_all(content.as_bytes()) {
            Ok(()) => Ok(State::Created),
            Err(error) => {
                let _ = fs::remove_file(&path);
                Err(CliError::io(format!("cannot write '{relative}'"), error))
            }
        },
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
            compare(&path, relative, content)
        }
        Err(error) => Err(CliError::io(format!("cannot create '{relative}'"), error)),
    }
}

fn make_directories(root: &Path, relative: &str) -> Result<(), CliError> {
    for (end, _) in relative.match_indices('/') {
        let directory = &relative[..end];
        let path = root.join(directory);
        match fs::symlink_metadata(&path) {
            Ok(found) if found.is_dir() => {}
            Ok(_) => {
                return Err(CliError::new(
                    Exit::Refused,
                    format!("'{directory}' is not a directory"),
                ));
            }
            Err(error) if error.kind() == io::ErrorKind::NotFound => {
                fs::create_dir(&path)
                    .map_err(|error| CliError::io(format!("cannot create '{directory}'"), error))?;
            }
            Err(error) => return Err(CliError::io(format!("cannot look at '{directory}'"), error)),
        }
    }
    Ok(())
}

/// Compares what is there with what would be written; anything but a plain file is different without a look inside.
fn compare(path: &Path, relative: &str, content: &str) -> Result<State, CliError> {
    let failed = |error| CliError::io(format!("cannot read '{relative}'"), error);
    let found = fs::symlink_metadata(path).map_err(failed)?;
    if !found.is_file() || found.len() != content.len() as u64 {
        return Ok(State::Different);
    }
    let same = fs::read(path).map_err(failed)? == content.as_bytes();
    Ok(if same { State::Kept } else { State::Different })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_not_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let outside = tempfile::tempdir().expect("a folder");
        std::os::unix::fs::symlink(outside.path(), folder.path().join(".teddy")).expect("a link");
        let error = create(folder.path(), ".teddy/config.toml", "x").expect_err("refused");
        assert_eq!(
            (error.exit(), error.to_string().as_str()),
            (Exit::Refused, "'.teddy' is not a directory")
        );
        assert!(
            fs::read_dir(outside.path())
                .expect("readable")
                .next()
                .is_none()
        );
    }

    #[test]
    fn a_dangling_link_in_place_of_a_file_is_left_alone() {
        let folder = tempfile::tempdir().expect("a folder");
        fs::create_dir(folder.path().join(".teddy")).expect("a folder");
        let target = folder.path().join("target");
        std::os::unix::fs::symlink(&target, folder.path().join(".teddy/memos.yaml"))
            .expect("a link");
        assert_eq!(
            create(folder.path(), ".teddy/memos.yaml", "x").expect("no failure"),
            State::Different
        );
        assert!(!target.exists());
    }
}
