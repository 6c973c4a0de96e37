//! The words of a question in their order, and of a file: as they are written, in lower case, each by its hash.

use super::term::{Term, terms};

/// Words of a question that are looked for in their order.
const SEQUENCE_MAX: usize = 256;
/// How much of a question is looked at for them, in bytes.
const SEQUENCE_BYTES_MAX: usize = 8 * 1024;
/// What opens and closes a quoted part. What stands between back quotes is code, of which documents have more than the
/// program.
const QUOTES: [(char, char); 3] = [('"', '"'), ('“', '”'), ('«', '»')];

/// A word in its place in a question.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PhraseWord {
    /// Of the word as it is written, in lower case.
    pub(super) hash: u32,
    /// Which term of the question it is; `None` where it says nothing.
    pub(super) term: Option<u16>,
    /// The number of the quoted part that it stands in.
    pub(super) quoted: Option<u16>,
}

/// The words of a question in their order; `words` are those of its terms.
pub(super) fn sequence(text: &str, words: &[Term]) -> Vec<PhraseWord> {
    let mut found = Vec::new();
    let (mut rest, mut number) = (&text[..text.floor_char_boundary(SEQUENCE_BYTES_MAX)], 0);
    loop {
        let opened = rest.char_indices().find_map(|(at, c)| {
            let (_, close) = QUOTES.iter().find(|(open, _)| *open == c)?;
            let inner = at + c.len_utf8();
            let end = inner + rest[inner..].find(*close)?;
            Some((at, inner, end, end + close.len_utf8()))
        });
        let (outside, inside, behind) = match opened {
            Some((at, inner, end, behind)) => (&rest[..at], &rest[inner..end], &rest[behind..]),
            None => (rest, "", ""),
        };
        for (part, quoted) in [(outside, None), (inside, Some(number))] {
            each_word(part, |at, end, hash| {
                let mut term = None;
                terms(&part[at..end], |_, one| {
                    term = term.or(words.iter().position(|word| *word == one));
                });
                let term = term.and_then(|term| u16::try_from(term).ok());
                found.push(PhraseWord { hash, term, quoted });
            });
        }
        if opened.is_none() || found.len() > SEQUENCE_MAX {
            break;
        }
        number += 1;
        rest = behind;
    }
    found.truncate(SEQUENCE_MAX);
    found
}

/// Calls `take` with each word of a text, from where to where it stands, and its hash in lower case.
///
/// What a backslash stands in front of is no part of a word: `\n` between two.
pub(super) fn each_word(text: &str, mut take: impl FnMut(usize, usize, u32)) {
    const START: u32 = 0x811c_9dc5;
    let (mut hash, mut start, mut is_word, mut is_escaped) = (START, 0, false, false);
    let mut at = 0;
    while let Some(&byte) = text.as_bytes().get(at) {
        let (is_part, end) = if byte.is_ascii() {
            (byte.is_ascii_alphanumeric() && !is_escaped, at + 1)
        } else {
            let c = text[at..].chars().next().unwrap_or(' ');
            (c.is_alphanumeric(), at + c.len_utf8())
        };
        if is_part {
            if !is_word {
                (hash, start, is_word) = (START, at, true);
            }
            // FNV-1a of 32 bits.
            for byte in &text.as_bytes()[at..end] {
                hash = (hash ^ u32::from(byte.to_ascii_lowercase())).wrapping_mul(0x0100_0193);
            }
        } else if is_word {
            take(start, at, hash);
            is_word = false;
        }
        is_escaped = byte == b'\\' && !is_escaped;
        at = end;
    }
    if is_word {
        take(start, at, hash);
    }
}
