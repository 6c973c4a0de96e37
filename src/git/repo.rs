//! An open repository, and the facts about it that others ask for; `open` finds it.

use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::odb::pack::cache::lru::MemoryCappedHashmap;

use super::trees::Trees;
use super::variable::variable;
use super::window::Window;
use crate::base::TreePath;

/// Memory for bases of delta chains, per handle: on 100,000 files 8 MiB walk as fast as 96, and a quarter faster than none.
const PACK_CACHE_BYTES: usize = 8 * 1024 * 1024;
/// How many packs at least may appear while the repository is open, each taking one slot.
pub(super) const PACK_SLOTS_MIN: usize = 256;

/// Where to look for the repository: what `-C`, `--git-dir` and `-c` said, over the environment.
#[derive(Debug, Clone, Default)]
pub struct Location {
    /// Directory to start from; the current one when empty (`-C`).
    pub directory: PathBuf,
    /// Explicit repository (`--git-dir`), else `GIT_DIR`, else discovery upwards.
    pub git_dir: Option<PathBuf>,
    /// Configuration of highest rank, `key=value` each (`-c`).
    pub settings: Vec<String>,
}

/// Which hash the repository's object ids are.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum HashKind {
    /// 20 bytes.
    Sha1,
    /// 32 bytes.
    Sha256,
}

impl HashKind {
    /// Length of an id in bytes.
    #[must_use]
    pub fn id_bytes(self) -> usize {
        self.to_gix().len_in_bytes()
    }

    pub(super) fn to_gix(self) -> gix::hash::Kind {
        match self {
            Self::Sha1 => gix::hash::Kind::Sha1,
            Self::Sha256 => gix::hash::Kind::Sha256,
        }
    }
}

/// Why no repository could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No repository here or above.
    #[error("not a git repository (or any of the parent directories): '{0}'")]
    NotFound(PathBuf),
    /// No repository in the folder that the user names.
    #[error("not a git repository: '{0}'")]
    NotThere(PathBuf),
    /// The folder to start from is not there, or is none.
    #[error("there is no folder '{0}'")]
    NoFolder(PathBuf),
    /// Owned by someone else: git's `safe.directory` rule.
    #[error("detected dubious ownership in repository at '{0}'")]
    Untrusted(PathBuf),
    /// A bare repository that was not named, where `safe.bareRepository` is `explicit`.
    #[error("cannot use bare repository '{0}' (safe.bareRepository is 'explicit')")]
    Bare(PathBuf),
    /// A repository that lies as plain files in the work tree of another one, and was not named.
    #[error(
        "'{git_dir}' is a repository made of files in the work tree of '{outer}', and may have come with it"
    )]
    Embedded {
        /// Its git directory.
        git_dir: PathBuf,
        /// The root of the other one's work tree.
        outer: PathBuf,
    },
    /// A repository that was not named, whose own configuration makes a folder elsewhere its work tree.
    #[error("'{git_dir}' calls '{work_tree}' its work tree, which does not know of it")]
    WorkTree {
        /// Its git directory.
        git_dir: PathBuf,
        /// What `core.worktree` says.
        work_tree: PathBuf,
    },
    /// The system failed while the repository was looked for or opened; it may be there and whole.
    #[error("cannot look for a repository: cannot read '{path}'")]
    Io {
        /// What could not be read.
        path: PathBuf,
        /// Why not.
        #[source]
        source: std::io::Error,
    },
    /// A `-c` setting without a section and a name.
    #[error("'{0}' is not a configuration setting")]
    Setting(String),
    /// It says of itself that only a git that knows this extension may touch it.
    #[error("unknown repository extension '{0}'")]
    Extension(String),
    /// Found, but it can't be read.
    #[error("cannot open repository '{path}'")]
    Damaged {
        /// The git directory.
        path: PathBuf,
        /// What failed.
        #[source]
        source: Box<dyn std::error::Error + Send + Sync>,
    },
}

/// An open repository. Moves between threads; [`fork`](Self::fork) gives another thread its own handle.
pub struct Repository {
    pub(super) inner: gix::Repository,
    /// Which object store is read from.
    pub(super) window: Window,
    /// Further object stores that the environment names, asked after the repository's own.
    pub(super) alternates: Vec<(PathBuf, gix::OdbHandle)>,
    /// Where objects are written.
    pub(super) objects_dir: PathBuf,
    /// Settings of highest rank, passed on to children.
    pub(super) settings: Vec<String>,
    /// Where the user stands.
    pub(super) directory: PathBuf,
    /// Directories that were read lately.
    pub(super) trees: Trees,
}

impl Repository {
    /// A second handle on the same repository for another thread, with object caches of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            window: self.window.fork(),
            alternates: self.alternates.clone(),
            objects_dir: self.objects_dir.clone(),
            settings: self.settings.clone(),
            directory: self.directory.clone(),
            trees: Trees::default(),
        }
    }

    /// The hash of this repository's ids.
    #[must_use]
    pub fn hash_kind(&self) -> HashKind {
        if self.inner.object_hash() == gix::hash::Kind::Sha1 {
            HashKind::Sha1
        } else {
            HashKind::Sha256
        }
    }

    /// The git directory of this worktree.
    #[must_use]
    pub fn git_dir(&self) -> &Path {
        self.inner.git_dir()
    }

    /// The git directory that linked worktrees share; machine state lives below it.
    #[must_use]
    pub fn common_dir(&self) -> &Path {
        self.inner.common_dir()
    }

    /// The work tree's root; `None` in a bare repository.
    #[must_use]
    pub fn work_dir(&self) -> Option<&Path> {
        self.inner.workdir()
    }

    /// The current directory within the work tree; the root when outside or bare.
    #[must_use]
    pub fn prefix(&self) -> TreePath {
        let real = |path: &Path| path.canonicalize().ok();
        let Some((root, here)) = self.work_dir().and_then(real).zip(real(&self.directory)) else {
            return TreePath::root();
        };
        if real(self.git_dir()).is_some_and(|git_dir| here.starts_with(git_dir)) {
            return TreePath::root();
        }
        here.strip_prefix(&root).map_or_else(
            |_| TreePath::root(),
            |below| TreePath::new(below.as_os_str().as_bytes()),
        )
    }

    /// True when history is cut off.
    #[must_use]
    pub fn is_shallow(&self) -> bool {
        self.inner.is_shallow().unwrap_or(false)
    }
}

impl std::fmt::Debug for Repository {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Repository")
            .field("git_dir", &self.git_dir())
            .field("work_dir", &self.work_dir())
            .finish_non_exhaustive()
    }
}

/// The path without `.` and `..`, for people; symlinks stay.
pub(super) fn normal(path: &Path) -> PathBuf {
    gix::path::normalize(path.into(), Path::new("/"))
        .map_or_else(|| path.to_owned(), |path| path.components().collect())
}

pub(super) fn options(overrides: &[String]) -> gix::open::Options {
    gix::open::Options::default()
        .cli_overrides(overrides.iter().map(String::as_str))
        .object_store_slots(slots())
        .lossy_config(true)
        .permissions(gix::open::Permissions {
            config: users_config(),
            ..gix::open::Permissions::default()
        })
}

/// Git has no configuration of a user where `HOME` names none; gix would look into the home that the system knows.
pub(super) fn users_config() -> gix::open::permissions::Config {
    let is_named = |name| variable(name).is_some_and(|folder| !folder.is_empty());
    let is_whole = is_named("HOME") || variable("GIT_CONFIG_GLOBAL").is_some();
    gix::open::permissions::Config {
        user: is_whole,
        git: is_whole || is_named("XDG_CONFIG_HOME"),
        ..gix::open::permissions::Config::default()
    }
}

fn slots() -> gix::odb::store::init::Slots {
    gix::odb::store::init::Slots::AsNeededByDiskState {
        multiplier: 1.1,
        minimum: PACK_SLOTS_MIN,
    }
}

/// Gives a handle on an object store what all of them have here.
pub(super) fn prepare(objects: &mut gix::OdbHandle) {
    objects.set_pack_cache(|| Box::new(MemoryCappedHashmap::new(PACK_CACHE_BYTES)));
    // A frame is about the object that its id names, and travels to clones that have no replacement for it.
    objects.ignore_replacements = true;
}

/// A handle on an object store that is opened anew, with nothing mapped yet.
pub(super) fn open_objects(
    path: &Path,
    hash: gix::hash::Kind,
) -> Result<gix::OdbHandle, OpenError> {
    let store = gix::odb::Cache::from(Arc::new(object_store(path, hash)?).to_handle_arc());
    let mut objects = gix::odb::memory::Proxy::from(store).with_write_passthrough();
    prepare(&mut objects);
    Ok(objects)
}

pub(super) fn object_store(
    path: &Path,
    hash: gix::hash::Kind,
) -> Result<gix::odb::Store, OpenError> {
    let options = gix::odb::store::init::Options {
        slots: slots(),
        ..Default::default()
    };
    gix::odb::Store::at_opts(path.to_owned(), hash, &mut std::iter::empty(), options).map_err(
        |source| OpenError::Damaged {
            path: path.to_owned(),
            source: Box::new(source),
        },
    )
}

#[cfg(test)]
mod tests;
