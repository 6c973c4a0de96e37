//! The policy `counter`: an item rises by one tier for every three requests in which it stayed the same.
//!
//! | tier | L0 | L1 | L2 | L3 | active |
//! |---|---|---|---|---|---|
//! | entry n | 12 | 9 | 6 | 3 | 0 |
//!
//! In a request: unchanged is n + 1, changed is 0 and active. From the most stable tier down, items with the next
//! tier's entry are promoted if that tier is broken or empty; promotion sets n to the entry. Then a tier under the
//! target gives its items down. Where a tier is larger than the target, the items with the smallest n that fill it to
//! the target are anchored: n does not move and they stay, so that promotion does not drain the tier.

use super::item::{CacheTerms, Key, Request};
use super::layout::Tier;
use super::observe::{ObservedItem, ObservedRequest, Placed};
use super::state::State;
use crate::base::TreePath;

/// The n with which an item enters a tier, by number of the tier.
const ENTRY: [u32; 5] = [12, 9, 6, 3, 0];
/// Behind the tiers; this policy leaves the tail without a mark.
const ACTIVE: usize = 4;
const L3: usize = 3;

/// The least size of a tier: the larger of 1,024 and the provider's minimum, and a tenth more.
fn target(terms: &CacheTerms) -> u64 {
    (terms.prefix_tokens_min.max(1_024) * 11).div_ceil(10)
}

/// Places the items of a request.
pub(super) fn place(
    state: &State,
    observed: &ObservedRequest<'_>,
    request: &Request<'_>,
    terms: &CacheTerms,
) -> Vec<Placed> {
    let target = target(terms);
    let mut work = Work::new(observed, request.system.tokens, target);
    if state.requests == 0 {
        work.pack(request);
    } else {
        work.promote_all();
    }
    work.give_down();
    let tier = |item: &Moving| {
        if item.tier == ACTIVE {
            Tier::Active
        } else {
            Tier::of_number(item.tier)
        }
    };
    work.items.iter().map(|item| (tier(item), item.n)).collect()
}

struct Moving {
    tier: usize,
    n: u32,
    tokens: u64,
    is_message: bool,
    stays: bool,
}

struct Work {
    items: Vec<Moving>,
    broken: [bool; 6],
    system_tokens: u64,
    target: u64,
}

impl Work {
    fn new(observed: &ObservedRequest<'_>, system_tokens: u64, target: u64) -> Self {
        let moving = |seen: &ObservedItem<'_>| {
            let (tier, n) = seen.unchanged.map_or((ACTIVE, 0), |tracked| {
                (tracked.tier.number().min(ACTIVE), tracked.n)
            });
            let key = &seen.item.key;
            let stays = matches!(key, Key::Url(_));
            Moving {
                tier,
                n,
                tokens: seen.item.content.tokens,
                is_message: key.is_message(),
                stays,
            }
        };
        let items = observed.items.iter().map(moving).collect();
        let mut work = Self {
            items,
            broken: observed.broken,
            system_tokens,
            target,
        };
        work.anchor();
        for (item, seen) in work.items.iter_mut().zip(&observed.items) {
            item.n += u32::from(seen.unchanged.is_some() && !(item.stays && item.tier != ACTIVE));
        }
        work
    }

    fn tokens(&self, tier: usize) -> u64 {
        let system = if tier == 0 { self.system_tokens } else { 0 };
        system
            + self
                .items
                .iter()
                .filter(|item| item.tier == tier)
                .map(|item| item.tokens)
                .sum::<u64>()
    }

    /// Holds the items that a large tier needs to keep its size.
    fn anchor(&mut self) {
        for tier in 0..ACTIVE {
            if self.tokens(tier) <= self.target {
                continue;
            }
            let mut members: Vec<usize> = (0..self.items.len())
                .filter(|at| self.items[*at].tier == tier)
                .collect();
            members.sort_by_key(|at| (self.items[*at].n, *at));
            let mut filled = if tier == 0 { self.system_tokens } else { 0 };
            for at in members {
                if filled >= self.target {
                    break;
                }
                filled += self.items[at].tokens;
                self.items[at].stays = true;
            }
        }
    }

    /// Moves everything that may rise, the most stable tier first, so that a tier which loses items can take new ones.
    fn promote_all(&mut self) {
        for tier in 0..L3 {
            if self.broken[tier] || self.items.iter().all(|item| item.tier != tier) {
                self.promote(tier, |item| !item.is_message);
                self.promote_messages(tier);
            }
        }
        self.promote(L3, |item| !item.is_message);
        let eligible =
            |item: &&Moving| item.is_message && item.tier == ACTIVE && item.n >= ENTRY[L3];
        let eligible_tokens: u64 = self
            .items
            .iter()
            .filter(eligible)
            .map(|item| item.tokens)
            .sum();
        if self.broken[L3] || eligible_tokens > self.target {
            self.promote_messages(L3);
        }
    }

    fn promote(&mut self, tier: usize, wanted: impl Fn(&Moving) -> bool) {
        let mut moved = false;
        let may = |item: &&mut Moving| {
            item.tier == tier + 1 && item.n >= ENTRY[tier] && !item.stays && wanted(item)
        };
        for item in self.items.iter_mut().filter(may) {
            (item.tier, item.n, moved) = (tier, ENTRY[tier], true);
        }
        self.broken[tier] |= moved;
        self.broken[tier + 1] |= moved;
    }

    /// Moves messages, oldest first, as long as each may.
    fn promote_messages(&mut self, tier: usize) {
        let mut moved = false;
        for item in self
            .items
            .iter_mut()
            .filter(|item| item.is_message && item.tier > tier)
        {
            if item.tier != tier + 1 || item.n < ENTRY[tier] || item.stays {
                break;
            }
            (item.tier, item.n, moved) = (tier, ENTRY[tier], true);
        }
        self.broken[tier] |= moved;
        self.broken[tier + 1] |= moved;
    }

    /// Empties every tier that is too small to be cached into the next one.
    fn give_down(&mut self) {
        for tier in 0..ACTIVE {
            if self.tokens(tier) < self.target {
                self.items
                    .iter_mut()
                    .filter(|item| item.tier == tier)
                    .for_each(|item| item.tier = tier + 1);
            }
        }
    }

    /// The first request: the largest component first, each into the emptiest of L1, L2 and L3.
    fn pack(&mut self, request: &Request<'_>) {
        let mut order: Vec<usize> = (0..request.items.len()).collect();
        order.sort_by(|a, b| request.items[*a].key.cmp(&request.items[*b].key));
        let place_of = |path| {
            let key = Key::Symbols(path);
            order
                .binary_search_by(|at| request.items[*at].key.cmp(&key))
                .ok()
        };
        let members = |component: &Vec<TreePath>| -> Vec<usize> {
            component
                .iter()
                .filter_map(|path| place_of(path.clone()))
                .collect()
        };
        let mut components: Vec<Vec<usize>> = request.components.iter().map(members).collect();
        let size = |component: &Vec<usize>| {
            component
                .iter()
                .map(|at| self.items[*at].tokens)
                .sum::<u64>()
        };
        components.sort_by_cached_key(|component| {
            (
                std::cmp::Reverse(size(component)),
                component.first().copied(),
            )
        });
        for component in components {
            let tier = (1..=L3)
                .min_by_key(|tier| (self.tokens(*tier), *tier))
                .expect("three tiers");
            for at in component {
                (self.items[at].tier, self.items[at].n) = (tier, ENTRY[tier]);
            }
        }
    }
}
