//! Where to cut a row of items into tiers: dynamic programming over the places of the cuts.
//!
//! `cost(i, j) = (tokens[j] - tokens[i]) × rate[j]` is what a tier from place i to place j costs. Tokens and rates never
//! fall from one place to the next, so the cost is a Monge array: where the best start for one end is known, the best
//! starts for later ends do not come before it. That makes a row of the table n log n instead of n².

/// A row of items, seen as the places between them: place 0 is before the first.
pub(super) struct Row {
    /// Tokens before each place; never falling.
    pub(super) tokens: Vec<u64>,
    /// What a token costs in a tier that ends at each place; never falling.
    pub(super) rate: Vec<u128>,
    /// What a token costs behind the last tier.
    pub(super) rate_behind: u128,
    /// What else there is to pay when the last tier ends at each place.
    pub(super) behind: Vec<u128>,
    /// The first place at which a tier may end.
    pub(super) first: usize,
}

/// The ends of the tiers, ascending, and what they and the rest cost.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Cuts {
    pub(super) ends: Vec<usize>,
    pub(super) cost: u128,
}

/// The cheapest cuts into at most `tiers_max` tiers; of equally cheap ones those with fewer tiers, then the earlier ones.
pub(super) fn best_cuts(row: &Row, tiers_max: usize) -> Cuts {
    let places = row.tokens.len();
    let all = row.tokens[places - 1];
    let mut best = Cuts {
        ends: Vec::new(),
        cost: u128::from(all) * row.rate_behind + row.behind[0],
    };
    let mut costs: Vec<Option<u128>> = vec![None; places];
    costs[0] = Some(0);
    let mut starts_by_tier: Vec<Vec<usize>> = Vec::new();
    for _ in 0..tiers_max {
        let (next, starts) = extend(row, &costs);
        starts_by_tier.push(starts);
        for (end, cost) in next
            .iter()
            .enumerate()
            .filter_map(|(end, cost)| Some((end, (*cost)?)))
        {
            let cost = cost + u128::from(all - row.tokens[end]) * row.rate_behind + row.behind[end];
            if cost < best.cost {
                best = Cuts {
                    ends: ends(&starts_by_tier, end),
                    cost,
                };
            }
        }
        costs = next;
    }
    best
}

/// One more tier: the least cost for each end, and where that tier starts.
fn extend(row: &Row, before: &[Option<u128>]) -> (Vec<Option<u128>>, Vec<usize>) {
    let places = row.tokens.len();
    let reachable: Vec<usize> = (0..places)
        .filter(|place| before[*place].is_some())
        .collect();
    let (mut costs, mut starts) = (vec![None; places], vec![0; places]);
    // Ranges of ends, each with the range of `reachable` in which their best starts lie.
    let mut pending = vec![(row.first..places, 0..reachable.len())];
    while let Some((range, among)) = pending.pop() {
        if range.is_empty() {
            continue;
        }
        let end = range.start.midpoint(range.end);
        let mut found = None;
        for at in among.clone().take_while(|at| reachable[*at] <= end) {
            let start = reachable[at];
            let tier = u128::from(row.tokens[end] - row.tokens[start]) * row.rate[end];
            let cost = before[start].unwrap_or_default() + tier;
            if found.is_none_or(|(least, _)| cost < least) {
                found = Some((cost, at));
            }
        }
        let at = found.map_or(among.start, |(_, at)| at);
        if let Some((cost, at)) = found {
            (costs[end], starts[end]) = (Some(cost), reachable[at]);
        }
        pending.push((range.start..end, among.start..(at + 1).min(among.end)));
        pending.push((end + 1..range.end, at..among.end));
    }
    (costs, starts)
}

/// Follows the starts back from the last end.
fn ends(starts_by_tier: &[Vec<usize>], last: usize) -> Vec<usize> {
    let mut ends = vec![last];
    for starts in starts_by_tier.iter().skip(1).rev() {
        let end = ends[ends.len() - 1];
        ends.push(starts[end]);
    }
    ends.reverse();
    ends
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Every way to cut, one after the other.
    fn least_cost(row: &Row, start: usize, tiers_left: usize) -> u128 {
        let places = row.tokens.len();
        let mut least = u128::from(row.tokens[places - 1] - row.tokens[start]) * row.rate_behind
            + row.behind[start];
        for end in (row.first.max(start)..places).filter(|_| tiers_left > 0) {
            let tier = u128::from(row.tokens[end] - row.tokens[start]) * row.rate[end];
            least = least.min(tier + least_cost(row, end, tiers_left - 1));
        }
        least
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_other_cuts_are_cheaper(
            sizes in prop::collection::vec((0_u64..50, 0_u64..9, 0_u128..99), 0..9),
            first in 0_usize..4, rate_behind in 0_u128..40, tiers_max in 0_usize..5,
        ) {
            let (mut tokens, mut rate, mut behind) = (vec![0], vec![5], vec![7]);
            for (size, step, more) in sizes {
                behind.push(more);
                tokens.push(tokens[tokens.len() - 1] + size);
                rate.push(rate[rate.len() - 1] + u128::from(step));
            }
            let row = Row { tokens, rate, rate_behind, behind, first };
            let cuts = best_cuts(&row, tiers_max);
            prop_assert!(cuts.ends.is_sorted() && cuts.ends.len() <= tiers_max);
            prop_assert!(cuts.ends.iter().all(|end| *end >= row.first && *end < row.tokens.len()));
            let mut told = 0;
            let mut start = 0;
            for end in &cuts.ends {
                told += u128::from(row.tokens[*end] - row.tokens[start]) * row.rate[*end];
                start = *end;
            }
            told += u128::from(row.tokens[row.tokens.len() - 1] - row.tokens[start]) * row.rate_behind + row.behind[start];
            prop_assert_eq!(told, cuts.cost);
            prop_assert_eq!(cuts.cost, least_cost(&row, 0, tiers_max));
        }
    }
}
