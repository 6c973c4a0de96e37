//! Finding and opening a repository exactly as git does, and the facts about it that others ask for.
//!
//! | what | decides |
//! |---|---|
//! | where to start | `-C`, else the current directory |
//! | git directory | `--git-dir`, else `GIT_DIR`, else discovery upwards within `GIT_CEILING_DIRECTORIES` |
//! | may it be opened | discovered: the owner, else `safe.directory`, and `safe.bareRepository`, and not made of files in another one's work tree (`discover`); named: always, as in git |
//! | work tree | `GIT_WORK_TREE`, else `core.bare`, else `core.worktree` (see `discover`), else where it was found or, for a named one, the start |
//! | common directory | the repository; a `GIT_COMMON_DIR` that says otherwise is refused |
//! | objects | `GIT_OBJECT_DIRECTORY`, else below the common directory; then `GIT_ALTERNATE_OBJECT_DIRECTORIES` |
//!
//! Nothing is fetched and nothing is written by opening. `GIT_NAMESPACE` has no effect, as in all of git but its transport.
//! Objects are read as their ids name them: `git replace` has no effect, here and in children. Grafts and shallow
//! histories change which parents a commit has for git's children; no frame depends on parents.

use std::ffi::OsString;
use std::os::unix::ffi::OsStrExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::odb::pack::cache::lru::MemoryCappedHashmap;
use gix::sec::Trust;

use super::config::{self, ConfigScope};
use super::discover::{bare_layout, discover, open_error, refuse_foreign_work_tree};
use super::program;
use super::system::is_system_error;
use crate::base::TreePath;

/// Memory for bases of delta chains, per handle: on 100,000 files 8 MiB walk as fast as 96, and a quarter faster than none.
const PACK_CACHE_BYTES: usize = 16 * 1024 * 1024;
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

/// Repository extensions that are understood here, by gix, or by the git program where that is asked, in lower case.
const EXTENSIONS: [&str; 10] = [
    "noop",
    "noop-v1",
    "preciousobjects",
    "partialclone",
    "worktreeconfig",
    "objectformat",
    "compatobjectformat",
    "refstorage",
    "relativeworktrees",
    "submodulepathconfig",
];

/// Why no repository could be opened.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// No repository here or above.
    #[error("not a git repository (or any of the parent directories): '{0}'")]
    NotFound(PathBuf),
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
    /// Further object stores that the environment names, asked after the repository's own.
    pub(super) alternates: Vec<(PathBuf, gix::OdbHandle)>,
    /// Where objects are written.
    pub(super) objects_dir: PathBuf,
    /// Settings of highest rank, passed on to children.
    pub(super) settings: Vec<String>,
    /// Where the user stands.
    directory: PathBuf,
}

impl Repository {
    /// Finds and opens the repository, honouring `GIT_DIR`, worktrees, bare repositories, `safe.directory`.
    pub fn open(location: &Location) -> Result<Self, OpenError> {
        let directory = start(&location.directory)?;
        let overrides = config::command_settings(&location.settings)?;
        let named = location
            .git_dir
            .clone()
            .or_else(|| variable("GIT_DIR").map(PathBuf::from));
        let mut found = match &named {
            Some(git_dir) => open_named(&directory.join(git_dir), &overrides)?,
            None => discover(&directory, &overrides)?,
        };
        if let Some(work_tree) = variable("GIT_WORK_TREE") {
            found.work_tree = Some(normal(&directory.join(work_tree)));
        } else if named.is_some() {
            found.work_tree = work_tree_of_named(&found, &directory);
        }
        let repo = Self::from_found(found, directory, location.settings.clone())?;
        if named.is_none() && repo.is_forbidden_bare() {
            return Err(OpenError::Bare(repo.git_dir().to_owned()));
        }
        if named.is_none() && variable("GIT_WORK_TREE").is_none() {
            refuse_foreign_work_tree(&repo)?;
        }
        if let Some(work_tree) = repo.work_dir() {
            program::keep_out_of(work_tree);
        }
        repo.unknown_extension()
            .map_or(Ok(repo), |name| Err(OpenError::Extension(name)))
    }

    fn from_found(
        mut found: gix::ThreadSafeRepository,
        directory: PathBuf,
        settings: Vec<String>,
    ) -> Result<Self, OpenError> {
        found.refs.namespace = None;
        found.common_dir = found.common_dir.map(|common| normal(&common));
        let common_dir = found.common_dir.as_deref().unwrap_or(found.refs.git_dir());
        refuse_foreign_common_dir(common_dir, &directory)?;
        let mut objects_dir = common_dir.join("objects");
        let hash = found.to_thread_local().object_hash();
        if let Some(named) = variable("GIT_OBJECT_DIRECTORY") {
            objects_dir = normal(&directory.join(named));
            found.objects = Arc::new(object_store(&objects_dir, hash)?);
        }
        let mut alternates = Vec::new();
        for path in variable("GIT_ALTERNATE_OBJECT_DIRECTORIES")
            .iter()
            .flat_map(std::env::split_paths)
        {
            let path = normal(&directory.join(path));
            if path.is_dir() {
                let store =
                    gix::odb::Cache::from(Arc::new(object_store(&path, hash)?).to_handle_arc());
                alternates.push((
                    path,
                    gix::odb::memory::Proxy::from(store).with_write_passthrough(),
                ));
            }
        }
        let mut inner = found.to_thread_local();
        inner
            .objects
            .set_pack_cache(|| Box::new(MemoryCappedHashmap::new(PACK_CACHE_BYTES)));
        // A frame is about the object that its id names, and travels to clones that have no replacement for it.
        inner.objects.ignore_replacements = true;
        Ok(Self {
            inner,
            alternates,
            objects_dir,
            settings,
            directory,
        })
    }

    /// A second handle on the same repository for another thread, with object caches of its own.
    #[must_use]
    pub fn fork(&self) -> Self {
        Self {
            inner: self.inner.clone(),
            alternates: self.alternates.clone(),
            objects_dir: self.objects_dir.clone(),
            settings: self.settings.clone(),
            directory: self.directory.clone(),
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

    /// True when objects may be missing on purpose (a promisor remote is configured).
    #[must_use]
    pub fn is_partial(&self) -> bool {
        let promises = |value: &config::ConfigValue| {
            value.key.ends_with(".promisor")
                && value
                    .value
                    .as_deref()
                    .is_none_or(|text| config::parse_bool(text) == Some(true))
        };
        self.config_string("extensions.partialClone").is_some()
            || self.config_section("remote").iter().any(promises)
    }

    /// The first extension of this repository that git's format version 1 says must be known and is not.
    fn unknown_extension(&self) -> Option<String> {
        let version: Option<u32> = self
            .config_string("core.repositoryFormatVersion")
            .and_then(|text| text.parse().ok());
        version.filter(|version| *version > 0)?;
        let extensions = self
            .config_section("extensions")
            .into_iter()
            .filter(|value| value.scope == ConfigScope::Local);
        let mut names = extensions
            .filter_map(|value| value.key.strip_prefix("extensions.").map(ToOwned::to_owned));
        names.find(|name| !EXTENSIONS.contains(&name.as_str()))
    }

    /// True for a repository in git's bare layout that was come across and not named, if the user forbids those.
    ///
    /// What its own configuration says of itself does not matter: `core.worktree` makes no other layout of it.
    fn is_forbidden_bare(&self) -> bool {
        self.protected_string("safe.barerepository")
            .is_some_and(|rule| rule == "explicit")
            && bare_layout(&self.directory, self.git_dir()).is_some()
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

/// Reads an environment variable; the environment's home below this module.
#[expect(
    clippy::disallowed_methods,
    reason = "opening a repository depends on git's environment"
)]
pub(super) fn variable(name: &str) -> Option<OsString> {
    std::env::var_os(name)
}

/// The absolute directory to start from: gix takes relative ones amiss in bare repositories.
fn start(directory: &Path) -> Result<PathBuf, OpenError> {
    let failed = |path: &Path, source: std::io::Error| {
        if is_system_error(&source) {
            OpenError::Io {
                path: path.to_owned(),
                source,
            }
        } else {
            OpenError::NotFound(directory.to_owned())
        }
    };
    let here = std::env::current_dir().map_err(|error| failed(directory, error))?;
    let start = normal(&here.join(directory));
    let is_directory = start
        .metadata()
        .map_err(|error| failed(&start, error))?
        .is_dir();
    if is_directory {
        Ok(start)
    } else {
        Err(OpenError::NotFound(directory.to_owned()))
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
}

fn slots() -> gix::odb::store::init::Slots {
    gix::odb::store::init::Slots::AsNeededByDiskState {
        multiplier: 1.1,
        minimum: PACK_SLOTS_MIN,
    }
}

/// Opens a repository that the user named: trusted regardless of its owner, as git trusts `GIT_DIR`.
fn open_named(
    git_dir: &Path,
    overrides: &[String],
) -> Result<gix::ThreadSafeRepository, OpenError> {
    let options = options(overrides).open_path_as_is(true).with(Trust::Full);
    gix::ThreadSafeRepository::open_opts(normal(git_dir), options)
        .map_err(|error| open_error(git_dir, error))
}

/// The work tree of a repository that the user named: what it says itself, else where the user stands.
///
/// A linked work tree has its own and shares the configuration of the main one, which therefore says nothing.
fn work_tree_of_named(found: &gix::ThreadSafeRepository, directory: &Path) -> Option<PathBuf> {
    let repository = found.to_thread_local();
    let config = repository.config_snapshot();
    if repository.common_dir() == repository.git_dir() {
        if config.boolean("core.bare") == Some(true) {
            return None;
        }
        if let Some(configured) = config.string("core.worktree") {
            return Some(normal(
                &repository.git_dir().join(configured.to_os_str_lossy()),
            ));
        }
    }
    Some(directory.to_owned())
}

/// `GIT_COMMON_DIR` may repeat what the repository says, and no more: gix takes it from the repository alone.
fn refuse_foreign_common_dir(common_dir: &Path, directory: &Path) -> Result<(), OpenError> {
    let Some(named) = variable("GIT_COMMON_DIR") else {
        return Ok(());
    };
    if directory
        .join(named)
        .canonicalize()
        .is_ok_and(|named| common_dir.canonicalize().is_ok_and(|own| own == named))
    {
        return Ok(());
    }
    let source = "GIT_COMMON_DIR leads to another repository, which is not supported".into();
    Err(OpenError::Damaged {
        path: common_dir.to_owned(),
        source,
    })
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
