//! `diff`.

use super::{assert_each, masked, note, sample, told};
use crate::support::Sandbox;

#[test]
fn what_is_known_of_two_revisions_in_words() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    assert_eq!(told(&repo.merkle(&["diff", "HEAD..HEAD"])), "--- exit 0");
    note(&repo, "src/lib.rs", "Only the first version has a note.");
    repo.fill("commit second\n+ src/lib.rs\n| //! A crate that multiplies.\n|\n| /// Adds two numbers.\n| pub fn add(a: u16, b: u16) -> u16 {\n|     a + b\n| }\n- src/deep\n+ new.md = # New");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1..HEAD", "--type", "outline"])), @"
    diff ./ outline/outline (no frame in 'HEAD')

    diff src outline/outline (no frame in 'HEAD')

    diff src/deep outline/outline
    -Deep down.
    -
    -Directory of 1 file: Rust 1.
    -
    -- `mod.rs` — Deep down.

    diff src/deep/mod.rs outline/outline
    -Deep down.
    -
    -Rust source, under 10 lines, 1 public item.
    -
    -- `pub struct Deep`

    diff src/lib.rs outline/outline (no frame in 'HEAD')

    --- stderr
    warning: 'HEAD' has no outline/outline frame of 4 changed nodes; 'git merkle regenerate' makes what is missing
    --- exit 0
    ");
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1..HEAD"])), @"
    diff ./ outline/outline
     
     Directory of 3 files and [-2-]{+1+} [-directories:-]{+directory:+} [-Rust-]{+Markdown+} 2, [-Markdown-]{+Rust+} 1.
     
     - `README.md` — Says what it is.
     - `src/` [-(2-]{+(1+} [-files)-]{+file)+} — A crate that [-adds.-]{+multiplies.
     - `new.md` — New+}
     - `link` (symlink)

    diff new.md outline/outline
    +Markdown file, under 10 lines, 1 heading.
    +
    +- New

    diff src outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
     Directory of [-2 files and -]1 [-directory:-]{+file:+} Rust [-2.-]{+1.+}
     
     - `lib.rs` — A crate that [-adds.
     - `deep/` (1 file) — Deep down.-]{+multiplies.+}

    diff src/deep outline/outline
    -Deep down.
    -
    -Directory of 1 file: Rust 1.
    -
    -- `mod.rs` — Deep down.

    diff src/deep/mod.rs outline/outline
    -Deep down.
    -
    -Rust source, under 10 lines, 1 public item.
    -
    -- `pub struct Deep`

    diff src/lib.rs human/note (no frame in 'HEAD')

    diff src/lib.rs outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
    @@
     
     - `pub fn add(a: [-u8,-]{+u16,+} b: [-u8)-]{+u16)+} -> [-u8`:-]{+u16`:+} Adds two numbers.

    --- exit 0
    ");
    let range = repo.merkle(&["diff", "HEAD~1.."]).ok();
    assert_eq!(
        repo.merkle(&["diff", "HEAD~1"]).ok(),
        range,
        "HEAD is meant"
    );
    insta::assert_snapshot!(masked(&repo.merkle(&["diff", "HEAD~1..HEAD", "--", "src/lib.rs"]).ok()), @"
    diff src/lib.rs human/note (no frame in 'HEAD')

    diff src/lib.rs outline/outline
     A crate that [-adds.-]{+multiplies.+}
     
    @@
     
     - `pub fn add(a: [-u8,-]{+u16,+} b: [-u8)-]{+u16)+} -> [-u8`:-]{+u16`:+} Adds two numbers.
    ");
}

#[test]
fn names_records_and_documents() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit second\n+ \"src/\\u00e4 b.rs\" = pub fn x() {}");
    repo.merkle(&["regenerate"]).ok();
    let names = repo.merkle(&["diff", "--name-only", "HEAD~1..HEAD"]).ok();
    assert_eq!(names, "./\nsrc\n\"src/\\303\\244 b.rs\"\n");
    let counts = repo.merkle(&["diff", "--stat", "HEAD~1..HEAD"]).ok();
    insta::assert_snapshot!(counts, @r#"
    ./ | 2 +, 2 -
    src | 2 +, 1 -
    "src/\303\244 b.rs" | 3 +, 0 -
    "#);
    let records = repo
        .merkle(&["diff", "--name-only", "-z", "HEAD~1..HEAD"])
        .ok();
    assert_eq!(records, "./\0src\0src/ä b.rs\0");
    let quiet = repo
        .run(crate::support::PROGRAM)
        .args([
            "-c",
            "core.quotePath=false",
            "diff",
            "--name-only",
            "HEAD~1",
        ])
        .run();
    assert_eq!(quiet.ok(), "./\nsrc\nsrc/ä b.rs\n");
    let document = repo
        .merkle(&["diff", "--json", "HEAD~1..HEAD"])
        .exits(0)
        .json("diff");
    let changes = document["changes"].as_array().unwrap();
    assert_each(
        &document["changes"],
        "path agent type old new missing missing_old",
    );
    assert_eq!(
        (&changes[2]["path"], &changes[2]["old"]),
        (&"src/ä b.rs".into(), &serde_json::Value::Null)
    );
    assert_eq!(
        repo.merkle(&["diff", "--json", "HEAD"])
            .exits(0)
            .json("diff")["changes"],
        serde_json::json!([])
    );
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD..nowhere"])), @"
    --- stderr
    error: unknown revision 'nowhere'
    --- exit 128
    ");
}

/// Two branches with a file each since they parted, all of it outlined.
fn branches(sandbox: &Sandbox) -> crate::support::Repo<'_> {
    let repo = sample(sandbox);
    repo.fill(
        "branch topic\ncommit on the topic\n+ topic.py = def t(): pass\nswitch main\ncommit on main\n+ mainonly.py = def m(): pass",
    );
    for branch in ["main", "topic"] {
        repo.merkle(&["regenerate", "--rev", branch]).ok();
    }
    repo
}

/// Before, three dots were two: what main had added looked like a change of the topic.
#[test]
fn three_dots_start_at_the_merge_base_as_in_git() {
    let sandbox = Sandbox::new();
    let repo = branches(&sandbox);
    let names = |arguments: &[&str]| {
        repo.merkle(&[&["diff", "--name-only"], arguments].concat())
            .ok()
    };
    assert_eq!(names(&["main...topic"]), "./\ntopic.py\n");
    assert_eq!(names(&["topic...main"]), "./\nmainonly.py\n");
    assert_eq!(
        names(&["...topic"]),
        names(&["main...topic"]),
        "HEAD is main"
    );
    assert_eq!(names(&["topic..."]), names(&["topic...main"]));
    assert_eq!(names(&["main..topic"]), "./\nmainonly.py\ntopic.py\n");
    for same in [&["main", "topic"][..], &["..topic"], &["HEAD..topic"]] {
        assert_eq!(names(same), names(&["main..topic"]), "{same:?}");
    }
    assert_eq!(names(&["topic"]), names(&["topic..main"]));
    repo.git(&["checkout", "-q", "--orphan", "apart"]).ok();
    repo.fill("commit another root\n+ x = x");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "main...apart"])), @"
    --- stderr
    error: main...apart: no merge base
    --- exit 128
    ");
    assert_eq!(
        repo.git(&["diff", "main...apart"]).code,
        Some(128),
        "as git"
    );
    let _ = repo.merkle(&["diff"]).exits(129);
    let _ = repo.merkle(&["diff", "main", "topic", "apart"]).exits(129);
    let _ = repo.merkle(&["diff", "main..topic", "apart"]).exits(129);
}

/// Before, the whole older revision looked as if it had been added since.
#[test]
fn a_revision_without_frames_is_said_to_have_none() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit one\n+ a.rs = pub fn a() {}\n+ old.rs = pub fn old() {}\ncommit two\n+ a.rs = pub fn b() {}\n+ new.rs = pub fn n() {}\n- old.rs");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1..HEAD"])), @"
    --- stderr
    warning: 'HEAD~1' has no outline/outline frame of 3 changed nodes; 'git merkle regenerate --rev HEAD~1' makes what is missing
    warning: 'HEAD' has no outline/outline frame of 3 changed nodes; 'git merkle regenerate' makes what is missing
    --- exit 0
    ");
    repo.merkle(&["regenerate"]).ok();
    note(&repo, "a.rs", "A note that nobody wrote before.");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "HEAD~1"])), @"
    diff ./ outline/outline (no frame in 'HEAD~1')

    diff a.rs human/note
    +A note that nobody wrote before.

    diff a.rs outline/outline (no frame in 'HEAD~1')

    diff new.rs outline/outline
    +Rust source, under 10 lines, 1 public item.
    +
    +- `pub fn n()`

    --- stderr
    warning: 'HEAD~1' has no outline/outline frame of 3 changed nodes; 'git merkle regenerate --rev HEAD~1' makes what is missing
    --- exit 0
    ");
    let document = repo
        .merkle(&["diff", "--json", "HEAD~1"])
        .exits(0)
        .json("diff");
    assert_eq!(
        (&document["old"]["revision"], &document["new"]["lacking"]),
        (&"HEAD~1".into(), &serde_json::json!([]))
    );
    let lacking = serde_json::json!([{"agent": "outline", "type": "outline", "nodes": 3}]);
    assert_eq!(document["old"]["lacking"], lacking);
    assert_eq!(document["changes"][0]["missing_old"], true);
    // The command that is told makes what is missing.
    repo.merkle(&["regenerate", "--rev", "HEAD~1"]).ok();
    let full = repo.merkle(&["diff", "HEAD~1"]).exits(0);
    assert!(
        full.err().is_empty() && full.out().contains("`pub fn [-a()`-]{+b()`+}"),
        "{full}"
    );
}

#[test]
fn the_exit_code_is_gits_and_paths_are_seen_from_the_directory() {
    let sandbox = Sandbox::new();
    let repo = branches(&sandbox);
    let _ = repo
        .merkle(&["diff", "--exit-code", "main..topic"])
        .exits(1);
    let _ = repo.merkle(&["diff", "--exit-code", "main..main"]).exits(0);
    repo.fill("commit deeper\n+ src/deep/mod.rs = pub struct Deeper;");
    repo.merkle(&["regenerate"]).ok();
    note(&repo, "src/deep/mod.rs", "Twice at one path.");
    let below = |arguments: &[&str]| {
        let run = sandbox
            .run(crate::support::PROGRAM, &repo.path("src/deep"))
            .args(["diff", "--name-only", "HEAD~1", "--"]);
        run.args(arguments).run().ok()
    };
    assert_eq!(
        below(&["mod.rs"]),
        "src/deep/mod.rs\n",
        "each path once, whoever says something"
    );
    assert_eq!(
        below(&[".."]),
        "src\nsrc/deep\nsrc/deep/mod.rs\n",
        "what a directory declares is said in the one above"
    );
    assert_eq!(
        below(&[repo.path("src/deep").to_str().unwrap()]),
        "src/deep\nsrc/deep/mod.rs\n"
    );
    assert_eq!(below(&["../../README.md"]), "");
    let _ = sandbox
        .run(crate::support::PROGRAM, &repo.path("src"))
        .args(["diff", "HEAD~1", "--", "../../x"])
        .run()
        .exits(65);
}

#[test]
fn what_moved_is_told_as_moved() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit move\n> src/lib.rs -> src/main.rs\n+ new.md = # New");
    repo.merkle(&["regenerate"]).ok();
    let told = repo.merkle(&["diff", "HEAD~1..HEAD"]).ok();
    assert!(
        told.contains("diff src/lib.rs => src/main.rs outline/outline\n\n"),
        "{told}"
    );
    assert!(!told.contains("Adds two numbers"), "{told}");
    assert!(told.contains("diff new.md outline/outline\n+"), "{told}");
    let stat = repo
        .merkle(&["diff", "--stat", "HEAD~1..HEAD", "--", "src/*.rs"])
        .ok();
    assert_eq!(stat, "src/lib.rs => src/main.rs | 0 +, 0 -\n");
    // Programs are told of both paths as before.
    let names = repo
        .merkle(&["diff", "--name-only", "HEAD~1..HEAD", "--", "src/*.rs"])
        .ok();
    assert_eq!(names, "src/lib.rs\nsrc/main.rs\n");
}

#[test]
fn two_states_of_the_store_at_one_commit() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.merkle(&["note", "README.md", "-m", "Says what it is."])
        .ok();
    repo.merkle(&["note", "src/lib.rs", "-m", "Adds numbers."])
        .ok();
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1.."])), @"
    diff src/lib.rs human/note
    +Adds numbers.

    --- exit 0
    ");
    repo.config("user.name", "Bob");
    repo.config("user.email", "bob@example.com");
    repo.merkle(&["note", "src/lib.rs", "-m", "Overflows."])
        .ok();
    // What one person says takes the place of nothing that another has said.
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1..", "--exit-code"])), @"
    diff src/lib.rs human/note
    +Overflows.

    --- exit 1
    ");
    repo.merkle(&["note", "src/lib.rs", "-m", "Overflows at 255."])
        .ok();
    repo.merkle(&["retract", "src/lib.rs"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~2..~1"])), @"
    diff src/lib.rs human/note
     [-Overflows.-]{+Overflows at 255.+}

    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1"])), @"
    diff src/lib.rs human/note
    -Overflows at 255.

    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~5..", "--name-only", "--", "README.md"])), @"
    README.md
    --- exit 0
    ");
    let json = repo
        .merkle(&["diff", "--store", "~1..", "--json"])
        .json("diff");
    assert_eq!(json["old"]["store"], repo.id("refs/merkle/frames~1"));
    assert_eq!(json["new"]["store"], repo.id("refs/merkle/frames"));
    assert_eq!(json["old"]["tree"], json["new"]["tree"]);
}

#[test]
fn what_two_states_say_elsewhere_is_counted() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.merkle(&["note", "README.md", "-m", "Says what it is."])
        .ok();
    repo.fill("commit second\n+ README.md = # Another");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1.."])), @"
    --- stderr
    1 node that does not stand in 'HEAD' has other frames as well
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1..", "HEAD~1"])), @"
    diff README.md human/note
    +Says what it is.

    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "HEAD..", "--name-only"])), @"
    src
    src/deep
    src/deep/mod.rs
    src/lib.rs
    --- stderr
    warning: 3 entries are no frames; is each of the states a commit of 'refs/merkle/frames'?
    2 nodes that do not stand in 'HEAD' have other frames as well
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "~1..", "HEAD~1..HEAD"])), @"
    --- stderr
    error: two states of the store are compared at one revision
    --- exit 129
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["diff", "--store", "nowhere.."])), @"
    --- stderr
    error: unknown revision 'nowhere'
    --- exit 128
    ");
}
