//! The words of one object: how often each term stands in each sort of its text. What a question is matched against first.
//!
//! | bytes | field |
//! |---|---|
//! | 4 × 4 | how many terms each sort of text has, u32 little endian |
//! | 8 each | a term, u32 little endian, and how often it stands in each sort, a byte each, 255 for more; in order of terms |
//!
//! What has no words has no bytes. Terms have a fixed width, so that a question looks its own up and decodes no other.

use std::collections::HashMap;

use super::region::{FIELDS, Field};
use super::term::Term;
use crate::symbol::Cached;

const HEAD_BYTES: usize = 4 * FIELDS;
const ENTRY_BYTES: usize = 4 + FIELDS;
/// Most terms of one object; what has more is data.
const TERMS_MAX: usize = 1 << 16;

/// Counts of terms, by sort of text.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Words(Vec<u8>);

/// What an object has of the terms of a question.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Hits {
    /// How many terms each sort of its text has.
    pub lengths: [u32; FIELDS],
    /// For each term of the question how often it stands in each sort.
    pub counts: Vec<[u8; FIELDS]>,
}

/// Counts while a text is read.
#[derive(Debug, Default)]
pub(super) struct Counter {
    lengths: [u32; FIELDS],
    counts: HashMap<Term, [u8; FIELDS]>,
}

impl Counter {
    /// Counts one more.
    pub(super) fn add(&mut self, term: Term, field: Field) {
        let length = &mut self.lengths[field as usize];
        *length = length.saturating_add(1);
        self.add_whole(term, field);
    }

    /// Counts an identifier whose words are counted themselves: it adds nothing to the length of the text.
    pub(super) fn add_whole(&mut self, term: Term, field: Field) {
        let field = field as usize;
        if let Some(counts) = self.counts.get_mut(&term) {
            counts[field] = counts[field].saturating_add(1);
        } else if self.counts.len() < TERMS_MAX {
            let mut counts = [0; FIELDS];
            counts[field] = 1;
            self.counts.insert(term, counts);
        }
    }

    /// What was counted.
    pub(super) fn words(self) -> Words {
        let mut entries: Vec<(Term, [u8; FIELDS])> = self.counts.into_iter().collect();
        entries.sort_unstable_by_key(|(term, _)| *term);
        let mut bytes = Vec::with_capacity(HEAD_BYTES + ENTRY_BYTES * entries.len());
        bytes.extend(self.lengths.iter().flat_map(|length| length.to_le_bytes()));
        for (term, counts) in entries {
            bytes.extend(term.to_le_bytes());
            bytes.extend(counts);
        }
        Words(bytes)
    }
}

impl Words {
    /// What it has of some terms.
    #[must_use]
    pub fn hits(&self, terms: &[Term]) -> Hits {
        Self::hits_in(&self.0, terms).unwrap_or_default()
    }

    /// The same, of its bytes; `None` for bytes that are none.
    #[must_use]
    pub fn hits_in(bytes: &[u8], terms: &[Term]) -> Option<Hits> {
        // What is no text has no words, and that is known as well.
        if bytes.is_empty() {
            return Some(Hits::default());
        }
        let (head, rest) = bytes.split_at_checked(HEAD_BYTES)?;
        let (entries, []) = rest.as_chunks::<ENTRY_BYTES>() else {
            return None;
        };
        let mut lengths = [0; FIELDS];
        for (length, bytes) in lengths.iter_mut().zip(head.as_chunks().0) {
            *length = u32::from_le_bytes(*bytes);
        }
        let term_at = |entry: &[u8; ENTRY_BYTES]| {
            u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]])
        };
        let counts = terms.iter().map(|term| {
            let found = entries.binary_search_by_key(term, term_at).ok();
            found.map_or([0; FIELDS], |at| {
                entries[at][4..].try_into().expect("a byte for each sort")
            })
        });
        Some(Hits {
            lengths,
            counts: counts.collect(),
        })
    }
}

impl Words {
    /// How many different terms it has.
    pub(super) fn len(&self) -> usize {
        self.0.len().saturating_sub(HEAD_BYTES) / ENTRY_BYTES
    }

    /// How many terms each sort of its text has.
    pub(super) fn lengths(&self) -> [u32; FIELDS] {
        Self::hits_in(&self.0, &[]).unwrap_or_default().lengths
    }

    /// Each term with how often it stands in each sort, in order of terms.
    pub(super) fn entries(&self) -> impl Iterator<Item = (Term, [u8; FIELDS])> {
        let entries = self.0.get(HEAD_BYTES..).unwrap_or_default();
        entries.as_chunks::<ENTRY_BYTES>().0.iter().map(|entry| {
            let [a, b, c, d, counts @ ..] = *entry;
            (u32::from_le_bytes([a, b, c, d]), counts)
        })
    }
}

impl Cached for Words {
    const FILE_NAME: &'static str = "words";
    const VERSION: u8 = 15;
    const FILE_BYTES_MAX: u64 = 1 << 30;

    fn encode(&self) -> Vec<u8> {
        self.0.clone()
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        Self::hits_in(bytes, &[]).map(|_| Self(bytes.to_vec()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn terms_are_found_with_their_counts() {
        let mut counter = Counter::default();
        for (term, field) in [
            (7, Field::Name),
            (3, Field::Code),
            (7, Field::Code),
            (7, Field::Code),
            (u32::MAX, Field::Prose),
        ] {
            counter.add(term, field);
        }
        let words = Words::decode(&counter.words().encode()).expect("just encoded");
        let hits = words.hits(&[3, 7, 8, u32::MAX]);
        assert_eq!(hits.lengths, [1, 1, 0, 3]);
        assert_eq!(
            hits.counts,
            [[0, 0, 0, 1], [1, 0, 0, 2], [0; 4], [0, 1, 0, 0]]
        );
        assert_eq!(Words::decode(&words.encode()[1..]), None);
        assert_eq!(Words::default().hits(&[1]), Hits::default());
        assert_eq!(
            Words::decode(&Words::default().encode()),
            Some(Words::default()),
            "what has no words is known to have none"
        );
    }
}
