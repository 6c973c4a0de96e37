//! What part a file has in a repository, by its path.

use crate::symbol::map::{TEST_DIRECTORIES, is_test_stem, standing};

/// What part a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum FileRole {
    /// The program itself.
    Program,
    /// Examples, tools, what is generated or foreign.
    Aside,
    /// Tests and what they need.
    Test,
}

/// Names of directories that hold tests besides those that the map knows.
const DIRECTORIES: [&str; 2] = ["testscripts", "testutil"];
/// What the name of a test begins with.
const STARTS: [&str; 2] = ["test_", "conftest."];

/// How documents end, which may be about tests.
const DOCUMENTS: [&str; 5] = [".md", ".rst", ".txt", ".html", ".adoc"];

/// The part of a file with this path.
#[must_use]
pub fn role(path: &[u8]) -> FileRole {
    let text = String::from_utf8_lossy(path).to_lowercase();
    let (directories, name) = text.rsplit_once('/').unwrap_or(("", &text));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let folders: Vec<&str> = directories.split('/').collect();
    let is_test_directory = |at: usize| {
        let part = folders[at];
        // A package that helps others to test has sources of its own, as `tower-test/src`.
        let is_package = folders.get(at + 1) == Some(&"src");
        TEST_DIRECTORIES.contains(&part)
            || DIRECTORIES.contains(&part)
            || !is_package && (part.ends_with("-test") || part.ends_with("-tests"))
    };
    let is_test_name = || {
        // Go itself builds every other file into the package.
        if let Some(stem) = name.strip_suffix(".go") {
            return stem.ends_with("_test");
        }
        STARTS.iter().any(|start| name.starts_with(start)) || is_test_stem(stem) || stem == "test"
    };
    // Settings of a forge or an editor may be about tests.
    let is_setting = || directories.split('/').any(|part| part.starts_with('.'));
    let is_document = || DOCUMENTS.iter().any(|end| name.ends_with(end));
    // Below a package these names say nothing: `django/contrib`, `tower-test/src`.
    let own = [
        ("/contrib/", "/"),
        ("-test/src/", "/src/"),
        ("-tests/src/", "/src/"),
    ]
    .iter()
    .fold(text.clone(), |text, (part, plain)| {
        text.replace(part, plain)
    });
    let own = match name.strip_suffix(".go") {
        Some(_) => own.replace("/test_", "/"),
        None => own,
    };
    if (0..folders.len()).any(is_test_directory)
        || !is_document() && !is_setting() && is_test_name()
    {
        FileRole::Test
    } else if standing(own.as_bytes()) < 0.1 {
        FileRole::Aside
    } else {
        FileRole::Program
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tests_are_told_from_what_is_about_them() {
        for (path, expected) in [
            ("src/app.py", FileRole::Program),
            ("src/testing.py", FileRole::Program),
            ("tests/data/a.json", FileRole::Test),
            ("pkg/a_test.go", FileRole::Test),
            ("pkg/test_helpers.go", FileRole::Program),
            ("web/a.spec.ts", FileRole::Test),
            ("conftest.py", FileRole::Test),
            ("docs/tutorial/tests.rst", FileRole::Aside),
            (".github/workflows/tests.yaml", FileRole::Aside),
            ("examples/a.py", FileRole::Aside),
            ("contrib/a.py", FileRole::Aside),
            ("tower-test/src/mock/mod.rs", FileRole::Program),
            ("tower-test/tests/mock.rs", FileRole::Test),
            ("smoke-tests/a.rs", FileRole::Test),
            ("django/contrib/auth/models.py", FileRole::Program),
        ] {
            assert_eq!(role(path.as_bytes()), expected, "{path}");
        }
    }
}
