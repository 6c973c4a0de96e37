//! What a store need not hold any longer: what `gc` drops, and what goes because another clone has dropped it for all.
//!
//! Names and trees say most of it. A frame is read where only its header tells who made it: in a slot of more generations than are
//! kept, or of a node that stands in no tip; and histories are walked only for nodes about which a model has spoken.
//!
//! A remote that holds a frame decides on it for all: dropped here alone it would come back with the next fetch, and frees nothing,
//! since the tracking ref holds it. So `gc` leaves it, and `gc --publish` drops it there, with an epoch (`frame::epoch`).

use std::collections::{BTreeSet, HashSet};

use super::outline::is_outline;
use crate::base::NodeId;
use crate::frame::entry::read_entry;
use crate::frame::retain::{Producer, Standing, Why, choose};
use crate::frame::{BasisKind, Entry, Store, StoreError, epoch, listing, orphan, signed};
use crate::git::{ChildError, ObjectError, Reach, Repository};

/// Why nothing can be chosen.
#[derive(Debug, thiserror::Error)]
pub enum RetainError {
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// git could not walk the user's refs.
    #[error(transparent)]
    Git(#[from] ChildError),
    /// What this clone lacks may be what others stand upon.
    #[error("a {0} clone does not know what its frames are about")]
    Incomplete(&'static str),
}

impl From<ObjectError> for RetainError {
    fn from(error: ObjectError) -> Self {
        Self::Store(error.into())
    }
}

/// What stays beside what must.
#[derive(Debug, Clone, Copy)]
pub struct Rules<'a> {
    /// Generations besides the newest.
    pub keep: usize,
    /// Since when a history counts; all of it unless said.
    pub since: Option<&'a str>,
    /// Whether a model's frames go that no remote has.
    pub local: bool,
}

/// Whose store it is.
#[derive(Clone, Copy)]
pub enum StoreLocation<'a> {
    /// This clone's; what these stores of remotes hold stays.
    Here(&'a [Store<'a>]),
    /// A remote's, whose branches and tags stand at these commits.
    There(&'a [NodeId]),
}

/// What goes from a store.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct RetentionPlan {
    /// Paths in the store's tree, of frames and of the signed lists that are about nothing else.
    pub gone: BTreeSet<Vec<u8>>,
    /// How many frames.
    pub frames: usize,
    /// How many outlines and syntheses.
    pub derived: usize,
    /// How many superseded generations.
    pub superseded: usize,
    /// How many frames about what no history reaches.
    pub unreached: usize,
    /// The size of all of them, as they are written.
    pub size_bytes: u64,
    /// How many would go, but were paid for and are nowhere else.
    pub unpushed: usize,
    /// How many would go, but a remote holds them.
    pub held: usize,
}

/// A slot's entries, oldest first, and who made them.
type Slot = Vec<(Entry, Producer)>;

/// Chooses what goes from a store's tree.
pub fn plan(
    repo: &Repository,
    tree: NodeId,
    place: StoreLocation<'_>,
    rules: &Rules<'_>,
) -> Result<RetentionPlan, RetainError> {
    let missing = [
        ("shallow", repo.is_shallow()),
        ("partial", repo.is_partial()),
    ];
    if let Some((kind, _)) = missing.into_iter().find(|(_, is_so)| *is_so) {
        return Err(RetainError::Incomplete(kind));
    }
    let more = if let StoreLocation::There(tips) = place {
        tips
    } else {
        &[]
    };
    let mut nodes = HashSet::new();
    visit_slots(repo, tree, &mut |slot| {
        nodes.insert(slot[0].name.node);
    })?;
    let tips = repo.in_reach(Reach::Tips, more, nodes)?;
    let mut plan = Planner {
        repo,
        place,
        rules,
        plan: RetentionPlan::default(),
    };
    let mut undecided: Vec<Slot> = Vec::new();
    visit_slots(repo, tree, &mut |slot| {
        let is_tip = tips.contains(&slot[0].name.node);
        if is_tip && slot.len() <= rules.keep + 1 {
            return;
        }
        let with_origin = |entry: &Entry| (entry.clone(), origin(repo, entry, is_tip));
        let slot: Slot = slot.iter().map(with_origin).collect();
        match is_tip {
            true => plan.decide(&slot, Standing::Tip),
            false if slot.iter().all(|(_, origin)| *origin != Producer::Model) => {
                plan.decide(&slot, Standing::History);
            }
            false => undecided.push(slot),
        }
    })?;
    let nodes = undecided.iter().map(|slot| slot[0].0.name.node).collect();
    let reach = rules.since.map_or(Reach::History, Reach::Since);
    let reached = repo.in_reach(reach, more, nodes)?;
    for slot in undecided {
        let standing = if reached.contains(&slot[0].0.name.node) {
            Standing::History
        } else {
            Standing::Nowhere
        };
        plan.decide(&slot, standing);
    }
    let mut plan = plan.plan;
    plan.frames = plan.gone.len();
    let mut orphans = orphan::orphans(repo, tree, &plan.gone)?;
    if let StoreLocation::Here(remotes) = place {
        for remote in remotes {
            for held in signed::list(repo, remote.tree())? {
                orphans.remove(held.path().as_bytes());
            }
        }
    }
    plan.gone.extend(orphans);
    Ok(plan)
}

fn visit_slots(
    repo: &Repository,
    tree: NodeId,
    visit: &mut dyn FnMut(&[Entry]),
) -> Result<(), StoreError> {
    listing::visit_added(repo, None, Some(tree), &mut |listed| {
        listed
            .entries
            .chunk_by(|one, next| one.name.is_of_slot_of(&next.name))
            .for_each(&mut *visit);
        Ok(())
    })
}

/// Who made a frame. The frame is not read in a slot of outlines outside the tip: only derived frames stand there.
fn origin(repo: &Repository, entry: &Entry, is_tip: bool) -> Producer {
    if !is_tip && is_outline(&entry.name) {
        return Producer::Derived;
    }
    match read_entry(repo, entry) {
        Ok(frame) if frame.is_derived() => Producer::Derived,
        Ok(frame)
            if matches!(
                frame.basis_kind,
                BasisKind::Generated | BasisKind::Synthesis
            ) =>
        {
            Producer::Model
        }
        // What this program cannot read it does not judge.
        _ => Producer::Person,
    }
}

struct Planner<'a> {
    repo: &'a Repository,
    place: StoreLocation<'a>,
    rules: &'a Rules<'a>,
    plan: RetentionPlan,
}

impl Planner<'_> {
    fn decide(&mut self, slot: &Slot, standing: Standing) {
        let generations: Vec<(u32, Producer)> = slot
            .iter()
            .map(|(entry, origin)| (entry.name.seq, *origin))
            .collect();
        let (mut held, mut unpushed) = (0, 0);
        let goes = choose(&generations, standing, self.rules.keep, &mut |at, _| {
            let StoreLocation::Here(remotes) = self.place else {
                return false;
            };
            let is_held = holds(remotes, &slot[at].0);
            let is_unpushed = !is_held && slot[at].1 == Producer::Model && !self.rules.local;
            (held, unpushed) = (
                held + usize::from(is_held),
                unpushed + usize::from(is_unpushed),
            );
            is_held || is_unpushed
        });
        for ((entry, _), why) in slot.iter().zip(goes) {
            let Some(why) = why else { continue };
            self.plan.size_bytes += self
                .repo
                .header(&entry.blob)
                .ok()
                .flatten()
                .map_or(0, |header| header.size_bytes);
            self.plan.gone.insert(entry.name.path().into_bytes());
            *match why {
                Why::Derived => &mut self.plan.derived,
                Why::Superseded => &mut self.plan.superseded,
                Why::Unreached => &mut self.plan.unreached,
            } += 1;
        }
        (self.plan.held, self.plan.unpushed) =
            (self.plan.held + held, self.plan.unpushed + unpushed);
    }
}

/// True when one of some stores has an entry of this name; one that cannot be read may have it.
fn holds(stores: &[Store<'_>], entry: &Entry) -> bool {
    stores.iter().any(|store| {
        store
            .entries(&entry.name.node)
            .map_or(true, |known| known.iter().any(|one| one.name == entry.name))
    })
}

/// What a store drops because a remote, last known at `before`, has dropped it on purpose.
///
/// Every user who can push can drop. So people's statements stay, and so does the newest frame of each slot in a tip of this clone.
pub fn dropped_there(
    repo: &Repository,
    ours: &Store<'_>,
    before: Option<NodeId>,
    theirs: &Store<'_>,
) -> Result<BTreeSet<Vec<u8>>, RetainError> {
    let (Some(before), Some(now)) = (before, theirs.commit()) else {
        return Ok(BTreeSet::new());
    };
    if before == now || !epoch::has_dropped(repo, &before, &now)? {
        return Ok(BTreeSet::new());
    }
    let mut dropped = Vec::new();
    listing::visit_added(
        repo,
        theirs.tree(),
        Some(repo.tree_of_commit(&before)?),
        &mut |listed| {
            dropped.extend(
                listed
                    .entries
                    .into_iter()
                    .filter(|entry| !is_in(theirs, entry) && is_in(ours, entry)),
            );
            Ok(())
        },
    )?;
    let tips = repo.in_reach(
        Reach::Tips,
        &[],
        dropped.iter().map(|entry| entry.name.node).collect(),
    )?;
    let mut gone = BTreeSet::new();
    for entry in dropped {
        let is_tip = tips.contains(&entry.name.node);
        if origin(repo, &entry, is_tip) != Producer::Person
            && !is_needed(repo, [ours, theirs], &entry, is_tip)?
        {
            gone.insert(entry.name.path().into_bytes());
        }
    }
    if let Some(tree) = ours.tree().filter(|_| !gone.is_empty()) {
        gone.extend(orphan::orphans(repo, tree, &gone)?);
    }
    Ok(gone)
}

fn is_in(store: &Store<'_>, entry: &Entry) -> bool {
    holds(std::slice::from_ref(store), entry)
}

/// True for the newest that was made of a slot, in any of two stores, about a tip or beside what a person said.
fn is_needed(
    repo: &Repository,
    stores: [&Store<'_>; 2],
    entry: &Entry,
    is_tip: bool,
) -> Result<bool, StoreError> {
    let (mut has_person, mut newest) = (false, true);
    for store in stores {
        for other in store
            .entries(&entry.name.node)?
            .iter()
            .filter(|other| other.name.is_of_slot_of(&entry.name))
        {
            let is_newer = (other.name.seq, other.name.frame) > (entry.name.seq, entry.name.frame);
            match origin(repo, other, is_tip) {
                Producer::Person => has_person = true,
                _ => newest &= !is_newer,
            }
        }
    }
    Ok(newest && (is_tip || has_person))
}
