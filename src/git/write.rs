//! Writing objects durably: each batch becomes a pack, all on disk before this returns.
//!
//! | batch | how | why |
//! |---|---|---|
//! | small: what a commit leads to | a pack made in memory that takes in the one before it | three files to flush, no process, and no pile of packs |
//! | up to 1 MiB: the same in a large store | a pack made in memory, for itself | three files to flush, no process |
//! | larger, or in a shared repository | a pack of its own through `git index-pack --keep` | streams; git checks it and sets shared modes |
//!
//! **Against a concurrent `git gc --prune=now`.** A kept pack is never touched while its `.keep` stands, and [`Held`]
//! lets it stand until the ref has moved. The mark comes before the pack, and a small pack has a name that none ever
//! had, so no gc has it on its list. One that still runs cannot take the pack when its mark goes: either it listed the
//! packs before this one came and deletes only those, or it lists them later and finds the objects through the ref.
//! `git prune` takes loose objects only. Nothing is skipped for being there already: what is there may be about to go.
//! A gc also deletes the temporary files of the living, so a write whose file has vanished is begun again.
//!
//! **The small pack.** Many packs would make `git gc --auto` repack the user's repository. So the one that was written
//! last is read, put down again with the new batch behind it, and removed one batch later, until it has grown to
//! 256 KiB (`small_pack`); then it stays as a pack like any other. Git takes it in like
//! any other too, whenever it repacks. `cache/small-pack` says which it is; without that file one more pack stays. A pack
//! is removed only when another that holds all of it is on disk, and not while a process that has listed packs would miss
//! it: a gc, a maintenance, a multi-pack index. Readers look again when a pack is gone, as they do for git's own repack.

use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::SystemTime;

use super::child::{ChildError, GitCommand};
use super::encoded::{Batch, Encoded};
use super::object::Header;
use super::repo::Repository;
use super::small_pack::{self, SmallPack};
use super::state::StateDir;
use crate::base::NodeId;
use crate::base::absent::absent_is_fine;

/// What every `.keep` file of this program starts with, before a space and the process id.
const KEEP_MESSAGE: &str = "git-merkle";
/// No `.keep` file of this program is larger.
const MARK_BYTES_MAX: u64 = 1024;
/// What stands in the names of temporary files between their kind and the process id.
const TEMPORARY_MARK: &str = "_merkle_";
/// How often a batch is begun again after a `git gc` took its temporary files.
const WRITE_ATTEMPTS_MAX: usize = 20;
/// File in the directory of caches: names of packs, the small one first, then those that it took in and that may go.
const SMALL_PACK_FILE: &str = "small-pack";
/// Room for far more names than are ever kept.
const SMALL_PACK_FILE_BYTES_MAX: u64 = 64 * 1024;

/// Why objects could not be written.
#[derive(Debug, thiserror::Error)]
pub enum WriteError {
    /// The disk said no: full, read-only, not permitted.
    #[error("cannot write objects")]
    Io(#[from] io::Error),
    /// `git index-pack` failed, most often because the disk said no to it.
    #[error("cannot write objects: git index-pack: {0}")]
    Pack(String),
}

impl WriteError {
    /// True when a file was gone before it had its final name: `git gc --prune=now` takes temporary files of the living.
    fn is_vanished_file(&self) -> bool {
        match self {
            Self::Io(error) => error.kind() == io::ErrorKind::NotFound,
            Self::Pack(message) => message.contains("No such file or directory"),
        }
    }
}

impl From<ChildError> for WriteError {
    fn from(error: ChildError) -> Self {
        match error {
            ChildError::Start(error) | ChildError::Copy(error) => Self::Io(error),
            ChildError::Failed { message, .. } => Self::Pack(message),
            ChildError::Unmerged(_) | ChildError::Filter { .. } | ChildError::Program { .. } => {
                Self::Pack(error.to_string())
            }
        }
    }
}

/// Keeps written objects from a concurrent `git gc` until the ref has moved; let go by dropping it.
#[derive(Debug)]
#[must_use = "the objects are safe from 'git gc' only as long as this lives"]
pub struct Held {
    keep: Option<PathBuf>,
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(keep) = &self.keep {
            // What cannot be removed now is removed as stale later.
            let _ = fs::remove_file(keep);
        }
    }
}

impl Repository {
    /// Writes all objects of a batch and flushes them to disk.
    pub fn write(&self, batch: &Batch) -> Result<Held, WriteError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{KEEP_MESSAGE} {} {number}", std::process::id());
        let mut attempts = 1;
        loop {
            let written = if batch.is_empty() {
                Ok(None)
            } else if SmallPack::takes(batch) && !self.sets_shared_modes() {
                self.write_small_pack(batch, &mark)
                    .map(Some)
                    .map_err(WriteError::Io)
            } else {
                self.write_pack(batch, &mark)
            };
            match written {
                Err(error) if error.is_vanished_file() && attempts < WRITE_ATTEMPTS_MAX => {
                    attempts += 1;
                }
                written => return Ok(Held { keep: written? }),
            }
        }
    }

    /// Checks that every object of the batch is there, of its kind and size; names the first that is not.
    pub fn verify(&self, batch: &Batch) -> Result<(), NodeId> {
        let is_there = |object: &Encoded| {
            let expected = Header {
                kind: object.kind,
                size_bytes: object.size as u64,
            };
            matches!(self.header(&object.id), Ok(Some(found)) if found == expected)
        };
        batch
            .objects
            .iter()
            .find(|object| !is_there(object))
            .map_or(Ok(()), |object| Err(object.id))
    }

    /// The files that writers of this program leave in `objects/pack` when they are killed.
    ///
    /// While a writer is at work its own are among them.
    #[must_use]
    pub fn writers_leftovers(&self) -> Vec<PathBuf> {
        let Ok(entries) = fs::read_dir(self.objects_dir.join("pack")) else {
            return Vec::new();
        };
        let paths = entries.flatten().map(|entry| entry.path());
        let mut left: Vec<PathBuf> = paths
            .filter(|path| is_temporary_pack_file(path) || is_own_mark(path))
            .collect();
        left.sort();
        left
    }

    /// Removes the `.keep` marks that died with their writers, with packs that never got an index, and the temporary
    /// files that did; returns how many marks there were.
    ///
    /// The caller holds the store lock, so that no mark of this program belongs to a living writer.
    pub fn remove_stale_keeps(&self) -> io::Result<usize> {
        self.writers_leftovers()
            .iter()
            .filter(|path| is_temporary_pack_file(path))
            .for_each(|path| {
                // What cannot be removed now is left for another time, or for `git prune`.
                let _ = fs::remove_file(path);
            });
        self.remove_keeps(|mark| mark.split(' ').next() == Some(KEEP_MESSAGE))
    }

    fn remove_keeps(&self, is_wanted: impl Fn(&str) -> bool) -> io::Result<usize> {
        let mut removed = 0;
        let entries = match fs::read_dir(self.objects_dir.join("pack")) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(0),
            entries => entries?,
        };
        for entry in entries {
            let path = entry?.path();
            let is_keep = path
                .extension()
                .is_some_and(|extension| extension == "keep");
            if is_keep && read_mark(&path).is_some_and(|mark| is_wanted(mark.trim_end())) {
                if !path.with_extension("idx").exists() {
                    small_pack::remove(&path);
                }
                fs::remove_file(path).or_else(absent_is_fine)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// True when files must be readable for others by `core.sharedRepository`, which is left to git.
    pub(super) fn sets_shared_modes(&self) -> bool {
        let private = ["umask", "false", "no", "off", "0", ""];
        self.config_string("core.sharedRepository")
            .is_some_and(|value| !private.contains(&value.as_str()))
    }

    fn write_pack(&self, batch: &Batch, mark: &str) -> Result<Option<PathBuf>, WriteError> {
        let hash = self.hash_kind();
        let command = GitCommand::new(self, "index-pack")
            .durable()
            .option("--stdin")
            .option_value("--keep", mark);
        let told = command
            .run_fed(|pipe| batch.write_pack(hash, pipe))
            .inspect_err(|_| {
                // The mark comes first, so it may stand without a pack.
                let _ = self.remove_keeps(|found| found == mark);
            })?;
        let directory = self.objects_dir.join("pack");
        sync_dir(&directory)?;
        // "keep" and the pack's name, or "pack" when a mark stood there already, which is not ours.
        let told = String::from_utf8_lossy(&told);
        Ok(told
            .trim()
            .strip_prefix("keep\t")
            .map(|name| directory.join(format!("pack-{name}.keep"))))
    }

    /// Writes a batch as the small pack, with the one before it, and returns the mark that keeps it.
    fn write_small_pack(&self, batch: &Batch, mark: &str) -> io::Result<PathBuf> {
        let hash = self.hash_kind();
        if SmallPack::is_full_of(batch) {
            let mut pack = SmallPack::new(hash);
            pack.add(batch);
            return Ok(self.put_in_memory(pack, mark)?.with_extension("keep"));
        }
        let mut known = self.known_small_packs().into_iter();
        let last = known.next().filter(|name| self.may_remove_pack(name));
        let last = last.and_then(|name| Some((SmallPack::read(&name, hash)?, vec![name])));
        let held =
            |(pack, _): &(SmallPack, _)| known.filter(|name| pack.holds(name)).collect::<Vec<_>>();
        let done = last.as_ref().map(held).unwrap_or_default();
        // One that has grown stays, as a pack like any other.
        let last = last.filter(|(pack, _)| pack.has_room(batch));
        let (mut pack, mut taken_in) = last.unwrap_or_else(|| (SmallPack::new(hash), Vec::new()));
        pack.add(batch);
        let name = self.put_in_memory(pack, mark)?;
        taken_in.extend_from_slice(&done);
        self.remember_small_packs(&name, &taken_in);
        // What was taken in now goes with the next batch: a reader that has just listed it still finds it.
        done.iter()
            .filter(|name| self.may_remove_pack(name))
            .for_each(|name| small_pack::remove(name));
        Ok(name.with_extension("keep"))
    }

    /// Writes a pack that was put together in memory, and its mark; returns its name without an extension.
    fn put_in_memory(&self, pack: SmallPack, mark: &str) -> io::Result<PathBuf> {
        let hash = self.hash_kind();
        let (data, index) = pack.finish();
        // The index ends in a digest of itself, and it holds the pack's.
        let unique = small_pack::digest(
            hash,
            &[&index[index.len() - hash.id_bytes()..], mark.as_bytes()],
        );
        let name = self.objects_dir.join("pack").join(format!("pack-{unique}"));
        put_pack(
            &name,
            [("keep", mark.as_bytes()), ("pack", &data), ("idx", &index)],
        )
        .inspect_err(|_| {
            small_pack::remove(&name);
            let _ = fs::remove_file(name.with_extension("keep"));
        })?;
        Ok(name)
    }

    /// The small pack and those that it took in, as far as they are there, without extensions.
    fn known_small_packs(&self) -> Vec<PathBuf> {
        let text = StateDir::of(self)
            .cache()
            .read_text(SMALL_PACK_FILE, SMALL_PACK_FILE_BYTES_MAX)
            .unwrap_or_default();
        let names = text.lines().filter(|line| {
            line.strip_prefix("pack-")
                .is_some_and(|id| id.parse::<NodeId>().is_ok())
        });
        let paths = names.map(|name| self.objects_dir.join("pack").join(name));
        paths
            .filter(|path| {
                ["pack", "idx"]
                    .iter()
                    .any(|extension| path.with_extension(extension).exists())
            })
            .collect()
    }

    /// Remembers them; a disk that refuses only costs a pack more.
    fn remember_small_packs(&self, small: &Path, taken_in: &[PathBuf]) {
        let paths = [small]
            .into_iter()
            .chain(taken_in.iter().map(PathBuf::as_path));
        let names: Vec<_> = paths
            .filter_map(Path::file_name)
            .map(|name| name.to_string_lossy())
            .collect();
        let text = names.join("\n") + "\n";
        let cache = StateDir::of(self).cache();
        let _ = cache
            .create()
            .and_then(|()| cache.replace(SMALL_PACK_FILE, |open| open.write_all(text.as_bytes())));
    }

    /// False for a pack that a process may have listed that does not look again: a running gc or maintenance, a
    /// multi-pack index that is not older. After one that died packs stay until git clears its mark.
    fn may_remove_pack(&self, name: &Path) -> bool {
        let directory = self.objects_dir.join("pack");
        let marks = [
            self.common_dir().join("gc.pid"),
            self.objects_dir.join("maintenance.lock"),
            directory.join("multi-pack-index.lock"),
        ];
        let written = |path: PathBuf| fs::metadata(path).and_then(|found| found.modified()).ok();
        let lists = [
            "multi-pack-index",
            "multi-pack-index.d/multi-pack-index-chain",
        ];
        // Git touches a pack when it finds in it what it was about to write, but never the index.
        let came = written(name.with_extension("idx")).unwrap_or(SystemTime::UNIX_EPOCH);
        !marks.iter().any(|mark| mark.exists())
            && lists
                .iter()
                .filter_map(|list| written(directory.join(list)))
                .all(|listed| listed < came)
    }
}

/// Writes and flushes the files of a pack, in the order in which others may see them.
///
/// The mark is not flushed: it is for those who run now. After a power cut an empty one may stay, beside a small pack.
fn put_pack(name: &Path, files: [(&str, &[u8]); 3]) -> io::Result<()> {
    let directory = name.parent().expect("a pack has a directory");
    let mut temporary = Vec::new();
    for (extension, bytes) in files {
        temporary.push((extension, write_temporary(directory, extension, bytes)?));
    }
    for (_, (_, file)) in temporary
        .iter()
        .filter(|(extension, _)| *extension != "keep")
    {
        file.sync_all()?;
    }
    for (extension, (written, _)) in &temporary {
        fs::rename(&written.0, name.with_extension(extension))?;
    }
    sync_dir(directory)
}

/// A temporary file, removed when dropped unless it was renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Git knows the name and clears what is left behind.
        let _ = fs::remove_file(&self.0);
    }
}

/// True for the name that [`write_temporary`] gives.
fn is_temporary_pack_file(path: &Path) -> bool {
    let name = path
        .file_name()
        .and_then(|name| name.to_str())
        .and_then(|name| name.strip_prefix("tmp_"));
    let numbers = name
        .and_then(|name| name.split_once(TEMPORARY_MARK))
        .and_then(|(_, numbers)| numbers.split_once('_'));
    numbers.is_some_and(|(process, number)| {
        [process, number]
            .iter()
            .all(|text| text.parse::<u64>().is_ok())
    })
}

/// True for a mark that this program made.
fn is_own_mark(path: &Path) -> bool {
    let is_keep = path
        .extension()
        .is_some_and(|extension| extension == "keep");
    is_keep && read_mark(path).is_some_and(|mark| mark.split(' ').next() == Some(KEEP_MESSAGE))
}

/// The text of a mark; `None` for what is no small file.
fn read_mark(path: &Path) -> Option<String> {
    let is_small = fs::symlink_metadata(path)
        .is_ok_and(|found| found.is_file() && found.len() <= MARK_BYTES_MAX);
    is_small.then(|| fs::read_to_string(path).ok()).flatten()
}

/// Writes a temporary file, which is not flushed yet.
fn write_temporary(
    directory: &Path,
    extension: &str,
    bytes: &[u8],
) -> io::Result<(Temporary, File)> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!(
            "tmp_{extension}{TEMPORARY_MARK}{}_{number}",
            std::process::id()
        ));
        match OpenOptions::new()
            .write(true)
            .create_new(true)
            .mode(0o444)
            .open(&path)
        {
            Ok(mut file) => {
                let temporary = Temporary(path);
                file.write_all(bytes)?;
                return Ok((temporary, file));
            }
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(error),
        }
    }
}

/// Flushes a directory, so that the names in it outlive a power cut.
pub(super) fn sync_dir(directory: &Path) -> io::Result<()> {
    File::open(directory)?.sync_all()
}

#[cfg(test)]
mod tests;
