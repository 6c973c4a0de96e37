//! What a store has gained since its index was written: kept in memory, and beside the index in a small file.
//!
//! The file is `index-news`, for one index and one commit of the store; it is replaced as a whole, and whatever does not
//! fit the index or is damaged counts as absent: a tree diff finds the same.
//!
//! Layout, little endian: magic (24) · commit of the index (1 + 32) · commit (1 + 32) · slots length u32 · head count u32 ·
//! basis count u32 · place count u32 · bad entries u32 · slots (`agent type\n`, those of the index first) · head records · basis records ·
//! place records · ids of nodes that people speak about. It is a sealed file.

use std::collections::{BTreeMap, HashSet};
use std::io;

use super::model::Slot;
use super::record::{
    self, BASIS_BYTES, HEAD_BYTES, PLACE_BYTES, Place, Record, SAID_BYTES, WIDTHS, padded, unpadded,
};
use crate::base::number::to_u32;
use crate::base::{BasisId, FrameId, NodeId};
use crate::git::StateDir;

const MAGIC: &[u8; 24] = b"git-merkle index news 6\n";
const FILE_NAME: &str = "index-news";
/// Far more than [`Index`](super::Index) ever leaves in it.
const FILE_BYTES_MAX: u64 = 16 << 20;
const ID_BYTES: usize = 33;
const HEADER_BYTES: usize = MAGIC.len() + 2 * ID_BYTES + 5 * 4;

/// Heads that have changed; bases, places, and nodes that people speak about, which have come.
///
/// Of a store that is read for the first time these are all: a hash table of such large records would double in memory while it grows.
#[derive(Debug, Default, PartialEq, Eq)]
pub(super) struct News {
    pub heads: BTreeMap<(NodeId, u16), Record>,
    pub bases: BTreeMap<BasisId, (FrameId, NodeId)>,
    pub places: HashSet<Place>,
    pub said: HashSet<NodeId>,
}

/// What a file of news says.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Found {
    pub commit: NodeId,
    /// All slots, those of the index first.
    pub slots: Vec<Slot>,
    pub news: News,
    /// Entries of the store that are no frames.
    pub faults: u32,
}

impl News {
    /// The larger number of records of one kind.
    pub(super) fn len(&self) -> usize {
        self.counts().into_iter().max().unwrap_or_default()
    }

    /// How many records each table has: heads, bases, places, nodes.
    pub(super) fn counts(&self) -> [usize; 4] {
        [
            self.heads.len(),
            self.bases.len(),
            self.places.len(),
            self.said.len(),
        ]
    }

    /// The records of one table, by its number, in no order.
    pub(super) fn encode(&self, table: usize) -> Vec<u8> {
        let mut bytes = Vec::with_capacity(self.counts()[table] * WIDTHS[table] as usize);
        match table {
            0 => self.heads.iter().for_each(|((node, slot), head)| {
                record::encode_head(&mut bytes, node, *slot, head);
            }),
            1 => self.bases.iter().for_each(|(basis, (frame, blob))| {
                record::encode_basis(&mut bytes, basis, frame, blob);
            }),
            2 => bytes.extend(self.places.iter().flatten()),
            _ => bytes.extend(self.said.iter().flat_map(padded)),
        }
        bytes
    }

    /// Puts the news into the file, for an index of the commit `index` and the store at `commit`.
    pub(super) fn write(
        &self,
        cache: &StateDir,
        [index, commit]: [&NodeId; 2],
        slots: &[Slot],
        faults: u32,
    ) -> io::Result<()> {
        let slots = record::encode_slots(slots);
        let mut bytes = MAGIC.to_vec();
        bytes.extend_from_slice(&padded(index));
        bytes.extend_from_slice(&padded(commit));
        for number in [
            to_u32(slots.len()),
            to_u32(self.heads.len()),
            to_u32(self.bases.len()),
            to_u32(self.places.len()),
            faults,
        ] {
            bytes.extend_from_slice(&number.to_le_bytes());
        }
        bytes.extend_from_slice(slots.as_bytes());
        (0..WIDTHS.len()).for_each(|table| bytes.extend(self.encode(table)));
        cache.write_sealed_lightly(FILE_NAME, &bytes)
    }

    /// Reads the file of news for an index of the commit `index` that has these slots.
    pub(super) fn read(cache: &StateDir, index: &NodeId, slots: &[Slot]) -> Option<Found> {
        Self::decode(&cache.read_sealed(FILE_NAME, FILE_BYTES_MAX)?, index, slots)
    }

    fn decode(bytes: &[u8], index: &NodeId, slots: &[Slot]) -> Option<Found> {
        let (header, rest) = bytes.split_at_checked(HEADER_BYTES)?;
        let (base, commit) = header[MAGIC.len()..].split_at(ID_BYTES);
        if !header.starts_with(MAGIC) || unpadded(base)? != *index {
            return None;
        }
        let number = |at: usize| {
            header[at..]
                .first_chunk()
                .map(|bytes| u32::from_le_bytes(*bytes) as usize)
        };
        let slots_len = number(HEADER_BYTES - 20)?;
        let (head_count, basis_count) = (number(HEADER_BYTES - 16)?, number(HEADER_BYTES - 12)?);
        let place_count = number(HEADER_BYTES - 8)?;
        let faults = to_u32(number(HEADER_BYTES - 4)?);
        let (slot_bytes, records) = rest.split_at_checked(slots_len)?;
        let (heads, records) =
            records.split_at_checked(head_count.checked_mul(HEAD_BYTES as usize)?)?;
        let (bases, records) =
            records.split_at_checked(basis_count.checked_mul(BASIS_BYTES as usize)?)?;
        let (places, said) =
            records.split_at_checked(place_count.checked_mul(PLACE_BYTES as usize)?)?;
        let found = record::parse_slots(slot_bytes)?;
        if !found.starts_with(slots) || said.len() % SAID_BYTES as usize != 0 {
            return None;
        }
        let id_len = index.as_bytes().len();
        let heads = heads.chunks_exact(HEAD_BYTES as usize);
        let bases = bases.chunks_exact(BASIS_BYTES as usize);
        let news = Self {
            heads: heads
                .map(|head| Some((record::head_of(head, id_len)?, record::decode_head(head)?)))
                .collect::<Option<_>>()?,
            bases: bases
                .map(|basis| Some((record::basis_of(basis)?, record::decode_basis(basis)?)))
                .collect::<Option<_>>()?,
            places: places
                .chunks_exact(PLACE_BYTES as usize)
                .filter_map(|place| place.try_into().ok())
                .collect(),
            said: said
                .chunks_exact(SAID_BYTES as usize)
                .map(unpadded)
                .collect::<Option<_>>()?,
        };
        Some(Found {
            commit: unpadded(&commit[..ID_BYTES])?,
            slots: found,
            news,
            faults,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Digest;
    use crate::frame::BasisKind;

    fn id(byte: u8) -> NodeId {
        NodeId::from_bytes(&[byte; 20]).expect("20 bytes")
    }

    fn slot(agent: &str) -> Slot {
        Slot {
            agent: agent.parse().expect("an agent"),
            frame_type: "summary".parse().expect("a type"),
        }
    }

    fn sample() -> News {
        let digest = |byte| Digest([byte; 32]);
        let head = |byte: u8| Record {
            seq: u32::from(byte),
            frame: FrameId(digest(byte)),
            basis: BasisId(digest(byte + 1)),
            basis_kind: BasisKind::Written,
            content: digest(byte + 2),
            blob: id(byte),
            invalidation: (byte == 2).then(|| (7, FrameId(digest(9)))),
            has_policy: byte == 1,
            is_derived: byte == 2,
        };
        News {
            heads: BTreeMap::from([((id(1), 0), head(1)), ((id(2), 1), head(2))]),
            bases: BTreeMap::from([(BasisId(digest(3)), (FrameId(digest(1)), id(4)))]),
            places: HashSet::from([[5; 16], [6; 16]]),
            said: HashSet::from([id(1)]),
        }
    }

    #[test]
    fn what_is_written_is_read_for_the_same_index_only() {
        let directory = tempfile::tempdir().expect("a folder");
        let cache = StateDir::at(directory.path());
        let (old, new) = ([slot("a")], [slot("a"), slot("b")]);
        for (news, slots) in [(News::default(), &old[..]), (sample(), &new[..])] {
            news.write(&cache, [&id(8), &id(9)], slots, 3)
                .expect("writable");
            let found = Found {
                commit: id(9),
                slots: slots.to_vec(),
                news,
                faults: 3,
            };
            assert_eq!(News::read(&cache, &id(8), &old), Some(found));
            assert_eq!(News::read(&cache, &id(7), &old), None, "another commit");
            assert_eq!(
                News::read(&cache, &id(8), &[slot("c")]),
                None,
                "other slots"
            );
        }
    }

    #[test]
    fn nothing_damaged_is_read() {
        let directory = tempfile::tempdir().expect("a folder");
        let (cache, path) = (
            StateDir::at(directory.path()),
            directory.path().join(FILE_NAME),
        );
        sample()
            .write(&cache, [&id(8), &id(9)], &[slot("a")], 0)
            .expect("writable");
        let good = std::fs::read(&path).expect("readable");
        for at in 0..good.len() {
            let mut bad = good.clone();
            bad[at] ^= 1;
            std::fs::write(&path, &bad).expect("writable");
            assert_eq!(News::read(&cache, &id(8), &[]), None, "byte {at}");
            std::fs::write(&path, &good[..at]).expect("writable");
            assert_eq!(News::read(&cache, &id(8), &[]), None, "{at} bytes");
        }
    }
}
