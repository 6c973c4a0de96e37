//! Commits as questions: which of a history are taken, and what they changed.

use std::collections::{BTreeMap, BTreeSet};

use similar::{DiffTag, TextDiff};

use crate::base::NodeId;
use crate::base::path::last_name;
use crate::find::truth::{Headers, changed_names, question_of};
use crate::find::{Query, subject};
use crate::git::{EntryMode, LogEntry, ObjectError, ObjectKind, Repository, diff_trees};
use crate::symbol::Language;
use crate::synthesis::outline;

const FILES_MAX: usize = 5;
const WORDS_MIN: usize = 4;
/// Commits that are looked at for each that is taken.
const LOOKED_AT_MAX: usize = 40;

/// One commit as a question.
#[derive(Debug, Clone)]
pub struct Case {
    /// The commit.
    pub commit: NodeId,
    /// Its parent, whose content is searched.
    pub parent: NodeId,
    /// The root tree of the parent.
    pub tree: NodeId,
    /// A digest of the first line of the message.
    pub subject: u32,
    /// The message as a question.
    pub question: Query,
    /// The source files that it changed.
    pub files: Vec<String>,
    /// The definitions that it changed: file and name, named by the file's map.
    pub definitions: Vec<(String, String)>,
    /// Those that no map names: most are functions within functions.
    pub unnamed: Vec<(String, String)>,
}

/// The newest commits before and with `tip` that can be questions, up to a limit; not those that `end` leads to. Files at
/// other paths than `is_right` says are not looked for.
pub fn cases(
    repo: &Repository,
    tip: NodeId,
    end: Option<NodeId>,
    count_max: usize,
    is_right: fn(&[u8]) -> bool,
) -> Result<Vec<Case>, ObjectError> {
    let (mut cases, mut looked_at) = (Vec::new(), 0);
    let mut seen = BTreeSet::from([tip]);
    let mut waiting = BTreeSet::from([(repo.log_entry(&tip)?.seconds, tip)]);
    let stops = end
        .map(|end| leads_to(repo, end))
        .transpose()?
        .unwrap_or_default();
    waiting.retain(|(_, commit)| !stops.contains(commit));
    while let Some((_, commit)) = waiting.pop_last() {
        looked_at += 1;
        if cases.len() == count_max || looked_at > LOOKED_AT_MAX * count_max {
            break;
        }
        let entry = repo.log_entry(&commit)?;
        for parent in entry
            .parents
            .iter()
            .filter(|parent| !stops.contains(parent))
        {
            if seen.insert(*parent) {
                waiting.insert((repo.log_entry(parent)?.seconds, *parent));
            }
        }
        cases.extend(case(repo, commit, &entry, is_right)?);
    }
    Ok(cases)
}

/// All commits that lead to one, itself included.
fn leads_to(repo: &Repository, tip: NodeId) -> Result<BTreeSet<NodeId>, ObjectError> {
    let (mut seen, mut waiting) = (BTreeSet::from([tip]), vec![tip]);
    while let Some(commit) = waiting.pop() {
        waiting.extend(
            repo.parents_of(&commit)?
                .into_iter()
                .filter(|parent| seen.insert(*parent)),
        );
    }
    Ok(seen)
}

fn case(
    repo: &Repository,
    commit: NodeId,
    entry: &LogEntry,
    is_right: fn(&[u8]) -> bool,
) -> Result<Option<Case>, ObjectError> {
    let [parent] = entry.parents.as_slice() else {
        return Ok(None);
    };
    if is_of_no_person(entry) {
        return Ok(None);
    }
    let tree = repo.tree_of(parent)?;
    let mut changed: Vec<(String, NodeId, NodeId)> = Vec::new();
    diff_trees(repo, Some(tree), Some(entry.tree), &mut |change| {
        let file = |side: Option<(EntryMode, NodeId)>| {
            side.filter(|(mode, _)| mode.is_file()).map(|(_, id)| id)
        };
        if let (Some(old), Some(new), Ok(path)) = (
            file(change.old),
            file(change.new),
            std::str::from_utf8(change.path.as_bytes()),
        ) && is_source(path.as_bytes())
            && changed.len() <= FILES_MAX
        {
            changed.push((path.to_owned(), old, new));
        }
        changed.len() <= FILES_MAX
    })?;
    let is_small = changed.len() <= FILES_MAX;
    changed.retain(|(path, ..)| is_right(path.as_bytes()));
    if changed.is_empty() || !is_small {
        return Ok(None);
    }
    let text = question_of(&entry.message, &names_of_files(repo, tree)?);
    let Some(question) = Query::of(&text).filter(|question| question.word_count >= WORDS_MIN)
    else {
        return Ok(None);
    };
    let (mut definitions, mut unnamed) = (Vec::new(), Vec::new());
    for (path, old, new) in &changed {
        for (name, is_named) in changed_definitions(repo, path, old, new)? {
            let list = if is_named {
                &mut definitions
            } else {
                &mut unnamed
            };
            list.push((path.clone(), name));
        }
    }
    let files = changed.into_iter().map(|(path, ..)| path).collect();
    Ok(Some(Case {
        commit,
        parent: *parent,
        tree,
        subject: subject(&entry.message),
        question,
        files,
        definitions,
        unnamed,
    }))
}

/// The last names of all paths, in lower case, with and without what follows the dot, and those of directories.
fn names_of_files(repo: &Repository, tree: NodeId) -> Result<BTreeSet<String>, ObjectError> {
    let mut names = BTreeSet::new();
    diff_trees(repo, None, Some(tree), &mut |change| {
        let name = String::from_utf8_lossy(change.path.name()).to_lowercase();
        names.extend(name.rsplit_once('.').map(|(stem, _)| stem.to_owned()));
        names.insert(name);
        true
    })?;
    Ok(names)
}

/// The names of the definitions that differ, each with whether the map of the file names it.
fn changed_definitions(
    repo: &Repository,
    path: &str,
    old: &NodeId,
    new: &NodeId,
) -> Result<BTreeMap<String, bool>, ObjectError> {
    let text = |id: &NodeId| {
        let mut data = Vec::new();
        repo.read(id, ObjectKind::Blob, &mut data)
            .map(|()| String::from_utf8(data).ok())
    };
    let (Some(old), Some(new)) = (text(old)?, text(new)?) else {
        return Ok(BTreeMap::new());
    };
    let lines: Vec<&str> = old.lines().collect();
    let indent = |at: usize| {
        lines
            .get(at)
            .map_or(0, |line| line.len() - line.trim_start().len())
    };
    let mut changed = Vec::new();
    for op in TextDiff::from_lines(&old, &new)
        .ops()
        .iter()
        .filter(|op| op.tag() != DiffTag::Equal)
    {
        let range = op.old_range();
        changed.extend(
            range
                .clone()
                .filter(|at| lines.get(*at).is_some_and(|line| !line.trim().is_empty())),
        );
        if range.is_empty() {
            // What is added belongs to what is around it; at the level of the file to nothing.
            let beside = [range.start.saturating_sub(1), range.start];
            changed.extend(
                beside
                    .into_iter()
                    .max_by_key(|at| indent(*at))
                    .filter(|at| indent(*at) > 0),
            );
        }
    }
    let symbols = crate::symbol::map::file_symbols(language_of(path.as_bytes()), old.as_bytes());
    let known: BTreeSet<&str> = symbols.entries.iter().map(|entry| entry.name).collect();
    Ok(changed_names(&old, changed, Headers::of(path.as_bytes()))
        .into_iter()
        .map(|name| {
            let is_named = known.contains(name.as_str());
            (name, is_named)
        })
        .collect())
}

/// Bots, and what only moves versions along.
fn is_of_no_person(entry: &LogEntry) -> bool {
    let (author, subject) = (
        entry.author.to_lowercase(),
        entry
            .message
            .lines()
            .next()
            .unwrap_or_default()
            .to_lowercase(),
    );
    let is_bot = [
        "[bot]",
        "dependabot",
        "renovate",
        "pre-commit-ci",
        "greenkeeper",
    ]
    .iter()
    .any(|bot| author.contains(bot));
    is_bot
        || [
            "bump",
            "release",
            "merge ",
            "revert \"",
            "update changelog",
            "[pre-commit",
        ]
        .iter()
        .any(|start| subject.starts_with(start))
}

fn language_of(path: &[u8]) -> Option<Language> {
    outline::language(last_name(path), b"")
}

pub(super) fn is_source(path: &[u8]) -> bool {
    language_of(path).is_some_and(Language::has_grammar)
}
