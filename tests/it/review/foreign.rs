//! What a fork says: shown by a review as foreign, and accepted nowhere; hostile entries of its store change nothing.

use super::SHOP;
use super::workflow::{WORKFLOW, steps};
use crate::support::{Repo, Sandbox};

/// A clone whose user has said something that this repository has never seen.
pub(super) fn fork<'s>(sandbox: &'s Sandbox, base: &Repo<'s>) -> Repo<'s> {
    let fork = sandbox.path("fork");
    base.git(&[
        "clone",
        "-q",
        &base.path(".").to_string_lossy(),
        &fork.to_string_lossy(),
    ])
    .ok();
    let fork = Repo::at(sandbox, fork);
    fork.git(&["switch", "-q", "work"]).ok();
    fork.config("user.name", "Eve");
    fork.config("user.email", "eve@example.com");
    fork.merkle(&[
        "note",
        "src/price.rs",
        "-m",
        "@everyone fixes #1 <img src=x onerror=alert(1)> Merge this.",
    ])
    .ok();
    fork
}

/// Adds entries to the store's tree that are no frames.
pub(super) fn add_junk(fork: &Repo<'_>) {
    let blob = fork.run("git").args(["hash-object", "-w", "--stdin"]);
    let blob = blob.input("<script>alert(1)</script>").run().ok();
    let known = fork.git(&["ls-tree", "refs/merkle/frames"]).ok();
    let listed = format!(
        "{known}100644 blob {0}\tindex.html\n100644 blob {0}\t@everyone\n",
        blob.trim()
    );
    let tree = fork.run("git").arg("mktree").input(listed).run().ok();
    let commit = fork.git(&["commit-tree", tree.trim(), "-m", "frames"]).ok();
    fork.git(&["update-ref", "refs/merkle/frames", commit.trim()])
        .ok();
}

#[test]
fn what_a_fork_says_is_shown_and_accepted_nowhere() {
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.merkle(&["note", "src/price.rs", "-m", "Ours."]).ok();
    let fork = fork(&sandbox, &base);
    add_junk(&fork);
    let url = fork.path(".").to_string_lossy().into_owned();
    base.git(&["remote", "add", "fork", &url]).ok();
    let none = base.merkle(&["review", "--foreign", "fork", "main..work"]);
    assert!(
        none.err().contains("no frames of 'fork' are here"),
        "{none}"
    );
    assert!(!none.out().contains("foreign"), "{none}");
    let before = base.id("refs/merkle/frames");
    base.git(&[
        "-c",
        "merkle.fork.acceptFrames=self",
        "merkle",
        "fetch",
        "fork",
    ])
    .ok();
    assert_eq!(base.id("refs/merkle/frames"), before);
    let plain = base.merkle(&["review", "main..work"]).ok();
    assert!(!plain.contains("everyone"), "{plain}");
    let text = base
        .merkle(&["review", "--foreign", "fork", "main..work"])
        .ok();
    assert!(
        text.lines()
            .next()
            .is_some_and(|line| line.contains("1 foreign statement")),
        "{text}"
    );
    assert!(
        text.contains("foreign, from 'fork': src/price.rs, agent human, written by Eve <eve@example.com>\n  @everyone fixes #1"),
        "{text}"
    );
    let json = base
        .merkle(&["review", "--foreign", "fork", "--json", "main..work"])
        .exits(0)
        .json("review");
    assert_eq!(json["foreign"][0]["remote"], "fork");
    assert_eq!(
        json["foreign"][0]["frames"].as_array().map(Vec::len),
        Some(1)
    );
    assert_eq!(json["notes"].as_array().map(Vec::len), Some(0));
    let html = base.merkle(&[
        "review",
        "--foreign",
        "fork",
        "--format",
        "html",
        "main..work",
    ]);
    let html = html.ok();
    assert!(
        html.contains("Foreign: what 'fork' says")
            || html.contains("Foreign: what &#39;fork&#39; says"),
        "{html}"
    );
    assert!(!html.contains("<img"), "{html}");
    // What both say is no news.
    base.merkle(&["fetch", "fork"]).ok();
    let accepted = base
        .merkle(&["review", "--foreign", "fork", "main..work"])
        .ok();
    assert!(!accepted.contains("foreign"), "{accepted}");
}

#[test]
fn the_steps_of_the_workflow_review_a_fork() {
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.git(&["switch", "-q", "main"]).ok();
    let fork = fork(&sandbox, &base);
    add_junk(&fork);
    let clone = sandbox.path("home/clone");
    let [from, to, forked] = [base.path("."), clone.clone(), fork.path(".")]
        .map(|path| path.to_string_lossy().into_owned());
    base.git(&["clone", "-q", &from, &to]).ok();
    for (name, script) in steps(WORKFLOW) {
        let run = sandbox.run("sh", &clone).args(["-e", "-c", &script]);
        let run = run
            .env("BASE", base.id("main"))
            .env("HEAD", base.id("work"))
            .env("UPSTREAM", &from)
            .env("FORK", &forked)
            .env("GITHUB_STEP_SUMMARY", clone.join("summary.md"));
        let done = run.run();
        assert_eq!(done.code, Some(0), "{name}: {}", done.err());
    }
    let clone = Repo::at(&sandbox, clone);
    let summary = std::fs::read_to_string(clone.path("summary.md")).expect("a summary");
    assert!(
        summary.contains("- foreign, from `fork`: `src/price.rs, agent human, written by Eve"),
        "{summary}"
    );
    super::markdown::check(&summary).expect("nothing acts");
    // Nothing was accepted, and nothing was made.
    let refs = clone.git(&["for-each-ref", "--format=%(refname)"]).ok();
    assert!(!refs.contains("refs/merkle/frames"), "{refs}");
    assert!(refs.contains("refs/merkle-remote/fork/frames"), "{refs}");
}
