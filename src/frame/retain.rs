//! What may go from a slot of the store: a pure choice among its generations.
//!
//! | frame | goes when |
//! |---|---|
//! | what a person said, ended or declared void | never |
//! | what this program cannot read | never |
//! | derived (an outline, a synthesis) | its node stands in no tip, or it is superseded |
//! | a model's | no history reaches its node, or it is superseded |
//!
//! Superseded are generations below the newest that was made and those kept before it. Of what was made the newest stays
//! above what a person said, since that would be the newest of the slot without it. And a generation counts only if it is within reach
//! of the next lower one (`listing`), so that where a gap would be too wide one of those between stays.

use crate::base::limit::SEQ_GAP_MAX;

/// Who made a frame, as far as retention depends on it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Producer {
    /// Said, ended or declared void by a person, or not to be read by this program.
    Person,
    /// Answered by a model.
    Model,
    /// Made from the objects by a fixed rule, and made again for nothing.
    Derived,
}

/// Where a slot's node stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Standing {
    /// In no history that counts.
    Nowhere,
    /// In the tree of a commit of a history that counts.
    History,
    /// In a tip.
    Tip,
}

/// Why a frame goes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Why {
    /// It is made again when it is needed.
    Derived,
    /// There are newer generations.
    Superseded,
    /// No ref reaches its node any more.
    Unreached,
}

/// Chooses from a slot's generations, given as numbers and origins from the oldest on: for each why it goes, or none.
///
/// `keep` is how many generations stay besides the newest; `is_bound` says of one that would go whether it must stay all the same.
pub fn choose(
    slot: &[(u32, Producer)],
    standing: Standing,
    keep: usize,
    is_bound: &mut dyn FnMut(usize, Why) -> bool,
) -> Vec<Option<Why>> {
    let made = |at: &usize| slot[*at].1 != Producer::Person;
    let mut goes: Vec<Option<Why>> = vec![None; slot.len()];
    for (newer, at) in (0..slot.len()).rev().filter(made).enumerate() {
        goes[at] = match (slot[at].1, standing) {
            (Producer::Derived, Standing::History | Standing::Nowhere) => Some(Why::Derived),
            (Producer::Model, Standing::Nowhere) => Some(Why::Unreached),
            _ => (newer > keep).then_some(Why::Superseded),
        };
        goes[at] = goes[at].filter(|why| !is_bound(at, *why));
    }
    let newest = (0..slot.len()).rev().find(made);
    if let Some(newest) = newest.filter(|newest| {
        slot[..*newest]
            .iter()
            .any(|(_, origin)| *origin == Producer::Person)
    }) {
        goes[newest] = None;
    }
    close_gaps(slot, &mut goes);
    goes
}

/// Keeps of what goes the highest generation within reach, wherever the next one that stays would be out of reach.
fn close_gaps(slot: &[(u32, Producer)], goes: &mut [Option<Why>]) {
    let (mut below, mut next) = (0_u32, 0);
    while let Some(stays) = (next..slot.len()).find(|at| goes[*at].is_none()) {
        let reach = below.saturating_add(SEQ_GAP_MAX);
        let between = (next..stays).rev().find(|at| slot[*at].0 <= reach);
        match between.filter(|_| slot[stays].0 > reach) {
            Some(at) => (goes[at], below, next) = (None, slot[at].0, at + 1),
            None => (below, next) = (slot[stays].0, stays + 1),
        }
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    /// `p`, `m` and `d` for a person, a model and a rule; what goes is marked with its reason.
    fn chosen(slot: &str, standing: Standing, keep: usize) -> String {
        let origin = |letter| match letter {
            'p' => Producer::Person,
            'm' => Producer::Model,
            _ => Producer::Derived,
        };
        let generations: Vec<(u32, Producer)> = (1..).zip(slot.chars().map(origin)).collect();
        let mark = |(letter, why): (char, &Option<Why>)| match why {
            None => letter,
            Some(Why::Derived) => '-',
            Some(Why::Superseded) => '<',
            Some(Why::Unreached) => '0',
        };
        slot.chars()
            .zip(&choose(&generations, standing, keep, &mut |_, _| false))
            .map(mark)
            .collect()
    }

    #[test]
    fn what_people_say_stays_and_what_was_made_goes_by_its_standing() {
        use Standing::{History, Nowhere, Tip};
        for (slot, standing, keep, expected) in [
            ("d", Tip, 0, "d"),
            ("d", History, 0, "-"),
            ("ddd", Tip, 1, "<dd"),
            ("mmm", Tip, 0, "<<m"),
            ("mmm", History, 1, "<mm"),
            ("mmm", Nowhere, 1, "000"),
            ("ppp", Nowhere, 0, "ppp"),
            // An invalidation is a person's; so the newest above what a person handed in stays.
            ("mpm", Nowhere, 0, "0pm"),
            ("mmpp", Nowhere, 0, "00pp"),
            ("pdd", History, 1, "p-d"),
            ("mpmpm", Tip, 1, "<pmpm"),
        ] {
            assert_eq!(
                chosen(slot, standing, keep),
                expected,
                "{slot} {standing:?} {keep}"
            );
        }
    }

    fn slots() -> impl Strategy<Value = Vec<(u32, Producer)>> {
        let origin = prop_oneof![
            Just(Producer::Person),
            Just(Producer::Model),
            Just(Producer::Derived)
        ];
        let step = prop_oneof![4 => 1..3_u32, 1 => SEQ_GAP_MAX - 2..=SEQ_GAP_MAX];
        prop::collection::vec((step, origin), 0..12).prop_map(|steps| {
            let next = |seq: &mut u32, (step, origin)| {
                *seq += step;
                Some((*seq, origin))
            };
            steps.into_iter().scan(0, next).collect()
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn what_stays_counts_and_the_newest_is_among_it(slot in slots(), standing in 0..3_usize, keep in 0..3_usize) {
            let standing = [Standing::Nowhere, Standing::History, Standing::Tip][standing];
            let goes = choose(&slot, standing, keep, &mut |_, _| false);
            let left: Vec<_> = slot.iter().zip(&goes).filter(|(_, why)| why.is_none()).map(|(frame, _)| *frame).collect();
            let mut below = 0;
            for (seq, _) in &left {
                prop_assert!(*seq <= below + SEQ_GAP_MAX, "{left:?}");
                below = *seq;
            }
            let people = |slot: &[(u32, Producer)]| slot.iter().filter(|(_, origin)| *origin == Producer::Person).count();
            prop_assert_eq!(people(&left), people(&slot));
            let head = slot.iter().rfind(|(_, origin)| *origin != Producer::Person);
            if standing == Standing::Tip || people(&left) > 0 && slot.first().is_some_and(|(_, origin)| *origin == Producer::Person) {
                prop_assert_eq!(left.iter().rfind(|(_, origin)| *origin != Producer::Person), head, "the newest stays");
            }
        }

        #[test]
        fn what_is_bound_stays(slot in slots(), standing in 0..3_usize, bound in any::<u16>()) {
            let standing = [Standing::Nowhere, Standing::History, Standing::Tip][standing];
            let goes = choose(&slot, standing, 0, &mut |at, _| bound >> at & 1 == 1);
            prop_assert!(goes.iter().enumerate().all(|(at, why)| why.is_none() || bound >> at & 1 == 0));
        }
    }
}
