//! The shape of a language as data: which syntax nodes declare something, and how to read them.

use std::cell::Cell;
use std::collections::BTreeSet;

use tree_sitter::Node;

use super::level::{Level, Place};
use crate::symbol::comment::Style;
use crate::symbol::outline::Kind;

/// One language.
pub(super) struct Grammar {
    /// The compiled grammar.
    pub language: fn() -> tree_sitter::Language,
    /// What to do with each kind of node that can stand at a declaration level.
    pub rules: fn(&str) -> Rule,
    /// Kinds of nodes that are left out of signatures, comments included.
    pub hidden: &'static [&'static str],
    /// How comments look.
    pub style: Style,
    /// Whether a comment above a declaration is its documentation.
    pub is_doc: fn(&str) -> bool,
    /// Whether a declaration may be used by other files.
    pub is_public: fn(&Declared<'_>) -> bool,
    /// Whether it is for its own package, crate or assembly only.
    pub is_package: fn(&Declared<'_>) -> bool,
    /// Last touches when the whole file has been read.
    pub finish: for<'t> fn(&mut Walk<'t>, &mut Level<'t>),
}

/// What decides about visibility.
pub(super) struct Declared<'a> {
    /// Where the declaration stands.
    pub place: &'a Place<'a>,
    /// The text before its name: modifiers, keyword, type.
    pub prefix: &'a str,
    /// Its name.
    pub name: &'a str,
}

impl Declared<'_> {
    /// Whether a word stands before the name.
    pub(super) fn says(&self, word: &str) -> bool {
        self.prefix
            .split(|c: char| !c.is_alphanumeric() && c != '_')
            .any(|found| found == word)
    }
}

/// What the language cannot say in a table.
pub(super) type Special = for<'t> fn(&mut Walk<'t>, &mut Level<'t>, Node<'t>);

/// What a kind of node means at a declaration level.
pub(super) enum Rule {
    /// Text that may document what follows.
    Comment,
    /// Stands between a comment and its declaration, and is remembered for it.
    Attribute,
    /// Words to the compiler or the editor between a comment and its declaration.
    Aside,
    /// An import; the words at its start are dropped.
    Import(&'static [&'static str]),
    /// A bracket around declarations of the same level, such as `#ifdef`.
    Inside,
    /// The first part of the declaration inside it, such as a decorator or `template <…>`.
    Wrap,
    /// A declaration.
    Item(Item),
    /// Anything else.
    Special(Special),
    /// Passed over.
    Pass,
}

/// A declaration that reads like most. Parts are named by their field or by their kind of node.
#[derive(Clone, Copy)]
pub(super) struct Item {
    /// What it declares.
    pub kind: Kind,
    /// The part that names it.
    pub name: &'static str,
    /// The parts of which the first one ends the signature.
    pub cut: &'static [&'static str],
    /// The part whose children are members; empty for none.
    pub members: &'static str,
    /// The part that is shown when it is short and ends the signature when not; empty for none.
    pub value: &'static str,
    /// Whether members are public unless they say otherwise.
    pub open: bool,
    /// Whether it is as public as what it is part of, whatever stands before its name.
    pub visible: bool,
}

impl Item {
    /// A declaration that is nothing but its signature.
    pub(super) const fn new(kind: Kind) -> Self {
        Self {
            kind,
            name: "name",
            cut: &[],
            members: "",
            value: "",
            open: false,
            visible: false,
        }
    }

    /// Something with a body that is not looked into.
    pub(super) const fn body(kind: Kind, cut: &'static [&'static str]) -> Self {
        Self {
            cut,
            ..Self::new(kind)
        }
    }

    /// A type with members in one of its parts.
    pub(super) const fn of(
        kind: Kind,
        members: &'static str,
        cut: &'static [&'static str],
    ) -> Self {
        Self {
            cut,
            members,
            ..Self::new(kind)
        }
    }

    /// The same, with members that are public.
    pub(super) const fn open(self) -> Self {
        Self { open: true, ..self }
    }

    /// The same, always public.
    pub(super) const fn visible(self) -> Self {
        Self {
            visible: true,
            ..self
        }
    }

    /// The same, with another part as the name.
    pub(super) const fn named(self, name: &'static str) -> Self {
        Self { name, ..self }
    }

    /// The same, with a value.
    pub(super) const fn valued(self, value: &'static str) -> Self {
        Self { value, ..self }
    }
}

/// Every comment above a declaration documents it.
pub(super) fn any_comment(_: &str) -> bool {
    true
}

/// The language has no packages that hide something.
pub(super) fn no_package(_: &Declared<'_>) -> bool {
    false
}

/// Only `/** … */` documents.
pub(super) fn star_comment(text: &str) -> bool {
    text.starts_with("/**") && !text.starts_with("/***")
}

/// Nothing is left to do at the end.
pub(super) fn nothing<'t>(_: &mut Walk<'t>, _: &mut Level<'t>) {}

/// The rules of a grammar by the number of a node kind.
pub(super) struct Rules {
    pub grammar: &'static Grammar,
    by_kind: Vec<Rule>,
    hidden: Vec<bool>,
    names: Vec<bool>,
}

impl Rules {
    pub(super) fn new(grammar: &'static Grammar) -> Self {
        let language = (grammar.language)();
        let kinds = u16::try_from(language.node_kind_count());
        let kinds = 0..kinds.expect("a kind has a number of 16 bits");
        let name = |id| {
            language
                .node_kind_for_id(id)
                .filter(|_| language.node_kind_is_named(id))
                .unwrap_or_default()
        };
        Self {
            grammar,
            by_kind: kinds.clone().map(|id| (grammar.rules)(name(id))).collect(),
            hidden: kinds
                .clone()
                .map(|id| grammar.hidden.contains(&name(id)))
                .collect(),
            names: kinds.map(|id| NAMES.contains(&name(id))).collect(),
        }
    }

    /// The rule for a kind of node.
    pub(super) fn of(&self, kind: u16) -> &Rule {
        self.by_kind.get(usize::from(kind)).unwrap_or(&Rule::Pass)
    }

    /// Whether nodes of this kind are comments.
    pub(super) fn is_comment(&self, kind: u16) -> bool {
        matches!(self.of(kind), Rule::Comment)
    }

    /// Whether nodes of this kind are names that may refer to something.
    pub(super) fn is_name(&self, kind: u16) -> bool {
        self.names.get(usize::from(kind)).copied().unwrap_or(false)
    }

    /// Whether nodes of this kind are left out of signatures.
    pub(super) fn hides(&self, kind: u16) -> bool {
        self.hidden.get(usize::from(kind)).copied().unwrap_or(false)
    }
}

/// Leaves that are names, in all grammars.
pub(super) const NAMES: &[&str] = &[
    "identifier",
    "type_identifier",
    "field_identifier",
    "property_identifier",
    "shorthand_property_identifier",
    "shorthand_field_identifier",
    "namespace_identifier",
    "constant",
    "name",
    "command_name",
    "variable_name",
];

/// A name that a file offers by a statement of its own.
pub(super) struct Offer {
    /// What the file calls it.
    pub local: String,
    /// What others call it.
    pub name: String,
    /// How the statement says so, for what is declared elsewhere.
    pub text: String,
    /// The same for what the file declares under another name.
    pub mark: String,
}

/// One reading of one file.
pub(super) struct Walk<'t> {
    pub text: &'t str,
    /// The first paragraph about the file.
    pub doc: String,
    pub imports: Vec<String>,
    /// Names that the file says are public, whatever their declaration says.
    pub exports: BTreeSet<String>,
    /// How these names are offered, where a statement of its own says so.
    pub offers: Vec<Offer>,
    /// Whether the grammar could not read all of it.
    pub is_broken: bool,
    pub rules: &'t Rules,
    /// Several declarations may share attributes: together they have no more than the file.
    pub attribute_bytes_left: Cell<usize>,
    pub symbols_left: usize,
    pub more: u64,
    pub nesting: usize,
    pub depth: usize,
}
