//! Rust. Inherent implementations are listed with their type, implementations of traits by the trait's name.

use std::collections::BTreeSet;
use std::ops::Range;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk};
use super::level::{Adopted, Level};
use super::walk::Head;
use crate::base::number::to_u32;
use crate::symbol::attribute::marks_test;
use crate::symbol::comment::{self, cap};
use crate::symbol::outline::{DEPTH_MAX, Kind, NAME_BYTES_MAX, SIGNATURE_BYTES_MAX, Span, Symbol};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_rust::LANGUAGE.into(),
    rules: |kind| match kind {
        "line_comment" | "block_comment" => Rule::Comment,
        "attribute_item" => Rule::Attribute,
        "function_item" => Rule::Item(Item::body(Kind::Function, &["body"])),
        "function_signature_item" => Rule::Item(Item::new(Kind::Function)),
        "struct_item" => Rule::Item(Item::of(
            Kind::Struct,
            "field_declaration_list",
            &["field_declaration_list"],
        )),
        "union_item" => Rule::Item(Item::of(Kind::Struct, "body", &["body"])),
        "field_declaration" => Rule::Item(Item::new(Kind::Field)),
        "enum_item" => Rule::Item(Item::of(Kind::Enum, "body", &["body"])),
        "enum_variant" => Rule::Item(Item::new(Kind::Variant).valued("value").visible()),
        "trait_item" => Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open()),
        "associated_type" | "type_item" => Rule::Item(Item::new(Kind::Type)),
        "const_item" => Rule::Item(Item::new(Kind::Constant).valued("value")),
        "static_item" => Rule::Item(Item::new(Kind::Variable).valued("value")),
        "mod_item" => Rule::Special(module),
        "impl_item" => Rule::Special(implementation),
        "macro_definition" => Rule::Special(macro_rules),
        "macro_invocation" => Rule::Special(invocation),
        "expression_statement" | "foreign_mod_item" | "declaration_list" => Rule::Inside,
        "use_declaration" => Rule::Special(import),
        "extern_crate_declaration" => Rule::Import(&["extern crate"]),
        _ => Rule::Pass,
    },
    hidden: &["line_comment", "block_comment", "attribute_item"],
    style: comment::SLASHES,
    is_doc: |text| {
        text.starts_with("///") && !text.starts_with("////")
            || text.starts_with("/**") && !text.starts_with("/***")
    },
    is_public,
    is_package,
    finish: hide_unreachable,
};

/// Visible beyond the module in any way; a field only when everybody sees it, members of traits always.
fn is_public(declared: &Declared<'_>) -> bool {
    let visible = match declared.place.owner {
        Some(Kind::Struct) => declared.prefix.starts_with("pub "),
        _ => is_visible(declared.prefix),
    };
    visible || declared.place.public
}

fn is_package(declared: &Declared<'_>) -> bool {
    declared
        .prefix
        .strip_prefix("pub")
        .is_some_and(|rest| rest.trim_start().starts_with('('))
        && is_visible(declared.prefix)
}

fn is_visible(text: &str) -> bool {
    let rest = text.strip_prefix("pub").map(str::trim_start);
    rest.is_some_and(|rest| !rest.starts_with("(self)") && !rest.starts_with("(in self)"))
}

/// A module that is there for tests only offers nothing, whatever it says; of it the tests are listed.
fn module<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let test = level
        .attributes
        .iter()
        .any(|attribute| marks_test(&walk.text[attribute.clone()]));
    if !test {
        let item = Item::of(Kind::Module, "body", &["body"]);
        return walk.declare(level, node, &item);
    }
    let known = level.symbols.len();
    walk.declare(level, node, &Item::body(Kind::Module, &["body"]));
    if let Some(symbol) = level.symbols.get_mut(known) {
        symbol.public = false;
        symbol.is_package = false;
        symbol.children = tests(walk, node, DEPTH_MAX.saturating_sub(walk.depth + 1));
    }
}

/// The functions of a module that are tests, and those of the modules in it.
fn tests<'t>(walk: &mut Walk<'t>, module: Node<'t>, depth_left: usize) -> Vec<Symbol> {
    let mut found = Vec::new();
    let body = module
        .child_by_field_name("body")
        .filter(|_| depth_left > 0);
    let Some(body) = body else { return found };
    let (mut cursor, mut is_marked) = (body.walk(), false);
    for node in body.named_children(&mut cursor) {
        let name = node.child_by_field_name("name");
        match (node.kind(), name) {
            ("attribute_item", _) => is_marked |= marks_test(walk.slice(node)),
            ("line_comment" | "block_comment", _) => {}
            ("function_item", Some(name)) if is_marked && walk.has_room() => {
                found.push(Walk::test(node, walk.slice(name)));
                is_marked = false;
            }
            ("mod_item", Some(name)) => {
                let children = tests(walk, node, depth_left - 1);
                if !children.is_empty() && walk.has_room() {
                    let group = Walk::test(node, walk.slice(name));
                    found.push(Symbol { children, ..group });
                }
                is_marked = false;
            }
            _ => is_marked = false,
        }
    }
    found
}

fn implementation<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(target) = node.child_by_field_name("type") else {
        return;
    };
    let base = target
        .child_by_field_name("type")
        .filter(|_| target.kind() == "generic_type");
    let owner = walk.slice(base.unwrap_or(target));
    let body = node.child_by_field_name("body");
    let end = body.map(|body| body.start_byte());
    if let Some(interface) = node.child_by_field_name("trait") {
        let symbol = Symbol {
            public: true,
            ..walk.symbol(
                level,
                Head::new(node, Kind::Implementation, interface).until(end),
            )
        };
        let children = body.map_or_else(Vec::new, |body| {
            walk.members(body, Kind::Implementation, true)
        });
        let symbol = Symbol { children, ..symbol };
        return walk.adopt(level, owner, "", symbol);
    }
    let header = walk
        .symbol(
            level,
            Head::new(node, Kind::Implementation, target).until(end),
        )
        .signature;
    let members = body.map_or_else(Vec::new, |body| {
        walk.members(body, Kind::Implementation, false)
    });
    level.adopted.push(Adopted {
        owner: cap(owner, NAME_BYTES_MAX),
        header,
        members,
    });
}

/// An implementation of a trait that is private here, or for a type that is, offers nothing.
fn hide_unreachable<'t>(_: &mut Walk<'t>, level: &mut Level<'t>) {
    let private: BTreeSet<String> = level
        .symbols
        .iter()
        .filter(|symbol| !symbol.public)
        .map(|symbol| symbol.name.clone())
        .collect();
    for Adopted { owner, members, .. } in &mut level.adopted {
        let is_private = private.contains(named_type(owner));
        let implementations = members
            .iter_mut()
            .filter(|member| member.kind == Kind::Implementation);
        for member in implementations {
            member.public &= !is_private && !private.contains(named_type(&member.name));
        }
    }
}

/// The type of `&'a mut Till<'_>`.
fn named_type(text: &str) -> &str {
    let is_name = |word: &&str| word.starts_with(|c: char| c.is_alphabetic() || c == '_');
    let mut words = text
        .split(['&', ' ', '<', '>', '(', ','])
        .filter(|word| !matches!(*word, "mut" | "dyn"));
    words.find(is_name).unwrap_or(text)
}

/// A macro is public when it is exported, which is all that can be seen from its own file.
fn macro_rules<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let public = level
        .attributes
        .iter()
        .any(|attribute| walk.text[attribute.clone()].contains("macro_export"));
    let symbol = Symbol {
        public,
        ..walk.symbol(
            level,
            Head::new(node, Kind::Macro, name).until(Some(name.end_byte())),
        )
    };
    walk.push(level, symbol);
}

/// `bitflags! { pub struct Flags: u8 { … } }` declares what it is given, `rgtest!(name, …)` a test.
fn invocation<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let tokens = node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "token_tree");
    if let Some(tokens) =
        tokens.filter(|_| level.place.owner.is_none_or(|owner| owner == Kind::Module))
    {
        declare_given(walk, level, tokens);
    }
    macro_test(walk, level, node, tokens);
}

/// Where `cfg_net! {` and its `}` stand: such a macro passes on the items that it is given.
///
/// The grammar sees tokens there and no items; without the name and the brackets it sees what the compiler does. The brackets
/// are counted outside of comments and literals: to parse the file for that takes as long as to parse it for its items.
pub(super) fn conditions(text: &str) -> Vec<Range<usize>> {
    let bytes = text.as_bytes();
    // Of each bracket that is open, where its macro begins; and how many were open where a definition of a macro began.
    let (mut open, mut rules) = (Vec::<Option<Range<usize>>>::new(), None);
    let (mut found, mut at) = (Vec::new(), 0);
    while let Some(byte) = bytes.get(at) {
        let passed = passed_len(&bytes[at..]);
        if passed > 0 {
            at += passed;
            continue;
        }
        if *byte == b'_' || byte.is_ascii_alphanumeric() {
            let is_word = |byte: &u8| *byte == b'_' || byte.is_ascii_alphanumeric();
            let end = at + bytes[at..].iter().take_while(|byte| is_word(byte)).count();
            let behind = text[end..]
                .trim_start()
                .strip_prefix('!')
                .map(str::trim_start);
            if &text[at..end] == "macro_rules" && behind.is_some() {
                rules.get_or_insert(open.len());
            }
            let block = behind.and_then(|behind| behind.strip_prefix('{'));
            match block.filter(|_| rules.is_none() && is_condition(&text[at..end])) {
                Some(block) => {
                    let inside = text.len() - block.len();
                    open.push(Some(at..inside));
                    at = inside;
                }
                None => at = end,
            }
            continue;
        }
        if *byte == b'{' {
            open.push(None);
        } else if *byte == b'}' {
            if let Some(head) = open.pop().flatten() {
                found.extend([head, at..at + 1]);
            }
            rules = rules.filter(|depth| *depth < open.len());
        }
        at += 1;
    }
    found
}

/// The bytes of a comment or a literal that begins here; 0 where none does.
fn passed_len(rest: &[u8]) -> usize {
    let until = |from: usize, end: &[u8]| {
        let ended = rest[from..].windows(end.len()).position(|part| part == end);
        ended.map_or(rest.len(), |ended| from + ended + end.len())
    };
    match rest {
        [b'/', b'/', ..] => until(2, b"\n"),
        [b'/', b'*', ..] => {
            let (mut at, mut depth) = (2, 1_usize);
            while depth > 0 && at < rest.len() {
                depth += usize::from(rest[at..].starts_with(b"/*"));
                let ends = rest[at..].starts_with(b"*/");
                depth -= usize::from(ends);
                at += 1 + usize::from(ends || rest[at..].starts_with(b"/*"));
            }
            at.min(rest.len())
        }
        [b'"', ..] => escaped_len(rest, b'"'),
        [b'\'', b'\\', ..] => escaped_len(rest, b'\''),
        [b'\'', next, ..] => {
            // A letter and the closing quote; else it is a lifetime.
            let letter = match next {
                0xF0.. => 4,
                0xE0.. => 3,
                0xC0.. => 2,
                _ => 1,
            };
            if rest.get(1 + letter) == Some(&b'\'') {
                2 + letter
            } else {
                0
            }
        }
        [b'r', b'"' | b'#', ..] | [b'b', b'r', b'"' | b'#', ..] => {
            let from = if rest[0] == b'b' { 2 } else { 1 };
            let hashes = rest[from..]
                .iter()
                .take_while(|byte| **byte == b'#')
                .count();
            if rest.get(from + hashes) != Some(&b'"') {
                return 0;
            }
            let end = [&b"\""[..], &b"#".repeat(hashes)].concat();
            until(from + hashes + 1, &end)
        }
        _ => 0,
    }
}

/// The bytes of a literal in quotes, in which a backslash takes the next byte's meaning away.
fn escaped_len(rest: &[u8], quote: u8) -> usize {
    let mut at = 1;
    while let Some(byte) = rest.get(at) {
        match byte {
            b'\\' => at += 2,
            byte if *byte == quote => return at + 1,
            _ => at += 1,
        }
    }
    rest.len()
}

/// Whether a text may have such a macro.
pub(super) fn has_conditions(text: &str) -> bool {
    let mut starts = text.split("cfg_").skip(1);
    starts.any(|rest| {
        rest.find(['!', ' ', '\n'])
            .is_some_and(|end| rest[end..].starts_with("! {"))
    })
}

/// `cfg_net`, but not `cfg_if`, which takes conditions and no items.
fn is_condition(name: &str) -> bool {
    name.starts_with("cfg_") && !matches!(name, "cfg_if" | "cfg_match" | "cfg_select")
}

/// Declares the types and statics among the tokens that a macro is given; what stands in further brackets is theirs.
fn declare_given<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, tokens: Node<'t>) {
    let mut cursor = tokens.walk();
    let all: Vec<Node<'t>> = tokens.children(&mut cursor).collect();
    let (mut public, mut comment) = (None, None::<Range<usize>>);
    for (at, token) in all.iter().enumerate() {
        let kind = match token.kind() {
            "line_comment" | "block_comment" => {
                let start = comment.map_or(token.start_byte(), |before| before.start);
                comment = Some(start..token.end_byte());
                continue;
            }
            "pub" => {
                public = Some(token.start_byte());
                continue;
            }
            // Attributes, and `(crate)` behind `pub`, stand between a comment and what it is about.
            "#" | "!" | "token_tree" => continue,
            "struct" | "union" => Kind::Struct,
            "enum" => Kind::Enum,
            "trait" => Kind::Interface,
            "type" => Kind::Type,
            "static" => Kind::Variable,
            _ => {
                (public, comment) = (None, None);
                continue;
            }
        };
        let mut behind = all[at + 1..].iter();
        let name = behind.find(|next| walk.slice(**next) != "ref");
        let (said, start) = (comment.take(), public.take().unwrap_or(token.start_byte()));
        let Some(name) = name.filter(|name| name.kind() == "identifier") else {
            continue;
        };
        let ends = |next: &&Node<'t>| {
            let text = walk.slice(**next);
            text.starts_with('{') || matches!(text, ";" | "#" | "}" | ")")
        };
        let last = behind.find(ends);
        let body = last.map_or(name.end_byte(), Node::start_byte);
        let is_body = last.filter(|last| last.kind() == "token_tree");
        let prefix = &walk.text[start..token.start_byte()];
        // The block of `= const { … }` is no part of what is declared.
        let signature = comment::fold(&walk.text[start..body]);
        let signature = signature.strip_suffix(" = const").unwrap_or(&signature);
        let symbol = Symbol {
            signature: cap(signature, SIGNATURE_BYTES_MAX),
            public: is_visible(prefix),
            is_package: prefix.starts_with("pub(") && is_visible(prefix),
            doc: said.map_or_else(String::new, |said| {
                comment::paragraph(&walk.text[said], comment::SLASHES)
            }),
            span: Span {
                start: to_u32(start),
                end: to_u32(is_body.map_or(body, Node::end_byte)),
                name: to_u32(name.start_byte()),
                body: to_u32(body),
            },
            ..Symbol::named(kind, walk.slice(*name))
        };
        walk.push(level, symbol);
    }
}

/// `rgtest!(name, …)`: a test whose harness is a macro.
fn macro_test<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    tokens: Option<Node<'t>>,
) {
    let name = node
        .child_by_field_name("macro")
        .map_or("", |name| walk.slice(name));
    let first = tokens.and_then(|tokens| tokens.named_child(0));
    // `buf_tests!(make_input)` makes tests of what it is given.
    let given = first.map_or("", |first| walk.slice(first));
    let is_function = |symbol: &Symbol| symbol.kind == Kind::Function && symbol.name == given;
    let is_test = name.contains("test") && !level.symbols.iter().any(is_function);
    let Some(first) = first.filter(|first| first.kind() == "identifier" && is_test) else {
        return;
    };
    let symbol = Walk::test(node, walk.slice(first));
    walk.push(level, symbol);
}

/// `pub use` passes names on, any other `use` is an import.
fn import<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    match node.child_by_field_name("argument") {
        Some(path) if is_visible(walk.slice(node)) => {
            let symbol = Symbol {
                public: true,
                ..walk.symbol(level, Head::new(node, Kind::Export, path))
            };
            walk.push(level, symbol);
        }
        _ if level.place.owner.is_none() => walk.import(node, &["use"]),
        _ => {}
    }
}
