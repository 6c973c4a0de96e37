//! Types whose members stand in another order, where that matters to those who use them.
//!
//! | language | types | members |
//! |---|---|---|
//! | Python | `NamedTuple`, data classes, `attrs`, `Enum` | fields |
//! | Go, C, C++ | structs, unions, classes of C++ | fields |
//! | C# | structs, and classes with a `StructLayout` | fields |
//! | Rust | structs with a `repr`, or whose order is derived | fields |
//! | all but PHP | enumerations | values |
//!
//! Where each value of an enumeration says its number, their order means nothing, but in Python and Java, which go through them in
//! that order.

use super::body::InText;
use super::declaration::Declaration;
use super::lines::differing;
use super::signature::find_word;
use crate::symbol::{Kind, Language};

/// Bases of classes of Python whose fields are read in their order; so are those of what ends in `Enum`.
const PYTHON_BASES: [&str; 4] = ["NamedTuple", "Flag", "IntFlag", "Struct"];
/// Decorators that make a constructor of the fields.
const PYTHON_DECORATORS: [&str; 6] = ["dataclass", "attrs", "attr", "define", "frozen", "mutable"];

/// How many members stand elsewhere among those that both versions have; none where their order means nothing.
pub(super) fn reordered(old: InText<'_>, new: InText<'_>) -> usize {
    if !is_ordered(old) || !is_ordered(new) {
        return 0;
    }
    let [before, after] = [members(old), members(new)];
    let common = |list: &[&Declaration], others: &[&Declaration]| -> Vec<String> {
        let is_known = |one: &&&Declaration| others.iter().any(|other| other.own == one.own);
        let known = list.iter().filter(is_known);
        known.map(|one| one.own.clone()).collect()
    };
    let (old_names, new_names) = (common(&before, &after), common(&after, &before));
    if old_names == new_names {
        return 0;
    }
    let has_number = |one: &&Declaration| one.signature.contains(" = ") || !one.value.is_empty();
    let counts_order = matches!(old.code.language, Some(Language::Python | Language::Java));
    let is_numbered = |list: &[&Declaration]| {
        list.iter().all(|one| one.kind == Kind::Variant) && list.iter().all(has_number)
    };
    if !counts_order && is_numbered(&before) && is_numbered(&after) {
        return 0;
    }
    let [old_names, new_names] =
        [&old_names, &new_names].map(|names| names.iter().map(String::as_str).collect::<Vec<_>>());
    // Of very long lists it is not counted how many differ.
    (differing(&old_names, &new_names) / 2).max(1)
}

/// The members of a type that are no functions, in the order of the text.
fn members(owner: InText<'_>) -> Vec<&Declaration> {
    let is_value = |one: &&Declaration| {
        matches!(
            one.kind,
            Kind::Field | Kind::Variant | Kind::Variable | Kind::Constant
        )
    };
    let all = owner.code.declarations.iter();
    let within = all.filter(|one| one.owner == Some(owner.number));
    let is_of_object = |one: &&Declaration| find_word(&one.signature, "static").is_none();
    within.filter(is_value).filter(is_of_object).collect()
}

/// Whether the order of its members is a part of what a type is.
fn is_ordered(side: InText<'_>) -> bool {
    let one = side.one();
    let Some(language) = side.code.language else {
        return false;
    };
    let is_struct = matches!(one.kind, Kind::Struct | Kind::Type);
    let has_attribute = |names: &[&str]| {
        let all = one.attributes.iter();
        all.clone()
            .any(|text| names.iter().any(|name| find_word(text, name).is_some()))
    };
    match (language, one.kind) {
        (Language::Php, _) => false,
        (_, Kind::Enum) => true,
        (Language::Python, Kind::Class) => {
            let bases = one.signature.split_once('(').map_or("", |(_, bases)| bases);
            let mut words = bases.split(|c: char| !c.is_alphanumeric() && c != '_');
            let is_by_name = has_attribute(&["kw_only"]);
            words.any(|word| PYTHON_BASES.contains(&word) || word.ends_with("Enum"))
                || has_attribute(&PYTHON_DECORATORS) && !is_by_name
        }
        (Language::Go | Language::C, _) => is_struct,
        (Language::Cpp, _) => is_struct || one.kind == Kind::Class,
        (Language::CSharp, _) => one.kind == Kind::Struct || has_attribute(&["StructLayout"]),
        (Language::Rust, _) => is_struct && has_attribute(&["repr", "PartialOrd"]),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::review::{File, Version, compare};

    /// What changes when two texts, which stand for `1` and `2`, change places.
    fn news(language: Language, text: &str, members: [&str; 2]) -> Vec<String> {
        let side = |one: &str, two: &str| {
            let text = text.replace("$1", one).replace("$2", two);
            Some(Version::of_text("a", language, &text))
        };
        let file = File {
            old: side(members[0], members[1]),
            new: side(members[1], members[0]),
        };
        let list = compare(vec![file]).list.into_iter();
        list.map(|one| format!("{:?} {} {}", one.how, one.declaration().name, one.lines))
            .collect()
    }

    #[test]
    fn members_in_another_order_are_told_where_it_matters() {
        for (language, text, members) in [
            (
                Language::Python,
                "class A(NamedTuple):\n    $1\n    $2\n",
                ["x: int", "y: int"],
            ),
            (
                Language::Python,
                "@dataclass\nclass A:\n    $1\n    $2\n",
                ["x: int", "y: int"],
            ),
            (
                Language::Python,
                "class A(Enum):\n    $1\n    $2\n",
                ["X = 1", "Y = 2"],
            ),
            (
                Language::Go,
                "package a\ntype A struct {\n\t$1\n\t$2\n}\n",
                ["X int", "Y int"],
            ),
            (
                Language::C,
                "struct A {\n  $1\n  $2\n};\n",
                ["int x;", "int y;"],
            ),
            (
                Language::C,
                "union A {\n  $1\n  $2\n};\n",
                ["int x;", "long y;"],
            ),
            (
                Language::C,
                "typedef struct {\n  $1\n  $2\n} A;\n",
                ["int x;", "int y;"],
            ),
            (Language::C, "enum A { $1, $2 };\n", ["X", "Y"]),
            (
                Language::Cpp,
                "struct A {\n  $1\n  $2\n};\n",
                ["int x;", "int y;"],
            ),
            (Language::CSharp, "public enum A { $1, $2 }\n", ["X", "Y"]),
            (Language::Java, "public enum A { $1, $2 }\n", ["X", "Y"]),
            (
                Language::TypeScript,
                "export enum A { $1, $2 }\n",
                ["X", "Y"],
            ),
            (Language::Rust, "pub enum A { $1, $2 }\n", ["X", "Y(u8)"]),
            (
                Language::Rust,
                "#[repr(C)]\npub struct A {\n    $1,\n    $2,\n}\n",
                ["x: u8", "y: u8"],
            ),
            (
                Language::Rust,
                "#[derive(PartialEq, PartialOrd)]\npub struct A {\n    $1,\n    $2,\n}\n",
                ["x: u8", "y: u8"],
            ),
        ] {
            assert_eq!(news(language, text, members), ["Order A 1"], "{text}");
        }
    }

    #[test]
    fn another_order_that_means_nothing_is_no_news() {
        for (language, text, members) in [
            (
                Language::Python,
                "class A:\n    $1\n    $2\n",
                ["x = 1", "y = 2"],
            ),
            (
                Language::Python,
                "@dataclass\nclass A:\n    $1\n    $2\n",
                ["def x(self): pass", "def y(self): pass"],
            ),
            (
                Language::Rust,
                "pub struct A {\n    $1,\n    $2,\n}\n",
                ["x: u8", "y: u8"],
            ),
            (Language::C, "enum A { $1, $2 };\n", ["X = 1", "Y = 2"]),
            (Language::Java, "class A { $1 $2 }\n", ["int x;", "int y;"]),
            (
                Language::Go,
                "package a\n$1\n$2\n",
                ["const A = 1", "const B = 2"],
            ),
        ] {
            assert!(news(language, text, members).is_empty(), "{text}");
        }
    }
}
