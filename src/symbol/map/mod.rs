//! The symbol map: what all files of a snapshot declare and whom they refer to, in few tokens.
//!
//! Owns the values of one file ([`FileSymbols`]) and their bytes, the resolution of imports, the index of references,
//! the notation with its legend, the rank and the budget. All of it is pure: paths and symbols go in, text comes out,
//! the same on every machine. Must never read files, objects or a clock.
//!
//! Start with [`file_symbols`], [`references()`] and [`SymbolMap`].

mod budget;
mod codec;
mod declared;
mod entries;
mod entry;
mod excerpt;
mod file;
mod import;
mod kept;
mod legend;
mod links;
mod near;
mod notation;
mod rank;
mod reference;
mod resolve;
mod shape;
mod standing;
mod test_path;
#[cfg(test)]
mod tests;
pub(super) mod uses;

pub use budget::{Chosen, KeptFile, Previous};
pub use codec::SymbolCache;
pub use entries::{Entries, EntryNumber, MapEntry, Mark, Modifiers, Parts};
pub use entry::{FileSymbols, file_symbols, outline_and_symbols};
pub use excerpt::Excerpt;
pub use file::{ContentNumber, FileNumber, MapFile, MapFiles, SymbolSource};
pub use import::{Import, ImportNumber};
pub use kept::{FileReferences, References};
pub use legend::{KEY, Legend};
pub use links::MapLinks;
pub use near::near;
pub use notation::{Detail, Level, SymbolMap, mark};
pub use rank::MapOrder;
pub use reference::references;
pub use standing::{is_notice, is_prose, standing};
pub use test_path::is_test;
pub use uses::{Use, UseNumber, Uses, Ways};
