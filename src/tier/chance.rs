//! How likely items are to change before the next request, alone and together, in whole numbers.
//!
//! The past is a sample of what comes: every commit and every request of the session is an event that hit some files.
//! The chance that a block breaks is the weight of the events that hit anything in it. Files that change together are
//! counted once by that, which multiplying the chances of the files would not do. Beside that, each request hits
//! half a file that the sample does not foresee, any of them alike: a set of files that no event hit was often chosen for
//! just that, and breaks more often than the sample says.

use std::collections::BTreeSet;

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
/// Files that a request hits and nothing foretold.
const UNFORESEEN: u64 = ONE / 2;
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
        outlook.rest = beside(items, state, UNFORESEEN);
        outlook
    }

    /// What a sample lets expect, each event as likely as any other.
    pub(super) fn of_sample(items: &[&Item], events: &[BTreeSet<TreePath>], state: &State) -> Self {
        let hits_of = |item: &&Item| {
            let path = item.key.path();
            let hit = (0..).zip(events).filter(|(_, event)| path.is_some_and(|path| event.contains(path)));
            hit.map(|(at, _)| at).collect()
        };
        let weights = vec![WEIGHT; events.len()];
        Self { total: weights.iter().sum(), weights, hits: items.iter().map(hits_of).collect(), rest: beside(items, state, 0) }
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

    /// How many events there are.
    pub(super) fn events(&self) -> usize {
        self.weights.len()
    }

    /// The events that hit an item.
    pub(super) fn events_of(&self, item: usize) -> &[u32] {
        &self.hits[item]
    }

    /// What an event weighs.
    pub(super) fn weight_of(&self, event: u32) -> u64 {
        self.weights[event as usize]
    }

    /// The chance of one item.
    pub(super) fn chance(&self, item: usize) -> u64 {
        self.chance_by(item, self.hits[item].iter().map(|event| self.weights[*event as usize]).sum())
    }

    /// The chance of one item, if of its events only some count, which weigh so much.
    pub(super) fn chance_by(&self, item: usize, hit: u64) -> u64 {
        self.either(hit, ONE - self.rest[item])
    }

    /// Nothing yet; items are added one by one.
    pub(super) fn prefix(&self) -> Prefix<'_> {
        Prefix { outlook: self, is_hit: vec![false; self.weights.len()], hit: 0, spared: ONE }
    }

    /// The chance that one of the events comes that weigh so much, or what is spared with a chance.
    fn either(&self, hit: u64, spared: u64) -> u64 {
        // Fewer than 2¹¹ events of at most 2²⁰, doubled by a dirty file's, leave room for the 32 bits of certainty.
        let hit = hit * ONE / self.total.max(1);
        ONE - times(ONE - hit.min(ONE), spared)
    }
}

/// The chances beside the events, by item.
fn beside(items: &[&Item], state: &State, unforeseen: u64) -> Vec<u64> {
    let files = items.iter().filter(|item| item.key.path().is_some()).count() as u64;
    // The conversation ends as a whole, so its first message, which stands before the others, counts for all.
    let first_message = items.iter().map(|item| &item.key).filter(|key| key.is_message()).min();
    let rest = |item: &&Item| match &item.key {
        Key::Message(_) if Some(&item.key) == first_message => CONVERSATION_ENDS,
        Key::Message(_) | Key::Url(_) => 0,
        Key::Symbols(_) => unforeseen / files,
        Key::File(_) => of_full_text(item, state).unwrap_or(unforeseen / files),
    };
    items.iter().map(rest).collect()
}

/// Falls with the root of the age: neither the newest nor the oldest decide alone.
fn weight(ago: u32) -> u64 {
    let age = u64::from(ago.min(AGE_MAX)) + 1;
    // The root of age × 2³² is that of age × 2¹⁶.
    (WEIGHT << 16) / (age << 32).isqrt()
}

/// A full text that came in the middle of a session is being worked on: the chance is one of the requests since, and two.
fn of_full_text(item: &Item, state: &State) -> Option<u64> {
    let since = state.items.get(&item.key).map_or(state.requests, |tracked| tracked.since);
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
    /// Adds an item; the answer is the events that hit it and nothing before it.
    pub(super) fn add(&mut self, item: usize) -> Vec<u32> {
        let new: Vec<u32> = self.spared_by(item).collect();
        for event in &new {
            self.is_hit[*event as usize] = true;
            self.hit += self.outlook.weights[*event as usize];
        }
        self.spared = times(self.spared, ONE - self.outlook.rest[item]);
        new
    }

    /// The weight of the events that hit an item and nothing so far.
    pub(super) fn added_weight(&self, item: usize) -> u64 {
        self.spared_by(item).map(|event| self.outlook.weights[event as usize]).sum()
    }

    /// The events that hit an item and nothing so far.
    fn spared_by(&self, item: usize) -> impl Iterator<Item = u32> {
        self.outlook.hits[item].iter().copied().filter(|event| !self.is_hit[*event as usize])
    }

    pub(super) fn chance(&self) -> u64 {
        self.outlook.either(self.hit, self.spared)
    }
}

/// The product of two chances.
fn times(a: u64, b: u64) -> u64 {
    (u128::from(a) * u128::from(b) / u128::from(ONE)) as u64
}
