//! Files of the work tree, read and replaced without a link being followed on the way.
//!
//! What names them may be text that a stranger wrote, so a path is walked down folder by folder with `O_NOFOLLOW`, and no
//! name on it is `.git`. A file is replaced by way of one beside it and a rename: readers see the old bytes or the new.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::path::Path;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, fchmod, fstat, fsync, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;

use super::child::{ChildError, GitCommand};
use super::repo::Repository;
use super::state::is_link;
use crate::base::TreePath;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::path::{is_git_directory, quote};

/// What a folder is made with, and a file; the process's own mask takes away from it.
const FOLDER_MODE: u32 = 0o777;
const FILE_MODE: u32 = 0o666;
const EXECUTABLE: u32 = 0o111;
/// What the name of a file begins with while it is written beside its place.
pub(super) const TEMPORARY: &str = ".git-merkle-apply-";

/// The bytes of a file and its permissions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkFile {
    /// What is in it.
    pub bytes: Vec<u8>,
    /// Its permission bits; `None` for those that a new file gets.
    pub mode: Option<u32>,
    /// True when its owner may run it.
    pub is_executable: bool,
}

/// Why a path of the work tree is left alone.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Unreachable {
    /// It is no path from the root of the work tree to a name below it.
    #[error("it is not a path within the repository")]
    Outside,
    /// It leads into the git directory, or could on some file system.
    #[error("it leads into '.git'")]
    GitDirectory,
    /// A symbolic link stands on the way, or is the file.
    #[error("'{0}' is a symbolic link")]
    Link(String),
    /// A file stands where a folder should.
    #[error("'{0}' is not a directory")]
    NoFolder(String),
    /// A folder or a device stands where a file should.
    #[error("it is not a regular file")]
    NoFile,
    /// Another repository begins on the way.
    #[error("'{0}' is another repository")]
    Repository(String),
    /// It is over the limit.
    #[error("it is over the limit of {FILE_BYTES_MAX} bytes")]
    Large,
    /// It cannot be read.
    #[error("it cannot be read: {0}")]
    Io(String),
}

/// The work tree of a repository, open.
pub struct WorkFiles {
    root: OwnedFd,
}

impl WorkFiles {
    /// Opens the work tree.
    pub fn open(work_dir: &Path) -> io::Result<Self> {
        let root = openat(CWD, work_dir, FOLDER, Mode::empty())?;
        Ok(Self { root })
    }

    /// Reads a file; `None` where there is none.
    pub fn read(&self, path: &TreePath) -> Result<Option<WorkFile>, Unreachable> {
        check(path)?;
        let Some(folder) = self.folder_of(path)? else {
            return Ok(None);
        };
        let failed = |error: Errno| Unreachable::Io(io::Error::from(error).kind().to_string());
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let file = match openat(&folder, path.name(), flags, Mode::empty()) {
            Err(Errno::NOENT) => return Ok(None),
            Err(Errno::LOOP) => return Err(Unreachable::Link(shown(path))),
            Err(Errno::NXIO) => return Err(Unreachable::NoFile),
            opened => opened.map_err(failed)?,
        };
        let found = fstat(&file).map_err(failed)?;
        if FileType::from_raw_mode(found.st_mode) != FileType::RegularFile {
            return Err(Unreachable::NoFile);
        }
        let mut bytes = Vec::new();
        let read = File::from(file)
            .take(FILE_BYTES_MAX + 1)
            .read_to_end(&mut bytes);
        read.map_err(|error| Unreachable::Io(error.kind().to_string()))?;
        if bytes.len() as u64 > FILE_BYTES_MAX {
            return Err(Unreachable::Large);
        }
        let mode = found.st_mode & 0o7777;
        Ok(Some(WorkFile {
            bytes,
            mode: Some(mode),
            is_executable: mode & 0o100 != 0,
        }))
    }

    /// The folders above a file that are not there, outermost first.
    #[must_use]
    pub fn missing_folders(&self, path: &TreePath) -> Vec<TreePath> {
        let is_there =
            |folder: &TreePath| matches!(self.folder_of(&folder.join(b"x")), Ok(Some(_)));
        let mut missing: Vec<TreePath> = std::iter::successors(path.parent(), TreePath::parent)
            .take_while(|folder| !folder.is_root() && !is_there(folder))
            .collect();
        missing.reverse();
        missing
    }

    /// Replaces a file, durably, by way of one with another name beside it; makes the folders above it.
    pub(super) fn replace(&self, path: &TreePath, file: &WorkFile, beside: &str) -> io::Result<()> {
        check(path).map_err(io::Error::other)?;
        for folder in self.missing_folders(path) {
            let above = self.open_folder_of(&folder)?;
            mkdirat(&above, folder.name(), Mode::from_raw_mode(FOLDER_MODE))?;
            fsync(&above)?;
        }
        let folder = self.open_folder_of(path)?;
        remove_in(&folder, beside.as_bytes())?;
        let flags =
            OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        let bits = FILE_MODE | if file.is_executable { EXECUTABLE } else { 0 };
        let mut open = File::from(openat(&folder, beside, flags, Mode::from_raw_mode(bits))?);
        let written = open.write_all(&file.bytes).and_then(|()| {
            if let Some(mode) = file.mode {
                fchmod(&open, Mode::from_raw_mode(mode))?;
            }
            open.sync_all()?;
            Ok(renameat(&folder, beside, &folder, path.name())?)
        });
        if written.is_err() {
            let _ = unlinkat(&folder, beside, AtFlags::empty());
        }
        written?;
        Ok(fsync(&folder)?)
    }

    /// Removes a file; one that is gone already is fine.
    pub(super) fn remove(&self, path: &TreePath) -> io::Result<()> {
        match self.folder_of(path).map_err(io::Error::other)? {
            Some(folder) => {
                remove_in(&folder, path.name())?;
                Ok(fsync(&folder)?)
            }
            None => Ok(()),
        }
    }

    /// Removes a folder where nothing is in it; true when it is gone.
    pub(super) fn remove_folder(&self, path: &TreePath) -> bool {
        let Ok(Some(above)) = self.folder_of(path) else {
            return false;
        };
        unlinkat(&above, path.name(), AtFlags::REMOVEDIR).is_ok()
    }

    fn open_folder_of(&self, path: &TreePath) -> io::Result<OwnedFd> {
        let folder = self.folder_of(path).map_err(io::Error::other)?;
        folder.ok_or_else(|| io::ErrorKind::NotFound.into())
    }

    /// Walks down to the folder of a file; `None` where one on the way is not there.
    fn folder_of(&self, path: &TreePath) -> Result<Option<OwnedFd>, Unreachable> {
        let failed = |error: io::Error| Unreachable::Io(error.kind().to_string());
        let mut folder = self.root.try_clone().map_err(failed)?;
        let mut here = TreePath::root();
        let parent = path.parent().unwrap_or_default();
        for name in parent.names() {
            here = here.join(name);
            folder = match openat(&folder, name, FOLDER | OFlags::NOFOLLOW, Mode::empty()) {
                Err(Errno::NOENT) => return Ok(None),
                Err(Errno::LOOP | Errno::NOTDIR) if is_link(&folder, name) => {
                    return Err(Unreachable::Link(shown(&here)));
                }
                Err(Errno::NOTDIR) => return Err(Unreachable::NoFolder(shown(&here))),
                opened => opened.map_err(|error| failed(error.into()))?,
            };
            // An embedded repository keeps its own files, whether it is a submodule or not.
            if statat(&folder, ".git", AtFlags::SYMLINK_NOFOLLOW).is_ok() {
                return Err(Unreachable::Repository(shown(&here)));
            }
        }
        Ok(Some(folder))
    }
}

impl Repository {
    /// Which of these paths git ignores: by its rules, and not tracked.
    ///
    /// The paths are plain, with no link and no repository on the way.
    pub fn ignored(&self, paths: &[TreePath]) -> Result<Vec<TreePath>, ChildError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        // The command reads pathspecs, and a path that begins so has no magic.
        let input: Vec<u8> = paths
            .iter()
            .flat_map(|path| [b"./", path.as_bytes(), b"\0"].concat())
            .collect();
        let output = GitCommand::new(self, "check-ignore")
            .option("-z")
            .option("--stdin")
            .output(&input)?;
        // Exit code 1 says that none is ignored.
        match output.status.code() {
            Some(0 | 1) => {}
            _ => return Err(super::child::failed("check-ignore", &output)),
        }
        let names = output.stdout.split(|byte| *byte == 0);
        Ok(names
            .filter_map(|name| name.strip_prefix(b"./"))
            .map(TreePath::new)
            .collect())
    }
}

impl Repository {
    /// The attributes by which git would store other bytes of these paths than the work tree has: `filter=lfs`.
    pub fn converted(&self, paths: &[TreePath]) -> Result<Vec<(TreePath, String)>, ChildError> {
        if paths.is_empty() {
            return Ok(Vec::new());
        }
        let input: Vec<u8> = paths
            .iter()
            .flat_map(|path| [path.as_bytes(), b"\0"].concat())
            .collect();
        let told = GitCommand::new(self, "check-attr")
            .option("-z")
            .option("--stdin")
            .option("filter")
            .option("working-tree-encoding")
            .run(&input)?;
        let fields: Vec<&[u8]> = told.split(|byte| *byte == 0).collect();
        let text = |field: &[u8]| String::from_utf8_lossy(field).into_owned();
        let is_said = |value: &[u8]| !matches!(value, b"unspecified" | b"unset" | b"set");
        let rows = fields.chunks_exact(3).filter(|row| is_said(row[2]));
        Ok(rows
            .map(|row| {
                (
                    TreePath::new(row[0]),
                    format!("{}={}", text(row[1]), text(row[2])),
                )
            })
            .collect())
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::CLOEXEC);

/// Refuses what is no path to a file of the work tree.
pub fn check(path: &TreePath) -> Result<(), Unreachable> {
    let bytes = path.as_bytes();
    let is_name = |name: &[u8]| !matches!(name, b"" | b"." | b"..") && !name.contains(&0);
    let is_own = path.name().starts_with(TEMPORARY.as_bytes());
    if is_own || !bytes.split(|byte| *byte == b'/').all(is_name) {
        return Err(Unreachable::Outside);
    }
    if path.names().any(is_git_directory) {
        return Err(Unreachable::GitDirectory);
    }
    Ok(())
}

fn remove_in(folder: &OwnedFd, name: &[u8]) -> io::Result<()> {
    match unlinkat(folder.as_fd(), name, AtFlags::empty()) {
        Ok(()) | Err(Errno::NOENT) => Ok(()),
        Err(error) => Err(error.into()),
    }
}

fn shown(path: &TreePath) -> String {
    quote(path.as_bytes(), false)
}
