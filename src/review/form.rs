//! The form in which signatures are compared: what a caller writes and what the call returns.
//!
//! | language | means nothing |
//! |---|---|
//! | Rust | spaces beside what is no word, `std::`, `core::`, `alloc::` before a path, `crate::` and `self::` before what is passed on, lifetimes that need no name, `mut` before a parameter |
//! | Go | names of parameters, results and receivers; `any` is `interface{}` |
//! | these, C++, C#, Java, JavaScript, TypeScript | how a number is written: `0x00_ff` is `0xFF`, where no quote stands |
//! | C | names of parameters, marks of linkers, the old style of declaring parameters behind the list |

use std::borrow::Cow;

use super::lifetime;
use super::signature::{Parts, find_word, is_word, parts, plain_numbers};
use crate::symbol::Language;
use crate::symbol::{closing, split, value_at};

/// The form of a signature; `None` where it is compared as it is written. `lifetimes` are those that need no name in what is
/// around it.
pub(super) fn form(
    language: Option<Language>,
    signature: &str,
    name: &str,
    lifetimes: &[String],
) -> Option<String> {
    let form = match language? {
        Language::Rust => tight(&without_elided(&lifetime::without(
            &without_std(signature),
            lifetimes,
        ))),
        Language::Go => go(signature, name),
        Language::C => c(signature, name).unwrap_or_else(|| signature.to_owned()),
        Language::Cpp
        | Language::CSharp
        | Language::Java
        | Language::JavaScript
        | Language::Tsx
        | Language::TypeScript => signature.to_owned(),
        _ => return None,
    };
    let form = match plain_numbers(&form) {
        Cow::Borrowed(_) => form,
        Cow::Owned(plain) => plain,
    };
    (form != signature).then_some(form)
}

/// A signature without the spaces that say nothing: `T : A` is `T: A`, and `<B=C>` is `<B = C>`. What has a value keeps those of
/// the value.
fn tight(signature: &str) -> String {
    let end = value_at(signature).unwrap_or(signature.len());
    let mut out = String::with_capacity(signature.len());
    let mut characters = signature[..end].trim_end().chars().peekable();
    while let Some(c) = characters.next() {
        let is_between_words =
            out.ends_with(is_word) && characters.peek().is_some_and(|next| is_word(*next));
        if c != ' ' || is_between_words {
            out.push(c);
        }
    }
    if end < signature.len() {
        out.push_str(" = ");
        out.push_str(signature[end..].trim_start_matches(['=', ' ']));
    }
    out
}

/// The crates of Rust that come with the language.
const STD: [&str; 3] = ["std::", "core::", "alloc::"];

fn without_std(signature: &str) -> String {
    let mut out = String::with_capacity(signature.len());
    let mut rest = signature;
    while let Some((at, name)) = first_of(rest, &STD) {
        let end = at + name.len();
        let is_part = |c: char| c.is_alphanumeric() || c == '_' || c == ':';
        let is_whole = !rest[..at].ends_with(is_part);
        out.push_str(&rest[..if is_whole { at } else { end }]);
        rest = &rest[end..];
    }
    out + rest
}

/// A lifetime without a name may be left out, `mut` before a parameter is the function's own matter, and whether an implementation
/// is unsafe follows from its trait.
fn without_elided(signature: &str) -> String {
    let short = signature.replace("<'_>", "").replace("'_, ", "");
    let short = short.replace("(mut ", "(").replace(", mut ", ", ");
    let implementation = short.strip_prefix("unsafe ").unwrap_or(&short);
    if let Some((lead, target)) = implementation.split_once(" for ")
        && lead.starts_with("impl")
    {
        return format!("{} for {target}", without_path(lead));
    }
    match short.split_once("use ") {
        Some((lead, path)) if short.starts_with("pub") => {
            let path = ["crate::", "self::", "::"]
                .iter()
                .fold(path, |path, start| path.strip_prefix(start).unwrap_or(path));
            format!("{lead}use {path}")
        }
        _ => short,
    }
}

/// The head of an implementation without the path before its trait, which a file may import or write out.
fn without_path(lead: &str) -> String {
    let end = lead
        .rfind('<')
        .filter(|_| lead.ends_with('>'))
        .unwrap_or(lead.len());
    let start = lead[..end].rfind(' ').map_or(0, |at| at + 1);
    let name = lead[start..end]
        .rfind("::")
        .map_or(start, |at| start + at + 2);
    format!("{}{}", &lead[..start], &lead[name..])
}

fn first_of<'n>(text: &str, names: &[&'n str]) -> Option<(usize, &'n str)> {
    let found = names
        .iter()
        .filter_map(|name| Some((text.find(name)?, *name)));
    found.min_by_key(|(at, _)| *at)
}

fn go(signature: &str, name: &str) -> String {
    let signature = signature.replace("interface{}", "any");
    let Some(Parts {
        lead,
        generics,
        parameters: Some(parameters),
        behind,
    }) = parts(&signature, name)
    else {
        return go_type(&signature);
    };
    let lead = match lead.trim().strip_prefix("func") {
        // Names of type parameters stand with the type itself.
        Some(receiver) => {
            let receiver = go_list(receiver.trim());
            format!("func {}", receiver.split('[').next().unwrap_or_default())
        }
        None => lead.trim().to_owned(),
    };
    format!(
        "{lead} {name}{generics}({}) {}",
        go_types(&parameters).join(", "),
        go_list(behind)
    )
}

/// A list in brackets without its names; anything else as it is.
fn go_list(text: &str) -> String {
    let inner = text
        .strip_prefix('(')
        .and_then(|rest| rest.strip_suffix(')'));
    inner.map_or_else(
        || go_type(text),
        |inner| match &go_types(&split(inner))[..] {
            // A result in brackets is one without.
            [one] => one.clone(),
            types => types.join(", "),
        },
    )
}

/// A type in which those of functions have no names of parameters: `func(a, b int) error` is `func(int, int) error`.
fn go_type(text: &str) -> String {
    let Some(at) = find_word(text, "func").filter(|at| text[at + 4..].starts_with('(')) else {
        return text.to_owned();
    };
    let (before, rest) = text.split_at(at + 4);
    let Some(end) = closing(rest) else {
        return text.to_owned();
    };
    let parameters = go_types(&split(&rest[1..end])).join(", ");
    let behind = rest[end + 1..].trim();
    let results = go_list(behind);
    // Several results stay in brackets, or a comma behind them would be read as one of theirs.
    let results = match behind.starts_with('(') && split(&results).len() > 1 {
        true => format!(" ({results})"),
        false if results.is_empty() => results,
        false => format!(" {results}"),
    };
    format!("{before}({parameters}){results}")
}

/// The types of parameters: either all have names or none has, and a name without a type has that of the next.
fn go_types(list: &[&str]) -> Vec<String> {
    if !list.iter().any(|text| go_named(text).is_some()) {
        return list.iter().map(|text| go_type(text)).collect();
    }
    let mut types: Vec<String> = Vec::new();
    for text in list.iter().rev() {
        let of_next = || types.last().cloned().unwrap_or_default();
        types.push(go_named(text).map_or_else(of_next, go_type));
    }
    types.reverse();
    types
}

/// The type of a parameter that has a name.
fn go_named(text: &str) -> Option<&str> {
    const TYPES: [&str; 5] = ["chan", "func", "map", "struct", "interface"];
    let (first, rest) = text.split_once(' ')?;
    (first.chars().all(is_word) && !TYPES.contains(&first)).then_some(rest.trim())
}

/// Words of C that are no name of a parameter.
const C_TYPES: [&str; 14] = [
    "char", "short", "int", "long", "float", "double", "void", "signed", "unsigned", "const",
    "volatile", "struct", "enum", "union",
];
/// Words before a declaration of C that say nothing of its type.
const C_LEADS: [&str; 7] = [
    "extern",
    "inline",
    "__inline",
    "__inline__",
    "register",
    "static",
    "_Noreturn",
];

fn c(signature: &str, name: &str) -> Option<String> {
    let tokens = c_tokens(signature);
    let at = tokens.iter().position(|token| *token == name)?;
    let lead: Vec<&str> = tokens[..at].iter().copied().filter(is_of_type).collect();
    // `OF((int x))`: the list stands in the bracket of a macro.
    let mut open = at + 1;
    if tokens.get(open).is_some_and(|word| is_loud(word)) {
        open += 1;
    }
    if tokens.get(open) != Some(&"(") {
        return None;
    }
    let end = closed(&tokens, open)?;
    let (mut list, behind) = (&tokens[open + 1..end], &tokens[end + 1..]);
    if list.first() == Some(&"(") && closed(list, 0) == Some(list.len() - 1) {
        list = &list[1..list.len() - 1];
    }
    let declared = c_split(behind, ";");
    let old_style = |word: &str| {
        declared
            .iter()
            .flat_map(|one| c_declared(one))
            .find(|(known, _)| *known == word)
            .map(|(_, text)| text)
    };
    let types = c_split(list, ",").into_iter().map(|one| match one {
        [word] => old_style(word).unwrap_or_else(|| (*word).to_owned()),
        one => c_type(one),
    });
    let mut types: Vec<String> = types.collect();
    if types == ["void"] {
        types.clear();
    }
    Some(format!("{} {name}({})", lead.join(" "), types.join(", ")))
}

/// The names that one declaration behind a list gives, with their types: `char *a, b`.
fn c_declared<'t>(tokens: &[&'t str]) -> Vec<(&'t str, String)> {
    let parts = c_split(tokens, ",");
    let Some(first) = parts.first() else {
        return Vec::new();
    };
    let is_name = |token: &&str| token.starts_with(|c: char| is_word(c) && !c.is_numeric());
    let lead = first.iter().rposition(is_name).unwrap_or(0);
    let lead = first[..lead]
        .iter()
        .rposition(|token| *token != "*")
        .map_or(0, |at| at + 1);
    let mut found = Vec::new();
    for (at, part) in parts.iter().enumerate() {
        let own = if at == 0 { &part[lead..] } else { part };
        let whole: Vec<&str> = first[..lead].iter().chain(own).copied().collect();
        if let Some(name) = own.iter().rev().find(|token| is_name(token)) {
            found.push((*name, c_type(&whole)));
        }
    }
    found
}

/// A parameter without its name: `const char *name` is `const char *`, and `char a[4]` is `char *`.
fn c_type(tokens: &[&str]) -> String {
    let mut kept: Vec<&str> = tokens.iter().copied().filter(is_of_type).collect();
    let mut arrays = 0;
    while let Some(open) = kept.iter().rposition(|token| *token == "[") {
        if kept.last() != Some(&"]") {
            break;
        }
        kept.truncate(open);
        arrays += 1;
    }
    // `void (*f)(int x)`: the name stands behind the star.
    if let Some(star) = kept.windows(2).position(|two| two == ["(", "*"]) {
        if kept.get(star + 3) == Some(&")") {
            kept.remove(star + 2);
        }
    } else if let [before @ .., last] = &kept[..]
        && last.starts_with(is_word)
        && !C_TYPES.contains(last)
        && before
            .iter()
            .any(|word| !matches!(*word, "const" | "volatile" | "struct" | "enum" | "union"))
            | (before.len() > 1)
    {
        kept.pop();
    }
    // What a function does with its own copy is its own affair.
    if kept.last() == Some(&"const") && kept.contains(&"*") {
        kept.pop();
    }
    kept.extend(std::iter::repeat_n("*", arrays));
    kept.join(" ")
}

/// Marks for linkers and compilers are no part of a type.
fn is_of_type(token: &&str) -> bool {
    const MARKS: [&str; 8] = [
        "EXPORT", "EXTERN", "IMPORT", "_API", "INTERNAL", "LOCAL", "PUBLIC", "CALL",
    ];
    let is_named = || MARKS.iter().any(|mark| token.contains(mark)) || token.ends_with("API");
    let is_mark = is_loud(token) && is_named();
    !is_mark && !C_LEADS.contains(token)
}

fn is_loud(token: &str) -> bool {
    let is_capital = |c: char| c.is_ascii_uppercase() || c.is_ascii_digit() || c == '_';
    token.len() > 1 && token.chars().all(is_capital) && token.starts_with(|c: char| !c.is_numeric())
}

pub(super) fn c_tokens(text: &str) -> Vec<&str> {
    let (mut tokens, mut rest) = (Vec::new(), text.trim_start());
    while let Some(first) = rest.chars().next() {
        let length = if is_word(first) {
            rest.find(|c| !is_word(c)).unwrap_or(rest.len())
        } else {
            first.len_utf8()
        };
        tokens.push(&rest[..length]);
        rest = rest[length..].trim_start();
    }
    tokens
}

/// The place of the bracket that closes the one at a place.
fn closed(tokens: &[&str], open: usize) -> Option<usize> {
    let mut depth = 0_usize;
    (open..tokens.len()).find(|at| {
        match tokens[*at] {
            "(" => depth += 1,
            ")" => depth = depth.saturating_sub(1),
            _ => {}
        }
        depth == 0
    })
}

fn c_split<'a, 't>(tokens: &'a [&'t str], mark: &str) -> Vec<&'a [&'t str]> {
    let (mut parts, mut from, mut depth) = (Vec::new(), 0, 0_i32);
    for (at, token) in tokens.iter().enumerate() {
        match *token {
            "(" | "[" | "{" => depth += 1,
            ")" | "]" | "}" => depth -= 1,
            token if token == mark && depth == 0 => {
                parts.push(&tokens[from..at]);
                from = at + 1;
            }
            _ => {}
        }
    }
    parts.push(&tokens[from..]);
    parts.retain(|part| !part.is_empty());
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn is_same(language: Language, name: &str, [one, other]: [&str; 2]) -> bool {
        let form = |text: &str| form(Some(language), text, name, &[]).unwrap_or(text.to_owned());
        form(one) == form(other)
    }

    /// By language: two signatures, and between them whether they are the same to a caller.
    const PAIRS: &str = "
        rust fn f(&self) -> Bytes == fn f(&self) -> Bytes<'_>
        rust fn f() -> Cow<str> == fn f() -> Cow<'_, str>
        rust impl<'a> From<&'a str> for A == impl From<&str> for A
        rust impl<'a> From<&'a str> for A<'a> != impl From<&str> for A
        rust pub use a::f == pub use crate::a::f
        rust pub use a::f != pub use b::f
        rust fn f(&mut fmt::Formatter<'_>) -> fmt::Result == fn f(&mut std::fmt::Formatter<'_>) -> core::fmt::Result
        rust fn f() -> io::Result<()> != fn f() -> fmt::Result<()>
        rust fn f() -> my_std::A != fn f() -> my_A
        rust fn f(mut self, mut a: A) == fn f(self, a: A)
        rust fn f(&mut self, a: *mut A) != fn f(&self, a: *const A)
        rust unsafe impl f for A == impl f for A
        rust impl fmt::f for A == impl f for A
        rust impl<T: a::B> x::f<u8> for A == impl<T: a::B> f<u8> for A
        rust impl f<a::B> for A != impl f<c::B> for A
        go func f(path string, v interface{}) (MetaData, error) == func f(p string, v any) (MetaData, error)
        go func f(a, b int, c string) (n int, err error) == func f(x int, y int, z string) (int, error)
        go func f(a, b int) != func f(a int)
        go func (d *T) f(x chan int) == func (t *T) f(y chan int)
        go func (d *T) f() != func (d T) f()
        go func (d *T[A, B]) f() == func (d *T[A, B, C]) f()
        go func f(map[string]int, func(a int) error) == func f(map[string]int, func(a int) error)
        go func f[T any](x T) error != func f[K any](x K) error
        go func f() (err error) == func f() error
        go func f(g func() (int, error)) != func f(g func() int, e error)
        go func f() (func() (n int, e error)) == func f() func() (int, error)
        go func f(k string) func(next http.Handler) http.Handler == func f(k string) func(http.Handler) http.Handler
        go func f(a []func(x, y int) error) == func f([]func(int, int) error)
        go type f func(w Writer, r *Request) (n int, err error) == type f func(Writer, *Request) (int, error)
        go type f func(w Writer) != type f func(r Reader)
        go f func(a func(b int)) error == f func(func(int)) error
        rust const f: A = A(0b0_0100) == const f: A = A(0b00_0100)
        rust const f: u32 = 1_000 == const f: u32 = 1000
        rust pub trait f : Iterator == pub trait f: Iterator
        rust type f=A::Item == type f = A::Item
        rust fn f(a: impl Iterator<Item=A>) == fn f(a: impl Iterator<Item = A>)
        rust fn f(a: &mut dyn A) != fn f(a: &mutdyn A)
        rust const f: u32 = a : b != const f: u32 = a: b
        rust const f: u32 = 0x10 != const f: u32 = 0x100
        rust fn f_1_0(a_0b1: u8) != fn f_1_0(a_0b01: u8)
        c int f(const char *name, size_t n) == int f(const char * other, size_t)
        c int f(unsigned int x) == int f(unsigned int)
        c int f(struct item x) != int f(struct other x)
        c int f(void) == int f()
        c ZEXTERN int ZEXPORT f OF((z_streamp strm, int flush)) == int ZEXPORT f(z_streamp strm, int flush)
        c size_t PNGAPI f(void) == size_t f(void)
        c int f(strm, a, b) z_streamp strm; const char *a, *b; == int f(z_streamp strm, const char *a, const char *b)
        c void f(int (*cb)(int x), int a[4]) == void f(int (*back)(int x), int *a)
        c void f(item * const a) == void f(item *a)
        c void f(const item *a) != void f(item *a)
        c void f(int a) != void f(long a)
        c void f(int a) != int f(int a)
        c void f(int a) != void f(int a, int b)
        c void f(item a) != void f(thing a)
    ";

    #[test]
    fn what_a_caller_does_not_see_is_no_change() {
        for line in PAIRS.lines().map(str::trim).filter(|line| !line.is_empty()) {
            let (language, pair) = line.split_once(' ').expect("a language");
            let language = match language {
                "rust" => Language::Rust,
                "go" => Language::Go,
                _ => Language::C,
            };
            let (pair, expected) = match pair.split_once(" == ") {
                Some(pair) => (pair, true),
                None => (pair.split_once(" != ").expect("a pair"), false),
            };
            assert_eq!(is_same(language, "f", [pair.0, pair.1]), expected, "{line}");
        }
    }
}
