//! The commands as a person and a script meet them: text, JSON, NUL-separated paths, errors, exit codes; a file a verb.
//!
//! Snapshots show ids as `#1`, `#2` … in the order in which they appear, a short id like the whole one that it begins
//! (see [`masked`]); everything else is what the program prints.

mod agent;
mod array;
mod auth;
mod config;
mod count;
mod diff;
mod doctor;
mod error;
mod explain;
mod fields;
mod get_head;
mod hint;
mod init;
mod invalidate;
mod list_frames;
mod log;
mod mcp;
mod note;
mod pathspec;
mod place;
mod profile;
mod prompt;
mod provider;
mod put_frame;
mod regenerate;
mod scan;
mod shell;
mod show;
mod status;
mod synthesize;
mod terminal;
mod update_hook;
mod validate;
mod warm;

use std::collections::BTreeSet;
use std::fmt::Write;

use serde_json::Value;

use crate::support::{Output, Repo, SAMPLE, Sandbox};

/// A repository with the sample and an outline of everything.
fn sample(sandbox: &Sandbox) -> Repo<'_> {
    let repo = sandbox.filled(SAMPLE);
    repo.merkle(&["regenerate"]).ok();
    repo
}

/// Stores a note about a node and returns its frame id.
#[track_caller]
fn note(repo: &Repo<'_>, node: &str, text: &str) -> String {
    repo.put_frame(node, text).ok().trim().to_owned()
}

/// Both streams and the exit code, as snapshots show a command that does not simply succeed.
fn told(output: &Output) -> String {
    let (text, error) = (masked(&output.out()), masked(&output.err()));
    let mark = if error.is_empty() { "" } else { "--- stderr\n" };
    format!(
        "{text}{mark}{error}--- exit {}",
        output.code.expect("not ended by a signal")
    )
}

/// The text with ids numbered in the order of their appearance.
fn masked(text: &str) -> String {
    let (mut known, mut out) = (Vec::<String>::new(), String::new());
    let mut rest = text;
    while !rest.is_empty() {
        let end = rest
            .find(|c: char| !c.is_ascii_alphanumeric())
            .unwrap_or(rest.len());
        let (word, tail) = rest.split_at(end.max(rest.chars().next().map_or(0, char::len_utf8)));
        rest = tail;
        let is_id = matches!(word.len(), 7 | 40 | 64)
            && word
                .bytes()
                .all(|b| b.is_ascii_digit() || (b'a'..=b'f').contains(&b));
        if !is_id {
            out.push_str(word);
            continue;
        }
        let at = known
            .iter()
            .position(|id| id.starts_with(word) || word.starts_with(id.as_str()))
            .unwrap_or_else(|| {
                known.push(word.to_owned());
                known.len() - 1
            });
        write!(out, "#{}", at + 1).expect("writing to a string succeeds");
    }
    out
}

/// Demands these fields and no others, separated by spaces.
#[track_caller]
fn assert_fields(value: &Value, fields: &str) {
    let found: BTreeSet<&str> = value
        .as_object()
        .expect("an object")
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(found, fields.split_whitespace().collect(), "in {value}");
}

/// Demands the same of every value of a list that has some.
#[track_caller]
fn assert_each(list: &Value, fields: &str) {
    let values = list.as_array().expect("a list");
    assert!(!values.is_empty(), "a list of nothing proves nothing");
    for value in values {
        assert_fields(value, fields);
    }
}

/// The fields of a frame in every document.
const FRAME_FIELDS: &str = "frame node kind agent type seq state reason commit path made_at basis basis_kind children made_by author provider model \
                            cost_usd created tool content";

#[test]
fn masks_number_ids_and_leave_words_alone() {
    let whole = "0123456789abcdef0123456789abcdef01234567";
    assert_eq!(
        masked(&format!("{whole} abcdef1 0123456 (decided) deadbeefs ä\n")),
        "#1 #2 #1 (decided) deadbeefs ä\n"
    );
}
