//! Which files are tests, or what tests need, by their path alone.

/// Names of directories that hold tests and what they need.
pub(super) const TEST_DIRECTORIES: [&str; 12] = [
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

/// Names of directories that hold tests, too; `map` does not put them last.
const DIRECTORIES: [&str; 2] = ["testscripts", "testutil"];
/// One of these is in the path of each.
const PARTS: [&str; 5] = ["test", "spec", "mock", "fixture", "e2e"];
/// What the name of a test begins with.
const STARTS: [&str; 2] = ["test_", "conftest."];

/// How documents end, which may be about tests.
const DOCUMENTS: [&str; 5] = [".md", ".rst", ".txt", ".html", ".adoc"];

/// Words that end like `test` and name none.
const NO_TESTS: [&str; 10] = [
    "attest", "backtest", "contest", "detest", "fastest", "greatest", "latest", "protest",
    "shortest", "smartest",
];

/// Whether a file belongs to the tests by its path.
#[must_use]
pub fn is_test(path: &[u8]) -> bool {
    let text = String::from_utf8_lossy(path).to_lowercase();
    // Most files of a large repository are told apart here.
    if !PARTS.iter().any(|part| text.contains(part)) {
        return false;
    }
    let (directories, name) = text.rsplit_once('/').unwrap_or(("", &text));
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let folders: Vec<&str> = directories.split('/').collect();
    let is_test_directory = |at: usize| {
        let part = folders[at];
        // A project of C# is called `Bogus.Tests`. A package that helps others to test has sources of its own, as `tower-test/src`.
        let is_package = folders.get(at + 1) == Some(&"src");
        TEST_DIRECTORIES.contains(&part)
            || DIRECTORIES.contains(&part)
            || !is_package && (part.ends_with("-test") || part.ends_with("-tests"))
            || !is_package && part.contains('.') && is_test_stem(part)
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
    (0..folders.len()).any(is_test_directory) || !is_document() && !is_setting() && is_test_name()
}

/// Whether the name of a file or directory in lower case, without its ending, ends as those of tests do.
pub(super) fn is_test_stem(stem: &str) -> bool {
    let word = stem.rsplit(['_', '-', '.']).next().unwrap_or_default();
    let is_test = word.ends_with("test") || word.ends_with("tests");
    let is_spec = word == "spec" && word != stem;
    let one = word.trim_end_matches('s');
    is_spec || is_test && stem != "test" && !NO_TESTS.iter().any(|other| one.ends_with(other))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_files_of_a_test_project_are_tests() {
        for (path, expected) in [
            ("Source/Bogus.Tests/GitHubIssues/PullRequest500.cs", true),
            ("Bogus.Test/Data.cs", true),
            ("src/Bogus.UnitTests/Data.cs", true),
            ("Bogus.Tests/Bogus.Tests.csproj", true),
            ("smoke-tests/a.rs", true),
            ("tower-test/src/lib.rs", false),
            ("Bogus/Latest.cs", false),
            ("Bogus.Testing.Tools/A.cs", false),
            ("Bogus.Latest/A.cs", false),
        ] {
            assert_eq!(is_test(path.as_bytes()), expected, "{path}");
        }
    }
}
