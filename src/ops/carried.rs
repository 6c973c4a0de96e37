//! What people have said about earlier contents of a path: it is about the path, and stands until its author ends it.
//!
//! | step | what is read |
//! |---|---|
//! | who has spoken | the index, for the nodes of people's statements; without any, nothing else |
//! | about which paths | these statements: each names its path |
//! | how far back | the newest commits along first parents, and in them only what differs on the way to those paths; then the branches that these merged |
//! | where a path went | one comparison with renames by git, for each commit that took such a path away |
//!
//! So the cost grows with what people have said and with what has changed, and not with the size of the repository. A
//! statement whose content the newest commits do not have is carried all the same, without a distance, unless it was made
//! when today's content stood at the path already: then it is about another line of the history, or a later version.

mod trail;

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashMap, HashSet};
use std::fmt::Write as _;

use self::trail::{Came, Earlier, FramesByNode, PathHistory, find, histories};
use super::refresh;
use crate::base::count::counted;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{NodeId, NodeKind, TreePath, clock};
use crate::context::markdown::{code, plain};
use crate::frame::{BasisKind, Frame, Head, Silent, Slot, Store, StoreError, newest_first};
use crate::git::{ObjectError, ObjectKind, Repository, StateDir};
use crate::node::SnapshotRoot;
use crate::workspace::Target;

pub use self::trail::LastPlace;

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

/// The head of a slot at a target: of what people say, what is about its path.
pub fn head_about(
    store: &Store<'_>,
    target: &Target,
    slot: &Slot,
) -> Result<Option<Head>, StoreError> {
    let head = store.head(&target.id, &slot.agent, &slot.frame_type)?;
    let is_said = |head: &Head| head.frame.basis_kind == BasisKind::Written && !head.invalidated;
    if !head.as_ref().is_some_and(is_said) {
        return Ok(head);
    }
    let mut said = store.voices(&target.id)?.heads;
    said.retain(|head| head.frame.slot() == *slot);
    Ok(about_target(store.repository(), said, target)?
        .into_iter()
        .next())
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
    let found = histories(repo, said, root, only).map_err(StoreError::Snapshot)?;
    let mut carried = CarriedByPath::new();
    for (path, found) in found
        .into_iter()
        .filter(|(path, _)| only.is_none_or(|only| only == path))
    {
        let since = since(repo, &found).map_err(StoreError::Snapshot)?;
        let mut stands = choose(&path, &found, said, since.as_deref());
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

/// Since when today's content has stood at a path, where a statement is about what this history does not have.
fn since(repo: &Repository, found: &PathHistory) -> Result<Option<String>, ObjectError> {
    match found.came {
        Came::With(commit) if found.earlier.values().any(|one| one.seen.is_none()) => {
            let seconds = repo.log_entry(&commit)?.seconds;
            Ok(Some(clock::render_utc(seconds)))
        }
        _ => Ok(None),
    }
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

/// Of each author what was said last of a path and not ended: what the history has before the rest, the newest first.
fn choose(
    path: &TreePath,
    found: &PathHistory,
    said: &FramesByNode,
    since: Option<&str>,
) -> Vec<Carried> {
    let none = Vec::new();
    let of = |node: &NodeId| said.get(node).unwrap_or(&none);
    let names: HashSet<&TreePath> = found
        .earlier
        .values()
        .filter_map(|earlier| earlier.renamed_from.as_ref())
        .chain([path])
        .collect();
    // Another path may have had the same content. What was declared void about it is void wherever it stood.
    let is_void =
        |frame: &Frame| frame.basis_kind == BasisKind::Invalidation && frame.author().is_none();
    let is_of_path =
        |frame: &&Frame| is_void(frame) || frame.path.as_ref().is_none_or(|at| names.contains(at));
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
        // What was said of other contents while today's stood here is about another line, or what came after it.
        let is_of_line = |frame: &&Frame| {
            seen.is_some()
                || since.is_none_or(|since| frame.created.as_deref().is_none_or(|at| at <= since))
        };
        // An end is one of what was said of this content, whenever that was.
        let mut of_content = silent.clone();
        for frame in of(&node).iter().filter(is_of_path) {
            let is_of_line = is_of_line(&frame);
            if is_of_line {
                silent.hears(frame, None);
            }
            if of_content.hears(frame, None) && is_of_line {
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
