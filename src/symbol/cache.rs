//! What was read from objects, by their ids, on disk: one file that is emptied when it is full, safe to delete at any time.
//!
//! Its checksums are made under the user's key for the repository: a file that came with a repository holds nothing.
//! There is one for each kind of record ([`Cached`]). The file starts with a line that names the format and the version of the extraction; with any other
//! line it is started anew. Then come records, each written whole by one append:
//!
//! | bytes | field |
//! |---|---|
//! | 4 | length of the body, u32 little endian |
//! | 1 | code of the language, 0 for none |
//! | 1 | length of the object id, 20 or 32 |
//! | 32 | object id, padded with zeros |
//! | 8 | keyed checksum of the body |
//! | 8 | keyed checksum of the 46 bytes before |
//! | … | body: [`Cached::encode`] |
//!
//! Opening reads the keys and leaves the bodies on disk; of many keys most are noted beside it, see [`super::keys`]. Appends share a kernel lock; a torn or damaged tail is cut
//! off, and a full file emptied, by the process that holds it alone, after another look. No lock is held for longer than one
//! write. Every body is checked when it is read, so a file that another process has emptied costs a miss at worst.
//! Nothing here is an error for the caller: without a cache things are slower, that is all.

use std::cell::RefCell;
use std::collections::HashMap;
use std::fs::File;
use std::io::{BufReader, Read, Seek, SeekFrom, Write};
use std::marker::PhantomData;
use std::os::unix::fs::{FileExt, MetadataExt as _};
use std::sync::{Mutex, MutexGuard, OnceLock};

use super::codec;
use super::keys::{self, CachePlace, End, KeyStore, NotedKeys, ObjectKey};
use super::language::Language;
use super::outline::Outline;
use crate::base::number::{low_byte, to_u32};
use crate::base::{HashKey, NodeId, locked};

/// Size at which a file is started anew, unless its kind says otherwise.
const FILE_BYTES_MAX: u64 = 256 * 1024 * 1024;
/// Longest body; an outline that encodes to more is not cached.
const BODY_BYTES_MAX: usize = 4 * 1024 * 1024;
/// Size of a record without its body.
const HEADER_BYTES: usize = 54;

thread_local! {
    /// The body that is being read: thousands are, and one place for all of them saves their allocations.
    static BODY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Keys that are read one by one before they are noted.
const NOTED_MIN: usize = 2_000;
/// Keys that came while a cache was open, in a table, before they are put in order.
const TABLE_MIN: usize = 8_192;

/// What can be kept: a value with canonical bytes.
pub trait Cached: Sized {
    /// Name of the file in the directory of caches.
    const FILE_NAME: &'static str;
    /// Raised whenever the same object would give other bytes.
    const VERSION: u8;
    /// Size at which the file is started anew.
    const FILE_BYTES_MAX: u64 = FILE_BYTES_MAX;
    /// The bytes.
    fn encode(&self) -> Vec<u8>;
    /// The value of bytes that [`Cached::encode`] gave; `None` for all others.
    fn decode(bytes: &[u8]) -> Option<Self>;
}

impl Cached for Outline {
    const FILE_NAME: &'static str = "outlines";
    const VERSION: u8 = codec::VERSION;

    fn encode(&self) -> Vec<u8> {
        codec::encode(self)
    }

    fn decode(bytes: &[u8]) -> Option<Self> {
        codec::decode(bytes)
    }
}

/// Outlines that were made before.
pub type OutlineCache = ObjectCache<Outline>;

/// Where the bodies stand.
#[derive(Debug, Default)]
struct Places {
    noted: NotedKeys,
    /// Those that came after it.
    newer: HashMap<ObjectKey, CachePlace>,
}

impl Places {
    fn get(&self, key: &ObjectKey) -> Option<CachePlace> {
        let newer = self.newer.get(key).copied();
        newer.or_else(|| self.noted.get(key))
    }

    /// Notes one. A table takes two to four times the memory of keys in order, and a first run adds 100,000.
    fn put(&mut self, key: ObjectKey, place: CachePlace) {
        self.newer.insert(key, place);
        if self.newer.len() < TABLE_MIN + self.noted.len() / 4 {
            return;
        }
        let end = self.noted.end().unwrap_or_default();
        let noted = keys::encode(&self.noted, self.newer.iter(), end).and_then(NotedKeys::parse);
        if let Some(noted) = noted {
            self.noted = noted;
            self.newer.clear();
        }
    }
}

/// Values that were made before; shared by threads.
#[derive(Debug)]
pub struct ObjectCache<T> {
    file: Option<File>,
    key: HashKey,
    size_bytes_max: u64,
    /// Read with the first look-up that needs them.
    places: OnceLock<Option<Mutex<Places>>>,
    /// Where its keys are noted.
    keys: Option<Box<dyn KeyStore>>,
    kept: PhantomData<fn() -> T>,
}

impl<T: Cached> ObjectCache<T> {
    /// A cache in a file that is open for appending, which is read or started with the first use; without one every look-up is a miss.
    #[must_use]
    pub fn open(file: Option<File>, key: HashKey, keys: Box<dyn KeyStore>) -> Self {
        Self {
            keys: Some(keys),
            ..Self::open_with(file, key, T::FILE_BYTES_MAX)
        }
    }

    fn open_with(file: Option<File>, key: HashKey, size_bytes_max: u64) -> Self {
        Self {
            file,
            key,
            size_bytes_max,
            places: OnceLock::new(),
            keys: None,
            kept: PhantomData,
        }
    }

    /// Where the bodies stand; `None` without a file that can be read.
    fn places(&self) -> Option<MutexGuard<'_, Places>> {
        let keys = self.keys.as_deref();
        let scanned = |file| scan(file, &key_of::<T>(self.key), self.size_bytes_max, keys).ok();
        let places = self
            .places
            .get_or_init(|| self.file.as_ref().and_then(scanned).map(Mutex::new));
        let places = places.as_ref()?;
        Some(locked(places))
    }

    /// True while its file has a name: another process may have removed it.
    #[must_use]
    pub fn is_there(&self) -> bool {
        let metadata = self.file.as_ref().map(File::metadata);
        metadata.is_some_and(|found| found.is_ok_and(|found| found.nlink() > 0))
    }

    /// Whether there is a value of an object read as a language.
    #[must_use]
    pub fn has(&self, id: NodeId, language: Option<Language>) -> bool {
        self.place(id, language).is_some()
    }

    /// Where the value of an object read as a language stands.
    #[must_use]
    pub fn place(&self, id: NodeId, language: Option<Language>) -> Option<CachePlace> {
        self.places()?.get(&(id, language))
    }

    /// The value of an object read as a language; `None` when it is not there or damaged.
    #[must_use]
    pub fn get(&self, id: NodeId, language: Option<Language>) -> Option<T> {
        self.look(id, language, T::decode)
    }

    /// The same, of what the caller needs of its bytes: thousands are looked at for one question.
    #[must_use]
    pub fn look<R>(
        &self,
        id: NodeId,
        language: Option<Language>,
        read: impl FnOnce(&[u8]) -> Option<R>,
    ) -> Option<R> {
        self.look_at(self.place(id, language)?, read)
    }

    /// The same of a place that was noted before; `None` where that body is gone. No keys are read.
    #[must_use]
    pub fn look_at<R>(
        &self,
        place: CachePlace,
        read: impl FnOnce(&[u8]) -> Option<R>,
    ) -> Option<R> {
        if place.len as usize > BODY_BYTES_MAX {
            return None;
        }
        BODY.with_borrow_mut(|body| {
            body.resize(place.len as usize, 0);
            self.file.as_ref()?.read_exact_at(body, place.offset).ok()?;
            if checksum(&self.key, body) == place.checksum {
                read(body)
            } else {
                None
            }
        })
    }

    /// Keeps a value; a failure to write is not reported, since only time is lost.
    pub fn put(&self, id: NodeId, language: Option<Language>, value: &T) {
        let body = value.encode();
        if body.len() <= BODY_BYTES_MAX
            && let Some(mut places) = self.places()
            && let Some(place) = self.append(&mut places, (id, language), &body)
        {
            places.put((id, language), place);
        }
    }

    /// Appends one record in one write. The place is found afterwards, since others may append as well.
    fn append(&self, places: &mut Places, key: ObjectKey, body: &[u8]) -> Option<CachePlace> {
        let mut file = self.file.as_ref()?;
        if file.metadata().ok()?.len() + (HEADER_BYTES + body.len()) as u64 > self.size_bytes_max {
            alone(file, || start_anew(file, &key_of::<T>(self.key).first_line)).ok()?;
            *places = Places::default();
        }
        let place = CachePlace {
            offset: 0,
            len: to_u32(body.len()),
            checksum: checksum(&self.key, body),
        };
        let mut record = encode_header(&self.key, key.0, key.1, place).to_vec();
        record.extend_from_slice(body);
        file.lock_shared().ok()?;
        let end = file
            .write(&record)
            .and_then(|written| Ok((written == record.len(), file.stream_position()?)));
        file.unlock().ok()?;
        let (whole, end) = end.ok()?;
        whole.then_some(CachePlace {
            offset: end.checked_sub(u64::from(place.len))?,
            ..place
        })
    }
}

/// What a file must begin with, and what its checksums are made under, to belong to this cache.
struct CacheKey {
    first_line: String,
    key: HashKey,
}

fn key_of<T: Cached>(key: HashKey) -> CacheKey {
    CacheKey {
        first_line: format!("git-merkle/{}/2 {}\n", T::FILE_NAME, T::VERSION),
        key,
    }
}

/// Empties the file but for its first line.
fn start_anew(mut file: &File, first_line: &str) -> std::io::Result<()> {
    file.set_len(0)?;
    file.write_all(first_line.as_bytes())
}

/// Runs while no other process appends or repairs.
fn alone<T>(file: &File, run: impl FnOnce() -> std::io::Result<T>) -> std::io::Result<T> {
    file.lock()?;
    let result = run();
    file.unlock()?;
    result
}

/// Reads the keys that are not noted; repairs the file where that is needed, and notes keys where many came.
fn scan(
    file: &File,
    key: &CacheKey,
    size_bytes_max: u64,
    keys: Option<&dyn KeyStore>,
) -> std::io::Result<Places> {
    let noted = keys
        .and_then(KeyStore::load)
        .and_then(NotedKeys::parse)
        .filter(|noted| is_of(noted, file));
    let noted = noted.unwrap_or_default();
    let mut newer = HashMap::new();
    let end = read_keys(file, key, noted.end(), &mut newer)?;
    let size = file.metadata()?.len();
    if end.offset == 0 || end.offset < size || size > size_bytes_max {
        newer.clear();
        alone(file, || repair(file, key, size_bytes_max, &mut newer))?;
        return Ok(Places {
            noted: NotedKeys::default(),
            newer,
        });
    }
    if let Some(keys) = keys
        && newer.len() > NOTED_MIN + noted.len() / 4
        && let Some(bytes) = keys::encode(&noted, newer.iter(), end)
    {
        keys.save(&bytes);
        if let Some(noted) = NotedKeys::parse(bytes) {
            let newer = HashMap::new();
            return Ok(Places { noted, newer });
        }
    }
    Ok(Places { noted, newer })
}

/// Whether the last record that was noted still stands where it did.
fn is_of(noted: &NotedKeys, file: &File) -> bool {
    let mut header = [0; HEADER_BYTES];
    noted.end().is_some_and(|end| {
        file.read_exact_at(&mut header, end.last).is_ok() && header[46..] == end.checksum
    })
}

/// Cuts off what follows the last whole record; starts a foreign or too large file anew.
fn repair(
    file: &File,
    key: &CacheKey,
    size_bytes_max: u64,
    places: &mut HashMap<ObjectKey, CachePlace>,
) -> std::io::Result<()> {
    let good_to = read_keys(file, key, None, places)?.offset;
    if good_to == 0 || good_to > size_bytes_max {
        places.clear();
        return start_anew(file, &key.first_line);
    }
    file.set_len(good_to)
}

/// Reads keys, from an end on where one is given, up to the first that is damaged; returns where the last whole record ends, 0 for a foreign file.
fn read_keys(
    mut file: &File,
    key: &CacheKey,
    from: Option<End>,
    places: &mut HashMap<ObjectKey, CachePlace>,
) -> std::io::Result<End> {
    let size = file.metadata()?.len();
    let mut line = vec![0; key.first_line.len()];
    if file.read_exact_at(&mut line, 0).is_err() || line != key.first_line.as_bytes() {
        return Ok(End::default());
    }
    let mut end = from.unwrap_or(End {
        offset: line.len() as u64,
        ..End::default()
    });
    file.seek(SeekFrom::Start(end.offset))?;
    let mut reader = BufReader::with_capacity(64 * 1024, file);
    let mut header = [0; HEADER_BYTES];
    while reader.read_exact(&mut header).is_ok() {
        let Some((key, mut place)) = decode_header(&key.key, &header) else {
            break;
        };
        place.offset = end.offset + HEADER_BYTES as u64;
        let next = place.offset + u64::from(place.len);
        if next > size {
            break;
        }
        reader.seek_relative(i64::from(place.len))?;
        if let Some(key) = key {
            places.insert(key, place);
        }
        end = End {
            offset: next,
            last: end.offset,
            checksum: *header
                .last_chunk()
                .expect("a header ends with its checksum"),
        };
    }
    Ok(end)
}

fn encode_header(
    key: &HashKey,
    id: NodeId,
    language: Option<Language>,
    place: CachePlace,
) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..4].copy_from_slice(&place.len.to_le_bytes());
    header[4] = language.map_or(0, Language::code);
    header[5] = low_byte(id.as_bytes().len() as u64);
    header[6..6 + id.as_bytes().len()].copy_from_slice(id.as_bytes());
    header[38..46].copy_from_slice(&place.checksum);
    let sum = checksum(key, &header[..46]);
    header[46..].copy_from_slice(&sum);
    header
}

/// Reads a header; the key is `None` for a language that this program does not know.
fn decode_header(
    key: &HashKey,
    header: &[u8; HEADER_BYTES],
) -> Option<(Option<ObjectKey>, CachePlace)> {
    if checksum(key, &header[..46]) != header[46..] {
        return None;
    }
    let len = u32::from_le_bytes(header[..4].try_into().expect("four bytes"));
    let id = NodeId::from_bytes(header.get(6..6 + usize::from(header[5]))?)?;
    let checksum = header[38..46].try_into().expect("eight bytes");
    let key = match header[4] {
        0 => Some((id, None)),
        code => Language::from_code(code).map(|language| (id, Some(language))),
    };
    Some((
        key,
        CachePlace {
            offset: 0,
            len,
            checksum,
        },
    ))
}

fn checksum(key: &HashKey, bytes: &[u8]) -> [u8; 8] {
    key.digest(bytes).0[..8]
        .try_into()
        .expect("a digest has 32 bytes")
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::OpenOptions;
    use std::os::unix::fs::{OpenOptionsExt, PermissionsExt};
    use std::path::Path;

    fn id(number: u8) -> NodeId {
        NodeId::from_bytes(&[number; 20]).expect("twenty bytes")
    }

    fn outline(doc: &str) -> Outline {
        Outline {
            doc: doc.to_owned(),
            ..Outline::default()
        }
    }

    fn directory() -> tempfile::TempDir {
        tempfile::tempdir().expect("a temporary directory")
    }

    const RUST: Option<Language> = Some(Language::Rust);

    impl OutlineCache {
        /// How many records it has, those that were noted with the newer ones.
        fn len(&self) -> usize {
            let places = self.places();
            places.map_or(0, |places| places.noted.len() + places.newer.len())
        }
    }

    /// Keeps keys in memory, for several caches of one file.
    #[derive(Debug, Clone, Default)]
    struct Notes(std::sync::Arc<Mutex<Option<Vec<u8>>>>);

    impl KeyStore for Notes {
        fn load(&self) -> Option<Vec<u8>> {
            self.0.lock().expect("no test panics with it").clone()
        }

        fn save(&self, bytes: &[u8]) {
            *self.0.lock().expect("no test panics with it") = Some(bytes.to_vec());
        }
    }

    fn open_noted(directory: &Path, notes: &Notes) -> OutlineCache {
        OutlineCache {
            keys: Some(Box::new(notes.clone())),
            ..open(directory)
        }
    }

    fn numbered(number: usize) -> NodeId {
        let mut bytes = [7; 20];
        bytes[..8].copy_from_slice(&number.wrapping_mul(0x9e37_79b9).to_le_bytes());
        NodeId::from_bytes(&bytes).expect("twenty bytes")
    }

    #[test]
    fn many_keys_are_noted_and_only_newer_ones_read() {
        let (directory, notes) = (directory(), Notes::default());
        let text = |number: usize| outline(&number.to_string());
        let all = NOTED_MIN + 5;
        let cache = open_noted(directory.path(), &notes);
        (0..all).for_each(|number| cache.put(numbered(number), RUST, &text(number)));
        assert_eq!(notes.load(), None, "nothing was read");
        assert_eq!(open_noted(directory.path(), &notes).len(), all);
        let noted = notes.load().expect("many keys were read");

        let cache = open_noted(directory.path(), &notes);
        cache.put(numbered(3), RUST, &outline("another"));
        cache.put(numbered(all), None, &text(all));
        let cache = open_noted(directory.path(), &notes);
        {
            let places = cache.places().expect("there is a file");
            assert_eq!((places.noted.len(), places.newer.len()), (all, 2));
        }
        for number in (0..all).filter(|number| *number != 3) {
            assert_eq!(cache.get(numbered(number), RUST), Some(text(number)));
        }
        assert_eq!(cache.get(numbered(3), RUST), Some(outline("another")));
        assert_eq!(cache.get(numbered(all), None), Some(text(all)));
        assert_eq!(cache.get(numbered(all), RUST), None);
        assert_eq!(notes.load(), Some(noted), "two newer ones are not worth it");
    }

    #[test]
    fn keys_that_are_put_in_order_are_found_and_replaced_by_newer_ones() {
        let directory = tempfile::tempdir().expect("a temporary directory");
        let cache = open_noted(directory.path(), &Notes::default());
        let all = TABLE_MIN + TABLE_MIN / 2;
        (0..all).for_each(|number| cache.put(numbered(number), RUST, &outline("old")));
        (0..all).for_each(|number| cache.put(numbered(number), RUST, &outline("new")));
        let places = cache.places().expect("a file");
        assert!(places.noted.len() >= TABLE_MIN && places.newer.len() < TABLE_MIN + all / 4);
        drop(places);
        for number in 0..all {
            assert_eq!(cache.get(numbered(number), RUST), Some(outline("new")));
        }
        assert_eq!(cache.get(numbered(all), RUST), None);
    }

    #[test]
    fn noted_keys_of_another_file_are_not_believed() {
        let (directory, notes) = (directory(), Notes::default());
        let cache = open_noted(directory.path(), &notes);
        (0..=NOTED_MIN).for_each(|number| cache.put(numbered(number), RUST, &outline("old")));
        drop((cache, open_noted(directory.path(), &notes).len()));
        std::fs::remove_file(directory.path().join(Outline::FILE_NAME)).expect("there");
        let cache = open_noted(directory.path(), &notes);
        (0..=NOTED_MIN + 9).for_each(|number| cache.put(numbered(number), None, &outline("new")));
        let cache = open_noted(directory.path(), &notes);
        assert_eq!(cache.get(numbered(1), RUST), None);
        assert_eq!(cache.get(numbered(1), None), Some(outline("new")));

        for bytes in [Vec::new(), vec![0; 24], vec![20; 30], vec![9; 4_000]] {
            notes.save(&bytes);
            let cache = open_noted(directory.path(), &notes);
            assert_eq!(cache.get(numbered(1), None), Some(outline("new")));
        }
    }

    fn open(directory: &Path) -> OutlineCache {
        open_with(directory, 1, FILE_BYTES_MAX)
    }

    fn open_with(directory: &Path, key: u8, size_bytes_max: u64) -> OutlineCache {
        let path = directory.join(Outline::FILE_NAME);
        let file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .mode(0o600)
            .open(path)
            .ok();
        OutlineCache::open_with(file, HashKey::new([key; 32]), size_bytes_max)
    }

    #[test]
    fn what_another_user_put_there_is_not_believed() {
        let directory = directory();
        open(directory.path()).put(id(1), RUST, &outline("one"));
        assert_eq!(
            open_with(directory.path(), 2, FILE_BYTES_MAX).get(id(1), RUST),
            None
        );
        assert_eq!(open(directory.path()).len(), 0, "and it is gone");
    }

    #[test]
    fn what_was_put_is_there_after_opening_again() {
        let directory = directory();
        let cache = open(directory.path());
        assert!(cache.len() == 0 && cache.get(id(1), RUST).is_none());
        cache.put(id(1), RUST, &outline("one"));
        cache.put(id(1), None, &outline("plain"));
        cache.put(
            NodeId::from_bytes(&[1; 32]).expect("32 bytes"),
            RUST,
            &outline("sha256"),
        );
        for cache in [cache, open(directory.path())] {
            assert_eq!(cache.len(), 3);
            assert_eq!(cache.get(id(1), RUST), Some(outline("one")));
            assert_eq!(cache.get(id(1), None), Some(outline("plain")));
            assert_eq!(cache.get(id(1), Some(Language::Go)), None);
        }
        let mode = std::fs::metadata(directory.path().join(Outline::FILE_NAME))
            .expect("written")
            .permissions()
            .mode();
        assert_eq!(mode & 0o777, 0o600);
    }

    #[test]
    fn a_torn_tail_is_cut_off_and_the_rest_stays() {
        let directory = directory();
        let path = directory.path().join(Outline::FILE_NAME);
        open(directory.path()).put(id(1), RUST, &outline("one"));
        let whole = std::fs::read(&path).expect("written");
        open(directory.path()).put(id(2), RUST, &outline("two"));
        let both = std::fs::read(&path).expect("written");
        for len in whole.len()..both.len() {
            std::fs::write(&path, &both[..len]).expect("writable");
            let cache = open(directory.path());
            assert_eq!(cache.len(), 1, "{len}");
            assert_eq!(
                std::fs::metadata(&path).expect("there").len(),
                whole.len() as u64
            );
            cache.put(id(3), RUST, &outline("three"));
            assert_eq!(
                open(directory.path()).get(id(3), RUST),
                Some(outline("three"))
            );
        }
    }

    #[test]
    fn no_flipped_byte_gives_a_wrong_outline() {
        let directory = directory();
        let path = directory.path().join(Outline::FILE_NAME);
        let cache = open(directory.path());
        cache.put(id(1), RUST, &outline("one"));
        cache.put(id(2), RUST, &outline("two"));
        let good = std::fs::read(&path).expect("written");
        for at in 0..good.len() {
            let mut damaged = good.clone();
            damaged[at] ^= 0x40;
            std::fs::write(&path, &damaged).expect("writable");
            let cache = open(directory.path());
            for (number, text) in [(1, "one"), (2, "two")] {
                assert!(
                    cache
                        .get(id(number), RUST)
                        .is_none_or(|found| found == outline(text)),
                    "{at}"
                );
            }
        }
    }

    #[test]
    fn a_full_or_foreign_file_is_started_anew() {
        let directory = directory();
        let path = directory.path().join(Outline::FILE_NAME);
        std::fs::write(&path, "something else").expect("writable");
        let cache = open_with(directory.path(), 1, 1_000);
        for number in 0..100 {
            cache.put(id(number), RUST, &outline("text"));
            assert_eq!(cache.get(id(number), RUST), Some(outline("text")));
            assert!(std::fs::metadata(&path).expect("there").len() <= 1_000);
        }
        assert!(cache.len() < 20);
        assert_eq!(open_with(directory.path(), 1, 100).len(), 0);
    }

    #[test]
    fn without_a_directory_every_look_up_is_a_miss() {
        let directory = directory();
        let cache = open(&directory.path().join("missing"));
        cache.put(id(1), RUST, &outline("one"));
        assert_eq!(cache.get(id(1), RUST), None);
    }

    #[test]
    fn several_writers_lose_nothing_that_they_wrote() {
        let directory = directory();
        std::thread::scope(|scope| {
            for writer in 0..4_u8 {
                let path = directory.path();
                scope.spawn(move || {
                    let cache = open(path);
                    for number in 0..50 {
                        let key = id(writer * 50 + number);
                        cache.put(key, RUST, &outline(&format!("{writer} {number}")));
                        assert_eq!(
                            cache.get(key, RUST),
                            Some(outline(&format!("{writer} {number}")))
                        );
                    }
                });
            }
        });
        let cache = open(directory.path());
        assert_eq!(cache.len(), 200);
        assert_eq!(cache.get(id(199), RUST), Some(outline("3 49")));
    }
}
