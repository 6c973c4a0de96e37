//! Which entries of a remote's store count: each that this store lacks is checked, and a bad one is left out by name.
//!
//! The remote's tree is hostile until it is checked. `frame::listing` reads it in bounded work, a directory at a time;
//! here each frame is read, by its size first, and compared with its name. A blob is read once however many names it
//! has, because it is right under one of them only.

use std::collections::{HashMap, HashSet};

use self::sample::{Found, KeptFrames};
use super::error::SyncError;
use super::left_out::LeftOut;
use super::outline::is_outline;
use super::remote::Share;
use super::signature::{Signature, Signatures};
use crate::base::cores::on_all_cores;
use crate::base::{Digest, NodeId, TreePath, printable};
use crate::frame::entry::read_blob;
use crate::frame::manifest::{StatementKey, digest_of};
use crate::frame::merge::Gift;
use crate::frame::{
    CodecError, Entry, Fault, Frame, FrameName, ManifestEntry, Store, StoreError, listing,
};
use crate::git::{Repository, SshError, StateDir};

mod sample;

/// `merkle.acceptFrames`: whose statements count of those that come from a remote.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum AcceptFrames {
    /// Everyone's: the user has configured the remote.
    #[default]
    All,
    /// Those that an allowed signer has signed.
    Signed,
    /// None: what this clone has made it has.
    Own,
}

impl AcceptFrames {
    /// Reads the setting.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "all" => Some(Self::All),
            "signed" => Some(Self::Signed),
            "self" => Some(Self::Own),
            _ => None,
        }
    }
}

/// What counts of a delivery by the user's setting.
#[derive(Debug, Default)]
pub struct AcceptedFrames {
    /// What may be united.
    pub gift: Gift,
    /// What the setting keeps out, the first [`NAMED_MAX`] of them, and why.
    pub refused: Vec<LeftOut>,
    /// How many frames it keeps out.
    pub refused_count: usize,
}

/// Judges what came of a remote's store; `theirs` is that store, whose signed lists are looked at.
pub fn judge(
    repo: &Repository,
    state: &StateDir,
    accept: AcceptFrames,
    theirs: &Store<'_>,
    delivery: Delivery,
) -> Result<AcceptedFrames, SyncError> {
    let ours = Store::open(repo)?;
    let Delivery {
        accepted,
        manifests,
        outlines,
        ..
    } = delivery;
    // Where derived frames are not shared none is among them.
    let Found {
        entries,
        mut refused,
    } = sample::look(repo, state, [&ours, theirs], accepted, outlines)?;
    let gift = Gift {
        entries,
        manifests,
        is_whole: false,
    };
    let mut judged = AcceptedFrames {
        refused_count: refused.len(),
        ..AcceptedFrames::default()
    };
    refused.truncate(NAMED_MAX);
    judged.refused = refused;
    let mut refuse = |entry: &Entry, reason: String| {
        judged.refused_count += 1;
        if judged.refused.len() < NAMED_MAX {
            judged.refused.push(LeftOut {
                path: TreePath::new(entry.name.path()),
                reason,
            });
        }
    };
    match accept {
        AcceptFrames::All => judged.gift = gift,
        AcceptFrames::Own => gift
            .entries
            .iter()
            .for_each(|entry| refuse(entry, "another clone made it".to_owned())),
        AcceptFrames::Signed => {
            let signatures = Signatures::of(repo, state)?.ok_or(SshError::NoSigners)?;
            let claims: Vec<_> = gift
                .entries
                .iter()
                .map(|entry| claim(repo, entry))
                .collect();
            let found = signatures.judge(&[theirs.tree()], &claims)?;
            for (entry, signature) in gift.entries.into_iter().zip(found) {
                match signature {
                    Signature::Good(_) => judged.gift.entries.push(entry),
                    other => refuse(&entry, other.to_string()),
                }
            }
            judged.gift.manifests = signatures.good(&gift.manifests)?;
        }
    }
    Ok(judged)
}

/// What a signed list must name for an entry to count; no list has the digest of one that cannot be read.
fn claim(repo: &Repository, entry: &Entry) -> (StatementKey, Digest) {
    let key = StatementKey {
        frame: entry.name.frame,
        seq: entry.name.seq,
    };
    let frame = read_blob(repo, &entry.blob).ok();
    let digest = frame.and_then(|frame| digest_of(&frame));
    (key, digest.unwrap_or(Digest([0; 32])))
}

/// Entries that are read at once.
const ENTRIES_AT_ONCE: usize = 32_768;

/// Most entries whose names are kept when they are left out; the rest is counted.
pub const NAMED_MAX: usize = 100;

/// What a remote has that this store lacks.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Entries that may be united, in step with what is kept of them: none is taken out before they are judged.
    pub accepted: Vec<Entry>,
    /// Signed lists of statements that may be united.
    pub manifests: Vec<ManifestEntry>,
    /// Entries that are derived, and are made here when they are needed.
    pub derived: usize,
    /// Entries that do not count, the first [`NAMED_MAX`] of them.
    pub left_out: Vec<LeftOut>,
    /// How many do not count.
    pub left_out_count: usize,
    /// What the accepted ones say, as it was read: of outlines, as far as there is room.
    outlines: KeptFrames,
    /// What was wrong with blobs that do not count: the name under which each would, if any.
    misplaced: HashMap<NodeId, Option<FrameName>>,
}

/// Checks what stands in `theirs` and not in `ours`, both trees of stores.
///
/// Errors are those of this clone's own objects: whatever the remote sent is left out instead.
pub fn check(
    repo: &Repository,
    ours: Option<NodeId>,
    theirs: Option<NodeId>,
    share: Share,
) -> Result<Delivery, StoreError> {
    let mut delivery = Delivery::default();
    let mut waiting = Vec::new();
    listing::visit_added(repo, ours, theirs, &mut |added| {
        for bad in added.bad {
            delivery.leave_out(bad.path, &bad.fault);
        }
        for entry in added.manifests {
            match entry.read(repo) {
                Ok(_) => delivery.manifests.push(entry),
                Err(fault) => delivery.leave_out(TreePath::new(entry.path()), &fault),
            }
        }
        waiting.extend(added.entries);
        if waiting.len() >= ENTRIES_AT_ONCE {
            delivery.look_at(repo, std::mem::take(&mut waiting), share);
        }
        Ok(())
    })?;
    delivery.look_at(repo, waiting, share);
    Ok(delivery)
}

/// What an entry is.
enum EntryState {
    /// With an outline as it was read, where there is room for it.
    Good(Option<Box<Frame>>),
    /// It can be made here.
    Derived,
    /// A good frame that belongs under another name.
    Misplaced(Box<FrameName>),
    Bad(Box<Fault>),
}

fn read(repo: &Repository, entry: &Entry, share: Share, kept: &KeptFrames) -> EntryState {
    if share == Share::Statements && is_outline(&entry.name) {
        return EntryState::Derived;
    }
    match read_blob(repo, &entry.blob) {
        Err(fault) => EntryState::Bad(Box::new(fault)),
        Ok(frame) if !entry.name.is_of(&frame) => {
            EntryState::Misplaced(Box::new(FrameName::of(&frame)))
        }
        Ok(frame) if share == Share::Statements && frame.is_derived() => EntryState::Derived,
        Ok(frame) if is_outline(&entry.name) => EntryState::Good(kept.admit(frame)),
        Ok(_) => EntryState::Good(None),
    }
}

impl Delivery {
    /// True when everything counts: the union of both stores is what is wanted.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.derived == 0 && self.left_out_count == 0
    }

    /// Reads entries on all cores. A blob that stands under several names is read once, unless it is right under one of them.
    fn look_at(&mut self, repo: &Repository, entries: Vec<Entry>, share: Share) {
        let mut seen = HashSet::with_capacity(entries.len());
        let is_first =
            |entry: &Entry| !self.misplaced.contains_key(&entry.blob) && seen.insert(entry.blob);
        let is_first: Vec<bool> = entries.iter().map(is_first).collect();
        let kept = &self.outlines;
        let found = on_all_cores(
            entries.len(),
            repo,
            || repo.fork(),
            |repo: &Repository, at: usize| {
                is_first[at].then(|| read(repo, &entries[at], share, kept))
            },
        );
        let mut again = Vec::new();
        for (entry, found) in entries.into_iter().zip(found) {
            match found {
                Some(found) => self.note(entry, found),
                None => again.push(entry),
            }
        }
        for entry in again {
            let found = match self.misplaced.get(&entry.blob) {
                Some(right) if right.as_ref() != Some(&entry.name) => {
                    EntryState::Bad(Box::new(CodecError::Name.into()))
                }
                _ => read(repo, &entry, share, &self.outlines),
            };
            self.note(entry, found);
        }
    }

    fn note(&mut self, entry: Entry, found: EntryState) {
        let fault = match found {
            EntryState::Good(outline) => {
                self.outlines.push(outline);
                return self.accepted.push(entry);
            }
            EntryState::Derived => {
                self.derived += 1;
                return;
            }
            EntryState::Misplaced(right) => {
                self.misplaced.insert(entry.blob, Some(*right));
                CodecError::Name.into()
            }
            EntryState::Bad(fault) => {
                self.misplaced.entry(entry.blob).or_insert(None);
                *fault
            }
        };
        self.leave_out(TreePath::new(entry.name.path()), &fault);
    }

    fn leave_out(&mut self, path: TreePath, fault: &Fault) {
        self.left_out_count += 1;
        if self.left_out.len() < NAMED_MAX {
            self.left_out.push(LeftOut {
                path,
                reason: printable::chain(fault),
            });
        }
    }
}
