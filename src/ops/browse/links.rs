//! Who refers to each file, and which commits changed each path: found once for all pages.
//!
//! References need the symbols of the whole snapshot, which are read, compared and forgotten before pages are made; what stays is a
//! short list of numbers for each file. History is one walk back along first parents that reads what each commit has changed.

use std::collections::HashMap;
use std::sync::Arc;

use crate::base::limit::STALE_COMMITS_MAX;
use crate::base::number::IndexVec;
use crate::base::{NodeId, TreePath, clock};
use crate::git::{ObjectError, Repository, diff_trees};
use crate::node::SnapshotRoot;
use crate::ops::FilesError;
use crate::ops::files::Files;
use crate::ops::map::{self, SnapshotSymbols};
use crate::site::page::PastCommit;
use crate::symbol::map::FileNumber;
use crate::workspace::Workspace;

/// Files that are named where they refer to one.
const REFERRING_MAX: usize = 40;
/// Commits that are named on a page.
const COMMITS_MAX: usize = 8;
/// Characters of a subject that are shown.
const SUBJECT_CHARS_MAX: usize = 100;

/// The files that refer to a file: the numbers of the first of them, and how many more do.
#[derive(Debug, Clone, Default)]
struct ReferringFiles {
    first: Vec<FileNumber>,
    more: u32,
}

/// For each file those that refer to it, by their places in the list of paths: as paths they took five times the memory.
pub(super) struct AllReferring {
    files: Arc<Files>,
    by_file: IndexVec<FileNumber, ReferringFiles>,
}

impl AllReferring {
    /// The paths of the first files that refer to a file, and how many more do; `None` where no file does.
    pub(super) fn get(&self, path: &TreePath) -> Option<(impl Iterator<Item = TreePath>, usize)> {
        let path = path.as_bytes();
        let paths = &self.files.paths;
        let at = paths.binary_search_by(|file| file.0[..].cmp(path)).ok()?;
        let known = self.by_file.get(at).filter(|one| !one.first.is_empty())?;
        let first = known.first.iter();
        let first = first.map(|number| TreePath::new(paths[*number].0.clone()));
        Some((first, known.more as usize))
    }
}

/// Finds the files that refer to each file.
pub(super) fn referring(
    workspace: &Workspace,
    root: &SnapshotRoot,
) -> Result<AllReferring, FilesError> {
    let symbols: SnapshotSymbols =
        map::symbols(&workspace.repository, &workspace.state, root.tree)?;
    let files = symbols.files();
    let mut by_file = IndexVec::from_vec(vec![ReferringFiles::default(); files.len()]);
    for (number, file) in files.indices().zip(symbols.references(&files).looks()) {
        for target in &file.files {
            let known = &mut by_file[*target];
            if known.first.len() < REFERRING_MAX {
                known.first.push(number);
            } else {
                known.more += 1;
            }
        }
    }
    for known in &mut by_file {
        known.first.shrink_to_fit();
    }
    Ok(AllReferring {
        files: symbols.paths(),
        by_file,
    })
}

/// The newest commits that changed each path, among the last [`STALE_COMMITS_MAX`] along first parents.
pub(super) fn history(
    repo: &Repository,
    start: Option<NodeId>,
) -> Result<HashMap<TreePath, Vec<Arc<PastCommit>>>, ObjectError> {
    let mut all: HashMap<TreePath, Vec<Arc<PastCommit>>> = HashMap::new();
    let Some(start) = start else { return Ok(all) };
    let mut newer: Option<(NodeId, NodeId)> = None;
    for step in repo.first_parents(&start).take(STALE_COMMITS_MAX + 1) {
        let (commit, tree) = step?;
        if let Some((changed_by, after)) = newer {
            note(repo, &mut all, changed_by, [Some(tree), Some(after)])?;
        }
        newer = Some((commit, tree));
    }
    if let Some((oldest, tree)) = newer
        && repo.log_entry(&oldest)?.parents.is_empty()
    {
        note(repo, &mut all, oldest, [None, Some(tree)])?;
    }
    Ok(all)
}

fn note(
    repo: &Repository,
    all: &mut HashMap<TreePath, Vec<Arc<PastCommit>>>,
    commit: NodeId,
    [before, after]: [Option<NodeId>; 2],
) -> Result<(), ObjectError> {
    let mut past: Option<Arc<PastCommit>> = None;
    let mut failed = None;
    let mut add = |path: TreePath| {
        let known = all.entry(path).or_default();
        if known.len() == COMMITS_MAX {
            return;
        }
        if past.is_none() {
            match past_commit(repo, commit) {
                Ok(found) => past = Some(Arc::new(found)),
                Err(error) => failed = Some(error),
            }
        }
        known.extend(past.clone());
    };
    if before != after {
        add(TreePath::root());
    }
    diff_trees(repo, before, after, &mut |change| {
        let is_there = change.new.is_some();
        if is_there {
            add(change.path);
        }
        is_there
    })?;
    failed.map_or(Ok(()), Err)
}

fn past_commit(repo: &Repository, commit: NodeId) -> Result<PastCommit, ObjectError> {
    let entry = repo.log_entry(&commit)?;
    let when = clock::render_utc(entry.seconds);
    let day = when.split_once('T').map_or(when.as_str(), |(day, _)| day);
    let subject = entry
        .message
        .trim_start()
        .lines()
        .next()
        .unwrap_or_default();
    Ok(PastCommit {
        id: commit.short(),
        day: day.to_owned(),
        subject: subject.chars().take(SUBJECT_CHARS_MAX).collect(),
    })
}
