//! The declarations of one file, in flat lists: a repository has hundreds of thousands, and each has several texts.

use crate::base::number::{define_index_type, to_u32};

define_index_type! {
    /// The number of a declaration among those of its file.
    pub struct EntryNumber = u32;
}

/// What a line of a map is about.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mark {
    /// A class, struct, enumeration, trait, interface, type or module.
    Class,
    /// A function of a type.
    Method,
    /// A function or macro.
    Function,
    /// A variable or constant.
    Variable,
    /// A field, property or case.
    Property,
    /// A heading of a document.
    Heading,
}

/// What is known of a declaration beside its texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Modifiers {
    /// What it is.
    pub mark: Mark,
    /// Whether it is asynchronous.
    pub is_async: bool,
    /// Whether other files may use it.
    pub is_public: bool,
    /// Whether it can be missing.
    pub is_optional: bool,
    /// Whether it has parts: a function its parameters, a type what it builds on.
    pub has_parts: bool,
    /// How many declarations it stands in.
    pub depth: u8,
    /// The line it starts in, from 1; 0 when that is not known.
    pub line: u32,
    /// The line it ends in, its body included.
    pub line_end: u32,
}

/// One declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct MapEntry<'e> {
    /// What it is and where.
    pub form: Modifiers,
    /// Its name.
    pub name: &'e str,
    /// Of a function its parameters, of a type what it builds on.
    pub parts: Parts<'e>,
    /// What it gives back; empty for nothing.
    pub result: &'e str,
}

/// Texts that stand one behind the other.
#[derive(Clone, Copy)]
pub struct Parts<'e> {
    texts: &'e str,
    start: usize,
    ends: &'e [u32],
}

impl<'e> Parts<'e> {
    /// The texts, in order.
    pub fn iter(self) -> impl Iterator<Item = &'e str> {
        let starts = std::iter::once(self.start).chain(self.ends.iter().map(|end| *end as usize));
        starts
            .zip(self.ends)
            .map(move |(start, end)| &self.texts[start..*end as usize])
    }
}

impl PartialEq for Parts<'_> {
    fn eq(&self, other: &Self) -> bool {
        self.iter().eq(other.iter())
    }
}

impl Eq for Parts<'_> {}

impl std::fmt::Debug for Parts<'_> {
    fn fmt(&self, out: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        out.debug_list().entries(self.iter()).finish()
    }
}

/// The declarations of one file, or the headings of a document, each before its members.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Entries {
    /// Of each its name, its parts, its result.
    texts: String,
    /// Where these end.
    ends: Vec<u32>,
    /// Of each its form, and where its ends end.
    forms: Vec<(Modifiers, u32)>,
}

impl Entries {
    /// Adds one; parts only where its form has some.
    pub(super) fn push<'t>(
        &mut self,
        form: Modifiers,
        name: &str,
        parts: impl IntoIterator<Item = &'t str>,
        result: &str,
    ) {
        let mut add = |text: &str| {
            self.texts.push_str(text);
            self.ends.push(to_u32(self.texts.len()));
        };
        add(name);
        parts.into_iter().for_each(&mut add);
        add(result);
        self.forms.push((form, to_u32(self.ends.len())));
    }

    /// Takes the last one away when it says the same as the one before; returns whether it did.
    pub(super) fn drop_repeated(&mut self) -> bool {
        let len = self.len();
        let is_repeated = len > 1 && self.at(len - 1) == self.at(len - 2);
        if is_repeated {
            self.forms.pop();
            let ends = self.forms[len - 2].1 as usize;
            self.ends.truncate(ends);
            self.texts.truncate(self.ends[ends - 1] as usize);
        }
        is_repeated
    }

    /// Says in which line one starts, and in which it ends.
    pub(super) fn set_lines(&mut self, number: EntryNumber, line: u32, line_end: u32) {
        let form = &mut self.forms[number.index()].0;
        (form.line, form.line_end) = (line, line_end);
    }

    /// The lists, for those who write them down: forms, each with where its ends end, ends, and texts.
    pub(super) fn lists(&self) -> (&[(Modifiers, u32)], &[u32], &str) {
        (&self.forms, &self.ends, &self.texts)
    }

    /// From lists; `None` where these do not fit together.
    pub(super) fn from_lists(
        forms: Vec<(Modifiers, u32)>,
        ends: Vec<u32>,
        texts: String,
    ) -> Option<Self> {
        let is_whole = ends.last().map_or(0, |end| *end as usize) == texts.len()
            && forms.last().map_or(0, |(_, end)| *end as usize) == ends.len()
            && ends.iter().all(|end| texts.is_char_boundary(*end as usize));
        is_whole.then_some(Self { texts, ends, forms })
    }

    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.forms.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.forms.is_empty()
    }

    /// The one with this number.
    #[must_use]
    pub fn get(&self, number: EntryNumber) -> MapEntry<'_> {
        self.at(number.index())
    }

    fn at(&self, number: usize) -> MapEntry<'_> {
        let (form, to) = self.forms[number];
        let from = number
            .checked_sub(1)
            .map_or(0, |before| self.forms[before].1 as usize);
        let start = from
            .checked_sub(1)
            .map_or(0, |before| self.ends[before] as usize);
        let (name_end, result_end) = (
            self.ends[from] as usize,
            self.ends[to as usize - 1] as usize,
        );
        let parts = Parts {
            texts: &self.texts,
            start: name_end,
            ends: &self.ends[from + 1..to as usize - 1],
        };
        let result_start = parts.ends.last().map_or(name_end, |end| *end as usize);
        MapEntry {
            form,
            name: &self.texts[start..name_end],
            parts,
            result: &self.texts[result_start..result_end],
        }
    }

    /// The forms of all of them, in order.
    pub fn forms(&self) -> impl Iterator<Item = &Modifiers> {
        self.forms.iter().map(|(form, _)| form)
    }

    /// The numbers of all of them, in order.
    pub fn numbers(&self) -> impl DoubleEndedIterator<Item = EntryNumber> + use<> {
        (0..self.len()).map(EntryNumber::new)
    }

    /// All of them, in order.
    pub fn iter(&self) -> impl Iterator<Item = MapEntry<'_>> {
        (0..self.len()).map(|number| self.at(number))
    }
}
