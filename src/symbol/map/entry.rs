//! What a map knows of one file before it knows of any other: entries, imports, the names that are used.

use std::ops::Range;

use super::entries::{Entries, EntryNumber, Mark, Modifiers};
use super::import::{self, Import, ImportNumber};
use super::shape::{PARTS_MAX, base_name, shape};
use super::uses::Uses;
use crate::base::lines::Lines;
use crate::base::number::{IndexSlice, IndexVec};
use crate::symbol::extract::extract_with_uses;
use crate::symbol::language::Language;
use crate::symbol::outline::{Content, Kind, Outline, Symbol};

/// Most entries of one file; what is beyond is counted.
const ENTRIES_MAX: usize = 400;
/// No entry: a place that is not listed.
const NOWHERE: EntryNumber = EntryNumber::from_raw(u32::MAX);

/// What one file declares, imports and uses. A pure function of its language and bytes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct FileSymbols {
    /// The language, when it is known.
    pub language: Option<Language>,
    /// True when the declarations were read with a grammar.
    pub is_parsed: bool,
    /// True when the content could not be read, as it is not in this clone. Never kept in a cache.
    pub is_absent: bool,
    /// Declarations, or headings of a document, each before its members.
    pub entries: Entries,
    /// Declarations beyond the limits.
    pub more: u64,
    /// What it imports.
    pub imports: IndexVec<ImportNumber, Import>,
    /// The names that it uses; their places are numbers of entries.
    pub uses: Uses,
}

/// What a map shows of a file. `language` is what [`detect`](crate::symbol::detect) said about its name.
#[must_use]
pub fn file_symbols(language: Option<Language>, data: &[u8]) -> FileSymbols {
    outline_and_symbols(language, data).1
}

/// The same with what it declares, in one reading.
#[must_use]
pub fn outline_and_symbols(language: Option<Language>, data: &[u8]) -> (Outline, FileSymbols) {
    let (outline, uses) = extract_with_uses(language, data);
    let symbols = cut(&outline, &uses, data);
    (outline, symbols)
}

fn cut(outline: &Outline, uses: &Uses, data: &[u8]) -> FileSymbols {
    let language = outline.language;
    if !matches!(outline.content, Content::Parsed | Content::Plain) {
        return FileSymbols {
            language,
            ..FileSymbols::default()
        };
    }
    let mut listing = Listing {
        outline,
        entries: Entries::default(),
        places: Vec::new(),
        spans: IndexVec::new(),
        more: outline.more,
    };
    listing.add_all(&outline.symbols, None);
    let Listing {
        mut entries,
        places,
        spans,
        more,
        ..
    } = listing;
    set_lines(&mut entries, &spans, data);
    let imports = outline
        .language
        .map_or_else(IndexVec::new, |language| import::imports(outline, language));
    let uses = with_places(uses, &places);
    FileSymbols {
        language,
        is_parsed: outline.content == Content::Parsed,
        is_absent: false,
        entries,
        more,
        imports,
        uses,
    }
}

struct Listing<'o> {
    outline: &'o Outline,
    entries: Entries,
    /// For each symbol of the outline, in order, the entry that its uses belong to.
    places: Vec<EntryNumber>,
    /// For each entry where it stands in the text.
    spans: IndexVec<EntryNumber, Range<u32>>,
    more: u64,
}

impl Listing<'_> {
    fn add_all(&mut self, symbols: &[Symbol], owner: Option<(EntryNumber, u8)>) {
        for symbol in symbols {
            let around = owner.map_or(NOWHERE, |(entry, _)| entry);
            let mark = mark(symbol);
            let Some(mark) = mark.filter(|_| self.entries.len() < ENTRIES_MAX) else {
                self.more += u64::from(mark.is_some());
                self.places.push(around);
                self.add_places(&symbol.children, around);
                continue;
            };
            let depth = owner.map_or(0, |(_, depth)| depth + 1);
            self.push(symbol, mark, depth);
            // Both branches of an `#if` often define the same.
            let is_repeated = symbol.children.is_empty() && self.entries.drop_repeated();
            if !is_repeated {
                self.spans.push(symbol.span.start..symbol.span.end);
            }
            let number = EntryNumber::new(self.entries.len() - 1);
            self.places.push(number);
            self.add_all(&symbol.children, Some((number, depth)));
        }
    }

    fn push(&mut self, symbol: &Symbol, mark: Mark, depth: u8) {
        let language = self.outline.language.filter(|_| mark != Mark::Heading);
        let shape = language
            .map(|language| shape(symbol, language))
            .unwrap_or_default();
        let parts = match mark {
            Mark::Class => Some(bases(symbol, shape.bases)).filter(|bases| !bases.is_empty()),
            Mark::Variable => None,
            _ => shape.parameters,
        };
        let form = Modifiers {
            mark,
            is_async: shape.is_async,
            is_public: symbol.public,
            is_optional: shape.is_optional,
            has_parts: parts.is_some(),
            depth,
            line: 0,
            line_end: 0,
        };
        self.entries.push(
            form,
            &symbol.name,
            parts.iter().flatten().map(String::as_str),
            &shape.result,
        );
    }

    /// What is used inside of what is not listed belongs to what is around it.
    fn add_places(&mut self, symbols: &[Symbol], around: EntryNumber) {
        for symbol in symbols {
            self.places.push(around);
            self.add_places(&symbol.children, around);
        }
    }
}

/// The mark of a symbol; `None` for what a map does not list on a line of its own.
fn mark(symbol: &Symbol) -> Option<Mark> {
    Some(match symbol.kind {
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Type => Mark::Class,
        Kind::Module | Kind::Extension if !symbol.children.is_empty() => Mark::Class,
        // Empty, but declared here; `mod x;` says where another file stands.
        Kind::Module if symbol.signature.starts_with("module") => Mark::Class,
        Kind::Function | Kind::Target | Kind::Instruction => Mark::Function,
        Kind::Macro if symbol.signature.starts_with("macro_rules") => Mark::Function,
        Kind::Macro if symbol.signature.contains(&format!("{}(", symbol.name)) => Mark::Function,
        Kind::Heading => Mark::Heading,
        Kind::Method => Mark::Method,
        Kind::Macro | Kind::Constant | Kind::Variable => Mark::Variable,
        Kind::Field | Kind::Property | Kind::Variant => Mark::Property,
        _ => return None,
    })
}

/// What a type builds on: as its declaration says, then the interfaces that it implements elsewhere.
fn bases(symbol: &Symbol, mut bases: Vec<String>) -> Vec<String> {
    let implemented = symbol
        .children
        .iter()
        .filter(|child| child.kind == Kind::Implementation);
    for base in implemented.filter_map(|child| base_name(&child.name)) {
        if bases.len() < PARTS_MAX && !bases.contains(&base) {
            bases.push(base);
        }
    }
    bases
}

/// Says where entries begin and end, as far as readers of the text say so: those of headings do not.
fn set_lines(entries: &mut Entries, spans: &IndexSlice<EntryNumber, [Range<u32>]>, data: &[u8]) {
    let data = data.strip_prefix("\u{feff}".as_bytes()).unwrap_or(data);
    let lines = Lines::of(data);
    let line = |at: u32| lines.at(at as usize);
    for at in entries.numbers() {
        let Range { start, end } = spans[at].clone();
        if start > 0 || entries.get(at).form.mark != Mark::Heading {
            entries.set_lines(at, line(start), line(end.saturating_sub(1).max(start)));
        }
    }
}

/// The same uses, with places that are numbers of entries.
fn with_places(uses: &Uses, places: &[EntryNumber]) -> Uses {
    let mut out = Uses::default();
    let mut entries = Vec::new();
    for used in uses.iter() {
        entries.clear();
        entries.extend(
            used.places
                .iter()
                .map(|place| places[*place as usize])
                .filter(|entry| *entry != NOWHERE)
                .map(EntryNumber::raw),
        );
        entries.sort_unstable();
        entries.dedup();
        out.push(used.name, used.ways, &entries);
    }
    out
}
