//! Every kind of repository that git has: what is known in one is known in all, and each says what it cannot do.

use super::{Counts, assert_whole, nodes, regenerate, spoken_of, step, tasks};
use crate::support::{Repo, SAMPLE, Sandbox};

/// The tree of the store.
fn store_tree(repo: &Repo<'_>) -> String {
    repo.id("refs/merkle/frames^{tree}")
}

/// Brings the frames of a repository by plain git, whole.
fn fetch_frames(repo: &Repo<'_>, options: &[&str]) {
    let command = repo
        .run("git")
        .args(["fetch", "-q"])
        .args(options)
        .args(["origin", "refs/merkle/frames:refs/merkle/frames"]);
    command.run().ok();
}

fn filled(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(SAMPLE);
    repo.fill("commit second\n+ src/second.rs = pub fn second() {}");
    repo
}

#[test]
fn clones_that_never_met_say_the_same_bytes() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    step(&repo);
    for (name, options) in [
        ("clone", &[][..]),
        ("bare", &["--bare"]),
        ("shallow", &["--depth=1"]),
    ] {
        let clone = repo.clone_to(name, options);
        step(&clone);
        assert_eq!(store_tree(&clone), store_tree(&repo), "{name}");
        assert_whole(&clone);
    }
}

#[test]
fn fetched_frames_need_no_work_wherever_they_arrive() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    step(&repo);
    let shown = repo.merkle(&["show", "src/lib.rs", "src"]).ok();
    for (name, options) in [
        ("clone", &[][..]),
        ("bare", &["--bare"]),
        ("shallow", &["--depth=1"]),
    ] {
        let clone = repo.clone_to(name, options);
        fetch_frames(&clone, &[]);
        assert_eq!(
            regenerate(&clone, &[]),
            Counts {
                visited: 7,
                fresh: 7,
                ..Counts::default()
            },
            "{name}"
        );
        assert_eq!(
            clone.merkle(&["show", "src/lib.rs", "src"]).ok(),
            shown,
            "{name}"
        );
        assert_eq!(store_tree(&clone), store_tree(&repo));
    }
    let bare = Repo::at(&sandbox, sandbox.path("bare"));
    for options in [["scan", "--index"], ["status", "--worktree"]] {
        let refused = bare.merkle(&options).exits(128);
        assert_eq!(
            refused.err(),
            "error: a bare repository has no work tree\nhint: name a commit with --rev <rev>\n"
        );
    }
    assert_eq!(
        regenerate(&bare, &["--rev", "HEAD~1"]).made(),
        (0, 2, 0),
        "the older mixtures only"
    );
    assert_whole(&bare);
}

#[test]
fn work_trees_of_one_repository_share_frames() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    step(&repo);
    let linked = repo.worktree("linked", "HEAD");
    assert_eq!(regenerate(&linked, &[]), Counts::default());
    linked.fill("commit in the linked one\n+ linked.md = # Linked");
    assert_eq!(
        step(&linked).made(),
        (1, 1, 0),
        "on a detached HEAD, as `worktree add --detach` leaves it"
    );
    assert_eq!(linked.frames(), repo.frames());
    assert!(
        !linked.path(".git/merkle").exists() && !repo.path(".git/worktrees/linked/merkle").exists()
    );
    repo.git(&["switch", "-q", "--detach", &linked.id("HEAD")])
        .ok();
    assert_eq!(step(&repo).stored, 0);
    assert_whole(&linked);
    assert_whole(&repo);
}

#[test]
fn ids_of_both_hashes_work() {
    let sandbox = Sandbox::new();
    let repo = sandbox.sha256("work");
    repo.fill(SAMPLE);
    assert_eq!(step(&repo).made(), (3, 3, 0));
    assert!(spoken_of(&repo).iter().all(|id| id.len() == 64));
    repo.fill("commit second\n+ src/second.rs = pub fn second() {}");
    assert_eq!(step(&repo).made(), (1, 2, 0));
    repo.merkle(&["invalidate", "src"]).ok();
    assert_eq!(regenerate(&repo, &[]).made(), (0, 1, 0));
    assert_whole(&repo);
}

#[test]
fn a_partial_clone_is_never_made_to_fetch() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    repo.config("uploadpack.allowFilter", "true");
    step(&repo);
    let partial = repo.clone_to("partial", &["--filter=blob:none", "--no-checkout"]);
    let missing = |repo: &Repo<'_>| {
        let listing = repo
            .git(&["rev-list", "--objects", "--missing=print", "HEAD"])
            .ok();
        listing.lines().filter(|line| line.starts_with('?')).count()
    };
    let absent = missing(&partial);
    assert_eq!(absent, 5, "four files and a link");
    let output = partial.merkle(&["regenerate"]).exits(0);
    assert_eq!(output.out(), "made 3 frames (0 files, 3 directories)\n");
    let hint = output.err();
    let fetch = "git diff --shortstat 4b825dc642cb6eb9a060e54bf8d69288fbee4904 HEAD";
    assert!(
        hint.ends_with(&format!(
            "warning: the content of 4 files is missing in this clone; '{fetch}' brings it\n"
        )),
        "{hint}"
    );
    assert_eq!(
        hint.matches("': its content is missing in this clone")
            .count(),
        4,
        "{hint}"
    );
    assert_eq!(
        (regenerate(&partial, &[]).absent, missing(&partial)),
        (4, absent),
        "nothing was fetched"
    );
    // The hint is good, and then everything is as in a whole clone.
    partial
        .git(&fetch.split(' ').skip(1).collect::<Vec<_>>())
        .ok();
    assert_eq!(missing(&partial), 0);
    assert_eq!(regenerate(&partial, &[]).made(), (4, 3, 0));
    assert_eq!(tasks(&partial, &[]), [] as [&str; 0]);
    partial.merkle(&["validate"]).ok();
    // Not `assert_whole`: nobody can make a whole mirror of a clone that is not whole.
    partial.git(&["fsck", "--strict", "--no-progress"]).ok();
    // Frames that were fetched need no file at all.
    let other = repo.clone_to("other", &["--filter=blob:none", "--no-checkout"]);
    fetch_frames(&other, &["--no-filter"]);
    assert_eq!(
        regenerate(&other, &[]),
        Counts {
            visited: 7,
            fresh: 7,
            ..Counts::default()
        }
    );
    assert!(
        other
            .merkle(&["show", "src/lib.rs"])
            .ok()
            .contains("fresh src/lib.rs")
    );
    other.git(&["gc", "-q", "--prune=now"]).ok();
    other.merkle(&["validate"]).ok();
    assert_eq!(missing(&other), absent);
}

#[test]
fn a_sparse_checkout_is_whole() {
    let sandbox = Sandbox::new();
    let repo = filled(&sandbox);
    repo.git(&["sparse-checkout", "set", "docs"]).ok();
    assert!(!repo.path("src").exists());
    assert_eq!(step(&repo).made(), (4, 3, 0));
    let root = |option: &str| {
        repo.merkle(&["scan", "--json", option])
            .exits(0)
            .json("scan")["root"]
            .clone()
    };
    assert_eq!(
        root("--worktree"),
        repo.id("HEAD^{tree}"),
        "what is not checked out is not deleted"
    );
    assert_eq!(root("--index"), repo.id("HEAD^{tree}"));
    assert_whole(&repo);
}

#[test]
fn an_unborn_head_is_an_error_that_says_what_to_do() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    for command in [
        "scan",
        "status",
        "regenerate",
        "show",
        "log",
        "explain",
        "list-frames x",
        "get-head x",
        "synthesize .",
    ] {
        let output = repo
            .run(crate::support::PROGRAM)
            .args(command.split(' '))
            .run()
            .exits(128);
        assert_eq!(
            output.err(),
            "error: 'HEAD' has no commits yet\nhint: run 'git commit' first\n",
            "{command}"
        );
        assert_eq!(output.out(), "");
    }
    repo.merkle(&["validate"]).ok();
    repo.merkle(&["doctor"]).ok();
    assert_eq!(repo.git(&["for-each-ref"]).ok(), "", "asking makes nothing");
    // What is on disk, and any object by its id, can be spoken of before the first commit.
    std::fs::write(repo.path("x.md"), "# X\n").unwrap();
    assert_eq!(regenerate(&repo, &["--worktree"]).made(), (1, 1, 0));
    let blob = repo.id(repo.git(&["hash-object", "x.md"]).ok().trim());
    let note = repo
        .run(crate::support::PROGRAM)
        .args(["put-frame", &blob, "-"])
        .input("said early")
        .run()
        .ok();
    assert_eq!(
        repo.merkle(&["list-frames", &blob]).ok().lines().count(),
        2,
        "{note}"
    );
    repo.fill("commit first");
    assert_eq!(
        tasks(&repo, &[]),
        [] as [&str; 0],
        "the commit of it needs nothing"
    );
    assert_eq!(nodes(&repo, "HEAD").len(), 2);
    assert_whole(&repo);
}
