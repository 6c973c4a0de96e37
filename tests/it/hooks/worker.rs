//! The hooks' worker: after whatever git did, once it is quiet, every node of `HEAD` is fresh, and git noticed nothing.

use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use git_merkle::hook::marker::{self, Marker};
use git_merkle::hook::worker;
use nix::sys::signal::{Signal, kill};
use nix::unistd::Pid;

use crate::generate::Protocol;
use crate::support::batches::{BatchServer, Fate};
use crate::support::loopback::{Loopback, Recorded};
use crate::support::{PROGRAM, Repo, Run, Sandbox};

/// Files of the repository; a longer run by the variable `MERKLE_TEST_FILES`.
const FILES: usize = 200;
/// From a thousand on the rebase has 200 commits.
const FILES_VARIABLE: &str = "MERKLE_TEST_FILES";

pub(super) fn install(repo: &Repo<'_>) {
    repo.merkle(&["hooks", "install", "--mode=hookdir"]).ok();
}

/// A repository with hooks, and patience of a tenth of a second.
fn hooked<'s>(sandbox: &'s Sandbox, quiet: &str) -> Repo<'s> {
    let repo = sandbox.repo("work");
    repo.config_global("merkle.hookQuiet", quiet);
    install(&repo);
    repo
}

/// Waits until no worker is at work and no marker is left.
pub(crate) fn settle(repo: &Repo<'_>) {
    let (state, deadline) = (
        repo.unsealed_state(),
        Instant::now() + Duration::from_mins(1),
    );
    // In this order: a worker that takes the last marker between the two looks holds its lock by then.
    while !marker::list(&state).expect("readable").is_empty() || worker::is_at_work(&state) {
        assert!(Instant::now() < deadline, "the worker is still at work");
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// One line for each run of the worker.
pub(super) fn log(repo: &Repo<'_>) -> Vec<String> {
    let text = fs::read_to_string(repo.unsealed_state().folder("log").shown_file("worker.log"))
        .unwrap_or_default();
    text.lines()
        .map(|line| {
            line.split_once(' ')
                .map_or(line, |(_, rest)| rest)
                .to_owned()
        })
        .collect()
}

#[track_caller]
fn assert_fresh(repo: &Repo<'_>) {
    settle(repo);
    let status = repo.merkle(&["status", "--exit-code"]);
    assert_eq!(status.code, Some(0), "{status}\n{:#?}", log(repo));
}

#[expect(
    clippy::disallowed_methods,
    reason = "how much is tested is the caller's choice"
)]
fn files() -> usize {
    std::env::var(FILES_VARIABLE)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(FILES)
}

fn fill(repo: &Repo<'_>) {
    let files = files();
    for file in 0..files {
        let folder = repo.path(&format!("d{}/e{}", file % 10, file % 7));
        fs::create_dir_all(&folder).expect("writable");
        fs::write(
            folder.join(format!("f{file}.rs")),
            format!("pub fn f{file}() {{}}\n"),
        )
        .expect("writable");
    }
    commit(repo, "all");
}

/// An edit of a file, committed.
pub(super) fn commit(repo: &Repo<'_>, message: &str) {
    repo.commit(message);
}

pub(super) fn edit(repo: &Repo<'_>, path: &str, text: &str) {
    repo.put(path, text);
}

/// Something that is done with git, in one repository after the other: what is written before, then commands, of which the
/// last one calls hooks.
struct Step {
    name: &'static str,
    edits: &'static [(&'static str, &'static str)],
    commands: &'static [&'static [&'static str]],
}

const fn step(
    name: &'static str,
    edits: &'static [(&'static str, &'static str)],
    commands: &'static [&'static [&'static str]],
) -> Step {
    Step {
        name,
        edits,
        commands,
    }
}

const STEPS: &[Step] = &[
    step(
        "commit",
        &[("d1/e1/f1.rs", "pub fn one() {}\n")],
        &[&["commit", "-q", "-a", "-m", "edit"]],
    ),
    step(
        "amend",
        &[],
        &[&["commit", "-q", "--amend", "-m", "other words"]],
    ),
    step(
        "amend with an edit",
        &[("d1/e1/f1.rs", "pub fn uno() {}\n")],
        &[&["commit", "-q", "--amend", "-a", "-m", "more"]],
    ),
    step(
        "only a body",
        &[("d1/e1/f1.rs", "pub fn uno() { body() }\n")],
        &[&["commit", "-q", "-a", "-m", "body"]],
    ),
    step("new branch", &[], &[&["checkout", "-q", "-b", "side"]]),
    step(
        "removal",
        &[],
        &[
            &["rm", "-q", "d2/e2/f2.rs"],
            &["commit", "-q", "-m", "remove"],
        ],
    ),
    step("checkout", &[], &[&["checkout", "-q", "main"]]),
    step(
        "rename",
        &[],
        &[
            &["mv", "d3/e3/f3.rs", "moved.rs"],
            &["commit", "-q", "-m", "move"],
        ],
    ),
    step("merge", &[], &[&["merge", "-q", "--no-edit", "side"]]),
    step(
        "older commit",
        &[],
        &[&["checkout", "-q", "-b", "picks", "main~1~1"]],
    ),
    step("cherry-pick", &[], &[&["cherry-pick", "side"]]),
    step(
        "reset",
        &[],
        &[
            &["checkout", "-q", "main"],
            &["reset", "-q", "--hard", "main~1"],
            &["checkout", "-q", "main"],
        ],
    ),
    step(
        "stash",
        &[("d1/e1/f1.rs", "not committed\n")],
        &[&["stash", "-q"], &["checkout", "-q", "picks"]],
    ),
    step(
        "unstash",
        &[],
        &[
            &["stash", "pop", "-q"],
            &["commit", "-q", "-a", "-m", "taken back"],
        ],
    ),
    step(
        "mail",
        &[],
        &[
            &["format-patch", "-q", "-1", "--output=../mail", "side"],
            &["checkout", "-q", "main"],
            &["am", "-q", "../mail"],
        ],
    ),
    step(
        "part",
        &[
            ("d4/e4/f4.rs", "pub fn four() {}\n"),
            ("d5/e5/f5.rs", "pub fn five() {}\n"),
        ],
        &[&["commit", "-q", "-m", "part", "d4/e4/f4.rs"]],
    ),
    step("rest", &[], &[&["commit", "-q", "-a", "-m", "rest"]]),
];

/// The sum of the numbers before a word, wherever it stands in the lines that were added to the log.
pub(super) fn sum(repo: &Repo<'_>, lines: usize, word: &str) -> usize {
    let log = log(repo);
    let words: Vec<&str> = log[lines..]
        .iter()
        .flat_map(|line| line.split([' ', ',']))
        .collect();
    assert!(words.contains(&word), "'{word}' in {log:#?}");
    let numbers = words
        .windows(2)
        .filter(|pair| pair[1] == word)
        .map(|pair| pair[0].parse::<usize>().expect("a number"));
    numbers.sum()
}

/// What must be looked at from one tree to another, as git counts: the entries of the directories that changed, each
/// object once; and of those the objects that are new to their place, which alone may need a frame.
pub(super) fn difference(repo: &Repo<'_>, old: &str, new: &str) -> (usize, BTreeSet<String>) {
    let (mut looked_at, mut changed) = (BTreeSet::new(), BTreeSet::new());
    if old != new {
        changed.insert(new.to_owned());
        let listing = repo
            .git(&[
                "diff-tree",
                "-r",
                "-t",
                "--no-renames",
                "--diff-filter=d",
                old,
                new,
            ])
            .ok();
        changed.extend(
            listing
                .lines()
                .filter_map(|line| line.split(' ').nth(3))
                .map(ToOwned::to_owned),
        );
    }
    for id in &changed {
        looked_at.insert(id.clone());
        if repo.git(&["cat-file", "-t", id]).ok() == "tree\n" {
            let entries = repo.git(&["ls-tree", "--object-only", id]).ok();
            looked_at.extend(entries.lines().map(ToOwned::to_owned));
        }
    }
    (looked_at.len(), changed)
}

/// How many nodes must be looked at since a tree, and how many of them have no frame among those that there were.
fn cost(repo: &Repo<'_>, (old, frames): (&str, &[String])) -> (usize, usize) {
    let (looked_at, changed) = difference(repo, old, &repo.id("HEAD^{tree}"));
    let is_known = |id: &&String| {
        frames
            .iter()
            .any(|frame| frame.replace('/', "").contains(id.as_str()))
    };
    (
        looked_at,
        changed.len() - changed.iter().filter(is_known).count(),
    )
}

/// Lets something happen, and demands that the worker did what had to be done, at once, and nothing else.
#[track_caller]
fn check(repo: &Repo<'_>, name: &str, happens: impl FnOnce()) {
    let (old, lines, frames) = (repo.id("HEAD^{tree}"), log(repo).len(), repo.frames());
    happens();
    assert_fresh(repo);
    let (looked_at, missing) = cost(repo, (&old, &frames));
    let did = (
        log(repo).len() - lines,
        sum(repo, lines, "visited"),
        repo.frames().len() - frames.len(),
    );
    assert_eq!(
        did,
        (1, looked_at, missing),
        "{name}: runs, nodes visited, frames written: {:#?}",
        &log(repo)[lines..]
    );
    assert_eq!(
        sum(repo, lines, "stored"),
        missing,
        "{name}: {:#?}",
        &log(repo)[lines..]
    );
}

#[test]
fn whatever_git_does_every_node_is_fresh_afterwards_and_nothing_else_was_looked_at() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "250ms");
    fill(&repo);
    assert_fresh(&repo);
    assert_eq!(log(&repo).len(), 1);
    for Step {
        name,
        edits,
        commands,
    } in STEPS
    {
        check(&repo, name, || {
            for (path, text) in *edits {
                edit(&repo, path, text);
            }
            for command in *commands {
                repo.git(command).ok();
            }
        });
    }
    check(&repo, "bare search path, no terminal", || {
        edit(&repo, "d8/e1/f8.rs", "pub fn eight() {}\n");
        let run = repo.run("git").env("PATH", "/usr/bin:/bin").env("TERM", "");
        run.args([
            "commit",
            "-q",
            "-a",
            "-m",
            "where nothing is on the search path",
        ])
        .run()
        .ok();
    });
    let clone = repo.clone_to("clone", &[]);
    install(&clone);
    clone.merkle(&["regenerate"]).ok();
    check(&clone, "pull", || {
        edit(&repo, "d7/e7/f7.rs", "pub fn seven() {}\n");
        commit(&repo, "to be pulled");
        clone.git(&["pull", "-q"]).ok();
    });
    settle(&repo);
    check(&repo, "new worktree", || {
        drop(repo.worktree("other", "main"));
    });
    let tree = Repo::at(&sandbox, sandbox.path("other"));
    let (lines, frames) = (log(&repo).len(), repo.frames().len());
    edit(&tree, "d6/e6/f6.rs", "pub fn six() {}\n");
    commit(&tree, "in another worktree");
    settle(&repo);
    assert_eq!(
        tree.merkle(&["status", "--exit-code"]).code,
        Some(0),
        "{:#?}",
        log(&repo)
    );
    assert_eq!(
        (log(&repo).len() - lines, repo.frames().len() - frames),
        (1, 4),
        "the file, two directories and the root"
    );
    repo.assert_sound();
}

#[test]
fn a_rebase_of_many_commits_is_one_or_two_runs_and_dropped_commits_are_not_made() {
    for backend in ["--merge", "--apply"] {
        let sandbox = Sandbox::new();
        let repo = hooked(&sandbox, "400ms");
        fill(&repo);
        repo.git(&["checkout", "-q", "-b", "side"]).ok();
        for number in 0..if files() < 1_000 { 40 } else { 200 } {
            edit(
                &repo,
                "d0/e0/f0.rs",
                &format!("pub fn zero{number}() {{}}\n"),
            );
            commit(&repo, "one more");
        }
        repo.git(&["checkout", "-q", "main"]).ok();
        edit(&repo, "d9/new.rs", "pub fn new() {}\n");
        commit(&repo, "base");
        repo.git(&["checkout", "-q", "side"]).ok();
        assert_fresh(&repo);
        let (old, lines, frames) = (repo.id("HEAD^{tree}"), log(&repo).len(), repo.frames());
        repo.git(&["rebase", "-q", backend, "main"]).ok();
        assert_fresh(&repo);
        let runs = log(&repo).len() - lines;
        assert!((1..=2).contains(&runs), "{backend}: {:#?}", log(&repo));
        let (looked_at, missing) = cost(&repo, (&old, &frames));
        assert_eq!(
            repo.frames().len() - frames.len(),
            missing,
            "{backend}: only of what the last commit has"
        );
        assert!(
            sum(&repo, lines, "visited") <= runs * looked_at,
            "{backend}: {:#?}",
            log(&repo)
        );
    }
}

/// The worker of a repository, as the kernel lists it.
pub(super) fn worker_pid(repo: &Repo<'_>) -> String {
    let words = [
        "-C".to_owned(),
        repo.path("")
            .canonicalize()
            .expect("it is there")
            .display()
            .to_string(),
        "hooks".to_owned(),
    ];
    let is_worker = |pid: &str| {
        let line = fs::read(format!("/proc/{pid}/cmdline")).unwrap_or_default();
        let line: Vec<_> = line
            .split(|byte| *byte == 0)
            .skip(1)
            .map(String::from_utf8_lossy)
            .collect();
        line.len() > 3
            && line[..3]
                .iter()
                .zip(&words)
                .all(|(a, b)| a.trim_end_matches('/') == b.trim_end_matches('/'))
    };
    let processes = fs::read_dir("/proc").expect("processes").flatten();
    let mut pids = processes.map(|entry| entry.file_name().to_string_lossy().into_owned());
    pids.find(|pid| is_worker(pid)).expect("a worker runs")
}

#[test]
fn a_commit_returns_before_its_work_is_done_and_says_what_it_always_says() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "1h");
    edit(&repo, "a.rs", "pub fn a() {}\n");
    repo.git(&["add", "-A"]).ok();
    let said = repo
        .run("sh")
        .args([
            "-c",
            "exec 9>held; out=$(git commit -m one 9>&9); printf %s \"$out\"",
        ])
        .run();
    assert!(
        said.out().starts_with("[main (root-commit) ") && said.err().is_empty(),
        "{said}"
    );
    let state = repo.unsealed_state();
    assert_eq!(
        marker::list(&state).expect("readable").len(),
        1,
        "the work still waits"
    );
    let deadline = Instant::now() + Duration::from_mins(1);
    while !worker::is_at_work(&state) {
        assert!(Instant::now() < deadline, "the worker has not started");
        std::thread::sleep(Duration::from_millis(10));
    }
    let pid = worker_pid(&repo);
    let open: Vec<_> = fs::read_dir(format!("/proc/{pid}/fd"))
        .expect("it runs")
        .flatten()
        .collect();
    let held = open
        .iter()
        .filter_map(|entry| fs::read_link(entry.path()).ok())
        .any(|path| path.ends_with("held"));
    assert!(!held, "nothing of the caller stays open");
    let stat = fs::read_to_string(format!("/proc/{pid}/stat")).expect("it runs");
    let session = stat
        .rsplit(") ")
        .next()
        .and_then(|rest| rest.split(' ').nth(3))
        .expect("a field");
    assert_eq!(session, pid, "a session of its own");
    let seen = fs::read_to_string(format!("/proc/{pid}/environ")).expect("readable");
    assert!(
        !seen.contains("GIT_INDEX_FILE") && !seen.contains("GIT_DIR="),
        "{seen}"
    );
    // Killed in the middle: no lock stays, and the next command does the work.
    kill(
        Pid::from_raw(pid.parse().expect("a number")),
        Signal::SIGKILL,
    )
    .expect("it runs");
    repo.merkle(&["regenerate"]).ok();
    repo.config_global("merkle.hookQuiet", "50ms");
    repo.git(&["commit", "-q", "--allow-empty", "-m", "two"])
        .ok();
    assert_fresh(&repo);
}

#[test]
fn a_marker_waits_until_its_work_is_done() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    let state = repo.unsealed_state();
    let worktrees = repo.path(".git/worktrees");
    for name in ["1", "2"] {
        fs::create_dir_all(worktrees.join(name)).expect("writable");
    }
    let event = |name: &str, hook: &str| Marker {
        git_dir: worktrees.join(name),
        directory: "/w".into(),
        event: hook.to_owned(),
    };
    let (one, two) = (event("1", "post-commit"), event("2", "post-merge"));
    let waiting = || {
        marker::list(&state)
            .expect("writable")
            .into_iter()
            .map(|(marker, _)| marker)
            .collect::<Vec<_>>()
    };
    assert_eq!(waiting(), []);
    marker::leave(&state, &one).expect("writable");
    marker::leave(&state, &two).expect("writable");
    marker::take(&state, &one).expect("writable");
    assert_eq!(
        waiting(),
        [two.clone(), one.clone()],
        "what was taken once comes last"
    );
    let again = event("1", "post-rewrite");
    marker::leave(&state, &again).expect("writable");
    assert_eq!(
        waiting(),
        [again.clone(), two.clone()],
        "one worktree, one marker"
    );
    marker::finish(&state, &one).expect("writable");
    assert_eq!(
        waiting(),
        [again.clone(), two],
        "what was left meanwhile is not done"
    );
    marker::take(&state, &again).expect("writable");
    marker::take(&state, &again).expect("writable");
    marker::finish(&state, &again).expect("writable");
    marker::finish(&state, &again).expect("writable");
    assert_eq!(waiting().len(), 1);
    let queue = state.folder("queue").shown();
    let name = fs::read_dir(&queue)
        .expect("readable")
        .flatten()
        .next()
        .expect("one")
        .file_name();
    fs::rename(queue.join(name), queue.join("0123456789abcdef")).expect("writable");
    assert_eq!(
        waiting(),
        [],
        "what stands under a name that is not its own would never be done"
    );
    assert_eq!(fs::read_dir(&queue).expect("readable").count(), 0);
}

#[test]
fn git_notices_nothing() {
    let sandbox = Sandbox::new();
    let with = hooked(&sandbox, "50ms");
    let without = sandbox.repo("plain");
    let mut said = Vec::new();
    for repo in [&with, &without] {
        let mut outputs = Vec::new();
        for number in 0..100 {
            edit(repo, "a.rs", &format!("pub fn a{number}() {{}}\n"));
            repo.git(&["add", "-A"]).ok();
            let dates = ["GIT_AUTHOR_DATE", "GIT_COMMITTER_DATE"];
            let run: Run = dates.iter().fold(repo.run("git"), |run, name| {
                run.env(name, format!("{} +0000", 1_800_000_000 + number))
            });
            let output = run.args(["commit", "-m", "one more"]).run();
            outputs.push((output.code, output.out(), output.err()));
        }
        settle(repo);
        outputs.push((
            None,
            repo.git(&["status", "--porcelain=v2", "--branch"]).ok(),
            repo.git(&["config", "--local", "-l"]).ok(),
        ));
        outputs.push((
            None,
            repo.git(&["reflog", "HEAD"]).ok(),
            repo.git(&["for-each-ref", "refs/heads"]).ok(),
        ));
        said.push(outputs);
    }
    assert_eq!(said[0], said[1]);
    assert_fresh(&with);
}

#[test]
fn switched_off_or_not_installed_it_leaves_nothing() {
    let sandbox = Sandbox::new();
    let repo = sandbox.repo("work");
    repo.config_global("merkle.hookQuiet", "1h");
    edit(&repo, "a.rs", "pub fn a() {}\n");
    let hook = |name: &str, value: &str| {
        let output = repo
            .run(PROGRAM)
            .args(["hooks", "run", "post-commit"])
            .env(name, value)
            .run();
        assert_eq!(
            (output.code, output.out(), output.err()),
            (Some(0), String::new(), String::new()),
            "{name}"
        );
    };
    // A folder of hooks that all repositories share, one of which has asked for them.
    repo.config_global("core.hooksPath", "~/hooks");
    let other = sandbox.repo("other");
    other
        .merkle(&["hooks", "install", "--mode=hookdir", "--force"])
        .ok();
    let shared = sandbox.path("home/hooks/post-commit");
    assert!(shared.exists());
    commit(&repo, "where nobody asked for anything");
    hook("X", "y");
    assert!(!repo.path(".git/merkle").exists(), "not installed here");
    repo.merkle(&["hooks", "install", "--mode=hookdir", "--force"])
        .ok();
    let block = fs::read(&shared).expect("a hook");
    repo.merkle(&["hooks", "uninstall"]).ok();
    fs::write(&shared, block).expect("writable");
    fs::set_permissions(&shared, fs::Permissions::from_mode(0o755)).expect("allowed");
    edit(&repo, "a.rs", "pub fn b() {}\n");
    commit(&repo, "after it was taken out");
    hook("X", "y");
    assert!(!repo.path(".git/merkle").exists(), "taken out here");
    repo.merkle(&["hooks", "install", "--mode=hookdir", "--force"])
        .ok();
    let queue = repo.unsealed_state().folder("queue").shown();
    for (name, value) in [("GIT_MERKLE_HOOKS", "0"), ("CI", "true")] {
        hook(name, value);
        assert!(!queue.exists(), "{name}");
    }
    repo.config("merkle.hooks", "false");
    hook("X", "y");
    assert!(!queue.exists());
    let outside = sandbox
        .run(PROGRAM, &sandbox.path("home"))
        .args(["hooks", "run", "post-commit"])
        .run();
    assert_eq!(
        (outside.code, outside.out(), outside.err()),
        (Some(0), String::new(), String::new())
    );
    // Lines that somebody wrote by hand are switched on by the setting.
    repo.merkle(&["hooks", "uninstall"]).ok();
    repo.config("merkle.hooks", "true");
    repo.config_global("merkle.hookQuiet", "1ms");
    hook("CI", "true");
    assert_fresh(&repo);
}

#[test]
fn what_went_wrong_is_told_once() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "400ms");
    edit(&repo, "a.rs", "pub fn a() {}\n");
    commit(&repo, "one");
    // By the time that the worker looks, the user's configuration makes no sense.
    repo.config_global("merkle.defaultAgent", "no agent at all");
    settle(&repo);
    assert!(
        log(&repo)
            .last()
            .is_some_and(|line| line.contains("failed")),
        "{:#?}",
        log(&repo)
    );
    repo.git(&["config", "--global", "--unset", "merkle.defaultAgent"])
        .ok();
    assert!(
        repo.merkle(&["status"])
            .err()
            .contains("warning: the hooks' worker: bad value 'no agent at all'")
    );
    assert_eq!(repo.merkle(&["status"]).err(), "");
    repo.merkle(&["regenerate"]).ok();
    assert_fresh(&repo);
}

#[test]
fn an_agent_that_costs_something_runs_within_the_users_own_budget_only() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "50ms");
    let model =
        Loopback::answering(|request| format!("said of {} bytes", request.last_user().len()));
    set_up_docs(&sandbox, &repo, "local", &model);
    edit(&repo, "a.rs", "pub fn a() {}\n");
    commit(&repo, "one");
    settle(&repo);
    assert_eq!(model.posts().len(), 0, "it was never put to work here");
    repo.merkle(&["regenerate", "--agent", "docs", "--yes"])
        .ok();
    let asked = model.posts().len();
    let mut edits = 0;
    let mut after_edit = || {
        edits += 1;
        edit(&repo, "a.rs", &format!("pub fn a{edits}() {{}}\n"));
        commit(&repo, "edit");
        settle(&repo);
        model.posts().len() - asked
    };
    assert_eq!(after_edit(), 0, "no budget, no call");
    repo.config("merkle.hookBudget", "5");
    assert_eq!(after_edit(), 0, "a repository gives no budget");
    repo.git(&["config", "--unset", "merkle.hookBudget"]).ok();
    repo.config_global("merkle.hookBudget", "5");
    assert_eq!(after_edit(), 2, "the file and the root");
    repo.config_global("merkle.hookBudget", "0.000001");
    assert_eq!(after_edit(), 2, "what is spent today is more than that");
    assert!(
        repo.merkle(&["status"])
            .err()
            .contains("the hooks' worker: agent 'docs': the budget of")
    );
}

/// An agent of the user's own, and a provider at a server.
pub(super) fn set_up_docs(sandbox: &Sandbox, repo: &Repo<'_>, kind: &str, server: &Loopback) {
    for (name, value) in [
        ("kind", kind),
        ("endpoint", &server.endpoint()),
        ("model", "m"),
        ("priceInput", "1"),
        ("priceOutput", "1"),
    ] {
        repo.config_global(&format!("merkle.provider.m.{name}"), value);
    }
    let agents = sandbox.path("home/.config/git-merkle/agents");
    fs::create_dir_all(&agents).expect("writable");
    fs::write(
        agents.join("docs.toml"),
        "id = \"docs\"\nrole = \"writer\"\nsystem_prompt = \"Be brief.\"\n",
    )
    .expect("writable");
}

/// Before, one trial frame and a budget made the worker describe the whole repository.
#[test]
fn a_paid_agent_says_anew_what_it_has_said_and_nothing_else() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "50ms");
    let model =
        Loopback::answering(|request| format!("said of {} bytes", request.last_user().len()));
    set_up_docs(&sandbox, &repo, "local", &model);
    repo.config_global("merkle.hookBudget", "1");
    for path in ["README.md", "d/a.rs", "d/b.rs", "d/e/c.rs"] {
        edit(&repo, path, &format!("// {path}\n"));
    }
    commit(&repo, "one");
    settle(&repo);
    let asks = || model.posts().len();
    let mut last = 0;
    let mut calls = |path: &str, text: &str| {
        edit(&repo, path, text);
        commit(&repo, "edit");
        settle(&repo);
        let before = std::mem::replace(&mut last, asks());
        last - before
    };
    repo.merkle(&["regenerate", "README.md", "--agent", "docs", "--yes"])
        .ok();
    assert_eq!(
        calls("d/a.rs", "// other\n"),
        1,
        "the one that was asked for by hand; none for a file that was never described"
    );
    assert_eq!(
        calls("README.md", "# Changed\n"),
        1,
        "the file that was described; its directory never was"
    );
    assert_eq!(calls("new.rs", "// new\n"), 0, "a new file");
    repo.merkle(&["regenerate", "d", "--agent", "docs", "--yes"])
        .ok();
    let described = calls("d/b.rs", "// b, other\n") - 5;
    assert_eq!(
        described, 2,
        "the file and its directory, not the root; five were asked for by hand"
    );
    // A new file in a directory that was described: the directory says something else, the file was never spoken about.
    assert_eq!(calls("d/new.rs", "// new\n"), 1);
    repo.config("merkle.hookComplete", "true");
    assert_eq!(
        calls("new.rs", "// newer\n"),
        0,
        "a repository cannot ask for more"
    );
    repo.git(&["config", "--unset", "merkle.hookComplete"]).ok();
    repo.config_global("merkle.hookComplete", "true");
    assert!(
        calls("new.rs", "// newest\n") >= 3,
        "the user can: the new files and the root"
    );
    assert_fresh(&repo);
}

/// Before, nothing but `synthesize` itself made a synthesis again.
#[test]
fn syntheses_follow_a_commit_whoever_spoke() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "50ms");
    edit(&repo, "d/a.txt", "a\n");
    commit(&repo, "one");
    settle(&repo);
    repo.put_frame("d/a.txt", "spoken of a").ok();
    repo.merkle(&["synthesize", "d", "--agent", "human", "--type", "note"])
        .ok();
    repo.merkle(&["synthesize", "d"]).ok();
    edit(&repo, "d/b.txt", "b\n");
    commit(&repo, "two");
    assert_fresh(&repo);
    let digest = |agent: &str| {
        repo.merkle(&["get-head", "d", "--agent", agent, "--type", "digest"])
            .ok()
    };
    assert!(digest("human").contains("spoken of a") && digest("outline").contains("b.txt"));
    assert!(
        log(&repo)
            .last()
            .is_some_and(|line| line.contains("human/digest")),
        "{:#?}",
        log(&repo)
    );
}

#[test]
fn answers_of_a_batch_are_collected_without_a_budget_and_nothing_is_sent() {
    let sandbox = Sandbox::new();
    let repo = hooked(&sandbox, "50ms");
    let (provider, model) = BatchServer::start(Protocol::OpenAi, |_| Fate::Answer);
    provider.hold();
    set_up_docs(&sandbox, &repo, "openai", &model);
    repo.config_global("merkle.batchMin", "2");
    edit(&repo, "a.rs", "// a\n");
    edit(&repo, "b.rs", "// b\n");
    commit(&repo, "one");
    settle(&repo);
    drop(
        repo.merkle(&["regenerate", "--agent", "docs", "--yes", "--batch"])
            .exits(75),
    );
    provider.end();
    edit(&repo, "c.rs", "// c\n");
    commit(&repo, "two");
    settle(&repo);
    for (path, is_there) in [("a.rs", true), ("b.rs", true), ("c.rs", false)] {
        let head = repo.merkle(&["get-head", path, "--agent", "docs"]);
        assert_eq!(head.code == Some(0), is_there, "{path}: {head}");
    }
    assert_eq!(provider.batches().len(), 1);
    let alone = |post: &Recorded| post.path.ends_with("/completions");
    assert!(!model.posts().iter().any(alone), "nothing goes out alone");
}
