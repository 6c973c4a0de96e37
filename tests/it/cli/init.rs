//! `init`.

use super::{SAMPLE, assert_each, told};
use crate::support::Sandbox;

/// Red before: with the starter profile what a turn makes was cut at the length of a frame.
#[test]
fn the_starter_profile_says_what_held_without_it() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    let held = || {
        let shown = repo.merkle(&["profile", "show"]).ok();
        let lines = shown.lines().filter(|line| !line.contains(" origin "));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let before = held();
    repo.merkle(&["init"]).ok();
    let shown = repo.merkle(&["profile", "show"]).ok();
    assert!(shown.contains("profiles/default/config.yml"), "{shown}");
    assert_eq!(held(), before);
}

#[test]
fn files_are_written_once_and_never_over_changes() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(SAMPLE);
    insta::assert_snapshot!(told(&repo.merkle(&["init", "--agents-md"])), @"
    created .teddy/config.toml
    created .teddy/agents/docs.toml.sample
    created .teddy/prompts/docs.system.md
    created .teddy/prompts/docs.file.md
    created .teddy/prompts/docs.dir.md
    created .teddy/profiles/default/config.yml
    created .teddy/memos.yaml
    created .teddy/global.context
    created AGENTS.md
    --- exit 0
    ");
    std::fs::write(repo.path(".teddy/memos.yaml"), "mine: true\n").unwrap();
    let document = repo.merkle(&["init", "--json"]).exits(0).json("init");
    let files = document["files"].as_array().unwrap();
    assert_each(&document["files"], "path state");
    let different: Vec<_> = files
        .iter()
        .filter(|file| file["state"] != "kept")
        .map(|file| file["path"].as_str().unwrap())
        .collect();
    assert_eq!(different, [".teddy/memos.yaml"]);
    assert_eq!(
        std::fs::read_to_string(repo.path(".teddy/memos.yaml")).unwrap(),
        "mine: true\n"
    );
    assert_eq!(
        repo.merkle(&["init", "-z"]).ok().matches('\0').count(),
        files.len()
    );
    // It writes into the work tree and nowhere else, from wherever it is called.
    assert_eq!(
        repo.git(&["status", "--porcelain"]).ok(),
        "?? .teddy/\n?? AGENTS.md\n"
    );
    let other = sandbox.repo("other");
    std::fs::create_dir(other.path("below")).unwrap();
    other
        .run(crate::support::PROGRAM)
        .args(["-C", "below", "init"])
        .run()
        .ok();
    assert!(other.path(".teddy/config.toml").exists() && !other.path("below/.teddy").exists());
    other.merkle(&["doctor"]).ok();
    insta::assert_snapshot!(told(&sandbox.bare("bare").merkle(&["init"])), @"
    --- stderr
    error: this operation must be run in a work tree
    hint: clone the repository and run 'git merkle init' in the clone
    --- exit 128
    ");
}

/// What init wrote is the user's own; what came with the repository is not accepted along with it.
#[test]
fn what_init_wrote_is_accepted_and_nothing_else() {
    let sandbox = Sandbox::new();
    let is_trusted = |repo: &crate::support::Repo<'_>| {
        repo.merkle(&["trust", "--show", "--json"]).json("trust")["state"] == "trusted"
    };
    let own = sandbox.repo("own");
    own.fill(SAMPLE);
    own.merkle(&["init"]).ok();
    assert!(is_trusted(&own));
    std::fs::write(own.path(".teddy/memos.yaml"), "- mine\n").unwrap();
    own.merkle(&["init"]).ok();
    assert!(
        !is_trusted(&own),
        "nothing was written, so nothing is accepted"
    );
    std::fs::remove_file(own.path(".teddy/global.context")).unwrap();
    own.merkle(&["init"]).ok();
    assert!(!is_trusted(&own), "a file that this call has not written");
    let foreign = sandbox.repo("foreign");
    foreign.fill("commit first\n+ .teddy/memos.yaml = - run this");
    foreign.merkle(&["init"]).ok();
    assert!(!is_trusted(&foreign));
}
