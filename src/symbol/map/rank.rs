//! The rank of files and of the declarations in them: what a reader of a map wants to see first.
//!
//! | counts for a file | how |
//! |---|---|
//! | files that refer to it | each by its own standing: tests count a twentieth |
//! | files that it refers to | what puts others together is the way in |
//! | its public declarations | what offers much is used often |
//! | its standing | tests, examples, tools, what is generated or foreign, dotfiles and licences come last |
//!
//! The weight is the standing times the root of the product of the three. In a file the declarations come by the number of
//! files that refer to them, by what they are, and in the order of the text. Only products, quotients and square roots are
//! used, so that every machine has the same order.

use std::cmp::Reverse;

use super::entries::{Entries, EntryNumber, Mark, Modifiers};
use super::file::{FileNumber, MapFiles};
use super::kept::{FileReferences, References};
use crate::base::number::{IndexVec, to_f64};

/// What a file counts that is not the program itself.
const ASIDE: f64 = 0.05;
/// What a document or a file of data counts.
const DOCUMENT: f64 = 0.1;
/// All that a file can count by its path.
pub(super) const STANDINGS: [f64; 3] = [1.0, DOCUMENT, ASIDE];
/// What a declaration counts that no other file may use.
const PRIVATE: f64 = 0.3;
/// What a member counts against what it stands in.
const MEMBER: f64 = 0.6;

/// Names of directories that hold tests and what they need.
pub const TEST_DIRECTORIES: [&str; 12] = [
    "test",
    "tests",
    "testing",
    "testdata",
    "__tests__",
    "__mocks__",
    "spec",
    "specs",
    "fixture",
    "fixtures",
    "e2e",
    "mocks",
];

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

/// The order of files in a map: it follows from the files alone, whatever is shown of them.
#[derive(Debug, Default)]
pub struct MapOrder {
    /// What each file counts by its path.
    pub(super) standing: IndexVec<FileNumber, f64>,
    /// The numbers of files, those that matter most first.
    pub(super) ranked: Vec<FileNumber>,
    /// Which files declare something.
    pub(super) declares: IndexVec<FileNumber, bool>,
}

impl MapOrder {
    /// Ranks files; among equals they stay in their order.
    #[must_use]
    pub fn of(files: &MapFiles<'_>, references: &References) -> Self {
        let standing: IndexVec<_, f64> = files.iter().map(|file| standing(file.path)).collect();
        let mut referring: IndexVec<FileNumber, f64> = vec![0.0; standing.len()].into();
        let (mut declares, mut offers) = (IndexVec::new(), Vec::new());
        for (file, own) in references.looks().zip(&standing) {
            for target in &file.files {
                referring[*target] += own;
            }
            declares.push(!file.counts.is_empty());
            offers.push((to_f64(file.files.len() as u64), f64::from(file.public)));
        }
        let weights = standing.iter().zip(&referring).zip(&offers);
        let weights: IndexVec<FileNumber, f64> = weights
            .map(|((own, referring), (refers, public))| {
                own * ((1.0 + referring) * (1.0 + refers) * (1.0 + public)).sqrt()
            })
            .collect();
        let mut ranked: Vec<FileNumber> = standing.indices().collect();
        ranked.sort_by(|one, other| weights[*other].total_cmp(&weights[*one]));
        Self {
            standing,
            ranked,
            declares,
        }
    }
}

/// What a file counts, by its path alone: 1 for the program itself, less for what stands around it.
#[must_use]
pub fn standing(path: &[u8]) -> f64 {
    let path = String::from_utf8_lossy(path).to_lowercase();
    let (directories, name) = path.rsplit_once('/').unwrap_or(("", &path));
    let is_aside = |part: &str| {
        part.starts_with('.')
            || TEST_DIRECTORIES.contains(&part)
            || ASIDE_DIRECTORIES.contains(&part)
            || part.ends_with("test")
            || part.ends_with("tests")
            || part.starts_with("test-")
            || part.starts_with("test_")
            || part.ends_with("-test")
    };
    if directories.split('/').any(is_aside) || is_aside_name(name) {
        return ASIDE;
    }
    if is_document(name) { DOCUMENT } else { 1.0 }
}

/// Names of tests, of what is generated, of dotfiles, licences and changes.
fn is_aside_name(name: &str) -> bool {
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let starts = [
        ".",
        "test_",
        "licen",
        "copying",
        "change",
        "conftest",
        "unlicense",
    ];
    let ends = [
        "_test",
        ".test",
        ".spec",
        "_spec",
        "-test",
        "test",
        "tests",
        ".min",
        "_pb2",
        ".pb",
        ".gen",
        ".generated",
        "_generated",
    ];
    let whole = [
        ".lock",
        "-lock.json",
        ".sum",
        ".d.ts.map",
        ".api",
        ".snap",
        ".bak",
    ];
    starts.iter().any(|start| name.starts_with(start))
        || ends
            .iter()
            .any(|end| stem.len() > end.len() && stem.ends_with(end))
        || whole.iter().any(|end| name.ends_with(end))
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

/// The numbers of the declarations of a file, those that matter most first.
pub(super) fn by_use(entries: &Entries, references: &FileReferences) -> Vec<EntryNumber> {
    let weight = |(number, form): (EntryNumber, &Modifiers)| {
        let kind = match form.mark {
            Mark::Class => 3.0,
            Mark::Function => 2.0,
            Mark::Heading | Mark::Method => 1.5,
            Mark::Variable => 1.0,
            Mark::Property => 0.5,
        };
        let uses = f64::from(references.counts.get(number).copied().unwrap_or(0));
        let public = if form.is_public { 1.0 } else { PRIVATE };
        let depth = (0..form.depth).fold(1.0, |weight, _| weight * MEMBER);
        kind * public * depth * (1.0 + uses).sqrt()
    };
    let numbers = entries.numbers().zip(entries.forms());
    // Numbers that are not negative are in the order of their bits.
    let order = numbers.map(|one| (Reverse(weight(one).to_bits()), one.0));
    let mut order: Vec<(Reverse<u64>, EntryNumber)> = order.collect();
    order.sort_unstable();
    order.into_iter().map(|(_, number)| number).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_not_the_program_stands_behind() {
        for (path, expected) in [
            ("src/lib.rs", 1.0),
            ("lib/contest.py", ASIDE),
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
