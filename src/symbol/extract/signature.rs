//! The text of a declaration on one line: without comments, annotations and body.

use std::ops::Range;

use tree_sitter::Node;

use super::grammar::Rules;
use crate::symbol::comment::cap;
use crate::symbol::outline::SIGNATURE_BYTES_MAX;

/// How many nodes of a declaration are looked at for parts to leave out.
const NODES_MAX: usize = 2_000;

/// A declaration on one line, without comments and annotations.
pub(super) struct Signature {
    pub text: String,
    /// Whether it is longer than what is kept.
    pub is_cut: bool,
    /// Where the annotations stand that were left out.
    pub hidden: Vec<Range<usize>>,
}

impl Signature {
    /// Reads a part of `node`.
    pub(super) fn read(text: &str, node: Node<'_>, part: Range<usize>, rules: &Rules) -> Self {
        let mut line = Line::default();
        let (mut from, end) = (part.start, part.end);
        let mut annotations = Vec::new();
        for (hidden, is_comment) in hidden_ranges(text, node, &part, rules) {
            line.push(text.get(from..hidden.start.max(from)).unwrap_or_default());
            from = hidden.end.min(end).max(from);
            line.broken = true;
            line.space = true;
            if !is_comment {
                annotations.push(hidden);
            }
            if line.out.len() > 2 * SIGNATURE_BYTES_MAX {
                break;
            }
        }
        line.push(&text[from..end]);
        let whole = trim_end(&line.out);
        Self {
            text: cap(whole, SIGNATURE_BYTES_MAX),
            is_cut: whole.len() > SIGNATURE_BYTES_MAX,
            hidden: annotations,
        }
    }
}

/// Folds a piece of code the way a signature is folded.
pub(super) fn fold_code(text: &str) -> String {
    let mut line = Line::default();
    line.push(text);
    line.out
}

/// Takes off what only leads to a body or ends a statement.
fn trim_end(text: &str) -> &str {
    // `alias_method :notify, :results=` ends with the name of a method.
    let last = text.rsplit(' ').next().unwrap_or_default();
    if last.starts_with(':') && last.len() > 2 && last.ends_with('=') {
        return text;
    }
    // `def sell item:` of Ruby ends with a parameter.
    let is_ruby = text.starts_with("def ") && !text.contains('(');
    let ends = [' ', '{', ';', ',', '=', '\\'];
    let text = text.trim_end_matches(|c| ends.contains(&c) || c == ':' && !is_ruby);
    match text.strip_suffix("=>").map(str::trim_end) {
        Some(before) if !is_parameter_alone(before) => before,
        _ => text,
    }
}

/// `const f = a` before an arrow, without which it would be another name of `a`.
fn is_parameter_alone(text: &str) -> bool {
    text.rsplit_once(' ').is_some_and(|(before, word)| {
        let is_name = word
            .chars()
            .all(|c| c.is_alphanumeric() || "_$".contains(c));
        is_name && (before.ends_with(" =") || before.ends_with("= async"))
    })
}

/// Finds comments and annotations in a part of a declaration by a bounded walk; with each whether it is a comment.
///
/// Annotations behind the name are those of parameters and values, and part of what is declared.
fn hidden_ranges(
    text: &str,
    node: Node<'_>,
    part: &Range<usize>,
    rules: &Rules,
) -> Vec<(Range<usize>, bool)> {
    let mut found = Vec::new();
    if !text[part.clone()].contains(['/', '#', '@', '[']) {
        return found;
    }
    let name = node.child_by_field_name("name");
    let name_start = name.map_or(part.end, |name| name.start_byte());
    let mut cursor = node.walk();
    for _ in 0..NODES_MAX {
        let node = cursor.node();
        if node.start_byte() >= part.end {
            break;
        }
        let is_comment = rules.is_comment(node.kind_id());
        let is_hidden = node.start_byte() >= part.start
            && rules.hides(node.kind_id())
            && (is_comment || node.start_byte() < name_start);
        if is_hidden {
            found.push((node.byte_range(), is_comment));
        }
        if (is_hidden || !cursor.goto_first_child()) && !next(&mut cursor) {
            break;
        }
    }
    found
}

/// Moves to the next node that is not below this one.
fn next(cursor: &mut tree_sitter::TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// A line that grows, with runs of white space as one space, and none where only a line break called for it.
#[derive(Default)]
struct Line {
    out: String,
    space: bool,
    broken: bool,
}

impl Line {
    fn push(&mut self, text: &str) {
        for c in text.chars() {
            if c.is_whitespace() || c.is_control() {
                self.space = true;
                self.broken |= c == '\n';
                continue;
            }
            if self.space {
                self.join(c);
            }
            self.out.push(c);
            if self.out.len() > 2 * SIGNATURE_BYTES_MAX {
                return;
            }
        }
    }

    /// Decides about the space before `next`.
    fn join(&mut self, next: char) {
        let closes = matches!(next, ')' | ']' | '>');
        if self.broken && (closes || next == '}') && self.out.ends_with(',') {
            self.out.pop();
        }
        let opened = self.out.is_empty() || self.broken && self.out.ends_with(['(', '[', '<', '*']);
        let tight = opened || self.broken && closes || matches!(next, ',' | ';');
        if !tight {
            self.out.push(' ');
        }
        self.space = false;
        self.broken = false;
    }
}
