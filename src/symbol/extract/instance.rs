//! Fields that have no declaration of their own: a constructor makes them by giving them a value.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::Walk;
use super::level::{Level, Place};
use super::walk::Head;
use crate::symbol::outline::{Kind, Span, Symbol};

/// Deepest nesting of blocks in a constructor that is read.
const BLOCKS_MAX: usize = 16;

/// Adds what the statements of a constructor's body give to its object, as in `self.name = …`, each name once, also within
/// `if`, `try`, `with` and loops.
///
/// Such a field has a place and no extent: what is used in the value is used by the constructor.
pub(super) fn fields<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, body: Node<'t>, object: &str) {
    let mut inner = Level::new(Place {
        wrap: None,
        ..level.place
    });
    // The comment of the first statement may stand before the body.
    if let Some(comment) = body.prev_named_sibling().filter(|before| leads(*before)) {
        inner.note_comment(comment);
    }
    let known = level
        .symbols
        .iter()
        .map(|symbol| symbol.name.clone())
        .collect();
    let mut constructor = Constructor {
        object,
        known,
        inner,
        found: Vec::new(),
    };
    constructor.read(walk, body, 0);
    level.symbols.extend(constructor.found);
}

/// A constructor while it is read.
struct Constructor<'t, 'o> {
    /// How the language writes the object, with the dot: `self.`, `this.`.
    object: &'o str,
    /// Names that are declared already.
    known: BTreeSet<String>,
    inner: Level<'t>,
    found: Vec<Symbol>,
}

impl<'t> Constructor<'t, '_> {
    fn read(&mut self, walk: &mut Walk<'t>, block: Node<'t>, depth: usize) {
        let mut cursor = block.walk();
        // Where what stands before ends: a comment in that line belongs to it.
        let mut last_row = None;
        for node in block.children(&mut cursor) {
            let begins_line = last_row.is_none_or(|row| row < node.start_position().row);
            last_row = Some(node.end_position().row);
            if !node.is_named() {
            } else if node.kind() == "comment" {
                if begins_line {
                    self.inner.note_comment(node);
                }
            } else if is_block(node.kind()) && depth < BLOCKS_MAX {
                self.read(walk, node, depth + 1);
            } else {
                self.statement(walk, node);
                self.inner.close(node);
            }
        }
    }

    fn statement(&mut self, walk: &mut Walk<'t>, statement: Node<'t>) {
        let Some(assignment) = statement
            .named_child(0)
            .filter(|inner| inner.kind().starts_with("assignment"))
        else {
            return;
        };
        let names = targets(walk, assignment, self.object);
        // What is unpacked, or put into several fields, is the value of none of them.
        let is_alone =
            names.len() == 1 && names[0].parent() == assignment.child_by_field_name("left");
        let value = assignment.child_by_field_name("right");
        let end = value
            .filter(|value| walk.is_long(*value))
            .map(|value| value.start_byte());
        for name in names {
            if !self.known.insert(walk.slice(name).to_owned()) || !walk.has_room() {
                continue;
            }
            let head = Head::new(statement, Kind::Field, name).until(end);
            let mut symbol = walk.symbol(&self.inner, head);
            let own = symbol.signature.strip_prefix(self.object);
            let own = own.filter(|_| is_alone).map(str::to_owned);
            symbol.signature = own.unwrap_or_else(|| symbol.name.clone());
            let start = symbol.span.name;
            symbol.span = Span {
                start,
                end: start,
                name: start,
                body: start,
            };
            self.found.push(symbol);
        }
    }
}

/// Whether a node is a comment in a line of its own, which belongs to what follows.
fn leads(node: Node<'_>) -> bool {
    let begins_line = |before: Node<'_>| before.end_position().row < node.start_position().row;
    node.kind() == "comment" && node.prev_sibling().is_none_or(begins_line)
}

/// Whether statements stand in a node: the branch of an `if`, a loop, a `try`, and what they consist of.
fn is_block(kind: &str) -> bool {
    let is_part = ["block", "_clause", "_body", "_case"]
        .iter()
        .any(|end| kind.ends_with(end));
    is_part
        || matches!(
            kind,
            "if_statement"
                | "try_statement"
                | "with_statement"
                | "for_statement"
                | "for_in_statement"
                | "while_statement"
                | "do_statement"
                | "switch_statement"
                | "switch_default"
                | "match_statement"
        )
}

/// The names in `self.name = value`, `self.name: int`, `self.a = self.b = value` and `self.a, self.b = value`.
fn targets<'t>(walk: &Walk<'t>, assignment: Node<'t>, object: &str) -> Vec<Node<'t>> {
    let mut names = Vec::new();
    let mut next = Some(assignment);
    while let Some(assignment) = next.filter(|node| node.kind().starts_with("assignment")) {
        if let Some(left) = assignment.child_by_field_name("left") {
            let mut cursor = left.walk();
            let is_list = matches!(
                left.kind(),
                "pattern_list" | "tuple_pattern" | "list_pattern"
            );
            let parts = if is_list {
                left.named_children(&mut cursor).collect()
            } else {
                vec![left]
            };
            names.extend(
                parts
                    .into_iter()
                    .filter_map(|part| target(walk, part, object)),
            );
        }
        next = assignment.child_by_field_name("right");
    }
    names
}

/// The name in `self.name`.
fn target<'t>(walk: &Walk<'t>, left: Node<'t>, object: &str) -> Option<Node<'t>> {
    let name = left
        .child_by_field_name("attribute")
        .or_else(|| left.child_by_field_name("property"))?;
    (walk.text[left.start_byte()..name.start_byte()] == *object).then_some(name)
}
