//! Packages of Go: which one a file belongs to, for which platforms, and who can import it.

use std::borrow::Cow;

use super::change::{Code, Version};
use super::declaration::Declaration;
use super::signature::is_word;
use crate::base::TreePath;
use crate::symbol::Language;
use crate::symbol::value_at;

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

/// The signature of a variable without its value: with the type that is written, or with what of the value tells it, as `var X = f(`
/// of `var X = f(1)`. Any other value is a part of the signature.
pub(super) fn typed(signature: &str) -> Cow<'_, str> {
    let Some(at) = value_at(signature).filter(|at| !signature[..*at].contains(',')) else {
        return Cow::Borrowed(signature);
    };
    let lead = signature[..at].trim_end();
    if lead.split_whitespace().count() > 2 {
        return Cow::Borrowed(lead);
    }
    match type_of(signature[at + 1..].trim()) {
        Some(kind) => Cow::Owned(format!("{lead} = {kind}")),
        None => Cow::Borrowed(signature),
    }
}

/// What of a value tells its type: of a literal another of its kind, of a call and of a composite literal what stands before the
/// bracket.
fn type_of(value: &str) -> Option<&str> {
    let is_digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    let number = value.strip_prefix('-').unwrap_or(value);
    let literal = match number.split_once('.') {
        _ if value.starts_with(['"', '`']) => {
            (end_of_first(value)? == value.len()).then_some("\"\"")
        }
        _ if matches!(value, "true" | "false") => Some("true"),
        Some((whole, part)) => (is_digits(whole) && is_digits(part)).then_some("0.0"),
        None => is_digits(number).then_some("0"),
    };
    if literal.is_some() {
        return literal;
    }
    let open = value.find(['(', '{'])?;
    let before = &value[..open];
    let is_named = |word: &str| matches!(word, "make" | "new" | "struct" | "interface" | "func");
    let is_type = before.starts_with(|c: char| is_word(c) || "&*[".contains(c))
        && before.chars().all(|c| is_word(c) || ".&*[]".contains(c))
        // Of these what is in the bracket is a part of the type.
        && !before.split(|c| !is_word(c)).any(is_named);
    (is_type && end_of_first(&value[open..])? + open == value.len()).then_some(&value[..=open])
}

/// Where the string or the group of brackets ends with which a text begins.
fn end_of_first(text: &str) -> Option<usize> {
    let (mut depth, mut quote, mut is_escaped) = (0_u32, None, false);
    for (at, c) in text.char_indices() {
        match (quote, c) {
            (Some(_), _) if is_escaped => is_escaped = false,
            (Some('"' | '\''), '\\') => is_escaped = true,
            (Some(open), _) if open == c => quote = None,
            (Some(_), _) => continue,
            (None, '"' | '`' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.checked_sub(1)?,
            _ => {}
        }
        if depth == 0 && quote.is_none() {
            return Some(at + c.len_utf8());
        }
    }
    None
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
            ("var X = a.f(1, \"}\")", "var X = a.f("),
            ("var X = &T{a: \"x\\\\\", b: '{'}", "var X = &T{"),
            ("var X = [3]string{\"a\"}", "var X = [3]string{"),
            ("var X = map[string]*T{}", "var X = map[string]*T{"),
            ("var X = \"a\\\"b\"", "var X = \"\""),
            ("var X = `a\\`", "var X = \"\""),
            ("var X = -25", "var X = 0"),
            ("var X = 25.75", "var X = 0.0"),
            ("var X = false", "var X = true"),
            ("var X = int64(7)", "var X = int64("),
        ] {
            assert_eq!(typed(signature), expected, "{signature}");
        }
        for signature in [
            "var X",
            "var X []string",
            "var X = f(1).(string)",
            "var X = (*T)(nil)",
            "var X = \"a\\\\\" + f(1)",
            "var X = `a\\` + f(1)",
            "var X = '\\\\' + f(1)",
            "var X = struct{ A int }{1}",
            "var X = []struct{ A int }{}",
            "var X = make(map[string]int)",
            "var X = func(a int) bool { return true }",
            "var X = 2 * time.Second",
            "var A, B = f()",
            "var X = \"a",
        ] {
            assert_eq!(typed(signature), signature);
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
