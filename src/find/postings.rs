//! The words of many contents turned round: for each term the contents that have it. For a process that is asked again.
//!
//! A question reads the lists of its own terms and nothing of the rest. A list is bytes: for each content the distance of its
//! number to the one before (a varint), which sorts of text have the term (four bits), and how often, where that is
//! more than once (a byte each, after a fifth bit). Two to three bytes hold most of them.

use std::collections::HashMap;

use super::region::FIELDS;
use super::term::Term;
use super::words::{Hits, Words};
use crate::base::quick_hash::QuickHash;

/// The place of a content whose hits are not wanted.
pub const NOWHERE: u32 = u32::MAX;
/// The bit that says that counts follow.
const HAS_COUNTS: u8 = 1 << FIELDS;

/// Lists by term; contents have numbers in the order in which they were added.
#[derive(Debug, Default)]
pub struct Postings {
    lists: HashMap<Term, List, QuickHash>,
    lengths: Vec<[u32; FIELDS]>,
}

#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    last: u32,
}

impl Postings {
    /// How many contents there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// True when nothing was added.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// Adds the next content; returns its number.
    pub fn add(&mut self, words: &Words) -> u32 {
        let number = self.lengths.len() as u32;
        self.lengths.push(words.lengths());
        for (term, counts) in words.entries() {
            self.lists.entry(term).or_default().push(number, counts);
        }
        number
    }

    /// Gives back the room that lists have kept for more.
    pub fn shrink(&mut self) {
        for list in self.lists.values_mut() {
            list.bytes.shrink_to_fit();
        }
    }

    /// What contents have of some terms: `places` says by a content's number where its hits go among `count`, if anywhere.
    ///
    /// One that has none of them has no counts.
    #[must_use]
    pub fn hits(&self, terms: &[Term], places: &[u32], count: usize) -> Vec<Option<Hits>> {
        let mut hits: Vec<Option<Hits>> = vec![None; count];
        for (place, lengths) in places.iter().zip(&self.lengths) {
            if let Some(hits) = hits.get_mut(*place as usize) {
                *hits = Some(Hits {
                    lengths: *lengths,
                    counts: Vec::new(),
                });
            }
        }
        for (at, term) in terms.iter().enumerate() {
            let Some(list) = self.lists.get(term) else {
                continue;
            };
            list.each(|number, counts| {
                let place = places.get(number as usize).copied().unwrap_or(NOWHERE);
                if let Some(Some(hits)) = hits.get_mut(place as usize) {
                    if hits.counts.is_empty() {
                        hits.counts = vec![[0; FIELDS]; terms.len()];
                    }
                    hits.counts[at] = counts;
                }
            });
        }
        hits
    }
}

impl List {
    fn push(&mut self, number: u32, counts: [u8; FIELDS]) {
        let mut distance = number - self.last;
        self.last = number;
        while distance >= 0x80 {
            self.bytes.push(distance as u8 | 0x80);
            distance >>= 7;
        }
        self.bytes.push(distance as u8);
        let has = |(field, count): (usize, &u8)| u8::from(*count > 0) << field;
        let fields = counts.iter().enumerate().map(has).sum::<u8>();
        if counts.iter().all(|count| *count < 2) {
            self.bytes.push(fields);
        } else {
            self.bytes.push(fields | HAS_COUNTS);
            self.bytes.extend(counts.iter().filter(|count| **count > 0));
        }
    }

    fn each(&self, mut take: impl FnMut(u32, [u8; FIELDS])) {
        let mut bytes = self.bytes.iter().copied();
        let mut number = 0;
        while let Some(mut byte) = bytes.next() {
            let (mut distance, mut shift) = (u32::from(byte & 0x7f), 7);
            while byte >= 0x80 {
                byte = bytes.next().unwrap_or_default();
                distance |= u32::from(byte & 0x7f) << shift;
                shift += 7;
            }
            number += distance;
            let fields = bytes.next().unwrap_or_default();
            let mut counts = [0; FIELDS];
            for (field, count) in counts.iter_mut().enumerate() {
                if fields & (1 << field) != 0 {
                    *count = if fields & HAS_COUNTS == 0 {
                        1
                    } else {
                        bytes.next().unwrap_or_default()
                    };
                }
            }
            take(number, counts);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::words_of;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn lists_say_what_the_words_say(
            texts in proptest::collection::vec("(ab|cd|ef|gh|// ab|'cd'| |\n){0,300}", 0..200),
            far in 0_u32..100_000,
        ) {
            // Numbers that are far apart have distances of several bytes.
            let lengths = vec![[0; FIELDS]; far as usize];
            let mut postings = Postings { lengths, ..Postings::default() };
            let all: Vec<Words> = texts.iter().map(|text| words_of(text)).collect();
            for words in &all {
                postings.add(words);
            }
            postings.shrink();
            let terms: Vec<Term> = words_of("ab cd ef nothing").entries().map(|one| one.0).collect();
            // Every second one is wanted, in the opposite order.
            let count = texts.len();
            let mut places = vec![NOWHERE; far as usize];
            places.extend((0..count).map(|at| if at % 2 == 0 { (count - 1 - at) as u32 } else { NOWHERE }));
            let found = postings.hits(&terms, &places, count);
            for (at, words) in all.iter().enumerate() {
                let found = found[count - 1 - at].as_ref();
                prop_assert_eq!(found.is_some(), at % 2 == 0);
                let Some(found) = found else { continue };
                let hits = words.hits(&terms);
                prop_assert_eq!(found.lengths, hits.lengths);
                for at in 0..terms.len() {
                    let none = [0; FIELDS];
                    let counts = |hits: &Hits| hits.counts.get(at).copied().unwrap_or(none);
                    prop_assert_eq!(counts(found), counts(&hits));
                }
            }
        }
    }
}
