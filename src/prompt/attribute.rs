//! Paths as a model sees them: text that can stand in an attribute and in a sentence, and can close neither.
//!
//! | of the path | becomes |
//! |---|---|
//! | `&`, `"`, `<`, `>` | `&amp;`, `&quot;`, `&lt;`, `&gt;` |
//! | control, format and other invisible characters, and `\` | `&#x…;`, the code point in hexadecimal |
//! | a byte that is not UTF-8 | `\x..`, two hexadecimal digits |
//! | everything else | itself |
//!
//! Two paths never become the same text.

use std::fmt::Write as _;

use crate::base::TreePath;
use crate::base::printable::is_safe;

/// The text of a path; empty for the root.
#[must_use]
pub fn path_text(path: &TreePath) -> String {
    let mut out = String::new();
    for chunk in path.as_bytes().utf8_chunks() {
        for c in chunk.valid().chars() {
            match c {
                '&' => out.push_str("&amp;"),
                '"' => out.push_str("&quot;"),
                '<' => out.push_str("&lt;"),
                '>' => out.push_str("&gt;"),
                c if c == '\\' || c.is_control() || !is_safe(c) => {
                    let _ = write!(out, "&#x{:x};", u32::from(c));
                }
                c => out.push(c),
            }
        }
        for byte in chunk.invalid() {
            let _ = write!(out, "\\x{byte:02x}");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Reads a text back; the test's own, so that the rule is stated twice.
    fn read_back(text: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let mut rest = text;
        while let Some(c) = rest.chars().next() {
            if let Some(behind) = rest.strip_prefix("\\x") {
                out.push(u8::from_str_radix(&behind[..2], 16).expect("two digits"));
                rest = &behind[2..];
            } else if c == '&' {
                let (name, behind) = rest[1..].split_once(';').expect("an end");
                let c = match name {
                    "amp" => '&',
                    "quot" => '"',
                    "lt" => '<',
                    "gt" => '>',
                    code => char::from_u32(u32::from_str_radix(&code[2..], 16).expect("digits"))
                        .expect("a character"),
                };
                out.extend(c.to_string().bytes());
                rest = behind;
            } else {
                out.extend(c.to_string().bytes());
                rest = &rest[c.len_utf8()..];
            }
        }
        out
    }

    #[test]
    fn nothing_in_a_path_closes_a_tag() {
        let text = path_text(&TreePath::new(*b"a\">\n</file>\xff\\x\xe2\x80\xaeb&"));
        assert_eq!(
            text,
            "a&quot;&gt;&#xa;&lt;/file&gt;\\xff&#x5c;x&#x202e;b&amp;"
        );
        assert_eq!(path_text(&TreePath::from("src/ä b.rs")), "src/ä b.rs");
    }

    proptest::proptest! {
        #[test]
        fn every_path_reads_back(bytes: Vec<u8>, text in "\\PC*") {
            for path in [bytes, text.into_bytes()] {
                let shown = path_text(&TreePath::new(path.clone()));
                proptest::prop_assert!(!shown.contains(['"', '<', '>', '\n', '\r', '\0']));
                proptest::prop_assert_eq!(read_back(&shown), path);
            }
        }
    }
}
