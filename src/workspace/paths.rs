//! What the path arguments of a command line mean together: nodes to speak of, or the paths to keep.
//!
//! | written | nodes (`show`, `regenerate`, `affirm` …) | paths to keep (`map`, `find`, `diff`) |
//! |---|---|---|
//! | `src`, `/home/me/project/src`, `:/src`, `:(top)src` | what stands there | that, and everything below it |
//! | `'*.rs'`, `:(glob)src/*.rs`, `:(icase)readme*` | the files that match | the same |
//! | `src ':!src/old'`: any argument takes paths out | the files that the others match and no such one does | the same |
//!
//! A path that stands in the snapshot as it is written comes first, so a name that looks like a pattern can be given.

use super::target::{Meant, Target, TargetError, files_that_match, locate, meant, pathspec};
use crate::base::{NodeId, TreePath};
use crate::git::{PathFilter, Pathspec, Repository};

/// A node with the words that name it on a command line.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NamedTarget {
    /// The argument; for a file that a pattern matched, the path that names it where the user stands.
    pub written: String,
    /// The node.
    pub target: Target,
}

/// Finds the nodes that arguments name; `tree` is the snapshot's root, `prefix` the current directory in it.
pub fn find_targets(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    specs: &[String],
) -> Result<Vec<NamedTarget>, TargetError> {
    let all = specs
        .iter()
        .map(|spec| meant(repo, tree, prefix, spec))
        .collect::<Result<Vec<_>, _>>()?;
    let none = |written: &str| TargetError::NoMatch(written.to_owned());
    let mut named = Vec::new();
    if all.iter().any(is_excluding) {
        let patterns = patterns(tree, specs, all)?;
        named.extend(
            files_that_match(repo, tree, patterns)?
                .into_iter()
                .map(|target| found(prefix, target)),
        );
        return if named.is_empty() {
            Err(none(&specs.join(" ")))
        } else {
            Ok(named)
        };
    }
    for (spec, meant) in specs.iter().zip(all) {
        match meant {
            Meant::Node(target) => named.push(NamedTarget {
                written: spec.clone(),
                target,
            }),
            Meant::Files(pattern) => {
                let files = files_that_match(repo, tree, [pattern])?;
                if files.is_empty() {
                    return Err(none(spec));
                }
                named.extend(files.into_iter().map(|target| found(prefix, target)));
            }
        }
    }
    Ok(named)
}

/// Which paths of a snapshot arguments let in; each that is no pattern must stand there.
pub fn snapshot_filter(
    repo: &Repository,
    tree: NodeId,
    prefix: &TreePath,
    specs: &[String],
) -> Result<PathFilter, TargetError> {
    let all = specs
        .iter()
        .map(|spec| meant(repo, tree, prefix, spec))
        .collect::<Result<Vec<_>, _>>()?;
    Ok(PathFilter::new(patterns(tree, specs, all)?))
}

/// Which paths arguments let in, whether anything stands there or not.
pub fn path_filter(
    repo: &Repository,
    prefix: &TreePath,
    specs: &[String],
) -> Result<PathFilter, TargetError> {
    let pattern = |spec: &String| match pathspec(repo, prefix, spec) {
        Some(pattern) => Ok(pattern?),
        None => locate(repo, prefix, spec.as_bytes())
            .map(|path| Pathspec::literal(&path))
            .ok_or_else(|| TargetError::Outside(spec.clone())),
    };
    let patterns = specs.iter().map(pattern).collect::<Result<Vec<_>, _>>()?;
    Ok(PathFilter::new(patterns))
}

fn is_excluding(meant: &Meant) -> bool {
    matches!(meant, Meant::Files(pattern) if pattern.is_excluding())
}

/// The arguments as pathspecs: a node is its path and everything below it.
fn patterns(tree: NodeId, specs: &[String], all: Vec<Meant>) -> Result<Vec<Pathspec>, TargetError> {
    let pattern = |(spec, meant): (&String, Meant)| match meant {
        Meant::Files(pattern) => Ok(pattern),
        Meant::Node(target) => target
            .path
            .filter(|_| target.root == Some(tree))
            .map(|path| Pathspec::literal(&path))
            .ok_or_else(|| TargetError::NotAPath(spec.clone())),
    };
    specs.iter().zip(all).map(pattern).collect()
}

/// A file that a pattern matched, as the user would write it.
fn found(prefix: &TreePath, target: Target) -> NamedTarget {
    let path = target
        .path
        .as_ref()
        .map(TreePath::to_text)
        .unwrap_or_default();
    let written = if prefix.is_root() {
        path.into_owned()
    } else {
        format!(":/{path}")
    };
    NamedTarget { written, target }
}
