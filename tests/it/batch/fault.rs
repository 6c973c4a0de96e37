//! What single requests and single lines come to.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::{ANSWER_NANO, Batched, WIDE, assert_booked, batch, ledger, left};
use crate::generate::{PROTOCOLS, Protocol, flat, regenerate};
use crate::support::batches::{Call, Fate, Trouble};
use crate::support::loopback::{Loopback, Scripted};

#[test]
fn lines_in_any_order_twice_and_of_others_change_nothing() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.be_odd();
        let repo = batched.world.repo(WIDE);
        batch(&repo, &["--wait"]).ok();
        batched.assert_asked_once(7);
        assert_booked(&repo, 6, 1);
        assert_eq!(left(&repo), [] as [&str; 0]);
    }
}

#[test]
fn each_line_fails_for_itself_and_only_what_may_is_sent_again() {
    for protocol in PROTOCOLS {
        let fate = |path: &str| match path {
            "f00.rs" => Fate::Expired,
            "f01.rs" => Fate::Failed,
            "f02.rs" => Fate::Invalid,
            "f03.rs" => Fate::Cut,
            _ => Fate::Answer,
        };
        let batched = Batched::with(protocol, fate);
        let repo = batched.world.repo(&flat(8));
        let run = batch(&repo, &["--wait"]).exits(3);
        for words in [
            "'f00.rs': it was not run: the batch expired; the next run sends it again",
            "'f01.rs': it was not run: ",
            "'f02.rs': the provider does not take it: ",
            "'f03.rs': the answer was cut at the limit of",
        ] {
            assert!(run.err().contains(words), "{words}\n{run}");
        }
        assert!(
            run.out()
                .starts_with("made 4 frames (4 files, 0 directories), 4 failed, 1 held back"),
            "{run}"
        );
        // Five answers were billed, one of them in vain; a refusal counts as a call.
        assert_eq!(ledger(&repo), ([6, 5 * 120, 5 * ANSWER_NANO], 0));
        assert_eq!(left(&repo), [] as [&str; 0]);
        // The second run sends what was not run, and neither what is at fault nor what was paid for.
        let run = batch(&repo, &["--wait"]).exits(3);
        assert!(
            run.err()
                .contains("(in an earlier run; --force sends the request again)"),
            "{run}"
        );
        let asked = batched.provider.asked();
        let times = |path: &str| asked.get(path).copied().unwrap_or(0);
        assert_eq!(
            [
                times("f00.rs"),
                times("f01.rs"),
                times("f02.rs"),
                times("f03.rs"),
                times("f04.rs")
            ],
            [2, 2, 1, 1, 1]
        );
    }
}

#[test]
fn tokens_that_are_not_counted_are_booked_in_full() {
    let batched = Batched::with(Protocol::OpenAi, |_| Fate::Uncounted);
    let repo = batched.world.repo(&flat(2));
    batched.provider.hold();
    drop(batch(&repo, &[]).exits(75));
    let (reserved, open) = ledger(&repo);
    assert_eq!(open, 1);
    batched.provider.end();
    batch(&repo, &["f00.rs", "f01.rs"]).ok();
    assert_eq!(ledger(&repo), (reserved, 0));
}

#[test]
fn results_that_are_cut_off_are_read_again() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        for trouble in [
            Trouble::Half,
            Trouble::Instead(Scripted::unavailable(500)),
            Trouble::Fewer,
        ] {
            batched.provider.trouble(Call::Results, trouble);
        }
        let repo = batched.world.repo(WIDE);
        batch(&repo, &["--wait"]).ok();
        batched.assert_asked_once(7);
        assert_booked(&repo, 6, 1);
    }
}

#[test]
fn results_that_stay_incomplete_are_kept_under_way_until_they_are_given_up() {
    let batched = Batched::with(Protocol::Anthropic, |path| {
        if path == "f00.rs" {
            Fate::Missing
        } else {
            Fate::Answer
        }
    });
    let repo = batched.world.repo(&flat(4));
    drop(batch(&repo, &[]).exits(75));
    let run = batch(&repo, &[]).exits(75);
    assert!(
        run.err().contains("breaks off before its end")
            && run.err().contains("4 answers under way"),
        "{run}"
    );
    batch(&repo, &["--cancel"]).ok();
    let run = batch(&repo, &[]).exits(3);
    assert!(
        run.err()
            .contains("'f00.rs': it was not run: its results do not name it"),
        "{run}"
    );
    assert_eq!(ledger(&repo), ([3, 3 * 120, 3 * ANSWER_NANO], 0));
}

/// Every request about a batch is turned away once with this status.
fn turn_away(protocol: Protocol, status: u16) {
    let batched = Batched::new(protocol);
    let answer = || match status {
        429 => Scripted::rate_limited(Some("0")),
        _ => Scripted::unavailable(status),
    };
    for call in [Call::Upload, Call::List, Call::Look, Call::Results] {
        let trouble = Trouble::Instead(answer());
        batched.provider.trouble(call, trouble);
    }
    // A server that fails over a new batch may have made it.
    let create = if status == 500 {
        Trouble::After(answer())
    } else {
        Trouble::Instead(answer())
    };
    batched.provider.trouble(Call::Create, create);
    let repo = batched.world.repo(WIDE);
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(7);
    assert_booked(&repo, 6, 1);
}

#[test]
fn the_provider_turns_every_kind_of_request_away_for_a_while() {
    // Most of the time is pauses.
    std::thread::scope(|scope| {
        for protocol in PROTOCOLS {
            for status in [429, 500, 529] {
                scope.spawn(move || turn_away(protocol, status));
            }
        }
    });
}

#[test]
fn of_a_batch_that_expires_what_was_run_is_taken() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.hold();
        let repo = batched.world.repo(&flat(6));
        drop(batch(&repo, &[]).exits(75));
        batched.provider.expire();
        let run = batch(&repo, &["--wait"]).exits(3);
        let words = "it was not run: the batch expired; the next run sends it again";
        assert_eq!(run.err().matches(words).count(), 3, "{run}");
        assert!(
            run.out()
                .starts_with("made 3 frames (3 files, 0 directories), 3 failed, 1 held back"),
            "{run}"
        );
        assert_eq!(ledger(&repo), ([3, 3 * 120, 3 * ANSWER_NANO], 0));
        batched.provider.end();
        batch(&repo, &["--wait"]).ok();
        let mut times: Vec<usize> = batched.provider.asked().into_values().collect();
        times.sort_unstable();
        assert_eq!(
            (times.as_slice(), batched.live()),
            (&[1, 1, 1, 2, 2, 2][..], 1)
        );
        assert_booked(&repo, 6, 1);
        assert_eq!(left(&repo), [] as [&str; 0]);
    }
}

#[test]
fn a_batch_that_is_refused_costs_nothing_and_leaves_nothing() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        let refused = Trouble::Instead(Scripted::bad_request("no such thing"));
        batched.provider.trouble(Call::Create, refused);
        let repo = batched.world.repo(WIDE);
        let run = batch(&repo, &[]).exits(69);
        assert!(
            run.err().contains(
                "provider 'm': the provider does not take the request: status 400: no such thing"
            ),
            "{run}"
        );
        assert_eq!((ledger(&repo), left(&repo)), (([0; 3], 0), Vec::new()));
        batch(&repo, &["--wait"]).ok();
        batched.assert_asked_once(7);
    }
}

#[test]
fn a_cancelled_batch_is_sent_again_on_request() {
    for protocol in PROTOCOLS {
        let batched = Batched::new(protocol);
        batched.provider.hold();
        let repo = batched.world.repo(WIDE);
        assert!(
            batch(&repo, &["--cancel"])
                .ok()
                .starts_with("no batch of 'm' is under way")
        );
        drop(batch(&repo, &[]).exits(75));
        let words = batch(&repo, &["--cancel"]).ok();
        assert!(
            words.starts_with("asked 'm' to cancel batch batch_0 with 4 answers under way"),
            "{words}"
        );
        let run = regenerate(&repo, &[]).exits(3);
        assert!(
            run.err()
                .contains("the batch was cancelled; the next run sends it again"),
            "{run}"
        );
        assert_eq!((ledger(&repo), left(&repo)), (([0; 3], 0), Vec::new()));
        regenerate(&repo, &[]).ok();
        assert_eq!(batched.live(), 7);
        assert_booked(&repo, 0, 7);
    }
}

#[test]
fn a_whole_file_that_is_refused_says_why() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(WIDE);
    let failed = r#"{"id":"batch_0","object":"batch","status":"failed","output_file_id":null,"error_file_id":null,
        "errors":{"data":[{"code":"token_limit_exceeded","line":null,"message":"Enqueued token limit reached for test-large"}]}}"#;
    drop(batch(&repo, &[]).exits(75));
    batched.provider.trouble(
        Call::Look,
        Trouble::Instead(Scripted::raw("application/json", failed)),
    );
    let run = batch(&repo, &[]).exits(3);
    assert!(run.err().contains("the provider refused the batch: Enqueued token limit reached for test-large; the next run sends it again"), "{run}");
    assert_eq!(ledger(&repo), ([0; 3], 0));
}

#[test]
fn a_batch_stays_with_the_address_that_it_was_sent_to() {
    let batched = Batched::new(Protocol::OpenAi);
    let repo = batched.world.repo(WIDE);
    drop(batch(&repo, &[]).exits(75));
    let other = Batched::new(Protocol::OpenAi);
    batched
        .world
        .set("merkle.provider.m.endpoint", &other.world.server.endpoint());
    let run = batch(&repo, &[]).exits(75);
    assert!(
        run.err().contains("a batch was sent to 'http://127.0.0.1:"),
        "{run}"
    );
    assert_eq!(other.world.server.connections(), 0);
    batched.world.set(
        "merkle.provider.m.endpoint",
        &batched.world.server.endpoint(),
    );
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(7);
}

#[test]
fn an_address_of_results_elsewhere_is_not_gone_to() {
    let batched = Batched::new(Protocol::Anthropic);
    let other = Loopback::echo();
    batched.provider.results_at(&other.endpoint());
    let repo = batched.world.repo(WIDE);
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(7);
    assert_eq!(other.connections(), 0);
}

/// Before, what an earlier run had of such a request kept the answer of a later one from being taken.
#[test]
fn an_answer_that_was_forced_is_taken_whatever_came_before() {
    let is_mended = Arc::new(AtomicBool::new(false));
    let mended = is_mended.clone();
    let batched = Batched::with(Protocol::Anthropic, move |path| {
        if path.ends_with("one.rs") && !mended.load(Ordering::SeqCst) {
            Fate::Invalid
        } else {
            Fate::Answer
        }
    });
    let repo = batched.world.repo(WIDE);
    drop(batch(&repo, &["--wait"]));
    is_mended.store(true, Ordering::SeqCst);
    batched.provider.hold();
    drop(batch(&repo, &["--force"]).exits(75));
    batched.provider.end();
    let taken = batch(&repo, &["--wait"]);
    assert!(!taken.err().contains("in an earlier run"), "{taken}");
    taken.ok();
    assert_eq!(left(&repo), [] as [&str; 0]);
}
