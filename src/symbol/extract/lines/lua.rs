//! Which assignments of Lua declare something: it has no word for a declaration that others see.

use std::collections::BTreeSet;

use super::line::is_word;
use crate::symbol::outline::{Kind, Symbol};

/// Words in front of a name.
const SCOPES: [&str; 3] = ["local ", "global ", "function "];

/// What is assigned to a local variable, to anything for a second time, or to take it away, is no declaration. A function
/// that a local variable was declared for is no more public than that, nor is what a local table has that the file does not
/// return.
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
    let returned = code.rfind("\nreturn ").map_or("", |at| &code[at..]);
    let returned: BTreeSet<&str> = returned.split(|c| !is_word(c)).collect();
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
        let is_own = locals.contains(table) && !returned.contains(table);
        symbol.public &= !is_assigned && !is_own;
        let is_variable = symbol.kind == Kind::Variable;
        let is_taken = is_variable && (is_assigned || value.trim() == "nil" && !is_local);
        !is_taken && seen.insert(name.to_owned())
    });
}
