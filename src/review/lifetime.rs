//! Lifetimes of Rust that need no name: `impl<'a> From<&'a str> for A` gives what `impl From<&str> for A` gives.
//!
//! A lifetime needs none where the list behind `impl` or a name declares it without a bound, and it is used once. What stands in
//! an implementation may use it too, and is then compared without it.

use super::signature::is_word;

/// The lifetimes that a signature declares and uses once, as in `'a`.
pub(super) fn nameless(signature: &str) -> Vec<&str> {
    let Some((list, _)) = declared(signature) else {
        return Vec::new();
    };
    let names = list.split(',').map(str::trim);
    names
        .filter(|name| name.starts_with('\'') && name[1..].chars().all(is_word))
        .filter(|name| places(signature, name).count() == 2)
        .collect()
}

/// A text without lifetimes that need no name, those that it declares itself and those of what is around it.
pub(super) fn without(text: &str, around: &[String]) -> String {
    let own = nameless(text);
    let mut out = text.to_owned();
    let declared_to = declared(text).map_or(0, |(_, rest)| rest);
    for name in own {
        let list = out[..declared_to.min(out.len())].to_owned();
        let Some(at) = places(&list, name).next() else {
            continue;
        };
        let end = at + name.len();
        let behind = out[end..].strip_prefix(", ").map_or(end, |_| end + 2);
        let before = if behind == end && out[..at].ends_with(", ") {
            at - 2
        } else {
            at
        };
        out.replace_range(before..behind, "");
        out = out.replacen("<>", "", 1);
        out = unnamed(&out, name);
    }
    for name in around {
        out = unnamed(&out, name);
    }
    out.replace("&'_ ", "&")
}

/// The name of an implementation without any lifetime but `'static`: there are no two that differ in nothing else.
pub(super) fn without_any(name: &str) -> String {
    let mut out = String::with_capacity(name.len());
    let mut rest = name;
    while let Some(at) = rest.find('\'') {
        let behind = &rest[at + 1..];
        let end = behind.find(|c| !is_word(c)).unwrap_or(behind.len());
        out.push_str(&rest[..at]);
        if &behind[..end] == "static" {
            out.push_str("'static");
            rest = &behind[end..];
        } else {
            rest = behind[end..].trim_start_matches([',', ' ']);
        }
    }
    (out + rest).replace("<>", "")
}

/// The list of type parameters behind `impl` or behind the name of a function, and where what follows it starts.
fn declared(signature: &str) -> Option<(&str, usize)> {
    let open = signature.find('<')?;
    let before = &signature[..open];
    if before.contains(['(', '&']) || !(before.ends_with("impl") || before.contains("fn ")) {
        return None;
    }
    let length = signature[open..].find('>')?;
    Some((&signature[open + 1..open + length], open + length))
}

/// The same with `'_` in the places of a name.
fn unnamed(text: &str, name: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut from = 0;
    for at in places(text, name) {
        out.push_str(&text[from..at]);
        out.push_str("'_");
        from = at + name.len();
    }
    out + &text[from..]
}

/// Where a lifetime stands as a whole word.
fn places<'t>(text: &'t str, name: &'t str) -> impl Iterator<Item = usize> + 't {
    let found = text.match_indices(name).map(|(at, _)| at);
    found.filter(move |at| !text[at + name.len()..].starts_with(is_word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_used_once_needs_no_name() {
        for (text, expected) in [
            ("impl<'a> From<&'a str> for A", "impl From<&str> for A"),
            (
                "impl<'a, T: ?Sized> P<&'a T> for A where A: P<T>",
                "impl<T: ?Sized> P<&T> for A where A: P<T>",
            ),
            ("impl<T, 'a> P<&'a T> for A", "impl<T> P<&T> for A"),
            ("impl<'a> P<A<'a>> for B", "impl P<A<'_>> for B"),
            (
                "impl<'a> P<&'a str> for A<'a>",
                "impl<'a> P<&'a str> for A<'a>",
            ),
            (
                "impl<'a: 'b, 'b> P<&'a str> for A<'b>",
                "impl<'a: 'b, 'b> P<&'a str> for A<'b>",
            ),
            (
                "fn f<'a>(x: &'a str, y: &'ab str)",
                "fn f(x: &str, y: &'ab str)",
            ),
            (
                "fn f<'a>(x: &'a str) -> &'a str",
                "fn f<'a>(x: &'a str) -> &'a str",
            ),
            ("fn f(x: &'_ str)", "fn f(x: &str)"),
            ("fn f(x: Vec<u8>)", "fn f(x: Vec<u8>)"),
        ] {
            assert_eq!(without(text, &[]), expected, "{text}");
        }
        let around = ["'a".to_owned()];
        assert_eq!(without("fn f(x: &'a str)", &around), "fn f(x: &str)");
    }

    #[test]
    fn an_implementation_is_named_without_lifetimes() {
        for (name, expected) in [
            ("TryFrom<&'a [u8]>", "TryFrom<&[u8]>"),
            ("P<A<'a>, B<'b, T>>", "P<A, B<T>>"),
            ("P<&'static str>", "P<&'static str>"),
        ] {
            assert_eq!(without_any(name), expected);
        }
    }
}
