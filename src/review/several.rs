//! Several names in one declaration, as in `A, B string` and `int a, *b`: each is a declaration of its own.
//!
//! | language | names |
//! |---|---|
//! | Go | fields, variables and constants: the names stand in front, the values behind, in the same order |
//! | C, C++, C#, Java, PHP | fields, variables, constants and types: each name stands in a declarator, with its own stars and its value |

use super::signature::{is_word, split};
use crate::symbol::{Kind, Language};

/// The names that a declaration gives, each with a signature as if it stood alone; none where it gives one.
pub(super) fn names(
    language: Option<Language>,
    kind: Kind,
    name: &str,
    signature: &str,
) -> Vec<(String, String)> {
    let is_of_kind = matches!(
        kind,
        Kind::Field | Kind::Variable | Kind::Constant | Kind::Type
    );
    if !is_of_kind || !signature.contains(',') {
        return Vec::new();
    }
    match language {
        Some(Language::Go) => of_go(signature),
        Some(Language::C | Language::Cpp | Language::CSharp | Language::Java | Language::Php) => {
            of_declarators(name, signature)
        }
        _ => Vec::new(),
    }
}

fn of_go(signature: &str) -> Vec<(String, String)> {
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
    if names.len() < 2 || names.contains(&"") {
        return Vec::new();
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
    names.collect()
}

fn of_declarators(name: &str, signature: &str) -> Vec<(String, String)> {
    let parts = split(signature);
    let Some((first, more)) = parts.split_first().filter(|(_, more)| !more.is_empty()) else {
        return Vec::new();
    };
    let Some(at) = word_at(first, name) else {
        return Vec::new();
    };
    let lead = first[..at].trim_end_matches(['*', '&', ' ', '(']);
    // What follows may have a list of its own, as the arguments of a macro.
    let mut all = vec![(name.to_owned(), (*first).to_owned())];
    for part in more {
        let mark = |c| matches!(c, '*' | '&' | ' ' | '(');
        let own = part.trim_start_matches(mark);
        let end = own.find(|c| !is_word(c) && c != '$').unwrap_or(own.len());
        let behind = own[end..].trim_start();
        let is_declarator = behind.is_empty() || behind.starts_with(['=', '[', ':', ')', '{']);
        if end == 0 || !is_declarator || own.starts_with(|c: char| c.is_ascii_digit()) {
            return Vec::new();
        }
        all.push((own[..end].to_owned(), format!("{lead} {part}")));
    }
    all
}

/// Where a name stands as a word of its own; one of PHP begins with `$`.
fn word_at(text: &str, name: &str) -> Option<usize> {
    let is_whole = |at: &usize| {
        let behind = &text[at + name.len()..];
        !text[..*at].ends_with(is_word) && !behind.starts_with(is_word)
    };
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(is_whole).last().filter(|_| !name.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_name_is_a_declaration_of_its_own() {
        use Language::{C, CSharp, Cpp, Go, Java, Php};
        for (language, name, signature, expected) in [
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
            (C, "x", "DECLARE(int, x)", ""),
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
            (Php, "$a", "public $a, $b = 1", "public $a; public $b = 1"),
            (Php, "X", "const X = 1, Y = 2", "const X = 1; const Y = 2"),
        ] {
            let found = names(Some(language), Kind::Field, name, signature);
            let texts: Vec<&str> = found.iter().map(|(_, text)| text.as_str()).collect();
            assert_eq!(texts.join("; "), expected, "{signature}");
            assert!(found.iter().all(|(own, text)| text.contains(own)));
        }
        assert!(names(Some(C), Kind::Function, "f", "int f(void), g(void)").is_empty());
    }
}
