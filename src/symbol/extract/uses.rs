//! The names that a file uses: one walk of a cursor over its whole syntax tree, bodies included.
//!
//! A name is a leaf that the grammar calls an identifier, of whatever sort; comments and strings have none. Each is
//! noted once, with the declarations that it is used in. The names that declarations give are no uses.

use std::collections::{HashMap, HashSet};
use std::ops::Range;

use tree_sitter::{Node, Tree, TreeCursor};

use super::parse::Rules;
use crate::symbol::map::uses::{NAME_BYTES_MIN, USES_MAX, Uses, Ways};
use crate::symbol::outline::{NAME_BYTES_MAX, Span, Symbol};

/// Leaves that are names, in all grammars.
pub(super) const NAMES: &[&str] = &[
    "identifier",
    "type_identifier",
    "field_identifier",
    "property_identifier",
    "shorthand_property_identifier",
    "shorthand_field_identifier",
    "namespace_identifier",
    "constant",
    "name",
    "command_name",
    "variable_name",
];

/// What is known of a name so far.
#[derive(Default)]
struct Found {
    ways: Ways,
    /// Numbers of declarations, in the order of the file.
    places: Vec<u32>,
}

/// Reads the names that are used; declarations are numbered as they stand in the outline, each before its members.
pub(super) fn read(tree: &Tree, rules: &Rules, text: &str, symbols: &[Symbol]) -> Uses {
    let mut spans = Vec::new();
    collect(symbols, &mut spans);
    let declared: HashSet<u32> = spans.iter().map(|span| span.name).collect();
    let mut around = Around::new(&spans);
    let mut found: HashMap<&str, Found> = HashMap::new();
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        let is_name = rules.is_name(node.kind_id());
        if is_name && !declared.contains(&(node.start_byte() as u32)) {
            note(&mut found, text, node, &mut around);
        }
        if (is_name || !cursor.goto_first_child()) && !goto_next(&mut cursor) {
            break;
        }
    }
    let mut found: Vec<(&str, Found)> = found.into_iter().collect();
    found.sort_unstable_by_key(|(name, _)| *name);
    let mut uses = Uses::default();
    for (name, Found { ways, mut places }) in found {
        places.sort_unstable();
        places.dedup();
        uses.push(name, ways, &places);
    }
    uses
}

fn collect(symbols: &[Symbol], spans: &mut Vec<Span>) {
    for symbol in symbols {
        spans.push(symbol.span);
        collect(&symbol.children, spans);
    }
}

fn note<'t>(found: &mut HashMap<&'t str, Found>, text: &'t str, node: Node<'_>, around: &mut Around) {
    let range = node.byte_range();
    let Some(name) = text.get(range.clone()).filter(|name| (NAME_BYTES_MIN..=NAME_BYTES_MAX).contains(&name.len())) else {
        return;
    };
    if name.bytes().any(|byte| byte.is_ascii_whitespace() || byte.is_ascii_control()) {
        return;
    }
    let place = around.innermost(range.start as u32);
    if !found.contains_key(name) && found.len() == USES_MAX {
        return;
    }
    let known = found.entry(name).or_default();
    known.ways = known.ways.and(ways(text, name, range));
    if let Some(place) = place
        && known.places.last() != Some(&place)
    {
        known.places.push(place);
    }
}

/// How a name is used at a place, by what stands beside it.
fn ways(text: &str, name: &str, place: Range<usize>) -> Ways {
    let (before, after) = (&text.as_bytes()[..place.start], &text.as_bytes()[place.end..]);
    let is_called = after.starts_with(b"(") || after.starts_with(b"!") || after.starts_with(b"::") || after.starts_with(b" (");
    // `Item = T` binds a name, whatever it looks like.
    let is_type = name.starts_with(char::is_uppercase) && !after.starts_with(b" = ");
    let is_path = before.ends_with(b"::");
    let is_asked = is_path || before.ends_with(b".") || before.ends_with(b"->");
    match (is_asked, is_called || is_type) {
        (true, true) if is_path => Ways::ASKED.and(Ways::CALLED).and(Ways::BARE),
        (true, true) => Ways::ASKED.and(Ways::CALLED),
        (true, false) => Ways::ASKED,
        (false, true) => Ways::BARE,
        (false, false) => Ways::default(),
    }
}

fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// The declarations around a place that only moves forward.
struct Around {
    /// Start, end and number, by start, the wider first.
    spans: Vec<(u32, u32, u32)>,
    next: usize,
    open: Vec<(u32, u32)>,
}

impl Around {
    fn new(spans: &[Span]) -> Self {
        let known = spans.iter().enumerate().filter(|(_, span)| span.end > span.start);
        let mut spans: Vec<_> = known.map(|(number, span)| (span.start, span.end, number as u32)).collect();
        spans.sort_unstable_by_key(|(start, end, number)| (*start, u32::MAX - *end, *number));
        Self { spans, next: 0, open: Vec::new() }
    }

    fn innermost(&mut self, at: u32) -> Option<u32> {
        while let Some((_, end, number)) = self.spans.get(self.next).copied().filter(|(start, ..)| *start <= at) {
            self.open.push((end, number));
            self.next += 1;
        }
        while self.open.last().is_some_and(|(end, _)| *end <= at) {
            self.open.pop();
        }
        self.open.last().map(|(_, number)| *number)
    }
}
