//! Digests of what stands behind signatures: whether anything else of a declaration has changed.
//!
//! Comments, ends of lines and empty lines do not count, members count for themselves. Comments are found in the syntax tree,
//! so that a `#` in a string is none; of the tree only what holds a mark of a comment is looked at.

use std::ops::Range;

use tree_sitter::{Tree, TreeCursor};

use super::grammar::Rules;
use crate::base::FieldHasher;
use crate::symbol::comment::Style;
use crate::symbol::outline::{BodyDigest, Symbol};

/// Where the comments of a text stand, in order.
fn comments(tree: &Tree, rules: &Rules, text: &str) -> Vec<Range<usize>> {
    let marks = marks(text, rules.grammar.style);
    let (mut found, mut next) = (Vec::new(), 0);
    let mut cursor = tree.walk();
    loop {
        let node = cursor.node();
        next += marks[next..]
            .iter()
            .take_while(|mark| **mark < node.start_byte())
            .count();
        let Some(mark) = marks.get(next) else {
            return found;
        };
        let is_within = *mark < node.end_byte();
        if is_within && rules.is_comment(node.kind_id()) {
            found.push(node.byte_range());
        } else if is_within && cursor.goto_first_child() {
            continue;
        }
        if !goto_next(&mut cursor) {
            return found;
        }
    }
}

/// Where something stands that may start a comment.
fn marks(text: &str, style: Style) -> Vec<usize> {
    let starts = style
        .line
        .iter()
        .copied()
        .chain(style.block.map(|(open, _)| open));
    let mut marks: Vec<usize> = starts
        .flat_map(|start| text.match_indices(start).map(|(at, _)| at))
        .collect();
    marks.sort_unstable();
    marks
}

fn goto_next(cursor: &mut TreeCursor<'_>) -> bool {
    while !cursor.goto_next_sibling() {
        if !cursor.goto_parent() {
            return false;
        }
    }
    true
}

/// A text whose bodies are read.
pub(super) struct Bodies<'t> {
    text: &'t str,
    comments: Vec<Range<usize>>,
    /// What has taken the context, which is hashed once.
    hasher: FieldHasher,
}

impl<'t> Bodies<'t> {
    /// Finds the comments of a text.
    pub(super) fn new(tree: &Tree, rules: &Rules, text: &'t str) -> Self {
        Self {
            text,
            comments: comments(tree, rules, text),
            hasher: FieldHasher::new("git-merkle 2026 body/1"),
        }
    }

    /// Makes the digests of declarations and of what stands in them.
    pub(super) fn digest_all(&self, symbols: &mut [Symbol]) {
        for symbol in symbols {
            let body = symbol.span.body as usize..(symbol.span.end as usize).min(self.text.len());
            if body.start < body.end {
                symbol.body = self.digest(body, &symbol.children);
            }
            self.digest_all(&mut symbol.children);
        }
    }

    fn digest(&self, body: Range<usize>, members: &[Symbol]) -> BodyDigest {
        let first = self
            .comments
            .partition_point(|comment| comment.end <= body.start);
        let comments = self.comments[first..]
            .iter()
            .take_while(|comment| comment.start < body.end)
            .cloned();
        let members = members
            .iter()
            .map(|member| member.span.start as usize..member.span.end as usize);
        let mut holes: Vec<Range<usize>> = members
            .filter(|span| span.start >= body.start && span.end <= body.end)
            .collect();
        holes.extend(comments);
        holes.sort_unstable_by_key(|hole| hole.start);
        let mut hasher = self.hasher.clone();
        let (mut from, mut is_empty) = (body.start, true);
        for hole in holes.into_iter().chain(std::iter::once(body.end..body.end)) {
            for line in self
                .text
                .get(from..hole.start.max(from))
                .unwrap_or_default()
                .lines()
                .map(str::trim_end)
            {
                // What only opens, closes or ends a body is none.
                if !line
                    .trim_start_matches([' ', '\t', '{', '}', ';', ',', ')'])
                    .is_empty()
                {
                    hasher.add(line.as_bytes());
                    is_empty = false;
                }
            }
            from = from.max(hole.end);
        }
        if is_empty {
            BodyDigest::default()
        } else {
            hasher.finish().0[..16]
                .try_into()
                .expect("a digest has 32 bytes")
        }
    }
}
