//! One file: what it is, whether it can be read, and with what.

use std::borrow::Cow;

use super::grammar::Grammar;
use super::macros::Macros;
use super::tokens::{Tokens, blank};
use super::{
    bash, binary, c, conditional, csharp, go, java, javascript, lines, macros, parse, php, python,
    ruby, rust, usage, uses, walk,
};
use crate::base::limit;
use crate::symbol::comment;
use crate::symbol::head;
use crate::symbol::instruction::without_order;
use crate::symbol::language::Language;
use crate::symbol::map::uses::Uses;
use crate::symbol::outline::{Content, Kind, Outline, Symbol};

/// How far into a file a NUL byte is looked for, as git does it.
const NUL_BYTES_MAX: usize = 8 * 1024;
/// Least code that is minified, and its least mean length of a line.
const MINIFIED_BYTES_MIN: usize = 1_000;
const LINE_BYTES_MINIFIED: u64 = 250;
/// Minified code has less than one space in this number of bytes, and more than one bracket or semicolon in that.
const SPACES_MINIFIED: usize = 12;
const SIGNS_MINIFIED: usize = 25;
/// A text of another encoding than UTF-8 has at most one byte in this number that is not UTF-8.
const UNKNOWN_MIN: usize = 4;

/// Makes the outline of a file. `language` is what [`detect`](crate::symbol::detect) said about its name.
#[must_use]
pub fn extract(language: Option<Language>, data: &[u8]) -> Outline {
    extract_into(language, data, None)
}

/// The same, and the names that the file uses; none without a grammar.
#[must_use]
pub(in crate::symbol) fn extract_with_uses(
    language: Option<Language>,
    data: &[u8],
) -> (Outline, Uses) {
    let mut uses = Uses::default();
    let outline = extract_into(language, data, Some(&mut uses));
    (outline, uses)
}

fn extract_into(language: Option<Language>, data: &[u8], uses: Option<&mut Uses>) -> Outline {
    let mut outline = extract_whole(language, data, uses);
    let said = without_order(&outline.doc);
    if said.len() < outline.doc.len() {
        outline.doc = said.to_owned();
    }
    outline
}

fn extract_whole(language: Option<Language>, data: &[u8], uses: Option<&mut Uses>) -> Outline {
    let mut outline = Outline {
        language,
        bytes: data.len() as u64,
        ..Outline::default()
    };
    if outline.bytes > limit::FILE_BYTES_MAX {
        outline.content = Content::TooLarge;
        return outline;
    }
    if let Some(pointer) = binary::lfs_pointer(data) {
        outline.content = Content::Binary;
        outline.doc = pointer;
        return outline;
    }
    let Some(text) = text_of(data) else {
        outline.content = Content::Binary;
        outline.doc = binary::told(data);
        return outline;
    };
    let text = text.as_ref();
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    outline.lines = text.lines().count() as u64;
    if is_minified(language, text, outline.lines) {
        let style = language.map_or(comment::NONE, Language::comment_style);
        let said = [head::file_paragraph, head::head_paragraph].map(|read| read(text, style));
        let said = said.into_iter().find(|said| !said.is_empty());
        outline.doc = said.unwrap_or_else(|| "Minified code.".to_owned());
        return outline;
    }
    match language.and_then(grammar_of) {
        Some((language, grammar)) => read(&mut outline, language, grammar, text, uses),
        None => {
            lines::read(&mut outline, text);
            if let Some(used) = uses {
                *used = lines::uses(&outline, text);
            }
        }
    }
    let only_values = outline
        .symbols
        .iter()
        .all(|symbol| matches!(symbol.kind, Kind::Variable | Kind::Constant));
    let is_script =
        matches!(language, Some(Language::JavaScript | Language::TypeScript)) && only_values;
    if outline.doc.is_empty() && is_script {
        outline.doc = head::paragraph_behind_imports(text, comment::SLASHES);
    }
    if outline.doc.is_empty() && outline.symbols.is_empty() {
        let style = language.map_or(comment::NONE, Language::comment_style);
        outline.doc = head::head_paragraph(text, style);
        if outline.doc.is_empty() {
            lines::begin(&mut outline, text);
            // What is imported is told already.
            let is_told = !outline.imports.is_empty();
            outline
                .symbols
                .retain(|line| !is_told || says_more(&line.signature));
        }
    }
    outline
}

/// Whether the line of a file says more than what that imports.
fn says_more(line: &str) -> bool {
    !head::imports(line) && line.contains(char::is_alphanumeric)
}

/// Whether a paragraph is the name of the project and what that is for: `Till - a cash register`, in `namespace Till\\Item;`.
fn is_of_project(paragraph: &str, text: &str) -> bool {
    let Some((name, _)) = paragraph.split_once(" - ") else {
        return false;
    };
    let namespaces = text
        .lines()
        .filter_map(|line| line.strip_prefix("namespace "));
    let project = namespaces
        .take(1)
        .find_map(|name| name.split(['\\', '.', ';', ' ']).next());
    project.is_some_and(|project| project.eq_ignore_ascii_case(name))
}

/// Whether a program or style sheet has hardly a line break or a space: names in it say nothing.
fn is_minified(language: Option<Language>, text: &str, lines: u64) -> bool {
    use Language as L;
    let is_for_browsers = matches!(language, Some(L::JavaScript | L::TypeScript | L::Css));
    // A break at the end begins one more, which is empty.
    let lines = lines.max(1) + u64::from(text.ends_with('\n'));
    let is_long = is_for_browsers
        && text.len() >= MINIFIED_BYTES_MIN
        && text.len() as u64 / lines >= LINE_BYTES_MINIFIED;
    let count = |signs: &[u8]| text.bytes().filter(|byte| signs.contains(byte)).count();
    // A long text in quotes has none of the signs between which code stands.
    is_long
        && SPACES_MINIFIED * count(b" ") < text.len()
        && SIGNS_MINIFIED * count(b"(){};") > text.len()
}

/// The content as text by git's rule, no NUL near its start. Of another encoding each byte that is not UTF-8 becomes
/// `?`, so that all places stay where they are; `None` where that is much of it.
fn text_of(data: &[u8]) -> Option<Cow<'_, str>> {
    if data[..data.len().min(NUL_BYTES_MAX)].contains(&0) {
        return None;
    }
    if let Ok(text) = std::str::from_utf8(data) {
        return Some(Cow::Borrowed(text));
    }
    let (mut text, mut unknown) = (String::with_capacity(data.len()), 0);
    for chunk in data.utf8_chunks() {
        text.push_str(chunk.valid());
        unknown += chunk.invalid().len();
        text.extend(chunk.invalid().iter().map(|_| '?'));
    }
    (UNKNOWN_MIN * unknown <= data.len()).then_some(Cow::Owned(text))
}

fn read(
    outline: &mut Outline,
    language: Language,
    grammar: &'static Grammar,
    text: &str,
    used: Option<&mut Uses>,
) {
    outline.content = Content::Parsed;
    outline.doc = head::file_paragraph(text, language.comment_style());
    if is_of_project(&outline.doc, text) {
        outline.doc.clear();
    }
    let Texts {
        parsed,
        told,
        shown,
    } = texts(language, text);
    let done = parse::with_tree(language, grammar, &parsed, |tree, rules| {
        walk::read(outline, tree, rules, [&told, &shown]);
        if outline.doc.is_empty() {
            outline.doc = usage::said(&outline.symbols, &shown);
        }
        let is_run = |symbol: &Symbol| symbol.kind == Kind::Command;
        if outline.doc.is_empty()
            && outline.symbols.iter().all(is_run)
            && !outline.symbols.is_empty()
        {
            // What stands above all that a script runs is about that.
            outline.doc = head::top_paragraph(text, comment::HASH);
        }
        if !outline.doc.is_empty() {
            outline.symbols.retain(|symbol| !is_run(symbol));
        }
        if let Some(used) = used {
            *used = uses::read(tree, rules, &shown, &outline.symbols);
        }
    });
    if !done {
        outline.content = Content::Unparsed;
        lines::read(outline, text);
    }
}

/// One text as it is read, with the same places in each.
struct Texts<'t> {
    /// For the grammar.
    parsed: Cow<'t, str>,
    /// For signatures: without what the preprocessor leaves out of them.
    told: Cow<'t, str>,
    /// For bodies and uses.
    shown: Cow<'t, str>,
}

fn texts(language: Language, text: &str) -> Texts<'_> {
    let is_conditional = || text.contains("#if");
    match language {
        Language::C | Language::Cpp => {
            let tokens = Tokens::of(text);
            let Macros { marks, lists } = macros::macros(&tokens);
            let shown = [lists, tokens.comments_in_defines()].concat();
            let told = [shown.clone(), conditional::torn(&tokens)].concat();
            Texts {
                parsed: blank(text, [told.clone(), marks].concat()),
                told: blank(text, told),
                shown: blank(text, shown),
            }
        }
        Language::CSharp if text.contains('#') => {
            let tokens = Tokens::of_csharp(text);
            let torn = if is_conditional() {
                conditional::torn(&tokens)
            } else {
                Vec::new()
            };
            let told = [torn.clone(), conditional::asides(&tokens)].concat();
            Texts {
                parsed: csharp::with_classes(blank(text, torn)),
                told: blank(text, told),
                shown: Cow::Borrowed(text),
            }
        }
        Language::JavaScript | Language::Tsx => Texts {
            parsed: javascript::with_attributes(text),
            told: Cow::Borrowed(text),
            shown: Cow::Borrowed(text),
        },
        Language::CSharp => Texts {
            parsed: csharp::with_classes(Cow::Borrowed(text)),
            told: Cow::Borrowed(text),
            shown: Cow::Borrowed(text),
        },
        Language::Ruby if text.contains("<%") => Texts {
            parsed: ruby::without_tags(text),
            told: Cow::Borrowed(text),
            shown: Cow::Borrowed(text),
        },
        Language::Rust if rust::has_conditions(text) => Texts {
            parsed: blank(text, rust::conditions(text)),
            told: Cow::Borrowed(text),
            shown: Cow::Borrowed(text),
        },
        _ => Texts {
            parsed: Cow::Borrowed(text),
            told: Cow::Borrowed(text),
            shown: Cow::Borrowed(text),
        },
    }
}

fn grammar_of(language: Language) -> Option<(Language, &'static Grammar)> {
    let grammar = match language {
        Language::Rust => &rust::GRAMMAR,
        Language::Python => &python::GRAMMAR,
        Language::JavaScript => &javascript::JAVASCRIPT,
        Language::TypeScript => &javascript::TYPESCRIPT,
        Language::Tsx => &javascript::TSX,
        Language::Go => &go::GRAMMAR,
        Language::Java => &java::GRAMMAR,
        Language::C => &c::C,
        Language::Cpp => &c::CPP,
        Language::CSharp => &csharp::GRAMMAR,
        Language::Ruby => &ruby::GRAMMAR,
        Language::Php => &php::GRAMMAR,
        Language::Bash => &bash::GRAMMAR,
        _ => return None,
    };
    Some((language, grammar))
}
