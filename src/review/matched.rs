//! Which declarations of two versions of a file are the same one: those of one name, equal ones first, then in order.

use std::collections::HashMap;

use super::alike::seen;
use super::change::Code;
use super::declaration::{Declaration, DeclarationNumber};
use crate::symbol::Kind;

/// Whether one declaration may be another.
type Alike = fn(&Declaration, &Declaration) -> bool;

/// The declarations of two versions that are the same one, and what the other side declares once more or once less.
#[derive(Default)]
pub(super) struct Matched {
    pub pairs: Vec<(DeclarationNumber, DeclarationNumber)>,
    pub lost: Vec<DeclarationNumber>,
    pub gained: Vec<DeclarationNumber>,
}

pub(super) fn matched(old: Option<&Code>, new: Option<&Code>) -> Matched {
    let (Some(old), Some(new)) = (old, new) else {
        return Matched::default();
    };
    let mut by_name: HashMap<_, (Vec<_>, Vec<_>)> = HashMap::new();
    for (number, one) in old.declarations.iter_enumerated() {
        by_name.entry(key(one)).or_default().0.push(number);
    }
    for (number, one) in new.declarations.iter_enumerated() {
        by_name.entry(key(one)).or_default().1.push(number);
    }
    let mut found = Matched::default();
    let one = |number: &DeclarationNumber| &old.declarations[*number];
    let other = |number: &DeclarationNumber| &new.declarations[*number];
    for (mut before, mut after) in by_name.into_values() {
        let stays = !before.is_empty() && !after.is_empty();
        found
            .pairs
            .extend(pair_up(&mut before, &mut after, one, other));
        if stays {
            found.lost.extend(before);
            found.gained.extend(after);
        }
    }
    found.pairs.sort_unstable();
    found.lost.sort_unstable();
    found.gained.sort_unstable();
    found
}

/// Takes out of two lists under one name what is the same declaration: equal ones first, then in order.
pub(super) fn pair_up<'d, P: Copy>(
    before: &mut Vec<P>,
    after: &mut Vec<P>,
    one: impl Fn(&P) -> &'d Declaration,
    other: impl Fn(&P) -> &'d Declaration,
) -> Vec<(P, P)> {
    let steps: [Alike; 5] = [
        |one, other| seen(one, other) && one.body == other.body,
        seen,
        |one, other| one.body == other.body && one.kind == other.kind,
        // Of overloads, the one that does the work is the one without a mark.
        |one, other| one.attributes == other.attributes && one.kind == other.kind,
        |_, _| true,
    ];
    let mut pairs = Vec::new();
    for is_alike in steps {
        before.retain(|old| {
            let is_same = |new: &P| is_alike(one(old), other(new));
            let Some(at) = after.iter().position(is_same) else {
                return true;
            };
            pairs.push((*old, after.remove(at)));
            false
        });
    }
    pairs
}

/// Its name, and its kind where that keeps it apart from others of that name: in some languages a method is no overload of a
/// field, nor a function one of a module; and what a name that is only passed on stands for may have moved, see
/// `passed_on` of the comparison.
fn key(one: &Declaration) -> (&str, Option<Kind>) {
    let is_apart = match one.kind {
        Kind::Field | Kind::Property => one.name.contains("::"),
        kind => matches!(kind, Kind::Export | Kind::Module),
    };
    (&one.name, is_apart.then_some(one.kind))
}
