//! What stands below the list of an outline: private declarations, tests by their titles, imports.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::attribute::is_test;
use super::comment::cap;
use super::markdown::{code, told};
use super::outline::{Kind, Symbol};
use super::phrase::{NAMES_MAX, SIGNATURE_BYTES_MAX, attributes, listing, without_receiver};

/// What the names of tests may take, in bytes.
const TESTS_BYTES_MAX: usize = 1_200;
/// What private declarations with their signatures may take, in bytes.
pub(super) const PRIVATE_BYTES_MAX: usize = 6_000;
/// Most private names that are given.
const PRIVATE_MAX: usize = 12;
/// What the imports may take, in bytes.
pub(super) const IMPORTS_BYTES_MAX: usize = 700;

/// Private declarations of the file and of its types: with signature and sentence as far as there is room, the rest by name.
pub(super) fn private_list(symbols: &[Symbol]) -> String {
    let mut private = Vec::new();
    collect_private(&mut private, symbols, None, false);
    // What can be called or built on says more than a value.
    private.sort_by_key(|(_, symbol)| {
        let is_value = !symbol.kind.can_own() || symbol.kind == Kind::Variable;
        (is_test(symbol), is_value && symbol.kind != Kind::Method)
    });
    let (mut list, mut rest) = (String::new(), Vec::new());
    for (owner, symbol) in private {
        let mut line = format!(
            "- {}{}",
            code(&cap(&without_receiver(symbol), SIGNATURE_BYTES_MAX)),
            attributes(symbol)
        );
        if let Some(owner) = owner {
            let word = if owner.kind == Kind::Module {
                "in"
            } else {
                "of"
            };
            let _ = write!(line, " {word} {}", code(&owner.name));
        }
        if !symbol.doc.is_empty() {
            let _ = write!(line, ": {}", told(&symbol.sentence()));
        }
        if rest.is_empty() && list.len() + line.len() <= PRIVATE_BYTES_MAX {
            list.push_str(&line);
            list.push('\n');
        } else {
            rest.push(code(&symbol.name));
        }
    }
    let rest = listing(rest.into_iter(), PRIVATE_MAX);
    match (list.is_empty(), rest.is_empty()) {
        (true, true) => String::new(),
        (true, false) => format!("Not public: {rest}\n"),
        (false, true) => format!("Not public:\n\n{list}"),
        (false, false) => format!("Not public:\n\n{list}\nNot public, by name: {rest}\n"),
    }
}

/// A declaration, and what it belongs to.
type Owned<'s> = (Option<&'s Symbol>, &'s Symbol);

/// Private declarations, those within types and modules, and all within a private one; values and fields only outside of types.
fn collect_private<'s>(
    found: &mut Vec<Owned<'s>>,
    symbols: &'s [Symbol],
    owner: Option<&'s Symbol>,
    hidden: bool,
) {
    let in_type = owner.is_some_and(|owner| owner.kind != Kind::Module);
    let mut before = "";
    for symbol in symbols {
        // The names of one statement share its signature, which is shown once.
        let is_told = std::mem::replace(&mut before, &symbol.signature) == symbol.signature;
        let is_private = match symbol.kind {
            Kind::Implementation | Kind::Export | Kind::Test => continue,
            Kind::Field | Kind::Variant | Kind::Constant | Kind::Variable if in_type => continue,
            Kind::Extension => false,
            _ => hidden || !symbol.public,
        };
        if is_private && !(is_told && symbol.children.is_empty()) {
            found.push((owner, symbol));
        }
        if !is_private || symbol.kind != Kind::Function {
            collect_private(found, &symbol.children, Some(symbol), is_private);
        }
    }
}

/// Tests by the words that name them, each group on a line; those at the level of the file together.
pub(super) fn test_list(symbols: &[Symbol]) -> String {
    let mut groups = Vec::new();
    collect_tests(&mut groups, symbols, "");
    if groups.iter().all(|(group, _)| group.is_empty()) {
        let names = groups.into_iter().flat_map(|(_, tests)| tests);
        let names = listing(names.map(|test| code(&test.name)), 2 * NAMES_MAX);
        return if names.is_empty() {
            names
        } else {
            format!("Tests: {names}\n")
        };
    }
    let (mut list, mut left) = (String::from("Tests:\n\n"), 0);
    for (group, tests) in groups {
        if list.len() > TESTS_BYTES_MAX {
            left += tests.len();
            continue;
        }
        let names = listing(tests.iter().map(|test| code(&test.name)), PRIVATE_MAX);
        let head = if group.is_empty() {
            "others".to_owned()
        } else {
            code(&group)
        };
        let _ = writeln!(list, "- {head}: {names}");
    }
    if left > 0 {
        let _ = writeln!(list, "- … and {left} more");
    }
    list
}

/// Tests by the path of the groups that they stand in.
fn collect_tests<'s>(
    groups: &mut Vec<(String, Vec<&'s Symbol>)>,
    symbols: &'s [Symbol],
    path: &str,
) {
    let may_hold = |symbol: &&Symbol| symbol.kind == Kind::Test || !symbol.children.is_empty();
    let (inner, leaves): (Vec<&Symbol>, Vec<&Symbol>) = symbols
        .iter()
        .filter(may_hold)
        .partition(|symbol| !symbol.children.is_empty());
    if !leaves.is_empty() {
        groups.push((path.to_owned(), leaves));
    }
    for symbol in inner {
        let path = if path.is_empty() {
            symbol.name.clone()
        } else {
            format!("{path} › {}", symbol.name)
        };
        collect_tests(groups, &symbol.children, &path);
    }
}

/// Imports on one line; those that differ only in their last part are put together.
pub(super) fn import_line(imports: &[String]) -> String {
    let mut groups: Vec<(&str, Vec<&str>)> = Vec::new();
    let mut places: BTreeMap<&str, usize> = BTreeMap::new();
    for import in imports {
        let (stem, leaf) = split_import(import);
        match places.get(stem).filter(|_| !stem.is_empty()) {
            Some(&at) => groups[at].1.push(leaf),
            None => {
                places.insert(stem, groups.len());
                groups.push((stem, vec![leaf]));
            }
        }
    }
    let mut line = String::new();
    let mut left = 0;
    for (stem, leaves) in groups {
        let text = if leaves.len() == 1 {
            format!("{stem}{}", leaves[0])
        } else {
            format!("{stem}{{{}}}", leaves.join(", "))
        };
        if line.len() + text.len() > IMPORTS_BYTES_MAX {
            left += leaves.len();
        } else {
            line.push_str(if line.is_empty() { "Imports: " } else { ", " });
            line.push_str(&code(&text));
        }
    }
    match (line.is_empty(), left) {
        (true, 0) => String::new(),
        (true, left) => format!("Imports: {left}\n"),
        (false, 0) => line + "\n",
        (false, left) => format!("{line}, … and {left} more\n"),
    }
}

/// Splits `java.util.List` after the last separator; anything that is not a plain path has no stem.
fn split_import(import: &str) -> (&str, &str) {
    let plain = import
        .chars()
        .all(|c| c.is_alphanumeric() || matches!(c, '_' | '.' | ':' | '\\' | '*'));
    let at = import
        .rfind(['.', ':', '\\'])
        .filter(|_| plain)
        .map_or(0, |at| at + 1);
    import.split_at(at)
}
