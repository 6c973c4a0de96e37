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
#[error("{}", describe(self))]
pub struct SecretFound {
    /// The file, or what else the text is called; for a name that holds a secret, the name with markers.
    pub name: String,
    /// What the name belongs to, when the secret stands in the name and not in the text.
    pub object: Option<Object>,
    /// The line in which it begins, from 1.
    pub line: usize,
    /// The rule that says so.
    pub rule: String,
    /// What allows it.
    pub id: FindingId,
    /// How many more there are.
    pub more: usize,
}

/// How git knows what has a name, for a user who looks for it: `git ls-tree -r -t` shows it beside the name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object(pub String);

fn describe(found: &SecretFound) -> String {
    let SecretFound {
        name,
        object,
        line,
        rule,
        more,
        ..
    } = found;
    let more = if *more == 0 {
        String::new()
    } else {
        format!(", and {more} more")
    };
    match object {
        Some(Object(object)) => {
            format!("the name '{name}' of {object} holds what looks like a secret ({rule}){more}")
        }
        None => format!("'{name}', line {line}, holds what looks like a secret ({rule}){more}"),
    }
}

/// A text without its secrets.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redacted<'a> {
    /// The text, as it was when nothing was found.
    pub text: Cow<'a, str>,
    /// How many secrets were taken out.
    pub count: usize,
}

impl SecretFound {
    /// The first finding that is not allowed, with the count of the others.
    #[must_use]
    pub fn first(
        findings: impl IntoIterator<Item = Finding>,
        allowed: &Allowed,
        name: impl FnOnce() -> String,
    ) -> Option<Self> {
        let mut found = findings
            .into_iter()
            .filter(|finding| !allowed.allows(finding));
        let Finding { rule, line, id, .. } = found.next()?;
        Some(Self {
            name: name(),
            object: None,
            line,
            rule,
            id,
            more: found.count(),
        })
    }
}

/// Stops at the first secret of a text that is not allowed.
pub fn guard(
    text: &[u8],
    name: &str,
    scanner: &Scanner,
    allowed: &Allowed,
) -> Result<(), SecretFound> {
    let found = SecretFound::first(scanner.find(text), allowed, || name.to_owned());
    found.map_or(Ok(()), Err)
}

/// Puts a marker in the place of every secret that is not allowed; what is returned has none left, and as many line
/// breaks as before, so that the number of a line is the same in both.
#[must_use]
pub fn redact<'a>(text: &'a str, scanner: &Scanner, allowed: &Allowed) -> Redacted<'a> {
    let (bytes, count) = without(text.as_bytes(), scanner, allowed);
    let text = match bytes {
        Cow::Borrowed(_) => Cow::Borrowed(text),
        // A rule may end within a character, of which then nothing is left that says something.
        Cow::Owned(bytes) => {
            Cow::Owned(String::from_utf8(bytes).unwrap_or_else(|error| lossy(error.as_bytes())))
        }
    };
    Redacted { text, count }
}

pub(super) fn lossy(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The bytes with markers, and how many were put in.
pub(super) fn without<'t>(
    text: &'t [u8],
    scanner: &Scanner,
    allowed: &Allowed,
) -> (Cow<'t, [u8]>, usize) {
    let (mut redacted, mut count) = (Cow::Borrowed(text), 0);
    for _ in 0..ROUNDS_MAX {
        let mut found = scanner.find(&redacted);
        found.retain(|finding| !allowed.allows(finding));
        if found.is_empty() {
            break;
        }
        count += found.len();
        redacted = Cow::Owned(replace(&redacted, &found));
    }
    (redacted, count)
}

fn replace(text: &[u8], found: &[Finding]) -> Vec<u8> {
    let mut replaced = Vec::with_capacity(text.len());
    let mut copied = 0;
    for Finding { range, rule, .. } in found {
        replaced.extend_from_slice(&text[copied..range.start]);
        replaced.extend_from_slice(format!("{MARKER_START}{rule}]").as_bytes());
        let removed = &text[range.clone()];
        replaced.extend(removed.iter().filter(|&byte| matches!(byte, b'\r' | b'\n')));
        copied = range.end;
    }
    replaced.extend_from_slice(&text[copied..]);
    replaced
}
