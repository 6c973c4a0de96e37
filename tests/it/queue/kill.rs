//! SIGKILL of a worker, of the coordinator and of the server: every node is stored once, and what is made is booked.

use std::process::Child;
use std::time::{Duration, Instant};

use git_merkle::base::clock;
use git_merkle::provider::ledger::{Budget, Ledger};

use super::{Crew, Nats, PATIENCE, coordinate, coordinator, world};
use crate::generate::{World, flat};
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

/// A model that takes a while.
fn slow() -> Loopback {
    Loopback::start(|request| {
        let words = format!("about {}", request.last_user().len());
        Scripted::answer(words).after(Duration::from_millis(30))
    })
}

/// A run, its workers and their server; without a server a run in one process, which alone can be killed then.
struct Scene<'w> {
    world: &'w World,
    nats: Option<Nats>,
    crew: Option<Crew>,
    repo: Repo<'w>,
}

impl<'w> Scene<'w> {
    fn of(world: &'w World) -> Self {
        let nats = Nats::start(world);
        let crew = nats.as_ref().map(|nats| Crew::of(world, nats, WORKERS));
        let repo = world.repo(&flat(FILES));
        Self {
            world,
            nats,
            crew,
            repo,
        }
    }

    fn calls(&self) -> usize {
        self.world.server.posts().len()
    }

    /// Starts a run, and kills once so many requests have come in; the run's code, and how many calls that may have cost.
    fn kill(&mut self, victim: Victim, after: usize) -> (Option<i32>, usize) {
        let mut running = coordinator(&self.repo, self.nats.as_ref(), &[]).start_quiet();
        let begun = Instant::now();
        while self.calls() < after && running.try_wait().expect("it was started").is_none() {
            assert!(begun.elapsed() < PATIENCE, "requests come in");
            std::thread::sleep(Duration::from_millis(2));
        }
        let in_flight = match (victim, &mut self.nats) {
            (Victim::Coordinator, nats) => {
                running.kill().expect("it was started");
                nats.as_ref().map_or(AT_ONCE, |_| WORKERS * AT_ONCE)
            }
            (_, None) => 0,
            (Victim::Worker, Some(nats)) => {
                let crew = self.crew.as_mut().expect("workers of a server");
                crew.replace(self.world, nats, after % WORKERS);
                AT_ONCE
            }
            (Victim::Server, Some(nats)) => {
                nats.restart(self.world);
                WORKERS * AT_ONCE
            }
        };
        (ended(&mut running), in_flight)
    }
}

/// One run of 41 nodes, and one kill once so many requests have come in.
fn kill(victim: Victim, after: usize) {
    let world = world(slow());
    let mut scene = Scene::of(&world);
    let about = format!("{victim:?} after {after} requests");
    let (code, in_flight) = scene.kill(victim, after);
    let repo = &scene.repo;
    if victim != Victim::Coordinator {
        let last = repo.merkle(&["status", "--last", "--json"]);
        assert_eq!(code, Some(0), "{about}\n{last}");
    }
    let again = coordinate(repo, scene.nats.as_ref(), &[]).exits(0);
    if victim != Victim::Coordinator {
        assert!(again.out().contains("nothing to do"), "{about}: {again}");
    }
    assert_eq!(repo.frames().len(), FILES + 1, "{about}: each node once");
    repo.merkle(&["validate"]).ok();
    let calls = scene.calls();
    assert!(
        (FILES + 1..=FILES + 1 + in_flight).contains(&calls),
        "{about}: {calls} calls"
    );
    assert!(booked(repo) >= calls as u64, "{about}: all is booked");
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

/// Three runs, each with a kill, and a limit below what all nodes need: it is not passed.
#[test]
fn a_budget_is_kept_whoever_is_killed() {
    const CALLS: usize = 30;
    let world = world(slow());
    world.set("merkle.budgetCalls", &CALLS.to_string());
    let mut scene = Scene::of(&world);
    for (victim, after) in VICTIMS.into_iter().zip([8, 16, 24]) {
        scene.kill(victim, after);
        assert!(scene.calls() <= CALLS, "{victim:?}: {}", scene.calls());
    }
    let output = coordinate(&scene.repo, scene.nats.as_ref(), &[]).exits(79);
    assert!(output.err().contains("30 calls a month"), "{output}");
    let calls = scene.calls();
    assert!(calls <= CALLS, "{calls} calls: {output}");
    let booked = booked(&scene.repo);
    assert!((calls as u64..=CALLS as u64).contains(&booked), "{booked}");
    assert!(scene.repo.frames().len() <= calls, "{output}");
}

/// A server that does not come back ends the run; what was answered meanwhile the next one takes.
#[test]
fn a_server_that_stays_away_ends_the_run() {
    let world = world(slow());
    let Some(mut nats) = Nats::start(&world) else {
        return;
    };
    let _crew = Crew::of(&world, &nats, 1);
    let repo = world.repo(&flat(FILES));
    let run = coordinator(&repo, Some(&nats), &[]);
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| run.run());
        let begun = Instant::now();
        while world.server.posts().len() < 10 {
            assert!(begun.elapsed() < PATIENCE, "requests come in");
            std::thread::sleep(Duration::from_millis(2));
        }
        nats.stop();
        running.join().expect("it ends")
    });
    let output = output.exits(69);
    let words = "the queue cannot be used: its server stays away: ";
    assert!(output.err().contains(words), "{output}");
    nats.restart(&world);
    coordinate(&repo, Some(&nats), &[]).ok();
    assert_eq!(repo.frames().len(), FILES + 1);
    let calls = world.server.posts().len();
    assert!(calls <= FILES + 1 + AT_ONCE, "{calls} calls");
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
    let mut running = coordinator(&repo, Some(&nats), &[]).start_quiet();
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
