//! What `expected-cost` is for: it caches what is likely to stay, and keeps what is dear to write again.

use super::session::{TERMS, message, repeat, request, symbols, tier};
use crate::tier::cache::predict;
use crate::tier::{Item, Key, Request, State, Tier, TierPolicy, Touches, advance, explain};

fn touched(path: &str, tokens: u64, commits_ago: &[u32]) -> Item {
    let touches = Touches {
        commits_ago: commits_ago.to_vec(),
        ..Touches::default()
    };
    Item {
        touches,
        ..symbols(path, 1, tokens)
    }
}

fn of_commits(items: &[Item], commits: u32) -> Request<'_> {
    Request {
        commits,
        ..request(items)
    }
}

#[test]
fn what_changes_in_every_commit_is_never_cached() {
    let hot: Vec<u32> = (0..50).collect();
    let mut items = [
        touched("cold", 9_000, &[40]),
        touched("hot", 9_000, &hot),
        touched("warm", 9_000, &[3, 9, 14]),
    ];
    items[1].key = Key::File("hot".into());
    let step = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &of_commits(&items, 50),
        &TERMS,
    );
    let tiers = [0, 2, 1].map(|at| step.layout.tier_of(&items[at].key).unwrap());
    assert_eq!(tiers[2], Tier::Active);
    assert!(tiers[0] <= tiers[1] && tiers[1] < Tier::Active, "{tiers:?}");
    let reasons = explain(&State::default(), &of_commits(&items, 50), &step);
    let chances: Vec<u32> = reasons
        .iter()
        .map(|reason| reason.chance_per_mille)
        .collect();
    assert!(
        chances[0] < chances[1] && chances[1] < chances[2] && chances[2] > 990,
        "{chances:?}"
    );
}

#[test]
fn a_dirty_file_does_not_stand_before_a_clean_one() {
    let mut items = [touched("a", 5_000, &[30]), touched("b", 5_000, &[30])];
    items[0].touches.dirty = true;
    let step = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &of_commits(&items, 50),
        &TERMS,
    );
    assert!(tier(&step.layout, "b") < tier(&step.layout, "a"));
}

#[test]
fn an_intact_layout_is_kept() {
    let items: Vec<Item> = (0..6)
        .map(|at| touched(&format!("f{at}"), 2_000, &[at * 7]))
        .collect();
    let mut step = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &of_commits(&items, 50),
        &TERMS,
    );
    for _ in 0..5 {
        let next = advance(
            TierPolicy::ExpectedCost,
            &step.state,
            &of_commits(&items, 50),
            &TERMS,
        );
        let stood = step
            .layout
            .blocks
            .iter()
            .filter(|block| block.tier != Tier::Active);
        assert!(
            stood
                .clone()
                .all(|block| next.layout.block(block.tier) == Some(block))
        );
        step = next;
    }
}

#[test]
fn new_messages_join_the_end_of_what_is_cached() {
    let files = [touched("a", 8_000, &[]), touched("b", 8_000, &[])];
    let talk = |messages: u32| -> Vec<Item> {
        files
            .iter()
            .cloned()
            .chain((0..messages).map(|number| message(number, 600)))
            .collect()
    };
    let step = repeat(TierPolicy::ExpectedCost, &State::default(), &talk(2), 2);
    let next = repeat(TierPolicy::ExpectedCost, &step.state, &talk(4), 1);
    assert!(next.layout.tier_of(&Key::Message(3)) < Some(Tier::Active));
    assert_eq!(tier(&step.layout, "a"), tier(&next.layout, "a"));
}

fn full(path: &str, version: u32, is_passing: bool) -> Item {
    let item = symbols(path, version, 5_000);
    let touches = Touches {
        is_passing,
        ..Touches::default()
    };
    Item {
        key: Key::File(item.key.path().unwrap().clone()),
        touches,
        ..item
    }
}

fn chances(state: &State, items: &[Item]) -> Vec<u32> {
    let step = advance(TierPolicy::ExpectedCost, state, &request(items), &TERMS);
    explain(state, &request(items), &step)
        .iter()
        .map(|reason| reason.chance_per_mille)
        .collect()
}

/// Full texts that come and go with every request go on to do so; those that stay go on to stay.
#[test]
fn a_full_text_leaves_as_others_left() {
    let mut state = State::default();
    assert!(
        chances(&state, &[full("0", 1, true)])[0] > 800,
        "it was named for one request"
    );
    for at in 0..5 {
        let items = [full(&at.to_string(), 1, false), symbols("b", 1, 5_000)];
        state = advance(TierPolicy::ExpectedCost, &state, &request(&items), &TERMS).state;
    }
    assert!(chances(&state, &[full("5", 1, false), symbols("b", 1, 5_000)])[1] > 800);
    let items = [full("a", 1, false), symbols("b", 1, 5_000)];
    let stays = repeat(TierPolicy::ExpectedCost, &State::default(), &items, 20).state;
    assert!(chances(&stays, &[full("a", 1, false), full("c", 1, false)])[1] < 200);
}

/// A large text that is being worked on adds little risk for each of its tokens, and would pass all of it on to what is behind.
#[test]
fn what_is_worked_on_stands_behind_what_is_not() {
    let mut items: Vec<Item> = (0..6)
        .map(|at| touched(&format!("f{at}"), 2_000, &[at * 7]))
        .collect();
    let large = full("large", 1, true);
    items.push(Item {
        content: super::session::content("large", 140_000),
        ..large
    });
    let step = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &of_commits(&items, 50),
        &TERMS,
    );
    let last = step.layout.tier_of(&items[6].key);
    assert!(
        items[..6]
            .iter()
            .all(|item| step.layout.tier_of(&item.key) < last)
    );
}

/// What stands behind the tiers is written as well where the next request is likely to be the same up to there.
#[test]
fn what_is_sent_again_is_read_to_its_end() {
    let items = [
        symbols("b", 1, 5_000),
        full("a", 1, false),
        Item {
            key: Key::Tree,
            ..symbols("", 1, 900)
        },
    ];
    let first = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &request(&items),
        &TERMS,
    );
    let next = advance(
        TierPolicy::ExpectedCost,
        &first.state,
        &request(&items),
        &TERMS,
    );
    let bill = predict(&first.state, &next.layout, &request(&items), &TERMS);
    assert_eq!((bill.written, bill.plain), (0, 0), "{:?}", next.layout);
}

#[test]
fn reasons_are_sentences() {
    let items = [touched("a", 5_000, &[0, 2]), touched("b", 5_000, &[])];
    let step = advance(
        TierPolicy::ExpectedCost,
        &State::default(),
        &of_commits(&items, 4),
        &TERMS,
    );
    let next = advance(
        TierPolicy::ExpectedCost,
        &step.state,
        &of_commits(&items, 4),
        &TERMS,
    );
    let told: Vec<String> = explain(&step.state, &of_commits(&items, 4), &next)
        .iter()
        .map(ToString::to_string)
        .collect();
    insta::assert_snapshot!(told.join("\n"), @"
    L1, kept, unchanged for 1; about 11.5 % to change next: changed in 2 of the last 4 commits, the newest too
    L0, kept, unchanged for 1; about 1.2 % to change next: changed in 0 of the last 4 commits
    ");
}
