//! What people have said about earlier contents of a path: it is about the path, and stands until its author ends it.
//!
//! | step | what is read |
//! |---|---|
//! | who has spoken | the index, for the nodes of people's statements; without any, nothing else |
//! | about which paths | these statements: each names its path |
//! | how far back | the newest commits along first parents, and in them only what differs on the way to those paths |
//! | where a path went | one comparison with renames by git, for each commit that took such a path away |
//!
//! So the cost grows with what people have said and with what has changed, and not with the size of the repository. A
//! statement whose content the newest commits do not have is carried all the same, without a distance.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use super::refresh;
use crate::base::count::counted;
use crate::base::limit::{
    FILE_BYTES_MAX, NOTE_CHANGES_MAX, NOTE_COMMITS_MAX, NOTE_RENAMES_MAX, NOTE_WAYS_MAX,
};
use crate::base::{NodeId, NodeKind, TreePath};
use crate::context::markdown::{code, plain};
use crate::frame::{Frame, Head, Silent, Store, StoreError, newest_first};
use crate::git::{DiffEntry, EntryMode, ObjectError, ObjectKind, Repository, StateDir, diff_trees};
use crate::node::SnapshotRoot;
use crate::workspace::Target;

/// A person's statement about an earlier content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// What was said.
    pub frame: Frame,
    /// What stands at the path today.
    pub today: NodeId,
    /// Where it was said, if the file or directory was renamed since.
    pub renamed_from: Option<TreePath>,
    /// Where its content stood last; `None` where the newest commits do not have it.
    pub seen: Option<LastPlace>,
    /// How many lines differ; `None` for a directory, for what is no text, and for a file that is too large to be shown.
    pub lines: Option<usize>,
}

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

impl Carried {
    /// What it is about, as Markdown, in words that stay as they are while the path changes: payloads are kept in caches.
    #[must_use]
    pub fn origin(&self) -> String {
        let from = match self.seen {
            Some(seen) => format!("commit {}", seen.commit.short()),
            None => format!("content {}", self.frame.node.short()),
        };
        let mut origin = format!("carried from {from}");
        if let Some((day, _)) = self
            .frame
            .created
            .as_ref()
            .and_then(|created| created.split_once('T'))
        {
            let _ = write!(origin, ", written on {day}");
        }
        if let Some(path) = &self.renamed_from {
            let path = code(&plain(path.as_bytes()));
            let _ = write!(origin, ", when it was {path}");
        }
        origin
    }

    /// How old it is: `from commit 1a2b3c4, 3 commits ago, 12 lines differ`.
    #[must_use]
    pub fn age(&self) -> String {
        let mut age = match self.seen {
            Some(LastPlace {
                commit, commits: 0, ..
            }) => format!("from commit {}", commit.short()),
            Some(LastPlace {
                commit, commits, ..
            }) => {
                format!(
                    "from commit {}, {}",
                    commit.short(),
                    counted(commits, "commit ago", "commits ago")
                )
            }
            None => "from a version that the newest commits do not have".to_owned(),
        };
        if let Some(lines) = self.lines {
            age = age + ", " + &counted(lines, "line differs", "lines differ");
        }
        age
    }
}

/// What people have said and ended, by node, the newest first.
type FramesByNode = HashMap<NodeId, Vec<Frame>>;

/// What is carried, by the path at which it stands now.
pub type CarriedByPath = BTreeMap<TreePath, Vec<Carried>>;

/// What people say about the nodes and paths of a snapshot.
pub struct PeopleSay {
    /// By node, what each said last about each path and has not ended.
    pub standing: HashMap<NodeId, Vec<Frame>>,
    /// Paths of such statements that the snapshot has.
    there: HashSet<TreePath>,
    /// By path, what each said last about earlier contents.
    pub carried: CarriedByPath,
}

impl PeopleSay {
    /// True when people say nothing.
    #[must_use]
    pub fn is_silent(&self) -> bool {
        self.standing.is_empty() && self.carried.is_empty()
    }

    /// What stands about a node, and what is carried to a path.
    pub fn notes<'s>(
        &'s self,
        node: &NodeId,
        path: &[u8],
    ) -> impl Iterator<Item = (&'s Frame, Option<&'s Carried>)> {
        let standing = self
            .standing
            .get(node)
            .into_iter()
            .flatten()
            .filter(|frame| is_about(frame, path, |at| self.there.contains(at)))
            .map(|frame| (frame, None));
        let carried = self
            .carried
            .get(&TreePath::new(path))
            .filter(|carried| carried.iter().all(|one| one.today == *node));
        standing.chain(
            carried
                .into_iter()
                .flatten()
                .map(|one| (&one.frame, Some(one))),
        )
    }
}

/// What each person said last about earlier contents of a target's path, and has neither said again about today's nor
/// ended: what the history has first, the newest of it before the rest.
pub fn carried(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    root: &SnapshotRoot,
    target: &Target,
) -> Result<Vec<Carried>, StoreError> {
    let Some(path) = &target.path else {
        return Ok(Vec::new());
    };
    let mut all = carry(repo, &said_by_people(state, store)?, root, Some(path))?;
    // A path of another revision leads to what the snapshot may not have there.
    Ok(all
        .remove(path)
        .filter(|carried| carried.iter().all(|one| one.today == target.id))
        .unwrap_or_default())
}

/// What people say about a snapshot.
pub fn people_say(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    root: &SnapshotRoot,
) -> Result<PeopleSay, StoreError> {
    let said = said_by_people(state, store)?;
    let carried = carry(repo, &said, root, None)?;
    let standing = said
        .iter()
        .map(|(node, frames)| (*node, standing(frames).cloned().collect()));
    let standing: HashMap<NodeId, Vec<Frame>> = standing.collect();
    let mut there = HashSet::new();
    for at in standing
        .values()
        .flatten()
        .filter_map(|frame| frame.path.as_ref())
    {
        if is_there(repo, &root.tree, at)? {
            there.insert(at.clone());
        }
    }
    Ok(PeopleSay {
        standing,
        there,
        carried,
    })
}

/// Of what people say of a target's content, what is about its path in a snapshot.
pub fn about_target(
    repo: &Repository,
    heads: Vec<Head>,
    target: &Target,
) -> Result<Vec<Head>, StoreError> {
    let (Some(tree), Some(path)) = (&target.root, &target.path) else {
        return Ok(heads);
    };
    let mut about = Vec::new();
    for head in heads {
        let is_here = match &head.frame.path {
            Some(at) if at != path => is_there(repo, tree, at)?,
            _ => false,
        };
        if is_about(&head.frame, path.as_bytes(), |_| is_here) {
            about.push(head);
        }
    }
    Ok(about)
}

/// Whether a statement is about a path that has the content that it was made for: it was made there, or at a path that is
/// gone. What was said of an empty file is told nowhere else: any other one may be empty, too.
fn is_about(frame: &Frame, path: &[u8], is_there: impl Fn(&TreePath) -> bool) -> bool {
    let elsewhere = frame.made_elsewhere(path);
    elsewhere.is_none_or(|at| !frame.node.is_empty_file() && !is_there(at))
}

fn is_there(repo: &Repository, tree: &NodeId, at: &TreePath) -> Result<bool, StoreError> {
    let there = find(repo, tree, at).map_err(StoreError::Snapshot)?;
    Ok(there.is_some())
}

fn carry(
    repo: &Repository,
    said: &FramesByNode,
    root: &SnapshotRoot,
    only: Option<&TreePath>,
) -> Result<CarriedByPath, StoreError> {
    let (found, is_gone) = (BTreeMap::new(), BTreeSet::new());
    let (repo, tree, renames_left) = (repo, root.tree, NOTE_RENAMES_MAX);
    let mut trail = Trail {
        repo,
        tree,
        said,
        found,
        is_gone,
        renames_left,
    };
    trail.begin(only).map_err(StoreError::Snapshot)?;
    if let Some(history) = root.history {
        // What was renamed twice is found from its newest name on, which the first way back does not know.
        for _ in 0..NOTE_WAYS_MAX {
            if !trail.follow(&history).map_err(StoreError::Snapshot)? {
                break;
            }
        }
    }
    let mut carried = CarriedByPath::new();
    for (path, found) in trail
        .found
        .into_iter()
        .filter(|(path, _)| only.is_none_or(|only| only == path))
    {
        let mut stands = choose(&path, &found, said);
        for one in stands
            .iter_mut()
            .filter(|one| one.frame.kind == NodeKind::File)
        {
            one.lines = lines_between(repo, &one.frame.node, &one.today);
        }
        if !stands.is_empty() {
            carried.insert(path, stands);
        }
    }
    Ok(carried)
}

/// Every statement and every end of one by people, by node.
fn said_by_people(state: &StateDir, store: &Store<'_>) -> Result<FramesByNode, StoreError> {
    let mut said = FramesByNode::new();
    for node in refresh::index(state, store, 0)?.said_by_people() {
        let entries = store.entries(&node)?;
        let frames: &mut Vec<Frame> = said.entry(node).or_default();
        for slot in entries.chunk_by(|one, other| one.name.is_of_slot_of(&other.name)) {
            frames.extend(store.said_by_people(slot));
        }
        newest_first(frames);
    }
    Ok(said)
}

/// How many lines one text has and the other has not, wherever they stand.
fn lines_between(repo: &Repository, old: &NodeId, new: &NodeId) -> Option<usize> {
    let mut texts = [Vec::new(), Vec::new()];
    for (id, text) in [old, new].into_iter().zip(&mut texts) {
        repo.header(id)
            .ok()?
            .filter(|header| header.size_bytes <= FILE_BYTES_MAX)?;
        repo.read(id, ObjectKind::Blob, text).ok()?;
    }
    if texts.iter().any(|text| text.contains(&0)) {
        return None;
    }
    let mut counts: HashMap<&[u8], i64> = HashMap::new();
    for (text, step) in texts.iter().zip([-1, 1]) {
        for line in text.split_inclusive(|byte| *byte == b'\n') {
            *counts.entry(line).or_default() += step;
        }
    }
    let (gained, lost) = counts
        .values()
        .fold((0, 0), |(gained, lost), count| match *count {
            count if count > 0 => (gained + count, lost),
            count => (gained, lost - count),
        });
    // A line that was edited is one gained and one lost.
    usize::try_from(gained.max(lost)).ok()
}

/// What stands at a path today, and the contents that stood there before and were spoken about.
struct PathHistory {
    today: NodeId,
    earlier: HashMap<NodeId, Earlier>,
}

#[derive(Clone, Default)]
struct Earlier {
    renamed_from: Option<TreePath>,
    seen: Option<LastPlace>,
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
}

/// A commit on the way back, how many came after it, and its tree.
struct Place {
    commit: NodeId,
    commits: usize,
    tree: NodeId,
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
                        },
                    );
                }
            }
        }
        self.found.retain(|_, found| !found.earlier.is_empty());
        Ok(())
    }

    /// Goes back from a commit until every content was met; true when another way back would find more.
    fn follow(&mut self, start: &NodeId) -> Result<bool, ObjectError> {
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
        let (mut newer, mut is_more) = (self.tree, false);
        for (commits, step) in self
            .repo
            .first_parents(start)
            .take(NOTE_COMMITS_MAX)
            .enumerate()
        {
            if self.is_complete() && (self.is_gone.is_empty() || self.renames_left == 0) {
                break;
            }
            let (commit, tree) = step?;
            let mut came_back = Vec::new();
            for (path, is_new_here, there) in self.changes(&steps, &newer, &tree)? {
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
            newer = tree;
        }
        Ok(is_more)
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

/// Of each author what was said last of a path and not ended: what the history has before the rest, the newest first.
fn choose(path: &TreePath, found: &PathHistory, said: &FramesByNode) -> Vec<Carried> {
    let none = Vec::new();
    let of = |node: &NodeId| said.get(node).unwrap_or(&none);
    let names: HashSet<&TreePath> = found
        .earlier
        .values()
        .filter_map(|earlier| earlier.renamed_from.as_ref())
        .chain([path])
        .collect();
    // Another path may have had the same content.
    let is_of_path = |frame: &&Frame| frame.path.as_ref().is_none_or(|at| names.contains(at));
    let mut silent = Silent::default();
    for frame in of(&found.today).iter().filter(is_of_path) {
        silent.hears(frame, None);
    }
    let mut nodes: Vec<(NodeId, Earlier)> = found
        .earlier
        .iter()
        .map(|(node, earlier)| (*node, earlier.clone()))
        .collect();
    let newest = |node: &NodeId| {
        of(node)
            .iter()
            .filter_map(|frame| frame.created.clone())
            .max()
    };
    nodes.sort_by_cached_key(|(node, earlier)| {
        (
            earlier.seen.map_or(usize::MAX, |seen| seen.commits),
            Reverse(newest(node)),
            *node,
        )
    });
    let mut carried = Vec::new();
    for (node, Earlier { renamed_from, seen }) in nodes {
        for frame in of(&node).iter().filter(is_of_path) {
            if silent.hears(frame, None) {
                carried.push(Carried {
                    frame: frame.clone(),
                    today: found.today,
                    renamed_from: renamed_from.clone(),
                    seen,
                    lines: None,
                });
            }
        }
    }
    carried
}

/// What each said last about one content, of each path, and has not ended.
fn standing(frames: &[Frame]) -> impl Iterator<Item = &Frame> {
    let mut silent = Silent::default();
    frames
        .iter()
        .filter(move |frame| silent.hears(frame, frame.path.as_ref()))
}

/// What a tree has at a path; the tree itself at the root.
fn find(
    repo: &Repository,
    tree: &NodeId,
    path: &TreePath,
) -> Result<Option<(EntryMode, NodeId)>, ObjectError> {
    if path.is_root() {
        Ok(Some((EntryMode::Directory, *tree)))
    } else {
        repo.find_entry(tree, path.as_bytes())
    }
}
