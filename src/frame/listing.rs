//! What stands in the store's tree, found in bounded work, whatever was pushed there.
//!
//! The grammar of the store is fixed: directories named by two hex digits, then frames. So nothing is
//! entered deeper than that; anything else is one bad entry. A directory that stands in several places is followed in few of
//! them, however many they are: the names of frames say their node but for the two digits of the directory, so it can
//! be right only where its own frames say that they belong.

use std::cmp::Reverse;
use std::collections::{BTreeMap, HashSet};
use std::sync::Arc;

use super::codec::decode;
use super::directory::{Place, keep_tree, note, read_tree, two_digits};
use super::entry::{self, Entry, ManifestEntry, StoreError};
use super::fault::{BadEntry, Fault};
use super::name::{FrameName, SEQ_MAX};
use super::signed;
use crate::base::cores::on_all_cores;
use crate::base::limit::{FRAME_READ_BYTES_MAX, SEQ_GAP_MAX};
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectKind, Repository, TreeEntry, tree_entries};

/// Frames that are read, in all, to find out where directories that stand in several places belong.
const HOME_READS_MAX: usize = 2_000;
/// Directories are listed together until they are larger than this: their entries take several times as much in memory.
const BYTES_AT_ONCE: u64 = 4 << 20;
/// The most places in which one and the same directory is followed.
const HOMES_MAX: usize = 16;

/// A directory of frames that differs between two trees of the store.
#[derive(Debug, Clone, Copy)]
pub(super) struct Leaf {
    pub place: Place,
    pub old: Option<NodeId>,
    pub new: Option<NodeId>,
}

/// The directories that differ between two trees, and what else came that is no directory of frames.
#[derive(Debug, Default)]
pub(super) struct Changes {
    pub leaves: Vec<Leaf>,
    pub bad: Vec<BadEntry>,
    /// The folders with manifests, before and after.
    pub signed: [Option<NodeId>; 2],
    /// Directories that were read to find this out.
    pub directories: u64,
}

/// What a directory of frames holds, or what a store has gained.
#[derive(Debug, Default)]
pub struct Listed {
    /// Well named, and of a generation that counts; by name.
    pub entries: Vec<Entry>,
    /// Everything else.
    pub bad: Vec<BadEntry>,
    /// Well named manifests.
    pub manifests: Vec<ManifestEntry>,
}

impl Listed {
    /// Takes out what another directory holds as well.
    fn without(&mut self, before: &Self) {
        let entries: HashSet<&Entry> = before.entries.iter().collect();
        self.entries.retain(|entry| !entries.contains(entry));
        let bad: HashSet<&TreePath> = before.bad.iter().map(|bad| &bad.path).collect();
        self.bad.retain(|entry| !bad.contains(&entry.path));
    }
}

/// Visits what stands in one store's tree and not in another's, a directory at a time; equal ones are not read.
///
/// Of bad entries at most [`STORE_FAULTS_MAX`](crate::base::limit::STORE_FAULTS_MAX) and one more are visited at a time.
pub fn visit_added(
    repo: &Repository,
    old: Option<NodeId>,
    new: Option<NodeId>,
    visit: &mut dyn FnMut(Listed) -> Result<(), StoreError>,
) -> Result<(), StoreError> {
    let mut changes = changes(repo, old, new)?;
    let manifests = signed::added(repo, changes.signed, &mut changes.bad)?;
    visit(Listed {
        entries: Vec::new(),
        bad: changes.bad,
        manifests,
    })?;
    let mut leaves = changes.leaves.as_slice();
    while !leaves.is_empty() {
        let mut bytes = 0;
        let fit = leaves.iter().take_while(|leaf| {
            let before = bytes;
            bytes += size_bytes(repo, leaf);
            before < BYTES_AT_ONCE
        });
        let (some, rest) = leaves.split_at(fit.count());
        let added = |repo: &Repository, at: usize| added_in(repo, &some[at]);
        for listed in on_all_cores(some.len(), repo, || repo.fork(), added) {
            visit(listed?)?;
        }
        leaves = rest;
    }
    Ok(())
}

/// How much is read to list a directory; what cannot be read is told by the listing.
fn size_bytes(repo: &Repository, leaf: &Leaf) -> u64 {
    let both = leaf.old.iter().chain(&leaf.new);
    both.filter_map(|tree| repo.header(tree).ok().flatten())
        .map(|header| header.size_bytes)
        .sum()
}

/// What a directory has gained.
fn added_in(repo: &Repository, leaf: &Leaf) -> Result<Listed, StoreError> {
    let Some(new) = leaf.new else {
        return Ok(Listed::default());
    };
    let mut listed = list(repo, leaf.place, &new, None)?;
    if let Some(old) = leaf.old {
        listed.without(&list(repo, leaf.place, &old, None)?);
    }
    Ok(listed)
}

/// Finds the directories of frames that differ; equal subtrees are not read.
pub(super) fn changes(
    repo: &Repository,
    old: Option<NodeId>,
    new: Option<NodeId>,
) -> Result<Changes, StoreError> {
    let mut changes = Changes::default();
    if old == new {
        return Ok(changes);
    }
    let mut sides: BTreeMap<Place, [Option<NodeId>; 2]> = BTreeMap::new();
    let mut data = Vec::new();
    for (side, tree) in [old, new].into_iter().enumerate() {
        let Some(tree) = tree else { continue };
        let is_new = side == 1;
        if let Err(fault) = read_tree(repo, &tree, &mut data)? {
            if is_new {
                note(&mut changes.bad, TreePath::root, fault);
            }
            continue;
        }
        changes.directories += u64::from(is_new);
        for entry in tree_entries(tree, &data, repo.hash_kind()) {
            let entry = entry.map_err(StoreError::from)?;
            let is_directory = entry.mode == EntryMode::Directory;
            match two_digits(entry.name) {
                Some(digits) if is_directory => {
                    sides.entry(Place(digits)).or_default()[side] = Some(entry.id);
                }
                None if is_directory && entry.name == entry::FOLDER.as_bytes() => {
                    changes.signed[side] = Some(entry.id);
                }
                _ if is_new => note(&mut changes.bad, || TreePath::new(entry.name), Fault::Name),
                _ => {}
            }
        }
    }
    let leaves = sides.into_iter().filter(|(_, [old, new])| old != new);
    changes.leaves = leaves
        .map(|(place, [old, new])| Leaf { place, old, new })
        .collect();
    drop_shared(repo, &mut changes);
    Ok(changes)
}

/// Takes out the directories that stand in several places, but where they belong.
fn drop_shared(repo: &Repository, changes: &mut Changes) {
    let mut count: BTreeMap<NodeId, u32> = BTreeMap::new();
    for tree in changes.leaves.iter().filter_map(|leaf| leaf.new) {
        *count.entry(tree).or_default() += 1;
    }
    count.retain(|_, count| *count > 1);
    if count.is_empty() {
        return;
    }
    let mut reads = HOME_READS_MAX;
    let homes: BTreeMap<NodeId, Vec<Place>> = count
        .keys()
        .map(|tree| (*tree, homes(repo, tree, &mut reads)))
        .collect();
    let bad = &mut changes.bad;
    changes.leaves.retain_mut(|leaf| {
        let Some(found) = leaf.new.and_then(|tree| homes.get(&tree)) else {
            return true;
        };
        if found.contains(&leaf.place) {
            return true;
        }
        note(bad, || leaf.place.path(None), Fault::Shared);
        // What stood here before is gone all the same.
        leaf.new = None;
        leaf.old.is_some()
    });
}

/// Where a directory belongs, as those of its frames say that can be read; nowhere where none can.
///
/// One frame does not decide: an attacker who wants to hide a directory adds frames of another place to it, and puts it there as
/// well. So all places that are named count, the most often named first.
fn homes(repo: &Repository, tree: &NodeId, reads: &mut usize) -> Vec<Place> {
    let (mut data, mut frame) = (Vec::new(), Vec::new());
    let mut named: BTreeMap<Place, usize> = BTreeMap::new();
    let Ok(Ok(())) = read_tree(repo, tree, &mut data) else {
        return Vec::new();
    };
    for entry in tree_entries(*tree, &data, repo.hash_kind()).flatten() {
        let Some(left) = reads.checked_sub(1) else {
            break;
        };
        *reads = left;
        let found = repo.read_at_most(
            &entry.id,
            ObjectKind::Blob,
            FRAME_READ_BYTES_MAX,
            &mut frame,
        );
        if let Some(frame) = found.ok().and_then(|()| decode(&frame).ok()) {
            *named.entry(Place::of(&frame.node)).or_default() += 1;
        }
    }
    let mut homes: Vec<Place> = named.keys().copied().collect();
    homes.sort_by_key(|place| Reverse(named[place]));
    homes.truncate(HOMES_MAX);
    homes
}

/// Lists a directory of frames; with a node, only what is named as about it.
pub(super) fn list(
    repo: &Repository,
    place: Place,
    tree: &NodeId,
    node: Option<&NodeId>,
) -> Result<Listed, StoreError> {
    let mut listed = Listed::default();
    // Who looks for one node looks for others; all of a store are listed once.
    let data = if node.is_some() {
        keep_tree(repo, tree)?
    } else {
        let mut data = Vec::new();
        read_tree(repo, tree, &mut data)?.map(|()| Arc::new(data))
    };
    let data = match data {
        Ok(data) => data,
        Err(fault) => {
            listed.bad.push(BadEntry {
                path: place.path(None),
                fault,
            });
            return Ok(listed);
        }
    };
    let prefix = node.map(super::name::node_prefix).unwrap_or_default();
    let mut entries: Vec<TreeEntry<'_>> =
        tree_entries(*tree, &data, repo.hash_kind()).collect::<Result<_, _>>()?;
    entries.retain(|entry| entry.name.starts_with(prefix.as_bytes()));
    // Trees of the store are in order; what was pushed need not be.
    if !entries.is_sorted_by_key(|entry| entry.name) {
        entries.sort_by_key(|entry| entry.name);
    }
    for entry in entries {
        let fault = match (FrameName::parse(&place.0, entry.name), entry.mode) {
            (Some(name), EntryMode::File | EntryMode::Executable) => {
                listed.entries.push(Entry {
                    name,
                    blob: entry.id,
                });
                continue;
            }
            (Some(_), mode) => Fault::Mode(mode),
            (None, _) => Fault::Name,
        };
        note(&mut listed.bad, || place.path(Some(entry.name)), fault);
    }
    drop_far(&mut listed);
    Ok(listed)
}

/// Takes out the generations that do not count.
fn drop_far(listed: &mut Listed) {
    let mut kept: Vec<Entry> = Vec::with_capacity(listed.entries.len());
    for entry in std::mem::take(&mut listed.entries) {
        let below = kept
            .last()
            .filter(|last| last.name.is_of_slot_of(&entry.name))
            .map_or(0, |last| last.name.seq);
        if entry.name.seq <= reach(below) {
            kept.push(entry);
        } else {
            note(
                &mut listed.bad,
                || TreePath::new(entry.name.path()),
                Fault::Generation(entry.name.seq),
            );
        }
    }
    listed.entries = kept;
}

/// The first entry that does not count, and the highest generation below it that would.
pub(super) fn first_far(entries: &[Entry]) -> Option<(&Entry, u32)> {
    let mut last: Option<&Entry> = None;
    for entry in entries {
        let below = last
            .filter(|last| last.name.is_of_slot_of(&entry.name))
            .map_or(0, |last| last.name.seq);
        if entry.name.seq > reach(below) {
            return Some((entry, reach(below)));
        }
        last = Some(entry);
    }
    None
}

/// The highest generation that counts above another one.
fn reach(below: u32) -> u32 {
    below.saturating_add(SEQ_GAP_MAX)
}

/// The highest generation that counts, of ascending ones above one that counts.
fn newest(from: u32, above: &[u32]) -> u32 {
    let next = |newest: u32, seq: &u32| {
        if *seq <= reach(newest) {
            Ok(*seq)
        } else {
            Err(newest)
        }
    };
    above
        .iter()
        .try_fold(from, next)
        .unwrap_or_else(|newest| newest)
}

/// The generations under which a frame is stored so that it is the newest of its slot that counts; `present` are the
/// slot's, ascending. `None` when there is no number left.
///
/// Usually that is one number. But a new generation may bring one within reach that did not count before; then the
/// frame is stored once more, above that one.
pub(super) fn next_seqs(present: &[u32]) -> Option<Vec<u32>> {
    let mut seqs = Vec::with_capacity(1);
    let mut highest = newest(0, present);
    loop {
        let seq = highest.checked_add(1).filter(|seq| *seq <= SEQ_MAX)?;
        seqs.push(seq);
        highest = newest(
            seq,
            &present[present.partition_point(|known| *known <= seq)..],
        );
        if highest == seq {
            return Some(seqs);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_new_frame_is_above_all_that_count_once_it_is_there() {
        let far = SEQ_GAP_MAX;
        for (present, next) in [
            (&[][..], &[1][..]),
            (&[1, 2, 3], &[4]),
            (&[3, 3], &[4]),
            (&[SEQ_MAX], &[1]),
            (&[far], &[far + 1]),
            (&[1, far + 1], &[far + 2]),
            // Out of reach now, and within reach of the new one.
            (&[far + 1], &[1, far + 2]),
            (&[1, far + 2], &[2, far + 3]),
            (&[1, far + 2, 2 * far + 3], &[2, far + 3, 2 * far + 4]),
            (&[1, far + 3], &[2]),
            (&[7, 8, SEQ_MAX - 1, SEQ_MAX], &[9]),
        ] {
            assert_eq!(next_seqs(present).as_deref(), Some(next), "{present:?}");
            let mut all = [present, next].concat();
            all.sort_unstable();
            assert_eq!(
                newest(0, &all),
                next[next.len() - 1],
                "it is the newest that counts"
            );
        }
        let steps: Vec<u32> = (1..=SEQ_MAX / far)
            .map(|step| step * far)
            .chain([SEQ_MAX])
            .collect();
        assert_eq!(next_seqs(&steps), None, "no number is left");
    }
}
