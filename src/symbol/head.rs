//! Which comment at the start of a file is about the file, and which about what stands below it.

use super::comment::{Style, is_heading, paragraph};
use super::instruction::begins;

/// How many lines at the start of a file are searched for its documentation.
const HEAD_LINES_MAX: usize = 200;

/// Fewest words of a comment at the head of a file that say something about the file.
const WORDS_MIN: usize = 2;

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
const DIRECTIVES: [&str; 9] = [
    "#include", "#if", "#else", "#elif", "#endif", "#define", "#undef", "#pragma", "package ",
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

/// Most words of such a heading.
const SECTION_WORDS_MAX: usize = 2;
/// What a part of a file or class consists of.
const MEMBERS: [&str; 9] = [
    "methods",
    "functions",
    "members",
    "variables",
    "constants",
    "macros",
    "types",
    "fields",
    "helpers",
];
/// Words that open a group of declarations in a comment for doxygen.
const GROUPS: [&str; 4] = ["@defgroup", "\\defgroup", "@addtogroup", "\\addtogroup"];

/// What the comment behind the imports of a script says, where an empty line parts it from what follows.
pub(super) fn paragraph_behind_imports(text: &str, style: Style) -> String {
    let is_above = |line: &str| {
        let names_module = line.contains(['\'', '"']);
        line.is_empty()
            || is_skipped(line)
            || imports(line) && names_module
            || is_comment(line, style)
    };
    let mut lines = text.lines().take(HEAD_LINES_MAX).map(str::trim).peekable();
    let (mut behind, mut found, mut seen) = (false, String::new(), 0);
    while let Some(line) = lines.peek().copied().filter(|line| is_above(line)) {
        behind |= imports(line) && !is_skipped(line);
        match take_block(&mut lines, style) {
            None => _ = lines.next(),
            Some(block) if behind && found.is_empty() => {
                seen += 1;
                let is_own = lines.peek().is_some_and(|next| next.is_empty());
                found = Some(paragraph(&block, style))
                    .filter(|text| is_own && says_what_for(text) && !is_heading(&block, style))
                    .unwrap_or_default();
            }
            Some(_) => seen += 1,
        }
    }
    // Where another part of the script has a comment, this one is about a part, too.
    let mut above = "";
    let blocks = text.lines().filter(|line| {
        let begins = above.trim().is_empty() && is_comment(line, style);
        above = line;
        begins
    });
    if blocks.count() > seen {
        String::new()
    } else {
        found
    }
}

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
        // An attribute of a crate can take several lines.
        if line.starts_with("#![") {
            let (mut open, mut closed) = (0, 0);
            for line in lines.by_ref().take_while(|line| !line.is_empty()) {
                open += line.matches('[').count();
                closed += line.matches(']').count();
                if closed >= open {
                    break;
                }
            }
            continue;
        }
        if line.is_empty() || is_skipped(line) {
            lines.next();
            continue;
        }
        if is_directive(line, style) && found.is_empty() {
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
                .filter(|text| is_own && says_what_for(text) && !is_heading(&block, style))
                .unwrap_or_default();
            if found.is_empty() {
                continue;
            }
            break;
        }
        // A comment above a build constraint of Go gives the reason for that constraint.
        let is_reason = block
            .lines()
            .skip(1)
            .any(|line| line.starts_with("//go:build"));
        let inner = ["//!", "/*!"].iter().any(|mark| block.starts_with(mark));
        let mut is_apart = || {
            lines.peek().is_none_or(|next| {
                next.is_empty() || is_skipped(next) || is_preamble(next) || is_comment(next, style)
            })
        };
        let own = !is_reason && (inner || is_apart());
        let own = own && (inner || !is_about(&block, lines.peek().copied()));
        if own && (found.is_empty() || inner) {
            let text = paragraph(&block, style);
            let words = text.split(' ').count();
            // What announces a list is about that: `Change history:`.
            let announces = text.ends_with(':') && words <= SECTION_WORDS_MAX;
            let is_part = is_section(&text) || is_heading(&block, style);
            let says_something = words >= WORDS_MIN && !announces && !is_part;
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

/// Whether a comment is about the attribute of a crate that it touches, or about how the lines below it import.
fn is_about(block: &str, next: Option<&str>) -> bool {
    let text = block.trim_start_matches(['#', '/', '*', ' ']);
    let is_import =
        next.is_some_and(|next| next.starts_with("import ") || next.starts_with("from "));
    let is_told = ["Import ", "Imports "]
        .iter()
        .any(|word| text.starts_with(word));
    let is_shown = ["`from ", "`import "]
        .iter()
        .any(|code| block.contains(code));
    next.is_some_and(|next| next.starts_with("#![")) || is_import && is_told || is_shown
}

/// What may stand above the comment that says what a file is for: a package clause, what a script sets for itself.
fn is_directive(line: &str, style: Style) -> bool {
    let words: &[&str] = match style.line {
        ["//"] => &DIRECTIVES,
        ["#"] => &["set -"],
        ["rem ", ..] => &["@echo", "pushd ", "setlocal", "cd "],
        _ => &[],
    };
    words.iter().any(|word| begins(line, word))
}

/// Whether a comment behind the directives of a file says what the file is for, and not which part of it begins.
fn says_what_for(text: &str) -> bool {
    let mut words = text.split(' ');
    let first = words.next().unwrap_or_default();
    let first = first.trim_matches(|c: char| !c.is_alphanumeric());
    let is_part = PARTS.iter().any(|part| first.eq_ignore_ascii_case(part));
    words.count() >= 2 && !is_part && !is_section(text) && text.contains(char::is_uppercase)
}

/// What the first comment of a file says, where nothing but a `#!` line stands above it.
pub(super) fn top_paragraph(text: &str, style: Style) -> String {
    let mut lines = text.lines().map(str::trim);
    let first = lines.find(|line| !line.is_empty() && !line.starts_with("#!"));
    match first {
        Some(first) if is_comment(first, style) => head_paragraph(text, style),
        _ => String::new(),
    }
}

/// What the first comment of a file says, for one in which nothing else is known that it could be about.
pub(super) fn head_paragraph(text: &str, style: Style) -> String {
    let lines = text.lines().take(HEAD_LINES_MAX).map(str::trim);
    let mut lines = lines
        .skip_while(|line| line.is_empty() || is_skipped(line) || is_preamble(line))
        .peekable();
    let block = take_block(&mut lines, style);
    let block = block.filter(|block| !is_about(block, lines.peek().copied()));
    let said = block.map(|block| paragraph(&block, style));
    said.filter(|said| said.split(' ').count() >= WORDS_MIN)
        .unwrap_or_default()
}

/// Whether a text only says which part of a file begins.
pub(super) fn is_section(text: &str) -> bool {
    let text = text.trim_end_matches(['.', ':']);
    let is_known = SECTIONS
        .iter()
        .any(|section| text.eq_ignore_ascii_case(section));
    // `public methods`
    let last = text.rsplit(' ').next().unwrap_or_default();
    let is_short = text.split(' ').count() <= SECTION_WORDS_MAX;
    is_known || is_short && text.starts_with(char::is_lowercase) && MEMBERS.contains(&last)
}

fn is_skipped(line: &str) -> bool {
    SKIPPED.iter().any(|mark| begins(line, mark))
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
    let is_required = ["const ", "let ", "var "]
        .iter()
        .any(|word| line.starts_with(word) && line.contains("= require("));
    is_required || WORDS.iter().any(|word| line.starts_with(word)) || is_skipped(line)
}

/// Whether a comment opens or closes a group of declarations, as `@defgroup name title` and `@{` do.
pub(super) fn is_group(comment: &str) -> bool {
    if !comment.contains(['@', '\\']) {
        return false;
    }
    comment.lines().any(|line| {
        let line = line.trim_matches([' ', '\t', '/', '*', '!', '<']);
        GROUPS.iter().any(|word| line.starts_with(word))
            || matches!(line, "@{" | "\\{" | "@}" | "\\}")
    })
}

/// What a comment says of a group of declarations: its first whole sentence, or else its title.
pub(super) fn group_paragraph(comment: &str, style: Style) -> String {
    let said = paragraph(comment, style);
    if !said.is_empty() && !said.ends_with(':') {
        return said;
    }
    let titles = comment.lines().filter_map(|line| {
        let line = line.trim_matches([' ', '\t', '/', '*', '!']);
        let name_and_title = GROUPS.iter().find_map(|word| line.strip_prefix(word))?;
        name_and_title.trim_start().split_once(' ')
    });
    let title = titles.map(|(_, title)| title.trim()).next();
    let title = title.filter(|title| title.split(' ').count() >= WORDS_MIN);
    title.unwrap_or_default().to_owned()
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

#[cfg(test)]
mod tests {
    use super::super::comment::{HASH, MARKUP, SLASHES};
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
                "#![deny(\n    a,\n    b\n)]\n#![no_std]\n\n//! Does things.\n",
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
                "#!/bin/bash\nset -eu\n\n# This script bumps the version.\n\nrun\n",
                HASH,
                "This script bumps the version.",
            ),
            (
                "package a\n\n// Both ways find the same.\n\nfunc f() {}\n",
                SLASHES,
                "Both ways find the same.",
            ),
            (
                "#     ____      ____\n#    / __/___  / __/\n# /_/   /___/_/ completion.bash\n#\n# Completes words of a line.\n\nx\n",
                HASH,
                "Completes words of a line.",
            ),
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
}
