//! Which assignments of Lua declare something: it has no word for a declaration that others see.

use std::collections::BTreeSet;

use super::line::is_word;
use crate::symbol::outline::{Kind, Symbol};

/// What is assigned to a local variable, or to anything for a second time, is no declaration. A function that a local
/// variable was declared for is no more public than that, nor is what a local table has that the file does not return.
pub(super) fn leave_assigned(symbols: &mut Vec<Symbol>, code: &str) {
    let declared = code
        .lines()
        .filter_map(|line| line.strip_prefix("local "))
        .filter_map(|rest| rest.split('=').next())
        .flat_map(|names| names.split(','))
        .filter_map(|name| name.split_whitespace().next());
    let locals: BTreeSet<&str> = declared.collect();
    let returned = code.rfind("\nreturn ").map_or("", |at| &code[at..]);
    let returned: BTreeSet<&str> = returned.split(|c| !is_word(c)).collect();
    let mut assigned = BTreeSet::new();
    symbols.retain_mut(|symbol| {
        let head = symbol.signature.trim_start_matches("function ");
        let head = head.split(['=', '(']).next().unwrap_or_default().trim();
        let is_local = locals.contains(head);
        let table = head.split(['.', ':']).next().unwrap_or(head);
        let is_own = locals.contains(table) && !returned.contains(table);
        symbol.public &= !is_local && !is_own;
        symbol.kind != Kind::Variable
            || !is_local && assigned.insert(head.trim_start_matches("local ").to_owned())
    });
}
