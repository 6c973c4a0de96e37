//! The tokens of C, C++ and C#, as far as is needed to make blank what no grammar expects.
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
        Self::read(text, directive_len, literal_len)
    }

    /// The same of C#, which has no comments in lines of the preprocessor, and texts over several lines.
    pub(super) fn of_csharp(text: &'t str) -> Self {
        let directive_len = |text: &str| text.find('\n').unwrap_or(text.len());
        Self::read(text, directive_len, csharp_literal_len)
    }

    fn read(
        text: &'t str,
        directive_len: impl Fn(&str) -> usize,
        literal_len: impl Fn(&str) -> usize,
    ) -> Self {
        let bytes = text.as_bytes();
        let (mut all, mut at) = (Vec::new(), 0);
        let mut line_is_empty = true;
        while let Some(&byte) = bytes.get(at) {
            let start = at;
            let rest = &text[at..];
            let literal_len = if b"\"'@$".contains(&byte) {
                literal_len(rest)
            } else {
                0
            };
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
                _ if literal_len > 0 => {
                    at += literal_len;
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

impl Tokens<'_> {
    /// The comments within macros, behind which the grammar does not read on. What ends their lines stays.
    pub(super) fn comments_in_defines(&self) -> Vec<Range<usize>> {
        let mut found = Vec::new();
        for (_, range) in self.all.iter().filter(|(kind, _)| *kind == Kind::Directive) {
            let line = &self.text[range.clone()];
            let word = line.trim_start_matches('#').trim_start();
            if !word.starts_with("define") || !line.contains("/*") {
                continue;
            }
            for comment in comments(line) {
                let (start, text) = (range.start + comment.start, &line[comment.clone()]);
                let goes_on = !line[comment.end..].trim().is_empty();
                let parts = lines_to_blank(text).filter(|_| goes_on);
                let parts = parts.into_iter().flatten();
                found.extend(parts.map(|part| start + part.start..start + part.end));
            }
        }
        found
    }
}

/// The parts of a comment in a macro without what ends its lines; `None` where a line does not say that it goes on.
fn lines_to_blank(comment: &str) -> Option<Vec<Range<usize>>> {
    let (mut at, mut parts) = (0, Vec::new());
    for line in comment.split_inclusive('\n') {
        let text = line.trim_end_matches(['\n', '\r']);
        let own = text.strip_suffix('\\');
        if own.is_none() && line.ends_with('\n') {
            return None;
        }
        parts.push(at..at + own.unwrap_or(text).len());
        at += line.len();
    }
    Some(parts)
}

/// The comments in a line of the preprocessor, as [`directive_len`] goes through it.
fn comments(line: &str) -> Vec<Range<usize>> {
    let bytes = line.as_bytes();
    let (mut at, mut is_text, mut found) = (0, false, Vec::new());
    while let Some(byte) = bytes.get(at) {
        let rest = &bytes[at..];
        at += match byte {
            b'\\' => 2,
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => 3,
            b'"' => {
                is_text = !is_text;
                1
            }
            b'/' if !is_text && rest.starts_with(b"//") => break,
            b'/' if !is_text && rest.starts_with(b"/*") => {
                let end = line.get(at + 2..).and_then(|rest| rest.find("*/"));
                let len = end.map_or(rest.len(), |end| end + 4);
                found.push(at..at + len);
                len
            }
            _ => 1,
        };
    }
    found
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

/// A text of C#: `"…"`, `@"…"` with doubled quotes, `"""…"""` with as many quotes at the end.
fn csharp_literal_len(text: &str) -> usize {
    let open = text.bytes().take_while(|byte| b"@$".contains(byte)).count();
    let (marks, quoted) = text.split_at(open);
    let quotes = quoted.bytes().take_while(|byte| *byte == b'"').count();
    if quotes > 2 && !marks.contains('@') {
        let end = quoted[quotes..].find(&quoted[..quotes]);
        return end.map_or(text.len(), |end| open + end + 2 * quotes);
    }
    if quotes == 0 && (open > 0 || !quoted.starts_with('\'')) {
        return 0;
    }
    if !marks.contains('@') {
        return open + literal_len(quoted);
    }
    let bytes = quoted.as_bytes();
    let mut at = 1;
    while at < bytes.len() {
        at += match &bytes[at..] {
            [b'"', b'"', ..] => 2,
            [b'"', ..] => return open + at + 1,
            _ => 1,
        };
    }
    text.len()
}

/// A text or a character up to its end, at most to the end of the line; nothing for what is neither.
fn literal_len(text: &str) -> usize {
    if !text.starts_with(['"', '\'']) {
        return 0;
    }
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
