//! `get-head`.

use super::{FRAME_FIELDS, assert_fields, note, sample, told};
use crate::support::Sandbox;

#[test]
fn the_content_as_it_is_stored() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(repo.merkle(&["get-head", "src"]).ok(), @r"
    A crate that adds.

    Directory of 2 files and 1 directory: Rust 2.

    - `lib.rs` — A crate that adds.
    - `deep/` (1 file) — Deep down.
    ");
    note(&repo, "src", "no end of line, \u{1b}[31m kept");
    assert_eq!(
        repo.merkle(&["get-head", "--agent", "human", "src"]).ok(),
        "no end of line, \u{1b}[31m kept"
    );
    let outline = repo.merkle(&["get-head", "--type", "outline", "src"]).ok();
    assert_eq!(
        repo.merkle(&["get-head", "src"]).ok(),
        outline,
        "of several the outline is meant"
    );
    let document = repo
        .merkle(&["get-head", "--json", "src"])
        .exits(0)
        .json("get-head");
    assert_fields(&document, &format!("schema {FRAME_FIELDS}"));
    assert_eq!(
        (&document["state"], &document["content"]),
        (&"fresh".into(), &outline.as_str().into())
    );
    repo.merkle(&["invalidate", "src"]).ok();
    repo.merkle(&["invalidate", "src", "--agent", "human"]).ok();
    // What was declared void is no answer, and is labelled where it is shown at all.
    let document = repo
        .merkle(&["get-head", "--json", "--agent", "human", "src"])
        .exits(1)
        .json("get-head");
    assert_eq!(
        (&document["state"], &document["reason"]),
        (&"outdated".into(), &"invalidated".into())
    );
    insta::assert_snapshot!(told(&repo.merkle(&["get-head", "--agent", "human", "src"])), @"
    --- stderr
    error: what was said about 'src' was declared void
    hint: git merkle put-frame src <file> --agent human --type note
    --- exit 1
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["get-head", "--agent", "outline", "src"])), @"
    --- stderr
    error: what was said about 'src' was declared void
    hint: git merkle regenerate --agent outline src
    --- exit 1
    ");
    // One that holds is found beside one that does not.
    repo.merkle(&["regenerate"]).ok();
    assert_eq!(repo.merkle(&["get-head", "src"]).ok(), outline);
}

#[test]
fn nothing_and_too_much_are_answers_of_their_own() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit new\n+ new.md = # New");
    note(&repo, "new.md", "one");
    repo.run(crate::support::PROGRAM)
        .args(["put-frame", "new.md", "-", "--type", "review"])
        .input("two")
        .run()
        .ok();
    insta::assert_snapshot!(told(&repo.merkle(&["get-head", "new.md"])), @"
    --- stderr
    error: several frames could be meant: human/note, human/review
    hint: choose one with --agent <agent> --type <type>
    --- exit 129
    ");
    assert_eq!(
        repo.merkle(&["get-head", "--type", "review", "new.md"])
            .ok(),
        "two"
    );
    insta::assert_snapshot!(told(&repo.merkle(&["get-head", "--type", "plan", "new.md"])), @"
    --- stderr
    error: nothing of type 'plan' is said about 'new.md' yet; 'git merkle put-frame new.md <file> --type plan' says it
    --- exit 1
    ");
}
