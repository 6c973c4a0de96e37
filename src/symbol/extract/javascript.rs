//! JavaScript and TypeScript: ES modules, CommonJS, and the older ways to make a class.
//!
//! What is exported is public. A file that neither imports nor exports is a script, whose top level is shared.

use std::borrow::Cow;
use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package};
use super::level::{Adopted, Level, Place};
use super::walk::Head;
use super::{export, instance, suite};
use crate::symbol::comment;
use crate::symbol::outline::{DEPTH_MAX, Kind, Symbol};

/// Words of the language that are attributes of elements, too: `<label id="a" for="b">`. The grammar takes them for what
/// begins a statement, and loses the function around the element.
const ATTRIBUTES: [&str; 9] = [
    "class", "const", "default", "for", "function", "if", "import", "in", "new",
];

/// The text with other names in the place of these attributes; all places stay.
pub(super) fn with_attributes(text: &str) -> Cow<'_, str> {
    let attribute = |(at, _): (usize, &str)| {
        let before = text[..at].trim_end_matches(|sign: char| sign.is_ascii_lowercase());
        let is_attribute = text[at + 1..].starts_with(['"', '\'', '{'])
            && before.ends_with(char::is_whitespace)
            && ATTRIBUTES.contains(&&text[before.len()..at]);
        is_attribute.then(|| before.len()..before.len() + 1)
    };
    let starts: Vec<_> = text.match_indices('=').filter_map(attribute).collect();
    if starts.is_empty() {
        return Cow::Borrowed(text);
    }
    let mut out = text.to_owned();
    for start in starts {
        out.replace_range(start, "_");
    }
    Cow::Owned(out)
}

pub(super) const JAVASCRIPT: Grammar = Grammar {
    language: || tree_sitter_javascript::LANGUAGE.into(),
    rules,
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

fn rules(kind: &str) -> Rule {
    match kind {
        "comment" => Rule::Comment,
        "decorator" => Rule::Attribute,
        "import_statement" => Rule::Import(&["import", "type "]),
        "export_statement" => Rule::Special(export::statement),
        "function_declaration"
        | "generator_function_declaration"
        | "function_signature"
        | "method_signature"
        | "abstract_method_signature" => Rule::Item(FUNCTION),
        "class_declaration" | "abstract_class_declaration" => Rule::Item(CLASS),
        "method_definition" => Rule::Special(member),
        "field_definition" => Rule::Item(Item::new(Kind::Field).named("property").valued("value")),
        "public_field_definition" => Rule::Item(Item::new(Kind::Field).valued("value")),
        "property_signature" => Rule::Item(Item::new(Kind::Field)),
        "interface_declaration" => Rule::Item(Item::of(Kind::Interface, "body", &["body"]).open()),
        "type_alias_declaration" => Rule::Special(type_alias),
        "enum_declaration" => Rule::Item(Item::of(Kind::Enum, "body", &["body"]).open()),
        "enum_assignment" => Rule::Item(Item::new(Kind::Variant).valued("value")),
        "property_identifier" => Rule::Special(variant),
        "ambient_declaration" => Rule::Special(ambient),
        "module" | "internal_module" => Rule::Special(module),
        "lexical_declaration" | "variable_declaration" => Rule::Special(variables),
        "expression_statement" => Rule::Special(statement),
        "pair" => Rule::Special(export::pair),
        "shorthand_property_identifier" => Rule::Special(export::shorthand),
        _ => Rule::Pass,
    }
}

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

/// A name for a type; of an object with the members, as an interface has.
fn type_alias<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let value = node.child_by_field_name("value");
    // What maps the members of another type has none of its own to list.
    let is_member =
        |child: Node<'_>| matches!(child.kind(), "property_signature" | "method_signature");
    let has_members = |value: Node<'_>| {
        let mut cursor = value.walk();
        value.kind() == "object_type" && value.named_children(&mut cursor).any(is_member)
    };
    if !value.is_some_and(has_members) {
        walk.declare(level, node, &Item::new(Kind::Type).valued("value"));
        return;
    }
    let before = level.symbols.len();
    walk.declare(
        level,
        node,
        &Item::of(Kind::Type, "value", &["value"]).open(),
    );
    for symbol in level.symbols.iter_mut().skip(before) {
        let end = symbol.signature.trim_end_matches([' ', '=']).len();
        symbol.signature.truncate(end);
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

/// A namespace. In one that is declared to exist elsewhere all is there to be used, unless a list says what is.
fn module<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let item = Item::of(Kind::Module, "body", &["body"]);
    let body = node.child_by_field_name("body");
    let is_listed = body.is_some_and(|body| export::has_list(body));
    let is_open = !is_listed && is_ambient(node);
    let item = if is_open { item.open() } else { item };
    let (known, first) = (level.symbols.len(), walk.offers.len());
    walk.declare(level, node, &item);
    if let Some(symbol) = level.symbols.get_mut(known) {
        export::finish_members(walk, &mut symbol.children, first);
    }
}

/// Whether a namespace stands in `declare …`.
fn is_ambient(node: Node<'_>) -> bool {
    let mut around = node.parent();
    for _ in 0..2 * DEPTH_MAX {
        match around {
            Some(node) if node.kind() == "ambient_declaration" => return true,
            Some(node) => around = node.parent(),
            None => return false,
        }
    }
    false
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
            let symbol = walk.symbol(level, Head::new(parameter, Kind::Field, name));
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
        let symbol = walk.symbol(level, Head::new(node, Kind::Variant, node));
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
        } else if name.kind() == "identifier" && !is_helper(walk.slice(name)) {
            let (kind, end) =
                value.map_or((Kind::Variable, None), |value| export::shape(walk, value));
            let is_const = kind == Kind::Variable && walk.slice(node).starts_with("const");
            let kind = if is_const { Kind::Constant } else { kind };
            let before = level.place;
            level.place.wrap = if alone { before.wrap } else { Some(declarator) };
            let symbol = walk.symbol(
                level,
                Head::new(node, kind, name).until(end.or(Some(declarator.end_byte()))),
            );
            level.place = before;
            walk.push(level, symbol);
        } else if level.place.public && name.kind().ends_with("_pattern") {
            pattern(walk, level, node, name);
        }
    }
}

/// What a pattern takes out of a value and the file offers: `export const { a, b: { c }, ...rest } = …`.
fn pattern<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>, pattern: Node<'t>) {
    let names = pattern_names(pattern, DEPTH_MAX);
    let Some((first, others)) = names.split_first() else {
        return;
    };
    let kind = if walk.slice(node).starts_with("const") {
        Kind::Constant
    } else {
        Kind::Variable
    };
    let end = Some(pattern.end_byte());
    let symbol = walk.symbol(level, Head::new(node, kind, *first).until(end));
    walk.push_all(level, symbol, others.iter().copied());
}

/// The names that a pattern binds.
fn pattern_names(pattern: Node<'_>, depth_left: usize) -> Vec<Node<'_>> {
    let part = |field: &str| pattern.child_by_field_name(field).into_iter().collect();
    let inner: Vec<Node<'_>> = match pattern.kind() {
        "identifier" | "shorthand_property_identifier_pattern" => return vec![pattern],
        "pair_pattern" => part("value"),
        "assignment_pattern" | "object_assignment_pattern" => part("left"),
        "object_pattern" | "array_pattern" | "rest_pattern" => {
            pattern.named_children(&mut pattern.walk()).collect()
        }
        _ => Vec::new(),
    };
    let inner = inner.into_iter().filter(|_| depth_left > 0);
    inner
        .flat_map(|part| pattern_names(part, depth_left - 1))
        .collect()
}

/// What compilers write at the head of what they make: `var __importStar = …`.
fn is_helper(name: &str) -> bool {
    const HELPERS: [&str; 14] = [
        "__assign",
        "__awaiter",
        "__createBinding",
        "__decorate",
        "__exportStar",
        "__extends",
        "__generator",
        "__importDefault",
        "__importStar",
        "__metadata",
        "__param",
        "__rest",
        "__setModuleDefault",
        "__spreadArray",
    ];
    HELPERS.contains(&name)
}

/// Assignments that export something or add a member to what was declared before.
fn statement<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(inner) = node.named_child(0) else {
        return;
    };
    if inner.kind() == "internal_module" {
        return walk.children(level, node);
    }
    let call = suite::awaited(inner);
    if call.kind() == "call_expression" {
        let found =
            suite::test(walk, call, DEPTH_MAX).or_else(|| suite::route(walk, level, node, call));
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
        return export::value(walk, level, node, last_value(right));
    }
    let Some((owner, name)) = target.rsplit_once('.') else {
        return;
    };
    match owner {
        "module" if name == "exports" => export::value(walk, level, node, right),
        "exports" | "module.exports" => export::assigned(walk, level, node, name, right),
        _ => method(walk, level, node, [owner, name], right),
    }
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
    let (kind, end) = export::shape(walk, value);
    if kind == Kind::Function
        && owner
            .chars()
            .all(|c| c.is_alphanumeric() || "_$.".contains(c))
    {
        let symbol = walk.symbol(level, Head::new(node, Kind::Method, value).until(end));
        let member = Symbol {
            public: !name.starts_with('_'),
            name: name.to_owned(),
            ..symbol
        };
        walk.adopt(level, owner, owner, member);
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
    export::finish(walk, level);
    if level.adopted.is_empty() {
        return;
    }
    // What is added to something that the file keeps to itself is not offered.
    let kept = level.symbols.iter().filter(|symbol| !symbol.public);
    let kept: BTreeSet<&str> = kept.map(|symbol| symbol.name.as_str()).collect();
    for adopted in &mut level.adopted {
        let root = adopted.owner.split('.').next().unwrap_or_default();
        let is_kept = kept.contains(root);
        for member in adopted.members.iter_mut().filter(|_| is_kept) {
            member.public = false;
        }
    }
}
