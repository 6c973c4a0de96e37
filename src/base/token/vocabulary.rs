//! Counting with the vocabulary `o200k`: a text is cut into words, and the bytes of each are merged, the lowest rank first.
//!
//! The rules are those of OpenAI's `tiktoken`: its pattern `o200k_base` cuts, byte pair encoding merges.

use std::ops::Range;

use icu_properties::CodePointMapData;
use icu_properties::props::GeneralCategory as Category;

use super::table;

static TABLE: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/o200k"));

/// Longer words are cut, which may count a token too many at each cut: merging takes the square of the length.
const WORD_BYTES_MAX: usize = 512;

/// The rank of what is no token.
const NO_RANK: u32 = u32::MAX;

/// The tokens of a text.
pub(super) fn count(text: &str) -> u64 {
    let (mut tokens, mut parts) = (0, Vec::new());
    for word in Words(text) {
        for part in word.as_bytes().chunks(WORD_BYTES_MAX) {
            tokens += merged(part, &mut parts);
        }
    }
    tokens
}

/// How many tokens the bytes of a word are merged to. `parts` is room that is used again for each word.
fn merged(word: &[u8], parts: &mut Vec<(usize, u32)>) -> u64 {
    let rank = |range: Range<usize>| table::rank(TABLE, &word[range]).unwrap_or(NO_RANK);
    if word.len() == 1 || rank(0..word.len()) != NO_RANK {
        return 1;
    }
    // Where each part begins, with the rank of what it and the next one are together; the end is a part of no length.
    parts.clear();
    parts.extend((0..word.len() - 1).map(|at| (at, rank(at..at + 2))));
    parts.extend([(word.len() - 1, NO_RANK), (word.len(), NO_RANK)]);
    loop {
        let pairs = parts.iter().enumerate();
        let (lowest, merged) = pairs
            .map(|(at, (_, rank))| (*rank, at))
            .min()
            .unwrap_or((NO_RANK, 0));
        if lowest == NO_RANK {
            return parts.len() as u64 - 1;
        }
        parts.remove(merged + 1);
        // Both pairs that the merged part belongs to are others now.
        for left in merged.saturating_sub(1)..=merged {
            parts[left].1 = match parts.get(left + 2) {
                Some((end, _)) => rank(parts[left].0..*end),
                None => NO_RANK,
            };
        }
    }
}

/// What the pattern tells apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Class {
    Upper,
    Lower,
    /// A letter of a script without cases, or one that changes another.
    Letter,
    Mark,
    Number,
    LineEnd,
    Space,
    Other,
}

impl Class {
    fn of(c: char) -> Self {
        match c {
            'a'..='z' => Self::Lower,
            'A'..='Z' => Self::Upper,
            '0'..='9' => Self::Number,
            '\r' | '\n' => Self::LineEnd,
            c if c.is_whitespace() => Self::Space,
            c if c.is_ascii() => Self::Other,
            c => match CodePointMapData::<Category>::new().get(c) {
                Category::UppercaseLetter | Category::TitlecaseLetter => Self::Upper,
                Category::LowercaseLetter => Self::Lower,
                Category::ModifierLetter | Category::OtherLetter => Self::Letter,
                Category::NonspacingMark | Category::SpacingMark | Category::EnclosingMark => {
                    Self::Mark
                }
                Category::DecimalNumber | Category::LetterNumber | Category::OtherNumber => {
                    Self::Number
                }
                _ => Self::Other,
            },
        }
    }

    /// May begin a word: `[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]`.
    fn is_head(self) -> bool {
        matches!(self, Self::Upper | Self::Letter | Self::Mark)
    }

    /// May go on with it: `[\p{Ll}\p{Lm}\p{Lo}\p{M}]`.
    fn is_tail(self) -> bool {
        matches!(self, Self::Lower | Self::Letter | Self::Mark)
    }

    /// `[^\r\n\p{L}\p{N}]`, one of which may stand before a word.
    fn is_before(self) -> bool {
        matches!(self, Self::Mark | Self::Space | Self::Other)
    }

    fn is_space(self) -> bool {
        matches!(self, Self::Space | Self::LineEnd)
    }

    /// `[^\s\p{L}\p{N}]`.
    fn is_sign(self) -> bool {
        matches!(self, Self::Mark | Self::Other)
    }
}

/// A text cut into words.
struct Words<'t>(&'t str);

impl<'t> Iterator for Words<'t> {
    type Item = &'t str;

    fn next(&mut self) -> Option<&'t str> {
        let text = self.0;
        let first = text.chars().next()?;
        let class = Class::of(first);
        let behind = first.len_utf8();
        let end = letters(text, class, behind)
            .or_else(|| (class == Class::Number).then(|| numbers(text)))
            .or_else(|| signs(text))
            .unwrap_or_else(|| spaces(text));
        let (word, rest) = text.split_at(end);
        self.0 = rest;
        Some(word)
    }
}

/// Where the characters from a place on end that are of some sort.
fn run(text: &str, from: usize, is: impl Fn(Class) -> bool) -> usize {
    text[from..]
        .char_indices()
        .find(|(_, c)| !is(Class::of(*c)))
        .map_or(text.len(), |(at, _)| from + at)
}

/// The first two alternatives: letters, perhaps with one sign or space before them and a contraction behind.
fn letters(text: &str, first: Class, behind: usize) -> Option<usize> {
    let starts = [first.is_before().then_some(behind), Some(0)];
    let starts = || starts.iter().flatten().copied();
    let end = starts()
        .find_map(|from| {
            let heads = run(text, from, Class::is_head);
            let tails = run(text, heads, Class::is_tail);
            if tails > heads {
                return Some(tails);
            }
            // The last of the heads that is a tail as well is all the tail that there is.
            let last = text[from..heads].char_indices().rev();
            last.filter(|(_, c)| Class::of(*c).is_tail())
                .map(|(at, c)| from + at + c.len_utf8())
                .next()
        })
        .or_else(|| {
            starts().find_map(|from| {
                let heads = run(text, from, Class::is_head);
                (heads > from).then_some(heads)
            })
        })?;
    Some(end + contraction(&text[end..]))
}

/// `(?i:'s|'t|'re|'ve|'m|'ll|'d)?`
fn contraction(text: &str) -> usize {
    let mut rest = text.chars();
    if rest.next() != Some('\'') {
        return 0;
    }
    let [one, two] = [rest.next(), rest.next()].map(|c| c.map(|c| c.to_ascii_lowercase()));
    match (one, two) {
        (Some('s' | 't' | 'm' | 'd'), _) => 2,
        // The long s is one without regard to case.
        (Some('ſ'), _) => 1 + 'ſ'.len_utf8(),
        (Some('r' | 'v'), Some('e')) | (Some('l'), Some('l')) => 3,
        _ => 0,
    }
}

/// `\p{N}{1,3}`
fn numbers(text: &str) -> usize {
    let numbers = text.chars().take(3);
    numbers
        .take_while(|c| Class::of(*c) == Class::Number)
        .map(char::len_utf8)
        .sum()
}

/// ` ?[^\s\p{L}\p{N}]+[\r\n/]*`
fn signs(text: &str) -> Option<usize> {
    let from = usize::from(text.starts_with(' '));
    let end = run(text, from, Class::is_sign);
    let is_end = |c: char| matches!(c, '\r' | '\n' | '/');
    let rest = || {
        text[end..]
            .find(|c| !is_end(c))
            .map_or(text.len(), |at| end + at)
    };
    (end > from).then(rest)
}

/// `\s*[\r\n]+|\s+(?!\S)|\s+`
fn spaces(text: &str) -> usize {
    let end = run(text, 0, Class::is_space);
    if let Some(last) = text[..end].rfind(['\r', '\n']) {
        return last + 1;
    }
    // The last space belongs to the word behind it.
    let last = text[..end].chars().next_back().map_or(0, char::len_utf8);
    if end < text.len() && end > last {
        end - last
    } else {
        end
    }
}
