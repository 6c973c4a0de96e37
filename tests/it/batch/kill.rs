//! SIGKILL between sending and storing: no node is asked twice, no answer that was paid for is lost, the ledger is the bill.

use super::lost::age;
use super::{Batched, WIDE, assert_booked, batch, left};
use crate::generate::{PROTOCOLS, Protocol, command};
use crate::support::{Repo, Run, trace};

fn run(repo: &Repo<'_>) -> Run {
    command(repo, &["regenerate", "--agent", "docs", "--yes", "--batch"])
}

/// Sends and collects, killed at points of the first command or of the second; then to the end.
fn kill_at_points(protocol: Protocol, points: usize) {
    for killed in ["sending", "collecting"] {
        let world = Batched::new(protocol);
        let repo = world.world.repo(WIDE);
        if killed == "collecting" {
            drop(run(&repo).run().exits(75));
        }
        let total = trace::count(&run(&repo)).points;
        for point in trace::sample_of(total, points) {
            // A server of its own: what it was asked is counted.
            let batched = Batched::new(protocol);
            let repo = batched.world.repo(WIDE);
            if killed == "collecting" {
                drop(run(&repo).run().exits(75));
            }
            let about = format!("{protocol:?}, {killed}, point {point} of {total}");
            trace::kill_at(&run(&repo), point);
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
            if batched.live() == 1 {
                assert_booked(&repo, 6, 1);
            }
            assert_eq!(left(&repo), [] as [&str; 0], "{about}");
        }
    }
}

#[test]
fn nothing_is_lost_or_asked_twice_whenever_it_is_killed() {
    kill_at_points(Protocol::OpenAi, 3);
    kill_at_points(Protocol::Anthropic, 2);
}

#[test]
#[ignore = "a hundred kills take minutes"]
fn nothing_is_lost_over_a_hundred_kills() {
    for protocol in PROTOCOLS {
        kill_at_points(protocol, 25);
    }
}
