//! What a file imports, read from the words of its outline into paths and names, by the syntax of its language.

use crate::base::number::{IndexVec, define_index_type};
use crate::symbol::language::Language;
use crate::symbol::outline::{Kind, Outline, Symbol};

/// Most imports of one file, after lists were taken apart.
const IMPORTS_MAX: usize = 400;

define_index_type! {
    /// The number of an import among those of its file.
    pub struct ImportNumber = u32;
}

/// One thing that a file imports.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Default)]
pub struct Import {
    /// The path as its language writes it: `crate::a::B`, `.pkg.mod`, `./x`, `<a/b.h>`.
    pub path: String,
    /// Names that are taken from there, where the path does not end in one.
    pub names: Vec<String>,
    /// True when the file passes on what it imports.
    pub is_passed_on: bool,
}

/// Reads the imports of an outline, each once, in the order of the file.
pub(super) fn imports(outline: &Outline, language: Language) -> IndexVec<ImportNumber, Import> {
    let mut found = Vec::new();
    for text in &outline.imports {
        read(&mut found, text, language, false);
    }
    passed_on(&mut found, &outline.symbols, language);
    let mut kept = IndexVec::new();
    for import in found {
        if kept.len() < IMPORTS_MAX && !import.path.is_empty() && !kept.contains(&import) {
            kept.push(import);
        }
    }
    kept
}

/// Modules that stand in files of their own, and names that are passed on.
fn passed_on(found: &mut Vec<Import>, symbols: &[Symbol], language: Language) {
    for symbol in symbols {
        match symbol.kind {
            Kind::Module if language == Language::Rust && symbol.children.is_empty() => {
                found.push(Import {
                    path: format!("self::{}", symbol.name),
                    ..Import::default()
                });
            }
            Kind::Export if language == Language::Rust => read(found, &symbol.name, language, true),
            Kind::Export if is_script(language) => read(found, &symbol.signature, language, true),
            _ => {}
        }
    }
}

fn is_script(language: Language) -> bool {
    matches!(
        language,
        Language::JavaScript | Language::TypeScript | Language::Tsx
    )
}

fn read(found: &mut Vec<Import>, text: &str, language: Language, is_passed_on: bool) {
    let text = text.trim().trim_end_matches(';').trim();
    match language {
        Language::Rust => groups(found, text, "::", is_passed_on),
        Language::Python => python(found, text),
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            script(found, text, is_passed_on);
        }
        Language::Go => found.push(plain(text.rsplit(' ').next().unwrap_or_default())),
        Language::CSharp => found.push(plain(text.rsplit("= ").next().unwrap_or_default())),
        Language::Php if text.contains(['\'', '"']) => found.extend(quoted(text).map(plain)),
        Language::Php => {
            let text = text
                .trim_start_matches("function ")
                .trim_start_matches("const ");
            groups(found, text.trim_start_matches('\\'), "\\", false);
        }
        Language::Ruby | Language::Bash => found.push(plain(quoted(text).unwrap_or(text))),
        _ => found.push(plain(text)),
    }
}

fn plain(path: &str) -> Import {
    Import {
        path: path.trim().to_owned(),
        ..Import::default()
    }
}

/// The text in the last pair of quotes.
fn quoted(text: &str) -> Option<&str> {
    let end = text.rfind(['"', '\''])?;
    let mark = &text[end..=end];
    let start = text[..end].rfind(mark)?;
    Some(&text[start + 1..end])
}

/// Takes `a::{b, c::{d, e as f}}` apart, with a stack of its own.
fn groups(found: &mut Vec<Import>, text: &str, separator: &str, is_passed_on: bool) {
    let mut heads: Vec<usize> = Vec::new();
    let mut path = String::new();
    for part in text.split_inclusive(['{', '}', ',']) {
        let (word, end) = part.split_at(part.trim_end_matches(['{', '}', ',']).len());
        path.push_str(word.trim().split(" as ").next().unwrap_or_default().trim());
        if end == "{" {
            heads.push(path.len());
            continue;
        }
        let head = heads.last().copied().unwrap_or(0);
        if path.len() > head && found.len() < IMPORTS_MAX {
            let full = path.trim_end_matches(&format!("{separator}self"));
            found.push(Import {
                path: full.to_owned(),
                names: Vec::new(),
                is_passed_on,
            });
        }
        if end == "}" {
            heads.pop();
        }
        path.truncate(heads.last().copied().unwrap_or(0));
    }
}

/// `a.b, c as d` and `from .a import b, c`; a package passes on what it imports.
fn python(found: &mut Vec<Import>, text: &str) {
    let first = |part: &str| {
        part.split(" as ")
            .next()
            .unwrap_or_default()
            .trim()
            .to_owned()
    };
    match text
        .strip_prefix("from ")
        .and_then(|rest| rest.split_once(" import "))
    {
        Some((path, names)) => {
            let names = names
                .trim_matches(['(', ')', ' '])
                .split(',')
                .map(first)
                .filter(|name| !name.is_empty());
            found.push(Import {
                path: path.trim().to_owned(),
                names: names.collect(),
                is_passed_on: true,
            });
        }
        None => found.extend(text.split(',').map(|part| plain(&first(part)))),
    }
}

/// `{a, b as c} from "./x"`, `x = require("./x")`, `"./x"`.
fn script(found: &mut Vec<Import>, text: &str, is_passed_on: bool) {
    let Some(path) = quoted(text) else { return };
    let names = text
        .split_once('{')
        .and_then(|(_, rest)| rest.split_once('}'))
        .map_or("", |(names, _)| names);
    let names = names
        .split(',')
        .map(|name| name.trim().trim_start_matches("type "));
    let names = names
        .map(|name| name.split([' ', ':']).next().unwrap_or_default().to_owned())
        .filter(|name| !name.is_empty());
    found.push(Import {
        path: path.to_owned(),
        names: names.collect(),
        is_passed_on,
    });
}

impl Import {
    /// What stands for an import that leads out of the repository: the package.
    #[must_use]
    pub fn package(&self, language: Language) -> &str {
        let path = self.path.as_str();
        match language {
            Language::Rust => path.split("::").next().unwrap_or_default(),
            Language::Python => path.split('.').next().unwrap_or_default(),
            Language::Java => path.rsplit_once('.').map_or(path, |(package, _)| package),
            Language::Php => path.split('\\').next().unwrap_or_default(),
            _ => path,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(text: &str, language: Language) -> Vec<String> {
        let mut found = Vec::new();
        read(&mut found, text, language, false);
        found
            .into_iter()
            .map(|import| {
                [import.path, import.names.join(" ")]
                    .join(" ")
                    .trim()
                    .to_owned()
            })
            .collect()
    }

    #[test]
    fn imports_are_read_as_each_language_writes_them() {
        for (language, text, expected) in [
            (
                Language::Rust,
                "crate::{a::B, c::{self, d as e}, f::*}",
                &["crate::a::B", "crate::c", "crate::c::d", "crate::f::*"][..],
            ),
            (Language::Rust, "std::fmt", &["std::fmt"]),
            (Language::Rust, "a::{{{", &[]),
            (
                Language::Python,
                "from .a.b import (c, d as e,)",
                &[".a.b c d"],
            ),
            (Language::Python, "os.path, json as j", &["os.path", "json"]),
            (
                Language::TypeScript,
                "{a, type B, c as d} from \"./x.js\"",
                &["./x.js a B c"],
            ),
            (Language::JavaScript, "x = require('../y')", &["../y"]),
            (Language::JavaScript, "\"side-effect\"", &["side-effect"]),
            (
                Language::Go,
                "alias example.com/m/pkg",
                &["example.com/m/pkg"],
            ),
            (Language::Java, "java.util.List", &["java.util.List"]),
            (Language::C, "\"a/b.h\"", &["\"a/b.h\""]),
            (Language::Cpp, "<vector>", &["<vector>"]),
            (Language::CSharp, "Text = System.Text", &["System.Text"]),
            (Language::Ruby, "a/b", &["a/b"]),
            (
                Language::Php,
                "App\\{A, B\\C as D}",
                &["App\\A", "App\\B\\C"],
            ),
            (Language::Php, "__DIR__ . '/x.php'", &["/x.php"]),
            (Language::Bash, "\"$here/lib.sh\"", &["$here/lib.sh"]),
        ] {
            assert_eq!(paths(text, language), expected, "{text}");
        }
    }
}
