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

/// Bytes in front of the keys.
const HEAD_BYTES: usize = 25;

/// What an outline is kept under: the same bytes read as another language give another outline.
pub(super) type ObjectKey = (NodeId, Option<Language>);

/// Where a body stands in the file.
///
/// Who keeps one elsewhere finds the body without the keys of all others, or finds that it is gone: see
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
    /// The bytes that were saved last; `None` where there are none, or they may be of another.
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
        let (mut low, mut high) = (0, self.len());
        while low < high {
            let middle = usize::midpoint(low, high);
            let (found, place) = self.entry(middle);
            match found.cmp(wanted) {
                std::cmp::Ordering::Less => low = middle + 1,
                std::cmp::Ordering::Greater => high = middle,
                std::cmp::Ordering::Equal => return Some(place),
            }
        }
        None
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
    let mut entries: Vec<(Vec<u8>, CachePlace)> =
        newer.map(|(key, place)| (form(key), *place)).collect();
    entries.extend((0..noted.len()).map(|number| {
        let (key, place) = noted.entry(number);
        (key.to_vec(), place)
    }));
    entries.sort_by(|one, other| one.0.cmp(&other.0));
    entries.dedup_by(|later, first| later.0 == first.0);
    let key_bytes = entries.first()?.0.len();
    if entries.iter().any(|(key, _)| key.len() != key_bytes) {
        return None;
    }
    let mut bytes =
        Vec::with_capacity(HEAD_BYTES + entries.len() * (key_bytes + CachePlace::BYTES));
    bytes.extend(end.offset.to_le_bytes());
    bytes.extend(end.last.to_le_bytes());
    bytes.extend(end.checksum);
    bytes.push(key_bytes as u8 - 1);
    for (key, place) in entries {
        bytes.extend(key);
        bytes.extend(place.bytes());
    }
    Some(bytes)
}

fn form(key: &ObjectKey) -> Vec<u8> {
    let id: &NodeId = &key.0;
    let mut bytes = id.as_bytes().to_vec();
    bytes.push(key.1.map_or(0, Language::code));
    bytes
}
