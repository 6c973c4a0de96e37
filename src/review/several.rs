//! Several names in one declaration, as in `A, B string` and `int a, *b`: each is a declaration of its own.
//!
//! | language | names |
//! |---|---|
//! | Go | fields, variables and constants: the names stand in front, the values behind, in the same order |
//! | C, C++, C#, Java, PHP | fields, variables, constants and types: each name stands in a declarator, with its own stars and its value |

use std::collections::HashSet;

use super::signature::{is_word, places_of};
use crate::symbol::split;
use crate::symbol::{Kind, Language};

/// Most names of one list, and most bytes that their signatures may have together: longer lists stay one declaration.
const NAMES_MAX: usize = 64;
const SIGNATURES_BYTES_MAX: usize = 16 * 1024;

/// The names that a declaration gives, each with a signature as if it stood alone; `None` where it gives one. What is called `_`
/// is left out.
pub(super) fn names(
    language: Option<Language>,
    kind: Kind,
    name: &str,
    signature: &str,
) -> Option<Vec<(String, String)>> {
    let is_of_kind = matches!(
        kind,
        Kind::Field | Kind::Variable | Kind::Constant | Kind::Type
    );
    if !is_of_kind || !signature.contains(',') {
        return None;
    }
    let mut names = match language? {
        Language::Go => of_go(signature)?,
        Language::C | Language::Cpp | Language::CSharp | Language::Java | Language::Php => {
            of_declarators(name, signature)?
        }
        _ => return None,
    };
    let mut seen = HashSet::new();
    names.retain(|(name, _)| name != "_" && seen.insert(name.clone()));
    Some(names)
}

/// Whether a list is short enough that each name gets a signature of its own.
fn is_short(names: usize, signature: &str) -> bool {
    names <= NAMES_MAX && names * signature.len() <= SIGNATURES_BYTES_MAX
}

fn of_go(signature: &str) -> Option<Vec<(String, String)>> {
    let keyword = ["var ", "const "]
        .into_iter()
        .find(|word| signature.starts_with(word))
        .unwrap_or_default();
    let mut rest = &signature[keyword.len()..];
    let mut names = Vec::new();
    loop {
        let end = rest.find(|c| !is_word(c)).unwrap_or(rest.len());
        names.push(&rest[..end]);
        rest = &rest[end..];
        match rest.strip_prefix(',') {
            Some(more) => rest = more.trim_start(),
            None => break,
        }
    }
    if names.len() < 2 || names.contains(&"") || !is_short(names.len(), signature) {
        return None;
    }
    let (kind, values) = match rest.split_once("= ") {
        Some((kind, values)) => (kind.trim_end(), split(values)),
        None => (rest, Vec::new()),
    };
    // One call may give all values.
    let is_each = values.len() == names.len();
    let names = names.into_iter().enumerate().map(|(at, name)| {
        let value = if is_each {
            format!(" = {}", values[at])
        } else {
            rest[kind.len()..].to_owned()
        };
        (name.to_owned(), format!("{keyword}{name}{kind}{value}"))
    });
    Some(names.collect())
}

fn of_declarators(name: &str, signature: &str) -> Option<Vec<(String, String)>> {
    let parts = declarators(signature);
    let (first, more) = parts.split_first()?;
    let at = places_of(first.declared, name).last()?;
    if more.is_empty() || !is_short(parts.len(), signature) {
        return None;
    }
    let lead = first.declared[..at].trim_end_matches(['*', '&', ' ', '(']);
    let lead = without_qualifiers(lead, |text, word| text.strip_suffix(word));
    let lead = lead.trim_end_matches(['*', '&', ' ']);
    let mut all = vec![(name.to_owned(), first.whole.to_owned())];
    for part in more.iter().filter(|part| !part.declared.starts_with(':')) {
        let bare = part.declared.trim_start_matches(['*', '&', ' ', '(']);
        let own = without_qualifiers(bare, |text, word| text.strip_prefix(word));
        let own = own.trim_start_matches(['*', '&', ' ']);
        let end = own.find(|c| !is_word(c) && c != '$').unwrap_or(own.len());
        let behind = own[end..].trim_start();
        let is_closed = behind.starts_with(')') && part.declared.contains('(');
        let is_declarator = behind.is_empty() || behind.starts_with(['[', ':', '{']) || is_closed;
        // It is a list of something else, as the arguments of a macro: then none of it is known.
        if end == 0 || !is_declarator || own.starts_with(|c: char| c.is_ascii_digit()) {
            return None;
        }
        all.push((own[..end].to_owned(), format!("{lead} {}", part.whole)));
    }
    Some(all)
}

/// A part of a list of declarators.
struct Declarator<'t> {
    whole: &'t str,
    /// What stands before its value.
    declared: &'t str,
}

/// The parts of a list between its commas, those in brackets and quotes apart. Before a value `<` opens a list of types, in a
/// value it compares.
fn declarators(signature: &str) -> Vec<Declarator<'_>> {
    let (mut parts, mut from, mut value) = (Vec::new(), 0, None);
    let (mut depth, mut quote, mut last) = (0_usize, None, ' ');
    let part = |from: usize, value: Option<usize>, to: usize| Declarator {
        whole: signature[from..to].trim(),
        declared: signature[from..value.unwrap_or(to)].trim(),
    };
    for (at, c) in signature.char_indices() {
        match (quote, c) {
            (Some(open), _) if c == open && last != '\\' => quote = None,
            (None, '"' | '\'') => quote = Some(c),
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth = depth.saturating_sub(1),
            (None, '<') if value.is_none() => depth += 1,
            (None, '>') if value.is_none() => depth = depth.saturating_sub(1),
            (None, '=') if depth == 0 && value.is_none() => value = Some(at),
            (None, ',') if depth == 0 => {
                parts.push(part(from, value, at));
                (from, value) = (at + 1, None);
            }
            _ => {}
        }
        // A backslash that a backslash stands for escapes nothing.
        last = if c == '\\' && last == '\\' { ' ' } else { c };
    }
    parts.push(part(from, value, signature.len()));
    parts
}

/// A text without `const` and `volatile` at one of its ends: behind a star they are of one declarator alone.
fn without_qualifiers<'t>(
    text: &'t str,
    strip: impl Fn(&'t str, &'static str) -> Option<&'t str>,
) -> &'t str {
    let words = [
        "* const",
        "* volatile",
        "*const",
        "*volatile",
        "const ",
        "volatile ",
    ];
    words
        .into_iter()
        .find_map(|word| strip(text, word))
        .unwrap_or(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    use Language::{C, CSharp, Cpp, Go, Java, Php};

    /// A language, the first name, the list, and what stands alone.
    const LISTS: &[(Language, &str, &str, &str)] = &[
        (Go, "A", "A, B string", "A string; B string"),
        (Go, "A", "A map[string, int]", ""),
        (Go, "X", "var X, Y int", "var X int; var Y int"),
        (
            Go,
            "P",
            "const P, Q = 1, f(2, 3)",
            "const P = 1; const Q = f(2, 3)",
        ),
        (Go, "P", "var P, Q = f()", "var P = f(); var Q = f()"),
        (Go, "F", "F func(a, b int)", ""),
        (C, "a", "int a, *b, c[4]", "int a; int *b; int c[4]"),
        (
            C,
            "p",
            "const char *p, q : 2",
            "const char *p; const char q : 2",
        ),
        (
            C,
            "S",
            "typedef struct s S, *SP",
            "typedef struct s S; typedef struct s *SP",
        ),
        (C, "f", "int (*f)(int, int)", ""),
        (C, "t", "int t[] = {1, 2}", ""),
        (Go, "_", "var _, E = f()", "var E = f()"),
        (C, "x", "DECLARE(int, x)", ""),
        (
            C,
            "p",
            "unsigned p : 1, : 0, q : 2",
            "unsigned p : 1; unsigned q : 2",
        ),
        (C, "m", "int *m, *const n", "int *m; int *const n"),
        (C, "t", "int t = FOO >> BAR(a, b)", ""),
        (C, "c", "char c = ',', d", "char c = ','; char d"),
        (
            C,
            "cc",
            "extern int cc = sizeof(cc), dd",
            "extern int cc = sizeof(cc); extern int dd",
        ),
        (Cpp, "c", "bool c = p > f(1, d = 2)", ""),
        (C, "x", "int x, f(int)", ""),
        (
            Cpp,
            "m",
            "std::map<int, int> m, n",
            "std::map<int, int> m; std::map<int, int> n",
        ),
        (
            Java,
            "a",
            "public int a, b = 1",
            "public int a; public int b = 1",
        ),
        (
            Java,
            "X",
            "String X = \"a, b\", Y",
            "String X = \"a, b\"; String Y",
        ),
        (
            CSharp,
            "e",
            "public event E e, f",
            "public event E e; public event E f",
        ),
        (
            Java,
            "x",
            "int x = other.x, y = other.y",
            "int x = other.x; int y = other.y",
        ),
        (Java, "s", "int s = a >> f(1, b)", ""),
        (Php, "$q", "private $q = 'SET a = ?, b = ?'", ""),
        (
            Php,
            "$q",
            "private $q = 'it\\'s, b', $r",
            "private $q = 'it\\'s, b'; private $r",
        ),
        (Php, "$a", "public $a, $b = 1", "public $a; public $b = 1"),
        (Php, "X", "const X = 1, Y = 2", "const X = 1; const Y = 2"),
    ];

    #[test]
    fn each_name_is_a_declaration_of_its_own() {
        for (language, name, signature, expected) in LISTS {
            let found = names(Some(*language), Kind::Field, name, signature).unwrap_or_default();
            let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts.join("; "), *expected, "{signature}");
            assert!(found.iter().all(|(own, text)| text.contains(own)));
        }
        assert_eq!(
            names(Some(C), Kind::Function, "f", "int f(void), g(void)"),
            None
        );
        let many: Vec<String> = (0..100).map(|number| format!("A{number}")).collect();
        assert_eq!(
            names(
                Some(Go),
                Kind::Field,
                "A0",
                &format!("{} int", many.join(", "))
            ),
            None
        );
    }
}
