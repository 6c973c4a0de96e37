//! The words of many files turned round: for each term the files that have it.
//!
//! A question reads the lists of its own terms and nothing of the rest. A list is bytes: for each file the distance of its
//! number to the one before (a varint), which sorts of text and whether its path have the term (five bits), and how often,
//! where that is more than once (a byte each, after a sixth bit). Two to three bytes hold most of them.

use std::collections::HashMap;
use std::ops::RangeInclusive;

use super::region::FIELDS;
use super::term::Term;
use super::words::Words;
use crate::base::codec::put_number;
use crate::base::number::{define_index_type, to_u32};
use crate::base::quick_hash::QuickHash;

define_index_type! {
    /// The number of a file among those that are held against a question.
    pub struct CandidateNumber = u32;
}

/// The sorts of a file's text, and its path.
pub const COUNTS: usize = FIELDS + 1;
/// How often a term stands in each sort of a file's text, and in its path.
pub type TermCounts = [u8; COUNTS];
/// How many terms each sort of a file's text has, and its path.
pub(super) type Lengths = [u32; COUNTS];

/// The bit that says that counts follow.
const HAS_COUNTS: u8 = 1 << COUNTS;

/// The lists of a range of terms; files have the numbers in whose order they are added.
#[derive(Debug)]
pub(super) struct Postings {
    terms: RangeInclusive<Term>,
    lists: HashMap<Term, List, QuickHash>,
}

#[derive(Debug, Default)]
struct List {
    bytes: Vec<u8>,
    last: u32,
}

impl Postings {
    /// None yet.
    pub(super) fn within(terms: RangeInclusive<Term>) -> Self {
        let lists = HashMap::default();
        Self { terms, lists }
    }

    /// Adds a file by its words and the terms of its path; its number is greater than all before.
    pub(super) fn add(&mut self, number: CandidateNumber, words: &Words, path: &[Term]) {
        for (term, counts) in counts(words, path) {
            if self.terms.contains(&term) {
                self.lists
                    .entry(term)
                    .or_default()
                    .push(number.raw(), counts);
            }
        }
    }

    /// Each term with its list, in order of terms.
    pub(super) fn lists(&self) -> Vec<(Term, &[u8])> {
        let lists = self.lists.iter();
        let mut lists: Vec<_> = lists
            .map(|(term, list)| (*term, list.bytes.as_slice()))
            .collect();
        lists.sort_unstable_by_key(|(term, _)| *term);
        lists
    }
}

/// A count in a byte: 255 for more.
pub(super) fn in_byte(count: usize) -> u8 {
    u8::try_from(count).unwrap_or(u8::MAX)
}

/// How many terms a file has.
pub(super) fn lengths(words: &Words, path: &[Term]) -> Lengths {
    let [names, prose, quoted, code] = words.lengths();
    [names, prose, quoted, code, to_u32(path.len())]
}

/// Each term of a file with its counts, in order of terms.
fn counts(words: &Words, path: &[Term]) -> Vec<(Term, TermCounts)> {
    let mut path = path.to_vec();
    path.sort_unstable();
    let of_path = path.chunk_by(|one, other| one == other);
    let mut of_path = of_path
        .map(|same| (same[0], in_byte(same.len())))
        .peekable();
    let mut all = Vec::new();
    let beside = |count| [0, 0, 0, 0, count];
    for (term, [names, prose, quoted, code]) in words.entries() {
        while let Some((other, count)) = of_path.next_if(|(other, _)| *other < term) {
            all.push((other, beside(count)));
        }
        let in_path = of_path.next_if(|(other, _)| *other == term);
        let in_path = in_path.map_or(0, |(_, count)| count);
        all.push((term, [names, prose, quoted, code, in_path]));
    }
    all.extend(of_path.map(|(term, count)| (term, beside(count))));
    all
}

impl List {
    fn push(&mut self, number: u32, counts: TermCounts) {
        put_number(&mut self.bytes, (number - self.last).into());
        self.last = number;
        let has = |(sort, count): (usize, &u8)| u8::from(*count > 0) << sort;
        let sorts = counts.iter().enumerate().map(has).sum::<u8>();
        if counts.iter().all(|count| *count < 2) {
            self.bytes.push(sorts);
        } else {
            self.bytes.push(sorts | HAS_COUNTS);
            self.bytes.extend(counts.iter().filter(|count| **count > 0));
        }
    }
}

/// Calls `take` with each file of a list, and its counts.
pub(super) fn each(list: &[u8], mut take: impl FnMut(u32, TermCounts)) {
    let mut bytes = list.iter().copied();
    let mut number = 0_u32;
    while let Some(mut byte) = bytes.next() {
        let (mut distance, mut shift) = (u32::from(byte & 0x7f), 7);
        while byte >= 0x80 && shift < 32 {
            byte = bytes.next().unwrap_or_default();
            distance |= u32::from(byte & 0x7f) << shift;
            shift += 7;
        }
        number = number.wrapping_add(distance);
        let sorts = bytes.next().unwrap_or_default();
        let mut counts = [0; COUNTS];
        for (sort, count) in counts.iter_mut().enumerate() {
            if sorts & (1 << sort) != 0 {
                *count = if sorts & HAS_COUNTS == 0 {
                    1
                } else {
                    bytes.next().unwrap_or_default()
                };
            }
        }
        take(number, counts);
    }
}
