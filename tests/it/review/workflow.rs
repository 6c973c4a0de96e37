//! The workflow in `docs/ci`: its shell steps are run here as a forge would, with two repositories and no key.

use super::SHOP;
use crate::support::Sandbox;

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

const GITLAB: &str = include_str!("../../../docs/ci/gitlab-review.yml");

#[test]
fn the_job_for_gitlab_makes_the_files_that_it_exposes() {
    let lines = GITLAB
        .lines()
        .skip_while(|line| *line != "  script:")
        .skip(1);
    let script: Vec<&str> = lines
        .take_while(|line| line.starts_with("    "))
        .filter_map(|line| line.trim_start().strip_prefix("- "))
        .collect();
    assert_eq!(script.len(), 6);
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    let (from, to) = (base.path("."), sandbox.path("home/clone"));
    base.git(&[
        "clone",
        "-q",
        &from.to_string_lossy(),
        &to.to_string_lossy(),
    ])
    .ok();
    let run = sandbox
        .run("sh", &to)
        .args(["-e", "-c", &script.join("\n")]);
    let run = run.env("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.id("main"));
    let done = run.env("CI_COMMIT_SHA", base.id("work")).run();
    assert_eq!(done.code, Some(0), "{done}");
    for (file, said) in [
        ("review.html", "<del>discount</del>"),
        ("review.md", "**1 public declaration removed"),
        ("review.json", "git-merkle/review/1"),
        ("status.md", "| `outline/outline` | 0 | 0 | "),
    ] {
        let text = std::fs::read_to_string(to.join("review").join(file)).expect(file);
        assert!(text.contains(said), "{file}: {text}");
    }
}
