//! `--shard`: a run divided among machines makes what one run makes, each node once.

use std::collections::BTreeSet;

use super::{Protocol, World, flat, regenerate};
use crate::review::workflow::steps;
use crate::support::{Repo, Sandbox};

const WORKFLOW: &str = include_str!("../../../docs/ci/github-shards.yml");

/// Directories of two levels, with a file that stands in two places.
fn wide() -> String {
    let mut fixture = "commit first\n".to_owned();
    for number in 0..24 {
        let text = format!(
            "+ d{}/e{}/f{number}.rs = //! Part {number}.\n",
            number % 3,
            number % 5
        );
        fixture.push_str(&text);
    }
    fixture + "+ a/same.rs = //! The same.\n+ b/same.rs = //! The same.\n"
}

/// The names and contents of a store, whatever its history is.
fn store(repo: &Repo<'_>) -> String {
    repo.id("refs/merkle/frames^{tree}")
}

#[test]
fn the_steps_of_the_workflow_make_the_store_of_one_run() {
    let sandbox = Sandbox::new();
    let alone = sandbox.repo("alone");
    alone.fill(&wide());
    alone.merkle(&["regenerate"]).ok();
    let origin = sandbox.bare("origin.git");
    let url = origin.path(".").to_string_lossy().into_owned();
    alone
        .git(&["push", "-q", &url, "HEAD:refs/heads/main"])
        .ok();

    let all = steps(WORKFLOW);
    let (files, directories) = all.split_at(3);
    let names: Vec<&str> = all.iter().map(|step| step.0.as_str()).collect();
    assert_eq!(
        names,
        [
            "install",
            "make a share",
            "push a share",
            "install again",
            "make directories",
            "push directories"
        ]
    );
    let run = |name: &str, shard: &str, steps: &[(String, String)]| {
        let clone = sandbox.path(name);
        let clone_text = clone.to_string_lossy().into_owned();
        alone
            .git(&["clone", "-q", "-b", "main", &url, &clone_text])
            .ok();
        for (name, script) in steps {
            let run = sandbox.run("sh", &clone).args(["-e", "-c", script]);
            let done = run
                .env("SHARE", "merkle.share=all")
                .env("SHARD", shard)
                .run();
            assert_eq!(done.code, Some(0), "{name}: {}", done.err());
        }
        clone
    };
    std::thread::scope(|scope| {
        for number in 1..=4 {
            scope.spawn(move || {
                run(
                    &format!("home/clone{number}"),
                    &format!("{number}/4"),
                    files,
                )
            });
        }
    });
    assert_ne!(store(&origin), store(&alone), "directories are missing");
    let last = run("home/last", "", directories);
    let last = Repo::at(&sandbox, last);
    assert_eq!(store(&last), store(&alone));
    assert_eq!(store(&origin), store(&alone));
    last.assert_sound();
}

#[test]
fn four_clones_ask_a_model_for_the_nodes_that_one_run_asks_for() {
    let one = World::steady(Protocol::OpenAi);
    let whole = one.repo(&flat(12));
    regenerate(&whole, &[]).ok();
    let nodes = |repo: &Repo<'_>| -> BTreeSet<String> {
        let name = |frame: &String| frame.split('/').next().unwrap_or_default().to_owned();
        repo.frames().iter().map(name).collect()
    };

    let many = World::steady(Protocol::OpenAi);
    let source = many.repo(&flat(12));
    let origin = many.sandbox.bare("origin.git");
    let url = origin.path(".").to_string_lossy().into_owned();
    source
        .git(&["push", "-q", &url, "HEAD:refs/heads/main"])
        .ok();
    let clone = |name: &str| {
        let path = many.sandbox.path(name);
        let text = path.to_string_lossy().into_owned();
        source.git(&["clone", "-q", "-b", "main", &url, &text]).ok();
        Repo::at(&many.sandbox, path)
    };
    let mut asked = 0;
    for number in 1..=4 {
        let (clone, shard) = (clone(&format!("clone{number}")), format!("{number}/4"));
        let dry = regenerate(&clone, &["--shard", &shard, "--dry-run"]);
        assert_eq!(many.server.posts().len(), asked, "{dry}");
        regenerate(&clone, &["--shard", &shard]).ok();
        let now = many.server.posts().len();
        assert!(now > asked && now <= 12, "{shard}: {now}");
        asked = now;
        // Once more: nothing is left in this share.
        regenerate(&clone, &["--shard", &shard]).ok();
        assert_eq!(many.server.posts().len(), asked);
        clone.merkle(&["push"]).ok();
    }
    assert_eq!(asked, 12, "files only");
    let last = clone("last");
    last.merkle(&["sync"]).ok();
    regenerate(&last, &[]).ok();
    assert_eq!(many.server.posts().len(), one.server.posts().len());
    assert_eq!(nodes(&last), nodes(&whole));
    last.merkle(&["push"]).ok();
    assert_eq!(nodes(&origin), nodes(&whole));
}

#[test]
fn a_share_that_does_not_exist_is_refused() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(&wide());
    for shard in [
        "0/4", "5/4", "4", "1/0", "1/1001", "-1/4", "x/y", "1/4/2", "",
    ] {
        let refused = repo
            .merkle(&["regenerate", &format!("--shard={shard}")])
            .exits(129);
        assert!(
            refused.err().contains("expected <i>/<n>, such as 1/4"),
            "{shard}: {refused}"
        );
    }
    let refused = repo.merkle(&["regenerate", "--shard", "1/1", "--outdated"]);
    assert_eq!(refused.code, Some(129), "{refused}");
    // One share is all files.
    let whole = repo.merkle(&["regenerate", "--shard", "1/1"]).ok();
    assert!(whole.contains("(25 files, 0 directories)"), "{whole}");
}
