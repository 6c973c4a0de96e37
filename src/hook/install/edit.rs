//! Edits of files as values, and doing them: each checks what it expects, and all are undone when one fails.
//!
//! A file is replaced by way of `<file>.lock` and a rename, as git does it with its own files, so that this excludes git
//! as well; mode and owner stay as they were.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, PermissionsExt, fchown};
use std::path::{Path, PathBuf};

use super::folder::is_same_file;

/// Bytes and mode of a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Content {
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
        before: Option<Content>,
        /// What shall be there.
        after: Option<Content>,
    },
    /// Gives a hook another name and puts a file of ours in its place; at no moment is there no hook.
    Chain {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
        /// What takes its place.
        own: Content,
    },
    /// Puts a hook that was renamed back in its place.
    Unchain {
        /// Its name.
        hook: PathBuf,
        /// Its other name.
        chained: PathBuf,
        /// What stands in its place.
        own: Content,
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
    /// Somebody changed it in between.
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
    paths.iter().map(|path| format!("'{}'", path.display())).collect::<Vec<_>>().join(", ")
}

impl Edit {
    /// What it changes.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::MakeDirectory { path, .. } | Self::RemoveDirectory { path, .. } | Self::Write { path, .. } => path,
            Self::Chain { hook, .. } | Self::Unchain { hook, .. } | Self::Untwin { hook, .. } | Self::Twin { hook, .. } => hook,
            Self::Rename { from, .. } => from,
        }
    }

    /// The edit that takes it back.
    #[must_use]
    pub fn inverse(&self) -> Self {
        match self.clone() {
            Self::MakeDirectory { path, mode } => Self::RemoveDirectory { path, mode },
            Self::RemoveDirectory { path, mode } => Self::MakeDirectory { path, mode },
            Self::Write { path, before, after } => Self::Write { path, before: after, after: before },
            Self::Chain { hook, chained, own } => Self::Unchain { hook, chained, own },
            Self::Unchain { hook, chained, own } => Self::Chain { hook, chained, own },
            Self::Untwin { hook, chained } => Self::Twin { hook, chained },
            Self::Twin { hook, chained } => Self::Untwin { hook, chained },
            Self::Rename { from, to } => Self::Rename { from: to, to: from },
        }
    }

    fn run(&self) -> Result<(), EditError> {
        let failed = |source| EditError::Failed { path: self.path().to_owned(), source };
        match self {
            Self::MakeDirectory { path, mode } => match fs::DirBuilder::new().mode(*mode).create(path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(EditError::Changed(path.clone())),
                made => made.map_err(failed),
            },
            Self::RemoveDirectory { path, .. } => match fs::remove_dir(path) {
                Err(error) if !matches!(error.kind(), io::ErrorKind::DirectoryNotEmpty | io::ErrorKind::NotFound) => {
                    Err(failed(error))
                }
                _ => Ok(()),
            },
            Self::Write { path, before, after } => write(path, before.as_ref(), after.as_ref()),
            Self::Chain { hook, chained, own } => chain(hook, chained, own),
            Self::Unchain { hook, chained, own } => {
                let is_ours = present(hook).map_err(failed)?.as_ref() == Some(own);
                let is_there = fs::symlink_metadata(chained).is_ok();
                if !is_ours || !is_there {
                    return Err(EditError::Changed(hook.clone()));
                }
                fs::rename(chained, hook).map_err(failed)
            }
            Self::Untwin { hook, chained } if is_same_file(hook, chained) => fs::remove_file(chained).map_err(failed),
            Self::Untwin { hook, .. } => Err(EditError::Changed(hook.clone())),
            Self::Twin { hook, chained } => fs::hard_link(hook, chained).map_err(failed),
            Self::Rename { from, to } if fs::symlink_metadata(to).is_ok() => Err(EditError::Changed(from.clone())),
            Self::Rename { from, to } => fs::rename(from, to).map_err(failed),
        }
    }
}

/// Does all edits in order, or none of them.
pub fn apply(edits: &[Edit]) -> Result<(), EditError> {
    for (index, edit) in edits.iter().enumerate() {
        if let Err(cause) = edit.run() {
            let undone = edits[..index].iter().rev().filter(|edit| edit.inverse().run().is_err());
            let left: Vec<PathBuf> = undone.map(|edit| edit.path().to_owned()).collect();
            return Err(if left.is_empty() { cause } else { EditError::Left { cause: Box::new(cause), left } });
        }
    }
    Ok(())
}

fn write(path: &Path, before: Option<&Content>, after: Option<&Content>) -> Result<(), EditError> {
    let failed = |source: io::Error| EditError::Failed { path: path.to_owned(), source };
    let (mut open, lock) = lock(path)?;
    let result = match present(path).map_err(failed) {
        Ok(found) if found.as_ref() != before => Err(EditError::Changed(path.to_owned())),
        Ok(_) => after.map_or_else(|| fs::remove_file(path), |after| replace(&mut open, after, &lock, path)).map_err(failed),
        Err(error) => Err(error),
    };
    if result.is_err() || after.is_none() {
        let _ = fs::remove_file(&lock);
    }
    result?;
    path.parent().map_or(Ok(()), |parent| File::open(parent)?.sync_all()).map_err(failed)
}

/// The other name comes first, as a second one of the same file where that can be, and then ours replaces the first.
fn chain(hook: &Path, chained: &Path, own: &Content) -> Result<(), EditError> {
    let failed = |source: io::Error| EditError::Failed { path: hook.to_owned(), source };
    if fs::symlink_metadata(chained).is_ok() {
        return Err(EditError::Changed(chained.to_owned()));
    }
    let (mut open, lock) = lock(hook)?;
    let is_linked = fs::hard_link(hook, chained).is_ok();
    let renamed = if is_linked { Ok(()) } else { fs::rename(hook, chained) };
    let result = renamed.and_then(|()| open.write_all(&own.bytes));
    let result = result.and_then(|()| open.set_permissions(fs::Permissions::from_mode(own.mode)));
    let result = result.and_then(|()| open.sync_all()).and_then(|()| fs::rename(&lock, hook));
    result.map_err(|error| {
        let _ = fs::remove_file(&lock);
        // A file with two names loses one; else it gets its name back.
        let _ = if is_linked { fs::remove_file(chained) } else { fs::rename(chained, hook) };
        failed(error)
    })
}

/// Makes the file by way of which another is replaced; there can be only one.
///
/// One that was left by somebody who died is removed: the kernel has let go of it. Git does not lock its own so, and
/// therefore that of its configuration is never touched.
fn lock(path: &Path) -> Result<(File, PathBuf), EditError> {
    let lock = PathBuf::from([path.as_os_str(), ".lock".as_ref()].join(std::ffi::OsStr::new("")));
    let create = || OpenOptions::new().write(true).create_new(true).open(&lock);
    let is_gits = path.file_name() == Some("config".as_ref());
    let made = match create() {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists && !is_gits => {
            let is_abandoned = File::open(&lock).is_ok_and(|open| open.try_lock().is_ok());
            if is_abandoned && fs::remove_file(&lock).is_ok() { create() } else { Err(error) }
        }
        made => made,
    };
    match made {
        Ok(open) => {
            // Where the file system has no such locks, nothing is ever taken for abandoned.
            let _ = open.try_lock();
            Ok((open, lock))
        }
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(EditError::Locked(path.to_owned())),
        Err(source) => Err(EditError::Failed { path: path.to_owned(), source }),
    }
}

fn replace(open: &mut File, content: &Content, lock: &Path, path: &Path) -> io::Result<()> {
    open.write_all(&content.bytes)?;
    if let Ok(found) = fs::metadata(path) {
        // Only the administrator can give files away; for everybody else they are the same already.
        let _ = fchown(&*open, Some(found.uid()), Some(found.gid()));
    }
    open.set_permissions(fs::Permissions::from_mode(content.mode))?;
    open.sync_all()?;
    fs::rename(lock, path)
}

/// What is there now.
pub(super) fn present(path: &Path) -> io::Result<Option<Content>> {
    match fs::symlink_metadata(path) {
        Ok(found) => Ok(Some(Content { bytes: fs::read(path)?, mode: found.permissions().mode() & 0o7777 })),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
        Err(error) => Err(error),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn own(text: &str) -> Content {
        Content { bytes: text.into(), mode: 0o755 }
    }

    #[test]
    fn all_is_undone_when_one_fails() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        apply(&[Edit::Write { path: at("a"), before: None, after: Some(own("mine")) }]).unwrap();
        let edits = [
            Edit::MakeDirectory { path: at("d"), mode: 0o777 },
            Edit::Write { path: at("d/new"), before: None, after: Some(own("new")) },
            Edit::Write { path: at("a"), before: Some(own("mine")), after: Some(own("other")) },
            Edit::Chain { hook: at("a"), chained: at("b"), own: own("ours") },
            Edit::Write { path: at("c"), before: Some(own("not there")), after: None },
        ];
        let error = apply(&edits).unwrap_err();
        assert!(matches!(error, EditError::Changed(path) if path == at("c")));
        let names: Vec<_> = fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
        assert_eq!(names, ["a"]);
        assert_eq!(present(&at("a")).unwrap(), Some(own("mine")));
    }

    #[test]
    fn a_lock_of_somebody_else_is_respected() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("config");
        fs::write(folder.path().join("config.lock"), "").unwrap();
        let error = apply(&[Edit::Write { path: path.clone(), before: None, after: Some(own("x")) }]).unwrap_err();
        assert!(matches!(error, EditError::Locked(_)) && !path.exists());
        assert!(folder.path().join("config.lock").exists(), "it is not ours to remove");
    }
}
