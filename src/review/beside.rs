//! What a neighbour of a file declares on both sides: it neither comes nor goes with that file.
//!
//! | file | beside it |
//! |---|---|
//! | a stub of Python, `x.pyi` | `x.py`, which it describes |
//! | a file of Go that is built for some platforms | the other files of its package |

use std::collections::{HashMap, HashSet};

use super::change::{Code, Content, File, Version};
use super::declaration::{Declaration, retain};
use super::go::{is_variant, package, plain_form};
use crate::base::TreePath;
use crate::symbol::Language;

/// A name, and for Go its package and the form of its signature: a stub has signatures of its own, files for platforms the same.
type Key = (String, String);

/// What files declare, each with the one file that does; `None` where several do.
#[derive(Debug, Default)]
pub struct DeclaredBeside(HashMap<Key, Option<TreePath>>);

impl DeclaredBeside {
    /// Adds what a file declares, on both sides where it has two.
    pub fn add(&mut self, path: &TreePath, code: &Code, other: Option<&Code>) {
        let other: Option<HashSet<Key>> = other.map(|code| keys(code).collect());
        for key in keys(code).filter(|key| other.as_ref().is_none_or(|other| other.contains(key))) {
            let file = self.0.entry(key).or_insert_with(|| Some(path.clone()));
            if file.as_ref() != Some(path) {
                *file = None;
            }
        }
    }

    /// Whether another file than that at a path declares it.
    fn has(&self, path: &TreePath, key: &Key) -> bool {
        self.0
            .get(key)
            .is_some_and(|file| file.as_ref() != Some(path))
    }
}

fn keys(code: &Code) -> impl Iterator<Item = Key> {
    let package = package(code);
    // A package of Go may have many of that name.
    let is_one = move |one: &&Declaration| package.is_none() || one.own != "init";
    code.declarations
        .iter()
        .filter(is_one)
        .map(move |one| key(package, one))
}

fn key(package: Option<&str>, one: &Declaration) -> Key {
    let form = package.map(|package| format!("{package} {}", plain_form(one)));
    (one.name.clone(), form.unwrap_or_default())
}

/// Leaves out what only one side of a file has and a file beside it declares. Of Go that are files for some platforms.
pub fn leave_out_declared_beside(file: &mut File, beside: &DeclaredBeside) {
    let [old, new] = [&file.old, &file.new].map(|side| names(side.as_ref()));
    for (side, other) in [(&mut file.new, &old), (&mut file.old, &new)] {
        let Some(Version { path, content, .. }) = side else {
            continue;
        };
        let Content::Code(code) = content else {
            continue;
        };
        if code.language == Some(Language::Go) && !is_variant(path, code) {
            continue;
        }
        let package = package(code).map(str::to_owned);
        // A member that only this file has stands alone where its type goes.
        retain(&mut code.declarations, |one, _| {
            other.contains(&one.name) || !beside.has(path, &key(package.as_deref(), one))
        });
    }
}

fn names(version: Option<&Version>) -> HashSet<String> {
    let code = version.and_then(Version::code);
    let all = code.into_iter().flat_map(|code| &code.declarations);
    all.map(|one| one.name.clone()).collect()
}

/// Whether a file is one that declares what others beside it do.
pub(super) fn repeats(file: &File, content: &Content) -> bool {
    // What it declares was left out, or taken for what others declare.
    let is_left_out = |code: &Code| is_variant(file.path(), code) || !code.declarations.is_empty();
    file.path().as_bytes().ends_with(b".pyi")
        || matches!(content, Content::Code(code) if is_left_out(code))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::compare;

    /// What is new or gone in a file whose neighbour is the same on both sides.
    fn news(path: &str, language: Language, beside: &str, sides: [&str; 2]) -> Vec<String> {
        let read = |text: &str| Version::of_text(path, language, text);
        let mut known = DeclaredBeside::default();
        let neighbour = read(beside);
        known.add(
            &"beside".into(),
            neighbour.code().expect("it was read"),
            None,
        );
        let side = |text: &str| (!text.is_empty()).then(|| read(text));
        let mut file = File {
            old: side(sides[0]),
            new: side(sides[1]),
        };
        leave_out_declared_beside(&mut file, &known);
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
        let more = "class A:\n    def f(self) -> int: ...\n    def more(self): ...\n";
        assert_eq!(news(["", more]), ["Added A.more"]);
        assert_eq!(news([stub, ""]), ["Removed h"]);
        let expected = ["Signature A.f", "Removed h", "Added i"];
        assert_eq!(news([stub, &other]), expected);
    }

    #[test]
    fn a_variant_for_a_platform_brings_what_the_others_do_not_have() {
        let beside = "package a\nfunc F(a int) {}\nfunc G() {}\nfunc init() {}\n";
        let variant = "//go:build linux\n\npackage a\nfunc F(b int) {}\nfunc G(a int) {}\nfunc H() {}\nfunc init() {}\n";
        let in_file = |path, sides| news(path, Language::Go, beside, sides);
        let added = ["Added G", "Added H", "Added init"];
        assert_eq!(in_file("a.go", ["", variant]), added);
        let removed = ["Removed G", "Removed H", "Removed init"];
        assert_eq!(in_file("a.go", [variant, ""]), removed);
        let plain = variant.replace("//go:build linux\n\n", "");
        assert_eq!(in_file("a_linux.go", ["", &plain]), added);
        let all = ["Added F", "Added G", "Added H", "Added init"];
        assert_eq!(in_file("a.go", ["", &plain]), all);
        let other = variant.replace("package a", "package b");
        assert_eq!(in_file("a.go", ["", &other]), all);
        let imports = |path: &str, text: &str| {
            let (first, rest) = text.split_once("package a\n").expect("a package");
            format!("{first}package a\nimport \"{path}\"\n{rest}")
        };
        let beside = imports("log/slog", "package a\nfunc L(l slog.Level) {}\n");
        let variant = "//go:build !go1.21\n\npackage a\nfunc L(l slog.Level) {}\n";
        let variant = imports("example.org/exp/slog", variant);
        assert!(news("a.go", Language::Go, &beside, ["", &variant]).is_empty());
        let late = "package a\n\n//go:build linux\nfunc F(a int) {}\n";
        assert_eq!(in_file("a.go", ["", late]), ["Added F"]);
    }
}
