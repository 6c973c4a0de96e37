//! Which lines of a comment are a licence, a copyright or what a service puts on top of a file, and say nothing of it.

/// Most words of a line that only names a licence.
const NAME_WORDS_MAX: usize = 6;

/// A comment without the name and the address of the project that stand above a copyright:
/// `Till: a cash register`, `(https://…)`, `Copyright …`.
pub(super) fn behind_banner<'t>(comment: &'t str, unmark: impl Fn(&'t str) -> &'t str) -> &'t str {
    let (mut rest, mut before) = (comment, "");
    let (mut has_address, mut is_first) = (false, false);
    while let Some((line, behind)) = rest.split_once('\n') {
        let line = unmark(line);
        has_address |= line.is_empty() && is_address(before);
        let is_held = line.to_ascii_lowercase().starts_with("copyright");
        if is_first && is_held && is_tagline(before) {
            return rest;
        }
        is_first = before.is_empty() && !line.is_empty();
        if has_address && !line.is_empty() {
            return if is_held { rest } else { comment };
        }
        if !has_address && !before.is_empty() && line.is_empty() {
            return comment;
        }
        (rest, before) = (behind, line);
    }
    comment
}

/// `Till: a cash register`, of which `Purpose: sells` is none.
fn is_tagline(line: &str) -> bool {
    const LABELS: [&str; 10] = [
        "Description",
        "Summary",
        "Purpose",
        "Module",
        "Class",
        "File",
        "Title",
        "Note",
        "Package",
        "Overview",
    ];
    let Some((name, what)) = line.split_once(": ") else {
        return false;
    };
    let is_name = name.starts_with(char::is_uppercase)
        && name.chars().all(|c| c.is_alphanumeric() || c == '-');
    is_name && !LABELS.contains(&name) && what.trim().contains(' ')
}

/// Whether a line ends with an address in brackets.
fn is_address(line: &str) -> bool {
    let last = line.rsplit(' ').next().unwrap_or(line);
    last.contains("://") && last.starts_with(['(', '<']) && last.ends_with([')', '>'])
}

/// What stands in a line beside the keywords of a version control system (`$Id: a.c,v 1.5 … $`, as RCS expands them).
pub(super) fn without_keywords(line: &str) -> &str {
    let Some((before, keyword)) = line.split_once('$') else {
        return line;
    };
    let Some((keyword, behind)) = keyword.split_once('$') else {
        return line;
    };
    let name = keyword.split(':').next().unwrap_or_default();
    let is_name = name.starts_with(|c: char| c.is_ascii_uppercase())
        && name.chars().all(|c| c.is_ascii_alphanumeric());
    let value = &keyword[name.len()..];
    // `$HOME$` is no keyword: one that is not expanded is one of a few.
    let is_keyword = value.starts_with(": ") || value == ":" || KEYWORDS.contains(&keyword);
    match (before.trim(), behind.trim()) {
        _ if !is_name || !is_keyword => line,
        ("", behind) => behind,
        (before, "") => before,
        _ => line,
    }
}

/// Keywords before they are expanded.
const KEYWORDS: [&str; 9] = [
    "Id", "Header", "Revision", "Date", "Author", "Log", "Source", "OpenBSD", "FreeBSD",
];

/// Whether a line is of that kind; it has single spaces.
pub(super) fn is_licence(line: &str) -> bool {
    const WORDS: [&str; 49] = [
        "you may opt to use, copy, modify",
        "this software is licensed as described",
        "may freely be used, modified and",
        "permission is granted to anyone to use this software",
        "the origin of this software must not be misrepresented",
        "copyright",
        "the author of this software is",
        "not certified by github",
        "redistributions ",
        "neither the name",
        "\"as is\"",
        "'as is'",
        "in no event",
        "under the terms",
        "list of conditions",
        "this permission notice",
        "may not use this file",
        "limitations under the license",
        "this software is provided",
        "the software is provided",
        "any express or",
        "license file",
        "see license",
        "see copying",
        "https://opensource.org/licenses",
        "apache license",
        "(c) ",
        "spdx-license",
        "licensed under",
        "released under the ",
        "as far as i am concerned",
        "licensed to ",
        "license:",
        "all rights reserved",
        "permission is hereby",
        "permission to use, copy",
        "this file is part of",
        "is free software",
        "governed by a",
        "distributed in the hope",
        "should have received a copy",
        "under section 7 of gpl",
        "as a special exception",
        "warranty of",
        "redistribution and use",
        "unless required by applicable",
        "obtain a copy of the license",
        "express or implied",
        "without warranties",
    ];
    let lower = line.to_ascii_lowercase();
    WORDS.iter().any(|word| lower.contains(word))
        || lower.contains('©')
        || lower.starts_with("the mit license")
        || is_name(&lower)
}

/// Whether a line is the name of a licence and no more: `BSD 2-Clause License (https://…)`.
fn is_name(lower: &str) -> bool {
    const FAMILIES: [&str; 8] = ["bsd", "mit", "gpl", "gplv2", "gplv3", "lgpl", "mpl", "isc"];
    const KINDS: [&str; 4] = ["the", "new", "simplified", "modified"];
    let name = lower.split(" (").next().unwrap_or(lower);
    let words: Vec<&str> = name
        .trim_end_matches('.')
        .split(' ')
        .take(NAME_WORDS_MAX + 1)
        .collect();
    let [first, .., last] = words[..] else {
        return false;
    };
    let is_family = |word: &str| FAMILIES.contains(&word);
    let begins =
        is_family(first) || KINDS.contains(&first) && words.iter().any(|word| is_family(word));
    begins && words.len() <= NAME_WORDS_MAX && matches!(last, "license" | "licence")
}
