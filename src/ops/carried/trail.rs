//! The way back through a history: where contents that people spoke of stood last, and where their paths went.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use crate::base::limit::{
    NOTE_CHANGES_MAX, NOTE_COMMITS_MAX, NOTE_MERGES_MAX, NOTE_RENAMES_MAX, NOTE_WAYS_MAX,
};
use crate::base::{NodeId, TreePath};
use crate::frame::Frame;
use crate::git::{DiffEntry, EntryMode, ObjectError, Repository, diff_trees};
use crate::node::SnapshotRoot;

/// What people have said and ended, by node, the newest first.
pub(super) type FramesByNode = HashMap<NodeId, Vec<Frame>>;

/// Where a content stood last.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct LastPlace {
    /// The newest commit that has it at the path.
    pub commit: NodeId,
    /// How many commits came after that one.
    pub commits: usize,
    /// How often what stands at the path has changed since.
    pub changes: usize,
}

/// By path, what stands there today and which contents people spoke of stood there before: of one path, or of all.
pub(super) fn histories(
    repo: &Repository,
    said: &FramesByNode,
    root: &SnapshotRoot,
    only: Option<&TreePath>,
) -> Result<BTreeMap<TreePath, PathHistory>, ObjectError> {
    let mut trail = Trail {
        repo,
        tree: root.tree,
        said,
        found: BTreeMap::new(),
        is_gone: BTreeSet::new(),
        renames_left: NOTE_RENAMES_MAX,
        names: BTreeMap::new(),
        walked: HashSet::new(),
    };
    trail.begin(only)?;
    if let Some(history) = root.history {
        // What was renamed twice is found from its newest name on, which the first way back does not know.
        let line = Way::of(history);
        for _ in 0..NOTE_WAYS_MAX {
            if !trail.follow(&line)? {
                break;
            }
        }
        trail.follow_merged(history)?;
    }
    Ok(trail.found)
}

/// What stands at a path today, and the contents that stood there before and were spoken about.
pub(super) struct PathHistory {
    pub(super) today: NodeId,
    pub(super) earlier: HashMap<NodeId, Earlier>,
    pub(super) came: Came,
}

/// With what today's content came to a path, along the line of first parents.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Came {
    /// Not met yet.
    Unmet,
    /// With a change that is not committed.
    Uncommitted,
    /// With this commit, or before it where that is the oldest that was looked at.
    With(NodeId),
}

#[derive(Clone, Default)]
pub(super) struct Earlier {
    pub(super) renamed_from: Option<TreePath>,
    pub(super) seen: Option<LastPlace>,
}

/// The way back through a history, with an eye on some paths.
struct Trail<'t> {
    repo: &'t Repository,
    tree: NodeId,
    said: &'t FramesByNode,
    found: BTreeMap<TreePath, PathHistory>,
    /// Paths that were spoken about and that the snapshot does not have.
    is_gone: BTreeSet<TreePath>,
    /// How often git may still be asked.
    renames_left: usize,
    /// What is known of renames: where paths of earlier commits went.
    names: BTreeMap<TreePath, TreePath>,
    /// Commits of the line, and of the branches that were gone back along.
    walked: HashSet<NodeId>,
}

/// A commit on the way back, how many came after it, and its tree.
struct Place {
    commit: NodeId,
    commits: usize,
    tree: NodeId,
}

/// A line of first parents, from a commit back.
struct Way {
    start: NodeId,
    /// How many commits came after the first of them.
    commits: usize,
    /// True of a branch that was merged: it ends where another way was.
    is_merged: bool,
}

impl Way {
    fn of(start: NodeId) -> Self {
        Self {
            start,
            commits: 0,
            is_merged: false,
        }
    }
}

/// A path on the way back: where what it leads to stands today.
struct Step {
    now: TreePath,
    changes: usize,
}

impl Trail<'_> {
    /// Sorts what was said by path.
    fn begin(&mut self, only: Option<&TreePath>) -> Result<(), ObjectError> {
        let mut by_path: BTreeMap<&TreePath, BTreeSet<NodeId>> = BTreeMap::new();
        for (node, frames) in self.said {
            for path in frames.iter().filter_map(|frame| frame.path.as_ref()) {
                by_path.entry(path).or_default().insert(*node);
            }
        }
        for (path, nodes) in by_path {
            match find(self.repo, &self.tree, path)? {
                None => drop(self.is_gone.insert(path.clone())),
                Some(_) if only.is_some_and(|only| only != path) => {}
                Some((_, today)) => {
                    let earlier = nodes
                        .into_iter()
                        .filter(|node| *node != today)
                        .map(|node| (node, Earlier::default()));
                    self.found.insert(
                        path.clone(),
                        PathHistory {
                            today,
                            earlier: earlier.collect(),
                            came: Came::Unmet,
                        },
                    );
                }
            }
        }
        self.found.retain(|_, found| !found.earlier.is_empty());
        Ok(())
    }

    /// Goes back from a commit until every content was met; true when another way back would find more.
    fn follow(&mut self, way: &Way) -> Result<bool, ObjectError> {
        let mut steps: BTreeMap<TreePath, Step> = self
            .found
            .keys()
            .map(|path| {
                (
                    path.clone(),
                    Step {
                        now: path.clone(),
                        changes: 0,
                    },
                )
            })
            .collect();
        for (name, now) in self.names.iter().filter(|_| way.is_merged) {
            let step = || Step {
                now: now.clone(),
                changes: 0,
            };
            steps.entry(name.clone()).or_insert_with(step);
        }
        let (mut newer, mut is_more, mut newer_commit) = (self.tree, false, None);
        let line = self.repo.first_parents(&way.start);
        for (commits, step) in (way.commits..).zip(line.take(NOTE_COMMITS_MAX)) {
            if self.is_complete() && (self.is_gone.is_empty() || self.renames_left == 0) {
                break;
            }
            let (commit, tree) = step?;
            if way.is_merged && !self.walked.insert(commit) {
                break;
            }
            let mut came_back = Vec::new();
            for (path, is_new_here, there) in self.changes(&steps, &newer, &tree)? {
                if !way.is_merged {
                    self.meet(&path, newer_commit);
                }
                if let Some(step) = steps.get_mut(&path) {
                    step.changes += usize::from(there.is_some());
                    let seen = LastPlace {
                        commit,
                        commits,
                        changes: step.changes,
                    };
                    let earlier = there
                        .and_then(|node| self.found.get_mut(&step.now)?.earlier.get_mut(&node));
                    if let Some(earlier) = earlier.filter(|earlier| earlier.seen.is_none()) {
                        earlier.seen = Some(seen);
                    }
                } else if is_new_here {
                    came_back.push(path);
                }
            }
            if !came_back.is_empty() && self.renames_left > 0 {
                self.renames_left -= 1;
                let place = Place {
                    commit,
                    commits,
                    tree,
                };
                for (from, to) in self.renamed(&tree, &newer, &came_back)? {
                    is_more |=
                        !self.take_over(&mut steps, &place, from, &to)? && self.is_gone.insert(to);
                }
            }
            (newer, newer_commit) = (tree, Some(commit));
        }
        if let Some(oldest) = newer_commit.filter(|_| !way.is_merged) {
            self.meet_rest(oldest);
        }
        Ok(is_more)
    }

    /// Notes that a path has had today's content since a commit, or since a change that is not committed.
    fn meet(&mut self, path: &TreePath, since: Option<NodeId>) {
        if let Some(found) = self.found.get_mut(path)
            && found.came == Came::Unmet
        {
            found.came = since.map_or(Came::Uncommitted, Came::With);
        }
    }

    /// The same of the paths that have not changed since the oldest commit that was looked at.
    fn meet_rest(&mut self, oldest: NodeId) {
        let unmet = |found: &&mut PathHistory| found.came == Came::Unmet;
        for found in self.found.values_mut().filter(unmet) {
            found.came = Came::With(oldest);
        }
    }

    /// Goes back along the branches that were merged, for contents that the line of a commit did not have.
    fn follow_merged(&mut self, history: NodeId) -> Result<(), ObjectError> {
        if self.is_complete() {
            return Ok(());
        }
        let mut merged = Vec::new();
        for (commits, step) in self
            .repo
            .first_parents(&history)
            .take(NOTE_COMMITS_MAX)
            .enumerate()
        {
            let (commit, _) = step?;
            self.walked.insert(commit);
            let sides = self.repo.parents_of(&commit)?.into_iter().skip(1);
            merged.extend(sides.map(|side| (side, commits + 1)));
        }
        for (start, commits) in merged.into_iter().take(NOTE_MERGES_MAX) {
            if self.is_complete() {
                break;
            }
            let way = Way {
                start,
                commits,
                is_merged: true,
            };
            self.follow(&way)?;
        }
        Ok(())
    }

    fn is_complete(&self) -> bool {
        self.found
            .values()
            .all(|found| found.earlier.values().all(|earlier| earlier.seen.is_some()))
    }

    /// What differs between a commit and the next newer tree at the paths that matter: whether the newer one has nothing
    /// there, and what the commit has.
    fn changes(
        &self,
        steps: &BTreeMap<TreePath, Step>,
        newer: &NodeId,
        tree: &NodeId,
    ) -> Result<Vec<(TreePath, bool, Option<NodeId>)>, ObjectError> {
        if newer == tree {
            return Ok(Vec::new());
        }
        let paths: HashSet<&[u8]> = steps
            .keys()
            .chain(&self.is_gone)
            .map(TreePath::as_bytes)
            .collect();
        let mut ways: HashSet<&[u8]> = HashSet::new();
        for path in &paths {
            ways.extend(
                path.iter()
                    .enumerate()
                    .filter(|(_, byte)| **byte == b'/')
                    .map(|(at, _)| &path[..at]),
            );
        }
        let mut changes = Vec::new();
        if paths.contains(&b""[..]) {
            changes.push((TreePath::root(), false, Some(*tree)));
        }
        diff_trees(
            self.repo,
            Some(*newer),
            Some(*tree),
            &mut |DiffEntry { path, old, new }| {
                let goes_in = ways.contains(path.as_bytes());
                if paths.contains(path.as_bytes()) {
                    changes.push((path, old.is_none(), new.map(|(_, id)| id)));
                }
                goes_in
            },
        )?;
        Ok(changes)
    }

    /// Where paths went that the newer of two trees has no more, as git finds renames.
    fn renamed(
        &self,
        tree: &NodeId,
        newer: &NodeId,
        gone: &[TreePath],
    ) -> Result<Vec<(TreePath, TreePath)>, ObjectError> {
        // git compares every path, of which a small tree may have any number.
        let mut changes = 0;
        diff_trees(self.repo, Some(*tree), Some(*newer), &mut |_| {
            changes += 1;
            changes <= NOTE_CHANGES_MAX
        })?;
        if changes > NOTE_CHANGES_MAX {
            return Ok(Vec::new());
        }
        // Without git's answer they are gone.
        let Ok(renames) = self.repo.renames(tree, newer) else {
            return Ok(Vec::new());
        };
        let mut found = Vec::new();
        for path in gone {
            let to = match find(self.repo, tree, path)? {
                Some((EntryMode::Directory, _)) => directory_renamed(path, &renames),
                _ => renames
                    .iter()
                    .find(|(from, _)| from == path)
                    .map(|(_, to)| to.clone()),
            };
            found.extend(to.map(|to| (path.clone(), to)));
        }
        Ok(found)
    }

    /// Lets what was said at a path stand where the path went; false where the snapshot has nothing there.
    fn take_over(
        &mut self,
        steps: &mut BTreeMap<TreePath, Step>,
        place: &Place,
        from: TreePath,
        to: &TreePath,
    ) -> Result<bool, ObjectError> {
        // A path that was renamed again since is known as a step already.
        let (now, changes) = match steps.get(to) {
            Some(step) => (step.now.clone(), step.changes),
            None => (to.clone(), 0),
        };
        let Some((_, today)) = find(self.repo, &self.tree, &now)? else {
            return Ok(false);
        };
        self.is_gone.remove(&from);
        let here = find(self.repo, &place.tree, &from)?.map(|(_, id)| id);
        let changes = changes + usize::from(here != Some(today));
        let found = self
            .found
            .entry(now.clone())
            .or_insert_with(|| PathHistory {
                today,
                earlier: HashMap::new(),
                came: Came::Unmet,
            });
        let is_said = |frame: &&Frame| frame.path.as_ref() == Some(&from);
        for node in self
            .said
            .iter()
            .filter(|(node, frames)| **node != today && frames.iter().any(|one| is_said(&one)))
            .map(|(node, _)| *node)
        {
            let seen = (here == Some(node)).then_some(LastPlace {
                commit: place.commit,
                commits: place.commits,
                changes,
            });
            found.earlier.entry(node).or_insert(Earlier {
                renamed_from: Some(from.clone()),
                seen,
            });
        }
        self.names.insert(from.clone(), now.clone());
        steps.insert(from, Step { now, changes });
        Ok(true)
    }
}

/// Where most files below a directory went that git has found under another one.
fn directory_renamed(directory: &TreePath, renames: &[(TreePath, TreePath)]) -> Option<TreePath> {
    let mut votes: BTreeMap<&[u8], usize> = BTreeMap::new();
    for (from, to) in renames {
        let below = from
            .as_bytes()
            .strip_prefix(directory.as_bytes())
            .filter(|rest| rest.first() == Some(&b'/'));
        if let Some(parent) = below.and_then(|rest| to.as_bytes().strip_suffix(rest)) {
            *votes.entry(parent).or_default() += 1;
        }
    }
    votes
        .into_iter()
        .max_by_key(|(path, count)| (*count, Reverse(*path)))
        .map(|(path, _)| TreePath::new(path))
}

/// The file or directory that a tree has at a path; the tree itself at the root. A link or a submodule is none: nothing is said of it.
pub(super) fn find(
    repo: &Repository,
    tree: &NodeId,
    path: &TreePath,
) -> Result<Option<(EntryMode, NodeId)>, ObjectError> {
    if path.is_root() {
        return Ok(Some((EntryMode::Directory, *tree)));
    }
    let found = repo.find_entry(tree, path.as_bytes())?;
    Ok(found.filter(|(mode, _)| !matches!(mode, EntryMode::Symlink | EntryMode::Submodule)))
}
