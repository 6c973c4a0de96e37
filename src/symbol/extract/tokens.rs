//! The tokens of C and C++, as far as is needed to make blank what no grammar expects.
//!
//! What is blank has a space for each byte, so every place keeps its number.

use std::borrow::Cow;
use std::ops::Range;

/// Most tokens that are looked through for the end of a bracket or of a qualified name.
pub(super) const LOOK_AHEAD: usize = 200;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Word,
    Sign(u8),
    Literal,
    /// A line of the preprocessor.
    Directive,
}

/// The tokens of a text, without comments.
pub(super) struct Tokens<'t> {
    pub(super) text: &'t str,
    pub(super) all: Vec<(Kind, Range<usize>)>,
}

/// The text with these ranges made blank.
pub(super) fn blank(text: &str, mut ranges: Vec<Range<usize>>) -> Cow<'_, str> {
    if ranges.is_empty() {
        return Cow::Borrowed(text);
    }
    ranges.sort_unstable_by_key(|range| range.start);
    let mut out = String::with_capacity(text.len());
    for range in ranges {
        let from = range.start.max(out.len());
        out.push_str(&text[out.len()..from]);
        let blank = text.get(from..range.end).unwrap_or_default().bytes();
        out.extend(blank.map(|byte| if byte == b'\n' { '\n' } else { ' ' }));
    }
    out.push_str(&text[out.len()..]);
    Cow::Owned(out)
}

impl<'t> Tokens<'t> {
    pub(super) fn word(&self, at: usize) -> &'t str {
        let token = self.all.get(at).filter(|(kind, _)| *kind == Kind::Word);
        token.map_or("", |(_, range)| &self.text[range.clone()])
    }

    pub(super) fn is_sign(&self, at: usize, signs: &[u8]) -> bool {
        matches!(self.all.get(at), Some((Kind::Sign(sign), _)) if signs.contains(sign))
    }

    pub(super) fn closed(&self, at: usize, open: u8, close: u8) -> Option<usize> {
        let mut depth = 0_usize;
        for next in at..self.all.len().min(at + LOOK_AHEAD) {
            depth += usize::from(self.is_sign(next, &[open]));
            if self.is_sign(next, &[close]) {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some(next + 1);
                }
            }
        }
        None
    }

    pub(super) fn of(text: &'t str) -> Self {
        let bytes = text.as_bytes();
        let (mut all, mut at) = (Vec::new(), 0);
        let mut line_is_empty = true;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let rest = &text[at..];
            let kind = match byte {
                b'\n' => {
                    line_is_empty = true;
                    at += 1;
                    continue;
                }
                _ if byte.is_ascii_whitespace() || !byte.is_ascii() => {
                    at += rest.chars().next().map_or(1, char::len_utf8);
                    continue;
                }
                b'/' if rest.starts_with("//") => {
                    at += rest.find('\n').unwrap_or(rest.len());
                    continue;
                }
                b'/' if rest.starts_with("/*") => {
                    at += rest
                        .get(2..)
                        .and_then(|rest| rest.find("*/"))
                        .map_or(rest.len(), |end| end + 4);
                    continue;
                }
                b'#' if line_is_empty => {
                    at += directive_len(rest);
                    Kind::Directive
                }
                b'"' | b'\'' => {
                    at += literal_len(rest);
                    Kind::Literal
                }
                b'_' | b'a'..=b'z' | b'A'..=b'Z' | b'0'..=b'9' => {
                    at += rest
                        .bytes()
                        .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_')
                        .count();
                    if text[start..at].ends_with('R') && bytes.get(at) == Some(&b'"') {
                        at += raw_len(&text[at..]);
                        Kind::Literal
                    } else {
                        Kind::Word
                    }
                }
                sign => {
                    at += 1;
                    Kind::Sign(sign)
                }
            };
            line_is_empty = false;
            all.push((kind, start..at));
        }
        Self { text, all }
    }
}

/// A line of the preprocessor, with those that it or a comment in it goes on in.
fn directive_len(text: &str) -> usize {
    let bytes = text.as_bytes();
    // Within a text, or behind `//`, nothing but the end of the line counts.
    let (mut at, mut is_text, mut is_comment) = (0, false, false);
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        at += match byte {
            b'\n' => return at,
            b'\\' if rest.starts_with(b"\\\r\n") => 3,
            b'\\' => 2,
            _ if is_comment => 1,
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => 3,
            b'"' => {
                is_text = !is_text;
                1
            }
            b'/' if !is_text && rest.starts_with(b"/*") => {
                let end = text.get(at + 2..).and_then(|rest| rest.find("*/"));
                end.map_or(rest.len(), |end| end + 4)
            }
            b'/' if !is_text && rest.starts_with(b"//") => {
                is_comment = true;
                1
            }
            _ => 1,
        };
    }
    text.len()
}

/// A text or a character up to its end, at most to the end of the line.
fn literal_len(text: &str) -> usize {
    let mut is_escaped = false;
    let mark = text.as_bytes()[0];
    for (at, byte) in text.bytes().enumerate().skip(1) {
        match byte {
            b'\n' if !is_escaped => return at,
            _ if is_escaped => is_escaped = false,
            b'\\' => is_escaped = true,
            byte if byte == mark => return at + 1,
            _ => {}
        }
    }
    text.len()
}

/// `"mark( … )mark"` behind an `R`.
fn raw_len(text: &str) -> usize {
    let mark_end = text.bytes().take(18).position(|byte| byte == b'(');
    let Some((mark, rest)) = mark_end.map(|end| (&text[1..end], &text[end + 1..])) else {
        return literal_len(text);
    };
    let end = format!("){mark}\"");
    rest.find(&end)
        .map_or(text.len(), |at| text.len() - rest.len() + at + end.len())
}
