//! The policy `expected-cost`: the layout that costs least, this request and the expected next ones together.
//!
//! What the provider's cache holds is the sequence of tiers of the last request, up to the first that broke. For every
//! number of tiers that could be kept as they are, the rest is ordered by the risk it adds ([`super::order`]) and cut into new tiers by dynamic
//! programming ([`super::cut`]); the cheapest of these plans is taken, of equally cheap ones the one that keeps most.
//! Behind the tiers there may be a tail with a mark of its own ([`super::shape`]).
//! A kept tier is read; a new one is written; what is active is paid in full each time. In each of the next requests a
//! tier is written again with the chance that anything up to its end changes ([`super::chance`]), else read.

use super::chance::{ONE, Outlook, Prefix, Quiet, quiet_requests};
use super::cut::{Cuts, Row, best_cuts};
use super::item::{CacheTerms, Item, Key, PLAIN, Request};
use super::layout::Tier;
use super::observe::{ObservedItem, ObservedRequest, Placed};
use super::order::{Weighed, by_added_risk};
use super::shape::{Shape, TIERS, Tail, is_listed, shapes};
use super::state::State;

/// Number of the next requests that this one's layout is weighed for.
const REQUESTS_AHEAD: u32 = 8;
/// How many messages a provider looks back from a mark for a prefix that it knows, less the answer between.
const LOOK_BACK: usize = 18;

/// Places the items of a request; the second value is what that costs.
pub(super) fn place(
    state: &State,
    observed: &ObservedRequest<'_>,
    request: &Request<'_>,
    terms: &CacheTerms,
) -> (Vec<Placed>, u128) {
    let items: Vec<&Item> = observed.items.iter().map(|seen| seen.item).collect();
    // Without marks the cache holds what is active too, which the costs do not know: there nothing is gained by moving it.
    let quiet = if terms.breakpoints_max == 0 {
        Quiet::default()
    } else {
        quiet_requests(state, observed)
    };
    let outlook = Outlook::of_past(&items, request.commits, state, observed, quiet);
    place_by(&outlook, observed, request, terms)
}

/// Places the items of a request by what is expected.
pub(super) fn place_by(
    outlook: &Outlook,
    observed: &ObservedRequest<'_>,
    request: &Request<'_>,
    terms: &CacheTerms,
) -> (Vec<Placed>, u128) {
    let plan = Planner::new(observed, request.system.tokens, *terms, outlook).best();
    let placed = observed.items.iter().zip(plan.tiers);
    let placed = placed.map(|(seen, tier)| (tier, count(seen)));
    (placed.collect(), plan.cost)
}

/// Requests in a row in which an item was unchanged; only told, not used.
fn count(seen: &ObservedItem<'_>) -> u32 {
    seen.unchanged
        .map_or(0, |tracked| tracked.n.saturating_add(1))
}

/// A place for every item, and what it costs.
struct Plan {
    tiers: Vec<Tier>,
    cost: u128,
}

struct Planner<'a> {
    observed: &'a ObservedRequest<'a>,
    system_tokens: u64,
    terms: CacheTerms,
    outlook: &'a Outlook,
}

/// What is added behind the kept tiers: one item, or what is left of the conversation.
struct Unit {
    items: Vec<usize>,
    tokens: u64,
}

/// The kept tiers: what they cost, and how likely they are to break.
#[derive(Clone)]
struct Kept<'a> {
    tiers: Vec<Tier>,
    cost: u128,
    tokens: u64,
    prefix: Prefix<'a>,
}

impl<'a> Planner<'a> {
    fn new(
        observed: &'a ObservedRequest<'a>,
        system_tokens: u64,
        terms: CacheTerms,
        outlook: &'a Outlook,
    ) -> Self {
        Self {
            observed,
            system_tokens,
            terms,
            outlook,
        }
    }

    /// The cheapest plan. Plans that keep more come first, so that they win where others are only as cheap.
    fn best(&self) -> Plan {
        let intact = self.observed.broken[..TIERS]
            .iter()
            .position(|broken| *broken)
            .unwrap_or(TIERS);
        let mut best: Option<Plan> = None;
        for keep in (0..=intact).rev() {
            let kept = self.keep(keep);
            let units = self.units(&kept);
            for shape in shapes(self.observed, &self.terms, keep) {
                let plan = self.plan(&shape, kept.clone(), &units);
                if let Some(plan) =
                    plan.filter(|plan| best.as_ref().is_none_or(|best| plan.cost < best.cost))
                {
                    best = Some(plan);
                }
            }
        }
        best.expect("keeping nothing is always a plan")
    }

    /// A plan of a shape; `None` where there is none.
    fn plan(&self, shape: &Shape, mut kept: Kept<'_>, units: &[Unit]) -> Option<Plan> {
        let mut units: Vec<&Unit> = units.iter().collect();
        let mut cost = 0;
        let messages = units
            .iter()
            .position(|unit| self.observed.items[unit.items[0]].item.key.is_message());
        if shape.append {
            let messages = units.remove(messages?);
            cost += self.append(&mut kept, messages, shape.keep)?;
        } else if let Some(at) = messages.filter(|_| shape.tail == Tail::All) {
            // What was said stands behind the tail where it is in no tier.
            cost += u128::from(units.remove(at).tokens) * Self::rate_active();
        }
        let (cuts, tokens_before) = self.cut(&kept, &units, shape)?;
        cost += kept.cost + cuts.cost;
        let mut tiers = kept.tiers;
        let behind = if shape.tail == Tail::All {
            Tier::Tail
        } else {
            Tier::Active
        };
        for (place, unit) in (tokens_before..).zip(units) {
            let tier = shape.keep + cuts.ends.partition_point(|end| *end <= place);
            let tier = if tier < shape.keep + cuts.ends.len() {
                Tier::of_number(tier)
            } else {
                behind
            };
            unit.items.iter().for_each(|item| tiers[*item] = tier);
        }
        if shape.tail != Tail::None {
            let listed = self
                .observed
                .items
                .iter()
                .zip(&mut tiers)
                .filter(|(seen, _)| is_listed(&seen.item.key));
            listed.for_each(|(_, tier)| *tier = Tier::Tail);
        }
        Some(Plan { tiers, cost })
    }

    /// Puts new messages at the end of the last kept tier; the answer is what they cost, `None` for too many.
    fn append(&self, kept: &mut Kept<'_>, messages: &Unit, keep: usize) -> Option<u128> {
        if messages.items.len() > LOOK_BACK {
            return None;
        }
        for item in &messages.items {
            kept.tiers[*item] = Tier::of_number(keep - 1);
        }
        kept.prefix.add(messages.items[0]);
        kept.tokens += messages.tokens;
        Some(u128::from(messages.tokens) * self.rate(self.terms.write, kept.prefix.chance()))
    }

    /// What a token costs now and in the next requests, when it stands in a tier that breaks with a chance.
    fn rate(&self, now: u32, chance: u64) -> u128 {
        let (now, read, write) = (
            u128::from(now),
            u128::from(self.terms.read),
            u128::from(self.terms.write),
        );
        let next = read * u128::from(ONE - chance) + write * u128::from(chance);
        now * u128::from(ONE) + u128::from(REQUESTS_AHEAD) * next
    }

    /// What a token costs that is never cached.
    fn rate_active() -> u128 {
        u128::from(PLAIN) * u128::from(ONE) * u128::from(REQUESTS_AHEAD + 1)
    }

    fn keep(&self, keep: usize) -> Kept<'a> {
        let mut kept = Kept {
            tiers: vec![Tier::Active; self.observed.items.len()],
            cost: 0,
            tokens: if keep > 0 { self.system_tokens } else { 0 },
            prefix: self.outlook.prefix(),
        };
        let mut tier_tokens = kept.tokens;
        for tier in Tier::CACHED.into_iter().take(keep) {
            for (at, seen) in self.observed.items.iter().enumerate() {
                if seen.unchanged.is_some_and(|tracked| tracked.tier == tier) {
                    kept.tiers[at] = tier;
                    tier_tokens += seen.item.content.tokens;
                    kept.prefix.add(at);
                }
            }
            kept.tokens += if tier == Tier::L0 {
                tier_tokens - self.system_tokens
            } else {
                tier_tokens
            };
            let is_cached = kept.tokens >= self.terms.prefix_tokens_min;
            let rate = if is_cached {
                self.rate(self.terms.read, kept.prefix.chance())
            } else {
                Self::rate_active()
            };
            kept.cost += u128::from(tier_tokens) * rate;
            tier_tokens = 0;
        }
        kept
    }

    /// What is not kept, in the order in which it goes behind. Nothing that is listed.
    fn units(&self, kept: &Kept<'_>) -> Vec<Unit> {
        let free = self
            .observed
            .items
            .iter()
            .enumerate()
            .filter(|(at, _)| kept.tiers[*at] == Tier::Active);
        let (mut units, mut messages) = (
            Vec::new(),
            Unit {
                items: Vec::new(),
                tokens: 0,
            },
        );
        for (at, seen) in free {
            let tokens = seen.item.content.tokens;
            match &seen.item.key {
                Key::Tree | Key::Url(_) => {}
                Key::Message(_) => {
                    messages.items.push(at);
                    messages.tokens += tokens;
                }
                Key::Symbols(_) | Key::File(_) | Key::Update(_) => units.push(Unit {
                    items: vec![at],
                    tokens,
                }),
            }
        }
        if !messages.items.is_empty() {
            units.push(messages);
        }
        let weighed: Vec<Weighed> = units
            .iter()
            .map(|unit| Weighed {
                item: unit.items[0],
                tokens: unit.tokens,
            })
            .collect();
        let mut units: Vec<Option<Unit>> = units.into_iter().map(Some).collect();
        let mut order = by_added_risk(self.outlook, kept.prefix.clone(), &weighed);
        // A large text adds little risk for each token, but what stands behind it has all of it. What may lag breaks nothing
        // when it changes, so every text that may not stands behind it.
        order.sort_by_key(|at| {
            let item = weighed[*at].item;
            let may_lag = self.observed.items[item].item.key.may_lag();
            (!may_lag, self.outlook.is_worked_on(item))
        });
        order
            .into_iter()
            .filter_map(|at| units[at].take())
            .collect()
    }

    /// Cuts the units into tiers; the second value is how many places come before the first unit's. `None` for a tail that is too
    /// short to be cached.
    fn cut(&self, kept: &Kept<'_>, units: &[&Unit], shape: &Shape) -> Option<(Cuts, usize)> {
        let mut prefix = kept.prefix.clone();
        let (mut tokens, mut chances) = (vec![0], vec![prefix.chance()]);
        if shape.keep == 0 {
            tokens.push(self.system_tokens);
            chances.push(chances[0]);
        }
        for unit in units {
            prefix.add(unit.items[0]);
            tokens.push(tokens[tokens.len() - 1] + unit.tokens);
            chances.push(prefix.chance());
        }
        let listed: Vec<usize> = (0..self.observed.items.len())
            .filter(|at| is_listed(&self.observed.items[*at].item.key))
            .collect();
        let listed_tokens: u64 = listed
            .iter()
            .map(|at| self.observed.items[*at].item.content.tokens)
            .sum();
        let with_listed = |chance| {
            listed
                .iter()
                .fold(chance, |chance, at| self.outlook.or_item(chance, *at))
        };
        let now = if shape.stays {
            self.terms.read
        } else {
            self.terms.write
        };
        let is_cached =
            |tokens: u64| kept.tokens + tokens + listed_tokens >= self.terms.prefix_tokens_min;
        if shape.tail == Tail::All && !is_cached(tokens[tokens.len() - 1]) {
            return None;
        }
        let rate_behind = match shape.tail {
            Tail::All => self.rate(now, self.outlook.or_moves(with_listed(prefix.chance()))),
            Tail::Listed | Tail::None => Self::rate_active(),
        };
        let rate_listed = |(chance, tokens): (&u64, &u64)| match shape.tail {
            Tail::Listed if is_cached(*tokens) => self.rate(now, with_listed(*chance)),
            _ => rate_behind,
        };
        let places = chances.iter().zip(&tokens);
        let behind = places.map(|place| u128::from(listed_tokens) * rate_listed(place));
        let behind = behind.collect();
        let cached = |tokens: &u64| kept.tokens + tokens >= self.terms.prefix_tokens_min;
        let first = tokens.iter().position(cached).unwrap_or(tokens.len());
        let rates = chances.iter();
        let rate = rates.map(|chance| self.rate(self.terms.write, *chance));
        let rate = rate.collect();
        let row = Row {
            tokens,
            rate,
            rate_behind,
            behind,
            first,
        };
        Some((best_cuts(&row, shape.more), usize::from(shape.keep == 0)))
    }
}
