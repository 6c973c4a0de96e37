//! Which lines of a comment speak to a tool or to its readers, and say nothing of what stands below.

use super::sentence::first_sentence;

/// What lines begin with that speak to an editor or name an author.
const INSTRUCTIONS: [&str; 44] = [
    "go:",
    "For format details",
    "For more info",
    "Use IntelliSense",
    "Uncomment ",
    "+build ",
    "compdef ",
    "autoload ",
    "global ",
    "globals ",
    "-*-",
    "vim:",
    "vi:",
    "ex:",
    "coding:",
    "encoding:",
    "UTF-8 file",
    "ISO Latin encoding",
    "<reference ",
    "frozen_string_literal:",
    "Author:",
    "Authors:",
    "Written by ",
    "Created by ",
    "Created with ",
    "line 1 \"",
    "@flow",
    "yaml-language-server:",
    "Project:",
    "Filename:",
    "File name:",
    "Definitions by:",
    "Type definitions for ",
    "Original definitions by",
    "See http",
    "Be sure to restart your server",
    "For most projects, this workflow",
    "You may wish to alter this file",
    "This file was generated on ",
    "set -x",
    "set -e",
    "You can contact the author",
    "You can reach the author",
    "Process this file with ",
];
/// What lines begin with that speak to a linter, a formatter, a compiler or a tool that counts what tests reach.
const PRAGMAS: [&str; 60] = [
    "eslint",
    "tslint:",
    "ktlint-disable",
    "jshint",
    "jslint ",
    "jscs:",
    "@ts-",
    "prettier-",
    "biome-ignore",
    "deno-lint-ignore",
    "deno-fmt-ignore",
    "dprint-ignore",
    "stylelint-",
    "markdownlint-",
    "istanbul ignore",
    "c8 ignore",
    "v8 ignore",
    "node:coverage",
    "@vitest-environment",
    "@jest-environment",
    "@jsxImportSource",
    "@jsxRuntime",
    "sourceMappingURL",
    "webpackChunkName",
    "clang-format",
    "NOLINT",
    "NOSONAR",
    "IWYU pragma",
    "cppcheck-suppress",
    "LCOV_EXCL",
    "GCOV_EXCL",
    "nolint",
    "nosec",
    "lint:ignore",
    "lint:file-ignore",
    "revive:",
    "pylint:",
    "noqa",
    "flake8:",
    "ruff:",
    "mypy:",
    "pyright:",
    "isort:",
    "fmt: o",
    "fmt: skip",
    "yapf:",
    "type: ignore",
    "pragma: no ",
    ":nocov:",
    "rubocop:",
    "phpcs:",
    "@phpstan-",
    "@psalm-",
    "@codeCoverageIgnore",
    "shellcheck ",
    "yamllint ",
    "ReSharper ",
    "noinspection ",
    "@formatter:",
    "CHECKSTYLE",
];

/// Most words of an order to leave a file alone.
const ORDER_WORDS_MAX: usize = 6;
/// Most words of a name and an address.
const NAME_WORDS_MAX: usize = 4;

/// Whether a line speaks to a program, or only names an author or an address.
pub(super) fn is_instruction(line: &str) -> bool {
    let is_address = line.starts_with("http") && line.contains("://") && !line.contains(' ');
    let text = line.strip_prefix('#').unwrap_or(line).trim_start();
    is_address
        || is_author(line)
        || INSTRUCTIONS.iter().any(|mark| line.starts_with(mark))
        || PRAGMAS.iter().any(|mark| text.starts_with(mark))
        || line.contains("-*-")
}

/// Whether a line is a name with an address: `A. Author <a@b.org>`.
fn is_author(line: &str) -> bool {
    let is_mail = |word: &str| {
        let word = word.trim_matches(['<', '>', '(', ')', ',']);
        word.split_once('@').is_some_and(|(name, host)| {
            !name.is_empty() && host.contains('.') && !host.contains(['/', ':', '('])
        })
    };
    let words = || line.split(' ');
    let is_named = line.contains('@') && (line.contains('<') || words().count() > 2);
    is_named
        && words().count() <= NAME_WORDS_MAX
        && words().any(is_mail)
        && words().all(|word| word.contains('@') || word.starts_with(char::is_uppercase))
}

/// Whether a line begins to thank for what stands in the file, to say where it comes from, or where to report what is wrong with it.
pub(super) fn is_thanks(line: &str) -> bool {
    const STARTS: [&str; 17] = [
        "ported from ",
        "inlined from ",
        "general information about an assembly",
        "adapted from ",
        "copied from ",
        "derived from ",
        "the original work was ",
        "please send bug",
        "please report ",
        "thanks to ",
        "thank you to ",
        "big thanks to ",
        "many thanks to ",
        "special thanks to ",
        "credit to ",
        "credits to ",
        "kudos to ",
    ];
    const SOURCES: [&str; 4] = [
        "taken from ",
        "inspired from ",
        "based on ",
        "sourced from ",
    ];
    let is_source = line.contains("://") && SOURCES.iter().any(|start| begins(line, start));
    // `This code was copied from …`
    let copied = [
        "This code was ",
        "This code is ",
        "The code in this file is ",
    ]
    .iter()
    .find_map(|words| line.strip_prefix(words));
    let is_copied = copied.is_some_and(|rest| STARTS.iter().any(|start| begins(rest, start)));
    is_source || is_copied || STARTS.iter().any(|start| begins(line, start))
}

/// Whether a text only tells its reader to leave the file alone.
pub(super) fn is_order(text: &str) -> bool {
    begins(text, "do not edit") && text.split(' ').count() <= ORDER_WORDS_MAX
}

/// A text without a first sentence that only tells its reader to leave the file alone.
pub(super) fn without_order(text: &str) -> &str {
    let first = first_sentence(text);
    let rest = text[first.len()..].trim_start();
    if is_order(first) && !rest.is_empty() {
        rest
    } else {
        text
    }
}

/// Whether a text begins with these words, whatever the case of their letters.
pub(super) fn begins(text: &str, words: &str) -> bool {
    text.get(..words.len())
        .is_some_and(|head| head.eq_ignore_ascii_case(words))
}
