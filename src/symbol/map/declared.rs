//! All declarations of a snapshot by family of languages and name: what a name that is used somewhere could mean.
//!
//! Names are numbered, so that who asks about the same name often has to compare it once.

use std::collections::HashMap;

use super::entries::{Entries, Mark};
use super::file::MapFile;
use crate::base::quick_hash::QuickHash;
use crate::symbol::language::Language;

/// Most declarations of one name that are looked through one by one.
const CANDIDATES_MAX: u32 = 24;

/// A declaration, with what decides whether it is meant.
#[derive(Debug, Clone, Copy, Default)]
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
    numbers: HashMap<&'f str, u32, QuickHash>,
    /// For each number how many declarations there are, and where those behind them begin in the list.
    counts: Vec<u32>,
    ends: Vec<u32>,
    /// By number, then in the order of files.
    declared: Vec<Declared>,
}

/// All declarations.
#[derive(Default)]
pub(super) struct Declarations<'f> {
    families: HashMap<Language, Names<'f>>,
    /// For each entry of each file the number of its name.
    own: Vec<u32>,
    /// For each file where its entries end in that list.
    own_ends: Vec<u32>,
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
    /// Collects them in the order of files: numbers the names first, then puts the declarations of each name together.
    pub(super) fn of(files: &[MapFile<'f>]) -> Self {
        let mut all = Self::default();
        for file in files {
            if let Some(language) = language_of(file) {
                let names = all.families.entry(family(language)).or_default();
                all.own.extend(
                    file.symbols()
                        .entries
                        .iter()
                        .map(|entry| names.add(entry.name)),
                );
            }
            all.own_ends.push(all.own.len() as u32);
        }
        all.families.values_mut().for_each(Names::make_room);
        let mut from = 0;
        for (number, file) in files.iter().enumerate() {
            let own = &all.own[from..all.own_ends[number] as usize];
            from += own.len();
            if let Some(names) =
                language_of(file).and_then(|language| all.families.get_mut(&family(language)))
            {
                names.put_all(number as u32, &file.symbols().entries, own);
            }
        }
        all
    }

    /// What the names of a language could mean.
    pub(super) fn names(&self, language: Language) -> Option<&Names<'f>> {
        self.families.get(&family(language))
    }

    /// The numbers of the names that a file declares, in the order of its entries.
    pub(super) fn own(&self, file: u32) -> &[u32] {
        let from = file
            .checked_sub(1)
            .map_or(0, |before| self.own_ends[before as usize]);
        &self.own[from as usize..self.own_ends[file as usize] as usize]
    }

    /// More than any number of a name.
    pub(super) fn numbers_end(&self) -> usize {
        self.families
            .values()
            .map(|names| names.counts.len())
            .max()
            .unwrap_or(0)
    }
}

/// The language of a file whose declarations others may mean.
fn language_of(file: &MapFile<'_>) -> Option<Language> {
    file.symbols().language.filter(|_| file.symbols().is_parsed)
}

impl<'f> Names<'f> {
    /// Counts one more declaration of a name.
    fn add(&mut self, name: &'f str) -> u32 {
        let number = *self.numbers.entry(name).or_insert(self.counts.len() as u32);
        match self.counts.get_mut(number as usize) {
            Some(count) => *count += 1,
            None => self.counts.push(1),
        }
        number
    }

    /// Makes room for the declarations that are looked through.
    fn make_room(&mut self) {
        let mut end = 0;
        for count in &self.counts {
            self.ends.push(end);
            end += if *count > CANDIDATES_MAX { 0 } else { *count };
        }
        self.declared = vec![Declared::default(); end as usize];
    }

    /// Puts the declarations of a file behind those of the same names.
    fn put_all(&mut self, file: u32, entries: &Entries, own: &[u32]) {
        // For each depth the name of the entry there that came last.
        let mut open: Vec<u32> = Vec::new();
        for ((at, form), number) in entries.forms().enumerate().zip(own) {
            let depth = usize::from(form.depth);
            open.resize(depth + 1, *number);
            open[depth] = *number;
            if self.counts[*number as usize] <= CANDIDATES_MAX {
                let owner = depth.checked_sub(1).map(|above| open[above]);
                let (is_public, is_property) = (form.is_public, form.mark == Mark::Property);
                let end = &mut self.ends[*number as usize];
                self.declared[*end as usize] = Declared {
                    file,
                    entry: at as u32,
                    owner,
                    is_public,
                    is_property,
                };
                *end += 1;
            }
        }
    }

    /// The number of a name that is declared somewhere.
    pub(super) fn number(&self, name: &str) -> Option<u32> {
        self.numbers.get(name).copied()
    }

    /// The declarations of a name by its number; none when there are too many.
    pub(super) fn candidates(&self, number: u32) -> &[Declared] {
        let (end, count) = (self.ends[number as usize], self.counts[number as usize]);
        if count > CANDIDATES_MAX {
            &[]
        } else {
            &self.declared[(end - count) as usize..end as usize]
        }
    }
}
