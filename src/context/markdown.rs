//! Foreign text in a Markdown document: link texts, link targets, code spans and fences that nothing breaks out of.
//!
//! A name that is not plain text is quoted as git quotes paths, and invisible characters are shown as escapes, so
//! every name is one line of visible characters before Markdown is even thought of.

use std::fmt::Write as _;

use crate::base::fence::longest_run;
use crate::base::path::quote;
use crate::base::{self, printable};

/// The shortest fence.
const FENCE_MIN: usize = 4;

/// A name as one line of visible text.
#[must_use]
pub fn plain(name: &[u8]) -> String {
    printable(&quote(name, false)).to_string()
}

/// A name in running Markdown: every character that could mean something is escaped.
///
/// An underscore between two letters or digits means nothing and stays as it is.
#[must_use]
pub fn text(name: &[u8]) -> String {
    let name = plain(name);
    let mut out = String::with_capacity(name.len());
    let mut before = None;
    let mut rest = name.chars().peekable();
    while let Some(c) = rest.next() {
        let inside = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
        let is_active = match c {
            '\\' | '`' | '*' | '[' | ']' | '<' | '>' | '&' | '!' | '|' => true,
            // One alone is a revision; two strike through where that is known.
            '~' => name.matches('~').count() > 1,
            '_' => !(inside(before) && inside(rest.peek().copied())),
            _ => false,
        };
        if is_active {
            out.push('\\');
        }
        out.push(c);
        before = Some(c);
    }
    out
}

/// Text as a code span, with more backticks around it than any run inside has.
#[must_use]
pub fn code(text: &str) -> String {
    let ticks = "`".repeat(longest_run(text.as_bytes()) + 1);
    let pad = if text.starts_with(['`', ' ']) || text.ends_with(['`', ' ']) || text.is_empty() {
        " "
    } else {
        ""
    };
    format!("{ticks}{pad}{text}{pad}{ticks}")
}

/// The target of a link to a path: `/` and the path, percent-encoded but for letters, digits and `-._~/@+=,`.
#[must_use]
pub fn path_target(path: &[u8]) -> String {
    let mut target = String::from("/");
    encode(&mut target, path, b"-._~/@+=,");
    target
}

/// The target of a link to anything else that a list can name: a URL stays a URL.
#[must_use]
pub fn target(name: &[u8]) -> String {
    let mut target = String::new();
    encode(&mut target, name, b"-._~/@+=,:?#&$;%");
    target
}

fn encode(out: &mut String, bytes: &[u8], kept: &[u8]) {
    for byte in bytes {
        if byte.is_ascii_alphanumeric() || kept.contains(byte) {
            out.push(char::from(*byte));
        } else {
            let _ = write!(out, "%{byte:02X}");
        }
    }
}

/// A link in running Markdown.
#[must_use]
pub fn link(name: &[u8], target: &str) -> String {
    // In a target `&copy` would become another character.
    format!("[{}]({})", text(name), target.replace('&', "\\&"))
}

/// A link shown as it is written, in a code span: the header of a resource.
#[must_use]
pub fn link_code(name: &[u8], target: &str) -> String {
    code(&format!("[{}]({target})", plain(name)))
}

/// A fence around text whose longest run of backticks is so long.
#[must_use]
pub fn fence(longest_run: usize) -> String {
    base::fence::fence(longest_run, FENCE_MIN)
}

/// Appends text in a fence with a language; it ends with a line feed before the closing fence.
pub fn push_fenced(out: &mut Vec<u8>, language: &str, text: &[u8]) {
    let fence = fence(longest_run(text));
    out.extend_from_slice(fence.as_bytes());
    out.extend_from_slice(language.as_bytes());
    out.push(b'\n');
    out.extend_from_slice(text);
    if !text.is_empty() && !text.ends_with(b"\n") {
        out.push(b'\n');
    }
    out.extend_from_slice(fence.as_bytes());
    out.push(b'\n');
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Parser, Tag, TagEnd};

    use super::*;

    /// The text of the one link of a document, and its target.
    fn read_link(markdown: &str) -> Option<(String, String)> {
        let (mut text, mut target) = (String::new(), None);
        for event in Parser::new(markdown) {
            match event {
                Event::Start(Tag::Link { dest_url, .. }) if target.is_none() => {
                    target = Some(dest_url.to_string());
                }
                Event::Start(Tag::Paragraph) | Event::End(TagEnd::Paragraph | TagEnd::Link) => {}
                Event::Text(part) => text.push_str(&part),
                _ => return None,
            }
        }
        target.map(|target| (text, target))
    }

    #[test]
    fn plain_paths_stay_plain() {
        assert_eq!(
            link(b"src/main_test.py", &path_target(b"src/main_test.py")),
            "[src/main_test.py](/src/main_test.py)"
        );
        assert_eq!(link_code(b"a b", &path_target(b"a b")), "`[a b](/a%20b)`");
        assert_eq!(text(b"__init__.py"), "\\_\\_init\\_\\_.py");
        assert_eq!(plain(b"a\nb"), "\"a\\nb\"");
    }

    proptest! {
        #[test]
        fn every_name_is_the_text_of_its_link(name in proptest::collection::vec(any::<u8>(), 1..40)) {
            let target = path_target(&name);
            let (shown, read) = read_link(&link(&name, &target)).expect("one link and nothing else");
            prop_assert_eq!(shown, plain(&name));
            prop_assert_eq!(read, target);
        }

        #[test]
        fn hostile_names_are_the_text_of_their_links(name in "[\\[\\]()`*_<>&!~|\\\\ #/a\n.-]{1,30}") {
            let (shown, _) = read_link(&link(name.as_bytes(), &target(name.as_bytes()))).expect("one link and nothing else");
            prop_assert_eq!(shown, plain(name.as_bytes()));
        }

        #[test]
        fn a_code_span_holds_its_text(name in "[`\\[\\]() a<*\\\\]{1,30}") {
            let markdown = format!("x {} y", link_code(name.as_bytes(), "/t"));
            let codes: Vec<String> = Parser::new(&markdown).filter_map(|event| match event {
                Event::Code(code) => Some(code.to_string()),
                _ => None,
            }).collect();
            prop_assert_eq!(codes, vec![format!("[{}](/t)", plain(name.as_bytes()))]);
        }

        #[test]
        fn a_fence_holds_its_text(body in "[`~\r\n #<>a\t-]{0,60}") {
            let mut out = Vec::new();
            push_fenced(&mut out, "text", body.as_bytes());
            out.extend_from_slice(b"\nafter\n");
            let markdown = String::from_utf8(out).expect("UTF-8");
            let blocks: Vec<Event<'_>> = Parser::new(&markdown).filter(|event| !matches!(event, Event::Text(_))).collect();
            prop_assert_eq!(blocks.len(), 4, "{:?}", blocks);
        }
    }
}
