//! Values of Python as they are compared: how a string is quoted means nothing, nor do brackets around the whole.

/// A value in one form: without comments and line breaks, each string in double quotes, strings that stand side by side as one.
pub(super) fn one_form(text: &str) -> String {
    read(text, false)
}

/// Statements in one form: each in a line of its own behind its indentation, however many lines it has.
pub(super) fn statements(text: &str) -> String {
    let lines = read(text, true);
    let lines = lines.lines().map(str::trim_end);
    let lines: Vec<&str> = lines.filter(|line| !line.is_empty()).collect();
    lines.join("\n")
}

fn read(text: &str, keeps_lines: bool) -> String {
    let mut form = Form::default();
    let (mut rest, mut is_in_word) = (text, false);
    while let Some(first) = rest.chars().next() {
        let prefix = prefix(rest).filter(|_| !is_in_word);
        is_in_word = first.is_alphanumeric() || first == '_';
        let length = match (first, prefix) {
            (_, Some(prefix)) => {
                is_in_word = false;
                prefix.len() + form.string(prefix, &rest[prefix.len()..])
            }
            ('"' | '\'', None) => form.string("", rest),
            ('#', _) => rest.find('\n').unwrap_or(rest.len()),
            ('\n', _) if keeps_lines && form.open.is_empty() => form.line(&rest[1..]),
            ('\\', _) if rest.starts_with("\\\n") => {
                form.has_gap = true;
                2
            }
            (c, _) if c.is_whitespace() || c == '\\' => {
                form.has_gap = true;
                c.len_utf8()
            }
            (c, _) => {
                form.code(c);
                c.len_utf8()
            }
        };
        rest = &rest[length..];
    }
    form.out
}

/// The letters before a string with which a text begins, as in `rb"…"`.
fn prefix(text: &str) -> Option<&str> {
    let mut start = text.bytes().take(3);
    let length = start.position(|byte| matches!(byte, b'"' | b'\''))?;
    let prefix = text.get(..length)?;
    prefix
        .chars()
        .all(|c| "rubfRUBF".contains(c))
        .then_some(prefix)
}

/// What was read of a value.
#[derive(Default)]
struct Form {
    out: String,
    /// Whether white space comes next.
    has_gap: bool,
    /// Where the last string begins, with its prefix, while nothing but white space follows it.
    string_at: Option<usize>,
    /// The brackets that are open: whether they hold arguments, and how many commas stand in them.
    open: Vec<(bool, u32)>,
}

impl Form {
    fn code(&mut self, c: char) {
        let is_tight = |c: char| "()[]{},".contains(c);
        match c {
            '(' | '[' | '{' => {
                let is_behind = |c: char| c.is_alphanumeric() || "_)]\"".contains(c);
                self.open.push((self.out.ends_with(is_behind), 0));
            }
            ',' => {
                if let Some((_, commas)) = self.open.last_mut() {
                    *commas += 1;
                }
            }
            ')' | ']' | '}' => self.close(c),
            _ => {}
        }
        if !is_tight(c) {
            self.gap(is_tight);
        }
        self.out.push(c);
        (self.has_gap, self.string_at) = (false, None);
    }

    /// Takes a comma off before a bracket closes, unless it makes what stands there a tuple.
    fn close(&mut self, c: char) {
        let (has_arguments, commas) = self.open.pop().unwrap_or_default();
        let is_tuple = match c {
            ')' => !has_arguments && commas == 1,
            ']' => has_arguments && commas == 1,
            _ => false,
        };
        while self.out.ends_with(',') && !is_tuple {
            self.out.pop();
        }
    }

    /// Takes the string with which a text begins, behind its prefix; its length.
    fn string(&mut self, prefix: &str, text: &str) -> usize {
        let mark = mark(text);
        let inner = closing(&text[mark.len()..], mark).map(|length| &text[mark.len()..][..length]);
        let mut prefix = prefix.to_ascii_lowercase();
        let is_raw = prefix.contains('r');
        prefix.retain(|c| !"ru".contains(c));
        let start = format!("{prefix}\"");
        // Behind an octal escape a digit would be read as a part of that.
        let is_octal = |c: char| ('0'..='7').contains(&c);
        let held = self.out.strip_suffix('"').unwrap_or_default();
        let digits = held.len() - held.trim_end_matches(is_octal).len();
        let is_apart = inner.is_some_and(|inner| inner.starts_with(is_octal))
            && (1..=2).contains(&digits)
            && held[..held.len() - digits].ends_with('\\');
        let before = self
            .string_at
            .filter(|at| self.out[*at..].starts_with(&start));
        let at = match before.filter(|_| !is_apart) {
            // Two that stand side by side are one.
            Some(at) => {
                self.out.pop();
                at
            }
            None => {
                self.gap(|c| "()[]{},".contains(c));
                self.out.push_str(&start);
                self.out.len() - start.len()
            }
        };
        content(inner.unwrap_or(&text[mark.len()..]), is_raw, &mut self.out);
        self.out.push('"');
        (self.has_gap, self.string_at) = (false, Some(at));
        inner.map_or(text.len(), |inner| inner.len() + 2 * mark.len())
    }

    /// Begins a line with the indentation of what follows; the length of both.
    fn line(&mut self, following: &str) -> usize {
        let indent = following.len() - following.trim_start_matches([' ', '\t']).len();
        self.out.push('\n');
        self.out.push_str(&following[..indent]);
        (self.has_gap, self.string_at) = (false, None);
        1 + indent
    }

    /// Writes the white space before what comes next, unless that stands at a bracket or a comma.
    fn gap(&mut self, is_tight: impl Fn(char) -> bool) {
        if self.has_gap && !self.out.is_empty() && !self.out.ends_with(is_tight) {
            self.out.push(' ');
        }
    }
}

/// Writes what a string holds as one in double quotes does.
fn content(inner: &str, is_raw: bool, out: &mut String) {
    let mut chars = inner.chars();
    while let Some(c) = chars.next() {
        match c {
            '"' => out.push_str("\\\""),
            '\n' => out.push_str("\\n"),
            '\\' if is_raw => out.push_str("\\\\"),
            '\\' => match chars.next() {
                Some('\'') => out.push('\''),
                Some('\n') | None => {}
                Some(next) => out.extend(['\\', next]),
            },
            c => out.push(c),
        }
    }
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
    fn a_value_has_one_form() {
        for (one, other, expected) in [
            ("[\n    1,  # one\n    # two\n    2,\n]", "[1, 2]", true),
            ("'#a' + \"#b\" # c", "\"#a\" + '#b'", true),
            ("'''a\nb'''", "\"a\\n\" \"b\"", true),
            ("\"\"\"\\\na\n\"\"\"", "('a\\n')", true),
            ("'a' \\\n  'b'", "\"ab\"", true),
            ("('a'\n  # x\n  'b')", "\"ab\"", true),
            ("'a  b'", "'a b'", false),
            ("'a' + 'b'", "'ab'", false),
            ("('a', 'b')", "('ab')", false),
            ("b'a' b'b'", "b'ab'", true),
            ("f'a' 'b'", "'ab'", false),
            ("r'\\d' '\\\\w'", "'\\\\d\\\\w'", true),
            ("u'it\\'s'", "\"it's\"", true),
            ("'a\"b'", "\"a\\\"b\"", true),
            ("x if y else z", "x if y\n  else z", true),
            ("('a',)", "('a')", false),
            ("f('a',)", "f('a')", true),
            ("x[1,]", "x[1]", false),
            ("x[1, 2,]", "x[1, 2]", true),
            ("[1,]", "[1]", true),
            ("'\\0' '1'", "'\\01'", false),
            ("'a' '1'", "'a1'", true),
            ("r'a' r'\\d'", "'a\\\\d'", true),
            ("not 'a'", "not'a'", false),
            ("'# a", "'# b", false),
        ] {
            let form = |text: &str| without_brackets(&one_form(text)).to_owned();
            assert_eq!(form(one) == form(other), expected, "{one} {other}");
        }
    }

    #[test]
    fn statements_may_be_broken_into_lines() {
        for (one, other, expected) in [
            (
                "f(a, b)\ng()\n",
                "f(\n    a,  # one\n    b,\n)\n\n# two\ng()",
                true,
            ),
            ("x = 'a'\n", "x = \"a\"", true),
            ("x = a + \\\n  b", "x = a + b", true),
            ("if a:\n    f()\n    g()", "if a:\n    f()\ng()", false),
            (
                "if a:\n    f()\n    g()",
                "if a:\n\n    f()\n    # c\n    g()",
                true,
            ),
            ("f()\ng()", "f() g()", false),
            ("'a'\n'b'", "'ab'", false),
            ("x = (1,)", "x = (1)", false),
            ("x = \"\"\"\n a\n\"\"\"", "x = \"\"\"\na\n\"\"\"", false),
        ] {
            assert_eq!(
                statements(one) == statements(other),
                expected,
                "{one} {other}"
            );
        }
    }

    proptest::proptest! {
        #[test]
        fn the_form_of_a_form_is_the_same(
            parts in proptest::collection::vec(r#"[acz(,)\[\]= \n]{0,4}( |#é"\n)?|[rbfu]?("[acé'#\n]*"|'[ac" ]*')"#, 0..8),
        ) {
            let form = one_form(&parts.join(" "));
            proptest::prop_assert_eq!(one_form(&form), form);
        }

        #[test]
        fn no_text_is_too_broken(text in r#"[a-c rbuf"'\\#\n(,)\[\]=é]{0,40}"#) {
            one_form(&text);
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
