//! Which parts of a text are code, comments and strings: by the marks of its language, without a grammar.

use std::ops::Range;

use super::comment::{Marks, Strings};

/// A sort of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    /// Mostly identifiers.
    Code,
    /// A comment; one of a line ends with its line feed.
    Comment,
    /// A string, quotes included.
    Quoted,
    /// A string between three quotes.
    Text,
}

/// The parts of a text, in order and without gaps.
pub(crate) fn parts(text: &str, marks: &Marks) -> Vec<(Range<usize>, Part)> {
    let mut scanner = Scanner {
        text,
        marks,
        at: 0,
        from: 0,
        found: Vec::new(),
    };
    // Most bytes begin nothing.
    let mut begins = [false; 256];
    let opens = marks.block.iter().map(|(open, _)| *open);
    let firsts = opens.chain(marks.line.iter().copied());
    let firsts = firsts.filter_map(|mark| mark.bytes().next());
    for byte in firsts.chain(marks.quotes.iter().copied()) {
        begins[usize::from(byte)] = true;
    }
    while let Some(&byte) = text.as_bytes().get(scanner.at) {
        if !begins[usize::from(byte)] || !scanner.take_other(byte) {
            scanner.at += 1;
        }
    }
    scanner.close(text.len(), Part::Code);
    scanner.found
}

struct Scanner<'t> {
    text: &'t str,
    marks: &'t Marks,
    at: usize,
    /// Where the code that is being read begins.
    from: usize,
    found: Vec<(Range<usize>, Part)>,
}

impl Scanner<'_> {
    /// Takes a comment or string that begins here; false where none does. Behind a backslash nothing begins: `/\/*$/` is a
    /// regular expression.
    fn take_other(&mut self, byte: u8) -> bool {
        let (before, rest) = self.text.as_bytes().split_at(self.at);
        let is_vim = self.marks.strings == Strings::Vim;
        let escapes = |before: &[u8]| !(is_vim && begins_line(before));
        if before.strip_suffix(b"\\").is_some_and(escapes) {
            return false;
        }
        if let Some((open, close)) = self.marks.block
            && rest.starts_with(open.as_bytes())
        {
            return self.take_to(self.at + open.len(), close, Part::Comment);
        }
        let mut line = self.marks.line.iter();
        if let Some(mark) = line.find(|mark| rest.starts_with(mark.as_bytes()))
            && self.may_comment(byte)
        {
            let from = self.at + mark.len();
            let is_long = self.marks.quotes.contains(&b'[');
            return match self.long_bracket(from).filter(|_| is_long) {
                Some(close) => self.take_to(from, &close, Part::Comment),
                None => self.take_to(self.at, "\n", Part::Comment),
            };
        }
        if !self.marks.quotes.contains(&byte) {
            return false;
        }
        if byte == b'[' {
            let close = self.long_bracket(self.at);
            return close.is_some_and(|close| self.take_to(self.at, &close, Part::Quoted));
        }
        if self.marks.strings == Strings::Rust
            && let Some(close) = raw_close(before)
        {
            return self.take_to(self.at + 1, &close, Part::Quoted);
        }
        for quote in ["\"\"\"", "'''"] {
            if rest.starts_with(quote.as_bytes()) {
                return self.take_to(self.at + quote.len(), quote, Part::Text);
            }
        }
        self.take_quoted(byte)
    }

    /// A mark that stands for other things as well begins a comment at the start of a line or behind white space only:
    /// `$#`, `50\%` and `theorem` hold none.
    fn may_comment(&self, byte: u8) -> bool {
        let before = &self.text.as_bytes()[..self.at];
        match byte {
            b'#' | b'%' | b'!' => before.last().is_none_or(u8::is_ascii_whitespace),
            b'"' | b':' | b'r' | b'R' => before
                .iter()
                .rev()
                .take_while(|byte| **byte != b'\n')
                .take(64)
                .all(u8::is_ascii_whitespace),
            _ => true,
        }
    }

    /// Takes what goes up to the end mark, or to the end of the text.
    fn take_to(&mut self, from: usize, close: &str, part: Part) -> bool {
        let found = self.text.get(from..).and_then(|rest| rest.find(close));
        let to = found.map_or(self.text.len(), |at| from + at + close.len());
        self.close(self.at, Part::Code);
        self.close(to, part);
        true
    }

    /// What closes `[[ … ]]` or `[==[ … ]==]`, where such a bracket opens here; other brackets are code.
    fn long_bracket(&self, at: usize) -> Option<String> {
        let rest = self.text[at..].strip_prefix('[')?;
        let level = rest.bytes().take_while(|byte| *byte == b'=').count();
        let is_open = rest.as_bytes().get(level) == Some(&b'[');
        is_open.then(|| format!("]{}]", "=".repeat(level)))
    }

    /// Takes a string that ends in its line; one of Rust, and one between back quotes, ends anywhere.
    fn take_quoted(&mut self, quote: u8) -> bool {
        let bytes = self.text.as_bytes();
        let is_character =
            self.at > 0 && bytes[self.at - 1] == b'\'' && bytes.get(self.at + 1) == Some(&b'\'');
        if is_character && !self.marks.quotes.contains(&b'\'') {
            return false;
        }
        let ends_in_line = quote != b'`' && self.marks.strings != Strings::Rust;
        let mut end = self.at + 1;
        while let Some(&byte) = bytes.get(end) {
            match byte {
                b'\\' => end += 1,
                b'\n' if ends_in_line => break,
                _ if byte == quote => {
                    self.close(self.at, Part::Code);
                    self.close(end + 1, Part::Quoted);
                    return true;
                }
                _ => {}
            }
            end += 1;
        }
        // No quote up to here begins a string, as each stands behind a backslash: nothing is read twice.
        false
    }

    /// Ends a part and goes on behind it.
    fn close(&mut self, to: usize, part: Part) {
        if to > self.from {
            self.found.push((self.from..to, part));
        }
        self.from = to;
        self.at = to;
    }
}

/// True where nothing but white space stands in front on the line: a backslash there goes on with the line above, in Vim.
fn begins_line(before: &[u8]) -> bool {
    let indent = before
        .iter()
        .rev()
        .take_while(|byte| matches!(byte, b' ' | b'\t'));
    let before = &before[..before.len() - indent.count()];
    before.last().is_none_or(|byte| *byte == b'\n')
}

/// What closes a raw string of Rust whose opening quote stands behind these bytes.
fn raw_close(before: &[u8]) -> Option<String> {
    let hashes = before.iter().rev().take_while(|byte| **byte == b'#');
    let hashes = hashes.count();
    let is_raw = before[..before.len() - hashes].last() == Some(&b'r');
    is_raw.then(|| format!("\"{}", "#".repeat(hashes)))
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::symbol::Language;

    fn of(language: Language, text: &str) -> Vec<(&str, Part)> {
        let marks = language.marks().expect("code");
        parts(text, &marks)
            .into_iter()
            .map(|(range, part)| (&text[range], part))
            .collect()
    }

    #[test]
    fn comments_and_strings_are_told_apart() {
        use Part::{Code, Comment, Quoted, Text};
        assert_eq!(
            of(Language::Rust, "f('a', \"b // c\"); // d\n/* e */ g"),
            [
                ("f('a', ", Code),
                ("\"b // c\"", Quoted),
                ("); ", Code),
                ("// d\n", Comment),
                ("/* e */", Comment),
                (" g", Code)
            ]
        );
        assert_eq!(
            of(Language::Python, "x = '''a\n''' # b"),
            [
                ("x = ", Code),
                ("'''a\n'''", Text),
                (" ", Code),
                ("# b", Comment)
            ]
        );
        assert_eq!(of(Language::Bash, "echo $# it's"), [("echo $# it's", Code)]);
        for (language, quoted, text) in [
            (
                Language::Rust,
                "\"a\n// b \\\" /*\"",
                "f(\"a\n// b \\\" /*\") g",
            ),
            (Language::Rust, "\"/* \" *\"#", "br#\"/* \" *\"# g"),
            (Language::Rust, "\"b\"", "'\"', \"b\" '\"' g"),
            (Language::JavaScript, "''", "a.replace(/\\/*$/, '') g"),
            (Language::Vim, "\"# b\"", "let a = [\n  \\\"# b\", g"),
        ] {
            let parts = of(language, text);
            let quotes: Vec<&str> = parts
                .iter()
                .filter(|(_, part)| *part == Quoted)
                .map(|(text, _)| *text)
                .collect();
            assert_eq!(quotes, [quoted], "{text}");
            assert!(
                parts
                    .last()
                    .is_some_and(|(text, part)| *part == Code && text.ends_with(" g")),
                "{parts:?}"
            );
        }
        let characters = of(Language::Clojure, "(case c\n  \\; (f)\n  \\\" (g))");
        let is_code = |(_, part): &(&str, Part)| *part == Code;
        assert!(characters.iter().all(is_code), "{characters:?}");
        for (language, text) in [
            (Language::Vim, "let g:x = \"v\" | call Foo()"),
            (Language::Batch, "theorem x"),
        ] {
            let parts = of(language, text);
            assert!(parts.iter().all(|(_, part)| *part != Comment), "{parts:?}");
        }
    }

    #[test]
    fn quotes_that_never_end_are_read_once() {
        use Part::{Code, Quoted};
        // Read anew from each quote, this would be a million times a million bytes.
        let open = format!("\"{}", "\\\"".repeat(1_000_000));
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
                let all: String = of(language, &text).into_iter().map(|(part, _)| part).collect();
                prop_assert_eq!(&all, &text);
            }
        }
    }
}
