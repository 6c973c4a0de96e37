//! The documents that `--json` prints: one line each, with a versioned name, fields in the order they are declared.
//!
//! A document is a `Serialize` struct that stands beside the command that prints it; here are the envelope and the
//! forms that all of them share. Fields are only ever added; a change of meaning is a new version.

use std::fmt::Write as _;

use serde::Serialize;

use crate::base::path::quote;
use crate::base::printable::is_safe;

/// The version that all documents have at present.
const VERSION: u32 = 1;

#[derive(Serialize)]
struct Envelope<'a, T> {
    schema: String,
    #[serde(flatten)]
    body: &'a T,
}

/// Renders `{"schema":"git-merkle/<name>/1", …}`; `body` is a struct with named fields.
#[must_use]
pub fn document(name: &str, body: &impl Serialize) -> String {
    let envelope = Envelope {
        schema: format!("git-merkle/{name}/{VERSION}"),
        body,
    };
    escape(&serde_json::to_string(&envelope).expect("a document is a struct with string keys"))
}

/// Writes what a terminal would obey or hide, and JSON allows, as `\uXXXX`; outside of strings there is no such thing.
fn escape(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut units = [0; 2];
    for c in text.chars() {
        if is_safe(c) {
            out.push(c);
            continue;
        }
        for unit in c.encode_utf16(&mut units) {
            let _ = write!(out, "\\u{unit:04x}");
        }
    }
    out
}

/// A path of a tree in JSON, which knows only Unicode: as it is, or quoted as git quotes it.
///
/// Quoted are those that are not UTF-8, and those that begin with a quote, so that both can be told apart.
#[must_use]
pub fn path(bytes: &[u8]) -> String {
    match std::str::from_utf8(bytes) {
        Ok(text) if !text.starts_with('"') => text.to_owned(),
        _ => quote(bytes, true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[derive(Serialize)]
    struct Sample {
        zebra: u8,
        apple: Option<&'static str>,
    }

    #[test]
    fn fields_stand_as_declared_behind_the_schema() {
        let text = document(
            "sample",
            &Sample {
                zebra: 1,
                apple: None,
            },
        );
        assert_eq!(
            text,
            r#"{"schema":"git-merkle/sample/1","zebra":1,"apple":null}"#
        );
    }

    #[test]
    fn nothing_active_is_printed_and_everything_reads_back() {
        let body =
            std::collections::BTreeMap::from([("x", "a\u{9b}31m\u{202e}\u{7f}\u{e0041}\u{1b}ä漢")]);
        let text = document("sample", &body);
        assert!(
            text.ends_with(r#""x":"a\u009b31m\u202e\u007f\udb40\udc41\u001bä漢"}"#),
            "{text}"
        );
        let read: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert_eq!(read["x"], body["x"]);
    }

    #[test]
    fn paths_stay_distinct() {
        assert_eq!(path("ä b".as_bytes()), "ä b");
        assert_eq!(path(b"\xff"), "\"\\377\"");
        assert_eq!(path(b"\"\\377\""), "\"\\\"\\\\377\\\"\"");
    }
}
