//! What a signature says in few tokens: the names of parameters, what is returned, what a type builds on.
//!
//! Reads the signature of an outline, which is one line without comments, by the habits of its language. A signature
//! that was cut or that a macro tore apart gives less, never an error.

use crate::symbol::brackets::{closing, split, value_at};
use crate::symbol::comment::cap;
use crate::symbol::language::Language;
use crate::symbol::outline::{Kind, Symbol};

/// Longest result that is kept, in bytes.
const RESULT_BYTES_MAX: usize = 60;
/// Longest name of a parameter that is kept, in bytes.
const PARAMETER_BYTES_MAX: usize = 40;
/// Most parameters or bases that are kept.
pub(super) const PARTS_MAX: usize = 100;

/// The parts of a declaration that a map shows.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(super) struct Shape {
    pub is_async: bool,
    pub is_optional: bool,
    /// `None` for what takes none: a type, a variable.
    pub parameters: Option<Vec<String>>,
    pub result: String,
    /// What a type builds on.
    pub bases: Vec<String>,
}

/// Reads the shape of one declaration.
pub(super) fn shape(symbol: &Symbol, language: Language) -> Shape {
    let text = symbol.signature.as_str();
    match symbol.kind {
        Kind::Function | Kind::Method | Kind::Macro => function(symbol, language),
        Kind::Class | Kind::Struct | Kind::Enum | Kind::Interface => {
            let after = name_end(text, &symbol.name).map_or("", |end| &text[end..]);
            Shape {
                bases: bases(after, language),
                ..Shape::default()
            }
        }
        Kind::Field | Kind::Property | Kind::Variable | Kind::Constant => {
            let after = name_end(text, &symbol.name).map_or("", |end| text[end..].trim_start());
            let is_optional =
                after.starts_with('?') || is_optional_type(after.trim_start_matches([':', ' ']));
            Shape {
                is_optional,
                ..Shape::default()
            }
        }
        _ => Shape::default(),
    }
}

fn is_optional_type(text: &str) -> bool {
    text.starts_with("Option<") || text.starts_with("Optional[")
}

fn function(symbol: &Symbol, language: Language) -> Shape {
    let text = symbol.signature.as_str();
    let Some((start, open)) = opening(text, &symbol.name, language) else {
        return without_parentheses(symbol, language);
    };
    // A text that was cut ends before.
    let close = closing(&text[open..]).map_or(text.len(), |len| open + len);
    let inside = &text[open + 1..close];
    let is_method = symbol.kind == Kind::Method;
    let parts = split(inside);
    let named = parts.iter().any(|part| part.contains(' '));
    let names = parts
        .iter()
        .take(PARTS_MAX)
        .filter_map(|part| parameter(part, language, is_method, named));
    let head = text[..start].trim();
    let tail = text.get(close + 1..).unwrap_or_default().trim();
    Shape {
        is_async: words(head).any(|word| word == "async"),
        parameters: Some(names.collect()),
        result: if symbol.kind == Kind::Macro {
            String::new()
        } else {
            result(head, tail, language)
        },
        ..Shape::default()
    }
}

/// Ruby and shells write parameters without parentheses, or none.
fn without_parentheses(symbol: &Symbol, language: Language) -> Shape {
    let text = symbol.signature.as_str();
    let after = name_end(text, &symbol.name).map_or("", |end| text[end..].trim());
    let parameters = match (language, symbol.kind) {
        (_, Kind::Macro) => None,
        // `alias`, `define_method` and their like say nothing about parameters.
        (Language::Ruby, _) if !words(text).any(|word| word == "def") => Some(Vec::new()),
        (Language::Ruby, _) => Some(
            split(after)
                .iter()
                .filter_map(|part| parameter(part, language, false, true))
                .collect(),
        ),
        // `x => …`
        (Language::JavaScript | Language::TypeScript | Language::Tsx, _) => {
            let word = after
                .trim_start_matches(['=', ' '])
                .trim_start_matches("async ")
                .split(' ')
                .next()
                .unwrap_or_default();
            Some(
                word.chars()
                    .all(is_word)
                    .then(|| word.to_owned())
                    .filter(|word| !word.is_empty())
                    .into_iter()
                    .collect(),
            )
        }
        _ => Some(Vec::new()),
    };
    Shape {
        is_async: words(text).any(|word| word == "async"),
        parameters,
        ..Shape::default()
    }
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_' || c == '$'
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| !is_word(c))
        .filter(|word| !word.is_empty())
}

/// Where a name ends in its signature, as a whole word.
fn name_end(text: &str, name: &str) -> Option<usize> {
    places(text, name).next().map(|at| at + name.len())
}

fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let is_free = |c: Option<char>| !c.is_some_and(is_word);
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| {
        is_free(text[..*at].chars().next_back()) && is_free(text[at + name.len()..].chars().next())
    })
}

/// Where the name starts and the parentheses of its parameters open.
fn opening(text: &str, name: &str, language: Language) -> Option<(usize, usize)> {
    if name.is_empty() {
        return None;
    }
    let direct = places(text, name).find_map(|at| {
        let end = at + name.len();
        let rest = &text[end..];
        let skipped = rest.len() - after_generics(rest.trim_start()).trim_start().len();
        text[end + skipped..]
            .starts_with('(')
            .then_some((at, end + skipped))
    });
    let is_script = matches!(
        language,
        Language::JavaScript | Language::TypeScript | Language::Tsx
    );
    // `const name = async (a) => …`, `name = function (a) …`, and names that the text does not have.
    let loose = || {
        let start = name_end(text, name).unwrap_or(0);
        text[start..].find('(').map(|at| (start + at, start + at))
    };
    direct.or_else(|| {
        loose().filter(|_| is_script || matches!(language, Language::Cpp | Language::C))
    })
}

/// The text after a leading list of type parameters.
fn after_generics(text: &str) -> &str {
    let end = closing(text).filter(|_| text.starts_with(['<', '[']));
    end.map_or(text, |end| &text[end + 1..])
}

/// The name of one parameter, with `?` behind it when it can be left out; `None` for the object itself.
fn parameter(part: &str, language: Language, is_method: bool, are_named: bool) -> Option<String> {
    let value_at = value_at(part);
    let before_value = value_at.map_or(part, |at| part[..at].trim());
    let is_optional = value_at.is_some();
    let (name, is_optional) = match language {
        Language::Rust => rust_parameter(part)?,
        Language::Python => {
            let name = before_value.split(':').next().unwrap_or_default().trim();
            if is_method && matches!(name, "self" | "cls") || matches!(name, "*" | "/") {
                return None;
            }
            (name, is_optional)
        }
        Language::JavaScript | Language::TypeScript | Language::Tsx => {
            let name = before_value.split(": ").next().unwrap_or_default().trim();
            if name == "this" {
                return None;
            }
            let name = if name.starts_with(['{', '[']) {
                "{}"
            } else {
                name.rsplit(' ').next().unwrap_or_default()
            };
            let bare = name.trim_end_matches([':', '?']);
            (bare, is_optional || name.ends_with('?'))
        }
        Language::Go => (
            if are_named {
                part.split(' ').next().unwrap_or_default()
            } else {
                part
            },
            false,
        ),
        Language::Ruby => {
            let name = before_value.trim_end_matches(' ');
            let (name, default) = name
                .split_once(':')
                .map_or((name, ""), |(name, default)| (name, default.trim()));
            (name, is_optional || !default.is_empty())
        }
        Language::Php => {
            let name = before_value.rsplit(' ').next().unwrap_or_default();
            return short(&name.replace(['&', '$'], ""), is_optional);
        }
        // `name: Type`, `Type name`, `name`.
        _ if !language.has_grammar() => {
            let name = before_value.split([':', '\\']).next().unwrap_or_default();
            let name = name.trim().rsplit(' ').next().unwrap_or_default();
            (name, is_optional || before_value.contains("\\\\"))
        }
        _ => (last_name(before_value)?, is_optional),
    };
    short(name, is_optional)
}

fn short(name: &str, is_optional: bool) -> Option<String> {
    let name = cap(name, PARAMETER_BYTES_MAX);
    (!name.is_empty()).then(|| {
        if is_optional {
            format!("{name}?")
        } else {
            name
        }
    })
}

fn rust_parameter(part: &str) -> Option<(&str, bool)> {
    let (name, kind) = part.split_once(": ").unwrap_or((part, ""));
    let name = name.trim_start_matches(['&', ' ']);
    if name == "self" || name.ends_with(" self") {
        return None;
    }
    let name = name.trim_start_matches("mut ").trim_start_matches("ref ");
    Some((
        if name.starts_with(['(', '[']) {
            "_"
        } else {
            name
        },
        is_optional_type(kind),
    ))
}

/// The last name of `const char *argv[]`, `void (*done)(int)`, `int... values`; none for `void`.
fn last_name(part: &str) -> Option<&str> {
    let part = part.find("(*").map_or(part, |at| {
        part[at + 2..].split(')').next().unwrap_or_default()
    });
    // `char *argv[]`; in `int[] values` the brackets stand before the name.
    let part = part
        .split_once('[')
        .filter(|(_, after)| !after.contains(' '))
        .map_or(part, |(before, _)| before);
    let last = words(part).last()?;
    (last != "void" || part.contains('*')).then_some(last)
}

/// What stands before a result and is none.
const MODIFIERS: [&str; 40] = [
    "public",
    "private",
    "protected",
    "internal",
    "static",
    "final",
    "abstract",
    "async",
    "override",
    "virtual",
    "sealed",
    "synchronized",
    "native",
    "default",
    "extern",
    "inline",
    "constexpr",
    "explicit",
    "friend",
    "const",
    "unsafe",
    "partial",
    "new",
    "readonly",
    "strictfp",
    "volatile",
    "register",
    "__inline",
    "__inline__",
    "noexcept",
    "template",
    "typename",
    "consteval",
    "constinit",
    "thread_local",
    "mutable",
    "signed",
    "transient",
    "ref",
    "implicit",
];

/// What a function gives back; empty for nothing.
fn result(head: &str, tail: &str, language: Language) -> String {
    let said = match language {
        Language::Rust | Language::Python | Language::Swift => {
            tail.strip_prefix("->").unwrap_or_default()
        }
        Language::TypeScript
        | Language::Tsx
        | Language::Php
        | Language::Kotlin
        | Language::Scala => tail.strip_prefix(':').unwrap_or_default(),
        Language::Go => tail,
        Language::Java | Language::CSharp | Language::C | Language::Cpp => tail
            .find("->")
            .map_or_else(|| before_name(head), |at| &tail[at + 2..]),
        _ => "",
    };
    let ends = [" where ", " override", " final", " noexcept"];
    let said = ends
        .iter()
        .fold(said, |said, end| said.split(end).next().unwrap_or_default());
    let said = said
        .trim_end_matches("=>")
        .trim_end_matches([' ', ':', '{', ';'])
        .trim_start();
    if matches!(said, "" | "void" | "None" | "()" | "undefined") {
        return String::new();
    }
    cap(&squeeze(said), RESULT_BYTES_MAX)
}

/// The type before a name, without modifiers, template head and the type that a method is defined for.
fn before_name(head: &str) -> &str {
    // `void IShop.Sell()`
    let interface = head.rsplit(' ').next().filter(|word| word.ends_with('.'));
    let head = interface.map_or(head, |word| &head[..head.len() - word.len()]);
    let mut rest = head
        .strip_prefix("template")
        .map_or(head, |rest| after_generics(rest.trim_start()));
    loop {
        rest = rest.trim_start();
        if rest.starts_with('<') {
            let after = after_generics(rest);
            if after.len() == rest.len() {
                return "";
            }
            rest = after;
            continue;
        }
        let word = rest.split(|c: char| !is_word(c)).next().unwrap_or_default();
        let is_last = rest.len() == word.len();
        if word.is_empty() || !MODIFIERS.contains(&word) && (is_last || !is_macro(word)) {
            break;
        }
        rest = &rest[word.len()..];
    }
    let mut rest = rest.trim_end_matches(['~', ' ']);
    // `List<Key, Value>::Iterator::` is what a method is defined for.
    while let Some(owner) = rest.strip_suffix("::") {
        rest = before_generics(owner)
            .trim_end_matches(is_word)
            .trim_end_matches(' ');
    }
    rest
}

/// The text before a list of type arguments at its end.
fn before_generics(text: &str) -> &str {
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().rev() {
        match byte {
            b'>' => depth += 1,
            b'<' => depth = depth.saturating_sub(1),
            _ => {}
        }
        if depth == 0 {
            return if byte == b'<' { &text[..at] } else { text };
        }
    }
    text
}

/// A word such as `MEM_STATIC` before a type: most likely a macro that says something to the compiler.
fn is_macro(word: &str) -> bool {
    word.contains('_')
        && word
            .chars()
            .all(|c| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_')
}

/// A type without the spaces that only please the eye.
fn squeeze(text: &str) -> String {
    let mut out = text
        .replace(", ", ",")
        .replace(" | ", "|")
        .replace(" = ", "=")
        .replace(" + ", "+")
        .replace(" *", "*")
        .replace(" &", "&");
    out.truncate(out.trim_end().len());
    out
}

/// What stands after the name of a type, as the types that it builds on.
fn bases(after: &str, language: Language) -> Vec<String> {
    let after = after_generics(after.trim_start()).trim_start();
    let list = match language {
        Language::Python => after
            .strip_prefix('(')
            .map_or("", |rest| rest.trim_end_matches(')')),
        Language::Ruby => after.strip_prefix('<').unwrap_or_default(),
        Language::Rust | Language::CSharp | Language::Cpp | Language::Swift => {
            after.strip_prefix(':').unwrap_or_default()
        }
        Language::Kotlin => after_parameters(after)
            .trim_start()
            .strip_prefix(':')
            .unwrap_or_default(),
        Language::Java
        | Language::JavaScript
        | Language::TypeScript
        | Language::Tsx
        | Language::Php => after,
        _ => "",
    };
    let list = list.split(" where ").next().unwrap_or_default();
    let list = if language == Language::Rust {
        list.replace(" + ", ",")
    } else {
        list.to_owned()
    };
    let list = [" extends ", " implements ", " permits "]
        .iter()
        .fold(format!(" {list}"), |text, word| text.replace(word, ","));
    split(&list)
        .into_iter()
        .filter_map(base_name)
        .take(PARTS_MAX)
        .collect()
}

/// What stands behind the parameters of a constructor.
fn after_parameters(text: &str) -> &str {
    let Some(open) = text.find('(').filter(|open| !text[..*open].contains(':')) else {
        return text;
    };
    let mut depth = 0_usize;
    for (at, byte) in text.bytes().enumerate().skip(open) {
        match byte {
            b'(' => depth += 1,
            b')' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[at + 1..];
        }
    }
    ""
}

/// `public ns::Base<T>` as `Base`; nothing for keyword arguments and lifetimes.
pub(super) fn base_name(text: &str) -> Option<String> {
    let text = text
        .split(['<', '(', '[', '{'])
        .next()
        .unwrap_or_default()
        .trim();
    if text.contains('=') || text.contains('\'') {
        return None;
    }
    let word = text
        .rsplit([' ', ':', '.', '\\', '?'])
        .next()
        .unwrap_or_default();
    (!word.is_empty() && word.chars().all(is_word)).then(|| word.to_owned())
}
