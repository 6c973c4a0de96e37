//! Go. Names that begin with a capital letter are public; methods are listed with their type.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, nothing};
use super::level::Level;
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Symbol};

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_go::LANGUAGE.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "import_declaration" | "import_spec_list" | "var_declaration" | "var_spec_list"
        | "type_declaration" => Rule::Inside,
        "import_spec" => Rule::Special(import),
        "const_declaration" => Rule::Special(constants),
        "const_spec" => Rule::Special(constant),
        "var_spec" => Rule::Special(variable),
        "type_spec" | "type_alias" => Rule::Special(type_spec),
        "field_declaration" => Rule::Special(field),
        "method_elem" => Rule::Item(Item::new(Kind::Function)),
        "type_elem" => Rule::Special(embedded),
        "function_declaration" => Rule::Item(Item::body(Kind::Function, &["body"])),
        "method_declaration" => Rule::Special(method),
        _ => Rule::Pass,
    },
    hidden: &["comment"],
    style: comment::SLASHES,
    is_doc: any_comment,
    is_public,
    is_package,
    finish: nothing,
};

fn is_package(declared: &Declared<'_>) -> bool {
    !is_public(declared)
}

fn is_public(declared: &Declared<'_>) -> bool {
    let name = declared
        .name
        .rsplit('.')
        .next()
        .unwrap_or(declared.name)
        .trim_start_matches('*');
    is_exported(name)
}

fn is_exported(name: &str) -> bool {
    name.starts_with(char::is_uppercase)
}

fn import<'t>(walk: &mut Walk<'t>, _: &mut Level<'t>, node: Node<'t>) {
    walk.import_text(&walk.slice(node).replace(['"', '`'], ""));
}

/// A group of constants. One without a value has that of the one before; `iota` is its place in the group, so a constant that
/// comes in front changes the values of all behind it. Several names in one line stay as they are written.
fn constants<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, group: Node<'t>) {
    let mut at = level.symbols.len();
    walk.children(level, group);
    let mut cursor = group.walk();
    let specs = group
        .named_children(&mut cursor)
        .filter(|node| node.kind() == "const_spec");
    let mut last = None;
    for (place, spec) in specs.enumerate() {
        if let Some(value) = spec.child_by_field_name("value") {
            let kind = spec
                .child_by_field_name("type")
                .map(|kind| walk.slice(kind));
            last = Some((kind, walk.slice(value)));
        }
        // The other names of a line stand behind its first.
        let others = level.symbols.iter().skip(at);
        let is_before = |symbol: &&Symbol| (symbol.span.start as usize) < spec.start_byte();
        at += others.take_while(is_before).count();
        let is_own = |symbol: &&mut Symbol| symbol.span.start as usize == spec.start_byte();
        let Some(symbol) = level.symbols.get_mut(at).filter(is_own) else {
            continue;
        };
        at += 1;
        let last = last.filter(|(_, value)| place > 0 && value.len() <= VALUE_BYTES_MAX);
        if let Some((kind, value)) = last.filter(|(_, value)| !value.contains([',', '\n'])) {
            let value = with_iota(value, place);
            let kind = kind.map_or_else(String::new, |kind| format!(" {kind}"));
            symbol.signature = format!("const {}{kind} = {value}", symbol.name);
        }
    }
}

/// Longest value that is passed on to the constants behind it.
const VALUE_BYTES_MAX: usize = 48;

/// A value with a number for each `iota` outside of strings.
fn with_iota(value: &str, place: usize) -> String {
    if value.contains(['"', '\'', '`']) {
        return value.to_owned();
    }
    let is_word = |c: char| c.is_alphanumeric() || c == '_' || c == '.';
    let (mut out, mut rest) = (String::new(), value);
    while let Some(at) = rest.find("iota") {
        let (before, behind) = (&rest[..at], &rest[at + "iota".len()..]);
        let is_whole = !before.ends_with(is_word) && !behind.starts_with(is_word);
        out.push_str(before);
        if is_whole {
            out.push_str(&place.to_string());
        } else {
            out.push_str("iota");
        }
        rest = behind;
    }
    out + rest
}

fn constant<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    keyword(
        walk,
        level,
        node,
        "const",
        &Item::new(Kind::Constant).valued("value"),
    );
}

fn variable<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    keyword(
        walk,
        level,
        node,
        "var",
        &Item::new(Kind::Variable).valued("value"),
    );
}

/// Declares with the keyword in front, which may stand before a whole group.
fn keyword<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    word: &str,
    item: &Item,
) {
    let before = level.symbols.len();
    walk.declare(level, node, item);
    if let Some(symbol) = level.symbols.get_mut(before) {
        symbol.signature = format!("{word} {}", symbol.signature);
        declare_others(walk, level, before, node);
    }
}

/// Declares the names of a declaration behind its first, which is the symbol at `first`. Each says whether others see it.
fn declare_others<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, first: usize, node: Node<'t>) {
    let mut cursor = node.walk();
    let names = node.children_by_field_name("name", &mut cursor);
    let names = names.filter(Node::is_named);
    walk.declare_others(level, first, names.skip(1));
    for symbol in level.symbols.iter_mut().skip(first + 1) {
        symbol.public = is_exported(&symbol.name);
        symbol.is_package = !symbol.public;
    }
}

fn type_spec<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let inner = node.child_by_field_name("type");
    let (Some(name), Some(inner)) = (node.child_by_field_name("name"), inner) else {
        return;
    };
    let fields = inner
        .named_child(0)
        .filter(|child| child.kind() == "field_declaration_list");
    let body = inner.walk().goto_first_child().then_some(inner);
    let (kind, members, end) = match inner.kind() {
        "struct_type" => (
            Kind::Struct,
            fields,
            fields.map(|fields| fields.start_byte()),
        ),
        "interface_type" => (
            Kind::Interface,
            body,
            Some(inner.start_byte() + "interface".len()),
        ),
        _ => (Kind::Type, None, None),
    };
    let mut symbol = walk.symbol(level, Head::new(node, kind, name).until(end));
    symbol.signature = format!("type {}", symbol.signature);
    if let Some(members) = members {
        symbol.children = walk.members(members, kind, false);
    }
    walk.push(level, symbol);
}

/// An interface within an interface, which the outer one implements by the words of the specification; no union of types.
fn embedded<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let inner = node
        .named_child(0)
        .filter(|_| node.named_child_count() == 1);
    let is_name = |inner: &Node<'_>| {
        matches!(
            inner.kind(),
            "type_identifier" | "qualified_type" | "generic_type"
        )
    };
    let Some(name) = inner.filter(is_name) else {
        return;
    };
    let kind = Kind::Implementation;
    let symbol = walk.symbol(level, Head::new(node, kind, name));
    walk.push(level, symbol);
}

/// What an embedded type is called: `List` of `a.List[int]`.
fn last_name(path: &str) -> &str {
    let path = path.split('[').next().unwrap_or_default();
    path.rsplit('.').next().unwrap_or_default()
}

/// A field, or an embedded type, which is named like it.
fn field<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let embedded = node.child_by_field_name("name").is_none();
    let before = level.symbols.len();
    walk.declare(
        level,
        node,
        &Item::body(Kind::Field, &["tag"]).named(if embedded { "type" } else { "name" }),
    );
    if let Some(symbol) = level.symbols.get_mut(before).filter(|_| embedded) {
        symbol.name = last_name(&symbol.name).to_owned();
    }
    declare_others(walk, level, before, node);
}

fn method<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let receiver = node
        .child_by_field_name("receiver")
        .and_then(|list| list.named_child(0));
    let Some(owner) = receiver.and_then(|receiver| receiver.child_by_field_name("type")) else {
        return;
    };
    let Some(name) = node.child_by_field_name("name") else {
        return;
    };
    let end = node
        .child_by_field_name("body")
        .map(|body| body.start_byte());
    let symbol: Symbol = walk.symbol(level, Head::new(node, Kind::Method, name).until(end));
    let owner = walk
        .slice(owner)
        .trim_start_matches('*')
        .split('[')
        .next()
        .unwrap_or_default();
    walk.adopt(level, owner, &format!("type {owner}"), symbol);
}
