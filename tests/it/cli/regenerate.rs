//! `regenerate`: its words and refusals. What it costs is in `laws`.

use super::{SAMPLE, assert_fields, sample, told};
use crate::support::{PROGRAM, Sandbox};

#[test]
fn what_was_done_in_words() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--dry-run"])), @"
    README.md
    src/deep/mod.rs
    src/deep/
    src/lib.rs
    src/
    ./
    --- stderr
    would make 6 frames (6 missing), 0 fresh; no calls to a model, no cost
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "src/lib.rs"])), @"
    made 1 frame (1 file, 0 directories)
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "src/deep", "README.md"])), @"
    made 3 frames (2 files, 1 directory)
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate"])), @"
    made 2 frames (0 files, 2 directories), 4 fresh
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate"])), @"
    nothing to do: every node of HEAD is fresh
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--dry-run"])), @"
    --- stderr
    would make 0 frames (nothing to do), 6 fresh; no calls to a model, no cost
    --- exit 0
    ");
    repo.fill("commit reworded body\n+ src/lib.rs\n| //! A crate that adds.\n|\n| /// Adds two numbers.\n| pub fn add(a: u8, b: u8) -> u8 {\n|     b + a\n| }");
    repo.merkle(&["invalidate", "README.md"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--dry-run"])), @"
    README.md
    src/lib.rs
    src/
    ./
    --- stderr
    would make 4 frames (3 changed, 1 invalidated), 2 fresh; no calls to a model, no cost
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate"])), @"
    made 2 frames (2 files, 0 directories), 2 reused, 2 fresh
    --- exit 0
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--force", "-r", "src/deep"])), @"
    made 2 frames (1 file, 1 directory)
    --- exit 0
    ");
}

#[test]
fn the_documents_and_the_records() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    repo.fill("commit odd\n+ \"odd \\\"\\n\" = x");
    let plan = repo
        .merkle(&["regenerate", "-n", "--json"])
        .exits(0)
        .json("plan");
    assert_fields(&plan, "schema agent type calls fresh skipped tasks");
    assert_fields(&plan["tasks"][0], "path kind reason");
    let records = repo.merkle(&["regenerate", "-n", "-z"]).ok();
    assert_eq!(
        records,
        "README.md\0odd \"\n\0src/deep/mod.rs\0src/deep/\0src/lib.rs\0src/\0./\0"
    );
    assert_eq!(repo.merkle(&["regenerate", "-n", "-q"]).exits(0).err(), "");
    let done = repo
        .merkle(&["regenerate", "--json"])
        .exits(0)
        .json("regenerate");
    assert_fields(
        &done,
        "schema agent type visited is_partial made_files made_directories reused kept fresh absent absent_paths stored held_back failed awaited left stop",
    );
}

#[test]
fn a_node_by_its_id_is_found_in_the_snapshot() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    let id = repo.id("HEAD:src/lib.rs");
    assert_eq!(
        repo.merkle(&["regenerate", &id]).ok(),
        "made 1 frame (1 file, 0 directories)\n"
    );
    assert!(
        repo.merkle(&["show", "src/lib.rs"])
            .ok()
            .contains("fresh src/lib.rs")
    );
    assert_eq!(
        repo.merkle(&["regenerate", "HEAD:src/deep"]).ok(),
        "made 2 frames (1 file, 1 directory)\n"
    );
    let stray = repo
        .run("git")
        .args(["hash-object", "-w", "--stdin"])
        .input("nowhere")
        .run()
        .ok();
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", stray.trim()])), @"
    --- stderr
    error: '#1' does not stand in the snapshot
    hint: name it as <rev>:<path>
    --- exit 65
    ");
}

#[test]
fn agents_that_are_not_made_here_are_refused() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--agent", "human"])), @"
    --- stderr
    error: frames of agent 'human' are written by hand, not made
    hint: git merkle put-frame <node> <file> --agent human
    --- exit 78
    ");
    insta::assert_snapshot!(told(&repo.merkle(&["regenerate", "--agent", "nobody"])), @"
    --- stderr
    error: unknown agent 'nobody'
    hint: 'git merkle agent list' lists those there are
    --- exit 65
    ");
    let json = repo
        .run(PROGRAM)
        .args(["regenerate", "--json", "--agent", "human"])
        .run()
        .exits(78);
    assert_eq!(json.out(), "");
    let error: serde_json::Value = serde_json::from_str(&json.err()).unwrap();
    assert_fields(&error, "schema code message hint");
    assert_eq!(
        (&error["schema"], &error["code"]),
        (&"git-merkle/error/1".into(), &78.into())
    );
}

/// Before, a run without a model told counts only.
#[test]
fn each_step_of_a_run_names_path_agent_and_type() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled("commit first\n+ a.rs = pub fn a() {}\n+ src/b.rs = pub fn b() {}");
    let steps = || {
        let lines = repo.merkle(&["regenerate", "--json-lines"]).ok();
        let lines: Vec<serde_json::Value> = lines
            .lines()
            .map(|line| serde_json::from_str(line).expect("JSON"))
            .collect();
        assert_eq!(
            lines.last().expect("a report")["schema"],
            "git-merkle/regenerate/1"
        );
        let named: Vec<&serde_json::Value> = lines
            .iter()
            .filter(|line| line["path"].is_string())
            .collect();
        assert!(
            named
                .iter()
                .all(|line| line["agent"] == "outline" && line["type"] == "outline"),
            "{named:?}"
        );
        let step = |line: &&serde_json::Value| {
            format!(
                "{} {}",
                line["event"].as_str().unwrap(),
                line["path"].as_str().unwrap()
            )
        };
        named.iter().map(step).collect::<Vec<_>>()
    };
    assert_eq!(steps(), ["made a.rs", "made src/b.rs", "made src", "made "]);
    // What a body says is not in its outline: the directories above have what they had.
    repo.fill("commit second\n+ src/b.rs = pub fn b() { /* inside */ }");
    assert_eq!(steps(), ["made src/b.rs", "reused src", "reused "]);
    assert_eq!(steps(), [] as [&str; 0]);
}

/// Before, a file that was named went out though a `.teddyignore` leaves it out.
#[test]
fn what_is_left_out_is_refused_though_it_is_named() {
    let sandbox = Sandbox::new();
    let repo = sample(&sandbox);
    repo.fill("commit ignore\n+ .teddyignore = /src/");
    for named in ["src", "src/lib.rs"] {
        let refused = repo.merkle(&["regenerate", named]).exits(65);
        assert!(
            refused.err().contains("is left out by a .teddyignore"),
            "{refused}"
        );
    }
    repo.merkle(&["regenerate", "README.md"]).ok();
}
