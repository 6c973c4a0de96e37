//! Finished answers on disk until the store has them, so that none that was paid for is lost.
//!
//! One file a frame, `<NodeId>.<FrameId>`, written whole, flushed and renamed before anything else is done with the
//! answer. Whatever is found here by a later command goes into the store then.

use std::io::{self, Write};

use super::codec::{decode, encode};
use super::model::Frame;
use crate::base::limit::{BODY_BYTES_MAX, HEADER_BYTES_MAX};
use crate::base::{FrameId, NodeId};
use crate::git::{Refused, StateDir};

/// No frame is larger.
const FILE_BYTES_MAX: u64 = (HEADER_BYTES_MAX + BODY_BYTES_MAX + 1024) as u64;

/// A frame waiting in the spool.
#[derive(Debug, Clone)]
pub struct Spooled {
    /// The file's name.
    pub file: String,
    /// What it says.
    pub frame: Frame,
}

/// Puts a frame into the spool; it is on the disk when this returns.
pub fn put(state: &StateDir, frame: &Frame) -> io::Result<String> {
    let bytes = encode(frame).map_err(|err| io::Error::new(io::ErrorKind::InvalidInput, err))?;
    let (spool, file) = (state.spool(), format!("{}.{}", frame.node, frame.id));
    spool.create()?;
    spool.replace_durably(&file, |open| open.write_all(&bytes))?;
    Ok(file)
}

/// Everything that waits, and the names of files that should be frames and are not (left where they are, for `doctor`).
///
/// A file of another name is not this program's, and nothing is said about it here.
pub fn list(state: &StateDir) -> io::Result<(Vec<Spooled>, Vec<String>)> {
    let spool = state.spool();
    let (mut frames, mut damaged) = (Vec::new(), Vec::new());
    let names = match spool.names() {
        // Where something else stands in its place, nothing waits either; a writer hears of it, and `doctor` names it.
        Err(err) if Refused::of(&err).is_some() => Vec::new(),
        names => names?,
    };
    for file in names.into_iter().filter(|name| is_name(name)) {
        match spool
            .read(&file, FILE_BYTES_MAX)
            .map(|bytes| decode(&bytes))
        {
            Ok(Ok(frame)) => frames.push(Spooled { file, frame }),
            // Another process has stored and removed it between the two looks.
            Err(err) if err.kind() == io::ErrorKind::NotFound => {}
            // No frame; or no file, or a part of the disk that cannot be read.
            Ok(Err(_)) | Err(_) => damaged.push(file),
        }
    }
    Ok((frames, damaged))
}

/// Removes what the store has now; a file that is gone already is fine.
pub fn remove(state: &StateDir, files: &[String]) -> io::Result<()> {
    files.iter().try_for_each(|file| state.spool().remove(file))
}

/// True for a name that [`put`] gives: `<NodeId>.<FrameId>`.
fn is_name(name: &str) -> bool {
    let parts = name.split_once('.');
    parts.is_some_and(|(node, frame)| {
        node.parse::<NodeId>().is_ok() && frame.parse::<FrameId>().is_ok()
    })
}
