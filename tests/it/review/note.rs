//! The jobs for GitLab in `docs/ci`: the review's shell runs against two repositories, the note's script against a forge on
//! 127.0.0.1 that keeps the notes of one merge request.

use std::net::TcpListener;
use std::sync::{Arc, Mutex, MutexGuard};

use git_merkle::review::markdown::MARKER;
use serde_json::{Value, json};

use super::SHOP;
use super::comment::{HEAD, HOSTILE, artifact, serve};
use super::foreign::{add_junk, fork};
use crate::support::{Repo, Sandbox};

const GITLAB: &str = include_str!("../../../docs/ci/gitlab-review.yml");
const GITHUB: &str = include_str!("../../../docs/ci/github-comment.yml");
/// The number of the token's own user.
const AUTHOR: u64 = 41;
const REQUEST: &str = "/projects/3/merge_requests/7";

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

/// What the forge keeps.
#[derive(Default)]
struct Kept {
    notes: Vec<Value>,
    next: u64,
    writes: Vec<String>,
}

impl Kept {
    fn add(&mut self, author: u64, body: &str) {
        self.next += 1;
        // It keeps no white space around a text.
        self.notes
            .push(json!({"id": self.next, "author": {"id": author}, "body": body.trim()}));
    }

    fn bodies(&self, author: u64) -> Vec<&str> {
        let own = self.notes.iter();
        let own = own.filter(|one| one["author"]["id"] == author);
        own.filter_map(|one| one["body"].as_str()).collect()
    }

    fn answer(&mut self, method: &str, target: &str, body: &Value) -> Value {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if method != "GET" {
            self.writes.push(format!("{method} {path}"));
        }
        if path == "/user" {
            return json!({"id": AUTHOR});
        }
        let path = path.strip_prefix(REQUEST).expect("one merge request");
        let number = path
            .rsplit('/')
            .next()
            .and_then(|id| id.parse::<u64>().ok());
        let text = || body["body"].as_str().expect("a text").to_owned();
        match (method, path) {
            ("GET", "") => json!({"sha": HEAD}),
            ("GET", "/notes") => {
                let page = query.rsplit("page=").next();
                let page: usize = page.and_then(|page| page.parse().ok()).unwrap_or(1);
                let some = self.notes.iter().skip(100 * (page - 1)).take(100);
                json!(some.collect::<Vec<_>>())
            }
            ("POST", "/notes") => {
                self.add(AUTHOR, &text());
                json!({})
            }
            ("PUT", _) => {
                let mut notes = self.notes.iter_mut();
                let known = notes.find(|one| one["id"].as_u64() == number);
                known.expect("it is there")["body"] = json!(text().trim());
                json!({})
            }
            ("DELETE", _) => {
                self.notes.retain(|one| one["id"].as_u64() != number);
                Value::Null
            }
            other => panic!("{other:?}"),
        }
    }
}

struct Forge {
    kept: Arc<Mutex<Kept>>,
    url: String,
}

impl Forge {
    fn start() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let kept = Arc::new(Mutex::new(Kept::default()));
        let own = Arc::clone(&kept);
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            let answer = |method: &str, target: &str, body: &Value| {
                let mut kept = own.lock().expect("no writer has failed");
                kept.answer(method, target, body)
            };
            for stream in listener.incoming().flatten() {
                serve(stream, "private-token: t0ken", &answer);
            }
        });
        Self { kept, url }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("no writer has failed")
    }

    /// Runs the job with an artifact, for a head.
    fn note(&self, sandbox: &Sandbox, head: &str, text: &str) -> String {
        let directory = sandbox.path("home");
        std::fs::create_dir_all(directory.join("review")).expect("a folder");
        std::fs::write(directory.join("review/review.md"), text).expect("an artifact");
        let run = sandbox.run("sh", &directory);
        let run = run.args(["-e", "-c", &script("note")]);
        let run = run.env("CI_API_V4_URL", &self.url);
        let run = run.env("CI_MERGE_REQUEST_PROJECT_ID", "3");
        let run = run.env("CI_MERGE_REQUEST_IID", "7");
        let run = run.env("CI_COMMIT_SHA", head).env("REVIEW_TOKEN", "t0ken");
        let done = run.run();
        assert_eq!(done.code, Some(0), "{done}");
        done.out()
    }
}

#[test]
fn a_hundred_jobs_keep_one_note() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    {
        let mut kept = forge.kept();
        // A mark alone makes no note ours.
        kept.add(5, &artifact("forged"));
        for _ in 0..150 {
            kept.add(6, "Looks good.");
        }
    }
    for run in 0..100 {
        let text = artifact(&format!("{} bodies changed", run / 10));
        forge.note(&sandbox, HEAD, &text);
    }
    let kept = forge.kept();
    assert_eq!(kept.bodies(AUTHOR), [artifact("9 bodies changed").trim()]);
    assert_eq!(kept.bodies(5), [artifact("forged").trim()]);
    // One was made, and written again when it says something else.
    assert_eq!(kept.writes.len(), 10, "{:?}", kept.writes);
    assert_eq!(kept.writes[0], format!("POST {REQUEST}/notes"));
}

#[test]
fn nothing_changed_is_no_note_and_the_oldest_of_several_stays() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    forge.note(&sandbox, HEAD, "");
    assert!(forge.kept().writes.is_empty());
    for text in ["one", "two", "three"] {
        forge.kept().add(AUTHOR, &artifact(text));
    }
    forge.kept().add(AUTHOR, "another job's note");
    forge.note(&sandbox, HEAD, &artifact("four"));
    assert_eq!(
        forge.kept().bodies(AUTHOR),
        [artifact("four").trim(), "another job's note"]
    );
    assert_eq!(forge.kept().notes[0]["id"], 1);
    // A job for a head that is no longer there does not write.
    let before = forge.kept().writes.len();
    let told = forge.note(&sandbox, &"3".repeat(40), &artifact("five"));
    assert!(
        told.contains("the merge request has another head"),
        "{told}"
    );
    assert_eq!(forge.kept().writes.len(), before);
    forge.note(&sandbox, HEAD, "");
    assert_eq!(forge.kept().bodies(AUTHOR), ["another job's note"]);
}

#[test]
fn of_a_hostile_artifact_only_what_has_the_form_of_a_review_is_noted() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    let text = format!("{MARKER}\n{}\n- `last`\n", HOSTILE.join("\n"));
    forge.note(&sandbox, HEAD, &text);
    let kept = forge.kept();
    let expected = format!("{MARKER}\n- ``a` @ann``\n- `kept`\n- `last`");
    assert_eq!(kept.bodies(AUTHOR), [expected]);
    drop(kept);
    // What was never ours is no note at all.
    let other = Forge::start();
    other.note(&sandbox, HEAD, "@everyone\n- `x`\n");
    assert!(other.kept().writes.is_empty());
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
    let forge = Forge::start();
    forge.note(&sandbox, HEAD, &text);
    let kept = forge.kept();
    let [note] = kept.bodies(AUTHOR)[..] else {
        panic!("one note")
    };
    assert_eq!(note, text.trim());
    super::markdown::check(note).expect("nothing acts");
}
