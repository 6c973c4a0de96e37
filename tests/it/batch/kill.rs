//! SIGKILL between sending and storing: no node is asked twice, no answer that was paid for is lost, the ledger is the bill.

use super::lost::age;
use super::{Batched, WIDE, assert_booked, batch, ledger, left};
use crate::generate::{PROTOCOLS, Protocol, command};
use crate::support::{Repo, Run, trace};

/// What is killed: the command that sends, the one that collects, or one that stays for all levels.
const KILLED: [(&str, &[&str]); 3] = [
    ("sending", &[]),
    ("collecting", &[]),
    ("waiting", &["--wait"]),
];

fn run(repo: &Repo<'_>, arguments: &[&str]) -> Run {
    let run = command(repo, &["regenerate", "--agent", "docs", "--yes", "--batch"]);
    run.args(arguments)
}

/// Sends and collects, killed at this many points of each command; then to the end. The number of kills.
fn kill_at_points(protocol: Protocol, points: usize) -> usize {
    let mut kills = 0;
    for (killed, arguments) in KILLED {
        let world = Batched::new(protocol);
        let repo = world.world.repo(WIDE);
        if killed == "collecting" {
            drop(run(&repo, &[]).run().exits(75));
        }
        let total = trace::count(&run(&repo, arguments)).points;
        for point in trace::sample_of(total, points) {
            // A server of its own: what it was asked is counted.
            let batched = Batched::new(protocol);
            let repo = batched.world.repo(WIDE);
            if killed == "collecting" {
                drop(run(&repo, &[]).run().exits(75));
            }
            let about = format!("{protocol:?}, {killed}, point {point} of {total}");
            trace::kill_at(&run(&repo, arguments), point);
            kills += 1;
            // What the provider does not list after a minute it has never had.
            age(&repo, 61);
            let again = batch(&repo, &["--wait"]);
            assert_eq!(again.code, Some(0), "{about}\n{again}");
            let asked = batched.provider.asked();
            assert!(
                asked.values().all(|times| *times == 1),
                "{about}: {asked:?}"
            );
            assert_eq!(asked.len(), 6, "{about}");
            repo.merkle(&["validate"]).ok();
            let (booked, open) = ledger(&repo);
            if open == 0 {
                assert_booked(&repo, 6, batched.live() as u64);
            } else {
                // A request that goes out alone was reserved, and its process killed: it stays booked in full.
                assert_eq!((killed, open, booked[0]), ("waiting", 1, 8), "{about}");
            }
            let live = if killed == "waiting" { 1..=2 } else { 1..=1 };
            assert!(live.contains(&batched.live()), "{about}");
            assert_eq!(left(&repo), [] as [&str; 0], "{about}");
        }
    }
    kills
}

#[test]
fn nothing_is_lost_or_asked_twice_whenever_it_is_killed() {
    kill_at_points(Protocol::OpenAi, 3);
    kill_at_points(Protocol::Anthropic, 2);
}

#[test]
#[ignore = "a hundred kills take minutes"]
fn nothing_is_lost_over_a_hundred_kills() {
    let kills = PROTOCOLS.map(|protocol| kill_at_points(protocol, 25));
    assert!(kills.iter().all(|kills| *kills >= 50), "{kills:?} kills");
}
