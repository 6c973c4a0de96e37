//! SIGKILL at system calls spread over the hooks' worker, and over a hook: git goes on, and the next one does the work.

use std::collections::BTreeSet;
use std::time::{Duration, Instant};

use git_merkle::hook::marker::{self, Marker};
use git_merkle::hook::worker;

use super::kill::user_is_not_disturbed;
use super::with_frames;
use crate::support::{PROGRAM, Repo, Run, Sandbox, trace};

/// Points of the small tier: after each of them git and the next worker run for a second.
const SMALL_TIER_POINTS: usize = 20;

/// Two worktrees in which something was committed that no worker has seen.
struct World<'s> {
    main: Repo<'s>,
    linked: Repo<'s>,
}

impl<'s> World<'s> {
    fn new(sandbox: &'s Sandbox) -> Self {
        drop(sandbox.bare("hub.git"));
        let start = with_frames(sandbox, 3);
        start.config_global("merkle.hookQuiet", "1ms");
        start.merkle(&["regenerate"]).ok();
        let linked = start.worktree("start-linked", "HEAD");
        linked.fill("commit in the linked one\n+ d1/linked.rs = fn linked() {}");
        start.fill("commit in the first one\n+ d2/first.rs = fn first() {}");
        start.merkle(&["hooks", "install", "--mode=hookdir"]).ok();
        Self {
            main: start,
            linked,
        }
    }

    /// An exact copy, its linked worktree included.
    fn copy(&self, name: &str) -> Self {
        let (main, linked) = (
            self.main.copy_to(name),
            self.linked.copy_to(&format!("{name}-linked")),
        );
        let own = main.path(".git/worktrees/start-linked");
        linked.put(".git", format!("gitdir: {}\n", own.display()));
        std::fs::write(
            own.join("gitdir"),
            format!("{}\n", linked.path(".git").display()),
        )
        .expect("a copy can be written");
        Self { main, linked }
    }

    fn remove(self) {
        for repo in [self.main, self.linked] {
            std::fs::remove_dir_all(repo.path("")).expect("a copy can be removed");
        }
    }

    /// What a hook in each worktree leaves, before a worker is there.
    fn leave_markers(&self) {
        for repo in [&self.main, &self.linked] {
            let directory = repo.path("").canonicalize().expect("it is there");
            let git_dir = repo
                .git(&["rev-parse", "--absolute-git-dir"])
                .ok()
                .trim_end()
                .into();
            let marker = Marker {
                git_dir,
                directory,
                event: "post-commit".to_owned(),
            };
            marker::leave(&self.main.unsealed_state(), &marker).expect("writable");
        }
    }

    /// How much is still to be done for whatever hooks have left.
    fn waiting(&self) -> usize {
        marker::list(&self.main.unsealed_state())
            .expect("readable")
            .len()
    }

    /// Waits until no worker is at work and no marker is left.
    fn settle(&self, about: &str) {
        let (state, deadline) = (
            self.main.unsealed_state(),
            Instant::now() + Duration::from_mins(1),
        );
        while self.waiting() > 0 || worker::is_at_work(&state) {
            assert!(
                Instant::now() < deadline,
                "{about}\nthe worker does not end, {} waiting",
                self.waiting()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
    }

    #[track_caller]
    fn assert_fresh(&self, about: &str) {
        for repo in [&self.main, &self.linked] {
            let status = repo.merkle(&["status", "--exit-code"]);
            assert_eq!(status.code, Some(0), "{about}\n{status}");
        }
    }

    /// Everything that must hold after a kill. The next one is a hook in turns, and a command in the foreground.
    fn check(&self, sandbox: &Sandbox, (round, next): (usize, &Repo<'_>), about: &str) {
        assert!(
            !worker::is_at_work(&self.main.unsealed_state()),
            "{about}\na dead worker holds its lock"
        );
        let by_hook = round.is_multiple_of(2);
        self.main
            .config("merkle.hooks", if by_hook { "true" } else { "false" });
        user_is_not_disturbed(next, sandbox);
        if !by_hook {
            for repo in [&self.main, &self.linked] {
                repo.merkle(&["regenerate"]).ok();
            }
            self.assert_fresh(about);
            self.main.config("merkle.hooks", "true");
            next.git(&["commit", "-q", "--allow-empty", "-m", "with hooks again"])
                .ok();
        }
        self.settle(about);
        self.assert_fresh(about);
        let known = self
            .main
            .merkle(&["list-frames", "a.md", "--json", "--agent", "human"])
            .ok();
        assert!(known.contains("what is known\\n"), "{about}\n{known}");
        // A command that finds everything done writes nothing; the next one that does heals what is left.
        self.main.put_frame("a.md", "the next one\n").ok();
        assert_eq!(self.main.leftovers(), [] as [&str; 0], "{about}");
        self.main.merkle(&["validate"]).ok();
    }

    /// Kills a command at points from its first to its last; what is left to be done afterwards.
    fn die_everywhere(
        &self,
        sandbox: &Sandbox,
        command: fn(&Self) -> Run,
        next: fn(&Self) -> &Repo<'s>,
    ) -> BTreeSet<usize> {
        let complete = self.copy("complete");
        let points = trace::count(&command(&complete));
        points.output.ok();
        complete.settle("undisturbed");
        complete.remove();
        let mut seen = BTreeSet::new();
        for (round, point) in trace::sample_of(points.points, SMALL_TIER_POINTS)
            .into_iter()
            .enumerate()
        {
            let world = self.copy("killed");
            let traced = trace::kill_at(&command(&world), point);
            let about = format!(
                "killed at point {point} of {}: {}",
                points.points, traced.output.command
            );
            seen.insert(world.waiting());
            world.check(sandbox, (round, next(&world)), &about);
            world.remove();
        }
        seen
    }
}

#[test]
fn the_worker() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox);
    let worker = |world: &World<'_>| {
        world.leave_markers();
        world.main.run(PROGRAM).args(["hooks", "worker"])
    };
    // The hook that comes next is that of one worktree; the other one's marker still counts.
    let left = world.die_everywhere(&sandbox, worker, |world| &world.main);
    assert_eq!(
        left,
        BTreeSet::from([0, 1, 2]),
        "both, one and none were done when the worker died"
    );
}

#[test]
fn a_hook_with_the_worker_that_it_starts() {
    let sandbox = Sandbox::new();
    let world = World::new(&sandbox);
    world.main.merkle(&["regenerate"]).ok();
    let hook = |world: &World<'_>| {
        world
            .linked
            .run(PROGRAM)
            .args(["hooks", "run", "post-commit"])
    };
    let left = world.die_everywhere(&sandbox, hook, |world| &world.linked);
    assert_eq!(
        left,
        BTreeSet::from([0, 1]),
        "the marker was and was not there, or its work done"
    );
}
