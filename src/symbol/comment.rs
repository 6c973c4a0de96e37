//! Comments as documentation: which of them say what a file is for, and what their text is without the marks.
//!
//! Works on plain text, so that it serves languages with and without a grammar alike. Licences, `#!` lines,
//! editor and linter instructions are never documentation.

use super::instruction::{is_instruction, is_order, is_thanks};
use super::licence::{behind_banner, is_licence, without_keywords};
use super::plain::{with_entities, without_marks};
use super::ruler::{is_ornament, is_ruler};
use super::sentence::before_announcement;
use crate::base::fence::Fences;

/// How comments look in a language.
#[derive(Debug, Clone, Copy)]
pub(super) struct Style {
    /// What starts a comment to the end of the line.
    pub line: &'static [&'static str],
    /// What opens and closes a comment over several lines.
    pub block: Option<(&'static str, &'static str)>,
}

/// What tells comments and strings from code.
#[derive(Debug, Clone, Copy)]
pub struct Marks {
    /// What starts a comment to the end of the line.
    pub line: &'static [&'static str],
    /// What opens and closes a comment over several lines.
    pub block: Option<(&'static str, &'static str)>,
    /// What strings stand between.
    pub quotes: &'static [u8],
    /// Where strings end.
    pub strings: Strings,
}

/// Where strings of a language end.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Strings {
    /// In their line, unless they stand between back quotes, three quotes or the long brackets of Lua.
    Line,
    /// As in Rust, over lines, and raw ones at `"#`.
    Rust,
    /// In their line, which goes on with the one above where it begins with a backslash.
    Vim,
}

const fn style(
    line: &'static [&'static str],
    block: Option<(&'static str, &'static str)>,
) -> Style {
    Style { line, block }
}

pub(super) const SLASHES: Style = style(&["//"], Some(("/*", "*/")));
pub(super) const HASH: Style = style(&["#"], None);
pub(super) const PHP: Style = style(&["//", "#"], Some(("/*", "*/")));
pub(super) const MARKUP: Style = style(&[], Some(("<!--", "-->")));
pub(super) const PERCENT: Style = style(&["%"], None);
pub(super) const SEMICOLON: Style = style(&[";"], None);
pub(super) const PASCAL: Style = style(&["//"], Some(("(*", "*)")));
pub(super) const BATCH: Style = style(&["rem ", "REM ", "::"], None);
pub(super) const VIM: Style = style(&["\""], None);
pub(super) const FORTRAN: Style = style(&["!"], None);
pub(super) const LUA: Style = style(&["--"], Some(("--[[", "]]")));
pub(super) const HASKELL: Style = style(&["-- |", "--"], Some(("{-", "-}")));
pub(super) const ROXYGEN: Style = style(&["#'", "#"], None);
pub(super) const SQL: Style = style(&["--", "#"], Some(("/*", "*/")));
pub(super) const ML: Style = style(&[], Some(("(*", "*)")));
pub(super) const JULIA: Style = style(&["#"], Some(("#=", "=#")));
pub(super) const POWERSHELL: Style = style(&["#"], Some(("<#", "#>")));
pub(super) const ADA: Style = style(&["--"], None);
pub(super) const ROFF: Style = style(&[".\\\"", "'\\\""], None);
pub(super) const MIXED: Style = style(&["#", "//"], Some(("/*", "*/")));
pub(super) const ASSEMBLY: Style = style(&["//", ";", "@ "], Some(("/*", "*/")));
pub(super) const AUTOCONF: Style = style(&["dnl ", "#"], None);
pub(super) const QUOTE: Style = style(&["'"], None);
pub(super) const NONE: Style = style(&[], None);

/// The first paragraph of a comment that says something, as one line.
///
/// Paragraphs of a licence and of thanks are passed over.
pub(super) fn paragraph(comment: &str, style: Style) -> String {
    // One word above the text is a title, and says more than nothing.
    let (mut found, mut title) = (String::new(), String::new());
    let (mut in_licence, mut in_tag, mut tag_column) = (false, false, None);
    let (mut has_licence, mut elsewhere) = (false, Elsewhere::default());
    for whole in lines_of(comment, style) {
        let line = without_keywords(unmark(whole, style));
        // What goes on below `@param` is about that, and below `@other text` what is further in.
        let column = whole.find(line).unwrap_or(0);
        let is_further_in = tag_column.is_some_and(|tag| column > tag) && !line.is_empty();
        in_tag =
            is_tag(line) || is_further_in || in_tag && tag_column.is_none() && !line.is_empty();
        let opens_tag = line.starts_with('@') && !is_tag(line) && line.contains(' ');
        tag_column = if opens_tag {
            Some(column)
        } else {
            tag_column.filter(|_| is_further_in)
        };
        let line = strip_tag(line);
        let opened = line.strip_prefix("<p>").filter(|_| found.is_empty());
        let line = opened.map_or(line, str::trim_start);
        if in_tag && found.is_empty() {
            if title.is_empty() {
                continue;
            }
            break;
        }
        let was_licence = in_licence;
        in_licence = !line.is_empty() && (in_licence || is_licence(&fold(line)) || is_thanks(line));
        if in_licence && found.is_empty() {
            has_licence = true;
            continue;
        }
        // What stands between two holders of a copyright is about what they hold: the project.
        let is_held = line.to_ascii_lowercase().contains("copyright");
        if in_licence && has_licence && !was_licence && is_held {
            found.clear();
            continue;
        }
        // Of a box with a name and whose it is, the name is that of the project.
        if in_licence && is_boxed(comment) && names_project(&found) {
            found.clear();
            continue;
        }
        if in_licence && is_title(&found) && title.is_empty() {
            title = std::mem::take(&mut found);
            continue;
        }
        if in_licence {
            break;
        }
        let is_next = !(found.is_empty() && title.is_empty()) && begins_next(&found, line);
        let is_apart = line.is_empty() || is_ornament(line);
        let is_block = !found.is_empty() && begins_block(line);
        let ends = is_apart || ends_prose(line) || is_next || is_block || is_code_line(line);
        if is_apart && title.is_empty() && is_title(&found) {
            title = std::mem::take(&mut found);
        }
        // What else stands below a title is no text about the same.
        if ends && !is_apart && found.is_empty() && !title.is_empty() {
            break;
        }
        let is_elsewhere = elsewhere.takes(line, found.is_empty());
        if ends && found.is_empty() || is_elsewhere {
            continue;
        }
        if ends || found.len() > PARAGRAPH_BYTES_MAX {
            break;
        }
        if !found.is_empty() {
            found.push(' ');
        }
        found.push_str(line);
    }
    let is_html = comment.trim_start().starts_with("/**");
    as_prose(if found.is_empty() { title } else { found }, is_html)
}

/// Lines that lead elsewhere: orders to the reader or a tool with what goes on below them, addresses with their asides.
#[derive(Default)]
struct Elsewhere {
    in_order: bool,
    was_address: bool,
    in_aside: bool,
}

impl Elsewhere {
    /// Whether a line is one of them; `at_start` while nothing else was found.
    fn takes(&mut self, line: &str, at_start: bool) -> bool {
        let is_order = self.in_order || is_instruction(line);
        self.in_order = is_order && goes_on(line, self.in_order);
        // An aside to an address says nothing without it.
        let is_aside = self.in_aside || self.was_address && at_start && line.starts_with('(');
        self.in_aside = is_aside && !line.contains(')');
        self.was_address = is_order && line.contains("://");
        is_order || is_aside
    }
}

/// Whether a line of words to the reader goes on below: `For most projects, …`.
fn goes_on(line: &str, was_one: bool) -> bool {
    (was_one || line.starts_with("For ")) && line.ends_with(char::is_alphanumeric)
}

/// With what a function begins.
const FUNCTIONS: [&str; 5] = ["func", "fn", "function", "static", "void"];

/// Whether a comment begins with the upper side of a box.
fn is_boxed(comment: &str) -> bool {
    is_ruler(comment.lines().next().unwrap_or_default())
}

/// What was found as plain words; empty for code.
fn as_prose(mut found: String, is_html: bool) -> String {
    // A line can be as long as a file.
    found.truncate(found.floor_char_boundary(4 * PARAGRAPH_BYTES_MAX));
    // A function that was switched off: `func f() { return`.
    let opens = found
        .split(' ')
        .next()
        .is_some_and(|word| FUNCTIONS.contains(&word));
    if is_code(&found) || opens && found.contains(") {") {
        return String::new();
    }
    // Javadoc puts the value of a constant here.
    let found = found.replace(": {@value}", "");
    // `- Finds a till`: an item that stands alone is none.
    let found = found.strip_prefix("- ").unwrap_or(&found);
    let found = without_marks(found);
    let found = if is_html {
        with_entities(&found)
    } else {
        found
    };
    // What announces a list or an example says nothing without it.
    let announces = found.ends_with(':');
    let found = before_announcement(&found)
        .filter(|_| announces)
        .unwrap_or(&found);
    let found = fold(found);
    // `special marks: - …`: what the list below it is of.
    let list = found
        .split_once(": ")
        .filter(|(label, _)| label.split(' ').count() <= LABEL_WORDS_MAX);
    let is_list = list.is_some_and(|(label, rest)| {
        let sign = ["- ", "* ", "+ ", "\\1 "];
        label.starts_with(char::is_lowercase) && sign.iter().any(|sign| rest.starts_with(sign))
    });
    if is_order(&found) || is_list {
        return String::new();
    }
    cap(&found, PARAGRAPH_BYTES_MAX)
}

/// The lines of a comment below the project's name and above the first words.
fn lines_of(comment: &str, style: Style) -> impl Iterator<Item = &str> {
    let own = behind_banner(comment, |line| unmark(line, style));
    without_metadata(behind_example(own, style))
}

/// The lines of a comment but for what a script in Python says of itself to its runner (PEP 723).
fn without_metadata(comment: &str) -> impl Iterator<Item = &str> {
    let mut in_metadata = false;
    comment.lines().filter(move |whole| {
        let is_fence = matches!(whole.trim(), "# /// script" | "# ///");
        if is_fence {
            in_metadata = whole.trim() != "# ///";
        }
        !in_metadata && !is_fence && !whole.starts_with("#!/")
    })
}

/// A comment without the examples above its first words.
fn behind_example(comment: &str, style: Style) -> &str {
    let (mut rest, mut fences, mut in_doctest) = (comment, Fences::default(), false);
    let mut in_code = false;
    while let Some((line, behind)) = rest.split_once('\n') {
        let line = unmark(line, style);
        in_doctest = line.starts_with(">>> ") || in_doctest && !line.is_empty();
        in_code |= ["<pre>{@code", "<pre><code"]
            .iter()
            .any(|open| line.starts_with(open));
        if !fences.takes(line) && !in_doctest && !in_code && !line.is_empty() {
            break;
        }
        in_code &= !line.contains("</pre>");
        rest = behind;
    }
    // An example that never ends is all that there is, and what a doctest prints says nothing.
    match in_doctest && !rest.contains('\n') {
        true => "",
        false if fences.is_open() || in_code => comment,
        false => rest,
    }
}

/// `Shop Project - A Framework for Tills`, and no sentence.
fn names_project(paragraph: &str) -> bool {
    paragraph.contains("Project") && !paragraph.ends_with('.') && !paragraph.contains(". ")
}

/// Whether a paragraph is one word that is no sentence: `shop.till`.
fn is_title(paragraph: &str) -> bool {
    !paragraph.is_empty() && !paragraph.contains(' ') && !paragraph.ends_with(['.', ':', '!'])
}

/// Whether a comment is the heading of a part of a file: a few words between two rulers.
pub(super) fn is_heading(comment: &str, style: Style) -> bool {
    let mut lines = comment
        .lines()
        .filter(|line| !unmark(line, style).is_empty() || is_ruler(line));
    let (Some(first), Some(text), Some(last), None) =
        (lines.next(), lines.next(), lines.next(), lines.next())
    else {
        return false;
    };
    let is_word = |word: &&str| word.contains(char::is_alphanumeric);
    let words = text.split_whitespace().filter(is_word).count();
    is_ruler(first) && is_ruler(last) && (1..=HEADING_WORDS_MAX).contains(&words)
}

/// Whether a comment is an assignment that was switched off: `name = [1, 2]`.
fn is_code(text: &str) -> bool {
    // A grammar: `list ::= item*`.
    let rule = text.split_once(" := ").or_else(|| text.split_once(" ::= "));
    if rule.is_some_and(|(name, _)| !name.contains(' ')) {
        return true;
    }
    // What a line below imports: `String#camelize, Array#to_sentence`.
    let mut names = text.split(", ");
    let is_of_name = |sign: char| sign.is_alphanumeric() || "_#.:?!".contains(sign);
    let is_name = |name: &str| name.chars().all(is_of_name);
    if text.contains(", ") && text.contains(['#', '_']) && names.all(is_name) {
        return true;
    }
    // A rule of a style sheet: `a { color: red; }`.
    if text.ends_with('}') && text.contains(" { ") && text.contains(';') {
        return true;
    }
    let Some((name, value)) = text.split_once(" = ") else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.$@".contains(c);
    let is_value = value.starts_with(['[', '{', '"', '\'', '(', '-'])
        || value.starts_with(|c: char| c.is_ascii_digit())
        || !value.contains(' ');
    !name.is_empty() && name.chars().all(is_name) && is_value
}

/// Whether a line is one of code that was switched off, or shows how something is used: `const a = require('b')`.
fn is_code_line(line: &str) -> bool {
    const DIRECTIVES: [&str; 6] = ["#define", "#if", "#ifdef", "#ifndef", "#endif", "#include"];
    let words = |count: usize| line.split(' ').nth(count).unwrap_or_default();
    let is_quoted = line.contains(['\'', '"']);
    match words(0) {
        word if DIRECTIVES.contains(&word) => true,
        "const" | "let" | "var" => words(2) == "=" || line.contains("} = "),
        "import" => is_quoted && (line.contains(" from ") || words(1).starts_with(['\'', '"'])),
        "export" => line.contains(['{', '*', '=']),
        "return" | "throw" => line.ends_with(';'),
        "gem" | "npm" | "pip" | "cargo" | "brew" => words(1) == "install",
        "require" | "require_relative" => words(1).starts_with(['\'', '"']) && words(2).is_empty(),
        // `list.add(one, two);`
        _ => {
            let name = line.split('(').next().unwrap_or_default();
            let is_name = |c: char| c.is_alphanumeric() || "_.$:>-".contains(c);
            line.ends_with(");") && name.chars().all(is_name)
        }
    }
}

/// Takes the marks of a comment off one of its lines.
fn unmark(line: &str, style: Style) -> &str {
    let mut line = line.trim();
    if let Some((open, close)) = style.block {
        let inner = line.strip_suffix(close);
        line = inner.unwrap_or(line);
        // `*` at the end of a line is the side of a box, or the end of a word in emphasis.
        let before = line.trim_end_matches('*');
        if inner.is_some() || before.is_empty() || before.ends_with([' ', '\t']) {
            line = before.trim_end();
        }
        line = line.strip_prefix(open).unwrap_or(line);
        line = line
            .trim_start_matches('*')
            .strip_prefix('!')
            .unwrap_or(line.trim_start_matches('*'));
    }
    for mark in style.line {
        if let Some(rest) = line.strip_prefix(mark) {
            let last = mark.trim_end().chars().last().unwrap_or(' ');
            // `#:` documents what follows in Python.
            line = rest.trim_start_matches([last, '!', ':']);
            // `#/ Usage: …` is for a script to print.
            let printed = line.strip_prefix('/').filter(|_| last == '#');
            let is_empty = |rest: &&str| rest.is_empty() || rest.starts_with(' ');
            line = printed.filter(is_empty).unwrap_or(line);
            // The right side of a box.
            let inner = line.trim_end().trim_end_matches(last);
            if inner.ends_with([' ', '\t']) && line.len() - inner.len() > 1 {
                line = inner;
            }
            break;
        }
    }
    line.trim()
}

/// Takes off a leading tag that only says "here comes the description".
fn strip_tag(line: &str) -> &str {
    const TAGS: [&str; 10] = [
        "@fileoverview",
        "@overview",
        "@brief",
        "\\brief",
        "@summary",
        "@description",
        "@desc",
        "<summary>",
        "Description:",
        "Summary:",
    ];
    let rest = TAGS.iter().find_map(|tag| line.strip_prefix(tag));
    rest.map_or(line, str::trim_start)
        .trim_end_matches("</summary>")
        .trim_end()
}

/// A line about a parameter, a result or an author, and not about the whole.
fn is_tag(line: &str) -> bool {
    // `Supported browsers:: all` in the documentation of Ruby.
    let label = line
        .split_once("::")
        .filter(|(_, rest)| rest.starts_with(' '));
    let is_label = label.is_some_and(|(label, _)| {
        let is_word = |c: char| c.is_alphabetic() || c == ' ';
        label.starts_with(char::is_uppercase) && label.contains(' ') && label.chars().all(is_word)
    });
    let word = line.strip_prefix(['@', '\\']).unwrap_or_default();
    let word = word.split([' ', '{']).next().unwrap_or_default();
    let is_task = [
        "TODO", "FIXME", "XXX", "HACK", "CAUTION:", "Usage:", "usage:",
    ]
    .iter()
    .any(|task| line.starts_with(task));
    is_label
        || is_task
        || matches!(
            word,
            "param"
                | "example"
                | "return"
                | "returns"
                | "throws"
                | "rdname"
                | "author"
                | "see"
                | "link"
                | "var"
        )
}

/// Lines that end the prose of a comment: tags, code, lists of parameters, headings.
fn ends_prose(line: &str) -> bool {
    const STARTS: [&str; 25] = [
        "[![",
        "<h1",
        "<h2",
        "<h3",
        "<br",
        "@",
        "= ",
        "== ",
        "=== ",
        "==== ",
        "\\param",
        "\\return",
        "\\file",
        ":param",
        ":return",
        "```",
        "~~~",
        "# ",
        "## ",
        "Args:",
        "Arguments:",
        "Returns:",
        "Parameters:",
        ">>> ",
        "<param",
    ];
    // `[name]: https://…`
    let defines_link = line.starts_with('[') && line.contains("]: ") && line.contains("://");
    STARTS.iter().any(|start| line.starts_with(start))
        || matches!(line, "Parameters" | "::")
        || defines_link
}

/// Whether a line begins a block of HTML; a tag that a sentence names has more of it behind.
fn begins_block(line: &str) -> bool {
    let behind = ["<p>", "<ul>", "<ol>", "<pre>"]
        .iter()
        .find_map(|tag| line.strip_prefix(tag));
    behind.is_some_and(|rest| !rest.trim_start().starts_with(|c: char| c.is_lowercase()))
}

/// Whether a line begins something of its own below what was found.
fn begins_next(found: &str, line: &str) -> bool {
    let is_numbered = |text: &str| {
        let digits = text.bytes().take_while(u8::is_ascii_digit).count();
        (1..3).contains(&digits) && text[digits..].starts_with(". ")
    };
    begins_item(line) || is_numbered(found) && is_numbered(line)
}

/// Whether a line begins something of its own below a sentence: an item of a list, `Dependencies: tr`.
fn begins_item(line: &str) -> bool {
    let is_item = ["- ", "* ", "+ ", "• "]
        .iter()
        .any(|mark| line.starts_with(mark));
    // `Thor::Runner` is no label.
    let label = line
        .split_once(':')
        .filter(|(_, rest)| !rest.starts_with(':'));
    let label = label.map(|(label, _)| label);
    let is_label = label.is_some_and(|label| {
        label.len() <= LABEL_BYTES_MAX
            && label.starts_with(|c: char| c.is_ascii_uppercase())
            && label.chars().all(char::is_alphanumeric)
    });
    is_item || is_label
}

/// One line: runs of white space and control characters become one space.
///
/// Escape sequences of a terminal (ECMA-48) go as a whole.
pub(super) fn fold(text: &str) -> String {
    if text.contains('\u{1b}') {
        return fold(&without_escapes(text).replace('\u{1b}', ""));
    }
    let mut out = String::with_capacity(text.len());
    for word in text
        .split(|c: char| c.is_whitespace() || c.is_control())
        .filter(|word| !word.is_empty())
    {
        if !out.is_empty() {
            out.push(' ');
        }
        out.push_str(word);
    }
    out
}

fn without_escapes(text: &str) -> String {
    // `ESC ] … BEL` or `ESC ] … ESC \` is a title or an address.
    let mut commands = text.split("\u{1b}]");
    let first = commands.next().unwrap_or_default().to_owned();
    let text = commands.fold(first, |out, part| {
        let end = part.find(['\u{7}', '\u{1b}']).unwrap_or(part.len());
        let rest = part[end..].trim_start_matches('\u{7}');
        out + rest.strip_prefix("\u{1b}\\").unwrap_or(rest)
    });
    let mut parts = text.split("\u{1b}[");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| {
        let is_parameter = |c: char| ('\u{20}'..='\u{3f}').contains(&c);
        let mut rest = part.trim_start_matches(is_parameter).chars();
        rest.next();
        out + rest.as_str()
    })
}

/// At most `bytes_max` bytes; what is cut off is shown as `…`.
pub(super) fn cap(text: &str, bytes_max: usize) -> String {
    if text.len() <= bytes_max {
        return text.to_owned();
    }
    let end = text.floor_char_boundary(bytes_max - '…'.len_utf8());
    format!("{}…", text[..end].trim_end())
}

/// Most words between two rulers that are the heading of a part of a file.
const HEADING_WORDS_MAX: usize = 3;
/// Most words above a list that only say what is in it.
const LABEL_WORDS_MAX: usize = 2;
/// Longest word in front of a colon that names what follows.
const LABEL_BYTES_MAX: usize = 16;
/// Longest first paragraph of the documentation of a file or symbol, in bytes.
pub(super) const PARAGRAPH_BYTES_MAX: usize = 700;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_tags_and_what_follows_the_prose_are_taken_off() {
        for (comment, style, expected) in [
            (
                "/// Runs it.\n/// ```\n/// x\n/// ```\n",
                SLASHES,
                "Runs it.",
            ),
            (
                "/**\n * Runs <b>it</b>\n * now.\n *\n * @param x y\n */",
                SLASHES,
                "Runs it now.",
            ),
            (
                "/// <summary>\n/// Runs <see cref=\"It\"/>.\n/// </summary>",
                SLASHES,
                "Runs It.",
            ),
            ("/*****\n * ---- *\n * Runs.\n */", SLASHES, "Runs."),
            ("# Runs.\n# @return [x]", HASH, "Runs."),
            (
                "\n    Counts\n    keys.\n\n    Args:\n        x: y\n",
                NONE,
                "Counts keys.",
            ),
            ("// eslint-disable-next-line\n", SLASHES, ""),
            (
                "/**\n * @param string $a Read [it](x),\n *   especially if b.\n */",
                SLASHES,
                "",
            ),
            (
                "##\n# Prevented attack::  CSRF\n# More infos::  * http://x\n#     * http://y\n#\n# Checks a token.",
                HASH,
                "Checks a token.",
            ),
            ("# = Shop::Cart\n#\n# Holds items.", HASH, "Holds items."),
            (
                "/**\n * @testWith [\"digest\"]\n *           [\"ntlm\"]\n */",
                SLASHES,
                "",
            ),
            (
                "/**\n * @private\n * Holds items.\n */",
                SLASHES,
                "Holds items.",
            ),
            ("# RATES = [2.0, 1.5]\n", HASH, ""),
            ("# x = y holds for all\n", HASH, "x = y holds for all"),
        ] {
            assert_eq!(paragraph(comment, style), expected, "{comment}");
        }
        let long = format!("// {}", "word ".repeat(500));
        assert!(paragraph(&long, SLASHES).len() <= PARAGRAPH_BYTES_MAX);
    }

    #[test]
    fn words_to_tools_code_and_thanks_document_nothing() {
        for (comment, style, expected) in [
            ("// nolint:deadcode,unused\n", SLASHES, ""),
            ("//nolint:unused\n// Reads it.\n", SLASHES, "Reads it."),
            ("/* istanbul ignore file */", SLASHES, ""),
            ("/* c8 ignore next 3 */", SLASHES, ""),
            (
                "# rubocop:disable Style/Foo\n# Reads it.\n",
                HASH,
                "Reads it.",
            ),
            ("# type: ignore\n", HASH, ""),
            ("# noqa: E501\n", HASH, ""),
            (
                "// named export\n// import { shop } from 'shop'\n// const { shop } = require('shop')\n",
                SLASHES,
                "named export",
            ),
            ("// var a = require('a')\n", SLASHES, ""),
            (
                "// list.add(one, two);\n// Adds them.\n",
                SLASHES,
                "Adds them.",
            ),
            (
                "// Import it from there.\n",
                SLASHES,
                "Import it from there.",
            ),
            ("// Big thanks to a friend\n// for this.\n", SLASHES, ""),
            (
                "/*\n * Thank you to A (a.b), who did the\n * first of it.\n *\n * Keeps items.\n */",
                SLASHES,
                "Keeps items.",
            ),
            (
                "/**\n * Shows keys in *shop*\n */",
                SLASHES,
                "Shows keys in *shop*",
            ),
            (
                "/* Shows keys. *\n * More.      */",
                SLASHES,
                "Shows keys. More.",
            ),
        ] {
            assert_eq!(paragraph(comment, style), expected, "{comment}");
        }
    }
}
