//! A page's markup written anew: tags that say something, attributes that are read, everything else as text.
//!
//! Reading HTML as a browser does takes time that grows with the square of a tag's attributes, and what is a tag there
//! depends on all that stands before it. Here every tag is read in one pass and written in one form, so that the parser
//! behind it sees no tag, no attribute and no text that this file did not write. What a page says in no way that a
//! reader sees (scripts, styles, comments) is left out; what its markup hides is marked with `hidden`.

use std::borrow::Cow;
use std::fmt::Write as _;

/// Attributes that Markdown is made from.
const KEPT: [&str; 6] = ["href", "title", "src", "alt", "class", "start"];
/// The longest value of one that is kept, in bytes: a picture in the page's own text is longer, and is not shown.
const VALUE_BYTES_MAX: usize = 16 * 1024;
/// Elements whose text is no text of the page.
const UNREAD: [&str; 7] = [
    "script", "style", "xmp", "iframe", "noembed", "noframes", "noscript",
];
/// Elements in which nothing is a tag.
const TEXT_ONLY: [&str; 2] = ["title", "textarea"];
/// Elements that a parser opens again after each block that closed them.
const FORMATTING: [&str; 7] = ["b", "code", "em", "i", "s", "strike", "strong"];
/// More of them, of which Markdown says nothing.
const PLAIN: [&str; 6] = ["big", "font", "nobr", "small", "tt", "u"];
/// Elements without an end tag, or that the tag of another one ends.
const CLOSED_BY_OTHERS: [&str; 38] = [
    "a",
    "area",
    "base",
    "body",
    "br",
    "button",
    "caption",
    "col",
    "colgroup",
    "dd",
    "dt",
    "embed",
    "frame",
    "head",
    "hr",
    "html",
    "iframe",
    "image",
    "img",
    "input",
    "keygen",
    "li",
    "link",
    "meta",
    "option",
    "optgroup",
    "p",
    "param",
    "source",
    "tbody",
    "td",
    "tfoot",
    "th",
    "thead",
    "tr",
    "track",
    "wbr",
    "plaintext",
];
/// The most elements that are open at once, by a count that is too high where a page forgets to close some.
const OPEN_MAX: usize = 2_000;
/// The most ways to name a language of code that are kept.
const LANGUAGES_MAX: usize = 12;

/// A tag as it was read.
struct Tag<'h> {
    is_end: bool,
    name: String,
    attributes: Vec<(String, &'h str)>,
}

/// The markup in its one form; or why it is not read.
pub(super) fn plain_markup(html: &str, tags_max: usize) -> Result<String, &'static str> {
    let mut open = 0_usize;
    let mut out = String::with_capacity(html.len());
    let mut languages: Vec<String> = Vec::new();
    let (mut rest, mut tags) = (html, 0);
    while let Some(at) = rest.find('<') {
        out.push_str(&rest[..at]);
        rest = &rest[at..];
        if let Some(after) = markup_without_text(rest) {
            rest = after;
            continue;
        }
        let Some((tag, after)) = read_tag(rest) else {
            out.push_str("&lt;");
            rest = &rest[1..];
            continue;
        };
        tags += 1;
        open = open_after(&tag, open);
        if tags > tags_max {
            return Err("has too many tags");
        }
        if open > OPEN_MAX {
            return Err("is nested too deeply");
        }
        rest = after;
        if tag.name == "plaintext" {
            continue;
        }
        push_tag(&mut out, &tag, &mut languages);
        if tag.is_end {
            continue;
        }
        if UNREAD.contains(&tag.name.as_str()) {
            rest = &rest[end_of(rest, &tag.name)..];
        } else if TEXT_ONLY.contains(&tag.name.as_str()) {
            let (text, after) = rest.split_at(end_of(rest, &tag.name));
            out.push_str(&text.replace('<', "&lt;"));
            rest = after;
        }
    }
    out.push_str(rest);
    Ok(out)
}

/// About how many elements are open behind a tag: those are counted that only an end tag closes.
fn open_after(tag: &Tag<'_>, open: usize) -> usize {
    let name = tag.name.as_str();
    if FORMATTING.contains(&name) || CLOSED_BY_OTHERS.contains(&name) {
        open
    } else if tag.is_end {
        open.saturating_sub(1)
    } else {
        open + 1
    }
}

/// What stands behind a comment, a declaration, an instruction, or an end tag without a name.
fn markup_without_text(text: &str) -> Option<&str> {
    if let Some(comment) = text.strip_prefix("<!--") {
        if let Some(rest) = comment
            .strip_prefix('>')
            .or_else(|| comment.strip_prefix("->"))
        {
            return Some(rest);
        }
        let close = comment.find("-->");
        // The other end is looked for in front of the first alone, or each comment would be read to the end of the page.
        let other = comment[..close.unwrap_or(comment.len())].find("--!>");
        let end = other.map(|at| at + 4).or(close.map(|at| at + 3));
        return Some(&comment[end.unwrap_or(comment.len())..]);
    }
    let is_other = text.starts_with("<!")
        || text.starts_with("<?")
        || text
            .strip_prefix("</")
            .is_some_and(|name| !name.starts_with(|c: char| c.is_ascii_alphabetic()));
    is_other.then(|| text.find('>').map_or("", |end| &text[end + 1..]))
}

/// A tag at the start of a text, and what stands behind it. One that does not end is read to the end.
fn read_tag(text: &str) -> Option<(Tag<'_>, &str)> {
    let (is_end, rest) = text
        .strip_prefix("</")
        .map_or((false, &text[1..]), |rest| (true, rest));
    if !rest.starts_with(|c: char| c.is_ascii_alphabetic()) {
        return None;
    }
    let is_space = |c: char| c.is_ascii_whitespace();
    let name_bytes = rest
        .find(|c: char| is_space(c) || matches!(c, '/' | '>'))
        .unwrap_or(rest.len());
    let (name, mut rest) = rest.split_at(name_bytes);
    let mut tag = Tag {
        is_end,
        name: name.to_ascii_lowercase(),
        attributes: Vec::new(),
    };
    loop {
        rest = rest.trim_start_matches(|c: char| is_space(c) || c == '/');
        if rest.is_empty() {
            return Some((tag, ""));
        }
        if let Some(after) = rest.strip_prefix('>') {
            return Some((tag, after));
        }
        // The first character belongs to the name, whatever it is.
        let first = rest.chars().next().map_or(0, char::len_utf8);
        let end = rest[first..].find(|c: char| is_space(c) || matches!(c, '/' | '>' | '='));
        let (name, after) = rest.split_at(end.map_or(rest.len(), |end| first + end));
        rest = after.trim_start_matches(is_space);
        let mut value = "";
        if let Some(after) = rest.strip_prefix('=') {
            rest = after.trim_start_matches(is_space);
            let quote = rest.chars().next().filter(|c| matches!(c, '"' | '\''));
            let (said, after) = match quote {
                Some(quote) => rest[1..].split_once(quote).unwrap_or((&rest[1..], "")),
                None => rest.split_at(
                    rest.find(|c: char| is_space(c) || c == '>')
                        .unwrap_or(rest.len()),
                ),
            };
            (value, rest) = (said, after);
        }
        let is_read = |known: &&str| name.eq_ignore_ascii_case(known);
        let is_known = KEPT
            .iter()
            .chain(&["hidden", "aria-hidden", "style"])
            .any(is_read);
        let is_first = || {
            !tag.attributes
                .iter()
                .any(|(other, _)| name.eq_ignore_ascii_case(other))
        };
        if is_known && value.len() <= VALUE_BYTES_MAX && is_first() {
            tag.attributes.push((name.to_ascii_lowercase(), value));
        }
    }
}

fn push_tag(out: &mut String, tag: &Tag<'_>, languages: &mut Vec<String>) {
    let name = if PLAIN.contains(&tag.name.as_str()) {
        "span"
    } else {
        tag.name.as_str()
    };
    // A name is what stands up to a space: only what elements are called comes through.
    if !name
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'-')
    {
        return;
    }
    out.push_str(if tag.is_end { "</" } else { "<" });
    out.push_str(name);
    for (attribute, value) in tag.attributes.iter().filter(|_| !tag.is_end) {
        let is_kept = KEPT.contains(&attribute.as_str())
            && (!FORMATTING.contains(&name) || is_language(tag, value, languages));
        if is_kept {
            let _ = write!(out, " {attribute}=\"{}\"", value.replace('"', "&quot;"));
        }
    }
    if !tag.is_end && is_hidden(tag) {
        out.push_str(" hidden");
    }
    out.push('>');
}

/// True for the class of code that names its language; only a few different ones are kept.
fn is_language(tag: &Tag<'_>, value: &str, languages: &mut Vec<String>) -> bool {
    if tag.name != "code" || !value.contains("language-") {
        return false;
    }
    if languages.len() < LANGUAGES_MAX && !languages.iter().any(|known| known == value) {
        languages.push(value.to_owned());
    }
    languages.iter().any(|known| known == value)
}

/// True when the markup itself says that a reader does not see this. What a style sheet hides is not known here.
fn is_hidden(tag: &Tag<'_>) -> bool {
    tag.attributes
        .iter()
        .any(|(name, value)| match name.as_str() {
            "hidden" => true,
            "aria-hidden" => unescaped(value).trim().eq_ignore_ascii_case("true"),
            "style" => style_hides(&unescaped(value)),
            _ => false,
        })
}

fn style_hides(style: &str) -> bool {
    let mut plain = String::with_capacity(style.len());
    let mut rest = style;
    while let Some((before, comment)) = rest.split_once("/*") {
        plain.push_str(before);
        rest = comment.split_once("*/").map_or("", |(_, after)| after);
    }
    plain.push_str(rest);
    let plain: String = plain
        .chars()
        .filter(|c| !c.is_whitespace())
        .collect::<String>()
        .to_ascii_lowercase();
    plain
        .split(';')
        .filter_map(|part| part.split_once(':'))
        .any(|(property, value)| {
            let value = value.trim_end_matches("!important");
            let is_zero = || {
                let number = value.trim_end_matches(|c: char| c.is_ascii_alphabetic() || c == '%');
                number.parse::<f64>().is_ok_and(|number| number <= 0.0)
            };
            match property {
                "display" => value == "none",
                "visibility" => matches!(value, "hidden" | "collapse"),
                "content-visibility" => value == "hidden",
                "font-size" | "opacity" => is_zero(),
                "font" => {
                    value.starts_with("0/") || value.starts_with("0px") || value.starts_with("0pt")
                }
                _ => false,
            }
        })
}

/// A value without its character references, as far as they can stand in a word of a style.
fn unescaped(value: &str) -> Cow<'_, str> {
    if !value.contains('&') {
        return Cow::Borrowed(value);
    }
    let mut out = String::with_capacity(value.len());
    let mut rest = value;
    while let Some((before, after)) = rest.split_once('&') {
        out.push_str(before);
        let name_bytes = after
            .bytes()
            .take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'#')
            .take(10)
            .count();
        let (name, behind) = after.split_at(name_bytes);
        let number =
            name.strip_prefix('#')
                .and_then(|number| match number.strip_prefix(['x', 'X']) {
                    Some(hex) => u32::from_str_radix(hex, 16).ok(),
                    None => number.parse().ok(),
                });
        let named = match name {
            "colon" => Some(':'),
            "semi" => Some(';'),
            "period" => Some('.'),
            "Tab" | "NewLine" => Some(' '),
            _ => number.and_then(char::from_u32),
        };
        match named {
            Some(c) => {
                out.push(c);
                rest = behind.strip_prefix(';').unwrap_or(behind);
            }
            None => {
                out.push('&');
                rest = after;
            }
        }
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// Where the end tag of an element begins in its text; the end of the page when there is none.
fn end_of(text: &str, name: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find("</") {
        let start = from + at;
        let rest = &text.as_bytes()[start + 2..];
        let is_name = rest
            .get(..name.len())
            .is_some_and(|found| found.eq_ignore_ascii_case(name.as_bytes()));
        let is_whole = rest
            .get(name.len())
            .is_none_or(|next| next.is_ascii_whitespace() || matches!(next, b'/' | b'>'));
        if is_name && is_whole {
            return start;
        }
        from = start + 2;
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tags_have_one_form_and_everything_else_is_text() {
        for (html, expected) in [
            ("<b>x</b>", "<b>x</b>"),
            ("<B\na>x", "<b>x"),
            ("<strong/x><i\u{c}y>", "<strong><i>"),
            ("<br /><p onclick=a()><bx a>", "<br><p><bx>"),
            ("<b a", "<b>"),
            ("<", "&lt;"),
            ("1 < 2 <3 <é>", "1 &lt; 2 &lt;3 &lt;é>"),
            ("a<b<b a=<i>é", "aé"),
            ("<code class=x>", "<code>"),
            (
                "<code class='language-rust'>",
                "<code class=\"language-rust\">",
            ),
            ("<font color=red>x</font>", "<span>x</span>"),
            ("<a HREF='/x\"y' href=z>", "<a href=\"/x&quot;y\">"),
            (
                "<a title=\"a > b\" href=x>t",
                "<a title=\"a > b\" href=\"x\">t",
            ),
            (
                "a<!-- <p> --><!-->b<!---><!--x--!>c<?php ?>d</ x>e<!doctype html>f<![CDATA[g",
                "abcdef",
            ),
            (
                "<script>if (a</b>) '</scriptx>'</script >x",
                "<script></script>x",
            ),
            ("<title>a<b>c</title>", "<title>a&lt;b>c</title>"),
            ("<style>p{}", "<style>"),
            ("<plaintext>a<b>c", "a<b>c"),
            ("<p/=x hidden>", "<p hidden>"),
        ] {
            assert_eq!(plain_markup(html, 100).as_deref(), Ok(expected), "{html}");
        }
        assert_eq!(plain_markup("<a><a><a>", 2), Err("has too many tags"));
        assert_eq!(
            plain_markup(&"<x>".repeat(OPEN_MAX + 1), 9_999),
            Err("is nested too deeply")
        );
        assert!(plain_markup(&"<x></x><p>".repeat(OPEN_MAX), 9_999).is_ok());
    }

    #[test]
    fn what_the_markup_hides_is_marked() {
        for attributes in [
            "hidden",
            "HIDDEN=''",
            "aria-hidden=true",
            "aria-hidden=' TRUE '",
            "style=display:none",
            "style='color:red; DISPLAY : None !important'",
            "style='display:/* x */none'",
            "style='display&#58;none'",
            "style='display&#x3A;none'",
            "style='display&colon;none'",
            "style=visibility:hidden",
            "style='font-size:0'",
            "style='font-size: 0.0em'",
            "style='font:0/0 a'",
            "style='opacity:0'",
        ] {
            let out = plain_markup(&format!("<div {attributes}>"), 100).expect("one tag");
            assert_eq!(out, "<div hidden>", "{attributes}");
        }
        for attributes in [
            "aria-hidden=false",
            "style='display:block'",
            "style='font-size:10px'",
            "style='opacity:.5'",
            "x-hidden",
        ] {
            assert_eq!(
                plain_markup(&format!("<div {attributes}>"), 100).as_deref(),
                Ok("<div>"),
                "{attributes}"
            );
        }
    }
}
