//! The walk over the declaration levels of a syntax tree, driven by the table of a language.
//!
//! A level is a list of siblings: the file, the body of a class, the inside of an `#ifdef`. The walk goes down only
//! where the table says that members stand, at most [`NESTING_MAX`] levels, so its recursion is bounded. Of
//! a function body it declares only the fields that a constructor sets and the tests inside. A comment is kept until
//! the declaration that it touches.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::{Node, Tree};

use super::body::Bodies;
use super::grammar::{Declared, Grammar, Item, Rule, Rules, Walk};
use super::level::{Adopted, Level, Place};
use super::signature::{Signature, fold_code};
use crate::base::number::to_u32;
use crate::symbol::comment::{self, cap};
use crate::symbol::head;
use crate::symbol::outline::{
    ATTRIBUTE_BYTES_MAX, ATTRIBUTES_MAX, BodyDigest, DEPTH_MAX, IMPORT_BYTES_MAX, IMPORTS_MAX,
    Kind, NAME_BYTES_MAX, Outline, SYMBOLS_MAX, Span, Symbol,
};

/// Deepest nesting of brackets such as `#ifdef` and of types in types together.
const NESTING_MAX: usize = 24;
/// Fewest signs that rule a heading off, on either side.
const RULE_BYTES_MIN: usize = 3;
/// Longest value of a constant that is shown.
const VALUE_BYTES_MAX: usize = 48;

/// Reads the declarations of a whole file into its outline: what is said of them from a text, and digests of their bodies
/// from another with the same places.
pub(super) fn read(outline: &mut Outline, tree: &Tree, rules: &Rules, [text, bodies]: [&str; 2]) {
    let mut walk = Walk::new(text, rules, std::mem::take(&mut outline.doc));
    let mut level = Level::new(Place::default());
    walk.is_broken = tree.root_node().has_error();
    walk.children(&mut level, tree.root_node());
    (rules.grammar.finish)(&mut walk, &mut level);
    outline.symbols = level.into_symbols();
    Bodies::new(tree, rules, bodies).digest_all(&mut outline.symbols);
    outline.doc = walk.doc;
    outline.imports = walk.imports;
    outline.more = walk.more;
}

/// A declaration whose parts have been found.
#[derive(Clone, Copy)]
pub(super) struct Head<'t> {
    pub node: Node<'t>,
    pub kind: Kind,
    /// The part that names it.
    pub name: Node<'t>,
    /// Where its text ends; `None` for the end of the node.
    pub end: Option<usize>,
}

impl<'t> Head<'t> {
    /// Its text is the whole node; `until` cuts it.
    pub(super) const fn new(node: Node<'t>, kind: Kind, name: Node<'t>) -> Self {
        Self {
            node,
            kind,
            name,
            end: None,
        }
    }

    pub(super) const fn until(self, end: Option<usize>) -> Self {
        Self { end, ..self }
    }
}

/// The parts of a declaration that matter.
#[derive(Default)]
pub(super) struct Parts<'t> {
    pub name: Option<Node<'t>>,
    pub end: Option<usize>,
    pub members: Option<Node<'t>>,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, rules: &'t Rules, doc: String) -> Self {
        Self {
            text,
            doc,
            imports: Vec::new(),
            exports: BTreeSet::new(),
            offers: Vec::new(),
            is_broken: false,
            rules,
            attribute_bytes_left: Cell::new(text.len()),
            symbols_left: SYMBOLS_MAX,
            more: 0,
            nesting: 0,
            depth: 0,
        }
    }

    fn grammar(&self) -> &'static Grammar {
        self.rules.grammar
    }

    /// The text of a node.
    pub(super) fn slice(&self, node: Node<'_>) -> &'t str {
        &self.text[node.byte_range()]
    }

    /// Reads all children of a node at one level.
    pub(super) fn children(&mut self, level: &mut Level<'t>, container: Node<'t>) {
        if self.nesting == NESTING_MAX {
            return;
        }
        self.nesting += 1;
        let mut cursor = container.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let node = cursor.node();
            if node.is_named() && node.start_byte() >= level.passed_to {
                self.visit(level, node);
            }
            more = cursor.goto_next_sibling();
        }
        self.nesting -= 1;
    }

    /// Reads the children of a bracket at the level around it, in a place that differs.
    pub(super) fn children_at(
        &mut self,
        level: &mut Level<'t>,
        container: Node<'t>,
        place: Place<'t>,
    ) {
        let before = std::mem::replace(&mut level.place, place);
        self.children(level, container);
        level.place = before;
    }

    /// Reads the members of a type.
    pub(super) fn members(
        &mut self,
        container: Node<'t>,
        owner: Kind,
        public: bool,
    ) -> Vec<Symbol> {
        if self.depth + 1 == DEPTH_MAX {
            return Vec::new();
        }
        self.depth += 1;
        let mut level = Level::new(Place {
            owner: Some(owner),
            public,
            wrap: None,
        });
        self.children(&mut level, container);
        self.depth -= 1;
        level.into_symbols()
    }

    fn visit(&mut self, level: &mut Level<'t>, node: Node<'t>) {
        let rule = if node.is_error() {
            &Rule::Inside
        } else {
            self.rules.of(node.kind_id())
        };
        match rule {
            Rule::Comment => {
                self.comment(level, node);
                return;
            }
            Rule::Aside => return level.note_aside(node),
            Rule::Attribute => return level.note_attribute(node),
            Rule::Inside => return self.children(level, node),
            Rule::Wrap => {
                let place = Place {
                    wrap: level.place.wrap.or(Some(node)),
                    ..level.place
                };
                return self.children_at(level, node, place);
            }
            Rule::Import(words) => self.import(node, words),
            Rule::Item(item) => self.declare(level, node, item),
            Rule::Special(special) => special(self, level, node),
            Rule::Pass if level.place.wrap.is_some() => return,
            Rule::Pass => {}
        }
        level.close(node);
    }

    /// Keeps a comment for the declaration below it; one that opens a group of declarations is about the file.
    fn comment(&mut self, level: &mut Level<'t>, node: Node<'t>) {
        let text = self.slice(node);
        if head::is_group(text) {
            level.drop_comment();
            let is_first = level.place.owner.is_none() && level.symbols.is_empty();
            if is_first && self.doc.is_empty() {
                self.doc = head::group_paragraph(text, self.grammar().style);
            }
        } else if (self.grammar().is_doc)(text) && !is_ruled(text) {
            level.note_comment(node);
        }
    }

    /// Takes an import as written, without its first words.
    pub(super) fn import(&mut self, node: Node<'t>, words: &[&str]) {
        let signature = Signature::read(
            self.text,
            node,
            node.start_byte()..node.end_byte(),
            self.rules,
        );
        let mut text = signature.text.as_str();
        for word in words {
            text = text.strip_prefix(word).map_or(text, str::trim_start);
        }
        self.import_text(text);
    }

    /// Takes an import.
    pub(super) fn import_text(&mut self, text: &str) {
        if self.imports.len() < IMPORTS_MAX && !text.is_empty() {
            let text = fold_code(text).replace("{ ", "{").replace(" }", "}");
            self.imports.push(cap(&text, IMPORT_BYTES_MAX));
        }
    }

    /// Notes that a name is public.
    pub(super) fn export(&mut self, name: Node<'_>) {
        self.exports.insert(self.slice(name).to_owned());
    }

    /// Finds the parts of a declaration among its direct children.
    pub(super) fn parts(&self, node: Node<'t>, item: &Item) -> Parts<'t> {
        let mut parts = Parts::default();
        let mut cursor = node.walk();
        let mut more = cursor.goto_first_child();
        while more {
            let child = cursor.node();
            let field = cursor.field_name().unwrap_or_default();
            let is = |part: &str| !part.is_empty() && (part == field || part == child.kind());
            if parts.name.is_none() && is(item.name) {
                parts.name = Some(child);
            }
            if parts.members.is_none() && is(item.members) {
                parts.members = Some(child);
            }
            if parts.end.is_none() {
                let cut =
                    item.cut.iter().any(|part| is(part)) || is(item.value) && self.is_long(child);
                parts.end = cut.then(|| child.start_byte());
            }
            more = cursor.goto_next_sibling();
        }
        parts
    }

    /// Whether a value is too long to be shown.
    pub(super) fn is_long(&self, value: Node<'_>) -> bool {
        let text = self.slice(value);
        text.len() > VALUE_BYTES_MAX || text.contains('\n')
    }

    /// Takes a declaration that reads like most.
    pub(super) fn declare(&mut self, level: &mut Level<'t>, node: Node<'t>, item: &Item) {
        let parts = self.parts(node, item);
        let Some(name) = parts.name else { return };
        if !self.has_room() {
            return;
        }
        let head = Head::new(node, item.kind, name).until(parts.end);
        let mut symbol = self.symbol(level, head);
        symbol.public |= item.visible;
        if let Some(members) = parts.members {
            symbol.children = self.members(members, item.kind, item.open);
        }
        level.symbols.push(symbol);
    }

    /// Adds the first symbol of a statement, and the names of the others that it declares.
    pub(super) fn push_all(
        &mut self,
        level: &mut Level<'t>,
        symbol: Symbol,
        others: impl IntoIterator<Item = Node<'t>>,
    ) {
        let first = level.symbols.len();
        self.push(level, symbol);
        self.declare_others(level, first, others);
    }

    /// Declares the other names of a statement that declares several, such as `int a, b;`, beside the first, which is the
    /// symbol at `first`. Each has the signature of the whole statement; what it is made of counts for the first.
    pub(super) fn declare_others(
        &mut self,
        level: &mut Level<'t>,
        first: usize,
        names: impl IntoIterator<Item = Node<'t>>,
    ) {
        let Some(named) = level.symbols.get(first).cloned() else {
            return;
        };
        for name in names {
            let [start, end] = [name.start_byte(), name.end_byte()].map(to_u32);
            let span = Span {
                start,
                end,
                name: start,
                body: end,
            };
            let other = Symbol {
                name: self.slice(name).to_owned(),
                span,
                ..named.clone()
            };
            self.push(level, other);
        }
    }

    /// Makes a symbol of a declaration whose text goes up to `end`.
    pub(super) fn symbol(&self, level: &Level<'t>, declaration: Head<'t>) -> Symbol {
        let Head {
            node,
            kind,
            name,
            end,
        } = declaration;
        let head = level.place.wrap.unwrap_or(node);
        let end = end.unwrap_or(node.end_byte()).max(head.start_byte());
        let name_text = self.slice(name);
        let prefix = self
            .text
            .get(head.start_byte()..name.start_byte())
            .unwrap_or_default();
        let declared = Declared {
            place: &level.place,
            prefix,
            name: name_text,
        };
        // Decorators may stand inside of what they decorate.
        let inner = level
            .attributes
            .iter()
            .filter(|range| (head.start_byte()..end).contains(&range.start));
        let start = inner
            .map(|range| range.end)
            .max()
            .unwrap_or(0)
            .clamp(head.start_byte(), end);
        let signature = Signature::read(self.text, head, start..end, self.rules);
        let body = if signature.is_cut {
            head.start_byte()
        } else {
            end
        };
        Symbol {
            kind: if kind == Kind::Function
                && level.place.owner.is_some_and(|owner| owner != Kind::Module)
            {
                Kind::Method
            } else {
                kind
            },
            name: cap(&fold_code(name_text), NAME_BYTES_MAX),
            attributes: self.attributes(level, signature.hidden),
            signature: signature.text,
            public: (self.grammar().is_public)(&declared),
            is_package: (self.grammar().is_package)(&declared),
            doc: self.doc_of(level, head),
            children: Vec::new(),
            span: Span {
                start: to_u32(head.start_byte()),
                end: to_u32(node.end_byte().max(end)),
                name: to_u32(name.start_byte()),
                body: to_u32(body),
            },
            body: BodyDigest::default(),
        }
    }

    /// A test that is a call and not a declaration, by its title.
    pub(super) fn test(call: Node<'_>, title: &str) -> Symbol {
        Self::test_at(call.byte_range(), title)
    }

    /// A test that is no node, by its place and its title.
    pub(super) fn test_at(range: Range<usize>, title: &str) -> Symbol {
        let mut symbol = Symbol::named(Kind::Test, title);
        let start = to_u32(range.start);
        symbol.span = Span {
            start,
            end: to_u32(range.end),
            name: start,
            body: start,
        };
        symbol.public = false;
        symbol
    }

    /// What a server answers to, by method and path; `None` for another call.
    pub(super) fn route(
        &self,
        level: &Level<'t>,
        call: Node<'t>,
        method: &str,
        path: &str,
    ) -> Option<Symbol> {
        let is_method = matches!(
            method,
            "get" | "post" | "put" | "patch" | "delete" | "all" | "head" | "options"
        );
        let name = format!("{} {path}", method.to_uppercase());
        is_method.then(|| Symbol {
            doc: self.doc_of(level, call),
            span: Self::test(call, "").span,
            ..with_short_name(Symbol::named(Kind::Route, &name))
        })
    }

    /// The attributes before a declaration and those within its signature, as far as there is room.
    fn attributes(&self, level: &Level<'t>, within: Vec<Range<usize>>) -> Vec<String> {
        let mut attributes = Vec::new();
        for range in level
            .attributes
            .iter()
            .cloned()
            .chain(within)
            .take(ATTRIBUTES_MAX)
        {
            let text = cap(&fold_code(&self.text[range]), ATTRIBUTE_BYTES_MAX);
            let left = self.attribute_bytes_left.get();
            // One that a condition switches on is none of every build's.
            let is_conditional = text.starts_with("#if ");
            if text.len() <= left && !is_conditional {
                self.attribute_bytes_left.set(left - text.len());
                attributes.push(text);
            }
        }
        attributes
    }

    /// The first paragraph of the comment that touches a declaration.
    pub(super) fn doc_of(&self, level: &Level<'t>, node: Node<'t>) -> String {
        let style = self.grammar().style;
        if let Some(range) = level.comment_above(node) {
            let said = &self.text[range];
            let text = comment::paragraph(said, style);
            let is_heading = comment::is_heading(said, style) || head::is_section(&text);
            return if is_heading { String::new() } else { text };
        }
        // One that is made to document may stand a line further up, and in Ruby that of a class.
        let is_class = matches!(node.kind(), "class" | "module");
        let apart = level.comment_apart(node).map(|range| &self.text[range]);
        let said =
            apart.filter(|text| text.starts_with("/**") || is_class && text.starts_with('#'));
        let said = said.filter(|text| !comment::is_heading(text, style));
        let said = said.map_or_else(String::new, |text| comment::paragraph(text, style));
        if said == self.doc || head::is_section(&said) {
            return String::new();
        }
        said
    }

    /// Adds a symbol, unless there are too many.
    pub(super) fn push(&mut self, level: &mut Level<'t>, symbol: Symbol) {
        if self.has_room() {
            level.symbols.push(with_short_name(symbol));
        }
    }

    /// Keeps a member for the type of that name.
    pub(super) fn adopt(
        &mut self,
        level: &mut Level<'t>,
        owner: &str,
        header: &str,
        member: Symbol,
    ) {
        if self.has_room() {
            let (owner, header) = (cap(owner, NAME_BYTES_MAX), cap(header, NAME_BYTES_MAX));
            level.adopted.push(Adopted {
                owner,
                header,
                members: vec![with_short_name(member)],
            });
        }
    }

    /// Takes one of the places for symbols; counts what finds none.
    pub(super) fn has_room(&mut self) -> bool {
        let room = self.symbols_left > 0;
        self.symbols_left -= usize::from(room);
        self.more += u64::from(!room);
        room
    }
}

/// Whether a comment is the heading of what follows up to the next: `# ---------- helpers ----------`.
fn is_ruled(comment: &str) -> bool {
    let text = comment
        .trim_start_matches(['/', '*', '#', ' ', '\t'])
        .trim_end_matches(['/', '*', '#', ' ', '\t']);
    let is_rule = |c: char| matches!(c, '-' | '=' | '~');
    let words = text.trim_matches(is_rule);
    let ruled = |len: usize| len >= RULE_BYTES_MIN;
    !words.is_empty()
        && !text.contains('\n')
        && ruled(text.len() - text.trim_start_matches(is_rule).len())
        && ruled(text.len() - text.trim_end_matches(is_rule).len())
}

/// The symbol with a name of one line that is not too long, wherever the name was found.
fn with_short_name(symbol: Symbol) -> Symbol {
    Symbol {
        name: cap(&fold_code(&symbol.name), NAME_BYTES_MAX),
        ..symbol
    }
}
