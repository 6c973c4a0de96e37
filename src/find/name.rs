//! A question that is one name: what declares it, and where it is used.
//!
//! `send_file`, `Request`, `Blueprint.register`, `update()`, `class Scaffold`. A word in small letters is a topic unless
//! something in the question says that it is a name. Uses are read from the text of each file that is shown: whole words
//! in code and strings, so every use of the name that is written out is seen, whichever declaration of that name it means.

use std::fmt::Write as _;

use super::definition::{Definition, DefinitionNumber, Definitions};
use super::region::{Field, regions};
use super::term::{attribute_name, has_words, plain};
use crate::base::lines::Lines;
use crate::symbol::map::is_prose;
use crate::symbol::{Kind, Language, detect};

/// Words in front of a name that say that it is one.
#[rustfmt::skip]
const KEYWORDS: &[&str] = &[
    "class", "const", "def", "enum", "fn", "fun", "func", "function", "impl", "interface", "macro", "method", "module", "struct",
    "trait", "type",
];
/// Those that are no words of English: what follows is a name however it is written.
const CODE_WORDS: &[&str] = &["def", "fn", "func"];
/// Words for what a method is called on; they name no type.
const SELVES: &[&str] = &["this", "self", "cls"];
/// What joins a name to what it belongs to.
const JOINS: &[&str] = &["::", "->", "\\", "#", "."];
/// Lines of one user that are printed.
const LINES_MAX: usize = 8;
/// Most uses that are read of one file.
const USES_MAX: usize = 20_000;

/// The name that a question consists of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Name {
    /// The name itself.
    pub text: String,
    /// What it belongs to, as far as the question says.
    owner: Option<String>,
}

/// A file that may have a name.
#[derive(Debug, Clone, Copy)]
pub struct NamingFile<'f> {
    /// Its path.
    pub path: &'f str,
    /// What it defines.
    pub definitions: &'f Definitions,
    /// Its text.
    pub text: &'f str,
    /// The language of that.
    pub language: Option<Language>,
}

/// What a file has of a name.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Mentions {
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
    /// The definition around them, with its owner; `None` at the level of the file, and where its name is no word.
    pub within: Option<String>,
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
        let called = rest.strip_suffix(')').and_then(|call| call.split_once('('));
        let called = called.map(|(name, _)| name);
        let path = plain(called.unwrap_or(rest)).trim_start_matches('\\');
        let join = JOINS
            .iter()
            .filter_map(|join| Some((path.rfind(join)?, join.len())));
        let (owner, text) = match join.max() {
            Some((at, len)) => (Some(&path[..at]), &path[at + len..]),
            None => (None, path),
        };
        let is_owner = |owner: &str| {
            owner
                .split(|c| "$:->#.\\".contains(c))
                .all(|part| part.chars().all(is_part))
        };
        if !is_name(text) || owner.is_some_and(|owner| owner.is_empty() || !is_owner(owner)) {
            return None;
        }
        // `max.poll.records` is a setting, `Cargo.toml` and `Node.js` are files; a class begins with a capital.
        let file = path.as_bytes();
        if called.is_none() && owner.is_some() && (detect(file, b"").is_some() || is_prose(file)) {
            return None;
        }
        let has_capital = path.contains(|c: char| c.is_uppercase());
        let is_joined = owner.is_some() && (has_capital || !path.contains('.'));
        let says =
            called.is_some() || is_joined || keyword.is_some_and(|word| CODE_WORDS.contains(&word));
        let is_marked = text.starts_with('_') || text.ends_with('!');
        let is_written_so = owner.is_none() && (is_marked || has_words(text) || has_capital);
        (says || is_written_so).then(|| Self {
            text: text.to_owned(),
            owner: owner
                .map(last_part)
                .filter(|owner| !SELVES.contains(owner))
                .map(str::to_owned),
        })
    }

    /// True when its words say nothing that the name does not: all places that write it are known by its own term.
    pub(super) fn is_known_everywhere(&self) -> bool {
        self.owner.is_none() && self.text.is_ascii() && has_words(&self.text)
    }

    /// True when a text has the owner as a whole word, or none is named.
    fn is_owner_in(&self, text: &str) -> bool {
        let owner = self.owner.as_deref();
        owner.is_none_or(|owner| places(text, owner).next().is_some())
    }

    /// True for a definition of that name.
    fn names(&self, definition: &Definition) -> bool {
        let Definition {
            kind,
            name,
            signature,
            ..
        } = definition;
        kind.declares_a_name()
            && (plain(name) == self.text
                || attribute_name(*kind, name, signature) == Some(&self.text))
    }

    /// How many lines a definition of that name has; 0 for one of another.
    #[must_use]
    pub fn lines_of(&self, definition: &Definition) -> u32 {
        if self.names(definition) {
            definition.line_end.saturating_sub(definition.line) + 1
        } else {
            0
        }
    }

    /// True for a definition whose owner is just what the question says, and not a part of it.
    #[must_use]
    pub fn is_whole_owner(&self, definition: &Definition) -> bool {
        self.names(definition) && self.owner.as_ref() == Some(&definition.owner)
    }

    /// True for a definition that belongs to what the question says: a type, a trait, a module or what its path names.
    #[must_use]
    pub fn is_owned(&self, definition: &Definition, path: &str) -> bool {
        let around = match definition.owner.as_str() {
            "" => path,
            owner => owner,
        };
        self.names(definition) && self.owner.is_some() && self.is_owner_in(around)
    }
}

impl Mentions {
    /// True for a file that does not write the name, but its words.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.declared.is_empty() && self.extending.is_empty() && self.uses.is_empty()
    }

    /// Reads what a file has of a name. With `owned` only definitions of the owner that the question names count.
    #[must_use]
    pub fn of(name: &Name, file: &NamingFile<'_>, owned: bool) -> Self {
        let NamingFile { text, language, .. } = *file;
        let list = &file.definitions.list;
        let is_written = places(text, &name.text).next().is_some();
        if !is_written && !list.iter().any(|definition| name.names(definition)) {
            return Self::default();
        }
        let is_owned = |at: &DefinitionNumber| name.is_owned(&list[*at], file.path);
        let named = list.indices().filter(|at| name.names(&list[*at]));
        let (mut declared, others): (Vec<_>, Vec<_>) = named.partition(is_owned);
        // A file that does not write the owner uses another thing of that name.
        let uses_max = if !declared.is_empty() || name.is_owner_in(text) {
            USES_MAX
        } else {
            0
        };
        if !owned {
            declared.extend(&others);
        }
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
        let is_code = language.is_some_and(Language::has_grammar);
        let lines = Lines::of(text.as_bytes());
        let found = regions(text, language)
            .into_iter()
            .filter(|(_, field)| !is_code || *field != Field::Prose)
            .flat_map(|(range, field)| {
                let found = places(&text[range.clone()], &name.text);
                found.map(move |at| (range.start + at, field))
            })
            .take(uses_max);
        let mut uses: Vec<NameUse> = Vec::new();
        let mut declaring: Vec<DefinitionNumber> = Vec::new();
        for (at, field) in found {
            let line = lines.at(at);
            // The first place in the code of a definition of that name is its own.
            let is_own = |at: &&DefinitionNumber| {
                has_line(&list[**at], line)
                    && !declaring.contains(*at)
                    && plain(&list[**at].name) == name.text
            };
            if field != Field::Quoted
                && let Some(own) = declared.iter().chain(&others).find(is_own)
            {
                declaring.push(*own);
                continue;
            }
            let within = place_of(file.definitions, line, name, &text[at..]);
            match uses.iter_mut().find(|used| used.within == within) {
                Some(used) if used.lines.last() == Some(&line) => {}
                Some(used) => used.lines.push(line),
                None => uses.push(NameUse {
                    within,
                    lines: vec![line],
                }),
            }
        }
        Self {
            declared,
            extending,
            uses,
        }
    }
}

fn has_line(definition: &Definition, line: u32) -> bool {
    (definition.line..=definition.line_end).contains(&line)
}

/// What a use stands in: the innermost definition around it whose name is a word, or the type that implements the name.
/// `rest` is the text from the use on.
fn place_of(definitions: &Definitions, line: u32, name: &Name, rest: &str) -> Option<String> {
    if let Some(within) = innermost(definitions, line) {
        return named(within);
    }
    // No definition is an `impl Sink for Writer` itself: its members say whose they are, `Writer.Sink` where the type
    // stands in this file, `Sink for Writer` elsewhere.
    if !rest.lines().next()?.contains(" for ") {
        return None;
    }
    let behind = definitions.list.iter().find(|behind| behind.line > line)?;
    let (implemented, implementing) = match behind.owner.split_once(" for ") {
        Some(both) => both,
        None => behind
            .owner
            .rsplit_once('.')
            .map(|(who, what)| (what, who))?,
    };
    (implemented == name.text)
        .then(|| implementing.to_owned())
        .filter(|text| is_word(text))
}

/// The innermost definition around a line.
fn innermost(definitions: &Definitions, line: u32) -> Option<&Definition> {
    let around = definitions
        .list
        .iter()
        .filter(|around| has_line(around, line));
    around
        .rev()
        .min_by_key(|around| around.line_end - around.line)
}

/// The name of a definition with its owner, if it can stand in a row.
fn named(definition: &Definition) -> Option<String> {
    [definition.path(), definition.name.clone()]
        .into_iter()
        .find(|text| is_word(text))
}

/// A heading and the title of a test cannot stand in a row.
fn is_word(text: &str) -> bool {
    !text.contains(|c: char| c.is_whitespace() || c.is_control())
}

impl NameUse {
    /// The place of a line.
    #[must_use]
    pub fn at(definitions: &Definitions, line: u32) -> Self {
        Self {
            within: innermost(definitions, line).and_then(named),
            lines: vec![line],
        }
    }

    /// As it stands in a row with others: ` MapLinks.encode:66,71`, ` 19`.
    pub(super) fn shown(&self) -> String {
        let mut shown = match &self.within {
            Some(within) => format!(" {within}:"),
            None => " ".to_owned(),
        };
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
    owner
        .rsplit(|c| ":>#.\\".contains(c))
        .next()
        .unwrap_or(owner)
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

    fn mentions(
        name: &Name,
        definitions: &Definitions,
        text: &str,
        language: Language,
    ) -> Mentions {
        let file = NamingFile {
            path: "src/base.rs",
            definitions,
            text,
            language: Some(language),
        };
        Mentions::of(name, &file, false)
    }

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
            "README.md",
            "Node.js",
            "Cargo.toml",
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
            let named = mentions(&name, &definitions, text, Language::Rust);
            let names = |list: &[DefinitionNumber]| {
                list.iter()
                    .map(|at| definitions.list[*at].name.clone())
                    .collect::<Vec<_>>()
            };
            let uses: String = named.uses.iter().map(NameUse::shown).collect();
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

    /// No definition is an `impl` itself, and a title of several words cannot stand in a row.
    #[test]
    fn uses_outside_of_definitions_say_what_implements_the_name() {
        let text = "use base::Till;\n\nimpl Till for Drawer {\n    fn open(&self) {}\n}\n";
        let outline = extract(Some(Language::Rust), text.as_bytes());
        let definitions = read(&outline, text.as_bytes()).definitions;
        let name = Name::of("Till").expect("a name");
        let uses = |definitions: &Definitions, text: &str, language| {
            let named = mentions(&name, definitions, text, language);
            named.uses.iter().map(NameUse::shown).collect::<String>()
        };
        assert_eq!(uses(&definitions, text, Language::Rust), " 1 Drawer:3");
        let page = "# Of tills\n\nA Till, a\nTill.\n\n# Till and drawer\n\nTill\n";
        let outline = extract(Some(Language::Markdown), page.as_bytes());
        let definitions = read(&outline, page.as_bytes()).definitions;
        assert_eq!(uses(&definitions, page, Language::Markdown), " 3,4,6,8");
    }

    /// Before, no file declared `Key` where the class is `KeyAttribute`.
    #[test]
    fn an_attribute_is_declared_by_its_class() {
        let named = |question: &str, language: Language, text: &str| {
            let outline = extract(Some(language), text.as_bytes());
            let definitions = read(&outline, text.as_bytes()).definitions;
            let name = Name::of(question).expect("a name");
            let named = mentions(&name, &definitions, text, language);
            let uses: String = named.uses.iter().map(NameUse::shown).collect();
            (named.declared.len(), uses)
        };
        let text = "class KeyAttribute : Data.Attribute {\n  Key inner;\n}\nclass Item { [Key] int id; }\n";
        let used = " KeyAttribute.inner:2 Item.id:4".to_owned();
        assert_eq!(named("Key", Language::CSharp, text), (1, used));
        for text in [
            "class KeyAttribute(string a) : NameAttribute(a);",
            "class KeyAttribute<T> : NameAttribute<T> where T : class { }",
        ] {
            assert_eq!(
                named("Key", Language::CSharp, text),
                (1, String::new()),
                "{text}"
            );
        }
        for (language, text) in [
            (Language::CSharp, "class KeyAttribute { }"),
            (Language::CSharp, "class KeyAttribute : IAttribute { }"),
            (Language::Cpp, "class KeyAttribute : public Attribute { };"),
            (Language::Kotlin, "class KeyAttribute : Attribute()"),
            (
                Language::Kotlin,
                "class KeyAttribute(val a: Int) : Attribute(a)",
            ),
            (
                Language::Php,
                "<?php\nfunction KeyAttribute($a) : ?Attribute {}",
            ),
        ] {
            assert_eq!(named("Key", language, text), (0, String::new()), "{text}");
        }
    }

    #[test]
    fn a_definition_of_the_owner_comes_first() {
        let text = "class A:\n    def run(self):\n        B.run()\n\nclass B:\n    def run(self):\n        run()\n";
        let outline = extract(Some(Language::Python), text.as_bytes());
        let definitions = read(&outline, text.as_bytes()).definitions;
        let name = Name::of("B.run").expect("a name");
        let named = mentions(&name, &definitions, text, Language::Python);
        let lines: Vec<u32> = named
            .declared
            .iter()
            .map(|at| definitions.list[*at].line)
            .collect();
        assert_eq!(lines, [6, 2]);
        let uses: String = named.uses.iter().map(NameUse::shown).collect();
        assert_eq!(uses, " A.run:3 B.run:7");
    }
}
