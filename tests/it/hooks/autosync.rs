//! Frames are exchanged in the background after a pull or a push, where the user wants it; nothing is asked.

use super::worker::{log, settle};
use crate::support::{Repo, Sandbox};

/// A remote, a clone with hooks, and one without.
fn world(sandbox: &Sandbox) -> (Repo<'_>, Repo<'_>, Repo<'_>) {
    let work = sandbox.repo("origin-work");
    work.fill("commit first\n+ README.md = A garden.");
    let origin = work.clone_to("origin.git", &["--bare"]);
    let hooked = origin.clone_to("hooked", &[]);
    hooked.config_global("merkle.hookQuiet", "50ms");
    let events = "post-merge,post-rewrite,post-checkout,pre-push";
    hooked
        .merkle(&["hooks", "install", "--mode=hookdir", "--events", events])
        .ok();
    let other = origin.clone_to("other", &[]);
    (origin, hooked, other)
}

fn say(repo: &Repo<'_>, text: &str) {
    repo.put_frame("README.md", text).ok();
}

/// A commit of another clone, with a statement that it shares.
fn others_work(other: &Repo<'_>, text: &str) {
    other.git(&["pull", "-q", "--rebase"]).ok();
    other
        .git(&["commit", "-q", "--allow-empty", "-m", text])
        .ok();
    other.git(&["push", "-q"]).ok();
    say(other, text);
    other.merkle(&["sync"]).ok();
}

fn heads(repo: &Repo<'_>) -> usize {
    repo.frames()
        .iter()
        .filter(|name| name.contains("human"))
        .count()
}

#[test]
fn a_pull_brings_frames_and_a_push_takes_them_along() {
    let sandbox = Sandbox::new();
    let (origin, hooked, other) = world(&sandbox);
    others_work(&other, "One.");
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    assert_eq!(
        hooked.git(&["for-each-ref", "refs/merkle-remote"]).ok(),
        "",
        "off unless the user wants it"
    );
    for (key, value) in [("merkle.autoSync", "both"), ("merkle.syncInterval", "0s")] {
        hooked.config_global(key, value);
    }
    others_work(&other, "Two.");
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    assert_eq!(heads(&hooked), 2, "{:#?}", log(&hooked));
    say(&hooked, "Three.");
    hooked
        .git(&["commit", "-q", "--allow-empty", "-m", "three"])
        .ok();
    hooked.git(&["push", "-q"]).ok();
    settle(&hooked);
    assert_eq!(heads(&origin), 3, "{:#?}", log(&hooked));
    assert!(
        log(&hooked)
            .iter()
            .any(|line| line.contains("origin: 0 came 1 went 0 held back")),
        "{:#?}",
        log(&hooked)
    );
    // Not more often than the user wants.
    hooked.config_global("merkle.syncInterval", "1h");
    others_work(&other, "Four.");
    hooked.git(&["pull", "-q", "--rebase"]).ok();
    settle(&hooked);
    assert_eq!(heads(&hooked), 3);
}

/// A remote that cannot be reached, or that asks for a password, costs the user's git nothing and is told of by `status`.
#[test]
fn what_fails_in_the_background_is_left_to_status() {
    let sandbox = Sandbox::new();
    let (origin, hooked, other) = world(&sandbox);
    // Of the repository's own configuration nothing is taken.
    hooked.config("merkle.autoSync", "both");
    others_work(&other, "One.");
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    assert_eq!(hooked.git(&["for-each-ref", "refs/merkle-remote"]).ok(), "");
    hooked.git(&["config", "--unset", "merkle.autoSync"]).ok();
    for (key, value) in [("merkle.autoSync", "both"), ("merkle.syncInterval", "0s")] {
        hooked.config_global(key, value);
    }
    hooked
        .git(&["remote", "add", "context", "../gone.git"])
        .ok();
    hooked.config_global("merkle.remote", "context");
    others_work_without_frames(&other);
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    let told = hooked.merkle(&["status"]).exits(0);
    let line = "the last exchange in the background failed: cannot reach remote 'context'";
    assert!(told.out().contains(line), "{told}\n{:#?}", log(&hooked));
    assert_eq!(told.err(), "", "it is no failure of the worker's");
    // It backs off: with an interval of its own the next one waits.
    hooked.config_global("merkle.syncInterval", "1m");
    hooked.config_global("merkle.remote", "origin");
    others_work_without_frames(&other);
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    assert!(
        hooked
            .merkle(&["status"])
            .ok()
            .contains("the last exchange in the background failed")
    );
    hooked.config_global("merkle.syncInterval", "0s");
    others_work_without_frames(&other);
    hooked.git(&["pull", "-q"]).ok();
    settle(&hooked);
    let told = hooked.merkle(&["status"]).ok();
    assert!(
        !told.contains("the last exchange in the background failed"),
        "{told}\n{:#?}",
        log(&hooked)
    );
    assert_eq!((heads(&hooked), heads(&origin)), (1, 1));
}

fn others_work_without_frames(other: &Repo<'_>) {
    other
        .git(&["commit", "-q", "--allow-empty", "-m", "more"])
        .ok();
    other.git(&["push", "-q"]).ok();
}
