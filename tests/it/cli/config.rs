//! `config list`, `get`, `set` and `unset`.

use super::{assert_each, assert_fields};
use crate::support::{PROGRAM, Sandbox};

#[test]
fn settings_in_force_and_where_they_come_from() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    insta::assert_snapshot!(repo.merkle(&["config", "list"]).ok(), @"
    merkle.acceptframes=all
    merkle.autosync=off
    merkle.batchmin=100
    merkle.confirmabove=1
    merkle.contextbudget=24000
    merkle.contextsystem=true
    merkle.defaultprofile=default
    merkle.findbudget=2000
    merkle.hookcomplete=false
    merkle.hookquiet=3s
    merkle.progress=true
    merkle.publish=shared
    merkle.queuewait=30s
    merkle.share=said
    merkle.syncinterval=5m
    ");
    repo.config("merkle.progress", "false");
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

#[test]
fn a_setting_is_written_where_it_may_stand() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let get = |key: &str| repo.merkle(&["config", "get", key]);
    assert_eq!(get("merkle.confirmAbove").ok(), "1\n", "the default");
    assert_eq!(get("maxCost").exits(1).out(), "");
    // Of the user alone: into the user's own file.
    let told = repo
        .merkle(&["config", "set", "maxcost", "2.5"])
        .exits(0)
        .err();
    assert_eq!(
        told,
        "'merkle.maxCost' is set in your global git configuration\n"
    );
    assert_eq!(get("merkle.max-cost").ok(), "2.5\n");
    assert_eq!(
        repo.git(&["config", "--global", "merkle.maxCost"]).ok(),
        "2.5\n"
    );
    // What a repository may say goes to its own, unless asked otherwise.
    let told = repo
        .merkle(&["config", "set", "merkle.progress", "false"])
        .exits(0)
        .err();
    assert_eq!(
        told,
        "'merkle.progress' is set in this repository's .git/config\n"
    );
    assert_eq!(
        repo.git(&["config", "--local", "merkle.progress"]).ok(),
        "false\n"
    );
    repo.merkle(&["config", "set", "--global", "progress", "true"])
        .ok();
    assert_eq!(get("progress").ok(), "false\n");
    // A limit may only be lowered there; what has no effect is said.
    repo.merkle(&["config", "set", "--local", "maxCost", "1"])
        .ok();
    assert_eq!(get("maxCost").ok(), "1\n");
    let loose = repo
        .merkle(&["config", "set", "--local", "maxCost", "9"])
        .exits(0)
        .err();
    assert!(
        loose.contains("is ignored: it may only tighten a limit"),
        "{loose}"
    );
    assert_eq!(get("maxCost").ok(), "2.5\n");
    repo.merkle(&["config", "unset", "--local", "maxCost"]).ok();
    repo.merkle(&["config", "unset", "maxCost"]).ok();
    assert!(
        repo.merkle(&["config", "unset", "maxCost"])
            .exits(1)
            .err()
            .contains("is not set in your global")
    );
    // Lists have several values, and are replaced as a whole.
    repo.merkle(&[
        "config",
        "set",
        "urls",
        "https://a.example/",
        "https://b.example/",
    ])
    .ok();
    assert_eq!(get("urls").ok().lines().count(), 2);
    repo.merkle(&["config", "set", "urls", "https://c.example/"])
        .ok();
    assert_eq!(get("urls").ok(), "https://c.example/\n");
    let document = repo
        .merkle(&["config", "get", "urls", "--json"])
        .exits(0)
        .json("config-get");
    assert_eq!(document["values"][0], "https://c.example/");
}

#[test]
fn what_is_no_setting_is_not_written() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let before = repo.git(&["config", "--list"]).ok();
    for (arguments, code, message) in [
        (
            &["set", "maxCots", "5"][..],
            129,
            "did you mean 'merkle.maxCost'?",
        ),
        (
            &["get", "core.editor"],
            129,
            "there is no setting 'merkle.core.editor'",
        ),
        (
            &["set", "provider.a b.model", "x"],
            129,
            "'a b' is no name of a provider",
        ),
        (
            &["set", "maxCost", "much"],
            129,
            "bad value 'much' for 'merkle.maxCost': expected a number of US dollars",
        ),
        (
            &["set", "maxCost", "1", "2"],
            129,
            "'merkle.maxCost' takes one value",
        ),
        (
            &["set", "--local", "provider.x.endpoint", "http://evil"],
            65,
            "only your own configuration may set 'merkle.provider.x.endpoint'",
        ),
        (&["set", "a\nb.c", "1"], 129, "there is no setting"),
    ] {
        let output = repo.merkle(&[&["config"], arguments].concat()).exits(code);
        assert!(output.err().contains(message), "{output}");
    }
    assert_eq!(repo.git(&["config", "--list"]).ok(), before);
    let outside = sandbox.run(PROGRAM, &sandbox.path("home"));
    outside
        .args(["config", "set", "--local", "progress", "no"])
        .run()
        .exits(128)
        .err();
    let outside = sandbox.run(PROGRAM, &sandbox.path("home"));
    outside.args(["config", "set", "progress", "no"]).run().ok();
    assert_eq!(repo.merkle(&["config", "get", "progress"]).ok(), "no\n");
}
