//! From a blob to what is known of its content: the only way in which files are read.
//!
//! Each content is parsed once. What it declares is kept by its object id and language for all that cut from it:
//! outlines, maps, `find`, and what stands for a file in the bases of an agent to whom only outlines matter.

use std::cell::RefCell;
use std::sync::{Arc, OnceLock};

use super::plan::file_name;
use crate::base::cores::on_all_cores;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::number::IndexVec;
use crate::base::{Digest, NodeId, Shelf, TreePath};
use crate::git::{ObjectError, ObjectKind, Repository, StateDir};
use crate::node::{NodeNumber, Scan};
use crate::symbol::map::FileSymbols;
use crate::symbol::{self, Cached, KeyStore, Language, ObjectCache, Outline, OutlineCache};
use crate::synthesis::outline;

/// Purpose of the key under which what is read from objects is kept.
const KEY_CONTEXT: &str = "git-merkle 2026 object cache/2";

/// Bytes of the keys of one cache: more than a file of records can have.
const KEYS_BYTES_MAX: u64 = 256 * 1024 * 1024;

thread_local! {
    /// The file that is being read: its place is kept for the next one.
    static DATA: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// The values of a kind that were read from objects before; where the file cannot be had, there are none.
#[must_use]
pub fn object_cache<T: Cached + 'static>(cache: &StateDir) -> Arc<ObjectCache<T>> {
    let shelf = cache.shelf();
    shelf.find(ObjectCache::<T>::is_there).unwrap_or_else(|| {
        let file = cache
            .create()
            .and_then(|()| cache.open_to_append(T::FILE_NAME))
            .ok();
        let keys = Box::new(SealedKeys {
            // Without the shelf, which will hold it.
            cache: cache.clone().with_shelf(Shelf::default()),
            name: format!("{}-keys", T::FILE_NAME),
        });
        let key = cache.key(KEY_CONTEXT);
        shelf.put(Arc::new(ObjectCache::open(file, key, keys)), 1)
    })
}

/// The keys of a cache in a sealed file beside it.
#[derive(Debug)]
struct SealedKeys {
    cache: StateDir,
    name: String,
}

impl KeyStore for SealedKeys {
    fn load(&self) -> Option<Vec<u8>> {
        self.cache.read_sealed(&self.name, KEYS_BYTES_MAX)
    }

    fn save(&self, bytes: &[u8]) {
        let _ = self.cache.write_sealed_lightly(&self.name, bytes);
    }
}

/// What an object holds for those who describe it.
#[derive(Debug, Clone, Copy)]
pub enum Blob<'d> {
    /// It is not in this clone.
    Absent,
    /// Files of this many bytes are not read.
    TooLarge(u64),
    /// Its content.
    Data(&'d [u8]),
}

/// Reads an object and hands it over; one over the cap is known by its header alone.
pub fn with_blob<R>(
    repo: &Repository,
    id: &NodeId,
    take: impl FnOnce(Blob<'_>) -> R,
) -> Result<R, ObjectError> {
    let Some(header) = repo.header(id)? else {
        return Ok(take(Blob::Absent));
    };
    if header.size_bytes > FILE_BYTES_MAX {
        return Ok(take(Blob::TooLarge(header.size_bytes)));
    }
    // Taken out while it is in use: what is called may read another object.
    let mut data = DATA.take();
    let read = repo
        .read(id, ObjectKind::Blob, &mut data)
        .map(|()| take(Blob::Data(&data)));
    DATA.set(data);
    read
}

/// What files declare, by their objects.
pub struct Records {
    directory: Option<StateDir>,
    kept: OnceLock<Arc<OutlineCache>>,
}

impl Records {
    /// Those that are kept in a directory of caches, which is opened with the first look-up.
    #[must_use]
    pub fn of(cache: &StateDir) -> Self {
        Self {
            directory: Some(cache.clone()),
            kept: OnceLock::new(),
        }
    }

    /// Keeps nothing: for a few files the cache is not worth opening.
    #[must_use]
    pub fn unkept() -> Self {
        Self {
            directory: None,
            kept: OnceLock::new(),
        }
    }

    fn kept(&self) -> Option<&OutlineCache> {
        let directory = self.directory.as_ref()?;
        Some(self.kept.get_or_init(|| object_cache(directory)))
    }

    /// What a content declares that was read before; `language` is what its name says.
    #[must_use]
    pub fn find(&self, id: &NodeId, language: Option<Language>) -> Option<Outline> {
        self.kept()?.get(*id, language)
    }

    /// What a content of a name declares, as it was read before or is read now. `shown` is its text, see [`outline::shown`].
    pub fn read(&self, id: &NodeId, name: &[u8], shown: &[u8]) -> Outline {
        let by_name = outline::language(name, b"");
        self.find(id, by_name).unwrap_or_else(|| {
            let made = symbol::extract(outline::language(name, shown), shown);
            self.put(id, by_name, &made);
            made
        })
    }

    /// What a map needs of it, for which its bodies are read as well.
    pub fn read_symbols(&self, id: &NodeId, name: &[u8], shown: &[u8]) -> FileSymbols {
        let by_name = outline::language(name, b"");
        let (made, symbols) =
            symbol::map::outline_and_symbols(outline::language(name, shown), shown);
        if !self.kept().is_some_and(|kept| kept.has(*id, by_name)) {
            self.put(id, by_name, &made);
        }
        symbols
    }

    fn put(&self, id: &NodeId, language: Option<Language>, made: &Outline) {
        if let Some(kept) = self.kept() {
            kept.put(*id, language, made);
        }
    }
}

/// The digests of the outlines of a scan's files, by number, made on all cores.
///
/// `None` for directories, and for files without an outline that could stand for them: no language, over the size
/// cap, not in this partial clone. Those are known by their ids.
#[must_use]
pub fn outlines(
    repo: &Repository,
    scan: &Scan,
    root: &TreePath,
    records: &Records,
) -> IndexVec<NodeNumber, Option<Digest>> {
    let is_wanted = |number: &NodeNumber| !scan.node(*number).is_directory;
    let files: Vec<NodeNumber> = scan.bottom_up().iter().copied().filter(is_wanted).collect();
    let mut digests = scan.list_of(None);
    let work = |repo: &Repository, at: usize| {
        digest(
            repo,
            scan.node(files[at]).id,
            file_name(scan, root, files[at]),
            records,
        )
    };
    for (number, digest) in files
        .iter()
        .zip(on_all_cores(files.len(), repo, || repo.fork(), work))
    {
        digests[*number] = digest;
    }
    digests
}

fn digest(repo: &Repository, id: NodeId, name: &[u8], records: &Records) -> Option<Digest> {
    let language = outline::language(name, b"")?;
    if let Some(known) = records.find(&id, Some(language)) {
        return Some(known.digest());
    }
    let read = |blob: Blob<'_>| match blob {
        Blob::Data(data) => Some(records.read(&id, name, &outline::shown(data)).digest()),
        Blob::Absent | Blob::TooLarge(_) => None,
    };
    with_blob(repo, &id, read).ok()?
}
