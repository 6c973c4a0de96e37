//! Changes of the work tree that can be taken back: a journal first, then the files, one by one.
//!
//! The journal is on the disk before the first file changes. It holds every file as it was, and what it becomes, so it
//! says by itself what a kill left half done, and where files were changed since:
//!
//! | the files are | that means |
//! |---|---|
//! | all as they were | nothing was done, or all of it was taken back |
//! | all as they should become | the changes are there |
//! | some so, some so | a process died between; they can be taken back |
//! | any other | a person or a program has changed them since |

use std::io::{self, Write as _};
use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use super::lock::Lock;
use super::repo::Repository;
use super::state::StateDir;
use super::work_file::{TEMPORARY, WorkFile, WorkFiles};
use crate::base::TreePath;
use crate::base::hash::sha256_hex;

/// The folder of journals in the git directory of a work tree.
const FOLDER: &str = "applied";
const LOCK: &str = "lock";
const VERSION: u32 = 1;
/// The largest journal that is read: the files of one answer with their bytes in base64.
const JOURNAL_BYTES_MAX: u64 = 256 << 20;

/// One file, before and after.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct WorkChange {
    /// Where it stands.
    pub path: TreePath,
    /// What it was; `None` for no file.
    pub before: Option<WorkFile>,
    /// What it becomes; `None` for no file.
    pub after: Option<WorkFile>,
}

/// The journals of a work tree, held by this process alone.
pub struct Applied {
    folder: StateDir,
    files: WorkFiles,
    _lock: Lock,
}

/// How the files of a journal stand.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum JournalState {
    /// There is no journal, or all files are as they were before.
    Absent,
    /// All files are as they should be.
    Whole,
    /// Some are as they were, and some as they should be.
    Half,
    /// These were changed since; the flag tells whether any file is still as it should be.
    Changed(Vec<TreePath>, bool),
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Journal {
    version: u32,
    /// Folders that were made, outermost first.
    folders: Vec<String>,
    files: Vec<Entry>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Entry {
    path: String,
    before: Option<Before>,
    after: Option<After>,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Before {
    bytes: String,
    mode: u32,
}

#[derive(PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct After {
    sha256: String,
    is_executable: bool,
}

impl Applied {
    /// Takes the journals of a work tree; `None` while another process has them, or where there is no work tree.
    pub fn open(repo: &Repository) -> io::Result<Option<Self>> {
        let Some(work_dir) = repo.work_dir() else {
            return Ok(None);
        };
        let folder = StateDir::of_worktree(repo).folder(FOLDER);
        let lock = folder.lock(LOCK, Duration::ZERO)?;
        let files = WorkFiles::open(work_dir)?;
        Ok(lock.map(|lock| Self {
            folder,
            files,
            _lock: lock,
        }))
    }

    /// The files of the work tree.
    #[must_use]
    pub fn files(&self) -> &WorkFiles {
        &self.files
    }

    /// The names of the journals, in order.
    pub fn names(&self) -> io::Result<Vec<String>> {
        let names = self.folder.names()?;
        let names = names.iter().filter_map(|name| name.strip_suffix(".json"));
        Ok(names.map(str::to_owned).collect())
    }

    /// What each file of a journal was before, and how all of them stand now.
    pub fn standing(&self, name: &str) -> io::Result<(JournalState, Vec<WorkChange>)> {
        let Some(journal) = self.load(name)? else {
            return Ok((JournalState::Absent, Vec::new()));
        };
        let (mut changes, mut changed) = (Vec::new(), Vec::new());
        let (mut is_before, mut is_after) = (true, false);
        for entry in &journal.files {
            let path = read_bytes(&entry.path).map(TreePath::new)?;
            let before = entry.before.as_ref().map(Before::decode).transpose()?;
            let now = self.files.read(&path);
            let is_as = |is_it: &dyn Fn(Option<&WorkFile>) -> bool| {
                now.as_ref().is_ok_and(|now| is_it(now.as_ref()))
            };
            let was_kept = is_as(&|now| now == before.as_ref());
            let was_made = is_as(&|now| now.map(After::of) == entry.after);
            if !was_kept && !was_made {
                changed.push(path.clone());
            }
            is_before &= was_kept;
            is_after |= was_made && !was_kept;
            changes.push((path, before, was_made));
        }
        let is_whole = changes.iter().all(|(.., was_made)| *was_made);
        let standing = match () {
            () if !changed.is_empty() => JournalState::Changed(changed, is_after),
            () if is_before => JournalState::Absent,
            () if is_whole => JournalState::Whole,
            () => JournalState::Half,
        };
        let changes = changes.into_iter().map(|(path, before, _)| WorkChange {
            path,
            before,
            after: None,
        });
        Ok((standing, changes.collect()))
    }

    /// Writes the journal, and then the files. What cannot be written leaves everything as it was, or says so.
    pub fn apply(&self, name: &str, changes: &[WorkChange]) -> io::Result<()> {
        let mut folders: Vec<TreePath> = Vec::new();
        for change in changes.iter().filter(|change| change.after.is_some()) {
            folders.extend(self.files.missing_folders(&change.path));
        }
        folders.sort();
        folders.dedup();
        let journal = Journal {
            version: VERSION,
            folders: folders
                .iter()
                .map(|path| write_bytes(path.as_bytes()))
                .collect(),
            files: changes.iter().map(Entry::of).collect(),
        };
        let text = serde_json::to_vec(&journal).map_err(io::Error::other)?;
        self.folder
            .replace_durably(&file(name), |open| open.write_all(&text))?;
        let written = self.write(changes);
        if written.is_err() {
            // The disk is full, or a folder may not be written: what was done is taken back with what was kept.
            self.undo(name)?;
        }
        written
    }

    /// Puts every file back that is as the journal made it, and forgets the journal. The caller has looked how they stand.
    pub fn undo(&self, name: &str) -> io::Result<()> {
        let Some(journal) = self.load(name)? else {
            return Ok(());
        };
        for (number, entry) in journal.files.iter().enumerate() {
            let path = read_bytes(&entry.path).map(TreePath::new)?;
            self.files.remove(&sibling(&path, number))?;
            match entry.before.as_ref().map(Before::decode).transpose()? {
                Some(before) if self.files.read(&path) == Ok(Some(before.clone())) => {}
                Some(before) => {
                    self.files.replace(&path, &before, &temporary(number))?;
                }
                None => self.files.remove(&path)?,
            }
        }
        for folder in journal.folders.iter().rev() {
            self.files
                .remove_folder(&TreePath::new(read_bytes(folder)?));
        }
        self.folder.remove(&file(name))
    }

    fn write(&self, changes: &[WorkChange]) -> io::Result<()> {
        for (number, change) in changes.iter().enumerate() {
            match &change.after {
                Some(after) => self
                    .files
                    .replace(&change.path, after, &temporary(number))?,
                None => {
                    self.files.remove(&change.path)?;
                    // As git does it: a folder is there for what is in it.
                    let above = std::iter::successors(change.path.parent(), TreePath::parent);
                    let _ = above
                        .take_while(|folder| !folder.is_root() && self.files.remove_folder(folder))
                        .count();
                }
            }
        }
        Ok(())
    }

    fn load(&self, name: &str) -> io::Result<Option<Journal>> {
        let text = match self.folder.read(&file(name), JOURNAL_BYTES_MAX) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            read => read?,
        };
        let journal: Journal = serde_json::from_slice(&text).map_err(damaged)?;
        match journal.version {
            VERSION => Ok(Some(journal)),
            other => Err(damaged(format!("version {other} is not understood"))),
        }
    }
}

impl Entry {
    fn of(change: &WorkChange) -> Self {
        Self {
            path: write_bytes(change.path.as_bytes()),
            before: change.before.as_ref().map(|file| Before {
                bytes: write_bytes(&file.bytes),
                mode: file.mode.unwrap_or_default(),
            }),
            after: change.after.as_ref().map(After::of),
        }
    }
}

impl Before {
    fn decode(&self) -> io::Result<WorkFile> {
        Ok(WorkFile {
            bytes: read_bytes(&self.bytes)?,
            mode: Some(self.mode & 0o7777),
            is_executable: self.mode & 0o100 != 0,
        })
    }
}

impl After {
    fn of(file: &WorkFile) -> Self {
        Self {
            sha256: sha256_hex(&file.bytes),
            is_executable: file.is_executable,
        }
    }
}

fn file(name: &str) -> String {
    format!("{name}.json")
}

/// The name that a file has beside its place until it is whole.
fn temporary(number: usize) -> String {
    format!("{TEMPORARY}{number}")
}

fn sibling(path: &TreePath, number: usize) -> TreePath {
    let folder = path.parent().unwrap_or_default();
    folder.join(temporary(number).as_bytes())
}

fn write_bytes(bytes: &[u8]) -> String {
    STANDARD.encode(bytes)
}

fn read_bytes(text: &str) -> io::Result<Vec<u8>> {
    STANDARD
        .decode(text)
        .map_err(|error| damaged(error.to_string()))
}

fn damaged(error: impl Into<Box<dyn std::error::Error + Send + Sync>>) -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, error)
}
