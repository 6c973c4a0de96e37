//! One request: state, items and terms go in, state and layout come out.

use std::collections::{BTreeMap, BTreeSet};

use super::chance::Outlook;
use super::item::{CacheTerms, Request};
use super::layout::Layout;
use super::observe::{ObservedRequest, Placed, keep_conversation_order, observe};
use super::state::State;
use super::{counter, expected_cost};
use crate::base::TreePath;

/// How items are put into tiers.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TierPolicy {
    /// Counts requests in which an item stayed the same.
    Counter,
    /// Weighs what a change is expected to cost.
    #[default]
    ExpectedCost,
}

/// What comes out of a request.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Step {
    /// What to remember.
    pub state: State,
    /// What to send, in which order.
    pub layout: Layout,
    /// What this request and the expected next ones cost, as `expected-cost` weighs them; 0 by `counter`.
    pub cost: u128,
}

/// Lays out one request, and remembers it.
#[must_use]
pub fn advance(
    policy: TierPolicy,
    state: &State,
    request: &Request<'_>,
    terms: &CacheTerms,
) -> Step {
    let observed = observe(state, request);
    let (placed, cost) = match policy {
        TierPolicy::Counter => (counter::place(state, &observed, request, terms), 0),
        TierPolicy::ExpectedCost => expected_cost::place(state, &observed, request, terms),
    };
    Step {
        cost,
        ..finish(state, &observed, placed, request, terms)
    }
}

/// Lays out one request by `expected-cost`, with a sample of what comes in the place of the past; for measuring.
///
/// Each event is the files that one request changes, and all are held to be equally likely to come next.
#[must_use]
pub fn advance_by_sample(
    state: &State,
    request: &Request<'_>,
    terms: &CacheTerms,
    events: &[BTreeSet<TreePath>],
) -> Step {
    let observed = observe(state, request);
    let items: Vec<_> = observed.items.iter().map(|seen| seen.item).collect();
    let outlook = Outlook::of_sample(&items, events, state, &observed);
    let (placed, cost) = expected_cost::place_by(&outlook, &observed, request, terms);
    Step {
        cost,
        ..finish(state, &observed, placed, request, terms)
    }
}

/// What follows from the places of all items; what they cost is the caller's to say.
fn finish(
    state: &State,
    observed: &ObservedRequest<'_>,
    mut placed: Vec<Placed>,
    request: &Request<'_>,
    terms: &CacheTerms,
) -> Step {
    keep_conversation_order(&observed.items, &mut placed);
    let tiers = observed.items.iter().zip(&placed).map(|(seen, (tier, _))| {
        let tokens = seen.item.content.tokens;
        (seen.item.key.clone(), (*tier, tokens))
    });
    let layout = Layout::new(&tiers.collect::<BTreeMap<_, _>>(), request.system, terms);
    Step {
        state: observed.state_after(state, request, &placed),
        layout,
        cost: 0,
    }
}
