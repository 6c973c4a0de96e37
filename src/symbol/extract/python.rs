//! Python. Documentation is the docstring; `__all__` decides what is public where there is one.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package};
use super::instance;
use super::level::Level;
use crate::base::number::to_u32;
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Symbol};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_python::LANGUAGE.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "decorator" => Rule::Attribute,
        "decorated_definition" => Rule::Wrap,
        "function_definition" => Rule::Special(function),
        "class_definition" => Rule::Special(class),
        "type_alias_statement" => Rule::Item(Item::new(Kind::Type).named("left").valued("right")),
        "expression_statement" => Rule::Special(statement),
        "import_statement" | "import_from_statement" => Rule::Special(import),
        "future_import_statement" => Rule::Special(|_, _, _| {}),
        "if_statement" => Rule::Special(condition),
        "try_statement" | "with_statement" | "else_clause" | "elif_clause" | "except_clause"
        | "block" => Rule::Inside,
        _ => Rule::Pass,
    },
    hidden: &["comment"],
    style: comment::HASH,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish,
};

/// A leading underscore hides a name; names like `__init__` and `__version__` are read by the language and by tools, and stay.
fn is_public(declared: &Declared<'_>) -> bool {
    let name = declared.name;
    !name.starts_with('_') || name.len() > 4 && name.starts_with("__") && name.ends_with("__")
}

fn function<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    define(walk, level, node, &Item::body(Kind::Function, &["body"]));
    let is_constructor = node
        .child_by_field_name("name")
        .is_some_and(|name| walk.slice(name) == "__init__");
    if let Some(body) = node
        .child_by_field_name("body")
        .filter(|_| is_constructor && level.place.owner == Some(Kind::Class))
    {
        instance::fields(walk, level, body, "self.");
    }
}

fn class<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    define(walk, level, node, &Item::of(Kind::Class, "body", &["body"]));
}

fn define<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, item: &Item) {
    let before = level.symbols.len();
    walk.declare(level, node, item);
    if let Some(symbol) = level.symbols.get_mut(before)
        && let Some((string, text)) = docstring(walk, node)
    {
        symbol.doc = comment::paragraph(text, comment::NONE);
        symbol.span.body = to_u32(string.end_byte());
    }
}

/// The string that is the first statement of a body, and its text.
fn docstring<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<(Node<'t>, &'t str)> {
    let first = node.child_by_field_name("body")?.named_child(0)?;
    let string = first
        .named_child(0)
        .filter(|_| first.kind() == "expression_statement")?;
    Some((string, string_text(walk, string)?))
}

/// The text of a string without its quotes and prefix.
fn string_text<'t>(walk: &Walk<'t>, node: Node<'t>) -> Option<&'t str> {
    let text = walk
        .slice(node)
        .trim_start_matches(['r', 'R', 'u', 'U', 'b', 'B', 'f', 'F']);
    let quotes = ["\"\"\"", "'''", "\"", "'"];
    let inner = |quote: &&str| text.strip_prefix(quote)?.strip_suffix(quote);
    quotes
        .iter()
        .find_map(inner)
        .filter(|_| node.kind() == "string")
}

/// A module docstring, or the assignment that makes a constant, a variable or a field.
fn statement<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(inner) = node.named_child(0) else {
        return;
    };
    let first = level.place.owner.is_none() && level.symbols.is_empty() && walk.imports.is_empty();
    match inner.kind() {
        "string" if first => {
            if let Some(text) = string_text(walk, inner) {
                walk.doc = comment::paragraph(text, comment::NONE);
            }
        }
        "assignment" | "augmented_assignment" if !is_fallback(node) => {
            assignment(walk, level, inner);
        }
        _ => {}
    }
}

/// Whether a statement stands for what could not be imported or found out: `except ImportError: tls = None`.
fn is_fallback(node: Node<'_>) -> bool {
    let clause = node.parent().and_then(|block| block.parent());
    clause.is_some_and(|clause| clause.kind() == "except_clause")
}

/// What is assigned; of `first = second = value` each name is declared, all but the last one without the value.
fn assignment<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut next = Some(node);
    while let Some(node) = next {
        let Some(name) = node.child_by_field_name("left") else {
            return;
        };
        let right = node.child_by_field_name("right");
        next = right.filter(|right| right.kind() == "assignment");
        let text = walk.slice(name);
        if text == "__all__" {
            collect_strings(walk, node);
        } else if name.kind() == "identifier" && node.kind() == "assignment" {
            let kind = match level.place.owner {
                Some(_) => Kind::Field,
                None if text.chars().any(char::is_lowercase) => Kind::Variable,
                None => Kind::Constant,
            };
            let item = Item::new(kind).named("left");
            let item = if next.is_some() {
                Item {
                    cut: &["="],
                    ..item
                }
            } else {
                item.valued("right")
            };
            walk.declare(level, node, &item);
        }
    }
}

/// Takes the names in `__all__ = [...]`.
fn collect_strings<'t>(walk: &mut Walk<'t>, node: Node<'t>) {
    let Some(list) = node.child_by_field_name("right") else {
        return;
    };
    let mut cursor = list.walk();
    for child in list.named_children(&mut cursor) {
        if let Some(name) = string_text(walk, child) {
            walk.exports.insert(name.to_owned());
        }
    }
}

fn import<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if level.place.owner.is_none() {
        walk.import(node, &["import"]);
    }
}

/// Declarations may depend on a condition, but what runs as a program is not declared.
fn condition<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let condition = node
        .child_by_field_name("condition")
        .map_or("", |condition| walk.slice(condition));
    if !condition.contains("__name__") {
        walk.children(level, node);
    }
}

fn finish<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    if walk.exports.is_empty() {
        return;
    }
    let exports = std::mem::take(&mut walk.exports);
    for symbol in &mut level.symbols {
        symbol.public = exports.contains(&symbol.name);
    }
    let declared: BTreeSet<String> = level
        .symbols
        .iter()
        .map(|symbol| symbol.name.clone())
        .collect();
    for name in exports.difference(&declared) {
        walk.push(level, Symbol::named(Kind::Export, name));
    }
}
