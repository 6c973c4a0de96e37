//! The workflow that keeps one comment: its step is run against a forge on 127.0.0.1 that keeps pull requests and comments.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

use git_merkle::review::markdown::MARKER;
use serde_json::{Value, json};

use crate::support::Sandbox;

const WORKFLOW: &str = include_str!("../../../docs/ci/github-comment.yml");
const AUTHOR: &str = "github-actions[bot]";
pub(super) const HEAD: &str = "2222222222222222222222222222222222222222";
/// Lines that a fork may write; the two that stay hold nothing but code.
pub(super) const HOSTILE: [&str; 18] = [
    "@everyone look",
    "- @ann",
    "- `a` <img src=x>",
    "- [x](https://example.com)",
    "**[x](https://example.com)**",
    "- `open",
    "- fixes #1",
    "- see 1234567890abcdef",
    "- www.example.com",
    "<details open>",
    "```",
    "- ``a` @ann``",
    "    - @ann",
    "# Title",
    "/merge",
    "- !1 ~bug %soon",
    "<!-- git-merkle:review:1 -->",
    "- `kept`",
];

/// The script of the one step, as Python reads it.
fn script() -> String {
    let (_, script) = WORKFLOW.split_once("        run: |\n").expect("a script");
    let lines = script.lines().map(|line| {
        assert!(line.is_empty() || line.starts_with("          "), "{line}");
        line.get(10..).unwrap_or_default()
    });
    lines.collect::<Vec<_>>().join("\n")
}

/// What the forge keeps.
#[derive(Default)]
struct Kept {
    comments: Vec<Value>,
    next: u64,
    writes: Vec<String>,
}

impl Kept {
    fn add(&mut self, login: &str, body: &str) {
        self.next += 1;
        self.comments
            .push(json!({"id": self.next, "user": {"login": login}, "body": body}));
    }

    fn bodies(&self, login: &str) -> Vec<&str> {
        let own = self
            .comments
            .iter()
            .filter(|one| one["user"]["login"] == login);
        own.filter_map(|one| one["body"].as_str()).collect()
    }

    fn answer(&mut self, method: &str, target: &str, body: &Value) -> Value {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        let path = path
            .strip_prefix("/repos/ann/shop")
            .expect("one repository");
        if method != "GET" {
            self.writes.push(format!("{method} {path}"));
        }
        let number = || {
            path.rsplit('/')
                .next()
                .and_then(|id| id.parse::<u64>().ok())
        };
        match (method, path) {
            ("GET", "/pulls") => {
                assert!(query.contains("head=eve:work%2B1&"), "{query}");
                json!([
                    {"number": 6, "head": {"sha": "1111111111111111111111111111111111111111"}},
                    {"number": 7, "head": {"sha": HEAD}},
                ])
            }
            ("GET", "/issues/7/comments") => {
                let page = query
                    .rsplit("page=")
                    .next()
                    .and_then(|page| page.parse().ok());
                let from = 100 * (page.unwrap_or(1_usize) - 1);
                json!(
                    self.comments
                        .iter()
                        .skip(from)
                        .take(100)
                        .collect::<Vec<_>>()
                )
            }
            ("POST", "/issues/7/comments") => {
                self.add(AUTHOR, body["body"].as_str().expect("a text"));
                json!({})
            }
            ("PATCH", _) => {
                let known = self
                    .comments
                    .iter_mut()
                    .find(|one| one["id"].as_u64() == number());
                known.expect("it is there")["body"] = body["body"].clone();
                json!({})
            }
            ("DELETE", _) => {
                self.comments.retain(|one| one["id"].as_u64() != number());
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
                serve(stream, "authorization: bearer t0ken", &answer);
            }
        });
        Self { kept, url }
    }

    fn kept(&self) -> std::sync::MutexGuard<'_, Kept> {
        self.kept.lock().expect("no writer has failed")
    }

    /// Runs the step with an artifact.
    fn comment(&self, sandbox: &Sandbox, head: &str, text: &str) -> String {
        std::fs::create_dir_all(sandbox.path("home/review")).expect("a folder");
        std::fs::write(sandbox.path("home/review/comment.md"), text).expect("an artifact");
        let run = sandbox.run("python3", &sandbox.path("home"));
        let run = run.args(["-c", &script()]);
        let run = run.env("API", &self.url).env("TOKEN", "t0ken");
        let run = run.env("REPOSITORY", "ann/shop").env("AUTHOR", AUTHOR);
        let run = run.env("HEAD", head).env("HEAD_OWNER", "eve");
        let done = run.env("HEAD_BRANCH", "work+1").run();
        assert_eq!(done.code, Some(0), "{done}");
        done.out()
    }
}

/// Answers one request that has the header with the token.
pub(super) fn serve(stream: TcpStream, token: &str, answer: &dyn Fn(&str, &str, &Value) -> Value) {
    let mut reader = BufReader::new(stream);
    let mut line = String::new();
    reader.read_line(&mut line).expect("a request");
    let mut words = line.split_whitespace();
    let (method, target) = (
        words.next().unwrap_or_default(),
        words.next().unwrap_or_default(),
    );
    let (mut length, mut has_token) = (0, false);
    loop {
        let mut header = String::new();
        reader.read_line(&mut header).expect("a header");
        let header = header.trim().to_lowercase();
        if header.is_empty() {
            break;
        }
        has_token |= header == token;
        if let Some(bytes) = header.strip_prefix("content-length: ") {
            length = bytes.parse().expect("a number");
        }
    }
    assert!(has_token);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let answer = answer(method, target, &body);
    let text = if answer.is_null() {
        String::new()
    } else {
        answer.to_string()
    };
    let head = format!(
        "HTTP/1.1 200 OK\r\nContent-Length: {}\r\nConnection: close\r\n\r\n",
        text.len()
    );
    let stream = reader.get_mut();
    let _ = stream.write_all([head, text].concat().as_bytes());
}

pub(super) fn artifact(verdict: &str) -> String {
    format!("{MARKER}\n**{verdict}**\n\n- `− discount` `src/price.rs`\n- compared: `a` with `b`\n")
}

#[test]
fn a_hundred_runs_keep_one_comment() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    {
        let mut kept = forge.kept();
        // A mark alone makes no comment ours.
        kept.add("eve", &artifact("forged"));
        for _ in 0..150 {
            kept.add("ann", "Looks good.");
        }
    }
    for run in 0..100 {
        forge.comment(
            &sandbox,
            HEAD,
            &artifact(&format!("{} bodies changed", run / 10)),
        );
    }
    let kept = forge.kept();
    assert_eq!(kept.bodies(AUTHOR), [artifact("9 bodies changed")]);
    assert_eq!(kept.bodies("eve"), [artifact("forged")]);
    // One was made, and written again when it says something else.
    assert_eq!(kept.writes.len(), 10, "{:?}", kept.writes);
    assert_eq!(kept.writes[0], "POST /issues/7/comments");
}

#[test]
fn nothing_changed_is_no_comment_and_the_oldest_of_several_stays() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    forge.comment(&sandbox, HEAD, "");
    assert!(forge.kept().writes.is_empty());
    for text in ["one", "two", "three"] {
        forge.kept().add(AUTHOR, &artifact(text));
    }
    forge.kept().add(AUTHOR, "another job's comment");
    forge.comment(&sandbox, HEAD, &artifact("four"));
    assert_eq!(
        forge.kept().bodies(AUTHOR),
        [artifact("four").as_str(), "another job's comment"]
    );
    assert_eq!(forge.kept().comments[0]["id"], 1);
    // A run for a head that is no longer there does not write.
    let before = forge.kept().writes.len();
    let told = forge.comment(
        &sandbox,
        "3333333333333333333333333333333333333333",
        &artifact("five"),
    );
    assert!(
        told.contains("no open pull request has this head"),
        "{told}"
    );
    assert_eq!(forge.kept().writes.len(), before);
    forge.comment(&sandbox, HEAD, "");
    assert_eq!(forge.kept().bodies(AUTHOR), ["another job's comment"]);
}

#[test]
fn of_a_hostile_artifact_only_what_has_the_form_of_a_review_stays() {
    let sandbox = Sandbox::new();
    let forge = Forge::start();
    let long = format!("- `{}`", "𝔞".repeat(20_000));
    let text = format!(
        "{MARKER}\n{}\n{long}\n{long}\n- `last`\n",
        HOSTILE.join("\n")
    );
    forge.comment(&sandbox, HEAD, &text);
    let kept = forge.kept();
    let body = kept.bodies(AUTHOR)[0].to_owned();
    assert_eq!(
        body,
        format!("{MARKER}\n- ``a` @ann``\n- `kept`\n{long}\n- `last`\n")
    );
    assert!(body.encode_utf16().count() <= 60_000);
    let body = body.replace(&long, "- `long`");
    super::markdown::check(&body).expect("nothing acts");
    drop(kept);
    // What was never ours is no comment at all.
    let other = Forge::start();
    other.comment(&sandbox, HEAD, "@everyone\n- `x`\n");
    assert!(other.kept().writes.is_empty());
}
