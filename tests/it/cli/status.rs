//! `status`.

use super::{assert_fields, masked, note, sample, told};
use crate::support::{PROGRAM, Sandbox};

#[test]
fn how_much_is_said_and_how_much_of_it_holds() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(super::SAMPLE);
    insta::assert_snapshot!(told(&repo.merkle(&["status", "--exit-code"])), @r#"
    root #1 (HEAD): 3 files, 3 directories

    agent/type                   fresh  outdated   missing
    outline/outline                  0         0         6

    6 nodes are not fresh (use "git merkle regenerate" to bring them up to date)
    --- exit 1
    "#);
    repo.merkle(&["regenerate"]).ok();
    note(&repo, "src", "about src");
    insta::assert_snapshot!(told(&repo.merkle(&["status", "--exit-code"])), @"
    root #1 (HEAD): 3 files, 3 directories

    agent/type                   fresh  outdated   missing
    outline/outline                  6         0         0
    human/note                       1         0         -

    everything is fresh
    --- exit 0
    ");
    repo.fill("commit more\n+ src/more.rs = pub fn more() {}");
    repo.merkle(&["invalidate", "HEAD~1:src", "--agent", "human"])
        .ok();
    repo.merkle(&["invalidate", "README.md"]).ok();
    insta::assert_snapshot!(masked(&repo.merkle(&["status"]).ok()), @r#"
    root #1 (HEAD): 4 files, 3 directories

    agent/type                   fresh  outdated   missing
    outline/outline                  3         3         1

    4 nodes are not fresh (use "git merkle regenerate" to bring them up to date)
    "#);
    insta::assert_snapshot!(masked(&repo.merkle(&["status", "--rev", "HEAD~1"]).ok()), @r#"
    root #1 (HEAD~1): 3 files, 3 directories

    agent/type                   fresh  outdated   missing
    outline/outline                  4         2         0
    human/note                       0         1         -

    2 nodes are not fresh (use "git merkle regenerate --rev HEAD~1" to bring them up to date)
    "#);
    let _ = repo.merkle(&["status", "--exit-code", "--json"]).exits(1);
}

#[test]
fn the_document_names_root_store_and_slots() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    note(&repo, "src", "about src");
    let document = repo.merkle(&["status", "--json"]).exits(0).json("status");
    assert_fields(
        &document,
        "schema root commit files directories absent store store_faults slots spooled damaged_spool_files unsigned",
    );
    assert_eq!(document["store"], repo.id("refs/merkle/frames"));
    assert_eq!(document["commit"], repo.id("HEAD"));
    let slots = document["slots"].as_array().unwrap();
    assert_fields(&slots[0], "agent type fresh outdated missing");
    assert_fields(&slots[1], "agent type fresh outdated carried missing");
    assert_eq!(
        (&slots[0]["agent"], &slots[0]["missing"]),
        (&"outline".into(), &0.into())
    );
    assert_eq!(
        (&slots[1]["agent"], &slots[1]["fresh"]),
        (&"human".into(), &1.into())
    );
    assert!(
        slots[1]["missing"].is_null(),
        "nothing says that every node needs a note"
    );
}

#[test]
fn frames_that_a_killed_writer_left_are_stored_first_and_damaged_ones_named() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    let note_id = note(&repo, "src", "about src");
    let name = repo
        .frames()
        .into_iter()
        .find(|name| name.contains(".human."))
        .unwrap();
    let bytes = repo
        .git(&["cat-file", "blob", &format!("refs/merkle/frames:{name}")])
        .exits(0)
        .stdout;
    repo.git(&["update-ref", "refs/merkle/frames", "refs/merkle/frames~1"])
        .ok();
    let spool = repo.path(".git/merkle/spool");
    std::fs::write(
        spool.join(format!("{}.{note_id}", repo.id("HEAD:src"))),
        bytes,
    )
    .unwrap();
    std::fs::write(
        spool.join(format!("{}.{}", "12".repeat(20), "a".repeat(64))),
        "no frame",
    )
    .unwrap();
    let output = repo.run(PROGRAM).args(["status"]).run().ok();
    assert!(
        output.contains("spool: 0 frames waiting, 1 file damaged"),
        "{output}"
    );
    assert!(
        repo.frames().contains(&name),
        "the answer that waited is stored"
    );
    assert_eq!(std::fs::read_dir(&spool).unwrap().count(), 1);
}

/// Before, one frame of an agent made every other node a missing one, and `--exit-code` stayed at 1.
#[test]
fn an_agent_that_was_tried_on_one_file_is_not_behind() {
    let world = crate::generate::World::steady(crate::generate::PROTOCOLS[0]);
    let repo = world.repo(super::SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    crate::generate::command(
        &repo,
        &["regenerate", "--agent", "docs", "--yes", "README.md"],
    )
    .run()
    .ok();
    let text = repo.merkle(&["status", "--exit-code"]).ok();
    assert!(
        text.contains("docs/summary                     1         0         5")
            && text.ends_with("everything is fresh\n"),
        "{text}"
    );
    let text = repo
        .merkle(&["status", "--exit-code", "--agent", "docs"])
        .exits(1)
        .out();
    assert!(
        text.contains(
            "5 nodes of docs/summary are not fresh (use \"git merkle regenerate --agent docs\""
        ),
        "{text}"
    );
    repo.fill("commit edit\n+ README.md = # Other");
    repo.merkle(&["regenerate"]).ok();
    let text = repo.merkle(&["status", "--exit-code"]).exits(1).out();
    assert!(
        text.contains("1 node of docs/summary is not fresh (use \"git merkle regenerate --agent docs --outdated\""),
        "{text}"
    );
    let asked = world.server.posts().len();
    crate::generate::command(
        &repo,
        &["regenerate", "--agent", "docs", "--yes", "--outdated"],
    )
    .run()
    .ok();
    assert_eq!(
        world.server.posts().len() - asked,
        1,
        "what it never spoke about is left"
    );
    repo.merkle(&["status", "--exit-code"]).ok();
    // What a person has said is nothing that a command makes: it is counted, and changes no exit code.
    note(&repo, "README.md", "by hand");
    repo.fill("commit edit\n+ README.md = # Third");
    repo.merkle(&["regenerate"]).ok();
    crate::generate::command(
        &repo,
        &["regenerate", "--agent", "docs", "--yes", "--outdated"],
    )
    .run()
    .ok();
    let text = repo.merkle(&["status", "--exit-code"]).ok();
    assert!(
        text.contains("human/note                       0         0         -         1"),
        "{text}"
    );
    let _ = repo.merkle(&["status", "--agent", "nobody"]).exits(65);
}

/// A note that its author has retracted is neither outdated nor a difference; that of another person stands.
#[test]
fn what_a_person_has_retracted_is_not_said() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(super::SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    let bob = ["-c", "user.name=Bob", "-c", "user.email=bob@example.com"];
    let by_bob = |args: &[&str]| {
        let all = [&bob[..], args].concat();
        repo.merkle(&all).ok();
    };
    note(&repo, "src", "Secret words of Ann.");
    by_bob(&["note", "src", "-m", "Words of Bob."]);
    repo.merkle(&["retract", "src"]).ok();
    let status = repo.merkle(&["status"]).ok();
    assert!(
        status.contains("human/note                       1         0"),
        "{status}"
    );
    let explained = repo.merkle(&["explain", "src", "--agent", "human"]).ok();
    assert!(explained.contains("is fresh"), "{explained}");
    by_bob(&["retract", "src"]);
    let status = repo.merkle(&["status"]).ok();
    assert!(!status.contains("human/note"), "{status}");
    repo.fill("commit more\n+ src/more.rs = pub fn more() {}");
    let different = repo
        .merkle(&["diff", "HEAD~1..HEAD", "--agent", "human"])
        .ok();
    assert!(
        !different.contains("words") && !different.contains("Words"),
        "{different}"
    );
}
