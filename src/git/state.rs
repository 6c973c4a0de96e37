//! The room of the state directory, `<git dir>/merkle`: the one place that opens, lists, renames or removes below it.
//!
//! A git directory may come from another person: an unpacked archive, or tracked files that look like a bare repository.
//! So what stands below `merkle` is not believed to be this program's own. Every access walks down from the git directory
//! folder by folder, and refuses
//!
//! | what | how |
//! |---|---|
//! | a symbolic link, in the place of `merkle`, of a folder, or of a file | `O_NOFOLLOW` at every step |
//! | anything but a folder or a plain file | looked at after opening; `O_NONBLOCK`, so that no pipe is waited for |
//! | what belongs to another user | the process's own user, or the owner of the git directory, which git's rule accepted |
//! | a file above the limit of its kind | before it is read |
//! | a second name (hard link) of a file that grows in place | it may be a file of the user |
//!
//! A refusal is an [`io::Error`] that holds a [`Refused`]. A file is removed or replaced only where a plain file stands.
//! What must not be forged is written by [`StateDir::write_sealed`]: see `seal.rs`.
//! `tests/it/architecture` holds other modules to this room.

use std::fs::File;
use std::io::{self, Read as _, Write as _};
use std::os::fd::{AsFd as _, OwnedFd};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use rustix::fs::{
    AtFlags, CWD, FileType, Mode, OFlags, Stat, fstat, linkat, mkdirat, openat, renameat, statat,
    unlinkat,
};
use rustix::io::Errno;
use rustix::path::Arg;

use super::file::{GITS, OWNERS, create_new_in, names_in, remove_abandoned_in, replace_in};
use super::lock::Lock;
use super::repo::Repository;
use super::seal::Seal;
use crate::base::absent::{absent_is_fine, if_there};
use crate::base::number::to_index;
use crate::base::{Digest, HashKey, Shelf};

/// The folder's name in a git directory.
const NAME: &str = "merkle";
/// Context of the digests in sealed files.
const SEAL_CONTEXT: &str = "git-merkle 2026 sealed file/1";
/// What a sealed file begins with; the digest, as hex, ends the line.
const SEAL_HEAD: &str = "git-merkle/sealed/1 ";
const SEAL_LINE_BYTES: usize = SEAL_HEAD.len() + 64 + 1;

/// Why something below the state directory is not used.
#[derive(Debug, thiserror::Error)]
#[error("'{}' {why}", path.display())]
pub struct Refused {
    /// What stands there.
    pub path: PathBuf,
    /// What is wrong with it.
    pub why: &'static str,
}

impl Refused {
    /// The refusal in an error, if it is one.
    #[must_use]
    pub fn of(error: &io::Error) -> Option<&Self> {
        error.get_ref()?.downcast_ref()
    }
}

const IS_LINK: &str = "is a symbolic link; this program did not make it";
const IS_NO_FILE: &str = "is not a regular file; this program did not make it";
const IS_NO_FOLDER: &str = "is not a directory; this program did not make it";
const IS_FOREIGN: &str = "belongs to another user";
const IS_LARGE: &str = "is larger than any file of its kind";
const IS_SHARED: &str = "has a second name (hard link)";

/// The state directory of a repository, or a folder below it. Cheap to clone; opens nothing until it is used.
#[derive(Debug, Clone)]
pub struct StateDir {
    /// The git directory, or in tests a folder that the test vouches for.
    base: PathBuf,
    /// The folders from there on.
    below: Vec<&'static str>,
    seal: Arc<Seal>,
    lists_unsigned: bool,
    shelf: Shelf,
}

/// A folder that was walked down to.
struct Open {
    folder: OwnedFd,
    /// Who may own what is in it.
    owners: [u32; 2],
}

impl StateDir {
    /// The state directory in the common git directory, which linked worktrees share; nothing is created.
    #[must_use]
    pub fn of(repo: &Repository) -> Self {
        Self {
            base: repo.common_dir().to_owned(),
            below: vec![NAME],
            seal: Arc::default(),
            lists_unsigned: false,
            shelf: Shelf::default(),
        }
    }

    /// The one in the git directory of this worktree.
    #[must_use]
    pub fn of_worktree(repo: &Repository) -> Self {
        Self {
            base: repo.git_dir().to_owned(),
            ..Self::of(repo)
        }
    }

    /// A folder that stands for a state directory, in a place that the caller vouches for.
    #[must_use]
    pub fn at(folder: &Path) -> Self {
        Self {
            base: folder.to_owned(),
            below: Vec::new(),
            seal: Arc::default(),
            lists_unsigned: false,
            shelf: Shelf::default(),
        }
    }

    /// The same with a seal that other processes of this user have as well; its key is kept in `key_folder`.
    ///
    /// Without a folder, as before: what this process seals is believed by this process alone.
    #[must_use]
    pub fn sealed(self, key_folder: Option<PathBuf>) -> Self {
        let seal = key_folder.map_or_else(Arc::default, |folder| {
            Arc::new(Seal::kept_in(folder, self.base.clone()))
        });
        Self { seal, ..self }
    }

    /// The same where statements that are stored are listed until they are signed; see `frame::unsigned`.
    #[must_use]
    pub fn listing_unsigned(self, lists_unsigned: bool) -> Self {
        Self {
            lists_unsigned,
            ..self
        }
    }

    /// The same with derived data that this process keeps in memory.
    #[must_use]
    pub fn with_shelf(self, shelf: Shelf) -> Self {
        Self { shelf, ..self }
    }

    /// Derived data in memory; keeps nothing in a process that answers once.
    #[must_use]
    pub fn shelf(&self) -> &Shelf {
        &self.shelf
    }

    /// True where statements that are stored are listed until they are signed.
    #[must_use]
    pub fn lists_unsigned(&self) -> bool {
        self.lists_unsigned
    }

    /// A folder in this one.
    #[must_use]
    pub fn folder(&self, name: &'static str) -> Self {
        let mut folder = self.clone();
        folder.below.push(name);
        folder
    }

    /// Finished answers that are not in the store yet.
    #[must_use]
    pub fn spool(&self) -> Self {
        self.folder("spool")
    }

    /// Derived data, deletable at any time.
    #[must_use]
    pub fn cache(&self) -> Self {
        self.folder("cache")
    }

    /// What hooks leave behind: what was installed, and what happened since.
    #[must_use]
    pub fn hooks(&self) -> Self {
        self.folder("hooks")
    }

    /// The folder's path, to be shown to a person or to be written down. It is not opened by this path.
    #[must_use]
    pub fn shown(&self) -> PathBuf {
        self.below
            .iter()
            .fold(self.base.clone(), |path, name| path.join(name))
    }

    /// The path of a file, for the same uses.
    #[must_use]
    pub fn shown_file(&self, name: &str) -> PathBuf {
        self.shown().join(name)
    }

    /// The git directory that this is in.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        &self.base
    }

    /// True when the folder is there and can be used. An error is a refusal, or the disk.
    pub fn exists(&self) -> io::Result<bool> {
        Ok(if_there(self.open_folder())?.is_some())
    }

    /// Makes the folder, private to the user, with those above it up to the git directory.
    pub fn create(&self) -> io::Result<()> {
        match self.open_folder() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            opened => return opened.map(drop),
        }
        for depth in 1..=self.below.len() {
            let (parent, name) = (self.at_depth(depth - 1), self.below[depth - 1]);
            match mkdirat(&parent.open_folder()?.folder, name, Mode::RWXU) {
                Ok(()) | Err(Errno::EXIST) => {}
                Err(error) => return Err(error.into()),
            }
        }
        self.open_folder().map(drop)
    }

    /// Opens a file for reading that is no larger than `bytes_max`.
    pub fn open(&self, name: &str, bytes_max: u64) -> io::Result<File> {
        let file = self.open_file(&self.open_folder()?, name, OFlags::RDONLY)?;
        if file.metadata()?.len() > bytes_max {
            Err(self.refused(name, IS_LARGE))
        } else {
            Ok(file)
        }
    }

    /// Opens a file for reading and for adding to its end; makes it where it is missing.
    ///
    /// It has no limit: the caller looks at its size, and starts a file anew that is too large, or leaves it alone.
    pub fn open_to_append(&self, name: &str) -> io::Result<File> {
        self.open_to_change(name, OFlags::RDWR | OFlags::APPEND)
    }

    /// Opens a file for writing at any place; makes it where it is missing.
    fn open_to_change(&self, name: &str, flags: OFlags) -> io::Result<File> {
        let file = self.open_file(&self.open_folder()?, name, flags | OFlags::CREATE)?;
        if file.metadata()?.nlink() > 1 {
            Err(self.refused(name, IS_SHARED))
        } else {
            Ok(file)
        }
    }

    /// Makes a file that was not there; `None` where something has the name.
    pub fn create_new(&self, name: &str) -> io::Result<Option<File>> {
        create_new_in(self.open_folder()?.folder.as_fd(), checked(name)?, OWNERS)
    }

    /// The same for a file that becomes one of git's, which others may read.
    pub(super) fn create_new_for_git(&self, name: &str) -> io::Result<Option<File>> {
        create_new_in(self.open_folder()?.folder.as_fd(), checked(name)?, GITS)
    }

    /// Reads a file that is no larger than `bytes_max`.
    pub fn read(&self, name: &str, bytes_max: u64) -> io::Result<Vec<u8>> {
        let file = self.open(name, bytes_max)?;
        let mut bytes =
            Vec::with_capacity(file.metadata().map_or(0, |found| to_index(found.len()) + 1));
        file.take(bytes_max).read_to_end(&mut bytes)?;
        Ok(bytes)
    }

    /// The same as text.
    pub fn read_text(&self, name: &str, bytes_max: u64) -> io::Result<String> {
        String::from_utf8(self.read(name, bytes_max)?)
            .map_err(|error| io::Error::new(io::ErrorKind::InvalidData, error))
    }

    /// Writes a file by way of a temporary one and a rename: readers see the old bytes or the new, never a part.
    ///
    /// Not flushed to the disk: for derived data. See [`StateDir::replace_durably`].
    pub fn replace(
        &self,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        replace_in(
            self.open_for_replacing(name)?.folder.as_fd(),
            name,
            write,
            |_| Ok(()),
        )
    }

    /// Same, and the bytes and the name are on the disk (fsync) when this returns.
    pub fn replace_durably(
        &self,
        name: &str,
        write: impl FnOnce(&mut File) -> io::Result<()>,
    ) -> io::Result<()> {
        let open = self.open_for_replacing(name)?;
        replace_in(open.folder.as_fd(), name, write, File::sync_all)?;
        Ok(rustix::fs::fsync(&open.folder)?)
    }

    /// Replaces a file with bytes that only this user can have written: see [`StateDir::read_sealed`].
    pub fn write_sealed(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let seal = self.seal_of(name, bytes);
        self.replace_durably(name, |open| {
            writeln!(open, "{SEAL_HEAD}{seal}")?;
            open.write_all(bytes)
        })
    }

    /// The same without a flush: for derived data.
    pub fn write_sealed_lightly(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        let seal = self.seal_of(name, bytes);
        self.replace(name, |open| {
            writeln!(open, "{SEAL_HEAD}{seal}")?;
            open.write_all(bytes)
        })
    }

    /// The same in a folder that is made where it is not there.
    pub fn keep(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        self.create()?;
        self.write_sealed_lightly(name, bytes)
    }

    /// Reads what this user has written for this repository; what came with it, or is damaged, counts as absent.
    #[must_use]
    pub fn read_sealed(&self, name: &str, bytes_max: u64) -> Option<Vec<u8>> {
        let mut bytes = self
            .read(name, bytes_max.saturating_add(SEAL_LINE_BYTES as u64))
            .ok()?;
        let (line, body) = bytes.split_at_checked(SEAL_LINE_BYTES)?;
        let seal = std::str::from_utf8(line)
            .ok()?
            .strip_prefix(SEAL_HEAD)?
            .strip_suffix('\n')?;
        if Digest::from_hex(seal)? != self.seal_of(name, body) {
            return None;
        }
        bytes.drain(..SEAL_LINE_BYTES);
        Some(bytes)
    }

    /// The same as text; empty where there is none.
    #[must_use]
    pub fn kept_text(&self, name: &str, bytes_max: u64) -> String {
        let bytes = self.read_sealed(name, bytes_max);
        let text = bytes.and_then(|bytes| String::from_utf8(bytes).ok());
        text.unwrap_or_default()
    }

    /// The key for digests of this user in this repository, for one purpose.
    #[must_use]
    pub fn key(&self, context: &'static str) -> HashKey {
        self.seal.key().derive(context, b"")
    }

    fn seal_of(&self, name: &str, bytes: &[u8]) -> Digest {
        // The place is bound in, from the state directory on: no sealed file can stand for another one.
        let place: Vec<&str> = self.below.iter().skip(1).copied().chain([name]).collect();
        let place = place.join("/");
        self.seal
            .key()
            .derive(SEAL_CONTEXT, place.as_bytes())
            .digest(bytes)
    }

    /// Removes a plain file; one that is gone already is fine.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        let removed = self.open_folder().and_then(|open| {
            self.check_replaceable(&open, name)?;
            Ok(unlinkat(&open.folder, name, AtFlags::empty())?)
        });
        removed.or_else(absent_is_fine)
    }

    /// Gives a plain file another name in this folder, in the place of a plain file that has it.
    pub fn rename(&self, from: &str, to: &str) -> io::Result<()> {
        let open = self.open_folder()?;
        self.check_replaceable(&open, from)?;
        self.check_replaceable(&open, to)?;
        Ok(renameat(&open.folder, from, &open.folder, to)?)
    }

    /// Moves a plain file into another folder, which is made, under a name that nothing has there; the name.
    pub fn set_aside(&self, name: &str, to: &Self) -> io::Result<String> {
        to.create()?;
        let (from, into) = (self.open_folder()?, to.open_folder()?);
        self.check_replaceable(&from, name)?;
        for number in 1_u32.. {
            let aside = if number == 1 {
                name.to_owned()
            } else {
                format!("{name}.{number}")
            };
            // The empty file takes the name, so that no other process does.
            if to.create_new(&aside)?.is_some() {
                renameat(&from.folder, name, &into.folder, &aside)?;
                return Ok(aside);
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Gives a file a second name at a path outside; fails where something has it.
    pub(super) fn link(&self, name: &str, path: &Path) -> io::Result<()> {
        Ok(linkat(
            &self.open_folder()?.folder,
            checked(name)?,
            CWD,
            path,
            AtFlags::empty(),
        )?)
    }

    /// The names in the folder, in order; none where there is no folder.
    pub fn names(&self) -> io::Result<Vec<String>> {
        match self.open_folder() {
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
            open => names_in(open?.folder.as_fd()),
        }
    }

    /// Takes a kernel lock on a file, which is made with its folders; see [`Lock`].
    pub fn lock(&self, name: &str, wait: Duration) -> io::Result<Option<Lock>> {
        self.create()?;
        Lock::on(self.open_to_change(name, OFlags::WRONLY)?, wait)
    }

    /// Removes the temporary files whose writers have died.
    pub fn remove_abandoned(&self) {
        if let Ok(open) = self.open_folder() {
            remove_abandoned_in(open.folder.as_fd());
        }
    }

    fn at_depth(&self, depth: usize) -> Self {
        Self {
            below: self.below[..depth].to_vec(),
            ..self.clone()
        }
    }

    /// Walks down to the folder.
    fn open_folder(&self) -> io::Result<Open> {
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let base = if self.base.as_os_str().is_empty() {
            Path::new(".")
        } else {
            &self.base
        };
        let mut folder = openat(CWD, base, flags, Mode::empty())?;
        let owners = [rustix::process::geteuid().as_raw(), fstat(&folder)?.st_uid];
        for (depth, name) in self.below.iter().enumerate() {
            let refused = |why| refused(self.at_depth(depth + 1).shown(), why);
            let next = openat(&folder, *name, flags | OFlags::NOFOLLOW, Mode::empty());
            folder = match next {
                Err(Errno::LOOP | Errno::NOTDIR) if is_link(&folder, *name) => {
                    return Err(refused(IS_LINK));
                }
                Err(Errno::LOOP | Errno::NOTDIR) => return Err(refused(IS_NO_FOLDER)),
                next => next?,
            };
            if !owners.contains(&fstat(&folder)?.st_uid) {
                return Err(refused(IS_FOREIGN));
            }
        }
        Ok(Open { folder, owners })
    }

    fn open_file(&self, open: &Open, name: &str, flags: OFlags) -> io::Result<File> {
        let safe = OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::NOCTTY | OFlags::CLOEXEC;
        let file = match openat(
            &open.folder,
            checked(name)?,
            flags | safe,
            Mode::RUSR | Mode::WUSR,
        ) {
            Err(Errno::LOOP) => return Err(self.refused(name, IS_LINK)),
            // A directory, a pipe that no process reads, a socket.
            Err(Errno::ISDIR | Errno::NXIO) => return Err(self.refused(name, IS_NO_FILE)),
            opened => opened?,
        };
        self.check(open.owners, name, &fstat(&file)?)?;
        Ok(File::from(file))
    }

    fn check(&self, owners: [u32; 2], name: &str, found: &Stat) -> io::Result<()> {
        match FileType::from_raw_mode(found.st_mode) {
            FileType::RegularFile if owners.contains(&found.st_uid) => Ok(()),
            FileType::RegularFile => Err(self.refused(name, IS_FOREIGN)),
            FileType::Symlink => Err(self.refused(name, IS_LINK)),
            _ => Err(self.refused(name, IS_NO_FILE)),
        }
    }

    /// Refuses where something else than a plain file of this user has the name.
    fn check_replaceable(&self, open: &Open, name: &str) -> io::Result<()> {
        match statat(&open.folder, checked(name)?, AtFlags::SYMLINK_NOFOLLOW) {
            Err(Errno::NOENT) => Ok(()),
            found => self.check(open.owners, name, &found?),
        }
    }

    fn open_for_replacing(&self, name: &str) -> io::Result<Open> {
        let open = self.open_folder()?;
        self.check_replaceable(&open, name)?;
        Ok(open)
    }

    fn refused(&self, name: &str, why: &'static str) -> io::Error {
        refused(self.shown_file(name), why)
    }
}

fn refused(path: PathBuf, why: &'static str) -> io::Error {
    io::Error::new(io::ErrorKind::PermissionDenied, Refused { path, why })
}

/// True for a symbolic link, whatever it leads to.
pub(super) fn is_link(folder: &OwnedFd, name: impl Arg) -> bool {
    let found = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW);
    found.is_ok_and(|found| FileType::from_raw_mode(found.st_mode) == FileType::Symlink)
}

/// A name, which never leads out of its folder.
fn checked(name: &str) -> io::Result<&str> {
    let is_name = !name.is_empty() && !matches!(name, "." | "..") && !name.contains(['/', '\0']);
    if is_name {
        Ok(name)
    } else {
        Err(io::ErrorKind::InvalidInput.into())
    }
}
