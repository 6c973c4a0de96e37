//! What of a work tree may differ from the index, by one look at each file and the names in each directory.
//!
//! `git add -A` looks the same way, and then reads, judges and writes an index of every file; here git judges no more than
//! the paths that are handed to it. The look errs on one side only: a path that is left out has the inode, mode, owner, size and times
//! that the index has of it, to the nanosecond, and is older than the index by a second's count. So git would not read it
//! either. What is not tracked git judges, by its rules about what is ignored.
//!
//! There is no look ([`Dirty::of`] is `None`), and git does the whole work, where a path may mean something else to it: an index
//! with conflicts or promises in it, a repository inside that no entry names, a file where the index has a directory, a
//! setting that makes git trust less of what the system tells of a file.

use std::collections::{HashMap, HashSet};
use std::ffi::OsStr;
use std::os::fd::OwnedFd;
use std::os::unix::ffi::OsStrExt;

use gix::index::entry::{Flags, Mode as EntryMode, Stage};
use gix::index::{Entry, File as Index};
use rustix::fs::{AtFlags, Dir, FileType, Stat, statat};
use rustix::io::Errno;

use super::child::{ChildError, GitCommand};
use super::object::from_oid;
use super::repo::Repository;
use super::sweep::{ENTRIES_MAX, Stamp, file_type, join, open_at, open_root, stamp_at};
use crate::base::cores::on_all_cores;
use crate::base::path::is_git_directory;
use crate::base::{NodeId, TreePath};

/// Most directories without a tracked file that git lists by name.
const NEW_FOLDERS_MAX: usize = 64;
const NO_FOLLOW: AtFlags = AtFlags::SYMLINK_NOFOLLOW;

/// What may differ, and what the index says where nothing does.
pub(super) struct Dirty {
    /// The tree of the index, where it remembers it.
    pub(super) tree: Option<NodeId>,
    /// Tracked files that do not look as the index knows them, submodules, and files that are neither tracked nor ignored.
    pub(super) paths: Vec<Vec<u8>>,
    /// How many of these, from the first, are tracked.
    pub(super) tracked: usize,
    /// Directories with a file of the name that is looked for, ignored ones too.
    pub(super) named: Vec<Vec<u8>>,
    index: Option<Stamp>,
}

impl Dirty {
    /// Looks at the work tree of a repository. With a `name` the directories that have such a file are found as well.
    pub(super) fn of(repo: &Repository, name: Option<&[u8]>) -> Option<Self> {
        if distrusts_files(repo) {
            return None;
        }
        let path = repo.inner.index_path();
        let stamp = stamp_at(&path);
        let index = open_index(repo)?;
        let root = open_root(repo)?;
        let folders = Folder::all(&index)?;
        let look = |(): &(), at: usize| folders[at].look(&root, &index, name);
        let looked = on_all_cores(folders.len(), &(), || (), look);
        let mut dirty = Self {
            tree: tree_of(repo, &index),
            paths: Vec::new(),
            tracked: 0,
            named: Vec::new(),
            index: stamp,
        };
        let mut strangers = Vec::new();
        for (folder, seen) in folders.iter().zip(looked) {
            let seen = seen?;
            dirty.paths.extend(seen.dirty);
            strangers.extend(seen.strangers);
            if seen.has_named {
                dirty.named.push(folder.path.to_vec());
            }
        }
        if let Some(name) = name {
            let below = strangers.iter().filter(|stranger| stranger.is_folder);
            for stranger in below {
                find_named(&root, &stranger.path, name, &mut dirty.named)?;
            }
        }
        dirty.tracked = dirty.paths.len();
        dirty.paths.extend(not_ignored(repo, strangers)?);
        Some(dirty)
    }

    /// True while the index is the one that was looked into.
    pub(super) fn is_current(&self, repo: &Repository) -> bool {
        stamp_at(&repo.inner.index_path()) == self.index
    }
}

/// True where the repository says that the system does not tell files as git wants them.
fn distrusts_files(repo: &Repository) -> bool {
    let config = repo.inner.config_snapshot();
    let is = |key: &str, wanted: bool| config.boolean(key) == Some(wanted);
    is("core.fileMode", false)
        || is("core.symlinks", false)
        || is("core.trustCtime", false)
        || is("core.ignoreCase", true)
        || is("core.precomposeUnicode", true)
        || is("core.sparseCheckout", true)
        || config.string("core.checkStat").is_some()
}

/// Reads the index; `None` where an entry of it is more than a file and what is known of it.
fn open_index(repo: &Repository) -> Option<Index> {
    // As git does, without the checksum: what is read wrong differs from the files, and then git reads it.
    let options = gix::index::decode::Options::default();
    let hash = repo.inner.object_hash();
    let index = Index::at(repo.inner.index_path(), hash, true, options).ok()?;
    let unusual = Flags::ASSUME_VALID | Flags::INTENT_TO_ADD | Flags::SKIP_WORKTREE;
    let is_usual = |entry: &Entry| {
        entry.stage() == Stage::Unconflicted
            && !entry.flags.intersects(unusual)
            && entry.mode != EntryMode::DIR
    };
    let entries = index.entries();
    (entries.len() <= ENTRIES_MAX && entries.iter().all(is_usual) && !index.is_sparse())
        .then_some(index)
}

/// The tree that the index remembers to stand for, where it is still in the repository: `git write-tree` believes it, too.
fn tree_of(repo: &Repository, index: &Index) -> Option<NodeId> {
    let tree = index.tree().filter(|tree| tree.num_entries.is_some())?;
    let id = from_oid(&tree.id);
    matches!(repo.header(&id), Ok(Some(_))).then_some(id)
}

/// A directory that the index has files in.
struct Folder<'i> {
    path: &'i [u8],
    /// The names of its files with their entries, in order.
    files: Vec<(&'i [u8], &'i Entry)>,
    /// The names of directories in it that have files, and of submodules.
    below: Vec<&'i [u8]>,
    submodules: Vec<&'i [u8]>,
}

/// Something that is not tracked.
struct Stranger {
    path: Vec<u8>,
    is_folder: bool,
}

/// What a look at a directory finds.
#[derive(Default)]
struct Seen {
    dirty: Vec<Vec<u8>>,
    strangers: Vec<Stranger>,
    has_named: bool,
}

impl<'i> Folder<'i> {
    fn at(path: &'i [u8]) -> Self {
        let (files, below, submodules) = (Vec::new(), Vec::new(), Vec::new());
        Self {
            path,
            files,
            below,
            submodules,
        }
    }

    /// All of an index, the root first; `None` for an index that is not in order.
    fn all(index: &'i Index) -> Option<Vec<Self>> {
        let mut folders = vec![Self::at(b"")];
        let mut numbers: HashMap<&[u8], usize> = HashMap::from([(&b""[..], 0)]);
        let mut last = 0;
        for entry in index.entries() {
            let path: &[u8] = entry.path(index);
            let (parent, name) = split(path);
            if folders[last].path != parent {
                last = place(parent, &mut folders, &mut numbers);
            }
            let folder = &mut folders[last];
            if entry.mode == EntryMode::COMMIT {
                folder.submodules.push(name);
            } else if folder
                .files
                .last()
                .is_some_and(|(before, _)| *before >= name)
            {
                return None;
            } else {
                folder.files.push((name, entry));
            }
        }
        for folder in &mut folders {
            folder.below.sort_unstable();
        }
        Some(folders)
    }

    /// Looks at the names in a directory, and at each file that is tracked.
    fn look(&self, root: &OwnedFd, index: &Index, name: Option<&[u8]>) -> Option<Seen> {
        let mut seen = Seen::default();
        let submodules = self.submodules.iter().map(|name| join(self.path, name));
        seen.dirty.extend(submodules);
        let mut is_there = vec![false; self.files.len()];
        let mut names = match open_at(root, self.path) {
            Ok(open) => Some(Dir::new(open).ok()?),
            Err(Errno::NOENT) => None,
            Err(_) => return None,
        };
        while let Some(names) = &mut names
            && let Some(found) = names.read()
        {
            let found = found.ok()?;
            let bytes = found.file_name().to_bytes();
            if self.is_passed_over(bytes) {
                continue;
            }
            seen.has_named |= name == Some(bytes);
            if let Ok(at) = self.files.binary_search_by_key(&bytes, |(name, _)| *name) {
                is_there[at] = true;
                let looked = statat(names.fd().ok()?, found.file_name(), NO_FOLLOW).ok()?;
                if !is_as_known(self.files[at].1, &looked, index)? {
                    seen.dirty.push(join(self.path, bytes));
                }
                continue;
            }
            let file_type = file_type(names.fd().ok()?, &found)?;
            self.add_stranger(bytes, file_type, &mut seen.strangers)?;
        }
        let missing = self.files.iter().zip(is_there).filter(|(_, there)| !there);
        let missing = missing.map(|((name, _), _)| join(self.path, name));
        seen.dirty.extend(missing);
        Some(seen)
    }

    /// True for what is no file of this repository.
    fn is_passed_over(&self, name: &[u8]) -> bool {
        matches!(name, b"." | b"..")
            || (name == b".git" && self.path.is_empty())
            || self.submodules.contains(&name)
    }

    /// Adds what a name stands for that is no tracked file; `None` where git has to look itself.
    fn add_stranger(
        &self,
        name: &[u8],
        file_type: FileType,
        strangers: &mut Vec<Stranger>,
    ) -> Option<()> {
        let is_folder = file_type == FileType::Directory;
        if self.below.binary_search(&name).is_ok() {
            return is_folder.then_some(());
        }
        if is_git_directory(name) {
            return None;
        }
        if is_folder || matches!(file_type, FileType::RegularFile | FileType::Symlink) {
            let path = join(self.path, name);
            strangers.push(Stranger { path, is_folder });
        }
        Some(())
    }
}

/// The number of the folder at a path; makes it, and those above, where it is new.
fn place<'i>(
    path: &'i [u8],
    folders: &mut Vec<Folder<'i>>,
    numbers: &mut HashMap<&'i [u8], usize>,
) -> usize {
    if let Some(number) = numbers.get(path) {
        return *number;
    }
    let first = folders.len();
    let (mut at, mut below) = (path, None);
    loop {
        let known = numbers.get(at).copied();
        let number = known.unwrap_or(folders.len());
        if known.is_none() {
            numbers.insert(at, number);
            folders.push(Folder::at(at));
        }
        folders[number].below.extend(below);
        if known.is_some() {
            return first;
        }
        let (parent, name) = split(at);
        (at, below) = (parent, Some(name));
    }
}

/// The directory of a path, and the name in it.
fn split(path: &[u8]) -> (&[u8], &[u8]) {
    match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (&path[..at], &path[at + 1..]),
        None => (b"", path),
    }
}

/// Whether a file looks as its entry says; `None` for what is no file.
#[allow(
    clippy::unnecessary_cast,
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss,
    reason = "the widths of these fields differ between systems"
)]
fn is_as_known(entry: &Entry, found: &Stat, index: &Index) -> Option<bool> {
    let mode = match FileType::from_raw_mode(found.st_mode) {
        FileType::Symlink => EntryMode::SYMLINK,
        FileType::RegularFile if found.st_mode & 0o100 != 0 => EntryMode::FILE_EXECUTABLE,
        FileType::RegularFile => EntryMode::FILE,
        _ => return None,
    };
    // The index keeps the low half of each number.
    let low = |number: u64| number as u32;
    let known = &entry.stat;
    let is_same = entry.mode == mode
        && known.size == low(found.st_size as u64)
        && known.mtime.secs == low(found.st_mtime as u64)
        && known.mtime.nsecs == low(found.st_mtime_nsec as u64)
        && known.ctime.secs == low(found.st_ctime as u64)
        && known.ctime.nsecs == low(found.st_ctime_nsec as u64)
        && known.ino == low(found.st_ino as u64)
        && known.uid == low(u64::from(found.st_uid))
        && known.gid == low(u64::from(found.st_gid));
    // What was written in the second of the index may have changed since; git marks such a file with a size of 0.
    let is_old = i64::from(known.mtime.secs) < index.timestamp().unix_seconds();
    let is_marked = known.size == 0 && !entry.id.is_empty_blob();
    Some(is_same && is_old && !is_marked)
}

/// Looks for directories with a file of that name below one that has no tracked file.
fn find_named(root: &OwnedFd, top: &[u8], name: &[u8], found: &mut Vec<Vec<u8>>) -> Option<()> {
    let mut waiting = vec![top.to_vec()];
    let mut count = 0;
    while let Some(path) = waiting.pop() {
        let Ok(open) = open_at(root, &path) else {
            continue;
        };
        let (mut below, mut is_repository, mut has_named) = (Vec::new(), false, false);
        for entry in Dir::new(open).ok()? {
            let entry = entry.ok()?;
            count += 1;
            match entry.file_name().to_bytes() {
                b"." | b".." => {}
                b".git" => is_repository = true,
                bytes => {
                    has_named |= bytes == name;
                    if matches!(entry.file_type(), FileType::Directory | FileType::Unknown) {
                        below.push(join(&path, bytes));
                    }
                }
            }
        }
        if count > ENTRIES_MAX {
            return None;
        }
        // What is in a repository of its own is not ignored file by file.
        if !is_repository {
            waiting.extend(below);
            found.extend(has_named.then_some(path));
        }
    }
    Some(())
}

/// The files of what is not tracked that git would add; `None` where it must look itself.
fn not_ignored(repo: &Repository, strangers: Vec<Stranger>) -> Option<Vec<Vec<u8>>> {
    let paths: Vec<TreePath> = strangers
        .iter()
        .map(|stranger| TreePath::new(stranger.path.as_slice()))
        .collect();
    let ignored = repo.ignored(&paths).ok()?;
    let ignored: HashSet<&[u8]> = ignored.iter().map(TreePath::as_bytes).collect();
    let (folders, files): (Vec<Stranger>, Vec<Stranger>) = strangers
        .into_iter()
        .filter(|stranger| !ignored.contains(stranger.path.as_slice()))
        .partition(|stranger| stranger.is_folder);
    let mut found: Vec<Vec<u8>> = files.into_iter().map(|file| file.path).collect();
    if folders.len() > NEW_FOLDERS_MAX {
        return None;
    }
    if !folders.is_empty() {
        let listed = list_new(repo, &folders).ok()?;
        for path in listed
            .split(|byte| *byte == 0)
            .filter(|path| !path.is_empty())
        {
            // Such a name is a repository.
            if path.ends_with(b"/") {
                return None;
            }
            found.push(path.to_vec());
        }
    }
    Some(found)
}

/// The files in directories without a tracked file that are not ignored, each with a NUL behind it.
fn list_new(repo: &Repository, folders: &[Stranger]) -> Result<Vec<u8>, ChildError> {
    let command = GitCommand::new(repo, "ls-files")
        .literal_paths()
        .option("-z")
        .option("-o")
        .option("--exclude-standard");
    let command = folders.iter().fold(command, |command, folder| {
        command.operand(OsStr::from_bytes(&folder.path))
    });
    command.run(b"")
}

#[cfg(test)]
mod tests;
