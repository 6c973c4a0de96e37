//! Comments as documentation: which of them say what a file is for, and what their text is without the marks.
//!
//! Works on plain text, so that it serves languages with and without a grammar alike. Licences, `#!` lines,
//! editor and linter instructions are never documentation.

use super::licence::{is_licence, without_keywords};
use super::plain::without_marks;

/// How many lines at the start of a file are searched for its documentation.
const HEAD_LINES_MAX: usize = 200;

/// Fewest words of a comment at the head of a file that say something about the file.
const WORDS_MIN: usize = 2;

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
}

pub(super) const SLASHES: Style = Style {
    line: &["//"],
    block: Some(("/*", "*/")),
};
pub(super) const HASH: Style = Style {
    line: &["#"],
    block: None,
};
pub(super) const PHP: Style = Style {
    line: &["//", "#"],
    block: Some(("/*", "*/")),
};
pub(super) const MARKUP: Style = Style {
    line: &[],
    block: Some(("<!--", "-->")),
};
pub(super) const PERCENT: Style = Style {
    line: &["%"],
    block: None,
};
pub(super) const SEMICOLON: Style = Style {
    line: &[";"],
    block: None,
};
pub(super) const PASCAL: Style = Style {
    line: &["//"],
    block: Some(("(*", "*)")),
};
pub(super) const BATCH: Style = Style {
    line: &["rem ", "REM ", "::"],
    block: None,
};
pub(super) const VIM: Style = Style {
    line: &["\""],
    block: None,
};
pub(super) const FORTRAN: Style = Style {
    line: &["!"],
    block: None,
};
pub(super) const LUA: Style = Style {
    line: &["--"],
    block: Some(("--[[", "]]")),
};
pub(super) const HASKELL: Style = Style {
    line: &["-- |", "--"],
    block: Some(("{-", "-}")),
};
pub(super) const ROXYGEN: Style = Style {
    line: &["#'", "#"],
    block: None,
};
pub(super) const SQL: Style = Style {
    line: &["--", "#"],
    block: Some(("/*", "*/")),
};
pub(super) const ML: Style = Style {
    line: &[],
    block: Some(("(*", "*)")),
};
pub(super) const JULIA: Style = Style {
    line: &["#"],
    block: Some(("#=", "=#")),
};
pub(super) const POWERSHELL: Style = Style {
    line: &["#"],
    block: Some(("<#", "#>")),
};
pub(super) const ADA: Style = Style {
    line: &["--"],
    block: None,
};
pub(super) const ROFF: Style = Style {
    line: &[".\\\"", "'\\\""],
    block: None,
};
pub(super) const MIXED: Style = Style {
    line: &["#", "//"],
    block: Some(("/*", "*/")),
};
pub(super) const ASSEMBLY: Style = Style {
    line: &["//", ";", "@ "],
    block: Some(("/*", "*/")),
};
pub(super) const AUTOCONF: Style = Style {
    line: &["dnl ", "#"],
    block: None,
};
pub(super) const QUOTE: Style = Style {
    line: &["'"],
    block: None,
};
pub(super) const NONE: Style = Style {
    line: &[],
    block: None,
};

/// First words of a line that shows that the comment above it was about the file and not about that line.
const PREAMBLE: [&str; 18] = [
    "use ",
    "extern crate",
    "import",
    "from ",
    "#include",
    "#ifndef",
    "#if ",
    "#pragma",
    "package ",
    "using ",
    "require",
    "namespace ",
    "module ",
    "<?php",
    "declare(",
    "set ",
    "source ",
    "\"use strict\"",
];

/// Lines at the head of a file that are neither comment nor code.
const SKIPPED: [&str; 9] = [
    "#!",
    "<?php",
    "<?xml",
    "<!doctype",
    "\"use strict\"",
    "'use strict'",
    "@echo off",
    "# frozen_string_literal",
    "%yaml",
];

/// What stands between the start of a file in C and its first declaration.
const DIRECTIVES: [&str; 8] = [
    "#include", "#if", "#else", "#elif", "#endif", "#define", "#undef", "#pragma",
];

/// First words of a comment between the directives of a file in C and what it declares that is about a part of it.
const PARTS: [&str; 24] = [
    "forward",
    "local",
    "static",
    "private",
    "public",
    "internal",
    "global",
    "helper",
    "prototypes",
    "function",
    "functions",
    "declarations",
    "constants",
    "macros",
    "define",
    "defines",
    "include",
    "includes",
    "needed",
    "for",
    "types",
    "todo",
    "fixme",
    "xxx",
];

/// What stands above a part of a file and says nothing of the whole.
const SECTIONS: [&str; 8] = [
    "module dependencies",
    "module exports",
    "module variables",
    "module scaffolding",
    "standard library",
    "third party",
    "local imports",
    "system includes",
];

/// Finds the first paragraph about the file itself in the comments at its head; empty when there is none.
///
/// A comment that touches a declaration belongs to the declaration, one followed by an empty line, an import or
/// nothing belongs to the file. Of Rust's comments the inner ones (`//!`) go first.
pub(super) fn file_paragraph(text: &str, style: Style) -> String {
    let (mut found, mut behind) = (String::new(), false);
    let mut lines = text
        .trim_start_matches('\u{feff}')
        .lines()
        .take(HEAD_LINES_MAX)
        .map(str::trim)
        .peekable();
    while let Some(line) = lines.peek().copied() {
        if line.is_empty() || is_skipped(line) {
            lines.next();
            continue;
        }
        let is_directive = DIRECTIVES.iter().any(|word| line.starts_with(word));
        if is_directive && found.is_empty() && style.line == SLASHES.line {
            behind = true;
            while lines.next().is_some_and(|line| line.ends_with('\\')) {}
            continue;
        }
        let Some(block) = take_block(&mut lines, style) else {
            break;
        };
        if behind {
            // What stands between directives is about one of them more often than not.
            let is_own = lines.peek().is_some_and(|next| next.is_empty());
            found = Some(paragraph(&block, style))
                .filter(|text| is_own && says_what_for(text))
                .unwrap_or_default();
            if found.is_empty() {
                continue;
            }
            break;
        }
        let inner = ["//!", "/*!"].iter().any(|mark| block.starts_with(mark));
        let own = inner
            || lines.peek().is_none_or(|next| {
                next.is_empty() || is_skipped(next) || is_preamble(next) || is_comment(next, style)
            });
        if own && (found.is_empty() || inner) {
            let text = paragraph(&block, style);
            let says_something = text.split(' ').count() >= WORDS_MIN && !is_section(&text);
            // `/*!` is a banner outside of Rust.
            if block.starts_with("//!") && !text.is_empty() || says_something {
                found = text;
            }
        }
        if inner && !found.is_empty() {
            break;
        }
    }
    found
}

/// Whether a comment behind the directives of a file says what the file is for, and not which part of it begins.
fn says_what_for(text: &str) -> bool {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    let is_part = PARTS.iter().any(|part| first.eq_ignore_ascii_case(part));
    words.count() >= 2 && !is_part && !is_section(text) && text.contains(char::is_uppercase)
}

/// What the first comment of a file says, for one in which nothing else is known that it could be about.
pub(super) fn head_paragraph(text: &str, style: Style) -> String {
    let lines = text.lines().take(HEAD_LINES_MAX).map(str::trim);
    let mut lines = lines
        .skip_while(|line| line.is_empty() || is_skipped(line) || is_preamble(line))
        .peekable();
    let said = take_block(&mut lines, style).map(|block| paragraph(&block, style));
    said.filter(|said| said.split(' ').count() >= WORDS_MIN)
        .unwrap_or_default()
}

/// Whether a text only says which part of a file begins.
pub(super) fn is_section(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ':']);
    SECTIONS
        .iter()
        .any(|section| text.eq_ignore_ascii_case(section))
}

fn is_skipped(line: &str) -> bool {
    let starts = |mark: &&str| {
        line.get(..mark.len())
            .is_some_and(|head| head.eq_ignore_ascii_case(mark))
    };
    SKIPPED.iter().any(starts)
}

fn is_comment(line: &str, style: Style) -> bool {
    style.line.iter().any(|mark| line.starts_with(mark))
        || style.block.is_some_and(|(open, _)| line.starts_with(open))
}

/// Whether a line names what a program is made of, and nothing of its own.
pub(super) fn imports(line: &str) -> bool {
    const WORDS: [&str; 6] = [
        "import ",
        "from ",
        "#include",
        "require ",
        "require_relative ",
        "using ",
    ];
    WORDS.iter().any(|word| line.starts_with(word)) || is_skipped(line)
}

fn is_preamble(line: &str) -> bool {
    PREAMBLE.iter().any(|word| line.starts_with(word))
}

/// Takes one comment: a block, or line comments without a gap; `None` when the next line is code.
fn take_block<'a>(
    lines: &mut std::iter::Peekable<impl Iterator<Item = &'a str>>,
    style: Style,
) -> Option<String> {
    let first = lines.peek().copied()?;
    let mut block = String::new();
    if let Some((open, close)) = style.block
        && first.starts_with(open)
    {
        for line in lines.by_ref() {
            let searched = if block.is_empty() {
                line.get(open.len()..).unwrap_or_default()
            } else {
                line
            };
            block.push_str(line);
            block.push('\n');
            if searched.contains(close) {
                return Some(block);
            }
        }
        return Some(block);
    }
    let inner = first.starts_with("//!");
    while let Some(line) = lines.peek().copied()
        && style.line.iter().any(|mark| line.starts_with(mark))
        && line.starts_with("//!") == inner
        && !is_skipped(line)
    {
        block.push_str(line);
        block.push('\n');
        lines.next();
    }
    (!block.is_empty()).then_some(block)
}

/// The first paragraph of a comment that says something, as one line.
///
/// Paragraphs of a licence are passed over.
pub(super) fn paragraph(comment: &str, style: Style) -> String {
    let mut found = String::new();
    let (mut in_licence, mut in_tag, mut tag_column) = (false, false, None);
    for whole in comment.lines() {
        let line = without_keywords(unmark(whole, style));
        // What goes on below `@param` is about that, and below `@other text` what is further in.
        let column = whole.find(line).unwrap_or(0);
        let is_further_in = tag_column.is_some_and(|tag| column > tag) && !line.is_empty();
        in_tag =
            is_tag(line) || is_further_in || in_tag && tag_column.is_none() && !line.is_empty();
        tag_column = match line.starts_with('@') && !is_tag(line) && line.contains(' ') {
            true => Some(column),
            false => tag_column.filter(|_| is_further_in),
        };
        let line = strip_tag(line);
        if in_tag && found.is_empty() {
            continue;
        }
        in_licence = !line.is_empty() && (in_licence || is_licence(line));
        if in_licence && found.is_empty() {
            continue;
        }
        if in_licence {
            break;
        }
        let ends = line.is_empty() || is_ornament(line) || ends_prose(line);
        if ends && found.is_empty() || is_instruction(line) {
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
    // A line can be as long as a file.
    found.truncate(found.floor_char_boundary(4 * PARAGRAPH_BYTES_MAX));
    if is_code(&found) {
        return String::new();
    }
    cap(&fold(&without_marks(&found)), PARAGRAPH_BYTES_MAX)
}

/// Whether a comment is an assignment that was switched off: `name = [1, 2]`.
fn is_code(text: &str) -> bool {
    let Some((name, value)) = text.split_once(" = ") else {
        return false;
    };
    let is_name = |c: char| c.is_ascii_alphanumeric() || "_.$@".contains(c);
    let is_value = value.starts_with(['[', '{', '"', '\'', '(', '-'])
        || value.starts_with(|c: char| c.is_ascii_digit())
        || !value.contains(' ');
    !name.is_empty() && name.chars().all(is_name) && is_value
}

/// Cuts after the first full stop that ends a sentence.
#[must_use]
pub fn first_sentence(text: &str) -> &str {
    const ABBREVIATIONS: [&str; 6] = ["e.g", "i.e", "etc", "vs", "cf", "approx"];
    for (at, _) in text.match_indices(['.', '!', '?', '。']) {
        let (head, tail) = text.split_at(at);
        let tail = &tail[tail.chars().next().map_or(0, char::len_utf8)..];
        let next = tail.trim_start_matches([')', '"', '`', '\'']);
        let opens = next
            .strip_prefix(' ')
            .is_some_and(|rest| rest.starts_with(|c: char| !c.is_lowercase()));
        let word = head.rsplit([' ', '(']).next().unwrap_or(head);
        if opens
            && !ABBREVIATIONS
                .iter()
                .any(|known| word.eq_ignore_ascii_case(known))
        {
            return &text[..text.len() - next.len()];
        }
    }
    text
}

/// Takes the marks of a comment off one of its lines.
fn unmark(line: &str, style: Style) -> &str {
    let mut line = line.trim();
    if let Some((open, close)) = style.block {
        line = line
            .strip_suffix(close)
            .unwrap_or(line)
            .trim_end_matches('*')
            .trim_end();
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
            break;
        }
    }
    line.trim()
}

/// Takes off a leading tag that only says "here comes the description".
fn strip_tag(line: &str) -> &str {
    const TAGS: [&str; 8] = [
        "@fileoverview",
        "@overview",
        "@brief",
        "\\brief",
        "@summary",
        "@description",
        "@desc",
        "<summary>",
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
    is_label
        || matches!(
            word,
            "param"
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
    const STARTS: [&str; 18] = [
        "@",
        "= ",
        "== ",
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
    STARTS.iter().any(|start| line.starts_with(start)) || line == "Parameters" || line == "::"
}

fn is_ornament(line: &str) -> bool {
    line.chars().all(|c| "-=*#/_~+<>|. \t─━═".contains(c))
}

fn is_instruction(line: &str) -> bool {
    const MARKS: [&str; 28] = [
        "go:",
        "+build ",
        "compdef ",
        "autoload ",
        "global ",
        "globals ",
        "-*-",
        "vim:",
        "vi:",
        "ex:",
        "eslint",
        "tslint:",
        "jshint",
        "@ts-",
        "prettier-",
        "clang-format",
        "pylint:",
        "NOLINT",
        "coding:",
        "encoding:",
        "frozen_string_literal:",
        "Author:",
        "Authors:",
        "Written by ",
        "Created by ",
        "line 1 \"",
        "shellcheck ",
        "@flow",
    ];
    MARKS.iter().any(|mark| line.starts_with(mark))
        || line.contains("-*-")
        || line.starts_with("type: ignore")
}

/// One line: runs of white space and control characters become one space.
///
/// Escape sequences of a terminal (ECMA-48) go as a whole.
pub(super) fn fold(text: &str) -> String {
    if text.contains("\u{1b}[") {
        return fold(&without_escapes(text));
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

/// Longest first paragraph of the documentation of a file or symbol, in bytes.
pub(super) const PARAGRAPH_BYTES_MAX: usize = 700;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_paragraph_about_a_file_is_found() {
        for (text, style, expected) in [
            (
                "//! Does things.\n//!\n//! More.\n",
                SLASHES,
                "Does things.",
            ),
            (
                "// Copyright 2026.\n\n//! # Title\n//!\n//! Does\n//! things.\n",
                SLASHES,
                "Does things.",
            ),
            (
                "/*\n * a.c - does things\n *\n * Copyright (C) 2026\n */\n#include <a.h>\n",
                SLASHES,
                "a.c - does things",
            ),
            (
                "/* Copyright (C) 2026\n\n Does things well. */\n",
                SLASHES,
                "Does things well.",
            ),
            (
                "/*\n * Copyright (C) 2026 A\n * All of it.\n *\n * Permission is hereby granted\n * to all.\n */\n",
                SLASHES,
                "",
            ),
            ("/* Does things. */\nint f(void);\n", SLASHES, ""),
            (
                "'use strict'\n\n/**\n * Module dependencies.\n */\n\nvar a = require('a');\n",
                SLASHES,
                "",
            ),
            (
                "/* Does things. */\n\nint f(void);\n",
                SLASHES,
                "Does things.",
            ),
            (
                "// Package a does things.\npackage a\n",
                SLASHES,
                "Package a does things.",
            ),
            (
                "#!/bin/sh\n# -*- sh -*-\n# Does things.\n\nrun\n",
                HASH,
                "Does things.",
            ),
            ("#!/bin/sh\nrun\n# Not about the file.\n", HASH, ""),
            (
                "/** @fileoverview Does {@code things}.\n * @license MIT */\n",
                SLASHES,
                "Does things.",
            ),
            ("<!-- Does things. -->\n<html>\n", MARKUP, ""),
            (
                "<!DOCTYPE html>\n<!-- Does things. -->\n\n<html>\n",
                MARKUP,
                "Does things.",
            ),
            ("/* never closed", SLASHES, "never closed"),
            ("", SLASHES, ""),
        ] {
            assert_eq!(file_paragraph(text, style), expected, "{text}");
        }
    }

    #[test]
    fn banners_and_instructions_say_nothing() {
        for (text, style, expected) in [
            (
                "/* $OpenBSD: a.c,v 1.370 2026/06/29 16:44:06 nicm Exp $ */\n\n#include <a.h>\n\n/*\n * Move a window.\n */\n\nint f;\n",
                SLASHES,
                "Move a window.",
            ),
            (
                "#ifndef A_H\n#define A_H\n/* Local function prototypes. */\n\n/* Keeps items. */\nint f;\n",
                SLASHES,
                "",
            ),
            (
                "#include <a.h>\n\n/* Pays $HOME$ in two lines. */\n\nint f;\n",
                SLASHES,
                "Pays $HOME$ in two lines.",
            ),
            ("#encoding: utf-8\n\nA = 1\n", HASH, ""),
            (
                "# Released under the MIT License.\n# Copyright, 2023, by A.\n\nx\n",
                HASH,
                "",
            ),
            ("/*!\n * shop\n * Copyright(c) 2026\n */\n", SLASHES, ""),
            (
                "//go:build windows\n// +build windows\n\npackage a\n",
                SLASHES,
                "",
            ),
            (
                "#compdef rg\n\n##\n# completion for rg\n#\n# More.\n\nf() {\n",
                HASH,
                "completion for rg",
            ),
        ] {
            assert_eq!(file_paragraph(text, style), expected, "{text}");
        }
    }

    #[test]
    fn sentences_end_where_people_end_them() {
        for (text, expected) in [
            ("Does things. More.", "Does things."),
            ("Does things, e.g. this. More.", "Does things, e.g. this."),
            ("Reads a.b and v1.2 files.", "Reads a.b and v1.2 files."),
            ("Is it (really?) so. Yes", "Is it (really?) so."),
            ("Says \"so.\" Then more.", "Says \"so.\""),
            ("No end", "No end"),
            ("", ""),
        ] {
            assert_eq!(first_sentence(text), expected);
        }
    }

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
}
