//! What holds for every policy, session and provider.

use proptest::prelude::*;

use super::session::{POLICIES, SYSTEM, request, sessions, terms};
use crate::tier::cache::{PromptCache, SentBlock, sent};
use crate::tier::{Key, Notice, State, Step, Tier, TierPolicy, advance, decode, encode, explain};

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, cases: 128, ..ProptestConfig::default() })]

    #[test]
    fn every_item_stands_in_one_block_and_the_blocks_in_order(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let mut state = State::default();
            for items in &session {
                let step = advance(policy, &state, &request(items), &terms);
                let blocks = &step.layout.blocks;
                let mut laid: Vec<&Key> = blocks.iter().flat_map(|block| &block.keys).collect();
                let mut given: Vec<&Key> = items.iter().map(|item| &item.key).collect();
                laid.sort();
                given.sort();
                prop_assert_eq!(laid, given);
                prop_assert!(blocks.is_sorted_by_key(|block| block.tier));
                prop_assert!(blocks.iter().all(|block| block.keys.is_sorted()));
                prop_assert!(blocks.iter().all(|block| block.tier == Tier::L0 || !block.keys.is_empty()));
                prop_assert_eq!(blocks[0].tier, Tier::L0);
                let total = SYSTEM.tokens + items.iter().map(|item| item.content.tokens).sum::<u64>();
                prop_assert_eq!(blocks.iter().map(|block| block.tokens).sum::<u64>(), total);
                state = step.state;
            }
        }
    }

    #[test]
    fn messages_keep_their_order_and_what_is_listed_stands_behind_the_tiers(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let mut state = State::default();
            for items in &session {
                let step = advance(policy, &state, &request(items), &terms);
                let laid = step.layout.blocks.iter().flat_map(|block| block.keys.iter().map(|key| (key, block.tier)));
                let numbers: Vec<&Key> = laid.clone().map(|(key, _)| key).filter(|key| key.is_message()).collect();
                prop_assert!(numbers.is_sorted());
                prop_assert!(laid.clone().all(|(key, tier)| !matches!(key, Key::Url(_) | Key::Tree) || tier >= Tier::Tail));
                state = step.state;
            }
        }
    }

    #[test]
    fn marks_are_few_and_never_on_a_short_prefix(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let mut state = State::default();
            for items in &session {
                let step = advance(policy, &state, &request(items), &terms);
                let mut prefix_tokens = 0;
                for block in &step.layout.blocks {
                    prefix_tokens += block.tokens;
                    prop_assert!(!block.ends_with_breakpoint || prefix_tokens >= terms.prefix_tokens_min);
                    prop_assert!(!block.ends_with_breakpoint || block.tier != Tier::Active);
                }
                let marks = step.layout.blocks.iter().filter(|block| block.ends_with_breakpoint).count();
                prop_assert!(marks <= 4.min(terms.breakpoints_max as usize));
                state = step.state;
            }
        }
    }

    /// The prefix law: what stands before the first block that differs is the same on the wire.
    #[test]
    fn equal_blocks_in_front_are_equal_on_the_wire(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let mut state = State::default();
            let mut last: Option<(Step, Vec<SentBlock>)> = None;
            for items in &session {
                let step = advance(policy, &state, &request(items), &terms);
                let row = sent(&step.layout, &request(items));
                if let Some((before, row_before)) = &last {
                    let unchanged = |key: &Key| before.state.items.get(key).map(|item| item.content) == step.state.items.get(key).map(|item| item.content);
                    let pairs = before.layout.blocks.iter().zip(&step.layout.blocks);
                    let equal = pairs.take_while(|(a, b)| (a.tier, &a.keys) == (b.tier, &b.keys) && a.keys.iter().all(unchanged));
                    let tokens: u64 = equal.map(|(_, block)| block.tokens).sum();
                    let mut same_tokens = 0;
                    for (a, b) in row_before.iter().zip(&row).take_while(|(a, b)| a.digest == b.digest) {
                        prop_assert_eq!(a.tokens, b.tokens);
                        same_tokens += b.tokens;
                    }
                    prop_assert!(same_tokens >= tokens);
                }
                state = step.state.clone();
                last = Some((step, row));
            }
        }
    }

    #[test]
    fn what_changed_is_active_at_once_when_counted(session in sessions()) {
        let mut state = State::default();
        for items in &session {
            let step = advance(TierPolicy::Counter, &state, &request(items), &super::session::TERMS);
            for item in items.iter().filter(|item| state.requests > 0 && !item.key.is_message()) {
                let unchanged = state.items.get(&item.key).is_some_and(|tracked| tracked.content == item.content);
                prop_assert!(unchanged || step.layout.tier_of(&item.key) == Some(Tier::Active));
            }
            state = step.state;
        }
    }

    #[test]
    fn n_grows_by_at_most_one_in_a_request_or_is_set_to_an_entry(session in sessions()) {
        let mut state = State::default();
        for items in &session {
            let step = advance(TierPolicy::Counter, &state, &request(items), &super::session::TERMS);
            for (key, tracked) in &step.state.items {
                let before = state.items.get(key).filter(|before| before.content == tracked.content);
                if let Some(before) = before.filter(|_| !key.is_message()) {
                    let counted = tracked.n == before.n || tracked.n == before.n + 1;
                    let set = [12, 9, 6, 3].contains(&tracked.n) && tracked.n <= before.n + 1;
                    let follows = counted || set;
                    prop_assert!(follows);
                }
            }
            state = step.state;
        }
    }

    #[test]
    fn a_session_goes_on_after_a_restart_and_in_any_order(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let (mut state, mut restarted) = (State::default(), State::default());
            for items in &session {
                let backwards: Vec<_> = items.iter().rev().cloned().collect();
                let step = advance(policy, &state, &request(items), &terms);
                let again = advance(policy, &restarted, &request(&backwards), &terms);
                prop_assert_eq!(&step, &again);
                prop_assert_eq!(explain(&state, &request(items), &step).len(), items.len());
                let (read_back, notice) = decode(&encode(&again.state));
                prop_assert_eq!(notice, None);
                (state, restarted) = (step.state, read_back);
            }
        }
    }

    #[test]
    fn damaged_states_are_built_anew(session in sessions(), at in any::<prop::sample::Index>(), bit in 0_u8..8) {
        let step = advance(TierPolicy::ExpectedCost, &State::default(), &request(&session[0]), &super::session::TERMS);
        let mut bytes = encode(&step.state);
        prop_assert_eq!(decode(&bytes[..at.index(bytes.len())]), (State::default(), Some(Notice::Damaged)));
        let at = at.index(bytes.len());
        bytes[at] ^= 1 << bit;
        let (state, notice) = decode(&bytes);
        prop_assert_eq!(state, State::default());
        prop_assert!(notice.is_some());
    }

    #[test]
    fn no_token_is_lost_or_paid_twice(session in sessions(), terms in terms()) {
        for policy in POLICIES {
            let (mut state, mut cache) = (State::default(), PromptCache::default());
            for items in &session {
                let step = advance(policy, &state, &request(items), &terms);
                let bill = cache.take(&sent(&step.layout, &request(items)), &terms);
                prop_assert_eq!(bill.tokens(), step.layout.blocks.iter().map(|block| block.tokens).sum::<u64>());
                state = step.state;
            }
        }
    }
}

#[test]
fn other_versions_are_told_apart_from_damage() {
    let mut bytes = encode(&State::default());
    assert_eq!(decode(&bytes), (State::default(), None));
    bytes[b"git-merkle/tiers".len()] = 9;
    assert_eq!(decode(&bytes).1, Some(Notice::UnknownVersion(9)));
    assert_eq!(decode(b"").1, Some(Notice::Damaged));
}
