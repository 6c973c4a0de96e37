//! Which parts of a text are code, comments and strings: by the marks of its language, without a grammar.
//!
//! What is taken for the wrong sort is still found; it weighs a little more or less.

use std::ops::Range;

use crate::symbol::{Language, Part, parts};

/// How many sorts of text there are.
pub const FIELDS: usize = 4;

/// A sort of text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Field {
    /// The name of a declaration.
    Name,
    /// A comment, documentation, the text of a document.
    Prose,
    /// A string.
    Quoted,
    /// Everything else: mostly identifiers.
    Code,
}

impl Field {
    /// All of them, in the order of their numbers.
    pub const ALL: [Self; FIELDS] = [Self::Name, Self::Prose, Self::Quoted, Self::Code];

    /// The word for people and JSON.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Name => "names",
            Self::Prose => "prose",
            Self::Quoted => "strings",
            Self::Code => "code",
        }
    }
}

/// The parts of a text, in order and without gaps. Text between three quotes documents where the language says so.
pub(super) fn regions(text: &str, language: Option<Language>) -> Vec<(Range<usize>, Field)> {
    let Some((language, marks)) = language.and_then(|of| Some((of, of.marks()?))) else {
        return vec![(0..text.len(), Field::Prose)];
    };
    let documents = matches!(
        language,
        Language::Python | Language::Julia | Language::Elixir
    );
    let field = |part| match part {
        Part::Comment => Field::Prose,
        Part::Text if documents => Field::Prose,
        Part::Quoted | Part::Text => Field::Quoted,
        Part::Code => Field::Code,
    };
    let parts = parts(text, &marks).into_iter();
    parts.map(|(range, part)| (range, field(part))).collect()
}
