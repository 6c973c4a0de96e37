//! `log`.

use super::{FRAME_FIELDS, assert_each, assert_fields, masked, note, sample};
use crate::support::Sandbox;

#[test]
fn what_was_said_about_a_path_over_time() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src/lib.rs", "one");
    note(&repo, "src/lib.rs", "two");
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    repo.fill("commit nothing said of this one\n+ src/lib.rs = pub fn unsaid() {}");
    repo.fill("commit third\n+ src/lib.rs = pub fn third() {}");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["log", "src/lib.rs"]).ok()), @"
    commit #1 #2
        #3 fresh outline/outline 1 generated
            Rust source, under 10 lines, 1 public item.
    commit #4 #5
        #6 older outline/outline 1 generated
            A crate that adds.
        #7 carried human/note 2 written Test User <user@example.org> 2027-01-15T08:00:05Z
            two
        #8 older human/note 1 written Test User <user@example.org> 2027-01-15T08:00:04Z
            one
    ");
    repo.merkle(&["invalidate", "src/lib.rs"]).ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["log", "--agent", "outline", "-n", "1", "src/lib.rs"]).ok()), @"
    commit #1 #2
        #3 older outline/outline 2 invalidation 2027-01-15T08:00:14Z
        #4 invalidated outline/outline 1 generated
            Rust source, under 10 lines, 1 public item.
    ");
    let document = repo
        .merkle(&["log", "--json", "src/lib.rs"])
        .exits(0)
        .json("log");
    let versions = document["versions"].as_array().unwrap();
    assert_eq!(
        versions.len(),
        2,
        "the version that nobody spoke of is left out"
    );
    assert_each(&document["versions"], "commit node frames");
    assert_fields(&versions[0]["frames"][0], FRAME_FIELDS);
    assert_eq!(versions[1]["commit"], repo.id("HEAD~3"));
    assert_eq!(versions[1]["frames"].as_array().unwrap().len(), 3);
    assert_eq!(repo.merkle(&["log", "--type", "review", "src"]).ok(), "");
}
