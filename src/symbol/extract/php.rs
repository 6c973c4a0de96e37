//! PHP. Public unless `private` or `protected` is said.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package, nothing};
use super::level::Level;
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Symbol};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_php::LANGUAGE_PHP.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "namespace_definition" | "compound_statement" | "if_statement" => Rule::Inside,
        "namespace_use_declaration" => Rule::Import(&["use"]),
        "class_declaration" | "trait_declaration" => {
            Rule::Item(Item::of(Kind::Class, "body", &["body"]))
        }
        "interface_declaration" => Rule::Item(Item::of(Kind::Interface, "body", &["body"])),
        "enum_declaration" => Rule::Item(Item::of(Kind::Enum, "body", &["body"])),
        "enum_case" => Rule::Item(Item::new(Kind::Variant).valued("value")),
        "method_declaration" | "function_definition" => {
            Rule::Item(Item::body(Kind::Function, &["body"]))
        }
        "property_declaration" => Rule::Special(property),
        "const_declaration" => Rule::Special(constant),
        "use_declaration" => Rule::Special(mixin),
        "expression_statement" => Rule::Special(statement),
        _ => Rule::Pass,
    },
    hidden: &["comment", "attribute_list"],
    style: comment::PHP,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish: nothing,
};

fn is_public(declared: &Declared<'_>) -> bool {
    !declared.says("private") && !declared.says("protected")
}

fn property<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    element(walk, level, node, "property_element", Kind::Field);
}

fn constant<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    element(walk, level, node, "const_element", Kind::Constant);
}

/// Declares the elements of a statement.
fn element<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    kind: &str,
    symbol_kind: Kind,
) {
    let mut cursor = node.walk();
    let elements = node
        .named_children(&mut cursor)
        .filter(|child| child.kind() == kind);
    let mut names = elements.filter_map(|element| element.named_child(0));
    let Some(name) = names.next() else { return };
    let is_long = name.parent().is_some_and(|element| walk.is_long(element));
    let long = is_long.then(|| name.end_byte());
    let symbol = walk.symbol(level, Head::new(node, symbol_kind, name).until(long));
    walk.push_all(level, symbol, names);
}

/// `use Trait;` in a class.
fn mixin<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    for name in node
        .named_children(&mut cursor)
        .filter(|child| child.kind().ends_with("name"))
    {
        let symbol = Symbol::named(Kind::Implementation, walk.slice(name));
        let signature = format!("use {}", symbol.name);
        walk.push(
            level,
            Symbol {
                signature,
                ..symbol
            },
        );
    }
}

/// `require 'x.php'` and `define('NAME', …)`.
fn statement<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(inner) = node.named_child(0) else {
        return;
    };
    match inner.kind() {
        "require_expression"
        | "require_once_expression"
        | "include_expression"
        | "include_once_expression" => {
            walk.import(
                inner,
                &["require_once", "require", "include_once", "include"],
            );
        }
        "function_call_expression" if walk.slice(inner).starts_with("define(") => {
            let first = inner
                .child_by_field_name("arguments")
                .and_then(|arguments| arguments.named_child(0));
            if let Some(name) = first {
                let long = walk.is_long(inner).then(|| name.end_byte());
                let symbol = walk.symbol(level, Head::new(inner, Kind::Constant, name).until(long));
                let name = walk.slice(name).trim_matches(['"', '\'']).to_owned();
                walk.push(level, Symbol { name, ..symbol });
            }
        }
        _ => {}
    }
}
