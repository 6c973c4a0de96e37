//! Every way in which a provider fails, on both protocols: what the user is told, what is asked again, what is stored.

use std::time::Duration;

use super::{PROTOCOLS, Protocol, World, about, flat, head, path_of, regenerate};
use crate::support::loopback::{Loopback, Recorded, Scripted};

/// What a failure leads to.
struct Case {
    name: &'static str,
    outcome: fn() -> Scripted,
    /// Requests that the one file gets before it is given up.
    attempts: usize,
    exit: i32,
    /// Part of what the user is told.
    told: &'static str,
}

const fn case(
    name: &'static str,
    outcome: fn() -> Scripted,
    attempts: usize,
    exit: i32,
    told: &'static str,
) -> Case {
    Case {
        name,
        outcome,
        attempts,
        exit,
        told,
    }
}

/// Failures that end with the node, or with the run, at once.
const LASTING: [Case; 13] = [
    case("html", Scripted::html, 1, 3, "not understood"),
    case("broken json", Scripted::broken_json, 1, 3, "not understood"),
    case("other json", Scripted::other_json, 1, 3, "not understood"),
    case("empty answer", Scripted::empty, 1, 3, "not understood"),
    case("cut stream", Scripted::cut, 2, 3, "breaks off"),
    case("head only", Scripted::head_only, 2, 3, "breaks off"),
    case("ended early", Scripted::ended_early, 2, 3, "breaks off"),
    case("error event", Scripted::error_event, 1, 3, ""),
    case("refusal", Scripted::refusal, 1, 3, "refuses to answer"),
    case(
        "cut at limit",
        || Scripted::cut_at_limit("half"),
        1,
        3,
        "limit of 2048 output tokens",
    ),
    case(
        "context",
        Scripted::context_too_long,
        1,
        3,
        "too long for the model",
    ),
    case("model", Scripted::model_not_found, 1, 69, "has no model"),
    case("key", Scripted::unauthorized, 1, 69, "refuses the key"),
];

#[test]
fn an_answer_that_is_no_frame_costs_no_other_node_its_own() {
    let long = |request: &Recorded| {
        let path = path_of(request);
        Scripted::answer(if path == "f01.rs" {
            "x".repeat(300_000)
        } else {
            format!("about {path}")
        })
    };
    let world = World::new(Protocol::OpenAi, Loopback::start(long));
    let repo = world.repo(&flat(4));
    let run = regenerate(&repo, &[]).exits(3);
    assert!(
        run.err()
            .contains("'f01.rs': frame body of 300001 bytes is over the limit"),
        "{run}"
    );
    assert_eq!(repo.frames().len(), 3, "{run}");
}

#[test]
fn a_failure_stores_nothing_and_the_head_stays_what_it_was() {
    for protocol in PROTOCOLS {
        for case in LASTING {
            let name = format!("{} by {protocol:?}", case.name);
            let world = World::new(protocol, Loopback::answering(about));
            let repo = world.repo("commit one\n+ a.md = # A");
            regenerate(&repo, &["a.md"]).ok();
            let before = (head(&repo, "a.md"), repo.frames());
            let outcome = case.outcome;
            let failing = Loopback::start(move |_| outcome());
            world.provider("m", protocol, &failing.endpoint());
            let run = regenerate(&repo, &["a.md", "--force"]);
            assert_eq!(run.code, Some(case.exit), "{name}\n{run}");
            assert!(run.err().contains(case.told), "{name}\n{run}");
            assert!(!run.err().contains(&super::key()), "{name}\n{run}");
            assert_eq!(failing.posts().len(), case.attempts, "{name}\n{run}");
            assert_eq!((head(&repo, "a.md"), repo.frames()), before, "{name}");
            assert_eq!(repo.leftovers(), [] as [&str; 0], "{name}");
        }
    }
}

#[test]
fn failures_that_pass_are_tried_again() {
    let passing = || {
        [
            ("429", Scripted::rate_limited(Some("0"))),
            ("500", Scripted::unavailable(500)),
            ("503", Scripted::unavailable(503)),
            ("529", Scripted::unavailable(529)),
            ("nothing for two seconds", Scripted::hang()),
        ]
    };
    for protocol in PROTOCOLS {
        for (name, outcome) in passing() {
            let world = World::new(protocol, Loopback::playing([outcome]));
            let repo = world.repo("commit one\n+ a.md = # A");
            let done = regenerate(&repo, &["a.md", "--json"])
                .exits(0)
                .json("regenerate");
            assert_eq!(
                (world.server.posts().len(), &done["model"]["retries"]),
                (2, &1.into()),
                "{name} by {protocol:?}"
            );
            assert_eq!(repo.frames().len(), 1);
        }
    }
}

#[test]
fn retry_after_is_waited_for() {
    for protocol in PROTOCOLS {
        let world = World::new(
            protocol,
            Loopback::playing([Scripted::rate_limited(Some("2"))]),
        );
        let repo = world.repo("commit one\n+ a.md = # A");
        let lines = regenerate(&repo, &["a.md", "--json-lines"]).ok();
        let retried = lines
            .lines()
            .find(|line| line.contains("\"retried\""))
            .expect("told about");
        let pause: serde_json::Value = serde_json::from_str(retried).expect("JSON");
        assert!(
            pause["pause_ms"]
                .as_u64()
                .is_some_and(|pause| pause >= 2_000),
            "{retried}"
        );
    }
}

#[test]
fn one_bad_node_holds_back_what_is_above_and_nothing_else() {
    let server = Loopback::start(|request| {
        if path_of(request) == "bad/x.rs" {
            Scripted::refusal()
        } else {
            Scripted::answer(about(request))
        }
    });
    let world = World::new(Protocol::OpenAi, server);
    let repo = world.repo("commit two\n+ bad/x.rs = pub fn x() {}\n+ bad/y.rs = pub fn y() {}\n+ good/z.rs = pub fn z() {}");
    let run = regenerate(&repo, &["--json"]).exits(3);
    let done = run.json("regenerate");
    assert_eq!(
        (
            &done["made_files"],
            &done["made_directories"],
            &done["held_back"]
        ),
        (&2.into(), &1.into(), &2.into())
    );
    assert_eq!(done["failed"][0]["path"], "bad/x.rs");
    assert!(run.err().contains("bad/x.rs"), "{run}");
}

#[test]
fn fail_fast_begins_nothing_after_the_first_failure() {
    let server = Loopback::start(|request| {
        if request.order == 0 {
            Scripted::refusal()
        } else {
            Scripted::answer("said").after(Duration::from_millis(50))
        }
    });
    let world = World::new(Protocol::OpenAi, server);
    let repo = world.repo(&flat(30));
    let run = regenerate(&repo, &["--fail-fast", "--concurrency", "2"]).exits(3);
    assert!(run.err().contains("are left"), "{run}");
    assert!(
        world.server.posts().len() <= 4,
        "{}",
        world.server.posts().len()
    );
}

#[test]
fn a_provider_that_stays_away_is_left_alone() {
    let world = World::new(
        Protocol::OpenAi,
        Loopback::start(|_| Scripted::unavailable(503).retry_after(Some("600"))),
    );
    let repo = world.repo(&flat(30));
    let run = regenerate(&repo, &["--concurrency", "1"]).exits(69);
    assert!(run.err().contains("unavailable"), "{run}");
    assert_eq!(
        world.server.posts().len(),
        3,
        "a wait of ten minutes is not waited for, and three in a row are enough"
    );
    assert_eq!(repo.frames().len(), 0);
}
