//! A bare repository that is told of pushes: frames of what was pushed, and nobody who pushes notices.

use std::time::{Duration, Instant};

use git_merkle::hook::{marker, worker};
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use super::worker::{commit, difference, edit, log, settle, sum, worker_pid};
use crate::support::{Output, Repo, Sandbox};

/// What is pushed, one after the other; the last one is refused.
const PUSHES: &[&[&str]] = &[
    &["other"],
    &["main", "topic"],
    &["--tags"],
    &["main"],
    &["topic"],
    &[":other"],
    &["no-such-branch"],
];

fn work(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled("commit first\n+ a/b/one.rs = pub fn one() {}\n+ c/two.rs = pub fn two() {}\ntag v1\nbranch topic\ncommit there\n+ a/b/topic.rs = pub fn topic() {}\nswitch main");
    repo.git(&["branch", "other"]).ok();
    repo
}

fn push(repo: &Repo<'_>, to: &str, what: &[&str]) -> Output {
    repo.run("git")
        .args(["push", &format!("../{to}")])
        .args(what)
        .run()
}

#[test]
fn who_pushes_neither_waits_nor_sees_anything() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let (hub, plain) = (sandbox.bare("hub"), sandbox.bare("raw"));
    hub.config_global("merkle.hookQuiet", "1h");
    hub.merkle(&["hooks", "install", "--bare"]).ok();
    for what in PUSHES {
        edit(&repo, "c/two.rs", &format!("pub fn two() {{ {what:?} }}\n"));
        commit(&repo, "edit");
        let (with, without) = (push(&repo, "hub", what), push(&repo, "raw", what));
        let without = (
            without.code,
            without.out(),
            without.err().replace("../raw", "../hub"),
        );
        assert_eq!((with.code, with.out(), with.err()), without, "{what:?}");
    }
    assert_eq!(
        hub.git(&["for-each-ref"]).ok(),
        plain.git(&["for-each-ref"]).ok(),
        "the work still waits"
    );
    let (state, deadline) = (
        hub.unsealed_state(),
        Instant::now() + Duration::from_mins(1),
    );
    assert_eq!(marker::list(&state).expect("readable").len(), 1);
    while !worker::is_at_work(&state) {
        assert!(Instant::now() < deadline, "the worker has not started");
        std::thread::sleep(Duration::from_millis(10));
    }
    kill(
        Pid::from_raw(worker_pid(&hub).parse().expect("a number")),
        Signal::SIGKILL,
    )
    .expect("it runs");
}

#[test]
fn each_branch_that_was_pushed_is_fresh_afterwards_and_nothing_else_was_looked_at() {
    let sandbox = Sandbox::new();
    let repo = work(&sandbox);
    let hub = sandbox.bare("hub");
    hub.config_global("merkle.hookQuiet", "50ms");
    hub.merkle(&["hooks", "install", "--bare"]).ok();
    let assert_fresh = |branches: &[&str]| {
        settle(&hub);
        for branch in branches {
            let status = hub.merkle(&["status", "--rev", branch, "--exit-code"]);
            assert_eq!(status.code, Some(0), "{status}\n{:#?}", log(&hub));
        }
    };
    push(&repo, "hub", &["topic"]).ok();
    assert_fresh(&["topic"]);
    push(&repo, "hub", &["main", "other"]).ok();
    assert_fresh(&["main", "other", "topic"]);
    let lines = log(&hub).len();
    repo.git(&["switch", "-q", "topic"]).ok();
    edit(&repo, "a/b/one.rs", "pub fn uno() {}\n");
    commit(&repo, "edit");
    let (old, new) = (hub.id("main^{tree}"), repo.id("topic^{tree}"));
    push(&repo, "hub", &["topic"]).ok();
    assert_fresh(&["main", "other", "topic"]);
    // From `HEAD` to the branch and back again.
    let there_and_back = difference(&repo, &old, &new).0 + difference(&repo, &new, &old).0;
    assert_eq!(
        (log(&hub).len() - lines, sum(&hub, lines, "visited")),
        (1, there_and_back),
        "{:#?}",
        log(&hub)
    );
    push(&repo, "hub", &[":other"]).ok();
    assert_fresh(&["main", "topic"]);
    assert_eq!(sum(&hub, lines + 1, "visited"), 0, "{:#?}", log(&hub));
    hub.git(&["fsck", "--strict", "--no-progress"]).ok();
}
