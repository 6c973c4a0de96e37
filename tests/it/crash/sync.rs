//! SIGKILL at system calls of an exchange with a remote, in git's children and on the remote's side, too.

use std::collections::BTreeSet;

use super::kill::user_is_not_disturbed;
use super::{at_noon, listing};
use crate::support::{Repo, Run, Sandbox, trace};

/// An object that no history has.
const NOWHERE: &str = "1234567890123456789012345678901234567890";

/// Kills at fewer points than elsewhere: each is followed by a look at two repositories.
const POINTS: usize = 24;

fn say(repo: &Repo<'_>, text: &str) {
    at_noon(repo, &["put-frame", "a.md", "-"])
        .input(text)
        .run()
        .ok();
}

/// A remote, and a clone that is about to exchange frames with it.
struct Scene<'s> {
    sandbox: &'s Sandbox,
    origin: Repo<'s>,
    start: Repo<'s>,
    /// The remote's refs of frames before.
    refs: String,
    arguments: &'static [&'static str],
}

impl<'s> Scene<'s> {
    /// Another clone has said something, published as is said, and so has this one, which has not gone yet.
    fn new(sandbox: &'s Sandbox, others: &[&str], arguments: &'static [&'static str]) -> Self {
        drop(sandbox.bare("hub.git"));
        let work = sandbox.filled("commit files\n+ a.md = about");
        let origin = work.clone_to("origin.git", &["--bare"]);
        let other = origin.clone_to("other", &[]);
        let start = origin.clone_to("start", &[]);
        start.config("gc.auto", "0");
        say(&other, "From another clone.\n");
        other.merkle(others).ok();
        say(&start, "From here.\n");
        let refs = origin
            .git(&[
                "for-each-ref",
                "--format=%(refname) %(objectname)",
                "refs/merkle",
            ])
            .ok();
        Self {
            sandbox,
            origin,
            start,
            refs,
            arguments,
        }
    }

    fn run(&self, repo: &Repo<'_>) -> Run {
        at_noon(repo, self.arguments)
    }

    /// Puts the remote's frames back to where they began.
    fn restore(&self) {
        self.clear_locks();
        let now = self
            .origin
            .git(&["for-each-ref", "--format=delete %(refname)", "refs/merkle"])
            .ok();
        self.origin
            .run("git")
            .args(["update-ref", "--stdin"])
            .input(now)
            .run()
            .ok();
        let create = self
            .refs
            .lines()
            .map(|line| format!("create {line}\n"))
            .collect::<Vec<_>>()
            .concat();
        self.origin
            .run("git")
            .args(["update-ref", "--stdin"])
            .input(create)
            .run()
            .ok();
    }

    /// All that the remote has, at any of its refs.
    fn there(&self) -> BTreeSet<String> {
        let refs = self
            .origin
            .git(&["for-each-ref", "--format=%(refname)", "refs/merkle"])
            .ok();
        let listed = refs.lines().map(|name| {
            self.origin
                .git(&["ls-tree", "-r", "--name-only", name])
                .ok()
        });
        listed
            .flat_map(|names| names.lines().map(ToOwned::to_owned).collect::<Vec<_>>())
            .collect()
    }

    /// Kills the exchange at points from its first to its last; which sides were complete after each kill.
    fn die_everywhere(&self, said: &str) -> BTreeSet<(bool, bool)> {
        let complete = self.start.copy_to("complete");
        let before = self.there();
        let points = trace::count(&self.run(&complete));
        assert_eq!(points.output.exits(0).out(), said);
        let (whole, all) = (listing(&complete), self.there());
        let refs = |origin: &Repo<'_>| {
            origin
                .git(&["for-each-ref", "--format=%(refname)", "refs/merkle"])
                .ok()
        };
        let refs_then = refs(&self.origin).lines().count();
        let mut seen = BTreeSet::new();
        for point in trace::sample_of(points.points, POINTS) {
            self.restore();
            let repo = self.start.copy_to("killed");
            let traced = trace::kill_at(&self.run(&repo), point);
            let about = format!(
                "killed at point {point} of {}: {}",
                points.points, traced.output.command
            );
            let (here, there) = (listing(&repo), self.there());
            assert!(
                here == listing(&self.start) || here == whole,
                "{about}\nneither the old nor the new store: {here:#?}"
            );
            assert!(
                there == before || there == all,
                "{about}\nneither the old nor the new remote: {there:#?}"
            );
            seen.insert((here == whole, there == all));
            user_is_not_disturbed(&repo, self.sandbox);
            self.clear_locks();
            let again = self.run(&repo).run();
            assert!(again.code == Some(0), "{about}\n{again}");
            assert_eq!(
                (listing(&repo), self.there()),
                (whole.clone(), all.clone()),
                "{about}"
            );
            assert_eq!(refs(&self.origin).lines().count(), refs_then, "{about}");
            let tracked = repo
                .git(&["for-each-ref", "--format=%(refname)", "refs/merkle-remote"])
                .ok();
            assert!(!tracked.contains("incoming"), "{about}\n{tracked}");
            let locks = repo
                .run("find")
                .args([".git/refs", "-name", "*.lock"])
                .run()
                .ok();
            assert_eq!(locks, "", "{about}");
            self.origin.git(&["fsck", "--strict"]).ok();
            std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
        }
        seen
    }

    /// A git that was killed on the other side has left its locks there, as it would without this program.
    fn clear_locks(&self) {
        self.origin
            .run("find")
            .args([".", "-name", "*.lock", "-delete"])
            .run()
            .ok();
    }
}

/// What came is united after the push, so that a kill between the two leaves the remote complete and this side not.
const STEPS: [(bool, bool); 3] = [(false, false), (false, true), (true, true)];

const SYNC: &[&str] = &["sync"];
const SYNC_OWN: &[&str] = &["-c", "merkle.publish=own", "sync"];

/// Kills an exchange of this clone at every point, after another clone has exchanged its frames.
#[track_caller]
fn assert_steps(others: &[&str], arguments: &'static [&'static str], said: &str) {
    let sandbox = Sandbox::new();
    let scene = Scene::new(&sandbox, others, arguments);
    assert_eq!(scene.die_everywhere(said), STEPS.into());
}

/// Before a git was given a ref of its own, one that was killed left a lock that stopped every later fetch.
#[test]
fn an_exchange() {
    assert_steps(SYNC, SYNC, "1 frame came, 1 went\n");
}

#[test]
fn an_exchange_with_a_ref_of_its_own() {
    assert_steps(SYNC_OWN, SYNC_OWN, "1 frame came, 1 went\n");
}

#[test]
fn a_collection() {
    let said = "1 frame came, 1 went, 1 ref collected\n";
    assert_steps(SYNC_OWN, &["sync", "--collect"], said);
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
    let work = sandbox.filled("commit files\n+ a.md = about");
    let origin = work.clone_to("origin.git", &["--bare"]);
    let start = origin.clone_to("start", &[]);
    start.config("gc.auto", "0");
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
    assert_eq!(
        (
            old_here.len(),
            here_then.len(),
            old_there.len(),
            there_then.len()
        ),
        (3, 2, 2, 1)
    );
    let mut seen = BTreeSet::new();
    for point in trace::sample_of(points.points, POINTS) {
        origin
            .git(&["update-ref", "refs/merkle/frames", &before])
            .ok();
        let repo = start.copy_to("killed");
        let traced = trace::kill_at(&at_noon(&repo, &arguments), point);
        let about = format!(
            "killed at point {point} of {}: {}",
            points.points, traced.output.command
        );
        let (here, there) = (listing(&repo), listing(&origin));
        assert!(
            here == old_here || here == here_then,
            "{about}\nneither the old nor the new store: {here:#?}"
        );
        assert!(
            there == old_there || there == there_then,
            "{about}\nneither the old nor the new remote: {there:#?}"
        );
        seen.insert((here == here_then, there == there_then));
        user_is_not_disturbed(&repo, &sandbox);
        drop(std::fs::remove_file(origin.path("refs/merkle/frames.lock")));
        // A fetch alone brings the clone to where the remote is.
        at_noon(&repo, &["fetch"]).run().ok();
        assert_eq!(
            listing(&repo),
            if there == there_then {
                here_then.clone()
            } else {
                old_here.clone()
            },
            "{about}"
        );
        let again = at_noon(&repo, &arguments).run();
        assert!(again.code == Some(0), "{about}\n{again}");
        assert_eq!(
            (listing(&repo), listing(&origin)),
            (here_then.clone(), there_then.clone()),
            "{about}"
        );
        repo.merkle(&["doctor"]).ok();
        origin.git(&["fsck", "--strict"]).ok();
        std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
    }
    assert_eq!(
        seen,
        BTreeSet::from([(false, false), (false, true), (true, true)]),
        "each step was left by some kill"
    );
}
