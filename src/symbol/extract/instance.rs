//! Fields that have no declaration of their own: a constructor makes them by giving them a value.

use std::collections::BTreeSet;

use tree_sitter::Node;

use super::grammar::Walk;
use super::level::{Level, Place};
use super::walk::Head;
use crate::symbol::outline::{Kind, Span};

/// Adds what the statements of a constructor's body give to its object, as in `self.name = …`, each name once.
///
/// Such a field has a place and no extent: what is used in the value is used by the constructor.
pub(super) fn fields<'t>(walk: &mut Walk<'t>, level: &mut Level<'t>, body: Node<'t>, object: &str) {
    let mut inner = Level::new(Place {
        wrap: None,
        ..level.place
    });
    let mut known: BTreeSet<String> = level
        .symbols
        .iter()
        .map(|symbol| symbol.name.clone())
        .collect();
    // The comment of the first statement may stand before the body.
    if let Some(comment) = body
        .prev_named_sibling()
        .filter(|before| before.kind() == "comment")
    {
        inner.note_comment(comment);
    }
    let mut cursor = body.walk();
    for statement in body.named_children(&mut cursor) {
        if statement.kind() == "comment" {
            inner.note_comment(statement);
            continue;
        }
        if let Some((name, value)) = target(walk, statement, object)
            && known.insert(walk.slice(name).to_owned())
            && walk.has_room()
        {
            let end = walk.is_long(value).then(|| value.start_byte());
            let mut symbol = walk.symbol(
                &inner,
                Head {
                    node: statement,
                    kind: Kind::Field,
                    name,
                    end,
                },
            );
            let own = symbol.signature.strip_prefix(object).map(str::to_owned);
            symbol.signature = own.unwrap_or_else(|| symbol.name.clone());
            let start = symbol.span.name;
            symbol.span = Span {
                start,
                end: start,
                name: start,
                body: start,
            };
            level.symbols.push(symbol);
        }
        inner.close(statement);
    }
}

/// The name and the value in `self.name = value`.
fn target<'t>(walk: &Walk<'t>, statement: Node<'t>, object: &str) -> Option<(Node<'t>, Node<'t>)> {
    let assignment = statement
        .named_child(0)
        .filter(|inner| inner.kind().starts_with("assignment"))?;
    let left = assignment.child_by_field_name("left")?;
    let name = left
        .child_by_field_name("attribute")
        .or_else(|| left.child_by_field_name("property"))?;
    let is_own = walk.text[left.start_byte()..name.start_byte()] == *object;
    Some((name, assignment.child_by_field_name("right")?)).filter(|_| is_own)
}
