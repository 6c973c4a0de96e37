//! What one file has to do with the others, and the bytes in which that is kept: read from them when a file is looked up.
//!
//! Numbers that stand in order are written as steps from the one before, see `put_found`. Start with [`References`].

use std::borrow::Cow;
use std::sync::OnceLock;

use super::entries::EntryNumber;
use super::file::FileNumber;
use super::import::ImportNumber;
use super::uses::UseNumber;
use crate::base::codec::{ByteReader, put_number, put_text};
use crate::base::number::{Idx, IndexVec};
use crate::base::numbered::range_of;

/// What one file has to do with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileReferences {
    /// The files that its imports lead to, in order.
    pub imports: Vec<FileNumber>,
    /// The directories that its imports lead to, with a slash at the end, in order.
    pub directories: Vec<String>,
    /// The imports that lead out of the snapshot.
    pub outside: Vec<ImportNumber>,
    /// For each entry how many other files refer to it.
    pub counts: IndexVec<EntryNumber, u32>,
    /// Which entries refer to what stands in other files, with the name, in order; fields are left out.
    pub calls: Vec<(EntryNumber, UseNumber)>,
    /// The files that it refers to by imports or names, in order.
    pub files: Vec<FileNumber>,
    /// The declarations of other files that it refers to, in order.
    pub targets: Vec<(FileNumber, EntryNumber)>,
    /// How many of its entries other files may use.
    pub public: u32,
    /// How many other files refer to it.
    pub referring: u32,
}

impl FileReferences {
    /// The numbers of the names by which an entry refers to other files, in order.
    pub fn calls_of(&self, entry: EntryNumber) -> impl Iterator<Item = UseNumber> {
        let from = self.calls.partition_point(|(other, _)| *other < entry);
        self.calls[from..]
            .iter()
            .take_while(move |(other, _)| *other == entry)
            .map(|(_, name)| *name)
    }
}

/// Who refers to whom in a snapshot: something for each file, in the order of the files.
///
/// They stand here as bytes; what is looked up of a file is read from them, and stays.
#[derive(Debug)]
pub struct References {
    bytes: Vec<u8>,
    /// Where those of the first file begin, and from there where those of each end.
    start: usize,
    ends: Vec<usize>,
    read: IndexVec<FileNumber, OnceLock<Box<FileReferences>>>,
    partners: Vec<Vec<FileNumber>>,
}

impl References {
    /// References that begin at a place of some bytes and end at places counted from there.
    pub(super) fn new(
        bytes: Vec<u8>,
        start: usize,
        ends: Vec<usize>,
        partners: Vec<Vec<FileNumber>>,
    ) -> Self {
        Self {
            read: ends.iter().map(|_| OnceLock::new()).collect(),
            bytes,
            start,
            ends,
            partners,
        }
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is no file.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// What the file with this number has to do with the others.
    #[must_use]
    pub fn of(&self, number: FileNumber) -> &FileReferences {
        self.read[number].get_or_init(|| Box::new(self.read(number)))
    }

    /// The same of all files, in order.
    pub fn iter(&self) -> impl Iterator<Item = &FileReferences> {
        self.read.indices().map(|number| self.of(number))
    }

    /// The same for one look at each: what is read of a file does not stay for the next one.
    pub fn looks(&self) -> impl Iterator<Item = Cow<'_, FileReferences>> {
        self.read
            .iter_enumerated()
            .map(|(number, read)| match read.get() {
                Some(file) => Cow::Borrowed(&**file),
                None => Cow::Owned(self.read(number)),
            })
    }

    /// The groups of files that refer to each other, directly or through others; a file without a partner is in none.
    ///
    /// Two files are partners when each refers to the other. Files in order, groups by their first file.
    #[must_use]
    pub fn partners(&self) -> &[Vec<FileNumber>] {
        &self.partners
    }

    /// The bytes of all files, and where those of each end.
    pub(super) fn bytes(&self) -> (&[u8], &[usize]) {
        (&self.bytes[self.start..], &self.ends)
    }

    fn read(&self, number: FileNumber) -> FileReferences {
        let bytes = &self.bytes[self.start..][range_of(&self.ends, number.index())];
        // The bytes were checked when they were loaded; an entry that cannot be read counts as empty.
        file(&mut ByteReader(bytes)).unwrap_or_default()
    }
}

/// What is found out about a file by itself: imports, directories, what leads outside, calls, targets, public entries.
pub(super) fn put_found(out: &mut Vec<u8>, file: &FileReferences) {
    put_list(out, &file.imports);
    put_number(out, file.directories.len() as u64);
    file.directories
        .iter()
        .for_each(|directory| put_text(out, directory));
    put_list(out, &file.outside);
    put_pairs(out, &file.calls);
    put_pairs(out, &file.targets);
    put_number(out, file.public.into());
}

/// What follows for it from all others, behind that: how many files refer to its entries, those that are not zero, and to itself.
pub(super) fn put_counts(
    out: &mut Vec<u8>,
    counts: &(impl ExactSizeIterator<Item = u32> + Clone),
    referring: u32,
) {
    put_number(out, counts.len() as u64);
    let counted = || counts.clone().enumerate().filter(|(_, count)| *count > 0);
    put_number(out, counted().count() as u64);
    let mut next = 0;
    for (at, count) in counted() {
        put_number(out, (at - next) as u64);
        put_number(out, count.into());
        next = at + 1;
    }
    put_number(out, referring.into());
}

fn file(rest: &mut ByteReader<'_>) -> Option<FileReferences> {
    let imports = list(rest)?;
    let mut directories = Vec::new();
    for _ in 0..rest.number()? {
        directories.push(rest.text()?);
    }
    let outside = list(rest)?;
    let (calls, targets) = (pairs(rest)?, pairs(rest)?);
    let public = rest.small()?;
    let mut counts = vec![0; rest.size()?];
    let mut next = 0_usize;
    for _ in 0..rest.number()? {
        let at = next.checked_add(rest.size()?)?;
        *counts.get_mut(at)? = rest.small()?;
        next = at + 1;
    }
    // Files beyond those of imports and targets there are none.
    let mut files = imports.clone();
    files.extend(targets.iter().map(|(file, _)| *file));
    files.sort_unstable();
    files.dedup();
    Some(FileReferences {
        imports,
        directories,
        outside,
        counts: counts.into(),
        calls,
        files,
        targets,
        public,
        referring: rest.small()?,
    })
}

/// How many numbers there are, and their steps.
fn put_list(out: &mut Vec<u8>, numbers: &[impl Idx]) {
    put_number(out, numbers.len() as u64);
    put_steps(out, numbers);
}

fn list<I: Idx>(rest: &mut ByteReader<'_>) -> Option<Vec<I>> {
    let count = rest.size()?;
    steps(rest, count)
}

/// Numbers in order, each as what it is more than the one before.
pub(super) fn put_steps(out: &mut Vec<u8>, numbers: &[impl Idx]) {
    let mut before = 0;
    for number in numbers {
        put_number(out, (number.index() - before) as u64);
        before = number.index();
    }
}

pub(super) fn steps<I: Idx>(rest: &mut ByteReader<'_>, count: usize) -> Option<Vec<I>> {
    let mut numbers = Vec::with_capacity(count.min(rest.0.len()));
    let mut before = 0_u32;
    for _ in 0..count {
        before = before.checked_add(rest.small()?)?;
        numbers.push(I::from_usize(before as usize));
    }
    Some(numbers)
}

/// Pairs in order: the step of the first number; of the second the step where the first is the same, else the number.
fn put_pairs(out: &mut Vec<u8>, pairs: &[(impl Idx, impl Idx)]) {
    put_number(out, pairs.len() as u64);
    let mut before = (0, 0);
    for (first, second) in pairs {
        let (first, second) = (first.index(), second.index());
        put_number(out, (first - before.0) as u64);
        let from = if first == before.0 { before.1 } else { 0 };
        put_number(out, (second - from) as u64);
        before = (first, second);
    }
}

fn pairs<A: Idx, B: Idx>(rest: &mut ByteReader<'_>) -> Option<Vec<(A, B)>> {
    let count = rest.size()?;
    let mut pairs = Vec::with_capacity(count.min(rest.0.len()));
    let mut before = (0_u32, 0_u32);
    for _ in 0..count {
        let step = rest.small()?;
        let from = if step == 0 { before.1 } else { 0 };
        let second = from.checked_add(rest.small()?)?;
        before = (before.0.checked_add(step)?, second);
        pairs.push((
            A::from_usize(before.0 as usize),
            B::from_usize(before.1 as usize),
        ));
    }
    Some(pairs)
}
