//! Whether a work tree is as it was: a look at every file and directory of it, and at what else decides what git adds.
//!
//! For a process that answers more than once. Where everything stands [around](Sweep::begin_look) and [in it](Sweep::holds_below) as in a look before git wrote the tree, that tree
//! is the one of the work tree now, and no child has to write it again. What is compared:
//!
//! | what | how |
//! |---|---|
//! | files and directories, ignored ones too | inode, mode, size, times of content and of inode |
//! | which files there are | a directory whose times have not moved has the names that it had |
//! | the index; excludes and attributes outside of the work tree | the same, by their paths |
//! | git's configuration | its text, all scopes |
//!
//! There is no look ([`Sweep::of`] is `None`), and git does the work, where an answer could be wrong: a repository inside the
//! work tree, whose own `HEAD` counts; what cannot be read; more than [`ENTRIES_MAX`] entries. A look is
//! not [settled](Sweep::is_settled) while something is so young that a further change could leave the same times.
//!
//! No watcher of the kernel is used: it does not see writes through memory maps, through a hard link elsewhere, and by other
//! machines.

use std::collections::BTreeMap;
use std::ffi::CStr;
use std::os::fd::{AsFd, OwnedFd};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use rustix::fs::{
    AtFlags, CWD, Dir, DirEntry, FileType, Mode, OFlags, Stat, fstat, lstat, openat, stat, statat,
};
use rustix::io::Errno;

use super::repo::Repository;
use super::variable::variable;
use crate::base::clock;
use crate::base::cores::on_all_cores;

/// Most entries that are looked at.
pub const ENTRIES_MAX: usize = 1_000_000;
/// What a file system that counts parts of seconds can leave untold: some ticks of the kernel.
const TICK_NANOS: i64 = 100_000_000;
/// The same for one that counts seconds, by twos on some.
const SECONDS_NANOS: i64 = 2_000_000_000;
const NANOS: i64 = 1_000_000_000;
/// Files in the git directory, beside the index, that decide what is added.
const INFO: [&str; 3] = ["exclude", "attributes", "sparse-checkout"];

/// What a work tree looked like.
#[derive(Debug)]
pub struct Sweep {
    /// When the look began, in nanoseconds of the clock.
    begun: i64,
    /// The text of git's configuration.
    settings: Vec<u8>,
    /// What stands outside of the work tree, in a fixed order.
    around: Vec<Option<Stamp>>,
    /// The directories by their paths from the root; two looks share those that did not change between them.
    folders: BTreeMap<Vec<u8>, Arc<Folder>>,
    is_settled: bool,
}

/// The root of a work tree that a look has begun at.
#[derive(Debug)]
pub struct OpenRoot(OwnedFd);

/// A directory with its files.
#[derive(Debug, Clone)]
struct Folder {
    stamp: Stamp,
    /// Names of what is no directory, each with a NUL behind it, in order.
    names: Vec<u8>,
    /// What each of these looked like.
    stamps: Vec<Stamp>,
    /// Names of directories, in order.
    below: Vec<Vec<u8>>,
}

/// What is known of a file without reading it; times in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct Stamp {
    device: u64,
    inode: u64,
    mode: u32,
    size_bytes: u64,
    modified: i64,
    changed: i64,
}

impl Stamp {
    #[allow(
        clippy::unnecessary_cast,
        clippy::cast_possible_truncation,
        clippy::cast_possible_wrap,
        clippy::cast_sign_loss,
        reason = "the widths of these fields differ between systems"
    )]
    fn of(found: &Stat) -> Self {
        let nanos = |seconds: i64, rest: i64| seconds.saturating_mul(NANOS).saturating_add(rest);
        Self {
            device: found.st_dev as u64,
            inode: found.st_ino as u64,
            mode: found.st_mode as u32,
            size_bytes: found.st_size as u64,
            modified: nanos(found.st_mtime as i64, found.st_mtime_nsec as i64),
            changed: nanos(found.st_ctime as i64, found.st_ctime_nsec as i64),
        }
    }

    /// True when whatever changes from `now` on has other times.
    fn is_settled(&self, now: i64) -> bool {
        [self.modified, self.changed].into_iter().all(|time| {
            let untold = if time % NANOS == 0 {
                SECONDS_NANOS
            } else {
                TICK_NANOS
            };
            time.saturating_add(untold) < now
        })
    }
}

impl Sweep {
    /// Looks at the work tree of a repository; with an earlier look, names are read only in directories that have changed.
    ///
    /// To be called before git is: what changes while git reads then differs from this look.
    #[must_use]
    pub fn of(repo: &Repository, before: Option<&Self>) -> Option<Self> {
        let begun = i64::try_from(clock::nanos()).ok()?;
        let root = open_root(repo)?;
        let settings = settings(repo);
        let around: Vec<_> = around(repo)?.iter().map(|path| stamp_at(path)).collect();
        let known = |path: &[u8]| {
            let before = before?;
            let folder = before.folders.get(path)?;
            folder.stamp.is_settled(before.begun).then_some(folder)
        };
        let (mut folders, mut count) = (BTreeMap::new(), 0);
        let mut level = vec![Vec::new()];
        while !level.is_empty() {
            let look = |(): &(), at: usize| Folder::look(&root, &level[at], known(&level[at]));
            let looked = on_all_cores(level.len(), &(), || (), look);
            let mut next = Vec::new();
            for (path, folder) in std::mem::take(&mut level).into_iter().zip(looked) {
                let folder = folder?;
                count += folder.stamps.len() + folder.below.len();
                next.extend(folder.below.iter().map(|name| join(&path, name)));
                folders.insert(path, folder);
            }
            if count > ENTRIES_MAX {
                return None;
            }
            level = next;
        }
        let is_settled = |stamp: &Stamp| stamp.is_settled(begun);
        let is_settled = around.iter().flatten().all(is_settled)
            && folders.values().all(|folder: &Arc<Folder>| {
                is_settled(&folder.stamp) && folder.stamps.iter().all(is_settled)
            });
        Some(Self {
            begun,
            settings,
            around,
            folders,
            is_settled,
        })
    }

    /// True when a look now would find the same.
    #[cfg(test)]
    fn still_holds(&self, repo: &Repository) -> bool {
        self.begin_look(repo)
            .is_some_and(|root| self.holds_below(&root))
    }

    /// Looks at what stands around the work tree, which is soon done; `None` at the first difference. What is left is
    /// [everything below](Self::holds_below).
    #[must_use]
    pub fn begin_look(&self, repo: &Repository) -> Option<OpenRoot> {
        let root = open_root(repo)?;
        let paths = around(repo)?;
        let stamps = paths.iter().map(|path| stamp_at(path));
        let holds = stamps.eq(self.around.iter().copied()) && settings(repo) == self.settings;
        holds.then_some(OpenRoot(root))
    }

    /// True when a look at the work tree now would find the same; false at the first difference.
    ///
    /// Meant for a [settled](Self::is_settled) look: a directory with the same times then has the same names, so each is looked at by
    /// itself, in any order.
    #[must_use]
    pub fn holds_below(&self, OpenRoot(root): &OpenRoot) -> bool {
        let folders: Vec<(&[u8], &Folder)> = self
            .folders
            .iter()
            .map(|(path, folder)| (path.as_slice(), &**folder))
            .collect();
        let differs = AtomicBool::new(false);
        let look = |(): &(), at: usize| {
            let (path, folder) = folders[at];
            // One difference is enough: the rest need no look.
            let holds = differs.load(Ordering::Relaxed) || folder.still_holds(root, path);
            if !holds {
                differs.store(true, Ordering::Relaxed);
            }
            holds
        };
        let held = on_all_cores(folders.len(), &(), || (), look);
        held.into_iter().all(|holds| holds)
    }

    /// True when every change since the look began shows.
    #[must_use]
    pub fn is_settled(&self) -> bool {
        self.is_settled
    }
}

const FOLDER: OFlags = OFlags::RDONLY
    .union(OFlags::DIRECTORY)
    .union(OFlags::NOFOLLOW)
    .union(OFlags::CLOEXEC);

impl Folder {
    /// Looks at a directory; `known` is what it looked like when its names were read.
    fn look(root: &OwnedFd, path: &[u8], known: Option<&Arc<Self>>) -> Option<Arc<Self>> {
        let (open, stamp) = open_folder(root, path)?;
        let Some(known) = known.filter(|known| known.stamp == stamp) else {
            let mut folder = Self::read(&open, stamp, path.is_empty())?;
            let stamps = each_stamp(&open, &folder.names).collect::<Option<_>>()?;
            folder.stamps = stamps;
            return Some(Arc::new(folder));
        };
        let mut stamps = Vec::new();
        for (at, found) in each_stamp(&open, &known.names).enumerate() {
            let found = found?;
            if stamps.is_empty() && known.stamps[at] != found {
                stamps.extend_from_slice(&known.stamps[..at]);
                stamps.push(found);
            } else if !stamps.is_empty() {
                stamps.push(found);
            }
        }
        if stamps.is_empty() {
            return Some(Arc::clone(known));
        }
        Some(Arc::new(Self {
            stamps,
            ..Self::clone(known)
        }))
    }

    /// True when the directory at a path and its files are as they were.
    fn still_holds(&self, root: &OwnedFd, path: &[u8]) -> bool {
        open_folder(root, path).is_some_and(|(open, stamp)| {
            stamp == self.stamp
                && each_stamp(&open, &self.names).eq(self.stamps.iter().copied().map(Some))
        })
    }

    /// Reads the names of a directory; `None` for the root of another repository.
    fn read(open: &OwnedFd, stamp: Stamp, is_root: bool) -> Option<Self> {
        let mut files = Vec::new();
        let mut below = Vec::new();
        for entry in Dir::read_from(open.as_fd()).ok()? {
            let entry = entry.ok()?;
            let name = entry.file_name().to_bytes();
            match name {
                b"." | b".." => continue,
                b".git" if is_root => continue,
                b".git" => return None,
                _ => {}
            }
            if file_type(open, &entry)? == FileType::Directory {
                below.push(name.to_vec());
            } else {
                files.push(name.to_vec());
            }
        }
        files.sort_unstable();
        below.sort_unstable();
        let names = files.iter().flat_map(|name| name.iter().chain(&[0]));
        Some(Self {
            stamp,
            names: names.copied().collect(),
            stamps: Vec::new(),
            below,
        })
    }
}

/// Opens the root of the work tree.
pub(super) fn open_root(repo: &Repository) -> Option<OwnedFd> {
    openat(CWD, repo.work_dir()?, FOLDER, Mode::empty()).ok()
}

/// Opens the directory at a path from the root.
pub(super) fn open_at(root: &OwnedFd, path: &[u8]) -> Result<OwnedFd, Errno> {
    let here = if path.is_empty() { b"." } else { path };
    openat(root, here, FOLDER, Mode::empty())
}

/// The same with what it looks like.
fn open_folder(root: &OwnedFd, path: &[u8]) -> Option<(OwnedFd, Stamp)> {
    let open = open_at(root, path).ok()?;
    let stamp = Stamp::of(&fstat(&open).ok()?);
    Some((open, stamp))
}

/// What an entry of an open directory is; `None` where it is gone.
pub(super) fn file_type(folder: impl AsFd, entry: &DirEntry) -> Option<FileType> {
    match entry.file_type() {
        FileType::Unknown => {
            let found = statat(folder, entry.file_name(), AtFlags::SYMLINK_NOFOLLOW).ok()?;
            Some(FileType::from_raw_mode(found.st_mode))
        }
        told => Some(told),
    }
}

/// The text of git's configuration.
fn settings(repo: &Repository) -> Vec<u8> {
    repo.inner.config_snapshot().plumbing().to_bstring().into()
}

/// The files of an open directory, as they are now.
fn each_stamp<'n>(open: &'n OwnedFd, names: &'n [u8]) -> impl Iterator<Item = Option<Stamp>> + 'n {
    let mut rest = names;
    std::iter::from_fn(move || {
        let name = CStr::from_bytes_until_nul(rest).ok()?;
        rest = &rest[name.to_bytes_with_nul().len()..];
        let found = statat(open, name, AtFlags::SYMLINK_NOFOLLOW).ok();
        Some(found.map(|found| Stamp::of(&found)))
    })
}

/// The path of a name in a directory.
pub(super) fn join(path: &[u8], name: &[u8]) -> Vec<u8> {
    if path.is_empty() {
        name.to_vec()
    } else {
        [path, b"/", name].concat()
    }
}

/// What a path leads to, links followed as git follows them, and the link itself where there is one.
pub(super) fn stamp_at(path: &Path) -> Option<Stamp> {
    let itself = Stamp::of(&lstat(path).ok()?);
    let mut target = Stamp::of(&stat(path).ok()?);
    target.changed = target.changed.max(itself.changed);
    target.modified = target.modified.max(itself.modified);
    Some(target)
}

/// The files outside of the work tree that decide what is added, beside the configuration; `None` where one cannot be told.
fn around(repo: &Repository) -> Option<Vec<PathBuf>> {
    let info = repo.common_dir().join("info");
    let mut paths = vec![
        repo.inner.index_path(),
        repo.git_dir().join("info/sparse-checkout"),
    ];
    paths.extend(INFO.map(|name| info.join(name)));
    // Where git looks without a setting; the file of a setting is the user's to name.
    let homes = [
        variable("XDG_CONFIG_HOME").map(PathBuf::from),
        variable("HOME").map(|home| PathBuf::from(home).join(".config")),
    ];
    for home in homes.into_iter().flatten() {
        paths.extend(["ignore", "attributes"].map(|name| home.join("git").join(name)));
    }
    paths.push(PathBuf::from("/etc/gitattributes"));
    let config = repo.inner.config_snapshot();
    for key in ["core.excludesFile", "core.attributesFile"] {
        if config.string(key).is_some() {
            paths.push(config.trusted_path(key).ok()??);
        }
    }
    Some(paths)
}

#[cfg(test)]
mod tests {
    use std::fs;
    use std::time::Duration;

    use super::super::fixture::Fixture;
    use super::*;

    const SETTLED: Duration = Duration::from_millis(150);

    fn fixture() -> Fixture {
        let fixture = Fixture::new();
        for path in ["a", "dir/b", "dir/deep/c"] {
            fixture.file(path, "x");
        }
        fixture.commit("one");
        std::thread::sleep(SETTLED);
        fixture
    }

    #[test]
    fn two_looks_at_the_same_share_everything() {
        let fixture = fixture();
        let repo = fixture.open();
        let one = Sweep::of(&repo, None).unwrap();
        let other = Sweep::of(&repo, Some(&one)).unwrap();
        assert!(one.is_settled() && other.is_settled() && one.still_holds(&repo));
        assert_eq!(one.folders.len(), 3);
        for (path, folder) in &one.folders {
            assert!(Arc::ptr_eq(folder, &other.folders[path]), "{path:?}");
        }
    }

    #[test]
    fn an_edit_differs_in_its_directory_alone_and_settles_later() {
        let fixture = fixture();
        let repo = fixture.open();
        let before = Sweep::of(&repo, None).unwrap();
        fixture.file("dir/b", "y");
        let edited = Sweep::of(&repo, Some(&before)).unwrap();
        assert!(!before.still_holds(&repo) && !edited.is_settled());
        let is_shared = |path: &str| {
            let path = path.as_bytes();
            Arc::ptr_eq(&before.folders[path], &edited.folders[path])
        };
        assert!(is_shared("") && is_shared("dir/deep") && !is_shared("dir"));
        std::thread::sleep(SETTLED);
        let later = Sweep::of(&repo, Some(&edited)).unwrap();
        assert!(edited.still_holds(&repo) && later.is_settled() && later.still_holds(&repo));
    }

    /// Each of these makes other paths, or other files at the same paths.
    #[test]
    fn whatever_changes_a_work_tree_differs() {
        type Change = fn(&Path);
        let changes: [(&str, Change); 8] = [
            ("a file more", |root| {
                fs::write(root.join("dir/deep/d"), "").unwrap();
            }),
            ("a file less", |root| {
                fs::remove_file(root.join("dir/deep/c")).unwrap();
            }),
            ("a folder more", |root| {
                fs::create_dir(root.join("dir/new")).unwrap();
            }),
            ("a folder less", |root| {
                fs::remove_dir_all(root.join("dir/deep")).unwrap();
            }),
            ("another name", |root| {
                fs::rename(root.join("dir/b"), root.join("dir/d")).unwrap();
            }),
            ("a folder's other name", |root| {
                fs::rename(root.join("dir/deep"), root.join("dir/other")).unwrap();
            }),
            ("a link in its place", |root| {
                fs::rename(root.join("dir"), root.join("moved")).unwrap();
                std::os::unix::fs::symlink("moved", root.join("dir")).unwrap();
            }),
            ("other permissions", |root| {
                use std::os::unix::fs::PermissionsExt as _;
                let mode = fs::Permissions::from_mode(0o755);
                fs::set_permissions(root.join("dir/b"), mode).unwrap();
            }),
        ];
        for (what, change) in changes {
            let fixture = fixture();
            let repo = fixture.open();
            let before = Sweep::of(&repo, None).unwrap();
            assert!(before.is_settled() && before.still_holds(&repo), "{what}");
            change(&fixture.root);
            assert!(!before.still_holds(&repo), "{what}");
        }
    }

    #[test]
    fn what_stands_around_the_work_tree_counts_as_well() {
        let fixture = fixture();
        let before = Sweep::of(&fixture.open(), None).unwrap();
        assert!(before.still_holds(&fixture.open()));
        fixture.file(".git/info/exclude", "dir/\n");
        assert!(!before.still_holds(&fixture.open()));
        let before = Sweep::of(&fixture.open(), None).unwrap();
        fixture.git(&["config", "core.autocrlf", "true"]);
        assert!(!before.still_holds(&fixture.open()));
        let before = Sweep::of(&fixture.open(), None).unwrap();
        fixture.git(&["rm", "-q", "--cached", "a"]);
        assert!(!before.still_holds(&fixture.open()));
    }

    #[test]
    fn there_is_no_look_at_repositories_in_repositories() {
        let fixture = fixture();
        fixture.file("dir/inner/file", "x");
        assert!(Sweep::of(&fixture.open(), None).is_some());
        fixture.git_in(&fixture.root.join("dir/inner"), &["init", "-q"]);
        assert!(Sweep::of(&fixture.open(), None).is_none());
        fs::remove_dir_all(fixture.root.join("dir/inner/.git")).unwrap();
        assert!(Sweep::of(&fixture.open(), None).is_some());
    }
}
