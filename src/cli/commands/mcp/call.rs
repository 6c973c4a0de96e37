//! One tool call: the command line runs inside this process, and its answer becomes a page with its provenance.

use std::ffi::OsString;
use std::fmt::Write as _;

use serde_json::{Map, Value, json};

use super::tool::{Line, Tool};
use crate::base::count::counted;
use crate::base::{Digest, token};
use crate::cli::Exit;
use crate::cli::global::Global;
use crate::cli::run::{Captured, capture};
use crate::cli::shell::quote_word;
use crate::config::Environment;

/// Most tokens of a page: clients cut off tool results that are much longer.
const PAGE_TOKENS: u64 = 8_000;
/// What a client is told of a statement; the text of it stands in the answer.
const STATEMENT_KEYS: &[&str] = &[
    "path",
    "agent",
    "type",
    "state",
    "reason",
    "made_by",
    "author",
    "provider",
    "model",
    "created",
    "carried",
    "signature",
];

/// What a tool returns.
#[derive(Debug)]
pub(super) struct Reply {
    /// For clients that show text only.
    pub(super) text: String,
    /// The same for programs; its shape is `tool::output_schema`.
    pub(super) structured: Value,
    /// True when the command failed.
    pub(super) is_error: bool,
}

impl Reply {
    /// A call that cannot be run as it stands.
    pub(super) fn refused(message: &str) -> Self {
        let text = format!("error: {message}\n");
        Self {
            structured: json!({"text": text, "found": false, "command": ""}),
            text,
            is_error: true,
        }
    }
}

/// Runs a tool's command.
pub(super) fn call(
    tool: &Tool,
    arguments: &Map<String, Value>,
    global: &Global,
    environment: &Environment,
) -> Reply {
    let line = match tool.line(arguments) {
        Ok(line) => line,
        Err(message) => return Reply::refused(&message),
    };
    let answer = answer(tool, &line.words, global, environment);
    let statements = (tool.name == "show" && answer.result.is_ok())
        .then(|| statements(&line.words, global, environment));
    reply(&line, &answer, statements.flatten())
}

/// The answer of a command. One that only reads is made beside the look at the work tree, and again where that has changed.
fn answer(tool: &Tool, words: &[OsString], global: &Global, environment: &Environment) -> Captured {
    if tool.reads {
        let mut believing = global.clone();
        believing.shelf = global.shelf.believing();
        let answer = capture(words, &believing, environment);
        if believing.shelf.stands() {
            return answer;
        }
    }
    capture(words, global, environment)
}

/// Who said what is shown, when, and whether it still holds: the same command's own JSON document without the texts.
fn statements(words: &[OsString], global: &Global, environment: &Environment) -> Option<Value> {
    let (name, rest) = words.split_first()?;
    let mut json_words = vec![name.clone(), "--json".into()];
    json_words.extend_from_slice(rest);
    let answer = capture(&json_words, global, environment);
    let document: Value = serde_json::from_str(&answer.text).ok()?;
    let brief = |frame: &Value| {
        let frame = frame.as_object()?;
        let kept = frame
            .iter()
            .filter(|(key, value)| STATEMENT_KEYS.contains(&key.as_str()) && !value.is_null());
        Some(Value::Object(
            kept.map(|(key, value)| (key.clone(), value.clone()))
                .collect(),
        ))
    };
    Some(
        document["frames"]
            .as_array()?
            .iter()
            .filter_map(brief)
            .collect(),
    )
}

fn reply(line: &Line, answer: &Captured, statements: Option<Value>) -> Reply {
    let shown: Vec<String> = line
        .words
        .iter()
        .map(|word| quote_word(&word.to_string_lossy()))
        .collect();
    let command = format!("git merkle {}", shown.join(" "));
    let mut remarks: Vec<String> = answer.remarks.lines().map(str::to_owned).collect();
    let pages = pages(&answer.text);
    let page = pages.get(line.page - 1).copied().unwrap_or_default();
    if line.page > pages.len().max(1) {
        remarks.push(format!(
            "warning: the answer has {}",
            counted(pages.len(), "page", "pages")
        ));
    }
    let next = (line.page < pages.len()).then_some(line.page + 1);
    let mut text = String::new();
    if !page.is_empty() {
        text.push_str(&marked(page));
    }
    let mut structured =
        json!({"text": page, "found": matches!(answer.result, Ok(Exit::Done)), "command": command});
    if let Err(error) = &answer.result {
        remarks.extend(error.render_text().lines().map(str::to_owned));
    }
    if let Some(next) = next {
        let (page, pages) = (line.page, pages.len());
        let _ = writeln!(
            text,
            "page {page} of {pages}; call again with \"page\": {next}"
        );
        structured["next_page"] = next.into();
    }
    for remark in &remarks {
        text.push_str(remark);
        text.push('\n');
    }
    if !remarks.is_empty() {
        structured["remarks"] = remarks.into();
    }
    if let Some(statements) = statements {
        structured["statements"] = statements;
    }
    if text.is_empty() {
        text.push_str("nothing to show\n");
    }
    Reply {
        text,
        structured,
        is_error: answer.result.is_err(),
    }
}

/// Text of the repository between marks that it cannot hold: they carry the digest of what is between them.
fn marked(page: &str) -> String {
    let mark = &Digest::of("git-merkle 2026 mcp-mark/1", page.as_bytes()).to_string()[..12];
    let end = if page.ends_with('\n') { "" } else { "\n" };
    format!("<data {mark}>\n{page}{end}</data {mark}>\n")
}

/// The text in parts of at most [`PAGE_TOKENS`], cut at the ends of lines; a longer line is a part of its own.
fn pages(text: &str) -> Vec<&str> {
    let sample = token::Sample::of(text.len() as u64);
    let (mut pages, mut start, mut end, mut tokens) = (Vec::new(), 0, 0, 0);
    for line in text.split_inclusive('\n') {
        let more = sample.estimate(line);
        if tokens + more > PAGE_TOKENS && end > start {
            pages.push(&text[start..end]);
            (start, tokens) = (end, 0);
        }
        end += line.len();
        tokens += more;
    }
    if end > start {
        pages.push(&text[start..end]);
    }
    pages
}
