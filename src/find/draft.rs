//! Writes an index: the words of a snapshot's files turned round into the lists of their terms, range by range.

use std::io::{self, Write};
use std::ops::RangeInclusive;

use super::document::path_terms;
use super::index::{
    End, IndexStamp, IndexedFile, PARTS, Part, Start, first_line, flat, path_of, sum,
};
use super::postings::{CandidateNumber, Lengths, Postings, lengths};
use super::term::Term;
use super::words::Words;
use crate::base::HashKey;
use crate::base::number::{IndexVec, to_index, to_u32};

/// Terms of one block.
const BLOCK_TERMS: usize = 256;
/// Terms, counted in each of their files, whose lists are in memory together while an index is written: four to eight bytes each.
const RANGE_TERMS: usize = 3 << 20;

/// The files of a snapshot, to be written; in the order of their paths.
#[derive(Debug, Default)]
pub struct IndexDraft {
    lengths: Vec<Lengths>,
    /// How many terms all files have, each counted in each of its files.
    pub(super) terms: usize,
    paths: Vec<u8>,
    path_ends: Vec<u32>,
    files: IndexVec<CandidateNumber, IndexedFile>,
}

impl IndexDraft {
    /// Adds the next file.
    pub fn add(&mut self, path: &[u8], words: &Words, file: IndexedFile) {
        self.lengths.push(lengths(words, &path_terms(path)));
        self.terms += words.len();
        self.paths.extend(path);
        self.path_ends.push(to_u32(self.paths.len()));
        self.files.push(file);
    }

    /// Writes the index.
    ///
    /// `words` gives the words of the file with a number, and is called with each file once for each range of terms: the
    /// lists of all terms would take more memory than everything else.
    pub fn write(
        &self,
        out: &mut dyn Write,
        words: &mut dyn FnMut(CandidateNumber) -> io::Result<Words>,
        key: &HashKey,
        stamp: IndexStamp,
    ) -> io::Result<()> {
        let ranges = ranges(self.terms, RANGE_TERMS);
        let starts = Vec::new();
        let mut out = IndexWriter {
            out,
            at: 0,
            key,
            starts,
        };
        self.write_in(&mut out, words, ranges, stamp)
    }

    pub(super) fn write_in(
        &self,
        out: &mut IndexWriter<'_>,
        words: &mut dyn FnMut(CandidateNumber) -> io::Result<Words>,
        ranges: impl Iterator<Item = RangeInclusive<Term>>,
        stamp: IndexStamp,
    ) -> io::Result<()> {
        let key = out.key;
        out.put(first_line().as_bytes())?;
        for terms in ranges {
            let mut postings = Postings::within(terms);
            for number in self.files.indices() {
                let path = path_terms(path_of(&self.paths, &self.path_ends, number));
                postings.add(number, &words(number)?, &path);
            }
            out.put_lists(&postings)?;
        }
        let starts = std::mem::take(&mut out.starts);
        let lengths = flat(self.lengths.as_flattened());
        let mut paths = flat(&self.path_ends);
        paths.extend(&self.paths);
        let files: Vec<u8> = self.files.iter().flat_map(|file| file.bytes(key)).collect();
        let mut parts = [Part::default(); PARTS];
        for (part, bytes) in parts.iter_mut().zip([starts, lengths, paths, files]) {
            *part = Part {
                at: out.at,
                len: bytes.len() as u64,
                sum: sum(key, &bytes),
            };
            out.put(&bytes)?;
        }
        let end = End { stamp, parts };
        out.put(&end.bytes(key))
    }
}

/// Ranges of terms whose lists are in memory together. Terms are digests, so each range has about as many.
pub(super) fn ranges(terms: usize, at_once: usize) -> impl Iterator<Item = RangeInclusive<Term>> {
    let count = (terms / at_once) as u64 + 1;
    let width = (1 << Term::BITS) / count + 1;
    let term = |at: u64| Term::try_from(at).unwrap_or(Term::MAX);
    let range = move |from: u64| term(from)..=term(from + width - 1);
    (0..=Term::MAX.into()).step_by(to_index(width)).map(range)
}

/// Where an index is written, and how far.
pub(super) struct IndexWriter<'o> {
    pub(super) out: &'o mut dyn Write,
    pub(super) at: u64,
    pub(super) key: &'o HashKey,
    /// What the starts say of the blocks that were written.
    pub(super) starts: Vec<u8>,
}

impl IndexWriter<'_> {
    fn put(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.at += bytes.len() as u64;
        self.out.write_all(bytes)
    }

    /// Puts bytes whose place is kept: that of a list or of a block.
    fn put_at(&mut self, term: Term, len: usize, bytes: &[u8]) -> io::Result<Start> {
        let start = Start {
            term,
            at: self.at,
            len: to_u32(len),
            sum: sum(self.key, bytes),
        };
        self.put(bytes).map(|()| start)
    }

    /// Puts the lists of a range, then their blocks.
    fn put_lists(&mut self, postings: &Postings) -> io::Result<()> {
        let mut entries = Vec::new();
        for (term, list) in postings.lists() {
            entries.push(self.put_at(term, list.len(), list)?);
        }
        for block in entries.chunks(BLOCK_TERMS) {
            let bytes = block.iter().flat_map(Start::bytes).collect::<Vec<u8>>();
            let start = self.put_at(block[0].term, block.len(), &bytes)?;
            self.starts.extend(start.bytes());
        }
        Ok(())
    }
}
