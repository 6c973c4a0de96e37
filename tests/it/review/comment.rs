//! The workflow that keeps one comment: its step is run against a forge on 127.0.0.1 that keeps pull requests and comments.

use serde_json::{Value, json};

use super::forge::{self, HEAD, Kind};
use crate::support::{Run, Sandbox};

const WORKFLOW: &str = include_str!("../../../docs/ci/github-comment.yml");
const AUTHOR: &str = "github-actions[bot]";
const GITHUB: Kind = Kind {
    token: "authorization: bearer t0ken",
    comments: "/repos/ann/shop/issues/7/comments",
    edit: "PATCH",
    said_by: |login| json!({"user": {"login": login}}),
    own: AUTHOR,
    trims: false,
    other: pull_requests,
    script: comment,
    artifact: "comment.md",
    no_head: "no open pull request has this head",
};

/// The script of the one step, as Python reads it.
fn script() -> String {
    let (_, script) = WORKFLOW.split_once("        run: |\n").expect("a script");
    let lines = script.lines().map(|line| {
        assert!(line.is_empty() || line.starts_with("          "), "{line}");
        line.get(10..).unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}

fn pull_requests(path: &str, query: &str) -> Value {
    assert_eq!(path, "/repos/ann/shop/pulls");
    assert!(query.contains("head=eve:work%2B1&"), "{query}");
    json!([
        {"number": 6, "head": {"sha": "1111111111111111111111111111111111111111"}},
        {"number": 7, "head": {"sha": HEAD}},
    ])
}

fn comment(sandbox: &Sandbox, url: &str, head: &str) -> Run {
    let run = sandbox.run("python3", &sandbox.path("home"));
    let run = run.args(["-c", &script()]);
    let run = run.env("API", url).env("TOKEN", "t0ken");
    let run = run.env("REPOSITORY", "ann/shop").env("AUTHOR", AUTHOR);
    let run = run.env("HEAD", head).env("HEAD_OWNER", "eve");
    run.env("HEAD_BRANCH", "work+1")
}

#[test]
fn a_hundred_runs_keep_one_comment() {
    forge::assert_one_is_kept(&GITHUB);
}

#[test]
fn nothing_changed_is_no_comment_and_the_oldest_of_several_stays() {
    forge::assert_the_oldest_stays(&GITHUB);
}

#[test]
fn of_a_hostile_artifact_only_what_has_the_form_of_a_review_stays() {
    forge::assert_the_form_is_kept(&GITHUB);
}
