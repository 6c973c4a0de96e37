//! One file as a map sees it: its path, and its symbols read when they are needed.

use std::borrow::Cow;

use super::entry::FileSymbols;
use crate::base::number::{IndexSlice, define_index_type};

define_index_type! {
    /// The number of a file of a snapshot, in the order of paths.
    pub struct FileNumber = u32;
}

define_index_type! {
    /// The number of a content of a snapshot, which may stand at many paths.
    pub struct ContentNumber = u32;
}

/// The files of a snapshot, in the order of their paths.
pub type MapFiles<'f> = IndexSlice<FileNumber, [MapFile<'f>]>;

/// One file of a snapshot. The same symbols may stand at many paths.
#[derive(Debug, Clone, Copy)]
pub struct MapFile<'f> {
    /// Its path.
    pub path: &'f [u8],
    symbols: Symbols<'f>,
}

impl<'f> MapFile<'f> {
    /// A file whose symbols were read.
    #[must_use]
    pub fn new(path: &'f [u8], symbols: &'f FileSymbols) -> Self {
        let symbols = Symbols::Read(symbols);
        Self { path, symbols }
    }

    /// A file whose symbols are read when they are needed.
    #[must_use]
    pub fn later(path: &'f [u8], source: &'f dyn SymbolSource, number: ContentNumber) -> Self {
        let symbols = Symbols::Later(source, number);
        Self { path, symbols }
    }

    /// What it declares, imports and uses; once read, it stays.
    #[must_use]
    pub fn symbols(&self) -> &'f FileSymbols {
        match self.symbols {
            Symbols::Read(symbols) => symbols,
            Symbols::Later(source, number) => source.symbols(number),
        }
    }

    /// The same for one look: those of all files together do not have to fit into memory.
    #[must_use]
    pub fn look(&self) -> Cow<'f, FileSymbols> {
        match self.symbols {
            Symbols::Read(symbols) => Cow::Borrowed(symbols),
            Symbols::Later(source, number) => source.look(number),
        }
    }
}

/// Reads what a file declares, imports and uses when it is needed: most files of a snapshot are not shown.
pub trait SymbolSource: std::fmt::Debug + Sync {
    /// The symbols of the content with a number, which stay as long as the source.
    fn symbols(&self, number: ContentNumber) -> &FileSymbols;

    /// The same for one look: what has not been read yet does not stay.
    fn look(&self, number: ContentNumber) -> Cow<'_, FileSymbols>;
}

#[derive(Debug, Clone, Copy)]
enum Symbols<'f> {
    Read(&'f FileSymbols),
    Later(&'f dyn SymbolSource, ContentNumber),
}
