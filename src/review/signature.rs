//! Signatures without what means nothing to those who use a declaration.

use std::borrow::Cow;

use super::literal;
use crate::symbol::{Language, closing, split};

/// Attributes that speak to the compiler about the body, or to nothing but a linter.
const SILENT: [&str; 12] = [
    "allow",
    "expect",
    "warn",
    "deny",
    "forbid",
    "inline",
    "cold",
    "doc",
    "rustfmt::",
    "clippy::",
    "SuppressWarnings",
    "track_caller",
];

/// Whether an attribute is a part of what others see.
pub(super) fn counts(attribute: &str) -> bool {
    let name = attribute
        .trim_start_matches(['#', '!', '[', '@'])
        .trim_start();
    // `cfg_attr(docsrs, doc(…))` is as silent as what it gives under its condition.
    if let Some(list) = name.strip_prefix("cfg_attr")
        && list.starts_with('(')
        && let Some(end) = closing(list)
    {
        return split(&list[1..end]).into_iter().skip(1).any(counts);
    }
    !SILENT.iter().any(|silent| {
        name.strip_prefix(silent).is_some_and(|rest| {
            silent.ends_with(':') || !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        })
    })
}

/// Numbers as they are compared: `0x00_ff` is `0xFF`.
pub(super) fn plain_numbers(text: &str) -> Cow<'_, str> {
    let is_marked = ["0x", "0X", "0b", "0o", "_"]
        .iter()
        .any(|mark| text.contains(mark));
    if !is_marked || text.contains(['"', '\'', '`']) {
        return Cow::Borrowed(text);
    }
    let (mut out, mut rest) = (String::with_capacity(text.len()), text);
    while let Some(at) = rest.find(is_word) {
        let end = rest[at..]
            .find(|c| !is_word(c))
            .map_or(rest.len(), |end| at + end);
        let word = &rest[at..end];
        out.push_str(&rest[..at]);
        if word.starts_with(|c: char| c.is_ascii_digit()) {
            let digits = word.replace('_', "").to_ascii_lowercase();
            match digits
                .get(..2)
                .filter(|base| matches!(*base, "0x" | "0b" | "0o"))
            {
                Some(base) => {
                    out.push_str(base);
                    out.push_str(digits[2..].trim_start_matches('0'));
                }
                None => out.push_str(&digits),
            }
        } else {
            out.push_str(word);
        }
        rest = &rest[end..];
    }
    Cow::Owned(out + rest)
}

/// Arguments of attributes that are texts for people who run the program.
const TEXTS: [&str; 2] = ["help = \"", "about = \""];

/// An attribute in the form in which it is compared: what `--help` says is read by people, not by callers.
pub(super) fn attribute(language: Option<Language>, text: &str) -> String {
    if language != Some(Language::Rust) {
        return normal(language, text);
    }
    let mut out = text.to_owned();
    for name in TEXTS {
        while let Some(at) = out.find(name) {
            let start = out[..at].trim_end_matches(is_word).len();
            let inner = &out[at + name.len()..];
            let mut last = ' ';
            let end = inner.find(|c| std::mem::replace(&mut last, c) != '\\' && c == '"');
            let Some(end) = end else { break };
            let end = at + name.len() + end + 1;
            let end = end + out[end..].len() - out[end..].trim_start_matches([',', ' ']).len();
            out.replace_range(start..end, "");
        }
    }
    out
}

/// A part of a name.
pub(super) fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

/// A signature as it is shown. In Python, an annotation says the same with quotes and without.
pub(super) fn normal(language: Option<Language>, signature: &str) -> String {
    if language == Some(Language::Python) {
        literal::one_quote(&without_quotes(signature))
    } else {
        signature.to_owned()
    }
}

/// A text that is a value, in the form in which it is compared: how its lines are broken means nothing, nor do comments.
pub(super) fn normal_value(language: Option<Language>, text: &str) -> String {
    if language == Some(Language::Python) {
        return literal::without_brackets(&literal::one_form(text)).to_owned();
    }
    let words: Vec<&str> = text.split_whitespace().collect();
    let folded = words.join(" ");
    let tight = |c: char| "()[]{},".contains(c);
    let mut out = String::with_capacity(folded.len());
    for c in folded.chars() {
        if tight(c) && out.ends_with(' ') {
            out.pop();
        }
        if ")]}".contains(c) && out.ends_with(',') {
            out.pop();
        }
        if c != ' ' || !out.ends_with(tight) {
            out.push(c);
        }
    }
    out
}

/// Signatures that are longer keep the quotes of their annotations.
const ANNOTATED_BYTES_MAX: usize = 16 * 1024;

/// Takes the quotes off strings that are annotations.
fn without_quotes(signature: &str) -> String {
    if signature.len() > ANNOTATED_BYTES_MAX {
        return signature.to_owned();
    }
    let mut out = String::with_capacity(signature.len());
    let mut rest = signature;
    while let Some(at) = rest.find(['"', '\'']) {
        let quote = &rest[at..=at];
        let Some(length) = rest[at + 1..].find(quote) else {
            break;
        };
        let inner = &rest[at + 1..at + 1 + length];
        out.push_str(&rest[..at]);
        let is_type = |c: char| c.is_alphanumeric() || "_.[], |".contains(c);
        if !inner.is_empty() && inner.chars().all(is_type) && is_in_annotation(&out) {
            out.push_str(inner);
        } else {
            out.push_str(&rest[at..at + length + 2]);
        }
        rest = &rest[at + length + 2..];
    }
    out + rest
}

/// Whether what follows a text is an annotation, or a part of one: it stands behind `:`, `->` or `|`, or in the brackets of a type
/// that does. The arguments of `Literal`, and those of `Annotated` behind the first, are values, and so is what follows `=` or
/// stands in a `lambda`.
fn is_in_annotation(before: &str) -> bool {
    let mut before = before.trim_end();
    loop {
        let is_behind = |marks: &[&str]| marks.iter().any(|mark| before.ends_with(mark));
        let (open, part) = last_part(before);
        let Some(at) = open.filter(|at| before[*at..].starts_with('[')) else {
            let is_list = open.is_none_or(|at| before[at..].starts_with('('));
            let is_value = part.contains('=') || part.contains("lambda");
            return is_list && !is_value && is_behind(&[":", "->", "|"]);
        };
        if !is_behind(&["[", ",", "|"]) {
            return false;
        }
        let lead = before[..at].trim_end_matches(|c| is_word(c) || c == '.');
        let name = before[lead.len()..at].rsplit('.').next();
        if name == Some("Literal") || name == Some("Annotated") && before[at..].contains(',') {
            return false;
        }
        before = lead.trim_end();
    }
}

/// Where the innermost bracket stands that is still open at the end of a text, and what stands behind it and the last comma in it.
fn last_part(text: &str) -> (Option<usize>, &str) {
    let (mut closed, mut part) = (0_usize, None);
    for (at, c) in text.char_indices().rev() {
        match c {
            // Behind a list of parameters the annotation of what is returned begins.
            ')' if closed == 0 && part.is_none() && text[at..].contains("->") => {
                part = Some(at + 1);
                closed = 1;
            }
            ')' | ']' | '}' => closed += 1,
            '(' | '[' | '{' if closed == 0 => {
                return (Some(at), &text[part.unwrap_or(at + 1)..]);
            }
            '(' | '[' | '{' => closed -= 1,
            ',' if closed == 0 && part.is_none() => part = Some(at + 1),
            _ => {}
        }
    }
    (None, &text[part.unwrap_or(0)..])
}

/// A signature in parts: what stands before the name, between it and the list of parameters, these, and what follows.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Parts<'s> {
    pub lead: &'s str,
    pub generics: &'s str,
    /// `None` where there is no list.
    pub parameters: Option<Vec<&'s str>>,
    pub behind: &'s str,
}

/// Cuts a signature at a name and at the list behind it; `None` where the name is not in it.
pub(super) fn parts<'s>(signature: &'s str, name: &str) -> Option<Parts<'s>> {
    let at = find_word(signature, name)?;
    let (lead, rest) = (&signature[..at], &signature[at + name.len()..]);
    let list = list_start(rest).and_then(|start| Some((start, closing(&rest[start..])?)));
    let Some((start, length)) = list else {
        return Some(Parts {
            lead,
            generics: "",
            parameters: None,
            behind: rest,
        });
    };
    Some(Parts {
        lead,
        generics: rest[..start].trim(),
        parameters: Some(split(&rest[start + 1..start + length])),
        behind: rest[start + length + 1..].trim(),
    })
}

/// Where a list starts, type parameters passed over.
fn list_start(rest: &str) -> Option<usize> {
    let text = rest.trim_start();
    let skipped = if text.starts_with(['<', '[']) {
        closing(text)? + 1
    } else {
        0
    };
    let list = text[skipped..].trim_start();
    list.starts_with('(').then(|| rest.len() - list.len())
}

/// The places at which a name stands as a whole word.
pub(super) fn places_of<'t>(text: &'t str, word: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_whole = move |at: &usize| {
        let behind = &text[at + word.len()..];
        !word.is_empty() && !text[..*at].ends_with(is_word) && !behind.starts_with(is_word)
    };
    text.match_indices(word).map(|(at, _)| at).filter(is_whole)
}

/// The first of them.
pub(super) fn find_word(text: &str, word: &str) -> Option<usize> {
    places_of(text, word).next()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn attributes_for_the_documentation_mean_nothing_under_a_condition() {
        for (text, expected) in [
            (
                "#[cfg_attr(docsrs, doc(cfg(any(feature = \"a\", feature = \"b\"))))]",
                false,
            ),
            ("#[cfg_attr(doc_cfg, doc(cfg(x)), inline)]", false),
            ("#[cfg_attr(all(test, x), doc = \"a, must_use\", )]", false),
            ("#[cfg_attr(docsrs, doc(hidden), must_use)]", true),
            (
                "#[cfg_attr(feature = \"a\", derive(Serialize, Debug))]",
                true,
            ),
            ("#[cfg(feature = \"a\")]", true),
        ] {
            assert_eq!(counts(text), expected, "{text}");
        }
    }

    #[test]
    fn quotes_around_annotations_mean_nothing() {
        for (text, expected) in [
            ("def f(a: \"A\") -> 'B'", "def f(a: A) -> B"),
            (
                "def f() -> t.Iterator[\"Rule\"]",
                "def f() -> t.Iterator[Rule]",
            ),
            (
                "x: Union[\"A\", dict[str, \"B\"]]",
                "x: Union[A, dict[str, B]]",
            ),
            (
                "x: Optional[A | \"B\"] = y[\"k\"]",
                "x: Optional[A | B] = y[\"k\"]",
            ),
            ("x: Literal[\"a\", \"b\"]", "x: Literal[\"a\", \"b\"]"),
            ("x: Annotated[\"A\", \"b\"]", "x: Annotated[A, \"b\"]"),
            (
                "def f(a: dict = {\"a\": \"b\"})",
                "def f(a: dict = {\"a\": \"b\"})",
            ),
            ("def f(k=lambda: \"x\")", "def f(k=lambda: \"x\")"),
            (
                "def f(k=g(lambda: \"x\"), a: \"A\" = 1) -> \"B\"",
                "def f(k=g(lambda: \"x\"), a: A = 1) -> B",
            ),
            ("def f(k=a | \"x\")", "def f(k=a | \"x\")"),
        ] {
            assert_eq!(normal(Some(Language::Python), text), expected);
        }
    }

    #[test]
    fn what_help_says_is_no_part_of_an_attribute() {
        for (text, expected) in [
            (
                "#[arg(long, help = \"a \\\"b\\\", c\", long_help)]",
                "#[arg(long, long_help)]",
            ),
            ("#[arg(long_help = \"a\", short)]", "#[arg(short)]"),
            ("#[arg(help = x, short)]", "#[arg(help = x, short)]"),
            ("#[arg(help = \"a", "#[arg(help = \"a"),
        ] {
            assert_eq!(attribute(Some(Language::Rust), text), expected);
        }
    }
}
