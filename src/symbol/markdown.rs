//! Foreign text as inline Markdown that cannot become anything but text.

use std::fmt::Write as _;

/// Writes text as a code span, with a fence longer than any run of backticks in it.
pub(crate) fn code(text: &str) -> String {
    let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
    let fence = "`".repeat(longest + 1);
    if text.starts_with('`') || text.ends_with('`') || text.is_empty() {
        return format!("{fence} {text} {fence}");
    }
    format!("{fence}{text}{fence}")
}

/// Writes one line of prose that may itself be Markdown: code spans, emphasis and links stay, blocks cannot begin.
///
/// HTML is escaped, as are images, which would make a reader fetch them.
pub(super) fn prose(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + 8);
    let mut rest = escape_start(&mut out, text.trim());
    while let Some(at) = rest.find(['`', '<', '!', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let taken = match rest.as_bytes()[0] {
            b'`' => code_span(rest),
            b'\\' => 1 + rest[1..].chars().next().map_or(0, char::len_utf8),
            b'<' => {
                out.push_str(if is_tag(rest) { "\\" } else { "" });
                1
            }
            _ => {
                out.push_str(if rest.starts_with("![") { "\\" } else { "" });
                1
            }
        };
        out.push_str(&rest[..taken]);
        rest = &rest[taken..];
    }
    out + rest
}

/// The same of what is said of a file or declaration: where what it announces is not said, `…` stands for that.
pub(super) fn told(text: &str) -> String {
    match text.strip_suffix("::") {
        // What follows two colons in reStructuredText is code.
        Some(before) => prose(before) + ": …",
        None if text.ends_with([':', ',']) => prose(text) + " …",
        None => prose(text),
    }
}

/// The length of the code span at the start of `text`, or of its backticks when they are never closed.
fn code_span(text: &str) -> usize {
    let fence = text.bytes().take_while(|b| *b == b'`').count();
    let mut at = fence;
    while let Some(next) = text[at..].find('`') {
        let run = text[at + next..].bytes().take_while(|b| *b == b'`').count();
        at += next + run;
        if run == fence {
            return at;
        }
    }
    fence
}

/// Escapes what would open a block at the start of a line; returns what is left of the text.
fn escape_start<'a>(out: &mut String, text: &'a str) -> &'a str {
    let digits = text.bytes().take_while(u8::is_ascii_digit).count();
    // An item of a list has a space behind its number; `15.2.0` is a version.
    let is_item = |rest: &str| {
        let rest = rest.strip_prefix(['.', ')']);
        rest.is_some_and(|rest| rest.is_empty() || rest.starts_with(char::is_whitespace))
    };
    if digits > 0 && is_item(&text[digits..]) {
        let _ = write!(out, "{}\\", &text[..digits]);
        return &text[digits..];
    }
    let mut chars = text.chars();
    let first = chars.next().unwrap_or(' ');
    let opens = match first {
        '#' | '>' | '=' | '|' => true,
        '-' | '+' | '*' | '_' => {
            chars.as_str().is_empty()
                || chars.as_str().starts_with(' ')
                || text.chars().all(|c| c == first || c == ' ')
        }
        '[' => text.contains("]:"),
        _ => text.starts_with("~~~") || text.starts_with("```"),
    };
    if opens {
        out.push('\\');
        out.push(first);
        return chars.as_str();
    }
    text
}

/// Whether a `<` could begin HTML; addresses in angle brackets stay links.
fn is_tag(text: &str) -> bool {
    let opens = |c: char| c.is_ascii_alphabetic() || matches!(c, '/' | '!' | '?');
    text[1..].starts_with(opens) && !text.starts_with("<http://") && !text.starts_with("<https://")
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use pulldown_cmark::{Event, Options, Parser, Tag};

    /// Everything that is not a paragraph, an inline mark or text.
    fn stray(markdown: &str) -> Vec<String> {
        let events = Parser::new_ext(markdown, Options::all());
        let harmless = |event: &Event<'_>| match event {
            Event::Start(tag) => {
                matches!(
                    tag,
                    Tag::Paragraph
                        | Tag::Emphasis
                        | Tag::Strong
                        | Tag::Strikethrough
                        | Tag::Link { .. }
                ) || matches!(tag, Tag::Subscript | Tag::Superscript)
            }
            Event::Html(_) | Event::InlineHtml(_) | Event::Rule | Event::TaskListMarker(_) => false,
            _ => true,
        };
        events
            .filter(|event| !harmless(event))
            .map(|event| format!("{event:?}"))
            .collect()
    }

    #[test]
    fn code_reads_back_whatever_is_in_it() {
        for text in ["a", "a`b", "``", "`a", "a``b`c", " "] {
            let markdown = code(text);
            let shown: Vec<_> = Parser::new(&markdown)
                .filter(|event| matches!(event, Event::Code(_)))
                .collect();
            assert_eq!(shown, [Event::Code(text.into())], "{markdown}");
        }
    }

    #[test]
    fn prose_keeps_what_is_harmless() {
        for text in [
            "Uses `Vec<u8>` and *this* [link](x).",
            "**Note**: see <https://example.org>.",
            "a < b",
            "-1 is less",
            "C# 3.5",
            "15.2.0 (2026-07-15)",
            "1.a",
        ] {
            assert_eq!(prose(text), text);
        }
        for text in [
            "# a",
            "> a",
            "- a",
            "---",
            "***",
            "1. a",
            "15)\ta",
            "2.",
            "```sh",
            "~~~",
            "[a]: b",
            "<b>a",
            "a <script> b",
            "![a](b)",
            "| a |",
            "===",
        ] {
            assert_ne!(prose(text), text);
            assert_eq!(stray(&prose(text)), [""; 0], "{}", prose(text));
        }
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

        #[test]
        fn no_prose_opens_a_block(text in "[-#>*+_~=|` a<!/?\\[\\]()\\\\:.1b&;\"]{0,24}") {
            prop_assert_eq!(stray(&prose(&text)), Vec::<String>::new(), "{}", prose(&text));
        }
    }
}
