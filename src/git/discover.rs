//! Looking for a repository upwards, and what is refused on the way.
//!
//! Git's bare layout is nothing but files and folders with fixed names, so a clone can bring a whole repository along as
//! tracked files, with a configuration that its author wrote: a pager, filters, a work tree. Git uses it as soon as the
//! user stands in it, unless `safe.bareRepository` is `explicit`. Here one that lies in the work tree of another is never
//! used unasked, whatever its own configuration calls it; `--git-dir` and `GIT_DIR` name it, and
//! `safe.bareRepository=all` in the user's own configuration accepts them all. A directory called `.git` cannot be tracked.
//!
//! A repository's own `core.worktree` may name any folder, such as the user's home, whose files would then go into payloads.
//! One outside of the folder that holds the git directory is used when its own `.git` leads back, as in submodules.
//!
//! A failing system is not taken for a missing or a foreign repository: gix drops such errors, so what it says of a
//! repository that is there is looked at again.

use std::fs;
use std::io::{self, Read};
use std::path::{Path, PathBuf};

use gix::discover::upwards::TrustPolicy;
use gix::sec::Trust;

use super::config::{self, ConfigScope};
use super::repo::{OpenError, Repository, options};
use super::system::{is_system_error, system_cause};
use super::variable::variable;

/// Looks for a repository upwards.
pub(super) fn discover(
    directory: &Path,
    overrides: &[String],
) -> Result<gix::ThreadSafeRepository, OpenError> {
    refuse_embedded(directory, overrides)?;
    if is_above_a_ceiling(directory) {
        return Err(OpenError::NotFound(directory.to_owned()));
    }
    match look_up(directory, overrides) {
        Err(
            error @ (OpenError::NotFound(_) | OpenError::Untrusted(_) | OpenError::Damaged { .. }),
        ) => {
            match probe(directory)? {
                // Whatever kept it from being seen has passed.
                Some(_) => look_up(directory, overrides),
                None => Err(error),
            }
        }
        found => found,
    }
}

/// Refuses a repository that is made of files in the work tree of another one.
///
/// Nothing of its configuration is read before.
fn refuse_embedded(directory: &Path, overrides: &[String]) -> Result<(), OpenError> {
    let Some((git_dir, _)) = nearest(directory, upwards(TrustPolicy::Assume(Trust::Full))) else {
        return Ok(());
    };
    let Some(real) = bare_layout(directory, &git_dir) else {
        return Ok(());
    };
    if accepts_all(overrides) {
        return Ok(());
    }
    // Every repository above counts, wherever git itself would stop.
    for above in real.ancestors().skip(1) {
        let trust = TrustPolicy::Assume(Trust::Full);
        let everywhere = gix::discover::upwards::Options {
            cross_fs: true,
            trust,
            ..Default::default()
        };
        let Some((found, work_dir)) = nearest(above, everywhere) else {
            return Ok(());
        };
        let outer = work_dir
            .and_then(|work_dir| work_dir.canonicalize().ok())
            .filter(|outer| real.starts_with(outer));
        match (found.canonicalize().is_ok_and(|found| found == real), outer) {
            // A `.git` file that leads to this very repository: its own work tree.
            (true, Some(_)) => return Ok(()),
            (false, Some(outer)) => return Err(OpenError::Embedded { git_dir, outer }),
            (_, None) => {}
        }
    }
    Ok(())
}

/// The git directory without links on the way, when the user stands in it and it is not called `.git`, nor part of one.
pub(super) fn bare_layout(directory: &Path, git_dir: &Path) -> Option<PathBuf> {
    let real = git_dir.canonicalize().ok()?;
    let is_inside = directory
        .canonicalize()
        .is_ok_and(|here| here.starts_with(&real));
    (is_inside && !real.components().any(|part| part.as_os_str() == ".git")).then_some(real)
}

/// The nearest repository and its work tree, not opened yet.
fn nearest(
    directory: &Path,
    options: gix::discover::upwards::Options<'_>,
) -> Option<(PathBuf, Option<PathBuf>)> {
    let (found, _) = gix::discover::upwards_opts(directory, options).ok()?;
    Some(found.into_repository_and_work_tree_directories())
}

/// Refuses a work tree elsewhere that the repository's own configuration names and that does not know of it.
pub(super) fn refuse_foreign_work_tree(repo: &Repository) -> Result<(), OpenError> {
    let named = repo
        .config_section("core")
        .into_iter()
        .rfind(|setting| setting.key == "core.worktree");
    let is_own = named.is_some_and(|setting| !setting.scope.is_protected());
    let Some(work_tree) = repo.work_dir().filter(|_| is_own) else {
        return Ok(());
    };
    let real = |path: &Path| path.canonicalize().ok();
    let (Some(git_dir), Some(root)) = (real(repo.git_dir()), real(work_tree)) else {
        return Ok(());
    };
    let is_beside = git_dir
        .parent()
        .is_some_and(|folder| root.starts_with(folder));
    let led_to = gix::discover::path::from_gitdir_file(&root.join(".git")).ok();
    if is_beside || led_to.is_some_and(|led_to| real(&led_to) == Some(git_dir)) {
        return Ok(());
    }
    Err(OpenError::WorkTree {
        git_dir: repo.git_dir().to_owned(),
        work_tree: work_tree.to_owned(),
    })
}

/// True when the user's own configuration says `safe.bareRepository=all`.
fn accepts_all(overrides: &[String]) -> bool {
    let named = |setting: &config::ConfigValue| setting.key == "safe.barerepository";
    let own = config::section_outside("safe")
        .into_iter()
        .rfind(named)
        .and_then(|setting| setting.value);
    let given = overrides
        .iter()
        .filter_map(|setting| setting.split_once('='));
    let given = given
        .rev()
        .find(|(key, _)| key.eq_ignore_ascii_case("safe.bareRepository"));
    given
        .map(|(_, value)| value.to_owned())
        .or(own)
        .is_some_and(|value| value == "all")
}

/// True when the nearest repository lies at or above a ceiling: gix looks into a ceiling itself, git stops below it.
fn is_above_a_ceiling(directory: &Path) -> bool {
    let options = upwards(TrustPolicy::Assume(Trust::Full));
    if options.ceiling_dirs.is_empty() {
        return false;
    }
    let real = |path: &Path| path.canonicalize().unwrap_or_else(|_| path.to_owned());
    let (here, ceilings) = (real(directory), options.ceiling_dirs.clone());
    let Some((git_dir, work_dir)) = nearest(directory, options) else {
        return false;
    };
    let git_dir = real(&git_dir);
    let place = match work_dir {
        Some(work_dir) if !here.starts_with(&git_dir) => real(&work_dir),
        _ => git_dir,
    };
    let is_between = |ceiling: PathBuf| {
        here != ceiling && here.starts_with(&ceiling) && ceiling.starts_with(&place)
    };
    ceilings.iter().map(|ceiling| real(ceiling)).any(is_between)
}

fn upwards(trust: TrustPolicy) -> gix::discover::upwards::Options<'static> {
    let across = variable("GIT_DISCOVERY_ACROSS_FILESYSTEM")
        .and_then(|value| config::parse_bool(value.to_str()?));
    let options = gix::discover::upwards::Options {
        match_ceiling_dir_or_error: false,
        cross_fs: across.unwrap_or(false),
        trust,
        ..Default::default()
    };
    options.apply_environment()
}

/// The nearest place that looks like a repository; an error where the system does not let it be looked at.
fn probe(directory: &Path) -> Result<Option<PathBuf>, OpenError> {
    for above in directory.ancestors() {
        let git_dir = above.join(".git");
        let failed = |path: PathBuf| move |source: io::Error| OpenError::Io { path, source };
        match fs::metadata(&git_dir) {
            Ok(found) => {
                let files: &[&str] = if found.is_dir() {
                    &["HEAD", "config", "objects", "refs"]
                } else {
                    &[""]
                };
                for name in files {
                    let path = if name.is_empty() {
                        git_dir.clone()
                    } else {
                        git_dir.join(name)
                    };
                    touch(&path).map_err(failed(path))?;
                }
                return Ok(Some(git_dir));
            }
            Err(error) if is_system_error(&error) => return Err(failed(git_dir)(error)),
            Err(_) => {}
        }
    }
    Ok(None)
}

/// Reads a byte of a file, or opens a directory.
fn touch(path: &Path) -> io::Result<()> {
    let touched = fs::symlink_metadata(path).and_then(|found| {
        let mut byte = [0];
        if found.is_file() {
            fs::File::open(path)?.read(&mut byte).map(drop)
        } else {
            fs::metadata(path).map(drop)
        }
    });
    match touched {
        Err(error) if is_system_error(&error) => Err(error),
        _ => Ok(()),
    }
}

/// Opens the nearest repository; one that another user owns only if the user's `safe.directory` names it.
fn look_up(directory: &Path, overrides: &[String]) -> Result<gix::ThreadSafeRepository, OpenError> {
    let look = |trust, bail| {
        let options = options(overrides).bail_if_untrusted(bail);
        let mapping = gix::sec::trust::Mapping {
            full: options.clone(),
            reduced: options,
        };
        gix::ThreadSafeRepository::discover_opts(directory, upwards(trust), mapping)
            .map_err(|error| open_error(directory, error))
    };
    match look(TrustPolicy::default(), true) {
        Err(OpenError::Untrusted(_)) => {
            let foreign = look(TrustPolicy::default(), false)?.to_thread_local();
            let root = foreign.workdir().unwrap_or(foreign.git_dir());
            if is_safe_by_command(&foreign, root) {
                return look(TrustPolicy::Assume(Trust::Full), false);
            }
            Err(OpenError::Untrusted(root.to_owned()))
        }
        found => found,
    }
}

/// What `-c safe.directory` and its like in the environment say, which gix leaves out; later ones overrule.
fn is_safe_by_command(foreign: &gix::Repository, root: &Path) -> bool {
    let root = root.canonicalize().unwrap_or_else(|_| root.to_owned());
    let settings = config::section(foreign, "safe").into_iter();
    let named = settings
        .filter(|setting| setting.scope == ConfigScope::Command && setting.key == "safe.directory");
    named.fold(false, |safe, setting| {
        match setting.value.as_deref().unwrap_or_default() {
            "" => false,
            "*" => true,
            directory => match directory.strip_suffix("/*") {
                Some(above) => safe || root.starts_with(above) && root != Path::new(above),
                None => {
                    safe || root == Path::new(directory)
                        || Path::new(directory)
                            .canonicalize()
                            .is_ok_and(|it| it == root)
                }
            },
        }
    })
}

pub(super) fn open_error(path: &Path, error: gix::Error) -> OpenError {
    let path = path.to_owned();
    if let Some(source) = system_cause(&error) {
        OpenError::Io { path, source }
    } else if error.is_permission_denied() {
        OpenError::Untrusted(path)
    } else if error.is_not_found() {
        OpenError::NotFound(path)
    } else {
        OpenError::Damaged {
            path,
            source: Box::new(error),
        }
    }
}
