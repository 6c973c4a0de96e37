//! What `diff` and `review` compare: two revisions, written as git's own `diff` takes them.
//!
//! | written | before | after |
//! |---|---|---|
//! | `A B`, `A..B` | A | B |
//! | `A..`, and `A` for `diff` | A | `HEAD` |
//! | `..B` | `HEAD` | B |
//! | `A...B`, with `HEAD` for either when it is left out | the merge base of both | B |
//! | `A` for `review` | the merge base of A and `HEAD` | `HEAD` |
//! | `A^!` for `review` | the first parent of A | A |
//! | nothing for `review` | the merge base of the default branch and `HEAD` | `HEAD` |

use crate::base::NodeId;
use crate::cli::{CliError, Exit};
use crate::git::{Repository, RevisionError};

/// What is used where a side is left out.
pub(in crate::cli) const HEAD: &str = "HEAD";

/// One side of a comparison.
pub(in crate::cli) struct Revision {
    /// As the user wrote it; the short id of a merge base.
    pub(in crate::cli) name: String,
    /// Its root directory.
    pub(in crate::cli) tree: NodeId,
}

/// Both sides of a comparison.
pub(in crate::cli) struct Range {
    /// What was.
    pub(in crate::cli) old: Revision,
    /// What is.
    pub(in crate::cli) new: Revision,
}

/// Finds both sides.
pub(in crate::cli) fn find(repo: &Repository, written: &[String]) -> Result<Range, CliError> {
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

/// Finds both sides of a branch: from where it left the default branch, or the one that is named.
pub(in crate::cli) fn find_branch(
    repo: &Repository,
    written: &[String],
) -> Result<Range, CliError> {
    match written {
        [] => from_merge_base(repo, &default_branch(repo)?, HEAD),
        [one] if !one.contains("..") => match one.strip_suffix("^!") {
            Some(commit) => of_commit(repo, commit),
            None => from_merge_base(repo, one, HEAD),
        },
        _ => find(repo, written),
    }
}

/// What a commit did to its first parent.
fn of_commit(repo: &Repository, name: &str) -> Result<Range, CliError> {
    if repo.parents_of(&repo.resolve_commit(name)?)?.is_empty() {
        let message = format!("commit '{name}' has no parent here to compare it with");
        let none = CliError::new(Exit::Usage, message);
        return Err(if repo.is_shallow() {
            none.hint("git fetch --unshallow")
        } else {
            none.hint("'git merkle map' shows what a first commit brought")
        });
    }
    Ok(Range {
        old: revision(repo, &format!("{name}^1"))?,
        new: revision(repo, name)?,
    })
}

/// The branch that others start from.
fn default_branch(repo: &Repository) -> Result<String, CliError> {
    let configured = repo.config_string("init.defaultBranch");
    let local = [configured.as_deref(), Some("main"), Some("master")];
    let candidates = ["refs/remotes/origin/HEAD".to_owned()].into_iter().chain(
        local
            .into_iter()
            .flatten()
            .map(|name| format!("refs/heads/{name}")),
    );
    let mut known = candidates.filter(|name| repo.commit_of_ref(name).is_some());
    known.next().ok_or_else(|| {
        CliError::new(Exit::Usage, "no default branch is known here")
            .hint("name what to compare with: git merkle review <base>..<head>")
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
