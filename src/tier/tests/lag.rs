//! What lags: one update for each, behind it, and never for more than it costs.

use proptest::prelude::*;

use super::session::{TERMS, content, request, sessions, symbols, terms};
use crate::base::TreePath;
use crate::tier::cache::predict;
use crate::tier::{Item, Key, State, Tier, TierPolicy, Touches, advance, advance_lagging};

/// What may be said of the items that the last request had: those that are not there any more are gone.
fn updates(state: &State, items: &[Item]) -> Vec<Item> {
    let now = |key: &Key| items.iter().find(|item| item.key == *key).cloned();
    let gone = |key: &Key| Item {
        key: key.clone(),
        content: content("gone", 5),
        touches: Touches::default(),
    };
    let keys = state
        .items
        .keys()
        .filter(|key| !matches!(key, Key::Update(_)));
    // A file that is shown in another form is not gone.
    let is_there = |key: &Key| items.iter().any(|item| item.key.path() == key.path());
    let update = |key| now(key).or_else(|| (!is_there(key)).then(|| gone(key)));
    keys.filter_map(update).collect()
}

/// After a request that has everything in its first tier.
fn all_in_front(items: &[Item]) -> State {
    let request = request(items);
    let mut state = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &request,
        &TERMS,
    )
    .state;
    for tracked in state.items.values_mut() {
        tracked.tier = Tier::L0;
    }
    state
}

/// Before, one changed line of a map was a prompt that was written whole.
#[test]
fn a_change_in_the_first_tier_is_read_up_to_its_update() {
    let map = |version| -> Vec<Item> {
        let others = (0..40).map(|file| symbols(&format!("{file:02}.rs"), 1, 400));
        std::iter::once(symbols("a.rs", version, 400))
            .chain(others)
            .collect()
    };
    let (first, second) = (map(1), map(2));
    let state = all_in_front(&first);
    let plain = advance(TierPolicy::ExpectedCost, &state, &request(&second), &TERMS);
    assert_eq!(
        predict(&state, &plain.layout, &request(&second), &TERMS).read,
        0
    );
    let (step, items) = advance_lagging(
        TierPolicy::ExpectedCost,
        &state,
        &request(&second),
        &TERMS,
        &updates(&state, &second),
    );
    let bill = predict(&state, &step.layout, &request(&items), &TERMS);
    assert_eq!((bill.read, bill.written + bill.plain), (16_900, 400));
    let update = Key::Update(TreePath::from("a.rs"));
    assert!(step.layout.tier_of(&update) > step.layout.tier_of(&first[0].key));

    // A file that is gone is said to be gone.
    let (_, items) = advance_lagging(
        TierPolicy::ExpectedCost,
        &state,
        &request(&second[1..]),
        &TERMS,
        &updates(&state, &second[1..]),
    );
    assert!(
        items
            .iter()
            .any(|item| item.key == update && item.content.tokens == 5)
    );

    // The same again is no change; a text that cannot be sent again does not lag; counters let nothing lag.
    let (again, items) = advance_lagging(
        TierPolicy::ExpectedCost,
        &step.state,
        &request(&second),
        &TERMS,
        &updates(&step.state, &second),
    );
    assert_eq!(again.state.edits, step.state.edits);
    assert!(predict(&step.state, &again.layout, &request(&items), &TERMS).read >= 16_900);
    for (policy, updates) in [
        (TierPolicy::ExpectedCost, Vec::new()),
        (TierPolicy::Counter, updates(&state, &second)),
    ] {
        let (_, items) = advance_lagging(policy, &state, &request(&second), &TERMS, &updates);
        assert_eq!(items, second);
    }
}

#[test]
fn the_text_of_a_file_never_lags_and_the_statement_of_a_directory_may() {
    for (path, lags) in [("src/a.rs", false), ("src/", true), ("./", true)] {
        let item = |version: u32| Item {
            key: Key::File(path.into()),
            content: content(&format!("{path} {version}"), 100),
            touches: Touches::default(),
        };
        let items = |version| vec![item(version), symbols("b.rs", 1, 9_000)];
        let (state, now) = (all_in_front(&items(1)), items(2));
        let (_, laid) = advance_lagging(
            TierPolicy::ExpectedCost,
            &state,
            &request(&now),
            &TERMS,
            &updates(&state, &now),
        );
        let has_update = laid.iter().any(|item| matches!(item.key, Key::Update(_)));
        assert_eq!(has_update, lags, "{path}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    /// What holds now is said once; what lags is what the last request said, stands before its update, and costs less.
    #[test]
    fn what_lags_has_one_update_behind_it(session in sessions(), terms in terms()) {
        let mut state = State::default();
        for items in &session {
            let asked = request(items);
            let plain = advance(TierPolicy::ExpectedCost, &state, &asked, &terms);
            let (step, laid) =
                advance_lagging(TierPolicy::ExpectedCost, &state, &asked, &terms, &updates(&state, items));
            prop_assert!(step.cost <= plain.cost);
            let find = |key: &Key| laid.iter().find(|item| item.key == *key);
            for item in items {
                let shown = find(&item.key).expect("nothing is left out");
                let update = item.key.path().and_then(|path| find(&Key::Update(path.clone())));
                if shown.content == item.content {
                    prop_assert!(update.is_none());
                    continue;
                }
                prop_assert_eq!(update.map(|update| update.content), Some(item.content));
                let before = state.items[&item.key];
                prop_assert_eq!(before.content, shown.content);
                let tier_of = |key: &Key| step.layout.tier_of(key);
                let update = update.map(|update| tier_of(&update.key));
                prop_assert!(update.flatten() >= tier_of(&item.key));
            }
            for update in laid.iter().filter(|item| matches!(item.key, Key::Update(_))) {
                let path = update.key.path().expect("it is about a file");
                let lagging = Key::Symbols(path.clone());
                let (before, shown) = (state.items.get(&lagging), find(&lagging));
                prop_assert_eq!(shown.map(|item| item.content), before.map(|item| item.content));
                let gone = !items.iter().any(|item| item.key == lagging);
                prop_assert!(!gone || update.content == content("gone", 5));
            }
            state = step.state;
        }
    }
}
