//! Finished answers on disk until the store has them, so that none that was paid for is lost.
//!
//! One file a frame, `<NodeId>.<FrameId>`, written whole, flushed and renamed before anything else is done with the
//! answer. Whatever is found here by a later command goes into the store then.

use std::fs;
use std::io::{self, Write};
use std::path::PathBuf;

use super::codec::{decode, encode};
use super::model::Frame;
use crate::git::StateDir;
use crate::git::file::{is_temporary, replace_durably};

/// A frame waiting in the spool.
#[derive(Debug, Clone)]
pub struct Spooled {
    /// Where it waits.
    pub file: PathBuf,
    /// What it says.
    pub frame: Frame,
}

/// Puts a frame into the spool; it is on the disk when this returns.
pub fn put(state: &StateDir, frame: &Frame) -> io::Result<PathBuf> {
    let bytes = encode(frame).map_err(|err| io::Error::new(io::ErrorKind::InvalidInput, err))?;
    state.create(&state.spool())?;
    let file = state.spool().join(format!("{}.{}", frame.node, frame.id));
    replace_durably(&file, |open| open.write_all(&bytes))?;
    Ok(file)
}

/// Everything that waits, and the files that are no frames (left where they are, for `doctor`).
pub fn list(state: &StateDir) -> io::Result<(Vec<Spooled>, Vec<PathBuf>)> {
    let entries = match fs::read_dir(state.spool()) {
        // Where something else stands in its place, nothing waits either; who puts a frame there hears of it.
        Err(err) if matches!(err.kind(), io::ErrorKind::NotFound | io::ErrorKind::NotADirectory) => {
            return Ok((Vec::new(), Vec::new()));
        }
        entries => entries?,
    };
    let (mut frames, mut damaged) = (Vec::new(), Vec::new());
    for entry in entries {
        let file = entry?.path();
        if is_temporary(&file) {
            continue;
        }
        match fs::read(&file).map(|bytes| decode(&bytes)) {
            Ok(Ok(frame)) => frames.push(Spooled { file, frame }),
            // Another process has stored and removed it between the two looks.
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            // No frame; or a directory, or a part of the disk that cannot be read.
            Ok(Err(_)) | Err(_) => damaged.push(file),
        }
    }
    frames.sort_by(|a, b| a.file.cmp(&b.file));
    damaged.sort();
    Ok((frames, damaged))
}

/// Removes what the store has now; a file that is gone already is fine.
pub fn remove(files: &[PathBuf]) -> io::Result<()> {
    for file in files {
        match fs::remove_file(file) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
            _ => {}
        }
    }
    Ok(())
}
