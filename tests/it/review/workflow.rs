//! The workflow in `docs/ci`: its shell steps are run here as a forge would, with two repositories and no key.

use super::SHOP;
use crate::support::{Repo, Sandbox};

pub(crate) const WORKFLOW: &str = include_str!("../../../docs/ci/github-review.yml");

/// The shell steps of a workflow, in order: the name and the script.
pub(crate) fn steps(workflow: &str) -> Vec<(String, String)> {
    let mut steps: Vec<(String, String)> = Vec::new();
    let mut inside: Option<usize> = None;
    for line in workflow.lines() {
        let indent = line.len() - line.trim_start().len();
        if let Some(name) = line.trim_start().strip_prefix("- name: ") {
            steps.push((name.to_owned(), String::new()));
        }
        inside = inside.filter(|start| indent > *start || line.is_empty());
        let script = steps.last_mut().map(|(_, script)| script);
        match (line.trim_start().strip_prefix("run: "), script) {
            (Some("|"), Some(_)) => inside = Some(indent),
            (Some(command), Some(script)) => *script = format!("{command}\n"),
            (None, Some(script)) if inside.is_some() => {
                *script += line.trim_start();
                *script += "\n";
            }
            _ => {}
        }
    }
    steps
}

#[test]
fn the_steps_of_the_workflow_need_no_secret_and_make_a_summary() {
    assert!(
        !WORKFLOW.contains("secrets.") && WORKFLOW.contains("\npermissions:\n  contents: read\n")
    );
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.git(&["switch", "-q", "main"]).ok();
    base.merkle(&["note", "README.md", "-m", "@everyone fixes #1 <img src=x>"])
        .ok();
    let clone = sandbox.path("home/clone");
    let (from, to) = (base.path("."), clone.to_string_lossy().into_owned());
    base.git(&["clone", "-q", &from.to_string_lossy(), &to])
        .ok();
    let names: Vec<String> = steps(WORKFLOW).into_iter().map(|step| step.0).collect();
    assert_eq!(names, ["install", "fetch frames", "review", "summary"]);
    for (name, script) in steps(WORKFLOW) {
        let run = sandbox.run("sh", &clone).args(["-e", "-c", &script]);
        let run = run
            .env("BASE", base.id("main"))
            .env("HEAD", base.id("work"))
            .env("UPSTREAM", &from)
            .env("FORK", &from)
            .env("GITHUB_STEP_SUMMARY", clone.join("summary.md"));
        let done = run.run();
        assert_eq!(done.code, Some(0), "{name}: {}", done.err());
    }
    let read = |name: &str| std::fs::read_to_string(clone.join(name)).expect(name);
    let summary = read("summary.md");
    assert!(
        summary.contains("**1 public declaration removed"),
        "{summary}"
    );
    assert!(
        summary.contains("a note to affirm") && summary.contains("`README.md "),
        "{summary}"
    );
    let alive = summary.lines().filter(|line| !line.starts_with("<!--"));
    let alive: String = alive.flat_map(|line| line.split('`').step_by(2)).collect();
    assert!(!alive.contains(['@', '<', '#', '!']), "{alive}");
    assert_eq!(read("review/comment.md"), summary);
    assert!(read("review/review.json").starts_with("{\"schema\":\"git-merkle/review/1\""));
    assert_eq!(read("review/head").trim(), base.id("work"));
}

const PUSH: &str = include_str!("../../../docs/ci/github-push.yml");

/// Runs the workflow for a push; whether it ended well, its summary and what the last step printed.
fn push(clone: &Repo<'_>, before: &str, after: &str) -> (bool, String, String) {
    let summary = clone.path("summary.md");
    let _ = std::fs::remove_file(&summary);
    let (mut is_well, mut printed) = (true, String::new());
    for (_, script) in steps(PUSH) {
        let run = clone.run("sh").args(["-e", "-c", &script]);
        let run = run.env("BEFORE", before).env("AFTER", after);
        let run = run.env("DEFAULT", "main");
        let done = run.env("GITHUB_STEP_SUMMARY", &summary).run();
        (is_well, printed) = (done.code == Some(0), done.out());
        if !is_well {
            break;
        }
    }
    let summary = std::fs::read_to_string(summary).unwrap_or_default();
    (is_well, summary, printed)
}

#[test]
fn the_range_that_was_pushed_is_reviewed() {
    assert!(!PUSH.contains("secrets.") && PUSH.contains("\npermissions:\n  contents: read\n"));
    let names: Vec<String> = steps(PUSH).into_iter().map(|step| step.0).collect();
    assert_eq!(names, ["install", "review", "frames"]);
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.git(&["switch", "-q", "main"]).ok();
    let clone = sandbox.path("home/clone");
    let [from, to] =
        [base.path("."), clone.clone()].map(|path| path.to_string_lossy().into_owned());
    base.git(&["clone", "-q", &from, &to]).ok();
    let clone = Repo::at(&sandbox, clone);
    let (main, work) = (base.id("main"), base.id("work"));
    let (is_well, reviewed, printed) = push(&clone, &main, &work);
    assert!(
        is_well && printed.contains("there are no frames"),
        "{printed}"
    );
    assert!(
        reviewed.contains("**1 public declaration removed"),
        "{reviewed}"
    );
    // A new branch, and one whose commits from before are gone, are compared with the default branch.
    let said = |text: &str| text.split("- compared").next().map(str::to_owned);
    for before in ["0".repeat(40), "1".repeat(40)] {
        assert_eq!(said(&push(&clone, &before, &work).1), said(&reviewed));
    }
    // Where nothing has changed nothing is said.
    assert_eq!(push(&clone, &main, &main).1, "");
}

#[test]
fn frames_that_were_pushed_are_checked() {
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.git(&["switch", "-q", "main"]).ok();
    base.merkle(&["note", "README.md", "-m", "@everyone fixes #1"])
        .ok();
    let clone = sandbox.path("home/clone");
    let [from, to] =
        [base.path("."), clone.clone()].map(|path| path.to_string_lossy().into_owned());
    base.git(&["clone", "-q", &from, &to]).ok();
    let clone = Repo::at(&sandbox, clone);
    let (main, work) = (base.id("main"), base.id("work"));
    let (is_well, good, printed) = push(&clone, &main, &work);
    assert!(is_well, "{printed}");
    assert!(good.contains("a note to affirm"), "{good}");
    super::markdown::check(&good).expect("nothing acts");
    super::foreign::add_junk(&base);
    let (is_well, bad, printed) = push(&clone, &main, &work);
    assert!(!is_well);
    assert!(
        bad.ends_with("\n**not all frames are good: see the log**\n"),
        "{bad}"
    );
    super::markdown::check(&bad).expect("nothing acts");
    // No line of the log is a command for the runner.
    assert!(
        !printed.is_empty() && printed.lines().all(|line| line.starts_with("| ")),
        "{printed}"
    );
    // A remote that cannot be reached is no remote without frames.
    clone
        .git(&["remote", "set-url", "origin", "../nowhere"])
        .ok();
    let (is_well, _, printed) = push(&clone, &main, &work);
    assert!(
        !is_well && !printed.contains("there are no frames"),
        "{printed}"
    );
}
