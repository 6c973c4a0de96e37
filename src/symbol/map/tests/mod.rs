//! Maps of small projects in every language, read by eye, and the laws that all maps keep.

mod laws;
mod managed;
mod real;
mod scripts;
mod systems;

use super::{Detail, FileNumber, FileSymbols, KEY, MapFile, SymbolMap, file_symbols, references};
use crate::base::number::IndexVec;
use crate::symbol::detect;

/// The symbols of some files, in the order of their paths.
fn symbols_of(files: &[(&str, &str)]) -> Vec<(Vec<u8>, FileSymbols)> {
    let read = |(path, text): &(&str, &str)| {
        let name = path.rsplit('/').next().unwrap_or_default();
        (
            path.as_bytes().to_vec(),
            file_symbols(detect(name.as_bytes(), text.as_bytes()), text.as_bytes()),
        )
    };
    let mut found: Vec<_> = files.iter().map(read).collect();
    found.sort_by(|one, other| one.0.cmp(&other.0));
    found
}

fn map_files(found: &[(Vec<u8>, FileSymbols)]) -> IndexVec<FileNumber, MapFile<'_>> {
    found
        .iter()
        .map(|(path, symbols)| MapFile::new(path, symbols))
        .collect()
}

/// The whole map of some files without its key.
fn map_with(files: &[(&str, &str)], detail: Detail) -> String {
    let found = symbols_of(files);
    let files = map_files(&found);
    let references = references(&files);
    let numbers: Vec<FileNumber> = files.indices().collect();
    let text = SymbolMap::new(&files, &references)
        .texts(&numbers, detail)
        .concat();
    text.strip_prefix(KEY)
        .expect("the key comes first")
        .trim_start_matches('\n')
        .to_owned()
}

fn map_of(files: &[(&str, &str)]) -> String {
    map_with(files, Detail::PRINTED)
}
