//! Which parts of a text are code, comments and strings: by the marks of its language, line by line, without a grammar.
//!
//! What is taken for the wrong sort is still found; it weighs a little more or less.

use std::ops::Range;

use crate::symbol::{Language, Marks};

/// How many sorts of text there are.
pub const FIELDS: usize = 4;

/// A sort of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The name of a declaration.
    Name,
    /// A comment, documentation, the text of a document.
    Prose,
    /// A string.
    Quoted,
    /// Everything else: mostly identifiers.
    Code,
}

impl Field {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; FIELDS] = [Self::Name, Self::Prose, Self::Quoted, Self::Code];

    /// The word for people and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "names",
            Self::Prose => "prose",
            Self::Quoted => "strings",
            Self::Code => "code",
        }
    }
}

/// The parts of a text, in order and without gaps.
pub(super) fn regions(text: &str, language: Option<Language>) -> Vec<(Range<usize>, Field)> {
    let Some(marks) = language.and_then(Language::marks) else { return vec![(0..text.len(), Field::Prose)] };
    let mut reader = Reader { text, marks, at: 0, from: 0, found: Vec::new() };
    reader.read();
    reader.found
}

struct Reader<'t> {
    text: &'t str,
    marks: Marks,
    at: usize,
    /// Where the code that is being read begins.
    from: usize,
    found: Vec<(Range<usize>, Field)>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_alphanumeric() || byte == b' ' || byte == b'_' || !self.take_other(byte) {
                self.at += 1;
            }
        }
        self.close(self.text.len(), Field::Code);
    }

    /// Takes a comment or string that begins here; false where none does.
    fn take_other(&mut self, byte: u8) -> bool {
        let rest = &self.text.as_bytes()[self.at..];
        if let Some((open, close)) = self.marks.block
            && rest.starts_with(open.as_bytes())
        {
            return self.take(Field::Prose, open.len(), close, usize::MAX);
        }
        if self.marks.line.iter().any(|mark| rest.starts_with(mark.as_bytes())) && self.may_comment(byte) {
            return self.take(Field::Prose, 1, "\n", usize::MAX);
        }
        if !self.marks.quotes.contains(&byte) {
            return false;
        }
        for (quote, field) in [("\"\"\"", Field::Prose), ("'''", Field::Prose)] {
            if rest.starts_with(quote.as_bytes()) {
                return self.take(field, quote.len(), quote, usize::MAX);
            }
        }
        self.take_quoted(byte)
    }

    /// `#` begins a comment only behind white space: `$#` and `a#b` do not.
    fn may_comment(&self, byte: u8) -> bool {
        byte != b'#' || self.at == 0 || self.text.as_bytes()[self.at - 1].is_ascii_whitespace()
    }

    /// Takes what goes up to the end mark, or to the end of the text.
    fn take(&mut self, field: Field, open_bytes: usize, close: &str, bytes_max: usize) -> bool {
        let from = (self.at + open_bytes).min(self.text.len());
        let to = self.text.get(from..).and_then(|rest| rest.find(close)).map_or(self.text.len(), |at| from + at + close.len());
        self.close(self.at, Field::Code);
        self.close(to.min(self.at.saturating_add(bytes_max)), field);
        true
    }

    /// Takes a string that ends in its line, or with a back quote anywhere.
    fn take_quoted(&mut self, quote: u8) -> bool {
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' if quote != b'`' => return false,
                _ if byte == quote => {
                    self.close(self.at, Field::Code);
                    self.close(end + 1, Field::Quoted);
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        false
    }

    /// Ends a part and goes on behind it.
    fn close(&mut self, to: usize, field: Field) {
        if to > self.from {
            self.found.push((self.from..to, field));
        }
        self.from = to;
        self.at = to;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(language: Language, text: &str) -> Vec<(&str, Field)> {
        regions(text, Some(language)).into_iter().map(|(range, field)| (&text[range], field)).collect()
    }

    #[test]
    fn comments_and_strings_are_told_apart() {
        use Field::{Code, Prose, Quoted};
        assert_eq!(
            of(Language::Rust, "f('a', \"b // c\"); // d\n/* e */ g"),
            [("f('a', ", Code), ("\"b // c\"", Quoted), ("); ", Code), ("// d\n", Prose), ("/* e */", Prose), (" g", Code)]
        );
        assert_eq!(
            of(Language::Python, "x = '''a\n''' # b"),
            [("x = ", Code), ("'''a\n'''", Prose), (" ", Code), ("# b", Prose)]
        );
        assert_eq!(of(Language::Bash, "echo $# it's"), [("echo $# it's", Code)]);
        assert_eq!(of(Language::Markdown, "# A"), [("# A", Prose)]);
    }

    proptest! {
        #[test]
        fn parts_are_the_text(text in "[a/*\"'`#\n\\\\é ]{0,60}") {
            for language in [Language::Rust, Language::Python, Language::JavaScript, Language::Php] {
                let parts: String = regions(&text, Some(language)).into_iter().map(|(range, _)| &text[range]).collect();
                prop_assert_eq!(&parts, &text);
            }
        }
    }
}
