//! What one file has to do with the others, and the bytes in which that is kept: read from them when a file is asked for.
//!
//! Numbers that stand in order are written as steps from the one before, see `put_file`. Start with [`KeptReferences`].

use std::sync::OnceLock;

use crate::symbol::codec::{ByteReader, put_number, put_text};

/// What one file has to do with the others.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileReferences {
    /// The files that its imports lead to, in order.
    pub imports: Vec<u32>,
    /// The directories that its imports lead to, with a slash at the end, in order.
    pub directories: Vec<String>,
    /// The imports that lead out of the snapshot, by their place in the list of imports.
    pub outside: Vec<u32>,
    /// For each entry how many other files refer to it.
    pub counts: Vec<u32>,
    /// Which entries refer to what stands in other files, with the number of the name, in order; fields are left out.
    pub calls: Vec<(u32, u32)>,
    /// The files that it refers to by imports or names, in order.
    pub files: Vec<u32>,
    /// The declarations of other files that it refers to: file and entry, in order.
    pub targets: Vec<(u32, u32)>,
    /// How many other files refer to it.
    pub referring: u32,
}

impl FileReferences {
    /// The numbers of the names by which an entry refers to other files, in order.
    pub fn calls_of(&self, entry: u32) -> impl Iterator<Item = u32> {
        let from = self.calls.partition_point(|(other, _)| *other < entry);
        self.calls[from..]
            .iter()
            .take_while(move |(other, _)| *other == entry)
            .map(|(_, name)| *name)
    }
}

/// References as they were written; those of a file are read when they are asked for, and stay.
#[derive(Debug)]
pub(super) struct KeptReferences {
    bytes: Vec<u8>,
    /// Where those of the first file begin, and from there where those of each end.
    start: usize,
    ends: Vec<usize>,
    read: Vec<OnceLock<Box<FileReferences>>>,
    /// Groups of files that refer to each other, of two and more.
    pub(super) partners: Vec<Vec<u32>>,
}

impl KeptReferences {
    /// References that begin at a place of some bytes and end at places counted from there.
    pub(super) fn new(
        bytes: Vec<u8>,
        start: usize,
        ends: Vec<usize>,
        partners: Vec<Vec<u32>>,
    ) -> Self {
        Self {
            read: ends.iter().map(|_| OnceLock::new()).collect(),
            bytes,
            start,
            ends,
            partners,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.ends.len()
    }

    pub(super) fn of(&self, number: u32) -> &FileReferences {
        self.read[number as usize].get_or_init(|| Box::new(self.look(number)))
    }

    /// The same for one look: nothing of it stays.
    pub(super) fn look(&self, number: u32) -> FileReferences {
        let at = number as usize;
        let from = at.checked_sub(1).map_or(0, |before| self.ends[before]);
        let bytes = &self.bytes[self.start + from..self.start + self.ends[at]];
        // Who keeps the bytes has checked them: what cannot be read is of no file.
        file(&mut ByteReader(bytes)).unwrap_or_default()
    }
}

/// Imports, directories, what leads outside, counts that are not zero, calls, targets, and how many files refer to it.
pub(super) fn put_file(out: &mut Vec<u8>, file: &FileReferences) {
    put_list(out, &file.imports);
    put_number(out, file.directories.len() as u64);
    file.directories
        .iter()
        .for_each(|directory| put_text(out, directory));
    put_list(out, &file.outside);
    put_number(out, file.counts.len() as u64);
    let counted = || {
        let counts = file.counts.iter().enumerate();
        counts.filter(|(_, count)| **count > 0)
    };
    put_number(out, counted().count() as u64);
    let mut next = 0;
    for (at, count) in counted() {
        put_number(out, (at - next) as u64);
        put_number(out, (*count).into());
        next = at + 1;
    }
    put_pairs(out, &file.calls);
    put_pairs(out, &file.targets);
    // Files beyond those of imports and targets there are none.
    put_number(out, file.referring.into());
}

fn file(rest: &mut ByteReader<'_>) -> Option<FileReferences> {
    let imports = list(rest)?;
    let mut directories = Vec::new();
    for _ in 0..rest.number()? {
        directories.push(rest.text()?);
    }
    let outside = list(rest)?;
    let mut counts = vec![0; usize::try_from(rest.number()?).ok()?];
    let mut next = 0_usize;
    for _ in 0..rest.number()? {
        let at = next.checked_add(usize::try_from(rest.number()?).ok()?)?;
        *counts.get_mut(at)? = u32::try_from(rest.number()?).ok()?;
        next = at + 1;
    }
    let (calls, targets) = (pairs(rest)?, pairs(rest)?);
    let mut files = imports.clone();
    files.extend(targets.iter().map(|(file, _)| *file));
    files.sort_unstable();
    files.dedup();
    Some(FileReferences {
        imports,
        directories,
        outside,
        counts,
        calls,
        files,
        targets,
        referring: u32::try_from(rest.number()?).ok()?,
    })
}

/// How many numbers there are, and their steps.
fn put_list(out: &mut Vec<u8>, numbers: &[u32]) {
    put_number(out, numbers.len() as u64);
    put_steps(out, numbers.iter().copied());
}

fn list(rest: &mut ByteReader<'_>) -> Option<Vec<u32>> {
    let count = usize::try_from(rest.number()?).ok()?;
    steps(rest, count)
}

/// Numbers in order, each as what it is more than the one before.
pub(super) fn put_steps(out: &mut Vec<u8>, numbers: impl Iterator<Item = u32>) {
    let mut before = 0;
    for number in numbers {
        put_number(out, (number - before).into());
        before = number;
    }
}

pub(super) fn steps(rest: &mut ByteReader<'_>, count: usize) -> Option<Vec<u32>> {
    let mut numbers = Vec::with_capacity(count.min(rest.0.len()));
    let mut before = 0_u32;
    for _ in 0..count {
        before = before.checked_add(u32::try_from(rest.number()?).ok()?)?;
        numbers.push(before);
    }
    Some(numbers)
}

/// Pairs in order: the step of the first number; of the second the step where the first is the same, else the number.
fn put_pairs(out: &mut Vec<u8>, pairs: &[(u32, u32)]) {
    put_number(out, pairs.len() as u64);
    let mut before = (0, 0);
    for (first, second) in pairs {
        put_number(out, (first - before.0).into());
        let from = if *first == before.0 { before.1 } else { 0 };
        put_number(out, (second - from).into());
        before = (*first, *second);
    }
}

fn pairs(rest: &mut ByteReader<'_>) -> Option<Vec<(u32, u32)>> {
    let count = usize::try_from(rest.number()?).ok()?;
    let mut pairs = Vec::with_capacity(count.min(rest.0.len()));
    let mut before = (0_u32, 0_u32);
    for _ in 0..count {
        let step = u32::try_from(rest.number()?).ok()?;
        let from = if step == 0 { before.1 } else { 0 };
        let second = from.checked_add(u32::try_from(rest.number()?).ok()?)?;
        before = (before.0.checked_add(step)?, second);
        pairs.push(before);
    }
    Some(pairs)
}
