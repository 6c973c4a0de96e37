//! The shapes that a plan of `expected-cost` can have: what is kept, how many tiers are made, what stands in the tail.

use super::item::{CacheTerms, Key};
use super::layout::Tier;
use super::observe::{ObservedItem, ObservedRequest};

/// How many tiers there are.
pub(super) const TIERS: usize = Tier::CACHED.len();

/// What of that which stands behind the tiers is cached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Tail {
    None,
    /// The list of files and pages.
    Listed,
    /// These and everything that is in no tier.
    All,
}

/// What a plan is to look like.
#[derive(Debug, Clone, Copy)]
pub(super) struct Shape {
    /// How many tiers are kept as they are.
    pub(super) keep: usize,
    /// How many are made behind them at most.
    pub(super) more: usize,
    /// New messages go to the end of the last kept tier.
    pub(super) append: bool,
    pub(super) tail: Tail,
    /// The tail is the one of the last request, and is read.
    pub(super) stays: bool,
}

/// True for what stands behind the tiers, whatever the plan.
pub(super) fn is_listed(key: &Key) -> bool {
    matches!(key, Key::Tree | Key::Url(_))
}

/// Every shape of the plans that keep `keep` tiers.
pub(super) fn shapes(
    observed: &ObservedRequest<'_>,
    terms: &CacheTerms,
    keep: usize,
) -> Vec<Shape> {
    let mut shapes = Vec::new();
    for tail in [Tail::All, Tail::Listed, Tail::None] {
        let Some(more) = tiers_max(terms, tail).checked_sub(keep) else {
            continue;
        };
        let shape = Shape {
            keep,
            more,
            append: false,
            tail,
            stays: false,
        };
        if tail != Tail::None && tail_stays(observed, keep, tail) {
            shapes.push(Shape {
                more: 0,
                stays: true,
                ..shape
            });
        }
        shapes.push(shape);
        if keep > 0 {
            shapes.push(Shape {
                append: true,
                ..shape
            });
        }
    }
    shapes
}

/// How many tiers there may be beside a tail. A provider without marks finds the longest prefix by itself, wherever it ends.
fn tiers_max(terms: &CacheTerms, tail: Tail) -> usize {
    match terms.breakpoints_max as usize {
        0 => TIERS,
        marks => marks
            .min(TIERS)
            .saturating_sub(usize::from(tail != Tail::None)),
    }
}

/// True when the tail is the one of the last request, and so is everything before it.
fn tail_stays(observed: &ObservedRequest<'_>, keep: usize, tail: Tail) -> bool {
    let tier_before = |seen: &ObservedItem<'_>| seen.unchanged.map(|tracked| tracked.tier);
    let tiers = observed
        .items
        .iter()
        .filter_map(tier_before)
        .filter(|tier| *tier < Tier::Tail);
    let used = tiers.max().map_or(1, |tier| tier.number() + 1);
    let same = |seen: &ObservedItem<'_>| {
        let before = tier_before(seen);
        let is_behind = tail == Tail::All
            && !seen.item.key.is_message()
            && before.is_none_or(|tier| tier >= Tier::Tail);
        (is_behind || is_listed(&seen.item.key)) == (before == Some(Tier::Tail))
    };
    keep == used
        && !observed.broken[..=Tier::Tail.number()].contains(&true)
        && observed.items.iter().all(same)
}
