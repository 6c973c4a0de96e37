//! The symbols of a whole snapshot: for each distinct content what was read from it, or is in the cache.

use super::files::{Content, Files, FilesError};
use crate::base::cores::{beside, on_all_cores};
use crate::base::{NodeId, TreePath};
use crate::context::tree::Tree;
use crate::git::{ObjectError, Repository, StateDir};
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::symbol::map::{FileSymbols, MapFile, SymbolCache};
use crate::synthesis::outline;

/// Most files of one map: a repository can have far more paths than objects.
pub const FILES_MAX: usize = 100_000;

/// What all files of a snapshot declare, import and use.
#[derive(Debug, Default)]
pub struct SnapshotSymbols {
    files: Files,
    symbols: Vec<FileSymbols>,
    /// Files whose content this clone does not hold: they are listed without their symbols.
    pub absent: Vec<TreePath>,
    /// True when there are more files than [`FILES_MAX`], or more paths than are looked at.
    pub is_cut: bool,
}

impl SnapshotSymbols {
    /// The files, in the order of their paths.
    #[must_use]
    pub fn files(&self) -> Vec<MapFile<'_>> {
        self.files
            .paths
            .iter()
            .map(|(path, number)| MapFile {
                path,
                symbols: &self.symbols[*number as usize],
            })
            .collect()
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
    let directory = state.cache();
    let (files, cache) = std::thread::scope(|scope| {
        let cache = beside(scope, || object_cache::<FileSymbols>(&directory));
        let files = root().and_then(|(tree, root)| {
            let tree = Tree::read(repo, tree).map_err(FilesError::from)?;
            Ok((Files::of(&tree, FILES_MAX), root))
        });
        (files, cache.join())
    });
    let (files, root) = files?;
    Ok((read_symbols(repo, state, files, &cache)?, root))
}

fn read_symbols(
    repo: &Repository,
    state: &StateDir,
    files: Files,
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
        symbols,
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
