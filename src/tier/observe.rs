//! What happened since the last request: items unchanged, changed, new and gone, and the tiers that broke by it.

use std::collections::{BTreeMap, BTreeSet};

use super::item::{Content, Item, Key, Request};
use super::layout::Tier;
use super::state::{EDITS_MAX, State, Tracked};
use crate::base::TreePath;
use crate::base::number::to_u32;

/// One item of this request, and what is remembered of it.
#[derive(Debug, Clone, Copy)]
pub(super) struct ObservedItem<'a> {
    pub(super) item: &'a Item,
    /// `None` when it is new or its text has changed.
    pub(super) unchanged: Option<Tracked>,
}

/// A request held against the state.
pub(super) struct ObservedRequest<'a> {
    /// In order of key.
    pub(super) items: Vec<ObservedItem<'a>>,
    /// By tier: something in it changed or left, or the system prompt did.
    pub(super) broken: [bool; 6],
    /// Files of which a text changed, or whose symbols came or went.
    pub(super) edited: BTreeSet<TreePath>,
    /// Another set of full texts is shown, or another text of one.
    pub(super) has_moved: bool,
    /// Full texts of the last request, and those of them that are not the same, or not there, in this one.
    pub(super) full_texts: (u32, u32),
}

/// Holds a request against the state.
///
/// A conversation is immutable: when a message is gone or changed it is another conversation, and all of it is new.
pub(super) fn observe<'a>(state: &State, request: &Request<'a>) -> ObservedRequest<'a> {
    let items: BTreeMap<&Key, &Item> = request.items.iter().map(|item| (&item.key, item)).collect();
    let same =
        |key: &Key, content: Content| items.get(key).is_some_and(|item| item.content == content);
    let conversation_stays = state
        .items
        .iter()
        .filter(|(key, _)| key.is_message())
        .all(|(key, tracked)| same(key, tracked.content));
    let stays = |key: &Key, tracked: &Tracked| {
        same(key, tracked.content) && (conversation_stays || !key.is_message())
    };

    let mut broken = [false; 6];
    broken[0] = state.system.is_some_and(|system| system != request.system);
    let (mut edited, mut has_moved) = (BTreeSet::new(), false);
    let is_edit = |key: &Key, is_there| is_edit(state, &items, key, is_there);
    for (key, tracked) in state
        .items
        .iter()
        .filter(|(key, tracked)| !stays(key, tracked))
    {
        broken[tracked.tier.number()] = true;
        has_moved |= matches!(key, Key::File(_));
        edited.extend(
            key.path()
                .filter(|_| is_edit(key, items.contains_key(key)))
                .cloned(),
        );
    }
    if state.requests > 0 {
        for key in items.keys().filter(|key| !state.items.contains_key(key)) {
            has_moved |= matches!(key, Key::File(_));
            edited.extend(key.path().filter(|_| is_edit(key, false)).cloned());
        }
    }
    let remembered = |item: &Item| {
        state
            .items
            .get(&item.key)
            .copied()
            .filter(|tracked| stays(&item.key, tracked))
    };
    let items = items
        .values()
        .map(|item| ObservedItem {
            item,
            unchanged: remembered(item),
        })
        .collect();
    let were_shown = || {
        state
            .items
            .iter()
            .filter(|(key, _)| matches!(key, Key::File(_)))
    };
    let left = were_shown().filter(|(key, tracked)| !stays(key, tracked));
    let full_texts = (to_u32(were_shown().count()), to_u32(left.count()));
    ObservedRequest {
        items,
        broken,
        edited,
        has_moved,
        full_texts,
    }
}

/// True when something that came, changed or went is a change of the file that it is about.
///
/// That a full text comes or goes is none, and where its symbols are there too these tell. Where there was an update, that
/// is what the last request said of the file.
fn is_edit(state: &State, items: &BTreeMap<&Key, &Item>, key: &Key, is_there: bool) -> bool {
    match key {
        Key::Symbols(path) | Key::File(path)
            if state.items.contains_key(&Key::Update(path.clone())) =>
        {
            false
        }
        Key::File(path) => is_there && !items.contains_key(&Key::Symbols(path.clone())),
        Key::Update(path) if !is_there => {
            let lagging = [Key::Symbols(path.clone()), Key::File(path.clone())];
            let mut now = lagging.iter().filter_map(|key| items.get(key));
            let was = state.items.get(key).map(|tracked| tracked.content);
            !now.any(|item| Some(item.content) == was)
        }
        _ => true,
    }
}

/// The tier and the count of an item.
pub(super) type Placed = (Tier, u32);

impl ObservedRequest<'_> {
    /// The full texts of all requests before this one, and those of them that were not there any more in the next.
    pub(super) fn full_texts_in_all(&self, state: &State) -> (u32, u32) {
        let sum = |all: u32, now: u32| all.saturating_add(now);
        (
            sum(state.full_texts.0, self.full_texts.0),
            sum(state.full_texts.1, self.full_texts.1),
        )
    }

    /// The state after a request in which the items were placed so, in the order of [`ObservedRequest::items`].
    pub(super) fn state_after(
        &self,
        state: &State,
        request: &Request<'_>,
        placed: &[Placed],
    ) -> State {
        let requests = state.requests.saturating_add(1);
        let track = |(seen, (tier, n)): (&ObservedItem, &Placed)| {
            let since = state
                .items
                .get(&seen.item.key)
                .map_or(state.requests, |tracked| tracked.since);
            (
                seen.item.key.clone(),
                Tracked {
                    content: seen.item.content,
                    tier: *tier,
                    n: *n,
                    since,
                },
            )
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
        let moves = state.moves + u32::from(self.has_moved);
        let full_texts = self.full_texts_in_all(state);
        State {
            requests,
            system: Some(request.system),
            items,
            aliases: request.aliases.to_vec(),
            moves,
            full_texts,
            edits,
            texts: BTreeMap::new(),
        }
    }
}

/// Makes the tiers of a conversation fall from old to new: a message never stands before an older one.
pub(super) fn keep_conversation_order(items: &[ObservedItem<'_>], placed: &mut [Placed]) {
    let mut least = Tier::L0;
    for (_, placed) in items
        .iter()
        .zip(placed)
        .filter(|(seen, _)| seen.item.key.is_message())
    {
        placed.0 = placed.0.max(least);
        least = placed.0;
    }
}
