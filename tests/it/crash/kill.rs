//! SIGKILL at system calls spread over the whole run of every writing command.
//!
//! Points that only load the program do not count: see [`trace`].

use std::collections::BTreeSet;

use super::{at_noon, listing, with_frames};
use crate::support::{Repo, Run, Sandbox, trace};

/// A writing command, and what it may be killed over.
struct Victim<'s> {
    sandbox: &'s Sandbox,
    /// What every run starts from.
    start: Repo<'s>,
    arguments: &'static [&'static str],
    input: &'static str,
    /// How it may end when it is run again after it had finished its work unseen.
    codes: &'static [i32],
}

/// A command that is run after a kill; it stores what waits in the spool, whatever else it does.
const NEXT: [&[&str]; 8] = [
    &["status"],
    &["show", "a.md"],
    &["list-frames", "a.md"],
    &["validate"],
    &["explain", "a.md"],
    &["log", "a.md"],
    &["regenerate", "--dry-run"],
    &["doctor", "--fix"],
];

impl<'s> Victim<'s> {
    /// A command without input, in a repository with this many files; with a remote beside it that is empty.
    fn new(sandbox: &'s Sandbox, files: usize, arguments: &'static [&'static str]) -> Self {
        drop(sandbox.bare("hub.git"));
        Self {
            sandbox,
            start: with_frames(sandbox, files),
            arguments,
            input: "",
            codes: &[0],
        }
    }

    fn run(&self, repo: &Repo<'_>) -> Run {
        at_noon(repo, self.arguments).input(self.input)
    }

    fn copy(&self, name: &str) -> Repo<'s> {
        self.start.copy_to(name)
    }

    /// Kills the command at points from its first to its last, and checks each state that is left.
    fn die_everywhere(&self) {
        let complete = self.copy("complete");
        let points = trace::count(&self.run(&complete));
        let output = points.output.exits(0);
        let (old, new) = (listing(&self.start), listing(&complete));
        assert_ne!(old, new, "the command writes:\n{output}");
        let tree = complete.id("refs/merkle/frames^{tree}");
        assert_eq!(complete.leftovers(), [] as [&str; 0]);
        let mut seen = BTreeSet::new();
        for (round, point) in trace::sample(points.points).into_iter().enumerate() {
            let repo = self.copy("killed");
            let traced = trace::kill_at(&self.run(&repo), point);
            let about = format!(
                "killed at point {point} of {}: {}",
                points.points, traced.output.command
            );
            let now = listing(&repo);
            assert!(
                now == old || now == new,
                "{about}\nneither the old nor the new store: {now:#?}"
            );
            seen.insert(now == new);
            self.check(&repo, (round, &tree), &about);
            std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
        }
        assert_eq!(
            seen,
            BTreeSet::from([false, true]),
            "both the old and the new store were left by some kill"
        );
    }

    /// Everything that must hold after a kill; in the end the command has been run again.
    fn check(&self, repo: &Repo<'_>, (round, tree): (usize, &str), about: &str) {
        let spooled = spooled(repo);
        user_is_not_disturbed(repo, self.sandbox);
        let next = repo.run("git-merkle").args(NEXT[round % NEXT.len()]).run();
        assert!(matches!(next.code, Some(0 | 1)), "{about}\n{next}");
        let stored = repo.frames();
        for frame in &spooled {
            assert!(
                stored.iter().any(|name| name.ends_with(frame)),
                "{about}\nwas not stored from the spool: {frame}"
            );
        }
        assert!(
            self::spooled(repo).is_empty(),
            "{about}\nthe spool is not emptied"
        );
        let again = self.run(repo).run();
        assert!(
            again.code.is_some_and(|code| self.codes.contains(&code)),
            "{about}\n{again}"
        );
        assert_eq!(repo.id("refs/merkle/frames^{tree}"), tree, "{about}");
        let known = repo
            .merkle(&["list-frames", "a.md", "--json", "--agent", "human"])
            .ok();
        assert!(known.contains("what is known\\n"), "{about}\n{known}");
        // A command that finds everything done writes nothing; the next one that does heals what is left.
        repo.put_frame("a.md", "the next one\n").ok();
        assert_eq!(repo.leftovers(), [] as [&str; 0], "{about}");
        repo.merkle(&["validate"]).ok();
    }
}

/// The ids of frames that wait in the spool, whole.
fn spooled(repo: &Repo<'_>) -> Vec<String> {
    let Ok(entries) = std::fs::read_dir(repo.path(".git/merkle/spool")) else {
        return Vec::new();
    };
    let names = entries.map(|entry| {
        entry
            .expect("a readable folder")
            .file_name()
            .to_string_lossy()
            .into_owned()
    });
    names
        .filter_map(|name| name.split_once('.').map(|(_, id)| id.to_owned()))
        .filter(|id| id.len() == 64)
        .collect()
}

/// What a person does with git next works as if nothing had happened.
pub(super) fn user_is_not_disturbed(repo: &Repo<'_>, sandbox: &Sandbox) {
    repo.git(&["fsck", "--strict", "--no-progress"]).ok();
    repo.git(&["status", "--porcelain"]).ok();
    repo.git(&["commit", "-q", "--allow-empty", "-m", "on with it"])
        .ok();
    repo.git(&["gc", "-q", "--prune=now"]).ok();
    let hub = sandbox.path("hub.git");
    let push = ["push", "-q", "--force"];
    repo.run("git")
        .args(push)
        .arg(&hub)
        .args([
            "HEAD:refs/heads/main",
            "refs/merkle/frames:refs/merkle/frames",
        ])
        .run()
        .ok();
}

#[test]
fn put_frame() {
    let sandbox = Sandbox::new();
    Victim {
        input: "said once\n",
        ..Victim::new(&sandbox, 3, &["put-frame", "d1/f1.rs", "-"])
    }
    .die_everywhere();
}

#[test]
fn a_small_run() {
    Victim::new(&Sandbox::new(), 3, &["regenerate"]).die_everywhere();
}

#[test]
fn a_gc() {
    let sandbox = Sandbox::new();
    let victim = Victim::new(&sandbox, 3, &["gc"]);
    victim.start.merkle(&["regenerate", "-q"]).ok();
    victim
        .start
        .fill("commit other\n+ d1/f1.rs = fn other() {}");
    victim.start.merkle(&["regenerate", "-q"]).ok();
    victim.die_everywhere();
}

#[test]
fn a_large_run() {
    Victim::new(&Sandbox::new(), 60, &["regenerate"]).die_everywhere();
}

#[test]
fn invalidate() {
    let sandbox = Sandbox::new();
    let victim = Victim {
        codes: &[0, 1],
        ..Victim::new(
            &sandbox,
            5,
            &["invalidate", "-r", ".", "--agent", "outline"],
        )
    };
    victim.start.merkle(&["regenerate"]).ok();
    victim.die_everywhere();
}

/// A kill between the move of the ref and the removal of the spool file leaves a frame in both.
#[test]
fn what_was_stored_already_does_not_come_back_over_what_was_said_since() {
    let sandbox = Sandbox::new();
    for round in 0..6 {
        let repo = sandbox.repo(&format!("work{round}"));
        repo.fill("commit file\n+ a.md = about");
        let put = |text: &str| repo.put_frame("a.md", text).ok();
        put(&format!("older {round}\n"));
        let library = repo.library();
        let state = git_merkle::git::StateDir::of(&library);
        let store = git_merkle::frame::Store::open(&library).expect("a store");
        let older = store
            .heads(&repo.id("HEAD:a.md").parse().expect("an id"))
            .expect("readable frames");
        git_merkle::frame::spool::put(&state, &older[0].frame).expect("a disk with room");
        put(&format!("newer {round}\n"));
        repo.merkle(&["status"]).ok();
        let head = repo.merkle(&["get-head", "a.md"]).ok();
        assert!(
            head.contains(&format!("newer {round}")) && repo.frames().len() == 2,
            "{head}"
        );
        assert_eq!(repo.leftovers(), [] as [&str; 0]);
    }
}

/// What a killed question had kept by then is used or read again; the answer is the same either way.
#[test]
fn a_question_that_is_killed_answers_the_next_time() {
    let sandbox = Sandbox::new();
    let start = with_frames(&sandbox, 40);
    let arguments = ["find", "number 7", "--json"];
    let complete = start.copy_to("complete");
    let points = trace::count(&at_noon(&complete, &arguments));
    let answer = complete.merkle(&arguments).ok();
    for point in trace::sample(points.points) {
        let repo = start.copy_to("killed");
        let traced = trace::kill_at(&at_noon(&repo, &arguments), point);
        let about = format!(
            "killed at point {point} of {}: {}",
            points.points, traced.output.command
        );
        assert_eq!(repo.merkle(&arguments).ok(), answer, "{about}");
        assert_eq!(
            repo.merkle(&arguments).ok(),
            answer,
            "{about}, out of the cache"
        );
        std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
    }
}
