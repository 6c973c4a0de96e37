//! The documents keep their word: every shell session in the README and the guides is run, and prints what it shows.
//!
//! A session is a fenced block marked `console`. A line `$ command` is run by `sh`, in one folder per document; the lines
//! below it are its output, standard error included. Lines `> …` right below a command belong to it. `…` in a line of
//! output stands for anything, and a line of nothing else for any number of lines: ids and times differ from place to
//! place.
//!
//! Where a document asks a model, a server on 127.0.0.1 answers. Each document has one server for each address of
//! [`ADDRESSES`]: wherever that address stands in a command the server's is put in its place before the command runs,
//! and the other way round in what is printed. Nothing else is changed. See [`answer`] for what the server says.

use std::path::Path;

use crate::generate::Protocol;
use crate::support::Sandbox;
use crate::support::batches::{BatchServer, Fate};
use crate::support::loopback::{Loopback, Recorded, Scripted};

/// Addresses in documents behind which a server of the tests stands: of Ollama, and of any service with an account.
const ADDRESSES: [&str; 2] = ["http://localhost:11434", "https://api.example.com"];

/// A command of a session, and what it is said to print.
#[derive(Debug, PartialEq, Eq)]
struct Shown {
    line: usize,
    command: String,
    output: Vec<String>,
}

/// The commands of a document, in order.
fn sessions(document: &str) -> Vec<Shown> {
    let (mut shown, mut is_inside) = (Vec::<Shown>::new(), false);
    for (index, text) in document.lines().enumerate() {
        match (text.trim_end(), is_inside) {
            ("```console", false) => is_inside = true,
            ("```", true) => is_inside = false,
            (text, true) => match (text.strip_prefix("$ "), shown.last_mut()) {
                (None, Some(last)) if last.output.is_empty() && text.starts_with('>') => {
                    last.command.push('\n');
                    last.command
                        .push_str(text.strip_prefix("> ").unwrap_or_default());
                }
                (Some(command), _) => shown.push(Shown {
                    line: index + 1,
                    command: command.to_owned(),
                    output: Vec::new(),
                }),
                (None, Some(last)) => last.output.push(text.to_owned()),
                (None, None) => panic!("line {}: a session starts with a command", index + 1),
            },
            (_, false) => {}
        }
    }
    shown
}

/// True when a line is what was shown, `…` standing for anything.
fn is_line(shown: &str, line: &str) -> bool {
    let mut parts = shown.split('…');
    let first = parts.next().expect("a split has a first part");
    let Some(mut rest) = line.strip_prefix(first) else {
        return false;
    };
    let parts: Vec<&str> = parts.collect();
    let Some((last, between)) = parts.split_last() else {
        return rest.is_empty();
    };
    for part in between {
        let Some(at) = rest.find(part) else {
            return false;
        };
        rest = &rest[at + part.len()..];
    }
    rest.ends_with(last)
}

/// True when all lines are what was shown.
fn is_output(shown: &[String], lines: &[&str]) -> bool {
    match (shown.split_first(), lines.split_first()) {
        (None, None) => true,
        (Some((first, rest)), _) if first == "…" => {
            (0..=lines.len()).any(|skipped| is_output(rest, &lines[skipped..]))
        }
        (Some((first, rest)), Some((line, lines))) => {
            is_line(first, line.trim_end()) && is_output(rest, lines)
        }
        _ => false,
    }
}

/// What a model of the documents says: that it is one, and what it was asked about, in the protocol of the request.
fn answer(request: &Recorded) -> Scripted {
    let asked = request.last_user();
    let about = asked.rsplit("Summarize the ").next().unwrap_or_default();
    let about: String = about.split('`').take(2).collect();
    let words = format!("What the model says about the {about}.");
    let tags = r#"{"models":[{"name":"llama3.2:latest"}]}"#;
    match request.path.as_str() {
        "/api/tags" => Scripted::raw("application/json", tags),
        "/api/chat" => Scripted::raw("application/x-ndjson", &ollama(&words)),
        _ => Scripted::answer(words),
    }
}

/// An answer as Ollama streams it: one JSON document a line, the last with `done` and what it took.
fn ollama(words: &str) -> String {
    let said = |words: &str| serde_json::json!({"role": "assistant", "content": words});
    let piece = serde_json::json!({"model": "llama3.2", "message": said(words), "done": false});
    let end = serde_json::json!({"model": "llama3.2", "message": said(""), "done": true, "done_reason": "stop",
        "prompt_eval_count": 100, "eval_count": 20});
    format!("{piece}\n{end}\n")
}

/// A server that takes batches as well.
fn served_with_batches() -> Loopback {
    let batches = BatchServer::new(Protocol::OpenAi);
    Loopback::start(move |request| {
        if BatchServer::is_for(request) {
            batches.serve(request, &|_| Fate::Answer)
        } else {
            answer(request)
        }
    })
}

/// An address of the documents, and the server behind it.
struct Served {
    address: &'static str,
    server: Loopback,
}

impl Served {
    fn here(&self) -> String {
        format!("http://{}", self.server.host())
    }

    fn to_here(&self, text: &str) -> String {
        text.replace(self.address, &self.here())
    }

    fn to_there(&self, text: &str) -> String {
        text.replace(&self.here(), self.address)
    }
}

/// Runs a document's sessions; the first line that lies is the result.
fn check(document: &str) -> Result<(), String> {
    let sandbox = Sandbox::new();
    let served = ADDRESSES.map(|address| Served {
        address,
        server: served_with_batches(),
    });
    let directory = sandbox.path("home/guide");
    std::fs::create_dir(&directory).expect("a folder for the document");
    for Shown {
        line,
        command,
        output,
    } in sessions(document)
    {
        let run = served
            .iter()
            .fold(command.clone(), |text, served| served.to_here(&text));
        // `cd` must hold for the commands that follow, as in a person's shell.
        let script = format!(
            "test -f ../cwd && cd \"$(cat ../cwd)\"\n{run}\nstatus=$?\npwd >{0}/../cwd\nexit $status",
            directory.display()
        );
        let said = sandbox
            .run("sh", &directory)
            .args(["-c", &format!("exec 2>&1\n{script}")])
            .run();
        let text = served
            .iter()
            .fold(said.out(), |text, served| served.to_there(&text));
        if !is_output(&output, &text.lines().collect::<Vec<_>>()) {
            return Err(format!("line {line}: '{command}' prints\n{text}"));
        }
    }
    Ok(())
}

/// Markdown files of the crate that have sessions.
fn documents() -> Vec<std::path::PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let guides = std::fs::read_dir(root.join("docs/guide"))
        .into_iter()
        .flatten();
    let mut found: Vec<_> = guides
        .map(|entry| entry.expect("readable").path())
        .collect();
    found.push(root.join("README.md"));
    found.retain(|file| {
        file.extension().is_some_and(|extension| extension == "md") && file.exists()
    });
    found.sort();
    found
}

#[test]
fn the_sessions_of_readme_and_guides_print_what_they_show() {
    for file in documents() {
        let text = std::fs::read_to_string(&file).expect("a document can be read");
        check(&text).unwrap_or_else(|lie| panic!("{}: {lie}", file.display()));
    }
}

#[test]
fn a_session_that_lies_is_found() {
    let honest = "# Guide\n\n```console\n$ git init -q work && cd work\n$ git merkle doctor\nstate     ok: …\n…\n$ echo one; echo two >&2\none\ntwo\n```\n";
    assert_eq!(check(honest), Ok(()));
    let lie = check(&honest.replace("\none\ntwo\n", "\none\nthree\n")).unwrap_err();
    assert!(
        lie.starts_with("line 8: 'echo one; echo two >&2' prints\none\ntwo\n"),
        "{lie}"
    );
    assert!(
        check("```console\n$ echo more\n```").is_err(),
        "output that is not shown is a lie too"
    );
    assert_eq!(sessions("```sh\n$ not this\n```\n"), []);
    assert_eq!(
        check("```console\n$ cat <<END\n> one\n>\n> two\n> END\none\n\ntwo\n```\n"),
        Ok(()),
        "a command of several lines"
    );
    assert_eq!(
        check("```console\n$ echo https://api.example.com/v1/\nhttps://api.example.com/v1/\n```\n"),
        Ok(())
    );
    assert!(is_line("a … c … e", "a b c d e") && !is_line("a … c", "a b d") && !is_line("a", "ab"));
}
