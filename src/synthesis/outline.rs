//! What the built-in outline builder says about a file.

use std::borrow::Cow;

use crate::base::limit::FILE_BYTES_MAX;
use crate::secret::{Allowed, Scanner, redact, redact_name};
use crate::symbol::{self, Language, Outline};

/// The body for a file that is too large to be read: nothing but its size.
#[must_use]
pub fn too_large(size_bytes: u64) -> String {
    format!("A file of {size_bytes} bytes, over the limit of {FILE_BYTES_MAX}: not read.\n")
}

/// The outline of a file's content under a name, with markers in the place of what looks like a secret.
///
/// The built-in rules alone decide, and nothing that a user has allowed: the same file says the same everywhere.
#[must_use]
pub fn outline(name: &[u8], data: &[u8]) -> Outline {
    outline_in(language(name, data), data)
}

/// True when a text is what is said of a file's content, under its name or under one of another language.
///
/// Of two names of one content the first that is met decides on the language, and a name need not be known.
#[must_use]
pub fn is_outline_of(name: &[u8], data: &[u8], text: &str) -> bool {
    let says = |language| symbol::render(&outline_in(language, data)) == text;
    says(language(name, data))
        || says(None)
        || Language::ALL.iter().any(|language| says(Some(*language)))
}

fn outline_in(language: Option<Language>, data: &[u8]) -> Outline {
    symbol::extract(language, &shown(data))
}

/// A content with markers in the place of what looks like a secret, by the same rules.
#[must_use]
pub fn shown(data: &[u8]) -> Cow<'_, [u8]> {
    let Ok(text) = std::str::from_utf8(data) else {
        return Cow::Borrowed(data);
    };
    match redact(text, Scanner::built_in(), &Allowed::default()).text {
        Cow::Borrowed(text) => Cow::Borrowed(text.as_bytes()),
        Cow::Owned(text) => Cow::Owned(text.into_bytes()),
    }
}

/// A name as text, with a marker in the place of what looks like a secret, by the same rules.
#[must_use]
pub fn shown_name(name: &[u8]) -> Cow<'_, str> {
    match redact_name(name, Scanner::built_in(), &Allowed::default()) {
        Cow::Borrowed(name) => String::from_utf8_lossy(name),
        Cow::Owned(name) => Cow::Owned(String::from_utf8_lossy(&name).into_owned()),
    }
}

/// A path with markers in the places of what looks like secrets, by the same rules.
#[must_use]
pub fn shown_path(path: &[u8]) -> Vec<u8> {
    redact_name(path, Scanner::built_in(), &Allowed::default()).into_owned()
}

/// The language of a file by its name and, where that is not enough, its first bytes.
#[must_use]
pub fn language(name: &[u8], data: &[u8]) -> Option<Language> {
    symbol::detect(name, data)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn secrets_do_not_reach_an_outline() {
        let token = ["ghp_", "0aK9dQ2mZ7xW4cV1bN8rT5yU3iO6pL0sH2jF"].concat();
        let source = format!(
            "//! Asks with {token}.\n\n/// The {token}.\npub const TOKEN: &str = \"{token}\";\n"
        );
        let said = symbol::render(&outline(b"a.rs", source.as_bytes()));
        assert!(
            !said.contains("0aK9dQ2m") && said.contains("Asks with [redacted: github-token]."),
            "{said}"
        );
    }
}
