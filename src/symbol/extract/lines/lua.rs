//! Which assignments of Lua declare something: it has no word for a declaration that others see.

use std::collections::BTreeSet;

use super::line::is_word;
use crate::symbol::outline::{Kind, Symbol};

/// Most signs between the brackets of a comment that are looked for.
const LEVEL_MAX: usize = 8;
/// Words in front of a name.
const SCOPES: [&str; 3] = ["local ", "global ", "function "];

/// What is assigned to a local variable, to anything for a second time, or to take it away, is no declaration. A function
/// that a local variable was declared for is no more public than that, nor is what a table has that the file makes
/// and neither returns nor assigns to anything.
pub(super) fn leave_assigned(symbols: &mut Vec<Symbol>, code: &str) {
    let declared = code.lines().filter_map(|line| line.strip_prefix("local "));
    let declared = declared.flat_map(|rest| {
        let rest = rest.strip_prefix("function ").unwrap_or(rest);
        let names = rest.split(['=', '(']).next().unwrap_or_default();
        names
            .split(',')
            .filter_map(|name| name.split_whitespace().next())
    });
    let locals: BTreeSet<&str> = declared.filter(|name| *name != "_G").collect();
    let own = own_tables(code);
    let mut seen = BTreeSet::new();
    symbols.retain_mut(|symbol| {
        let mut head = symbol.signature.as_str();
        let is_local = head.starts_with("local ");
        while let Some(rest) = SCOPES.iter().find_map(|word| head.strip_prefix(word)) {
            head = rest;
        }
        let (name, value) = head.split_once('=').unwrap_or((head, ""));
        let name = name.split('(').next().unwrap_or_default().trim();
        let table = name.split(['.', ':']).next().unwrap_or(name);
        let is_assigned = !is_local && locals.contains(name);
        symbol.public &= !is_assigned && !own.contains(table);
        let is_variable = symbol.kind == Kind::Variable;
        let is_taken = is_variable && (is_assigned || value.trim() == "nil" && !is_local);
        !is_taken && seen.insert(name.to_owned())
    });
}

/// Tables that a file makes and neither returns, assigns nor gives to a function at its outermost level.
fn own_tables(code: &str) -> BTreeSet<&str> {
    let made = code.lines().filter_map(|line| {
        let (names, value) = line.strip_prefix("local ")?.split_once('=')?;
        let value = value.trim_start();
        let is_table = value.starts_with('{') || value.starts_with("setmetatable({");
        is_table.then(|| names.split(',').map(str::trim))
    });
    let mut own: BTreeSet<&str> = made.flatten().collect();
    let returns = |(at, _): &(usize, &str)| !code[at + "\nreturn".len()..].starts_with(is_word);
    let returned = code.rmatch_indices("\nreturn").find(returns);
    let returned = returned.map_or("", |(at, _)| &code[at..]);
    let is_own = |line: &&str| {
        let words = ["local ", "function ", " ", "\t"];
        words.iter().any(|word| line.starts_with(word))
    };
    let given = code.lines().filter(|line| !is_own(line));
    let given = given.filter_map(|line| line.split_once(['=', '(']));
    for text in given.map(|(_, given)| given).chain([returned]) {
        for name in text.split(|c| !is_word(c)) {
            own.remove(name);
        }
    }
    own
}

/// A comment with `[[` for `[==[`.
pub(super) fn with_plain_brackets(comment: &str) -> String {
    (1..=LEVEL_MAX).fold(comment.to_owned(), |comment, level| {
        let signs = "=".repeat(level);
        let comment = comment.replace(&format!("--[{signs}["), "--[[");
        comment.replace(&format!("]{signs}]"), "]]")
    })
}
