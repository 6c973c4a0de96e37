//! `config list`.

use super::{assert_each, assert_fields};
use crate::support::{PROGRAM, Sandbox};

#[test]
fn settings_in_force_and_where_they_come_from() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    insta::assert_snapshot!(repo.merkle(&["config", "list"]).ok(), @"
    merkle.progress=true
    ");
    repo.git(&["config", "merkle.progress", "false"]).ok();
    let run = |arguments: &[&str]| {
        repo.run(PROGRAM)
            .env("GIT_MERKLE_REMOTE", "backup")
            .args(arguments)
            .run()
    };
    let listed = run(&[
        "-c",
        "merkle.hooks=false",
        "config",
        "list",
        "--show-origin",
    ])
    .ok();
    insta::assert_snapshot!(listed.replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"), @"
    command line:	merkle.hooks=false
    file:<sandbox>/work/.git/config:7	merkle.progress=false
    environment:GIT_MERKLE_REMOTE	merkle.remote=backup
    ");
    let records = run(&["config", "list", "-z"]).ok();
    assert!(records.contains("merkle.remote\nbackup\0"), "{records:?}");
    let document = run(&["config", "list", "--json"]).exits(0).json("config");
    assert_fields(&document, "schema settings ignored");
    assert_each(&document["settings"], "key values origin");
    let outside = sandbox
        .run(PROGRAM, &sandbox.path("home"))
        .args(["config", "list"])
        .run()
        .ok();
    assert!(
        outside.contains("merkle.progress=true\n"),
        "it works outside of a repository"
    );
}

/// Before, what the user's own configuration misspelt was listed as in force, and nothing read it.
#[test]
fn what_is_no_setting_is_named_and_not_in_force() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.fill("commit first\n+ a.rs = fn a() {}");
    for key in ["retries", "concurrency", "notes", "acceptAll", "autoPush"] {
        let setting = format!("merkle.{key}=1");
        let output = repo.merkle(&["-c", &setting, "status"]).exits(0);
        let name = key.to_ascii_lowercase();
        let warning = format!(
            "warning: 'merkle.{name}' from command line is ignored: no setting has this name\n"
        );
        assert_eq!(output.err(), warning);
        assert!(
            !repo
                .merkle(&["-c", &setting, "config", "list"])
                .exits(0)
                .out()
                .contains(&name)
        );
    }
    let warned = repo
        .run(PROGRAM)
        .args(["config", "list"])
        .env("GIT_MERKLE_MAX_COTS", "1")
        .run()
        .exits(0)
        .err();
    assert!(
        warned.contains("'merkle.maxcots' from environment:GIT_MERKLE_MAX_COTS is ignored"),
        "{warned}"
    );
}
