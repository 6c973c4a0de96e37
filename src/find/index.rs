//! The words of a snapshot's files by term, on disk: a question reads the lists of its terms, and no content.
//!
//! The file is written once, from its beginning to its end (`draft.rs`), and takes its name when it is whole. All parts have
//! checksums under the user's key for the repository, so what is damaged, or came with a repository, counts as absent.
//!
//! | part | bytes |
//! |---|---|
//! | line | `git-merkle/index/1` and the versions of words and definitions |
//! | lists, blocks | in turns: the lists of a range of terms, in order of terms, see `postings.rs`; then blocks of up to 256 of them each: term u32, place of its list u64, its length u32, its checksum 8 |
//! | starts | for each block its first term u32, its place u64, how many terms u32, its checksum 8 |
//! | lengths | for each file five times u32: how many terms each sort of its text has, and its path |
//! | paths | for each file where its path ends u32; then the paths, in the order of their bytes |
//! | files | for each its object (length, 32 bytes), 1 for one that this clone holds, [`CachePlace`] of its definitions, checksum 8 |
//! | end | tree, how often an index was written u64, files u32, those that are absent u32, flags, the parts from starts on (place u64, length u64, checksum 8), checksum 8 |
//!
//! Numbers are little endian. A file of another program version is passed over, and written anew.

use std::fs::File;
use std::os::unix::fs::FileExt as _;

use super::definition::Definitions;
use super::postings::{COUNTS, CandidateNumber, Lengths, TermCounts, each};
use super::term::Term;
use super::words::Words;
use crate::base::number::{IndexVec, low_byte, search};
use crate::base::{HashKey, NodeId};
use crate::symbol::{CachePlace, Cached as _};

/// A term in a block, and a block among the starts.
const ENTRY_BYTES: usize = 4 + 8 + 4 + SUM_BYTES;
const SUM_BYTES: usize = 8;
/// Object, whether it is there, place of its definitions, checksum.
const FILE_BYTES: usize = ID_BYTES + 1 + CachePlace::BYTES + SUM_BYTES;
/// The length of an object id, and its bytes with zeros behind.
const ID_BYTES: usize = 33;
/// Starts, lengths, paths, files.
pub(super) const PARTS: usize = 4;
const PART_BYTES: usize = 8 + 8 + SUM_BYTES;
const END_BYTES: usize = ID_BYTES + 8 + 4 + 4 + 1 + PARTS * PART_BYTES + SUM_BYTES;
/// The flag of a snapshot of which only the same tree can be answered.
const IS_FIXED: u8 = 1;
/// The flag of a snapshot with more files than are looked at.
const IS_CUT: u8 = 2;

/// An index of which it is known what it is of.
#[derive(Debug)]
pub struct IndexFile {
    source: IndexBytes,
    key: HashKey,
    end: End,
}

/// An index that can be asked.
#[derive(Debug)]
pub struct WordIndex {
    file: IndexFile,
    starts: Vec<Start>,
    lengths: IndexVec<CandidateNumber, Lengths>,
    path_ends: Vec<u32>,
    paths: Vec<u8>,
}

/// Where its bytes are.
#[derive(Debug)]
pub enum IndexBytes {
    /// On disk.
    File(File),
    /// In memory, where the disk takes none.
    Bytes(Vec<u8>),
}

/// What an index is of.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedTree {
    /// The root tree.
    pub tree: NodeId,
    /// True where what is answered cannot be brought forward to another tree.
    pub is_fixed: bool,
    /// True where there are more files than are looked at.
    pub is_cut: bool,
    /// How many files it has.
    pub files: u32,
    /// How many of these this clone did not hold.
    pub absent: u32,
}

/// A file of an index.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IndexedFile {
    /// Its object.
    pub id: NodeId,
    /// True when this clone held it.
    pub is_there: bool,
    /// Where its definitions are kept; only a hint.
    pub definitions: CachePlace,
}

/// What an index is of, and when it was written.
#[derive(Debug, Clone, Copy)]
pub struct IndexStamp {
    /// Its tree.
    pub snapshot: IndexedTree,
    /// Of two the newer has more.
    pub sequence: u64,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct End {
    pub(super) stamp: IndexStamp,
    pub(super) parts: [Part; PARTS],
}

#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Part {
    pub(super) at: u64,
    pub(super) len: u64,
    pub(super) sum: [u8; SUM_BYTES],
}

/// A term with its list, or the first term of a block with the block.
#[derive(Debug, Clone, Copy)]
pub(super) struct Start {
    pub(super) term: Term,
    pub(super) at: u64,
    pub(super) len: u32,
    pub(super) sum: [u8; SUM_BYTES],
}

impl IndexFile {
    /// Opens one; `None` for what is damaged, foreign, or of another version.
    #[must_use]
    pub fn open(source: IndexBytes, key: HashKey) -> Option<Self> {
        let line = first_line();
        if source.read(0, line.len())? != line.as_bytes() {
            return None;
        }
        let end = source.read(source.len()?.checked_sub(END_BYTES as u64)?, END_BYTES)?;
        let end = End::of(&end, &key)?;
        Some(Self { source, key, end })
    }

    /// What it is of.
    #[must_use]
    pub fn snapshot(&self) -> IndexedTree {
        self.end.stamp.snapshot
    }

    /// Which of two is newer.
    #[must_use]
    pub fn sequence(&self) -> u64 {
        self.end.stamp.sequence
    }

    /// Reads what every question needs; `None` where that is damaged.
    #[must_use]
    pub fn read(self) -> Option<WordIndex> {
        let [starts, lengths, paths, _] = self.end.parts;
        let starts = self.part(starts)?;
        let lengths = numbers(&self.part(lengths)?);
        let (lengths, []) = lengths.as_chunks::<COUNTS>() else {
            return None;
        };
        let mut paths = self.part(paths)?;
        let ends_bytes = 4 * self.end.stamp.snapshot.files as usize;
        let path_ends = numbers(paths.get(..ends_bytes)?);
        paths.drain(..ends_bytes);
        let is_whole = lengths.len() == self.end.stamp.snapshot.files as usize
            && path_ends.is_sorted()
            && path_ends.last().map_or(0, |end| *end as usize) == paths.len();
        let starts = starts.as_chunks::<ENTRY_BYTES>().0.iter().map(Start::of);
        is_whole.then(|| WordIndex {
            starts: starts.collect(),
            lengths: lengths.to_vec().into(),
            path_ends,
            paths,
            file: self,
        })
    }

    fn part(&self, part: Part) -> Option<Vec<u8>> {
        self.checked(part.at, usize::try_from(part.len).ok()?, part.sum)
    }

    fn checked(&self, at: u64, len: usize, wanted: [u8; SUM_BYTES]) -> Option<Vec<u8>> {
        let bytes = self.source.read(at, len)?;
        (sum(&self.key, &bytes) == wanted).then_some(bytes)
    }
}

impl WordIndex {
    /// What it is of.
    #[must_use]
    pub fn snapshot(&self) -> IndexedTree {
        self.file.snapshot()
    }

    /// How many files it has.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// True when it has none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// How many terms each file has.
    #[must_use]
    pub fn lengths(&self) -> &IndexVec<CandidateNumber, Lengths> {
        &self.lengths
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, number: CandidateNumber) -> &[u8] {
        path_of(&self.paths, &self.path_ends, number)
    }

    /// The file at a path.
    #[must_use]
    pub fn find(&self, path: &[u8]) -> Option<CandidateNumber> {
        let path_at = |number| self.path(CandidateNumber::new(number));
        search(self.len(), |number| path_at(number).cmp(path)).map(CandidateNumber::new)
    }

    /// What stands at a file's path; `None` where that is damaged.
    #[must_use]
    pub fn file(&self, number: CandidateNumber) -> Option<IndexedFile> {
        let at = self.file.end.parts[3].at + u64::from(number.raw()) * FILE_BYTES as u64;
        IndexedFile::of(&self.file.source.read(at, FILE_BYTES)?, &self.file.key)
    }

    /// All of them at once.
    #[must_use]
    pub fn files(&self) -> Option<IndexVec<CandidateNumber, IndexedFile>> {
        let bytes = self.file.part(self.file.end.parts[3])?;
        let files = bytes.chunks(FILE_BYTES);
        files
            .map(|file| IndexedFile::of(file, &self.file.key))
            .collect()
    }

    /// The files that have a term, in their order; `None` where that is damaged.
    #[must_use]
    pub fn list(&self, term: Term) -> Option<Vec<(CandidateNumber, TermCounts)>> {
        let mut found = Vec::new();
        let before = self.starts.partition_point(|start| start.term <= term);
        let Some(block) = before.checked_sub(1).map(|at| self.starts[at]) else {
            return Some(found);
        };
        let checked = |start: Start, len| self.file.checked(start.at, len, start.sum);
        let entries = checked(block, block.len as usize * ENTRY_BYTES)?;
        let entries = entries.as_chunks::<ENTRY_BYTES>().0;
        let Ok(at) = entries.binary_search_by_key(&term, |entry| Start::of(entry).term) else {
            return Some(found);
        };
        let entry = Start::of(&entries[at]);
        each(&checked(entry, entry.len as usize)?, |number, counts| {
            let number = CandidateNumber::from_raw(number);
            if number < self.len() {
                found.push((number, counts));
            }
        });
        Some(found)
    }
}

impl IndexBytes {
    fn len(&self) -> Option<u64> {
        match self {
            Self::File(file) => Some(file.metadata().ok()?.len()),
            Self::Bytes(bytes) => Some(bytes.len() as u64),
        }
    }

    fn read(&self, at: u64, len: usize) -> Option<Vec<u8>> {
        match self {
            Self::File(file) => {
                // A length that was made up is not believed.
                let is_inside = at.checked_add(len as u64)? <= file.metadata().ok()?.len();
                let mut bytes = vec![0; if is_inside { len } else { return None }];
                file.read_exact_at(&mut bytes, at).ok().map(|()| bytes)
            }
            Self::Bytes(all) => {
                let at = usize::try_from(at).ok()?;
                Some(all.get(at..at.checked_add(len)?)?.to_vec())
            }
        }
    }
}

impl Start {
    pub(super) fn bytes(&self) -> Vec<u8> {
        [
            self.term.to_le_bytes().as_slice(),
            &self.at.to_le_bytes(),
            &self.len.to_le_bytes(),
            &self.sum,
        ]
        .concat()
    }

    fn of(bytes: &[u8; ENTRY_BYTES]) -> Self {
        let (term, rest) = taken(bytes);
        let (at, rest) = taken(rest);
        let (len, rest) = taken(rest);
        Self {
            term: u32::from_le_bytes(term),
            at: u64::from_le_bytes(at),
            len: u32::from_le_bytes(len),
            sum: taken(rest).0,
        }
    }
}

impl IndexedFile {
    pub(super) fn bytes(&self, key: &HashKey) -> Vec<u8> {
        let mut bytes = id_bytes(&self.id);
        bytes.push(u8::from(self.is_there));
        bytes.extend(self.definitions.bytes());
        bytes.extend(sum(key, &bytes));
        bytes
    }

    fn of(bytes: &[u8], key: &HashKey) -> Option<Self> {
        let (id, rest) = opened(bytes, key)?;
        let (is_there, place) = rest.split_first()?;
        Some(Self {
            id,
            is_there: *is_there == 1,
            definitions: CachePlace::of(place.try_into().ok()?),
        })
    }
}

impl End {
    pub(super) fn bytes(&self, key: &HashKey) -> Vec<u8> {
        let IndexStamp { snapshot, sequence } = self.stamp;
        let flag = |is_set, flag| if is_set { flag } else { 0 };
        let mut bytes = id_bytes(&snapshot.tree);
        bytes.extend(sequence.to_le_bytes());
        bytes.extend(snapshot.files.to_le_bytes());
        bytes.extend(snapshot.absent.to_le_bytes());
        bytes.push(flag(snapshot.is_fixed, IS_FIXED) | flag(snapshot.is_cut, IS_CUT));
        for part in &self.parts {
            bytes.extend(part.at.to_le_bytes());
            bytes.extend(part.len.to_le_bytes());
            bytes.extend(part.sum);
        }
        bytes.extend(sum(key, &bytes));
        bytes
    }

    fn of(bytes: &[u8], key: &HashKey) -> Option<Self> {
        let (id, rest) = opened(bytes, key)?;
        let (sequence, rest) = taken(rest);
        let (files, rest) = taken(rest);
        let (absent, rest) = taken(rest);
        let (flags, mut rest) = rest.split_first()?;
        let mut parts = [Part::default(); PARTS];
        for part in &mut parts {
            let (at, more) = taken(rest);
            let (len, more) = taken(more);
            let (sum, more) = taken(more);
            rest = more;
            *part = Part {
                at: u64::from_le_bytes(at),
                len: u64::from_le_bytes(len),
                sum,
            };
        }
        let snapshot = IndexedTree {
            tree: id,
            is_fixed: flags & IS_FIXED != 0,
            is_cut: flags & IS_CUT != 0,
            files: u32::from_le_bytes(files),
            absent: u32::from_le_bytes(absent),
        };
        let sequence = u64::from_le_bytes(sequence);
        let stamp = IndexStamp { snapshot, sequence };
        Some(Self { stamp, parts })
    }
}

pub(super) fn path_of<'p>(paths: &'p [u8], ends: &[u32], number: CandidateNumber) -> &'p [u8] {
    let number = number.index();
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    &paths[start as usize..ends[number] as usize]
}

pub(super) fn first_line() -> String {
    format!(
        "git-merkle/index/1 {} {}\n",
        Words::VERSION,
        Definitions::VERSION
    )
}

pub(super) fn sum(key: &HashKey, bytes: &[u8]) -> [u8; SUM_BYTES] {
    taken(&key.digest(bytes).0).0
}

/// The first bytes of some that are there: their number is fixed by the format.
fn taken<const N: usize>(bytes: &[u8]) -> ([u8; N], &[u8]) {
    let (first, rest) = bytes
        .split_first_chunk()
        .expect("the length is that of the format");
    (*first, rest)
}

fn id_bytes(id: &NodeId) -> Vec<u8> {
    let mut bytes = vec![0; ID_BYTES];
    bytes[0] = low_byte(id.as_bytes().len() as u64);
    bytes[1..=id.as_bytes().len()].copy_from_slice(id.as_bytes());
    bytes
}

/// The id at the front of a record and what follows it; `None` where the sum at its end is not that of its bytes.
fn opened<'b>(bytes: &'b [u8], key: &HashKey) -> Option<(NodeId, &'b [u8])> {
    let (body, found) = bytes.split_last_chunk::<SUM_BYTES>()?;
    if sum(key, body) != *found {
        return None;
    }
    let (id, rest) = body.split_at_checked(ID_BYTES)?;
    let (len, id) = id.split_first()?;
    Some((NodeId::from_bytes(id.get(..usize::from(*len))?)?, rest))
}

pub(super) fn flat(numbers: &[u32]) -> Vec<u8> {
    numbers
        .iter()
        .flat_map(|number| number.to_le_bytes())
        .collect()
}

fn numbers(bytes: &[u8]) -> Vec<u32> {
    bytes
        .as_chunks()
        .0
        .iter()
        .map(|number| u32::from_le_bytes(*number))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::super::draft::{IndexDraft, IndexWriter, ranges};
    use super::*;
    use crate::base::number::to_u32;
    use crate::find::postings::in_byte;
    use crate::find::{path_terms, words_of};
    use proptest::prelude::*;

    fn key() -> HashKey {
        HashKey::new([7; 32])
    }

    fn id(number: u8) -> NodeId {
        NodeId::from_bytes(&[number; 20]).expect("twenty bytes")
    }

    /// The index of texts, with the lists of this many terms in memory at once.
    fn written(texts: &[String], at_once: usize) -> (Vec<Words>, Vec<u8>) {
        let mut draft = IndexDraft::default();
        let all: Vec<Words> = texts.iter().map(|text| words_of(text)).collect();
        for (number, words) in all.iter().enumerate() {
            let path = format!("ab/{number:05}");
            let file = IndexedFile {
                id: id(low_byte(number as u64)),
                is_there: number % 2 == 0,
                definitions: CachePlace::default(),
            };
            draft.add(path.as_bytes(), words, file);
        }
        let snapshot = IndexedTree {
            tree: id(9),
            files: to_u32(texts.len()),
            absent: 3,
            is_fixed: true,
            is_cut: false,
        };
        let (mut bytes, key) = (Vec::new(), key());
        let mut out = IndexWriter {
            out: &mut bytes,
            at: 0,
            key: &key,
            starts: Vec::new(),
        };
        let stamp = IndexStamp {
            snapshot,
            sequence: 5,
        };
        let ranges = ranges(draft.terms, at_once);
        draft
            .write_in(
                &mut out,
                &mut |number| Ok(all[number.index()].clone()),
                ranges,
                stamp,
            )
            .expect("memory takes all bytes");
        (all, bytes)
    }

    fn opened(bytes: &[u8]) -> Option<WordIndex> {
        IndexFile::open(IndexBytes::Bytes(bytes.to_vec()), key())?.read()
    }

    proptest! {
        #![proptest_config(ProptestConfig { failure_persistence: None, cases: 60, ..ProptestConfig::default() })]

        #[test]
        fn an_index_says_what_the_words_say(
            texts in proptest::collection::vec("(ab|cd|ef|gh|// ab|'cd'| |\n){0,300}", 0..200),
            at_once in 1_usize..2_000,
        ) {
            let (all, bytes) = written(&texts, at_once);
            let index = opened(&bytes).expect("just written");
            prop_assert_eq!(index.len(), texts.len());
            let words = words_of("ab cd ef nothing 00001");
            for term in words.entries().map(|one| one.0) {
                let list = index.list(term).expect("whole");
                for (number, words) in all.iter().enumerate() {
                    let number = CandidateNumber::new(number);
                    let path = index.path(number);
                    prop_assert_eq!(index.find(path), Some(number));
                    let [names, prose, quoted, code] = words.hits(&[term]).counts[0];
                    let in_path = path_terms(path).iter().filter(|one| **one == term).count();
                    let counts = [names, prose, quoted, code, in_byte(in_path)];
                    let found = list.iter().find(|one| one.0 == number).map(|one| one.1);
                    prop_assert_eq!(found.unwrap_or_default(), counts);
                }
            }
        }
    }

    #[test]
    fn what_is_damaged_is_absent_and_never_wrong() {
        let texts: Vec<String> = (0..40)
            .map(|at| format!("word{at} ab cd{}", at % 3))
            .collect();
        let (_, good) = written(&texts, 20);
        let whole = opened(&good).expect("just written");
        assert_eq!(
            whole
                .file(CandidateNumber::new(3))
                .map(|file| (file.id, file.is_there)),
            Some((id(3), false))
        );
        assert_eq!(whole.find(b"ab/1"), None);
        let terms: Vec<Term> = words_of(&texts.concat())
            .entries()
            .map(|one| one.0)
            .collect();
        for len in 0..good.len() {
            assert!(opened(&good[..len]).is_none(), "{len}");
        }
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 0x40;
            let Some(index) = opened(&damaged) else {
                continue;
            };
            for term in &terms {
                let list = index.list(*term);
                assert!(list.is_none() || list == whole.list(*term), "{at}");
            }
            for number in (0..40).map(CandidateNumber::new) {
                let file = index.file(number);
                assert!(file.is_none() || file == whole.file(number), "{at}");
            }
        }
        assert!(
            IndexFile::open(IndexBytes::Bytes(good), HashKey::new([8; 32])).is_none(),
            "the key of another user"
        );
    }
}
