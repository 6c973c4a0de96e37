//! Beside programs that write hooks too: git-lfs, lefthook, pre-commit, in every order, and hooks that run all the while.

use std::sync::atomic::{AtomicBool, Ordering};

use super::{World, listing, script};
use crate::support::{PROGRAM, Sandbox};

/// What git-lfs writes for an event, and what of a hook it looks at: the first 1,024 bytes, without space around them.
const LFS: &str = r##"#!/bin/sh
cd "$(git rev-parse --git-dir)/hooks" || exit
for event in post-checkout post-commit post-merge pre-push; do
    own="#!/bin/sh
command -v sh >/dev/null 2>&1 || { echo >&2 \"git-lfs is not there\"; exit 2; }
git lfs $event \"\$@\""
    found=$(head -c 1024 $event 2>/dev/null | awk '{ lines = lines $0 "\n" } END { gsub(/^[ \t\r\n]+|[ \t\r\n]+$/, "", lines); printf "%s", lines }')
    case "$found" in
    '') printf '%s\n' "$own" >$event; chmod 755 $event ;;
    "$own") ;;
    *) echo "Hook already exists: $event" >&2; exit 2 ;;
    esac
done
"##;

const LFS_EVENTS: [&str; 4] = ["post-checkout", "post-commit", "post-merge", "pre-push"];

/// A world in which `git lfs install` is the script, and `git lfs <event>` writes down that it ran and ends with 7.
fn with_lfs(sandbox: &Sandbox) -> World<'_> {
    let world = World::new(sandbox, "work");
    script(&sandbox.path("lfs-install"), LFS);
    let lfs = sandbox.path(super::PROGRAM_FOLDER).join("git-lfs");
    script(
        &lfs,
        &format!(
            "#!/bin/sh\necho \"lfs $*\" >>'{}'\nexit 7\n",
            world.log_file("lfs").display()
        ),
    );
    std::fs::create_dir_all(world.repo.path(".git/hooks")).expect("a folder can be made");
    world
}

fn lfs_install(world: &World<'_>) {
    let install = world.sandbox.path("lfs-install");
    world
        .command(install.to_str().expect("UTF-8"), &[])
        .run()
        .ok();
}

fn hooks_of_lfs(world: &World<'_>) -> Vec<String> {
    let read = |event: &&str| {
        std::fs::read_to_string(world.repo.path(".git/hooks").join(event))
            .expect("a hook of git-lfs")
    };
    LFS_EVENTS.iter().map(read).collect()
}

/// Before, `git lfs install` failed after `hooks install`, and again after every later one.
#[test]
fn git_lfs_is_installed_before_and_after_and_both_run() {
    let all = super::install::ALL;
    let sandbox = Sandbox::new();
    let plain = with_lfs(&sandbox);
    lfs_install(&plain);
    let (own, before) = (hooks_of_lfs(&plain), listing(&plain.repo.path("")));
    for ours_first in [false, true] {
        let sandbox = Sandbox::new();
        let world = with_lfs(&sandbox);
        std::fs::write(
            world.repo.path(".gitattributes"),
            "*.bin filter=lfs -text\n",
        )
        .unwrap();
        if ours_first {
            let told = world.hooks(&["install", all]);
            let note = "run 'git merkle hooks install' again after it";
            assert!(told.code == Some(0) && told.err().contains(note), "{told}");
            lfs_install(&world);
            assert_eq!(
                hooks_of_lfs(&world),
                own,
                "git-lfs has put its own in the place"
            );
            let status = world.hooks(&["status"]);
            assert!(
                status.out().contains("post-commit     installed, but git does not run it; runs .git/hooks/post-commit\n"),
                "{status}"
            );
            assert!(
                status.err().contains(
                    "'git merkle hooks install' puts back what another program has replaced"
                ),
                "{status}"
            );
        } else {
            lfs_install(&world);
        }
        world.hooks(&["install", all]).ok();
        let both = hooks_of_lfs(&world);
        lfs_install(&world);
        assert_eq!(
            hooks_of_lfs(&world),
            both,
            "git-lfs is content and changes nothing"
        );
        let status = world.hooks(&["status"]).ok();
        assert!(
            status
                .contains("pre-push        installed; runs .git/hooks/pre-push, then git merkle\n"),
            "{status}"
        );

        world.place_recorder();
        for event in LFS_EVENTS {
            let path = "PATH=\"$1:$PATH\"; shift; exec \"$@\"";
            let run = world
                .repo
                .run("sh")
                .args(["-c", path, "sh"])
                .arg(sandbox.path(super::PROGRAM_FOLDER));
            let run = run.args(["git", "hook", "run", event, "--", "a"]).run();
            assert_eq!(run.code, Some(7), "the exit code of git-lfs counts: {run}");
            assert_eq!(world.log("lfs"), format!("lfs {event} a\n"));
            assert_eq!(world.log("calls"), format!("hooks run {event} a\n"));
        }
        world.place_program();
        world.hooks(&["uninstall"]).ok();
        assert_eq!(hooks_of_lfs(&world), own);
    }
    drop(before);
}

/// Lines that a person adds to a hook that gives way are kept from git-lfs by the next `hooks install`.
#[test]
fn lines_of_a_person_in_our_hook_do_not_give_way() {
    let sandbox = Sandbox::new();
    let world = with_lfs(&sandbox);
    world.hooks(&["install"]).ok();
    let path = world.repo.path(".git/hooks/post-commit");
    let with_line = std::fs::read_to_string(&path).unwrap() + "echo mine\n";
    std::fs::write(&path, with_line).unwrap();
    world.hooks(&["install"]).ok();
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(
        kept.starts_with("#!/bin/sh\n# >>> git merkle >>>") && kept.ends_with("echo mine\n"),
        "{kept}"
    );
    let install = sandbox.path("lfs-install");
    let refused = world.command(install.to_str().unwrap(), &[]).run().exits(2);
    assert_eq!(refused.err(), "Hook already exists: post-commit\n");
    world.hooks(&["uninstall"]).ok();
    assert_eq!(
        std::fs::read_to_string(&path).unwrap(),
        "#!/bin/sh\necho mine\n"
    );
}

/// The hook that pre-commit writes: it runs the one that it found there, then its own.
const PRE_COMMIT: &str = "#!/usr/bin/env bash\n# File generated by pre-commit: https://pre-commit.com\nhere=$(dirname \"$0\")\n\
                          if [ -x \"$here/post-commit.legacy\" ]; then \"$here/post-commit.legacy\" \"$@\"; fi\n";
/// The hook that lefthook writes, which does not run the one that it renamed.
const LEFTHOOK: &str = "#!/bin/sh\n# lefthook\ntrue\n";

/// Before, the hook came back with our block when the hook manager was taken out, and `status` denied what git ran.
#[test]
fn hooks_that_a_manager_has_moved_are_taken_out_there() {
    let own: [Option<&str>; 3] = [
        None,
        Some("#!/bin/sh\necho mine\n"),
        Some("#!/usr/bin/awk -f\nBEGIN { exit 4 }\n"),
    ];
    for own in own {
        for (end, manager) in [(".legacy", PRE_COMMIT), (".old", LEFTHOOK)] {
            let sandbox = Sandbox::new();
            let world = World::new(&sandbox, "work");
            std::fs::create_dir_all(world.repo.path(".git/hooks")).unwrap();
            if let Some(own) = own {
                world.hook("post-commit", own);
            }
            let before = listing(&world.repo.path(""));
            world.hooks(&["install"]).ok();
            let (hook, moved) = (
                world.repo.path(".git/hooks/post-commit"),
                world.repo.path(&format!(".git/hooks/post-commit{end}")),
            );
            std::fs::rename(&hook, &moved).unwrap();
            script(&hook, manager);

            let status = world.hooks(&["status"]).ok();
            let line = status
                .lines()
                .find(|line| line.starts_with("post-commit"))
                .unwrap()
                .to_owned();
            let runs = line.contains("installed; runs git merkle");
            assert_eq!(runs, end == ".legacy", "{line}");
            world.place_recorder();
            drop(world.repo.git(&["hook", "run", "post-commit"]));
            assert_eq!(
                world.log("calls").contains("hooks run post-commit"),
                runs,
                "{line}"
            );
            world.place_program();
            if end == ".legacy" {
                let told = world.hooks(&["install"]).ok();
                assert!(
                    told.contains("kept post-commit .git/hooks/post-commit.legacy\n"),
                    "{told}"
                );
            }
            let told = world.hooks(&["uninstall"]).ok();
            assert!(
                told.contains(&format!(
                    "removed post-commit .git/hooks/post-commit{end}\n"
                )),
                "{told}"
            );
            // The manager is taken out, and puts back what it had moved.
            std::fs::remove_file(&hook).unwrap();
            if moved.exists() {
                std::fs::rename(&moved, &hook).unwrap();
            }
            assert_eq!(listing(&world.repo.path("")), before, "{own:?} {end}");
        }
    }
}

/// Before, one of eleven runs of the user's hook was lost to `Text file busy` while an installer was at work.
#[test]
fn the_users_hook_runs_at_every_moment_of_installing_and_taking_out() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    world.hook("post-commit", "#!/bin/sh\necho ran\n");
    let hook = world.repo.path(".git/hooks/post-commit");
    let is_over = AtomicBool::new(false);
    let rounds = std::thread::scope(|scope| {
        let installer = scope.spawn(|| {
            let mut rounds = 0;
            while !is_over.load(Ordering::Relaxed) {
                for verb in ["install", "uninstall"] {
                    world.repo.run(PROGRAM).args(["hooks", verb]).run().ok();
                }
                rounds += 1;
            }
            rounds
        });
        for number in 0..600 {
            let run = world.repo.run(hook.to_str().unwrap()).run();
            if run.code != Some(0) || run.out() != "ran\n" {
                is_over.store(true, Ordering::Relaxed);
                panic!("run {number}: {run}");
            }
        }
        is_over.store(true, Ordering::Relaxed);
        installer.join().unwrap()
    });
    assert!(rounds > 3, "{rounds} rounds");
}

/// Before, a hook of ten bytes stayed when the disk failed at the end of installing.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_disk_that_fails_while_hooks_are_installed_leaves_no_trace() {
    use crate::support::trace::{Refusal, refuse};
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox, "work");
    std::fs::create_dir_all(world.repo.path(".git/hooks")).unwrap();
    let before = listing(&world.repo.path(""));
    let failing = |nth| Refusal {
        calls: &[nix::libc::SYS_fsync],
        starts: None,
        nth: Some(nth),
        errno: nix::errno::Errno::EIO,
    };
    let install = || {
        world
            .repo
            .run(PROGRAM)
            .args(["hooks", "install", "--events=post-commit,post-rewrite"])
    };
    for nth in 1.. {
        let traced = refuse(&install(), failing(nth));
        let is_refused = nth <= traced.points;
        assert_eq!(
            traced.output.code,
            Some(if is_refused { 74 } else { 0 }),
            "{}",
            traced.output
        );
        install().run().ok();
        world.hooks(&["uninstall"]).ok();
        assert_eq!(
            listing(&world.repo.path("")),
            before,
            "at the flush {nth} of {}",
            traced.points
        );
        if !is_refused {
            break;
        }
    }
}
