//! What part a file has in a repository, by its path.

use serde::Serialize;

use crate::symbol::map::{is_test, standing};

/// What part a file has.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum FileRole {
    /// The program itself.
    Program,
    /// Examples, tools, what is generated or foreign.
    Aside,
    /// Tests and what they need.
    Test,
}

/// The part of a file with this path.
#[must_use]
pub fn role(path: &[u8]) -> FileRole {
    let text = String::from_utf8_lossy(path).to_lowercase();
    let (_, name) = text.rsplit_once('/').unwrap_or(("", &text));
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
    if is_test(path) {
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
            ("Source/Bogus.Tests/GitHubIssues/Issue1.cs", FileRole::Test),
            ("django/contrib/auth/models.py", FileRole::Program),
        ] {
            assert_eq!(role(path.as_bytes()), expected, "{path}");
        }
    }
}
