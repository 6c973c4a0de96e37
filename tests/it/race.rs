//! Many at once: writers, users of git, and strangers who move the ref without asking. Nobody loses anything.
//!
//! User commits and `git gc --prune=now` take turns on one thread: stock git itself can lose a commit that is being
//! made while everything unreachable is pruned. The program's writers take no turns with anybody.

use std::collections::BTreeSet;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::thread;

use git_merkle::base::NodeId;
use git_merkle::frame::merge;
use git_merkle::git::Batch;

use crate::support::{Repo, Sandbox};

const FRAMES_REF: &str = "refs/merkle/frames";
const WRITERS: usize = 8;
const FRAMES_EACH: usize = 25;

/// A repository with so many small Rust files in a few directories.
fn with_files(sandbox: &Sandbox, files: usize) -> Repo<'_> {
    let repo = sandbox.repo("work");
    let lines: Vec<String> = (0..files)
        .map(|n| {
            format!(
                "+ d{}/f{n}.rs = pub fn number_{n}() -> usize {{ {n} }}",
                n % 7
            )
        })
        .collect();
    repo.fill(&format!(
        "commit files\n+ shared.md = one\n{}",
        lines.join("\n")
    ));
    repo.config("gc.auto", "0");
    repo
}

/// Stores a text about a node as a hand-written frame; success is demanded, without a second try.
#[track_caller]
fn put(repo: &Repo<'_>, node: &str, text: &str) {
    repo.run("git")
        .args(["merkle", "put-frame", node, "-"])
        .input(text)
        .run()
        .ok();
}

/// What hand-written frames of a node say, oldest first.
#[track_caller]
fn notes(repo: &Repo<'_>, node: &str) -> Vec<String> {
    let listed = repo
        .merkle(&["list-frames", "--json", "--agent", "human", node])
        .ok();
    let listed: serde_json::Value = serde_json::from_str(&listed).expect("a JSON document");
    let frames = listed["frames"].as_array().expect("a list of frames");
    frames
        .iter()
        .map(|frame| frame["content"].as_str().expect("a text").to_owned())
        .collect()
}

/// Nobody finds a fault, and nobody has left anything behind.
#[track_caller]
fn assert_clean(repo: &Repo<'_>) {
    repo.merkle(&["validate"]).ok();
    assert_eq!(repo.leftovers(), [] as [&str; 0]);
    repo.assert_sound();
}

/// Runs writers, and beside them something else over and over, at least once, until they are done.
fn beside(writers: impl Fn(usize) + Sync, count: usize, other: impl Fn(usize) + Sync) {
    let running = AtomicUsize::new(count);
    thread::scope(|scope| {
        for who in 0..count {
            let (writers, running) = (&writers, &running);
            scope.spawn(move || {
                let done = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| writers(who)));
                running.fetch_sub(1, Ordering::SeqCst);
                done.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
            });
        }
        let mut round = 0;
        while running.load(Ordering::SeqCst) > 0 || round == 0 {
            other(round);
            round += 1;
        }
    });
}

#[test]
fn two_hundred_frames_of_eight_writers_are_all_there_after_gc_and_commits() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, WRITERS);
    let node = |who: usize, turn: usize| {
        if turn.is_multiple_of(2) {
            "shared.md".to_owned()
        } else {
            format!("d{}/f{who}.rs", who % 7)
        }
    };
    let text = |who: usize, turn: usize| format!("writer {who} says {turn}\n");
    beside(
        |who| (0..FRAMES_EACH).for_each(|turn| put(&repo, &node(who, turn), &text(who, turn))),
        WRITERS,
        |round| {
            repo.git(&[
                "commit",
                "-q",
                "--allow-empty",
                "-m",
                &format!("round {round}"),
            ])
            .ok();
            repo.git(&["status", "--porcelain"]).ok();
            repo.git(&["gc", "-q", "--prune=now"]).ok();
        },
    );
    let mut said = Vec::new();
    for node in (0..WRITERS)
        .map(|who| node(who, 1))
        .chain(["shared.md".to_owned()])
    {
        said.extend(notes(&repo, &node));
    }
    let wanted: BTreeSet<String> = (0..WRITERS)
        .flat_map(|who| (0..FRAMES_EACH).map(move |turn| text(who, turn)))
        .collect();
    assert_eq!(
        said.len(),
        WRITERS * FRAMES_EACH,
        "each statement is there once"
    );
    assert_eq!(said.into_iter().collect::<BTreeSet<_>>(), wanted);
    assert_eq!(repo.frames().len(), WRITERS * FRAMES_EACH);
    assert_clean(&repo);
}

#[test]
fn one_writers_statements_keep_their_order() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 1);
    let texts = |who: usize| (0..8).map(move |turn| format!("writer {who} says {turn}\n"));
    let looks = ["status", "list-frames"];
    beside(
        |who| texts(who).for_each(|text| put(&repo, "shared.md", &text)),
        3,
        // Readers store what they find in the spool; that must not put an older statement behind a newer one.
        |round| {
            drop(
                repo.merkle(&[
                    looks[round % 2],
                    if round.is_multiple_of(2) {
                        "-q"
                    } else {
                        "shared.md"
                    },
                ])
                .ok(),
            );
        },
    );
    let said = notes(&repo, "shared.md");
    for who in 0..3 {
        let of_one = said
            .iter()
            .filter(|text| text.starts_with(&format!("writer {who} ")));
        assert_eq!(
            of_one.cloned().collect::<Vec<_>>(),
            texts(who).collect::<Vec<_>>()
        );
    }
    assert_clean(&repo);
}

#[test]
fn two_runs_at_once_end_as_one() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 120);
    let alone = repo.copy_to("alone");
    alone.merkle(&["regenerate"]).ok();
    beside(
        |_| drop(repo.merkle(&["regenerate"]).ok()),
        2,
        |_| drop(repo.merkle(&["status"]).ok()),
    );
    assert_eq!(
        repo.id("refs/merkle/frames^{tree}"),
        alone.id("refs/merkle/frames^{tree}")
    );
    repo.merkle(&["status", "--exit-code"]).ok();
    assert_clean(&repo);
}

#[test]
fn a_run_beside_commits_sees_one_of_them_and_disturbs_none() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 80);
    beside(
        |_| (0..6).for_each(|_| drop(repo.merkle(&["regenerate"]).ok())),
        2,
        |round| {
            repo.fill(&format!("commit round {round}\n+ d1/new{round}.rs = fn new_{round}() {{}}\n+ shared.md = {round}"));
        },
    );
    repo.merkle(&["regenerate"]).ok();
    repo.merkle(&["status", "--exit-code"]).ok();
    assert_clean(&repo);
}

/// Statements are small batches, whose pack goes into the next; runs are large ones.
#[test]
fn statements_survive_repacking_and_pruning() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 3);
    let text = |who: usize, turn: usize| format!("writer {who} says {turn}\n");
    beside(
        |who| (0..20).for_each(|turn| put(&repo, "shared.md", &text(who, turn))),
        2,
        |_| {
            repo.git(&["repack", "-a", "-d", "-q"]).ok();
            repo.git(&["prune", "--expire=now"]).ok();
            repo.git(&["rev-list", "--objects", "--all", "--quiet"])
                .ok();
        },
    );
    let said: BTreeSet<String> = notes(&repo, "shared.md").into_iter().collect();
    assert_eq!(
        said,
        (0..2)
            .flat_map(|who| (0..20).map(move |turn| text(who, turn)))
            .collect()
    );
    let count = repo.git(&["count-objects", "-v"]).ok();
    let number = |name: &str| {
        count
            .lines()
            .find_map(|line| line.strip_prefix(name)?.trim().parse::<usize>().ok())
    };
    assert!(
        number("packs:").is_some_and(|packs| packs <= 4) && number("garbage:") == Some(0),
        "{count}"
    );
    assert_clean(&repo);
}

#[test]
fn runs_survive_repacking_packing_of_refs_and_pruning() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 80);
    beside(
        |_| (0..5).for_each(|_| drop(repo.merkle(&["regenerate", "--force"]).ok())),
        2,
        |_| {
            repo.git(&["repack", "-a", "-d", "-q"]).ok();
            repo.git(&["pack-refs", "--all"]).ok();
            repo.git(&["prune", "--expire=now"]).ok();
        },
    );
    repo.merkle(&["status", "--exit-code"]).ok();
    // Ten runs of 80 files, 7 directories, the root and `shared.md`; each of them said everything again.
    assert_eq!(repo.frames().len(), 10 * 89);
    assert_clean(&repo);
}

/// Unites the store with another commit the way a fetch from a stranger's program would: without the lock.
fn unite_without_lock(repo: &Repo<'_>, theirs: &NodeId) {
    let library = repo.library();
    loop {
        let ours: Option<NodeId> = library.find_ref(FRAMES_REF).expect("a readable ref");
        let tree = |commit: &NodeId| library.tree_of(commit).expect("a commit of frames");
        let mut batch = Batch::default();
        let (left, right) = (ours.as_ref().map(tree), Some(tree(theirs)));
        let united = merge::union(&library, left, right, &mut batch)
            .expect("readable trees")
            .expect("not empty");
        let held = library.write(&batch).expect("a disk with room");
        let mut commit =
            repo.run("git")
                .args(["commit-tree", "-m", "foreign", &united.to_string()]);
        for parent in ours.iter().chain([theirs]) {
            commit = commit.args(["-p", &parent.to_string()]);
        }
        let commit = commit.run().ok();
        let old = ours.map_or_else(|| "0".repeat(40), |id| id.to_string());
        let moved = repo
            .git(&["update-ref", FRAMES_REF, commit.trim(), &old])
            .code
            == Some(0);
        drop(held);
        if moved {
            return;
        }
    }
}

#[test]
fn a_stranger_who_moves_the_ref_without_the_lock_costs_nobody_a_frame() {
    let sandbox = Sandbox::new();
    let repo = with_files(&sandbox, 4);
    let stranger = repo.copy_to("stranger");
    let rounds = 12;
    let foreign: Vec<NodeId> = (0..rounds)
        .map(|round| {
            put(&stranger, "shared.md", &format!("stranger {round}\n"));
            stranger.id(FRAMES_REF).parse().expect("an id")
        })
        .collect();
    repo.run("git")
        .args(["fetch", "-q"])
        .arg(stranger.path(""))
        .arg("refs/merkle/frames:refs/foreign/frames")
        .run()
        .ok();
    let texts = |who: usize| (0..10).map(move |turn| format!("writer {who} says {turn}\n"));
    beside(
        |who| {
            if who == 0 {
                for theirs in &foreign {
                    unite_without_lock(&repo, theirs);
                }
            } else {
                texts(who).for_each(|text| put(&repo, "shared.md", &text));
            }
        },
        3,
        |_| drop(repo.merkle(&["status"]).ok()),
    );
    let said: BTreeSet<String> = notes(&repo, "shared.md").into_iter().collect();
    let theirs = (0..rounds).map(|round| format!("stranger {round}\n"));
    assert_eq!(said, texts(1).chain(texts(2)).chain(theirs).collect());
    assert_clean(&repo);
}
