//! What a session may spend: nothing unasked, nothing twice, and limits over everything that is asked together.

use super::{FIXTURE, log, read, write};
use crate::generate::{Protocol, World, command};
use crate::support::loopback::{Loopback, Scripted};
use crate::support::{Output, Repo};

fn turn(repo: &Repo<'_>, arguments: &[&str]) -> Output {
    command(repo, &["turn"]).args(arguments).run()
}

/// A session with a first turn that nobody has answered.
fn begun(world: &World) -> Repo<'_> {
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    turn(&repo, &["new", "-m", "Free the lock."]).ok();
    repo
}

/// Answers like a model, and decides with these words.
fn deciding(words: &'static str) -> Loopback {
    Loopback::start(move |request| {
        Scripted::answer(if request.last_user().starts_with("Decide") {
            words
        } else {
            "WORK"
        })
    })
}

#[test]
fn a_dry_run_asks_nobody_to_decide() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: pass"));
    let repo = begun(&world);
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input("THE PLAN\n")
        .run()
        .ok();
    let dry = turn(&repo, &["run", "--approve-with", "m", "--dry-run"]).exits(0);
    assert!(
        dry.err().contains("this asks 'm' to decide: about ")
            && dry.err().contains("nothing was sent"),
        "{dry}"
    );
    assert_eq!(world.server.connections(), 0);
    assert_eq!(
        log(&repo),
        ["01 planning (iteration 1): waiting for approval"]
    );
}

#[test]
fn limits_of_a_run_are_for_all_its_calls_together() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: fail"));
    let repo = begun(&world);
    drop(
        turn(
            &repo,
            &[
                "run",
                "--approve-with",
                "m",
                "--retries",
                "9",
                "--max-calls",
                "3",
            ],
        )
        .exits(79),
    );
    assert_eq!(world.server.posts().len(), 3);
    world.set("merkle.maxCalls", "2");
    drop(turn(&repo, &["run", "--approve-with", "m", "--retries", "9"]).exits(79));
    assert_eq!(world.server.posts().len(), 5);
}

#[test]
fn limits_of_a_session_count_what_decisions_and_failures_took() {
    let world = World::new(Protocol::OpenAi, deciding("I cannot tell."));
    let repo = begun(&world);
    drop(turn(&repo, &["run", "--approve-with", "m"]).exits(75));
    assert!(
        read(&repo, "01/meta.yaml").contains("charged:\n  calls: 2\n  tokens: 240\n"),
        "{}",
        read(&repo, "01/meta.yaml")
    );
    let session = read(&repo, "session.yaml");
    write(
        &repo,
        "session.yaml",
        &session.replace("turns: 100", "turns: 100\n  tokens: 200"),
    );
    let full = turn(&repo, &["run", "--approve-with", "m"]).exits(79);
    assert!(full.err().contains("at its limit of 200 tokens"), "{full}");
    assert_eq!(world.server.posts().len(), 2);
    turn(&repo, &["approve"]).ok();
    assert!(
        read(&repo, "01/report.md").contains("- **Charged:** 2 calls, 240 tokens"),
        "{}",
        read(&repo, "01/report.md")
    );
}

#[test]
fn a_review_without_a_verdict_waits_for_a_person_whoever_decides() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: pass"));
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login", "--phase", "reviewing"])
        .ok();
    turn(&repo, &["new", "-m", "Free the lock."]).ok();
    drop(turn(&repo, &["run", "--approve-with", "m"]).exits(75));
    assert_eq!(world.server.posts().len(), 1);
    assert_eq!(
        log(&repo),
        ["01 reviewing (iteration 1): waiting for approval"]
    );
}

#[test]
fn an_answer_with_a_secret_is_not_sent_to_whoever_decides() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: pass"));
    let repo = begun(&world);
    let token = format!("{}_{}", "ghp", "A1b2C3d4E5f6G7h8I9j0K1l2M3n4O5p6Q7r8");
    repo.run("git-merkle")
        .args(["turn", "respond", "-"])
        .input(format!("Use {token}.\n"))
        .run()
        .ok();
    let refused = turn(&repo, &["run", "--approve-with", "m"]).exits(78);
    assert!(refused.err().contains("planning-response.md"), "{refused}");
    assert_eq!(world.server.connections(), 0);
}

#[test]
fn the_report_says_how_the_one_who_was_asked_was_asked() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: pass"));
    world.set("merkle.provider.me.kind", "manual");
    world.set("merkle.defaultProvider", "me");
    world.set("merkle.provider.m.outputTokens", "100");
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    turn(&repo, &["new", "-m", "Free the lock."]).ok();
    write(&repo, "01/planning-prompt.md", "Just say yes.\n");
    turn(&repo, &["run", "--provider", "m"]).ok();
    turn(&repo, &["approve"]).ok();
    let report = read(&repo, "01/report.md");
    assert!(
        report.contains("'planning-prompt.md' was edited and is sent as it stands"),
        "{report}"
    );
}

#[test]
fn standard_output_has_the_answer_and_nothing_else() {
    let world = World::new(
        Protocol::OpenAi,
        Loopback::start(|_| Scripted::answer("one\r\n\ttwo \u{1b}[1m\n")),
    );
    let repo = begun(&world);
    let plan = turn(&repo, &["run", "--dry-run", "--json"])
        .exits(0)
        .json("turn-plan");
    assert_eq!(
        (
            plan["provider"].as_str(),
            plan["output_tokens_max"].is_u64()
        ),
        (Some("m"), true)
    );
    let answered = turn(&repo, &["run"]).exits(0);
    assert_eq!(answered.out(), "one\r\n\ttwo \u{1b}[1m\n", "{answered}");
    assert!(
        answered.err().contains("turn 01 has an answer"),
        "{answered}"
    );
    assert_eq!(turn(&repo, &["show"]).ok(), "one\r\n\ttwo \u{1b}[1m\n");
}

#[test]
fn an_answer_that_cannot_be_kept_is_said() {
    let world = World::new(Protocol::OpenAi, deciding("verdict: pass"));
    let repo = begun(&world);
    let answers = repo.path(".git/merkle/answers");
    std::fs::write(&answers, "").expect("writable");
    let failed = turn(&repo, &["run"]).exits(74);
    assert!(
        failed.out().contains("WORK") && failed.err().contains("turn respond"),
        "{failed}"
    );
    assert!(read(&repo, "01/meta.yaml").contains("calls: 1"));
}
