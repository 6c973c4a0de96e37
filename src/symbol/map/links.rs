//! What follows from all files of a snapshot together, and the bytes that keep it between processes.
//!
//! A caller that shows a few files needs the order of all and the references of those few. So the bytes stay as they
//! are, and the references of a file are decoded when it is looked up. They are a function of the snapshot alone.
//! Numbers are LEB128; numbers that stand in order are written as steps from the one before.
//!
//! | part | bytes |
//! |---|---|
//! | version | 1 |
//! | files | their number, then for each the file at that place of the ranked order |
//! | for each file | a byte: its standing in two bits, then whether it declares something |
//! | partners | groups of two files and more: how many, then each with its length and its files |
//! | for each file | the length of its references |
//! | for each file | its references: see `kept.rs` |

use std::sync::Arc;

use super::file::{FileNumber, MapFiles};
use super::kept::{References, put_steps, steps};
use super::rank::MapOrder;
use super::reference::references;
use super::standing::STANDINGS;
use crate::base::codec::{ByteReader, put_number};

/// Raised whenever the same files would give other bytes: a new format, or a new way to find references or ranks.
const VERSION: u8 = 8;
const STANDING_BITS: u8 = 3;
const DECLARES_BIT: u8 = 4;

/// Who refers to whom, and in which order files matter.
#[derive(Debug)]
pub struct MapLinks {
    /// The references of each file.
    pub references: References,
    /// The order of the files.
    pub order: Arc<MapOrder>,
}

impl MapLinks {
    /// Finds them out from all files, which are in the order of their paths.
    #[must_use]
    pub fn of(files: &MapFiles<'_>) -> Self {
        let references = references(files);
        let order = Arc::new(MapOrder::of(files, &references));
        Self { references, order }
    }

    /// The bytes.
    #[must_use]
    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        put_number(&mut out, self.references.len() as u64);
        for number in &self.order.ranked {
            put_number(&mut out, number.raw().into());
        }
        for (standing, declares) in self.order.standing.iter().zip(&self.order.declares) {
            let mut codes = (0_u8..).zip(STANDINGS);
            let code = codes.find(|(_, known)| known.to_bits() == standing.to_bits());
            let (code, _) = code.expect("every standing is in the list");
            out.push(code | if *declares { DECLARES_BIT } else { 0 });
        }
        let partners = self.references.partners();
        put_number(&mut out, partners.len() as u64);
        for group in partners {
            put_number(&mut out, group.len() as u64);
            put_steps(&mut out, group);
        }
        let (body, ends) = self.references.bytes();
        let mut before = 0;
        for end in ends {
            put_number(&mut out, (end - before) as u64);
            before = *end;
        }
        out.extend_from_slice(body);
        out
    }

    /// Takes bytes that [`MapLinks::encode`] gave for this many files; `None` for others, as far as that shows at once.
    #[must_use]
    pub fn decode(bytes: Vec<u8>, files: usize) -> Option<Self> {
        let mut rest = ByteReader(&bytes);
        if rest.byte()? != VERSION || rest.number()? != files as u64 || files > rest.0.len() {
            return None;
        }
        let mut order = MapOrder::default();
        for _ in 0..files {
            order.ranked.push(file_number(&mut rest, files)?);
        }
        for _ in 0..files {
            let flags = rest.byte()?;
            order
                .standing
                .push(*STANDINGS.get(usize::from(flags & STANDING_BITS))?);
            order.declares.push(flags & DECLARES_BIT != 0);
        }
        let mut partners = Vec::new();
        for _ in 0..rest.number()? {
            let count = rest.size()?;
            let group: Vec<FileNumber> = steps(&mut rest, count.min(files))?;
            if group.iter().any(|number| *number >= files) {
                return None;
            }
            partners.push(group);
        }
        let mut ends = Vec::with_capacity(files);
        let mut end = 0_usize;
        for _ in 0..files {
            end = end.checked_add(rest.size()?)?;
            ends.push(end);
        }
        if end != rest.0.len() {
            return None;
        }
        let start = bytes.len() - end;
        Some(Self {
            references: References::new(bytes, start, ends, partners),
            order: Arc::new(order),
        })
    }
}

fn file_number(rest: &mut ByteReader<'_>, files: usize) -> Option<FileNumber> {
    let number = FileNumber::from_raw(rest.small()?);
    (number < files).then_some(number)
}
