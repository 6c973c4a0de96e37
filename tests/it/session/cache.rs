//! What a provider's cache serves over a whole session: against servers that keep prefixes by the documented rules.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use git_merkle::base::token;
use serde_json::Value;

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

/// Branches of a history that sessions are led over, and how many commits each may have.
const BRANCHES: usize = 3;
const BRANCH_COMMITS: std::ops::RangeInclusive<usize> = 5..=40;

/// What ten turns took.
#[derive(Debug, Default, Clone, Copy)]
struct Taken {
    input: u64,
    read: u64,
    predicted: u64,
    /// The most that any order could read, see [`parts_sent_before`].
    most: u64,
}

impl Taken {
    fn and(self, other: Self) -> Self {
        Self {
            input: self.input + other.input,
            read: self.read + other.read,
            predicted: self.predicted + other.predicted,
            most: self.most + other.most,
        }
    }

    fn share(self) -> f64 {
        100.0 * self.read as f64 / self.input.max(1) as f64
    }

    fn share_most(self) -> f64 {
        100.0 * self.most as f64 / self.input.max(1) as f64
    }

    /// At least 80 percent were read, as predicted to two points.
    fn assert_held(self) {
        let (share, off) = (self.share(), self.off());
        assert!(share >= 80.0, "{share:.1} % were read: {self:?}");
        assert!(off.abs() <= 2.0, "{off:+.1} points: {self:?}");
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
            "Make" => format!(
                "THE PLAN\n{}",
                "A step, and why it comes here.\n".repeat(20)
            ),
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
fn lead(world: &World, repo: &Repo<'_>, lists: &[String], edit: &dyn Fn(u32)) -> Taken {
    let listed = if lists.is_empty() { None } else { Some("-c") };
    let arguments = ["session", "new", "login"]
        .into_iter()
        .chain(listed)
        .chain(lists.iter().map(String::as_str));
    merkle(repo, &arguments.collect::<Vec<_>>()).ok();
    for turn in 1..=TURNS {
        edit(turn);
        let request: &[&str] = if turn == 1 {
            &["turn", "new", "-m", "Free the lock."]
        } else {
            &["turn", "new"]
        };
        merkle(repo, request).ok();
        merkle(repo, &["turn", "run", "--yes"]).ok();
        let state = merkle(repo, &["session", "show", "--json"]).json("session-show");
        if state["log"]
            .as_array()
            .and_then(|log| log.last())
            .is_some_and(|turn| turn["status"] == "waiting for approval")
        {
            merkle(repo, &["turn", "approve"]).ok();
        }
    }
    assert_eq!(world.server.posts().len(), TURNS as usize);
    let taken: Vec<Taken> = (1..=TURNS).map(|turn| of_turn(repo, turn)).collect();
    let most = parts_sent_before(world.server.posts().iter().map(|post| &post.body));
    let taken = taken.into_iter().fold(Taken::default(), Taken::and);
    Taken { most, ..taken }
}

/// Tokens of all parts that an earlier request held, letter by letter, wherever they stood: no order of the parts and no place
/// of the marks can have more of them read. A part is what the map says of a file, or what stands under a heading.
fn parts_sent_before<'b>(bodies: impl Iterator<Item = &'b Value>) -> u64 {
    let mut known = BTreeSet::new();
    let mut tokens = 0;
    for body in bodies {
        let texts = texts(body);
        let parts: Vec<String> = texts.iter().flat_map(|text| parts(text)).collect();
        tokens += parts
            .iter()
            .filter(|part| known.contains(*part))
            .map(|part| token::estimate(part))
            .sum::<u64>();
        known.extend(parts);
    }
    tokens
}

fn texts(body: &Value) -> Vec<&str> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let contents = messages.map(|message| &message["content"]);
    let contents = std::iter::once(&body["system"]).chain(contents);
    let mut texts = Vec::new();
    for content in contents {
        texts.extend(content.as_str());
        let blocks = content.as_array().into_iter().flatten();
        texts.extend(blocks.filter_map(|block| block["text"].as_str()));
    }
    texts
}

fn parts(text: &str) -> Vec<String> {
    let is_map = text.starts_with("# Role") || text.starts_with("# Repository Structure");
    let begins = |line: &str| {
        if is_map {
            line.starts_with(|c: char| !c.is_whitespace())
        } else {
            line.trim_start_matches('#').starts_with(' ') && line.starts_with('#')
        }
    };
    let mut parts = Vec::new();
    for line in text.split_inclusive('\n') {
        match parts.last_mut() {
            Some(part) if !begins(line) => String::push_str(part, line),
            _ => parts.push(line.to_owned()),
        }
    }
    parts
}

/// What the record of a turn says.
fn of_turn(repo: &Repo<'_>, turn: u32) -> Taken {
    let meta =
        std::fs::read_to_string(repo.path(&format!(".teddy/sessions/login/{turn:02}/meta.yaml")))
            .expect("a record");
    let number = |key: &str| -> u64 {
        let line = meta
            .lines()
            .find_map(|line| line.trim().strip_prefix(key)?.strip_prefix(": "));
        line.and_then(|text| text.parse().ok()).unwrap_or_default()
    };
    Taken {
        input: number("input"),
        read: number("cache_read"),
        predicted: number("cache_read_predicted"),
        most: 0,
    }
}

fn configured(protocol: Protocol, breakpoints: &str) -> World {
    let world = World::new(protocol, team());
    for (key, value) in [
        ("cacheBreakpoints", breakpoints),
        ("cacheTokensMin", "1024"),
        ("contextTokens", "200k"),
    ] {
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
        let _ = write!(
            fixture,
            "\ncommit edit {commit}\n+ {} = pub fn edited_{commit}() {{}}",
            path_of(file)
        );
    }
    world.repo(&fixture)
}

fn append(repo: &Repo<'_>, path: &str, more: &str) {
    let path = repo.path(path);
    let text = std::fs::read_to_string(&path).expect("there");
    std::fs::write(path, text + more).expect("writable");
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
                let path = path_of(EDITED[turn as usize % EDITED.len()]);
                append(&repo, &path, &format!("pub fn added_{turn}() {{}}\n"));
            }
        };
        let taken = lead(&world, &repo, &["src/part1/*".to_owned()], &edit);
        taken.assert_held();
    }
}

/// Before, a line that changed where nothing foretold it was a prompt that the provider wrote again: 10 points of a hundred.
#[test]
fn what_nothing_foretold_is_read_up_to_its_update() {
    let world = configured(Protocol::Anthropic, "4");
    let repo = project(&world, 150);
    // None of those that the session shows in full.
    let unforeseen = |turn: u32| path_of(19 + 13 * turn as usize + usize::from(turn % 5 == 4));
    let edit = |turn: u32| {
        if turn > 1 {
            append(
                &repo,
                &unforeseen(turn),
                &format!("pub fn added_{turn}() {{}}\n"),
            );
        }
    };
    let taken = lead(&world, &repo, &["src/part1/*".to_owned()], &edit);
    taken.assert_held();

    // What is said twice is labelled, and the tier is what it was.
    let posts = world.server.posts();
    let system = |at: usize| posts[at].body["system"].to_string();
    let (first, last) = (system(0), posts[9].text());
    assert!(
        (1..10).any(|at| system(at) == first),
        "the first tier was kept"
    );
    let (before, updates) = last
        .split_once("# Repository Structure (updated)")
        .expect("updates in the last request");
    assert!(!before.contains("added_10") && updates.contains("added_10"));
    let shown = merkle(&repo, &["prompt", "-s", "login", "--format", "text"]).ok();
    assert!(shown.contains("# Repository Structure (updated)"));
    assert!(
        merkle(&repo, &["tiers", "-s", "login"])
            .ok()
            .contains("update src/part")
    );

    // A file that is gone is said to be gone. One that is ignored now is still there, and nothing of it is sent again.
    std::fs::remove_file(repo.path(&unforeseen(10))).expect("it was there");
    let shown = merkle(&repo, &["prompt", "-s", "login", "--format", "text"]).ok();
    assert!(shown.contains("file149.rs is gone") && !shown.contains("added_10"));
    std::fs::write(repo.path(".teddyignore"), unforeseen(8)).expect("writable");
    let shown = merkle(&repo, &["prompt", "-s", "login", "--format", "text"]).ok();
    assert!(!shown.contains("step_123_0"));
}

/// The same over histories; prints the rows of the table in docs/benchmarks.md.
#[test]
#[ignore = "wants histories: set MERKLE_HISTORIES to a folder of clones"]
#[expect(
    clippy::print_stdout,
    reason = "the rows of a table are what it is for"
)]
#[expect(
    clippy::disallowed_methods,
    reason = "who runs it says where the histories are"
)]
fn ten_turns_over_histories() {
    let folder = std::env::var_os(HISTORIES).expect("a folder of clones");
    let mut rows = BTreeSet::new();
    for clone in std::fs::read_dir(&folder).expect("a folder").flatten() {
        let path = clone.path();
        let cells = [
            over_branches(&path, false),
            over_branches(&path, true),
            over_newest(&path, false),
            over_newest(&path, true),
        ];
        let cells = cells.map(|taken| {
            format!(
                "{}: {:.1} % of {:.1}, {:+.1}",
                taken.input,
                taken.share(),
                taken.share_most(),
                taken.off()
            )
        });
        rows.insert(format!(
            "| {} | {} |",
            clone.file_name().display(),
            cells.join(" | ")
        ));
    }
    for row in rows {
        println!("{row}");
    }
}

/// A repository with the history of a clone.
fn with_history<'w>(world: &'w World, clone: &Path) -> Repo<'w> {
    let repo = world.repo("commit none\n+ nothing = x");
    repo.git(&[
        "fetch",
        "-q",
        clone.to_str().expect("a path of text"),
        "HEAD",
    ])
    .ok();
    repo
}

fn lines(repo: &Repo<'_>, arguments: &[&str]) -> Vec<String> {
    repo.git(arguments)
        .ok()
        .lines()
        .map(str::to_owned)
        .collect()
}

fn check_out(repo: &Repo<'_>, commit: &str) {
    repo.git(&["checkout", "-q", "--detach", commit]).ok();
}

/// Sessions over the newest branches that were merged with enough commits: each work is the next commit of the branch. The
/// session lists nothing, or what the first commit changes.
fn over_branches(clone: &Path, is_listed: bool) -> Taken {
    let mut sum = Taken::default();
    for at in 0..BRANCHES {
        let world = configured(Protocol::Anthropic, "4");
        let repo = with_history(&world, clone);
        let merges = lines(
            &repo,
            &["rev-list", "--merges", "--max-count=2000", "FETCH_HEAD"],
        );
        let commits = merges.iter().map(|merge| {
            let range = format!("{merge}^1..{merge}^2");
            lines(
                &repo,
                &[
                    "rev-list",
                    "--first-parent",
                    "--no-merges",
                    "--reverse",
                    &range,
                ],
            )
        });
        let Some(commits) = commits
            .filter(|commits| BRANCH_COMMITS.contains(&commits.len()))
            .nth(at)
        else {
            continue;
        };
        check_out(&repo, &format!("{}^", commits[0]));
        let lists = if is_listed {
            touched(&repo, &["-1", &commits[0]])
        } else {
            Vec::new()
        };
        // Turn 2 works, turns 4, 6, 8 and 10 revise; those between review.
        let edit = |turn: u32| {
            if let Some(work) = (turn as usize / 2).checked_sub(1).filter(|_| turn % 2 == 1) {
                check_out(&repo, &commits[work]);
            }
        };
        sum = sum.and(lead(&world, &repo, &lists, &edit));
    }
    sum
}

/// A session over the ten newest commits of the main line: one is checked out before each turn, or after each that wrote something.
/// It lists the four files that the 50 commits before touched most.
fn over_newest(clone: &Path, is_each_turn: bool) -> Taken {
    let world = configured(Protocol::Anthropic, "4");
    let repo = with_history(&world, clone);
    let commits = lines(
        &repo,
        &[
            "rev-list",
            "--first-parent",
            "--reverse",
            "--max-count=10",
            "FETCH_HEAD",
        ],
    );
    assert_eq!(
        commits.len(),
        TURNS as usize,
        "{} is too short",
        clone.display()
    );
    check_out(&repo, &commits[0]);
    let lists: Vec<String> = touched(&repo, &["-50", &commits[0]])
        .into_iter()
        .take(4)
        .collect();
    let commit_at = |turn: u32| {
        if is_each_turn {
            turn as usize - 1
        } else {
            (turn as usize - 1) / 2
        }
    };
    lead(&world, &repo, &lists, &|turn| {
        check_out(&repo, &commits[commit_at(turn)]);
    })
}

/// The files that commits touch, most often touched first; no large ones, and none that are not there.
fn touched(repo: &Repo<'_>, commits: &[&str]) -> Vec<String> {
    let mut touched: BTreeMap<String, u32> = BTreeMap::new();
    for path in lines(
        repo,
        &[&["log", "--name-only", "--format="], commits].concat(),
    ) {
        if std::fs::metadata(repo.path(&path))
            .is_ok_and(|file| file.is_file() && file.len() < 60_000)
        {
            *touched.entry(path).or_default() += 1;
        }
    }
    let mut touched: Vec<(u32, String)> = touched
        .into_iter()
        .map(|(path, count)| (count, path))
        .collect();
    touched.sort_by(|one, other| other.cmp(one));
    touched.into_iter().map(|(_, path)| path).collect()
}
