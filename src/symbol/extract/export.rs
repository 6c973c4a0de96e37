//! What a file of JavaScript or TypeScript offers, and under which names: by `export`, and by `exports` of CommonJS.
//!
//! What is declared in the file and offered under another name says so as an attribute; what is declared elsewhere is a
//! re-export. Which of the two it is, is known at the end of the file.

use std::collections::{BTreeMap, BTreeSet};

use tree_sitter::Node;

use super::grammar::{Offer, Walk};
use super::level::{Level, Place};
use super::walk::Head;
use crate::symbol::comment::cap;
use crate::symbol::outline::{ATTRIBUTES_MAX, Kind, SIGNATURE_BYTES_MAX, Symbol};

/// Most brackets and types around a value that are looked through.
const WRAPS_MAX: usize = 8;

/// What a value makes of its name, and where the text that is shown ends.
pub(super) fn shape<'t>(walk: &Walk<'t>, value: Node<'t>) -> (Kind, Option<usize>) {
    let body = value
        .child_by_field_name("body")
        .map(|body| body.start_byte());
    match value.kind() {
        "arrow_function" | "function_expression" | "generator_function" => (Kind::Function, body),
        "class" => (Kind::Class, body),
        _ => (
            Kind::Variable,
            walk.is_long(value).then(|| value.start_byte()),
        ),
    }
}

/// `export …`.
pub(super) fn statement<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if node.child_by_field_name("declaration").is_some() {
        let place = Place {
            public: true,
            wrap: Some(node),
            ..level.place
        };
        return walk.children_at(level, node, place);
    }
    let text = walk.slice(node).trim_end_matches(';');
    let text = text.strip_prefix("export").unwrap_or(text).trim_start();
    if node.child_by_field_name("source").is_some() {
        return walk.push(level, passed_on(text, text));
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        let own = walk.slice(child);
        match child.kind() {
            "export_clause" => list(walk, level, child, text.starts_with("type")),
            "identifier" if text.starts_with('=') => {
                offer(
                    walk,
                    level,
                    [own, "="],
                    [&format!("= {own}"), &format!("export = {own}")],
                );
            }
            "identifier" => {
                let is_default = text.starts_with("default");
                let text = if is_default { text } else { own };
                offer(walk, level, [own, own], [text, ""]);
            }
            "comment" => {}
            _ => assigned(walk, level, node, "default", child),
        }
    }
}

/// The names of `export { a, b as c }`.
fn list<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, clause: Node<'t>, is_type: bool) {
    let mut cursor = clause.walk();
    for specifier in clause.named_children(&mut cursor) {
        let Some(local) = specifier.child_by_field_name("name") else {
            continue;
        };
        let name = specifier.child_by_field_name("alias").unwrap_or(local);
        let (local, name, text) = (walk.slice(local), walk.slice(name), walk.slice(specifier));
        let mark = format!("export {{ {text} }}");
        if is_type {
            offer(walk, level, [local, name], [&format!("type {text}"), &mark]);
        } else {
            offer(walk, level, [local, name], [text, &mark]);
        }
    }
}

/// Whether a list says what a namespace offers.
pub(super) fn has_list(body: Node<'_>) -> bool {
    let mut cursor = body.walk();
    body.named_children(&mut cursor)
        .filter(|child| child.kind() == "export_statement")
        .any(|child| child.child_by_field_name("declaration").is_none())
}

/// Notes that what the file calls `local` is offered as `name`, and how the file says so: where it is declared elsewhere, and
/// where not.
fn offer<'t>(
    walk: &mut Walk<'t>,
    level: &Level<'t>,
    [local, name]: [&str; 2],
    [text, mark]: [&str; 2],
) {
    // The names of a namespace are no names of the file.
    if level.place.owner.is_none() {
        walk.exports.insert(local.to_owned());
    }
    walk.offers.push(Offer {
        local: local.to_owned(),
        name: name.to_owned(),
        text: text.to_owned(),
        mark: mark.to_owned(),
    });
}

/// Adds what the file offers and does not declare, and how others call what it declares.
pub(super) fn finish<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    let offers = std::mem::take(&mut walk.offers);
    let adopted = level.adopted.iter();
    let elsewhere = adopted.map(|adopted| adopted.owner.clone()).collect();
    settle(walk, &mut level.symbols, offers, &elsewhere);
}

/// The same for the members of a namespace, whose offers begin at `first`.
pub(super) fn finish_members(walk: &mut Walk<'_>, members: &mut Vec<Symbol>, first: usize) {
    let offers = walk.offers.split_off(first);
    settle(walk, members, offers, &BTreeSet::new());
}

/// Settles offers; what has members that stand `elsewhere` is listed with these.
fn settle(
    walk: &mut Walk<'_>,
    symbols: &mut Vec<Symbol>,
    offers: Vec<Offer>,
    elsewhere: &BTreeSet<String>,
) {
    if offers.is_empty() {
        return;
    }
    let mut places: BTreeMap<String, usize> = BTreeMap::new();
    for (at, symbol) in symbols.iter().enumerate() {
        if !matches!(symbol.kind, Kind::Export | Kind::Test) {
            places.entry(symbol.name.clone()).or_insert(at);
        }
    }
    for offer in offers {
        let is_renamed = offer.name != offer.local;
        let Some(at) = places.get(&offer.local) else {
            // What an object offers of what stands elsewhere is listed with the object.
            let is_listed = offer.text.is_empty();
            let is_new = is_renamed || !elsewhere.contains(&offer.local);
            if !is_listed && is_new && walk.has_room() {
                symbols.push(passed_on(&offer.name, &offer.text));
            }
            continue;
        };
        let symbol = &mut symbols[*at];
        symbol.public = true;
        let left = walk.attribute_bytes_left.get();
        let has_room = offer.mark.len() <= left && symbol.attributes.len() < ATTRIBUTES_MAX;
        if has_room && is_renamed && !symbol.attributes.contains(&offer.mark) {
            walk.attribute_bytes_left.set(left - offer.mark.len());
            symbol.attributes.push(offer.mark);
        }
    }
}

/// A name that is declared elsewhere.
fn passed_on(name: &str, text: &str) -> Symbol {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let text = text.replace(", }", " }");
    Symbol {
        signature: cap(&text, SIGNATURE_BYTES_MAX),
        ..Symbol::named(Kind::Export, name)
    }
}

/// `module.exports = …`: a name, an object of names, or something new.
pub(super) fn value<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    value: Node<'t>,
) {
    match value.kind() {
        "identifier" => {
            let own = walk.slice(value);
            offer(walk, level, [own, own], [own, ""]);
        }
        "object" => {
            let place = Place {
                public: true,
                ..level.place
            };
            walk.children_at(level, value, place);
        }
        _ => assigned(walk, level, node, "module.exports", value),
    }
}

/// Adds what a public name is assigned; a mere name is exported instead.
pub(super) fn assigned<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    name: &str,
    value: Node<'t>,
) {
    let (own, value) = (walk.slice(value), bare(value));
    if value.kind() == "identifier" && own != "undefined" {
        let own = walk.slice(value);
        let (text, mark) = (format!("{name} = {own}"), format!("exports.{name}"));
        let text = if name == own { own } else { &text };
        return offer(walk, level, [own, name], [text, &mark]);
    }
    if name == "__esModule" || own.starts_with("void 0") {
        return;
    }
    let (kind, end) = shape(walk, value);
    let is_whole = matches!(name, "default" | "module.exports");
    let is_long = end == Some(value.start_byte());
    let (callee, object) = parts(value);
    let callee = callee.filter(|callee| is_long && !walk.is_long(*callee));
    let end = callee.map(|callee| callee.end_byte()).or(end);
    let head = Head::new(node, kind, value).until(end);
    let mut symbol = walk.symbol(level, head);
    symbol.public = true;
    name.clone_into(&mut symbol.name);
    if callee.is_some() {
        symbol.signature.push_str("(…)");
    } else if is_long && is_whole && value.kind() == "object" {
        symbol.signature.push_str(" {…}");
    }
    if let Some(object) = object.filter(|_| is_whole) {
        offer_members(walk, level, object);
    }
    let body = value.child_by_field_name("body");
    match (body, object) {
        (Some(body), _) if kind == Kind::Class => {
            symbol.children = walk.members(body, Kind::Class, true);
        }
        (_, Some(object)) if is_whole && is_long => symbol.children = keys(walk, object),
        _ => {}
    }
    walk.push(level, symbol);
}

/// A value without brackets around it and types behind it.
fn bare(value: Node<'_>) -> Node<'_> {
    let mut value = value;
    for _ in 0..WRAPS_MAX {
        let is_wrapped = matches!(
            value.kind(),
            "parenthesized_expression" | "as_expression" | "satisfies_expression"
        );
        match value.named_child(0).filter(|_| is_wrapped) {
            Some(inner) => value = inner,
            None => break,
        }
    }
    value
}

/// What is called to make a value, and the object that the value is or is made of.
fn parts(value: Node<'_>) -> (Option<Node<'_>>, Option<Node<'_>>) {
    let callee = value
        .child_by_field_name("function")
        .or_else(|| value.child_by_field_name("constructor"))
        .filter(|_| matches!(value.kind(), "call_expression" | "new_expression"));
    if callee.is_none() {
        return (None, Some(value).filter(|value| value.kind() == "object"));
    }
    let list = value.child_by_field_name("arguments");
    let mut cursor = value.walk();
    let object = list.and_then(|list| {
        list.named_children(&mut cursor)
            .find(|argument| argument.kind() == "object")
    });
    (callee, object)
}

/// Notes what an object offers of what the file declares: `{ run, walk: slow }`. The rest is listed with the object alone.
fn offer_members<'t>(walk: &mut Walk<'t>, level: &Level<'t>, object: Node<'t>) {
    let mut cursor = object.walk();
    for child in object.named_children(&mut cursor) {
        let (key, value) = (
            child.child_by_field_name("key"),
            child.child_by_field_name("value"),
        );
        let names = match (child.kind(), key, value) {
            ("shorthand_property_identifier", ..) => [child, child],
            ("pair", Some(key), Some(value)) if value.kind() == "identifier" => [value, key],
            _ => continue,
        };
        let [local, name] = names.map(|node| walk.slice(node).trim_matches(['"', '\'']));
        let mark = format!("export default {{ {} }}", walk.slice(child));
        offer(walk, level, [local, name], ["", &mark]);
    }
}

/// The keys of an object, with their values where these are short.
fn keys<'t>(walk: &mut Walk<'t>, object: Node<'t>) -> Vec<Symbol> {
    let level = Level::new(Place {
        owner: Some(Kind::Variable),
        public: true,
        wrap: None,
    });
    let mut found = Vec::new();
    let mut cursor = object.walk();
    for child in object.named_children(&mut cursor) {
        let part = |field| child.child_by_field_name(field);
        let value = part("value");
        let body = part("body").or_else(|| value?.child_by_field_name("body"));
        let name = match child.kind() {
            "pair" => part("key"),
            "method_definition" => part("name"),
            "shorthand_property_identifier" => Some(child),
            _ => None,
        };
        let Some(name) = name else { continue };
        if !walk.has_room() {
            break;
        }
        let long = value.filter(|value| walk.is_long(*value));
        let head = Head::new(
            child,
            if body.is_some() {
                Kind::Method
            } else {
                Kind::Field
            },
            name,
        )
        .until(body.or(long).map(|end| end.start_byte()));
        let mut symbol = walk.symbol(&level, head);
        let own = symbol.name.trim_matches(['"', '\'']).to_owned();
        symbol.name = own;
        found.push(symbol);
    }
    found
}

/// `name: value` in an exported object.
pub(super) fn pair<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let (key, value) = (
        node.child_by_field_name("key"),
        node.child_by_field_name("value"),
    );
    if let (Some(key), Some(value), true) = (key, value, level.place.public) {
        let name = walk.slice(key).trim_matches(['"', '\'']);
        assigned(walk, level, node, name, value);
    }
}

/// `name` in an exported object.
pub(super) fn shorthand<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if level.place.public {
        let own = walk.slice(node);
        offer(walk, level, [own, own], [own, ""]);
    }
}
