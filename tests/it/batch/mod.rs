//! Many requests as one batch: the built program against servers of both dialects that delay, fail, forget and lose.

mod fault;
#[cfg(all(target_os = "linux", target_env = "gnu"))]
mod kill;
mod level;
mod lost;
mod wire;

use std::collections::BTreeMap;

use crate::generate::{Protocol, World, regenerate};
use crate::support::batches::{BatchServer, Fate};
use crate::support::{Output, Repo};

/// What an answer of the server costs in a batch, in nano-dollars: half of 1 and 4 dollars per million tokens.
const ANSWER_NANO: u64 = 100 * 500 + 20 * 2_000;
/// The same outside of one.
const LIVE_NANO: u64 = 2 * ANSWER_NANO;

/// Four files in two directories: levels of four, two and one.
const WIDE: &str = "
    commit first
    + a/one.rs = pub fn one() {}
    + a/two.rs = pub fn two() {}
    + b/three.rs = pub fn three() {}
    + b/four.rs = pub fn four() {}
";

/// A user whose provider takes batches; a level of two is large enough for one.
struct Batched {
    world: World,
    provider: BatchServer,
}

impl Batched {
    fn new(protocol: Protocol) -> Self {
        Self::with(protocol, |_| Fate::Answer)
    }

    fn with(protocol: Protocol, fate: impl Fn(&str) -> Fate + Send + Sync + 'static) -> Self {
        let (provider, server) = BatchServer::start(protocol, fate);
        let world = World::new(protocol, server);
        if protocol == Protocol::OpenAi {
            world.set("merkle.provider.m.kind", "openai");
        }
        world.set("merkle.batchMin", "2");
        Self { world, provider }
    }

    /// Requests that went out alone.
    fn live(&self) -> usize {
        let posts = self.world.server.posts();
        let is_live = |path: &str| path.ends_with("/messages") || path.ends_with("/completions");
        posts.iter().filter(|post| is_live(&post.path)).count()
    }

    /// Demands that every node went out once, in a batch or alone.
    #[track_caller]
    fn assert_asked_once(&self, nodes: usize) {
        let asked = self.provider.asked();
        assert!(asked.values().all(|times| *times == 1), "{asked:?}");
        assert_eq!(asked.len() + self.live(), nodes, "{asked:?}");
    }
}

/// `regenerate --agent docs --batch` with more arguments.
fn batch(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    let arguments: Vec<&str> = ["--batch"].iter().chain(arguments).copied().collect();
    regenerate(repo, &arguments)
}

/// What the ledger has booked: calls, tokens, nano-dollars; and how many reservations are not settled.
#[track_caller]
fn ledger(repo: &Repo<'_>) -> ([u64; 3], usize) {
    let text = std::fs::read_to_string(repo.path(".git/merkle/ledger")).unwrap_or_default();
    let mut booked: BTreeMap<&str, [u64; 3]> = BTreeMap::new();
    let mut open = std::collections::BTreeSet::new();
    for line in text.lines().skip(1) {
        let fields: Vec<&str> = line.split(' ').collect();
        let spend = &fields[fields.len() - 3..];
        let spend = [0, 1, 2].map(|at| spend[at].parse().unwrap_or(0));
        booked.insert(fields[1], spend);
        if fields[0] == "r" {
            open.insert(fields[1]);
        } else {
            open.remove(fields[1]);
        }
    }
    let mut sum = [0; 3];
    for spend in booked.values() {
        (0..3).for_each(|at| sum[at] += spend[at]);
    }
    (sum, open.len())
}

/// Demands that so many answers of batches, and so many others, are booked, and nothing else.
#[track_caller]
fn assert_booked(repo: &Repo<'_>, batched: u64, live: u64) {
    let calls = batched + live;
    let nano = batched * ANSWER_NANO + live * LIVE_NANO;
    assert_eq!(ledger(repo), ([calls, calls * 120, nano], 0));
}

/// What is left of batches on the disk.
fn left(repo: &Repo<'_>) -> Vec<String> {
    let entries = std::fs::read_dir(repo.path(".git/merkle/batches"));
    let names = entries
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.file_name().to_string_lossy().into_owned());
    names.filter(|name| name != "lock").collect()
}
