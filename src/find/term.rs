//! Terms: the words of a text and of its identifiers, in lower case, as stems, each known by a number.
//!
//! `HTTPServer_config2` has the terms `http`, `server` and `config2`. Scripts without spaces between words (Chinese, Japanese,
//! Thai) give pairs of neighbouring characters; all other scripts whole words. Letters alone and very long words, which are
//! data, are none. The number is a digest of 32 bits: two words may share one, and a file then ranks a little higher.

use std::cell::RefCell;
use std::collections::HashMap;
use std::iter;

use super::stem::stem;
use crate::symbol::Kind;

/// Longest word that is one, in bytes.
const WORD_BYTES_MAX: usize = 40;
/// Longest identifier that is one, in bytes.
const IDENTIFIER_BYTES_MAX: usize = 64;
/// Stems that a thread remembers.
const STEMS_MAX: usize = 1 << 16;

/// The number of a term.
pub type Term = u32;

thread_local! {
    static STEMS: RefCell<HashMap<Box<[u8]>, Term>> = RefCell::default();
}

/// How often a term is among terms with their counts, which are in order of terms.
pub(super) fn count(terms: &[(Term, u8)], term: Term) -> u8 {
    terms
        .binary_search_by_key(&term, |(term, _)| *term)
        .map_or(0, |at| terms[at].1)
}

/// How many terms a text has, by their counts.
pub(super) fn length(terms: &[(Term, u8)]) -> u32 {
    terms.iter().map(|(_, count)| u32::from(*count)).sum()
}

/// Calls `take` with each term of a text, and where it begins.
pub(super) fn terms(text: &str, mut take: impl FnMut(usize, Term)) {
    words(text, |at, word| {
        if let Some(term) = term_of(word) {
            take(at, term);
        }
    });
}

/// Calls `take` with each identifier of several words in a text: `send_file`, `sendFile`, as it is written.
///
/// They are terms beside those of their words, and no stems: who writes one means just that.
pub(super) fn identifiers<'t>(text: &'t str, mut take: impl FnMut(&'t str, Term)) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || c == '_';
    for run in text.split(|c: char| !is_part(c)) {
        if has_words(run) {
            let name = run.trim_matches('_');
            take(name, whole(name));
        }
    }
}

/// Calls `take` with each identifier of several words, then with each name that dots or hyphens join.
pub(super) fn whole_names(text: &str, mut take: impl FnMut(Term)) {
    identifiers(text, |_, term| take(term));
    literals(text, false, |_, _, term| take(term));
}

/// Calls `take` with each name that dots or hyphens join, as it is written, and where it begins: `max.poll.records`,
/// `--broker-list`. One dot joins a file and its ending, or an object and what it has; names with dots are none in code.
pub(super) fn literals<'t>(
    text: &'t str,
    is_code: bool,
    mut take: impl FnMut(usize, &'t str, Term),
) {
    let is_part = |c: char| c.is_ascii_alphanumeric() || "_.-".contains(c);
    let mut at = 0;
    for run in text.split_inclusive(|c: char| !is_part(c)) {
        let name = run.trim_start_matches(|c: char| !c.is_ascii_alphabetic());
        let from = at + run.len() - name.len();
        at += run.len();
        let name = name.trim_end_matches(|c: char| !c.is_ascii_alphanumeric());
        let (dots, hyphens) = (name.matches('.').count(), name.matches('-').count());
        let is_joined = dots > 1 && !is_code || hyphens > 0 && (dots == 0 || !is_code);
        let is_whole = || name.split(['.', '-']).all(|part| !part.is_empty());
        if is_joined && name.len() <= IDENTIFIER_BYTES_MAX && is_whole() {
            take(from, name, whole(name));
        }
    }
}

/// True for what an underscore or a capital behind a small letter divides; underscores around a name are no part of it.
pub(super) fn has_words(name: &str) -> bool {
    let name = name.trim_matches('_').as_bytes();
    let begins = |two: &[u8]| two[0].is_ascii_lowercase() && two[1].is_ascii_uppercase();
    let is_divided = name.contains(&b'_') || name.windows(2).any(begins);
    is_divided && (3..=IDENTIFIER_BYTES_MAX).contains(&name.len())
}

/// The terms of a text with one word of each, in the order of the text, each once.
#[must_use]
pub(super) fn distinct(text: &str, count_max: usize) -> Vec<(Term, String)> {
    let mut found: Vec<(Term, String)> = Vec::new();
    let mut seen = std::collections::HashSet::new();
    words(text, |_, word| {
        if found.len() < count_max
            && let Some(term) = term_of(word)
            && seen.insert(term)
        {
            found.push((term, String::from_utf8_lossy(word).into_owned()));
        }
    });
    found
}

/// The number of a word in lower case; `None` for what is too short or too long to say something.
fn term_of(word: &[u8]) -> Option<Term> {
    if word.len() < 2 || word.len() > WORD_BYTES_MAX {
        return None;
    }
    STEMS.with_borrow_mut(|stems| {
        if let Some(known) = stems.get(word) {
            return Some(*known);
        }
        let mut stemmed = word.to_vec();
        stem(&mut stemmed);
        let number = number(&stemmed);
        if stems.len() < STEMS_MAX {
            stems.insert(word.into(), number);
        }
        Some(number)
    })
}

/// FNV-1a of 64 bits, folded: the same on every machine, for it is kept on disk.
fn number(stem: &[u8]) -> Term {
    fold_number(stem.iter().copied())
}

/// The number of a name that is declared, as it is written.
pub(super) fn declared(name: &str) -> Term {
    // No stem begins with this byte, and no name in a text.
    fold_number(iter::once(1).chain(plain(name).bytes()))
}

/// The name by which C# lets an attribute be used: `[Key]` means `class KeyAttribute : Attribute`.
///
/// The signature tells it from classes of other languages: behind a colon C# names the base first, and gives it arguments only
/// where the class has parameters of its own, whose types stand in front of their names.
pub(super) fn attribute_name<'n>(kind: Kind, name: &'n str, signature: &str) -> Option<&'n str> {
    let short = name
        .strip_suffix("Attribute")
        .filter(|short| !short.is_empty());
    let declaration = signature.split(" where ").next()?;
    let (own, bases) = declaration
        .split_once(" : ")
        .filter(|_| kind == Kind::Class)?;
    let has_parameters = own.ends_with(')') && !own.contains(':');
    let base = bases
        .split([',', ' ', '<', '('])
        .next()?
        .rsplit('.')
        .next()?;
    let is_attribute = base.ends_with("Attribute") && base != "IAttribute";
    short.filter(|_| is_attribute && (has_parameters || !bases.contains('(')))
}

/// A name without the marks that some languages write around it: `$elem`, `#private`, `.button`, `size=`.
pub(super) fn plain(name: &str) -> &str {
    name.trim_start_matches(['$', '#', '.', '@', '~', ':'])
        .trim_end_matches('=')
}

/// The number of a name as it is written.
pub(super) fn whole(name: &str) -> Term {
    // No stem begins with this byte.
    fold_number(iter::once(0).chain(name.bytes()))
}

fn fold_number(bytes: impl Iterator<Item = u8>) -> Term {
    let hash = bytes.fold(0xcbf2_9ce4_8422_2325_u64, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3)
    });
    ((hash ^ hash >> 32) & 0xffff_ffff) as Term
}

/// Splits a text into words in lower case.
fn words(text: &str, mut take: impl FnMut(usize, &[u8])) {
    let bytes = text.as_bytes();
    let (mut word, mut start, mut at) = (Vec::with_capacity(WORD_BYTES_MAX), 0, 0);
    let mut before = Shape::None;
    while let Some(&byte) = bytes.get(at) {
        if !byte.is_ascii() {
            at = other_script(text, at, &mut word, &mut take);
            before = Shape::None;
            continue;
        }
        let shape = Shape::of(byte);
        // `aB` and the last capital of `HTTPServer` begin a word.
        let begins = match (before, shape) {
            (Shape::Lower | Shape::Digit, Shape::Upper) => true,
            (Shape::Upper, Shape::Upper) => {
                bytes.get(at + 1).is_some_and(u8::is_ascii_lowercase) && !word.is_empty()
            }
            _ => false,
        };
        if (begins || shape == Shape::None) && !word.is_empty() {
            take(start, &word);
            word.clear();
        }
        if shape != Shape::None {
            if word.is_empty() {
                start = at;
            }
            if word.len() <= WORD_BYTES_MAX {
                word.push(byte.to_ascii_lowercase());
            }
        }
        before = shape;
        at += 1;
    }
    if !word.is_empty() {
        take(start, &word);
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Shape {
    Lower,
    Upper,
    Digit,
    None,
}

impl Shape {
    fn of(byte: u8) -> Self {
        match byte {
            b'a'..=b'z' => Self::Lower,
            b'A'..=b'Z' => Self::Upper,
            b'0'..=b'9' => Self::Digit,
            _ => Self::None,
        }
    }
}

/// Reads on from a character beyond ASCII; returns where the text goes on. `word` holds the letters directly before it.
fn other_script(
    text: &str,
    from: usize,
    word: &mut Vec<u8>,
    take: &mut impl FnMut(usize, &[u8]),
) -> usize {
    let mut start = from - word.len().min(from);
    let mut pair: Option<(usize, char)> = None;
    let mut end = from;
    for (at, c) in text[from..].char_indices().map(|(at, c)| (from + at, c)) {
        if !c.is_alphanumeric() && !is_mark(c) || c.is_ascii_uppercase() {
            break;
        }
        end = at + c.len_utf8();
        if has_no_spaces(c) {
            if !word.is_empty() {
                take(start, word);
                word.clear();
            }
            let mut both = [0; 8];
            let (first_at, first) = pair.unwrap_or((at, c));
            let first_len = first.encode_utf8(&mut both).len();
            let len = if pair.is_some() {
                first_len + c.encode_utf8(&mut both[first_len..]).len()
            } else {
                first_len
            };
            // A character alone is a word only where no other follows.
            let is_alone = pair.is_none() && !text[end..].chars().next().is_some_and(has_no_spaces);
            if pair.is_some() || is_alone {
                take(first_at, &both[..len]);
            }
            pair = Some((at, c));
            continue;
        }
        pair = None;
        if word.is_empty() {
            start = at;
        }
        for lower in c.to_lowercase() {
            let mut buffer = [0; 4];
            if word.len() <= WORD_BYTES_MAX {
                word.extend_from_slice(lower.encode_utf8(&mut buffer).as_bytes());
            }
        }
    }
    if !word.is_empty() {
        take(start, word);
        word.clear();
    }
    end.max(from + text[from..].chars().next().map_or(1, char::len_utf8))
}

/// Marks that belong to the letter before them, as in Devanagari.
fn is_mark(c: char) -> bool {
    matches!(u32::from(c), 0x0300..=0x036f | 0x0591..=0x05c7 | 0x0610..=0x061a | 0x064b..=0x065f | 0x0900..=0x0dff)
}

/// Scripts that write words without spaces between them.
fn has_no_spaces(c: char) -> bool {
    matches!(
        u32::from(c),
        0x0e00..=0x0eff | 0x1000..=0x109f | 0x1780..=0x17ff | 0x3040..=0x30ff | 0x3400..=0x4dbf | 0x4e00..=0x9fff
            | 0xac00..=0xd7af | 0xf900..=0xfaff | 0x20000..=0x3ffff
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn of(text: &str) -> Vec<String> {
        let mut found = Vec::new();
        words(text, |_, word| {
            found.push(String::from_utf8_lossy(word).into_owned());
        });
        found
    }

    #[test]
    fn names_that_dots_and_hyphens_join_are_whole() {
        let found = |text: &str, is_code| {
            let mut found = Vec::new();
            literals(text, is_code, |at, name, _| {
                assert!(text[at..].starts_with(name), "{at}: {name}");
                found.push(name.to_owned());
            });
            found
        };
        let text = "`max.poll.records` (not a.rs), --broker-list=x; 1.2.3 e-mail... -- a--b, é-x.";
        assert_eq!(
            found(text, false),
            ["max.poll.records", "broker-list", "e-mail"]
        );
        assert_eq!(found(text, true), ["broker-list", "e-mail"]);
        assert!(found("a.b-c.d", true).is_empty());
    }

    #[test]
    fn identifiers_are_split() {
        assert_eq!(
            of("HTTPServer_config2 maxAge, A-Za x.y"),
            [
                "http", "server", "config2", "max", "age", "a", "za", "x", "y"
            ]
        );
        assert_eq!(
            of("ABC aB Über straße naïveTest"),
            ["abc", "a", "b", "über", "straße", "naïve", "test"]
        );
    }

    #[test]
    fn identifiers_of_several_words_are_terms_as_well() {
        let of = |text: &'static str| {
            let mut found = Vec::new();
            identifiers(text, |name, _| found.push(name));
            found
        };
        assert_eq!(
            of("send_file(sendFile, __init__, HttpServer, max, _private, a_b) é_x"),
            ["send_file", "sendFile", "HttpServer", "a_b"]
        );
        let term = |text: &'static str| {
            let mut found = None;
            identifiers(text, |_, term| found = Some(term));
            found
        };
        assert_eq!(term("_send_file_"), term("send_file"));
        assert_ne!(term("sendFile"), term("SendFile"));
    }

    #[test]
    fn other_scripts_have_words() {
        assert_eq!(of("поиск файлов"), ["поиск", "файлов"]);
        assert_eq!(
            of("隠しファイル x 字"),
            ["隠し", "しフ", "ファ", "ァイ", "イル", "x", "字"]
        );
        assert_eq!(of("नमस्ते"), ["नमस्ते"]);
    }

    #[test]
    fn forms_of_a_word_are_one_term() {
        let terms = |text: &str| {
            distinct(text, 9)
                .into_iter()
                .map(|(term, _)| term)
                .collect::<Vec<_>>()
        };
        assert_eq!(terms("searching searched Searches SEARCH"), terms("search"));
        assert!(terms("a b c").is_empty());
    }

    proptest! {
        #[test]
        fn words_stand_where_they_are_said_to(text in "[a-zA-Z0-9_ ]{0,40}|\\PC{0,30}") {
            let mut last = 0;
            words(&text, |at, word| {
                assert!(text.is_char_boundary(at) && at >= last && !word.is_empty());
                last = at;
            });
        }
    }
}
