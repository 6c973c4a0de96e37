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

/// Most sorts of quotes that a language has.
const QUOTES_MAX: usize = 3;

/// The parts of a text, in order and without gaps.
pub(super) fn regions(text: &str, language: Option<Language>) -> Vec<(Range<usize>, Field)> {
    let Some(marks) = language.and_then(Language::marks) else {
        return vec![(0..text.len(), Field::Prose)];
    };
    let mut reader = Reader {
        text,
        marks,
        at: 0,
        from: 0,
        open_to: [0; QUOTES_MAX],
        found: Vec::new(),
    };
    reader.read();
    reader.found
}

struct Reader<'t> {
    text: &'t str,
    marks: Marks,
    at: usize,
    /// Where the code that is being read begins.
    from: usize,
    /// For each quote up to where it is known to end no string, so that no line is read again and again.
    open_to: [usize; QUOTES_MAX],
    found: Vec<(Range<usize>, Field)>,
}

impl Reader<'_> {
    fn read(&mut self) {
        let bytes = self.text.as_bytes();
        while let Some(&byte) = bytes.get(self.at) {
            if byte.is_ascii_alphanumeric()
                || byte == b' '
                || byte == b'_'
                || !self.take_other(byte)
            {
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
            return self.take_prose(open.len(), close);
        }
        if self
            .marks
            .line
            .iter()
            .any(|mark| rest.starts_with(mark.as_bytes()))
            && self.may_comment(byte)
        {
            return self.take_prose(1, "\n");
        }
        if !self.marks.quotes.contains(&byte) {
            return false;
        }
        for quote in ["\"\"\"", "'''"] {
            if rest.starts_with(quote.as_bytes()) {
                return self.take_prose(quote.len(), quote);
            }
        }
        self.take_quoted(byte)
    }

    /// `#` begins a comment only behind white space: `$#` and `a#b` do not.
    fn may_comment(&self, byte: u8) -> bool {
        byte != b'#' || self.at == 0 || self.text.as_bytes()[self.at - 1].is_ascii_whitespace()
    }

    /// Takes what goes up to the end mark, or to the end of the text.
    fn take_prose(&mut self, open_bytes: usize, close: &str) -> bool {
        let from = (self.at + open_bytes).min(self.text.len());
        let to = self
            .text
            .get(from..)
            .and_then(|rest| rest.find(close))
            .map_or(self.text.len(), |at| from + at + close.len());
        self.close(self.at, Field::Code);
        self.close(to, Field::Prose);
        true
    }

    /// Takes a string that ends in its line, or with a back quote anywhere.
    fn take_quoted(&mut self, quote: u8) -> bool {
        let number = self
            .marks
            .quotes
            .iter()
            .position(|known| *known == quote)
            .unwrap_or_default();
        if self.at < self.open_to[number] {
            return false;
        }
        let bytes = self.text.as_bytes();
        let mut end = self.at + 1;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' if quote != b'`' => break,
                _ if byte == quote => {
                    self.close(self.at, Field::Code);
                    self.close(end + 1, Field::Quoted);
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        // The same quotes up to here stand behind a backslash, and would not end either.
        self.open_to[number] = end;
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
        regions(text, Some(language))
            .into_iter()
            .map(|(range, field)| (&text[range], field))
            .collect()
    }

    #[test]
    fn comments_and_strings_are_told_apart() {
        use Field::{Code, Prose, Quoted};
        assert_eq!(
            of(Language::Rust, "f('a', \"b // c\"); // d\n/* e */ g"),
            [
                ("f('a', ", Code),
                ("\"b // c\"", Quoted),
                ("); ", Code),
                ("// d\n", Prose),
                ("/* e */", Prose),
                (" g", Code)
            ]
        );
        assert_eq!(
            of(Language::Python, "x = '''a\n''' # b"),
            [
                ("x = ", Code),
                ("'''a\n'''", Prose),
                (" ", Code),
                ("# b", Prose)
            ]
        );
        assert_eq!(of(Language::Bash, "echo $# it's"), [("echo $# it's", Code)]);
        assert_eq!(of(Language::Markdown, "# A"), [("# A", Prose)]);
    }

    #[test]
    fn quotes_that_never_end_are_read_once() {
        use Field::{Code, Quoted};
        // Read anew from each quote, this would be a million times a million bytes.
        let open = "\\\"".repeat(1_000_000);
        assert_eq!(
            of(Language::JavaScript, &format!("{open}\n'a'")),
            [(format!("{open}\n").as_str(), Code), ("'a'", Quoted)]
        );
        assert_eq!(
            of(Language::JavaScript, "a \" 'b'\n\"c\""),
            [
                ("a \" ", Code),
                ("'b'", Quoted),
                ("\n", Code),
                ("\"c\"", Quoted)
            ]
        );
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
