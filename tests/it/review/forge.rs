//! A forge on 127.0.0.1 that keeps the comments on one change, and what holds of every script that keeps one of them.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex, MutexGuard};

use git_merkle::review::markdown::MARKER;
use serde_json::{Value, json};

use crate::support::{Run, Sandbox};

pub(super) const HEAD: &str = "2222222222222222222222222222222222222222";
/// Lines that a fork may write; the two that stay hold nothing but code.
const HOSTILE: [&str; 18] = [
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

/// What one sort of forge does in its own way, and the script that writes there.
pub(super) struct Kind {
    /// The header that comes with each request.
    pub(super) token: &'static str,
    /// Where the comments are.
    pub(super) comments: &'static str,
    /// The method that replaces one.
    pub(super) edit: &'static str,
    /// The field that tells an author from others.
    pub(super) said_by: fn(&str) -> Value,
    /// The author that the token belongs to.
    pub(super) own: &'static str,
    /// Whether it keeps no white space around a text.
    pub(super) trims: bool,
    /// Answers what is not about comments.
    pub(super) other: fn(&str, &str) -> Value,
    /// The script, for a forge at an address and a head.
    pub(super) script: fn(&Sandbox, &str, &str) -> Run,
    /// The file that the script reads.
    pub(super) artifact: &'static str,
    /// What the script says of a head that is no longer there.
    pub(super) no_head: &'static str,
}

impl Kind {
    /// A text as the forge keeps it.
    fn kept(&self, text: &str) -> String {
        let text = if self.trims { text.trim() } else { text };
        text.to_owned()
    }
}

/// What the forge keeps.
struct Kept {
    kind: &'static Kind,
    comments: Vec<Value>,
    next: u64,
    writes: Vec<String>,
}

impl Kept {
    fn add(&mut self, author: &str, body: &str) {
        self.next += 1;
        let mut comment = (self.kind.said_by)(author);
        comment["id"] = self.next.into();
        comment["body"] = self.kind.kept(body).into();
        self.comments.push(comment);
    }

    fn bodies(&self, author: &str) -> Vec<&str> {
        let said_by = (self.kind.said_by)(author);
        let fields = said_by.as_object().expect("an author");
        let own = self.comments.iter();
        own.filter(|one| fields.iter().all(|(field, value)| one[field] == *value))
            .filter_map(|one| one["body"].as_str())
            .collect()
    }

    fn answer(&mut self, method: &str, target: &str, body: &Value) -> Value {
        let (path, query) = target.split_once('?').unwrap_or((target, ""));
        if method != "GET" {
            self.writes.push(format!("{method} {path}"));
        }
        let (_, number) = path.rsplit_once('/').expect("a path");
        let number = number.parse::<u64>().ok();
        let text = || body["body"].as_str().expect("a text");
        match method {
            "GET" if path == self.kind.comments => {
                let page = query.rsplit("page=").next();
                let page: usize = page.and_then(|page| page.parse().ok()).unwrap_or(1);
                let some = self.comments.iter().skip(100 * (page - 1)).take(100);
                json!(some.collect::<Vec<_>>())
            }
            "GET" => (self.kind.other)(path, query),
            "POST" => {
                assert_eq!(path, self.kind.comments);
                self.add(self.kind.own, text());
                json!({})
            }
            "DELETE" => {
                self.comments.retain(|one| one["id"].as_u64() != number);
                Value::Null
            }
            edit => {
                assert_eq!(edit, self.kind.edit);
                let mut comments = self.comments.iter_mut();
                let known = comments.find(|one| one["id"].as_u64() == number);
                known.expect("it is there")["body"] = self.kind.kept(text()).into();
                json!({})
            }
        }
    }
}

struct Forge {
    kind: &'static Kind,
    kept: Arc<Mutex<Kept>>,
    url: String,
}

impl Forge {
    fn start(kind: &'static Kind) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let url = format!("http://{}", listener.local_addr().expect("an address"));
        let kept = Arc::new(Mutex::new(Kept {
            kind,
            comments: Vec::new(),
            next: 0,
            writes: Vec::new(),
        }));
        let own = Arc::clone(&kept);
        // It ends with the process of the tests.
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                serve(stream, &own);
            }
        });
        Self { kind, kept, url }
    }

    fn kept(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().expect("no writer has failed")
    }

    /// Runs the script with an artifact, for a head.
    fn run(&self, sandbox: &Sandbox, head: &str, text: &str) -> String {
        let folder = sandbox.path("home/review");
        std::fs::create_dir_all(&folder).expect("a folder");
        std::fs::write(folder.join(self.kind.artifact), text).expect("an artifact");
        let done = (self.kind.script)(sandbox, &self.url, head).run();
        assert_eq!(done.code, Some(0), "{done}");
        done.out()
    }
}

/// Answers one request that has the header with the token.
fn serve(stream: TcpStream, kept: &Mutex<Kept>) {
    let mut kept = kept.lock().expect("no writer has failed");
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
        has_token |= header == kept.kind.token;
        if let Some(bytes) = header.strip_prefix("content-length: ") {
            length = bytes.parse().expect("a number");
        }
    }
    assert!(has_token);
    let mut body = vec![0; length];
    reader.read_exact(&mut body).expect("a body");
    let body = serde_json::from_slice(&body).unwrap_or_default();
    let answer = kept.answer(method, target, &body);
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

fn artifact(verdict: &str) -> String {
    format!("{MARKER}\n**{verdict}**\n\n- `− discount` `src/price.rs`\n- compared: `a` with `b`\n")
}

/// What a new forge keeps of its own author when the script has run once.
pub(super) fn said(kind: &'static Kind, text: &str) -> Vec<String> {
    let forge = Forge::start(kind);
    forge.run(&Sandbox::new(), HEAD, text);
    let kept = forge.kept();
    let bodies = kept.bodies(kind.own);
    bodies.into_iter().map(str::to_owned).collect()
}

/// A hundred runs keep one comment.
pub(super) fn assert_one_is_kept(kind: &'static Kind) {
    let sandbox = Sandbox::new();
    let forge = Forge::start(kind);
    {
        let mut kept = forge.kept();
        // A mark alone makes no comment ours.
        kept.add("5", &artifact("forged"));
        for _ in 0..150 {
            kept.add("6", "Looks good.");
        }
    }
    for run in 0..100 {
        let text = artifact(&format!("{} bodies changed", run / 10));
        forge.run(&sandbox, HEAD, &text);
    }
    let kept = forge.kept();
    assert_eq!(
        kept.bodies(kind.own),
        [kind.kept(&artifact("9 bodies changed"))]
    );
    assert_eq!(kept.bodies("5"), [kind.kept(&artifact("forged"))]);
    // One was made, and written again when it says something else.
    assert_eq!(kept.writes.len(), 10, "{:?}", kept.writes);
    assert_eq!(kept.writes[0], format!("POST {}", kind.comments));
}

/// Where nothing has changed there is no comment; of several the oldest stays.
pub(super) fn assert_the_oldest_stays(kind: &'static Kind) {
    let sandbox = Sandbox::new();
    let forge = Forge::start(kind);
    forge.run(&sandbox, HEAD, "");
    assert!(forge.kept().writes.is_empty());
    for text in ["one", "two", "three"] {
        forge.kept().add(kind.own, &artifact(text));
    }
    forge.kept().add(kind.own, "another job's comment");
    forge.run(&sandbox, HEAD, &artifact("four"));
    assert_eq!(
        forge.kept().bodies(kind.own),
        [
            kind.kept(&artifact("four")).as_str(),
            "another job's comment"
        ]
    );
    assert_eq!(forge.kept().comments[0]["id"], 1);
    // A run for a head that is no longer there does not write.
    let before = forge.kept().writes.len();
    let told = forge.run(&sandbox, &"3".repeat(40), &artifact("five"));
    assert!(told.contains(kind.no_head), "{told}");
    assert_eq!(forge.kept().writes.len(), before);
    forge.run(&sandbox, HEAD, "");
    assert_eq!(forge.kept().bodies(kind.own), ["another job's comment"]);
}

/// Of a hostile artifact only what has the form of a review stays.
pub(super) fn assert_the_form_is_kept(kind: &'static Kind) {
    let long = format!("- `{}`", "𝔞".repeat(20_000));
    let text = format!(
        "{MARKER}\n{}\n{long}\n{long}\n- `last`\n",
        HOSTILE.join("\n")
    );
    let body = said(kind, &text).concat();
    let expected = format!("{MARKER}\n- ``a` @ann``\n- `kept`\n{long}\n- `last`\n");
    assert_eq!(body, kind.kept(&expected));
    assert!(body.encode_utf16().count() <= 60_000);
    let body = body.replace(&long, "- `long`");
    super::markdown::check(&body).expect("nothing acts");
    // What was never ours is no comment at all.
    assert!(said(kind, "@everyone\n- `x`\n").is_empty());
}
