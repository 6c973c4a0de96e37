//! Bash and other shells. Functions are public unless they begin with an underscore, variables when exported.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, any_comment, nothing};
use super::level::{Level, Place};
use super::walk::Walk;
use crate::symbol::comment;
use crate::symbol::outline::Kind;

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_bash::LANGUAGE.into(),
    rules: &[
        ("comment", Rule::Comment),
        ("function_definition", Rule::Special(function)),
        ("variable_assignment", Rule::Item(Item::new(Kind::Variable).valued("value"))),
        ("declaration_command", Rule::Special(declaration)),
        ("command", Rule::Special(command)),
        ("if_statement", Rule::Inside),
        ("else_clause", Rule::Inside),
    ],
    hidden: &["comment"],
    style: comment::HASH,
    is_doc: any_comment,
    is_public,
    finish: nothing,
};

fn is_public(declared: &Declared<'_>) -> bool {
    declared.place.public && !declared.name.starts_with('_')
}

fn function<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    level.place.public = true;
    walk.declare(level, node, &Item::body(Kind::Function, &["body"]));
    level.place.public = false;
}

/// `export X=1`, `readonly Y=2`; `declare` alone makes nothing public.
fn declaration<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let text = walk.slice(node);
    let public = text.starts_with("export ") || text.starts_with("readonly ");
    let place = Place { public, wrap: Some(node), ..level.place };
    walk.children_at(level, node, place);
}

/// `source file` and `. file`.
fn command<'t>(walk: &mut Walk<'t>, _: &mut Level<'t>, node: Node<'t>) {
    let name = node.child_by_field_name("name").map_or("", |name| walk.slice(name));
    if matches!(name, "source" | ".") {
        walk.import(node, &["source ", ". "]);
    }
}
