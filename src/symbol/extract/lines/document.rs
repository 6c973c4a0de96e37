//! Documents: headings and the first paragraph, in the marks of each format.

use super::found::Found;
use super::line::{indent, lines};
use super::prose::{
    CODE_COLUMNS, behind_mark, first_paragraph, is_item, is_prose, is_ruler, markdown_paragraph,
    underline, without_layout_tags,
};
use crate::base::fence::Fences;
use crate::symbol::outline::Kind;
use crate::symbol::plain::without_marks;
use crate::symbol::sentence::before_announcement;

/// Fewest words of a title that says what a document is about.
pub(super) const TITLE_WORDS_MIN: usize = 4;

/// Headings of Markdown, `#` and underlined, outside fences; what stands above the text says title and description.
pub(super) fn markdown(found: &mut Found, text: &str) {
    let (matter, body) = front_matter(text);
    found.doc = matter_words(matter);
    // A page of a site is called so above its first section.
    let title = matter_value(matter, "title").filter(|title| !title.is_empty());
    // The title in a template of an issue is how that of each issue begins.
    let title = if is_issue(matter) {
        title.and_then(|_| matter_value(matter, "name"))
    } else {
        title
    };
    if let Some(title) = title.filter(|_| !has_title(body)) {
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
    if !paragraph.ends_with([':', ',']) {
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

/// Whether a document is a template that GitHub offers to those who open an issue.
fn is_issue(matter: &str) -> bool {
    let has = |key: &str| matter_value(matter, key).is_some();
    has("name") && (has("about") || has("labels") || has("assignees"))
}

/// What a page says above its text: the description, else the title.
fn matter_words(matter: &str) -> String {
    let said = description(matter);
    if said.is_empty() && !is_issue(matter) {
        return sentence_of(matter, &["title"]);
    }
    said
}

/// What a page says that it is about, above its text.
pub(super) fn description(matter: &str) -> String {
    sentence_of(matter, &["description", "summary", "about"])
}

/// What stands above a page under the first of these keys that has more than a word.
fn sentence_of(matter: &str, keys: &[&str]) -> String {
    keys.iter()
        .filter_map(|key| matter_value(matter, key))
        .find(|value| value.contains(' ') && !value.starts_with(['|', '>', '-']))
        .unwrap_or_default()
}

/// What a page says of itself under a key.
pub(super) fn matter_value(matter: &str, key: &str) -> Option<String> {
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
