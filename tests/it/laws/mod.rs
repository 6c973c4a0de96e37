//! The laws of the program, asked of whole repositories and counted, never timed.
//!
//! What a run did is told by `regenerate --json`; what there is to say and what is said, by git's own listings of the
//! snapshot and of the store. Start with [`step`]: the law that all of `cost` stands on.

mod corpus;
mod cost;
mod derived;
mod place;
mod plan;
mod shortcut;
mod snapshot;
mod union;

use std::collections::BTreeSet;

use proptest::test_runner::Config;
use serde::Deserialize;

use crate::support::Repo;

/// What a run did, as `regenerate --json` counts it.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize)]
pub(crate) struct Counts {
    pub(crate) visited: u64,
    pub(crate) made_files: u64,
    pub(crate) made_directories: u64,
    pub(crate) reused: u64,
    pub(crate) kept: u64,
    pub(crate) fresh: u64,
    pub(crate) absent: u64,
    pub(crate) stored: u64,
    pub(crate) held_back: u64,
}

impl Counts {
    /// Files, directories and reused: what entered the store or might have.
    pub(crate) fn made(&self) -> (u64, u64, u64) {
        (self.made_files, self.made_directories, self.reused)
    }
}

/// Runs `regenerate` and returns what it counted.
#[track_caller]
pub(crate) fn regenerate(repo: &Repo<'_>, options: &[&str]) -> Counts {
    let output = repo
        .run(crate::support::PROGRAM)
        .args(["regenerate", "--json"])
        .args(options)
        .run()
        .exits(0);
    serde_json::from_value(output.json("regenerate")).expect("the document has all counts")
}

/// Distinct files and directories of a revision, as `kind id`, the root included: symbolic links and submodules are none.
#[track_caller]
pub(crate) fn nodes(repo: &Repo<'_>, revision: &str) -> BTreeSet<String> {
    let listing = repo.git(&["ls-tree", "-r", "-t", revision]).ok();
    let entries = listing
        .lines()
        .map(|line| line.split('\t').next().expect("git separates names so"));
    let mut nodes: BTreeSet<String> = entries
        .filter(|about| about.starts_with("100") || about.starts_with("040"))
        .map(|about| about[7..].to_owned())
        .collect();
    nodes.insert(format!("tree {}", repo.id(&format!("{revision}^{{tree}}"))));
    nodes
}

/// Ids of everything that has a frame in the store, by the names in its tree.
#[track_caller]
pub(crate) fn spoken_of(repo: &Repo<'_>) -> BTreeSet<String> {
    let id = |name: String| {
        name.split('.')
            .next()
            .expect("a name starts with an id")
            .replace('/', "")
    };
    repo.frames().into_iter().map(id).collect()
}

/// One more state of HEAD: exactly the nodes that had no frame get one, each file is read once and then never again.
#[track_caller]
pub(crate) fn step(repo: &Repo<'_>) -> Counts {
    let (before, frames) = (spoken_of(repo), repo.frames().len());
    let new: BTreeSet<String> = nodes(repo, "HEAD")
        .into_iter()
        .filter(|node| !before.contains(&node[5..]))
        .collect();
    let counts = regenerate(repo, &[]);
    let gained: BTreeSet<String> = spoken_of(repo).difference(&before).cloned().collect();
    assert_eq!(
        gained,
        new.iter().map(|node| node[5..].to_owned()).collect(),
        "exactly the new nodes gain frames: {counts:?}"
    );
    let files = new.iter().filter(|node| node.starts_with("blob")).count() as u64;
    assert_eq!(counts.made_files, files, "{counts:?}");
    assert_eq!(
        counts.made_directories + counts.reused,
        new.len() as u64 - files,
        "{counts:?}"
    );
    assert_eq!(
        counts.stored,
        (repo.frames().len() - frames) as u64,
        "{counts:?}"
    );
    counts
}

/// Demands what must hold after every story: nothing to do, nothing damaged, and git content to keep it that way.
#[track_caller]
pub(crate) fn assert_whole(repo: &Repo<'_>) {
    let frames = repo.frames();
    repo.assert_sound();
    assert_eq!(
        repo.frames(),
        frames,
        "gc and a mirror leave the frames alone"
    );
    let verdict = repo
        .merkle(&["validate", "--json"])
        .exits(0)
        .json("validate");
    assert_eq!(
        (&verdict["checked"], &verdict["faults"]),
        (&frames.len().into(), &serde_json::json!([]))
    );
    assert_eq!(tasks(repo, &[]), [] as [&str; 0]);
    let all = regenerate(repo, &["--verify"]);
    assert_eq!(
        (all.made(), all.stored, all.fresh),
        ((0, 0, 0), 0, all.visited),
        "{all:?}"
    );
}

/// The paths that a run would make frames of.
#[track_caller]
pub(crate) fn tasks(repo: &Repo<'_>, options: &[&str]) -> Vec<String> {
    let output = repo
        .run(crate::support::PROGRAM)
        .args(["regenerate", "--dry-run", "--json"])
        .args(options)
        .run()
        .exits(0);
    let plan = output.json("plan");
    let path = |task: &serde_json::Value| task["path"].as_str().expect("a path is text").to_owned();
    plan["tasks"]
        .as_array()
        .expect("tasks are a list")
        .iter()
        .map(path)
        .collect()
}

/// So many random cases, or as many as `PROPTEST_CASES` wants for a longer run; nothing is written beside the sources.
pub(crate) fn cases(count: u32) -> Config {
    let wanted = Config::default();
    let cases = if wanted.cases == 256 {
        count
    } else {
        wanted.cases
    };
    Config {
        cases,
        failure_persistence: None,
        max_shrink_iters: 64,
        ..wanted
    }
}
