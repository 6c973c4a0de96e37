//! How likely items are to change before the next request, alone and together, in whole numbers.
//!
//! The past is a sample of what comes: every commit and every request of the session is an event that hit some files.
//! The chance that a block breaks is the weight of the events that hit anything in it. Files that change together are
//! counted once by that, which multiplying the chances of the files would not do. A commit that touches a file changes what
//! it declares in one of two cases, so it is two events, of which symbols are hit by one. Beside that, each request hits
//! a file in twenty requests that the sample does not foresee, any of them alike: a set of files that no event hit was often
//! chosen for just that, and breaks more often than the sample says. Full texts that are worked on leave as others left.

use std::collections::BTreeSet;

use super::item::{Item, Key};
use super::observe::ObservedRequest;
use super::state::State;
use crate::base::TreePath;
use crate::base::number::to_u32;

/// Certainty.
pub(super) const ONE: u64 = 1 << 32;
/// The weight of the newest event.
const WEIGHT: u64 = 1 << 20;
/// Older events weigh as much as this one.
const AGE_MAX: u32 = 1_000;
/// Most requests of the session that count.
const REQUESTS_MAX: u32 = 64;
/// Files that a request hits and nothing foretold: one in this number of requests.
const UNFORESEEN: u64 = ONE / 20;
/// Of this number of commits that touch a file one changes what it declares.
const DECLARES: u64 = 2;
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
    /// That another set of full texts is shown.
    moves: u64,
    /// By item: a full text that is being worked on.
    is_worked_on: Vec<bool>,
}

impl Outlook {
    /// What the past lets expect. `observed` is this request.
    pub(super) fn of_past(
        items: &[&Item],
        commits: u32,
        state: &State,
        observed: &ObservedRequest<'_>,
        quiet: Quiet,
    ) -> Self {
        let requests = state.requests.min(REQUESTS_MAX);
        let declares = |ago| weight(ago) / DECLARES;
        let bodies = |ago| weight(ago) - declares(ago);
        let of_commits = (0..commits).map(declares).chain((0..commits).map(bodies));
        let weights: Vec<u64> = of_commits.chain((0..requests).map(weight)).collect();
        let moving = ONE / u64::from(quiet.all + 1) * u64::from(quiet.all + 1 - quiet.unchanged);
        let mut outlook = Self::beside(items, weights, state, observed, times(UNFORESEEN, moving));
        let updates = items
            .iter()
            .filter(|item| matches!(item.key, Key::Update(_)));
        let lagging: BTreeSet<&TreePath> = updates.filter_map(|item| item.key.path()).collect();
        for item in items {
            let touched = item
                .touches
                .commits_ago
                .iter()
                .copied()
                .filter(|ago| *ago < commits);
            let mut hits: Vec<u32> = touched.clone().collect();
            if !matches!(item.key, Key::Symbols(_) | Key::Update(_)) {
                hits.extend(touched.map(|ago| commits + ago));
            }
            // What lags stays as it is: the file's changes go to its update.
            let path = item.key.path();
            let lags = |path: &TreePath| item.key.may_lag() && lagging.contains(path);
            if let Some(path) = path.filter(|path| !lags(path)) {
                let now = observed.edited.contains(path).then_some(state.requests);
                let edits = state
                    .edits
                    .get(path)
                    .into_iter()
                    .flatten()
                    .copied()
                    .chain(now);
                let ago = edits
                    .map(|request| state.requests - request)
                    .filter(|ago| *ago < requests);
                hits.extend(ago.map(|ago| 2 * commits + ago));
            }
            hits.sort_unstable();
            hits.dedup();
            outlook.hits.push(hits);
        }
        outlook.add_dirty(items);
        // In no event, but in the sum: what hits nothing makes all else less likely.
        outlook.total +=
            outlook.total * u64::from(quiet.unchanged) / u64::from(quiet.all + 1 - quiet.unchanged);
        outlook
    }

    /// An outlook on what comes beside events; what these hit is to be filled in.
    fn beside(
        items: &[&Item],
        weights: Vec<u64>,
        state: &State,
        observed: &ObservedRequest<'_>,
        unforeseen: u64,
    ) -> Self {
        Self {
            total: weights.iter().sum(),
            weights,
            hits: Vec::new(),
            rest: beside(items, state, observed, unforeseen),
            moves: chance_of_move(items, state, observed),
            is_worked_on: worked_on(items, state),
        }
    }

    /// What a sample lets expect, each event as likely as any other.
    pub(super) fn of_sample(
        items: &[&Item],
        events: &[BTreeSet<TreePath>],
        state: &State,
        observed: &ObservedRequest<'_>,
    ) -> Self {
        let hits_of = |item: &&Item| {
            let path = item.key.path();
            let hit = (0..)
                .zip(events)
                .filter(|(_, event)| path.is_some_and(|path| event.contains(path)));
            hit.map(|(at, _)| at).collect()
        };
        let outlook = Self::beside(items, vec![WEIGHT; events.len()], state, observed, 0);
        Self {
            hits: items.iter().map(hits_of).collect(),
            ..outlook
        }
    }

    /// Files that differ from the commit are being worked on: as likely as not, they are hit next, all together.
    fn add_dirty(&mut self, items: &[&Item]) {
        let event = to_u32(self.weights.len());
        let mut any = false;
        for (hits, item) in self
            .hits
            .iter_mut()
            .zip(items)
            .filter(|(_, item)| item.touches.dirty)
        {
            hits.push(event);
            any |= item.touches.dirty;
        }
        if any {
            let weight = self.total.max(WEIGHT);
            self.weights.push(weight);
            self.total += weight;
        }
    }

    /// The chance that something changes that does so with a chance, or that another set of full texts is shown.
    pub(super) fn or_moves(&self, chance: u64) -> u64 {
        ONE - times(ONE - chance, ONE - self.moves)
    }

    /// The chance that something changes that does so with a chance, or that an item does.
    pub(super) fn or_item(&self, chance: u64, item: usize) -> u64 {
        ONE - times(ONE - chance, ONE - self.chance(item))
    }

    /// True for a full text that is being worked on: it came in the middle of a session, or for a request.
    pub(super) fn is_worked_on(&self, item: usize) -> bool {
        self.is_worked_on[item]
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
        self.chance_by(
            item,
            self.hits[item]
                .iter()
                .map(|event| self.weights[*event as usize])
                .sum(),
        )
    }

    /// The chance of one item, if of its events only some count, which weigh so much.
    pub(super) fn chance_by(&self, item: usize, hit: u64) -> u64 {
        self.either(hit, ONE - self.rest[item])
    }

    /// Nothing yet; items are added one by one.
    pub(super) fn prefix(&self) -> Prefix<'_> {
        Prefix {
            outlook: self,
            is_hit: vec![false; self.weights.len()],
            hit: 0,
            spared: ONE,
        }
    }

    /// The chance that one of the events comes that weigh so much, or what is spared with a chance.
    fn either(&self, hit: u64, spared: u64) -> u64 {
        // Fewer than 2¹¹ events of at most 2²⁰, doubled by a dirty file's, leave room for the 32 bits of certainty.
        let hit = hit * ONE / self.total.max(1);
        ONE - times(ONE - hit.min(ONE), spared)
    }
}

/// The requests of a session without the first.
#[derive(Clone, Copy, Default)]
pub(super) struct Quiet {
    /// Those in which no text about a file had changed.
    pub unchanged: u32,
    /// All of them.
    pub all: u32,
}

/// How often no text about a file had changed.
pub(super) fn quiet_requests(state: &State, observed: &ObservedRequest<'_>) -> Quiet {
    let now = (!observed.edited.is_empty()).then_some(state.requests);
    let moving: BTreeSet<u32> = state.edits.values().flatten().copied().chain(now).collect();
    let all = state.requests.min(REQUESTS_MAX);
    Quiet {
        unchanged: all.saturating_sub(to_u32(moving.len())),
        all,
    }
}

/// The chances beside the events, by item.
fn beside(
    items: &[&Item],
    state: &State,
    observed: &ObservedRequest<'_>,
    unforeseen: u64,
) -> Vec<u64> {
    let (shown, left) = observed.full_texts_in_all(state);
    let files = items
        .iter()
        .filter(|item| item.key.path().is_some())
        .count() as u64;
    // The conversation ends as a whole, so its first message, which stands before the others, counts for all.
    let first_message = items
        .iter()
        .map(|item| &item.key)
        .filter(|key| key.is_message())
        .min();
    let is_worked_on = worked_on(items, state);
    let rest = |(item, is_worked_on): (&&Item, bool)| match &item.key {
        Key::Message(_) if Some(&item.key) == first_message => CONVERSATION_ENDS,
        Key::Message(_) | Key::Url(_) | Key::Tree => 0,
        Key::File(_) if is_worked_on => {
            of_worked_on(item, state, learned(left, shown, item.touches.is_passing))
        }
        Key::Symbols(_) | Key::File(_) | Key::Update(_) => unforeseen / files,
    };
    items.iter().zip(is_worked_on).map(rest).collect()
}

/// How likely another set of full texts is shown next, as the session has it.
fn chance_of_move(items: &[&Item], state: &State, observed: &ObservedRequest<'_>) -> u64 {
    let moves = state.moves + u32::from(observed.has_moved);
    learned(
        moves,
        state.requests,
        items.iter().any(|item| item.touches.is_passing),
    )
}

/// How often something was seen among how many, as a chance. Before anything was seen: as likely as not, and seven times in
/// eight for what was named for one request.
fn learned(seen: u32, all: u32, is_passing: bool) -> u64 {
    let first = if is_passing { 7 } else { 4 };
    ONE / 8 * (8 * u64::from(seen) + first) / (u64::from(all) + 1)
}

/// Falls with the root of the age: neither the newest nor the oldest decide alone.
fn weight(ago: u32) -> u64 {
    let age = u64::from(ago.min(AGE_MAX)) + 1;
    // The root of age × 2³² is that of age × 2¹⁶.
    (WEIGHT << 16) / (age << 32).isqrt()
}

fn worked_on(items: &[&Item], state: &State) -> Vec<bool> {
    let since = |key: &Key| {
        state
            .items
            .get(key)
            .map_or(state.requests, |tracked| tracked.since)
    };
    items
        .iter()
        .map(|item| {
            matches!(item.key, Key::File(_)) && (since(&item.key) > 0 || item.touches.is_passing)
        })
        .collect()
}

/// A full text that is being worked on leaves as others left; the longer it stood the less likely.
fn of_worked_on(item: &Item, state: &State, leaves: u64) -> u64 {
    let stood = state
        .items
        .get(&item.key)
        .filter(|tracked| tracked.content == item.content)
        .map_or(0, |tracked| tracked.n + 1);
    2 * leaves / (u64::from(stood) + 2)
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
        self.spared_by(item)
            .map(|event| self.outlook.weights[event as usize])
            .sum()
    }

    /// The events that hit an item and nothing so far.
    fn spared_by(&self, item: usize) -> impl Iterator<Item = u32> {
        self.outlook.hits[item]
            .iter()
            .copied()
            .filter(|event| !self.is_hit[*event as usize])
    }

    pub(super) fn chance(&self) -> u64 {
        self.outlook.either(self.hit, self.spared)
    }
}

/// The product of two chances.
fn times(a: u64, b: u64) -> u64 {
    let product = u128::from(a) * u128::from(b) / u128::from(ONE);
    u64::try_from(product).unwrap_or(u64::MAX)
}
