//! Values of Python as they are compared: how a string is quoted means nothing, nor do brackets around the whole.

/// A text without comments, and without the backslashes that join lines.
pub(super) fn without_comments(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'', '#', '\\']) {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        let length = if rest.starts_with('#') {
            rest.find('\n').unwrap_or(rest.len())
        } else if rest.starts_with('\\') {
            1
        } else {
            let mark = mark(rest);
            let inner = closing(&rest[mark.len()..], mark);
            let length = inner.map_or(rest.len(), |inner| inner + 2 * mark.len());
            out.push_str(&rest[..length]);
            length
        };
        rest = &rest[length..];
    }
    out + rest
}

/// The quotes with which a string begins: one, or three.
fn mark(string: &str) -> &str {
    let is_triple = ["\"\"\"", "'''"]
        .iter()
        .any(|three| string.starts_with(three));
    &string[..if is_triple { 3 } else { 1 }]
}

/// Strings in double quotes, without the prefix `u`; those with the prefix `r` with two backslashes for one.
///
/// A string that holds double quotes stays in the quotes it has, and of one in three quotes only these are another.
pub(super) fn one_quote(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find(['"', '\'']) {
        let mark = mark(&rest[at..]);
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
            let is_plain = mark.len() == 3 && !inner.contains("\"\"\"") && !inner.ends_with('"');
            let mark = if is_plain { "\"\"\"" } else { mark };
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
            ("'''a\nb'''", "\"\"\"a\nb\"\"\"", true),
            ("'''a\"'''", "\"\"\"a\"\"\"", false),
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
    fn comments_and_joined_lines_are_no_part_of_a_value() {
        for (text, expected) in [
            (
                "[\n    1,  # one\n    # two\n    2]",
                "[\n    1,  \n    \n    2]",
            ),
            ("'#a' + \"#b\" # c", "'#a' + \"#b\" "),
            ("'''# a'''", "'''# a'''"),
            ("'a' \\\n'b\\n'", "'a' \n'b\\n'"),
            ("'# a", "'# a"),
        ] {
            assert_eq!(without_comments(text), expected);
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
