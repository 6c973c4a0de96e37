//! `explain`.

use super::{SAMPLE, assert_fields, note, told};
use crate::support::Sandbox;

#[test]
fn why_a_node_is_fresh_outdated_or_missing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(SAMPLE);
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of #1 is missing
      no frame yet
        src/deep/mod.rs (to be made first)
        src/deep (to be made first)
        src/lib.rs (to be made first)
      refreshing looks at 4 nodes; no calls to a model, no cost
    --- exit 1
    ");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of #1 is fresh
      everything that it was made from is unchanged
      frame #2, generation 1, basis #3
    --- exit 0
    ");
    repo.merkle(&["invalidate", "src/lib.rs"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of #1 is outdated
      a child is to be made first
        src/lib.rs (to be made first)
      frame #2, generation 1, basis #3
      refreshing looks at 2 nodes; no calls to a model, no cost
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src/lib.rs"])), @"
    outline/outline of #1 is outdated
      it was invalidated
      frame #2, generation 1, basis #3
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "--agent", "human", "src"])), @"
    human/note of #1 is missing
      no frame yet
    --- exit 1
    ");
    note(&repo, "src", "by hand");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "--agent", "human", "src"])), @"
    human/note of #1 is fresh
      it was written by hand for this very node
      frame #2, generation 1, basis #3
    --- exit 0
    ");
    let document = repo.merkle(&["explain", "--json", "src"]).exits(1).json("explain");
    assert_fields(&document, "schema node path agent type state reason frame basis tasks calls waits_for changed_children");
    assert_eq!((&document["state"], &document["reason"]), (&"outdated".into(), &"waiting".into()));
    assert_eq!(document["waits_for"], serde_json::json!(["src/lib.rs"]));
}

#[test]
fn other_rules_make_a_directory_outdated_without_a_change_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit rules\n+ .teddyignore = lib.rs");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of #1 is outdated
      its children say something else now
      frame #2, generation 1, basis #3
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    let state = |verb: &str| repo.merkle(&[verb, "--json", "src"]).exits(0).json(verb);
    assert_eq!(state("show")["frames"][0]["state"], "outdated");
    assert_eq!(state("list-frames")["frames"][0]["state"], "outdated");
    assert_eq!(state("get-head")["state"], "outdated");
}
