//! `list-frames`.

use super::{FRAME_FIELDS, assert_each, masked, note, sample};
use crate::support::Sandbox;

#[test]
fn every_frame_of_a_node_oldest_first() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src/lib.rs", "one");
    repo.merkle(&["invalidate", "src/lib.rs", "--agent", "outline"])
        .ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["list-frames", "src/lib.rs"]).ok()), @"
    #1 fresh human/note 1 written Test User <user@example.org> 2027-01-15T08:00:04Z
    #2 invalidated outline/outline 1 generated
    #3 older outline/outline 2 invalidation 2027-01-15T08:00:05Z
    ");
    repo.merkle(&["regenerate"]).ok();
    note(&repo, "src/lib.rs", "two");
    insta::assert_snapshot!(masked(&repo.merkle(&["list-frames", "src/lib.rs"]).ok()), @"
    #1 older human/note 1 written Test User <user@example.org> 2027-01-15T08:00:04Z
    #2 fresh human/note 2 written Test User <user@example.org> 2027-01-15T08:00:08Z
    #3 older outline/outline 1 generated
    #4 older outline/outline 2 invalidation 2027-01-15T08:00:05Z
    #3 fresh outline/outline 3 generated
    ");
    assert_eq!(
        repo.merkle(&["list-frames", "--agent", "human", "src/lib.rs"])
            .ok()
            .lines()
            .count(),
        2
    );
    assert_eq!(
        repo.merkle(&["list-frames", "--type", "review", "src/lib.rs"])
            .ok(),
        ""
    );
    assert_eq!(
        repo.merkle(&["list-frames", "-z", "src/lib.rs"])
            .ok()
            .matches('\0')
            .count(),
        5
    );
    let document = repo
        .merkle(&["list-frames", "--json", "src/lib.rs"])
        .exits(0)
        .json("list-frames");
    let frames = document["frames"].as_array().unwrap();
    assert_each(&document["frames"], FRAME_FIELDS);
    let states: Vec<_> = frames
        .iter()
        .map(|frame| {
            (
                frame["seq"].as_u64().unwrap(),
                frame["state"].as_str().unwrap(),
            )
        })
        .collect();
    assert_eq!(
        states,
        [
            (1, "older"),
            (2, "fresh"),
            (1, "older"),
            (2, "older"),
            (3, "fresh")
        ]
    );
}
