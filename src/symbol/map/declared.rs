//! All declarations of a snapshot by family of languages and name: what a name that is used somewhere could mean.
//!
//! Names are numbered, so that who asks about the same name often has to compare it once.

use std::collections::HashMap;

use super::entry::{Entry, Mark};
use super::reference::MapFile;
use crate::symbol::language::Language;
use crate::symbol::name_hash::NameHash;

/// Most declarations of one name that are looked through one by one.
const CANDIDATES_MAX: usize = 24;

/// A declaration, with what decides whether it is meant.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    /// The number of its file.
    pub file: u32,
    /// Its number there.
    pub entry: u32,
    /// The number of the name of the type that it is a member of; `None` at the level of the file.
    pub owner: Option<u32>,
    pub is_public: bool,
    pub is_property: bool,
}

/// The names that are declared in one family of languages.
#[derive(Default)]
pub(super) struct Names<'f> {
    numbers: HashMap<&'f str, u32, NameHash>,
    /// By number; one more than is looked through shows that there are too many.
    declared: Vec<Vec<Declared>>,
}

/// All declarations.
#[derive(Default)]
pub(super) struct Declarations<'f> {
    families: HashMap<Language, Names<'f>>,
}

/// Languages that refer to each other's files.
fn family(language: Language) -> Language {
    match language {
        Language::Cpp => Language::C,
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        other => other,
    }
}

impl<'f> Declarations<'f> {
    /// Collects them in the order of files.
    pub(super) fn of(files: &[MapFile<'f>]) -> Self {
        let mut all = Self::default();
        for (number, file) in files.iter().enumerate() {
            let language = file.symbols.language.filter(|_| file.symbols.is_parsed && !file.symbols.entries.is_empty());
            if let Some(language) = language {
                all.families.entry(family(language)).or_default().add(number as u32, &file.symbols.entries);
            }
        }
        all
    }

    /// What the names of a language could mean.
    pub(super) fn names(&self, language: Language) -> Option<&Names<'f>> {
        self.families.get(&family(language))
    }
}

impl<'f> Names<'f> {
    /// Adds the entries of a file.
    fn add(&mut self, file: u32, entries: &'f [Entry]) {
        // For each depth the name of the entry there that came last.
        let mut open: Vec<u32> = Vec::new();
        for (at, entry) in entries.iter().enumerate() {
            let number = *self.numbers.entry(entry.name.as_str()).or_insert(self.declared.len() as u32);
            if number as usize == self.declared.len() {
                self.declared.push(Vec::new());
            }
            let depth = usize::from(entry.depth);
            open.resize(depth + 1, number);
            open[depth] = number;
            let known = &mut self.declared[number as usize];
            if known.len() <= CANDIDATES_MAX {
                let owner = depth.checked_sub(1).map(|above| open[above]);
                let (is_public, is_property) = (entry.is_public, entry.mark == Mark::Property);
                known.push(Declared { file, entry: at as u32, owner, is_public, is_property });
            }
        }
    }

    /// The number of a name that is declared somewhere.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The declarations of a name by its number; none when there are too many.
    pub(super) fn candidates(&self, number: u32) -> &[Declared] {
        let known = &self.declared[number as usize];
        if known.len() > CANDIDATES_MAX { &[] } else { known }
    }
}
