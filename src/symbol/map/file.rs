//! One file as a map sees it: its path, and its symbols read when they are needed.

use super::entry::FileSymbols;

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

    /// What it declares, imports and uses.
    #[must_use]
    pub fn symbols(&self) -> &'f FileSymbols {
        match self.symbols {
            Symbols::Read(symbols) => symbols,
            Symbols::Later(source, number) => source.symbols(number),
        }
    }
}

/// Reads what a file declares when it is shown: most files of a snapshot are not.
pub trait SymbolSource: std::fmt::Debug + Sync {
    /// The symbols of the content with a number.
    fn symbols(&self, number: u32) -> &FileSymbols;
}

#[derive(Debug, Clone, Copy)]
enum Symbols<'f> {
    Read(&'f FileSymbols),
    Later(&'f dyn SymbolSource, u32),
}
