//! C#. `public` is public, and so is `protected`, which types of others build on; members of interfaces are public unless
//! they say otherwise. Namespaces are looked through.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, nothing, star_comment};
use super::level::Level;
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::Kind;

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_c_sharp::LANGUAGE.into(),
    rules: &[
        ("comment", Rule::Comment),
        (
            "using_directive",
            Rule::Import(&["global ", "using", "static "]),
        ),
        ("namespace_declaration", Rule::Inside),
        ("declaration_list", Rule::Inside),
        ("preproc_if", Rule::Inside),
        ("preproc_else", Rule::Inside),
        ("preproc_pragma", Rule::Aside),
        ("preproc_nullable", Rule::Aside),
        ("preproc_region", Rule::Aside),
        ("preproc_endregion", Rule::Aside),
        ("preproc_warning", Rule::Aside),
        ("preproc_line", Rule::Aside),
        (
            "class_declaration",
            Rule::Item(Item::of(Kind::Class, "body", &["body"])),
        ),
        (
            "struct_declaration",
            Rule::Item(Item::of(Kind::Struct, "body", &["body"])),
        ),
        (
            "record_declaration",
            Rule::Item(Item::of(Kind::Struct, "body", &["body"])),
        ),
        (
            "interface_declaration",
            Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open()),
        ),
        (
            "enum_declaration",
            Rule::Item(Item::of(Kind::Enum, "body", &["body"])),
        ),
        (
            "enum_member_declaration",
            Rule::Item(Item::new(Kind::Variant).valued("value").visible()),
        ),
        ("delegate_declaration", Rule::Item(Item::new(Kind::Type))),
        (
            "method_declaration",
            Rule::Item(Item::body(Kind::Function, &["body"])),
        ),
        (
            "constructor_declaration",
            Rule::Item(Item::body(
                Kind::Function,
                &["constructor_initializer", "body"],
            )),
        ),
        (
            "property_declaration",
            Rule::Item(Item::body(Kind::Property, &["accessors", "value"])),
        ),
        (
            "event_declaration",
            Rule::Item(Item::body(Kind::Field, &["accessors"])),
        ),
        ("field_declaration", Rule::Special(field)),
        ("event_field_declaration", Rule::Special(field)),
    ],
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

fn field<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    let variables = node
        .named_children(&mut cursor)
        .find(|child| child.kind() == "variable_declaration");
    let Some(variables) = variables else { return };
    let mut cursor = variables.walk();
    let declarator = variables
        .named_children(&mut cursor)
        .find(|child| child.kind() == "variable_declarator");
    let Some(declarator) = declarator else { return };
    let Some(name) = declarator.child_by_field_name("name") else {
        return;
    };
    let long = walk.is_long(declarator).then(|| name.end_byte());
    let fixed = walk.text[node.start_byte()..name.start_byte()]
        .split_whitespace()
        .any(|word| word == "const");
    let kind = if fixed { Kind::Constant } else { Kind::Field };
    let symbol = walk.symbol(
        level,
        Head {
            node,
            kind,
            name,
            end: long,
        },
    );
    walk.push(level, symbol);
}
