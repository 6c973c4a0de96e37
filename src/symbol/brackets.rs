//! Where the brackets and commas of a declaration stand that are in none of its strings, in any language with a grammar.
//!
//! A bracket `<` is one where no space stands behind it: `a < b` and `1 << 3` compare and shift. A quote `'` opens a
//! string where it is closed right behind its word, or where a value begins; else it marks a lifetime of Rust.

/// Calls `take` with each character in no string, where it stands, and in how many brackets: a bracket stands in those around it.
/// Ends when `take` says so.
fn outside(text: &str, mut take: impl FnMut(usize, char, usize) -> bool) {
    let mut open: Vec<char> = Vec::new();
    let (mut string_end, mut unclosed) = (0, Vec::new());
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        if at < string_end {
            continue;
        }
        let next = || text[at + c.len_utf8()..].chars().next().unwrap_or(' ');
        match c {
            '"' | '`' | '\'' if !unclosed.contains(&c) => match closing_quote(&text[at..]) {
                Some(end) if is_string(&text[at..=at + end], text[..at].trim_end()) => {
                    string_end = at + end + 1;
                }
                Some(_) => {}
                // Or each further one would be looked for to the end of the text.
                None => unclosed.push(c),
            },
            '(' | '[' | '{' => {
                if take(at, c, open.len()) {
                    return;
                }
                open.push(c);
            }
            '<' if before != '<' && !matches!(next(), ' ' | '<' | '=') || at == 0 => {
                if take(at, c, open.len()) {
                    return;
                }
                open.push(c);
            }
            ')' | ']' | '}' => {
                // What looked like the brackets of a type was a comparison.
                let opened = open.iter().rposition(|bracket| *bracket != '<');
                open.truncate(opened.unwrap_or(0));
                if take(at, c, open.len()) {
                    return;
                }
            }
            // Not that of an arrow.
            '>' if !matches!(before, '-' | '=') && open.last() == Some(&'<') => {
                open.pop();
                if take(at, c, open.len()) {
                    return;
                }
            }
            _ if take(at, c, open.len()) => return,
            _ => {}
        }
        before = c;
    }
}

/// The length of the string that a text begins with; `None` where its quote is none. `before` is what stands in front of it.
#[must_use]
pub(crate) fn string_length(text: &str, before: &str) -> Option<usize> {
    let end = closing_quote(text)?;
    is_string(&text[..=end], before).then_some(end + 1)
}

/// Where the quote that a text begins with stands again, without a backslash in front.
fn closing_quote(text: &str) -> Option<usize> {
    let quote = text.chars().next()?;
    let mut is_escaped = false;
    let mut found = text.char_indices().skip(1).filter(|(_, c)| {
        let ends = *c == quote && !is_escaped;
        is_escaped = *c == '\\' && !is_escaped;
        ends
    });
    found.next().map(|(end, _)| end)
}

/// Whether what stands between two quotes is a string, quotes included.
fn is_string(text: &str, before: &str) -> bool {
    let inner = &text[1..text.len() - 1];
    let is_word = !inner.is_empty() && inner.chars().all(|c| c.is_alphanumeric() || c == '_');
    let is_value = before.ends_with(['=', '(', '[', '{'])
        || inner.chars().count() == 1
        || inner.starts_with('\\');
    // Behind `'a` another lifetime may follow: `<'a, 'b>`.
    !text.starts_with('\'') || is_value && !before.ends_with('<') || is_word
}

/// The length up to the bracket that closes the first one; `None` where the text ends before.
#[must_use]
pub(crate) fn closing(text: &str) -> Option<usize> {
    let mut found = None;
    outside(text, |at, c, depth| {
        let is_end = at > 0 && depth == 0 && matches!(c, ')' | ']' | '}' | '>');
        found = is_end.then_some(at);
        is_end
    });
    found
}

/// Cuts at the commas that stand in no bracket and no string.
#[must_use]
pub(crate) fn split(text: &str) -> Vec<&str> {
    let (mut parts, mut from) = (Vec::new(), 0);
    outside(text, |at, c, depth| {
        if c == ',' && depth == 0 {
            parts.push(text[from..at].trim());
            from = at + 1;
        }
        false
    });
    parts.push(text[from..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// Where the value of a declaration begins, with the `=` in front of it: that of an arrow or a comparison is none.
#[must_use]
pub(crate) fn value_at(text: &str) -> Option<usize> {
    let mut found = None;
    outside(text, |at, c, depth| {
        let is_apart = || {
            let before = text[..at].chars().next_back().unwrap_or(' ');
            let behind = text[at + 1..].chars().next().unwrap_or(' ');
            !matches!(before, '=' | '!' | '<' | '>') && !matches!(behind, '=' | '>')
        };
        let is_value = c == '=' && depth == 0 && is_apart();
        found = is_value.then_some(at);
        is_value
    });
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commas_and_brackets_of_strings_cut_nothing() {
        for (text, expected) in [
            ("parts, sep=\",\", x=1", vec!["parts", "sep=\",\"", "x=1"]),
            ("a=\"(\", b", vec!["a=\"(\"", "b"]),
            ("a=\"\\\\\", b", vec!["a=\"\\\\\"", "b"]),
            ("sep=', ', b='('", vec!["sep=', '", "b='('"]),
            ("c: char = '(', d: u8", vec!["c: char = '('", "d: u8"]),
            ("a: &'a str, b: &'b [u8]", vec!["a: &'a str", "b: &'b [u8]"]),
            ("a: T<'a, 'b>, b: u8", vec!["a: T<'a, 'b>", "b: u8"]),
            ("a: [u8; 1 << 3], b: u8", vec!["a: [u8; 1 << 3]", "b: u8"]),
            ("a = b < c, d = e > f", vec!["a = b < c", "d = e > f"]),
            (
                "f: (a: A) => B, g: C<D, E>",
                vec!["f: (a: A) => B", "g: C<D, E>"],
            ),
            ("kind: 'a' | 'b', x", vec!["kind: 'a' | 'b'", "x"]),
            (
                "P: 'a + As<str>, b: &'a P",
                vec!["P: 'a + As<str>", "b: &'a P"],
            ),
            (
                "const std::map <int, int>& m, int n",
                vec!["const std::map <int, int>& m", "int n"],
            ),
            ("A = ['\"', 'a'], b", vec!["A = ['\"', 'a']", "b"]),
            ("a: \"never closed, b", vec!["a: \"never closed", "b"]),
        ] {
            assert_eq!(split(text), expected, "{text}");
        }
        for (text, expected) in [
            ("(a = \")\") -> B", Some("(a = \")\"")),
            ("<T: Fn() -> A>(x)", Some("<T: Fn() -> A")),
            ("(a, b", None),
            ("", None),
        ] {
            assert_eq!(closing(text).map(|end| &text[..end]), expected, "{text}");
        }
        for (text, expected) in [
            ("a: T<B = C> = d", Some("= d")),
            ("f = (a) => b", Some("= (a) => b")),
            ("a == b", None),
            ("a: \"=\"", None),
        ] {
            assert_eq!(value_at(text).map(|at| &text[at..]), expected, "{text}");
        }
    }
}
