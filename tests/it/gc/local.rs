//! What goes from a clone's own store.

use super::{HISTORY, NOWHERE, answer, is_well, note, said};
use crate::support::{PROGRAM, Repo, Sandbox};

fn gc(repo: &Repo<'_>, options: &[&str]) -> serde_json::Value {
    repo.run(PROGRAM)
        .args(["gc", "--json"])
        .args(options)
        .run()
        .exits(0)
        .json("gc")
}

fn counts(document: &serde_json::Value) -> [u64; 5] {
    [
        "derived",
        "superseded",
        "unreached",
        "kept_unpushed",
        "kept_held",
    ]
    .map(|key| document[key].as_u64().expect("a number"))
}

/// The small form of the replay of 300 commits in the benchmarks.
#[test]
fn the_store_is_then_the_one_that_a_single_run_would_have_made() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    for round in 0..24 {
        repo.fill(&format!(
            "commit {round}\n+ src/a{}.rs = pub fn a{round}() {{}}\n+ d{}/b.md = text {round}\n+ README.md = A garden.",
            round % 5,
            round % 3
        ));
        repo.merkle(&["regenerate", "-q"]).ok();
    }
    let before = repo.frames().len();
    let objects = |repo: &Repo<'_>| {
        repo.git(&["rev-list", "--objects", "refs/merkle/frames"])
            .ok()
            .lines()
            .count()
    };
    let many = objects(&repo);
    let kept = repo.frames().len() as u64 - gc(&repo, &[])["dropped"].as_u64().expect("a number");
    assert_eq!((before > 100, repo.frames().len() as u64), (true, kept));
    let once = repo.clone_to("once", &[]);
    once.merkle(&["regenerate", "-q"]).ok();
    assert_eq!(
        repo.id("refs/merkle/frames^{tree}"),
        once.id("refs/merkle/frames^{tree}")
    );
    assert_eq!(
        objects(&repo),
        objects(&once),
        "no history of what went is left"
    );
    assert!(many > 5 * objects(&repo), "{many} and {}", objects(&repo));
    is_well(&repo);
    assert_eq!(gc(&repo, &[])["dropped"], 0, "nothing more goes");
    assert_eq!(
        repo.merkle(&["regenerate"]).ok().trim(),
        "nothing to do: every node of HEAD is fresh"
    );
}

#[test]
fn what_people_said_and_what_was_paid_for_stays() {
    let sandbox = Sandbox::new();
    for repo in [
        sandbox.repo("work"),
        sandbox.sha256("sha256"),
        sandbox.init("reftable", &["--ref-format=reftable"]),
    ] {
        repo.fill(HISTORY);
        note(&repo, "README.md", "Old note.");
        let old = repo.id("HEAD:README.md");
        answer(&repo, &old, "About the old content.");
        let nowhere = &format!("{NOWHERE}{NOWHERE}")[..old.len()];
        for round in 0..4 {
            answer(&repo, nowhere, &format!("Gone {round}."));
        }
        repo.fill("commit second\n+ README.md = Another garden.");
        let new = repo.id("HEAD:README.md");
        for round in 0..4 {
            answer(&repo, &new, &format!("Generation {round}."));
        }
        note(&repo, "README.md", "New note.");
        repo.merkle(&["retract", "README.md"]).ok();
        let all = said(&repo);
        assert_eq!(counts(&gc(&repo, &[])), [0, 0, 0, 6, 0]);
        assert_eq!(said(&repo), all, "what was paid for is nowhere else");
        assert_eq!(
            counts(&gc(&repo, &["--local", "--dry-run", "--keep=0"])),
            [0, 3, 4, 0, 0]
        );
        assert_eq!(counts(&gc(&repo, &["--local"])), [0, 2, 4, 0, 0]);
        let left = [
            "",
            "About the old content.",
            "Generation 2.",
            "Generation 3.",
            "New note.",
            "Old note.",
        ];
        assert_eq!(said(&repo), left, "the retraction is the one without words");
        is_well(&repo);
    }
}

#[test]
fn what_was_ended_stays_ended() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    note(&repo, "README.md", "Wrong.");
    repo.merkle(&["retract", "README.md"]).ok();
    repo.merkle(&["regenerate", "-q"]).ok();
    repo.fill("commit second\n+ README.md = Another garden.");
    let shown = |repo: &Repo<'_>| {
        repo.merkle(&["show", "README.md", "--agent", "human"])
            .exits(1)
            .err()
    };
    let before = shown(&repo);
    gc(&repo, &["--local", "--keep=0"]);
    assert_eq!(shown(&repo), before);
    repo.git(&["checkout", "-q", "HEAD~1"]).ok();
    assert!(shown(&repo).contains("nothing is said"), "{}", shown(&repo));
}

#[test]
fn a_time_says_how_much_of_history_counts() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let date = |date: &str, fixture: &str| {
        repo.fill(fixture);
        let day = format!("{date}T00:00:00Z");
        repo.run("git")
            .args(["commit", "-q", "--amend", "--no-edit", "--date", &day])
            .env("GIT_COMMITTER_DATE", &day)
            .run()
            .ok();
    };
    date(
        "2026-01-01",
        "commit first\n+ README.md = One.\n+ other.md = Other.",
    );
    let (one, other) = (repo.id("HEAD:README.md"), repo.id("HEAD:other.md"));
    answer(&repo, &one, "About one.");
    answer(&repo, &other, "About another.");
    date("2026-03-01", "commit second\n+ README.md = Two.");
    date("2026-05-01", "commit third\n- other.md");
    assert_eq!(counts(&gc(&repo, &["--local"])), [0, 0, 0, 0, 0]);
    assert_eq!(
        counts(&gc(
            &repo,
            &["--local", "--dry-run", "--keep-since=2026-04-01"]
        )),
        [0, 0, 2, 0, 0]
    );
    // 'other.md' was there for the whole time of the second commit, though an older one brought it.
    assert_eq!(
        counts(&gc(&repo, &["--local", "--keep-since=2026-02-01"])),
        [0, 0, 1, 0, 0]
    );
    assert_eq!(said(&repo), ["About another."]);
    let refused = repo
        .merkle(&["gc", "--keep-since=yesteryear"])
        .exits(129)
        .err();
    assert!(
        refused.contains("neither a date such as 2026-11-23 nor an age such as 90d, 8w, 2y"),
        "{refused}"
    );
}

#[test]
fn what_stands_in_any_tip_index_or_work_tree_commit_stays() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.merkle(&["regenerate", "-q"]).ok();
    let first = repo.id("HEAD");
    for keep in ["branch", "tag", "worktree", "index", "nothing"] {
        let copy = repo.copy_to(&format!("with-{keep}"));
        match keep {
            "branch" | "tag" => drop(copy.git(&[keep, "kept", &first]).ok()),
            "worktree" => drop(copy.worktree("linked", &first)),
            _ => {}
        }
        copy.fill("commit second\n- README.md\n+ src/lib.rs = pub fn b() {}");
        copy.merkle(&["regenerate", "-q"]).ok();
        if keep == "index" {
            copy.git(&["read-tree", &first]).ok();
        }
        // Of the first commit's two files and two directories all, or none, but for those of the index alone.
        let gone = gc(&copy, &[])["derived"].as_u64().expect("a number");
        assert_eq!(gone, if keep == "nothing" { 4 } else { 0 }, "{keep}");
    }
}

#[test]
fn a_clone_that_lacks_history_or_files_is_refused() {
    let sandbox = Sandbox::new();
    let work = sandbox.filled(HISTORY);
    work.fill("commit second\n+ README.md = Another garden.");
    work.config("uploadpack.allowFilter", "true");
    for (name, option) in [("shallow", "--depth=1"), ("partial", "--filter=blob:none")] {
        let clone = work.clone_to(name, &[option]);
        note(&clone, "README.md", "Here.");
        let told = clone.merkle(&["gc"]).exits(65).err();
        assert!(
            told.starts_with(&format!(
                "error: a {name} clone does not know what its frames are about\nhint: "
            )),
            "{told}"
        );
        assert_eq!(said(&clone), ["Here."]);
    }
    assert_eq!(
        work.merkle(&["gc"]).ok(),
        "0 frames dropped\n",
        "nor is anything there to drop"
    );
}

#[test]
fn a_dry_run_changes_nothing_and_git_frees_what_went() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.config("core.logAllRefUpdates", "always");
    repo.merkle(&["regenerate", "-q"]).ok();
    let node = repo.id("HEAD:src/lib.rs");
    let gone = repo
        .frames()
        .into_iter()
        .find(|name| name.replace('/', "").starts_with(&node))
        .expect("an outline");
    let blob = repo.id(&format!("refs/merkle/frames:{gone}"));
    repo.fill("commit second\n+ src/lib.rs = pub fn b() {}");
    repo.merkle(&["regenerate", "-q"]).ok();
    let refs = |repo: &Repo<'_>| repo.git(&["for-each-ref"]).ok();
    let before = (refs(&repo), repo.git(&["count-objects", "-v"]).ok());
    let told = repo.merkle(&["gc", "--dry-run"]).ok();
    assert_eq!(
        (refs(&repo), repo.git(&["count-objects", "-v"]).ok()),
        before
    );
    let done = repo.merkle(&["gc"]);
    assert_eq!(done.out(), told.replace("would be dropped", "dropped"));
    assert!(
        done.err()
            .contains("git reflog expire --expire=now refs/merkle/frames"),
        "{done}"
    );
    repo.git(&["gc", "-q", "--prune=now"]).ok();
    is_well(&repo);
    assert!(
        repo.merkle(&["doctor"])
            .ok()
            .lines()
            .all(|line| !line.starts_with("lost")),
        "what was dropped is not lost"
    );
    repo.git(&["cat-file", "-e", &blob]).ok();
    repo.git(&["reflog", "expire", "--expire=now", "refs/merkle/frames"])
        .ok();
    repo.git(&["gc", "-q", "--prune=now"]).ok();
    assert_ne!(repo.git(&["cat-file", "-e", &blob]).code, Some(0), "freed");
    is_well(&repo);
}

#[test]
fn what_a_forced_fetch_threw_away_before_is_still_found_after() {
    let sandbox = Sandbox::new();
    let repo = sandbox.filled(HISTORY);
    repo.config("core.logAllRefUpdates", "always");
    repo.merkle(&["regenerate", "-q"]).ok();
    let old = repo.id("refs/merkle/frames");
    note(&repo, "README.md", "Thrown away.");
    repo.git(&["update-ref", "refs/merkle/frames", &old]).ok();
    repo.fill("commit second\n+ src/lib.rs = pub fn b() {}");
    assert_ne!(gc(&repo, &[])["dropped"], 0);
    let told = repo.merkle(&["doctor", "--fix"]).ok();
    assert!(told.contains("lost      fixed"), "{told}");
    assert!(said(&repo).contains(&"Thrown away.".to_owned()));
}
