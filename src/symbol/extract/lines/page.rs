//! Pages of HTML, and the templates that pages are made from: title, headings, blocks, the first paragraph.

use std::borrow::Cow;

use super::document::{self, TITLE_WORDS_MIN, description, matter_value};
use super::found::Found;
use super::line::after;
use super::prose::without_inline_tags;
use crate::symbol::comment::{NONE, paragraph};
use crate::symbol::language::Language;
use crate::symbol::outline::Kind;

/// Bytes in which a page says where it sends its reader.
const REDIRECT_BYTES_MAX: usize = 4_096;
/// Most headings of a page of HTML, whose menus are long.
const PAGE_HEADINGS_MAX: usize = 60;
/// Most words of a comment at the head of a template that says nothing.
const WORDS_OF_COMMENT_MIN: usize = 3;
/// Longest name of a block of a template.
const NAME_BYTES_MAX: usize = 100;
/// Text of a page that is looked at for its first paragraph, in bytes.
const PAGE_BYTES_MAX: usize = 256 * 1024;

/// Title, headings, and the blocks of a template. The text of a template is shown to users of the program, and does not
/// say what it is for.
pub(super) fn html(found: &mut Found, text: &str, language: Language) {
    let (matter, body) = document::front_matter(text);
    let (comment, text) = &without_template_comments(body);
    let is_template = language == Language::Template || is_filled_in(text);
    let (mut at, mut headings, mut title) = (0, 0, String::new());
    let mut second = None;
    let name = matter_value(matter, "title").filter(|name| !name.is_empty());
    // A page of a site is called so above its first section.
    if let Some(name) = name.filter(|_| !text.contains("<h1")) {
        found.push_heading(1, &name);
    }
    while let Some(next) = text[at..].find(['<', '{']) {
        let from = at + next;
        let rest = &text[from..];
        at = from + 1;
        if let Some(tag) = rest.strip_prefix('<') {
            let level = heading_level(tag);
            if level.is_none() && after(tag, "title").is_none() && after(tag, "script").is_none() {
                continue;
            }
            let Some((content, end)) = content(text, from) else {
                continue;
            };
            at = end.max(at);
            match level {
                Some(level) if headings < PAGE_HEADINGS_MAX => {
                    let shown = plain(&without_labels(&text[from..at]));
                    let is_contents = shown.to_lowercase().contains("contents");
                    headings += usize::from(!is_contents && !shown.is_empty());
                    second = second.or((headings == 2).then_some(from));
                    found.push_heading(level, &shown);
                }
                None if title.is_empty() && after(tag, "title").is_some() => title = plain(content),
                _ => {}
            }
        } else if let Some((word, name)) = template_block(rest) {
            match word {
                "block" | "define" | "macro" => {
                    found.push(Kind::Entry, name, name);
                }
                _ => found.push_import(name),
            }
        }
    }
    found.doc = if comment.split(' ').count() > WORDS_OF_COMMENT_MIN {
        comment.clone()
    } else {
        let said = said_above(text, title, matter);
        let first = &text[..second.unwrap_or(text.len())];
        said.unwrap_or_else(|| said_below(found, text, first, is_template))
    };
    if found.doc.starts_with("{{") {
        found.doc.clear();
    }
}

/// What a page says of itself above its text.
fn said_above(text: &str, title: String, matter: &str) -> Option<String> {
    let said = meta_description(text);
    // What Javadoc says of a page is where its class stands.
    let is_place = |text: &str| text.starts_with("declaration: ") || text.starts_with("tree: ");
    let block = if is_place(&said) {
        first_block(text)
    } else {
        String::new()
    };
    [redirection(text), said, block, title, description(matter)]
        .into_iter()
        .find(|text| text.contains(' ') && !text.contains("{{") && !is_place(text))
}

/// What its text says: in front of the second heading, for what stands below that is about that; else its title.
fn said_below(found: &Found, text: &str, first: &str, is_template: bool) -> String {
    let said = Some(first).filter(|_| !is_template).map(page_paragraph);
    if let Some(said) = said.filter(|said| !said.is_empty()) {
        return said;
    }
    let heading = found
        .symbols
        .iter()
        .find(|symbol| symbol.kind == Kind::Heading);
    let title = heading.filter(|heading| heading.name.split(' ').count() >= TITLE_WORDS_MIN);
    match title {
        Some(title) => title.name.clone(),
        None if is_template => String::new(),
        None => page_paragraph(text),
    }
}

/// Whether a page has marks of a template, but for those in its scripts and in what it shows as code.
fn is_filled_in(text: &str) -> bool {
    let has_marks = |text: &str| ["{%", "{{", "<%"].iter().any(|mark| text.contains(mark));
    has_marks(text) && has_marks(&without_examples(text))
}

/// A page without its scripts and without what it shows as code.
fn without_examples(text: &str) -> String {
    let mut text = text.to_owned();
    for (open, close) in [
        ("<script", "</script"),
        ("<pre", "</pre"),
        ("<code", "</code"),
    ] {
        let mut parts = text.split(open);
        let first = parts.next().unwrap_or_default().to_owned();
        let behind = parts.filter_map(|part| part.split_once(close));
        text = behind.fold(first, |text, (_, behind)| text + behind);
    }
    text
}

/// An element without those in it that only a screen reader tells, itself included.
fn without_labels(element: &str) -> Cow<'_, str> {
    let mut out = Cow::Borrowed(element);
    while let Some(from) = label_at(&out) {
        let end = content(&out, from).map_or(out.len(), |(_, end)| end);
        out = Cow::Owned(format!("{}{}", &out[..from], &out[end..]));
    }
    out
}

/// Where an element begins whose class hides it from all but screen readers.
fn label_at(element: &str) -> Option<usize> {
    const NAMES: [&str; 4] = [
        "sr-only",
        "screen-reader",
        "visually-hidden",
        "visuallyhidden",
    ];
    let places = NAMES.iter().flat_map(|name| element.match_indices(name));
    let mut tags = places.filter_map(|(at, _)| {
        let from = element[..at].rfind('<')?;
        let tag = &element[from..at];
        (tag.contains("class=") && !tag.contains('>')).then_some(from)
    });
    tags.next()
}

/// What the comment `{# … #}` at the head of a template says, and the template without any.
fn without_template_comments(text: &str) -> (String, Cow<'_, str>) {
    if !text.contains("{#") {
        return (String::new(), Cow::Borrowed(text));
    }
    let (mut said, mut out, mut rest) = (String::new(), String::new(), text);
    while let Some((before, comment)) = rest.split_once("{#") {
        let Some((comment, behind)) = comment.split_once("#}") else {
            break;
        };
        if said.is_empty() && is_head(&out) && is_head(before) {
            said = paragraph(comment.trim_matches(['-', '+', ' ']), NONE);
            // `if this snippet is outdated`: what the comment is about is no whole file.
            if said.contains("snippet") {
                said.clear();
            }
        }
        out.push_str(before);
        rest = behind;
    }
    (said, Cow::Owned(out + rest))
}

/// Whether nothing of a page or of a block of it stands in a part of a template.
fn is_head(part: &str) -> bool {
    !part.contains('<') && template_blocks(part).all(|word| word != "block")
}

/// The words that begin the tags of a template.
fn template_blocks(text: &str) -> impl Iterator<Item = &str> {
    let tags = text.split("{%").skip(1);
    tags.map(|tag| {
        let tag = tag.trim_start_matches(['-', '+']).trim_start();
        tag.split(char::is_whitespace).next().unwrap_or_default()
    })
}

fn heading_level(tag: &str) -> Option<usize> {
    let level = tag
        .strip_prefix(['h', 'H'])?
        .bytes()
        .next()
        .filter(|byte| (b'1'..=b'6').contains(byte))?;
    let behind = tag[2..].chars().next()?;
    (behind == '>' || behind.is_whitespace()).then_some(usize::from(level - b'0'))
}

/// What stands in the element that begins here, and the place behind it; an element is looked at for a few lines.
fn content(text: &str, from: usize) -> Option<(&str, usize)> {
    let tag_end = text[from + 1..].find(|c: char| !c.is_alphanumeric())? + from + 1;
    let name = &text[from + 1..tag_end];
    let window = &text[from..text.floor_char_boundary((from + 4_096).min(text.len()))];
    let open = window.find('>')? + 1;
    let close = window[open..]
        .match_indices("</")
        .find(|(at, _)| after(&window[open + at + 2..], name).is_some())?
        .0;
    Some((&window[open..open + close], from + open + close))
}

/// `{% block x %}`, `{{ define "x" }}`, `{% extends "x" %}`: the word and the name behind it.
fn template_block(text: &str) -> Option<(&'static str, &str)> {
    let rest = text
        .strip_prefix("{%")
        .or_else(|| text.strip_prefix("{{"))?
        .trim_start_matches('-')
        .trim_start();
    let words = ["block", "define", "macro", "extends", "include", "template"];
    let (word, name) = words
        .into_iter()
        .find_map(|word| Some((word, after(rest, word)?)))?;
    let name = &name[..name.floor_char_boundary(NAME_BYTES_MAX)];
    let end = name.find(['%', '}', '\n'])?;
    let name = name[..end].trim_end_matches('-').trim();
    Some((word, name.trim_matches(['"', '\'']))).filter(|(_, name)| !name.is_empty())
}

fn meta_description(text: &str) -> String {
    let found = text.find("name=\"description\"").map(|at| &text[at..]);
    let value = found.and_then(|rest| {
        rest.lines()
            .take(2)
            .find_map(|line| line.split("content=\"").nth(1))
    });
    value
        .and_then(|value| value.split('"').next())
        .unwrap_or_default()
        .to_owned()
}

/// The first `<div class="block">`, in which Javadoc puts what a class is for.
fn first_block(text: &str) -> String {
    let at = text.find("<div class=\"block\"");
    let found = at.and_then(|at| content(text, at));
    found.map_or_else(String::new, |(content, _)| plain(content))
}

/// The text between the tags, of HTML and of templates.
pub(super) fn plain(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut depth = 0_usize;
    let text = without_expressions(text)
        .replace("{%", "<")
        .replace("%}", ">");
    for c in text.chars() {
        match c {
            '<' => {
                depth += 1;
                out.push(' ');
            }
            '>' => depth = depth.saturating_sub(1),
            _ if depth == 0 => out.push(c),
            _ => {}
        }
    }
    let out = out
        .replace("&amp;", "&")
        .replace("&lt;", "<")
        .replace("&gt;", ">")
        .replace("&nbsp;", " ")
        .replace("&#39;", "'");
    out.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A template without what it fills in; of `{{ _('text') }}` the text is left.
fn without_expressions(text: &str) -> String {
    let mut parts = text.split("{{");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        let (inner, rest) = part.split_once("}}").unwrap_or(("", part));
        let said = ["_(", "gettext(", "t("]
            .iter()
            .find_map(|call| inner.trim().strip_prefix(call));
        let said = said
            .and_then(|said| said.split(['\'', '"']).nth(1))
            .unwrap_or_default();
        // `{{{name}}}`
        let rest = if inner.starts_with('{') {
            rest.strip_prefix('}').unwrap_or(rest)
        } else {
            rest
        };
        out + said + rest
    })
}

/// The first `<p>` with words, else the first words between tags; a line that a template fills in is no sentence.
fn page_paragraph(text: &str) -> String {
    if !text.contains("</") && !text.contains("<p") {
        return String::new();
    }
    let text = &text[..text.floor_char_boundary(text.len().min(PAGE_BYTES_MAX))];
    let is_filled_in = |line: &&str| ["<%", "{{"].iter().any(|mark| line.contains(mark));
    let text = &text
        .lines()
        .filter(|line| !is_filled_in(line))
        .collect::<Vec<_>>()
        .join("\n");
    for (at, _) in text.match_indices("<p").take(20) {
        if let Some((content, _)) = content(text, at) {
            let words = plain(content);
            if words.split(' ').count() > 3 {
                return words;
            }
        }
    }
    let mut words = String::new();
    let text = without_inline_tags(&text.replace("{%", "<").replace("%}", ">"));
    for part in text
        .split('>')
        .filter_map(|part| part.split('<').next())
        .map(str::trim)
        .filter(|part| !part.is_empty())
    {
        let is_code = part.contains(['{', ';', '=']);
        if !is_code && part.split_whitespace().count() > 3 {
            words.push_str(part);
            words.push(' ');
        }
        if words.len() > 200 {
            break;
        }
    }
    words
}

/// Where a page sends its reader at once: `<meta http-equiv="refresh" content="0; url=…">`.
fn redirection(text: &str) -> String {
    let address = redirected(text).map(|address| address.replace('`', ""));
    address.map_or_else(String::new, |address| format!("Leads to `{address}`."))
}

fn redirected(text: &str) -> Option<&str> {
    let lower =
        text[..text.floor_char_boundary(REDIRECT_BYTES_MAX.min(text.len()))].to_ascii_lowercase();
    let from = lower.find("http-equiv=\"refresh\"")?;
    let tag = &text[from..from + lower[from..].find('>')?];
    let at = lower[from..].find("url=")? + "url=".len();
    let address = tag.get(at..)?.trim_start_matches(['\'', '"']);
    let address = address.split(['\'', '"', ' ']).next()?;
    (!address.is_empty()).then_some(address)
}
