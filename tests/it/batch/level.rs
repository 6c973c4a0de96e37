//! One batch a level, collected by whichever command comes next.

use super::{Batched, WIDE, assert_booked, batch, left};
use crate::generate::{PROTOCOLS, Protocol, SMALL, flat, head, regenerate};

/// How many requests each batch had.
fn sizes(batched: &Batched) -> Vec<usize> {
    let batches = batched.provider.batches();
    batches.iter().map(|batch| batch.requests.len()).collect()
}

#[test]
fn a_batch_is_sent_and_any_run_collects_it() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.hold();
        let repo = batched.world.repo(SMALL);
        let run = batch(&repo, &[]).exits(75);
        assert!(
            run.out()
                .starts_with("made 0 frames (0 files, 0 directories), 5 left"),
            "{run}"
        );
        assert!(run.err().contains("3 answers under way (use \"git merkle regenerate --agent docs --provider m --batch\" to collect)"), "{run}");
        assert!(!run.err().contains("prompt.md"), "{run}");
        assert_eq!((batched.provider.batches().len(), batched.live()), (1, 0));

        let status = repo.merkle(&["status"]).ok();
        assert!(status.contains("batch_0 of 'm', sent "), "{status}");
        let plan = regenerate(&repo, &["--dry-run"]);
        assert!(
            plan.err().contains("about 2 calls") && plan.err().contains("3 under way in batches"),
            "{plan}"
        );
        // Neither a run that sends one by one nor another batch asks for what is owed.
        drop(regenerate(&repo, &[]).exits(75));
        let json = batch(&repo, &["--json"]).exits(75).json("regenerate");
        assert_eq!(
            (
                json["batches"][0]["requests"].as_u64(),
                json["awaited"].as_array().map(Vec::len)
            ),
            (Some(3), Some(3))
        );
        assert_eq!((batched.provider.batches().len(), batched.live()), (1, 0));

        batched.provider.end();
        let run = regenerate(&repo, &[]);
        // Levels of one: they go out alone.
        assert!(run.err().is_empty(), "{run}");
        let words = run.ok();
        assert!(words.starts_with("made 5 frames (3 files, 2 directories)\nasked m (test-large): 5 calls, 500 tokens in"), "{words}");
        assert_eq!(head(&repo, "src/lib.rs").trim(), "about src/lib.rs");
        batched.assert_asked_once(5);
        assert_booked(&repo, 3, 2);
        assert_eq!(left(&repo), [] as [&str; 0]);
        assert!(regenerate(&repo, &[]).ok().starts_with("nothing to do"));
        repo.assert_sound();
    }
}

/// Before, every node looked fresh to the command that the program named, and nothing took the answers.
#[test]
fn what_was_forced_is_collected_by_the_command_that_is_named() {
    for command in [&["--batch"][..], &[]] {
        let batched = Batched::new(Protocol::Anthropic);
        let repo = batched.world.repo(WIDE);
        regenerate(&repo, &[]).ok();
        batched.provider.hold();
        let run = batch(&repo, &["--force"]).exits(75);
        assert!(run.err().contains("4 answers under way"), "{run}");
        let run = regenerate(&repo, command).exits(75);
        assert!(run.err().contains("4 answers under way"), "{run}");
        batched.provider.end();
        let made = regenerate(&repo, command);
        assert!(
            made.out().starts_with("made 4 frames") || made.out().starts_with("made 7 frames"),
            "{made}"
        );
        // The directories above are as before, or their level goes out.
        drop(batch(&repo, &["--wait"]).ok());
        assert_eq!(left(&repo), [] as [&str; 0]);
        assert!(!repo.merkle(&["status"]).ok().contains("under way"));
    }
}

#[test]
fn a_run_that_waits_goes_through_all_levels() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        let repo = batched.world.repo(WIDE);
        let run = batch(&repo, &["--wait"]);
        assert!(run.err().is_empty(), "{run}");
        run.ok();
        let sizes = sizes(&batched);
        assert_eq!((sizes.as_slice(), batched.live()), (&[4, 2][..], 1));
        batched.assert_asked_once(7);
        assert_booked(&repo, 6, 1);
        assert_eq!(left(&repo), [] as [&str; 0]);
    }
}

#[test]
fn a_frame_says_what_it_cost_in_a_batch() {
    let batched = Batched::new(Protocol::Anthropic);
    let repo = batched.world.repo(SMALL);
    batch(&repo, &["--wait"]).ok();
    let shown = repo
        .merkle(&["show", "README.md", "--agent", "docs", "--json"])
        .ok();
    assert!(shown.contains("\"cost_usd\":0.00009,"), "{shown}");
}

#[test]
fn answers_about_what_has_changed_since_are_kept_for_their_snapshot() {
    let batched = Batched::new(Protocol::OpenAi);
    batched.provider.hold();
    let repo = batched.world.repo(SMALL);
    drop(batch(&repo, &[]).exits(75));
    std::fs::write(repo.path("README.md"), "# Other\n").expect("writable");
    repo.git(&["commit", "-qam", "other"]).ok();
    batched.provider.end();
    let run = regenerate(&repo, &[]);
    assert!(run.err().contains("1 answer not taken yet"), "{run}");
    run.ok();
    assert_eq!(left(&repo).len(), 2);
    let live = batched.live();
    regenerate(&repo, &["README.md", "--rev", "HEAD~1"]).ok();
    assert_eq!((batched.live(), left(&repo)), (live, Vec::new()));
}

#[test]
fn what_is_asked_again_is_owed_once_too() {
    let batched = Batched::new(Protocol::Anthropic);
    let repo = batched.world.repo(SMALL);
    batch(&repo, &["--wait"]).ok();
    batched.provider.hold();
    drop(batch(&repo, &["--force"]).exits(75));
    // Everything is fresh, and the answers are still owed.
    drop(regenerate(&repo, &[]).exits(75));
    batched.provider.end();
    batch(&repo, &["--force", "--wait"]).ok();
    let asked = batched.provider.asked();
    assert!(asked.values().all(|times| *times == 2), "{asked:?}");
    assert_eq!(left(&repo), [] as [&str; 0]);
}

#[test]
fn two_processes_do_not_send_the_same() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(SMALL);
    let lock = repo
        .state()
        .folder("batches")
        .lock("lock", std::time::Duration::ZERO);
    let lock = lock.expect("a lock").expect("free");
    assert!(
        batch(&repo, &[])
            .exits(75)
            .err()
            .contains("another process sends or collects batches")
    );
    drop(batch(&repo, &["--cancel"]).exits(75));
    assert_eq!(batched.provider.batches().len(), 0);
    drop(lock);
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(5);
}

#[test]
fn a_budget_sends_what_it_covers_and_is_never_passed() {
    let batched = Batched::new(Protocol::Anthropic);
    let repo = batched.world.repo(&flat(16));
    batched.world.set("merkle.budgetCalls", "10");
    let run = batch(&repo, &[]).exits(79);
    assert!(run.err().contains("10 calls a month"), "{run}");
    let sizes = sizes(&batched);
    assert_eq!(sizes, [8, 2], "halves, as long as they are large enough");
    batched.world.set("merkle.budgetCalls", "100");
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(17);
    assert_booked(&repo, 16, 1);
}

/// What one level has taken counts when the next one is sent.
#[test]
fn the_limit_of_a_run_holds_for_all_its_levels() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(WIDE);
    let run = batch(&repo, &["--wait", "--max-calls", "4"]).exits(79);
    assert!(run.err().contains("4 calls for this run"), "{run}");
    let sizes = sizes(&batched);
    assert_eq!((sizes.as_slice(), batched.live()), (&[4][..], 0));
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(7);
}

#[test]
fn prices_stand_side_by_side() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(SMALL);
    let plan = regenerate(&repo, &["--dry-run"]);
    assert!(
        plan.err().contains("0.0093 USD (0.0047 USD in batches)"),
        "{plan}"
    );
    let json = regenerate(&repo, &["--dry-run", "--json"]).json("plan");
    let number = |name: &str| json["estimate"][name].as_f64().expect(name);
    assert!(
        (number("cost_usd") / number("batch_cost_usd") - 2.0).abs() < 0.01,
        "{json}"
    );
    assert_eq!(batched.world.server.connections(), 0);
}

#[test]
fn who_takes_no_batches_says_so() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(SMALL);
    batched.world.set("merkle.provider.m.kind", "local");
    let run = batch(&repo, &[]).exits(78);
    assert!(
        run.err().contains("provider 'm' takes no batches")
            && run.err().contains("merkle.provider.m.batch true"),
        "{run}"
    );
    batched.world.set("merkle.provider.m.batch", "true");
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(5);
    let run = repo
        .merkle(&["regenerate", "--agent", "outline", "--batch"])
        .exits(78);
    assert!(run.err().contains("agent 'outline' asks no model"), "{run}");
    drop(repo.merkle(&["regenerate", "--wait"]).exits(129));
}
