//! What `diff` compares: two revisions, written as git's own `diff` takes them.
//!
//! | written | before | after |
//! |---|---|---|
//! | `A B`, `A..B` | A | B |
//! | `A`, `A..` | A | `HEAD` |
//! | `..B` | `HEAD` | B |
//! | `A...B`, with `HEAD` for either when it is left out | the merge base of both | B |

use crate::base::NodeId;
use crate::cli::{CliError, Exit};
use crate::git::{Repository, RevisionError};

/// What is used where a side is left out.
const HEAD: &str = "HEAD";

/// One side of a comparison.
pub(super) struct Revision {
    /// As the user wrote it; the short id of a merge base.
    pub(super) name: String,
    /// Its root directory.
    pub(super) tree: NodeId,
}

/// Both sides of a comparison.
pub(super) struct Range {
    /// What was.
    pub(super) old: Revision,
    /// What is.
    pub(super) new: Revision,
}

/// Finds both sides.
pub(super) fn find(repo: &Repository, written: &[String]) -> Result<Range, CliError> {
    let (old, new) = match written {
        [one] => match (one.split_once("..."), one.split_once("..")) {
            (Some((old, new)), _) => return from_merge_base(repo, or_head(old), or_head(new)),
            (None, Some((old, new))) => (or_head(old), or_head(new)),
            (None, None) => (one.as_str(), HEAD),
        },
        [old, new] if ![old, new].iter().any(|one| one.contains("..")) => {
            (old.as_str(), new.as_str())
        }
        _ => {
            return Err(CliError::new(
                Exit::Usage,
                "expected a range, or one or two revisions",
            ));
        }
    };
    Ok(Range {
        old: revision(repo, old)?,
        new: revision(repo, new)?,
    })
}

fn or_head(written: &str) -> &str {
    if written.is_empty() { HEAD } else { written }
}

fn revision(repo: &Repository, name: &str) -> Result<Revision, CliError> {
    Ok(Revision {
        name: name.to_owned(),
        tree: repo.tree_of(&repo.resolve(name)?)?,
    })
}

/// What a branch has added since it left the other: what the other has added in the meantime is no change of it.
fn from_merge_base(repo: &Repository, old: &str, new: &str) -> Result<Range, CliError> {
    let base = repo.merge_base(&repo.resolve_commit(old)?, &repo.resolve_commit(new)?)?;
    let base = base.ok_or_else(|| RevisionError::NoMergeBase(format!("{old}...{new}")))?;
    Ok(Range {
        old: Revision {
            name: base.short(),
            tree: repo.tree_of(&base)?,
        },
        new: revision(repo, new)?,
    })
}
