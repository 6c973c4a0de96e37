//! The symbols of a whole snapshot: for each distinct content what was read from it, or is in the cache.

use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use super::files::{Content, Files, FilesError};
use crate::base::cores::{beside, on_all_cores};
use crate::base::{NodeId, TreePath};
use crate::git::{ObjectError, Repository, StateDir};
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::symbol::map::{
    FileSymbols, MapFile, MapOrder, References, SymbolCache, SymbolMap, SymbolSource, references,
};
use crate::synthesis::outline;

/// Most files of one map: a repository can have far more paths than objects.
pub const FILES_MAX: usize = 100_000;

/// What all files of a snapshot declare, import and use, and who refers to whom.
#[derive(Debug)]
pub struct SnapshotSymbols {
    files: Arc<Files>,
    symbols: ReadSymbols,
    links: OnceLock<Arc<MapLinks>>,
    /// Files whose content this clone does not hold: they are listed without their symbols.
    pub absent: Vec<TreePath>,
    /// True when there are more files than [`FILES_MAX`], or more paths than are looked at.
    pub is_cut: bool,
}

/// By the number of a content: all of them, or each when it is shown.
#[derive(Debug)]
enum ReadSymbols {
    All(Vec<FileSymbols>),
    Later(Box<LaterSymbols>),
}

/// What follows from all files together.
#[derive(Debug)]
struct MapLinks {
    references: References,
    order: Arc<MapOrder>,
}

impl SnapshotSymbols {
    /// The files, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> Vec<MapFile<'_>> {
        let paths = self.files.paths.iter();
        paths
            .map(|(path, number)| match &self.symbols {
                ReadSymbols::All(symbols) => MapFile::new(path, &symbols[*number as usize]),
                ReadSymbols::Later(source) => MapFile::later(path, &**source, *number),
            })
            .collect()
    }

    /// Who refers to whom; `files` are those of [`SnapshotSymbols::files`].
    pub fn references(&self, files: &[MapFile<'_>]) -> &References {
        &self.links(files).references
    }

    /// The map of these files.
    pub fn map<'m>(&'m self, files: &'m [MapFile<'m>]) -> SymbolMap<'m> {
        let links = self.links(files);
        SymbolMap::ordered(files, &links.references, Arc::clone(&links.order))
    }

    fn links(&self, files: &[MapFile<'_>]) -> &Arc<MapLinks> {
        self.links.get_or_init(|| {
            let references = references(files);
            let order = Arc::new(MapOrder::of(files, &references));
            Arc::new(MapLinks { references, order })
        })
    }
}

/// Symbols that are read from the cache one by one; each stays as long as the answer is made.
struct LaterSymbols {
    files: Arc<Files>,
    read: Vec<OnceLock<Box<FileSymbols>>>,
    cache: Arc<SymbolCache>,
    records: Records,
    /// For what is no longer in the cache.
    repo: Mutex<Repository>,
}

impl std::fmt::Debug for LaterSymbols {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "LaterSymbols({})", self.read.len())
    }
}

impl SymbolSource for LaterSymbols {
    fn symbols(&self, number: u32) -> &FileSymbols {
        self.read[number as usize].get_or_init(|| {
            let content = &self.files.contents[number as usize];
            if let Some(known) = self.cache.get(content.id, content.language) {
                return Box::new(known);
            }
            let repo = self.repo.lock().unwrap_or_else(PoisonError::into_inner);
            let found = read(&repo, &self.cache, &self.records, &self.files, content);
            // It could be read when who refers to whom was found out; an answer shows it as missing now.
            Box::new(found.unwrap_or_else(|_| FileSymbols {
                is_absent: true,
                ..FileSymbols::default()
            }))
        })
    }
}

/// Reads the symbols of all files of a root tree; what is ignored, links and submodules are left out.
pub fn symbols(
    repo: &Repository,
    state: &StateDir,
    tree: NodeId,
) -> Result<SnapshotSymbols, FilesError> {
    symbols_of(repo, state, || Ok((tree, ()))).map(|(found, ())| found)
}

/// The same of a root tree that has to be found first: meanwhile, what was read before is loaded.
pub fn symbols_of<R, E: From<FilesError>>(
    repo: &Repository,
    state: &StateDir,
    root: impl FnOnce() -> Result<(NodeId, R), E>,
) -> Result<(SnapshotSymbols, R), E> {
    let shelf = state.shelf();
    if shelf.lasts() {
        // What is on the shelf may do, and then nothing has to be loaded.
        let (tree, root) = root()?;
        return Ok((kept_symbols(repo, state, tree)?, root));
    }
    let directory = state.cache();
    let (files, cache) = std::thread::scope(|scope| {
        let cache = beside(scope, || object_cache::<FileSymbols>(&directory));
        let files = root().and_then(|(tree, root)| {
            let files = Files::read(repo, shelf, tree, FILES_MAX)?;
            Ok((files, root))
        });
        (files, cache.join())
    });
    let (files, root) = files?;
    Ok((read_symbols(repo, state, files, &cache)?, root))
}

/// What follows from all files of a root tree, on the shelf; the files themselves would take several times the room.
struct KeptLinks {
    tree: NodeId,
    links: Arc<MapLinks>,
    is_cut: bool,
}

/// Trees whose references stay in memory: those of a review's two sides.
const KEPT_MAX: usize = 2;

fn kept_symbols(
    repo: &Repository,
    state: &StateDir,
    tree: NodeId,
) -> Result<SnapshotSymbols, FilesError> {
    let shelf = state.shelf();
    let files = Files::read(repo, shelf, tree, FILES_MAX)?;
    let cache = object_cache(&state.cache());
    let kept = match shelf.find(|kept: &KeptLinks| kept.tree == tree) {
        Some(kept) => kept,
        None => {
            let found = read_symbols(repo, state, Arc::clone(&files), &cache)?;
            // What is not in this clone may come later.
            if !found.absent.is_empty() {
                return Ok(found);
            }
            let kept = KeptLinks {
                tree,
                links: Arc::clone(found.links(&found.files())),
                is_cut: found.is_cut,
            };
            shelf.put(Arc::new(kept), KEPT_MAX)
        }
    };
    let later = LaterSymbols {
        read: files.contents.iter().map(|_| OnceLock::new()).collect(),
        files: Arc::clone(&files),
        cache,
        records: Records::of(&state.cache()),
        repo: Mutex::new(repo.fork()),
    };
    Ok(SnapshotSymbols {
        files,
        symbols: ReadSymbols::Later(Box::new(later)),
        links: OnceLock::from(Arc::clone(&kept.links)),
        absent: Vec::new(),
        is_cut: kept.is_cut,
    })
}

fn read_symbols(
    repo: &Repository,
    state: &StateDir,
    files: Arc<Files>,
    cache: &SymbolCache,
) -> Result<SnapshotSymbols, FilesError> {
    let records = Records::of(&state.cache());
    let work =
        |repo: &Repository, at: usize| read(repo, cache, &records, &files, &files.contents[at]);
    let read = on_all_cores(files.contents.len(), repo, || repo.fork(), work);
    let mut symbols = Vec::with_capacity(read.len());
    for (read, content) in read.into_iter().zip(&files.contents) {
        symbols.push(read.map_err(|source| files.failed(content, source))?);
    }
    let is_absent = |(_, number): &&(Vec<u8>, u32)| symbols[*number as usize].is_absent;
    let absent = files
        .paths
        .iter()
        .filter(is_absent)
        .map(|(path, _)| TreePath::new(path.clone()))
        .collect();
    Ok(SnapshotSymbols {
        absent,
        is_cut: files.is_cut,
        files,
        symbols: ReadSymbols::All(symbols),
        links: OnceLock::new(),
    })
}

/// The symbols of one content. What is too large, or not in this clone, has none.
fn read(
    repo: &Repository,
    cache: &SymbolCache,
    records: &Records,
    files: &Files,
    content: &Content,
) -> Result<FileSymbols, ObjectError> {
    let Content { id, language, .. } = *content;
    if let Some(known) = cache.get(id, language) {
        return Ok(known);
    }
    let none = FileSymbols {
        language,
        ..FileSymbols::default()
    };
    with_blob(repo, &id, |blob| match blob {
        Blob::Absent => FileSymbols {
            is_absent: true,
            ..none
        },
        Blob::TooLarge(_) => none,
        Blob::Data(data) => {
            let symbols = symbols_of_text(records, &id, files.name(content), data);
            cache.put(id, language, &symbols);
            symbols
        }
    })
}

/// What a file declares, with markers in the place of what looks like a secret, as in its outline.
fn symbols_of_text(records: &Records, id: &NodeId, name: &[u8], data: &[u8]) -> FileSymbols {
    let language = outline::language(name, data);
    if language.is_some() && std::str::from_utf8(data).is_ok() {
        return records.read_symbols(id, name, &outline::shown(data));
    }
    FileSymbols {
        language,
        ..FileSymbols::default()
    }
}
