//! Documents: headings and the first paragraph, in the marks of each format.

use std::borrow::Cow;

use super::found::Found;
use super::line::{after, indent, lines};
use super::prose::{
    CODE_COLUMNS, behind_mark, first_paragraph, is_item, is_prose, is_ruler, markdown_paragraph,
    underline, without_inline_tags, without_layout_tags,
};
use crate::base::fence::Fences;
use crate::symbol::comment::{NONE, paragraph};
use crate::symbol::language::Language;
use crate::symbol::outline::Kind;
use crate::symbol::plain::without_marks;
use crate::symbol::sentence::before_announcement;

/// Bytes in which a page says where it sends its reader.
const REDIRECT_BYTES_MAX: usize = 4_096;
/// Most headings of a page of HTML, whose menus are long.
const PAGE_HEADINGS_MAX: usize = 60;
/// Fewest words of a title that says what a document is about.
const TITLE_WORDS_MIN: usize = 4;
/// Longest name of a block of a template.
const NAME_BYTES_MAX: usize = 100;
/// Text of a page that is looked at for its first paragraph, in bytes.
const PAGE_BYTES_MAX: usize = 256 * 1024;

/// Headings of Markdown, `#` and underlined, outside fences; what stands above the text says title and description.
pub(super) fn markdown(found: &mut Found, text: &str) {
    let (matter, body) = front_matter(text);
    found.doc = matter_words(matter);
    // A page of a site is called so above its first section.
    let title = matter_value(matter, "title").unwrap_or_default();
    if !title.is_empty() && !has_title(body) {
        found.push_heading(1, &title);
    }
    if found.doc.is_empty() {
        found.doc = markdown_paragraph(body);
    }
    let mut fences = Fences::default();
    let (mut above, mut is_hidden, mut inner) = ("", false, 0);
    for line in lines(body) {
        let trimmed = line.trim();
        is_hidden |= !fences.is_open() && trimmed.starts_with("<!--");
        if is_hidden {
            is_hidden = !trimmed.contains("-->");
            continue;
        }
        if fences.takes(behind_mark(trimmed)) {
            above = "";
            continue;
        }
        let level = trimmed.bytes().take_while(|b| *b == b'#').count();
        let is_heading = (1..=6).contains(&level) && trimmed[level..].starts_with(' ');
        let column = indent(line);
        if !trimmed.is_empty() {
            // What is further in than the text of an item by four columns is code.
            let kept = if column < inner { 0 } else { inner };
            inner = text_column(trimmed).map_or(kept, |width| column + width);
        }
        if is_heading && column < inner + CODE_COLUMNS {
            let title = without_layout_tags(trimmed.trim_matches(['#', ' ']));
            let title = without_marks(&title);
            found.push_heading(level, title.trim());
        } else if let Some(level) = underline(trimmed).filter(|_| is_prose(above)) {
            found.push_heading(level, above);
        }
        above = trimmed;
    }
    found.doc = without_announcement(
        &found.doc,
        found.symbols.first().map(|title| title.name.as_str()),
    );
}

/// Whether a document has a heading of the highest level.
fn has_title(text: &str) -> bool {
    let (mut fences, mut above) = (Fences::default(), "");
    lines(text).any(|line| {
        let is_fenced = fences.takes(line);
        let is_underlined = underline(line.trim_end()) == Some(1) && is_prose(above);
        above = line.trim();
        !is_fenced && (line.starts_with("# ") || is_underlined)
    })
}

/// How far behind its start the text of an item begins, and what belongs to it below: of a list, or a tab or note of MkDocs.
fn text_column(line: &str) -> Option<usize> {
    const BLOCKS: [&str; 4] = ["=== \"", "!!! ", "??? ", "???+ "];
    if BLOCKS.iter().any(|mark| line.starts_with(mark)) {
        return Some(CODE_COLUMNS);
    }
    let mark = line.split(' ').next().filter(|_| is_item(line))?;
    Some(mark.len() + 1)
}

/// A paragraph without its last sentence where that only announces a list; the title where there is no other sentence.
pub(super) fn without_announcement(paragraph: &str, title: Option<&str>) -> String {
    if !paragraph.ends_with(':') {
        return paragraph.to_owned();
    }
    let title = title.filter(|title| title.split(' ').count() >= TITLE_WORDS_MIN);
    let told = before_announcement(paragraph);
    // What the reader is to do is no text about the document.
    let is_order = paragraph
        .split(' ')
        .any(|word| matches!(word, "you" | "your" | "Your"));
    let rest = if is_order { "" } else { paragraph };
    told.or(title).unwrap_or(rest).to_owned()
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

/// The block between `---` or `+++` lines at the start of a document, and the rest.
pub(super) fn front_matter(text: &str) -> (&str, &str) {
    let mut lines = text.split_inclusive('\n');
    let Some(mark) = lines
        .next()
        .map(str::trim_end)
        .filter(|line| matches!(*line, "---" | "+++"))
    else {
        return ("", text);
    };
    let start = text.find('\n').map_or(text.len(), |at| at + 1);
    let mut at = start;
    for line in lines {
        // Some close it with a longer ruler.
        let sign = &mark[..1];
        let is_long = line.trim_end() != mark;
        let closes = line.starts_with(mark) && line.trim_end().replace(sign, "").is_empty();
        // Below a title of the text it is a ruler.
        let above = text[..at].lines().next_back().unwrap_or_default();
        if closes && (!is_long || above.contains(':') || above.starts_with([' ', '-'])) {
            return (&text[start..at], &text[at + line.len()..]);
        }
        at += line.len();
    }
    ("", text)
}

/// What a page says above its text: the description, else the title.
fn matter_words(matter: &str) -> String {
    ["description", "summary", "about", "title"]
        .iter()
        .filter_map(|key| matter_value(matter, key))
        .find(|value| value.contains(' ') && !value.starts_with(['|', '>', '-']))
        .unwrap_or_default()
}

/// What a page says of itself under a key.
fn matter_value(matter: &str, key: &str) -> Option<String> {
    let rest = lines(matter).find_map(|line| {
        line.strip_prefix(key)?
            .trim_start()
            .strip_prefix([':', '='])
    })?;
    let said = rest.trim().trim_matches(['"', '\'']).to_owned();
    // The text may stand further in on the lines below.
    let is_below = matches!(&*said, "" | "|" | ">" | "|-" | ">-");
    let below = lines(matter)
        .skip_while(|line| !line.starts_with(key))
        .skip(1)
        .take_while(|line| line.starts_with([' ', '\t']))
        .map(str::trim);
    Some(if is_below {
        below.collect::<Vec<_>>().join(" ")
    } else {
        said
    })
}

/// Titles with a line of signs below, and above where they have one; each kind of line is as deep as it came late.
pub(super) fn restructured(found: &mut Found, text: &str) {
    underlined(found, text, 3);
    found.doc = first_paragraph(text);
    described(found, text);
}

/// What a page of Sphinx describes: `.. php:class:: Name`, `.. py:function:: name(argument)`, and what is said of the first.
fn described(found: &mut Found, text: &str) {
    let mut is_open = false;
    for line in lines(text).map(str::trim) {
        let named = line
            .strip_prefix(".. ")
            .and_then(|rest| rest.split_once(":: "));
        // `.. py:currentmodule::` describes nothing: it says where the names that follow are looked up.
        let named = named.filter(|(directive, _)| {
            let of = directive.split_once(':').map(|(_, object)| object);
            of.is_some_and(|object| !object.starts_with("current") && !directive.contains(' '))
        });
        if let Some((_, name)) = named {
            is_open = found.doc.is_empty();
            found.push(Kind::Entry, name, name);
        } else if is_open && !line.is_empty() && !line.starts_with([':', '.']) {
            found.doc.push_str(line);
            found.doc.push(' ');
        } else if !found.doc.is_empty() {
            is_open = false;
        }
    }
}

/// Adds underlined titles; the line may be as much shorter than its title.
pub(super) fn underlined(found: &mut Found, text: &str, shorter_max: usize) {
    let mut known: Vec<(u8, bool)> = Vec::new();
    let (mut before, mut above) = ("", "");
    for line in lines(text) {
        let line = line.trim_end();
        let mark = line.bytes().next().unwrap_or_default();
        // In a text that is no page of Sphinx they end an example.
        let is_fence = mark == b'`' && shorter_max == 0;
        let is_line = !is_fence && is_ruler(line) && line.bytes().all(|byte| byte == mark);
        let is_title = !above.is_empty()
            && !is_ruler(above)
            && above.chars().count() <= line.len() + shorter_max;
        // A line of code above the output that belongs to it is no title.
        let is_code = above.ends_with([';', '{']) || !above.contains(char::is_alphanumeric);
        // Nor is the last line of a list of labels in a text that is no page of Sphinx.
        let is_listed = shorter_max == 0 && is_labelled(above) && is_labelled(before);
        if is_line
            && is_title
            && !is_listed
            && !is_code
            && indent(above) <= 2
            && is_prose(above.trim())
        {
            let kind = (mark, before == line);
            let level = known
                .iter()
                .position(|known| *known == kind)
                .unwrap_or_else(|| {
                    known.push(kind);
                    known.len() - 1
                });
            found.push_heading(level + 1, above.trim());
        }
        (before, above) = (above, line);
    }
}

/// `example:   builds the program`.
fn is_labelled(line: &str) -> bool {
    let label = line.split_once(": ").map(|(label, _)| label);
    label.is_some_and(|label| !label.is_empty() && label.chars().all(char::is_alphanumeric))
}

/// `== Title`, outside blocks between lines of signs.
pub(super) fn asciidoc(found: &mut Found, text: &str) {
    underlined(found, text, 1);
    let mut block: Option<&str> = None;
    for line in lines(text).map(str::trim_end) {
        let is_mark = line.len() >= 4
            && ["----", "....", "****", "++++", "////"]
                .iter()
                .any(|mark| line.starts_with(mark))
            && is_ruler(line);
        match block {
            Some(open) if open == line => block = None,
            None if is_mark => block = Some(line),
            None => {
                let level = line.bytes().take_while(|byte| *byte == b'=').count();
                if (1..=6).contains(&level) && line[level..].starts_with(' ') {
                    found.push_heading(level, line[level..].trim().trim_end_matches(['=', ' ']));
                }
            }
            Some(_) => {}
        }
    }
    found.doc = first_paragraph(text);
}

/// Title, headings, and the blocks of a template. The text of a template is shown to users of the program, and does not
/// say what it is for.
pub(super) fn html(found: &mut Found, text: &str, language: Language) {
    let (comment, text) = &without_template_comments(text);
    let is_template = language == Language::Template || is_filled_in(text);
    let (mut at, mut headings, mut title) = (0, 0, String::new());
    let mut second = None;
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
                    let is_contents = plain(content).to_lowercase().contains("contents");
                    headings += usize::from(!is_contents);
                    second = second.or((headings == 2).then_some(from));
                    found.push_heading(level, &plain(content));
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
    let said = meta_description(text);
    // What Javadoc says of a page is where its class stands.
    let is_place = |text: &str| text.starts_with("declaration: ") || text.starts_with("tree: ");
    let block = if is_place(&said) {
        first_block(text)
    } else {
        String::new()
    };
    found.doc = [redirection(text), said, block, title]
        .into_iter()
        .find(|text| text.contains(' ') && !text.contains("{{") && !is_place(text))
        .unwrap_or_default();
    if found.doc.is_empty() && !is_template {
        // What stands below the second heading is about that.
        found.doc = page_paragraph(&text[..second.unwrap_or(text.len())]);
    }
    if found.doc.is_empty() {
        let heading = found
            .symbols
            .iter()
            .find(|symbol| symbol.kind == Kind::Heading);
        let title = heading.filter(|heading| heading.name.split(' ').count() >= TITLE_WORDS_MIN);
        found.doc = match title {
            Some(title) => title.name.clone(),
            None if is_template => String::new(),
            None => page_paragraph(text),
        };
    }
    if found.doc.starts_with("{{") {
        found.doc.clear();
    }
    if comment.split(' ').count() > 3 {
        found.doc.clone_from(comment);
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
        if said.is_empty() && !out.contains('<') && !before.contains('<') {
            said = paragraph(comment.trim_matches(['-', '+', ' ']), NONE);
        }
        out.push_str(before);
        rest = behind;
    }
    (said, Cow::Owned(out + rest))
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

/// `\section{Title}`, `@section Title`, and of manual pages of R `\title{…}`, `\name{…}`.
pub(super) fn tex(found: &mut Found, text: &str) {
    const WORDS: [(&str, usize); 14] = [
        ("\\title{", 1),
        ("\\part{", 1),
        ("\\chapter{", 1),
        ("\\chapter*{", 1),
        ("\\section{", 2),
        ("\\section*{", 2),
        ("\\subsection{", 3),
        ("\\subsection*{", 3),
        ("\\subsubsection{", 4),
        ("@settitle ", 1),
        ("@chapter ", 1),
        ("@section ", 2),
        ("@subsection ", 3),
        ("@node ", 5),
    ];
    for line in lines(text).map(str::trim) {
        if let Some((rest, level)) = WORDS
            .iter()
            .find_map(|(word, level)| Some((line.strip_prefix(word)?, *level)))
        {
            let title = if line.starts_with('@') {
                rest.split(',').next().unwrap_or(rest)
            } else {
                braces(rest)
            };
            if level < 5 {
                found.push_heading(level, title);
            }
        } else if let Some(name) = line.strip_prefix("\\newcommand{").or_else(|| {
            line.strip_prefix("\\def")
                .filter(|name| name.starts_with('\\'))
        }) {
            found.push(
                Kind::Macro,
                name.split(['}', '{', '[', '#']).next().unwrap_or_default(),
                name,
            );
        }
    }
    let body = [
        "\\begin{document}",
        "\\begin{abstract}",
        "\\description{",
        "@end ifnottex",
    ]
    .iter()
    .find_map(|word| text.find(word).map(|at| &text[at + word.len()..]));
    let is_command = |line: &&str| {
        let is_inline = ["\\code{", "\\link", "\\emph{", "\\pkg{"]
            .iter()
            .any(|word| line.starts_with(word));
        (is_inline || !line.starts_with(['\\', '@', '%', '{', '}'])) && line.contains(' ')
    };
    let prose = lines(body.unwrap_or_default())
        .map(str::trim)
        .skip_while(|line| !is_command(line))
        .take_while(is_command);
    found.doc = without_commands(&prose.take(6).collect::<Vec<_>>().join(" "));
}

/// `\code{x}` is `x`.
fn without_commands(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(at) = rest.find('\\') {
        out.push_str(&rest[..at]);
        let name = &rest[at + 1..];
        let end = name
            .find(|c: char| !c.is_ascii_alphabetic())
            .unwrap_or(name.len());
        rest = match name[end..].strip_prefix('[') {
            Some(option) => option.split_once(']').map_or("", |(_, rest)| rest),
            None => &name[end..],
        };
    }
    (out + rest).replace(['{', '}'], "")
}

/// What stands up to the bracket that closes.
fn braces(text: &str) -> &str {
    let mut depth = 1_usize;
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'{' => depth += 1,
            b'}' => depth -= 1,
            _ => {}
        }
        if depth == 0 {
            return &text[..at];
        }
    }
    text
}

/// Sections of a manual page; the line below `NAME` says what it is about.
pub(super) fn manual_page(found: &mut Found, text: &str) {
    let mut in_name = false;
    for line in lines(text) {
        let section = [".SH ", ".Sh ", ".SS ", ".Ss "]
            .iter()
            .find_map(|word| line.strip_prefix(word));
        if let Some(title) = section {
            let title = title.trim().trim_matches('"');
            in_name = title.eq_ignore_ascii_case("name");
            found.push_heading(
                if line[..3].eq_ignore_ascii_case(".ss") {
                    2
                } else {
                    1
                },
                title,
            );
        } else if let Some(said) = line.strip_prefix(".Nd ") {
            said.trim_matches('"').clone_into(&mut found.doc);
        } else if in_name
            && found.doc.is_empty()
            && !line.starts_with(['.', '\''])
            && line.contains('-')
        {
            found.doc = line
                .replace("\\-", "-")
                .replace("\\fB", "")
                .replace("\\fR", "")
                .replace("\\fP", "")
                .replace('\\', "");
        }
    }
}

/// Lines of stars.
pub(super) fn org(found: &mut Found, text: &str) {
    for line in lines(text) {
        let level = line.bytes().take_while(|byte| *byte == b'*').count();
        if level > 0 && line[level..].starts_with(' ') {
            found.push_heading(level, line[level..].trim());
        } else if let Some(title) = line
            .get(..8)
            .filter(|head| head.eq_ignore_ascii_case("#+title:"))
            .and(line.get(8..))
        {
            title.trim().clone_into(&mut found.doc);
        }
    }
    let prose = first_paragraph(text);
    if found.doc.is_empty() || !prose.is_empty() && !found.doc.contains(' ') {
        found.doc = prose;
    }
}
