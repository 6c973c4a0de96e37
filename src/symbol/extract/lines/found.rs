//! What a reader has found so far, each text on one line and no longer than it may be.

use crate::symbol::comment::{PARAGRAPH_BYTES_MAX, cap, fold};
use crate::symbol::extract::signature::fold_code;
use crate::symbol::outline::{
    DEPTH_MAX, IMPORT_BYTES_MAX, IMPORTS_MAX, Kind, NAME_BYTES_MAX, SIGNATURE_BYTES_MAX,
    SYMBOLS_MAX, Symbol,
};

/// What was found.
#[derive(Default)]
pub(super) struct Found {
    /// What the text says about itself.
    pub doc: String,
    pub symbols: Vec<Symbol>,
    pub imports: Vec<String>,
    /// What found no place.
    pub more: u64,
    kept: usize,
    /// For each open level of headings how deep it is.
    levels: Vec<usize>,
}

impl Found {
    /// Adds what is declared.
    pub(super) fn push(&mut self, kind: Kind, name: &str, signature: &str) {
        if let Some(symbol) = self.make(kind, name, signature) {
            self.symbols.push(symbol);
        }
    }

    /// Adds what a text names, with a sentence about it.
    pub(super) fn push_with(&mut self, kind: Kind, name: &str, signature: &str, doc: &str) {
        if let Some(symbol) = self.make(kind, name, signature) {
            self.symbols.push(Symbol {
                doc: cap(&fold(doc), PARAGRAPH_BYTES_MAX),
                ..symbol
            });
        }
    }

    /// Makes a symbol, or counts it where there are too many.
    pub(super) fn make(&mut self, kind: Kind, name: &str, signature: &str) -> Option<Symbol> {
        let name = cap(&fold(name), NAME_BYTES_MAX);
        if name.is_empty() {
            return None;
        }
        if self.kept == SYMBOLS_MAX {
            self.more += 1;
            return None;
        }
        self.kept += 1;
        let signature = cap(&fold_code(signature), SIGNATURE_BYTES_MAX);
        Some(Symbol {
            name,
            signature,
            ..Symbol::named(kind, "")
        })
    }

    /// Adds a heading below the last one that is less deep.
    pub(super) fn push_heading(&mut self, level: usize, text: &str) {
        let Some(symbol) = self.make(Kind::Heading, text, text) else {
            return;
        };
        while self.levels.last().is_some_and(|above| *above >= level)
            || self.levels.len() >= DEPTH_MAX
        {
            self.levels.pop();
        }
        let mut siblings = &mut self.symbols;
        for _ in 0..self.levels.len() {
            siblings = &mut siblings
                .last_mut()
                .expect("each open level has a heading")
                .children;
        }
        siblings.push(symbol);
        self.levels.push(level);
    }

    /// Adds an import.
    pub(super) fn push_import(&mut self, text: &str) {
        let text = fold_code(text.trim().trim_end_matches(';'));
        if self.imports.len() < IMPORTS_MAX && !text.is_empty() {
            self.imports.push(cap(&text, IMPORT_BYTES_MAX));
        }
    }
}
