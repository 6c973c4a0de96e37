//! From the content of one object to what questions are matched against: its words and its definitions, in one reading.

use std::ops::Range;

use super::definition::{Definition, Definitions};
use super::postings::in_byte;
use super::reading::ContentReading;
use super::region::{Field, regions};
use super::term::{Term, attribute_name, declared, identifiers, literals, terms, whole_names};
use super::words::{Counter, Words};
use crate::base::lines::Lines;
use crate::base::number::to_u32;
use crate::symbol::{Content, Kind, Language, Outline, Symbol};

/// Most definitions of one object.
const DEFINITIONS_MAX: usize = 2_000;
/// Places that are looked at for a declaration that has none of its own.
const PLACES_MAX: usize = 1_000;
/// Longest chain of names around a definition, in bytes.
const OWNER_BYTES_MAX: usize = 120;

/// Reads a content of which it is known what it declares; what is no text has no words.
#[must_use]
pub fn read(outline: &Outline, data: &[u8]) -> ContentReading {
    let text = match (outline.content, std::str::from_utf8(data)) {
        (Content::Binary | Content::TooLarge, _) | (_, Err(_)) => return ContentReading::default(),
        (_, Ok(text)) => text.strip_prefix('\u{feff}').unwrap_or(text),
    };
    let mut listing = Listing {
        text,
        found: Vec::new(),
        from: 0,
    };
    let mut counter = Counter::default();
    listing.add_all(&outline.symbols, "", 0, &mut counter);
    let Listing { found, .. } = listing;
    let inner = count(text, outline.language, &found, &mut counter);
    ContentReading {
        words: counter.words(),
        definitions: definitions(text, outline.doc.clone(), found, &inner),
    }
}

/// The words of a statement.
#[must_use]
pub fn words_of(text: &str) -> Words {
    let mut counter = Counter::default();
    terms(text, |_, term| counter.add(term, Field::Prose));
    whole_names(text, |term| counter.add_whole(term, Field::Prose));
    counter.words()
}

/// The terms of a path.
#[must_use]
pub fn path_terms(path: &[u8]) -> Vec<Term> {
    let mut found = Vec::new();
    terms(&String::from_utf8_lossy(path), |_, term| found.push(term));
    found
}

/// A definition while its text is read.
struct Hit {
    range: Range<usize>,
    /// Where the comment above it begins.
    from: usize,
    definition: Definition,
}

struct Listing<'t> {
    text: &'t str,
    found: Vec<Hit>,
    /// Where the next declaration that has no place of its own is looked for.
    from: usize,
}

impl Listing<'_> {
    /// Adds declarations with what stands in them. `owner` and `from` are the names around them, and where these begin.
    fn add_all(&mut self, symbols: &[Symbol], owner: &str, from: usize, counter: &mut Counter) {
        for symbol in symbols {
            terms(&symbol.name, |_, term| counter.add(term, Field::Name));
            // The title of a test, or a heading, is about what it names.
            let field = if symbol.kind.declares_a_name() {
                Field::Name
            } else {
                Field::Prose
            };
            whole_names(&symbol.name, |term| counter.add_whole(term, field));
            let is_shown = !matches!(
                symbol.kind,
                Kind::Implementation | Kind::Extension | Kind::Export
            );
            if is_shown && self.found.len() < DEFINITIONS_MAX {
                self.add(symbol, owner, from);
                if symbol.kind.declares_a_name() {
                    counter.add_whole(declared(&symbol.name), Field::Name);
                    let short = attribute_name(symbol.kind, &symbol.name, &symbol.signature);
                    if let Some(short) = short {
                        counter.add_whole(declared(short), Field::Name);
                    }
                }
            }
            let own = if owner.is_empty() {
                implemented(symbol)
            } else {
                format!("{owner}.{}", symbol.name)
            };
            let own = if own.len() > OWNER_BYTES_MAX {
                symbol.name.clone()
            } else {
                own
            };
            let own = if symbol.kind == Kind::Heading {
                ""
            } else {
                &own
            };
            self.add_all(
                &symbol.children,
                own,
                from.max(symbol.span.start as usize),
                counter,
            );
        }
    }

    fn add(&mut self, symbol: &Symbol, owner: &str, from: usize) {
        let span = symbol.span;
        let mut range = span.start as usize..(span.end as usize).min(self.text.len());
        if range.is_empty() && range.start > 0 {
            range.end = (range.start + symbol.name.len()).min(self.text.len());
        } else if range.is_empty() {
            // Headings, keys, targets and some fields come in the order of the text, behind what they belong to.
            let Some(at) = place(self.text, self.from.max(from), symbol) else {
                return;
            };
            range = at..at + symbol.name.len();
            self.from = range.end;
        }
        let definition = Definition {
            kind: symbol.kind,
            public: symbol.public,
            owner: owner.to_owned(),
            name: symbol.name.clone(),
            signature: symbol.signature.clone(),
            doc: symbol.sentence(),
            line: 0,
            line_end: 0,
            terms: Vec::new(),
        };
        let from = comment_above(self.text, range.start);
        self.found.push(Hit {
            range,
            from,
            definition,
        });
    }
}

/// What the members of a symbol belong to; of an implementation for a type that stands elsewhere, both: `Display for Till`.
fn implemented(symbol: &Symbol) -> String {
    let target = symbol.signature.split_once(" for ").map(|(_, rest)| rest);
    let target = target.filter(|_| symbol.kind == Kind::Implementation);
    target.map_or_else(
        || symbol.name.clone(),
        |rest| {
            let target = rest.split(" where ").next().unwrap_or(rest);
            format!("{} for {target}", symbol.name)
        },
    )
}

/// Where the name of a declaration stands as a whole word; of a heading not in a list or a link.
fn place(text: &str, from: usize, symbol: &Symbol) -> Option<usize> {
    let name = symbol.name.as_str();
    let mut found = text
        .get(from..)?
        .match_indices(name)
        .map(|(at, _)| from + at)
        .take(PLACES_MAX)
        .peekable();
    let is_part = |c: char| c.is_alphanumeric() || c == '_';
    let is_there = |at: &usize| {
        let (before, behind) = (&text[..*at], &text[at + name.len()..]);
        match symbol.kind {
            Kind::Heading => matches!(
                before.trim_end_matches(['#', ' ']).as_bytes().last(),
                None | Some(b'\n')
            ),
            _ => !before.ends_with(is_part) && !behind.starts_with(is_part),
        }
    };
    let first = found.peek().copied();
    found.find(is_there).or(first)
}

/// Where the lines begin that stand directly above a place and are comments or annotations.
fn comment_above(text: &str, place: usize) -> usize {
    let mut from = text[..place].rfind('\n').map_or(0, |at| at + 1);
    while from > 0 {
        let above = text[..from - 1].rfind('\n').map_or(0, |at| at + 1);
        let line = text[above..from].trim_start();
        if !["//", "#", "/*", "*", "@", "--", ";"]
            .iter()
            .any(|mark| line.starts_with(mark))
        {
            break;
        }
        from = above;
    }
    from.min(place)
}

/// Counts all terms of the text, and for each definition those of its own text, in order of definitions and terms.
fn count(
    text: &str,
    language: Option<Language>,
    found: &[Hit],
    counter: &mut Counter,
) -> Vec<(u32, Term)> {
    // A definition that was seen by its name alone goes on to the next one.
    // The text of a field is that of its type.
    let owns = |(_, found): &(usize, &Hit)| !found.definition.is_member();
    let own = found.iter().enumerate().filter(owns);
    let mut order: Vec<(usize, usize, u32)> = own
        .map(|(number, found)| (found.from, found.range.end, to_u32(number)))
        .collect();
    order.sort_unstable_by_key(|(start, end, _)| (*start, std::cmp::Reverse(*end)));
    let mut next = order.into_iter().peekable();
    let mut open: Vec<(usize, u32)> = Vec::new();
    let mut inner = Vec::new();
    for (range, field) in regions(text, language) {
        let from = range.start;
        identifiers(&text[range.clone()], |_, term| {
            counter.add_whole(term, field);
        });
        let mut whole = Vec::new();
        let is_code = field == Field::Code && language.is_some_and(Language::has_grammar);
        if !is_code || language == Some(Language::Bash) {
            literals(&text[range.clone()], is_code, |at, _, term| {
                whole.push((at, term));
            });
        }
        let mut joined = whole.iter().peekable();
        terms(&text[range], |at, term| {
            counter.add(term, field);
            let (within, at) = (at, from + at);
            while let Some((_, end, number)) = next.next_if(|(start, ..)| *start <= at) {
                while open.last().is_some_and(|(end, _)| *end <= at) {
                    open.pop();
                }
                open.push((end, number));
            }
            while open.len() > 1 && open.last().is_some_and(|(end, _)| *end <= at) {
                open.pop();
            }
            let around = open.last().filter(|(end, number)| {
                at < *end || is_open_ended(&found[*number as usize].definition)
            });
            inner.extend(around.map(|(_, number)| (*number, term)));
            while let Some((_, term)) = joined.next_if(|(from, _)| *from <= within) {
                inner.extend(around.map(|(_, number)| (*number, *term)));
            }
        });
        // Words come first: a content with too many terms loses the names that are joined.
        for (_, term) in whole {
            counter.add_whole(term, field);
        }
    }
    inner.sort_unstable();
    inner
}

/// True for what has a place and no end: the text up to the next of its sort is its own.
fn is_open_ended(definition: &Definition) -> bool {
    matches!(
        definition.kind,
        Kind::Heading | Kind::Target | Kind::Instruction | Kind::Key
    )
}

fn definitions(text: &str, about: String, found: Vec<Hit>, inner: &[(u32, Term)]) -> Definitions {
    let mut list: Vec<Definition> = Vec::with_capacity(found.len());
    let lines = Lines::of(text.as_bytes());
    let starts: Vec<usize> = found.iter().map(|found| found.range.start).collect();
    for (
        number,
        Hit {
            range,
            mut definition,
            ..
        },
    ) in found.into_iter().enumerate()
    {
        definition.line = lines.at(range.start);
        definition.line_end = lines.at(range.end.saturating_sub(1).max(range.start));
        if is_open_ended(&definition) {
            let next = starts
                .get(number + 1)
                .map_or(lines.at(text.len().saturating_sub(1)), |start| {
                    lines.at(*start) - 1
                });
            definition.line_end = definition.line_end.max(next);
        }
        list.push(definition);
    }
    for same in inner.chunk_by(|one, other| one == other) {
        let (number, term) = same[0];
        list[number as usize]
            .terms
            .push((term, in_byte(same.len())));
    }
    list.sort_by_key(|definition| definition.line);
    let list = list.into();
    Definitions { about, list }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::DefinitionNumber;
    use crate::find::term::distinct;
    use crate::symbol::extract;

    fn read_as(language: Language, data: &[u8]) -> (Words, Definitions) {
        let ContentReading { words, definitions } = read(&extract(Some(language), data), data);
        (words, definitions)
    }

    fn term(word: &str) -> Term {
        distinct(word, 1)[0].0
    }

    #[test]
    fn each_definition_has_its_lines_and_its_own_terms() {
        let text = "//! Walks trees.\n\n/// Holds what is hidden.\npub struct Walker {\n    hidden: bool,\n}\n\nimpl Walker {\n    /// Skips.\n    fn skip(&self) -> bool {\n        ignore(self.hidden, \"vendor\")\n    }\n}\n";
        let (words, found) = read_as(Language::Rust, text.as_bytes());
        assert_eq!(found.about, "Walks trees.");
        let told: Vec<_> = found
            .list
            .iter()
            .map(|one| {
                (
                    one.owner.as_str(),
                    one.name.as_str(),
                    one.line,
                    one.line_end,
                )
            })
            .collect();
        assert_eq!(
            told,
            [
                ("", "Walker", 4, 6),
                ("Walker", "hidden", 5, 5),
                ("Walker", "skip", 10, 12)
            ]
        );
        let counts = |at| {
            ["hidden", "vendor", "bool"]
                .map(|word| found.list[DefinitionNumber::new(at)].count(term(word)))
        };
        assert_eq!(
            (counts(0), counts(1), counts(2)),
            ([2, 0, 1], [0, 0, 0], [1, 1, 1])
        );
        // Names, comments, strings, code.
        assert_eq!(
            words.hits(&[term("hidden"), term("vendor")]).counts,
            [[1, 1, 0, 2], [0, 0, 1, 0]]
        );
    }

    /// Before, the members of all implementations of a trait for types of elsewhere looked the same.
    #[test]
    fn an_implementation_for_a_type_of_elsewhere_names_both() {
        let text = "impl<T: Sell> Display for Till<T> where T: Copy { fn fmt(&self) {} }\nstruct A;\nimpl Display for A { fn fmt(&self) {} }\n";
        let (_, found) = read_as(Language::Rust, text.as_bytes());
        let owners: Vec<&str> = found.list.iter().map(|one| one.owner.as_str()).collect();
        assert_eq!(owners, ["Display for Till<T>", "", "A.Display"]);
    }

    #[test]
    fn headings_own_what_stands_below_them() {
        let (_, found) = read_as(
            Language::Markdown,
            b"Intro.\n\n# One\n\nfirst words\n\n## Two\n\nsecond words\n",
        );
        let told: Vec<_> = found
            .list
            .iter()
            .map(|one| (one.name.as_str(), one.line, one.line_end))
            .collect();
        assert_eq!(told, [("One", 3, 6), ("Two", 7, 9)]);
        assert_eq!(
            ["first", "second"].map(|word| found.list[DefinitionNumber::new(1)].count(term(word))),
            [0, 1]
        );
    }

    #[test]
    fn what_has_no_place_of_its_own_is_found_in_its_owner_as_a_whole_word() {
        let text = "def params\n  super\nend\n\nclass Entry\n  include Xparams\n  attr_accessor :params\nend\n";
        let (_, found) = read_as(Language::Ruby, text.as_bytes());
        let told: Vec<_> = found
            .list
            .iter()
            .map(|one| (one.owner.as_str(), one.name.as_str(), one.line))
            .collect();
        assert_eq!(
            told,
            [("", "params", 1), ("", "Entry", 5), ("Entry", "params", 7)]
        );
    }

    #[test]
    fn what_is_no_text_has_no_words() {
        assert_eq!(
            read(&extract(None, b"\0binary"), b"\0binary"),
            ContentReading::default()
        );
        assert_eq!(read_as(Language::Rust, b"\xff"), Default::default());
    }
}
