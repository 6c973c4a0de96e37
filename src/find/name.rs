//! A question that is one name: what declares it, and where it is used.
//!
//! `send_file`, `Request`, `Blueprint.register`, `update()`, `class Scaffold`. A word in small letters is a topic unless
//! something in the question says that it is a name. Uses are read from the text of each file that is shown: whole words
//! in code and strings, so every use of the name that is written out is seen, whichever declaration of that name it means.

use std::fmt::Write as _;

use super::definition::{Definition, DefinitionNumber, Definitions};
use super::region::{Field, regions};
use super::term::{Term, has_words, whole};
use crate::base::lines::Lines;
use crate::symbol::{Kind, Language};

/// Words in front of a name that say that it is one.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "class", "const", "def", "enum", "fn", "fun", "func", "function", "impl", "interface", "macro", "method", "module", "struct",
    "trait", "type",
];
/// Those that are no words of English: what follows is a name however it is written.
const CODE_WORDS: &[&str] = &["def", "fn", "func"];
/// What joins a name to what it belongs to.
const JOINS: &[&str] = &["::", "->", "#", "."];
/// Lines of one user that are printed.
const LINES_MAX: usize = 8;

/// The name that a question consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// What it belongs to, as far as the question says.
    owner: Option<String>,
    /// Its term.
    pub(super) term: Term,
}

/// What a file has of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Named {
    /// The definitions that have it, those of the owner in the question first.
    pub declared: Vec<DefinitionNumber>,
    /// Types that say the name in their signature: what extends or implements it.
    pub extending: Vec<DefinitionNumber>,
    /// Where it is used, in the order of the text.
    pub uses: Vec<NameUse>,
}

/// The places in one definition that use a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct NameUse {
    /// The innermost definition around them; `None` at the level of the file.
    pub within: Option<DefinitionNumber>,
    /// Their lines, each once.
    pub lines: Vec<u32>,
}

impl Name {
    /// The name, if a question is nothing else.
    #[must_use]
    pub fn of(question: &str) -> Option<Self> {
        let question = question.trim().trim_matches(['`', '"', '\'']);
        let (keyword, rest) = match question.split_once(' ') {
            Some((word, rest)) if KEYWORDS.contains(&word) => (Some(word), rest.trim_start()),
            _ => (None, question),
        };
        let called = rest.strip_suffix("()");
        let path = called.unwrap_or(rest);
        let join = JOINS
            .iter()
            .filter_map(|join| Some((path.rfind(join)?, join.len())));
        let (owner, text) = match join.max() {
            Some((at, len)) => (Some(&path[..at]), &path[at + len..]),
            None => (None, path),
        };
        let is_owner = |owner: &str| {
            owner
                .split(|c| ":->#.".contains(c))
                .all(|part| part.chars().all(is_part))
        };
        if !is_name(text) || owner.is_some_and(|owner| owner.is_empty() || !is_owner(owner)) {
            return None;
        }
        // `max.poll.records` is a setting and `notes.txt` a file; a class begins with a capital.
        let has_capital = path.contains(|c: char| c.is_uppercase());
        let is_joined = owner.is_some() && (has_capital || !path.contains('.'));
        let says =
            called.is_some() || is_joined || keyword.is_some_and(|word| CODE_WORDS.contains(&word));
        let is_written_so = owner.is_none() && (has_words(text) || has_capital);
        (says || is_written_so).then(|| Self {
            text: text.to_owned(),
            owner: owner.map(|owner| last_part(owner).to_owned()),
            term: whole(text),
        })
    }

    /// True when its words say nothing that the name does not: all places that write it are known by its own term.
    pub(super) fn is_known_everywhere(&self) -> bool {
        self.owner.is_none() && has_words(&self.text)
    }

    /// How well a definition is what was named: `None` for other names, more for the owner that the question names.
    fn fits(&self, definition: &Definition) -> Option<bool> {
        let is_owner = |owner: &String| last_part(&definition.owner) == owner;
        (definition.name == self.text).then(|| self.owner.as_ref().is_some_and(is_owner))
    }
}

impl Named {
    /// True for a file that does not write the name, but its words.
    pub(super) fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.extending.is_empty() && self.uses.is_empty()
    }

    /// Reads what a file has of a name.
    #[must_use]
    pub fn of(
        name: &Name,
        definitions: &Definitions,
        text: &str,
        language: Option<Language>,
    ) -> Self {
        let list = &definitions.list;
        let fits = |at: &DefinitionNumber| name.fits(&list[*at]);
        let mut declared: Vec<DefinitionNumber> =
            list.indices().filter(|at| fits(at).is_some()).collect();
        declared.sort_by_key(|at| fits(at) != Some(true));
        let extends = |at: &DefinitionNumber| {
            let definition = &list[*at];
            let is_type = matches!(
                definition.kind,
                Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface
            );
            is_type
                && definition.name != name.text
                && places(&definition.signature, &name.text).next().is_some()
        };
        let extending = list.indices().filter(extends).collect();
        let mut uses: Vec<NameUse> = Vec::new();
        let lines = Lines::of(text.as_bytes());
        let mut declaring: Vec<DefinitionNumber> = Vec::new();
        for (range, _) in regions(text, language).into_iter().filter(|(_, field)| {
            language.is_none_or(|language| !language.has_grammar()) || *field != Field::Prose
        }) {
            for at in places(&text[range.clone()], &name.text) {
                let line = lines.at(range.start + at);
                let around =
                    |at: &DefinitionNumber| (list[*at].line..=list[*at].line_end).contains(&line);
                // The first place in a definition of that name is its own.
                let is_own = |at: &&DefinitionNumber| around(at) && !declaring.contains(*at);
                if let Some(own) = declared.iter().find(is_own) {
                    declaring.push(*own);
                    continue;
                }
                let within = list
                    .indices()
                    .filter(around)
                    .min_by_key(|at| list[*at].line_end - list[*at].line);
                match uses.iter_mut().find(|used| used.within == within) {
                    Some(used) if used.lines.last() == Some(&line) => {}
                    Some(used) => used.lines.push(line),
                    None => uses.push(NameUse {
                        within,
                        lines: vec![line],
                    }),
                }
            }
        }
        Self {
            declared,
            extending,
            uses,
        }
    }
}

impl NameUse {
    /// As it stands in a row with others: ` MapLinks.encode:66,71`, ` 19`.
    pub(super) fn shown(&self, definitions: &Definitions) -> String {
        // A heading and the title of a test cannot stand in a row.
        let is_word = |text: &String| !text.contains(|c: char| c.is_whitespace() || c.is_control());
        let names = self.within.map(|at| &definitions.list[at]);
        let names = names.map(|within| [within.path(), within.name.clone()]);
        let name = names.into_iter().flatten().find(is_word);
        let mut shown = name.map_or_else(|| " ".to_owned(), |name| format!(" {name}:"));
        for (at, line) in self.lines.iter().take(LINES_MAX).enumerate() {
            let _ = write!(shown, "{}{line}", if at > 0 { "," } else { "" });
        }
        if let more @ 1.. = self.lines.len().saturating_sub(LINES_MAX) {
            let _ = write!(shown, ",+{more}");
        }
        shown
    }
}

/// The last part of a chain of names.
fn last_part(owner: &str) -> &str {
    owner.rsplit(|c| ":>#.".contains(c)).next().unwrap_or(owner)
}

/// True for letters, digits and underscores that begin with none of the digits; Ruby's `empty?` and `save!` are names, too.
fn is_name(text: &str) -> bool {
    let text = text.strip_suffix(['?', '!']).unwrap_or(text);
    text.trim_matches('_').len() > 1
        && text.chars().all(is_part)
        && !text.starts_with(|c: char| c.is_ascii_digit())
}

fn is_part(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// Where a text has a name as a whole word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole = move |at: &usize| {
        let behind = &text[at + name.len()..];
        !text[..*at].ends_with(is_part) && !behind.starts_with(is_part)
    };
    text.match_indices(name).map(|(at, _)| at).filter(is_whole)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::read;
    use crate::symbol::extract;

    #[test]
    fn a_question_is_a_name_when_it_is_written_like_one() {
        let name = |question: &str| {
            Name::of(question).map(|name| (name.owner.unwrap_or_default(), name.text))
        };
        let names = [
            ("send_file", "", "send_file"),
            ("`sendFile`", "", "sendFile"),
            ("Request", "", "Request"),
            ("update()", "", "update"),
            ("fn main", "", "main"),
            ("class Scaffold", "", "Scaffold"),
            ("flask.Blueprint.register", "Blueprint", "register"),
            ("Store::open()", "Store", "open"),
            ("store::open", "store", "open"),
            ("String#blank?", "String", "blank?"),
            ("_private_part", "", "_private_part"),
        ];
        for (question, owner, text) in names {
            assert_eq!(
                name(question),
                Some((owner.to_owned(), text.to_owned())),
                "{question}"
            );
        }
        let others = [
            "caching",
            "class names",
            "type inference",
            "how is Request read",
            "notes.txt",
            "max.poll.records",
            "--broker-list",
            "a",
            "x::",
            "::",
            "Request Response",
            "src/find/name.rs",
            "C++",
            "",
            "404",
        ];
        for question in others {
            assert_eq!(name(question), None, "{question}");
        }
    }

    #[test]
    fn uses_stand_in_the_innermost_definition_that_has_them() {
        let text = "\
use base::Till;

/// A Till is no use of it.
pub struct Tills(Vec<Till>);

impl Tills {
    // Till: a comment.
    pub fn first(&self) -> Option<&Till> {
        self.0.first().or(Some(Till::EMPTY)) // Till
    }
    pub fn other(&self) -> &str { \"Till\" }
    pub fn none(&self) -> Tilled { Tilled }
}
";
        let outline = extract(Some(Language::Rust), text.as_bytes());
        let definitions = read(&outline, text.as_bytes()).definitions;
        let named = |question: &str| {
            let name = Name::of(question).expect("a name");
            let named = Named::of(&name, &definitions, text, Some(Language::Rust));
            let names = |list: &[DefinitionNumber]| {
                list.iter()
                    .map(|at| definitions.list[*at].name.clone())
                    .collect::<Vec<_>>()
            };
            let uses: String = named
                .uses
                .iter()
                .map(|used| used.shown(&definitions))
                .collect();
            (names(&named.declared), names(&named.extending), uses)
        };
        let till = (
            Vec::new(),
            vec!["Tills".to_owned()],
            " 1 Tills:4 Tills.first:8,9 Tills.other:11".to_owned(),
        );
        assert_eq!(named("Till"), till);
        assert_eq!(
            named("Tills"),
            (vec!["Tills".to_owned()], Vec::new(), " 6".to_owned())
        );
        assert_eq!(named("Tills::none").0, ["none"]);
        let nothing = named("Nothing");
        assert_eq!(nothing, (Vec::new(), Vec::new(), String::new()));
    }

    #[test]
    fn a_definition_of_the_owner_comes_first() {
        let text = "class A:\n    def go(self):\n        B.go()\n\nclass B:\n    def go(self):\n        go()\n";
        let outline = extract(Some(Language::Python), text.as_bytes());
        let definitions = read(&outline, text.as_bytes()).definitions;
        let name = Name::of("B.go").expect("a name");
        let named = Named::of(&name, &definitions, text, Some(Language::Python));
        let lines: Vec<u32> = named
            .declared
            .iter()
            .map(|at| definitions.list[*at].line)
            .collect();
        assert_eq!(lines, [6, 2]);
        let uses: String = named
            .uses
            .iter()
            .map(|used| used.shown(&definitions))
            .collect();
        assert_eq!(uses, " A.go:3 B.go:7");
    }
}
