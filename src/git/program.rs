//! Where programs are looked for: in absolute directories of the search path that lie outside of every open work tree.
//!
//! A work tree holds files that others wrote, and children of git start in it. With a search path that begins with `.` or
//! has an empty element, the system would run a file called `git` that came with a clone. So `git` is named by its absolute
//! path, and children get a search path without relative directories and without those of a work tree: what they start
//! in turn, such as a filter, is looked for in the same places. A work tree that is the root of the file system holds every
//! program, so it excludes none.

use std::collections::BTreeSet;
use std::ffi::{OsStr, OsString};
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{LazyLock, Mutex};

use super::variable::variable;
use crate::base::locked;

/// The variable with the search path.
const VARIABLE: &str = "PATH";

/// The work trees that this process has opened, without links on the way.
static WORK_TREES: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

/// The absolute directories of this process's search path, as they stand there and without links on the way.
static DIRECTORIES: LazyLock<Vec<(PathBuf, PathBuf)>> = LazyLock::new(|| {
    let path = variable(VARIABLE).unwrap_or_default();
    let absolute = std::env::split_paths(&path).filter(|directory| directory.is_absolute());
    absolute
        .filter_map(|directory| directory.canonicalize().ok().map(|real| (directory, real)))
        .collect()
});

/// Keeps the search for programs out of a work tree from now on.
pub(super) fn keep_out_of(work_tree: &Path) {
    let Ok(real) = work_tree.canonicalize() else {
        return;
    };
    if real.parent().is_some() {
        locked(&WORK_TREES).insert(real);
    }
}

/// The search path for children; empty when it cannot be written as one.
#[must_use]
pub fn search_path() -> OsString {
    std::env::join_paths(directories()).unwrap_or_default()
}

/// Finds a program by its name; none that a work tree holds, by a link either.
#[must_use]
pub fn find(name: &str) -> Option<PathBuf> {
    let is_program = |path: &PathBuf| {
        path.metadata()
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    let candidates = directories()
        .into_iter()
        .map(|directory| directory.join(name))
        .filter(is_program);
    candidates
        .into_iter()
        .find(|path| path.canonicalize().is_ok_and(|real| !is_delivered(&real)))
}

/// `git` by its absolute path, with the search path for children.
#[expect(
    clippy::disallowed_methods,
    reason = "the home of git's child processes"
)]
pub(super) fn git() -> io::Result<Command> {
    let program = find("git").ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            "no 'git' on the search path outside of the work tree",
        )
    })?;
    let mut command = Command::new(program);
    command.env(VARIABLE, search_path());
    Ok(command)
}

/// Another program of the user's configuration: by its absolute path, or by a name that the search path has.
#[expect(
    clippy::disallowed_methods,
    reason = "the home of git's child processes, and of those that git would start"
)]
pub(super) fn other(name: &OsStr) -> io::Result<Command> {
    let path = Path::new(name);
    let found = if path.is_absolute() {
        Some(path.to_owned())
    } else {
        name.to_str()
            .filter(|name| !name.contains('/'))
            .and_then(find)
    };
    let program = found
        .ok_or_else(|| io::Error::new(io::ErrorKind::NotFound, "it is not on the search path"))?;
    let mut command = Command::new(program);
    command.env(VARIABLE, search_path());
    Ok(command)
}

/// The same variables with the search path for children in the place of the process's own.
pub fn with_search_path<'a>(
    variables: impl Iterator<Item = (&'a OsStr, &'a OsStr)>,
) -> impl Iterator<Item = (OsString, OsString)> {
    variables.map(|(name, value)| {
        let value = if name == VARIABLE {
            search_path()
        } else {
            value.to_owned()
        };
        (name.to_owned(), value)
    })
}

fn directories() -> Vec<&'static Path> {
    DIRECTORIES
        .iter()
        .filter(|(_, real)| !is_delivered(real))
        .map(|(directory, _)| directory.as_path())
        .collect()
}

/// True for what lies in a work tree.
fn is_delivered(real: &Path) -> bool {
    let work_trees = locked(&WORK_TREES);
    work_trees
        .iter()
        .any(|work_tree| real.starts_with(work_tree))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_found_by_their_absolute_path_and_never_in_a_work_tree() {
        let git = find("git").unwrap();
        assert!(git.is_absolute(), "{}", git.display());
        assert_eq!(find("no such program"), None);
        let folder = tempfile::tempdir().unwrap();
        let real = folder.path().canonicalize().unwrap();
        assert!(!is_delivered(&real.join("bin/git")));
        keep_out_of(folder.path());
        assert!(is_delivered(&real.join("bin/git")));
        keep_out_of(Path::new("/"));
        assert_eq!(
            find("git"),
            Some(git),
            "the root of the file system excludes nothing"
        );
    }
}
