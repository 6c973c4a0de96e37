//! SIGKILL of a worker, of the coordinator and of the server: every node is stored once, and what is made is booked.

use std::process::Child;
use std::time::{Duration, Instant};

use git_merkle::base::clock;
use git_merkle::provider::ledger::{Budget, Ledger};

use super::{Crew, Nats, PATIENCE, coordinate, coordinator, quiet, world};
use crate::generate::flat;
use crate::support::Repo;
use crate::support::loopback::{Loopback, Scripted};

const WORKERS: usize = 4;
/// Requests that each worker has at once: the provider's concurrency.
const AT_ONCE: usize = 8;
const FILES: usize = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Victim {
    Worker,
    Coordinator,
    Server,
}

const VICTIMS: [Victim; 3] = [Victim::Worker, Victim::Coordinator, Victim::Server];

/// Waits for its end; the code.
fn ended(child: &mut Child) -> Option<i32> {
    let begun = Instant::now();
    loop {
        if let Some(status) = child.try_wait().expect("it was started") {
            return status.code();
        }
        assert!(begun.elapsed() < PATIENCE, "the run does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
}

fn booked(repo: &Repo<'_>) -> u64 {
    let seconds = clock::real_seconds();
    let mut ledger = Ledger::new(&repo.state(), Budget::default());
    ledger.spent_around(seconds).expect("readable").1.calls
}

/// One run of 41 nodes, and one kill once so many requests have come in.
fn kill(victim: Victim, after: usize) {
    let world = world(Loopback::start(|request| {
        let words = format!("about {}", request.last_user().len());
        Scripted::answer(words).after(Duration::from_millis(30))
    }));
    let Some(mut nats) = Nats::start(&world) else {
        return;
    };
    let mut crew = Crew::of(&world, &nats, WORKERS);
    let repo = world.repo(&flat(FILES));
    let mut running = quiet(&coordinator(&repo, Some(&nats), &[]));
    let begun = Instant::now();
    while world.server.posts().len() < after {
        assert!(begun.elapsed() < PATIENCE, "requests come in");
        std::thread::sleep(Duration::from_millis(2));
    }
    let about = format!("{victim:?} after {after} requests");
    let in_flight = match victim {
        Victim::Worker => {
            crew.replace(&world, &nats, after % WORKERS);
            AT_ONCE
        }
        Victim::Coordinator => {
            running.kill().expect("it runs");
            WORKERS * AT_ONCE
        }
        Victim::Server => {
            nats.restart(&world);
            WORKERS * AT_ONCE
        }
    };
    let code = ended(&mut running);
    if victim != Victim::Coordinator {
        let last = repo.merkle(&["status", "--last", "--json"]);
        assert_eq!(code, Some(0), "{about}\n{last}");
    }
    let again = coordinate(&repo, Some(&nats), &[]).exits(0);
    if victim != Victim::Coordinator {
        assert!(again.out().contains("nothing to do"), "{about}: {again}");
    }
    repo.merkle(&["validate"]).ok();
    let calls = world.server.posts().len();
    assert!(
        (FILES + 1..=FILES + 1 + in_flight).contains(&calls),
        "{about}: {calls} calls"
    );
    assert!(booked(&repo) >= calls as u64, "{about}: all is booked");
}

#[test]
fn every_node_is_stored_once_whoever_is_killed() {
    for (victim, after) in [
        (Victim::Worker, 10),
        (Victim::Coordinator, 15),
        (Victim::Server, 20),
    ] {
        kill(victim, after);
    }
}

#[test]
#[ignore = "75 kills take minutes"]
fn every_node_is_stored_once_over_25_kills_of_each() {
    for victim in VICTIMS {
        for after in 0..25 {
            kill(victim, 1 + after * 3 / 2);
        }
    }
}

/// A request that loses each of its workers goes out three times, and its node fails with the reason.
#[test]
fn what_is_lost_three_times_is_reported() {
    let world = world(Loopback::start(|request| {
        if request.text().contains("f00.rs") {
            return Scripted::hang();
        }
        Scripted::answer("words")
    }));
    world.set("merkle.provider.m.idleTimeout", "60s");
    let Some(nats) = Nats::start(&world) else {
        return;
    };
    let mut crew = Crew::of(&world, &nats, 1);
    let repo = world.repo(&flat(2));
    let mut running = quiet(&coordinator(&repo, Some(&nats), &[]));
    let of_hanging = || {
        let posts = world.server.posts();
        posts
            .iter()
            .filter(|post| post.text().contains("path=\"f00.rs\""))
            .count()
    };
    for times in 1..=3 {
        let begun = Instant::now();
        while of_hanging() < times {
            assert!(begun.elapsed() < PATIENCE, "it is sent the {times}. time");
            std::thread::sleep(Duration::from_millis(5));
        }
        crew.replace(&world, &nats, 0);
    }
    assert_ne!(ended(&mut running), Some(0));
    let last = repo.merkle(&["status", "--last", "--json"]);
    assert!(
        last.to_string()
            .contains("no worker has answered: the request was lost on its way"),
        "{last}"
    );
    assert_eq!(of_hanging(), 3);
}
