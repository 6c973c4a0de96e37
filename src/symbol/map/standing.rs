//! What a file counts by its path alone: the program itself before tests, examples, what is generated, and notices.

use super::test_path::{TEST_DIRECTORIES, is_test_stem};
use crate::symbol::language::{Language, detect};

/// What a file counts that is not the program itself.
const ASIDE: f64 = 0.05;
/// What a document or a file of data counts.
const DOCUMENT: f64 = 0.1;
/// All that a file can count by its path.
pub(super) const STANDINGS: [f64; 3] = [1.0, DOCUMENT, ASIDE];
/// Names of other directories whose files are not the program itself.
const ASIDE_DIRECTORIES: [&str; 33] = [
    "example",
    "examples",
    "sample",
    "samples",
    "demo",
    "demos",
    "doc",
    "docs",
    "documentation",
    "bench",
    "benches",
    "benchmark",
    "benchmarks",
    "vendor",
    "vendored",
    "third_party",
    "third-party",
    "thirdparty",
    "deps",
    "node_modules",
    "generated",
    "gen",
    "dist",
    "script",
    "scripts",
    "tool",
    "tools",
    "ci",
    "contrib",
    "extras",
    "tutorial",
    "tutorials",
    "locale",
];

/// Files about the project and not of it: licences, logs of changes, people.
const NOTICES: [&str; 17] = [
    "licence",
    "licences",
    "license",
    "licenses",
    "unlicense",
    "copying",
    "copyright",
    "change",
    "changes",
    "changelog",
    "history",
    "news",
    "releases",
    "authors",
    "contributors",
    "thanks",
    "notice",
];

/// What a file counts, by its path alone: 1 for the program itself, less for what stands around it.
#[must_use]
pub fn standing(path: &[u8]) -> f64 {
    let path = String::from_utf8_lossy(path).to_lowercase();
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_aside = |part: &str| {
        part.starts_with('.')
            || TEST_DIRECTORIES.contains(&part)
            || ASIDE_DIRECTORIES.contains(&part)
            || is_test_stem(part)
            || part.starts_with("test-")
            || part.starts_with("test_")
    };
    if directories.split('/').any(is_aside) || is_aside_name(name) {
        return ASIDE;
    }
    if is_document(name) { DOCUMENT } else { 1.0 }
}

/// Whether a file is a notice or a list of versions: it has words of everything, and tells of nothing that the program does.
/// Source code is none, whatever its name.
#[must_use]
pub fn is_notice(name: &[u8]) -> bool {
    const LOCKS: [&[u8]; 4] = [b".lock", b"-lock.json", b"-lock.yaml", b".sum"];
    let word = name.split(|byte| b".-_".contains(byte)).next();
    let is_word =
        |notice: &&str| word.is_some_and(|word| word.eq_ignore_ascii_case(notice.as_bytes()));
    let is_source = || detect(name, b"").is_some_and(Language::has_grammar);
    ends_in_one_of(name, &LOCKS) || NOTICES.iter().any(is_word) && !is_source()
}

/// Whether a file is a document by its name: text for people, and neither settings nor a page of a program.
#[must_use]
pub fn is_prose(name: &[u8]) -> bool {
    const ENDS: [&[u8]; 8] = [
        b".md",
        b".markdown",
        b".rst",
        b".adoc",
        b".asciidoc",
        b".org",
        b".pod",
        b".txt",
    ];
    let is_list = || {
        name == b"CMakeLists.txt"
            || name.starts_with(b"requirements") && ends_in_one_of(name, &[b".txt"])
    };
    ends_in_one_of(name, &ENDS) && !is_list()
}

/// Whether a name ends in one of these, in letters of any case. Nothing is copied: `find` calls it for every file.
fn ends_in_one_of(name: &[u8], ends: &[&[u8]]) -> bool {
    let has_end = |end: &&[u8]| {
        let tail = name.len().checked_sub(end.len()).map(|from| &name[from..]);
        tail.is_some_and(|tail| tail.eq_ignore_ascii_case(end))
    };
    ends.iter().any(has_end)
}

/// Names of tests, of what is generated, of dotfiles, licences and changes.
fn is_aside_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let starts = [".", "test_", "conftest."];
    let ends = [".min", "_pb2", ".pb", ".gen", ".generated", "_generated"];
    let whole = [".d.ts.map", ".api", ".snap", ".bak"];
    starts.iter().any(|start| name.starts_with(start))
        || ends
            .iter()
            .any(|end| stem.len() > end.len() && stem.ends_with(end))
        || whole.iter().any(|end| name.ends_with(end))
        || is_test_stem(stem)
        || is_notice(name.as_bytes())
}

fn is_document(name: &str) -> bool {
    const ENDS: [&str; 24] = [
        "md",
        "rst",
        "html",
        "htm",
        "txt",
        "adoc",
        "json",
        "yml",
        "yaml",
        "toml",
        "xml",
        "css",
        "scss",
        "ipynb",
        "svg",
        "csv",
        "po",
        "cfg",
        "ini",
        "properties",
        "1",
        "texi",
        "org",
        "tex",
    ];
    name.rsplit_once('.')
        .is_none_or(|(_, end)| ENDS.contains(&end))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn documents_are_told_by_their_names() {
        for name in ["README.md", "a.RST", "notes.txt", "b.adoc"] {
            assert!(is_prose(name.as_bytes()), "{name}");
        }
        for name in [
            "CMakeLists.txt",
            "requirements-dev.txt",
            "md",
            "a.mdx",
            "a.toml",
            "main.rs",
        ] {
            assert!(!is_prose(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn what_is_not_the_program_stands_behind() {
        for (path, expected) in [
            ("src/lib.rs", 1.0),
            ("lib/contest.py", 1.0),
            ("src/attest.go", 1.0),
            ("src/latest.rs", 1.0),
            ("src/protests/a.rs", 1.0),
            ("src/review/change.rs", 1.0),
            ("src/symbol/licence.rs", 1.0),
            ("lib/history.js", 1.0),
            ("src/unittest.c", ASIDE),
            ("CHANGELOG.md", ASIDE),
            ("ChangeLog-2.0", ASIDE),
            ("COPYING.LESSER", ASIDE),
            ("HISTORY", ASIDE),
            ("pnpm-lock.yaml", ASIDE),
            ("src/attestation/mod.rs", 1.0),
            ("tests/it/main.rs", ASIDE),
            ("okhttp/src/jvmTest/kotlin/A.kt", ASIDE),
            ("pkg/a_test.go", ASIDE),
            ("web/a.spec.ts", ASIDE),
            ("vendor/a/b.go", ASIDE),
            (".github/workflows/ci.yml", ASIDE),
            ("LICENSE-MIT", ASIDE),
            ("README.md", DOCUMENT),
            ("Makefile", DOCUMENT),
            ("src/app.py", 1.0),
        ] {
            assert!(
                (standing(path.as_bytes()) - expected).abs() < 1e-9,
                "{path}"
            );
        }
    }
}
