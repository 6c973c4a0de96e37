//! From the text of a file to its outline.
//!
//! What decides, in this order:
//!
//! | content | outline |
//! |---|---|
//! | over [`FILE_BYTES_MAX`](crate::base::limit::FILE_BYTES_MAX) | placeholder, not looked at |
//! | NUL in the first 8 KiB, or not UTF-8 | placeholder |
//! | language without grammar, or unknown | [`lines`]: leading comment, declarations, headings, keys, targets |
//! | over [`parse::SOURCE_BYTES_MAX`], or more parsing work than [`parse`] allows | [`lines`], marked as unparsed |
//! | everything else | [`walk`] over the declarations, by the table of its language |
//!
//! Each language is one file with a table of node kinds and the few functions that a table cannot say. All work is
//! bounded by counts, never by time, so that the result is the same on every machine.

mod bash;
mod binary;
mod body;
mod c;
mod conditional;
mod csharp;
mod export;
mod file;
mod go;
mod grammar;
mod instance;
mod java;
mod javascript;
mod level;
mod lines;
mod macros;
mod parse;
mod php;
mod python;
mod ruby;
mod rust;
mod signature;
mod suite;
#[cfg(test)]
mod tests;
mod tokens;
mod usage;
mod uses;
mod walk;

pub use binary::lfs_pointer;
pub use file::extract;
pub(super) use file::extract_with_uses;
pub(crate) use lines::WORKFLOW;
pub use parse::grammars_loaded;
