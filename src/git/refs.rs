//! Refs: look, and move by compare-and-swap, durably.
//!
//! Reading is gix's. Moving is done here, because neither gix nor git by default flushes a ref to disk, and because
//! a process that is killed must not leave a lock that stops the next one: see `ref_lock`.
//! What this does not do is left to `git update-ref`: reftable repositories, reflogs of other refs, symbolic refs, shared file modes,
//! file systems without hard links, and removing what stands in `packed-refs`. See `ref_child` for what a killed one leaves.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};

use gix::refs::Target;

use super::child::{ChildError, GitCommand, id_of};
use super::object::from_oid;
use super::ref_child::RefChild;
use super::ref_lock::{LockAttempt, RefLock};
use super::ref_path;
use super::repo::Repository;
use super::state::StateDir;
use super::variable::variable;
use super::write::sync_dir;
use crate::base::NodeId;
use crate::base::absent::absent_is_fine;

/// Longest chain of symbolic refs, as in git.
const SYMBOLIC_DEPTH_MAX: usize = 5;

/// What git says of a lock that another process holds, by files and by reftable.
const LOCKED: [&str; 3] = ["File exists", "is locked", "cannot lock references"];

/// What a ref must be for it to move.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Expected {
    /// It must not exist.
    Absent,
    /// It must point here.
    At(NodeId),
}

impl Expected {
    fn is(self, current: Option<NodeId>) -> bool {
        match self {
            Self::Absent => current.is_none(),
            Self::At(id) => current == Some(id),
        }
    }
}

/// Why a ref could not be read or moved.
#[derive(Debug, thiserror::Error)]
pub enum RefError {
    /// It is not what was expected, or another process holds its lock: read again and retry.
    #[error("ref '{0}' has moved")]
    Moved(String),
    /// What git keeps for a ref of this program, or a folder on the way there, is a link of the file system.
    #[error("{what} '{name}' is reached through the symbolic link '{}'", path.display())]
    Linked {
        /// The ref or its log.
        what: &'static str,
        /// Which ref.
        name: String,
        /// The link.
        path: PathBuf,
    },
    /// A ref of this program that is symbolic: writing would move what it leads to.
    #[error("ref '{name}' is symbolic and leads to '{target}'")]
    Symbolic {
        /// Which.
        name: String,
        /// Where it leads.
        target: String,
    },
    /// A hook runs before git has accepted a push: its objects may go again, and a ref of git must not lead to them.
    #[error("ref '{0}' cannot move while git holds what was pushed in quarantine")]
    Quarantine(String),
    /// It exists but cannot be read.
    #[error("ref '{name}' cannot be read or written")]
    Failed {
        /// Which.
        name: String,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

impl RefError {
    fn symbolic(name: &str, target: &str) -> Self {
        Self::Symbolic {
            name: name.to_owned(),
            target: target.to_owned(),
        }
    }

    pub(super) fn failed(
        name: &str,
        source: impl Into<Box<dyn std::error::Error + Send + Sync>>,
    ) -> Self {
        Self::Failed {
            name: name.to_owned(),
            source: source.into(),
        }
    }
}

impl Repository {
    /// What a full ref name points at, followed to an object; `None` when there is no such ref.
    pub fn find_ref(&self, name: &str) -> Result<Option<NodeId>, RefError> {
        if self.is_reftable() {
            return self.find_ref_by_program(name);
        }
        // `git pack-refs` moves a ref from its file to the packed ones; a reader that looked the other way round
        // misses it, once.
        match self.find_ref_once(name)? {
            None => self.find_ref_once(name),
            found => Ok(found),
        }
    }

    /// What a ref of this program points at; `None` when there is no such ref.
    ///
    /// It came perhaps with the git directory: one that is symbolic, or that is reached through a link, is refused.
    pub fn find_direct_ref(&self, name: &str) -> Result<Option<NodeId>, RefError> {
        self.check_ref_path(name)?;
        if self.is_reftable() {
            return self.find_direct_ref_by_program(name);
        }
        match self
            .inner
            .refs
            .try_find(name)
            .map_err(|error| RefError::failed(name, error))?
        {
            Some(reference) if reference.name.as_bstr() == name => match reference.target {
                Target::Object(id) => Ok(Some(from_oid(&id))),
                Target::Symbolic(to) => Err(RefError::symbolic(name, &to.as_bstr().to_string())),
            },
            // Packed in the moment between two looks; or there is none.
            _ => self.find_ref_once(name),
        }
    }

    /// All refs below a prefix such as `refs/merkle/`, with the objects they point at, ordered by name.
    ///
    /// Left out are names that are not UTF-8 and symbolic refs that lead nowhere.
    pub fn refs_below(&self, prefix: &str) -> Result<Vec<(String, NodeId)>, RefError> {
        if self.is_reftable() {
            return self.refs_by_program(prefix);
        }
        let failed = |error: gix::Error| RefError::failed(prefix, error);
        let platform = self.inner.refs.iter().map_err(failed)?;
        let path = <&gix::path::RelativePath>::try_from(prefix)
            .map_err(|error| RefError::failed(prefix, error))?;
        let mut found = Vec::new();
        for reference in platform
            .prefixed(path)
            .map_err(|error| RefError::failed(prefix, error))?
        {
            let reference = reference.map_err(|error| RefError::failed(prefix, error))?;
            let Ok(name) = std::str::from_utf8(reference.name.as_bstr()) else {
                continue;
            };
            if let Some(id) = self.follow(name, reference.target.clone())? {
                found.push((name.to_owned(), id));
            }
        }
        found.sort();
        Ok(found)
    }

    /// Moves or creates a ref if it is as expected; the new value is on disk (fsync) when this returns.
    pub fn update_ref(
        &self,
        name: &str,
        target: &NodeId,
        expected: Expected,
    ) -> Result<(), RefError> {
        self.check_movable(name)?;
        if !self.needs_program(name)
            && let Some(lock) = self.lock_ref(name, &format!("{target}\n"))?
        {
            let current = self.find_direct_ref(name)?;
            if !expected.is(current) {
                return Err(RefError::Moved(name.to_owned()));
            }
            if self.is_plain(name, current)? {
                let path = self.common_dir().join(name);
                if self.keeps_log(name) {
                    // What cannot be logged moves all the same: the log helps after a mistake, and is no part of the store.
                    let _ = self.log_ref(name, current, target);
                }
                let moved = lock
                    .commit(&path)
                    .and_then(|()| sync_above(&path, self.common_dir(), current.is_none()));
                return moved.map_err(|error| RefError::failed(name, error));
            }
        }
        self.update_ref_by_program(name, target, expected)
    }

    /// Deletes a ref, whatever it points at; fine when it is absent. A power cut may bring it back.
    pub fn delete_ref(&self, name: &str) -> Result<(), RefError> {
        if self.find_ref(name)?.is_none() {
            return Ok(());
        }
        self.check_movable(name)?;
        if !self.needs_program(name)
            && !self.log_of(name).exists()
            && let Some(lock) = self.lock_ref(name, "")?
        {
            let packed = self
                .inner
                .refs
                .cached_packed_buffer()
                .map_err(|error| RefError::failed(name, error))?;
            let packed = packed
                .is_some_and(|packed| packed.try_find(name).is_ok_and(|found| found.is_some()));
            if !packed {
                let path = self.common_dir().join(name);
                return fs::remove_file(path)
                    .or_else(absent_is_fine)
                    .map_err(|error| RefError::failed(name, error));
            }
            drop(lock);
        }
        self.update_ref_program(name, &format!("delete {name}\0\0"))
    }

    /// Refuses a ref that must not be moved now, or cannot be moved safely. A run calls it before it asks a model for what
    /// only the ref would keep.
    pub fn check_movable(&self, name: &str) -> Result<(), RefError> {
        // Git refuses it itself; this program moves most refs without git.
        if variable("GIT_QUARANTINE_PATH").is_some() {
            return Err(RefError::Quarantine(name.to_owned()));
        }
        self.check_ref_path(name)?;
        self.check_log_path(name)
    }

    /// Refuses a ref whose file is a link or no file at all, and a link on the way to it.
    fn check_ref_path(&self, name: &str) -> Result<(), RefError> {
        if self.is_reftable() {
            return self.refuse_link("ref", name, "reftable");
        }
        self.refuse_link("ref", name, name)?;
        let path = self.common_dir().join(name);
        match fs::symlink_metadata(&path) {
            Ok(found) if !found.is_file() && !found.is_dir() => Err(RefError::failed(
                name,
                format!("'{}' is not a regular file", path.display()),
            )),
            _ => Ok(()),
        }
    }

    /// Refuses a ref whose log is a link, lies behind one or has a second name: git would add its line to whatever that is.
    pub fn check_log_path(&self, name: &str) -> Result<(), RefError> {
        if self.is_reftable() {
            return Ok(());
        }
        let below = format!("logs/{name}");
        self.refuse_link("log of ref", name, &below)?;
        match fs::symlink_metadata(self.common_dir().join(&below)) {
            Ok(found) if !found.is_file() && !found.is_dir() => Err(RefError::failed(
                name,
                format!("'{below}' is not a regular file"),
            )),
            Ok(found) if found.is_file() && found.nlink() > 1 => Err(RefError::failed(
                name,
                format!("'{below}' has a second name (hard link)"),
            )),
            _ => Ok(()),
        }
    }

    fn refuse_link(&self, what: &'static str, name: &str, below: &str) -> Result<(), RefError> {
        match ref_path::link_on_the_way(self.common_dir(), below) {
            Some(path) => Err(RefError::Linked {
                what,
                name: name.to_owned(),
                path,
            }),
            None => Ok(()),
        }
    }

    fn find_direct_ref_by_program(&self, name: &str) -> Result<Option<NodeId>, RefError> {
        let command = GitCommand::new(self, "for-each-ref")
            .option("--format=%(objectname) %(refname) %(symref)");
        let listed = command
            .operand(name)
            .run(b"")
            .map_err(|error| RefError::failed(name, error))?;
        let listed = String::from_utf8_lossy(&listed);
        for line in listed.lines() {
            let mut words = line.splitn(3, ' ');
            let (id, found, target) =
                (words.next(), words.next(), words.next().unwrap_or_default());
            if found == Some(name) && !target.is_empty() {
                return Err(RefError::symbolic(name, target));
            }
            if let (true, Some(id)) = (found == Some(name), id.and_then(|id| id.parse().ok())) {
                return Ok(Some(id));
            }
        }
        Ok(None)
    }

    fn find_ref_once(&self, name: &str) -> Result<Option<NodeId>, RefError> {
        match self
            .inner
            .refs
            .try_find(name)
            .map_err(|error| RefError::failed(name, error))?
        {
            Some(reference) if reference.name.as_bstr() == name => {
                self.follow(name, reference.target)
            }
            _ => Ok(None),
        }
    }

    fn follow(&self, name: &str, mut target: Target) -> Result<Option<NodeId>, RefError> {
        for _ in 0..SYMBOLIC_DEPTH_MAX {
            match target {
                Target::Object(id) => return Ok(Some(from_oid(&id))),
                Target::Symbolic(to) => {
                    let found = self
                        .inner
                        .refs
                        .try_find(to.as_ref())
                        .map_err(|error| RefError::failed(name, error))?;
                    let Some(reference) = found.filter(|reference| reference.name == to) else {
                        return Ok(None);
                    };
                    target = reference.target;
                }
            }
        }
        Err(RefError::failed(name, "too many levels of symbolic refs"))
    }

    /// The lock on a ref; `None` on a file system without hard links, where git moves it.
    fn lock_ref(&self, name: &str, value: &str) -> Result<Option<RefLock>, RefError> {
        match RefLock::acquire(&StateDir::of(self), name, value)
            .map_err(|error| RefError::failed(name, error))?
        {
            LockAttempt::Held(lock) => Ok(Some(lock)),
            LockAttempt::NoLinks => Ok(None),
            LockAttempt::Busy => Err(RefError::Moved(name.to_owned())),
        }
    }

    /// True when a ref is moved by renaming a file: it is no symbolic ref, and a new one conflicts with no other.
    fn is_plain(&self, name: &str, current: Option<NodeId>) -> Result<bool, RefError> {
        match fs::read(self.common_dir().join(name)) {
            Ok(text) => Ok(!text.starts_with(b"ref:")),
            Err(error) if error.kind() == io::ErrorKind::NotFound && current.is_some() => Ok(true),
            Err(_) => Ok(current.is_none() && self.is_free(name)?),
        }
    }

    /// True when a new ref collides with no other: neither above nor below a ref, nor with a directory that is left.
    fn is_free(&self, name: &str) -> Result<bool, RefError> {
        let above = name.match_indices('/').skip(1).map(|(end, _)| &name[..end]);
        for parent in above {
            if self.find_ref_once(parent)?.is_some() {
                return Ok(false);
            }
        }
        Ok(!self.common_dir().join(name).exists()
            && self.refs_below(&format!("{name}/"))?.is_empty())
    }

    pub(super) fn is_reftable(&self) -> bool {
        self.config_string("extensions.refStorage")
            .is_some_and(|value| value.eq_ignore_ascii_case("reftable"))
    }

    /// True when a ref is moved by git: see the module's words.
    fn needs_program(&self, name: &str) -> bool {
        let shared = name.starts_with("refs/")
            && !["refs/worktree/", "refs/bisect/", "refs/rewritten/"]
                .iter()
                .any(|private| name.starts_with(private))
            && gix::refs::FullName::try_from(name).is_ok();
        let logs_all = self
            .config_string("core.logAllRefUpdates")
            .is_some_and(|value| value.eq_ignore_ascii_case("always"));
        !shared
            || logs_all
            || self.is_reftable()
            || self.sets_shared_modes()
            || ["refs/heads/", "refs/remotes/", "refs/notes/"]
                .iter()
                .any(|logged| name.starts_with(logged))
            || (!self.keeps_log(name) && self.log_of(name).is_file())
    }

    fn update_ref_by_program(
        &self,
        name: &str,
        target: &NodeId,
        expected: Expected,
    ) -> Result<(), RefError> {
        let old = match expected {
            Expected::At(id) => id.to_string(),
            Expected::Absent => "0".repeat(2 * self.hash_kind().id_bytes()),
        };
        match self.update_ref_program(name, &format!("update {name}\0{target}\0{old}\0")) {
            Err(RefError::Failed { .. }) if !expected.is(self.find_direct_ref(name)?) => {
                Err(RefError::Moved(name.to_owned()))
            }
            done => done,
        }
    }

    fn update_ref_program(&self, name: &str, instruction: &str) -> Result<(), RefError> {
        let command = GitCommand::new(self, "update-ref")
            .durable()
            .option("--no-deref")
            .option("-m")
            .option("git-merkle");
        let command = if self.keeps_log(name) {
            command.setting("core.logAllRefUpdates=always")
        } else {
            command
        };
        let failed = |error: io::Error| RefError::failed(name, error);
        let child = RefChild::write(self, instruction).map_err(failed)?;
        let input = child.input().map_err(failed)?;
        match command.option("--stdin").option("-z").run_from(input) {
            Ok(_) => Ok(()),
            Err(ChildError::Failed { message, .. })
                if LOCKED.iter().any(|text| message.contains(text)) =>
            {
                Err(RefError::Moved(name.to_owned()))
            }
            Err(error) => {
                if matches!(error, ChildError::Failed { code: None, .. }) {
                    child.keep();
                }
                Err(RefError::failed(name, error))
            }
        }
    }

    fn find_ref_by_program(&self, name: &str) -> Result<Option<NodeId>, RefError> {
        if name.starts_with("refs/") {
            let found = self.refs_by_program(name)?;
            return Ok(found
                .into_iter()
                .find(|(found, _)| found == name)
                .map(|(_, id)| id));
        }
        let command = GitCommand::new(self, "rev-parse")
            .option("--verify")
            .option("--quiet");
        let output = command
            .operand(name)
            .output(b"")
            .map_err(|error| RefError::failed(name, error))?;
        Ok(id_of(&output.stdout))
    }

    fn refs_by_program(&self, prefix: &str) -> Result<Vec<(String, NodeId)>, RefError> {
        let command =
            GitCommand::new(self, "for-each-ref").option("--format=%(objectname) %(refname)");
        let listed = command
            .operand(prefix)
            .run(b"")
            .map_err(|error| RefError::failed(prefix, error))?;
        let parse = |line: &[u8]| {
            let (id, name) = std::str::from_utf8(line).ok()?.split_once(' ')?;
            Some((name.to_owned(), id.parse().ok()?))
        };
        Ok(listed
            .split(|byte| *byte == b'\n')
            .filter_map(parse)
            .collect())
    }
}

/// Flushes the directory of a file, and for a new one those above that may be new, up to the git directory.
fn sync_above(path: &Path, top: &Path, is_new: bool) -> io::Result<()> {
    let directories = path
        .ancestors()
        .skip(1)
        .take_while(|directory| *directory != top);
    directories
        .take(if is_new { usize::MAX } else { 1 })
        .try_for_each(sync_dir)
}

#[cfg(test)]
mod tests;
