//! Writing objects durably: a few as loose objects, many as one pack, all on disk before this returns.
//!
//! | batch | how | why |
//! |---|---|---|
//! | up to [`LOOSE_OBJECTS_MAX`], no gc running | loose objects, flushed in parallel | a commit's handful costs no process and no pack |
//! | more, or while `gc.pid` stands, or in a shared repository | one pack through `git index-pack --keep` | one file to flush; git sets shared modes |
//!
//! **Against a concurrent `git gc --prune=now`.** A kept pack is never touched while its `.keep` stands, and [`Held`]
//! lets it stand until the ref has moved. Loose objects have no such mark. So the last thing before the ref moves, and
//! the first thing after, is to [settle](Held::settle) them: a gc that runs shows in `gc.pid`, one that has come and
//! gone in a missing object, and in both cases the batch is written again, as a kept pack while one runs. A gc that
//! starts later sees the ref. One that still runs cannot take the kept pack when its mark goes: either it listed the
//! packs before this one came and deletes only those, or it lists them later and finds the objects through the ref.
//! A bare `git prune`, which leaves no `gc.pid`, is noticed only if it has deleted something by one of the two looks;
//! git itself warns of pruning beside writers.
//! Nothing is skipped for being there already: what is there may be about to go. A gc also deletes the temporary files
//! of the living, so a write whose file has vanished is begun again.

use std::collections::BTreeSet;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};

use super::child::{ChildError, GitCommand};
use super::encoded::{Batch, Encoded};
use super::lock::absent_is_fine;
use super::object::{Header, to_oid};
use super::refs::{Expected, RefError};
use super::repo::Repository;
use crate::base::NodeId;

/// Largest batch that is written as loose objects: each costs a flush of about half a millisecond, a pack costs eight
/// such flushes, but many small packs make the user's next `git gc --auto` repack the whole repository.
pub const LOOSE_OBJECTS_MAX: usize = 32;
/// What every `.keep` file of this program starts with, before a space and the process id.
const KEEP_MESSAGE: &str = "git-merkle";
/// How often a batch is begun again after a `git gc` took its temporary files.
const WRITE_ATTEMPTS_MAX: usize = 20;
/// Threads that flush loose objects: the disk does the work, and takes many flushes as one.
const FLUSH_THREADS_MAX: usize = 32;

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
            ChildError::Start(error) => Self::Io(error),
            ChildError::Failed { message, .. } => Self::Pack(message),
            ChildError::Unmerged(_) => Self::Pack(error.to_string()),
        }
    }
}

/// Keeps written objects from a concurrent `git gc` until the ref has moved; let go by dropping it.
#[derive(Debug)]
#[must_use = "the objects are safe from 'git gc' only as long as this lives"]
pub struct Held<'a> {
    repo: &'a Repository,
    batch: &'a Batch,
    keep: Option<PathBuf>,
}

impl Held<'_> {
    /// Moves a ref to the objects if it is as expected, durably, and settles them right before and right after.
    ///
    /// After an error other than [`RefError::Moved`] the ref may have moved all the same.
    pub fn move_ref(&mut self, name: &str, target: &NodeId, expected: Expected) -> Result<(), RefError> {
        let repo = self.repo;
        let mut settle = || self.settle().map_err(|error| RefError::failed(name, error));
        repo.move_ref(name, target, expected, &mut settle)?;
        settle()
    }

    /// Makes sure of the objects before and after a ref moves to them: [`move_ref`](Self::move_ref) does.
    ///
    /// Loose objects that a `git gc` has deleted meanwhile, or may still, are written again.
    pub fn settle(&mut self) -> Result<(), WriteError> {
        let loose = self.keep.is_none() && !self.batch.is_empty();
        if loose && (self.repo.gc_is_running() || !self.repo.are_on_disk(self.batch)) {
            self.keep = self.repo.write_objects(self.batch)?;
        }
        Ok(())
    }
}

impl Drop for Held<'_> {
    fn drop(&mut self) {
        if let Some(keep) = &self.keep {
            // What cannot be removed now is removed as stale later.
            let _ = fs::remove_file(keep);
        }
    }
}

impl Repository {
    /// Writes all objects of a batch and flushes them to disk.
    pub fn write<'a>(&'a self, batch: &'a Batch) -> Result<Held<'a>, WriteError> {
        Ok(Held { repo: self, batch, keep: self.write_objects(batch)? })
    }

    /// Writes a batch and returns the mark that keeps it, if it became a pack.
    fn write_objects(&self, batch: &Batch) -> Result<Option<PathBuf>, WriteError> {
        static COUNTER: AtomicU64 = AtomicU64::new(0);
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let mark = format!("{KEEP_MESSAGE} {} {number}", std::process::id());
        let mut attempts = 1;
        loop {
            let written = if batch.len() > LOOSE_OBJECTS_MAX || self.gc_is_running() || self.sets_shared_modes() {
                self.write_pack(batch, &mark)
            } else {
                self.write_loose(batch).map(|()| None).map_err(WriteError::Io)
            };
            match written {
                Err(error) if error.is_vanished_file() && attempts < WRITE_ATTEMPTS_MAX => attempts += 1,
                written => return written,
            }
        }
    }

    /// Checks that every object of the batch is there, of its kind and size; names the first that is not.
    pub fn verify(&self, batch: &Batch) -> Result<(), NodeId> {
        let is_there = |object: &Encoded| {
            let expected = Header { kind: object.kind, size_bytes: object.size as u64 };
            matches!(self.header(&object.id), Ok(Some(found)) if found == expected)
        };
        batch.objects.iter().find(|object| !is_there(object)).map_or(Ok(()), |object| Err(object.id))
    }

    /// Removes the `.keep` marks that died with their writers and returns how many there were.
    ///
    /// The caller holds the store lock, so that no mark of this program belongs to a living writer.
    pub fn remove_stale_keeps(&self) -> io::Result<usize> {
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
            let is_keep = path.extension().is_some_and(|extension| extension == "keep");
            if is_keep && fs::read_to_string(&path).is_ok_and(|mark| is_wanted(mark.trim_end())) {
                fs::remove_file(path).or_else(absent_is_fine)?;
                removed += 1;
            }
        }
        Ok(removed)
    }

    /// True while `git gc` runs, or after one that died: then packs are written until git clears its mark.
    fn gc_is_running(&self) -> bool {
        self.common_dir().join("gc.pid").exists()
    }

    /// True when files must be readable for others by `core.sharedRepository`, which is left to git.
    pub(super) fn sets_shared_modes(&self) -> bool {
        let private = ["umask", "false", "no", "off", "0", ""];
        self.config_string("core.sharedRepository").is_some_and(|value| !private.contains(&value.as_str()))
    }

    /// True when all objects are there now, whatever this handle remembers of packs that may be gone.
    fn are_on_disk(&self, batch: &Batch) -> bool {
        batch.objects.iter().all(|object| self.loose_path(&object.id).exists()) || {
            let Ok(now) = gix::odb::at_opts(
                self.objects_dir.clone(),
                self.hash_kind().to_gix(),
                std::iter::empty(),
                gix::odb::store::init::Options::default(),
            ) else {
                return false;
            };
            batch.objects.iter().all(|object| gix::objs::Exists::exists(&now, &to_oid(&object.id)))
        }
    }

    fn write_pack(&self, batch: &Batch, mark: &str) -> Result<Option<PathBuf>, WriteError> {
        let hash = self.hash_kind();
        let command = GitCommand::new(self, "index-pack").durable().option("--stdin").option_value("--keep", mark);
        let told = command.run_fed(|pipe| batch.write_pack(hash, pipe)).inspect_err(|_| {
            // The mark comes first, so it may stand without a pack.
            let _ = self.remove_keeps(|found| found == mark);
        })?;
        let directory = self.objects_dir.join("pack");
        sync_dir(&directory)?;
        // "keep" and the pack's name, or "pack" when a mark stood there already, which is not ours.
        let told = String::from_utf8_lossy(&told);
        Ok(told.trim().strip_prefix("keep\t").map(|name| directory.join(format!("pack-{name}.keep"))))
    }

    fn write_loose(&self, batch: &Batch) -> io::Result<()> {
        let top = self.objects_dir.as_path();
        let flushed = in_parallel(&batch.objects, |object| write_temporary(top, object))?;
        let mut directories = BTreeSet::from([top.to_owned()]);
        for (object, temporary) in batch.objects.iter().zip(flushed) {
            let path = self.loose_path(&object.id);
            let directory = path.parent().expect("a loose object has a directory").to_owned();
            if !directories.contains(&directory) {
                fs::create_dir_all(&directory)?;
                directories.insert(directory);
            }
            fs::rename(&temporary.0, path)?;
        }
        let directories: Vec<_> = directories.into_iter().collect();
        in_parallel(&directories, |directory| sync_dir(directory)).map(drop)
    }

    fn loose_path(&self, id: &NodeId) -> PathBuf {
        let hex = id.to_string();
        self.objects_dir.join(&hex[..2]).join(&hex[2..])
    }
}

/// Does something to each item on a few threads and returns the results in order: flushes wait for the disk, not for
/// each other.
fn in_parallel<T: Sync, R: Send>(items: &[T], act: impl Fn(&T) -> io::Result<R> + Sync) -> io::Result<Vec<R>> {
    let threads = items.len().div_ceil(2).clamp(1, FLUSH_THREADS_MAX);
    let all = |part: &[T]| part.iter().map(&act).collect::<io::Result<Vec<R>>>();
    if threads == 1 {
        return all(items);
    }
    std::thread::scope(|scope| {
        let parts = items.chunks(items.len().div_ceil(threads));
        let running: Vec<_> = parts.map(|part| scope.spawn(move || all(part))).collect();
        let mut results = Vec::with_capacity(items.len());
        for part in running {
            results.extend(part.join().expect("a flushing thread does not panic")?);
        }
        Ok(results)
    })
}

/// A temporary file, removed when dropped unless it was renamed.
struct Temporary(PathBuf);

impl Drop for Temporary {
    fn drop(&mut self) {
        // Git knows the name and clears what is left behind.
        let _ = fs::remove_file(&self.0);
    }
}

/// Writes an object to a temporary file and flushes it.
fn write_temporary(directory: &Path, object: &Encoded) -> io::Result<Temporary> {
    static COUNTER: AtomicU64 = AtomicU64::new(0);
    loop {
        let number = COUNTER.fetch_add(1, Ordering::Relaxed);
        let path = directory.join(format!("tmp_obj_merkle_{}_{number}", std::process::id()));
        match OpenOptions::new().write(true).create_new(true).mode(0o444).open(&path) {
            Ok(mut file) => {
                let temporary = Temporary(path);
                file.write_all(&object.loose())?;
                file.sync_all()?;
                return Ok(temporary);
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
mod tests {
    use super::super::commit::commit_body;
    use super::super::fixture::{Fixture, blobs};
    use super::super::object::{EntryMode, ObjectKind, TreeEntry};
    use super::*;

    fn keeps(fixture: &Fixture) -> usize {
        let entries = fs::read_dir(fixture.root.join(".git/objects/pack")).unwrap();
        entries.filter(|entry| entry.as_ref().unwrap().path().extension().is_some_and(|end| end == "keep")).count()
    }

    #[test]
    fn git_reads_what_is_written_loose_and_packed() {
        for fixture in Fixture::both() {
            let repo = fixture.open();
            for count in [0, 1, 3, LOOSE_OBJECTS_MAX, LOOSE_OBJECTS_MAX + 1, 500] {
                let batch = blobs(repo.hash_kind(), count);
                let mut held = repo.write(&batch).unwrap();
                assert_eq!(held.keep.is_some(), count > LOOSE_OBJECTS_MAX);
                assert_eq!(keeps(&fixture), usize::from(count > LOOSE_OBJECTS_MAX));
                repo.verify(&batch).unwrap();
                held.settle().unwrap();
                for object in &batch.objects {
                    assert_eq!(fixture.git(&["cat-file", "-s", &object.id.to_string()]), object.size.to_string());
                }
            }
            assert_eq!(keeps(&fixture), 0);
            let leftover = fs::read_dir(fixture.root.join(".git/objects")).unwrap();
            assert!(!leftover.into_iter().any(|entry| entry.unwrap().file_name().to_string_lossy().starts_with("tmp")));
            fixture.git(&["fsck", "--strict", "--full"]);
        }
    }

    #[test]
    fn large_and_hard_objects_survive_compression() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        let mut seed = 1_u64;
        let mut noise = Vec::new();
        while noise.len() < 300_000 {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            noise.push((seed >> 33) as u8);
        }
        let bodies = [Vec::new(), vec![b'x'], vec![0; 1_000_000], noise];
        let mut batch = Batch::default();
        for body in &bodies {
            batch.add(Encoded::new(repo.hash_kind(), ObjectKind::Blob, body));
            batch.add(Encoded::new(repo.hash_kind(), ObjectKind::Blob, body));
        }
        assert_eq!(batch.len(), bodies.len());
        for packed in [false, true] {
            if packed {
                fs::remove_file(repo.write_pack(&batch, "git-merkle x").unwrap().unwrap()).unwrap();
                fixture.git(&["prune-packed"]);
            } else {
                repo.write_loose(&batch).unwrap();
            }
            for (object, body) in batch.objects.iter().zip(&bodies) {
                let arguments = ["cat-file", "blob", &object.id.to_string()];
                assert_eq!(&fixture.command(&fixture.root, &arguments).output().unwrap().stdout, body);
            }
        }
        fixture.git(&["fsck", "--strict", "--full"]);
    }

    #[test]
    fn a_kept_pack_outlives_gc_until_the_ref_has_moved() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let repo = fixture.open();
        let batch = blobs(repo.hash_kind(), 100);
        let held = repo.write(&batch).unwrap();
        fixture.git(&["gc", "-q", "--prune=now"]);
        repo.verify(&batch).unwrap();
        let keep = fs::read_to_string(held.keep.as_ref().unwrap()).unwrap();
        assert!(keep.starts_with(&format!("git-merkle {} ", std::process::id())), "{keep}");
        drop(held);
        fixture.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(fixture.open().verify(&batch), Err(batch.objects[0].id));
    }

    #[test]
    fn loose_objects_that_gc_took_are_written_again() {
        let fixture = Fixture::new();
        fixture.commit("one");
        let repo = fixture.open();
        let batch = blobs(repo.hash_kind(), 5);
        let mut held = repo.write(&batch).unwrap();
        fixture.git(&["gc", "-q", "--prune=now"]);
        assert_eq!(keeps(&fixture), 0);
        assert!(fixture.open().verify(&batch).is_err());
        held.settle().unwrap();
        fixture.open().verify(&batch).unwrap();

        let batch = blobs(repo.hash_kind(), 6);
        let mut held = repo.write(&batch).unwrap();
        assert!(held.keep.is_none());
        fixture.file(".git/gc.pid", "1 elsewhere");
        held.settle().unwrap();
        assert!(held.keep.is_some(), "a gc runs");
        assert!(repo.write(&blobs(repo.hash_kind(), 7)).unwrap().keep.is_some());
    }

    #[test]
    fn loose_objects_that_gc_packed_are_settled() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        let batch = blobs(repo.hash_kind(), 1);
        let mut held = repo.write(&batch).unwrap();
        repo.update_ref("refs/merkle/test", &batch.objects[0].id, Expected::Absent).unwrap();
        fixture.git(&["gc", "-q", "--prune=now"]);
        assert!(!repo.loose_path(&batch.objects[0].id).exists());
        held.settle().unwrap();
        assert_eq!(keeps(&fixture), 0);
    }

    #[test]
    fn every_batch_survives_a_gc_that_runs_all_the_while() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        let commits = 20;
        let mut all = Vec::new();
        std::thread::scope(|scope| {
            scope.spawn(|| {
                for _ in 0..2 * commits {
                    fixture.git(&["gc", "-q", "--prune=now"]);
                }
            });
            let mut expected = Expected::Absent;
            for round in 0..commits {
                let mut batch = Batch::default();
                let mut tree = Vec::new();
                for number in 0..if round % 3 == 0 { 50 } else { 4 } {
                    let blob = Encoded::new(repo.hash_kind(), ObjectKind::Blob, format!("{round} {number}").as_bytes());
                    let name = format!("{number:03}");
                    TreeEntry { mode: EntryMode::File, name: name.as_bytes(), id: blob.id }.encode(&mut tree);
                    all.push(blob.id);
                    batch.add(blob);
                }
                let tree = Encoded::new(repo.hash_kind(), ObjectKind::Tree, &tree);
                let parents = if let Expected::At(parent) = expected { vec![parent] } else { Vec::new() };
                let body = commit_body(&tree.id, &parents, ("a", "b"), "frames", 1);
                let commit = Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body);
                let id = commit.id;
                batch.add(tree);
                batch.add(commit);
                let mut held = repo.write(&batch).unwrap();
                held.move_ref("refs/merkle/frames", &id, expected).unwrap();
                expected = Expected::At(id);
            }
        });
        let mut buffer = Vec::new();
        for id in &all {
            repo.read(id, ObjectKind::Blob, &mut buffer).unwrap();
        }
        fixture.git(&["fsck", "--strict", "--full"]);
        assert_eq!(fixture.git(&["rev-list", "--count", "refs/merkle/frames"]), commits.to_string());
        assert_eq!(keeps(&fixture), 0);
    }

    #[test]
    fn only_our_stale_keeps_are_removed() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        assert_eq!(repo.remove_stale_keeps().unwrap(), 0);
        std::mem::forget(repo.write(&blobs(repo.hash_kind(), 50)).unwrap());
        fixture.file(".git/objects/pack/pack-1.keep", "git-merkleish");
        fixture.file(".git/objects/pack/pack-2.keep", "");
        assert_eq!(repo.remove_stale_keeps().unwrap(), 1);
        assert_eq!(keeps(&fixture), 2);
    }

    #[test]
    fn shared_repositories_get_gits_modes() {
        use std::os::unix::fs::PermissionsExt;
        let fixture = Fixture::init(&["--shared=all"]);
        let repo = fixture.open();
        let batch = blobs(repo.hash_kind(), 1);
        let held = repo.write(&batch).unwrap();
        let pack = held.keep.as_ref().expect("packed").with_extension("pack");
        assert_eq!(pack.metadata().unwrap().permissions().mode() & 0o777, 0o444);
    }

    #[test]
    fn what_cannot_be_written_is_an_error() {
        let fixture = Fixture::new();
        let repo = fixture.open();
        fs::remove_dir_all(fixture.root.join(".git/objects")).unwrap();
        assert!(matches!(repo.write(&blobs(repo.hash_kind(), 1)), Err(WriteError::Io(_))));
        let error = repo.write(&blobs(repo.hash_kind(), 100)).unwrap_err();
        assert!(matches!(error, WriteError::Pack(_)), "{error}");
    }
}
