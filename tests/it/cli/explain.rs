//! `explain`.

use super::{SAMPLE, assert_fields, note, told};
use crate::support::Sandbox;

#[test]
fn why_a_node_is_fresh_outdated_or_missing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of src is missing
      no frame yet
        src/deep/mod.rs (to be made first)
        src/deep (to be made first)
        src/lib.rs (to be made first)
      refreshing looks at 4 nodes; no calls to a model, no cost
    --- exit 1
    ");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of src is fresh
      everything that it was made from is unchanged
      frame #1, generation 1, basis #2
    --- exit 0
    ");
    repo.merkle(&["invalidate", "src/lib.rs"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of src is outdated
      a child is to be made first
        src/lib.rs (to be made first)
      frame #1, generation 1, basis #2
      refreshing looks at 2 nodes; no calls to a model, no cost
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src/lib.rs"])), @"
    outline/outline of src/lib.rs is outdated
      it was invalidated
      frame #1, generation 1, basis #2
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "--agent", "human", "src"])), @"
    human/note of src is missing
      no frame yet
    --- exit 1
    ");
    note(&repo, "src", "by hand");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "--agent", "human", "src"])), @"
    human/note of src is fresh
      it was written by hand for this very node
      frame #1, generation 1, basis #2
    --- exit 0
    ");
    let document = repo
        .merkle(&["explain", "--json", "src"])
        .exits(1)
        .json("explain");
    let fields = "schema node path agent type state reason frame basis tasks calls waits_for changed_children refused described_at changed_in";
    assert_fields(&document, fields);
    assert_eq!(
        (&document["state"], &document["reason"]),
        (&"outdated".into(), &"waiting".into())
    );
    assert_eq!(document["waits_for"], serde_json::json!(["src/lib.rs"]));
}

/// Before, a shallow clone said "missing" of a note that `show` and `status` call carried, and a whole one "outdated".
#[test]
fn a_carried_note_is_called_so_in_every_clone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    note(&repo, "src/lib.rs", "by hand");
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    let shallow = repo.clone_to("shallow", &["--depth=1"]);
    shallow.merkle(&["fetch"]).ok();
    for repo in [&repo, &shallow] {
        let told = repo.merkle(&["explain", "--agent", "human", "src/lib.rs"]);
        let told = told.exits(1).out();
        assert!(
            told.starts_with("human/note of src/lib.rs is carried\n"),
            "{told}"
        );
        assert!(told.contains("that frame is "), "{told}");
    }
}

#[test]
fn other_rules_make_a_directory_outdated_without_a_change_in_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit rules\n+ .teddyignore = lib.rs");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src"])), @"
    outline/outline of src is outdated
      its children say something else now
      frame #1, generation 1, basis #2
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    let state = |verb: &str| repo.merkle(&[verb, "--json", "src"]).exits(0).json(verb);
    assert_eq!(state("show")["frames"][0]["state"], "outdated");
    assert_eq!(state("list-frames")["frames"][0]["state"], "outdated");
    assert_eq!(state("get-head")["state"], "outdated");
}

/// Before, a changed file was "missing: no frame yet", and an object id stood where the user gave a path.
#[test]
fn what_has_changed_is_named_with_the_commits_that_have_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    repo.fill("commit edit\n+ src/lib.rs = pub fn edited() {}\ncommit again\n+ src/lib.rs = pub fn again() {}\n+ src/new.rs = fn new() {}");
    insta::assert_snapshot!(told(&repo.merkle(&["explain", "src/lib.rs"])), @"
    outline/outline of src/lib.rs is outdated
      it has changed since it was described
      described as of commit #1, changed since: in commit #2
      that frame is #3, generation 1, basis #4
      refreshing looks at 1 node; no calls to a model, no cost
    --- exit 1
    ");
    let document = repo
        .merkle(&["explain", "--json", "src"])
        .exits(1)
        .json("explain");
    assert_eq!(
        (&document["state"], &document["reason"]),
        (&"outdated".into(), &"changed".into())
    );
    assert_eq!(
        (&document["described_at"], &document["changed_in"]),
        (&repo.id("HEAD~2").into(), &repo.id("HEAD~1").into())
    );
    assert_eq!(
        document["changed_children"],
        serde_json::json!(["lib.rs", "new.rs"])
    );
    let status = repo.merkle(&["status", "--json"]).exits(0).json("status");
    let outline = &status["slots"][0];
    assert_eq!(
        (&outline["fresh"], &outline["outdated"], &outline["missing"]),
        (&3.into(), &3.into(), &1.into())
    );
    let tasks = repo
        .merkle(&["regenerate", "--dry-run", "--json"])
        .exits(0)
        .json("plan");
    let reasons: Vec<_> = tasks["tasks"]
        .as_array()
        .unwrap()
        .iter()
        .map(|task| (&task["path"], &task["reason"]))
        .collect();
    let [changed, missing] = ["changed", "missing"].map(serde_json::Value::from);
    let [lib, new, src, root] =
        ["src/lib.rs", "src/new.rs", "src", ""].map(serde_json::Value::from);
    assert_eq!(
        reasons,
        [
            (&lib, &changed),
            (&new, &missing),
            (&src, &changed),
            (&root, &changed)
        ]
    );
    // The derived index can be lost: the answers stay.
    std::fs::remove_dir_all(repo.path(".git/merkle/cache")).unwrap();
    assert_eq!(
        repo.merkle(&["status", "--json"]).exits(0).json("status"),
        status
    );
    // On disk only.
    repo.merkle(&["regenerate"]).ok();
    std::fs::write(repo.path("README.md"), "# Other\n").unwrap();
    let text = repo
        .merkle(&["explain", "README.md", "--worktree"])
        .exits(1)
        .out();
    assert!(text.contains("changed since: not committed yet"), "{text}");
    let _ = repo.merkle(&["explain", "README.md"]).exits(0);
    // Of a renamed and edited file only history knows.
    repo.git(&["checkout", "-q", "--", "README.md"]).ok();
    repo.git(&["mv", "README.md", "moved.md"]).ok();
    repo.git(&["commit", "-q", "-m", "move"]).ok();
    repo.fill("commit edit\n+ moved.md = # Edited");
    let text = repo.merkle(&["explain", "moved.md"]).exits(1).out();
    assert!(
        text.contains("moved.md is outdated")
            && text.contains("it has changed since it was described"),
        "{text}"
    );
}
