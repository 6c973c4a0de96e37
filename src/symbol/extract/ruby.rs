//! Ruby. Public until `private` or `protected` is said; the level of the file is shared.

use std::borrow::Cow;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package, nothing};
use super::level::{Level, Place};
use super::walk::Head;
use crate::base::number::to_u32;
use crate::symbol::comment;
use crate::symbol::outline::{DEPTH_MAX, Kind, Span, Symbol};

/// What ends the signature of a class or method.
const CUT: &[&str] = &["body", "comment", "end", ";"];

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_ruby::LANGUAGE.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "module" => Rule::Special(module),
        "class" => Rule::Special(class),
        "singleton_class" => Rule::Special(singleton_class),
        "body_statement" | "if" | "unless" | "if_modifier" | "unless_modifier" | "then"
        | "elsif" | "else" | "begin" | "rescue" => Rule::Inside,
        "method" | "singleton_method" => Rule::Item(Item::body(Kind::Function, CUT)),
        "assignment" => Rule::Special(assignment),
        "call" => Rule::Special(call),
        "alias" => Rule::Special(alias),
        "identifier" => Rule::Special(section),
        _ => Rule::Pass,
    },
    hidden: &["comment"],
    style: comment::HASH,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish: nothing,
};

/// The text of a template for the parser: what a tag puts there becomes part of a name, other tags blanks. All places stay.
pub(super) fn without_tags(text: &str) -> Cow<'_, str> {
    let (mut out, mut at) = (String::with_capacity(text.len()), 0);
    while let Some(open) = text[at..].find("<%").map(|found| at + found) {
        let Some(end) = text[open..].find("%>").map(|found| open + found + 2) else {
            break;
        };
        out.push_str(&text[at..open]);
        let fill = if text[open..].starts_with("<%=") {
            'x'
        } else {
            ' '
        };
        let tag = text[open..end].bytes();
        out.extend(tag.map(|byte| if byte == b'\n' { '\n' } else { fill }));
        at = end;
    }
    out.push_str(&text[at..]);
    Cow::Owned(out)
}

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
    let symbol = walk.symbol(level, Head::new(node, kind, name).until(parts.end));
    let children = walk.members(node, kind, true);
    let mut symbol = Symbol {
        public: true,
        children,
        ..symbol
    };
    if kind == Kind::Module {
        settle_doc(&mut symbol, &walk.doc);
    }
    walk.push(level, symbol);
}

/// What stands above `module A`, `module B`, `module C` is about the innermost, and what the file says of itself about none.
fn settle_doc(outermost: &mut Symbol, file_doc: &str) {
    let doc = std::mem::take(&mut outermost.doc);
    if doc.is_empty() || doc == file_doc {
        return;
    }
    let leads_on = |symbol: &Symbol| match symbol.children.as_slice() {
        [only] => {
            symbol.kind == Kind::Module
                && matches!(only.kind, Kind::Module | Kind::Class)
                && only.doc.is_empty()
        }
        _ => false,
    };
    let mut innermost = outermost;
    while leads_on(innermost) {
        innermost = &mut innermost.children[0];
    }
    innermost.doc = doc;
}

/// `class << self`: its methods are those of what is around it, and read like these; what it includes is not.
fn singleton_class<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let place = Place {
        public: true,
        ..level.place
    };
    let known = level.symbols.len();
    walk.children_at(level, node, place);
    let is_own = node
        .child_by_field_name("value")
        .is_some_and(|value| walk.slice(value) == "self");
    let mut members = level.symbols.split_off(known);
    members.retain(|symbol| symbol.kind != Kind::Implementation);
    for symbol in members.iter_mut().filter(|_| is_own) {
        let name = symbol.signature.strip_prefix("def ");
        if let Some(name) = name.filter(|name| !name.starts_with("self.")) {
            symbol.signature = format!("def self.{name}");
        }
    }
    level.symbols.extend(members);
}

/// `NAME = value`; other variables are not seen from outside.
fn assignment<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(name) = node
        .child_by_field_name("left")
        .filter(|left| left.kind() == "constant")
    else {
        return;
    };
    if let Some(made) = node
        .child_by_field_name("right")
        .filter(|right| makes_class(walk, *right))
    {
        made_class(walk, level, node, name, made);
    } else {
        walk.declare(
            level,
            node,
            &Item::new(Kind::Constant)
                .named("left")
                .valued("right")
                .visible(),
        );
    }
}

/// `Struct.new(…)`, `Class.new(…)`, `Data.define(…)`.
fn makes_class(walk: &Walk<'_>, value: Node<'_>) -> bool {
    let part = |field| {
        value
            .child_by_field_name(field)
            .map_or("", |part| walk.slice(part))
    };
    value.kind() == "call"
        && matches!(
            (part("receiver").trim_start_matches(':'), part("method")),
            ("Struct" | "Class", "new") | ("Data", "define")
        )
}

/// `NAME = Struct.new(:a, :b) do … end`
fn made_class<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    name: Node<'t>,
    made: Node<'t>,
) {
    let block = made.child_by_field_name("block");
    let end = block.map(|block| block.start_byte());
    let symbol = walk.symbol(level, Head::new(node, Kind::Class, name).until(end));
    let mut members = Level::new(Place {
        owner: Some(Kind::Class),
        public: true,
        wrap: None,
    });
    if let Some(arguments) = made.child_by_field_name("arguments") {
        name_all(walk, &mut members, arguments, Kind::Field);
    }
    let mut children = members.into_symbols();
    if let Some(body) = block.and_then(|block| block.child_by_field_name("body")) {
        children.extend(walk.members(body, Kind::Class, true));
    }
    walk.push(
        level,
        Symbol {
            public: true,
            children,
            ..symbol
        },
    );
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
    let (method, arguments) = (
        node.child_by_field_name("method"),
        node.child_by_field_name("arguments"),
    );
    let block = node
        .child_by_field_name("block")
        .and_then(|block| block.child_by_field_name("body"));
    if let Some(body) = block.filter(|_| {
        matches!(
            method.map_or("", |method| walk.slice(method)),
            "refine" | "class_methods"
        )
    }) {
        return walk.children(level, body);
    }
    let receiver = node.child_by_field_name("receiver");
    let is_plain = receiver.is_none_or(|receiver| walk.slice(receiver) == "RSpec");
    let (Some(method), Some(arguments), true) = (method, arguments, is_plain) else {
        return;
    };
    let found = test(walk, node, DEPTH_MAX).or_else(|| route(walk, level, node));
    if let Some(symbol) = found {
        level.symbols.push(symbol);
        return;
    }
    if receiver.is_some() {
        return;
    }
    match walk.slice(method) {
        "require" | "require_relative" | "load" => {
            let text = walk.slice(arguments);
            // `require File.expand_path("../helper", __FILE__)`
            let path = text
                .split(['"', '\''])
                .nth(1)
                .filter(|_| text.contains("__"));
            let inner = text
                .strip_prefix('(')
                .and_then(|text| text.strip_suffix(')'));
            let inner = inner.unwrap_or(text);
            let is_name = inner.starts_with(['"', '\'']);
            let name = if is_name {
                inner.trim_matches(['"', '\''])
            } else {
                inner
            };
            walk.import_text(path.unwrap_or(name));
        }
        "autoload" => autoload(walk, arguments),
        "attr_accessor" | "attr_reader" | "attr_writer" | "attr" | "cattr_accessor"
        | "mattr_accessor" | "class_attribute" => {
            name_all(walk, level, arguments, Kind::Field);
        }
        "define_method" | "alias_method" => name_first(walk, level, node, arguments, 0),
        "def_delegator" => name_first(walk, level, node, arguments, 2),
        "include" | "extend" | "prepend" => name_all(walk, level, arguments, Kind::Implementation),
        "private" | "protected" | "private_class_method" | "private_constant" => {
            hide(walk, level, node, arguments);
        }
        "public" | "module_function" => walk.children(level, arguments),
        _ => {}
    }
}

/// `describe "…" do … end`, `it "…" do … end`: a test or a group of tests, by its title.
fn test<'t>(walk: &mut Walk<'t>, call: Node<'t>, depth_left: usize) -> Option<Symbol> {
    let method = walk.slice(call.child_by_field_name("method")?);
    let title = call.child_by_field_name("arguments")?.named_child(0)?;
    let body = call
        .child_by_field_name("block")?
        .child_by_field_name("body");
    let is_test = matches!(
        method,
        "describe"
            | "it"
            | "test"
            | "context"
            | "specify"
            | "should"
            | "feature"
            | "scenario"
            | "shared_examples"
            | "shared_examples_for"
    ) && matches!(
        title.kind(),
        "string" | "chained_string" | "constant" | "scope_resolution"
    );
    if !is_test || depth_left == 0 || !walk.has_room() {
        return None;
    }
    let mut symbol = Walk::test(call, &title_of(walk, title));
    // What a test itself declares is only its material.
    let is_group = !matches!(method, "it" | "test" | "specify" | "should" | "scenario");
    let body = body.filter(|_| is_group);
    let mut cursor = call.walk();
    let calls = body.map_or_else(Vec::new, |body| body.named_children(&mut cursor).collect());
    symbol.children = calls
        .into_iter()
        .filter(|call| call.kind() == "call")
        .filter_map(|call| test(walk, call, depth_left - 1))
        .collect();
    Some(symbol)
}

/// The words of a title, without the quotes around them; those of one that goes on behind a backslash together.
fn title_of<'t>(walk: &Walk<'t>, title: Node<'t>) -> Cow<'t, str> {
    if title.kind() == "chained_string" {
        let mut cursor = title.walk();
        let parts = title.named_children(&mut cursor);
        return parts
            .map(|part| unquoted(walk, part))
            .collect::<String>()
            .into();
    }
    Cow::Borrowed(unquoted(walk, title))
}

fn unquoted<'t>(walk: &Walk<'t>, title: Node<'t>) -> &'t str {
    let text = walk.slice(title);
    let inner = text.get(1..text.len().saturating_sub(1));
    inner.filter(|_| title.kind() == "string").unwrap_or(text)
}

/// `get "/path" do … end`: what a server answers to.
fn route<'t>(walk: &mut Walk<'t>, level: &Level<'t>, call: Node<'t>) -> Option<Symbol> {
    let method = walk.slice(call.child_by_field_name("method")?);
    let path = call.child_by_field_name("arguments")?.named_child(0)?;
    call.child_by_field_name("block")?;
    let path = title_of(walk, path);
    if !path.starts_with('/') || !walk.has_room() {
        return None;
    }
    walk.route(level, call, method, &path)
}

/// `alias new old` and `alias :new :old`
fn alias<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let symbol = walk.symbol(level, Head::new(node, Kind::Function, name));
    walk.push(
        level,
        Symbol {
            name: walk.slice(name).trim_start_matches(':').to_owned(),
            ..symbol
        },
    );
}

/// `autoload :Name, "path"`
fn autoload<'t>(walk: &mut Walk<'t>, arguments: Node<'t>) {
    let mut cursor = arguments.walk();
    let path = arguments
        .named_children(&mut cursor)
        .filter(|argument| argument.kind() == "string")
        .last();
    if let Some(path) = path {
        walk.import_text(walk.slice(path).trim_matches(['"', '\'']));
    }
}

/// Takes the names in a list: symbols and texts for what is declared, constants for what is mixed in.
fn name_all<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, arguments: Node<'t>, kind: Kind) {
    if level.place.owner.is_none() {
        return;
    }
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        let is_name = match kind {
            Kind::Implementation => {
                matches!(argument.kind(), "constant" | "scope_resolution")
            }
            _ => matches!(argument.kind(), "simple_symbol" | "string"),
        };
        if is_name {
            let name = walk.slice(argument).trim_matches([':', '"', '\'']);
            let mut symbol = Symbol {
                public: level.place.public,
                ..Symbol::named(kind, name)
            };
            if kind == Kind::Implementation {
                symbol.signature = format!("include {}", symbol.name);
            }
            let start = to_u32(argument.start_byte());
            let span = if kind == Kind::Field {
                Span {
                    start,
                    end: start,
                    name: start,
                    body: start,
                }
            } else {
                symbol.span
            };
            walk.push(level, Symbol { span, ..symbol });
        }
    }
}

/// A method that a call names in one of its arguments, or in the first when there is no such one.
fn name_first<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    arguments: Node<'t>,
    at: u32,
) {
    let is_name = |argument: &Node<'_>| matches!(argument.kind(), "simple_symbol" | "string");
    let count = to_u32(arguments.named_child_count());
    let argument = arguments
        .named_child(at.min(count.saturating_sub(1)) as _)
        .filter(is_name);
    if let Some(argument) = argument.filter(|_| level.place.owner.is_some()) {
        let end = node
            .child_by_field_name("block")
            .map(|block| block.start_byte());
        let symbol = walk.symbol(level, Head::new(node, Kind::Function, argument).until(end));
        let name = walk
            .slice(argument)
            .trim_matches([':', '"', '\''])
            .to_owned();
        walk.push(level, Symbol { name, ..symbol });
    }
}

/// `private def x` and `private :x`.
fn hide<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, arguments: Node<'t>) {
    let place = Place {
        public: false,
        wrap: Some(node),
        ..level.place
    };
    walk.children_at(level, arguments, place);
    let mut cursor = arguments.walk();
    for argument in arguments.named_children(&mut cursor) {
        let name = walk.slice(argument).trim_start_matches(':');
        for symbol in level
            .symbols
            .iter_mut()
            .filter(|symbol| symbol.name == name)
        {
            symbol.public = false;
        }
    }
}
