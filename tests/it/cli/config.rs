//! `config list`.

use super::{assert_each, assert_fields};
use crate::support::{PROGRAM, Sandbox};

#[test]
fn settings_in_force_and_where_they_come_from() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    insta::assert_snapshot!(repo.merkle(&["config", "list"]).ok(), @"
    merkle.acceptframes=all
    merkle.autosync=off
    merkle.confirmabove=1
    merkle.contextbudget=24000
    merkle.contextsystem=true
    merkle.defaultprofile=default
    merkle.hookcomplete=false
    merkle.hookquiet=3s
    merkle.progress=true
    merkle.publish=shared
    merkle.share=said
    merkle.syncinterval=5m
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
    let listed: String = listed
        .split_inclusive('\n')
        .filter(|line| !line.starts_with("built-in:"))
        .collect();
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
