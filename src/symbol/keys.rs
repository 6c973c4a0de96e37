//! The keys of a cache as they stood up to a place of its file, in order.
//!
//! A process that looks for a few objects finds them here, and reads only the keys that came later. A [`KeyStore`] keeps the
//! bytes between two processes.
//!
//! | bytes | field |
//! |---|---|
//! | 8 | up to where the keys of the file are here, u64 little endian |
//! | 8 | where the last of those records starts |
//! | 8 | the checksum of its header: with another one there, the file is another one |
//! | 1 | length of the object ids, 20 or 32 |
//! | … | for each key in order: object id, code of the language, [`CachePlace`] |

use super::language::Language;
use crate::base::NodeId;
use crate::base::number::{low_byte, search};

/// Bytes in front of the keys.
const HEAD_BYTES: usize = 25;

/// What an outline is kept under: the same bytes read as another language give another outline.
pub(super) type ObjectKey = (NodeId, Option<Language>);

/// Where a body stands in the file.
///
/// A caller that keeps it finds the body again without the keys of all others, or learns that it is gone: see
/// [`super::ObjectCache::look_at`].
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct CachePlace {
    pub(super) offset: u64,
    pub(super) len: u32,
    pub(super) checksum: [u8; 8],
}

impl CachePlace {
    /// How many bytes it takes.
    pub const BYTES: usize = 20;

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> [u8; Self::BYTES] {
        let mut bytes = [0; Self::BYTES];
        bytes[..8].copy_from_slice(&self.offset.to_le_bytes());
        bytes[8..12].copy_from_slice(&self.len.to_le_bytes());
        bytes[12..].copy_from_slice(&self.checksum);
        bytes
    }

    /// The place of bytes that [`CachePlace::bytes`] gave.
    #[must_use]
    pub fn of(bytes: &[u8; Self::BYTES]) -> Self {
        let (offset, rest) = bytes.split_first_chunk().expect("twenty bytes");
        let (len, rest) = rest.split_first_chunk().expect("twelve bytes");
        Self {
            offset: u64::from_le_bytes(*offset),
            len: u32::from_le_bytes(*len),
            checksum: *rest.first_chunk().expect("eight bytes"),
        }
    }
}

/// Where the keys of a cache stay between two processes.
pub trait KeyStore: std::fmt::Debug + Send + Sync {
    /// The bytes that were saved last; `None` if there are none, or if another cache may have saved them.
    fn load(&self) -> Option<Vec<u8>>;
    /// Keeps the bytes; a failure is not reported, since only time is lost.
    fn save(&self, bytes: &[u8]);
}

/// The end of the part of a file whose keys are known.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(super) struct End {
    /// Where the next record starts.
    pub offset: u64,
    /// Where the last one started.
    pub last: u64,
    /// The checksum of the last one's header.
    pub checksum: [u8; 8],
}

/// Keys in order.
#[derive(Debug, Default)]
pub(super) struct NotedKeys {
    bytes: Vec<u8>,
    id_bytes: usize,
}

impl NotedKeys {
    /// The keys in bytes that [`encode`] gave; `None` for all others.
    pub(super) fn parse(bytes: Vec<u8>) -> Option<Self> {
        let id_bytes = usize::from(*bytes.get(HEAD_BYTES - 1)?);
        let keys = Self { bytes, id_bytes };
        let is_whole = (keys.bytes.len() - HEAD_BYTES).is_multiple_of(keys.width());
        (matches!(id_bytes, 20 | 32) && is_whole).then_some(keys)
    }

    /// Where the keys end.
    pub(super) fn end(&self) -> Option<End> {
        let (offset, rest) = self.bytes.split_first_chunk()?;
        let (last, rest) = rest.split_first_chunk()?;
        Some(End {
            offset: u64::from_le_bytes(*offset),
            last: u64::from_le_bytes(*last),
            checksum: *rest.first_chunk()?,
        })
    }

    pub(super) fn len(&self) -> usize {
        self.bytes.len().saturating_sub(HEAD_BYTES) / self.width()
    }

    pub(super) fn get(&self, key: &ObjectKey) -> Option<CachePlace> {
        let wanted = form(key);
        let wanted = wanted.get(..=self.id_bytes)?;
        if key.0.as_bytes().len() != self.id_bytes {
            return None;
        }
        let found = search(self.len(), |number| self.entry(number).0.cmp(wanted))?;
        Some(self.entry(found).1)
    }

    fn width(&self) -> usize {
        self.id_bytes + 1 + CachePlace::BYTES
    }

    fn entry(&self, number: usize) -> (&[u8], CachePlace) {
        let at = HEAD_BYTES + number * self.width();
        let (key, place) = self.bytes[at..at + self.width()].split_at(self.id_bytes + 1);
        let place = place.first_chunk().expect("an entry ends with a place");
        (key, CachePlace::of(place))
    }
}

/// The bytes of all keys up to an end: those that were noted, and newer ones, which replace them. `None` where ids differ in length.
pub(super) fn encode<'k>(
    noted: &NotedKeys,
    newer: impl Iterator<Item = (&'k ObjectKey, &'k CachePlace)>,
    end: End,
) -> Option<Vec<u8>> {
    let mut newer: Vec<(&ObjectKey, &CachePlace)> = newer.collect();
    newer.sort_unstable_by_key(|(key, _)| (key.0.as_bytes(), code(key)));
    let first = newer.first().map(|(key, _)| key.0.as_bytes().len());
    let id_bytes = first.or((noted.len() > 0).then_some(noted.id_bytes))?;
    let is_other = |(key, _): &(&ObjectKey, &CachePlace)| key.0.as_bytes().len() != id_bytes;
    if newer.iter().any(is_other) || noted.len() > 0 && noted.id_bytes != id_bytes {
        return None;
    }
    let width = id_bytes + 1 + CachePlace::BYTES;
    let mut bytes = Vec::with_capacity(HEAD_BYTES + (noted.len() + newer.len()) * width);
    bytes.extend(end.offset.to_le_bytes());
    bytes.extend(end.last.to_le_bytes());
    bytes.extend(end.checksum);
    bytes.push(low_byte(id_bytes as u64));
    // Both are in order, so they are merged.
    let mut known = noted.bytes.get(HEAD_BYTES..).unwrap_or_default();
    for (key, place) in newer {
        let (id, code) = (key.0.as_bytes(), code(key));
        while let Some((entry, rest)) = known.split_at_checked(width) {
            let order = entry[..id_bytes].cmp(id).then(entry[id_bytes].cmp(&code));
            if order.is_lt() {
                bytes.extend_from_slice(entry);
            }
            if order.is_gt() {
                break;
            }
            known = rest;
        }
        bytes.extend_from_slice(id);
        bytes.push(code);
        bytes.extend(place.bytes());
    }
    bytes.extend_from_slice(known);
    Some(bytes)
}

fn code(key: &ObjectKey) -> u8 {
    key.1.map_or(0, Language::code)
}

fn form(key: &ObjectKey) -> Vec<u8> {
    let id: &NodeId = &key.0;
    let mut bytes = id.as_bytes().to_vec();
    bytes.push(code(key));
    bytes
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn keys_that_are_added_bit_by_bit_are_those_of_one_list(
            parts in prop::collection::vec(
                prop::collection::vec((0_u8..20, prop::bool::ANY, 0_u64..100), 0..30),
                0..5,
            ),
        ) {
            let (mut noted, mut all) = (NotedKeys::default(), BTreeMap::new());
            let end = End { offset: 7, last: 3, checksum: [1; 8] };
            for part in parts {
                let part: BTreeMap<ObjectKey, CachePlace> = part
                    .into_iter()
                    .map(|(id, is_rust, offset)| {
                        let id = NodeId::from_bytes(&[id; 20]).expect("twenty bytes");
                        let place = CachePlace { offset, ..CachePlace::default() };
                        ((id, is_rust.then_some(Language::Rust)), place)
                    })
                    .collect();
                if let Some(bytes) = encode(&noted, part.iter(), end) {
                    noted = NotedKeys::parse(bytes).expect("whole");
                    prop_assert_eq!(noted.end(), Some(end));
                }
                all.extend(part);
            }
            prop_assert_eq!(noted.len(), all.len());
            for (key, place) in &all {
                prop_assert_eq!(noted.get(key), Some(*place));
            }
            let at_once = encode(&NotedKeys::default(), all.iter(), end);
            prop_assert_eq!(at_once.unwrap_or_default(), noted.bytes);
        }
    }
}
