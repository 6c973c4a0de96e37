//! All declarations of a snapshot by family of languages and name: what a name that is used somewhere could mean.
//!
//! Names are numbered, so that a caller that asks about the same name often compares it once.

use std::collections::HashMap;

use super::entries::{EntryNumber, Mark, Modifiers};
use super::entry::FileSymbols;
use super::file::FileNumber;
use crate::base::number::{IndexVec, define_index_type};
use crate::base::numbered::NumberedTexts;
use crate::symbol::language::Language;

define_index_type! {
    /// The number of a name among those that are declared in one family of languages.
    pub(super) struct NameNumber = u32;
}

/// Most declarations of one name that are looked through one by one.
const CANDIDATES_MAX: u32 = 24;
/// No name: what stands at the level of the file.
const NO_OWNER: NameNumber = NameNumber::from_raw(u32::MAX);

/// A declaration, with what decides whether it is meant: there are millions.
#[derive(Debug, Clone, Copy)]
pub(super) struct Declared {
    pub file: FileNumber,
    owner: NameNumber,
    entry: u16,
    pub is_public: bool,
    pub is_property: bool,
}

impl Declared {
    /// Its number in its file.
    pub(super) fn entry(&self) -> EntryNumber {
        EntryNumber::new(self.entry.into())
    }

    /// The name of the type that it is a member of; `None` at the level of the file.
    pub(super) fn owner(&self) -> Option<NameNumber> {
        (self.owner != NO_OWNER).then_some(self.owner)
    }
}

/// The names that are declared in one family of languages.
#[derive(Default)]
pub(super) struct Names {
    texts: NumberedTexts,
    /// For each number how many declarations there are, and where those behind them begin in the list.
    counts: IndexVec<NameNumber, u32>,
    ends: IndexVec<NameNumber, u32>,
    /// By number, then in the order of files.
    declared: Vec<Declared>,
}

/// All declarations.
#[derive(Default)]
pub(super) struct Declarations {
    families: HashMap<Language, Names>,
    /// For each file the family in which others may mean its declarations.
    family_of: IndexVec<FileNumber, Option<Language>>,
    /// Until they are put together, for each entry of each file the number of its name, and what decides whether it is meant.
    own: Vec<NameNumber>,
    forms: Vec<EntryForm>,
    /// For each file where its entries end in these lists.
    own_ends: Vec<usize>,
}

#[derive(Clone, Copy)]
struct EntryForm {
    depth: u8,
    is_public: bool,
    is_property: bool,
}

impl EntryForm {
    fn of(form: &Modifiers) -> Self {
        Self {
            depth: form.depth,
            is_public: form.is_public,
            is_property: form.mark == Mark::Property,
        }
    }
}

/// Languages that refer to each other's files.
fn family(language: Language) -> Language {
    match language {
        Language::Cpp => Language::C,
        Language::TypeScript | Language::Tsx => Language::JavaScript,
        other => other,
    }
}

impl Declarations {
    /// Takes in the next file: numbers its names, and counts how often each is declared.
    pub(super) fn add(&mut self, symbols: &FileSymbols) {
        let language = symbols.language.filter(|_| symbols.is_parsed);
        let family = language.map(family);
        if let Some(family) = family {
            let names = self.families.entry(family).or_default();
            let entries = &symbols.entries;
            self.own
                .extend(entries.iter().map(|entry| names.add(entry.name)));
            self.forms.extend(entries.forms().map(EntryForm::of));
        }
        self.family_of.push(family);
        self.own_ends.push(self.own.len());
    }

    /// Puts the declarations of each name together, in the order of files, when the last file was taken in.
    pub(super) fn put_together(&mut self) {
        self.families.values_mut().for_each(Names::make_room);
        let mut from = 0;
        for ((number, family), end) in self.family_of.iter_enumerated().zip(&self.own_ends) {
            let (own, forms) = (&self.own[from..*end], &self.forms[from..*end]);
            from = *end;
            if let Some(names) = family.and_then(|family| self.families.get_mut(&family)) {
                names.put_all(number, forms, own);
            }
        }
        (self.own, self.forms, self.own_ends) = Default::default();
    }

    /// What the names of a language could mean.
    pub(super) fn names(&self, language: Language) -> Option<&Names> {
        self.families.get(&family(language))
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

impl Names {
    /// Counts one more declaration of a name.
    fn add(&mut self, name: &str) -> NameNumber {
        let number = NameNumber::from_raw(self.texts.add(name));
        if number == self.counts.len() {
            self.counts.push(0);
        }
        self.counts[number] += 1;
        number
    }

    /// Makes room for the declarations that are looked through.
    fn make_room(&mut self) {
        self.texts.shrink_to_fit();
        let mut end = 0;
        for count in &self.counts {
            self.ends.push(end);
            end += if *count > CANDIDATES_MAX { 0 } else { *count };
        }
        let none = Declared {
            file: FileNumber::new(0),
            owner: NO_OWNER,
            entry: 0,
            is_public: false,
            is_property: false,
        };
        self.declared = vec![none; end as usize];
    }

    /// Puts the declarations of a file behind those of the same names.
    fn put_all(&mut self, file: FileNumber, forms: &[EntryForm], own: &[NameNumber]) {
        // For each depth the name of the entry there that came last.
        let mut open: Vec<NameNumber> = Vec::new();
        // A file has a few hundred entries at most.
        for ((entry, form), number) in (0..=u16::MAX).zip(forms).zip(own) {
            let depth = usize::from(form.depth);
            open.resize(depth + 1, *number);
            open[depth] = *number;
            if self.counts[*number] <= CANDIDATES_MAX {
                let end = &mut self.ends[*number];
                self.declared[*end as usize] = Declared {
                    file,
                    owner: depth.checked_sub(1).map_or(NO_OWNER, |above| open[above]),
                    entry,
                    is_public: form.is_public,
                    is_property: form.is_property,
                };
                *end += 1;
            }
        }
    }

    /// The number of a name that is declared somewhere.
    pub(super) fn number(&self, name: &str) -> Option<NameNumber> {
        self.texts.number(name).map(NameNumber::from_raw)
    }

    /// The declarations of a name by its number; none when there are too many.
    pub(super) fn candidates(&self, number: NameNumber) -> &[Declared] {
        let (end, count) = (self.ends[number], self.counts[number]);
        if count > CANDIDATES_MAX {
            &[]
        } else {
            &self.declared[(end - count) as usize..end as usize]
        }
    }
}
