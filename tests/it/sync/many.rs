//! Many clones of one repository that speak and push at once, while an adversary forces the remote's ref back, transfers are
//! cut and processes of the server are killed.
//!
//! The law: what a clone was told is done is in its store at every time, and after one more round in every clone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::server::Server;
use super::{say, world};
use crate::support::{Repo, Sandbox};

/// A push that other pushes overtook twelve times; what was said stays, and goes with the next one.
const BUSY: i32 = 75;

/// How the clones reach the remote, and what they do there.
struct Plan {
    clones: usize,
    rounds: usize,
    /// `shared` or `own`.
    publish: &'static str,
    /// Whether it is `git daemon` behind a proxy, else `file://`.
    daemon: bool,
    /// Whether transfers are cut and processes of the server killed.
    cuts: bool,
    adversary_pause: Duration,
}

/// How one push went.
struct Pushed {
    attempts: u64,
    seconds: f64,
    is_busy: bool,
}

/// Runs the clones against each other, and returns how each push went.
fn run(plan: &Plan) -> Vec<Pushed> {
    let sandbox = Sandbox::new();
    let names: Vec<String> = (0..plan.clones)
        .map(|number| format!("clone{number}"))
        .collect();
    let (origin, clones) = world(
        &sandbox,
        &names.iter().map(String::as_str).collect::<Vec<_>>(),
    );
    say(&clones[0], "README.md", "The first.");
    clones[0].merkle(&["sync"]).ok();
    sandbox
        .run("git", &sandbox.path(""))
        .args(["config", "--global", "merkle.publish", plan.publish])
        .run()
        .ok();
    let server = if plan.daemon {
        Server::daemon(&sandbox, plan.cuts)
    } else {
        Server::files(&sandbox, plan.cuts)
    };
    for clone in &clones {
        clone
            .git(&["remote", "set-url", "origin", &server.url(&origin)])
            .ok();
    }
    let done = AtomicBool::new(false);
    let (origin, done, server) = (&origin, &done, &server);
    let (said, pushed) = std::thread::scope(|scope| {
        scope.spawn(move || force_back(origin, done, plan.adversary_pause));
        scope.spawn(move || server.disturb(origin, done));
        let speakers: Vec<_> = clones
            .iter()
            .enumerate()
            .map(|(number, clone)| scope.spawn(move || speak(clone, number, plan.rounds)))
            .collect();
        let spoken: Vec<_> = speakers
            .into_iter()
            .map(std::thread::ScopedJoinHandle::join)
            .collect();
        done.store(true, Ordering::Relaxed);
        let spoken = spoken
            .into_iter()
            .map(|spoken| spoken.expect("no clone fails"));
        let (said, pushed): (Vec<_>, Vec<_>) = spoken.unzip();
        (
            said.concat(),
            pushed.into_iter().flatten().collect::<Vec<_>>(),
        )
    });
    server.calm();
    for _ in 0..2 {
        for clone in &clones {
            clone.merkle(&["sync"]).ok();
        }
    }
    clones[0].merkle(&["sync", "--collect"]).ok();
    assert_eq!(origin.git(&["for-each-ref", "refs/merkle/by/"]).ok(), "");
    for repo in clones.iter().chain([origin]) {
        let frames = repo.frames().join("\n");
        for frame in &said {
            assert!(
                frames.contains(frame),
                "a statement is lost in {}",
                repo.path("").display()
            );
        }
        repo.git(&["fsck", "--strict"]).ok();
    }
    assert_eq!(
        clones[0].merkle(&["validate", "--json"]).json("validate")["checked"],
        said.len() + 1
    );
    pushed
}

/// Says something and pushes it, so many times; the ids of what was said, and how each push went.
fn speak(clone: &Repo<'_>, number: usize, rounds: usize) -> (Vec<String>, Vec<Pushed>) {
    let (mut said, mut pushed) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let path = ["README.md", "src/lib.rs", "src"][(number + round) % 3];
        said.push(say(clone, path, &format!("Clone {number}, round {round}.")));
        let begun = Instant::now();
        // By the real clock: how long a push waits depends on when others have pushed.
        let output = clone
            .run("git-merkle")
            .args(["sync", "--json"])
            .env("SOURCE_DATE_EPOCH", "")
            .run();
        let seconds = begun.elapsed().as_secs_f64();
        if output.code == Some(BUSY) {
            pushed.push(Pushed {
                attempts: 12,
                seconds,
                is_busy: true,
            });
            continue;
        }
        let attempts = output.exits(0).json("sync")["attempts"]
            .as_u64()
            .expect("a number");
        pushed.push(Pushed {
            attempts,
            seconds,
            is_busy: false,
        });
        let frames = clone.frames().join("\n");
        assert!(
            said.iter().all(|frame| frames.contains(frame)),
            "what a clone has said is never lost"
        );
    }
    (said, pushed)
}

/// Puts the remote's ref back to where it began, and now and then takes it away.
fn force_back(origin: &Repo<'_>, done: &AtomicBool, pause: Duration) {
    let first = origin.id("refs/merkle/frames");
    for turn in 1.. {
        let begun = Instant::now();
        while begun.elapsed() < pause {
            if done.load(Ordering::Relaxed) {
                return;
            }
            std::thread::sleep(Duration::from_millis(50));
        }
        let arguments = if turn % 4 == 0 {
            ["update-ref", "-d", "refs/merkle/frames"].to_vec()
        } else {
            vec!["update-ref", "refs/merkle/frames", &first]
        };
        // A push that holds the ref's lock comes first.
        drop(origin.git(&arguments));
    }
}

fn percentile(pushed: &mut [Pushed], part: f64, of: impl Fn(&Pushed) -> f64) -> f64 {
    pushed.sort_by(|one, other| of(one).total_cmp(&of(other)));
    of(&pushed[((pushed.len() - 1) as f64 * part).round() as usize])
}

const SMALL: Plan = Plan {
    clones: 4,
    rounds: 2,
    publish: "shared",
    daemon: false,
    cuts: false,
    adversary_pause: Duration::from_millis(700),
};

/// Before, 45 of 48 pushes of 16 clones were refused, and forcing them lost 45 of 48 statements.
#[test]
fn what_clones_say_at_once_is_lost_nowhere() {
    assert_eq!(run(&SMALL).len(), 8);
}

#[test]
fn what_clones_say_over_a_bad_line_is_lost_nowhere() {
    assert_eq!(
        run(&Plan {
            daemon: true,
            cuts: true,
            ..SMALL
        })
        .len(),
        8
    );
}

#[test]
fn clones_that_publish_by_themselves_are_refused_never() {
    let pushed = run(&Plan {
        publish: "own",
        ..SMALL
    });
    assert!(
        pushed
            .iter()
            .all(|push| push.attempts == 1 && !push.is_busy)
    );
}

/// A table of docs/benchmarks.md: `cargo test --test it -- --ignored --nocapture many_rounds_shared_over_files`.
#[test]
#[ignore = "a quarter of an hour"]
fn many_rounds_shared_over_files() {
    table("shared", false);
}

#[test]
#[ignore = "a quarter of an hour"]
fn many_rounds_shared_over_a_daemon() {
    table("shared", true);
}

#[test]
#[ignore = "a quarter of an hour"]
fn many_rounds_own_over_files() {
    table("own", false);
}

#[test]
#[ignore = "a quarter of an hour"]
fn many_rounds_own_over_a_daemon() {
    table("own", true);
}

#[expect(clippy::print_stdout, reason = "it is run for what it prints")]
fn table(publish: &'static str, daemon: bool) {
    let plan = Plan {
        clones: 32,
        rounds: 20,
        publish,
        daemon,
        cuts: true,
        adversary_pause: Duration::from_secs(20),
    };
    let (begun, mut pushed) = (Instant::now(), run(&plan));
    let busy = pushed.iter().filter(|push| push.is_busy).count();
    let (count, seconds) = (pushed.len(), begun.elapsed().as_secs());
    println!(
        "{publish}, {}: {count} pushes in {seconds} s, {busy} gave up",
        if daemon { "git daemon" } else { "file://" }
    );
    for part in [0.5, 0.9, 0.99, 1.0] {
        let attempts = percentile(&mut pushed, part, |push| push.attempts as f64);
        let seconds = percentile(&mut pushed, part, |push| push.seconds);
        println!(
            "p{:<3} {attempts:>3} attempts {seconds:>6.2} s",
            part * 100.0
        );
    }
}
