//! Files that people write below `.teddy/`: from the work tree, without following a link, or from the snapshot of a
//! bare repository.

use std::ffi::OsStr;
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::path::PathBuf;

use crate::base::absent::is_absent;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectKind, Repository};

/// The directory that people's files stand in.
pub const DIRECTORY: &[u8] = b".teddy";
/// What every turn of every session sees.
pub const GLOBAL_LIST: &str = ".teddy/global.context";
/// The folder of all sessions.
pub const SESSIONS: &str = ".teddy/sessions";
/// The context list of a session, in its folder.
pub const SESSION_LIST: &str = "session.context";
/// The context list of a turn, in its folder.
pub const TURN_LIST: &str = "turn.context";
/// What people want remembered.
pub const MEMOS: &str = ".teddy/memos.yaml";

/// Where people's files are read.
pub struct PeopleFiles<'r> {
    repo: &'r Repository,
    tree: NodeId,
}

impl<'r> PeopleFiles<'r> {
    /// Reads the work tree, or `tree` where there is none.
    #[must_use]
    pub fn new(repo: &'r Repository, tree: NodeId) -> Self {
        Self { repo, tree }
    }

    /// A file's bytes; `None` when there is none. Anything but a plain file of a bearable size is an error in words.
    pub fn read(&self, path: &TreePath) -> Result<Option<Vec<u8>>, String> {
        match self.repo.work_dir() {
            Some(directory) => {
                read_plain(directory.to_owned(), path).map_err(|error| error.to_string())
            }
            None => self.read_from_tree(path),
        }
    }

    fn read_from_tree(&self, path: &TreePath) -> Result<Option<Vec<u8>>, String> {
        let found = self
            .repo
            .find_entry(&self.tree, path.as_bytes())
            .map_err(|error| error.to_string())?;
        match found {
            None => Ok(None),
            Some((EntryMode::File | EntryMode::Executable, id)) => {
                let header = self.repo.header(&id).map_err(|error| error.to_string())?;
                if header.is_some_and(|header| header.size_bytes > FILE_BYTES_MAX) {
                    return Err(too_large().to_string());
                }
                let mut data = Vec::new();
                self.repo
                    .read(&id, ObjectKind::Blob, &mut data)
                    .map_err(|error| error.to_string())?;
                Ok(Some(data))
            }
            Some(_) => Err(not_a_file().to_string()),
        }
    }
}

/// Reads a file below a directory; no part of its path may be a link.
fn read_plain(mut directory: PathBuf, path: &TreePath) -> io::Result<Option<Vec<u8>>> {
    let count = path.names().count();
    for (depth, name) in path.names().enumerate() {
        directory.push(OsStr::from_bytes(name));
        let found = match fs::symlink_metadata(&directory) {
            Err(error) if is_absent(&error) => return Ok(None),
            found => found?,
        };
        let is_last = depth + 1 == count;
        if is_last && !found.is_file() || !is_last && !found.is_dir() {
            return Err(not_a_file());
        }
        if is_last && found.len() > FILE_BYTES_MAX {
            return Err(too_large());
        }
    }
    fs::read(&directory).map(Some)
}

fn not_a_file() -> io::Error {
    io::Error::other("not a plain file in plain directories")
}

fn too_large() -> io::Error {
    io::Error::other(format!("larger than {FILE_BYTES_MAX} bytes"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn links_are_never_followed() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().join("root");
        fs::create_dir_all(root.join(".teddy")).expect("a folder");
        fs::write(folder.path().join("secret"), "x").expect("writable");
        fs::write(root.join(".teddy/plain"), "words").expect("writable");
        std::os::unix::fs::symlink(folder.path().join("secret"), root.join(".teddy/link"))
            .expect("a link");
        std::os::unix::fs::symlink(folder.path(), root.join(".teddy/up")).expect("a link");
        let read = |path: &str| read_plain(root.clone(), &path.into());
        assert_eq!(
            read(".teddy/plain").expect("readable"),
            Some(b"words".to_vec())
        );
        assert_eq!(read(".teddy/none").expect("readable"), None);
        assert_eq!(read(".teddy/plain/below").map_err(|_| ()), Err(()));
        for path in [".teddy/link", ".teddy/up/secret", ".teddy"] {
            assert!(read(path).is_err(), "{path}");
        }
    }
}
