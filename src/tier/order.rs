//! In which order items are put behind one another: next is always the item that adds least risk for each token.
//!
//! What an item adds is the chance that it changes when nothing before it does. Of files that change together the first
//! brings all of the risk and the others come for nothing, which their chances alone do not say. An event is hit
//! once, and only the items it hits are looked at again then, so the work grows with the number of hits.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::chance::{Outlook, Prefix};

/// Places behind the point of a chance by token; with those of a chance they fill a number.
const RISK_BITS: u32 = 31;

/// One thing to place: the item that stands for it, and its size.
#[derive(Debug, Clone, Copy)]
pub(super) struct Weighed {
    pub(super) item: usize,
    pub(super) tokens: u64,
}

/// The order behind a prefix, as places in `free`; of equal ones the first given comes first.
pub(super) fn by_added_risk(
    outlook: &Outlook,
    mut prefix: Prefix<'_>,
    free: &[Weighed],
) -> Vec<usize> {
    let hit_by = hit_by(outlook, free);
    let mut added: Vec<u64> = free
        .iter()
        .map(|weighed| prefix.added_weight(weighed.item))
        .collect();
    let risk = |at: usize, added: u64| {
        let Weighed { item, tokens } = free[at];
        (outlook.chance_by(item, added) << RISK_BITS) / tokens.max(1)
    };
    let mut pending: BinaryHeap<_> = (0..free.len())
        .map(|at| Reverse((risk(at, added[at]), at)))
        .collect();
    let (mut order, mut is_placed) = (Vec::with_capacity(free.len()), vec![false; free.len()]);
    let mut fallen = Vec::new();
    while let Some(Reverse((_, at))) = pending.pop() {
        // An item whose risk has fallen stands here more than once; the first time is the true one.
        if std::mem::replace(&mut is_placed[at], true) {
            continue;
        }
        order.push(at);
        for event in prefix.add(free[at].item) {
            for other in hit_by[event as usize]
                .iter()
                .copied()
                .filter(|other| !is_placed[*other])
            {
                added[other] -= outlook.weight_of(event);
                fallen.push(other);
            }
        }
        fallen.sort_unstable();
        fallen.dedup();
        pending.extend(
            fallen
                .drain(..)
                .map(|other| Reverse((risk(other, added[other]), other))),
        );
    }
    order
}

/// By event: what it hits.
fn hit_by(outlook: &Outlook, free: &[Weighed]) -> Vec<Vec<usize>> {
    let mut hit_by = vec![Vec::new(); outlook.events()];
    for (at, weighed) in free.iter().enumerate() {
        for event in outlook.events_of(weighed.item) {
            hit_by[*event as usize].push(at);
        }
    }
    hit_by
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::{Digest, TreePath};
    use crate::tier::observe::observe;
    use crate::tier::{Content, Item, Key, Request, State, Touches};
    use proptest::prelude::*;

    fn item(at: usize) -> Item {
        let key = Key::Symbols(TreePath::from(format!("{at:02}").as_str()));
        Item {
            key,
            content: Content {
                digest: Digest([0; 32]),
                tokens: 1,
            },
            touches: Touches::default(),
        }
    }

    fn sample(items: &[Item], hits: &[Vec<usize>]) -> Outlook {
        let path = |at: &usize| items[*at % items.len()].key.path().cloned();
        let events: Vec<_> = hits
            .iter()
            .map(|hit| hit.iter().filter_map(path).collect())
            .collect();
        let nothing = Request {
            system: Content {
                digest: Digest([0; 32]),
                tokens: 0,
            },
            items: &[],
            components: &[],
            commits: 0,
            aliases: &[],
        };
        let state = State::default();
        Outlook::of_sample(
            &items.iter().collect::<Vec<_>>(),
            &events,
            &state,
            &observe(&state, &nothing),
        )
    }

    #[test]
    fn files_that_change_together_stand_together() {
        let items: Vec<Item> = (0..4).map(item).collect();
        let outlook = sample(
            &items,
            &[vec![0, 3], vec![0, 3], vec![1], vec![2], vec![], vec![]],
        );
        let free: Vec<Weighed> = [90, 100, 110, 80]
            .iter()
            .copied()
            .zip(0..)
            .map(|(tokens, item)| Weighed { item, tokens })
            .collect();
        assert_eq!(
            by_added_risk(&outlook, outlook.prefix(), &free),
            [2, 1, 0, 3]
        );
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        /// The heap gives what looking at every item each time gives.
        #[test]
        fn every_next_item_adds_least_risk(
            tokens in prop::collection::vec(1_u64..50, 1..12),
            hits in prop::collection::vec(prop::collection::vec(0_usize..12, 0..5), 1..12),
        ) {
            let items: Vec<Item> = (0..tokens.len()).map(item).collect();
            let outlook = sample(&items, &hits);
            let free: Vec<Weighed> = tokens.iter().copied().zip(0..).map(|(tokens, item)| Weighed { item, tokens }).collect();
            let (mut prefix, mut left) = (outlook.prefix(), (0..free.len()).collect::<Vec<_>>());
            for at in by_added_risk(&outlook, outlook.prefix(), &free) {
                let risk = |at: usize| (outlook.chance_by(at, prefix.added_weight(at)) << RISK_BITS) / free[at].tokens;
                prop_assert_eq!(left.iter().copied().min_by_key(|at| (risk(*at), *at)), Some(at));
                left.retain(|other| *other != at);
                prefix.add(at);
            }
            prop_assert!(left.is_empty());
        }
    }
}
