//! A provider's answer to a new batch that never came: whether it is there is found out, and nothing is sent twice.

use git_merkle::provider::batch::BatchFiles;

use super::{Batched, WIDE, assert_booked, batch, ledger, left};
use crate::generate::{PROTOCOLS, Protocol, SMALL, regenerate};
use crate::support::Repo;
use crate::support::batches::{Call, Trouble};
use crate::support::loopback::Scripted;

/// The batches of a repository as if they had been sent this much earlier.
pub(super) fn age(repo: &Repo<'_>, seconds: u64) {
    let files = BatchFiles::of(&repo.state());
    for mut batch in files.list().expect("a list") {
        batch.begun -= seconds;
        batch.missed = Some(batch.missed.unwrap_or(batch.begun + seconds) - seconds);
        files.save(&batch).expect("writable");
    }
}

#[test]
fn a_lost_answer_is_found_in_the_list() {
    for protocol in PROTOCOLS {
        for scripted in [
            Scripted::unavailable(500),
            Scripted::head_only(),
            Scripted::broken_json(),
        ] {
            let batched = Batched::new(protocol);
            batched.provider.hold();
            batched
                .provider
                .trouble(Call::Create, Trouble::After(scripted));
            let repo = batched.world.repo(WIDE);
            drop(batch(&repo, &[]).exits(75));
            batched.provider.end();
            batch(&repo, &["--wait"]).ok();
            batched.assert_asked_once(7);
            assert_booked(&repo, 6, 1);
        }
    }
}

#[test]
fn a_request_that_never_arrived_is_taken_back_after_a_minute() {
    // A gateway that gives up may have passed the request on, so it does not go out a second time at once either.
    let answers = [Scripted::head_only(), Scripted::unavailable(504)];
    for (protocol, answer) in PROTOCOLS.into_iter().zip(answers) {
        let batched = Batched::new(protocol);
        batched
            .provider
            .trouble(Call::Create, Trouble::Instead(answer));
        let repo = batched.world.repo(WIDE);
        let run = batch(&repo, &[]).exits(75);
        assert!(
            run.err()
                .contains("whether a batch was created is not known"),
            "{run}"
        );
        // The list may not show it yet.
        drop(regenerate(&repo, &[]).exits(75));
        assert_eq!((batched.provider.batches().len(), batched.live()), (0, 0));
        age(&repo, 61);
        batch(&repo, &["--wait"]).ok();
        batched.assert_asked_once(7);
        assert_booked(&repo, 6, 1);
    }
}

/// A repository of another program, whose batches have the time and size of ours.
fn stranger(batched: &Batched) -> Repo<'_> {
    let stranger = batched.world.sandbox.repo("stranger");
    stranger.fill(
        "
        commit first
        + c/one.rs = pub fn c() {}
        + c/two.rs = pub fn d() {}
        + d/three.rs = pub fn e() {}
        + d/four.rs = pub fn f() {}
    ",
    );
    stranger
}

/// Anthropic's list has no name of ours: a batch of the same time and size may be another's.
#[test]
fn a_batch_that_looks_like_ours_is_told_by_its_results() {
    let batched = Batched::new(Protocol::Anthropic);
    let repo = batched.world.repo(WIDE);
    let stranger = stranger(&batched);
    drop(batch(&stranger, &[]).exits(75));
    batched
        .provider
        .trouble(Call::Create, Trouble::After(Scripted::head_only()));
    drop(batch(&repo, &[]).exits(75));
    batch(&stranger, &["--wait"]).ok();
    batch(&repo, &["--wait"]).ok();
    batched.assert_asked_once(14);
    assert_booked(&repo, 6, 1);
}

#[test]
fn what_came_with_a_repository_is_not_believed() {
    let batched = Batched::new(Protocol::OpenAi);
    batched.provider.hold();
    let repo = batched.world.repo(WIDE);
    drop(batch(&repo, &[]).exits(75));
    let file = left(&repo).pop().expect("a batch");
    let path = repo.path(&format!(".git/merkle/batches/{file}"));
    let text = std::fs::read_to_string(&path).expect("a batch");
    std::fs::write(&path, text.replace("batch_0", "batch_1")).expect("writable");
    assert!(!repo.merkle(&["status"]).ok().contains("batch_"));
    regenerate(&repo, &["--dry-run"]).ok();
    // Its reservation stays.
    assert_eq!(ledger(&repo).1, 1);
}

/// A batch that is ours by its time and size alone may be another program's, who would lose its answers.
#[test]
fn a_batch_that_may_be_of_others_is_not_cancelled() {
    let batched = Batched::new(Protocol::Anthropic);
    batched.provider.hold();
    let repo = batched.world.repo(WIDE);
    let stranger = stranger(&batched);
    drop(batch(&stranger, &[]).exits(75));
    batched
        .provider
        .trouble(Call::Create, Trouble::Instead(Scripted::head_only()));
    drop(batch(&repo, &[]).exits(75));
    let run = batch(&repo, &["--cancel"]);
    assert!(run.err().contains("it may be another program's"), "{run}");
    batched.provider.end();
    batch(&stranger, &["--wait"]).ok();
    assert_booked(&stranger, 6, 1);
}

#[test]
fn damaged_results_are_not_paid_for_again() {
    let batched = Batched::new(Protocol::OpenAi);
    batched.provider.hold();
    let repo = batched.world.repo(WIDE);
    drop(batch(&repo, &[]).exits(75));
    batched.provider.end();
    // Brings the results here, and takes none.
    drop(batch(&repo, &["--cancel"]));
    let mut files = left(&repo).into_iter();
    let file = files.find(|name| name.ends_with(".results"));
    let path = repo.path(&format!(".git/merkle/batches/{}", file.expect("results")));
    std::fs::write(&path, "damaged").expect("writable");
    let before = batched.provider.asked();
    drop(regenerate(&repo, &[]).exits(75));
    assert_eq!((batched.provider.asked(), batched.live()), (before, 0));
}

/// Before, nothing but deleting a folder of the state ended what the provider had deleted.
#[test]
fn a_batch_that_the_provider_has_no_more_is_given_up_by_who_cancels() {
    let batched = Batched::new(Protocol::Anthropic);
    batched.provider.hold();
    let repo = batched.world.repo(SMALL);
    drop(batch(&repo, &[]).exits(75));
    let absent = || Trouble::Instead(Scripted::unavailable(404));
    batched.provider.trouble(Call::Look, absent());
    let run = batch(&repo, &[]).exits(75);
    assert!(
        run.err().contains("'--batch --cancel' gives it up"),
        "{run}"
    );
    batched.provider.trouble(Call::Look, absent());
    let cancelled = batch(&repo, &["--cancel"]);
    assert!(!cancelled.err().contains("under way"), "{cancelled}");
    drop(regenerate(&repo, &[]));
    regenerate(&repo, &[]).ok();
    assert_eq!(left(&repo), [] as [&str; 0]);
}
