//! What is cut so that it fits: texts, and declarations to their names.

use crate::symbol::markdown_code;

/// Words with brackets that stand before the name of a declaration.
const NO_NAMES: [&str; 6] = [
    "pub",
    "(",
    "__attribute__",
    "__declspec",
    "alignas",
    "decltype",
];
/// Words in front of what is declared.
const MODIFIERS: [&str; 18] = [
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "sealed",
    "abstract",
    "final",
    "readonly",
    "partial",
    "export",
    "default",
    "pub",
    "pub(crate)",
    "override",
    "actual",
    "expect",
    "open",
];
/// Words that begin the declaration of a type.
pub(super) const TYPES: [&str; 13] = [
    "@interface",
    "class",
    "struct",
    "interface",
    "trait",
    "enum",
    "union",
    "record",
    "protocol",
    "object",
    "module",
    "type",
    "typedef",
];
/// Bytes of a declaration in the line of a child.
pub(super) const SIGNATURE_BYTES_MAX: usize = 48;

/// The beginning of a text, cut at a word so that it has at most `bytes_max` bytes.
pub(super) fn cut(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text
        .char_indices()
        .map(|(at, _)| at)
        .take_while(|at| *at <= bytes_max)
        .last()
        .unwrap_or(0);
    let end = text[..end].rfind(' ').unwrap_or(end);
    let end = before_code(text, end);
    format!("{} …", text[..end].trim_end_matches([' ', ',', ';', ':']))
}

/// A list of code spans cut to this length; the first of them is cut within where it is longer.
pub(super) fn first_span(text: &str, bytes_max: usize) -> String {
    let short = cut(text, bytes_max);
    let mut parts = text.split('`');
    match (parts.next(), parts.next()) {
        (Some(word), Some(span)) if !short.contains('`') => {
            let span = &span[..span.floor_char_boundary(bytes_max.min(span.len()))];
            let end = span.rfind(' ').unwrap_or(span.len());
            format!("{word}`{} …`", &span[..end])
        }
        _ => short,
    }
}

/// The place itself, or the start of the code span that it is in: one is shown whole or not at all.
fn before_code(text: &str, end: usize) -> usize {
    let mut at = 0;
    while let Some(next) = text[at..end].find('`') {
        let start = at + next;
        let fence = text[start..]
            .bytes()
            .take_while(|byte| *byte == b'`')
            .count();
        let mut close = start + fence;
        loop {
            let Some(next) = text[close..].find('`') else {
                return if start > 0 { start } else { end };
            };
            let run = text[close + next..]
                .bytes()
                .take_while(|byte| *byte == b'`')
                .count();
            close += next + run;
            if run == fence {
                break;
            }
        }
        if close > end {
            return if start > 0 { start } else { end };
        }
        at = close;
    }
    end
}

/// A declaration as code, short, with its name: without modifiers, so that none stands there as less visible than
/// another that is longer, and without what stands behind the name where that has no room.
pub(super) fn head(signature: &str) -> String {
    let signature = without_modifiers(bare(signature));
    // What an implementation asks of its types is none of what it is.
    let signature = match behind_bounds(signature) {
        Some(rest) if signature.len() > SIGNATURE_BYTES_MAX => format!("impl {rest}"),
        _ => signature.to_owned(),
    };
    // `(string[] Rest, int Count) Split(string[] all)` gives two values.
    let signature = behind_tuple(&signature);
    // What the parameters of a type must be is no part of its name.
    let signature = match signature.split_once(" where ") {
        Some((before, _)) if signature.len() > SIGNATURE_BYTES_MAX => before,
        _ => signature,
    };
    if signature.len() <= SIGNATURE_BYTES_MAX {
        return markdown_code(signature);
    }
    if let Some(name) = type_name(signature) {
        return markdown_code(&format!("{name} …"));
    }
    let brackets = signature.match_indices('(').map(|(at, _)| &signature[..at]);
    let mut brackets = brackets.filter(|before| {
        !NO_NAMES.iter().any(|word| before.ends_with(word)) && angles(before) == 0
    });
    let whole = brackets.next();
    let name = whole.map(without_bounds);
    if let Some(name) = name.filter(|name| name.ends_with(char::is_alphanumeric)) {
        let behind = &signature[whole.map_or(0, str::len)..];
        if let Some(named) = named_by_argument(name, behind) {
            return markdown_code(&named);
        }
        let last = name.rsplit(' ').next().unwrap_or(name);
        let name = if name.len() < SIGNATURE_BYTES_MAX {
            name
        } else {
            last
        };
        let parameters = if behind.starts_with("()") {
            "()"
        } else {
            "(…)"
        };
        return markdown_code(&format!("{name}{parameters}"));
    }
    if let Some((name, _)) = signature
        .split_once('=')
        .filter(|(name, _)| name.len() < SIGNATURE_BYTES_MAX && !name.is_empty())
    {
        return markdown_code(&format!("{name}= …"));
    }
    let name_end = signature
        .match_indices(' ')
        .map(|(at, _)| at)
        .nth(1)
        .unwrap_or(signature.len());
    markdown_code(&cut(signature, (name_end + 1).max(SIGNATURE_BYTES_MAX)))
}

/// How many angle brackets of a text are open at its end; an arrow closes none.
fn angles(text: &str) -> usize {
    const SIGNS: [&str; 6] = [
        "->",
        "=>",
        "operator<<",
        "operator>>",
        "operator<",
        "operator>",
    ];
    let text = SIGNS
        .iter()
        .fold(text.to_owned(), |text, sign| text.replace(sign, ""));
    let opened = text.matches('<').count();
    opened.saturating_sub(text.matches('>').count())
}

/// A name without its parameters of types: `fn look` of `fn look<F: Fn(u8)>`.
fn without_bounds(name: &str) -> &str {
    let ends = name.match_indices('<').map(|(at, _)| at);
    let mut ends = ends.filter(|at| angles(&name[..*at]) == 0);
    let last = ends.next_back().filter(|_| name.ends_with('>'));
    &name[..last.unwrap_or(name.len())]
}

/// A function without the values that it gives in brackets.
fn behind_tuple(signature: &str) -> &str {
    let mut depth = 0_usize;
    let close = signature.char_indices().find_map(|(at, sign)| {
        depth += usize::from(sign == '(');
        depth = depth.saturating_sub(usize::from(sign == ')'));
        (depth == 0).then_some(at)
    });
    let rest = close.map(|at| signature[at..].trim_start_matches([')', '?']).trim_start());
    let named = rest.filter(|rest| signature.starts_with('(') && is_called(rest));
    named.unwrap_or(signature)
}

/// `Split(…`, of which `=> …` is none.
fn is_called(text: &str) -> bool {
    let name = text.split('(').next().unwrap_or_default();
    name.len() < text.len() && name.starts_with(char::is_alphabetic)
}

/// What stands behind the types of an implementation: `Show for A<T>` of `impl<T: Fn(u8)> Show for A<T>`.
fn behind_bounds(signature: &str) -> Option<&str> {
    let rest = signature.strip_prefix("impl<")?;
    let ends = rest.match_indices('>').map(|(at, _)| at);
    let is_end = |at: &usize| {
        angles(&signature[.."impl<".len() + at]) == 1 && !rest[..*at].ends_with(['-', '='])
    };
    let end = ends.into_iter().find(is_end)?;
    Some(rest[end + 1..].trim_start())
}

/// `set(NAME …)`: what a call declares whose first argument is the name.
fn named_by_argument(name: &str, behind: &str) -> Option<String> {
    const WORDS: [&str; 8] = [
        "set",
        "option",
        "function",
        "macro",
        "AC_DEFUN",
        "AC_DEFUN_ONCE",
        "m4_define",
        "AU_ALIAS",
    ];
    let inner = behind.strip_prefix('(').filter(|_| WORDS.contains(&name))?;
    let quotes = ['[', ']', '"', '\''];
    let argument = inner
        .trim_start_matches(quotes)
        .split([' ', ',', ')', ']', '"'])
        .next()?;
    (!argument.is_empty()).then(|| format!("{name}({argument} …)"))
}

/// A type without its constructor and what it extends: `class A internal constructor(b: C) : D()` is `class A`.
fn type_name(signature: &str) -> Option<&str> {
    const ENDS: [&str; 5] = ["(", "<", " :", " constructor", " extends "];
    let word = signature
        .split(' ')
        .next()
        .filter(|word| TYPES.contains(word))?;
    let ends = ENDS.iter().filter_map(|end| signature.find(end));
    let mut name = &signature[..ends.min()?];
    while let Some((before, _)) = name
        .rsplit_once(' ')
        .filter(|(_, last)| MODIFIERS.contains(last))
    {
        name = before;
    }
    let own = name[word.len()..].trim_start();
    let is_name = !own.is_empty()
        && own
            .chars()
            .all(|c| c.is_alphanumeric() || "_.$".contains(c));
    (is_name && name.len() <= SIGNATURE_BYTES_MAX).then_some(name)
}

/// A declaration without the words in front of what it declares.
pub(super) fn without_modifiers(mut signature: &str) -> &str {
    while let Some((_, rest)) = signature
        .split_once(' ')
        .filter(|(word, _)| MODIFIERS.contains(word))
    {
        signature = rest;
    }
    signature
}

/// A declaration without what stands in front of it in brackets: parameters of a template, attributes.
pub(super) fn bare(signature: &str) -> &str {
    let brackets = [("template <", b'<', b'>'), ("__attribute__(", b'(', b')')];
    for (begin, open, close) in brackets {
        if !signature.starts_with(begin) {
            continue;
        }
        let mut depth = 0_usize;
        for (at, byte) in signature.bytes().enumerate().skip(begin.len() - 1) {
            depth += usize::from(byte == open);
            depth = depth.saturating_sub(usize::from(byte == close));
            let rest = signature[at..].get(1..).unwrap_or_default().trim_start();
            if depth == 0 && !rest.is_empty() {
                return rest;
            }
        }
    }
    signature
}
