//! Hooks in git's configuration: the bytes, and that nothing of them stays. A git that is new enough is pretended.

use super::broken::{day, prepared};
use super::{World, listing, script};
use crate::support::{Output, Sandbox};

/// Makes `git version` say that it runs hooks of its configuration.
pub(super) fn pretend(world: &World<'_>) {
    let real = world
        .repo
        .run("sh")
        .args(["-c", "command -v git"])
        .run()
        .ok();
    let text = format!(
        "#!/bin/sh\ncase \" $* \" in *' version '*) echo 'git version 2.54.1';; *) exec '{}' \"$@\";; esac\n",
        real.trim()
    );
    script(
        &world.sandbox.path(super::PROGRAM_FOLDER).join("git"),
        &text,
    );
}

fn hooks(world: &World<'_>, arguments: &[&str]) -> Output {
    world.hooks(arguments)
}

#[test]
fn nothing_of_the_configuration_stays() {
    for extra in [
        "",
        "[include]\n\tpath = mine\n",
        "[user]\n\tname = \"x\"",
        "# last",
    ] {
        let sandbox = Sandbox::new();
        let world = World::new(&sandbox, "work");
        pretend(&world);
        let config = world.repo.path(".git/config");
        let text = std::fs::read_to_string(&config).unwrap() + extra;
        std::fs::write(&config, text).unwrap();
        let before = listing(&world.repo.path(""));
        hooks(&world, &["install"]).ok();
        let installed = listing(&world.repo.path(""));
        hooks(&world, &["install"]).ok();
        assert_eq!(listing(&world.repo.path("")), installed, "{extra:?}");
        let read = world
            .repo
            .git(&["config", "--get-regexp", "^hook\\..*\\.event$"])
            .ok();
        assert_eq!(read.lines().count(), 5, "{read}");
        let command = world
            .repo
            .git(&["config", "hook.merkle-post-commit.command"])
            .ok();
        world.place_recorder();
        // Git adds the arguments so.
        let ran = world
            .repo
            .run("sh")
            .args([
                "-c",
                &format!("{} \"$@\"", command.trim_end()),
                "hook",
                "a",
                "b c",
            ])
            .input("in")
            .run();
        assert_eq!(
            (ran.ok(), world.log("calls")),
            (String::new(), "hooks run post-commit a b c\n".to_owned())
        );
        std::fs::remove_file(world.program()).unwrap();
        let ran = world
            .repo
            .run("sh")
            .args(["-c", &format!("{} \"$@\"", command.trim_end()), "hook", "a"])
            .run();
        assert_eq!(ran.ok(), "");
        world.place_program();
        hooks(&world, &["uninstall"]).ok();
        assert_eq!(listing(&world.repo.path("")), before, "{extra:?}");
    }
}

#[test]
fn what_others_write_into_the_configuration_stays() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    pretend(&world);
    hooks(&world, &["install"]).ok();
    world
        .repo
        .git(&["config", "--add", "include.path", "other"])
        .ok();
    world.repo.config("branch.main.remote", "x");
    hooks(&world, &["uninstall"]).ok();
    assert_eq!(
        world
            .repo
            .git(&["config", "--get-all", "include.path"])
            .ok(),
        "other\n"
    );
    assert_eq!(
        world.repo.git(&["config", "branch.main.remote"]).ok(),
        "x\n"
    );
    assert!(
        !world.repo.path(".git/merkle").exists()
            && !world.repo.path(".git/merkle-hooks.gitconfig").exists()
    );
}

#[test]
fn the_way_can_be_changed() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    pretend(&world);
    let before = listing(&world.repo.path(""));
    hooks(
        &world,
        &["install", "--mode=hookdir", "--events=post-commit"],
    )
    .ok();
    assert!(world.repo.path(".git/hooks/post-commit").exists());
    hooks(&world, &["install", "--mode=config"]).ok();
    assert!(
        !world.repo.path(".git/hooks/post-commit").exists()
            && world.repo.path(".git/merkle-hooks.gitconfig").exists()
    );
    let status = hooks(&world, &["status"]).ok();
    assert!(
        status.contains("hooks     installed, mode config\n")
            && status.contains("runs git merkle\n"),
        "{status}"
    );
    hooks(&world, &["install", "--mode=hookdir"]).ok();
    assert!(
        world.repo.path(".git/hooks/post-commit").exists()
            && !world.repo.path(".git/merkle-hooks.gitconfig").exists()
    );
    hooks(&world, &["uninstall"]).ok();
    assert_eq!(listing(&world.repo.path("")), before);
}

#[test]
fn a_git_that_is_too_old_is_not_given_what_it_ignores() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    let old = "#!/bin/sh\ncase \" $* \" in *' version '*) echo 'git version 2.47.3';; *) PATH=${PATH#*:}; exec git \"$@\";; esac\n";
    script(&sandbox.path(super::PROGRAM_FOLDER).join("git"), old);
    let before = listing(&world.repo.path(""));
    let refused = hooks(&world, &["install", "--mode=config"]).exits(1);
    assert_eq!(
        refused.err(),
        "error: 'git version 2.47.3' runs no hooks of its configuration\nhint: run 'git merkle hooks install --mode=hookdir'\n"
    );
    assert_eq!(listing(&world.repo.path("")), before);
}

#[test]
fn git_reads_back_what_was_meant() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    pretend(&world);
    hooks(&world, &["install", super::install::ALL]).ok();
    let list = world
        .repo
        .git(&[
            "config",
            "--file",
            ".git/merkle-hooks.gitconfig",
            "--list",
            "-z",
        ])
        .ok();
    let pairs: Vec<(&str, &str)> = list
        .split_terminator('\0')
        .filter_map(|pair| pair.split_once('\n'))
        .collect();
    let events = super::install::ALL
        .trim_start_matches("--events=")
        .split(',');
    let keys = events.flat_map(|event| {
        ["command", "event"].map(|key| (format!("hook.merkle-{event}.{key}"), event))
    });
    assert_eq!(pairs.len(), 12);
    world.place_recorder();
    for ((key, event), (found, value)) in keys.zip(pairs) {
        assert_eq!(found, key);
        if key == format!("hook.merkle-{event}.event") {
            assert_eq!(value, event);
            continue;
        }
        let call = format!("{value} \"$@\"");
        let ran = world
            .repo
            .run("sh")
            .args(["-c", &call, "hook", "a", "b c"])
            .input("in")
            .run();
        assert_eq!(
            (ran.code, ran.out(), ran.err()),
            (Some(0), String::new(), String::new()),
            "{call}"
        );
        assert_eq!(world.log("calls"), format!("hooks run {event} a b c\n"));
    }
    let place = world
        .repo
        .git(&["config", "--show-origin", "hook.merkle-pre-push.event"])
        .ok();
    assert_eq!(place, "file:.git/merkle-hooks.gitconfig\tpre-push\n");
}

#[test]
fn the_line_is_harmless_for_the_git_that_is_here() {
    let sandbox = Sandbox::new();
    let expected = day(&prepared(&sandbox));
    for is_gone in [false, true] {
        let sandbox = Sandbox::new();
        let world = prepared(&sandbox);
        pretend(&world);
        hooks(&world, &["install", super::install::ALL]).ok();
        world.place_recorder();
        if is_gone {
            // Somebody has removed the file, and not the line.
            std::fs::remove_file(world.repo.path(".git/merkle-hooks.gitconfig")).unwrap();
        }
        assert_eq!(day(&world), expected);
    }
}
