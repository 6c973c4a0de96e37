//! Whether two declarations are the same, or alike enough that one may be the other in another file.

use super::declaration::Declaration;
use super::form::c_tokens;
use crate::symbol::Kind;

/// Whether others see the same of both.
pub(super) fn seen(one: &Declaration, other: &Declaration) -> bool {
    is_same_text(one, other)
        && one.attributes == other.attributes
        && one.own_visibility == other.own_visibility
        && (one.kind == other.kind || is_callable(one.kind) && is_callable(other.kind))
}

/// Whether signatures and values are the same. A long value stands beside the signature, a short one in it.
fn is_same_text(one: &Declaration, other: &Declaration) -> bool {
    if one.value.is_empty() == other.value.is_empty() {
        let is_same_value = one.value == other.value
            // What differs are comments in it.
            || one.value_digest == other.value_digest;
        return is_same_form(one, other) && is_same_value;
    }
    let (long, short) = if one.value.is_empty() {
        (other, one)
    } else {
        (one, other)
    };
    let rest = short.form().strip_prefix(long.form());
    rest.and_then(|rest| rest.strip_prefix(" = ")) == Some(&long.value)
}

/// Whether signatures are the same: as they are written, whatever is imported by those names; in the form in which they are
/// compared; or but for `struct`, `union` or `enum` before the name of a type of C, which a `typedef` names as well.
fn is_same_form(one: &Declaration, other: &Declaration) -> bool {
    one.form() == other.form()
        || one.signature == other.signature
        || is_callable(one.kind) && is_same_but_tags(one.form(), other.form())
}

fn is_same_but_tags(one: &str, other: &str) -> bool {
    let is_tag = |word: &&str| matches!(*word, "struct" | "union" | "enum");
    let (one, other) = (c_tokens(one), c_tokens(other));
    let (mut ones, mut others) = (
        one.iter().copied().peekable(),
        other.iter().copied().peekable(),
    );
    loop {
        match (ones.peek(), others.peek()) {
            (None, None) => return true,
            (Some(one), Some(other)) if one == other => {
                ones.next();
                others.next();
            }
            (Some(one), Some(other)) if is_tag(one) && !is_tag(other) => drop(ones.next()),
            (Some(one), Some(other)) if is_tag(other) && !is_tag(one) => drop(others.next()),
            _ => return false,
        }
    }
}

pub(super) fn is_callable(kind: Kind) -> bool {
    matches!(kind, Kind::Function | Kind::Method)
}

/// Whether one may be the other in another file: a name alone is not enough, as every program has a `main`. Who may use it may
/// be another there.
pub(super) fn is_alike(one: &Declaration, other: &Declaration) -> bool {
    if one.kind != other.kind || one.behind() != other.behind() || one.value != other.value {
        return false;
    }
    match one.kind {
        Kind::Export => false,
        // `mod x;` says where another file stands, which moves by itself.
        Kind::Module => one.body != [0; 16],
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface => true,
        _ => {
            one.body == other.body && one.body != [0; 16] || one.behind().len() > one.own.len() + 6
        }
    }
}

/// Whether it is one implementation of a trait: that is one wherever it stands, beside its type or not.
pub(super) fn is_moved_implementation(one: &Declaration, other: &Declaration) -> bool {
    [one, other]
        .iter()
        .all(|one| one.kind == Kind::Implementation)
        && one.behind() == other.behind()
}

#[cfg(test)]
mod tests {
    use super::super::form::form;
    use super::*;
    use crate::symbol::Language;

    #[test]
    fn a_typedef_may_stand_for_a_tag() {
        let form =
            |text: &str| form(Some(Language::C), text, "f", &[]).unwrap_or_else(|| text.to_owned());
        for (one, other, expected) in [
            ("int f(struct item *x)", "int f(item *x)", true),
            ("enum e f(const struct item *x)", "e f(const item *x)", true),
            ("int f(struct item *x)", "int f(union item *x)", false),
            ("enum e f(void)", "struct e f(void)", false),
            ("int f(struct item *x)", "int f(struct other *x)", false),
        ] {
            assert_eq!(
                is_same_but_tags(&form(one), &form(other)),
                expected,
                "{one}, {other}"
            );
        }
    }
}
