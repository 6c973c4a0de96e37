//! The first paragraph of a document: which lines are prose, and which are marks, lists, code or navigation.

use super::line::{indent, lines};
use crate::base::fence::Fences;
use crate::symbol::instruction::begins;
use crate::symbol::plain::without_marks;

/// Columns from which a line above the first paragraph is code.
pub(super) const CODE_COLUMNS: usize = 4;
/// How deep a section may stand whose first paragraph speaks for the document.
const DEPTH_MAX: usize = 2;
/// Headings in front of a paragraph that speaks for the document.
const HEADINGS_MAX: usize = 4;
/// Items of a list, none of them a link, behind which a paragraph speaks for that list.
const ITEMS_MAX: usize = 4;
/// Words of a line in bold type that is a heading.
const TITLE_WORDS_MAX: usize = 3;
/// Words of a sentence that only says where something else is told.
const POINTER_WORDS_MAX: usize = 14;
/// Words of a line with an address that says no more than the address.
const ADDRESS_WORDS_MAX: usize = 4;
/// Fewest words of a quotation that says what a project is.
const QUOTED_WORDS_MIN: usize = 4;
/// Most words of a line that says who wrote a document.
const BYLINE_WORDS_MAX: usize = 12;
/// Links by name that are looked up.
const REFERENCES_MAX: usize = 8;
/// Titles above a paragraph that speaks for the whole: that of the document, and that of its first section.
const HEADINGS_ABOVE_MAX: usize = 2;
/// Bytes of a paragraph that are read.
const PARAGRAPH_BYTES_MAX: usize = 1_000;

/// Tags of HTML that lay out the text between them.
const TAGS: [&str; 22] = [
    "a", "b", "i", "em", "strong", "code", "kbd", "span", "small", "u", "tt", "sub", "sup", "br",
    "p", "img", "div", "center", "h1", "h2", "h3", "picture",
];
/// How many of them, from the first, stand within a sentence.
const INLINE_TAGS: usize = 13;
/// Blocks of HTML that are no text of a document, and what closes them; a table is a layout more often than not.
const BLOCKS: [(&str, &str); 4] = [
    ("<table", "</table"),
    ("<style", "</style"),
    ("<script", "</script"),
    ("<details", "</details"),
];

/// The first paragraph of a document that is prose: no heading, list, badge, table, HTML, comment, code or navigation.
///
/// What is indented below a directive of reStructuredText or an item of a list belongs to it.
pub(super) fn first_paragraph(text: &str) -> String {
    let mut paragraph = String::new();
    let (mut within, mut headings) = (Within::default(), 0);
    for whole in lines(text) {
        let line = whole.trim();
        let is_within = within.takes(whole, paragraph.is_empty());
        if underline(line).is_some() || is_ruler(line) {
            // The answer to a question speaks for no more than that, and a later section for itself.
            let is_part = !paragraph.is_empty() && headings >= HEADINGS_ABOVE_MAX;
            if is_question(&paragraph) && headings > 0 || is_part {
                return String::new();
            }
            headings += usize::from(!paragraph.is_empty());
            paragraph.clear();
        } else if !is_within && (is_prose(line) || ends_link(&paragraph, line)) {
            paragraph.push_str(line);
            paragraph.push(' ');
        } else if is_navigation(&paragraph) || is_greeting(&paragraph) || is_pointer(&paragraph) {
            paragraph.clear();
        } else {
            break;
        }
        if paragraph.len() > PARAGRAPH_BYTES_MAX || within.items > ITEMS_MAX {
            break;
        }
    }
    if is_navigation(&paragraph) || is_pointer(&paragraph) {
        paragraph.clear();
    }
    // What follows is code.
    let paragraph = match paragraph.trim_end().strip_suffix("::") {
        Some(before) => format!("{before}:"),
        None => paragraph,
    };
    without_tags(paragraph.trim_end(), &TAGS)
}

/// Whether a line has the target of a link of reStructuredText whose text stands in the line above.
fn ends_link(paragraph: &str, line: &str) -> bool {
    paragraph.matches('`').count() % 2 == 1 && line.starts_with('<') && line.contains(">`_")
}

/// `Does it need a server?`, of which `What is it?` is none: the answer to that speaks for the whole.
fn is_question(heading: &str) -> bool {
    heading.trim_end().ends_with('?') && !heading.starts_with("What is")
}

/// `Welcome to tmux!`, or one or two words before a link or a list.
fn is_greeting(paragraph: &str) -> bool {
    let words = paragraph.split_whitespace().count();
    let text = paragraph.trim_end();
    let greets = ["Hello", "Hi ", "Welcome", "Thank"]
        .iter()
        .any(|word| text.starts_with(word));
    text.ends_with('!')
        && (words <= 3 || words == 4 && text.starts_with("It ") || greets && words <= 12)
        || words <= 2 && !text.ends_with('.')
}

/// `Please refer to the documentation`: leads elsewhere.
fn is_pointer(paragraph: &str) -> bool {
    const WORDS: [&str; 21] = [
        "deploy your own ",
        "here's a link ",
        "to download ",
        "you can find ",
        "a clear and concise description of ",
        "view the ",
        "read the doc",
        "see the doc",
        "see the file ",
        "check out the doc",
        "lines starting with",
        "this table of contents",
        "for the full table of contents",
        "for full documentation",
        "for the full documentation",
        "located at ",
        "please refer to",
        "please see",
        "please visit",
        "see http",
        "for more information",
    ];
    let start = paragraph.trim_start_matches(['*', '_']);
    let is_short = start.split(' ').count() <= POINTER_WORDS_MAX;
    let leads = start.starts_with("See ") && start.contains(" for ");
    let is_address = start.contains("://") && start.split(' ').count() <= ADDRESS_WORDS_MAX;
    WORDS.iter().any(|words| begins(start, words)) || is_short && leads || is_address
}

/// What lines that are no prose belong to.
#[derive(Default)]
struct Within<'t> {
    fences: Fences<'t>,
    directive: bool,
    comment: bool,
    /// A tag of HTML that a line opens and a later one closes.
    tag: bool,
    /// What closes a block of HTML that is no text of the document.
    block: Option<&'static str>,
    list: bool,
    items: usize,
    after_empty: bool,
}

impl<'t> Within<'t> {
    /// Whether a line belongs to something that is no paragraph; `at_start` while there is no paragraph yet.
    fn takes(&mut self, whole: &'t str, at_start: bool) -> bool {
        let line = whole.trim();
        let is_further_in = line.is_empty() || whole != line && whole.starts_with([' ', '\t']);
        let (was_comment, after_empty) = (self.comment, self.after_empty);
        self.after_empty = line.is_empty();
        self.directive = line.starts_with(".. ") || self.directive && is_further_in;
        self.comment =
            (was_comment || at_start && line.starts_with("<!--")) && !line.contains("-->");
        let was_tag = self.tag;
        let was_block = self.block;
        let opened = || BLOCKS.iter().find(|(open, _)| line.starts_with(open));
        self.block = was_block
            .or_else(|| Some(opened()?.1))
            .filter(|close| at_start && !line.contains(close));
        self.tag = at_start && (was_tag || line.starts_with('<')) && opens_tag(line, was_tag);
        let is_fenced = self.fences.takes(behind_mark(line));
        self.list = at_start && (is_item(line) || self.list && (is_further_in || !after_empty));
        self.items += usize::from(at_start && is_item(line) && !line.contains("]("));
        let is_code = at_start && after_empty && indent(whole) >= CODE_COLUMNS && !line.is_empty();
        // More of such a block follows without an empty line.
        self.after_empty |= is_code;
        let is_comment = self.comment || was_comment;
        let is_html = was_tag || was_block.is_some() || self.block.is_some();
        is_fenced || self.directive || is_comment || is_html || self.list || is_code
    }
}

/// Whether a tag is open behind a line, where one may have been open before it.
fn opens_tag(line: &str, was_open: bool) -> bool {
    match (line.rfind('<'), line.rfind('>')) {
        (None, None) => was_open && !line.is_empty(),
        (opened, closed) => opened > closed,
    }
}

/// A line without the mark of a list, behind which a fence may open.
pub(super) fn behind_mark(line: &str) -> &str {
    line.trim_start_matches(['-', '*', '+']).trim_start()
}

/// `- text`, `1. text`.
pub(super) fn is_item(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let is_numbered = (1..4).contains(&digits) && line[digits..].starts_with([')', '.']);
    let marks = ["- ", "* ", "+ ", "#. "];
    let is_marked = marks.iter().any(|mark| line.starts_with(mark));
    is_marked || is_numbered && line[digits + 1..].starts_with(' ')
}

/// The first paragraph of a Markdown document, where it does not stand so deep that it speaks for a part only.
pub(super) fn markdown_paragraph(text: &str) -> String {
    let (mut levels, mut headings, mut fences) = (Vec::new(), 0, Fences::default());
    let (mut above, mut at) = (0, 0);
    for line in text.split_inclusive('\n') {
        let is_fenced = fences.takes(behind_mark(line.trim()));
        let level = line.bytes().take_while(|byte| *byte == b'#').count();
        let is_heading = !is_fenced && (1..=6).contains(&level) && line[level..].starts_with(' ');
        let is_underline = !is_fenced && underline(line.trim_end()).is_some();
        if is_heading && headings > 0 && is_question(line[level..].trim()) {
            break;
        }
        // A part of the document speaks for that part, and what stands behind its code for the code.
        let is_part = levels.len() == DEPTH_MAX && headings > 0;
        if is_part && is_fenced {
            break;
        }
        if is_heading {
            levels.retain(|outer| *outer < level);
            levels.push(level);
        }
        headings += usize::from(is_heading || is_underline);
        if levels.len() > DEPTH_MAX || headings > HEADINGS_MAX {
            // An underlined title stands in the line before.
            at = if is_underline { above } else { at };
            break;
        }
        above = at;
        at += line.len();
    }
    let quoted = leading_quotation(&text[..at]);
    let paragraph = Some(first_paragraph(&text[..at])).filter(|paragraph| !paragraph.is_empty());
    let paragraph = quoted.or(paragraph);
    let paragraph = paragraph.unwrap_or_else(|| quotation(&text[..at]));
    let paragraph = paragraph.replace("&nbsp;", " ");
    let in_italics = paragraph
        .strip_prefix('_')
        .and_then(|text| text.strip_suffix('_'));
    let paragraph = in_italics.unwrap_or(&paragraph);
    without_references(&without_marks(paragraph), text)
}

/// The quotation that stands above all other text but the title, and above the heading of its first part.
fn leading_quotation(text: &str) -> Option<String> {
    const NOTES: [&str; 5] = ["note", "warning", "important", "deprecated", "tip"];
    let mut told = text.lines().filter(|line| !line.trim().is_empty());
    let first = told.find(|line| !line.starts_with("# "))?;
    let below = told.find(|line| !line.starts_with('>'))?;
    let said = first.strip_prefix("> ")?.trim_start_matches(['*', '_']);
    let is_note = NOTES.iter().any(|word| begins(said, word));
    let is_said = said.starts_with(|c: char| c.is_alphanumeric() || c == '`') && !is_note;
    Some(quotation(text)).filter(|text| is_said && below.starts_with("##") && !text.is_empty())
}

/// The first quotation, which some projects introduce themselves with; no `> [!NOTE]`.
fn quotation(text: &str) -> String {
    let lines: Vec<&str> = text.lines().collect();
    let mut blocks = lines.split(|line| !line.starts_with('>'));
    let own = blocks.find(|block| block.first().is_some_and(|first| !first.contains("[!")));
    let quoted = own.unwrap_or_default().iter();
    let quoted = quoted.map(|line| line.trim_start_matches('>').trim());
    let quoted = quoted.take_while(|line| !line.is_empty());
    let said = quoted.collect::<Vec<_>>().join(" ");
    let is_told = said.split(' ').count() >= QUOTED_WORDS_MIN;
    if is_told { said } else { String::new() }
}

/// `[name]` is `name` where the document says elsewhere what it leads to.
fn without_references(paragraph: &str, text: &str) -> String {
    let names = paragraph.split('[').skip(1);
    let names = names.filter_map(|rest| rest.split_once(']'));
    let names = names.filter(|(name, rest)| !name.is_empty() && !rest.starts_with(['(', '[', ':']));
    let names: Vec<String> = names
        .map(|(name, _)| format!("[{name}]"))
        .take(REFERENCES_MAX)
        .collect();
    let known = names
        .iter()
        .filter(|name| text.contains(&format!("{name}:")));
    known.fold(paragraph.to_owned(), |paragraph, name| {
        paragraph.replace(name.as_str(), name.trim_matches(['[', ']']))
    })
}

/// The level of a heading that is underlined with this line.
pub(super) fn underline(line: &str) -> Option<usize> {
    let all = |mark: u8| line.len() >= 3 && line.bytes().all(|b| b == mark);
    if all(b'=') {
        return Some(1);
    }
    all(b'-').then_some(2)
}

/// Nothing, or little but links or what is put in when the document is made.
fn is_navigation(paragraph: &str) -> bool {
    let is_filled_in = ["|version|", "|release|", "|today|"]
        .iter()
        .any(|mark| paragraph.contains(mark));
    if is_byline(paragraph.trim())
        || is_filled_in && paragraph.split(' ').count() <= POINTER_WORDS_MAX
    {
        return true;
    }
    let mut words = 0;
    let (mut links, mut depth, mut tags) = (0, 0_usize, 0_usize);
    for word in paragraph.split_whitespace() {
        let (opens, tag) = (word.matches(['[', '(']).count(), word.matches('<').count());
        links += word.matches("](").count()
            + word.matches("&nbsp;").count()
            + word.matches("&bull;").count();
        if depth + tags + opens + tag == 0 && word.chars().filter(|c| c.is_alphabetic()).count() > 1
        {
            words += 1;
        }
        depth = (depth + opens).saturating_sub(word.matches([']', ')']).count());
        tags = (tags + tag).saturating_sub(word.matches('>').count());
    }
    let is_links = links > 1 && words < 3 * links || links == 1 && words == 0;
    !paragraph.contains(char::is_alphabetic) || is_links
}

/// Whether a paragraph says who wrote a document, and when: `_A name, and another_`, `A. Name <a@b.c> v2.3, May 2021`.
fn is_byline(text: &str) -> bool {
    let words = || text.split_whitespace();
    let is_signed =
        text.len() > 2 && text.starts_with('_') && text.ends_with('_') && !text.contains('.');
    // A sentence in italics has mostly small letters.
    let small = words()
        .filter(|word| word.starts_with(char::is_lowercase))
        .count();
    let is_sentence = words().count() >= BYLINE_WORDS_MAX / 2 && 2 * small > words().count();
    let is_version = |word: &str| {
        let number = word
            .trim_end_matches(',')
            .strip_prefix('v')
            .unwrap_or_default();
        number.starts_with(|c: char| c.is_ascii_digit())
    };
    let is_mail = |word: &str| word.starts_with(['<', '\\']) && word.contains('@');
    let is_year = |word: &str| word.len() == 4 && word.bytes().all(|byte| byte.is_ascii_digit());
    let is_dated =
        words().any(is_version) && words().last().is_some_and(is_year) || words().any(is_mail);
    is_signed && !is_sentence || is_dated && words().count() <= BYLINE_WORDS_MAX
}

/// Text without any tag of HTML that only lays it out.
pub(super) fn without_layout_tags(text: &str) -> String {
    without_tags(text, &TAGS)
}

/// Text without the tags of HTML that stand within a sentence.
pub(super) fn without_inline_tags(text: &str) -> String {
    without_tags(text, &TAGS[..INLINE_TAGS])
}

fn without_tags(text: &str, tags: &[&str]) -> String {
    let mut out = String::with_capacity(text.len());
    let (mut rest, mut ticks) = (text, 0);
    while let Some(at) = rest.find('<') {
        let (before, tag) = rest.split_at(at);
        out.push_str(before);
        // `<sub>` between ticks is what is told of.
        ticks += before.matches('`').count();
        let name = tag[1..].trim_start_matches('/');
        let name = name
            .split(|c: char| !c.is_ascii_alphanumeric())
            .next()
            .unwrap_or_default();
        let is_tag = ticks % 2 == 0 && tags.iter().any(|tag| name.eq_ignore_ascii_case(tag));
        let end = tag.find('>').filter(|_| is_tag);
        match end {
            Some(end) => rest = &tag[end + 1..],
            None => {
                out.push('<');
                rest = &tag[1..];
            }
        }
    }
    out + rest
}

/// A line of nothing but one or two signs.
pub(super) fn is_ruler(line: &str) -> bool {
    line.len() >= 3 && line.bytes().all(|b| b"=-~^*\"'#_+.`:".contains(&b))
}

/// `**fixes**`: a heading without the marks of one.
fn is_strong(line: &str) -> bool {
    let inner = line
        .strip_prefix("**")
        .and_then(|rest| rest.strip_suffix("**"));
    let is_title = |inner: &str| {
        inner.split(' ').count() <= TITLE_WORDS_MAX && inner.ends_with(char::is_alphanumeric)
    };
    inner.is_some_and(|inner| !inner.contains("**") && is_title(inner))
}

/// Whether a line could be part of a paragraph.
pub(super) fn is_prose(line: &str) -> bool {
    const MARKS: [&str; 15] = [
        "#", "- ", "* ", "+ ", ">", "<", "|", "![", "[![", "```", "~~~", "..", "==", "= ", "{%",
    ];
    let defines_link = line.starts_with('[') && line.contains("]:");
    let is_field = line.starts_with(':') && !line.contains(":`");
    let is_address = line.starts_with("http") && !line.contains(' ');
    let is_row = line.matches(" | ").count() >= 2 || line.contains("-|-") || line.contains("- | -");
    let is_marked = MARKS.iter().any(|mark| line.starts_with(mark)) || is_strong(line);
    !line.is_empty() && !defines_link && !is_field && !is_address && !is_row && !is_marked
}
