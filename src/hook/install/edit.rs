//! Edits of files as values, and doing them: each checks what it expects, and all are undone when one fails.
//!
//! A file is replaced by way of `<file>.lock` and a rename, as git does it with its own files, so that this excludes git
//! as well; mode and owner stay as they were. It is closed before it gets its name: the system starts no program that is
//! open for writing, and a hook must run at every moment.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown, symlink};
use std::path::{Path, PathBuf};

use super::folder::is_twin;

/// Bytes and mode of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HookContent {
    /// All bytes.
    pub bytes: Vec<u8>,
    /// The mode.
    pub mode: u32,
}

/// One change; it expects what its plan saw.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Edit {
    /// Makes a directory; `mode` is cut by the user's mask.
    MakeDirectory {
        /// Where.
        path: PathBuf,
        /// For example 0777.
        mode: u32,
    },
    /// Removes a directory if nothing is in it.
    RemoveDirectory {
        /// Where.
        path: PathBuf,
        /// Its mode, to make it again.
        mode: u32,
    },
    /// Makes, replaces or removes a file.
    Write {
        /// Where.
        path: PathBuf,
        /// What is there.
        before: Option<HookContent>,
        /// What shall be there.
        after: Option<HookContent>,
    },
    /// Gives a hook another name and puts a file of ours in its place; at no moment is there no hook.
    Chain {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
        /// What takes its place.
        own: HookContent,
    },
    /// Puts a hook that was renamed back in its place.
    Unchain {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
        /// What stands in its place.
        own: HookContent,
    },
    /// Takes the other name away from a hook that has both.
    Untwin {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
    },
    /// Gives a hook that has one name the other one too.
    Twin {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
    },
    /// Gives a file another name, in the same folder.
    Rename {
        /// What it is called.
        from: PathBuf,
        /// What it shall be called.
        to: PathBuf,
    },
}

/// Why edits were not done.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// Another process changed it in between.
    #[error("'{0}' was changed in between")]
    Changed(PathBuf),
    /// Another program is at work on it, or died there.
    #[error("cannot lock '{0}': '{0}.lock' exists")]
    Locked(PathBuf),
    /// The file system refuses.
    #[error("cannot change '{path}'")]
    Failed {
        /// What was to be changed.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// One failed, and these that were done before could not be undone.
    #[error("{cause}, and what was done before could not be undone: {}", names(.left))]
    Left {
        /// The first failure.
        cause: Box<Self>,
        /// What is not as it was.
        left: Vec<PathBuf>,
    },
}

fn names(paths: &[PathBuf]) -> String {
    paths
        .iter()
        .map(|path| format!("'{}'", path.display()))
        .collect::<Vec<_>>()
        .join(", ")
}

impl Edit {
    /// What it changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::MakeDirectory { path, .. }
            | Self::RemoveDirectory { path, .. }
            | Self::Write { path, .. } => path,
            Self::Chain { hook, .. }
            | Self::Unchain { hook, .. }
            | Self::Untwin { hook, .. }
            | Self::Twin { hook, .. } => hook,
            Self::Rename { from, .. } => from,
        }
    }

    /// The edit that takes it back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self.clone() {
            Self::MakeDirectory { path, mode } => Self::RemoveDirectory { path, mode },
            Self::RemoveDirectory { path, mode } => Self::MakeDirectory { path, mode },
            Self::Write {
                path,
                before,
                after,
            } => Self::Write {
                path,
                before: after,
                after: before,
            },
            Self::Chain { hook, chained, own } => Self::Unchain { hook, chained, own },
            Self::Unchain { hook, chained, own } => Self::Chain { hook, chained, own },
            Self::Untwin { hook, chained } => Self::Twin { hook, chained },
            Self::Twin { hook, chained } => Self::Untwin { hook, chained },
            Self::Rename { from, to } => Self::Rename { from: to, to: from },
        }
    }

    fn run(&self) -> Result<(), EditError> {
        let failed = |source| EditError::Failed {
            path: self.path().to_owned(),
            source,
        };
        match self {
            Self::MakeDirectory { path, mode } => {
                match fs::DirBuilder::new().mode(*mode).create(path) {
                    Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                        Err(EditError::Changed(path.clone()))
                    }
                    made => made.map_err(failed),
                }
            }
            Self::RemoveDirectory { path, .. } => match fs::remove_dir(path) {
                Err(error)
                    if !matches!(
                        error.kind(),
                        io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound
                    ) =>
                {
                    Err(failed(error))
                }
                _ => Ok(()),
            },
            Self::Write {
                path,
                before,
                after,
            } => write(path, before.as_ref(), after.as_ref()),
            Self::Chain { hook, chained, own } => chain(hook, chained, own),
            Self::Unchain { hook, chained, own } => {
                let is_ours = present(hook).map_err(failed)?.as_ref() == Some(own);
                let is_there = fs::symlink_metadata(chained).is_ok();
                if !is_ours || !is_there {
                    return Err(EditError::Changed(hook.clone()));
                }
                fs::rename(chained, hook).map_err(failed)
            }
            Self::Untwin { hook, chained } if is_twin(hook, chained) => {
                fs::remove_file(chained).map_err(failed)
            }
            Self::Untwin { hook, .. } => Err(EditError::Changed(hook.clone())),
            Self::Twin { hook, chained } => second_name(hook, chained).map_err(failed),
            Self::Rename { from, to } if fs::symlink_metadata(to).is_ok() => {
                Err(EditError::Changed(from.clone()))
            }
            Self::Rename { from, to } => fs::rename(from, to).map_err(failed),
        }
    }
}

/// Does all edits in order, or none of them.
pub fn apply(edits: &[Edit]) -> Result<(), EditError> {
    for (index, edit) in edits.iter().enumerate() {
        if let Err(cause) = edit.run() {
            let undone = edits[..index]
                .iter()
                .rev()
                .filter(|edit| edit.inverse().run().is_err());
            let left: Vec<PathBuf> = undone.map(|edit| edit.path().to_owned()).collect();
            return Err(if left.is_empty() {
                cause
            } else {
                EditError::Left {
                    cause: Box::new(cause),
                    left,
                }
            });
        }
    }
    Ok(())
}

/// Replaces a file and flushes its directory; where that fails, the file is as it was.
fn write(
    path: &Path,
    before: Option<&HookContent>,
    after: Option<&HookContent>,
) -> Result<(), EditError> {
    exchange(path, before, after)?;
    let flushed = path
        .parent()
        .map_or(Ok(()), |parent| File::open(parent)?.sync_all());
    flushed.map_err(|source| {
        // Only this edit knows that it was done; the caller takes back the edits before it.
        let _ = exchange(path, after, before);
        EditError::Failed {
            path: path.to_owned(),
            source,
        }
    })
}

fn exchange(
    path: &Path,
    before: Option<&HookContent>,
    after: Option<&HookContent>,
) -> Result<(), EditError> {
    let failed = |source: io::Error| EditError::Failed {
        path: path.to_owned(),
        source,
    };
    let lock = Lock::take(path)?;
    let found = present(path).map_err(failed)?;
    if found.as_ref() != before {
        return Err(EditError::Changed(path.to_owned()));
    }
    match after {
        Some(after) => lock.replace(path, after).map_err(failed),
        None => fs::remove_file(path).map_err(failed),
    }
}

/// The other name comes first, as a second one of the same file where that can be, and then ours replaces the first.
fn chain(hook: &Path, chained: &Path, own: &HookContent) -> Result<(), EditError> {
    let failed = |source: io::Error| EditError::Failed {
        path: hook.to_owned(),
        source,
    };
    if fs::symlink_metadata(chained).is_ok() {
        return Err(EditError::Changed(chained.to_owned()));
    }
    let lock = Lock::take(hook)?;
    second_name(hook, chained).map_err(failed)?;
    lock.put(hook, own).map_err(|error| {
        let _ = fs::remove_file(chained);
        failed(error)
    })
}

/// Gives a file a second name; on a file system that has no such thing, a copy of the file with the same mode.
fn second_name(file: &Path, name: &Path) -> io::Result<()> {
    match fs::hard_link(file, name) {
        Err(error)
            if !matches!(
                error.kind(),
                io::ErrorKind::AlreadyExists | io::ErrorKind::NotFound
            ) => {}
        done => return done,
    }
    if let Ok(target) = fs::read_link(file) {
        return symlink(target, name);
    }
    let temporary = beside(name, ".tmp");
    fs::copy(file, &temporary)?;
    File::open(&temporary)?.sync_all()?;
    fs::rename(temporary, name)
}

/// The file by way of which another is replaced, of which there can be only one; gone when dropped.
struct Lock {
    path: PathBuf,
    file: File,
    /// Holds the kernel's lock, by which others see that this process lives. It only reads, so that it may stay open
    /// when the file has become a hook.
    guard: Option<File>,
}

impl Lock {
    /// One that a dead process left is removed: the kernel has let go of it. Git does not lock its own so, and
    /// therefore that of its configuration is never touched.
    fn take(path: &Path) -> Result<Self, EditError> {
        let lock = beside(path, ".lock");
        let create = || OpenOptions::new().write(true).create_new(true).open(&lock);
        let is_gits = path.file_name() == Some("config".as_ref());
        let made = match create() {
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !is_gits => {
                let is_abandoned = File::open(&lock).is_ok_and(|open| open.try_lock().is_ok());
                if is_abandoned && fs::remove_file(&lock).is_ok() {
                    create()
                } else {
                    Err(error)
                }
            }
            made => made,
        };
        let failed = |source| EditError::Failed {
            path: path.to_owned(),
            source,
        };
        match made {
            Ok(file) => {
                // Where the file system has no such locks, nothing is ever taken for abandoned.
                let guard = File::open(&lock).ok();
                let _ = guard.as_ref().map(File::try_lock);
                // Another installer may have taken it for abandoned in the moment before it was locked.
                if file.metadata().map_err(failed)?.nlink() == 0 {
                    return Err(EditError::Locked(path.to_owned()));
                }
                Ok(Self {
                    path: lock,
                    file,
                    guard,
                })
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {
                Err(EditError::Locked(path.to_owned()))
            }
            Err(source) => Err(failed(source)),
        }
    }

    /// Makes the content that of the path, with the owner that the file had.
    fn replace(self, path: &Path, content: &HookContent) -> io::Result<()> {
        if let Ok(found) = fs::metadata(path) {
            // Only the administrator can give files away; for everybody else they are the same already.
            let _ = fchown(&self.file, Some(found.uid()), Some(found.gid()));
        }
        self.put(path, content)
    }

    fn put(mut self, path: &Path, content: &HookContent) -> io::Result<()> {
        self.file.write_all(&content.bytes)?;
        self.file
            .set_permissions(fs::Permissions::from_mode(content.mode))?;
        self.file.sync_all()?;
        // Closes the descriptor that writes. The guard's takes its place and is closed at the end.
        if let Some(guard) = self.guard.take() {
            self.file = guard;
        } else {
            self.file = File::open(&self.path)?;
        }
        fs::rename(&self.path, path)
    }
}

impl Drop for Lock {
    fn drop(&mut self) {
        // After a rename there is none of this name, or that of another process.
        let own = self
            .file
            .metadata()
            .ok()
            .zip(fs::symlink_metadata(&self.path).ok());
        if own.is_some_and(|(own, there)| (own.dev(), own.ino()) == (there.dev(), there.ino())) {
            let _ = fs::remove_file(&self.path);
        }
    }
}

/// A path with something behind its name.
fn beside(path: &Path, end: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(end);
    name.into()
}

/// What is there now.
pub(super) fn present(path: &Path) -> io::Result<Option<HookContent>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(HookContent {
            bytes: fs::read(path)?,
            mode: found.permissions().mode() & 0o7777,
        })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> HookContent {
        HookContent {
            bytes: text.into(),
            mode: 0o755,
        }
    }

    #[test]
    fn all_is_undone_when_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        apply(&[Edit::Write {
            path: at("a"),
            before: None,
            after: Some(own("mine")),
        }])
        .unwrap();
        let edits = [
            Edit::MakeDirectory {
                path: at("d"),
                mode: 0o777,
            },
            Edit::Write {
                path: at("d/new"),
                before: None,
                after: Some(own("new")),
            },
            Edit::Write {
                path: at("a"),
                before: Some(own("mine")),
                after: Some(own("other")),
            },
            Edit::Chain {
                hook: at("a"),
                chained: at("b"),
                own: own("ours"),
            },
            Edit::Write {
                path: at("c"),
                before: Some(own("not there")),
                after: None,
            },
        ];
        let error = apply(&edits).unwrap_err();
        assert!(matches!(error, EditError::Changed(path) if path == at("c")));
        let names: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .collect();
        assert_eq!(names, ["a"]);
        assert_eq!(present(&at("a")).unwrap(), Some(own("mine")));
    }

    #[test]
    fn a_lock_of_somebody_else_is_respected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        fs::write(folder.path().join("config.lock"), "").unwrap();
        let error = apply(&[Edit::Write {
            path: path.clone(),
            before: None,
            after: Some(own("x")),
        }])
        .unwrap_err();
        assert!(matches!(error, EditError::Locked(_)) && !path.exists());
        assert!(
            folder.path().join("config.lock").exists(),
            "it is not ours to remove"
        );
    }
}
