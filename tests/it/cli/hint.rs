//! Hints are followed: each command that a complaint names is run, and the complaint is gone.
//!
//! A scenario makes a repository and a command that complains. The helper collects what stands in quotes and begins with
//! `git merkle` (or `git`, for objects that are elsewhere), and `hint:` lines; runs each; and runs the command again.

use super::{SAMPLE, note, told};
use crate::generate::{PROTOCOLS, World, command};
use crate::support::{Output, PROGRAM, Repo, Sandbox};

/// The commands that a text names: between single or double quotes, or as a whole hint.
fn commands(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in text.lines() {
        if let Some(hint) = line.strip_prefix("hint: git ") {
            found.push(format!("git {hint}"));
        }
        for (open, close) in [("'git ", "'"), ("\"git ", "\"")] {
            let mut rest = line;
            while let Some((_, after)) = rest.split_once(open) {
                let Some((inside, after)) = after.split_once(close) else {
                    break;
                };
                found.push(format!("git {inside}"));
                rest = after;
            }
        }
    }
    found.retain(|command| !is_a_look(command));
    found
}

/// Commands that only show something more.
fn is_a_look(command: &str) -> bool {
    [
        "git merkle agent list",
        "git merkle agent show",
        "git fsck",
        "git ls-tree",
    ]
    .iter()
    .any(|look| command.starts_with(look))
}

/// Runs a command line of git or of this program, as a shell would split it.
fn follow(repo: &Repo<'_>, line: &str) -> Output {
    let line = line
        .replace("<file>", "../said")
        .replace("git merkle ", &format!("{PROGRAM} "));
    repo.run("sh")
        .args(["-c", &line])
        .env("TEST_API_KEY", crate::generate::key())
        .run()
}

/// Demands that a command complains, that it names a way out, and that it does not complain after it.
#[track_caller]
fn followed(repo: &Repo<'_>, arguments: &[&str], complaint: &str) {
    let before = command(repo, arguments).run();
    let text = before.out() + &before.err();
    assert!(
        text.contains(complaint),
        "wanted '{complaint}' from\n{before}"
    );
    let ways = commands(&text);
    assert!(!ways.is_empty(), "no way out is named by\n{before}");
    for way in &ways {
        let output = follow(repo, way);
        assert_eq!(
            output.code,
            Some(0),
            "the way out of '{complaint}' fails: {way}\n{output}"
        );
    }
    let after = command(repo, arguments).run();
    let text = after.out() + &after.err();
    assert!(
        !text.contains(complaint),
        "'{complaint}' stays after {ways:?}:\n{after}"
    );
}

#[test]
fn a_complaint_about_a_node_names_the_command_that_ends_it() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("said"), "said by hand\n").expect("writable");
    let make = |name: &str| {
        let repo = sandbox.repo(name);
        repo.fill(SAMPLE);
        repo.fill("commit second\n+ src/lib.rs = pub fn other() {}\n+ a b.rs = fn odd() {}");
        std::fs::write(repo.path("new.py"), "def new(): pass\n").expect("writable");
        repo
    };
    let scenarios: [(&[&str], &str); 13] = [
        (&["show", "README.md"], "nothing is said about"),
        (&["show", "new.py", "--worktree"], "nothing is said about"),
        (
            &["show", "--rev", "HEAD~1", "src/lib.rs"],
            "nothing is said about",
        ),
        (&["show", "HEAD~1:src/lib.rs"], "nothing is said about"),
        (&["show", "a b.rs"], "nothing is said about"),
        (&["show", "src", "--type", "review"], "is said about"),
        (&["show", "src", "--agent", "human"], "is said about"),
        (
            &["show", "src", "--type", "outline"],
            "nothing is said about",
        ),
        (&["get-head", "README.md"], "nothing is said about"),
        (&["get-head", "src", "--agent", "human"], "is said about"),
        (&["status"], "not fresh"),
        (&["status", "--worktree"], "not fresh"),
        (&["status", "--rev", "HEAD~1"], "not fresh"),
    ];
    for (number, (arguments, complaint)) in scenarios.into_iter().enumerate() {
        let repo = make(&format!("work{number}"));
        followed(&repo, arguments, complaint);
    }
}

#[test]
fn an_agent_that_is_behind_is_named_in_the_way_out() {
    let world = World::steady(PROTOCOLS[0]);
    world.set("merkle.budgetCalls", "100");
    let repo = world.repo(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    followed(
        &repo,
        &["show", "src/lib.rs", "--agent", "docs"],
        "has said nothing about",
    );
    assert_eq!(world.server.posts().len(), 1, "one file was asked for");
    // One file that fell behind: the way out makes that one and does not describe the repository.
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    repo.merkle(&["regenerate"]).ok();
    followed(&repo, &["status"], "1 node of docs/summary is not fresh");
    assert_eq!(world.server.posts().len(), 2);
    followed(
        &repo,
        &["status", "--agent", "docs"],
        "of docs/summary are not fresh",
    );
    repo.merkle(&["invalidate", "src/lib.rs", "--agent", "docs"])
        .ok();
    followed(
        &repo,
        &["get-head", "src/lib.rs", "--agent", "docs"],
        "was declared void",
    );
}

#[test]
fn what_cannot_be_said_names_the_reason() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    insta::assert_snapshot!(told(&repo.merkle(&["show", ".", "--agent", "foo"])), @"
    --- stderr
    error: unknown agent 'foo'
    hint: 'git merkle agent list' lists those there are
    --- exit 65
    ");
    // Before, each of these answered a mistyped name in its own way, most with nothing and success.
    for command in [
        "log src",
        "diff HEAD HEAD",
        "list-frames src",
        "get-head src",
        "get-node src",
        "invalidate src",
        "explain src",
        "status",
        "note src -m x",
        "regenerate src",
    ] {
        let words = command.split(' ').chain(["--agent", "humn"]);
        let output = repo.run(PROGRAM).args(words).run();
        let told = output.err();
        assert!(
            output.code == Some(65) && told.starts_with("error: unknown agent 'humn'\n"),
            "{command}: {output}"
        );
    }
    // A synthesis that fell behind.
    repo.merkle(&["synthesize", "src"]).ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn other() {}");
    followed(&repo, &["status"], "1 node of outline/digest is not fresh");
}

#[test]
fn an_object_that_is_elsewhere_is_called_so() {
    let sandbox = Sandbox::new();
    let origin = sandbox.repo("origin");
    origin.fill(SAMPLE);
    origin.config("uploadpack.allowFilter", "true");
    origin.config("uploadpack.allowAnySHA1InWant", "true");
    let url = format!("file://{}", origin.path("").display());
    let clone = sandbox.path("clone");
    sandbox
        .run("git", &sandbox.path("home"))
        .args(["clone", "-q", "--no-checkout", "--filter=blob:none", &url])
        .arg(&clone)
        .run()
        .ok();
    let clone = Repo::at(&sandbox, clone);
    let status = clone.merkle(&["status"]).ok();
    assert!(
        status.contains("the content of 3 files is missing in this clone"),
        "{status}"
    );
    assert!(
        clone
            .merkle(&["explain", "README.md"])
            .exits(1)
            .out()
            .contains("is not in this partial clone")
    );
    let output = clone.merkle(&["show", "README.md"]).exits(1);
    assert!(
        output.err().contains("is not in this partial clone"),
        "{output}"
    );
    followed(
        &clone,
        &["show", "README.md"],
        "is not in this partial clone",
    );
    // The same in a repository that has lost an object.
    let id = origin.id("HEAD:README.md");
    std::fs::remove_file(origin.path(&format!(".git/objects/{}/{}", &id[..2], &id[2..])))
        .expect("a loose object");
    let output = origin.merkle(&["show", "README.md"]).exits(1);
    assert!(
        output
            .err()
            .contains(&format!("object {id} is missing in this repository")),
        "{output}"
    );
    assert!(
        origin
            .merkle(&["status"])
            .ok()
            .contains("the content of 1 file is missing in this clone")
    );
    assert!(
        origin
            .merkle(&["explain", "README.md"])
            .exits(1)
            .out()
            .contains("is missing in this repository")
    );
}

#[test]
fn a_note_that_was_declared_void_names_how_to_say_another() {
    let sandbox = Sandbox::new();
    std::fs::write(sandbox.path("said"), "said by hand\n").expect("writable");
    let repo = sandbox.filled(SAMPLE);
    note(&repo, "src", "wrong");
    repo.merkle(&["invalidate", "src", "--agent", "human"]).ok();
    followed(&repo, &["get-head", "src"], "was declared void");
}
