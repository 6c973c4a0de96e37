//! Values of Python as they are compared: how a string is quoted means nothing, nor do brackets around the whole.

/// Strings in double quotes, without the prefix `u`; those with the prefix `r` with two backslashes for one.
///
/// A string that holds double quotes stays in the quotes it has, and one in three quotes as it is.
pub(super) fn one_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let triple = quote.repeat(3);
        let mark = if rest[at..].starts_with(&triple) {
            triple.as_str()
        } else {
            quote
        };
        let Some(length) = closing(&rest[at + mark.len()..], mark) else {
            break;
        };
        out.push_str(&rest[..at]);
        let inner = &rest[at + mark.len()..at + mark.len() + length];
        let is_raw = without_prefix(&mut out);
        if mark.len() == 1 && !inner.contains('"') {
            let inner = if is_raw {
                inner.replace('\\', "\\\\")
            } else {
                inner.replace("\\'", "'")
            };
            out.extend(["\"", &inner, "\""]);
        } else {
            out.push_str(if is_raw { "r" } else { "" });
            out.extend([mark, inner, mark]);
        }
        rest = &rest[at + length + 2 * mark.len()..];
    }
    out + rest
}

/// The length up to the mark that closes a string; what a backslash stands before closes nothing.
fn closing(inner: &str, mark: &str) -> Option<usize> {
    let mut is_escaped = false;
    inner.char_indices().find_map(|(at, c)| {
        let closes = !is_escaped && inner[at..].starts_with(mark);
        is_escaped = c == '\\' && !is_escaped;
        closes.then_some(at)
    })
}

/// Takes the marks `u` and `r` of a string off what stands before it; whether `r` was one.
fn without_prefix(before: &mut String) -> bool {
    let word = before.trim_end_matches(|c: char| c.is_alphanumeric() || c == '_');
    let prefix = before[word.len()..].to_ascii_lowercase();
    if prefix.is_empty() || prefix.len() > 2 || !prefix.chars().all(|c| "rubf".contains(c)) {
        return false;
    }
    before.truncate(word.len());
    before.extend(prefix.chars().filter(|c| !"ru".contains(*c)));
    prefix.contains('r')
}

/// A value without the round brackets around the whole of it; those of a tuple are its own.
pub(super) fn without_brackets(text: &str) -> &str {
    let Some(inner) = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'))
    else {
        return text;
    };
    let mut depth = 0_i32;
    let mut quote = None;
    for c in inner.chars() {
        match (quote, c) {
            (None, '(' | '[' | '{') => depth += 1,
            (None, ')' | ']' | '}') => depth -= 1,
            (None, ',') if depth == 0 => return text,
            (None, '"' | '\'') => quote = Some(c),
            (Some(open), c) if open == c => quote = None,
            _ => {}
        }
        if depth < 0 {
            return text;
        }
    }
    if inner.is_empty() { text } else { inner }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn how_a_string_is_quoted_means_nothing() {
        for (one, other, expected) in [
            ("x = 'a'", "x = \"a\"", true),
            (
                r"x = '\x00'.encode('ascii')",
                r#"x = "\x00".encode("ascii")"#,
                true,
            ),
            (r"{'a': '\o/', 'b': ''}", r#"{"a": "\o/", "b": ""}"#, true),
            (r"'it\'s'", r#""it's""#, true),
            (r"re.compile(b'^\\S')", r"re.compile(br'^\S')", true),
            (r"f(r'\d')", r#"f("\\d")"#, true),
            ("u'a'", "'a'", true),
            ("f'a'", "'a'", false),
            ("b'a'", "'a'", false),
            (r"'\d'", r"r'\w'", false),
            ("'a\"b'", "'a\"b'", true),
            ("'a\"b' + 'c'", "'a\"b' + \"c\"", true),
            ("\"\"\"a'b\"\"\" + 'c'", "\"\"\"a'b\"\"\" + \"c\"", true),
            ("'a", "\"a", false),
            ("var'a'", "vau'a'", false),
        ] {
            assert_eq!(
                one_quote(one) == one_quote(other),
                expected,
                "{one} {other}"
            );
        }
    }

    #[test]
    fn brackets_around_a_whole_value_mean_nothing() {
        for (text, expected) in [
            ("(a[0] == 2)", "a[0] == 2"),
            ("(a, b)", "(a, b)"),
            ("(f(a, b))", "f(a, b)"),
            ("(a) + (b)", "(a) + (b)"),
            ("()", "()"),
            ("(\")\")", "\")\""),
            ("a", "a"),
        ] {
            assert_eq!(without_brackets(text), expected);
        }
    }
}
