//! Attributes, annotations and decorators: which of them say that a declaration is a test.

use super::outline::{Kind, Symbol};

/// Whether a declaration is there for tests only: a test harness runs it, or it is compiled for tests.
#[must_use]
pub fn is_test(symbol: &Symbol) -> bool {
    symbol.kind == Kind::Test || symbol.attributes.iter().any(|text| marks_test(text))
}

/// Whether an attribute marks a test: `#[tokio::test(start_paused = true)]`, `@ParameterizedTest`, `[Fact]`; or keeps what
/// follows for tests: `#[cfg(all(test, unix))]`.
pub(super) fn marks_test(attribute: &str) -> bool {
    let text = attribute.trim_start_matches(['#', '[', '@', '!', ' ']);
    let (path, arguments) = text.split_once('(').unwrap_or((text, ""));
    let path = path.split([']', ' ', ',']).next().unwrap_or_default();
    if path == "cfg" {
        return holds_for_tests_only(arguments);
    }
    let word = path.rsplit([':', '.', '\\']).next().unwrap_or_default();
    let word = word.strip_suffix("Attribute").unwrap_or(word);
    matches!(
        word,
        "test" | "Fact" | "Theory" | "TestCase" | "TestMethod" | "DataTestMethod" | "test_case"
    ) || word.ends_with("_test")
        || word.ends_with("rstest")
        || word.ends_with("Test")
}

/// Whether a condition of `cfg` holds in tests only: `test)`, `all(unix, test))`.
fn holds_for_tests_only(condition: &str) -> bool {
    let mut depth = 0_usize;
    let all = condition.strip_prefix("all(").unwrap_or(condition);
    let is_top = |c: char| {
        match c {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => return c == ',' && depth == 0,
        }
        false
    };
    let conditions: Vec<&str> = all.split(is_top).collect();
    let is_test = |one: &&str| one.trim().trim_end_matches([')', ']']) == "test";
    conditions.iter().any(is_test)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_tell_tests() {
        for (attribute, expected) in [
            ("#[test]", true),
            ("#[tokio::test(flavor = \"multi_thread\")]", true),
            ("#[rstest]", true),
            ("#[test_case(1)]", true),
            ("#[cfg(test)]", true),
            ("#[cfg(all(test, unix))]", true),
            ("#[cfg(all(unix, test))]", true),
            ("#[cfg(any(test, unix))]", false),
            ("#[cfg(not(test))]", false),
            ("#[cfg(all(unix, any(test, windows)))]", false),
            ("#[cfg(feature = \"test\")]", false),
            ("@Test", true),
            ("@org.junit.Test(expected = A.class)", true),
            ("@ParameterizedTest", true),
            ("@VisibleForTesting", false),
            ("[Fact]", true),
            ("[Theory, InlineData(1)]", true),
            ("[TestMethod]", true),
            ("#[Test]", true),
            ("#[PHPUnit\\Framework\\Attributes\\Test]", true),
            ("#[wasm_bindgen_test]", true),
            ("#[latest]", false),
            ("#[contested]", false),
            ("#[doc(hidden)]", false),
        ] {
            assert_eq!(marks_test(attribute), expected, "{attribute}");
        }
    }
}
