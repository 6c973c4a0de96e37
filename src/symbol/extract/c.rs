//! C and C++. `static` hides a function in C, the section of a class and anonymous namespaces hide in C++.

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package};
use super::level::{Level, Place};
use super::walk::Head;
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Symbol};

/// Longest declaration that is put together again.
const DECLARATION_BYTES_MAX: usize = 1_000;
/// Deepest nesting of pointers, arrays and brackets around a name.
const DECLARATOR_DEPTH_MAX: usize = 16;

/// Macros below another of which the comment above it is about all of them.
const GROUP_MIN: usize = 2;
/// First words of a comment among which one says that it is about several things.
const PLURAL_WORDS: usize = 3;

pub(super) const C: Grammar = Grammar {
    language: || tree_sitter_c::LANGUAGE.into(),
    rules,
    hidden: &[
        "comment",
        "attribute_specifier",
        "attribute_declaration",
        "ms_declspec_modifier",
    ],
    style: comment::SLASHES,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish,
};
pub(super) const CPP: Grammar = Grammar {
    language: || tree_sitter_cpp::LANGUAGE.into(),
    ..C
};

fn rules(kind: &str) -> Rule {
    match kind {
        "comment" => Rule::Comment,
        "preproc_ifdef"
        | "preproc_if"
        | "preproc_else"
        | "preproc_elif"
        | "preproc_elifdef"
        | "linkage_specification"
        | "declaration_list" => Rule::Inside,
        "preproc_include" => Rule::Special(include),
        "preproc_def" => Rule::Special(constant),
        "preproc_function_def" => Rule::Item(Item::body(Kind::Macro, &["value"])),
        "function_definition" | "declaration" | "field_declaration" | "type_definition" => {
            Rule::Special(declaration)
        }
        "struct_specifier" | "union_specifier" | "class_specifier" | "enum_specifier" => {
            Rule::Special(specifier)
        }
        "enumerator" => Rule::Item(Item::new(Kind::Variant).valued("value").visible()),
        "namespace_definition" => Rule::Special(namespace),
        "template_declaration" => Rule::Wrap,
        "friend_declaration" => Rule::Special(friend),
        "access_specifier" => Rule::Special(section),
        "alias_declaration" => Rule::Item(Item::new(Kind::Type)),
        "concept_definition" => Rule::Item(Item::new(Kind::Interface)),
        _ => Rule::Pass,
    }
}

fn is_public(declared: &Declared<'_>) -> bool {
    match declared.place.owner {
        None => !is_of_file(declared),
        Some(Kind::Module) => declared.place.public && !is_of_file(declared),
        Some(_) => declared.place.public,
    }
}

/// `static`, and what sources define as that.
fn is_of_file(declared: &Declared<'_>) -> bool {
    // `STATIC_INLINE`, `l_sinline`; `static_vector` is a type.
    let is_static = declared.prefix.split_whitespace().any(|word| {
        let is_large = !word.contains(char::is_lowercase);
        let has_word = word
            .split('_')
            .any(|part| part.eq_ignore_ascii_case("static"));
        word == "static"
            || has_word && (is_large || word.ends_with("inline"))
            || word.ends_with("sinline")
    });
    // `local int f`, where `local f` and `const local *f` give a type of that name.
    let mut words = declared.prefix.split_whitespace();
    let is_local = words.next() == Some("local");
    is_static || is_local && words.next().is_some_and(|word| !word.starts_with('*'))
}

/// A macro without a value only marks that something was included, and so does one named like a header with nothing but `1`.
fn constant<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let part = |field| node.child_by_field_name(field).map(|part| walk.slice(part));
    let name = part("name").unwrap_or_default().trim_end_matches('_');
    // `#define HAVE_UNISTD_H 1` is no guard of the file.
    let is_guard = || {
        let around = node
            .parent()
            .and_then(|around| around.child_by_field_name("name"));
        let is_header = name.ends_with("_H") || name.ends_with("_HPP");
        is_header && around.map(|around| walk.slice(around)) == part("name")
    };
    if part("value").is_some_and(|value| value.trim() != "1" || !is_guard()) {
        walk.declare(level, node, &Item::new(Kind::Macro).valued("value"));
    }
}

/// A header that is included; a macro and more behind it are put together to its name, which is not written.
fn include<'t>(walk: &mut Walk<'t>, _: &mut Level<'t>, node: Node<'t>) {
    let path = node.child_by_field_name("path");
    let is_put_together = path.is_some_and(|path| {
        let behind = walk.text[path.end_byte()..].lines().next();
        path.kind() == "identifier" && !behind.unwrap_or_default().trim().is_empty()
    });
    if !is_put_together {
        walk.import(node, &["#include", "# include"]);
    }
}

fn section<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    level.place.public = walk.slice(node).starts_with("public");
}

fn namespace<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let Some(body) = node.child_by_field_name("body") else {
        return;
    };
    let Some(name) = node.child_by_field_name("name") else {
        let place = Place {
            owner: Some(Kind::Module),
            public: false,
            wrap: None,
        };
        return walk.children_at(level, body, place);
    };
    let symbol = walk.symbol(
        level,
        Head::new(node, Kind::Module, name).until(Some(body.start_byte())),
    );
    let children = walk.members(body, Kind::Module, true);
    walk.push(level, Symbol { children, ..symbol });
}

/// A type that is defined here, not only named.
fn specifier<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let (name, body) = (
        node.child_by_field_name("name"),
        node.child_by_field_name("body"),
    );
    if let (Some(name), Some(body)) = (name, body) {
        define(walk, level, [node, name], [node, body]);
    } else if let Some(body) = body.filter(|_| node.kind() == "enum_specifier") {
        define(walk, level, [node, node], [node, body]);
    }
}

/// Adds a type by the node that declares its name and the node that has its body.
fn define<'t>(
    walk: &mut Walk<'t>,
    level: &mut Level<'t>,
    [node, name]: [Node<'t>; 2],
    [definition, body]: [Node<'t>; 2],
) {
    let kind = match definition.kind() {
        "class_specifier" => Kind::Class,
        "enum_specifier" => Kind::Enum,
        _ => Kind::Struct,
    };
    let mut symbol = walk.symbol(
        level,
        Head::new(node, kind, name).until(Some(body.start_byte())),
    );
    let is_nameless = definition.child_by_field_name("name").is_none();
    if name == node {
        "enum".clone_into(&mut symbol.name);
    } else if is_nameless || node.kind() == "type_definition" {
        // What has no name of its own is told from what is only declared.
        let body = if is_nameless { " {…}" } else { "" };
        symbol.signature = format!("{}{body} {}", symbol.signature, symbol.name);
    }
    let children = walk.members(body, kind, kind != Kind::Class);
    walk.push(level, Symbol { children, ..symbol });
}

/// Functions, variables, fields and typedefs: whatever has its name inside a declarator.
fn declaration<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if !walk.slice(node).ends_with([';', '}']) && unfinished(walk, level, node) {
        return;
    }
    let definition = node.child_by_field_name("type");
    let body = definition.and_then(|definition| definition.child_by_field_name("body"));
    let Some(declarator) = node.child_by_field_name("declarator") else {
        if let Some(definition) = definition {
            specifier(walk, level, definition);
        }
        // The members of a nameless union are members of what is around it.
        let nameless = |definition: &Node<'_>| {
            definition.kind() != "enum_specifier"
                && definition.child_by_field_name("name").is_none()
        };
        if let (Some(body), Some(_)) = (body, definition.filter(nameless)) {
            walk.children(level, body);
        }
        return;
    };
    let Some((name, is_function)) = innermost(declarator) else {
        return;
    };
    if is_function && is_statement(walk.slice(name)) {
        return;
    }
    if let (Some(definition), Some(body)) = (definition, body) {
        return define(walk, level, [node, name], [definition, body]);
    }
    let kind = kind_of(level, node, is_function);
    let mut symbol = walk.symbol(
        level,
        Head::new(node, kind, name).until(end_of(walk, node, declarator)),
    );
    close_brackets(&mut symbol.signature);
    if let Some(cast) = name
        .parent()
        .filter(|parent| parent.kind() == "operator_cast")
    {
        walk.slice(cast)
            .split('(')
            .next()
            .unwrap_or_default()
            .trim_end()
            .clone_into(&mut symbol.name);
    }
    match (scope_of(walk.slice(name)), is_function) {
        (Some((owner, own)), true) if !owner.trim().is_empty() => {
            let (owner, own) = (without_arguments(owner), own.trim());
            let public = level.place.owner.is_none() || level.place.public;
            let member = Symbol {
                kind: Kind::Method,
                name: own.to_owned(),
                public,
                ..symbol
            };
            walk.adopt(level, &owner, &owner, member);
        }
        _ => walk.push_all(level, symbol, other_names(node)),
    }
}

/// What a declaration with a declarator is.
fn kind_of(level: &Level<'_>, node: Node<'_>, is_function: bool) -> Kind {
    let is_member = level.place.owner.is_some_and(|owner| owner != Kind::Module);
    match node.kind() {
        "type_definition" => Kind::Type,
        _ if is_function => Kind::Function,
        _ if is_member => Kind::Field,
        _ => Kind::Variable,
    }
}

/// The names of the declarators behind the first.
fn other_names(node: Node<'_>) -> Vec<Node<'_>> {
    let mut cursor = node.walk();
    let declarators = node.children_by_field_name("declarator", &mut cursor);
    let name = |declarator| Some(innermost(declarator)?.0);
    declarators.skip(1).filter_map(name).collect()
}

/// Takes out the bracket of a macro around a type, whose beginning is blank: `int *) f(void)` is `int * f(void)`.
fn close_brackets(signature: &mut String) {
    let open = signature.find('(').unwrap_or(signature.len());
    if let Some(at) = signature[..open].find(')') {
        signature.remove(at);
    }
}

/// Whether a name is that of a macro which stands for a part of a statement: `FMT_CATCH(...) {}`.
fn is_statement(name: &str) -> bool {
    let is_loud = name.contains('_') && !name.contains(|c: char| c.is_lowercase() || c == ':');
    is_loud
        && ["CATCH", "PRAGMA", "DISALLOW_"]
            .iter()
            .any(|part| name.contains(part))
}

/// What stands before and behind the last `::` that is in no list of arguments.
fn scope_of(name: &str) -> Option<(&str, &str)> {
    let names_end = name.find("operator").unwrap_or(name.len());
    let mut depth = 0_usize;
    for (at, byte) in name[..names_end].bytes().enumerate().rev() {
        match byte {
            b'>' => depth += 1,
            b'<' => depth = depth.saturating_sub(1),
            b':' if depth == 0 && at > 0 && name.as_bytes()[at - 1] == b':' => {
                return Some((&name[..at - 1], &name[at + 1..]));
            }
            _ => {}
        }
    }
    None
}

/// `List<Key, Value>::Iterator` as `List::Iterator`.
fn without_arguments(owner: &str) -> String {
    let mut depth = 0_usize;
    let outside = owner.chars().filter(|c| {
        depth += usize::from(*c == '<');
        let is_outside = depth == 0;
        depth = depth.saturating_sub(usize::from(*c == '>'));
        is_outside && !c.is_whitespace()
    });
    outside.collect()
}

/// A friend that is defined on the spot; others are declared elsewhere.
fn friend<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let mut cursor = node.walk();
    for child in node
        .named_children(&mut cursor)
        .filter(|child| child.kind() == "function_definition")
    {
        declaration(walk, level, child);
    }
}

/// A declaration that macros have torn apart for the grammar, such as `EXTERN int EXPORT deflate OF((z_streamp s));`.
///
/// It goes up to its semicolon; what the grammar made of the rest is passed over. False when there is none nearby.
fn unfinished<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) -> bool {
    let text = &walk.text[node.start_byte()..];
    let text = &text[..text.floor_char_boundary(DECLARATION_BYTES_MAX)];
    let Some(text) = text
        .find([';', '{', '}'])
        .filter(|end| text[*end..].starts_with(';'))
        .map(|end| &text[..end])
    else {
        return false;
    };
    let (head, arguments) = text.split_once('(').unwrap_or((text, ""));
    let is_pointer = arguments.trim_start().starts_with('*');
    let named = if is_pointer {
        arguments.split(')').next().unwrap_or_default()
    } else {
        head
    };
    let mut words = named
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty())
        .rev();
    let (last, before) = (words.next(), words.next());
    let name = if arguments.starts_with('(') {
        before.or(last)
    } else {
        last
    };
    let kind = if node.kind() == "type_definition" {
        Kind::Type
    } else {
        Kind::Function
    };
    let end = node.start_byte() + text.len();
    let symbol = walk.symbol(level, Head::new(node, kind, node).until(Some(end)));
    let name = name.unwrap_or_default().to_owned();
    walk.push(
        level,
        Symbol {
            name,
            public: !text.starts_with("static"),
            ..symbol
        },
    );
    level.passed_to = end;
    true
}

/// Where the text of a declaration ends that has a body, initializers or a long value.
fn end_of<'t>(walk: &Walk<'t>, node: Node<'t>, declarator: Node<'t>) -> Option<usize> {
    let cut = Item {
        value: "default_value",
        ..Item::body(Kind::Function, &["field_initializer_list", "body"])
    };
    let value = declarator
        .child_by_field_name("value")
        .filter(|value| walk.is_long(*value));
    value
        .map(|value| value.start_byte())
        .or(walk.parts(node, &cut).end)
}

/// The name inside a declarator, and whether it is declared as a function.
fn innermost(declarator: Node<'_>) -> Option<(Node<'_>, bool)> {
    let (mut node, mut is_function) = (declarator, false);
    for _ in 0..DECLARATOR_DEPTH_MAX {
        match node.kind() {
            "function_declarator" => is_function = true,
            "parenthesized_declarator" => is_function = false,
            "operator_cast" => return Some((node.child_by_field_name("type")?, true)),
            _ => {}
        }
        let inner = node.child_by_field_name("declarator");
        match inner.or_else(|| {
            node.named_child(0)
                .filter(|_| node.kind().ends_with("_declarator"))
        }) {
            Some(inner) => node = inner,
            None => return Some((node, is_function)),
        }
    }
    None
}

/// Adds the tests of the check framework, which are no declarations to the grammar: `START_TEST(name) { … } END_TEST`.
fn tests<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    const OPEN: &str = "START_TEST(";
    let text = walk.text;
    let begins_line = |at: &usize| *at == 0 || text[..*at].ends_with('\n');
    let starts = text.match_indices(OPEN).map(|(at, _)| at);
    let starts: Vec<usize> = starts.filter(begins_line).collect();
    for (number, start) in starts.iter().enumerate() {
        let end = starts.get(number + 1).unwrap_or(&text.len()).to_owned();
        let own = &text[*start..end];
        let Some((name, body)) = own[OPEN.len()..].split_once(')') else {
            continue;
        };
        let is_name = name.chars().all(|c| c.is_alphanumeric() || c == '_');
        if is_name && body.trim_start().starts_with('{') && walk.has_room() {
            let end = own.find("\nEND_TEST").map_or(end, |at| start + at);
            level.symbols.push(Walk::test_at(*start..end, name));
        }
    }
    if !starts.is_empty() {
        level.symbols.sort_by_key(|symbol| symbol.span.start);
    }
}

/// What a header defines is there to be used, although it is `static`. What a source file defines beside functions that
/// others call is its own: types, macros.
fn finish<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    tests(walk, level);
    leave_to_groups(walk.text, &mut level.symbols);
    if is_guarded(walk.text) {
        show(&mut level.symbols);
    } else if is_source(walk.text, &level.symbols) {
        hide(&mut level.symbols);
    }
}

/// A comment about several things above several macros without an empty line between them is about all of them. One that
/// is written for a tool that makes documents is about the first.
fn leave_to_groups(text: &str, symbols: &mut [Symbol]) {
    for at in 0..symbols.len() {
        let [first, rest @ ..] = &mut symbols[at..] else {
            break;
        };
        if first.kind != Kind::Macro || !is_of_several(&first.doc) {
            continue;
        }
        let before = text.get(..first.span.start as usize).unwrap_or_default();
        let comment = before.rfind("/*").map_or("", |at| &before[at..]);
        if comment.starts_with("/**") {
            continue;
        }
        let own = &text[first.span.start as usize..first.span.end as usize];
        let mut end = first.span.end;
        let follows = |next: &Symbol| {
            let between = text.get(end as usize..next.span.start as usize);
            end = next.span.end;
            let is_next = between.is_some_and(|between| {
                between.trim().is_empty() && between.matches('\n').count() < 2
            });
            next.kind == Kind::Macro && next.doc.is_empty() && is_next
        };
        let followers = rest.iter().take(GROUP_MIN).map(follows);
        if !own.contains("/*")
            && !own.contains("//")
            && followers.filter(|follows| *follows).count() == GROUP_MIN
        {
            first.doc.clear();
        }
    }
}

/// Whether a comment is about more than one thing: `values for the operation`.
fn is_of_several(comment: &str) -> bool {
    const SINGULAR: [&str; 8] = [
        "returns", "gives", "gets", "sets", "this", "process", "access", "address",
    ];
    let words = comment.split(' ').take(PLURAL_WORDS).map(str::to_lowercase);
    let mut plural = words.filter(|word| word.len() > 3 && word.ends_with('s'));
    plural.any(|word| !SINGULAR.contains(&word.as_str()))
}

/// Whether a file has the body of a function that is neither `static` nor inline, so that no two files may include it.
fn is_source(text: &str, symbols: &[Symbol]) -> bool {
    symbols.iter().any(|symbol| match symbol.kind {
        Kind::Function => {
            let body = &text[symbol.span.body as usize..symbol.span.end as usize];
            let is_inline =
                |word: &str| word.ends_with("inline") || matches!(word, "constexpr" | "consteval");
            let is_many = symbol.signature.starts_with("template")
                || symbol.signature.split_whitespace().any(is_inline);
            symbol.public && !is_many && body.contains('{')
        }
        Kind::Module => is_source(text, &symbol.children),
        _ => false,
    })
}

/// Leaves types and macros to the file, those in namespaces, too. They are shown as what is public: functions are about them.
fn hide(symbols: &mut [Symbol]) {
    for symbol in symbols {
        match symbol.kind {
            Kind::Module => hide(&mut symbol.children),
            Kind::Function | Kind::Variable => {}
            _ => symbol.is_package = true,
        }
    }
}

/// Makes functions and variables public, those in namespaces, too.
fn show(symbols: &mut [Symbol]) {
    for symbol in symbols {
        match symbol.kind {
            Kind::Function | Kind::Variable => symbol.public = true,
            Kind::Module => show(&mut symbol.children),
            _ => {}
        }
    }
}

/// Whether a file is guarded against being included twice: its first directives are `#pragma once`, or `#ifndef A` and
/// `#define A`, with more behind them.
fn is_guarded(text: &str) -> bool {
    let mut in_comment = false;
    let mut directives = text.lines().map(str::trim).filter_map(|line| {
        // What a comment shows is an example.
        let was_comment = in_comment;
        in_comment = (was_comment || line.starts_with("/*")) && !line.ends_with("*/");
        let directive = line
            .strip_prefix('#')
            .filter(|_| !was_comment)?
            .trim_start();
        let (word, rest) = directive
            .split_once(char::is_whitespace)
            .unwrap_or((directive, ""));
        let negated = rest.trim_start().strip_prefix('!').filter(|_| word == "if");
        let undefined = negated.and_then(|rest| rest.trim_start().strip_prefix("defined"));
        Some(match undefined {
            Some(name) => (
                "ifndef",
                name.trim_matches(|c: char| c.is_whitespace() || "()".contains(c)),
            ),
            None => (word, rest.split_whitespace().next().unwrap_or_default()),
        })
    });
    match (directives.next(), directives.next()) {
        (Some(("pragma", "once")), _) => true,
        (Some(("ifndef", name)), Some(("define", defined))) => {
            // `#ifndef _GNU_SOURCE` guards no more than its definition.
            let ends_at_once = directives.next().is_some_and(|(word, _)| word == "endif");
            name == defined && !(ends_at_once && directives.next().is_some())
        }
        _ => false,
    }
}
