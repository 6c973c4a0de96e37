//! What happened since the last request: items unchanged, changed, new and gone, and the tiers that broke by it.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Content, Item, Key, Request};
use super::layout::Tier;
use super::state::{EDITS_MAX, State, Tracked};
use crate::base::TreePath;

/// One item of this request, and what is remembered of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct Seen<'a> {
    pub(super) item: &'a Item,
    /// `None` when it is new or its text has changed.
    pub(super) unchanged: Option<Tracked>,
}

/// A request held against the state.
pub(super) struct Observed<'a> {
    /// In order of key.
    pub(super) items: Vec<Seen<'a>>,
    /// By tier: something in it changed or left, or the system prompt did.
    pub(super) broken: [bool; 5],
    /// Files that came, went or changed.
    pub(super) edited: BTreeSet<TreePath>,
}

/// Holds a request against the state.
///
/// A conversation is immutable: when a message is gone or changed it is another conversation, and all of it is new.
pub(super) fn observe<'a>(state: &State, request: &Request<'a>) -> Observed<'a> {
    let items: BTreeMap<&Key, &Item> = request.items.iter().map(|item| (&item.key, item)).collect();
    let same = |key: &Key, content: Content| items.get(key).is_some_and(|item| item.content == content);
    let conversation_stays =
        state.items.iter().filter(|(key, _)| key.is_message()).all(|(key, tracked)| same(key, tracked.content));
    let stays = |key: &Key, tracked: &Tracked| same(key, tracked.content) && (conversation_stays || !key.is_message());

    let mut broken = [false; 5];
    broken[0] = state.system.is_some_and(|system| system != request.system);
    let mut edited = BTreeSet::new();
    for (key, tracked) in state.items.iter().filter(|(key, tracked)| !stays(key, tracked)) {
        broken[tracked.tier.number()] = true;
        edited.extend(key.path().cloned());
    }
    if state.requests > 0 {
        let new = items.keys().filter(|key| !state.items.contains_key(key));
        edited.extend(new.filter_map(|key| key.path().cloned()));
    }
    let remembered = |item: &Item| state.items.get(&item.key).copied().filter(|tracked| stays(&item.key, tracked));
    let items = items.values().map(|item| Seen { item, unchanged: remembered(item) }).collect();
    Observed { items, broken, edited }
}

/// The tier and the count of an item.
pub(super) type Placed = (Tier, u32);

impl Observed<'_> {
    /// The state after a request in which the items were placed so, in the order of [`Observed::items`].
    pub(super) fn state_after(&self, state: &State, system: Content, placed: &[Placed]) -> State {
        let requests = state.requests.saturating_add(1);
        let track = |(seen, (tier, n)): (&Seen, &Placed)| {
            let since = state.items.get(&seen.item.key).map_or(state.requests, |tracked| tracked.since);
            (seen.item.key.clone(), Tracked { content: seen.item.content, tier: *tier, n: *n, since })
        };
        let items: BTreeMap<Key, Tracked> = self.items.iter().zip(placed).map(track).collect();
        let paths: BTreeSet<&TreePath> = items.keys().filter_map(Key::path).collect();
        let mut edits: BTreeMap<TreePath, Vec<u32>> = BTreeMap::new();
        for path in paths {
            let mut requests_of = state.edits.get(path).cloned().unwrap_or_default();
            if self.edited.contains(path) {
                requests_of.push(state.requests);
                requests_of.drain(..requests_of.len().saturating_sub(EDITS_MAX));
            }
            if !requests_of.is_empty() {
                edits.insert(path.clone(), requests_of);
            }
        }
        State { requests, system: Some(system), items, edits }
    }
}

/// Makes the tiers of a conversation fall from old to new: a message never stands before an older one.
pub(super) fn keep_conversation_order(items: &[Seen<'_>], placed: &mut [Placed]) {
    let mut least = Tier::L0;
    for (_, placed) in items.iter().zip(placed).filter(|(seen, _)| seen.item.key.is_message()) {
        placed.0 = placed.0.max(least);
        least = placed.0;
    }
}
