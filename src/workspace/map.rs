//! The symbols of a whole snapshot: its paths, and for each distinct object what was read from it, or is in the cache.

use std::cell::RefCell;
use std::collections::HashMap;

use super::open::Workspace;
use crate::base::cores::{beside, on_all_cores};
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{NodeId, TreePath};
use crate::context::tree::{PATHS_MAX, Tree};
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository};
use crate::node::ScanError;
use crate::regen::outlined::object_cache;
use crate::secret::{Allowed, Scanner, redact};
use crate::symbol::Language;
use crate::symbol::map::{FileSymbols, MapFile, SymbolCache, file_symbols};
use crate::synthesis::outline;

/// Most files of one map: a repository can have far more paths than objects.
pub const FILES_MAX: usize = 100_000;

thread_local! {
    /// The file that is being read: its place is kept for the next one.
    static DATA: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Why there is no map.
#[derive(Debug, thiserror::Error)]
pub enum MapError {
    /// The snapshot cannot be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// A file cannot be read.
    #[error("cannot read '{}'", .path.to_text())]
    Object {
        /// Where it stands.
        path: TreePath,
        /// What failed.
        #[source]
        source: ObjectError,
    },
}

/// What all files of a snapshot declare, import and use.
#[derive(Debug, Default)]
pub struct SnapshotSymbols {
    /// Paths in their order, each with the number of its symbols.
    paths: Vec<(Vec<u8>, u32)>,
    symbols: Vec<FileSymbols>,
    /// Files whose content this clone does not hold: they are listed without their symbols.
    pub absent: Vec<TreePath>,
    /// True when there are more files than [`FILES_MAX`], or more paths than are looked at.
    pub is_cut: bool,
}

/// One object that has to be read, and where it was met first.
struct Wanted {
    id: NodeId,
    language: Option<Language>,
    first: usize,
}

impl SnapshotSymbols {
    /// The files, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> Vec<MapFile<'_>> {
        self.paths.iter().map(|(path, number)| MapFile { path, symbols: &self.symbols[*number as usize] }).collect()
    }
}

impl Workspace {
    /// Reads the symbols of all files of a root tree; what is ignored, links and submodules are left out.
    pub fn symbols(&self, tree: NodeId) -> Result<SnapshotSymbols, MapError> {
        self.symbols_of(|| Ok((tree, ()))).map(|(found, ())| found)
    }

    /// The same of a root tree that has to be found first: meanwhile, what was read before is loaded.
    pub fn symbols_of<R, E: From<MapError>>(
        &self,
        root: impl FnOnce() -> Result<(NodeId, R), E>,
    ) -> Result<(SnapshotSymbols, R), E> {
        let directory = self.state.cache();
        let mut found = SnapshotSymbols::default();
        let (wanted, cache) = std::thread::scope(|scope| {
            let cache = beside(scope, || object_cache::<FileSymbols>(&directory));
            let wanted = root().and_then(|(tree, root)| {
                let tree = Tree::read(&self.repository, tree).map_err(MapError::from)?;
                Ok((collect(&tree, &mut found), root))
            });
            (wanted, cache.join())
        });
        let (wanted, root) = wanted?;
        Ok((self.read_symbols(&wanted, &cache, found)?, root))
    }

    fn read_symbols(
        &self,
        wanted: &[Wanted],
        cache: &SymbolCache,
        mut found: SnapshotSymbols,
    ) -> Result<SnapshotSymbols, MapError> {
        let work = |repo: &Repository, number: usize| read(repo, cache, &wanted[number], &found);
        let read = on_all_cores(wanted.len(), &self.repository, || self.repository.fork(), work);
        let mut symbols = Vec::with_capacity(read.len());
        for (read, wanted) in read.into_iter().zip(wanted) {
            let failed = |source| MapError::Object { path: TreePath::new(found.paths[wanted.first].0.clone()), source };
            symbols.push(read.map_err(failed)?);
        }
        let is_absent = |number: &u32| symbols[*number as usize].is_absent;
        found.absent =
            found.paths.iter().filter(|(_, number)| is_absent(number)).map(|(path, _)| TreePath::new(path.clone())).collect();
        found.symbols = symbols;
        Ok(found)
    }
}

/// Notes every path of a file, and each object once for each language that its names say.
fn collect(tree: &Tree, found: &mut SnapshotSymbols) -> Vec<Wanted> {
    let mut wanted = Vec::new();
    let mut numbers: HashMap<(NodeId, Option<Language>), u32> = HashMap::new();
    let has_secret_names = tree.has_secret_names();
    let mut all = tree.all();
    for _ in 0..PATHS_MAX {
        let Some(met) = all.next_met() else { return wanted };
        if !matches!(met.found.mode, EntryMode::File | EntryMode::Executable) {
            continue;
        }
        if found.paths.len() == FILES_MAX {
            break;
        }
        let (id, language) = (met.found.id, outline::language(&met.path[met.name_at..], b""));
        let number = *numbers.entry((id, language)).or_insert_with(|| {
            wanted.push(Wanted { id, language, first: found.paths.len() });
            wanted.len() as u32 - 1
        });
        let path = if has_secret_names { outline::shown_path(met.path) } else { met.path.to_vec() };
        found.paths.push((path, number));
    }
    found.is_cut = true;
    wanted
}

/// The symbols of one object. What is too large, or not in this clone, has none.
fn read(repo: &Repository, cache: &SymbolCache, wanted: &Wanted, found: &SnapshotSymbols) -> Result<FileSymbols, ObjectError> {
    let Wanted { id, language, first } = wanted;
    if let Some(known) = cache.get(*id, *language) {
        return Ok(known);
    }
    let none = FileSymbols { language: *language, ..FileSymbols::default() };
    let Some(header) = repo.header(id)? else {
        return Ok(FileSymbols { is_absent: true, ..none });
    };
    if header.size_bytes > FILE_BYTES_MAX {
        return Ok(none);
    }
    let path = &found.paths[*first].0;
    let name = path.rsplit(|byte| *byte == b'/').next().unwrap_or_default();
    let symbols = DATA.with_borrow_mut(|data| {
        repo.read(id, ObjectKind::Blob, data)?;
        Ok(symbols(outline::language(name, data), data))
    })?;
    cache.put(*id, *language, &symbols);
    Ok(symbols)
}

/// What a file declares, with markers in the place of what looks like a secret, as in its outline.
fn symbols(language: Option<Language>, data: &[u8]) -> FileSymbols {
    let is_listed = language.is_some();
    match std::str::from_utf8(data) {
        Ok(text) if is_listed => file_symbols(language, redact(text, Scanner::built_in(), &Allowed::default()).text.as_bytes()),
        _ => FileSymbols { language, ..FileSymbols::default() },
    }
}
