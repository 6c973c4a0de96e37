//! An estimate of how many tokens a model sees in a text, without a tokenizer's tables.
//!
//! Tokenizers first cut a text into pieces, by rules that are public and simple: a word with the one character before
//! it, up to three digits, a run of other characters with the line ends behind it, white space. Most pieces are one
//! token. So the pieces are counted here, by the rules of `o200k`, each with the tokens that one of its kind has on
//! average. The averages are fitted to sources and documents in five languages: 2 % off in the mean for a package's
//! files together, 1 to 2 % for this repository; far more for tables of data. Always labelled an estimate.

/// Tokens of each kind of piece, in hundredths.
const WORD: u64 = 114;
const WORD_AFTER_SPACE: u64 = 91;
const WORD_AFTER_MARK: u64 = 123;
const DIGITS: u64 = 111;
const MARKS: u64 = 108;
const SPACE: u64 = 77;
const WIDE: u64 = 200;
/// What each further letter, mark or character of a piece adds, once it has so many.
const LETTER_AFTER_SPACE: (usize, u64) = (6, 33);
const LETTER: (usize, u64) = (12, 30);
const CAPITAL: (usize, u64) = (2, 17);
const MIXED_MARK: (usize, u64) = (3, 42);
const SAME_MARK: (usize, u64) = (4, 10);
const WIDE_BYTE: (usize, u64) = (3, 20);

/// Estimates the tokens of a text.
#[must_use]
pub fn estimate(text: &str) -> u64 {
    estimate_hundredths(text.as_bytes()).div_ceil(100)
}

/// The estimate of a text that comes in parts.
#[derive(Debug, Clone, Default)]
pub struct Counter {
    hundredths: u64,
}

impl Counter {
    /// Adds a part; it is best cut at the end of a line.
    pub fn add(&mut self, part: &[u8]) {
        self.hundredths += estimate_hundredths(part);
    }

    /// The estimate of all parts together.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.hundredths.div_ceil(100)
    }
}

fn estimate_hundredths(text: &[u8]) -> u64 {
    let (mut hundredths, mut at) = (0, 0);
    while at < text.len() {
        let (cost, end) = piece(text, at);
        hundredths += cost;
        at = end;
    }
    hundredths
}

/// What the piece that begins here costs, and where it ends.
fn piece(text: &[u8], at: usize) -> (u64, usize) {
    let next = text.get(at + 1).map(|byte| class_of(*byte));
    match (class_of(text[at]), next) {
        (Class::Capital | Class::Letter, _) => word(text, at, WORD, LETTER),
        (Class::Space, Some(Class::Capital | Class::Letter)) if text[at] == b' ' => {
            word(text, at + 1, WORD_AFTER_SPACE, LETTER_AFTER_SPACE)
        }
        (Class::Space | Class::Mark, Some(Class::Capital | Class::Letter)) => word(text, at + 1, WORD_AFTER_MARK, LETTER),
        (Class::Digit, _) => (DIGITS, run(text, at, Class::Digit).min(at + 3)),
        (Class::Mark, _) => marks(text, at),
        (Class::Space, Some(Class::Mark)) if text[at] == b' ' => marks(text, at + 1),
        (Class::Wide, _) => {
            let end = run(text, at, Class::Wide);
            (WIDE + beyond(end - at, WIDE_BYTE), end)
        }
        (Class::Space | Class::Line, _) => white_space(text, at),
    }
}

/// Capitals and the letters behind them, and the end of an English contraction.
fn word(text: &[u8], start: usize, cost: u64, further: (usize, u64)) -> (u64, usize) {
    let capitals = run(text, start, Class::Capital) - start;
    let end = run(text, start + capitals, Class::Letter);
    let further = if capitals > 1 || capitals == end - start { CAPITAL } else { further };
    (cost + beyond(end - start, further), end + contraction(&text[end..]))
}

/// The bytes of `'s`, `'re` and their like at the beginning of what follows a word.
fn contraction(rest: &[u8]) -> usize {
    let letters = rest.iter().skip(1).take_while(|byte| byte.is_ascii_alphabetic()).count();
    match rest.get(..=letters) {
        Some(b"'s" | b"'t" | b"'m" | b"'d" | b"'re" | b"'ve" | b"'ll") => letters + 1,
        _ => 0,
    }
}

fn marks(text: &[u8], start: usize) -> (u64, usize) {
    let end = run(text, start, Class::Mark);
    let is_mixed = text[start..end].iter().any(|mark| *mark != text[start]);
    let lines = text[end..].iter().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    (MARKS + beyond(end - start, if is_mixed { MIXED_MARK } else { SAME_MARK }), end + lines)
}

/// Up to the last line end, else all but the last space, which belongs to what follows.
fn white_space(text: &[u8], start: usize) -> (u64, usize) {
    let is_white = |byte: &u8| matches!(class_of(*byte), Class::Space | Class::Line);
    let end = start + text[start..].iter().take_while(|byte| is_white(byte)).count();
    let last_line = text[start..end].iter().rposition(|byte| class_of(*byte) == Class::Line);
    match last_line {
        Some(last) => (SPACE, start + last + 1),
        None if end < text.len() && end - start > 1 => (SPACE, end - 1),
        None => (SPACE, end),
    }
}

/// The end of a run of one class.
fn run(text: &[u8], start: usize, class: Class) -> usize {
    start + text[start..].iter().take_while(|byte| class_of(**byte) == class).count()
}

fn beyond(length: usize, (free, each): (usize, u64)) -> u64 {
    length.saturating_sub(free) as u64 * each
}

#[derive(PartialEq, Clone, Copy)]
enum Class {
    Capital,
    Letter,
    Digit,
    Wide,
    Space,
    Line,
    Mark,
}

fn class_of(byte: u8) -> Class {
    match byte {
        b'A'..=b'Z' => Class::Capital,
        b'a'..=b'z' => Class::Letter,
        b'0'..=b'9' => Class::Digit,
        0x80.. => Class::Wide,
        b' ' | b'\t' | 0x0b | 0x0c => Class::Space,
        b'\n' | b'\r' => Class::Line,
        _ => Class::Mark,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn estimates_grow_with_the_text() {
        assert_eq!(estimate(""), 0);
        assert_eq!(estimate("word"), 2);
        assert!(estimate("fn main() { println!(\"hello\"); }") > 6);
        assert!(estimate(&"x".repeat(1 << 20)) > 1 << 18, "a word without an end is no token");
        assert!(estimate(&"字".repeat(1_000)) > 400);
    }

    proptest! {
        #[test]
        fn every_text_has_an_end_and_counts(text in "[a-zA-Z0-9' \t\r\n.,:é字🙂_-]{0,60}") {
            prop_assert_eq!(estimate(&text) == 0, text.is_empty());
            let twice = estimate_hundredths([text.as_bytes(), b"\nx", text.as_bytes()].concat().as_slice());
            prop_assert!(twice > estimate_hundredths(text.as_bytes()));
        }

        #[test]
        fn parts_are_about_the_whole(lines in proptest::collection::vec("[a-z .(]{1,40}", 0..40)) {
            let mut counter = Counter::default();
            let mut text = String::new();
            for line in &lines {
                counter.add([line.as_bytes(), b"\n"].concat().as_slice());
                text.push_str(line);
                text.push('\n');
            }
            let whole = estimate(&text);
            prop_assert!(counter.tokens().abs_diff(whole) <= lines.len() as u64 + 1);
        }
    }
}
