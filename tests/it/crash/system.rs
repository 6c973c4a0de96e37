//! A system that refuses single calls: no hard links, no threads, no processes, no descriptors, a disk that fails once.

use nix::errno::Errno;
use nix::libc;

use super::{at_noon, listing, with_frames};
use crate::generate::{Protocol, World, command};
use crate::support::trace::{self, Refusal, Start};
use crate::support::{Output, Repo, Sandbox};

/// What starts a thread or a process.
const STARTING: &[i64] = &[
    libc::SYS_clone,
    libc::SYS_clone3,
    libc::SYS_fork,
    libc::SYS_vfork,
];

/// Words about the repository that a failing system is no reason for.
const VERDICTS: [&str; 5] = [
    "damaged",
    "missing",
    "not a git repository",
    "dubious",
    "panicked",
];

fn refusal(calls: &'static [i64], errno: Errno) -> Refusal {
    Refusal {
        calls,
        starts: None,
        nth: None,
        errno,
    }
}

#[track_caller]
fn assert_says_nothing_of_the_repository(output: &Output) {
    let text = output.err();
    assert!(
        output.code != Some(101) && output.code != Some(128) && output.code.is_some(),
        "{output}"
    );
    assert!(!VERDICTS.iter().any(|word| text.contains(word)), "{output}");
}

/// Before, no frame could be stored on a file system without hard links.
#[test]
fn without_hard_links_refs_are_moved_by_git() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, 3);
    for arguments in [
        &["put-frame", "a.md", "-"][..],
        &["regenerate"],
        &["invalidate", "-r", ".", "--agent", "human"],
    ] {
        for errno in [Errno::EPERM, Errno::EOPNOTSUPP] {
            let (complete, repo) = (start.copy_to("complete"), start.copy_to("refused"));
            let links = refusal(&[libc::SYS_link, libc::SYS_linkat], errno);
            at_noon(&complete, arguments).input("new\n").run().ok();
            let traced = trace::refuse(&at_noon(&repo, arguments).input("new\n"), links);
            assert!(traced.points > 0, "no link was asked for");
            traced.output.ok();
            assert_eq!(listing(&repo), listing(&complete));
            assert_eq!(repo.leftovers(), [] as [&str; 0]);
            for repo in [complete, repo] {
                std::fs::remove_dir_all(repo.path("")).unwrap();
            }
        }
    }
}

/// Before, the hook of the user was away for a moment, and one that was renamed could not be told from another.
#[test]
fn without_hard_links_hooks_are_renamed_by_a_copy() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, 3);
    let hook = repo.path(".git/hooks/post-merge");
    std::fs::create_dir_all(hook.parent().unwrap()).unwrap();
    std::fs::write(&hook, "#!/usr/bin/awk -f\nBEGIN { exit 4 }\n").unwrap();
    repo.run("chmod").arg("755").arg(&hook).run().ok();
    let links = refusal(&[libc::SYS_link, libc::SYS_linkat], Errno::EPERM);
    let install = repo
        .run("git-merkle")
        .args(["hooks", "install", "--mode=hookdir"]);
    trace::refuse(&install, links).output.ok();
    assert_eq!(repo.git(&["hook", "run", "post-merge"]).code, Some(4));
    trace::refuse(&repo.run("git-merkle").args(["hooks", "uninstall"]), links)
        .output
        .ok();
    assert_eq!(
        std::fs::read_to_string(&hook).unwrap(),
        "#!/usr/bin/awk -f\nBEGIN { exit 4 }\n"
    );
    assert!(!repo.path(".git/hooks/post-merge.merkle-chained").exists());
}

/// Before, twenty processes and a limit were enough for a panic.
#[test]
fn without_threads_the_work_is_done_on_one() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, 80);
    let threads = Refusal {
        starts: Some(Start::Thread),
        ..refusal(STARTING, Errno::EAGAIN)
    };
    for arguments in [
        &["regenerate"][..],
        &["map"],
        &["context", "**"],
        &["status"],
        &["put-frame", "a.md", "-"],
        &["log"],
    ] {
        let (complete, repo) = (start.copy_to("complete"), start.copy_to("refused"));
        let expected = at_noon(&complete, arguments).input("new\n").run();
        let output = trace::refuse(&at_noon(&repo, arguments).input("new\n"), threads).output;
        // A large batch goes through a pipe that needs a thread: refused, and in order.
        if output.code == Some(74) {
            assert!(
                output.err().starts_with("error: cannot write objects: "),
                "{output}"
            );
        } else {
            let told = output.out().replace("refused", "complete");
            assert_eq!(
                (output.code, told),
                (expected.code, expected.out()),
                "{output}"
            );
            assert_eq!(listing(&repo), listing(&complete));
        }
        assert_says_nothing_of_the_repository(&output);
        at_noon(&repo, &["regenerate"]).run().ok();
        for repo in [complete, repo] {
            std::fs::remove_dir_all(repo.path("")).unwrap();
        }
    }
}

/// Before, a failing pipe was a panic, and a process that could not be started a fault of git.
#[test]
fn without_processes_or_pipes_there_is_a_clear_error() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, 3);
    // What is not tracked, git has to judge.
    std::fs::write(repo.path("new.md"), "New.\n").unwrap();
    for failing in [
        Refusal {
            starts: Some(Start::Process),
            ..refusal(STARTING, Errno::EAGAIN)
        },
        refusal(&[libc::SYS_pipe, libc::SYS_pipe2], Errno::EMFILE),
    ] {
        let traced = trace::refuse(&at_noon(&repo, &["regenerate", "--worktree"]), failing);
        let output = traced.output.exits(74);
        assert!(
            output.err().starts_with("error: cannot run 'git': "),
            "{output}"
        );
        assert_says_nothing_of_the_repository(&output);
    }
    // The first is that of the standard library, as the program starts; the second that of the child that judges new files.
    // Where that fails once, git looks at everything.
    let failing = Refusal {
        nth: Some(2),
        ..refusal(&[libc::SYS_poll, libc::SYS_ppoll], Errno::EIO)
    };
    let traced = trace::refuse(&at_noon(&repo, &["regenerate", "--worktree"]), failing);
    let made = traced.output.ok();
    assert!(made.contains("(5 files, "), "{made}");
}

fn read(repo: &Repo<'_>, arguments: &[&str], failing: Refusal) -> trace::Traced {
    trace::refuse(&repo.run("git-merkle").args(arguments), failing)
}

/// Before, these were called damage, a missing object, no repository, or a foreign owner, with git's exit code.
#[test]
fn errors_of_the_system_are_not_said_of_the_repository() {
    let sandbox = Sandbox::new();
    let repo = with_frames(&sandbox, 3);
    repo.merkle(&["regenerate"]).ok();
    let calls: [&'static [i64]; 3] = [
        &[libc::SYS_openat],
        &[libc::SYS_statx, libc::SYS_newfstatat],
        &[libc::SYS_read, libc::SYS_mmap],
    ];
    for arguments in [&["status"][..], &["show", "a.md"], &["validate"]] {
        for (calls, errno) in calls
            .into_iter()
            .zip([Errno::EMFILE, Errno::EIO, Errno::ENOMEM])
        {
            let points = read(
                &repo,
                arguments,
                Refusal {
                    nth: Some(usize::MAX),
                    ..refusal(calls, errno)
                },
            )
            .points;
            for point in trace::sample(points) {
                let output = read(
                    &repo,
                    arguments,
                    Refusal {
                        nth: Some(point),
                        ..refusal(calls, errno)
                    },
                )
                .output;
                // The loader ends with 127, and without memory the system's own library with a signal.
                if !matches!(output.code, None | Some(127)) {
                    assert_says_nothing_of_the_repository(&output);
                }
            }
        }
    }
    for descriptors in 4..24 {
        let script = format!("ulimit -n {descriptors}; exec \"$@\"");
        let output = repo
            .run("sh")
            .args(["-c", &script, "sh", "git-merkle", "show", "a.md"])
            .run();
        assert_says_nothing_of_the_repository(&output);
    }
    repo.merkle(&["validate"]).ok();
}

/// Red before: the pool of the runtime panicked when the system had no thread for its first call.
#[test]
fn without_a_thread_for_the_runtime_there_is_a_clear_error() {
    let world = World::steady(Protocol::OpenAi);
    let start = world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
    let (mut refused, mut done) = (0, 0);
    for nth in [None].into_iter().chain((1..=10).map(Some)) {
        let repo = start.copy_to("refused");
        let run = command(&repo, &["regenerate", "--agent", "docs", "--yes"]);
        let thread = Refusal {
            starts: Some(Start::Thread),
            nth,
            ..refusal(STARTING, Errno::EAGAIN)
        };
        let traced = trace::refuse(&run, thread);
        assert_says_nothing_of_the_repository(&traced.output);
        match traced.output.code {
            Some(0) => done += 1,
            _ => refused += 1,
        }
        at_noon(&repo, &["status"]).run().ok();
        std::fs::remove_dir_all(repo.path("")).unwrap();
    }
    assert!(refused > 0 && done > 0, "{refused} refused, {done} done");
}
