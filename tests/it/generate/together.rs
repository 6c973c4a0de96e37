//! Several nodes in one run: one queue, one estimate, one budget, one report, and each node once.

use std::time::Duration;

use super::{Protocol, SMALL, World, about, command, flat, head, regenerate};
use crate::support::loopback::{Loopback, Scripted};

/// A server that takes its time, so that what could be sent at once is.
fn slow() -> World {
    World::new(
        Protocol::OpenAi,
        Loopback::start(|request| {
            Scripted::answer(about(request)).after(Duration::from_millis(400))
        }),
    )
}

/// Before, each of two runs asked for everything, and both were paid.
#[test]
fn two_runs_at_once_pay_once() {
    let world = slow();
    let repo = world.repo(&flat(10));
    let told: Vec<_> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..3)
            .map(|_| scope.spawn(|| regenerate(&repo, &[])))
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("it ends"))
            .collect()
    });
    let count = |words: &str| {
        told.iter()
            .filter(|told| told.err().contains(words))
            .count()
    };
    assert_eq!(
        count("another run of agent 'docs' is at work here; waiting"),
        2,
        "{}",
        told[0]
    );
    assert!(told.iter().all(|told| told.code == Some(0)));
    // Ten files and their directory.
    assert_eq!(world.server.posts().len(), 11);
}

/// Before, the nodes were worked off one after another, and 4 calls were reported as 1 + 2 + 3 + 4.
#[test]
fn nodes_are_asked_about_at_once_and_their_calls_are_counted_once() {
    let world = slow();
    let repo = world.repo(&flat(6));
    let nodes = ["f00.rs", "f01.rs", "f02.rs", "f03.rs"];
    let done = regenerate(
        &repo,
        &[&nodes[..], &["--json", "--concurrency", "4"]].concat(),
    )
    .exits(0)
    .json("regenerate");
    assert_eq!(world.server.in_flight_max(), 4);
    assert_eq!(
        (
            &done["model"]["calls"],
            &done["made_files"],
            &done["visited"]
        ),
        (&4.into(), &4.into(), &4.into())
    );
    assert_eq!(
        (
            done["model"]["input_tokens"].as_u64(),
            world.server.posts().len()
        ),
        (Some(400), 4)
    );
    let text = regenerate(&repo, &["f04.rs", "f05.rs", "f00.rs"]).ok();
    assert!(
        text.contains("made 2 frames (2 files, 0 directories), 1 fresh"),
        "{text}"
    );
    assert!(
        text.contains("asked m (test-large): 2 calls, 200 tokens in"),
        "{text}"
    );
    assert_eq!(
        repo.merkle(&["status", "--last", "--json"])
            .exits(0)
            .json("regenerate")["model"]["calls"],
        2
    );
}

#[test]
fn what_two_of_the_nodes_hold_is_made_once() {
    let world = slow();
    let repo = world.repo(SMALL);
    let nodes = [
        "src/lib.rs",
        "src",
        "README.md",
        ".",
        "src/lib.rs",
        "HEAD:src/one.rs",
    ];
    let plan = command(
        &repo,
        &["regenerate", "--agent", "docs", "--dry-run", "--json"],
    )
    .args(nodes)
    .run()
    .exits(0)
    .json("plan");
    assert_eq!(
        (&plan["calls"], plan["tasks"].as_array().map(Vec::len)),
        (&5.into(), Some(5))
    );
    let done = regenerate(&repo, &[&nodes[..], &["--json"]].concat())
        .exits(0)
        .json("regenerate");
    assert_eq!(
        (&done["model"]["calls"], &done["made_directories"]),
        (&5.into(), &2.into())
    );
    assert_eq!(
        (world.server.posts().len(), world.server.in_flight_max()),
        (5, 3),
        "the files at once"
    );
    for (node, path) in [
        ("src/lib.rs", "src/lib.rs"),
        ("src", "src"),
        ("README.md", "README.md"),
    ] {
        assert_eq!(head(&repo, node), format!("about {path}\n"));
    }
    assert!(regenerate(&repo, &nodes).ok().starts_with("nothing to do"));
    assert!(
        regenerate(&repo, &[]).ok().starts_with("nothing to do"),
        "the root was among them"
    );
}

#[test]
fn a_budget_and_an_agreement_are_for_all_of_them() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(&flat(5));
    let nodes = ["f00.rs", "f01.rs", "f02.rs"];
    // One request at a time: with several, which two nodes the budget lets through is a matter of chance.
    let limits = ["--max-calls", "2", "--concurrency", "1"];
    let stopped = regenerate(&repo, &[&nodes[..], &limits].concat()).exits(79);
    assert!(stopped.err().contains("1 frame is left"), "{stopped}");
    assert_eq!(world.server.posts().len(), 2);
    world.set("merkle.confirmAbove", "0");
    let refused = command(&repo, &["regenerate", "--agent", "docs"])
        .args(["f02.rs", "f03.rs", "f04.rs"])
        .run()
        .exits(79);
    assert!(refused.err().contains("about 3 calls"), "{refused}");
    assert_eq!(world.server.posts().len(), 2);
}

#[test]
fn places_keep_their_paths_rules_and_revisions() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(
        "commit first\n+ src/.teddyignore = sub/hidden.rs\n+ src/sub/hidden.rs = pub fn h() {}\n+ src/sub/seen.py = def s(): pass\n+ docs/a.md = # A\ncommit second\n+ docs/a.md = # B",
    );
    let nodes = ["src/sub", "docs", "HEAD~1:docs/a.md"];
    let done = repo
        .run(crate::support::PROGRAM)
        .args(["regenerate", "--json"])
        .args(nodes)
        .run()
        .exits(0)
        .json("regenerate");
    assert_eq!(
        (
            &done["made_files"],
            &done["made_directories"],
            &done["visited"]
        ),
        (&3.into(), &2.into(), &5.into())
    );
    assert!(
        repo.merkle(&["show", "src/sub/seen.py"])
            .ok()
            .contains("Python source")
    );
    assert!(
        repo.merkle(&["show", "src/sub"])
            .ok()
            .starts_with(|c: char| c.is_ascii_hexdigit())
    );
    let made_at = |node: &str| {
        repo.merkle(&["get-head", "--json", node])
            .exits(0)
            .json("get-head")["made_at"]
            .clone()
    };
    assert_eq!(
        (made_at("src/sub/seen.py"), made_at("docs")),
        ("src/sub/seen.py".into(), "docs".into())
    );
    let _ = repo.merkle(&["show", "src/sub/hidden.rs"]).exits(1);
    // With a model: the path of a nested node is whole in every event.
    let lines = command(
        &repo,
        &["regenerate", "--agent", "docs", "--yes", "--json-lines"],
    )
    .args(nodes)
    .run()
    .ok();
    let lines: Vec<serde_json::Value> = lines
        .lines()
        .map(|line| serde_json::from_str(line).expect("JSON"))
        .collect();
    let mut made: Vec<&str> = lines
        .iter()
        .filter(|line| line["event"] == "made")
        .filter_map(|line| line["path"].as_str())
        .collect();
    made.sort_unstable();
    assert_eq!(
        made,
        [
            "docs",
            "docs/a.md",
            "docs/a.md",
            "src/sub",
            "src/sub/seen.py"
        ]
    );
    assert!(
        lines
            .iter()
            .filter(|line| line["path"].is_string())
            .all(|line| line["agent"] == "docs" && line["type"] == "summary")
    );
}
