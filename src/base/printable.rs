//! Text from a repository, a frame or a model, made safe for a terminal.
//!
//! Control and C1 characters, bidirectional overrides and zero-width characters are shown as escapes, so that
//! no file name and no frame can move the cursor, hide text or reorder a line.

use std::fmt;

/// Shows foreign text with everything invisible or active escaped as `\u{…}`; line feeds and tabs stay.
#[derive(Clone, Copy)]
pub struct Printable<'a>(&'a str);

/// Wraps foreign text for printing.
#[must_use]
pub fn printable(text: &str) -> Printable<'_> {
    Printable(text)
}

impl fmt::Display for Printable<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (mut kept_from, mut from) = (0, 0);
        let is_plain = |byte: &u8| matches!(byte, b' '..=b'~' | b'\n' | b'\t');
        while let Some(plain) = self.0.as_bytes()[from..]
            .iter()
            .position(|byte| !is_plain(byte))
        {
            let at = from + plain;
            let c = self.0[at..].chars().next().expect("the text goes on");
            from = at + c.len_utf8();
            if is_safe(c) {
                continue;
            }
            f.write_str(&self.0[kept_from..at])?;
            write!(f, "\\u{{{:x}}}", u32::from(c))?;
            kept_from = from;
        }
        f.write_str(&self.0[kept_from..])
    }
}

/// Foreign text that stands within a line: without line feeds and tabs, behind which it could look like a line of ours.
#[must_use]
pub fn one_line(text: &str) -> String {
    text.replace(['\n', '\t'], " ")
}

/// An error and what was underneath it, from the outside in, on one line; what only repeats is said once.
#[must_use]
pub fn chain(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut next = error.source();
    while let Some(source) = next {
        let part = source.to_string();
        if !text.ends_with(&part) {
            text = format!("{text}: {part}");
        }
        next = source.source();
    }
    text
}

/// True for a character that is what it looks like: neither a control character nor invisible nor one that reorders.
#[must_use]
pub fn is_safe(c: char) -> bool {
    match c {
        '\n' | '\t' => true,
        c if c.is_control() => false,
        '\u{ad}'
        | '\u{61c}'
        | '\u{115f}'
        | '\u{1160}'
        | '\u{180e}'
        | '\u{3164}'
        | '\u{feff}'
        | '\u{ffa0}'
        | '\u{200b}'..='\u{200f}'
        | '\u{2028}'..='\u{202e}'
        | '\u{2060}'..='\u{206f}'
        | '\u{fff9}'..='\u{fffb}'
        | '\u{e0000}'..='\u{e007f}' => false,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_stays_one_line() {
        assert_eq!(one_line("a\n## b\tc"), "a ## b c");
    }

    #[test]
    fn active_characters_are_escaped_and_text_stays() {
        assert_eq!(printable("a\u{1b}[31mb").to_string(), "a\\u{1b}[31mb");
        assert_eq!(
            printable("x\u{202e}y\u{200b}z\r").to_string(),
            "x\\u{202e}y\\u{200b}z\\u{d}"
        );
        assert_eq!(printable("grüße\n\t→ 漢字").to_string(), "grüße\n\t→ 漢字");
    }
}
