//! Ruby. Public until `private` or `protected` is said; the level of the file is shared.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, any_comment, nothing};
use super::level::{Level, Place};
use super::walk::{Head, Walk};
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Symbol};

/// What ends the signature of a class or method.
const CUT: &[&str] = &["body", "comment", "end", ";"];

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_ruby::LANGUAGE.into(),
    rules: &[
        ("comment", Rule::Comment),
        ("module", Rule::Special(module)),
        ("class", Rule::Special(class)),
        ("singleton_class", Rule::Special(singleton_class)),
        ("body_statement", Rule::Inside),
        ("method", Rule::Item(Item::body(Kind::Function, CUT))),
        ("singleton_method", Rule::Item(Item::body(Kind::Function, CUT))),
        ("assignment", Rule::Special(assignment)),
        ("call", Rule::Special(call)),
        ("identifier", Rule::Special(section)),
    ],
    hidden: &["comment"],
    style: comment::HASH,
    is_doc: any_comment,
    is_public,
    finish: nothing,
};

fn is_public(declared: &Declared<'_>) -> bool {
    declared.place.owner.is_none() || declared.place.public
}

fn module<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    container(walk, level, node, Kind::Module);
}

fn class<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    container(walk, level, node, Kind::Class);
}

/// The comment of a first member stands before the body, so the members are read from the whole node.
fn container<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, kind: Kind) {
    let parts = walk.parts(node, &Item::body(kind, CUT));
    let Some(name) = parts.name else { return };
    let symbol = walk.symbol(level, Head { node, kind, name, end: parts.end });
    let children = walk.members(node, kind, true);
    walk.push(level, Symbol { public: true, children, ..symbol });
}

fn singleton_class<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let place = Place { public: true, ..level.place };
    walk.children_at(level, node, place);
}

/// `NAME = value`; other variables are not seen from outside.
fn assignment<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if node.child_by_field_name("left").is_some_and(|left| left.kind() == "constant") {
        walk.declare(level, node, &Item::new(Kind::Constant).named("left").valued("right").visible());
    }
}

/// `private` and its like, on a line of their own, hold for what follows.
fn section<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    match walk.slice(node) {
        "private" | "protected" => level.place.public = false,
        "public" => level.place.public = true,
        _ => {}
    }
}

/// Calls that declare: imports, attributes, mixins, visibility.
fn call<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let (method, arguments) = (node.child_by_field_name("method"), node.child_by_field_name("arguments"));
    let (Some(method), Some(arguments), None) = (method, arguments, node.child_by_field_name("receiver")) else { return };
    match walk.slice(method) {
        "require" | "require_relative" | "load" => walk.import_text(walk.slice(arguments).trim_matches(['(', ')', '"', '\''])),
        "attr_accessor" | "attr_reader" | "attr_writer" => name_all(walk, level, arguments, Kind::Field),
        "include" | "extend" | "prepend" => name_all(walk, level, arguments, Kind::Implementation),
        "private" | "protected" | "private_class_method" => hide(walk, level, node, arguments),
        "public" | "module_function" => walk.children(level, arguments),
        _ => {}
    }
}

fn name_all<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, arguments: Node<'t>, kind: Kind) {
    if level.place.owner.is_none() {
        return;
    }
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        let name = walk.slice(argument).trim_start_matches(':');
        let public = level.place.public;
        walk.push(level, Symbol { public, ..Symbol::named(kind, name) });
    }
}

/// `private def x` and `private :x`.
fn hide<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, arguments: Node<'t>) {
    let place = Place { public: false, wrap: Some(node), ..level.place };
    walk.children_at(level, arguments, place);
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        let name = walk.slice(argument).trim_start_matches(':');
        for symbol in level.symbols.iter_mut().filter(|symbol| symbol.name == name) {
            symbol.public = false;
        }
    }
}
