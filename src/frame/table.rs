//! A sorted table of fixed-width records in a file, found by the leading bits of their digest keys.
//!
//! Keys are digests, so they spread evenly: a fan-out of about one bucket a record makes a lookup two small reads,
//! however large the table. The same code serves a file on disk (few lookups) and its bytes in memory (many).
//! All numbers are little endian. A file of tables is written in pages, whose checksums stand at its end: each read
//! checks the pages that it touches, and no other; a page is read once.

use std::borrow::Cow;
use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::fs::File;
use std::io::{self, Write};
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::sync::Mutex;

use crate::base::number::to_index;
use crate::base::{HashKey, locked};

const PAGE_BYTES: usize = 4_096;
const CHECKSUM_BYTES: usize = 8;
/// Most pages that are kept of one read: what is longer is read as a whole by a caller that asks once.
const KEPT_AT_ONCE: u64 = 4;
/// What a visit of all records reads at a time, about.
const VISIT_BYTES: usize = 1 << 20;

/// Where a table's bytes are.
pub(super) enum Source {
    /// On disk, read on demand.
    File(Pages),
    /// Read as a whole, and checked then.
    Memory(Vec<u8>),
}

/// The pages of a file. Those that are read one by one are kept: the fan-out of a small table is one page or two.
pub(super) struct Pages {
    file: File,
    key: HashKey,
    /// Bytes before the checksums.
    len: u64,
    checksums: Vec<u8>,
    kept: Mutex<HashMap<u64, Box<[u8]>>>,
}

impl Source {
    /// Opens a file that a [`PageWriter`] has written under this key.
    pub(super) fn open(file: File, key: HashKey) -> io::Result<Self> {
        let size = file.metadata()?.len();
        let checksums_len =
            size.div_ceil((PAGE_BYTES + CHECKSUM_BYTES) as u64) * CHECKSUM_BYTES as u64;
        let len = size
            .checked_sub(checksums_len)
            .ok_or(io::ErrorKind::InvalidData)?;
        let mut checksums = vec![0; to_index(checksums_len)];
        file.read_exact_at(&mut checksums, len)?;
        Ok(Self::File(Pages {
            file,
            key,
            len,
            checksums,
            kept: Mutex::default(),
        }))
    }

    /// How many bytes there are.
    pub(super) fn len(&self) -> u64 {
        match self {
            Self::File(pages) => pages.len,
            Self::Memory(bytes) => bytes.len() as u64,
        }
    }

    /// Reads a part; damage within the pages that it touches is an error.
    pub(super) fn read(&self, at: u64, len: usize) -> io::Result<Cow<'_, [u8]>> {
        let end = at
            .checked_add(len as u64)
            .filter(|end| *end <= self.len())
            .ok_or(io::ErrorKind::InvalidData)?;
        match self {
            Self::Memory(bytes) => Ok(Cow::Borrowed(&bytes[to_index(at)..to_index(end)])),
            Self::File(pages) => pages.read(at, end).map(Cow::Owned),
        }
    }
}

impl Pages {
    fn read(&self, at: u64, end: u64) -> io::Result<Vec<u8>> {
        let numbers = at / PAGE_BYTES as u64..end.div_ceil(PAGE_BYTES as u64);
        let start = numbers.start * PAGE_BYTES as u64;
        let (from, len) = (to_index(at - start), to_index(end - at));
        if numbers.end - numbers.start > KEPT_AT_ONCE {
            let mut bytes = self.load(numbers)?;
            bytes.truncate(from + len);
            bytes.drain(..from);
            return Ok(bytes);
        }
        let mut kept = locked(&self.kept);
        let mut bytes = Vec::with_capacity(len);
        for number in numbers {
            let page = match kept.entry(number) {
                Entry::Occupied(page) => page.into_mut(),
                Entry::Vacant(place) => place.insert(self.load(number..number + 1)?.into()),
            };
            let from = if bytes.is_empty() {
                from.min(page.len())
            } else {
                0
            };
            bytes.extend_from_slice(&page[from..page.len().min(from + len - bytes.len())]);
        }
        Ok(bytes)
    }

    /// Reads pages from the file, and checks them.
    fn load(&self, numbers: Range<u64>) -> io::Result<Vec<u8>> {
        let start = numbers.start * PAGE_BYTES as u64;
        let mut bytes = vec![0; to_index((numbers.end * PAGE_BYTES as u64).min(self.len) - start)];
        self.file.read_exact_at(&mut bytes, start)?;
        let stated = self
            .checksums
            .chunks_exact(CHECKSUM_BYTES)
            .skip(to_index(numbers.start));
        let is_sound = bytes
            .chunks(PAGE_BYTES)
            .zip(stated)
            .all(|(page, stated)| checksum(&self.key, page) == stated);
        if is_sound {
            Ok(bytes)
        } else {
            Err(io::ErrorKind::InvalidData.into())
        }
    }
}

fn checksum(key: &HashKey, page: &[u8]) -> [u8; CHECKSUM_BYTES] {
    key.digest(page).0[..CHECKSUM_BYTES]
        .try_into()
        .expect("a digest is longer")
}

/// Passes bytes on and puts the checksums of their pages behind them.
pub(super) struct PageWriter<W> {
    out: W,
    key: HashKey,
    page: Vec<u8>,
    checksums: Vec<u8>,
}

impl<W: Write> PageWriter<W> {
    pub(super) fn new(out: W, key: HashKey) -> Self {
        Self {
            out,
            key,
            page: Vec::with_capacity(PAGE_BYTES),
            checksums: Vec::new(),
        }
    }

    fn end_page(&mut self) -> io::Result<()> {
        self.checksums.extend(checksum(&self.key, &self.page));
        self.out.write_all(&self.page)?;
        self.page.clear();
        Ok(())
    }

    /// Writes what is left, and the checksums.
    pub(super) fn finish(mut self) -> io::Result<()> {
        if !self.page.is_empty() {
            self.end_page()?;
        }
        self.out.write_all(&self.checksums)?;
        self.out.flush()
    }
}

impl<W: Write> Write for PageWriter<W> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let taken = bytes.len().min(PAGE_BYTES - self.page.len());
        self.page.extend_from_slice(&bytes[..taken]);
        if self.page.len() == PAGE_BYTES {
            self.end_page()?;
        }
        Ok(taken)
    }

    /// Does nothing: pages leave when they are full.
    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// Where a table stands in its file.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Shape {
    /// Offset of the fan-out in bytes.
    pub at: u64,
    /// Number of records.
    pub count: u32,
    /// Bytes of one record; its key comes first.
    pub width: u32,
}

impl Shape {
    /// Leading key bits that choose the bucket: about one bucket a record, at most 2^20.
    fn bits(self) -> u32 {
        self.count.checked_ilog2().unwrap_or(0).min(20)
    }

    fn records_at(self) -> u64 {
        self.at + 4 * ((1_u64 << self.bits()) + 1)
    }

    /// Offset of the first byte after the table.
    pub(super) fn end(self) -> u64 {
        self.records_at() + u64::from(self.count) * u64::from(self.width)
    }

    fn bucket(self, key: &[u8]) -> u64 {
        let lead = u32::from_be_bytes([key[0], key[1], key[2], key[3]]);
        u64::from(lead.checked_shr(32 - self.bits()).unwrap_or(0))
    }

    /// Passes on the records that start with `key`, in order.
    pub(super) fn find(
        self,
        source: &Source,
        key: &[u8],
        mut found: impl FnMut(&[u8]),
    ) -> io::Result<()> {
        if self.count == 0 {
            return Ok(());
        }
        let bounds = source.read(self.at + 4 * self.bucket(key), 8)?;
        let number = |at: usize| {
            u32::from_le_bytes([bounds[at], bounds[at + 1], bounds[at + 2], bounds[at + 3]])
        };
        let (start, end) = (number(0), number(4));
        if start > end || end > self.count {
            return Err(io::ErrorKind::InvalidData.into());
        }
        let width = self.width as usize;
        let bytes = source.read(
            self.records_at() + u64::from(start) * u64::from(self.width),
            (end - start) as usize * width,
        )?;
        bytes
            .chunks_exact(width)
            .filter(|record| record.starts_with(key))
            .for_each(&mut found);
        Ok(())
    }

    /// Passes on all records, in order.
    pub(super) fn visit(self, source: &Source, pass: &mut Pass<'_>) -> io::Result<()> {
        let width = self.width as usize;
        self.parts(source)
            .try_for_each(|part| part?.chunks_exact(width).try_for_each(&mut *pass))
    }

    /// True when a record is such a one; looks at them in order, and at none behind it.
    pub(super) fn any(
        self,
        source: &Source,
        is_such: &mut dyn FnMut(&[u8]) -> bool,
    ) -> io::Result<bool> {
        let width = self.width as usize;
        for part in self.parts(source) {
            if part?.chunks_exact(width).any(&mut *is_such) {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// The records, a part of the table in memory at a time.
    fn parts(self, source: &Source) -> impl Iterator<Item = io::Result<Cow<'_, [u8]>>> {
        let (count, width) = (self.count as usize, self.width as usize);
        let at_once = (VISIT_BYTES / width).max(1);
        (0..count).step_by(at_once).map(move |start| {
            let at = self.records_at() + (start * width) as u64;
            source.read(at, at_once.min(count - start) * width)
        })
    }
}

/// Takes one record.
pub(super) type Pass<'p> = dyn FnMut(&[u8]) -> io::Result<()> + 'p;

/// Writes the fan-out and the records: `records` passes them on, sorted, the same each time.
pub(super) fn write(
    out: &mut dyn Write,
    shape: Shape,
    records: &dyn Fn(&mut Pass<'_>) -> io::Result<()>,
) -> io::Result<()> {
    let mut bounds = vec![0_u32; (1 << shape.bits()) + 1];
    records(&mut |record| {
        bounds[to_index(shape.bucket(record)) + 1] += 1;
        Ok(())
    })?;
    let mut sum = 0;
    for bound in &mut bounds {
        sum += *bound;
        *bound = sum;
    }
    let bytes: Vec<u8> = bounds
        .iter()
        .flat_map(|bound| bound.to_le_bytes())
        .collect();
    out.write_all(&bytes)?;
    drop((bytes, bounds));
    records(&mut |record| out.write_all(record))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Digest;

    fn records_of(shape: Shape, source: &Source, key: &[u8]) -> Vec<Vec<u8>> {
        let mut found = Vec::new();
        shape
            .find(source, key, |record| found.push(record.to_vec()))
            .expect("in range");
        found
    }

    #[test]
    fn every_record_is_found_and_nothing_else() {
        for count in [0_u32, 1, 2, 3, 100, 5_000] {
            let mut keys: Vec<[u8; 32]> = (0..count)
                .map(|i| Digest::of("test/1", &i.to_le_bytes()).0)
                .collect();
            keys.sort_unstable();
            let records: Vec<u8> = keys
                .iter()
                .flat_map(|key| key.iter().copied().chain([key[0], 7]))
                .collect();
            let shape = Shape {
                at: 16,
                count,
                width: 34,
            };
            let mut bytes = vec![0; 16];
            let all = |pass: &mut Pass<'_>| records.chunks_exact(34).try_for_each(pass);
            write(&mut bytes, shape, &all).expect("memory");
            assert_eq!(bytes.len() as u64, shape.end());
            let source = Source::Memory(bytes);
            for key in &keys {
                let found = records_of(shape, &source, key);
                assert_eq!(found, [[&key[..], &[key[0], 7]].concat()]);
            }
            let mut visited = Vec::new();
            let mut pass = |record: &[u8]| {
                visited.extend_from_slice(record);
                Ok(())
            };
            shape.visit(&source, &mut pass).expect("in range");
            assert_eq!(visited, records);
            let mut seen = 0;
            let mut is_third = |_: &[u8]| {
                seen += 1;
                seen == 3
            };
            let is_there = shape.any(&source, &mut is_third).expect("in range");
            assert_eq!((is_there, seen), (count >= 3, count.min(3)));
            let absent = Digest::of("test/2", b"").0;
            assert!(records_of(shape, &source, &absent).is_empty());
        }
    }
    #[test]
    fn a_flipped_bit_is_an_error_for_reads_that_touch_its_page_only() {
        for len in [
            1,
            PAGE_BYTES - 1,
            PAGE_BYTES,
            PAGE_BYTES + 1,
            3 * PAGE_BYTES + 7,
            7 * PAGE_BYTES + 7,
        ] {
            let content: Vec<u8> = (0..=250_u8).cycle().take(len).collect();
            let mut written = Vec::new();
            let mut out = PageWriter::new(&mut written, HashKey::new([7; 32]));
            out.write_all(&content)
                .and_then(|()| out.finish())
                .expect("memory");
            let open_with = |bytes: &[u8], key: u8| {
                let mut file = tempfile::tempfile().expect("a temporary file");
                file.write_all(bytes).expect("writable");
                Source::open(file, HashKey::new([key; 32])).expect("long enough")
            };
            let open = |bytes: &[u8]| open_with(bytes, 7);
            assert!(
                open_with(&written, 8).read(0, 1).is_err(),
                "written under another key"
            );
            let good = open(&written);
            assert_eq!(good.len(), len as u64);
            // The second time out of what was kept.
            for _ in 0..2 {
                assert_eq!(*good.read(0, len).expect("sound"), content[..]);
                assert_eq!(
                    *good.read(len as u64 / 2, len / 3).expect("sound"),
                    content[len / 2..len / 2 + len / 3]
                );
            }
            assert!(good.read(len as u64, 1).is_err(), "behind the end");
            for at in [0, len / 2, len - 1, len, written.len() - 1] {
                let mut damaged = written.clone();
                damaged[at] ^= 4;
                let source = open(&damaged);
                assert!(source.read(0, len).is_err(), "bit at {at} of {len}");
                let other = if at < len && at / PAGE_BYTES == 0 {
                    len - 1
                } else {
                    0
                };
                let same_page = at >= len || other / PAGE_BYTES == at / PAGE_BYTES;
                assert!(
                    same_page || source.read(other as u64, 1).is_ok(),
                    "another page than that of {at}"
                );
            }
        }
    }
}
