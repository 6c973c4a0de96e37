//! How a snapshot stands to the last commit and the main line: which files differ, which commits a branch has, and the
//! words in which a document says so.

use crate::base::count::counted;
use crate::base::{NodeId, TreePath, printable};
use crate::context::markdown::plain;
use crate::context::people::DIRECTORY;
use crate::git::{EntryMode, ObjectError, Repository, diff_trees};
use crate::node::{Snapshot, SnapshotRoot};
use crate::workspace::Workspace;

/// Changes that are looked at: a tree can have far more paths than objects.
const CHANGES_MAX: u32 = 100_000;
/// Hexadecimal digits of a commit id in words.
const SHORT_ID: usize = 12;

/// Commits of a branch that are told.
const COMMITS_MAX: usize = 30;
/// Commits that are told where the branch has none of its own.
const NEWEST_MAX: usize = 8;
/// Changed files that are told of each list.
const FILES_MAX: usize = 100;
/// Bytes of a subject that are told.
const SUBJECT_BYTES_MAX: usize = 120;
/// Where the main line of a repository is looked for, in this order.
const MAIN_LINES: [&str; 5] = [
    "refs/remotes/origin/HEAD",
    "refs/remotes/origin/main",
    "refs/remotes/origin/master",
    "refs/heads/main",
    "refs/heads/master",
];

/// A file that differs between two trees.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ChangedFile {
    /// Where it stands.
    pub path: TreePath,
    /// True when the older tree has it.
    pub was_there: bool,
    /// True when the newer tree has it.
    pub is_there: bool,
}

/// The files that differ between two trees, in tree order; of a great many changes only the first.
pub fn changed_files(
    repo: &Repository,
    old: Option<NodeId>,
    new: NodeId,
) -> Result<Vec<ChangedFile>, ObjectError> {
    let (mut files, mut changes) = (Vec::new(), 0);
    diff_trees(repo, old, Some(new), &mut |change| {
        changes += 1;
        let is_file = |side: &(EntryMode, NodeId)| side.0 != EntryMode::Directory;
        let (was_there, is_there) = (
            change.old.as_ref().is_some_and(is_file),
            change.new.as_ref().is_some_and(is_file),
        );
        if was_there || is_there {
            files.push(ChangedFile {
                path: change.path,
                was_there,
                is_there,
            });
        }
        changes < CHANGES_MAX
    })?;
    Ok(files)
}

/// The same against `HEAD`, without people's own files in `.teddy`, and the commit of `HEAD`. `None` where nothing is committed.
pub fn uncommitted(
    workspace: &Workspace,
    tree: NodeId,
) -> Result<Option<(NodeId, Vec<ChangedFile>)>, ObjectError> {
    let Ok(head) = workspace.root(&Snapshot::Revision("HEAD".to_owned())) else {
        return Ok(None);
    };
    let Some(commit) = head.commit else {
        return Ok(None);
    };
    let mut files = changed_files(&workspace.repository, Some(head.tree), tree)?;
    files.retain(|file| file.path.names().next() != Some(DIRECTORY));
    Ok(Some((commit, files)))
}

/// Which state of the repository a snapshot is, in words for a reader who does not see the machine.
pub(super) fn snapshot_words(
    workspace: &Workspace,
    root: &SnapshotRoot,
) -> Result<String, ObjectError> {
    let short = |id: &NodeId| id.to_string()[..SHORT_ID].to_owned();
    if let Some(commit) = &root.commit {
        return Ok(format!("commit {}", short(commit)));
    }
    let place = match root.snapshot {
        Snapshot::Revision(_) => return Ok(format!("tree {}", short(&root.tree))),
        Snapshot::Index => "the index",
        Snapshot::Worktree => "the work tree",
    };
    let Some((head, files)) = uncommitted(workspace, root.tree)? else {
        return Ok(format!("{place}; nothing is committed yet"));
    };
    let head = short(&head);
    Ok(match files.len() {
        0 => format!("{place}, as in commit {head}"),
        count => format!(
            "{place}; {} from commit {head}",
            counted(count, "file differs", "files differ")
        ),
    })
}

/// How the branch of a snapshot stands, one line each: its commits since it left the main line, or the newest there are,
/// the files that they changed, and what is not committed.
pub(super) fn branch(
    workspace: &Workspace,
    root: &SnapshotRoot,
) -> Result<Vec<String>, ObjectError> {
    let Some(tip) = root.history else {
        return Ok(vec!["Nothing is committed yet.".to_owned()]);
    };
    let mut lines = Vec::new();
    let base = main_line(&workspace.repository, &tip);
    let since: Vec<NodeId> = match &base {
        Some((_, base)) => commits(&workspace.repository, &tip, Some(base), usize::MAX)?,
        None => Vec::new(),
    };
    if let (Some((name, base)), false) = (&base, since.is_empty()) {
        lines.push(format!(
            "{} since the branch left {name}:",
            counted(since.len(), "commit", "commits")
        ));
        push_commits(&workspace.repository, &mut lines, &since, COMMITS_MAX)?;
        let files = changed_files(
            &workspace.repository,
            Some(workspace.repository.tree_of(base)?),
            workspace.repository.tree_of(&tip)?,
        )?;
        lines.push(format!(
            "{} changed since then:",
            counted(files.len(), "file", "files")
        ));
        push_files(&mut lines, &files);
    } else {
        lines.push("The newest commits:".to_owned());
        let newest = commits(&workspace.repository, &tip, None, NEWEST_MAX)?;
        push_commits(&workspace.repository, &mut lines, &newest, NEWEST_MAX)?;
    }
    if root.commit.is_none()
        && let Some((_, files)) = uncommitted(workspace, root.tree)?
    {
        lines.push(match files.len() {
            0 => "Everything is committed.".to_owned(),
            count => format!("{} not committed:", counted(count, "file", "files")),
        });
        push_files(&mut lines, &files);
    }
    Ok(lines)
}

/// The main line that the branch left, by its name, and where.
fn main_line(repo: &Repository, tip: &NodeId) -> Option<(String, NodeId)> {
    MAIN_LINES.iter().find_map(|name| {
        let main = repo.commit_of_ref(name)?;
        let base = if main == *tip {
            main
        } else {
            repo.merge_base(tip, &main).ok()??
        };
        Some((
            name.trim_start_matches("refs/remotes/")
                .trim_start_matches("refs/heads/")
                .to_owned(),
            base,
        ))
    })
}

/// Commits back from one along first parents, up to one or to a number.
fn commits(
    repo: &Repository,
    tip: &NodeId,
    end: Option<&NodeId>,
    count_max: usize,
) -> Result<Vec<NodeId>, ObjectError> {
    let steps = repo
        .first_parents(tip)
        .take(count_max.min(CHANGES_MAX as usize));
    let mut commits = Vec::new();
    for step in steps {
        let (commit, _) = step?;
        if end == Some(&commit) {
            break;
        }
        commits.push(commit);
    }
    Ok(commits)
}

fn push_commits(
    repo: &Repository,
    lines: &mut Vec<String>,
    commits: &[NodeId],
    count_max: usize,
) -> Result<(), ObjectError> {
    for commit in commits.iter().take(count_max) {
        let subject = repo.subject_of(commit)?;
        let end = subject.floor_char_boundary(SUBJECT_BYTES_MAX);
        let cut = if end < subject.len() { "…" } else { "" };
        lines.push(format!(
            "  {} {}{cut}",
            &commit.to_string()[..SHORT_ID],
            printable(&subject[..end])
        ));
    }
    if commits.len() > count_max {
        lines.push(format!("  … {} more", commits.len() - count_max));
    }
    Ok(())
}

fn push_files(lines: &mut Vec<String>, files: &[ChangedFile]) {
    for ChangedFile {
        path,
        was_there,
        is_there,
    } in files.iter().take(FILES_MAX)
    {
        let how = match (was_there, is_there) {
            (false, true) => "new",
            (true, false) => "deleted",
            _ => "changed",
        };
        lines.push(format!("  {how} {}", plain(path.as_bytes())));
    }
    if files.len() > FILES_MAX {
        lines.push(format!("  … {} more", files.len() - FILES_MAX));
    }
}
