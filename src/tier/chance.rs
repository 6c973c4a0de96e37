//! How likely items are to change before the next request, alone and together, in whole numbers.
//!
//! The past is a sample of what comes: every commit and every request of the session is an event that hit some files.
//! The chance that a block breaks is the weight of the events that hit anything in it. Files that change together are
//! counted once by that, which multiplying the chances of the files would not do. What was never hit gets the share
//! of events that were the first to hit a file (Good and Turing's estimate), spread by how busy the directory is.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Item, Key};
use super::state::State;
use crate::base::TreePath;

/// Certainty.
pub(super) const ONE: u64 = 1 << 32;
/// The weight of the newest event.
const WEIGHT: u64 = 1 << 20;
/// Older events weigh as much as this one.
const AGE_MAX: u32 = 1_000;
/// Most requests of the session that count.
const REQUESTS_MAX: u32 = 64;
/// How likely a conversation is to be cleared or shortened.
const CONVERSATION_ENDS: u64 = ONE / 64;

/// Past events, and which items they hit.
pub(super) struct Outlook {
    weights: Vec<u64>,
    total: u64,
    /// By item, in the order in which they were given: its events.
    hits: Vec<Vec<u32>>,
    /// By item: its chance beside the events.
    rest: Vec<u64>,
}

impl Outlook {
    /// What the past lets expect. `edits` are those of the session, this request's included.
    pub(super) fn of_past(items: &[&Item], commits: u32, state: &State, edited: &BTreeSet<TreePath>) -> Self {
        let requests = state.requests.min(REQUESTS_MAX);
        let weights: Vec<u64> = (0..commits).chain(0..requests).map(weight).collect();
        let mut outlook = Self { total: weights.iter().sum(), weights, hits: Vec::new(), rest: Vec::new() };
        for item in items {
            let mut hits: Vec<u32> = item.touches.commits_ago.iter().copied().filter(|ago| *ago < commits).collect();
            if let Some(path) = item.key.path() {
                let now = edited.contains(path).then_some(state.requests);
                let edits = state.edits.get(path).into_iter().flatten().copied().chain(now);
                let ago = edits.map(|request| state.requests - request).filter(|ago| *ago < requests);
                hits.extend(ago.map(|ago| commits + ago));
            }
            hits.sort_unstable();
            hits.dedup();
            outlook.hits.push(hits);
        }
        outlook.add_dirty(items);
        outlook.rest = outlook.unseen(items, commits, state);
        outlook
    }

    /// Files that differ from the commit are being worked on: as likely as not, they are hit next, all together.
    fn add_dirty(&mut self, items: &[&Item]) {
        let event = self.weights.len() as u32;
        let mut any = false;
        for (hits, item) in self.hits.iter_mut().zip(items).filter(|(_, item)| item.touches.dirty) {
            hits.push(event);
            any |= item.touches.dirty;
        }
        if any {
            let weight = self.total.max(WEIGHT);
            self.weights.push(weight);
            self.total += weight;
        }
    }

    /// The chances beside the events, by item.
    fn unseen(&self, items: &[&Item], commits: u32, state: &State) -> Vec<u64> {
        let novelty = self.novelty(items, commits);
        let mut busy: BTreeMap<Option<TreePath>, u64> = BTreeMap::new();
        for (item, hits) in items.iter().zip(&self.hits) {
            let weight: u64 = hits.iter().map(|event| self.weights[*event as usize]).sum();
            *busy.entry(item.key.path().and_then(TreePath::parent)).or_default() += weight;
        }
        let share_of = |item: &Item| 1 + busy[&item.key.path().and_then(TreePath::parent)] / WEIGHT;
        let unseen = items.iter().zip(&self.hits).filter(|(item, hits)| hits.is_empty() && item.key.path().is_some());
        let shares = unseen.map(|(item, _)| share_of(item)).sum::<u64>().max(1);
        // The conversation ends as a whole, so its first message, which stands before the others, counts for all.
        let first_message = items.iter().map(|item| &item.key).filter(|key| key.is_message()).min();
        let rest = |(item, hits): (&&Item, &Vec<u32>)| match &item.key {
            Key::Message(_) if Some(&item.key) == first_message => CONVERSATION_ENDS,
            Key::Message(_) | Key::Url(_) => 0,
            Key::File(_) | Key::Symbols(_) => {
                let unseen = if hits.is_empty() { novelty * share_of(item) / shares } else { 0 };
                of_full_text(item, state).filter(|_| matches!(item.key, Key::File(_))).unwrap_or(unseen)
            }
        };
        items.iter().zip(&self.hits).map(rest).collect()
    }

    /// How often a commit hit a file that none of the older ones had hit.
    fn novelty(&self, items: &[&Item], commits: u32) -> u64 {
        let oldest = |(item, hits): (&&Item, &Vec<u32>)| {
            hits.iter().copied().filter(|event| *event < commits && !item.touches.created).max()
        };
        let first: BTreeSet<u32> = items.iter().zip(&self.hits).filter_map(oldest).collect();
        let weight: u64 = first.iter().map(|event| self.weights[*event as usize]).sum();
        ONE / (self.total + WEIGHT) * (weight + WEIGHT / 2)
    }

    /// The chance of one item.
    pub(super) fn chance(&self, item: usize) -> u64 {
        let hit: u64 = self.hits[item].iter().map(|event| self.weights[*event as usize]).sum();
        self.either(hit, ONE - self.rest[item])
    }

    /// Nothing yet; items are added one by one.
    pub(super) fn prefix(&self) -> Prefix<'_> {
        Prefix { outlook: self, is_hit: vec![false; self.weights.len()], hit: 0, spared: ONE }
    }

    /// The chance that one of the events comes that weigh so much, or what is spared with a chance.
    fn either(&self, hit: u64, spared: u64) -> u64 {
        let hit = (u128::from(hit) * u128::from(ONE) / u128::from(self.total.max(1))) as u64;
        ONE - times(ONE - hit.min(ONE), spared)
    }
}

/// Falls with the power 3/4 of the age, as chances to be used again do: neither the newest nor the oldest decide alone.
fn weight(ago: u32) -> u64 {
    let age = u64::from(ago.min(AGE_MAX)) + 1;
    // The fourth root of age³ × 2³² is age^¾ × 2⁸.
    (WEIGHT << 8) / (age.pow(3) << 32).isqrt().isqrt()
}

/// A full text that came in the middle of a session is being worked on: the chance is one of the requests since, and two.
fn of_full_text(item: &Item, state: &State) -> Option<u64> {
    let tracked = state.items.get(&item.key).filter(|tracked| tracked.content == item.content);
    let since = tracked.map_or(state.requests, |tracked| tracked.since);
    (since > 0).then(|| ONE / (u64::from(state.requests.saturating_sub(since)) + 2))
}

/// The chance that any of the items so far changes.
#[derive(Clone)]
pub(super) struct Prefix<'a> {
    outlook: &'a Outlook,
    is_hit: Vec<bool>,
    hit: u64,
    /// The chance that nothing beside the events happens.
    spared: u64,
}

impl Prefix<'_> {
    pub(super) fn add(&mut self, item: usize) {
        for event in &self.outlook.hits[item] {
            let is_hit = &mut self.is_hit[*event as usize];
            if !*is_hit {
                *is_hit = true;
                self.hit += self.outlook.weights[*event as usize];
            }
        }
        self.spared = times(self.spared, ONE - self.outlook.rest[item]);
    }

    pub(super) fn chance(&self) -> u64 {
        self.outlook.either(self.hit, self.spared)
    }
}

/// The product of two chances.
fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) / u128::from(ONE)) as u64
}
