//! Packages of Go: of which one a file is, for which platforms, and who can import it.

use super::change::{Code, Version};
use super::declaration::Declaration;
use super::signature::{is_word, value_at};
use crate::base::TreePath;
use crate::symbol::Language;

/// A package of Go: its folder, its name, and whether it is one of tests.
pub(super) type GoPackage = (TreePath, String, bool);

/// The package of a file of Go.
pub(super) fn go_package(version: &Version) -> Option<GoPackage> {
    let name = package(version.code()?)?;
    let is_test = version.path.name().ends_with(b"_test.go");
    Some((version.path.parent()?, name.to_owned(), is_test))
}

/// The package of a file of Go.
pub(super) fn package(code: &Code) -> Option<&str> {
    if code.language != Some(Language::Go) {
        return None;
    }
    // Before the clause stand comments alone.
    let mut rest = code.text.trim_start();
    loop {
        rest = if rest.starts_with("//") {
            rest.split_once('\n')?.1
        } else if rest.starts_with("/*") {
            rest.split_once("*/")?.1
        } else {
            break;
        }
        .trim_start();
    }
    let name = rest.strip_prefix("package")?.trim_start();
    let end = name.find(|c| !is_word(c)).unwrap_or(name.len());
    Some(&name[..end])
}

/// Whether only its own module can import the package of a file: `main` no package can, `internal` none of another module,
/// see `go help packages`.
#[must_use]
pub fn is_internal_package(path: &TreePath, code: &Code) -> bool {
    let mut folders = path.as_bytes().split(|byte| *byte == b'/');
    package(code) == Some("main") || folders.any(|folder| folder == b"internal")
}

/// The form of a signature in which packages have the last parts of their paths as names: files for several platforms may import
/// one package from several places.
pub(super) fn plain_form(one: &Declaration) -> String {
    let mut out = String::new();
    for (at, part) in one.form().split('"').enumerate() {
        let is_path = at % 2 == 1;
        out.push_str(match part.rsplit('/').next().filter(|_| is_path) {
            Some(name) => name,
            None => part,
        });
    }
    out
}

/// The signature of a variable with as much of its value as tells the type, where no type is written: `var X = f()` of
/// `var X = f(1)`.
pub(super) fn typed(signature: &str) -> String {
    let Some(at) = value_at(signature) else {
        return signature.to_owned();
    };
    let (lead, value) = (signature[..at].trim_end(), signature[at + 1..].trim_start());
    if lead.split_whitespace().count() > 2 {
        return lead.to_owned();
    }
    // What these are given is a type.
    let is_whole = ["func(", "make(", "new("]
        .iter()
        .any(|start| value.starts_with(start));
    let (mut out, mut depth, mut quote) = (format!("{lead} = "), 0_u32, None);
    let (mut last, mut is_name) = (' ', false);
    for c in value.chars() {
        let before = std::mem::replace(&mut last, c);
        match (quote, c) {
            (Some(open), _) => {
                if c == open && before != '\\' {
                    quote = None;
                }
                continue;
            }
            (None, '"' | '`' | '\'') => {
                quote = Some(c);
                // Both are strings.
                out.extend((depth == 0).then_some(if c == '\'' { c } else { '"' }));
                continue;
            }
            (None, ')' | '}') if !is_whole || c == '}' => depth = depth.saturating_sub(1),
            _ => {}
        }
        // Any number is as good as another of its type.
        is_name = is_word(c) && (is_name || !c.is_ascii_digit());
        let is_digit = c.is_ascii_digit() && !is_name;
        if depth == 0 && !(is_digit && before.is_ascii_digit()) {
            out.push(if is_digit { '0' } else { c });
        }
        if c == '{' || c == '(' && !is_whole {
            depth += 1;
        }
    }
    out
}

/// Systems and processors that the name of a file of Go may end with, see `go help buildconstraint`.
const PLATFORMS: [&str; 32] = [
    "aix",
    "android",
    "darwin",
    "dragonfly",
    "freebsd",
    "illumos",
    "ios",
    "js",
    "linux",
    "netbsd",
    "openbsd",
    "plan9",
    "solaris",
    "wasip1",
    "windows",
    "386",
    "amd64",
    "arm",
    "arm64",
    "loong64",
    "mips",
    "mips64",
    "mips64le",
    "mipsle",
    "ppc64",
    "ppc64le",
    "riscv64",
    "s390x",
    "wasm",
    "unix",
    "hurd",
    "nacl",
];

/// Whether a file of Go says for which platforms or tags it is built, in its name or before its package.
#[must_use]
pub fn is_variant(path: &TreePath, code: &Code) -> bool {
    let name = path.to_text();
    let stem = name
        .strip_suffix(".go")
        .and_then(|name| name.rsplit_once('_'));
    let mut lines = code
        .text
        .lines()
        .take_while(|line| !line.starts_with("package "));
    code.language == Some(Language::Go)
        && (stem.is_some_and(|(_, end)| PLATFORMS.contains(&end))
            || lines.any(|line| line.starts_with("//go:build ") || line.starts_with("// +build ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_tells_the_type_of_a_variable_stays() {
        for (signature, expected) in [
            ("var X T = f(1)", "var X T"),
            ("var X = a.f(1, \"}\").g(b(2))", "var X = a.f().g()"),
            ("var X = &T{a: \"x\", b: {1}}", "var X = &T{}"),
            ("var X = []string{\"a\"}", "var X = []string{}"),
            ("var X = \"a\\\"b\"", "var X = \""),
            ("var X = `a`", "var X = \""),
            ("var X = 25 * time.Second", "var X = 0 * time.Second"),
            ("var X = 25.75", "var X = 0.0"),
            ("var X = int64(7)", "var X = int64()"),
            (
                "var X = make(map[string]int)",
                "var X = make(map[string]int)",
            ),
            (
                "var X = func(a int) bool { return true }",
                "var X = func(a int) bool {}",
            ),
            ("var X", "var X"),
            ("var X []string", "var X []string"),
        ] {
            assert_eq!(typed(signature), expected, "{signature}");
        }
    }

    #[test]
    fn some_packages_are_imported_by_their_own_module_alone() {
        for (path, text, expected) in [
            ("a/b.go", "package b\n", false),
            ("internal/b.go", "package b\n", true),
            ("a/internal/c/b.go", "package b\n", true),
            ("internals/b.go", "package b\n", false),
            ("cmd/b.go", "// Says.\npackage main // it\n", true),
            ("cmd/b.go", "/*\npackage main shows\n*/\npackage lib", false),
            ("cmd/b.go", "package\tmain;import \"a\"\n", true),
        ] {
            let version = Version::of_text(path, Language::Go, text);
            let code = version.code().expect("it was read");
            assert_eq!(is_internal_package(&path.into(), code), expected, "{path}");
        }
    }
}
