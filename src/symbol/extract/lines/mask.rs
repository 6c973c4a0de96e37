//! A text without its comments and strings, byte for byte: what is left is code, and stands where it stood.

use crate::symbol::comment::Marks;
use crate::symbol::scan::{Part, parts};

/// Stands for a byte of a comment.
pub(super) const COMMENT: u8 = b' ';
/// Stands for a byte of a string, quotes included.
pub(super) const QUOTED: u8 = b'"';

/// Masks comments and strings; line feeds stay.
pub(super) fn mask(text: &str, marks: &Marks) -> Vec<u8> {
    let mut out = text.as_bytes().to_vec();
    for (range, part) in parts(text, marks) {
        let with = match part {
            Part::Code => continue,
            Part::Comment => COMMENT,
            Part::Quoted | Part::Text => QUOTED,
        };
        let bytes = out[range].iter_mut();
        for byte in bytes.filter(|byte| **byte != b'\n') {
            *byte = with;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::symbol::Language;

    #[test]
    fn code_stays_where_it_stood() {
        for (language, text, expected) in [
            (
                Language::Kotlin,
                "a \"b // c\" d // e\nf",
                "a \"\"\"\"\"\"\"\" d     \nf",
            ),
            (Language::Kotlin, "/* a\nb */ c", "    \n     c"),
            (Language::Lua, "x = 1 -- é", "x = 1      "),
            (
                Language::Elixir,
                "@doc \"\"\"\na\n\"\"\"\nb",
                "@doc \"\"\"\n\"\n\"\"\"\nb",
            ),
            (Language::Kotlin, "it's \"open\nx", "it's \"open\nx"),
        ] {
            let marks = language.marks().expect("code");
            assert_eq!(
                String::from_utf8(mask(text, &marks)).expect("ASCII"),
                expected,
                "{text}"
            );
        }
    }
}
