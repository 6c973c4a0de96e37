//! Bash and other shells. Functions are public unless they begin with an underscore, variables when exported.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::{Declared, Grammar, Item, Rule, Walk, any_comment, no_package};
use super::level::{Level, Place};
use crate::base::number::to_u32;
use crate::symbol::comment;
use crate::symbol::outline::{Kind, Span, Symbol};

/// Commands of a script that are told where it has no functions.
const COMMANDS_MAX: usize = 6;
/// Deepest nesting of commands in a row, of which the first is looked for.
const ROW_DEPTH_MAX: usize = 16;
/// Commands that say nothing of what a script is for.
const SILENT: [&str; 36] = [
    "echo", "printf", "set", "cd", "trap", "exit", "export", "test", "[", "shift", "true", "false",
    ":", "mkdir", "rm", "sleep", "read", "return", "eval", "unset", "ulimit", "umask", "wait",
    "kill", "command", "type", "which", "cat", "pushd", "popd", "shopt", "exec", "let", "break",
    "continue", "pwd",
];
/// Functions beside which it is still the commands that say what a script does.
const HELPERS: [&str; 10] = [
    "remove", "cleanup", "clean_up", "clean", "usage", "die", "fail", "error", "log", "msg",
];

pub(super) const GRAMMAR: Grammar = Grammar {
    language: || tree_sitter_bash::LANGUAGE.into(),
    rules: |kind| match kind {
        "comment" => Rule::Comment,
        "function_definition" => Rule::Special(function),
        "variable_assignment" => Rule::Item(Item::new(Kind::Variable).valued("value")),
        "declaration_command" => Rule::Special(declaration),
        "command" => Rule::Special(command),
        // `f() { … } >/dev/null` is a redirected statement.
        "redirected_statement"
        | "if_statement"
        | "elif_clause"
        | "else_clause"
        | "case_statement"
        | "case_item" => Rule::Inside,
        "pipeline" | "list" => Rule::Special(first_command),
        _ => Rule::Pass,
    },
    hidden: &["comment"],
    style: comment::HASH,
    is_doc: any_comment,
    is_public,
    is_package: no_package,
    finish,
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
    let place = Place {
        public,
        wrap: Some(node),
        ..level.place
    };
    walk.children_at(level, node, place);
}

/// Of commands in a row the first one is told that says something.
fn first_command<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    if let Some(first) = telling(walk, node, ROW_DEPTH_MAX) {
        command(walk, level, first);
    }
}

fn telling<'t>(walk: &Walk<'t>, node: Node<'t>, depth_left: usize) -> Option<Node<'t>> {
    let mut cursor = node.walk();
    let children: Vec<Node<'t>> = node
        .named_children(&mut cursor)
        .take(ROW_DEPTH_MAX)
        .collect();
    children.into_iter().find_map(|child| match child.kind() {
        "command" => {
            let name = child.child_by_field_name("name");
            name.is_some_and(|name| !SILENT.contains(&walk.slice(name)))
                .then_some(child)
        }
        "list" | "pipeline" if depth_left > 0 => telling(walk, child, depth_left - 1),
        _ => None,
    })
}

/// A command on one line, without the variables that are set for it alone.
fn shown(walk: &Walk<'_>, node: Node<'_>, name: Node<'_>) -> String {
    let whole = &walk.text[name.start_byte()..node.end_byte()];
    let mut shown = String::new();
    for line in whole.lines() {
        let (part, goes_on) = line
            .trim_end()
            .strip_suffix('\\')
            .map_or((line, false), |part| (part, true));
        shown.push_str(part);
        shown.push(' ');
        if !goes_on {
            break;
        }
    }
    comment::fold(&shown)
}

/// What a command does: the program, and the first words that it is given: `cargo test`, `cargo miri setup`.
fn action(command: &str) -> [&str; 3] {
    let mut words = command
        .split(' ')
        .filter(|word| !word.starts_with(['-', '+', '"', '$']));
    let (program, first, next) = (words.next(), words.next(), words.next());
    let is_word = |word: &&str| word.chars().all(char::is_alphabetic);
    [program, first, next.filter(is_word)].map(Option::unwrap_or_default)
}

/// `source file` and `. file`; `test_expect_success 'title' …` and `@test "title"`.
fn command<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, node: Node<'t>) {
    let named = node.child_by_field_name("name");
    let name = named.map_or("", |name| walk.slice(name));
    if matches!(name, "source" | ".") {
        walk.import(node, &["source ", ". "]);
    } else if let Some(named) =
        named.filter(|_| level.place.owner.is_none() && !SILENT.contains(&name) && !name.is_empty())
    {
        let symbol = Symbol::named(Kind::Command, &shown(walk, node, named));
        let span = Span {
            start: to_u32(node.start_byte()),
            end: to_u32(node.end_byte()),
            ..Span::default()
        };
        let told = || {
            let symbols = level.symbols.iter();
            symbols.filter(|told| told.kind == Kind::Command)
        };
        let is_new = told().all(|told| action(&told.name) != action(&symbol.name));
        if is_new && told().count() < COMMANDS_MAX {
            walk.push(level, Symbol { span, ..symbol });
        }
    }
    if matches!(
        name,
        "test_expect_success" | "test_expect_failure" | "@test"
    ) {
        let mut cursor = node.walk();
        let strings = node.children_by_field_name("argument", &mut cursor);
        let title = strings
            .map(|argument| walk.slice(argument))
            .find(|text| text.starts_with(['"', '\'']));
        if let Some(title) = title {
            let symbol = Walk::test(node, title.trim_matches(['"', '\'']));
            walk.push(level, symbol);
        }
    }
}

/// A variable is declared where it is first assigned, and exported when one of its assignments is.
fn finish<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    if walk.is_broken {
        level.symbols.retain(|symbol| symbol.kind != Kind::Command);
        recover(walk, level);
    }
    let says_more = |symbol: &Symbol| match symbol.kind {
        Kind::Function => !HELPERS.contains(&symbol.name.trim_start_matches('_')),
        kind => kind == Kind::Test,
    };
    if level.symbols.iter().any(says_more) {
        level.symbols.retain(|symbol| symbol.kind != Kind::Command);
    }
    let is_variable = |symbol: &Symbol| symbol.kind == Kind::Variable;
    let variables = level.symbols.iter().filter(|symbol| is_variable(symbol));
    let public: BTreeSet<String> = variables
        .filter(|symbol| symbol.public)
        .map(|symbol| symbol.name.clone())
        .collect();
    give_to_functions(walk.text, &mut level.symbols);
    for symbol in level
        .symbols
        .iter_mut()
        .filter(|symbol| is_variable(symbol))
    {
        // What ends like this is about all that follows.
        if symbol.doc.ends_with(':') {
            symbol.doc.clear();
        }
        // The comment above a counter is about the loop below it.
        let behind = walk
            .text
            .get(symbol.span.end as usize..)
            .unwrap_or_default();
        let next = behind.split('\n').nth(1).unwrap_or_default().trim_start();
        if ["while ", "until ", "for "]
            .iter()
            .any(|word| next.starts_with(word))
        {
            symbol.doc.clear();
        }
    }
    // The number of a child, and how the last command ended, are no settings.
    level.symbols.retain(|symbol| {
        !is_variable(symbol)
            || !["=$!", "=$?"]
                .iter()
                .any(|end| symbol.signature.ends_with(end))
    });
    let mut seen = BTreeSet::new();
    level.symbols.retain_mut(|symbol| {
        symbol.public |= is_variable(symbol) && public.contains(&symbol.name);
        !is_variable(symbol) || seen.insert(symbol.name.clone())
    });
}

/// What stands above the variable of a function is about the function, where there is no empty line between the three.
fn give_to_functions(text: &str, symbols: &mut [Symbol]) {
    for at in 1..symbols.len() {
        let [.., variable, function] = &mut symbols[..=at] else {
            continue;
        };
        let between = text.get(variable.span.end as usize..function.span.start as usize);
        let is_next = between
            .is_some_and(|between| between.trim().is_empty() && between.matches('\n').count() == 1);
        let is_pair = (variable.kind, function.kind) == (Kind::Variable, Kind::Function);
        if is_next && is_pair && function.doc.is_empty() {
            function.doc = std::mem::take(&mut variable.doc);
        }
    }
}

/// Functions at the start of a line that the grammar lost behind something that it cannot read.
fn recover<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>) {
    let known: BTreeSet<u32> = level
        .symbols
        .iter()
        .map(|symbol| symbol.span.start)
        .collect();
    let mut start = 0;
    for line in walk.text.split_inclusive('\n') {
        let name = function_name(line).filter(|_| !known.contains(&to_u32(start)));
        if let Some(name) = name {
            let body = &walk.text[start..];
            let end = start + body.find("\n}").map_or(line.len(), |end| end + 2);
            let signature = line.split('{').next().unwrap_or_default();
            let span = Span {
                start: to_u32(start),
                end: to_u32(end),
                name: to_u32(start + line.find(name).unwrap_or(0)),
                body: to_u32(start + signature.len()),
            };
            let symbol = Symbol {
                public: !name.starts_with('_'),
                span,
                ..Symbol::named(Kind::Function, signature)
            };
            walk.push(
                level,
                Symbol {
                    name: name.to_owned(),
                    ..symbol
                },
            );
        }
        start += line.len();
    }
    level.symbols.sort_by_key(|symbol| symbol.span.start);
}

/// The name in `name() {` and `function name {`.
fn function_name(line: &str) -> Option<&str> {
    let line = line.trim_end();
    let (rest, is_marked) = line
        .strip_prefix("function ")
        .map_or((line, false), |rest| (rest, true));
    let name = rest.split(['(', ' ', '{']).next()?;
    let after = rest[name.len()..].replace(' ', "");
    let is_function = after.starts_with("()") || is_marked && matches!(after.as_str(), "" | "{");
    let is_name = !name.is_empty()
        && name
            .chars()
            .all(|c| c.is_alphanumeric() || "_-:.".contains(c));
    (is_function && is_name && matches!(after.trim_start_matches("()"), "" | "{")).then_some(name)
}
