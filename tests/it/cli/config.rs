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
    let run = |arguments: &[&str]| repo.run(PROGRAM).env("GIT_MERKLE_NOTES", "true").args(arguments).run();
    let listed = run(&["-c", "merkle.hooks=false", "config", "list", "--show-origin"]).ok();
    insta::assert_snapshot!(listed.replace(sandbox.path("").to_str().unwrap(), "<sandbox>/"), @"
    command line:	merkle.hooks=false
    environment:GIT_MERKLE_NOTES	merkle.notes=true
    file:<sandbox>/work/.git/config:7	merkle.progress=false
    ");
    let records = run(&["config", "list", "-z"]).ok();
    assert!(records.contains("merkle.notes\ntrue\0"), "{records:?}");
    let document = run(&["config", "list", "--json"]).exits(0).json("config");
    assert_fields(&document, "schema settings ignored");
    assert_each(&document["settings"], "key values origin");
    let outside = sandbox.run(PROGRAM, &sandbox.path("home")).args(["config", "list"]).run().ok();
    assert!(outside.contains("merkle.progress=true\n"), "it works outside of a repository");
}
