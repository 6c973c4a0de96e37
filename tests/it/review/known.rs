//! What is known of what a branch touches: statements of models, people's notes, and what is not fresh.

use crate::generate::{Protocol, World, regenerate};
use crate::support::PROGRAM;

const BED: &str = "
    commit first
    + src/bed.rs
      | pub fn fill(bed: &mut Bed) {}
    + src/path.rs = pub fn rake() {}
    commit second
    + src/bed.rs
      | pub fn fill(bed: &mut Bed) {}
      | pub fn clear(bed: &mut Bed) {}
    + src/pond.rs = pub fn dig() {}
";

#[test]
fn statements_and_notes_follow_the_changes() {
    let world = World::steady(Protocol::OpenAi);
    let script = world.sandbox.path("home/answer.sh");
    std::fs::write(
        &script,
        "#!/bin/sh\necho \"Lines with a function: $(grep -c 'fn ').\"\n",
    )
    .expect("writable");
    std::fs::set_permissions(&script, std::os::unix::fs::PermissionsExt::from_mode(0o755))
        .expect("allowed");
    world.set("merkle.provider.cli.kind", "command");
    world.set("merkle.provider.cli.command", &script.to_string_lossy());
    let repo = world.repo(BED);
    let range = "HEAD~1..HEAD";
    regenerate(&repo, &["--provider", "cli", "--rev", "HEAD~1"]).ok();
    let note = |text: &str| {
        repo.git(&["switch", "-q", "--detach", "HEAD~1"]).ok();
        let note = repo.run(PROGRAM).args(["note", "src/bed.rs", "-m", text]);
        note.run().ok();
        repo.git(&["switch", "-q", "-"]).ok();
    };
    note("The bed is never full.");
    insta::assert_snapshot!(repo.merkle(&["review", range]).ok(), @r#"
    2 public declarations added · 2 of 2 files are code · 3 statements are outdated, 1 is missing, 1 note to affirm
    + clear   src/bed.rs:2
    + dig   src/pond.rs:1

    note src/bed.rs from commit 7cf1649, 1 commit ago, 1 line differs Test User <user@example.org>
      The bed is never full.
    "git merkle affirm <path>" says that one still holds, "git merkle retract <path>" ends your own
    not fresh: docs/summary 3 outdated, 1 missing (use "git merkle regenerate --agent docs")
    "#);
    for (option, code) in [
        (&[][..], 0),
        (&["--exit-code"], 1),
        (&["--fail-on", "stale"], 1),
        (&["--fail-on", "outdated"], 1),
        (&["--fail-on", "carried"], 1),
    ] {
        let _ = repo
            .merkle(&[&["review", range], option].concat())
            .exits(code);
    }
    regenerate(&repo, &["--provider", "cli"]).ok();
    repo.merkle(&["affirm", "src/bed.rs"]).ok();
    insta::assert_snapshot!(repo.merkle(&["review", range]).ok(), @"
    2 public declarations added · 2 of 2 files are code
    + clear   src/bed.rs:2
    + dig   src/pond.rs:1

    said src/bed.rs docs/summary
     Lines with a function: [-1.-]{+2.+}

    said src/pond.rs docs/summary
    +Lines with a function: 1.

    2 statements of docs by cli
    ");
    let fails = [
        "--exit-code",
        "--fail-on",
        "stale",
        "--fail-on",
        "missing",
        "--fail-on",
        "carried",
    ];
    let _ = repo
        .merkle(&[&["review", range][..], &fails].concat())
        .exits(0);
    let json = repo.merkle(&["review", "--json", range]).json("review");
    assert_eq!(json["notes"], serde_json::json!([]));
    assert_eq!(json["not_fresh"], serde_json::json!([]));
    let statements = json["statements"].as_array().expect("a list");
    let of_bed = statements
        .iter()
        .find(|one| one["new"]["path"] == "src/bed.rs");
    assert_eq!(
        of_bed.expect("it says something else")["new"]["state"],
        "fresh"
    );
}

/// Before, every change below a directory asked about its notes, so that a note on the root stood in each review.
#[test]
fn a_note_on_a_directory_waits_for_what_comes_or_goes_in_it() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(
        "
        commit first
        + src/bed.rs = pub fn fill() {}
        + src/pond/mod.rs = pub fn dig() {}
        @ link -> src/bed.rs
        commit second
        + src/bed.rs = pub fn clear() {}
        - link
        @ link -> src/pond/mod.rs
        commit third
        + src/pond/fish.rs = pub fn swim() {}
        commit fourth
        - src/pond/fish.rs
        + fish.rs = pub fn swim() {}
        ",
    );
    for path in [".", "src", "src/pond"] {
        let rev = repo.run(PROGRAM);
        rev.args(["note", &format!("HEAD~3:{path}"), "-m", path])
            .run()
            .ok();
    }
    for (range, expected) in [
        ("HEAD~3..HEAD~2", &[][..]),
        ("HEAD~2..HEAD~1", &["src/pond"]),
        // What the note on `src/pond` is about is back.
        ("HEAD~1..HEAD", &[""]),
    ] {
        let review = repo.merkle(&["review", range, "--json"]).json("review");
        let notes = review["notes"].as_array().expect("a list");
        let paths: Vec<&str> = notes
            .iter()
            .filter_map(|note| note["path"].as_str())
            .collect();
        assert_eq!(paths, expected, "{range}");
        let fails = ["review", range, "--fail-on", "carried"];
        let _ = repo.merkle(&fails).exits(i32::from(!expected.is_empty()));
    }
    // What no review asks about is carried all the same.
    let carried = repo.merkle(&["status", "--carried"]).ok();
    assert_eq!(
        carried.matches("human/note carried").count(),
        2,
        "{carried}"
    );
}
