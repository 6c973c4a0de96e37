//! Small servers as they are, without a setting: one thing at a time, small windows, no counts, odd answers.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::{Duration, Instant};

use git_merkle::chat::Usage;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::{Protocol, SMALL, World, about, command, flat, head, regenerate};
use crate::support::Repo;
use crate::support::loopback::{Loopback, Recorded, Scripted};

/// The files of answers that were kept though they are no frames.
fn kept(repo: &Repo<'_>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(repo.path(".git/merkle/log/refused")) else {
        return Vec::new();
    };
    entries
        .map(|entry| std::fs::read_to_string(entry.expect("an entry").path()).expect("a text"))
        .collect()
}

/// Three of four answers were "not understood", and nothing said why.
#[test]
fn a_server_that_does_one_thing_at_a_time_is_asked_one_thing_at_a_time() {
    let at_once = AtomicUsize::new(0);
    let server = Loopback::start(move |request| {
        let owed = at_once.fetch_add(1, Ordering::SeqCst) + 1;
        std::thread::sleep(Duration::from_millis(60));
        at_once.fetch_sub(1, Ordering::SeqCst);
        if owed > 1 {
            Scripted::cut()
        } else {
            Scripted::answer(about(request))
        }
    });
    let world = World::new(Protocol::OpenAi, server);
    let repo = world.repo(&flat(8));
    let run = regenerate(&repo, &[]).exits(0);
    assert_eq!(repo.frames().len(), 9, "{run}");
    assert!(run.err().contains("merkle.provider.m.concurrency"), "{run}");
    assert_eq!(run.err().matches("broke answers off").count(), 1, "{run}");
}

/// A server with a window of 2,048 tokens, which says what is wrong only to those who ask at once.
fn narrow(request: &Recorded) -> Scripted {
    let asked = request.body["max_tokens"].as_u64().unwrap_or(0);
    let input = request.text().len() as u64 / 4;
    if input + asked <= 2_048 {
        return Scripted::answer(about(request));
    }
    if request.body["stream"] == true {
        return Scripted::raw("text/event-stream", "");
    }
    Scripted::too_long(&format!(
        "This model's maximum context length is 2048 tokens, however you requested {} tokens ({input} in your messages; {asked} in \
         the completion). Please reduce the length of the messages or completion.",
        input + asked
    ))
}

/// Was "it is no stream of events" for every file.
#[test]
fn a_window_that_only_the_server_knows_is_learned_from_its_refusal() {
    let world = World::new(Protocol::OpenAi, Loopback::start(narrow));
    let fixture = format!(
        "{SMALL}    + long.txt = {}",
        "fn name_of_something() {} ".repeat(800)
    );
    let repo = world.repo(&fixture);
    let run = regenerate(&repo, &["--concurrency", "1"]).exits(0);
    assert!(
        run.err().contains("merkle.provider.m.contextTokens 2048"),
        "{run}"
    );
    let last = world.server.posts().pop().expect("asked");
    assert_eq!(last.body["max_tokens"], 512, "a quarter of the window");
    assert_eq!(head(&repo, "README.md").trim(), "about README.md");
}

/// A window of 2k with the built-in limit of 2,048 left nothing: "over the limit of 0".
#[test]
fn a_small_window_that_is_known_has_room_for_both() {
    let world = World::new(Protocol::OpenAi, Loopback::start(narrow));
    world.set("merkle.provider.m.contextTokens", "2k");
    let repo = world.repo(SMALL);
    regenerate(&repo, &[]).ok();
    assert!(
        world
            .server
            .posts()
            .iter()
            .all(|post| post.body["max_tokens"] == 512 && post.body["stream"] == true)
    );
    world.set("merkle.provider.m.contextTokens", "40");
    let dry = regenerate(&repo, &["--force", "--dry-run"]);
    let run = regenerate(&repo, &["--force"]).exits(3);
    assert!(
        dry.err().contains("too much for a window of 40"),
        "what a run cannot do, a plan does not promise\n{dry}"
    );
    assert!(run.err().contains("too much for a window of 40"), "{run}");
}

/// Zeros were settled as 0 USD, and no budget ever ended.
#[test]
fn untold_usage_is_counted_by_us_and_budgets_end() {
    let scripts: [fn(&Recorded) -> Scripted; 2] = [
        |request| Scripted::answer(about(request)).no_usage(),
        |request| Scripted::answer(about(request)).usage(Usage::default()),
    ];
    for script in scripts {
        let world = World::new(Protocol::OpenAi, Loopback::start(script));
        let repo = world.repo("commit one\n+ a.md = # A");
        let done = regenerate(&repo, &["a.md", "--json"]).ok();
        let done: serde_json::Value = serde_json::from_str(&done).expect("JSON");
        let model = &done["model"];
        assert_eq!(
            (&model["calls"], &model["estimated_calls"]),
            (&1.into(), &1.into())
        );
        let (input, output) = (
            model["input_tokens"].as_u64().expect("a number"),
            model["output_tokens"].as_u64().expect("one"),
        );
        assert!(
            (20..200).contains(&input) && (1..20).contains(&output),
            "{model}"
        );
        let words = regenerate(&repo, &["a.md", "--force"]).ok();
        assert!(
            words.contains("(estimated: the provider told no count that can be true)"),
            "{words}"
        );
        assert!(
            !repo
                .merkle(&["log", "a.md", "--agent", "docs", "--json"])
                .ok()
                .contains("input_tokens\": 1")
        );
        let other = world.sandbox.repo("other");
        other.fill(&flat(60));
        let run = regenerate(&other, &["--max-cost", "0.01"]).exits(79);
        assert!(other.frames().len() < 60, "{run}");
    }
}

/// Red before: a provider that is configured with a key was sent the contents without one.
#[test]
fn a_provider_whose_key_is_missing_is_sent_nothing_and_a_dry_run_needs_none() {
    let world = World::steady(Protocol::OpenAi);
    let repo = world.repo("commit one\n+ a.md = # A");
    repo.merkle(&["regenerate", "--agent", "docs", "--dry-run"])
        .ok();
    let run = repo
        .merkle(&["regenerate", "--agent", "docs", "--yes"])
        .exits(78);
    assert!(run.err().contains("there is no key"), "{run}");
    assert_eq!(world.server.connections(), 0);
}

/// Red before: one answer with a count of a thousand million tokens was booked for thousands of dollars, and ended the month's budget.
#[test]
fn usage_beyond_reason_is_charged_as_the_most_that_the_request_can_take() {
    let script = |request: &Recorded| {
        Scripted::answer(about(request)).usage(Usage {
            input: 1_000_000_000,
            output: 1_000_000_000,
            ..Usage::default()
        })
    };
    let world = World::new(Protocol::OpenAi, Loopback::start(script));
    let repo = world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
    let done = regenerate(&repo, &["a.md", "--json"]).ok();
    let done: serde_json::Value = serde_json::from_str(&done).expect("JSON");
    assert_eq!(done["model"]["estimated_calls"], 1, "{done}");
    world.set("merkle.budget", "1");
    regenerate(&repo, &["b.md"]).ok();
}

/// Paid for, thrown away, and paid for again by the next run.
#[test]
fn an_answer_that_is_no_frame_is_kept_and_not_asked_for_again() {
    type Script = fn(&Recorded) -> Scripted;
    let cases: [(&str, Script, &str); 3] = [
        (
            "too large",
            |_| Scripted::answer("x".repeat(300_000)),
            "over the limit",
        ),
        (
            "repeats",
            |_| Scripted::answer("One sentence."),
            "only repeats the prompt",
        ),
        (
            "cut",
            |_| Scripted::cut_at_limit("half of"),
            "raise 'max_output_tokens' of phase 'generating' in profile 'default'",
        ),
    ];
    for (name, script, told) in cases {
        let world = World::new(Protocol::OpenAi, Loopback::start(script));
        let repo = world.repo("commit one\n+ a.md = # A");
        let run = regenerate(&repo, &["a.md", "--json"]).exits(3);
        assert!(
            run.err().contains(told) && run.err().contains("is kept in '"),
            "{name}: {run}"
        );
        let tokens = run.json("regenerate")["model"]["input_tokens"].as_u64();
        // Twenty tokens are no count of 300,000 letters.
        assert_eq!(
            tokens == Some(100),
            name != "too large",
            "{name}: what the provider counts is counted, {tokens:?}"
        );
        let texts = kept(&repo);
        // Red before: 'log/refused' was a folder that this program had not made.
        repo.merkle(&["doctor"]).ok();
        assert!(
            texts.len() == 1
                && texts[0].contains("\ngit-merkle/refused/1\nabout: a.md\nby: m\nbecause: "),
            "{name}: {texts:?}"
        );
        // Red before: a dry run counted a call that is not made, and a budget was wanted for it.
        let plan = regenerate(&repo, &["--dry-run", "--json"]).json("plan");
        assert_eq!(
            (
                &plan["calls"],
                &plan["estimate"]["refused"],
                &plan["estimate"]["held_back"]
            ),
            (&0.into(), &1.into(), &1.into()),
            "{name}: {plan}"
        );
        // Red before: `explain` said "no frame yet" and nothing of the answer.
        let explained = repo
            .merkle(&["explain", "a.md", "--agent", "docs"])
            .exits(1);
        assert!(
            explained
                .out()
                .contains("'m' gave an answer that is no frame")
                && explained.out().contains(told),
            "{explained}"
        );
        let refused = &repo
            .merkle(&["explain", "a.md", "--agent", "docs", "--json"])
            .exits(1)
            .json("explain")["refused"];
        assert!(
            refused["file"]
                .as_str()
                .is_some_and(|file| run.err().contains(file)),
            "{refused}"
        );
        let again = regenerate(&repo, &["a.md"]).exits(3);
        assert_eq!(world.server.posts().len(), 1, "{name}: {again}");
        assert!(again.err().contains("--force"), "{name}: {again}");
        drop(regenerate(&repo, &["a.md", "--force"]).exits(3));
        assert_eq!(world.server.posts().len(), 2, "{name}");
        assert_eq!(kept(&repo).len(), 1, "{name}");
    }
}

/// Red before: a limit that is too low was paid for at every node, and warned of as often.
#[test]
fn a_run_stops_when_no_answer_can_be_used() {
    let server = Loopback::start(|_| Scripted::cut_at_limit("half of"));
    let world = World::new(Protocol::OpenAi, server);
    world.set("merkle.provider.m.concurrency", "4");
    let repo = world.repo(&flat(60));
    let run = regenerate(&repo, &["--json"]).exits(3);
    let posts = world.server.posts().len();
    assert!(
        (10..=13).contains(&posts),
        "ten, and what was in flight: {posts}"
    );
    assert!(
        run.err()
            .contains("10 answers in a row of provider 'm' could not be used:"),
        "{run}"
    );
    let warned = run
        .err()
        .lines()
        .filter(|line| line.contains("'f") && line.contains(".rs': "))
        .count();
    assert_eq!(warned, 5, "{run}");
    assert!(run.err().contains(" other nodes: "), "{run}");
    let failed = run.json("regenerate")["failed"].as_array().map(Vec::len);
    assert_eq!(failed, Some(posts), "{run}");

    // One answer of three is good: that is no reason to stop.
    let count = AtomicUsize::new(0);
    let server = Loopback::start(move |request| {
        if count.fetch_add(1, Ordering::SeqCst).is_multiple_of(3) {
            Scripted::answer(about(request))
        } else {
            Scripted::cut_at_limit("half of")
        }
    });
    let world = World::new(Protocol::OpenAi, server);
    let repo = world.repo(&flat(60));
    drop(regenerate(&repo, &[]).exits(3));
    assert_eq!(
        world.server.posts().len(),
        60,
        "each file was asked for once"
    );
}

#[test]
fn a_raised_limit_is_another_question() {
    let server = Loopback::start(|request| {
        let enough = request.body["max_tokens"]
            .as_u64()
            .is_some_and(|tokens| tokens > 50);
        if enough {
            Scripted::answer(about(request))
        } else {
            Scripted::cut_at_limit("half")
        }
    });
    let world = World::new(Protocol::OpenAi, server);
    world.set("merkle.provider.m.outputTokens", "50");
    let repo = world.repo("commit one\n+ a.md = # A");
    let run = regenerate(&repo, &["a.md"]).exits(3);
    assert!(
        run.err().contains("raise 'merkle.provider.m.outputTokens'"),
        "{run}"
    );
    world.set("merkle.provider.m.outputTokens", "60");
    regenerate(&repo, &["a.md"]).ok();
}

/// The answer was lost for its model's name.
#[test]
fn an_odd_name_of_a_model_costs_no_answer() {
    let body = format!(
        r#"{{"model":"{}","choices":[{{"message":{{"content":"A text."}},"finish_reason":"stop"}}]}}"#,
        "x".repeat(200_000)
    );
    let world = World::new(
        Protocol::OpenAi,
        Loopback::start(move |_| Scripted::raw("application/json", &body)),
    );
    let repo = world.repo("commit one\n+ a.md = # A");
    regenerate(&repo, &["a.md"]).ok();
    assert_eq!(head(&repo, "a.md").trim(), "A text.");
}

/// Two signals within half a second were taken for one, and the call was still awaited.
#[test]
fn a_second_interrupt_ends_the_run_at_once() {
    let world = World::new(Protocol::OpenAi, Loopback::start(|_| Scripted::hang()));
    world.set("merkle.provider.m.idleTimeout", "60s");
    let repo = world.repo("commit one\n+ a.md = # A");
    let child = command(&repo, &["regenerate", "--agent", "docs", "--yes"]).start(&[]);
    let deadline = Instant::now() + Duration::from_mins(1);
    while world.server.posts().is_empty() {
        assert!(Instant::now() < deadline);
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = Pid::from_raw(i32::try_from(child.id()).expect("a pid"));
    kill(pid, Signal::SIGINT).expect("it runs");
    std::thread::sleep(Duration::from_millis(100));
    kill(pid, Signal::SIGINT).expect("it runs");
    let begun = Instant::now();
    assert_eq!(
        child.wait_with_output().expect("it ends").status.code(),
        Some(130)
    );
    assert!(
        begun.elapsed() < Duration::from_secs(8),
        "{:?}",
        begun.elapsed()
    );
}
