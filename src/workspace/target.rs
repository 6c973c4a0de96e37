//! What people write to name a node: a path, a pathspec, `<rev>:<path>`, a revision, an object id.
//!
//! A path is tried first, relative to the current directory, in the snapshot that the command looks at; then a pathspec
//! ([`super::paths`]); then a revision. A commit names its root directory. Write `HEAD:./x` or `./x` where both could be meant.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use crate::base::{NodeId, Shelf, TreePath};
use crate::context::tree::Tree;
use crate::frame::NodeKind;
use crate::git::{
    EntryMode, ObjectError, ObjectKind, PathFilter, Pathspec, PathspecError, Repository,
    RevisionError,
};
use crate::node::ScanError;

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
        /// Requested.
        path: String,
        /// Where it was looked for.
        revision: String,
    },
    /// In a submodule, or one itself.
    #[error("'{written}' belongs to submodule '{module}', a repository of its own")]
    Submodule {
        /// As written.
        written: String,
        /// Where the submodule stands, as a way from the current directory.
        module: String,
        /// The path in it; empty for the submodule itself.
        path: String,
    },
    /// Symlinks and submodules are leaves without frames.
    #[error("'{0}' is a symlink or submodule; only files and directories have frames")]
    Leaf(String),
    /// No file has such a path.
    #[error("no file of the snapshot matches '{0}'")]
    NoMatch(String),
    /// A pattern where one node is wanted.
    #[error("'{pattern}' matches {count} files; one is expected")]
    Several {
        /// As written.
        pattern: String,
        /// How many it matches.
        count: usize,
    },
    /// A revision or an object where a path is wanted.
    #[error("'{0}' is not a path of the snapshot")]
    NotAPath(String),
    /// Begins like a pathspec and is none.
    #[error(transparent)]
    Pathspec(#[from] PathspecError),
    /// The snapshot cannot be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
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

/// What an argument means: one node, or the files that a pattern matches.
pub(super) enum Meant {
    /// What stands at a path, or a revision names.
    Node(Target),
    /// Any number of files.
    Files(Pathspec),
}

/// Finds the node that `spec` names; `tree` is the snapshot's root, `prefix` the current directory in it.
pub fn find_target(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    spec: &str,
) -> Result<Target, TargetError> {
    let pattern = match meant(repo, tree, prefix, spec)? {
        Meant::Node(target) => return Ok(target),
        Meant::Files(pattern) => pattern,
    };
    let mut found = files_that_match(repo, tree, [pattern])?;
    match (found.pop(), found.len()) {
        (Some(only), 0) => Ok(only),
        (None, _) => Err(TargetError::NoMatch(spec.to_owned())),
        (Some(_), others) => Err(TargetError::Several {
            pattern: spec.to_owned(),
            count: others + 1,
        }),
    }
}

/// Finds out what an argument means: what stands at the path as it is written, then a pathspec, then a revision.
pub(super) fn meant(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    spec: &str,
) -> Result<Meant, TargetError> {
    let found = meant_here(repo, tree, prefix, spec);
    let Some(path) = locate(repo, prefix, spec.as_bytes()) else {
        return found;
    };
    let written = WrittenPath {
        tree,
        prefix,
        path: &path,
        text: spec,
    };
    written.or_submodule(repo, found)
}

/// The same of this repository's own nodes.
fn meant_here(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    spec: &str,
) -> Result<Meant, TargetError> {
    let at = |path: TreePath| -> Result<Option<Meant>, TargetError> {
        let found = repo.find_entry(&tree, path.as_bytes())?;
        let found = found.map(|(mode, id)| target(spec, mode, id, Some(path), Some(tree)));
        Ok(found.transpose()?.map(Meant::Node))
    };
    let as_path =
        locate(repo, prefix, spec.as_bytes()).ok_or_else(|| TargetError::Outside(spec.to_owned()));
    if let Ok(path) = &as_path
        && let Some(found) = at(path.clone())?
    {
        return Ok(found);
    }
    let as_pathspec = pathspec(repo, prefix, spec);
    let named = as_pathspec.as_ref().and_then(|found| found.as_ref().ok());
    if let Some(path) = named.and_then(Pathspec::path)
        && let Some(found) = at(path)?
    {
        return Ok(found);
    }
    let object = find_object(repo, prefix, spec);
    // Some revisions look like patterns, as `HEAD^{/fix?}`; what begins with a colon and matches others is one.
    let is_pattern = named.is_some_and(|pattern| pattern.path().is_none())
        && (object.is_err() || spec.starts_with(':'));
    match (object, as_pathspec) {
        (_, Some(Ok(pattern))) if is_pattern => Ok(Meant::Files(pattern)),
        (Err(TargetError::Unknown(_)), Some(Err(malformed))) => Err(malformed.into()),
        (Err(TargetError::Unknown(_)), _) => {
            as_path?;
            Err(TargetError::Unknown(spec.to_owned()))
        }
        (found, _) => found.map(Meant::Node),
    }
}

/// A path as it was written, and where it is looked for.
struct WrittenPath<'w> {
    tree: NodeId,
    prefix: &'w TreePath,
    path: &'w TreePath,
    text: &'w str,
}

impl WrittenPath<'_> {
    /// Says of a path that names no node whether it is, or leads into, a submodule.
    fn or_submodule<T>(
        &self,
        repo: &Repository,
        found: Result<T, TargetError>,
    ) -> Result<T, TargetError> {
        let is_nothing = matches!(
            found,
            Err(TargetError::Unknown(_) | TargetError::NoPath { .. } | TargetError::Leaf(_))
        );
        match is_nothing.then(|| self.submodule(repo)).transpose()? {
            Some(Some(within)) => Err(within),
            _ => found,
        }
    }

    fn submodule(&self, repo: &Repository) -> Result<Option<TargetError>, ObjectError> {
        let names: Vec<&[u8]> = self.path.names().collect();
        for at in 1..=names.len() {
            let above = names[..at].join(&b'/');
            match repo.find_entry(&self.tree, &above)? {
                Some((EntryMode::Submodule, _)) => {
                    return Ok(Some(TargetError::Submodule {
                        written: self.text.to_owned(),
                        module: from_here(self.prefix, &above),
                        path: String::from_utf8_lossy(&names[at..].join(&b'/')).into_owned(),
                    }));
                }
                Some((EntryMode::Directory, _)) => {}
                _ => break,
            }
        }
        Ok(None)
    }
}

/// A path below the root as it is written in a directory below the root.
fn from_here(prefix: &TreePath, path: &[u8]) -> String {
    let below = path.strip_prefix(prefix.as_bytes());
    let below = below.and_then(|below| {
        if prefix.is_root() {
            Some(below)
        } else {
            below.strip_prefix(b"/")
        }
    });
    let text = String::from_utf8_lossy(below.unwrap_or(path));
    match below {
        Some(_) => text.into_owned(),
        None => "../".repeat(prefix.names().count()) + &text,
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
    let full = start
        .follow(path.as_bytes())
        .ok_or_else(|| TargetError::Outside(spec.to_owned()))?;
    let found = match repo.find_entry(&root, full.as_bytes())? {
        Some((mode, id)) => target(spec, mode, id, Some(full.clone()), Some(root)),
        None => Err(TargetError::NoPath {
            path: path.to_owned(),
            revision: revision.to_owned(),
        }),
    };
    let written = WrittenPath {
        tree: root,
        prefix,
        path: &full,
        text: spec,
    };
    written.or_submodule(repo, found)
}

fn target(
    spec: &str,
    mode: EntryMode,
    id: NodeId,
    path: Option<TreePath>,
    root: Option<NodeId>,
) -> Result<Target, TargetError> {
    let kind = mode
        .node_kind()
        .ok_or_else(|| TargetError::Leaf(spec.to_owned()))?;
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
        return start.follow(written);
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
            TreePath::root().follow(below.as_os_str().as_bytes())
        })
}

/// What is written, as a pathspec; `None` for a plain path.
pub(super) fn pathspec(
    repo: &Repository,
    prefix: &TreePath,
    spec: &str,
) -> Option<Result<Pathspec, PathspecError>> {
    Pathspec::is_magic(spec.as_bytes()).then(|| Pathspec::parse(repo, prefix, spec.as_bytes()))
}

/// The files of a tree that match the pathspecs, in the order of their paths, without ignored ones.
pub(super) fn files_that_match(
    repo: &Repository,
    tree: NodeId,
    patterns: impl IntoIterator<Item = Pathspec>,
) -> Result<Vec<Target>, TargetError> {
    let filter = PathFilter::new(patterns);
    let tree = Tree::read(repo, &Shelf::default(), tree)?;
    let mut all = tree.all();
    let mut files = Vec::new();
    // A few objects can stand at any number of paths.
    for _ in 0..tree.paths_max() {
        let Some(walked) = all.next_path() else {
            break;
        };
        let is_file = walked.entry.mode.is_file();
        if is_file && filter.wants(walked.path) {
            files.push(Target {
                id: walked.entry.id,
                kind: NodeKind::File,
                path: Some(TreePath::new(walked.path)),
                root: Some(tree.id),
            });
        }
    }
    Ok(files)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn written_paths_are_normalized_within_the_root() {
        let at = TreePath::from("a/b");
        let joined = |written: &str| {
            at.follow(written.as_bytes())
                .map(|path| path.to_text().into_owned())
        };
        assert_eq!(joined("c").as_deref(), Some("a/b/c"));
        assert_eq!(joined("./c/").as_deref(), Some("a/b/c"));
        assert_eq!(joined("../..").as_deref(), Some(""));
        assert_eq!(joined("../../.."), None);
    }

    #[test]
    fn a_path_is_written_from_where_the_user_stands() {
        let from = |prefix: &str, path: &str| from_here(&TreePath::from(prefix), path.as_bytes());
        assert_eq!(from("", "libs/a"), "libs/a");
        assert_eq!(from("libs", "libs/a"), "a");
        assert_eq!(from("lib", "libs/a"), "../libs/a");
        assert_eq!(from("x/y", "libs/a"), "../../libs/a");
    }
}
