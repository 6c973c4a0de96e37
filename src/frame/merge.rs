//! The union of stores, and adding frames to one: the same operation on the trees of their directories.
//!
//! A store is a grow-only set of entries, each a name and a blob. Its union with another is commutative,
//! associative and idempotent, and holds both sides. Two stores can hold one name with different blobs (the same
//! statement, recorded at another time); then the smaller blob id stays, on every machine alike.
//!
//! The common ancestor of two stores is not asked: a remote that has lost frames would take ours along.

use std::collections::{BTreeMap, BTreeSet};

use super::codec::encode;
use super::directory::Place;
use super::entry::{Entry, FOLDER, ManifestEntry, StoreError, read_entry};
use super::listing::{first_far, next_seqs};
use super::name::{FrameName, directory_of, slot_prefix};
use super::stored::NewFrame;
use crate::base::NodeId;
use crate::base::cores::on_all_cores;
use crate::base::limit::STORE_TREE_BYTES_MAX;
use crate::git::{
    Batch, Encoded, EntryMode, ObjectError, ObjectKind, Repository, TreeEntry, tree_entries,
};

/// A tree's entries by name, as one level of the store needs them.
pub(super) type Level = BTreeMap<Vec<u8>, (EntryMode, NodeId)>;

/// Unites two store trees; new trees go into the batch. Subtrees that are equal or on one side only are not read.
pub fn union(
    repo: &Repository,
    ours: Option<NodeId>,
    theirs: Option<NodeId>,
    batch: &mut Batch,
) -> Result<Option<NodeId>, ObjectError> {
    match (ours, theirs) {
        (Some(ours), Some(theirs)) => union_level(repo, ours, theirs, batch, 0).map(Some),
        (one, other) => Ok(one.or(other)),
    }
}

/// How deep the store's tree is: frames have one directory above them, manifests two.
const DEPTH: usize = 2;

fn union_level(
    repo: &Repository,
    ours: NodeId,
    theirs: NodeId,
    batch: &mut Batch,
    depth: usize,
) -> Result<NodeId, ObjectError> {
    if ours == theirs {
        return Ok(ours);
    }
    let (mut data, mut other_data) = (Vec::new(), Vec::new());
    let one = read_entries(repo, &ours, &mut data)?;
    let other = read_entries(repo, &theirs, &mut other_data)?;
    let (mut united, both) = side_by_side(&one, &other, depth < DEPTH);
    let unite = |repo: &Repository, at: usize| {
        let (mut grown, (_, ours, theirs)) = (Batch::default(), both[at]);
        union_level(repo, ours, theirs, &mut grown, depth + 1).map(|id| (id, grown))
    };
    let done = match depth {
        0 => on_all_cores(both.len(), repo, || repo.fork(), unite),
        _ => (0..both.len()).map(|at| unite(repo, at)).collect(),
    };
    for ((place, ..), done) in both.iter().zip(done) {
        let (id, grown) = done?;
        united[*place].id = id;
        batch.append(grown);
    }
    // What one side is already need not be written: most directories have grown on one side only.
    Ok(match &united {
        united if *united == one => ours,
        united if *united == other => theirs,
        // Foreign names are in another order as tree entries.
        _ => batch.add_tree(repo.hash_kind(), united),
    })
}

/// The entries of both sides by name, and those that are directories on both: their place, ours and theirs.
fn side_by_side<'d>(
    one: &[TreeEntry<'d>],
    other: &[TreeEntry<'d>],
    has_directories: bool,
) -> (Vec<TreeEntry<'d>>, Vec<(usize, NodeId, NodeId)>) {
    let (mut one, mut other) = (
        one.iter().copied().peekable(),
        other.iter().copied().peekable(),
    );
    let (mut united, mut both) = (Vec::with_capacity(one.len().max(other.len())), Vec::new());
    loop {
        let next = match (one.peek(), other.peek()) {
            (None, None) => return (united, both),
            (Some(ours), Some(theirs)) if ours.name == theirs.name => {
                let (ours, theirs) = (*ours, *theirs);
                let _ = one.next();
                let _ = other.next();
                if has_directories
                    && ours.mode == EntryMode::Directory
                    && theirs.mode == EntryMode::Directory
                {
                    both.push((united.len(), ours.id, theirs.id));
                }
                Some(if (ours.mode, ours.id) <= (theirs.mode, theirs.id) {
                    ours
                } else {
                    theirs
                })
            }
            (Some(ours), Some(theirs)) if ours.name > theirs.name => other.next(),
            (None, _) => other.next(),
            _ => one.next(),
        };
        united.extend(next);
    }
}

/// A tree's entries by name, each name once.
fn read_entries<'d>(
    repo: &Repository,
    tree: &NodeId,
    data: &'d mut Vec<u8>,
) -> Result<Vec<TreeEntry<'d>>, ObjectError> {
    repo.read_at_most(tree, ObjectKind::Tree, STORE_TREE_BYTES_MAX, data)?;
    tree_entries(*tree, data, repo.hash_kind())
        .collect::<Result<_, _>>()
        .map(by_name)
}

/// Entries in the order of their names, the last one of each.
fn by_name(mut entries: Vec<TreeEntry<'_>>) -> Vec<TreeEntry<'_>> {
    // A store's own trees are in this order.
    if !entries.is_sorted_by(|one, next| one.name < next.name) {
        entries.reverse();
        entries.sort_by_key(|entry| entry.name);
        entries.dedup_by_key(|entry| entry.name);
    }
    entries
}

/// Adds frames to a store tree; new trees go into the batch, frames get the next generation of their slot.
///
/// A frame whose slot's newest frame says the same already is dropped, unless it is to be said again or that one is
/// damaged.
pub(super) fn insert(
    repo: &Repository,
    tree: Option<NodeId>,
    frames: &[NewFrame],
    batch: &mut Batch,
) -> Result<(Vec<NewFrame>, NodeId), StoreError> {
    let mut added = Vec::with_capacity(frames.len());
    let tree = change_leaves(
        repo,
        read_or_empty(repo, tree)?,
        frames.iter().collect(),
        batch,
        &mut |leaf, frame| {
            added.extend(insert_leaf(repo, leaf, frame)?);
            Ok(())
        },
    )?;
    Ok((added, tree))
}

/// What one store can give to another one.
#[derive(Debug, Default, Clone)]
pub struct Gift {
    /// Frames.
    pub entries: Vec<Entry>,
    /// Signed lists of frames.
    pub manifests: Vec<ManifestEntry>,
    /// True when this is all that the other store has and the taker lacks: then the [`union`] of both is as good, and reads and
    /// writes less.
    pub is_whole: bool,
}

impl Gift {
    /// True when there is nothing to give.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty() && self.manifests.is_empty()
    }
}

/// Adds entries of another store to a store tree as they are; of two blobs under one name the smaller id stays.
///
/// For all entries of the other store this gives the [`union`] of both.
pub fn graft(
    repo: &Repository,
    tree: Option<NodeId>,
    gift: Gift,
    batch: &mut Batch,
) -> Result<NodeId, StoreError> {
    let mut root = read_or_empty(repo, tree)?;
    graft_manifests(repo, &mut root, gift.manifests, batch)?;
    change_leaves(repo, root, gift.entries, batch, &mut |leaf, entry| {
        let new = (EntryMode::File, entry.blob);
        leaf.entry(entry.name.leaf().into_bytes())
            .and_modify(|known| *known = new.min(*known))
            .or_insert(new);
        Ok(())
    })
}

fn graft_manifests(
    repo: &Repository,
    root: &mut Level,
    mut manifests: Vec<ManifestEntry>,
    batch: &mut Batch,
) -> Result<(), StoreError> {
    let folder = FOLDER.as_bytes();
    // What stands in the way of the folder is none of this program's, and is left there.
    if manifests.is_empty()
        || root
            .get(folder)
            .is_some_and(|(mode, _)| *mode != EntryMode::Directory)
    {
        return Ok(());
    }
    manifests.sort_unstable();
    let mut middle = read_or_empty(repo, subtree(root, folder))?;
    for group in manifests.chunk_by(|one, next| one.steps()[1] == next.steps()[1]) {
        let [_, above, _] = group[0].steps();
        let mut leaf = read_or_empty(repo, subtree(&middle, above.as_bytes()))?;
        for entry in group {
            let [.., name] = entry.steps();
            leaf.insert(name.into_bytes(), (EntryMode::File, entry.blob));
        }
        middle.insert(
            above.into_bytes(),
            (EntryMode::Directory, write_level(repo, &leaf, batch)),
        );
    }
    root.insert(
        folder.to_vec(),
        (EntryMode::Directory, write_level(repo, &middle, batch)),
    );
    Ok(())
}

/// What has a place in the store.
trait Placed {
    fn node(&self) -> NodeId;
}

impl Placed for &NewFrame {
    fn node(&self) -> NodeId {
        self.stored.name.node
    }
}

impl Placed for Entry {
    fn node(&self) -> NodeId {
        self.name.node
    }
}

/// Changes the directories in which the items' nodes stand and writes what is above them; each tree is read once.
fn change_leaves<T: Placed>(
    repo: &Repository,
    mut root: Level,
    mut items: Vec<T>,
    batch: &mut Batch,
    change: &mut dyn FnMut(&mut Level, T) -> Result<(), StoreError>,
) -> Result<NodeId, StoreError> {
    items.sort_by_key(Placed::node);
    let directory = |item: &T| directory_of(&item.node());
    let mut items = items.into_iter().peekable();
    while let Some(name) = items.peek().map(directory) {
        let mut leaf = read_or_empty(repo, subtree(&root, &name))?;
        while let Some(item) = items.next_if(|item| directory(item) == name) {
            change(&mut leaf, item)?;
        }
        root.insert(
            name.to_vec(),
            (EntryMode::Directory, write_level(repo, &leaf, batch)),
        );
    }
    Ok(write_level(repo, &root, batch))
}

fn insert_leaf(
    repo: &Repository,
    leaf: &mut Level,
    frame: &NewFrame,
) -> Result<Vec<NewFrame>, StoreError> {
    let name = &frame.stored.name;
    let prefix = slot_prefix(&name.node, &name.agent, &name.frame_type).into_bytes();
    let entries = leaf
        .range(prefix.clone()..)
        .take_while(|(known, _)| known.starts_with(&prefix));
    let entries = entries.filter(|(_, (mode, _))| mode.is_file());
    let slot: Vec<Entry> = entries
        .filter_map(|(known, (_, blob))| {
            Some(Entry {
                name: FrameName::parse_leaf(&name.node, known)?,
                blob: *blob,
            })
        })
        .collect();
    let present: Vec<u32> = slot.iter().map(|entry| entry.name.seq).collect();
    let seqs = next_seqs(&present).ok_or_else(|| StoreError::Full(name.path()))?;
    let newest = slot.iter().rfind(|entry| entry.name.seq < seqs[0]);
    let says_it =
        |newest: &Entry| newest.name.frame == name.frame && read_entry(repo, newest).is_ok();
    if !frame.again && newest.is_some_and(says_it) {
        return Ok(Vec::new());
    }
    let renumbered = seqs.into_iter().map(|seq| {
        let mut frame = frame.clone();
        frame.renumber(repo.hash_kind(), seq);
        leaf.insert(
            frame.stored.name.leaf().into_bytes(),
            (EntryMode::File, frame.stored.blob),
        );
        frame
    });
    Ok(renumbered.collect())
}

/// Parts a store's tree in two: without the entries at the named paths, and with them alone; how many those are.
///
/// Paths lead to frames, to directories, or to what stands beside these.
pub(super) fn part(
    repo: &Repository,
    tree: &NodeId,
    bad: &BTreeSet<Vec<u8>>,
    batch: &mut Batch,
) -> Result<(Level, Level, usize), ObjectError> {
    let mut aside = Batch::default();
    let parts = part_level(repo, tree, &[], bad, [batch, &mut aside])?;
    batch.append(aside);
    Ok(parts)
}

/// A store's tree without the entries at the named paths.
pub fn without(
    repo: &Repository,
    tree: &NodeId,
    gone: &BTreeSet<Vec<u8>>,
    batch: &mut Batch,
) -> Result<NodeId, ObjectError> {
    let (kept, ..) = part_level(repo, tree, &[], gone, [batch, &mut Batch::default()])?;
    Ok(write_level(repo, &kept, batch))
}

fn part_level(
    repo: &Repository,
    tree: &NodeId,
    above: &[u8],
    bad: &BTreeSet<Vec<u8>>,
    [batch, aside_batch]: [&mut Batch; 2],
) -> Result<(Level, Level, usize), ObjectError> {
    let (mut kept, mut aside, mut count) = (Level::new(), Level::new(), 0);
    for (name, (mode, id)) in read_level(repo, tree)? {
        let path = [above, &name].concat();
        let below = [&path, &b"/"[..]].concat();
        let depth = above.split(|byte| *byte == b'/').count() - 1;
        if bad.contains(&path) {
            count += 1;
            aside.insert(name, (mode, id));
        } else if depth < DEPTH
            && mode == EntryMode::Directory
            && bad
                .range(below.clone()..)
                .next()
                .is_some_and(|path| path.starts_with(&below))
        {
            let (rest, out, more) =
                part_level(repo, &id, &below, bad, [&mut *batch, &mut *aside_batch])?;
            count += more;
            for (level, side, batch) in [
                (rest, &mut kept, &mut *batch),
                (out, &mut aside, &mut *aside_batch),
            ] {
                if !level.is_empty() {
                    side.insert(
                        name.clone(),
                        (EntryMode::Directory, write_level(repo, &level, batch)),
                    );
                }
            }
        } else {
            kept.insert(name, (mode, id));
        }
    }
    if let ([a, b, b'/'], true) = (above, count > 0) {
        bridge(repo, Place([*a, *b]), &mut kept, batch);
    }
    Ok((kept, aside, count))
}

/// Keeps frames within reach though what they stood upon is taken out: each that is not says the same once more, at a
/// generation between.
fn bridge(repo: &Repository, place: Place, leaf: &mut Level, batch: &mut Batch) {
    loop {
        let well_named = leaf.iter().filter(|(_, (mode, _))| mode.is_file());
        let entries: Vec<Entry> = well_named
            .filter_map(|(name, (_, blob))| {
                Some(Entry {
                    name: FrameName::parse(&place.0, name)?,
                    blob: *blob,
                })
            })
            .collect();
        let Some((far, seq)) = first_far(&entries) else {
            return;
        };
        let Ok(mut frame) = read_entry(repo, far) else {
            return;
        };
        frame.seq = seq;
        let bytes = encode(&frame).expect("another number does not pass the limit");
        let blob = Encoded::new(repo.hash_kind(), ObjectKind::Blob, &bytes);
        leaf.insert(
            FrameName {
                seq,
                ..far.name.clone()
            }
            .leaf()
            .into_bytes(),
            (EntryMode::File, blob.id),
        );
        batch.add(blob);
    }
}

fn subtree(level: &Level, name: &[u8]) -> Option<NodeId> {
    level
        .get(name)
        .filter(|(mode, _)| *mode == EntryMode::Directory)
        .map(|(_, id)| *id)
}

fn read_or_empty(repo: &Repository, tree: Option<NodeId>) -> Result<Level, ObjectError> {
    tree.map_or_else(|| Ok(Level::new()), |tree| read_level(repo, &tree))
}

fn read_level(repo: &Repository, tree: &NodeId) -> Result<Level, ObjectError> {
    let mut data = Vec::new();
    repo.read_at_most(tree, ObjectKind::Tree, STORE_TREE_BYTES_MAX, &mut data)?;
    tree_entries(*tree, &data, repo.hash_kind())
        .map(|entry| entry.map(|entry| (entry.name.to_vec(), (entry.mode, entry.id))))
        .collect()
}

pub(super) fn write_level(repo: &Repository, level: &Level, batch: &mut Batch) -> NodeId {
    let entries = level
        .iter()
        .map(|(name, (mode, id))| TreeEntry {
            mode: *mode,
            name,
            id: *id,
        })
        .collect();
    batch.add_tree(repo.hash_kind(), entries)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// Names, whether they are directories, and the first byte of an id.
    fn sides() -> impl Strategy<Value = BTreeMap<String, (bool, u8)>> {
        prop::collection::btree_map("[a-c.]{1,2}", (any::<bool>(), 0..3_u8), 0..8)
    }

    fn entries(side: &BTreeMap<String, (bool, u8)>) -> Vec<TreeEntry<'_>> {
        let mode = |is_directory| {
            if is_directory {
                EntryMode::Directory
            } else {
                EntryMode::File
            }
        };
        let id = |first| NodeId::from_bytes(&[first; 20]).expect("twenty bytes");
        side.iter()
            .map(|(name, (kind, first))| TreeEntry {
                mode: mode(*kind),
                name: name.as_bytes(),
                id: id(*first),
            })
            .collect()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn side_by_side_every_name_is_there_once(one in sides(), other in sides()) {
            let (one, other) = (entries(&one), entries(&other));
            let (united, both) = side_by_side(&one, &other, true);
            let mut expected: BTreeMap<&[u8], (EntryMode, NodeId)> = BTreeMap::new();
            for entry in one.iter().chain(&other) {
                let known = expected.entry(entry.name).or_insert((entry.mode, entry.id));
                *known = (*known).min((entry.mode, entry.id));
            }
            let found: Vec<_> = united.iter().map(|entry| (entry.name, (entry.mode, entry.id))).collect();
            prop_assert_eq!(found, expected.into_iter().collect::<Vec<_>>());
            let is_directory = |side: &[TreeEntry<'_>], name: &[u8]| {
                side.iter().any(|entry| entry.name == name && entry.mode == EntryMode::Directory)
            };
            for (at, entry) in united.iter().enumerate() {
                let is_both = is_directory(&one, entry.name) && is_directory(&other, entry.name);
                prop_assert_eq!(both.iter().any(|(place, ..)| *place == at), is_both);
            }
        }
    }

    #[test]
    fn of_names_in_no_order_the_last_ones_count() {
        let id = |first: u8| NodeId::from_bytes(&[first; 20]).expect("twenty bytes");
        let entry = |name: &'static str, first| TreeEntry {
            mode: EntryMode::File,
            name: name.as_bytes(),
            id: id(first),
        };
        assert_eq!(
            by_name(vec![entry("b", 1), entry("a", 2), entry("b", 3)]),
            [entry("a", 2), entry("b", 3)]
        );
        assert_eq!(by_name(vec![entry("a", 1), entry("a", 2)]), [entry("a", 2)]);
    }
}
