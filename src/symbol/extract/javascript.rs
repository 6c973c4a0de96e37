//! JavaScript and TypeScript: ES modules, CommonJS, and the older ways to make a class.
//!
//! What is exported is public. A file that neither imports nor exports is a script, whose top level is shared.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package};
use super::instance;
use super::level::{Adopted, Level, Place};
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::{DEPTH_MAX, Kind, Symbol};

pub(super) const JAVASCRIPT: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    rules: RULES,
    hidden: &["comment", "decorator"],
    style: comment::SLASHES,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish,
};
pub(super) const TYPESCRIPT: Grammar = Grammar {
    language: || tree_sitter_typescript::LANGUAGE_TYPESCRIPT.into(),
    ..JAVASCRIPT
};
pub(super) const TSX: Grammar = Grammar {
    language: || tree_sitter_typescript::LANGUAGE_TSX.into(),
    ..JAVASCRIPT
};

const FUNCTION: Item = Item::body(Kind::Function, &["body"]);
const CLASS: Item = Item::of(Kind::Class, "body", &["body"]).open();

const RULES: &[(&str, Rule)] = &[
    ("comment", Rule::Comment),
    ("decorator", Rule::Attribute),
    ("import_statement", Rule::Import(&["import", "type "])),
    ("export_statement", Rule::Special(export)),
    ("function_declaration", Rule::Item(FUNCTION)),
    ("generator_function_declaration", Rule::Item(FUNCTION)),
    ("function_signature", Rule::Item(FUNCTION)),
    ("class_declaration", Rule::Item(CLASS)),
    ("abstract_class_declaration", Rule::Item(CLASS)),
    ("method_definition", Rule::Special(member)),
    ("method_signature", Rule::Item(FUNCTION)),
    ("abstract_method_signature", Rule::Item(FUNCTION)),
    (
        "field_definition",
        Rule::Item(Item::new(Kind::Field).named("property").valued("value")),
    ),
    (
        "public_field_definition",
        Rule::Item(Item::new(Kind::Field).valued("value")),
    ),
    ("property_signature", Rule::Item(Item::new(Kind::Field))),
    (
        "interface_declaration",
        Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open()),
    ),
    (
        "type_alias_declaration",
        Rule::Item(Item::new(Kind::Type).valued("value")),
    ),
    (
        "enum_declaration",
        Rule::Item(Item::of(Kind::Enum, "body", &["body"]).open()),
    ),
    (
        "enum_assignment",
        Rule::Item(Item::new(Kind::Variant).valued("value")),
    ),
    ("property_identifier", Rule::Special(variant)),
    ("ambient_declaration", Rule::Special(ambient)),
    (
        "module",
        Rule::Item(Item::of(Kind::Module, "body", &["body"])),
    ),
    (
        "internal_module",
        Rule::Item(Item::of(Kind::Module, "body", &["body"])),
    ),
    ("lexical_declaration", Rule::Special(variables)),
    ("variable_declaration", Rule::Special(variables)),
    ("expression_statement", Rule::Special(statement)),
    ("pair", Rule::Special(pair)),
    ("shorthand_property_identifier", Rule::Special(shorthand)),
];

/// Declarations are public when exported, members unless they say otherwise.
fn is_public(declared: &Declared<'_>) -> bool {
    match declared.place.owner {
        None | Some(Kind::Module) => declared.place.public,
        Some(_) => {
            !declared.says("private")
                && !declared.says("protected")
                && !declared.name.starts_with(['#', '_'])
        }
    }
}

fn export<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if node.child_by_field_name("declaration").is_some() {
        let place = Place {
            public: true,
            wrap: Some(node),
            ..level.place
        };
        return walk.children_at(level, node, place);
    }
    if node.child_by_field_name("source").is_some() {
        let text = walk
            .slice(node)
            .trim_start_matches("export")
            .trim_start_matches(" type");
        return walk.push(
            level,
            Symbol::named(Kind::Export, text.trim_end_matches(';')),
        );
    }
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        match child.kind() {
            "export_clause" => export_names(walk, child),
            "identifier" => walk.export(child),
            "comment" => {}
            _ => assigned(walk, level, node, "default", child),
        }
    }
}

/// Takes the names of `export { a, b as c }`.
fn export_names<'t>(walk: &mut Walk<'t>, clause: Node<'t>) {
    let mut cursor = clause.walk();
    for specifier in clause.named_children(&mut cursor) {
        if let Some(name) = specifier.child_by_field_name("name") {
            walk.export(name);
        }
    }
}

/// What is declared to exist elsewhere is there to be used.
fn ambient<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let place = Place {
        public: true,
        wrap: level.place.wrap.or(Some(node)),
        ..level.place
    };
    walk.children_at(level, node, place);
    let mut cursor = node.walk();
    // `declare global { … }`
    for block in node
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "statement_block")
    {
        walk.children_at(
            level,
            block,
            Place {
                wrap: None,
                ..place
            },
        );
    }
}

/// A method; a constructor may declare fields among its parameters.
fn member<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let is_constructor = node
        .child_by_field_name("name")
        .is_some_and(|name| walk.slice(name) == "constructor");
    let parameters = node
        .child_by_field_name("parameters")
        .filter(|_| is_constructor);
    let mut cursor = node.walk();
    for parameter in parameters
        .iter()
        .flat_map(|list| list.named_children(&mut cursor).collect::<Vec<_>>())
    {
        let name = parameter
            .child_by_field_name("pattern")
            .filter(|name| name.kind() == "identifier");
        let prefix = name
            .map_or("", |name| {
                &walk.text[parameter.start_byte()..name.start_byte()]
            })
            .trim();
        let declares = prefix.split(' ').any(|word| {
            matches!(
                word,
                "public" | "private" | "protected" | "readonly" | "override"
            )
        });
        if let Some(name) = name.filter(|_| declares) {
            let before = level.place.wrap.take();
            let symbol = walk.symbol(
                level,
                Head {
                    node: parameter,
                    kind: Kind::Field,
                    name,
                    end: None,
                },
            );
            level.place.wrap = before;
            walk.push(
                level,
                Symbol {
                    doc: String::new(),
                    ..symbol
                },
            );
        }
    }
    walk.declare(level, node, &FUNCTION);
    if let Some(body) = node.child_by_field_name("body").filter(|_| is_constructor) {
        instance::fields(walk, level, body, "this.");
    }
}

/// A case of an enumeration without a value.
fn variant<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if level.place.owner == Some(Kind::Enum) {
        let symbol = walk.symbol(
            level,
            Head {
                node,
                kind: Kind::Variant,
                name: node,
                end: None,
            },
        );
        walk.push(level, symbol);
    }
}

fn variables<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let alone = node.named_child_count() == 1;
    let mut cursor = node.walk();
    for declarator in node
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "variable_declarator")
    {
        let Some(name) = declarator.child_by_field_name("name") else {
            continue;
        };
        let value = declarator.child_by_field_name("value");
        // `var app = exports = module.exports = {}`
        let exported = ["exports =", "module.exports ="];
        if value.is_some_and(|value| {
            exported
                .iter()
                .any(|words| walk.slice(value).starts_with(words))
        }) {
            walk.export(name);
        }
        if value.is_some_and(|value| walk.slice(value).starts_with("require(")) {
            walk.import(declarator, &[]);
        } else if name.kind() == "identifier" {
            let (kind, end) = value.map_or((Kind::Variable, None), |value| shape(walk, value));
            let is_const = kind == Kind::Variable && walk.slice(node).starts_with("const");
            let kind = if is_const { Kind::Constant } else { kind };
            let before = level.place;
            level.place.wrap = if alone { before.wrap } else { Some(declarator) };
            let symbol = walk.symbol(
                level,
                Head {
                    node,
                    kind,
                    name,
                    end: end.or(Some(declarator.end_byte())),
                },
            );
            level.place = before;
            walk.push(level, symbol);
        }
    }
}

/// What a value makes of its name, and where the text that is shown ends.
fn shape<'t>(walk: &Walk<'t>, value: Node<'t>) -> (Kind, Option<usize>) {
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

/// Assignments that export something or add a member to what was declared before.
fn statement<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(inner) = node.named_child(0) else {
        return;
    };
    if inner.kind() == "internal_module" {
        return walk.children(level, node);
    }
    if inner.kind() == "call_expression" {
        let found = test(walk, inner, DEPTH_MAX).or_else(|| route(walk, level, node, inner));
        level.symbols.extend(found);
        return;
    }
    let left = inner
        .child_by_field_name("left")
        .filter(|_| inner.kind() == "assignment_expression");
    let (Some(left), Some(right)) = (left, inner.child_by_field_name("right")) else {
        return;
    };
    let target = walk.slice(left);
    if target == "exports" {
        return exported_value(walk, level, node, last_value(right));
    }
    let Some((owner, name)) = target.rsplit_once('.') else {
        return;
    };
    match owner {
        "module" if name == "exports" => exported_value(walk, level, node, right),
        "exports" | "module.exports" => assigned(walk, level, node, name, right),
        _ => method(walk, level, node, [owner, name], right),
    }
}

/// `describe("…", function () { … })`, `it("…", …)`: a test or a group of tests, by its title.
fn test<'t>(walk: &mut Walk<'t>, call: Node<'t>, depth_left: usize) -> Option<Symbol> {
    let function = walk.slice(call.child_by_field_name("function")?);
    let (word, more) = function.split_once('.').unwrap_or((function, ""));
    let arguments = call.child_by_field_name("arguments")?;
    let title = arguments.named_child(0)?;
    let is_test = matches!(
        word,
        "describe" | "it" | "test" | "context" | "suite" | "specify"
    ) && matches!(
        more,
        "" | "only" | "skip" | "todo" | "concurrent" | "serial" | "failing"
    ) && matches!(title.kind(), "string" | "template_string");
    if !is_test || depth_left == 0 || !walk.has_room() {
        return None;
    }
    let mut cursor = arguments.walk();
    let body = arguments
        .named_children(&mut cursor)
        .find_map(|argument| argument.child_by_field_name("body"));
    let mut symbol = Walk::test(call, unquoted(walk.slice(title)));
    let mut cursor = call.walk();
    let statements = body.map_or_else(Vec::new, |body| body.named_children(&mut cursor).collect());
    symbol.children = statements
        .into_iter()
        .filter(|statement| statement.kind() == "expression_statement")
        .filter_map(|statement| test(walk, statement.named_child(0)?, depth_left - 1))
        .collect();
    Some(symbol)
}

/// `app.get("/path", …)`: what a server answers to.
fn route<'t>(
    walk: &mut Walk<'t>,
    level: &Level<'t>,
    statement: Node<'t>,
    call: Node<'t>,
) -> Option<Symbol> {
    let function = walk.slice(call.child_by_field_name("function")?);
    let (server, method) = function.split_once('.')?;
    let arguments = call.child_by_field_name("arguments")?;
    let path = unquoted(walk.slice(arguments.named_child(0)?));
    let is_route = level.place.owner.is_none()
        && server.chars().all(char::is_alphanumeric)
        && path.starts_with('/')
        && arguments.named_child_count() > 1;
    if !is_route || !walk.has_room() {
        return None;
    }
    walk.route(level, statement, method, path)
}

/// A text without the quotes around it.
fn unquoted(text: &str) -> &str {
    let inner = text.get(1..text.len().saturating_sub(1));
    inner.unwrap_or(text)
}

/// What the last of several assignments in a row assigns.
fn last_value(mut value: Node<'_>) -> Node<'_> {
    while value.kind() == "assignment_expression"
        && let Some(right) = value.child_by_field_name("right")
    {
        value = right;
    }
    value
}

/// `module.exports = …`: a name, an object of names, or something new.
fn exported_value<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, value: Node<'t>) {
    match value.kind() {
        "identifier" => walk.export(value),
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
fn assigned<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    name: &str,
    value: Node<'t>,
) {
    if value.kind() == "identifier" && walk.slice(value) != "undefined" {
        walk.export(value);
    } else if name != "__esModule" && !walk.slice(value).starts_with("void 0") {
        let (kind, end) = shape(walk, value);
        let symbol = walk.symbol(
            level,
            Head {
                node,
                kind,
                name: value,
                end,
            },
        );
        let mut symbol = Symbol {
            public: true,
            name: name.to_owned(),
            ..symbol
        };
        if let Some(body) = value
            .child_by_field_name("body")
            .filter(|_| kind == Kind::Class)
        {
            symbol.children = walk.members(body, Kind::Class, true);
        }
        walk.push(level, symbol);
    }
}

/// `Foo.prototype.bar = function …` and `Foo.bar = function …`.
fn method<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    node: Node<'t>,
    target: [&str; 2],
    value: Node<'t>,
) {
    let [owner, name] = target;
    let owner = owner.strip_suffix(".prototype").unwrap_or(owner);
    let (kind, end) = shape(walk, value);
    if kind == Kind::Function
        && owner
            .chars()
            .all(|c| c.is_alphanumeric() || "_$.".contains(c))
    {
        let symbol = walk.symbol(
            level,
            Head {
                node,
                kind: Kind::Method,
                name: value,
                end,
            },
        );
        let member = Symbol {
            public: !name.starts_with('_'),
            name: name.to_owned(),
            ..symbol
        };
        walk.adopt(level, owner, owner, member);
    }
}

/// `name: value` in an exported object.
fn pair<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
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
fn shorthand<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if level.place.public {
        walk.export(node);
    }
}

/// `Date.now = function …` changes what is there for all: a patch, and nothing that the file offers. A member of a prototype
/// stays, and so does that of a thing of the same name which the file declares.
fn is_patch(adopted: &Adopted, declared: &BTreeSet<String>) -> bool {
    const GLOBALS: [&str; 12] = [
        "Array",
        "Date",
        "JSON",
        "Math",
        "Object",
        "Promise",
        "console",
        "document",
        "global",
        "globalThis",
        "process",
        "window",
    ];
    let root = adopted.owner.split('.').next().unwrap_or_default();
    let is_prototype = |member: &Symbol| {
        let rest = member.signature.strip_prefix(adopted.owner.as_str());
        rest.is_some_and(|rest| rest.starts_with(".prototype"))
    };
    GLOBALS.contains(&root) && !adopted.members.iter().any(is_prototype) && !declared.contains(root)
}

fn finish<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    let names = level.symbols.iter().map(|symbol| symbol.name.clone());
    let declared: BTreeSet<String> = if level.adopted.is_empty() {
        BTreeSet::new()
    } else {
        names.collect()
    };
    level
        .adopted
        .retain(|adopted| !is_patch(adopted, &declared));
    let script = walk.exports.is_empty()
        && walk.imports.is_empty()
        && level.symbols.iter().all(|symbol| !symbol.public);
    for symbol in &mut level.symbols {
        let is_shared = script && symbol.kind != Kind::Test;
        symbol.public |= is_shared || walk.exports.contains(&symbol.name);
    }
}
