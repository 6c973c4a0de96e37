//! What a provider's cache serves over a whole session: against servers that keep prefixes by the documented rules.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::generate::{Protocol, World, command};
use crate::support::loopback::{Loopback, PrefixCache, Scripted};
use crate::support::{Output, Repo};

const TURNS: u32 = 10;
/// The files that are edited, in the history and in the session.
const EDITED: [usize; 3] = [1, 6, 12];
/// What passes between two requests.
const PAUSE: Duration = Duration::from_secs(90);
/// Where to find repositories for the ignored test: folders of clones with their histories, in one folder.
const HISTORIES: &str = "MERKLE_HISTORIES";

/// What ten turns took.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    input: u64,
    read: u64,
    predicted: u64,
}

impl Taken {
    fn share(self) -> f64 {
        100.0 * self.read as f64 / self.input.max(1) as f64
    }

    /// What was predicted, less what was read, in points of the input.
    fn off(self) -> f64 {
        100.0 * (self.predicted as f64 - self.read as f64) / self.input.max(1) as f64
    }
}

/// A team whose review is never content, and a cache in front of it.
fn team() -> Loopback {
    let cache = Arc::new(PrefixCache::new(1_024));
    Loopback::start(move |request| {
        let now = PAUSE * request.order as u32;
        let text = match request.last_user().split(' ').next().unwrap_or_default() {
            "Make" => format!("THE PLAN\n{}", "A step, and why it comes here.\n".repeat(20)),
            "Review" => "verdict: fail\nissues:\n- never freed".to_owned(),
            _ => format!("THE WORK\n{}", "A line that was written.\n".repeat(40)),
        };
        Scripted::answer(text).usage(cache.usage(&request.body, now, now + Duration::from_secs(5)))
    })
}

fn merkle(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    command(repo, arguments).run()
}

/// Leads a session of ten turns; before each of them the world changes as `edit` says.
fn lead(world: &World, repo: &Repo<'_>, lists: &[&str], edit: &dyn Fn(u32)) -> Taken {
    merkle(repo, &[&["session", "new", "login", "-c"], lists].concat()).ok();
    for turn in 1..=TURNS {
        edit(turn);
        let request: &[&str] = if turn == 1 { &["turn", "new", "-m", "Free the lock."] } else { &["turn", "new"] };
        merkle(repo, request).ok();
        merkle(repo, &["turn", "run", "--yes"]).ok();
        let state = merkle(repo, &["session", "show", "--json"]).json("session-show");
        if state["log"].as_array().and_then(|log| log.last()).is_some_and(|turn| turn["status"] == "waiting for approval") {
            merkle(repo, &["turn", "approve"]).ok();
        }
    }
    assert_eq!(world.server.posts().len(), TURNS as usize);
    let taken: Vec<Taken> = (1..=TURNS).map(|turn| of_turn(repo, turn)).collect();
    taken.into_iter().fold(Taken::default(), |sum, one| Taken {
        input: sum.input + one.input,
        read: sum.read + one.read,
        predicted: sum.predicted + one.predicted,
    })
}

/// What the record of a turn says.
fn of_turn(repo: &Repo<'_>, turn: u32) -> Taken {
    let meta = std::fs::read_to_string(repo.path(&format!(".teddy/sessions/login/{turn:02}/meta.yaml"))).expect("a record");
    let number = |key: &str| -> u64 {
        let line = meta.lines().find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "));
        line.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    Taken { input: number("input"), read: number("cache_read"), predicted: number("cache_read_predicted") }
}

fn configured(protocol: Protocol, breakpoints: &str) -> World {
    let world = World::new(protocol, team());
    for (key, value) in [("cacheBreakpoints", breakpoints), ("cacheTokensMin", "1024"), ("contextTokens", "200k")] {
        world.set(&format!("merkle.provider.m.{key}"), value);
    }
    world
}

/// A project of so many files, with a history in which a few are edited again and again.
fn project(world: &World, files: usize) -> Repo<'_> {
    let mut fixture = "commit first\n+ README.md = # Sample".to_owned();
    for file in 0..files {
        let _ = write!(fixture, "\n+ {}", path_of(file));
        for line in 0..12 {
            let _ = write!(
                fixture,
                "\n| /// Does step {line} of {file}.\n| pub fn step_{file}_{line}(bed: &Bed) -> usize {{ bed.len() + {line} }}"
            );
        }
    }
    for commit in 0..20 {
        let file = EDITED[commit % EDITED.len()];
        let _ = write!(fixture, "\ncommit edit {commit}\n+ {} = pub fn edited_{commit}() {{}}", path_of(file));
    }
    world.repo(&fixture)
}

fn path_of(file: usize) -> String {
    format!("src/part{}/file{file}.rs", file % 5)
}

/// Before, no request of a session carried a mark, and nothing held the prediction against what a cache serves.
#[test]
fn ten_turns_are_read_from_the_cache_as_predicted() {
    for (protocol, breakpoints) in [(Protocol::Anthropic, "4"), (Protocol::OpenAi, "4")] {
        let world = configured(protocol, breakpoints);
        let repo = project(&world, 150);
        let edit = |turn: u32| {
            if turn > 1 {
                let path = repo.path(&path_of(EDITED[turn as usize % EDITED.len()]));
                let mut text = std::fs::read_to_string(&path).expect("there");
                let _ = writeln!(text, "pub fn added_{turn}() {{}}");
                std::fs::write(path, text).expect("writable");
            }
        };
        let taken = lead(&world, &repo, &["src/part1/*"], &edit);
        assert!(taken.share() >= 80.0, "{:.1} % were read: {taken:?}", taken.share());
        assert!(taken.off().abs() <= 2.0, "{:+.1} points: {taken:?}", taken.off());
    }
}

/// The same over ten commits of each history that is found; prints the rows of the table in docs/benchmarks.md.
#[test]
#[ignore = "wants histories: set MERKLE_HISTORIES to a folder of clones"]
#[expect(clippy::print_stdout, reason = "the rows of a table are what it is for")]
#[expect(clippy::disallowed_methods, reason = "who runs it says where the histories are")]
fn ten_turns_over_histories() {
    let folder = std::env::var_os(HISTORIES).expect("a folder of clones");
    let mut rows = BTreeMap::new();
    for clone in std::fs::read_dir(&folder).expect("a folder").flatten() {
        for (is_steady, name) in [(false, "after each work"), (true, "before each turn")] {
            if let Some(taken) = over_history(&clone.path(), is_steady) {
                let row = format!("{} | {:.1} % | {:+.1} |", taken.input, taken.share(), taken.off());
                rows.insert((clone.file_name(), name), row);
            }
        }
    }
    for ((clone, when), row) in rows {
        println!("| {} | {when} | {row}", clone.display());
    }
}

/// Ten turns over the newest commits of a history: a commit is checked out before each turn, or after each that wrote something,
/// as in a session; the four files that the commits before touched most are the session's.
fn over_history(clone: &Path, is_steady: bool) -> Option<Taken> {
    let world = configured(Protocol::Anthropic, "4");
    let repo = world.repo("commit none\n+ nothing = x");
    let source = clone.to_str()?;
    repo.git(&["fetch", "-q", source, "HEAD"]).ok();
    let log = repo.git(&["rev-list", "--first-parent", "--reverse", "--max-count=10", "FETCH_HEAD"]).ok();
    let commits: Vec<String> = log.lines().map(str::to_owned).collect();
    if commits.len() < TURNS as usize {
        return None;
    }
    repo.git(&["checkout", "-q", "--detach", &commits[0]]).ok();
    let mut touched: BTreeMap<String, u32> = BTreeMap::new();
    for line in repo.git(&["log", "-50", "--name-only", "--format=", &commits[0]]).ok().lines().filter(|line| !line.is_empty()) {
        let is_small = std::fs::metadata(repo.path(line)).is_ok_and(|file| file.is_file() && file.len() < 60_000);
        *touched.entry(line.to_owned()).or_default() += u32::from(is_small);
    }
    let mut touched: Vec<(u32, String)> = touched.into_iter().map(|(path, count)| (count, path)).collect();
    touched.sort_by(|one, other| other.cmp(one));
    let lists: Vec<&str> = touched.iter().take(4).filter(|(count, _)| *count > 0).map(|(_, path)| path.as_str()).collect();
    // Turn 2 works, turns 4, 6, 8 and 10 revise; those between review.
    let commit_at = |turn: u32| if is_steady { turn as usize - 1 } else { (turn as usize - 1) / 2 };
    let edit = |turn: u32| drop(repo.git(&["checkout", "-q", "--detach", &commits[commit_at(turn)]]).ok());
    Some(lead(&world, &repo, &lists, &edit))
}
