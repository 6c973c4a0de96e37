//! One file as a map sees it: its path, and its symbols read when they are needed.

use std::borrow::Cow;

use super::entry::FileSymbols;
use super::uses::Uses;

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

    /// A file whose symbols are read when they are shown.
    #[must_use]
    pub fn later(path: &'f [u8], source: &'f dyn SymbolSource, number: u32) -> Self {
        let symbols = Symbols::Later(source, number);
        Self { path, symbols }
    }

    /// A file of which the names that it uses are read each time: those of all files together are the largest part.
    #[must_use]
    pub fn declared(
        path: &'f [u8],
        symbols: &'f FileSymbols,
        source: &'f dyn UsesSource,
        number: u32,
    ) -> Self {
        let symbols = Symbols::Declared(symbols, source, number);
        Self { path, symbols }
    }

    /// What it declares, imports and uses.
    #[must_use]
    pub fn symbols(&self) -> &'f FileSymbols {
        match self.symbols {
            Symbols::Read(symbols) | Symbols::Declared(symbols, ..) => symbols,
            Symbols::Later(source, number) => source.symbols(number),
        }
    }

    /// The names that it uses.
    #[must_use]
    pub fn uses(&self) -> Cow<'f, Uses> {
        match self.symbols {
            Symbols::Declared(_, source, number) => Cow::Owned(source.uses(number)),
            Symbols::Read(_) | Symbols::Later(..) => Cow::Borrowed(&self.symbols().uses),
        }
    }
}

/// Reads the names that a file uses, for one look at them.
pub trait UsesSource: std::fmt::Debug + Sync {
    /// The uses of the content with a number.
    fn uses(&self, number: u32) -> Uses;
}

/// Reads what a file declares when it is shown: most files of a snapshot are not.
pub trait SymbolSource: std::fmt::Debug + Sync {
    /// The symbols of the content with a number.
    fn symbols(&self, number: u32) -> &FileSymbols;
}

#[derive(Debug, Clone, Copy)]
enum Symbols<'f> {
    Read(&'f FileSymbols),
    Declared(&'f FileSymbols, &'f dyn UsesSource, u32),
    Later(&'f dyn SymbolSource, u32),
}
