//! The jobs for GitLab in `docs/ci`: the review's shell runs against two repositories, the note's script against a forge on
//! 127.0.0.1 that keeps the notes of one merge request.

use serde_json::{Value, json};

use super::SHOP;
use super::foreign::{add_junk, fork};
use super::forge::{self, HEAD, Kind};
use crate::support::{Repo, Run, Sandbox};

const GITLAB: &str = include_str!("../../../docs/ci/gitlab-review.yml");
const GITHUB: &str = include_str!("../../../docs/ci/github-comment.yml");
const NOTES: Kind = Kind {
    token: "private-token: t0ken",
    comments: "/projects/3/merge_requests/7/notes",
    edit: "PUT",
    said_by: |id| json!({"author": {"id": id.parse::<u64>().expect("a number")}}),
    own: "41",
    trims: true,
    other: request,
    script: note,
    artifact: "review.md",
    no_head: "the merge request has another head",
};

/// The script of a job, as the shell reads it.
fn script(job: &str) -> String {
    let (_, text) = GITLAB
        .split_once(&format!("\n{job}:\n"))
        .expect("the job is there");
    let (_, text) = text.split_once("  script:\n    - |\n").expect("a script");
    let lines = text.lines();
    let lines = lines.take_while(|line| line.is_empty() || line.starts_with("      "));
    lines
        .map(|line| line.get(6..).unwrap_or_default())
        .collect::<Vec<_>>()
        .join("\n")
}

/// Answers who the token belongs to, and what the head of the merge request is.
fn request(path: &str, _query: &str) -> Value {
    match path {
        "/user" => json!({"id": 41}),
        "/projects/3/merge_requests/7" => json!({"sha": HEAD}),
        other => panic!("{other}"),
    }
}

fn note(sandbox: &Sandbox, url: &str, head: &str) -> Run {
    let run = sandbox.run("sh", &sandbox.path("home"));
    let run = run.args(["-e", "-c", &script("note")]);
    let run = run.env("CI_API_V4_URL", url);
    let run = run.env("CI_MERGE_REQUEST_PROJECT_ID", "3");
    let run = run.env("CI_MERGE_REQUEST_IID", "7");
    run.env("CI_COMMIT_SHA", head).env("REVIEW_TOKEN", "t0ken")
}

#[test]
fn a_hundred_jobs_keep_one_note() {
    forge::assert_one_is_kept(&NOTES);
}

#[test]
fn nothing_changed_is_no_note_and_the_oldest_of_several_stays() {
    forge::assert_the_oldest_stays(&NOTES);
}

#[test]
fn of_a_hostile_artifact_only_what_has_the_form_of_a_review_is_noted() {
    forge::assert_the_form_is_kept(&NOTES);
}

/// What keeps the note of one forge and the comment of the other harmless is the same text.
#[test]
fn both_forges_take_the_same_lines() {
    let github = GITHUB.lines().map(str::trim_start).collect::<Vec<_>>();
    let gitlab = GITLAB.lines().map(str::trim_start).collect::<Vec<_>>();
    let judging = |lines: &[&str], end: &str| {
        let start = lines
            .iter()
            .position(|line| line.starts_with("def without_spans"));
        let end = lines.iter().position(|line| *line == end);
        lines[start.expect("a start")..end.expect("an end")].join("\n")
    };
    let judged = judging(&github, "def pull_request():");
    assert!(judged.contains("def sanitised"));
    assert_eq!(judged, judging(&gitlab, "def notes():"));
}

/// Runs the job `review` in a clone of a fork, for a merge request to another repository.
fn review<'s>(sandbox: &'s Sandbox, base: &Repo<'s>, source: &Repo<'s>) -> Repo<'s> {
    let [from, to] = ["base.git", "fork.git"].map(|name| sandbox.path(name));
    for (repo, server) in [(base, &from), (source, &to)] {
        let (here, there) = (repo.path("."), server.to_string_lossy());
        let clone = ["clone", "-q", "--mirror", &here.to_string_lossy(), &there];
        repo.git(&clone).ok();
    }
    let job = sandbox.path("home/job");
    let clone = ["clone", "-q", &to.to_string_lossy(), &job.to_string_lossy()];
    base.git(&clone).ok();
    let url = |path: &std::path::Path| path.to_string_lossy().replace(".git", "");
    for _ in 0..2 {
        // A runner uses its folder again.
        let run = sandbox.run("sh", &job);
        let run = run.args(["-e", "-c", &script("review")]);
        let run = run.env("CI_MERGE_REQUEST_DIFF_BASE_SHA", base.id("main"));
        let run = run.env("CI_COMMIT_SHA", base.id("work"));
        let run = run.env("CI_MERGE_REQUEST_PROJECT_URL", url(&from));
        let done = run.env("CI_MERGE_REQUEST_SOURCE_PROJECT_URL", url(&to));
        let done = done.run();
        assert_eq!(done.code, Some(0), "{done}");
    }
    Repo::at(sandbox, job)
}

#[test]
fn the_job_for_gitlab_makes_the_files_that_it_exposes() {
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    let job = review(&sandbox, &base, &base);
    for (file, said) in [
        ("review.html", "<del>discount</del>"),
        ("review.md", "**1 public declaration removed"),
        ("review.json", "git-merkle/review/1"),
        ("status.md", "| `outline/outline` | 0 | 0 | "),
    ] {
        let text = std::fs::read_to_string(job.path("review").join(file)).expect(file);
        assert!(text.contains(said), "{file}: {text}");
    }
    // Only the note needs a secret, and it is there only where that is.
    let (of_review, of_note) = GITLAB.split_once("\nnote:\n").expect("two jobs");
    let (_, of_review) = of_review.split_once("\nreview:\n").expect("two jobs");
    assert!(!of_review.contains("TOKEN"));
    assert!(of_note.contains("== \"merge_request_event\" && $REVIEW_TOKEN\n"));
    assert!(of_note.contains("GIT_STRATEGY: none\n"));
}

#[test]
fn what_a_fork_says_is_foreign_in_the_note() {
    let sandbox = Sandbox::new();
    let base = sandbox.repo("base");
    base.fill(SHOP);
    base.git(&["switch", "-q", "main"]).ok();
    base.merkle(&["note", "src/price.rs", "-m", "Ours."]).ok();
    let fork = fork(&sandbox, &base);
    add_junk(&fork);
    let job = review(&sandbox, &base, &fork);
    let text = std::fs::read_to_string(job.path("review/review.md")).expect("a review");
    assert!(
        text.contains("- foreign, from `fork`: `src/price.rs, agent human, written by Eve"),
        "{text}"
    );
    // Of the two only the notes of the repository itself were accepted.
    let kept = job.merkle(&["list-frames", "src/price.rs"]).ok();
    assert!(!kept.contains("Eve"), "{kept}");
    let kept = forge::said(&NOTES, &text);
    assert_eq!(kept, [text.trim()]);
    super::markdown::check(&kept[0]).expect("nothing acts");
}
