//! Calls of JavaScript and TypeScript that declare something: tests by their titles, and what a server answers to.

use std::borrow::Cow;

use tree_sitter::Node;

use super::grammar::Walk;
use super::level::Level;
use crate::symbol::outline::{DEPTH_MAX, Symbol};

/// Functions whose first argument is the title of a test, or of a group of tests.
const TESTS: [&str; 6] = ["describe", "it", "test", "context", "suite", "specify"];
/// What may stand behind such a function.
const WAYS: [&str; 14] = [
    "only",
    "skip",
    "todo",
    "concurrent",
    "sequential",
    "serial",
    "parallel",
    "failing",
    "describe",
    "each",
    "for",
    "skipIf",
    "runIf",
    "ignore",
];

/// What is waited for, or the node itself.
pub(super) fn awaited(node: Node<'_>) -> Node<'_> {
    let inner = node.named_child(0);
    inner
        .filter(|_| node.kind() == "await_expression")
        .unwrap_or(node)
}

/// `describe("…", function () { … })`, `t.test("…", …)`, `it.each(table)("…", …)`: a test or a group of tests, by its title.
pub(super) fn test<'t>(walk: &mut Walk<'t>, call: Node<'t>, depth_left: usize) -> Option<Symbol> {
    let callee = call
        .child_by_field_name("function")
        .filter(|_| call.kind() == "call_expression")?;
    // What a table is given to makes the function that is given the title.
    let is_table = callee.kind() == "call_expression";
    let function = match callee.child_by_field_name("function") {
        Some(inner) if is_table => inner,
        _ => callee,
    };
    let list = call.child_by_field_name("arguments")?;
    let mut cursor = list.walk();
    let arguments: Vec<Node<'t>> = list
        .named_children(&mut cursor)
        .filter(|argument| argument.kind() != "comment")
        .collect();
    let body = arguments
        .iter()
        .find_map(|argument| argument.child_by_field_name("body"));
    let first = *arguments.first()?;
    let words = title_of(walk, first, DEPTH_MAX);
    let is_inner = depth_left < DEPTH_MAX;
    let title = match kind_of(walk.slice(function), is_table)? {
        Callee::Test | Callee::Deno if words.is_some() => words?,
        Callee::Method(name) if body.is_some() && (is_inner || name == "test") => words?,
        Callee::Deno => name_in(walk, first)?.into(),
        _ => return None,
    };
    if depth_left == 0 || !walk.has_room() {
        return None;
    }
    let mut symbol = Walk::test(call, &title);
    let mut cursor = call.walk();
    let statements = body.map_or_else(Vec::new, |body| body.named_children(&mut cursor).collect());
    symbol.children = statements
        .into_iter()
        .filter(|statement| statement.kind() == "expression_statement")
        .filter_map(|statement| test(walk, awaited(statement.named_child(0)?), depth_left - 1))
        .collect();
    Some(symbol)
}

/// The words of a title: of a string, or of several that are put together with `+`.
fn title_of<'t>(walk: &Walk<'t>, node: Node<'t>, depth_left: usize) -> Option<Cow<'t, str>> {
    if matches!(node.kind(), "string" | "template_string") {
        return Some(Cow::Borrowed(unquoted(walk.slice(node))));
    }
    let part = |field| {
        let side = node.child_by_field_name(field)?;
        title_of(walk, side, depth_left - 1)
    };
    let is_sum = node.kind() == "binary_expression" && depth_left > 0;
    let sign = node.child_by_field_name("operator");
    let is_sum = is_sum && sign.is_some_and(|sign| walk.slice(sign) == "+");
    is_sum.then(|| Some(Cow::Owned(part("left")?.into_owned() + &part("right")?)))?
}

/// What a function that takes a title is.
enum Callee<'t> {
    /// One that is known by its own name.
    Test,
    /// A method of this name of what runs tests, as `t.test`.
    Method(&'t str),
    /// That of Deno, which takes an object as well.
    Deno,
}

fn kind_of(function: &str, is_table: bool) -> Option<Callee<'_>> {
    let is_way = |word: &str| WAYS.contains(&word);
    let mut words = function.split('.');
    let first = words.next()?;
    let rest: Vec<&str> = words.take(WAYS.len()).collect();
    let makes_function = matches!(rest.last(), Some(&("each" | "for" | "skipIf" | "runIf")));
    if is_table && !makes_function {
        return None;
    }
    match rest.as_slice() {
        ["test", ways @ ..] if first == "Deno" => {
            ways.iter().all(|way| is_way(way)).then_some(Callee::Deno)
        }
        ways if TESTS.contains(&first) && ways.iter().all(|way| is_way(way)) => Some(Callee::Test),
        [name @ ("test" | "step"), ways @ ..] => {
            let is_name = first.chars().all(|c| c.is_alphanumeric() || c == '_');
            (is_name && ways.iter().all(|way| is_way(way))).then_some(Callee::Method(name))
        }
        _ => None,
    }
}

/// The title in `{ name: "…" }`, or the name of a function.
fn name_in<'t>(walk: &Walk<'t>, argument: Node<'t>) -> Option<&'t str> {
    if argument.kind() != "object" {
        return argument
            .child_by_field_name("name")
            .map(|name| walk.slice(name));
    }
    let mut cursor = argument.walk();
    let mut pairs = argument.named_children(&mut cursor);
    let name = pairs.find(|pair| {
        let key = pair.child_by_field_name("key");
        key.is_some_and(|key| walk.slice(key) == "name")
    })?;
    let value = name.child_by_field_name("value")?;
    matches!(value.kind(), "string" | "template_string").then(|| unquoted(walk.slice(value)))
}

/// `app.get("/path", …)`: what a server answers to.
pub(super) fn route<'t>(
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
