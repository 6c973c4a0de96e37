//! A sample of those incoming frames that any clone can make: it is made again, and one that differs discredits them all.
//!
//! Who can push can store an outline with the basis of a real one and other words, and a basis is all that freshness looks at. So
//! with `merkle.share = all` outlines that come are drawn at random, [`SAMPLE`] of them, and made again from the objects. Of one
//! forged frame among 10,000 the chance is 20 percent in each clone, of 50 it is more than 99.99 percent; a clone that has found one
//! never takes it again, and of that delivery nothing that can be made.
//!
//! | an outline | and it is |
//! |---|---|
//! | of another basis than today's | not compared: it is outdated for every reader |
//! | about an object that is not here | left for a fetch that finds the object; in a partial clone taken |
//! | of a file, whose content says something else in every language | forged |
//! | of a directory, whose basis fits what its children say, and whose text does not | forged |

use std::borrow::Cow;
use std::collections::{BTreeSet, HashSet};
use std::hash::{BuildHasher, RandomState};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::thread;

use crate::agent::{Agent, OUTLINE, Registry};
use crate::base::cores::on_all_cores;
use crate::base::limit::{FILE_BYTES_MAX, STORE_TREE_BYTES_MAX};
use crate::base::number::to_index;
use crate::base::{FrameId, NodeId, NodeKind, TreePath, printable};
use crate::frame::entry::read_entry;
use crate::frame::{Children, Entry, Frame, Store, StoreError, content_digest};
use crate::git::{ObjectError, ObjectKind, Repository, StateDir, TreeEntry, tree_entries};
use crate::sync::left_out::LeftOut;
use crate::sync::outline::is_outline;
use crate::synthesis::basis::BasisOf;
use crate::synthesis::summarize::Summarize;
use crate::synthesis::{Child, ChildNode, ChildState, PartKind, Policy, outline};

/// Outlines of a delivery that are made again.
const SAMPLE: usize = 2_000;

/// The largest outline that is kept after it was read, and all of them.
const KEPT_FRAME_BYTES_MAX: usize = 8 << 10;
const KEPT_BYTES_MAX: usize = 16 << 20;

const FILE_NAME: &str = "forged";
const FIRST_LINE: &str = "git-merkle forged 1\n";
const LIST_BYTES_MAX: u64 = 4 << 20;
/// Commits that are looked through for the one that brought a forged frame.
const COMMITS_MAX: usize = 10_000;

/// What was found in a delivery.
#[derive(Debug, Default)]
pub(super) struct Found {
    /// Entries that count as far as this goes.
    pub entries: Vec<Entry>,
    /// Those that do not, and why.
    pub refused: Vec<LeftOut>,
}

/// Looks at what a store gives; `ours` has children's frames that the delivery need not repeat.
pub(super) fn look(
    repo: &Repository,
    state: &StateDir,
    [ours, theirs]: [&Store<'_>; 2],
    mut entries: Vec<Entry>,
    mut kept: KeptFrames,
) -> Result<Found, StoreError> {
    let is_partial = repo.is_partial();
    let is_fit = |repo: &Repository, at: usize| {
        let name = &entries[at].name;
        Ok(is_partial || !is_outline(name) || repo.has(&name.node)?)
    };
    let fit: Vec<Result<bool, ObjectError>> =
        on_all_cores(entries.len(), repo, || repo.fork(), is_fit);
    let fit = fit.into_iter().collect::<Result<Vec<bool>, _>>()?;
    retain(&mut entries, &fit);
    retain(&mut kept.frames, &fit);
    let mut found = Found {
        entries,
        ..Found::default()
    };
    let are_outlines = found.entries.iter().map(|entry| is_outline(&entry.name));
    let outlines: Vec<usize> = are_outlines
        .enumerate()
        .filter_map(|(at, is_outline)| is_outline.then_some(at))
        .collect();
    let mut known = load(state);
    let is_known = |at: &usize| known.contains(&found.entries[*at].blob);
    let forged = match outlines.iter().copied().find(is_known) {
        Some(at) => Some(at),
        None => {
            let of_children = Outlines::new(&found.entries, &outlines, kept, ours.commit());
            find_forged(repo, of_children, outlines)
        }
    };
    let Some(forged) = forged else {
        return Ok(found);
    };
    let forged = found.entries[forged].clone();
    known.insert(forged.blob);
    save(state, &known);
    let by = pusher(repo, theirs, &forged);
    for entry in std::mem::take(&mut found.entries) {
        if entry == forged {
            found.refuse(
                &entry,
                format!("it does not say what is made from the same inputs; {by}"),
            );
        } else if is_outline(&entry.name)
            || read_entry(repo, &entry).is_ok_and(|frame| frame.is_derived())
        {
            found.refuse(&entry, format!("it came with a forged outline; {by}"));
        } else {
            found.entries.push(entry);
        }
    }
    Ok(found)
}

/// Makes a sample of outlines again; the number of one that says something else.
fn find_forged(
    repo: &Repository,
    of_children: Outlines<'_>,
    mut outlines: Vec<usize>,
) -> Option<usize> {
    draw(&mut outlines);
    let registry = Registry::built_in();
    let agent = registry.get(OUTLINE).expect("it is built in");
    // One is enough: each that lies costs as many parsings as there are languages, and a remote can send many.
    let is_found = AtomicBool::new(false);
    let work = |repo: &Repository, at: usize| {
        let is_forged =
            !is_found.load(Ordering::Relaxed) && is_forged(repo, agent, &of_children, outlines[at]);
        is_found.fetch_or(is_forged, Ordering::Relaxed);
        is_forged
    };
    let results = on_all_cores(outlines.len(), repo, || repo.fork(), work);
    of_children.free();
    let mut results = outlines.iter().zip(results);
    results.find(|(_, is_forged)| *is_forged).map(|(at, _)| *at)
}

impl Found {
    fn refuse(&mut self, entry: &Entry, reason: String) {
        self.refused.push(LeftOut {
            path: TreePath::new(entry.name.path()),
            reason,
        });
    }
}

/// Keeps the items that are marked.
fn retain<T>(items: &mut Vec<T>, is_kept: &[bool]) {
    let mut is_kept = is_kept.iter();
    items.retain(|_| *is_kept.next().expect("a mark for each"));
}

/// Keeps a sample, drawn at random: a forger must not be able to tell which.
fn draw(outlines: &mut Vec<usize>) {
    let (seed, all) = (RandomState::new(), outlines.len());
    // Each place of the sample gets one of those that are not in it yet.
    for place in 0..SAMPLE.min(all) {
        outlines.swap(
            place,
            place + to_index(seed.hash_one(place) % (all - place) as u64),
        );
    }
    outlines.truncate(SAMPLE);
}

/// Frames that were read once and may be needed again: in bounded memory, so not all of them.
#[derive(Debug)]
pub(super) struct KeptFrames {
    /// For each entry of a list, in its order.
    frames: Vec<Option<Box<Frame>>>,
    /// Bytes that are left, for all threads that read.
    room: AtomicUsize,
}

impl Default for KeptFrames {
    fn default() -> Self {
        Self {
            frames: Vec::new(),
            room: AtomicUsize::new(KEPT_BYTES_MAX),
        }
    }
}

impl KeptFrames {
    /// The frame, if there is room to keep it: from then on it takes its part of that.
    pub(super) fn admit(&self, frame: Frame) -> Option<Box<Frame>> {
        let bytes = Some(kept_bytes(&frame)).filter(|bytes| *bytes <= KEPT_FRAME_BYTES_MAX)?;
        let order = Ordering::Relaxed;
        let left = |room: usize| room.checked_sub(bytes);
        let has_room = self.room.fetch_update(order, order, left).is_ok();
        has_room.then(|| Box::new(frame))
    }

    /// Takes the place of the next entry, with its frame where that was admitted.
    pub(super) fn push(&mut self, frame: Option<Box<Frame>>) {
        self.frames.push(frame);
    }
}

/// What a frame takes in memory, about.
fn kept_bytes(frame: &Frame) -> usize {
    let children = match &frame.children {
        Children::Listed(ids) => size_of_val(&ids[..]),
        _ => 0,
    };
    let texts = [&frame.provider, &frame.model, &frame.created];
    let texts = texts
        .into_iter()
        .flatten()
        .chain([&frame.tool, &frame.content]);
    let unknown = frame.unknown.iter().flat_map(|(key, value)| [key, value]);
    let path = frame.path.as_ref().map_or(0, |path| path.as_bytes().len());
    size_of::<Frame>() + children + path + texts.chain(unknown).map(String::len).sum::<usize>()
}

/// What has come, and the store that has all outlines that have not.
struct Outlines<'e> {
    entries: &'e [Entry],
    /// The outlines among the entries, ascending by node.
    came: Vec<usize>,
    kept: KeptFrames,
    ours: Option<NodeId>,
}

impl<'e> Outlines<'e> {
    fn new(
        entries: &'e [Entry],
        outlines: &[usize],
        kept: KeptFrames,
        ours: Option<NodeId>,
    ) -> Self {
        let mut came = outlines.to_vec();
        came.sort_by_key(|at| entries[*at].name.node);
        Self {
            entries,
            came,
            kept,
            ours,
        }
    }

    /// Frees the frames beside what this thread does next: there are many, in many pieces.
    fn free(self) {
        let _ = thread::Builder::new().spawn(|| drop(self.kept));
    }

    fn read(&self, repo: &Repository, at: usize) -> Option<Cow<'_, Frame>> {
        match &self.kept.frames[at] {
            Some(frame) => Some(Cow::Borrowed(frame)),
            None => read_entry(repo, &self.entries[at]).ok().map(Cow::Owned),
        }
    }

    /// For each node its frame whose id is one of these.
    fn find<'n>(
        &self,
        repo: &Repository,
        nodes: impl Iterator<Item = &'n NodeId>,
        ids: &HashSet<&FrameId>,
    ) -> Vec<Option<Cow<'_, Frame>>> {
        let ours = self.ours.and_then(|ours| Store::at(repo, Some(ours)).ok());
        let node = |at: usize| &self.entries[at].name.node;
        let find = |wanted: &NodeId| {
            let start = self.came.partition_point(|at| node(*at) < wanted);
            let came = self.came[start..].iter().copied();
            came.take_while(|at| node(*at) == wanted)
                .filter(|at| ids.contains(&self.entries[*at].name.frame))
                .find_map(|at| self.read(repo, at))
                .or_else(|| {
                    let is_it =
                        |entry: &&Entry| is_outline(&entry.name) && ids.contains(&entry.name.frame);
                    let entries = ours.as_ref()?.entries(wanted).ok()?;
                    let mut here = entries.iter().filter(is_it);
                    here.find_map(|entry| read_entry(repo, entry).ok().map(Cow::Owned))
                })
        };
        nodes.map(find).collect()
    }
}

/// True for an outline of today's basis that says something else than is made now. What cannot be made here is none.
fn is_forged(repo: &Repository, agent: &Agent, of_children: &Outlines<'_>, at: usize) -> bool {
    let Some(frame) = of_children.read(repo, at) else {
        return false;
    };
    let bases = BasisOf::new(agent, &agent.frame_type, &agent.prompt_digest());
    match frame.kind {
        NodeKind::File => {
            bases.file(&frame.node, &TreePath::root()) == frame.basis
                && !says_its_file(repo, &frame)
        }
        NodeKind::Directory => remade_directory(repo, &bases, of_children, &frame)
            .is_some_and(|text| text != frame.content),
    }
}

fn says_its_file(repo: &Repository, frame: &Frame) -> bool {
    let Ok(Some(header)) = repo.header(&frame.node) else {
        return true;
    };
    if header.size_bytes > FILE_BYTES_MAX {
        return frame.content == outline::too_large(header.size_bytes);
    }
    let mut data = Vec::new();
    if repo.read(&frame.node, ObjectKind::Blob, &mut data).is_err() {
        // It is no file at all.
        return header.kind == ObjectKind::Blob;
    }
    let name = frame.path.as_ref().map_or(&b""[..], TreePath::name);
    outline::is_outline_of(name, &data, &frame.content)
}

/// What is said of a directory whose children say what the frame was made from; none where that is not known.
fn remade_directory(
    repo: &Repository,
    bases: &BasisOf,
    of_children: &Outlines<'_>,
    frame: &Frame,
) -> Option<String> {
    let Children::Listed(listed) = &frame.children else {
        return None;
    };
    let listed: HashSet<&FrameId> = listed.iter().collect();
    let mut data = Vec::new();
    repo.read_at_most(
        &frame.node,
        ObjectKind::Tree,
        STORE_TREE_BYTES_MAX,
        &mut data,
    )
    .ok()?;
    let entries: Vec<_> = tree_entries(frame.node, &data, repo.hash_kind())
        .collect::<Result<_, _>>()
        .ok()?;
    let children = of_children.find(repo, entries.iter().map(|entry| &entry.id), &listed);
    let state = |child: &Option<Cow<'_, Frame>>, id| {
        child.as_ref().map_or(ChildState::Node(id), |frame| {
            ChildState::Content(content_digest(&frame.content))
        })
    };
    let both = || entries.iter().zip(&children);
    let basis = bases.directory(both().map(|(entry, child)| {
        let kind = PartKind::of(entry.mode).as_str();
        Child {
            name: entry.name,
            kind,
            state: state(child, entry.id),
        }
    }));
    if basis != frame.basis {
        return None;
    }
    let part = |(entry, child): (&TreeEntry<'_>, &Option<Cow<'_, Frame>>)| ChildNode {
        name: outline::shown_name(entry.name).into_owned().into(),
        kind: PartKind::of(entry.mode),
        bodies: child
            .iter()
            .map(|frame| (frame.frame_type.clone(), Arc::from(frame.content.as_str())))
            .collect(),
    };
    Some(Summarize.synthesize(&both().map(part).collect::<Vec<_>>()))
}

/// Which commit of a store brought an entry: the oldest of the line that has it.
fn pusher(repo: &Repository, theirs: &Store<'_>, entry: &Entry) -> String {
    let path = entry.name.path();
    let Some(tip) = theirs.commit() else {
        return String::new();
    };
    let has = |tree: &NodeId| matches!(repo.find_entry(tree, path.as_bytes()), Ok(Some((_, blob))) if blob == entry.blob);
    let line = repo
        .first_parents(&tip)
        .take(COMMITS_MAX)
        .map_while(Result::ok);
    let oldest = line
        .take_while(|(_, tree)| has(tree))
        .last()
        .map_or(tip, |(commit, _)| commit);
    let author = author(repo, &oldest).unwrap_or_default();
    format!(
        "pushed with commit {} by {}",
        oldest.short(),
        printable::one_line(&author)
    )
}

/// A commit's author as it stands there.
fn author(repo: &Repository, commit: &NodeId) -> Option<String> {
    let mut body = Vec::new();
    repo.read(commit, ObjectKind::Commit, &mut body).ok()?;
    let text = String::from_utf8_lossy(&body);
    let line = text
        .lines()
        .take_while(|line| !line.is_empty())
        .find_map(|line| line.strip_prefix("author "))?;
    line.rfind('>').map(|end| line[..=end].to_owned())
}

/// Frames that were found to be forged; they are never drawn again but known.
fn load(state: &StateDir) -> BTreeSet<NodeId> {
    let text = state.cache().kept_text(FILE_NAME, LIST_BYTES_MAX);
    let text = text.strip_prefix(FIRST_LINE).unwrap_or_default();
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

fn save(state: &StateDir, known: &BTreeSet<NodeId>) {
    let lines: Vec<String> = known.iter().map(|blob| format!("{blob}\n")).collect();
    let text = format!("{FIRST_LINE}{}", lines.concat());
    if text.len() as u64 <= LIST_BYTES_MAX {
        let _ = state.cache().keep(FILE_NAME, text.as_bytes());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{BasisId, BasisKind, Digest};
    use crate::frame::model::{Basis, Slot};

    /// Red before: what was read at once stood in memory before the bound was looked at.
    #[test]
    fn frames_are_kept_in_bounded_memory_and_large_ones_not_at_all() {
        let (agent, frame_type) = (
            OUTLINE.parse().expect("a word"),
            OUTLINE.parse().expect("a word"),
        );
        let slot = Slot::new(&agent, &frame_type);
        let basis = Basis {
            kind: BasisKind::Generated,
            id: BasisId(Digest([0; 32])),
        };
        let node = NodeId::from_bytes(&[1; 20]).expect("twenty bytes");
        let frame = |bytes: usize| {
            let content = "x".repeat(bytes);
            Frame::new(node, NodeKind::File, slot.clone(), basis, content)
        };
        let kept = KeptFrames::default();
        assert!(kept.admit(frame(KEPT_FRAME_BYTES_MAX)).is_none());
        let each = kept_bytes(&frame(4_000));
        let admitted =
            (0..2 * KEPT_BYTES_MAX / each).filter(|_| kept.admit(frame(4_000)).is_some());
        assert_eq!(admitted.count(), KEPT_BYTES_MAX / each);
    }
}
