//! The symbols of a snapshot: for each distinct content what was read from it, or is in the cache, as far as an answer needs it.
//!
//! | wanted | what is read |
//! |---|---|
//! | a map of all files, or the best of them | all contents, once for each tree: see `links.rs` |
//! | the same again | what is shown |
//! | some paths of a small snapshot | the same as for all files |
//! | some paths of a large one | these files, and what they see: see [`near`] |

use std::borrow::Cow;
use std::sync::{Arc, Mutex, OnceLock};

use super::brief;
use super::files::{Content, Files, FilesError};
use super::links::{self, KeptLinks};
use crate::base::cores::{beside, on_all_cores};
use crate::base::number::IndexVec;
use crate::base::{NodeId, TreePath, locked};
use crate::context::tree::Tree;
use crate::git::{Repository, StateDir};
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::symbol::map::{
    ContentNumber, Detail, FileNumber, FileSymbols, MapFile, MapFiles, MapLinks, References,
    SymbolCache, SymbolMap, SymbolSource, near,
};
use crate::symbol::{CachePlace, Cached as _};
use crate::synthesis::outline;

/// Most files of one map: a repository can have far more paths than objects.
pub const FILES_MAX: usize = 100_000;
/// Most files of a snapshot that are all read to say who refers to a few of them, and whose symbols stay in memory for that.
pub const COUNTED_FILES_MAX: usize = 5_000;
/// Files whose texts are made at once, where all are shown.
const TEXTS_AT_ONCE: usize = 4_096;

/// What files of a snapshot declare, import and use, and who refers to whom.
#[derive(Debug)]
pub struct SnapshotSymbols {
    files: Arc<Files>,
    symbols: ReadSymbols,
    links: OnceLock<Arc<MapLinks>>,
    state: StateDir,
    /// Files whose content this clone does not hold, or cannot read: they are listed without their symbols.
    pub absent: Vec<TreePath>,
    /// True when there are more files than [`FILES_MAX`], or more paths than are looked at.
    pub is_cut: bool,
}

/// By the number of a content, each when it is shown.
#[derive(Debug)]
enum ReadSymbols {
    Later(Box<LaterSymbols>),
    Near(Box<NearSymbols>),
}

/// The symbols of some files; what others declare is as if they were empty.
#[derive(Debug)]
struct NearSymbols {
    later: LaterSymbols,
    /// For each file whether it is one of them.
    is_near: IndexVec<FileNumber, bool>,
    none: FileSymbols,
}

impl SnapshotSymbols {
    /// The files, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> IndexVec<FileNumber, MapFile<'_>> {
        let paths = self.files.paths.iter_enumerated();
        paths
            .map(|(at, (path, number))| match &self.symbols {
                ReadSymbols::Later(source) => MapFile::later(path, &**source, *number),
                ReadSymbols::Near(near) if near.is_near[at] => {
                    MapFile::later(path, &near.later, *number)
                }
                ReadSymbols::Near(near) => MapFile::new(path, &near.none),
            })
            .collect()
    }

    /// Their paths, to be kept without what was read of them.
    #[must_use]
    pub fn paths(&self) -> Arc<Files> {
        Arc::clone(&self.files)
    }

    /// How many files there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.files.paths.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.files.paths.is_empty()
    }

    /// How many files references are counted in, where that is not all of them.
    #[must_use]
    pub fn counted_in(&self) -> Option<usize> {
        match &self.symbols {
            ReadSymbols::Near(near) => Some(near.is_near.iter().filter(|near| **near).count()),
            ReadSymbols::Later(_) => None,
        }
    }

    /// Who refers to whom; `files` are those of [`SnapshotSymbols::files`].
    pub fn references(&self, files: &MapFiles<'_>) -> &References {
        &self.links(files).references
    }

    /// The map of these files.
    pub fn map<'m>(&'m self, files: &'m MapFiles<'m>) -> SymbolMap<'m> {
        let links = self.links(files);
        SymbolMap::ordered(files, &links.references, Arc::clone(&links.order))
    }

    /// What the beginnings of some files cost: see [`SymbolMap::brief_cost`]; by the numbers of the files.
    #[must_use]
    pub fn brief_costs(
        &self,
        map: &SymbolMap<'_>,
        wanted: &[FileNumber],
    ) -> IndexVec<FileNumber, u64> {
        brief::costs(&self.state.cache(), &self.files, map, wanted)
    }

    /// Makes the texts of the map of some files, in their order, with the legend in front. What was read for a text is given
    /// back before the last one is made, so a map of everything takes no more memory than one of a part.
    pub fn each_text<E>(
        &self,
        numbers: &[FileNumber],
        detail: Detail,
        take: &mut dyn FnMut(String) -> Result<(), E>,
    ) -> Result<(), E> {
        let files = self.files();
        let map = self.map(&files);
        let ReadSymbols::Later(later) = &self.symbols else {
            return map.texts(numbers, detail).into_iter().try_for_each(take);
        };
        if numbers.is_empty() {
            return Ok(());
        }
        let legend = map.legend(numbers);
        take(legend.text() + "\n")?;
        for part in numbers.chunks(TEXTS_AT_ONCE) {
            let window = later.unread();
            let files = self.files_of(&window);
            let links = self.links(&files);
            let map = SymbolMap::ordered(&files, &links.references, Arc::clone(&links.order));
            map.blocks(part, &legend, detail)
                .into_iter()
                .try_for_each(&mut *take)?;
        }
        Ok(())
    }

    fn files_of<'f>(&'f self, source: &'f LaterSymbols) -> IndexVec<FileNumber, MapFile<'f>> {
        let paths = self.files.paths.iter();
        paths
            .map(|(path, number)| MapFile::later(path, source, *number))
            .collect()
    }

    fn links(&self, files: &MapFiles<'_>) -> &Arc<MapLinks> {
        self.links.get_or_init(|| Arc::new(MapLinks::of(files)))
    }
}

/// Symbols that are read from the cache one by one; each stays as long as the answer is made.
struct LaterSymbols {
    files: Arc<Files>,
    read: IndexVec<ContentNumber, OnceLock<Box<FileSymbols>>>,
    cache: Arc<SymbolCache>,
    /// Where the symbols of each content are in it, as far as that was noted: the cache has a key for each, and many are not wanted.
    places: Arc<IndexVec<ContentNumber, CachePlace>>,
    records: Arc<Records>,
    /// For what is not in the cache.
    repo: Mutex<Repository>,
}

impl LaterSymbols {
    fn new(
        repo: &Repository,
        state: &StateDir,
        files: &Arc<Files>,
        cache: Arc<SymbolCache>,
    ) -> Self {
        Self {
            read: files.contents.iter().map(|_| OnceLock::new()).collect(),
            files: Arc::clone(files),
            cache,
            places: Arc::default(),
            records: Arc::new(Records::of(&state.cache())),
            repo: Mutex::new(repo.fork()),
        }
    }

    /// The same with nothing read.
    fn unread(&self) -> Self {
        Self {
            files: Arc::clone(&self.files),
            read: self.read.iter().map(|_| OnceLock::new()).collect(),
            cache: Arc::clone(&self.cache),
            places: Arc::clone(&self.places),
            records: Arc::clone(&self.records),
            repo: Mutex::new(self.lock().fork()),
        }
    }

    fn lock(&self) -> std::sync::MutexGuard<'_, Repository> {
        locked(&self.repo)
    }

    /// Reads the contents of many files on all cores.
    fn read_all(&self, numbers: &[FileNumber]) {
        let here = self.lock().fork();
        let read = |repo: &Repository, at: usize| {
            let number = self.files.paths[numbers[at]].1;
            self.read[number].get_or_init(|| Box::new(self.read_one(repo, number)));
        };
        let _: Vec<()> = on_all_cores(numbers.len(), &here, || here.fork(), read);
    }

    fn read_one(&self, repo: &Repository, number: ContentNumber) -> FileSymbols {
        let content = &self.files.contents[number];
        read(repo, &self.cache, &self.records, &self.files, content)
    }
}

impl std::fmt::Debug for LaterSymbols {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(out, "LaterSymbols({})", self.read.len())
    }
}

impl LaterSymbols {
    /// Out of the cache, else out of the content, for which one repository is there.
    fn take(&self, number: ContentNumber) -> FileSymbols {
        let Content { id, language, .. } = self.files.contents[number];
        let place = self.places.get(number);
        let known = place.and_then(|place| self.cache.look_at(*place, FileSymbols::decode));
        let known = known.or_else(|| self.cache.get(id, language));
        known.unwrap_or_else(|| self.read_one(&self.lock(), number))
    }
}

impl SymbolSource for LaterSymbols {
    fn symbols(&self, number: ContentNumber) -> &FileSymbols {
        self.read[number].get_or_init(|| Box::new(self.take(number)))
    }

    fn look(&self, number: ContentNumber) -> Cow<'_, FileSymbols> {
        match self.read[number].get() {
            Some(symbols) => Cow::Borrowed(symbols),
            None => Cow::Owned(self.take(number)),
        }
    }
}

/// Reads the symbols of all files of a root tree; what is ignored, links and submodules are left out.
pub fn symbols(
    repo: &Repository,
    state: &StateDir,
    tree: NodeId,
) -> Result<SnapshotSymbols, FilesError> {
    symbols_of(repo, state, || Ok((tree, ())), |_, ()| Ok(None)).map(|(found, ())| found)
}

/// The same of a tree that was read.
pub fn symbols_in(
    repo: &Repository,
    state: &StateDir,
    tree: &Tree,
) -> Result<SnapshotSymbols, FilesError> {
    let read_files = || {
        let files = Files::read_in(state.shelf(), tree.id, FILES_MAX, || Ok(tree))?;
        Ok((tree.id, (), files))
    };
    symbols_from(repo, state, read_files, |_, ()| Ok(None)).map(|(found, ())| found)
}

/// The same of a root tree that has to be found first: meanwhile, what was read before is loaded.
///
/// `some` may name files, by their numbers: in a large snapshot these are read, and what they see.
pub fn symbols_of<R, E: From<FilesError>>(
    repo: &Repository,
    state: &StateDir,
    root: impl FnOnce() -> Result<(NodeId, R), E>,
    some: impl FnOnce(&Files, &R) -> Result<Option<Vec<FileNumber>>, E>,
) -> Result<(SnapshotSymbols, R), E> {
    let read_files = || {
        let (tree, root) = root()?;
        let files = Files::read(repo, state.shelf(), tree, FILES_MAX)?;
        Ok::<_, E>((tree, root, files))
    };
    symbols_from(repo, state, read_files, some)
}

fn symbols_from<R, E: From<FilesError>>(
    repo: &Repository,
    state: &StateDir,
    read_files: impl FnOnce() -> Result<(NodeId, R, Arc<Files>), E>,
    some: impl FnOnce(&Files, &R) -> Result<Option<Vec<FileNumber>>, E>,
) -> Result<(SnapshotSymbols, R), E> {
    let directory = state.cache();
    let (read, cache) = if state.shelf().lasts() {
        // What is on the shelf may do, and then nothing has to be loaded.
        (read_files(), object_cache(&directory))
    } else {
        std::thread::scope(|scope| {
            let cache = beside(scope, || object_cache::<FileSymbols>(&directory));
            (read_files(), cache.join())
        })
    };
    let (tree, root, files) = read?;
    let from = Source {
        repo,
        state,
        tree,
        files,
        cache,
    };
    let found = match some(&from.files, &root)? {
        Some(numbers) if from.files.paths.len() > COUNTED_FILES_MAX => from.near(&numbers),
        _ => from.all(),
    };
    Ok((found, root))
}

/// Where the symbols of a tree come from.
struct Source<'s> {
    repo: &'s Repository,
    state: &'s StateDir,
    tree: NodeId,
    files: Arc<Files>,
    cache: Arc<SymbolCache>,
}

impl Source<'_> {
    /// All files: what follows from them is on the shelf, on the disk, or found out.
    fn all(self) -> SnapshotSymbols {
        let shelf = self.state.shelf();
        let is_it = |kept: &KeptLinks| kept.tree == self.tree;
        let kept = shelf.find(is_it).unwrap_or_else(|| {
            let known = links::load(self.repo, &self.state.cache(), self.tree, &self.files);
            let kept = Arc::new(known.unwrap_or_else(|| self.find_links()));
            // What is not in this clone may come later, while a server lives.
            if kept.absent.is_empty() {
                shelf.put(kept, links::KEPT_MAX)
            } else {
                kept
            }
        });
        self.later(&kept)
    }

    fn later(self, kept: &KeptLinks) -> SnapshotSymbols {
        let Self {
            repo,
            state,
            files,
            cache,
            ..
        } = self;
        let later = LaterSymbols {
            places: Arc::clone(&kept.places),
            ..LaterSymbols::new(repo, state, &files, cache)
        };
        SnapshotSymbols {
            absent: paths_of(&files, |content| {
                kept.absent.binary_search(&content).is_ok()
            }),
            files,
            symbols: ReadSymbols::Later(Box::new(later)),
            links: OnceLock::from(Arc::clone(&kept.links)),
            state: state.clone(),
            is_cut: kept.is_cut,
        }
    }

    /// Reads all files to find out what follows from them, and keeps that. Of what was read nothing stays in memory.
    fn find_links(&self) -> KeptLinks {
        let later = LaterSymbols::new(self.repo, self.state, &self.files, Arc::clone(&self.cache));
        self.read_all(&later);
        self.repo.leave_packs();
        let paths = self.files.paths.iter();
        let files: IndexVec<FileNumber, MapFile<'_>> = paths
            .map(|(path, number)| MapFile::later(path, &later, *number))
            .collect();
        let links = MapLinks::of(&files);
        drop(files);
        // What is not in this clone no cache takes, so it has stayed.
        let absent = later.read.iter_enumerated();
        let absent = absent.filter(|(_, read)| read.get().is_some_and(|read| read.is_absent));
        let absent = absent.map(|(number, _)| number).collect();
        drop(later);
        let place = |content: &Content| self.cache.place(content.id, content.language);
        let places = self.files.contents.iter().map(place);
        let kept = KeptLinks {
            tree: self.tree,
            places: Arc::new(places.map(Option::unwrap_or_default).collect()),
            links: Arc::new(links),
            absent,
            is_cut: self.files.is_cut,
        };
        links::save(&self.state.cache(), &kept);
        kept
    }

    /// Parses what is not in the cache into it; of a small snapshot, then reads all, which would be read twice otherwise.
    ///
    /// Values that are made between two parses lie scattered in what the parses have taken, and hold several times
    /// their own memory. So what stays is read from the cache when the last parse is done; only what no cache takes stays from the parses.
    fn read_all(&self, later: &LaterSymbols) {
        let (cache, contents) = (&self.cache, &self.files.contents);
        let is_cached = |number: ContentNumber| {
            let content = &contents[number];
            cache.has(content.id, content.language)
        };
        let parse = |repo: &Repository, at: usize| {
            let number = ContentNumber::new(at);
            let symbols = (!is_cached(number)).then(|| later.read_one(repo, number));
            if let Some(symbols) = symbols.filter(|_| !is_cached(number)) {
                later.read[number].get_or_init(|| Box::new(symbols));
            }
        };
        let _: Vec<()> = on_all_cores(contents.len(), self.repo, || self.repo.fork(), parse);
        if contents.len() <= COUNTED_FILES_MAX {
            let read = |(): &(), at: usize| {
                later.symbols(ContentNumber::new(at));
            };
            let _: Vec<()> = on_all_cores(contents.len(), &(), || (), read);
        }
    }

    /// Some files and what they see.
    fn near(self, wanted: &[FileNumber]) -> SnapshotSymbols {
        let Self {
            repo,
            state,
            files,
            cache,
            ..
        } = self;
        let later = LaterSymbols::new(repo, state, &files, cache);
        let mut is_near = IndexVec::from_vec(vec![false; files.paths.len()]);
        let all: IndexVec<FileNumber, MapFile<'_>> = files
            .paths
            .iter()
            .map(|(path, number)| MapFile::later(path, &later, *number))
            .collect();
        let language = |number: FileNumber| files.at(number).1.language;
        for number in near(&all, wanted, &language, &|numbers| later.read_all(numbers)) {
            is_near[number] = true;
        }
        let is_absent = |at: FileNumber| is_near[at] && all[at].symbols().is_absent;
        let absent = all.indices().filter(|at| is_absent(*at));
        let absent = absent.map(|at| TreePath::new(all[at].path)).collect();
        SnapshotSymbols {
            absent,
            is_cut: files.is_cut,
            symbols: ReadSymbols::Near(Box::new(NearSymbols {
                later,
                is_near,
                none: FileSymbols::default(),
            })),
            files,
            links: OnceLock::new(),
            state: state.clone(),
        }
    }
}

/// The paths of the contents that are such ones.
fn paths_of(files: &Files, is_such: impl Fn(ContentNumber) -> bool) -> Vec<TreePath> {
    let paths = files.paths.iter();
    paths
        .filter(|(_, content)| is_such(*content))
        .map(|(path, _)| TreePath::new(path.clone()))
        .collect()
}

/// The symbols of one content. What is too large has none, and neither has what is not in this clone or cannot be read.
fn read(
    repo: &Repository,
    cache: &SymbolCache,
    records: &Records,
    files: &Files,
    content: &Content,
) -> FileSymbols {
    let Content { id, language, .. } = *content;
    if let Some(known) = cache.get(id, language) {
        return known;
    }
    let none = || FileSymbols {
        language,
        ..FileSymbols::default()
    };
    let absent = || FileSymbols {
        is_absent: true,
        ..none()
    };
    let found = with_blob(repo, &id, |blob| match blob {
        Blob::Absent => absent(),
        Blob::TooLarge(_) => none(),
        Blob::Data(data) => {
            let symbols = symbols_of_text(records, &id, files.name(content), data);
            cache.put(id, language, &symbols);
            symbols
        }
    });
    found.unwrap_or_else(|_| absent())
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
