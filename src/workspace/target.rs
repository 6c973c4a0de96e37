//! What people write to name a node: a path, `<rev>:<path>`, a revision, an object id.
//!
//! A path is tried first, relative to the current directory, in the snapshot that the command looks at; then a
//! revision. A commit names its root directory. Write `HEAD:./x` or `./x` where both could be meant.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::{NodeId, TreePath};
use crate::frame::NodeKind;
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository, RevisionError};

/// A node that the user named.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Target {
    /// Its object.
    pub id: NodeId,
    /// File or directory.
    pub kind: NodeKind,
    /// Where it stands in the snapshot or revision; unknown for a bare object id.
    pub path: Option<TreePath>,
    /// The commit or tree that the path is below; unknown for a bare object id.
    pub root: Option<NodeId>,
}

impl Target {
    /// The root directory of a snapshot.
    #[must_use]
    pub fn root_of(tree: NodeId) -> Self {
        Self {
            id: tree,
            kind: NodeKind::Directory,
            path: Some(TreePath::root()),
            root: Some(tree),
        }
    }
}

/// Why a text names no node.
#[derive(Debug, thiserror::Error)]
pub enum TargetError {
    /// Neither a path of the snapshot nor a revision.
    #[error("'{0}' is neither a path in the snapshot nor a revision")]
    Unknown(String),
    /// The revision is there, the path is not.
    #[error("path '{path}' does not exist in '{revision}'")]
    NoPath {
        /// Asked for.
        path: String,
        /// Where it was looked for.
        revision: String,
    },
    /// Symlinks and submodules are leaves without frames.
    #[error("'{0}' is a symlink or submodule; only files and directories have frames")]
    Leaf(String),
    /// `..` led out of the repository.
    #[error("'{0}' is outside the repository")]
    Outside(String),
    /// Git failed underneath.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// Git failed underneath.
    #[error(transparent)]
    Revision(#[from] RevisionError),
}

/// Finds the node that `spec` names; `tree` is the snapshot's root, `prefix` the current directory in it.
pub fn find_target(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    spec: &str,
) -> Result<Target, TargetError> {
    let as_path =
        locate(repo, prefix, spec.as_bytes()).ok_or_else(|| TargetError::Outside(spec.to_owned()));
    if let Ok(path) = &as_path
        && let Some((mode, id)) = repo.find_entry(&tree, path.as_bytes())?
    {
        return target(spec, mode, id, Some(path.clone()), Some(tree));
    }
    match find_object(repo, prefix, spec) {
        Err(TargetError::Unknown(_)) => {
            as_path?;
            Err(TargetError::Unknown(spec.to_owned()))
        }
        found => found,
    }
}

/// Finds the node that `spec` names without a snapshot to look in: `<rev>:<path>`, a revision, an object id.
pub fn find_object(
    repo: &Repository,
    prefix: &TreePath,
    spec: &str,
) -> Result<Target, TargetError> {
    if let Some((revision, path)) = spec
        .split_once(':')
        .filter(|(revision, _)| !revision.is_empty())
    {
        return find_below(repo, prefix, spec, revision, path);
    }
    let object = match repo.resolve(spec) {
        Ok(object) => object,
        Err(RevisionError::Unknown(_)) => return Err(TargetError::Unknown(spec.to_owned())),
        Err(err) => return Err(err.into()),
    };
    let kind = repo
        .header(&object)?
        .ok_or(ObjectError::Missing(object))?
        .kind;
    match kind {
        ObjectKind::Blob => target(spec, EntryMode::File, object, None, None),
        ObjectKind::Tree => target(spec, EntryMode::Directory, object, None, None),
        ObjectKind::Commit | ObjectKind::Tag => {
            let root = repo.tree_of(&object)?;
            target(
                spec,
                EntryMode::Directory,
                root,
                Some(TreePath::root()),
                Some(root),
            )
        }
    }
}

/// `<rev>:<path>`, where `./` and `../` start at the current directory and everything else at the root, as in git.
fn find_below(
    repo: &Repository,
    prefix: &TreePath,
    spec: &str,
    revision: &str,
    path: &str,
) -> Result<Target, TargetError> {
    let root = repo.tree_of(&repo.resolve(revision)?)?;
    let is_relative = path == "." || path.starts_with("./") || path.starts_with("../");
    let start = if is_relative {
        prefix.clone()
    } else {
        TreePath::root()
    };
    let full =
        join(&start, path.as_bytes()).ok_or_else(|| TargetError::Outside(spec.to_owned()))?;
    let absent = || TargetError::NoPath {
        path: path.to_owned(),
        revision: revision.to_owned(),
    };
    let (mode, id) = repo
        .find_entry(&root, full.as_bytes())?
        .ok_or_else(absent)?;
    target(spec, mode, id, Some(full), Some(root))
}

fn target(
    spec: &str,
    mode: EntryMode,
    id: NodeId,
    path: Option<TreePath>,
    root: Option<NodeId>,
) -> Result<Target, TargetError> {
    let kind = match mode {
        EntryMode::File | EntryMode::Executable => NodeKind::File,
        EntryMode::Directory => NodeKind::Directory,
        EntryMode::Symlink | EntryMode::Submodule => {
            return Err(TargetError::Leaf(spec.to_owned()));
        }
    };
    Ok(Target {
        id,
        kind,
        path,
        root,
    })
}

/// The path below the root that a user wrote, relative to `start` or absolute; `None` when it leads out of the work tree.
///
/// Editors and agents pass absolute paths. As in git, the part above the work tree may be spelled through symbolic links,
/// and the part below it is taken as written.
#[must_use]
pub fn locate(repo: &Repository, start: &TreePath, written: &[u8]) -> Option<TreePath> {
    if !written.starts_with(b"/") {
        return join(start, written);
    }
    let root = repo.work_dir()?.canonicalize().ok()?;
    let written = Path::new(OsStr::from_bytes(written));
    // From the top: what a link below the work tree leads to does not matter.
    let mut above: Vec<&Path> = written.ancestors().collect();
    above.reverse();
    above
        .into_iter()
        .filter(|part| part.canonicalize().is_ok_and(|part| part == root))
        .find_map(|top| {
            let below = written.strip_prefix(top).ok()?;
            join(&TreePath::root(), below.as_os_str().as_bytes())
        })
}

/// Joins and normalizes a relative path that a user wrote; `None` when it leads out of the root.
#[must_use]
fn join(start: &TreePath, written: &[u8]) -> Option<TreePath> {
    let mut names: Vec<&[u8]> = start.names().collect();
    for name in written.split(|b| *b == b'/') {
        match name {
            b"" | b"." => {}
            b".." => drop(names.pop()?),
            name => names.push(name),
        }
    }
    Some(TreePath::new(names.join(&b'/')))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_paths_are_normalized_within_the_root() {
        let at = TreePath::from("a/b");
        let joined =
            |written: &str| join(&at, written.as_bytes()).map(|path| path.to_text().into_owned());
        assert_eq!(joined("c").as_deref(), Some("a/b/c"));
        assert_eq!(joined("./c/").as_deref(), Some("a/b/c"));
        assert_eq!(joined("../..").as_deref(), Some(""));
        assert_eq!(joined("../../.."), None);
    }
}
