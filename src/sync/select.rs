//! What goes to a remote: statements that were said, about objects that the remote's branches reach.
//!
//! A statement about a file of a private branch names the file and says what stands in it. So an entry goes only when
//! the remote can know its object and its path, see [`public`]. The rest is held back and counted; it goes
//! with a later push, once its branch was pushed.

use std::collections::HashSet;

use super::error::SelectError;
use super::memory::Memory;
use super::outline::is_outline;
use super::public::{self, Wanted};
use super::remote::Share;
use crate::base::{NodeId, TreePath};
use crate::frame::entry::read_entry;
use crate::frame::{Entry, Frame, ManifestEntry, StatementKey, StoreError, listing, signed};
use crate::git::Repository;
use crate::secret::{Allowed, Scanner, SecretFound, guard};

/// What a push takes along.
#[derive(Debug, Default)]
pub struct Selection {
    /// What goes.
    pub entries: Vec<Entry>,
    /// Statements about objects that the remote does not have.
    pub held_back: HashSet<StatementKey>,
    /// Signed lists that go: of what goes, or of what is there.
    pub manifests: Vec<ManifestEntry>,
}

/// What a statement must pass before it goes.
pub struct Rules<'a> {
    /// Which frames are shared.
    pub share: Share,
    /// The rules about secrets.
    pub scanner: &'a Scanner,
    /// Findings that the user lets pass.
    pub allowed: &'a Allowed,
    /// Whether statements go about objects that the remote does not have.
    pub all: bool,
}

/// What a store has and another one lacks, both by their trees: `old` and `new`.
#[derive(Debug, Clone, Copy)]
pub struct Gained<'a> {
    /// The tree of the one.
    pub old: Option<NodeId>,
    /// The tree of the other.
    pub new: Option<NodeId>,
    /// What the remote has at another place.
    pub elsewhere: Option<&'a Elsewhere>,
}

/// What a remote has at other places than the one that is compared.
#[derive(Debug, Default)]
pub struct Elsewhere {
    /// Frames.
    pub entries: HashSet<Entry>,
    /// Signed lists.
    pub manifests: HashSet<ManifestEntry>,
}

/// Chooses from what the store has gained over a remote with branches at `tips`; `memory` is that of the last exchange and is brought forward.
pub fn select(
    repo: &Repository,
    gained: Gained<'_>,
    tips: &[NodeId],
    rules: &Rules<'_>,
    memory: &mut Memory,
) -> Result<Selection, SelectError> {
    let mut said = Vec::new();
    visit_shared(repo, gained, rules.share, &mut |entry, frame| {
        said.push((entry, frame));
    })?;
    if !rules.all {
        let path = |frame: &Frame| {
            frame
                .path
                .as_ref()
                .map(|path| path.as_bytes().to_vec())
                .filter(|path| !path.is_empty())
        };
        let new = || {
            said.iter()
                .filter(|(entry, _)| !memory.passed.contains(entry))
        };
        let nodes = new().map(|(entry, _)| entry.name.node).collect();
        let paths = new().filter_map(|(_, frame)| path(frame)).collect();
        public::look(repo, tips, Wanted { nodes, paths }, memory)?;
    }
    let mut selection = Selection::default();
    for (entry, frame) in said {
        let is_hidden = |path: &TreePath| memory.paths.contains(path.as_bytes());
        let has_passed = rules.all || memory.passed.contains(&entry);
        if has_passed
            || !(memory.nodes.contains(&entry.name.node)
                || frame.path.as_ref().is_some_and(is_hidden))
        {
            if memory.passed.insert(entry.clone()) {
                search(&frame, rules)?;
            }
            selection.entries.push(entry);
        } else {
            selection.held_back.insert(StatementKey::of(&frame));
        }
    }
    for manifest in signed::gained(repo, gained.old, gained.new)? {
        let is_elsewhere = gained
            .elsewhere
            .is_some_and(|there| there.manifests.contains(&manifest));
        // One that is about nothing but what is held back goes with it.
        let goes = |key: &StatementKey| !selection.held_back.contains(key);
        if !is_elsewhere
            && manifest
                .read(repo)
                .is_ok_and(|read| read.lines.iter().any(|(key, _)| goes(key)))
        {
            selection.manifests.push(manifest);
        }
    }
    Ok(selection)
}

/// How many statements a store has gained that none of a remote's trees holds.
pub(super) fn count_said(
    repo: &Repository,
    gained: Gained<'_>,
    theirs: &[NodeId],
) -> Result<usize, StoreError> {
    let mut count = 0;
    visit_shared(repo, gained, Share::Statements, &mut |entry, _| {
        let path = entry.name.path();
        let is_there = theirs
            .iter()
            .any(|tree| matches!(repo.find_entry(tree, path.as_bytes()), Ok(Some(_))));
        count += usize::from(!is_there);
    })?;
    Ok(count)
}

fn visit_shared(
    repo: &Repository,
    gained: Gained<'_>,
    share: Share,
    visit: &mut dyn FnMut(Entry, Frame),
) -> Result<(), StoreError> {
    let is_elsewhere = |entry: &Entry| {
        gained
            .elsewhere
            .is_some_and(|there| there.entries.contains(entry))
    };
    listing::visit_added(repo, gained.old, gained.new, &mut |added| {
        for entry in added.entries {
            if share == Share::Statements && is_outline(&entry.name) || is_elsewhere(&entry) {
                continue;
            }
            // An entry of a newer format or a damaged one stays: this program cannot tell what it says.
            let Ok(frame) = read_entry(repo, &entry) else {
                continue;
            };
            if share == Share::All || !frame.is_derived() {
                visit(entry, frame);
            }
        }
        Ok(())
    })
}

fn search(frame: &Frame, rules: &Rules<'_>) -> Result<(), SecretFound> {
    let path = frame.path.as_ref().map_or_else(
        || frame.node.to_string(),
        |path| path.to_text().into_owned(),
    );
    let name = format!("{}/{} of {path}", frame.agent, frame.frame_type);
    guard(path.as_bytes(), &name, rules.scanner, rules.allowed)?;
    guard(
        frame.content.as_bytes(),
        &name,
        rules.scanner,
        rules.allowed,
    )
}
