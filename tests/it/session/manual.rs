//! A whole session by files: prompts are read, answers are written beside them, and commands only move it on.

use git_merkle::base::hash::sha256_hex;

use super::{FIXTURE, FOLDER, log, read, write};
use crate::support::{Repo, Sandbox};

/// Answers the open turn with an editor and lets the session go on.
fn answer(repo: &Repo<'_>, file: &str, text: &str) {
    write(repo, file, text);
    repo.merkle(&["turn", "run"]).ok();
}

/// Every line of the list of files names a file of the turn with the digest that it has, and every file is named.
fn assert_report_is_true(repo: &Repo<'_>, turn: &str) {
    let report = read(repo, &format!("{turn}/report.md"));
    let listed: Vec<(String, String)> = report
        .lines()
        .skip_while(|line| *line != "## Files")
        .filter_map(|line| {
            let (name, digest) = line.strip_prefix("- `")?.split_once("` SHA-256 `")?;
            Some((name.to_owned(), digest.trim_end_matches('`').to_owned()))
        })
        .collect();
    let mut files: Vec<(String, String)> =
        std::fs::read_dir(repo.path(&format!("{FOLDER}/{turn}")))
            .expect("a folder")
            .flatten()
            .filter(|entry| entry.file_name() != "report.md")
            .map(|entry| {
                (
                    entry.file_name().into_string().expect("UTF-8"),
                    sha256_hex(&std::fs::read(entry.path()).expect("a file")),
                )
            })
            .collect();
    files.sort();
    assert_eq!(listed, files, "{report}");
}

#[test]
fn a_session_is_led_by_files_alone() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login", "-c", "src/*.rs"])
        .ok();
    let begun = repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    assert_eq!(begun, format!("{FOLDER}/01/planning-prompt.md\n"));
    let prompt = read(&repo, "01/planning-prompt.md");
    assert!(
        prompt.starts_with("# AI Code Generation Request\n\n## Standards and Context\n\n# Role\n"),
        "{prompt}"
    );
    assert!(
        prompt.contains(read(&repo, "01/input.md").trim_end()),
        "the payload stands in the prompt as it is"
    );
    assert!(
        prompt.contains("pub fn lock() {}") && prompt.contains("### Request\n\nFree the lock."),
        "{prompt}"
    );
    let waiting = repo.merkle(&["turn", "run"]).exits(75);
    assert!(
        waiting.err().contains(&format!(
            "waiting for your answer in '{FOLDER}/01/planning-response.md'"
        )),
        "{waiting}"
    );
    answer(&repo, "01/planning-response.md", "THE PLAN\n");
    repo.merkle(&["turn", "approve"]).ok();

    repo.merkle(&["turn", "new"]).ok();
    assert!(read(&repo, "02/generation-prompt.md").contains("THE PLAN"));
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("TOO LONG")
        .run()
        .ok();
    repo.merkle(&["turn", "reject", "-m", "Make it shorter."])
        .ok();
    repo.merkle(&["turn", "new"]).ok();
    let again = read(&repo, "03/generation-prompt.md");
    assert!(
        again.contains("TOO LONG") && again.contains("Make it shorter."),
        "what was wrong is said:\n{again}"
    );
    answer(&repo, "03/generation-response.md", "THE WORK\n");
    repo.merkle(&["turn", "approve"]).ok();

    repo.merkle(&["turn", "new"]).ok();
    let review = read(&repo, "04/review-prompt.md");
    assert!(
        review.contains("THE WORK") && review.contains("THE PLAN") && !review.contains("TOO LONG"),
        "{review}"
    );
    answer(
        &repo,
        "04/review-response.md",
        "No.\n\n```verdict\nverdict: fail\nissues:\n- never freed\n```\n",
    );
    repo.merkle(&["turn", "new"]).ok();
    let revision = read(&repo, "05/revision-prompt.md");
    assert!(
        revision.contains("- never freed") && revision.contains("THE WORK"),
        "{revision}"
    );
    answer(&repo, "05/revision-response.md", "THE BETTER WORK\n");
    repo.merkle(&["turn", "approve"]).ok();
    repo.merkle(&["turn", "new"]).ok();
    let review = read(&repo, "06/review-prompt.md");
    assert!(
        review.contains("THE BETTER WORK") && !review.contains("THE WORK\n"),
        "{review}"
    );
    answer(&repo, "06/review-response.md", "**Verdict:** pass\n");

    assert_eq!(
        log(&repo),
        [
            "01 planning (iteration 1): approved by person",
            "02 generating (iteration 1): rejected by person",
            "03 generating (iteration 1): approved by person",
            "04 reviewing (iteration 1): rejected by review",
            "05 revising (iteration 2): approved by person",
            "06 reviewing (iteration 2): approved by review",
        ]
    );
    for turn in ["01", "02", "03", "04", "05", "06"] {
        assert_report_is_true(&repo, turn);
    }
    assert_eq!(
        repo.merkle(&["session", "list"]).ok(),
        "login complete, 6 turns\n"
    );
    drop(repo.merkle(&["turn", "new"]).exits(65));
    assert_eq!(
        repo.merkle(&["session", "show", "--search", "SHORTER", "--json"])
            .json("session-history")["entries"][0]["id"],
        "02-feedback"
    );
    drop(
        repo.merkle(&["session", "show", "--search", "nowhere"])
            .exits(1),
    );
}

#[test]
fn a_report_says_line_by_line_what_happened() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login", "-c", "gone.rs"])
        .ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("THE PLAN\n")
        .run()
        .ok();
    repo.merkle(&["turn", "reject", "-m", "Say why."]).ok();
    let report = read(&repo, "01/report.md");
    let report = report.split("\n## Files").next().expect("a first part");
    let tokens = repo
        .merkle(&["turn", "show", "--file", "prompt"])
        .ok()
        .len();
    assert!(tokens > 1_000, "the prompt is whole");
    let report: Vec<&str> = report
        .lines()
        .filter(|line| !line.starts_with("- **Prompt:**"))
        .collect();
    insta::assert_snapshot!(report.join("\n"), @"
    # Turn 01: planning

    - **Session:** login
    - **Status:** rejected
    - **Phase:** planning, iteration 1
    - **Decided by:** person
    - **Judged:** planning-response.md with SHA-256 `012eba6ad2c0ec3a44726f1977b3d6da0ee7898e751284a5bd895d646359e1ad`

    ## Request

    ````
    Free the lock.
    ````

    ## Answer

    - **Provider:** person
    - **Tokens:** not told by the provider
    - **Cost:** unknown

    ## Feedback

    ````
    Say why.
    ````

    ## Notes

    - [gone.rs](/gone.rs) is not included: no such file in the snapshot
    ");
}

#[test]
fn a_turn_sees_what_is_added_and_not_what_is_dropped() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["turn", "new", "-m", "x", "--add", "src/lock.rs"])
        .ok();
    assert!(read(&repo, "01/input.md").contains("### Turn\n\n- [src/lock.rs](/src/lock.rs)\n"));
    // Begun again it is the same turn, with the world as it is now.
    std::fs::write(repo.path("src/lock.rs"), "pub fn unlock() {}\n").expect("writable");
    repo.merkle(&["turn", "new"]).ok();
    assert!(read(&repo, "01/input.md").contains("unlock"));
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("THE PLAN\n")
        .run()
        .ok();
    repo.merkle(&["turn", "approve"]).ok();
    repo.merkle(&["turn", "new"]).ok();
    assert!(
        read(&repo, "02/input.md").contains("unlock"),
        "the list is carried over"
    );
    let dropped = repo
        .merkle(&["turn", "new", "--drop", "src/lock.rs", "--drop", "gone"])
        .exits(0);
    assert!(
        dropped.err().contains("'gone' cannot be dropped"),
        "{dropped}"
    );
    let input = read(&repo, "02/input.md");
    assert!(
        !input.contains("unlock") && !input.contains("sessions"),
        "{input}"
    );
}

#[test]
fn a_session_branches() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["session", "new", "login"]).ok();
    for _ in 0..2 {
        repo.merkle(&["turn", "new", "-m", "x"]).ok();
        repo.run("git-merkle")
            .args(["turn", "respond", "-"])
            .input("SAID\n")
            .run()
            .ok();
        repo.merkle(&["turn", "approve"]).ok();
    }
    repo.merkle(&["session", "branch", "login", "other", "--at", "01"])
        .ok();
    let other = repo
        .merkle(&["session", "show", "other", "--json"])
        .json("session-show");
    assert_eq!(
        (
            other["parent"].as_str(),
            other["turns"].as_u64(),
            other["phase"].as_str()
        ),
        (Some("login/01"), Some(1), Some("generating"))
    );
    drop(repo.merkle(&["turn", "new"]).exits(129));
    repo.merkle(&["turn", "new", "-s", "other"]).ok();
    assert_eq!(log(&repo).len(), 2, "the first is untouched");
    drop(
        repo.merkle(&["session", "branch", "login", "other"])
            .exits(65),
    );
    drop(
        repo.merkle(&["session", "branch", "login", "third", "--at", "09"])
            .exits(65),
    );
}

#[test]
fn what_is_listed_is_seen_from_where_the_user_stands() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(FIXTURE);
    repo.merkle(&["-C", "src", "session", "new", "login", "-c", "../README.md"])
        .ok();
    repo.merkle(&["-C", "src", "turn", "new", "-m", "x", "--add", "lock.rs"])
        .ok();
    assert!(
        read(&repo, "01/input.md")
            .contains("### Turn\n\n- [src/lock.rs](/src/lock.rs)\n\n### Session\n\n- [README.md]")
    );
    repo.merkle(&["-C", "src", "turn", "new", "--drop", "lock.rs"])
        .ok();
    assert!(!read(&repo, "01/turn.context").contains("lock.rs"));
    for entry in ["# no", " ", "a\nb"] {
        drop(repo.merkle(&["turn", "new", "--add", entry]).exits(129));
    }
}
