//! SIGKILL at system calls of an exchange with a remote, in git's children and on the remote's side, too.

use std::collections::BTreeSet;

use super::kill::user_is_not_disturbed;
use super::{at_noon, listing};
use crate::support::{Repo, Sandbox, trace};

/// An object that no history has.
const NOWHERE: &str = "1234567890123456789012345678901234567890";

/// Kills at fewer points than elsewhere: each is followed by a look at two repositories.
const POINTS: usize = 24;

fn say(repo: &Repo<'_>, text: &str) {
    at_noon(repo, &["put-frame", "a.md", "-"]).input(text).run().ok();
}

/// Before a git was given a ref of its own, one that was killed left a lock that stopped every later fetch.
#[test]
fn an_exchange() {
    let sandbox = Sandbox::new();
    drop(sandbox.bare("hub.git"));
    let work = sandbox.repo("work");
    work.fill("commit files\n+ a.md = about");
    let origin = work.clone_to("origin.git", &["--bare"]);
    let other = origin.clone_to("other", &[]);
    let start = origin.clone_to("start", &[]);
    start.git(&["config", "gc.auto", "0"]).ok();
    say(&other, "From another clone.\n");
    other.merkle(&["sync"]).ok();
    say(&start, "From here.\n");
    let before = origin.id("refs/merkle/frames");
    let complete = start.copy_to("complete");
    let points = trace::count(&at_noon(&complete, &["sync"]));
    assert_eq!(points.output.exits(0).out(), "1 frame came, 1 went\n");
    let whole = listing(&complete);
    let mut seen = BTreeSet::new();
    for point in trace::sample_of(points.points, POINTS) {
        origin.git(&["update-ref", "refs/merkle/frames", &before]).ok();
        let repo = start.copy_to("killed");
        let traced = trace::kill_at(&at_noon(&repo, &["sync"]), point);
        let about = format!("killed at point {point} of {}: {}", points.points, traced.output.command);
        let (here, there) = (listing(&repo), listing(&origin));
        assert!(here == listing(&start) || here == whole, "{about}\nneither the old nor the new store: {here:#?}");
        assert!(there == listing(&other) || there == whole, "{about}\nneither the old nor the new remote: {there:#?}");
        seen.insert((here == whole, there == whole));
        user_is_not_disturbed(&repo, &sandbox);
        // A git that was killed on the other side has left its lock there, as it would without this program.
        drop(std::fs::remove_file(origin.path("refs/merkle/frames.lock")));
        let again = at_noon(&repo, &["sync"]).run();
        assert!(again.code == Some(0), "{about}\n{again}");
        assert_eq!((listing(&repo), listing(&origin)), (whole.clone(), whole.clone()), "{about}");
        assert_eq!(
            repo.git(&["for-each-ref", "--format=%(refname)", "refs/merkle-remote"]).ok(),
            "refs/merkle-remote/origin/frames\n"
        );
        let locks = repo.run("find").args([".git/refs", "-name", "*.lock"]).run().ok();
        assert_eq!(locks, "", "{about}");
        origin.git(&["fsck", "--strict"]).ok();
        std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
    }
    assert_eq!(seen, BTreeSet::from([(false, false), (true, false), (true, true)]), "each step was left by some kill");
}

/// Stores what a model answered about nothing that any history has, and a note.
fn answered(repo: &Repo<'_>, text: &str) {
    crate::gc::answer(repo, NOWHERE, text);
    say(repo, &format!("Beside: {text}\n"));
}

/// Puts the remote's store anew, and follows it: the remote's side first, and a next run of anything completes it.
#[test]
fn a_gc_of_the_remote() {
    let sandbox = Sandbox::new();
    drop(sandbox.bare("hub.git"));
    let work = sandbox.repo("work");
    work.fill("commit files\n+ a.md = about");
    let origin = work.clone_to("origin.git", &["--bare"]);
    let start = origin.clone_to("start", &[]);
    start.git(&["config", "gc.auto", "0"]).ok();
    answered(&start, "From here.");
    start.merkle(&["sync", "--all", "--yes"]).ok();
    say(&start, "Said since.\n");
    let before = origin.id("refs/merkle/frames");
    let (old_here, old_there) = (listing(&start), listing(&origin));
    let complete = start.copy_to("complete");
    let arguments = ["gc", "--publish"];
    let points = trace::count(&at_noon(&complete, &arguments));
    assert!(points.output.exits(0).out().starts_with("1 frame of"));
    let (here_then, there_then) = (listing(&complete), listing(&origin));
    assert_eq!((old_here.len(), here_then.len(), old_there.len(), there_then.len()), (3, 2, 2, 1));
    let mut seen = BTreeSet::new();
    for point in trace::sample_of(points.points, POINTS) {
        origin.git(&["update-ref", "refs/merkle/frames", &before]).ok();
        let repo = start.copy_to("killed");
        let traced = trace::kill_at(&at_noon(&repo, &arguments), point);
        let about = format!("killed at point {point} of {}: {}", points.points, traced.output.command);
        let (here, there) = (listing(&repo), listing(&origin));
        assert!(here == old_here || here == here_then, "{about}\nneither the old nor the new store: {here:#?}");
        assert!(there == old_there || there == there_then, "{about}\nneither the old nor the new remote: {there:#?}");
        seen.insert((here == here_then, there == there_then));
        user_is_not_disturbed(&repo, &sandbox);
        drop(std::fs::remove_file(origin.path("refs/merkle/frames.lock")));
        // A fetch alone brings the clone to where the remote is.
        at_noon(&repo, &["fetch"]).run().ok();
        assert_eq!(listing(&repo), if there == there_then { here_then.clone() } else { old_here.clone() }, "{about}");
        let again = at_noon(&repo, &arguments).run();
        assert!(again.code == Some(0), "{about}\n{again}");
        assert_eq!((listing(&repo), listing(&origin)), (here_then.clone(), there_then.clone()), "{about}");
        repo.merkle(&["doctor"]).ok();
        origin.git(&["fsck", "--strict"]).ok();
        std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
    }
    assert_eq!(seen, BTreeSet::from([(false, false), (false, true), (true, true)]), "each step was left by some kill");
}
