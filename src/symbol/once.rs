//! What an outline would tell twice: the comment of the only type of a file, functions of C in front of their definitions.

use std::borrow::Cow;
use std::collections::BTreeMap;

use super::language::Language;
use super::outline::{BodyDigest, Kind, Outline, Symbol};

/// The outline as it is shown, each thing in the place where a reader looks for it first.
pub(super) fn told_once(outline: &Outline) -> Cow<'_, Outline> {
    with_main_doc(without_prototypes(outline))
}

/// A file without a comment of its own is about the one type that it offers, so what that is for stands first.
fn with_main_doc(outline: Cow<'_, Outline>) -> Cow<'_, Outline> {
    let Some(at) = main_type(&outline) else {
        return outline;
    };
    let mut outline = outline.into_owned();
    outline.doc = std::mem::take(&mut outline.symbols[at].doc);
    Cow::Owned(outline)
}

/// Where the only type stands that a file offers, of which a comment says what it is for.
fn main_type(outline: &Outline) -> Option<usize> {
    let is_offered = |symbol: &Symbol| {
        let is_more = matches!(
            symbol.kind,
            Kind::Implementation | Kind::Extension | Kind::Test
        );
        symbol.public && !is_more
    };
    let mut offered = outline
        .symbols
        .iter()
        .enumerate()
        .filter(|(_, symbol)| is_offered(symbol));
    let ((at, main), None) = (offered.next()?, offered.next()) else {
        return None;
    };
    let is_type = matches!(
        main.kind,
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface | Kind::Type
    );
    let says = main.doc.contains(' ') && !main.doc.ends_with(':');
    (outline.doc.is_empty() && is_type && says).then_some(at)
}

/// In C a function that is declared in front of its definition is told once.
fn without_prototypes(outline: &Outline) -> Cow<'_, Outline> {
    if outline.language != Some(Language::C) {
        return Cow::Borrowed(outline);
    }
    let functions = || {
        outline
            .symbols
            .iter()
            .filter(|symbol| symbol.kind == Kind::Function)
    };
    let defined: BTreeMap<&str, &Symbol> = functions()
        .filter(|symbol| symbol.body != BodyDigest::default())
        .map(|symbol| (symbol.name.as_str(), symbol))
        .collect();
    let is_prototype = |symbol: &Symbol| {
        let definition = defined.get(symbol.name.as_str());
        symbol.kind == Kind::Function
            && symbol.body == BodyDigest::default()
            && definition
                .is_some_and(|definition| !definition.doc.is_empty() || symbol.doc.is_empty())
    };
    if !functions().any(is_prototype) {
        return Cow::Borrowed(outline);
    }
    let mut outline = outline.clone();
    let symbols = std::mem::take(&mut outline.symbols);
    outline.symbols = symbols
        .into_iter()
        .filter(|symbol| !is_prototype(symbol))
        .collect();
    Cow::Owned(outline)
}
