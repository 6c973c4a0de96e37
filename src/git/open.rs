//! Finding and opening a repository exactly as git does.
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

use std::path::{Path, PathBuf};
use std::sync::Arc;

use gix::bstr::ByteSlice;
use gix::sec::Trust;

use super::config::{self, ConfigScope};
use super::discover::{bare_layout, discover, open_error, refuse_foreign_work_tree};
use super::program;
use super::repo::{
    Location, OpenError, Repository, normal, object_store, open_objects, options, prepare,
};
use super::system::is_system_error;
use super::trees::Trees;
use super::variable::variable;
use super::window::Window;

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
                let store = open_objects(&path, hash)?;
                alternates.push((path, store));
            }
        }
        let mut inner = found.to_thread_local();
        prepare(&mut inner.objects);
        Ok(Self {
            inner,
            window: Window::new(),
            alternates,
            objects_dir,
            settings,
            directory,
            trees: Trees::default(),
        })
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
    match start.metadata() {
        Ok(found) if found.is_dir() => Ok(start),
        Err(error) if is_system_error(&error) => Err(failed(&start, error)),
        _ => Err(OpenError::NoFolder(directory.to_owned())),
    }
}

/// Opens a repository that the user named: trusted regardless of its owner, as git trusts `GIT_DIR`.
fn open_named(
    git_dir: &Path,
    overrides: &[String],
) -> Result<gix::ThreadSafeRepository, OpenError> {
    let options = options(overrides).open_path_as_is(true).with(Trust::Full);
    gix::ThreadSafeRepository::open_opts(normal(git_dir), options).map_err(
        |error| match open_error(git_dir, error) {
            OpenError::NotFound(path) => OpenError::NotThere(path),
            other => other,
        },
    )
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
