//! SIGKILL at system calls of every step: the same command again leads to the same files.

use std::collections::BTreeMap;

use super::{FIXTURE, FOLDER, apply};
use crate::generate::{Protocol, World, command};
use crate::support::loopback::Loopback;
use crate::support::{Repo, Run, Sandbox, trace};

/// The steps of a session, and what is typed into them.
const STEPS: [(&[&str], &str); 5] = [
    (&["session", "new", "login", "-c", "src/"], ""),
    (&["turn", "new", "-m", "Free the lock."], ""),
    (&["turn", "respond", "-"], "THE PLAN\n"),
    (&["turn", "approve"], ""),
    (&["turn", "new"], ""),
];

/// All files of the session.
fn files(repo: &Repo<'_>) -> BTreeMap<String, String> {
    let mut files = BTreeMap::new();
    let mut folders = vec![repo.path(FOLDER)];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).into_iter().flatten().flatten() {
            if entry.path().is_dir() {
                folders.push(entry.path());
            } else {
                let name = entry
                    .path()
                    .strip_prefix(repo.path(""))
                    .expect("below")
                    .display()
                    .to_string();
                files.insert(name, std::fs::read_to_string(entry.path()).expect("a file"));
            }
        }
    }
    files
}

fn run(repo: &Repo<'_>, (arguments, input): (&[&str], &str)) -> Run {
    repo.run("git-merkle").args(arguments).input(input)
}

#[test]
fn any_step_can_be_killed_and_run_again() {
    let sandbox = Sandbox::new();
    let start = sandbox.repo("start");
    start.fill(FIXTURE);
    // The first session of a user makes the key that seals what the machine remembers; no later one does.
    run(&start.copy_to("first"), STEPS[0]).run().ok();
    let state = |steps: usize, name: &str| {
        let repo = start.copy_to(name);
        for step in &STEPS[..steps] {
            run(&repo, *step).run().ok();
        }
        repo
    };
    for (at, step) in STEPS.into_iter().enumerate() {
        // One place for all of them: the payload says where it stands.
        let whole = state(at, "work");
        let before = whole.copy_to("before");
        let points = trace::count(&run(&whole, step));
        drop(points.output.exits(0));
        let expected = files(&whole);
        std::fs::remove_dir_all(whole.path("")).expect("removable");
        for point in trace::sample(points.points).into_iter().step_by(4) {
            let repo = before.copy_to("work");
            let about = format!("{:?} killed at point {point} of {}", step.0, points.points);
            assert!(trace::kill_at(&run(&repo, step), point).killed, "{about}");
            let again = run(&repo, step).run();
            // What had been done unseen is refused the second time, and nothing is done twice.
            assert!(matches!(again.code, Some(0 | 65)), "{about}\n{again}");
            repo.merkle(&["session", "show", "login"]).ok();
            assert_eq!(files(&repo), expected, "{about}\n{again}");
            std::fs::remove_dir_all(repo.path("")).expect("removable");
        }
        std::fs::remove_dir_all(before.path("")).expect("removable");
    }
}

#[test]
fn an_answer_that_came_back_is_not_paid_for_twice() {
    let world = World::new(Protocol::OpenAi, Loopback::echo());
    let repo = world.repo(FIXTURE);
    repo.trust();
    repo.merkle(&["session", "new", "login"]).ok();
    repo.merkle(&["turn", "new", "-m", "Free the lock."]).ok();
    let work = repo.copy_to("work-one");
    work.trust();
    let points = trace::count(&command(&work, &["turn", "run"]));
    drop(points.output.exits(0));
    std::fs::remove_dir_all(work.path("")).expect("removable");
    let mut unpaid = 0;
    for point in trace::sample(points.points).into_iter().step_by(3) {
        let work = repo.copy_to("work-one");
        trace::kill_at(&command(&work, &["turn", "run"]), point);
        let kept = std::fs::read_dir(work.path(".git/merkle/answers")).map_or(0, |entries| {
            entries
                .flatten()
                .filter(|entry| {
                    entry
                        .path()
                        .extension()
                        .is_some_and(|extension| extension == "json")
                })
                .count()
        });
        let asked = world.server.posts().len();
        command(&work, &["turn", "run"]).run().ok();
        let response =
            std::fs::read_to_string(work.path(&format!("{FOLDER}/01/planning-response.md")))
                .expect("answered");
        assert!(!response.trim().is_empty());
        let meta = std::fs::read_to_string(work.path(&format!("{FOLDER}/01/meta.yaml")))
            .expect("a record");
        assert!(
            meta.contains("provider: m") && meta.contains("input: 100"),
            "point {point}: {meta}"
        );
        if kept > 0 {
            assert_eq!(
                world.server.posts().len(),
                asked,
                "point {point}: it was kept, and asked again"
            );
            unpaid += 1;
        }
        std::fs::remove_dir_all(work.path("")).expect("removable");
    }
    assert!(
        unpaid > 0,
        "some kill came between the answer and its place in the session"
    );
}

#[test]
fn a_kill_between_two_files_is_undone_or_completed() {
    let sandbox = Sandbox::new();
    let start = sandbox.repo("start");
    start.fill(FIXTURE);
    apply::accepted(
        &start,
        concat!(
            "## `src/lock.rs`\n```\npub fn free() {}\n```\n## `src/new/one.rs`\n```\n// one\n```\n",
            "## `src/two.rs`\n```\n// two\n```\n- delete `README.md`\n",
        ),
    );
    let step: (&[&str], &str) = (&["turn", "apply"], "");
    let undo: (&[&str], &str) = (&["turn", "apply", "--undo"], "");
    let old = apply::files(&start);
    let whole = start.copy_to("work");
    let points = trace::count(&run(&whole, step));
    drop(points.output.exits(0));
    let new = apply::files(&whole);
    let undoing = trace::count(&run(&whole, undo));
    drop(undoing.output.exits(0));
    assert_eq!(apply::files(&whole), old);
    std::fs::remove_dir_all(whole.path("")).expect("removable");
    let mut halves = 0;
    for (round, point) in trace::sample(points.points)
        .into_iter()
        .step_by(2)
        .enumerate()
    {
        let repo = start.copy_to("work");
        let about = format!("killed at point {point} of {}", points.points);
        assert!(trace::kill_at(&run(&repo, step), point).killed, "{about}");
        let left = apply::files(&repo);
        halves += usize::from(left != old && left != new);
        if round % 2 == 0 {
            run(&repo, step).run().ok();
            assert_eq!(apply::files(&repo), new, "{about}");
        }
        let undone = run(&repo, undo).run();
        assert!(matches!(undone.code, Some(0 | 65)), "{about}\n{undone}");
        assert_eq!(apply::files(&repo), old, "{about}\n{undone}");
        std::fs::remove_dir_all(repo.path("")).expect("removable");
    }
    assert!(halves > 0, "some kill came between two files");
    for point in trace::sample(undoing.points).into_iter().step_by(4) {
        let repo = start.copy_to("work");
        run(&repo, step).run().ok();
        let about = format!("undo killed at point {point} of {}", undoing.points);
        assert!(trace::kill_at(&run(&repo, undo), point).killed, "{about}");
        let undone = run(&repo, undo).run();
        assert!(matches!(undone.code, Some(0 | 65)), "{about}\n{undone}");
        assert_eq!(apply::files(&repo), old, "{about}\n{undone}");
        std::fs::remove_dir_all(repo.path("")).expect("removable");
    }
}
