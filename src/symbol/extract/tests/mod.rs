//! Outlines of small real-looking files in every language, and what hostile files do.

mod formats;
mod hostile;
mod lines;
mod managed;
mod misread;
mod mistaken;
mod plain;
mod record;
mod scripts;
mod several;
mod systems;
mod told;
mod unsaid;

use crate::symbol::{Language, Outline, detect, extract, render};

/// The rendered outline of a file with this name and text.
fn outline_of(name: &str, text: &str) -> String {
    render(&extract(
        detect(name.as_bytes(), text.as_bytes()),
        text.as_bytes(),
    ))
}

/// Checks that each file's outline holds a text.
fn each_contains(cases: &[(&str, &str, &str)]) {
    for (name, text, expected) in cases {
        let outline = outline_of(name, text);
        assert!(outline.contains(expected), "{name}: {outline}");
    }
}

/// The outline of a text in a language.
fn extract_as(language: Language, text: &str) -> Outline {
    extract(Some(language), text.as_bytes())
}
