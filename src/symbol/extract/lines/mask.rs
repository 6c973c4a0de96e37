//! A text without its comments and strings, byte for byte: what is left is code, and stands where it stood.

use crate::symbol::comment::Marks;

/// Stands for a byte of a comment.
pub(super) const COMMENT: u8 = b' ';
/// Stands for a byte of a string, quotes included.
pub(super) const QUOTED: u8 = b'"';

/// Masks comments and strings; line feeds stay. A string ends in its line, unless three quotes or a back quote open it.
pub(super) fn mask(text: &str, marks: &Marks) -> Vec<u8> {
    let mut masker = Masker {
        text,
        bytes: text.as_bytes(),
        out: text.as_bytes().to_vec(),
        marks,
        open_to: [0; 256],
    };
    let mut at = 0;
    while at < masker.bytes.len() {
        at = masker.step(at);
    }
    masker.out
}

struct Masker<'t> {
    text: &'t str,
    bytes: &'t [u8],
    out: Vec<u8>,
    marks: &'t Marks,
    /// For each quote up to where it is known not to be closed.
    open_to: [usize; 256],
}

impl Masker<'_> {
    /// Takes what begins here; gives the place behind it.
    fn step(&mut self, at: usize) -> usize {
        let rest = &self.bytes[at..];
        let byte = rest[0];
        if let Some((open, close)) = self.marks.block
            && rest.starts_with(open.as_bytes())
        {
            return self.cover(at, self.find(at + open.len(), close), COMMENT);
        }
        if self
            .marks
            .line
            .iter()
            .any(|mark| rest.starts_with(mark.as_bytes()))
            && self.may_comment(at)
        {
            return self.cover(at, self.find(at, "\n"), COMMENT);
        }
        if !self.marks.quotes.contains(&byte) {
            return at + 1;
        }
        for three in ["\"\"\"", "'''"] {
            if rest.starts_with(three.as_bytes()) {
                return self.cover(at, self.find(at + three.len(), three), QUOTED);
            }
        }
        self.quoted(at, byte)
    }

    /// A word that begins a comment, such as `rem`, does so at the start of a line, and `#` behind white space only.
    fn may_comment(&self, at: usize) -> bool {
        let before = at.checked_sub(1).map_or(b'\n', |before| self.bytes[before]);
        match self.bytes[at] {
            b'#' | b'%' | b'!' => before.is_ascii_whitespace(),
            b'"' | b':' | b'r' | b'R' => self.bytes[..at]
                .iter()
                .rev()
                .take_while(|byte| **byte != b'\n')
                .take(64)
                .all(u8::is_ascii_whitespace),
            _ => true,
        }
    }

    fn quoted(&mut self, at: usize, quote: u8) -> usize {
        if at < self.open_to[usize::from(quote)] {
            return at + 1;
        }
        let mut end = at + 1;
        while let Some(&byte) = self.bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' if quote != b'`' => break,
                _ if byte == quote => return self.cover(at, end + 1, QUOTED),
                _ => {}
            }
            end += 1;
        }
        self.open_to[usize::from(quote)] = end;
        at + 1
    }

    /// The place behind the next mark, or the end of the text.
    fn find(&self, from: usize, mark: &str) -> usize {
        let found = self.text.get(from..).and_then(|rest| rest.find(mark));
        found.map_or(self.bytes.len(), |at| from + at + mark.len())
    }

    fn cover(&mut self, from: usize, to: usize, with: u8) -> usize {
        let to = to.min(self.bytes.len());
        for byte in &mut self.out[from..to] {
            if *byte != b'\n' {
                *byte = with;
            }
        }
        to
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Language;

    #[test]
    fn code_stays_where_it_stood() {
        for (language, text, expected) in [
            (
                Language::Kotlin,
                "a \"b // c\" d // e\nf",
                "a \"\"\"\"\"\"\"\" d     \nf",
            ),
            (Language::Kotlin, "/* a\nb */ c", "    \n     c"),
            (Language::Lua, "x = 1 -- é", "x = 1      "),
            (
                Language::Elixir,
                "@doc \"\"\"\na\n\"\"\"\nb",
                "@doc \"\"\"\n\"\n\"\"\"\nb",
            ),
            (Language::Kotlin, "it's \"open\nx", "it's \"open\nx"),
        ] {
            let marks = language.marks().expect("code");
            assert_eq!(
                String::from_utf8(mask(text, &marks)).expect("ASCII"),
                expected,
                "{text}"
            );
        }
    }

    #[test]
    fn quotes_that_never_end_are_read_once() {
        let marks = Language::Python.marks().expect("code");
        let text = "\\\"".repeat(1_000_000);
        assert_eq!(mask(&text, &marks), text.as_bytes());
    }
}
