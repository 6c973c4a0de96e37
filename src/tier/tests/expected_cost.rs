//! What `expected-cost` is for: it caches what is likely to stay, and keeps what is dear to write again.

use super::session::{TERMS, message, repeat, request, symbols, tier};
use crate::tier::{Item, Key, Policy, Request, State, Tier, Touches, advance, explain};

fn touched(path: &str, tokens: u64, commits_ago: &[u32]) -> Item {
    let touches = Touches { commits_ago: commits_ago.to_vec(), ..Touches::default() };
    Item { touches, ..symbols(path, 1, tokens) }
}

fn of_commits(items: &[Item], commits: u32) -> Request<'_> {
    Request { commits, ..request(items) }
}

#[test]
fn what_changes_in_every_commit_is_never_cached() {
    let hot: Vec<u32> = (0..50).collect();
    let items = [touched("cold", 9_000, &[40]), touched("hot", 9_000, &hot), touched("warm", 9_000, &[3, 9, 14])];
    let step = advance(Policy::ExpectedCost, &State::default(), &of_commits(&items, 50), &TERMS);
    let tiers = ["cold", "warm", "hot"].map(|path| tier(&step.layout, path).unwrap());
    assert_eq!(tiers[2], Tier::Active);
    assert!(tiers[0] <= tiers[1] && tiers[1] < Tier::Active, "{tiers:?}");
    let reasons = explain(&State::default(), &of_commits(&items, 50), &step);
    let chances: Vec<u32> = reasons.iter().map(|reason| reason.chance_per_mille).collect();
    assert!(chances[0] < chances[2] && chances[2] < chances[1] && chances[1] > 990, "{chances:?}");
}

#[test]
fn a_dirty_file_does_not_stand_before_a_clean_one() {
    let mut items = [touched("a", 5_000, &[30]), touched("b", 5_000, &[30])];
    items[0].touches.dirty = true;
    let step = advance(Policy::ExpectedCost, &State::default(), &of_commits(&items, 50), &TERMS);
    assert!(tier(&step.layout, "b") < tier(&step.layout, "a"));
}

#[test]
fn an_intact_layout_is_kept() {
    let items: Vec<Item> = (0..6).map(|at| touched(&format!("f{at}"), 2_000, &[at * 7])).collect();
    let mut step = advance(Policy::ExpectedCost, &State::default(), &of_commits(&items, 50), &TERMS);
    for _ in 0..5 {
        let next = advance(Policy::ExpectedCost, &step.state, &of_commits(&items, 50), &TERMS);
        let stood = step.layout.blocks.iter().filter(|block| block.tier != Tier::Active);
        assert!(stood.clone().all(|block| next.layout.block(block.tier) == Some(block)));
        step = next;
    }
}

#[test]
fn new_messages_join_the_end_of_what_is_cached() {
    let files = [touched("a", 8_000, &[]), touched("b", 8_000, &[])];
    let talk =
        |messages: u32| -> Vec<Item> { files.iter().cloned().chain((0..messages).map(|number| message(number, 600))).collect() };
    let step = repeat(Policy::ExpectedCost, &State::default(), &talk(2), 2);
    let next = repeat(Policy::ExpectedCost, &step.state, &talk(4), 1);
    assert!(next.layout.tier_of(&Key::Message(3)) < Some(Tier::Active));
    assert_eq!(tier(&step.layout, "a"), tier(&next.layout, "a"));
}

/// A full text that was there from the beginning is not worked on because it changed; one that came is.
#[test]
fn a_full_text_that_came_is_expected_to_change() {
    let file = |path: &str, version: u32| {
        let item = symbols(path, version, 5_000);
        Item { key: Key::File(item.key.path().unwrap().clone()), ..item }
    };
    let first = repeat(Policy::ExpectedCost, &State::default(), &[file("a", 1), symbols("b", 1, 5_000)], 20);
    let items = [file("a", 2), file("b", 1)];
    let step = repeat(Policy::ExpectedCost, &first.state, &items, 1);
    let chances: Vec<u32> = explain(&first.state, &request(&items), &step).iter().map(|reason| reason.chance_per_mille).collect();
    assert!(chances[0] < 400 && chances[1] >= 500, "{chances:?}");
}

#[test]
fn reasons_are_sentences() {
    let items = [touched("a", 5_000, &[0, 2]), touched("b", 5_000, &[])];
    let step = advance(Policy::ExpectedCost, &State::default(), &of_commits(&items, 4), &TERMS);
    let next = advance(Policy::ExpectedCost, &step.state, &of_commits(&items, 4), &TERMS);
    let told: Vec<String> = explain(&step.state, &of_commits(&items, 4), &next).iter().map(ToString::to_string).collect();
    insta::assert_snapshot!(told.join("\n"), @"
    L3, from active, unchanged for 1; about 56.2 % to change next: 2 of 4 commits, the newest too
    L0, kept, unchanged for 1; about 25.0 % to change next: 0 of 4 commits
    ");
}
