//! Many clones of one repository that speak and push at once, while an adversary forces the remote's ref back.
//!
//! The law: what a clone was told is done is in its store at every time, and after one more round in every clone.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use super::{say, world};
use crate::support::{Repo, Sandbox};

const NAMES: [&str; 8] = ["a", "b", "c", "d", "e", "f", "g", "h"];

/// A push that other pushes overtook twelve times; what was said stays, and goes with the next one.
const BUSY: i32 = 75;

/// How one push went.
struct Pushed {
    attempts: u64,
    seconds: f64,
}

/// Runs the clones against each other, and returns how each push went.
fn run(clones: usize, rounds: usize, adversary_pause: Duration) -> Vec<Pushed> {
    let sandbox = Sandbox::new();
    let (origin, clones) = world(&sandbox, &NAMES[..clones]);
    say(&clones[0], "README.md", "The first.");
    clones[0].merkle(&["sync"]).ok();
    let done = AtomicBool::new(false);
    let (origin, done) = (&origin, &done);
    let (said, pushed) = std::thread::scope(|scope| {
        scope.spawn(move || force_back(origin, done, adversary_pause));
        let speakers: Vec<_> =
            clones.iter().enumerate().map(|(number, clone)| scope.spawn(move || speak(clone, number, rounds))).collect();
        let spoken: Vec<_> = speakers.into_iter().map(|speaker| speaker.join().expect("no clone fails")).collect();
        done.store(true, Ordering::Relaxed);
        let (said, pushed): (Vec<_>, Vec<_>) = spoken.into_iter().unzip();
        (said.concat(), pushed.into_iter().flatten().collect::<Vec<_>>())
    });
    for _ in 0..2 {
        for clone in &clones {
            clone.merkle(&["sync"]).ok();
        }
    }
    for repo in clones.iter().chain([origin]) {
        let frames = repo.frames().join("\n");
        for frame in &said {
            assert!(frames.contains(frame), "a statement is lost in {}", repo.path("").display());
        }
        repo.git(&["fsck", "--strict"]).ok();
    }
    assert_eq!(clones[0].merkle(&["validate", "--json"]).json("validate")["checked"], said.len() + 1);
    pushed
}

/// Says something and pushes it, so many times; the ids of what was said, and how each push went.
fn speak(clone: &Repo<'_>, number: usize, rounds: usize) -> (Vec<String>, Vec<Pushed>) {
    let (mut said, mut pushed) = (Vec::new(), Vec::new());
    for round in 0..rounds {
        let path = ["README.md", "src/lib.rs", "src"][(number + round) % 3];
        said.push(say(clone, path, &format!("Clone {number}, round {round}.")));
        let begun = Instant::now();
        let output = clone.merkle(&["sync", "--json"]);
        if output.code == Some(BUSY) {
            pushed.push(Pushed { attempts: 12, seconds: begun.elapsed().as_secs_f64() });
            continue;
        }
        let attempts = output.exits(0).json("sync")["attempts"].as_u64().expect("a number");
        pushed.push(Pushed { attempts, seconds: begun.elapsed().as_secs_f64() });
        let frames = clone.frames().join("\n");
        assert!(said.iter().all(|frame| frames.contains(frame)), "what a clone has said is never lost");
    }
    (said, pushed)
}

/// Puts the remote's ref back to where it began, and now and then takes it away.
fn force_back(origin: &Repo<'_>, done: &AtomicBool, pause: Duration) {
    let first = origin.id("refs/merkle/frames");
    for turn in 1.. {
        std::thread::sleep(pause);
        if done.load(Ordering::Relaxed) {
            return;
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

/// Before, 45 of 48 pushes of 16 clones were refused, and forcing them lost 45 of 48 statements.
#[test]
fn what_clones_say_at_once_is_lost_nowhere() {
    let pushed = run(4, 2, Duration::from_millis(700));
    assert_eq!(pushed.len(), 8);
}

/// The table of docs/benchmarks.md: `cargo test --release --test it -- --ignored --nocapture many_rounds`.
#[test]
#[ignore = "minutes"]
#[expect(clippy::print_stdout, reason = "it is run for what it prints")]
fn many_rounds_of_many_clones() {
    let mut pushed = run(8, 12, Duration::from_secs(20));
    for part in [0.5, 0.9, 0.99, 1.0] {
        let attempts = percentile(&mut pushed, part, |push| push.attempts as f64);
        let seconds = percentile(&mut pushed, part, |push| push.seconds);
        println!("p{:<3} {attempts:>3} attempts {seconds:>6.2} s", part * 100.0);
    }
}
