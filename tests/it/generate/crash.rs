//! Killed and interrupted runs: what had been answered is there, only the rest is asked again.

use std::process::Child;
use std::time::{Duration, Instant};

use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{Protocol, World, command, flat, path_of, regenerate};
use crate::support::Repo;
use crate::support::loopback::{Loopback, Recorded, Scripted};

/// Files, and how many of them are answered before the others hang.
const FILES: usize = 24;
const ANSWERED: usize = 9;

/// A server that answers the first requests and owes all others.
fn stuck() -> Loopback {
    Loopback::start(|request| {
        if request.order < ANSWERED {
            Scripted::answer("said")
        } else {
            Scripted::hang()
        }
    })
}

fn many(world: &World) -> Repo<'_> {
    world.set("merkle.provider.m.idleTimeout", "60s");
    world.repo(&flat(FILES))
}

fn start(repo: &Repo<'_>) -> Child {
    command(repo, &["regenerate", "--agent", "docs", "--yes"]).start_quiet()
}

/// Waits until so many answers are on the disk, in the spool or in the store.
fn wait_for(repo: &Repo<'_>, answers: usize) {
    let deadline = Instant::now() + Duration::from_mins(1);
    let spooled = || {
        let entries = std::fs::read_dir(repo.path(".git/merkle/spool"))
            .into_iter()
            .flatten()
            .flatten();
        entries
            .filter(|entry| !entry.file_name().to_string_lossy().contains("tmp-"))
            .count()
    };
    while spooled() + repo.frames().len() < answers {
        assert!(
            Instant::now() < deadline,
            "{} spooled, {} stored",
            spooled(),
            repo.frames().len()
        );
        std::thread::sleep(Duration::from_millis(10));
    }
}

fn signal(child: &Child, signal: Signal) {
    kill(
        Pid::from_raw(i32::try_from(child.id()).expect("a pid")),
        signal,
    )
    .expect("it runs");
}

#[test]
fn after_a_kill_only_the_rest_is_asked_again() {
    for protocol in super::PROTOCOLS {
        let world = World::new(protocol, stuck());
        let repo = many(&world);
        let mut child = start(&repo);
        wait_for(&repo, ANSWERED);
        signal(&child, Signal::SIGKILL);
        child.wait().expect("it is dead");
        repo.merkle(&["status"]).ok();
        assert_eq!(
            repo.frames().len(),
            ANSWERED,
            "what was answered is in the store"
        );
        let other = Loopback::answering(super::about);
        world.provider("m", protocol, &other.endpoint());
        regenerate(&repo, &[]).ok();
        assert_eq!(
            other.posts().len(),
            FILES - ANSWERED + 1,
            "the rest of the files, and the root"
        );
        repo.merkle(&["validate"]).ok();
        repo.assert_sound();
        let again: Vec<String> = other.posts().iter().map(path_of).collect();
        let before: Vec<String> = world
            .server
            .posts()
            .iter()
            .take(ANSWERED)
            .map(path_of)
            .collect();
        assert!(
            before.iter().all(|path| !again.contains(path)),
            "{before:?} {again:?}"
        );
    }
}

#[test]
fn an_interrupt_stores_what_came_back_and_says_what_is_left() {
    let world = World::new(Protocol::OpenAi, stuck());
    let repo = many(&world);
    let child = command(&repo, &["regenerate", "--agent", "docs", "--yes", "--json"]).start(&[]);
    wait_for(&repo, ANSWERED);
    signal(&child, Signal::SIGINT);
    std::thread::sleep(Duration::from_millis(1_200));
    let asked = world.server.posts().len();
    signal(&child, Signal::SIGINT);
    let output = child.wait_with_output().expect("it ends");
    assert_eq!(output.status.code(), Some(130));
    let report: serde_json::Value = serde_json::from_slice(&output.stdout).expect("a document");
    assert_eq!(
        (&report["stored"], &report["left"]),
        (&ANSWERED.into(), &(FILES + 1 - ANSWERED).into())
    );
    assert_eq!(
        world.server.posts().len(),
        asked,
        "nothing was begun after it"
    );
    assert_eq!(repo.frames().len(), ANSWERED);
    assert_eq!(repo.leftovers(), [] as [&str; 0]);
}

/// Red before: what was under way when a terminal was closed was lost, and the next run paid for it again.
#[test]
fn a_terminal_that_closes_is_a_request_to_terminate_unless_that_is_ignored() {
    let nohup = ["sh", "-c", "trap '' HUP; exec \"$@\"", "sh"];
    // A shell cannot undo that the suite itself was started under nohup.
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let ignored = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let is_ignored = ignored.is_none_or(|mask| {
        mask.trim_end()
            .ends_with(['1', '3', '5', '7', '9', 'b', 'd', 'f'])
    });
    let plain = (!is_ignored).then_some((&[][..], 143));
    for (wrapper, expected) in plain.into_iter().chain([(&nohup[..], 130)]) {
        let world = World::new(Protocol::OpenAi, stuck());
        let repo = many(&world);
        let run = command(&repo, &["regenerate", "--agent", "docs", "--yes", "--json"]);
        let child = run.start(wrapper);
        wait_for(&repo, ANSWERED);
        for sent in [
            Signal::SIGHUP,
            Signal::SIGHUP,
            Signal::SIGINT,
            Signal::SIGINT,
        ] {
            signal(&child, sent);
            std::thread::sleep(Duration::from_millis(300));
            if expected == 143 && sent == Signal::SIGINT {
                break;
            }
        }
        let output = child.wait_with_output().expect("it ends");
        assert_eq!(output.status.code(), Some(expected));
        assert_eq!(repo.frames().len(), ANSWERED);
        assert_eq!(repo.leftovers(), [] as [&str; 0]);
    }
}

#[test]
fn what_was_in_flight_when_it_was_killed_is_charged_in_full() {
    let world = World::new(Protocol::OpenAi, stuck());
    world.set("merkle.budgetCalls", "17");
    let repo = many(&world);
    let mut child = start(&repo);
    wait_for(&repo, ANSWERED);
    let deadline = Instant::now() + Duration::from_mins(1);
    while world.server.posts().len() < ANSWERED + 8 {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    signal(&child, Signal::SIGKILL);
    child.wait().expect("it is dead");
    let other = Loopback::answering(super::about);
    world.provider("m", Protocol::OpenAi, &other.endpoint());
    assert!(
        regenerate(&repo, &[])
            .exits(79)
            .err()
            .contains("17 calls a month")
    );
    assert_eq!(other.posts().len(), 0);
}

#[test]
fn after_an_interrupt_nothing_is_sent_that_still_waits_for_its_turn() {
    let world = World::new(Protocol::OpenAi, Loopback::answering(super::about));
    // Two may go at once, the others of the eight wait half a minute each.
    world.set("merkle.provider.m.requestsPerMinute", "2");
    let repo = many(&world);
    let child = start(&repo);
    wait_for(&repo, 2);
    signal(&child, Signal::SIGINT);
    assert_eq!(
        child.wait_with_output().expect("it ends").status.code(),
        Some(130)
    );
    assert_eq!((world.server.posts().len(), repo.frames().len()), (2, 2));
}

#[test]
fn answers_in_flight_outlive_a_store_that_cannot_be_written() {
    let slow = |request: &Recorded| {
        let answer = Scripted::answer(super::about(request));
        // Behind the first batch, which is brought into the store after two seconds.
        if request.order == 0 {
            answer
        } else {
            answer.after(Duration::from_secs(4))
        }
    };
    let world = World::new(Protocol::OpenAi, Loopback::start(slow));
    world.set("merkle.provider.m.idleTimeout", "60s");
    let repo = world.repo(&flat(4));
    let lock = repo.path(".git/merkle/lock");
    std::fs::create_dir_all(&lock).expect("writable");
    let run = regenerate(&repo, &[]);
    assert!(run.err().contains("cannot lock the frame store"), "{run}");
    let asked = world.server.posts().len();
    std::fs::remove_dir(&lock).expect("empty");
    repo.merkle(&["status"]).ok();
    assert_eq!(
        (asked, repo.frames().len()),
        (4, 4),
        "all that was asked is there"
    );
}

#[test]
fn a_second_interrupt_ends_a_run_whose_ledger_does_not_answer() {
    let world = World::new(Protocol::OpenAi, stuck());
    let repo = many(&world);
    let state = repo.path(".git/merkle");
    std::fs::create_dir_all(&state).expect("writable");
    world
        .sandbox
        .run("mkfifo", &state)
        .args(["ledger"])
        .run()
        .ok();
    let mut child = start(&repo);
    let deadline = Instant::now() + Duration::from_mins(1);
    while !state.join("ledger-lock").exists() {
        assert!(Instant::now() < deadline, "it does not begin");
        std::thread::sleep(Duration::from_millis(10));
    }
    while child.try_wait().expect("a child").is_none() {
        assert!(Instant::now() < deadline, "it hangs");
        // It may be gone by now.
        std::thread::sleep(Duration::from_millis(300));
        let _ = kill(
            Pid::from_raw(i32::try_from(child.id()).expect("a pid")),
            Signal::SIGTERM,
        );
    }
    assert_eq!(world.server.connections(), 0);
}
