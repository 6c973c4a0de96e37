//! The rules of `counter`, one by one.

use super::session::{TERMS, message, repeat, request, symbols, tier};
use crate::base::TreePath;
use crate::tier::{CacheTerms, Item, Key, Request, State, Tier, TierPolicy, advance};

/// The tokens that a tier needs: the larger of 1,024 and the minimum, and a tenth more.
const ENOUGH: u64 = 1_127;

fn counted(items: &[Item], times: usize) -> crate::tier::Step {
    repeat(TierPolicy::Counter, &State::default(), items, times)
}

#[test]
fn an_item_rises_by_a_tier_every_three_requests() {
    let items = [symbols("a", 1, ENOUGH)];
    let tiers: Vec<_> = (1..=14)
        .map(|times| tier(&counted(&items, times).layout, "a").unwrap().as_str())
        .collect();
    let expected = [
        "active", "active", "active", "L3", "L3", "L3", "L2", "L2", "L2", "L1", "L1", "L1", "L0",
        "L0",
    ];
    assert_eq!(tiers, expected);
}

#[test]
fn a_tier_that_is_whole_takes_nothing_in() {
    let mut items = vec![symbols("a", 1, ENOUGH)];
    let step = repeat(TierPolicy::Counter, &State::default(), &items, 7);
    assert_eq!(tier(&step.layout, "a"), Some(Tier::L2));
    items.push(symbols("b", 1, ENOUGH));
    // When 'b' has waited long enough in L3 for L2, 'a' has gone on, so that L2 is empty.
    let step = repeat(TierPolicy::Counter, &step.state, &items, 6);
    assert_eq!(
        (tier(&step.layout, "a"), tier(&step.layout, "b")),
        (Some(Tier::L0), Some(Tier::L3))
    );
    let step = repeat(TierPolicy::Counter, &step.state, &items, 9);
    // L0 is whole: 'b' has an n that would do and stays in L1.
    assert_eq!(
        (tier(&step.layout, "a"), tier(&step.layout, "b")),
        (Some(Tier::L0), Some(Tier::L1))
    );
    items[0] = symbols("a", 2, ENOUGH);
    let step = repeat(TierPolicy::Counter, &step.state, &items, 1);
    assert_eq!(
        (tier(&step.layout, "a"), tier(&step.layout, "b")),
        (Some(Tier::Active), Some(Tier::L0))
    );
}

#[test]
fn a_small_tier_gives_its_items_down() {
    let small = [symbols("a", 1, ENOUGH - 1)];
    assert_eq!(tier(&counted(&small, 9).layout, "a"), Some(Tier::Active));
    let demanding = CacheTerms {
        prefix_tokens_min: 4_096,
        ..TERMS
    };
    let step = advance(
        TierPolicy::Counter,
        &counted(&[symbols("a", 1, ENOUGH)], 3).state,
        &request(&small),
        &demanding,
    );
    assert_eq!(tier(&step.layout, "a"), Some(Tier::Active));
}

#[test]
fn a_large_tier_holds_what_it_needs_to_stay_large() {
    let items = [symbols("a", 1, ENOUGH), symbols("b", 1, ENOUGH)];
    let step = counted(&items, 7);
    let n = |path: &str| step.state.items[&Key::Symbols(TreePath::from(path))].n;
    // Both have waited equally long in L3; the first by path fills it, so its n stands still.
    assert_eq!((tier(&step.layout, "a"), n("a")), (Some(Tier::L3), 3));
    assert_eq!((tier(&step.layout, "b"), n("b")), (Some(Tier::L2), 6));
}

#[test]
fn the_first_request_spreads_components_over_three_tiers() {
    let items = [
        symbols("a", 1, 3_000),
        symbols("b", 1, 1_000),
        symbols("c", 1, 1_500),
        symbols("d", 1, 1_200),
        symbols("e", 1, 90),
    ];
    let components =
        ["d", "a b", "c"].map(|paths| paths.split(' ').map(TreePath::from).collect::<Vec<_>>());
    let first = Request {
        components: &components,
        ..request(&items)
    };
    let step = advance(TierPolicy::Counter, &State::default(), &first, &TERMS);
    let tiers = ["a", "b", "c", "d", "e"].map(|path| tier(&step.layout, path).unwrap().as_str());
    assert_eq!(tiers, ["L1", "L1", "L2", "L3", "active"]);
}

#[test]
fn a_conversation_graduates_oldest_first() {
    let talk = |messages: u32| -> Vec<Item> {
        (0..messages)
            .map(|number| message(number, 400))
            .chain([symbols("a", 1, ENOUGH)])
            .collect()
    };
    // The messages have waited longer than they need; less than the target of them does not rebuild L3.
    let whole = repeat(TierPolicy::Counter, &State::default(), &talk(0), 4);
    assert_eq!(tier(&whole.layout, "a"), Some(Tier::L3));
    let few = repeat(TierPolicy::Counter, &whole.state, &talk(2), 2);
    assert_eq!(few.layout.tier_of(&Key::Message(0)), Some(Tier::Active));
    // 'a' leaves L3, which is rebuilt; what is ripe of the conversation goes along.
    let rebuilt = repeat(TierPolicy::Counter, &few.state, &talk(2), 2);
    assert_eq!(tier(&rebuilt.layout, "a"), Some(Tier::L2));
    let many = repeat(TierPolicy::Counter, &State::default(), &talk(3), 4);
    let tiers: Vec<_> = (0..3)
        .filter_map(|number| many.layout.tier_of(&Key::Message(number)))
        .collect();
    assert_eq!(tiers, [Tier::L3; 3]);
}
