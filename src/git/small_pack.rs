//! The bytes of a small pack and of its index: whole objects in a row, put together in memory, read back to be continued.
//!
//! There are no deltas in it, so an entry means the same wherever it stands, and a pack is continued by copying its bytes
//! and adding to them: every offset stays. The index is git's version 2 without a table of large offsets. What is read
//! back must be exactly of this form, entry for entry with the checksums of its index; anything else is no such pack.

use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io::Read;
use std::ops::Range;
use std::path::Path;

use flate2::Crc;

use super::encoded::{Batch, Encoded};
use super::object::from_oid;
use super::repo::HashKind;
use crate::base::NodeId;
use crate::base::number::{to_index, to_u32};

/// Most objects of a batch that goes into a small pack: what a commit that changes a few files leads to.
pub(super) const BATCH_OBJECTS_MAX: usize = 128;
/// Most bytes of it: eight directories of a store of 100,000 frames, which a commit rewrites, are a third of that.
const BATCH_BYTES_MAX: u64 = 1 << 20;
/// Size from which a small pack is not continued: putting it down again must cost little beside flushing it.
pub(super) const PACK_BYTES_MAX: u64 = 256 * 1024;

const HEADER: [u8; 8] = *b"PACK\0\0\0\x02";
const HEADER_BYTES: usize = 12;
const INDEX_HEADER: [u8; 8] = *b"\xfftOc\0\0\0\x02";
const FANOUT_BYTES: usize = 256 * 4;
/// Files beside a pack that mark it to be kept as it is.
const CLAIMS: [&str; 4] = ["keep", "promisor", "mtimes", "bitmap"];

/// Where an object stands in the pack, and the checksum of its entry.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Place {
    offset: u32,
    crc: u32,
}

/// A small pack without its trailer.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct SmallPack {
    hash: HashKind,
    data: Vec<u8>,
    places: BTreeMap<NodeId, Place>,
}

impl SmallPack {
    /// A pack of nothing.
    pub(super) fn new(hash: HashKind) -> Self {
        let mut data = HEADER.to_vec();
        data.resize(HEADER_BYTES, 0);
        Self {
            hash,
            data,
            places: BTreeMap::new(),
        }
    }

    /// True for a batch that goes into a small pack.
    pub(super) fn takes(batch: &Batch) -> bool {
        batch.len() <= BATCH_OBJECTS_MAX && batch.size_bytes() <= BATCH_BYTES_MAX
    }

    /// True for a batch that no other goes with: the pack of it has grown at once.
    pub(super) fn is_full_of(batch: &Batch) -> bool {
        batch.size_bytes() > PACK_BYTES_MAX
    }

    /// True when the pack stays small with a batch in it.
    pub(super) fn has_room(&self, batch: &Batch) -> bool {
        self.data.len() as u64 + batch.size_bytes() <= PACK_BYTES_MAX
    }

    /// True when all objects of the pack of this name are in it and no other file claims that one, or when it has no index
    /// any more.
    pub(super) fn holds(&self, name: &Path) -> bool {
        let listed = || Listing::decode(self.hash, &read_small(&name.with_extension("idx"))?);
        let holds_all = |other: Listing| other.places.keys().all(|id| self.places.contains_key(id));
        !name.with_extension("idx").exists() || !is_claimed(name) && listed().is_some_and(holds_all)
    }

    /// Adds the objects of a batch that are not in it.
    pub(super) fn add(&mut self, batch: &Batch) {
        for object in &batch.objects {
            if !self.places.contains_key(&object.id) {
                self.push(object);
            }
        }
    }

    fn push(&mut self, object: &Encoded) {
        let offset = self.data.len();
        object
            .write_entry(&mut self.data)
            .expect("memory takes everything");
        let place = Place {
            offset: to_u32(offset),
            crc: crc(&self.data[offset..]),
        };
        self.places.insert(object.id, place);
    }

    /// The bytes of the pack and of its index.
    pub(super) fn finish(mut self) -> (Vec<u8>, Vec<u8>) {
        self.data[HEADER.len()..HEADER_BYTES]
            .copy_from_slice(&to_u32(self.places.len()).to_be_bytes());
        let checksum = digest(self.hash, &[&self.data]);
        self.data.extend_from_slice(checksum.as_bytes());

        let mut index = INDEX_HEADER.to_vec();
        let mut counts = [0_u32; 256];
        for id in self.places.keys() {
            counts[usize::from(id.as_bytes()[0])] += 1;
        }
        let mut total = 0;
        for count in counts {
            total += count;
            index.extend_from_slice(&total.to_be_bytes());
        }
        self.places
            .keys()
            .for_each(|id| index.extend_from_slice(id.as_bytes()));
        self.places
            .values()
            .for_each(|place| index.extend_from_slice(&place.crc.to_be_bytes()));
        self.places
            .values()
            .for_each(|place| index.extend_from_slice(&place.offset.to_be_bytes()));
        index.extend_from_slice(checksum.as_bytes());
        let checksum = digest(self.hash, &[&index]);
        index.extend_from_slice(checksum.as_bytes());
        (self.data, index)
    }

    /// Reads the pack of this name, without an extension; `None` unless it is a whole one of this kind that no other file claims.
    pub(super) fn read(name: &Path, hash: HashKind) -> Option<Self> {
        if is_claimed(name) {
            return None;
        }
        Self::decode(
            hash,
            read_small(&name.with_extension("pack"))?,
            &read_small(&name.with_extension("idx"))?,
        )
    }

    fn decode(hash: HashKind, mut data: Vec<u8>, index: &[u8]) -> Option<Self> {
        let Listing { checksum, places } = Listing::decode(hash, index)?;
        let (header, rest) = data.split_at_checked(HEADER_BYTES)?;
        let count = u32::from_be_bytes(header.strip_prefix(&HEADER)?.try_into().ok()?);
        let end = HEADER_BYTES + rest.len().checked_sub(hash.id_bytes())?;
        if count as usize != places.len() || data[end..] != *checksum.as_bytes() {
            return None;
        }
        data.truncate(end);
        let pack = Self { hash, data, places };
        pack.is_whole().then_some(pack)
    }

    /// True when the entries follow one another without a gap, are whole objects, and have their checksums.
    fn is_whole(&self) -> bool {
        let mut places: Vec<Place> = self.places.values().copied().collect();
        places.sort_unstable_by_key(|place| place.offset);
        let starts = places.iter().map(|place| place.offset as usize);
        let ends = starts.clone().skip(1).chain([self.data.len()]);
        let is_entry = |range: Range<usize>, place: &Place| {
            let entry = self.data.get(range).unwrap_or_default();
            entry
                .first()
                .is_some_and(|byte| (1..=4).contains(&(byte >> 4 & 7)))
                && crc(entry) == place.crc
        };
        let first = places
            .first()
            .map_or(self.data.len(), |place| place.offset as usize);
        first == HEADER_BYTES
            && starts
                .zip(ends)
                .zip(&places)
                .all(|((start, end), place)| is_entry(start..end, place))
    }
}

/// What an index says of its pack.
struct Listing {
    /// The last bytes of the pack.
    checksum: NodeId,
    places: BTreeMap<NodeId, Place>,
}

impl Listing {
    fn decode(hash: HashKind, index: &[u8]) -> Option<Self> {
        let id_bytes = hash.id_bytes();
        let ids = INDEX_HEADER.len() + FANOUT_BYTES;
        let (body, stated) = index.split_at_checked(index.len().checked_sub(id_bytes)?)?;
        let (tables, checksum) = body.split_at_checked(body.len().checked_sub(id_bytes)?)?;
        if !tables.starts_with(&INDEX_HEADER) || digest(hash, &[body]).as_bytes() != stated {
            return None;
        }
        let count = tables.len().checked_sub(ids)? / (id_bytes + 8);
        let (checksums, offsets) = (ids + count * id_bytes, ids + count * (id_bytes + 4));
        let number = |table: usize, at: usize| {
            tables[table + 4 * at..]
                .first_chunk()
                .copied()
                .map(u32::from_be_bytes)
        };
        let mut places = BTreeMap::new();
        for at in 0..count {
            let id = NodeId::from_bytes(&tables[ids + at * id_bytes..][..id_bytes])?;
            places.insert(
                id,
                Place {
                    offset: number(offsets, at)?,
                    crc: number(checksums, at)?,
                },
            );
        }
        let is_exact = places.len() == count && tables.len() == offsets + 4 * count;
        Some(Self {
            checksum: NodeId::from_bytes(checksum)?,
            places,
        })
        .filter(|_| is_exact)
    }
}

fn is_claimed(name: &Path) -> bool {
    CLAIMS
        .iter()
        .any(|claim| name.with_extension(claim).exists())
}

/// Reads a file of the size of a small pack, with room for what is to come.
fn read_small(path: &Path) -> Option<Vec<u8>> {
    let file = File::open(path).ok()?;
    let mut bytes = Vec::with_capacity(to_index(PACK_BYTES_MAX));
    file.take(PACK_BYTES_MAX + 1).read_to_end(&mut bytes).ok()?;
    (bytes.len() as u64 <= PACK_BYTES_MAX).then_some(bytes)
}

fn crc(bytes: &[u8]) -> u32 {
    let mut crc = Crc::new();
    crc.update(bytes);
    crc.sum()
}

/// The repository's own hash over parts.
pub(super) fn digest(hash: HashKind, parts: &[&[u8]]) -> NodeId {
    let mut hasher = gix::hash::hasher(hash.to_gix());
    for part in parts {
        hasher.update(part);
    }
    from_oid(
        &hasher
            .try_finalize()
            .expect("data is no SHA-1 collision attack"),
    )
}

/// Removes a pack that another holds all objects of; its index first, as git does.
pub(super) fn remove(name: &Path) {
    for extension in ["idx", "pack", "rev"] {
        let _ = fs::remove_file(name.with_extension(extension));
    }
}

#[cfg(test)]
mod tests {
    use super::super::fixture::{Fixture, blobs};
    use super::*;

    fn packed(hash: HashKind, count: usize) -> (Vec<u8>, Vec<u8>) {
        let mut pack = SmallPack::new(hash);
        pack.add(&blobs(hash, count));
        pack.finish()
    }

    #[test]
    fn the_index_is_byte_for_byte_what_git_makes_of_the_pack() {
        for fixture in Fixture::both() {
            let hash = fixture.open().hash_kind();
            for count in [1, 2, 100] {
                let (data, index) = packed(hash, count);
                fixture.file("a.pack", &data);
                fixture.git(&[
                    "index-pack",
                    "--strict",
                    "--index-version=2",
                    "-o",
                    "b.idx",
                    "a.pack",
                ]);
                assert_eq!(fs::read(fixture.root.join("b.idx")).unwrap(), index);
                fs::remove_file(fixture.root.join("b.idx")).unwrap();
            }
        }
    }

    #[test]
    fn a_pack_is_continued_as_if_it_had_been_made_at_once() {
        for hash in [HashKind::Sha1, HashKind::Sha256] {
            for first in [0, 1, 30] {
                let (data, index) = packed(hash, first);
                let mut pack = SmallPack::decode(hash, data, &index).unwrap();
                pack.add(&blobs(hash, 60));
                assert_eq!(pack.finish(), packed(hash, 60));
            }
        }
    }

    #[test]
    fn nothing_damaged_is_continued() {
        let hash = HashKind::Sha1;
        let (data, index) = packed(hash, 12);
        for at in 0..data.len() - hash.id_bytes() {
            let mut damaged = data.clone();
            damaged[at] ^= 0x10;
            assert_eq!(
                SmallPack::decode(hash, damaged, &index),
                None,
                "byte {at} of the pack"
            );
        }
        for at in 0..index.len() {
            let mut damaged = index.clone();
            damaged[at] ^= 1;
            assert_eq!(
                SmallPack::decode(hash, data.clone(), &damaged),
                None,
                "byte {at} of the index"
            );
        }
        for len in 0..data.len() {
            assert_eq!(SmallPack::decode(hash, data[..len].to_vec(), &index), None);
        }
        for len in 0..index.len() {
            assert_eq!(SmallPack::decode(hash, data.clone(), &index[..len]), None);
        }
        assert_eq!(SmallPack::decode(HashKind::Sha256, data, &index), None);
    }

    #[test]
    fn packs_with_deltas_are_not_continued() {
        let fixture = Fixture::new();
        for round in 0..3 {
            fixture.file("a", format!("{}{round}", "the same line\n".repeat(200)));
            fixture.commit("edit");
        }
        fixture.git(&["repack", "-adq"]);
        let listed = fs::read_dir(fixture.root.join(".git/objects/pack"))
            .unwrap()
            .map(|entry| entry.unwrap().path());
        let pack = listed
            .into_iter()
            .find(|path| path.extension().is_some_and(|end| end == "pack"))
            .unwrap();
        assert_eq!(
            SmallPack::read(&pack.with_extension(""), HashKind::Sha1),
            None
        );
    }
}
