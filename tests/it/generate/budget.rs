//! No budget is passed: by one run, by two at once, by runs after one another.

use git_merkle::chat::Usage;

use super::{AGENT, PROTOCOLS, Protocol, SMALL, World, command, flat, regenerate};
use crate::support::loopback::{Loopback, Recorded, Scripted, USAGE};

#[test]
fn a_run_stops_at_its_budget_and_the_next_goes_on_there() {
    for protocol in PROTOCOLS {
        let world = World::steady(protocol);
        let repo = world.repo(SMALL);
        // Before, a dry run told of five calls and of no limit.
        let planned = regenerate(&repo, &["--max-calls", "2", "--dry-run"]).exits(0);
        assert!(
            planned
                .err()
                .contains("the limit of 2 calls ends the run before that"),
            "{planned}"
        );
        let stopped = regenerate(&repo, &["--max-calls", "2"]).exits(79);
        assert!(
            stopped
                .err()
                .contains("the budget of 2 calls for this run does not cover the next call"),
            "{stopped}"
        );
        assert!(stopped.err().contains("3 frames are left"), "{stopped}");
        assert_eq!(world.server.posts().len(), 2);
        regenerate(&repo, &[]).ok();
        assert_eq!(
            world.server.posts().len(),
            5,
            "what was paid for is not asked again"
        );
    }
}

#[test]
fn money_and_tokens_are_limits_as_well() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(SMALL);
    assert!(
        regenerate(&repo, &["--max-cost", "0.000001"])
            .exits(79)
            .err()
            .contains("0.000001 USD")
    );
    assert!(
        regenerate(&repo, &["--max-tokens", "10"])
            .exits(79)
            .err()
            .contains("10 tokens")
    );
    assert_eq!(world.server.connections(), 0);
    let broke = regenerate(&repo, &["--max-cost", "1,5"]).exits(129);
    assert!(broke.err().contains("1.50"), "{broke}");
}

#[test]
fn attempts_that_are_turned_away_count_as_calls() {
    let picky = Loopback::start(|request| {
        if request.order.is_multiple_of(2) {
            Scripted::rate_limited(Some("0"))
        } else {
            Scripted::answer("said")
        }
    });
    let world = World::new(Protocol::OpenAi, picky);
    world.set("merkle.provider.m.concurrency", "1");
    let repo = world.repo(&flat(5));
    assert!(
        regenerate(&repo, &["--max-calls", "3"])
            .exits(79)
            .err()
            .contains("3 calls")
    );
    assert_eq!(world.server.posts().len(), 3);
    assert_eq!(repo.frames().len(), 1);
}

/// Before, a run against a server that was not there ended with the budget, and nothing said that there was no server.
#[test]
fn a_budget_that_failed_calls_have_used_up_hides_no_failure() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.provider.m.endpoint", "http://127.0.0.1:9/v1/");
    let repo = world.repo(SMALL);
    for limit in ["1", "3", "4"] {
        let run = regenerate(&repo, &["--max-calls", limit]).exits(69);
        assert!(run.err().contains("connection refused"), "{run}");
    }
    let once = Loopback::start(|request| {
        if request.order == 0 {
            Scripted::answer("said")
        } else {
            Scripted::unavailable(503)
        }
    });
    let world = World::new(Protocol::OpenAi, once);
    world.set("merkle.provider.m.concurrency", "1");
    let run = regenerate(&world.repo(SMALL), &["--max-calls", "2"]).exits(79);
    assert!(
        run.err().contains("the budget of 2 calls")
            && run.err().contains("the last one failed: provider 'm'")
            && run.err().contains("503"),
        "{run}"
    );
}

/// Before, a limit or a provider chose the only agent that asks a model, and the repository was sent to it.
#[test]
fn no_limit_and_no_provider_makes_a_run_ask_a_model() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(SMALL);
    for option in [
        &["--max-calls", "2"][..],
        &["--max-cost", "5"],
        &["--max-tokens", "100000"],
        &["--provider", "m"],
        &["--profile", "p"],
        &["--batch"],
    ] {
        let run = command(&repo, &["regenerate", "--yes"])
            .args(option)
            .run()
            .exits(78);
        let (option, err) = (option[0], run.err());
        assert!(
            err.contains(&format!(
                "agent 'outline' asks no model, so there is no '{option}'"
            )) && err.contains(&format!(
                "hint: git merkle regenerate --agent docs {option}"
            )),
            "{run}"
        );
    }
    assert_eq!(world.server.connections(), 0);
    repo.config("merkle.defaultAgent", "docs");
    command(&repo, &["regenerate", "--yes", "--max-calls", "9"])
        .run()
        .ok();
    assert_eq!(world.server.posts().len(), 5);
}

#[test]
fn an_answer_is_kept_when_it_cannot_be_booked() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    world.set("merkle.provider.m.concurrency", "1");
    let repo = world.repo(&flat(3));
    let ledger = repo.path(".git/merkle/ledger");
    let breaking = Loopback::start(move |_| {
        // It is there: the call was booked before it was sent.
        let _ = std::fs::remove_file(&ledger);
        let _ = std::fs::create_dir(&ledger);
        Scripted::answer("said")
    });
    world.provider("m", Protocol::OpenAi, &breaking.endpoint());
    let run = regenerate(&repo, &[]);
    assert!(run.err().contains("cannot write the ledger"), "{run}");
    assert_eq!(
        (breaking.posts().len(), repo.frames().len()),
        (1, 1),
        "nothing more is sent, and nothing is lost"
    );
}

#[test]
fn a_time_that_is_given_for_records_opens_no_other_month() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.budgetCalls", "2");
    let repo = world.repo(SMALL);
    for seconds in ["1000000000", "1100000000", "1900000000"] {
        let run = command(&repo, &["regenerate", "--agent", "docs", "--yes"])
            .env("SOURCE_DATE_EPOCH", seconds)
            .run()
            .exits(79);
        assert!(run.err().contains("2 calls a month"), "{run}");
    }
    assert_eq!(world.server.posts().len(), 2);
}

#[test]
fn two_processes_share_one_ledger() {
    let slow =
        Loopback::start(|_| Scripted::answer("said").after(std::time::Duration::from_millis(50)));
    let world = World::new(Protocol::OpenAi, slow);
    world.set("merkle.budgetCalls", "10");
    let repo = world.repo(&flat(30));
    let ends: Vec<i32> = std::thread::scope(|scope| {
        let runs: Vec<_> = (0..2)
            .map(|_| scope.spawn(|| regenerate(&repo, &[]).code.expect("an exit code")))
            .collect();
        runs.into_iter()
            .map(|run| run.join().expect("no panic"))
            .collect()
    });
    assert_eq!(ends, [79, 79]);
    assert_eq!(world.server.posts().len(), 10);
    assert!(
        regenerate(&repo, &[])
            .exits(79)
            .err()
            .contains("10 calls a month")
    );
    assert_eq!(world.server.posts().len(), 10);
}

#[test]
fn a_repository_may_tighten_a_budget_and_never_give_one() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.maxCalls", "3");
    let repo = world.repo(SMALL);
    repo.config("merkle.maxCalls", "100");
    let run = regenerate(&repo, &[]).exits(79);
    assert!(
        run.err().contains("merkle.maxcalls") && run.err().contains("is ignored"),
        "{run}"
    );
    assert_eq!(world.server.posts().len(), 3);
    repo.config("merkle.maxCalls", "0");
    assert!(regenerate(&repo, &[]).exits(79).err().contains("0 calls"));
    assert_eq!(world.server.posts().len(), 3);
}

#[test]
fn without_a_terminal_nothing_dear_is_sent_unasked() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.confirmAbove", "0");
    let repo = world.repo(SMALL);
    let refused = command(&repo, &["regenerate", "--agent", "docs"])
        .run()
        .exits(79);
    assert!(
        refused.err().contains("about 5 calls") && refused.err().contains("--max-cost"),
        "{refused}"
    );
    let plan = command(
        &repo,
        &["regenerate", "--agent", "docs", "--dry-run", "--json"],
    )
    .run()
    .exits(0)
    .json("plan");
    assert_eq!(
        (&plan["calls"], &plan["estimate"]["provider"]),
        (&5.into(), &"m".into())
    );
    assert!(plan["estimate"]["cost_usd"].is_number());
    assert_eq!(world.server.connections(), 0);
    world.set("merkle.budget", "5");
    command(&repo, &["regenerate", "--agent", "docs"])
        .run()
        .ok();
    assert_eq!(world.server.posts().len(), 5);
}

#[test]
fn what_was_not_asked_about_for_its_estimate_stays_below_it() {
    let long = Usage {
        output: 2_048,
        ..USAGE
    };
    let world = World::new(
        Protocol::OpenAi,
        Loopback::start(move |_| Scripted::answer("said").usage(long)),
    );
    world.set("merkle.provider.m.priceOutput", "100");
    let repo = world.repo(&flat(25));
    // Estimated at 0.92 USD, and the answers are six times as long.
    let run = command(&repo, &["regenerate", "--agent", "docs"])
        .run()
        .exits(79);
    assert!(
        run.err()
            .contains("1 USD that is spent without asking (merkle.confirmAbove)"),
        "{run}"
    );
    assert_eq!(world.server.posts().len(), 4, "0.2049 USD each");
}

#[test]
fn a_budget_in_money_needs_prices() {
    let world = World::steady(Protocol::OpenAi);
    world.set("merkle.provider.q.kind", "openai");
    world.set("merkle.provider.q.model", "some");
    world.set("merkle.provider.q.keyEnv", "TEST_API_KEY");
    let repo = world.repo(SMALL);
    let refused = regenerate(&repo, &["--provider", "q", "--max-cost", "1"]).exits(78);
    assert!(
        refused.err().contains("prices of provider 'q'"),
        "{refused}"
    );
}

/// Lock files, licences, vendored code: a run over everything sends none of it, and says what that saves.
#[test]
fn what_says_little_is_left_out_unless_it_is_named() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo(
        "commit one\n+ a.md = # A\n+ Cargo.lock = [[package]]\n+ LICENSE = MIT\n+ vendor/x.c = int x;",
    );
    let planned = regenerate(&repo, &["--dry-run"]).exits(0);
    assert!(
        planned.err().contains("without 3 files of about")
            && planned.err().contains("that the agent leaves out"),
        "{planned}"
    );
    regenerate(&repo, &[]).ok();
    let sent: Vec<String> = world.server.posts().iter().map(Recorded::text).collect();
    assert_eq!(sent.len(), 2, "the file and the root: {sent:?}");
    assert!(
        !sent.iter().any(|text| text.contains("[[package]]")),
        "{sent:?}"
    );
    let root = sent.last().expect("two");
    assert!(
        root.contains(
            "The file \"Cargo.lock\" is a lock file of 12 bytes; its content was not read."
        ),
        "{root}"
    );
    let explained = repo
        .merkle(&["explain", "LICENSE", "--agent", "docs"])
        .exits(1);
    assert!(
        explained
            .out()
            .contains("it is a licence: a run of 'docs' over its directory leaves it out"),
        "{explained}"
    );

    // Naming a file asks for it, and a pattern does.
    regenerate(&repo, &["LICENSE"]).ok();
    assert_eq!(world.server.posts().len(), 3);
    world.agent(&format!("{AGENT}include = ['*']\n"));
    regenerate(&repo, &[]).ok();
    let sent: Vec<String> = world.server.posts().iter().map(Recorded::text).collect();
    assert!(
        sent.iter().any(|text| text.contains("[[package]]")),
        "{sent:?}"
    );
}
