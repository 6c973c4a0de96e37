//! Where git runs hooks from, and whether that folder is this repository's own to write.

use std::path::{Path, PathBuf};

use crate::git::{ChildError, ConfigScope, Repository};

/// The folder that git runs hooks from, and whose it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct HooksPath {
    /// The folder, absolute.
    pub directory: PathBuf,
    /// Whose it is.
    pub verdict: FolderOwner,
}

/// Whose folder it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FolderOwner {
    /// This repository's, and no file of the project.
    Own,
    /// Part of the project: a hook manager's or the team's.
    InWorkTree,
    /// That of all repositories of the user or of the machine, or of this one command.
    Shared(ConfigScope),
}

/// What decides; all paths real, without links on the way.
#[derive(Debug, Clone, Copy)]
struct Surroundings<'a> {
    directory: &'a Path,
    scope: Option<ConfigScope>,
    common_dir: &'a Path,
    work_dir: Option<&'a Path>,
}

impl HooksPath {
    /// Asks git where hooks are run from.
    pub fn of(repo: &Repository) -> Result<Self, ChildError> {
        let setting = repo.hooks_path()?;
        let scope = setting.as_ref().map(|(scope, _)| *scope);
        let directory = match setting {
            Some((_, path)) => repo.work_dir().unwrap_or(repo.git_dir()).join(path),
            None => repo.common_dir().join("hooks"),
        };
        let (common_dir, work_dir) = (real(repo.common_dir()), repo.work_dir().map(real));
        let looked_at = real(&directory);
        let around = Surroundings {
            directory: &looked_at,
            scope,
            common_dir: &common_dir,
            work_dir: work_dir.as_deref(),
        };
        let verdict = judge(around);
        // A folder that is a link is written where it leads to, and named as the user knows it.
        Ok(Self { directory, verdict })
    }
}

fn judge(around: Surroundings<'_>) -> FolderOwner {
    match around.scope {
        Some(scope) if !matches!(scope, ConfigScope::Local | ConfigScope::Worktree) => {
            FolderOwner::Shared(scope)
        }
        _ if around.directory.starts_with(around.common_dir) => FolderOwner::Own,
        _ if around
            .work_dir
            .is_some_and(|root| around.directory.starts_with(root)) =>
        {
            FolderOwner::InWorkTree
        }
        _ => FolderOwner::Own,
    }
}

/// The path without links, also for one whose end does not exist yet.
fn real(path: &Path) -> PathBuf {
    match (path.canonicalize(), path.parent(), path.file_name()) {
        (Ok(found), _, _) => found,
        (Err(_), Some(parent), Some(name)) => real(parent).join(name),
        (Err(_), _, _) => path.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_this_repositorys_own_folder_is_written() {
        let judge = |directory: &str, scope| {
            let (common_dir, work_dir) = (Path::new("/r/.git"), Some(Path::new("/r")));
            judge(Surroundings {
                directory: Path::new(directory),
                scope,
                common_dir,
                work_dir,
            })
        };
        assert_eq!(judge("/r/.git/hooks", None), FolderOwner::Own);
        assert_eq!(
            judge("/r/.git/hooks", Some(ConfigScope::Local)),
            FolderOwner::Own
        );
        assert_eq!(
            judge("/r/.husky/_", Some(ConfigScope::Local)),
            FolderOwner::InWorkTree
        );
        assert_eq!(
            judge("/r/githooks", None),
            FolderOwner::InWorkTree,
            "'.git/hooks' is a link into the work tree"
        );
        assert_eq!(
            judge("/elsewhere", Some(ConfigScope::Worktree)),
            FolderOwner::Own
        );
        for scope in [
            ConfigScope::System,
            ConfigScope::Global,
            ConfigScope::Command,
        ] {
            assert_eq!(
                judge("/r/.git/hooks", Some(scope)),
                FolderOwner::Shared(scope)
            );
        }
    }
}
