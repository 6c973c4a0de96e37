//! A program that is broken in any way breaks nothing: what git does and says is what it does and says without hooks.

use std::os::unix::fs::PermissionsExt;

use super::{World, script};
use crate::support::Sandbox;

/// What stands where the program was: name, bytes, mode.
const BROKEN: &[(&str, &[u8], u32)] = &[
    (
        "fails",
        b"#!/bin/sh\necho noise; echo noise >&2; exit 9\n",
        0o755,
    ),
    (
        "fails like git",
        b"#!/bin/sh\necho noise >&2; exit 128\n",
        0o755,
    ),
    (
        "crashes",
        b"#!/bin/sh\necho noise >&2; kill -SEGV $$\n",
        0o755,
    ),
    ("is killed", b"#!/bin/sh\nkill -KILL $$\n", 0o755),
    ("aborts", b"#!/bin/sh\nkill -ABRT $$\n", 0o755),
    (
        "kills whoever reads its output",
        b"#!/bin/sh\nkill -PIPE $$\n",
        0o755,
    ),
    ("is interrupted", b"#!/bin/sh\nkill -INT $$\n", 0o755),
    ("not executable", b"#!/bin/sh\necho noise; exit 9\n", 0o644),
    ("not readable", b"#!/bin/sh\necho noise; exit 9\n", 0o111),
    ("no interpreter", b"#!/no/such/interpreter\n", 0o755),
    (
        "for another machine",
        b"\x7fELF\x02\x01\x01\0\0\0\0\0\0\0\0\0\x02\0\xff\xff\x01\0\0\0",
        0o755,
    ),
    ("noise", b"\0\x01\x02)(;&|\n\xff'\"`\n", 0o755),
    ("empty", b"", 0o755),
];

/// What a user does in a day; a failing `pre-push` would stop the last of it.
const DAY: &[&[&str]] = &[
    &["commit", "--allow-empty", "-m", "one"],
    &["commit", "--allow-empty", "--amend", "-m", "two"],
    &["checkout", "-b", "side"],
    &["commit", "--allow-empty", "-m", "on the side"],
    &["checkout", "main"],
    &["commit", "--allow-empty", "-m", "three"],
    &["merge", "--no-edit", "side"],
    &["checkout", "side"],
    &["rebase", "main"],
    &["format-patch", "-1", "--always", "-o", "../mail", "main~1"],
    &["worktree", "add", "../other", "main~1"],
    &["worktree", "remove", "../other"],
    &["push", "../hub", "side", "main"],
    &["push", "../hub", "no-such-branch"],
    &["status"],
];

/// Code and streams of each of them.
pub(super) fn day(world: &World<'_>) -> Vec<(Option<i32>, String, String)> {
    let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
    let run = |arguments: &&[&str]| {
        let run = dates.iter().fold(world.repo.run("git"), |run, name| {
            run.env(name, "1800000000 +0000")
        });
        let output = run.args(*arguments).run();
        (output.code, output.out(), output.err())
    };
    DAY.iter().map(run).collect()
}

/// With hooks of the user of each kind: none, strict shells, and another language.
pub(super) fn prepared(sandbox: &Sandbox) -> World<'_> {
    drop(sandbox.bare("hub"));
    let repo = sandbox.repo("work");
    repo.run("git")
        .env("GIT_AUTHOR_DATE", "1700000000 +0000")
        .env("GIT_COMMITTER_DATE", "1700000000 +0000")
        .args(["commit", "-q"])
        .args(["--allow-empty", "-m", "first"])
        .run()
        .ok();
    let world = World::at(sandbox, repo);
    world.hook("post-merge", "#!/bin/sh -eu\necho merged\nexit 3\n");
    world.hook(
        "post-checkout",
        "#!/usr/bin/env bash\nset -euo pipefail\necho \"checked out $3\"\n",
    );
    world.hook(
        "pre-push",
        "#!/usr/bin/awk -f\nBEGIN { print \"pushing\"; exit 0 }\n",
    );
    world
}

#[test]
fn a_program_that_crashes_changes_nothing_of_what_git_does_and_says() {
    let sandbox = Sandbox::new();
    let expected = day(&prepared(&sandbox));
    assert!(
        expected.iter().any(|(_, _, err)| err.contains("merged"))
            && expected.iter().any(|(code, ..)| *code == Some(1))
    );
    for (name, bytes, mode) in BROKEN {
        let sandbox = Sandbox::new();
        let world = prepared(&sandbox);
        world
            .hooks(&["install", "--mode=hookdir", super::install::ALL])
            .ok();
        std::fs::remove_file(world.program()).expect("files of a test can be made");
        std::fs::write(world.program(), bytes).expect("files of a test can be made");
        std::fs::set_permissions(world.program(), std::fs::Permissions::from_mode(*mode))
            .expect("files of a test can be made");
        assert_eq!(day(&world), expected, "{name}");
        let broken = std::fs::read(world.program()).expect("files of a test can be made");
        assert_eq!(&broken, bytes, "{name}");
    }
}

#[test]
fn nor_does_one_that_is_found_on_the_search_path_or_called_from_the_configuration() {
    for (name, bytes, mode) in BROKEN {
        let sandbox = Sandbox::new();
        let world = World::new(&sandbox, "work");
        super::install_config::pretend(&world);
        world
            .hooks(&["install", "--mode=config", super::install::ALL])
            .ok();
        std::fs::remove_file(world.program()).expect("files of a test can be made");
        script(&world.program(), "");
        std::fs::write(world.program(), bytes).expect("files of a test can be made");
        std::fs::set_permissions(world.program(), std::fs::Permissions::from_mode(*mode))
            .expect("files of a test can be made");
        for (event, shell) in [
            ("post-commit", "sh"),
            ("pre-push", "sh"),
            ("pre-push", "bash"),
        ] {
            let command = world
                .repo
                .git(&["config", &format!("hook.merkle-{event}.command")])
                .ok();
            // Git adds the arguments so.
            let call = format!("{} \"$@\"", command.trim_end());
            // As it stands, and where the program is gone and another one found on the search path.
            for call in [call.clone(), call.replace("/git-merkle'", "/gone'")] {
                let ran = world
                    .command(shell, &["-c", &call, "hook", "a", "b c"])
                    .input("in")
                    .run();
                assert_eq!(
                    (ran.code, ran.out(), ran.err()),
                    (Some(0), String::new(), String::new()),
                    "{name}: {event}: {call}"
                );
            }
        }
    }
}
