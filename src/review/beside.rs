//! What a file beside a file declares all along: it neither comes nor goes with that file.
//!
//! | file | beside it |
//! |---|---|
//! | a stub of Python, `x.pyi` | `x.py`, which it describes |
//! | a file of Go that is built for some platforms | the other files of its package |

use std::collections::HashSet;

use super::change::{Code, Content, File, Version};
use super::declaration::{Declaration, retain};
use crate::symbol::Language;

/// What the files beside one declare: names, and for Go the forms of their signatures.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct DeclaredBeside(HashSet<(String, String)>);

impl DeclaredBeside {
    /// Adds what a file declares.
    pub fn add(&mut self, code: &Code) {
        self.0
            .extend(code.declarations.iter().map(|one| key(code.language, one)));
    }

    /// What both declare.
    #[must_use]
    pub fn common(self, other: &Self) -> Self {
        Self(
            self.0
                .into_iter()
                .filter(|key| other.0.contains(key))
                .collect(),
        )
    }

    /// Adds what others declare.
    pub fn extend(&mut self, other: Self) {
        self.0.extend(other.0);
    }

    fn has(&self, language: Option<Language>, one: &Declaration) -> bool {
        self.0.contains(&key(language, one))
    }
}

/// A stub has signatures of its own; variants for platforms have the same ones.
fn key(language: Option<Language>, one: &Declaration) -> (String, String) {
    let form = if language == Some(Language::Go) {
        one.form()
    } else {
        ""
    };
    (one.name.clone(), form.to_owned())
}

/// Leaves out what only one side of a file has and a file beside it has on the other side.
pub fn leave_out_declared_beside(file: &mut File, before: &DeclaredBeside, after: &DeclaredBeside) {
    let [old, new] = [&file.old, &file.new].map(|side| names(side.as_ref()));
    for (side, other, beside) in [(&mut file.new, &old, before), (&mut file.old, &new, after)] {
        if let Some(Content::Code(code)) = side.as_mut().map(|version| &mut version.content) {
            let language = code.language;
            retain(&mut code.declarations, |one| {
                other.contains(&one.name) || !beside.has(language, one)
            });
        }
    }
}

fn names(version: Option<&Version>) -> HashSet<String> {
    let code = version.and_then(Version::code);
    let all = code.map_or(&[][..], |code| &code.declarations);
    all.iter().map(|one| one.name.clone()).collect()
}

/// Whether a file of Go says for which platforms or tags it is built.
#[must_use]
pub fn is_variant(code: &Code) -> bool {
    let mut lines = code
        .text
        .lines()
        .take_while(|line| !line.starts_with("package "));
    code.language == Some(Language::Go)
        && lines.any(|line| line.starts_with("//go:build ") || line.starts_with("// +build "))
}

/// Whether a file is one that declares what others beside it do.
pub(super) fn repeats(file: &File, content: &Content) -> bool {
    file.path().as_bytes().ends_with(b".pyi")
        || matches!(content, Content::Code(code) if is_variant(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::compare;

    /// What is new or gone in a file whose neighbour is the same on both sides.
    fn news(path: &str, language: Language, beside: &str, sides: [&str; 2]) -> Vec<String> {
        let read = |text: &str| Version::of_text(path, language, text);
        let mut known = DeclaredBeside::default();
        known.add(read(beside).code().expect("it was read"));
        let side = |text: &str| (!text.is_empty()).then(|| read(text));
        let mut file = File {
            old: side(sides[0]),
            new: side(sides[1]),
        };
        leave_out_declared_beside(&mut file, &known, &known);
        let list = compare(vec![file]).list.into_iter();
        list.map(|one| format!("{:?} {}", one.how, one.declaration().name))
            .collect()
    }

    #[test]
    fn a_description_that_comes_or_goes_is_no_news() {
        let module = "class A:\n    def f(self): pass\ndef g(): pass\n";
        let stub = "class A:\n    def f(self) -> int: ...\ndef h() -> int: ...\n";
        let other = stub.replace("int", "str").replace("def h", "def i");
        let news = |sides| news("a.pyi", Language::Python, module, sides);
        assert_eq!(news(["", stub]), ["Added h"]);
        assert_eq!(news([stub, ""]), ["Removed h"]);
        let expected = ["Signature A.f", "Removed h", "Added i"];
        assert_eq!(news([stub, &other]), expected);
    }

    #[test]
    fn a_variant_for_a_platform_brings_what_the_others_do_not_have() {
        let beside = "package a\nfunc F(a int) {}\nfunc G() {}\n";
        let variant =
            "//go:build linux\n\npackage a\nfunc F(b int) {}\nfunc G(a int) {}\nfunc H() {}\n";
        let news = |sides| news("a_linux.go", Language::Go, beside, sides);
        assert_eq!(news(["", variant]), ["Added G", "Added H"]);
        assert_eq!(news([variant, ""]), ["Removed G", "Removed H"]);
        for (text, expected) in [
            (variant, true),
            (beside, false),
            ("package a\n\n//go:build linux\n", false),
        ] {
            let version = Version::of_text("a.go", Language::Go, text);
            assert_eq!(is_variant(version.code().expect("it was read")), expected);
        }
    }
}
