//! Texts that lag: a tier may show symbols as they were, while an update behind the tiers tells what they are now.
//!
//! A changed block breaks its tier and all behind it: for a line of a map a whole prompt is written again. Sent again as
//! it was, it is read, and only the update is new. The price is that the block stands there twice. Which is cheaper is a
//! matter of the plan: for each number of tiers, one plan lets what has changed in these tiers lag, and the cheapest wins. A
//! tier that is written anew shows what holds, so nothing lags for longer than it pays.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::advance::{Step, TierPolicy, advance};
use super::item::{CacheTerms, Item, Key, Request, Touches};
use super::shape::TIERS;
use super::state::{State, Tracked};

/// Lays out one request in which what has changed may lag, and gives the items that it is then made of.
///
/// `updates` are the keys whose text of the last request can be sent again, each with what is to be said of it now: the
/// item of the request, or that it is gone where the request has none. The policy `counter` lets nothing lag.
#[must_use]
pub fn advance_lagging<'r>(
    policy: TierPolicy,
    state: &State,
    request: &Request<'r>,
    terms: &CacheTerms,
    updates: &[Item],
) -> (Step, Cow<'r, [Item]>) {
    let plain = advance(policy, state, request, terms);
    let mut best = (plain, Cow::Borrowed(request.items));
    if policy == TierPolicy::Counter || updates.is_empty() {
        return best;
    }
    let mut updates_before = 0;
    for keep in 1..=TIERS {
        let (items, updates) = lag(state, request.items, updates, keep);
        if updates == updates_before {
            continue;
        }
        updates_before = updates;
        let request = Request {
            items: &items,
            ..*request
        };
        let step = advance(policy, state, &request, terms);
        if step.cost < best.0.cost {
            best = (step, Cow::Owned(items));
        }
    }
    best
}

/// The items, with those that have changed in the first tiers as they were, and an update for each; and how many these are.
fn lag(state: &State, items: &[Item], updates: &[Item], tiers: usize) -> (Vec<Item>, usize) {
    let mut all: BTreeMap<&Key, Item> =
        items.iter().map(|item| (&item.key, item.clone())).collect();
    let mut behind = Vec::new();
    for update in updates.iter().filter(|update| update.key.may_lag()) {
        let was = state.items.get(&update.key);
        let lags = |was: &&Tracked| was.tier.number() < tiers && was.content != update.content;
        if let (Some(was), Some(path)) = (was.filter(lags), update.key.path()) {
            let lagging = Item {
                content: was.content,
                touches: Touches::default(),
                ..update.clone()
            };
            all.insert(&update.key, lagging);
            behind.push(Item {
                key: Key::Update(path.clone()),
                ..update.clone()
            });
        }
    }
    let updates = behind.len();
    (all.into_values().chain(behind).collect(), updates)
}
