//! Implementations of Rust that a macro writes: what is no longer written out may still be there.

use std::collections::HashSet;

use super::change::Code;
use super::declaration::Declaration;
use crate::symbol::{Kind, Language};

/// The words of each line of Rust that calls a macro with names alone, as `fmt_impl!(Debug, Bytes);` does.
pub(super) fn macros_of(code: &Code) -> Vec<HashSet<&str>> {
    let is_call = |line: &&str| {
        let name = line.split('!').next().unwrap_or_default();
        !name.is_empty()
            && name.chars().all(|c| c.is_alphanumeric() || c == '_')
            && line[name.len()..].starts_with(['!'])
            && !line.contains(['"', '/'])
    };
    let is_part = |c: char| !c.is_alphanumeric() && c != '_';
    let lines = code.text.lines().map(str::trim).filter(is_call);
    let is_rust = code.language == Some(Language::Rust);
    lines
        .filter(|_| is_rust)
        .map(|line| line.split(is_part).collect())
        .collect()
}

/// Whether a macro names trait and type of an implementation: it writes that.
pub(super) fn is_written_by_macro(one: &Declaration, macros: &[HashSet<&str>]) -> bool {
    let target = one.name.rsplit_once("::").unwrap_or_default().0;
    one.kind == Kind::Implementation
        && macros
            .iter()
            .any(|words| words.contains(one.own.as_str()) && words.contains(target))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::Version;

    #[test]
    fn a_call_of_names_alone_writes_an_implementation() {
        let version = Version::of_text("a.rs", Language::Rust, "impl fmt::Debug for Bytes {}\n");
        let code = version.code().expect("it was read");
        let one = code.declarations.first().expect("it declares one");
        for (text, expected) in [
            ("fmt_impl!(Debug, Bytes);\n", true),
            ("    fmt_impl! { Bytes: Debug }\n", true),
            ("fmt_impl!(Debug, BytesMut);\n", false),
            ("fn f() { fmt_impl!(Debug, Bytes) }\n", false),
            ("panic!(\"no Debug for Bytes\");\n", false),
            ("// fmt_impl!(Debug, Bytes)\n", false),
        ] {
            let other = Version::of_text("a.rs", Language::Rust, text);
            let macros = macros_of(other.code().expect("it was read"));
            assert_eq!(is_written_by_macro(one, &macros), expected, "{text}");
        }
    }
}
