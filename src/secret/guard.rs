//! What is done about findings: stop and say where, or put a marker in their place and go on.

use std::borrow::Cow;

use super::allowed::Allowed;
use super::finding::{Finding, FindingId};
use super::scanner::Scanner;

/// What every marker begins with; a rule's name and `]` follow.
pub const MARKER_START: &str = "[redacted: ";

/// Times that a redacted text is searched again: what is left beside a marker may look like a secret by itself.
const ROUNDS_MAX: usize = 8;

/// Something that looks like a secret was about to leave.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("'{name}', line {line}, holds what looks like a secret ({rule}){}", and_more(*.more))]
pub struct SecretFound {
    /// The file, or what else the text is called.
    pub name: String,
    /// The line in which it begins, from 1.
    pub line: usize,
    /// The rule that says so.
    pub rule: String,
    /// What allows it.
    pub id: FindingId,
    /// How many more there are.
    pub more: usize,
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, as it was when nothing was found.
    pub text: Cow<'a, str>,
    /// How many secrets were taken out.
    pub count: usize,
}

fn and_more(count: usize) -> String {
    if count == 0 { String::new() } else { format!(", and {count} more") }
}

/// Stops at the first secret of a text that is not allowed.
pub fn guard(text: &[u8], name: &str, scanner: &Scanner, allowed: &Allowed) -> Result<(), SecretFound> {
    let mut found = scanner.find(text).into_iter().filter(|finding| !allowed.allows(finding));
    match found.next() {
        None => Ok(()),
        Some(Finding { rule, line, id, .. }) => Err(SecretFound { name: name.to_owned(), line, rule, id, more: found.count() }),
    }
}

/// Puts a marker in the place of every secret that is not allowed; what is returned has none left.
#[must_use]
pub fn redact<'a>(text: &'a str, scanner: &Scanner, allowed: &Allowed) -> Redacted<'a> {
    let mut redacted = Redacted { text: Cow::Borrowed(text), count: 0 };
    for _ in 0..ROUNDS_MAX {
        let mut found = scanner.find(redacted.text.as_bytes());
        found.retain(|finding| !allowed.allows(finding));
        if found.is_empty() {
            break;
        }
        redacted.count += found.len();
        redacted.text = Cow::Owned(replace(&redacted.text, &found));
    }
    redacted
}

fn replace(text: &str, found: &[Finding]) -> String {
    let mut replaced = String::with_capacity(text.len());
    let mut copied = 0;
    for Finding { range, rule, .. } in found {
        let start = text.floor_char_boundary(range.start).max(copied);
        replaced.push_str(&text[copied..start]);
        replaced.push_str(MARKER_START);
        replaced.push_str(rule);
        replaced.push(']');
        copied = text.ceil_char_boundary(range.end);
    }
    replaced + &text[copied..]
}
