//! C#. `public` is public, and so is `protected`, which types of others build on; members of interfaces are public unless
//! they say otherwise. Namespaces are looked through.

use std::borrow::Cow;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, nothing, star_comment};
use super::level::Level;
use super::signature::fold_code;
use super::walk::Head;
use crate::symbol::comment::{self, cap};
use crate::symbol::outline::{ATTRIBUTE_BYTES_MAX, ATTRIBUTES_MAX, Kind, Symbol};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "using_directive" => Rule::Import(&["global ", "using", "static "]),
        "namespace_declaration" | "declaration_list" | "preproc_if" | "preproc_else" => {
            Rule::Inside
        }
        "preproc_pragma" | "preproc_nullable" | "preproc_region" | "preproc_endregion"
        | "preproc_warning" | "preproc_line" => Rule::Aside,
        "class_declaration" => Rule::Special(class),
        "struct_declaration" | "record_declaration" => {
            Rule::Item(Item::of(Kind::Struct, "body", &["body"]))
        }
        "interface_declaration" => Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open()),
        "enum_declaration" => Rule::Item(Item::of(Kind::Enum, "body", &["body"])),
        "enum_member_declaration" => Rule::Item(Item::new(Kind::Variant).valued("value").visible()),
        "delegate_declaration" => Rule::Item(Item::new(Kind::Type)),
        "method_declaration" => Rule::Item(Item::body(Kind::Function, &["body"])),
        "constructor_declaration" => Rule::Item(Item::body(
            Kind::Function,
            &["constructor_initializer", "body"],
        )),
        "property_declaration" => Rule::Item(Item::body(Kind::Property, &["accessors", "value"])),
        "indexer_declaration" => {
            Rule::Item(Item::body(Kind::Property, &["accessors", "value"]).named("this"))
        }
        "operator_declaration" | "conversion_operator_declaration" => Rule::Special(operator),
        "event_declaration" => Rule::Item(Item::body(Kind::Field, &["accessors"])),
        "field_declaration" | "event_field_declaration" => Rule::Special(field),
        _ => Rule::Pass,
    },
    hidden: &["comment", "attribute_list", "preproc_if_in_attribute_list"],
    style: comment::SLASHES,
    is_doc: |text| text.starts_with("///") || star_comment(text),
    is_public,
    is_package,
    finish: nothing,
};

fn is_package(declared: &Declared<'_>) -> bool {
    declared.says("internal") && !declared.says("protected")
        || !declared.says("public") && declared.place.owner.is_none()
}

fn is_public(declared: &Declared<'_>) -> bool {
    let is_open = declared.says("public") || declared.says("protected") || declared.place.public;
    is_open && !declared.says("private")
}

/// What opens a block of members that a static class adds to another type, since C# 14: `extension(Request request) { … }`.
const EXTENSION: &str = "extension";
/// What the grammar reads in its place. Each takes as many bytes, so all places stay.
const CLASS: &str = "class e  ";
/// How far the head of such a block is looked through, in bytes.
const HEAD_BYTES_MAX: usize = 1_024;

/// The text with a class in the place of each block of extensions, which the grammar does not know.
pub(super) fn with_classes(text: Cow<'_, str>) -> Cow<'_, str> {
    if !text.contains(EXTENSION) {
        return text;
    }
    let opens = |(at, _): &(usize, &str)| {
        let before = text[..*at].trim_end_matches([' ', '\t']);
        let rest = &text[at + EXTENSION.len()..];
        let rest = &rest[..rest.floor_char_boundary(HEAD_BYTES_MAX)];
        let head = rest.split(['{', ';', '=']).next().unwrap_or_default();
        (before.is_empty() || before.ends_with('\n'))
            && rest.starts_with(['(', '<'])
            && head.contains(')')
            && rest[head.len()..].starts_with('{')
    };
    let starts: Vec<usize> = text
        .match_indices(EXTENSION)
        .filter(opens)
        .map(|at| at.0)
        .collect();
    let mut out = text.into_owned();
    for start in starts {
        out.replace_range(start..start + EXTENSION.len(), CLASS);
    }
    Cow::Owned(out)
}

/// A class. The members of a block of extensions are those of the class around it; what they extend stands with each.
fn class<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let body = node.child_by_field_name("body");
    let Some(body) = body.filter(|_| walk.slice(node).starts_with(EXTENSION)) else {
        return walk.declare(level, node, &Item::of(Kind::Class, "body", &["body"]));
    };
    let receiver = fold_code(walk.text[node.start_byte()..body.start_byte()].trim());
    let receiver = cap(&receiver, ATTRIBUTE_BYTES_MAX);
    let before = level.symbols.len();
    level.drop_comment();
    walk.children(level, body);
    for member in &mut level.symbols[before..] {
        member.attributes.insert(0, receiver.clone());
        member.attributes.truncate(ATTRIBUTES_MAX);
    }
}

/// `operator +`, and `operator string` for a conversion.
fn operator<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let word = node
        .children(&mut cursor)
        .find(|child| child.kind() == "operator");
    let parameters = node.child_by_field_name("parameters");
    let (Some(name), Some(parameters)) = (word, parameters) else {
        return;
    };
    let body = node.child_by_field_name("body");
    let end = body.map(|body| body.start_byte());
    let symbol = walk.symbol(level, Head::new(node, Kind::Function, name).until(end));
    let name = walk.text[name.start_byte()..parameters.start_byte()].trim();
    walk.push(
        level,
        Symbol {
            name: name.to_owned(),
            ..symbol
        },
    );
}

fn field<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let variables = node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "variable_declaration");
    let Some(variables) = variables else { return };
    let mut cursor = variables.walk();
    let declarators = variables
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "variable_declarator");
    let mut names = declarators.filter_map(|declarator| declarator.child_by_field_name("name"));
    let Some(name) = names.next() else { return };
    let is_long = name
        .parent()
        .is_some_and(|declarator| walk.is_long(declarator));
    let long = is_long.then(|| name.end_byte());
    let fixed = walk.text[node.start_byte()..name.start_byte()]
        .split_whitespace()
        .any(|word| word == "const");
    let kind = if fixed { Kind::Constant } else { Kind::Field };
    let symbol = walk.symbol(level, Head::new(node, kind, name).until(long));
    walk.push_all(level, symbol, names);
}
