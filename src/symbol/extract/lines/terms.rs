//! Licences: which one a text is or which ones it offers, and who holds the copyright.

use super::line::lines;
use crate::symbol::comment;
use crate::symbol::instruction::begins;

/// Bytes of a text that tell which licence it is.
const LICENCE_BYTES_MAX: usize = 4_000;
/// Bytes of them in which the title of a licence stands.
const TITLE_BYTES_MAX: usize = 2_000;
/// Bytes of a sentence that offers licences.
const OFFER_BYTES_MAX: usize = 400;
/// Lines at the start of a text that name who holds the copyright.
const HOLDER_LINES_MAX: usize = 40;
/// Longest line that does so.
const HOLDER_BYTES_MAX: usize = 120;

/// What a licence of Creative Commons is called that says no more.
const CREATIVE_COMMONS: &str = "Creative Commons licence";
/// Words of a licence, and what it is called; those that come first count.
const LICENCES: [(&str, &str); 23] = [
    ("unicode, inc. license agreement", "Unicode licence"),
    ("unicode license v3", "Unicode licence"),
    (
        "gnu affero general public license",
        "GNU Affero General Public License",
    ),
    (
        "gnu lesser general public license",
        "GNU Lesser General Public License",
    ),
    (
        "gnu library general public license",
        "GNU Library General Public License",
    ),
    (
        "gnu free documentation license",
        "GNU Free Documentation License",
    ),
    ("gnu general public license", "GNU General Public License"),
    ("mozilla public license", "Mozilla Public License"),
    ("eclipse public license", "Eclipse Public License"),
    (
        "european union public licence",
        "European Union Public Licence",
    ),
    ("apache license", "Apache License"),
    ("boost software license", "Boost Software License"),
    ("sil open font license", "SIL Open Font License"),
    ("cc0 1.0", "CC0 dedication to the public domain"),
    ("creative commons", CREATIVE_COMMONS),
    (
        "this is free and unencumbered software",
        "Unlicense: free of copyright",
    ),
    (
        "python software foundation license",
        "Python Software Foundation License",
    ),
    ("do what the fuck you want", "WTFPL"),
    (
        "permission is hereby granted, free of charge",
        "MIT licence",
    ),
    (
        "permission to use, copy, modify, and/or distribute",
        "ISC licence",
    ),
    (
        "permission to use, copy, modify, and distribute",
        "ISC licence",
    ),
    (
        "redistribution and use in source and binary forms",
        "BSD licence",
    ),
    ("this software is provided 'as-is'", "zlib licence"),
];

/// How a sentence begins that lets the reader choose a licence.
const EITHER: [&str; 10] = [
    "licensed under either",
    "licensed both under",
    "licensed under both",
    "licensed under any of",
    "under the terms of either",
    "under the terms of any of",
    "under one of the following licenses",
    "under your choice of",
    "dual-licensed",
    "dual licensed",
];

/// Licences as a sentence names them, and what they are called.
const OFFERED: [(&str, &str); 24] = [
    ("agpl", "GNU Affero General Public License"),
    (
        "gnu affero general public license",
        "GNU Affero General Public License",
    ),
    ("lgpl", "GNU Lesser General Public License"),
    (
        "gnu lesser general public license",
        "GNU Lesser General Public License",
    ),
    ("gpl", "GNU General Public License"),
    ("gplv2", "GNU General Public License"),
    ("gplv3", "GNU General Public License"),
    ("gnu general public license", "GNU General Public License"),
    ("mpl", "Mozilla Public License"),
    ("mozilla public license", "Mozilla Public License"),
    ("eclipse public license", "Eclipse Public License"),
    ("apache license", "Apache License"),
    ("apache-2.0", "Apache License"),
    ("boost software license", "Boost Software License"),
    ("artistic license", "Artistic License"),
    ("mit license", "MIT licence"),
    ("mit licence", "MIT licence"),
    ("bsd license", "BSD licence"),
    ("bsd-2-clause", "BSD licence"),
    ("bsd-3-clause", "BSD licence"),
    ("isc license", "ISC licence"),
    ("zlib license", "zlib licence"),
    ("unlicense", "Unlicense"),
    ("cc0", "CC0 dedication to the public domain"),
];

/// The licence that a text is, with who holds the copyright; or those that it lets the reader choose from.
pub(super) fn told(text: &str) -> Option<String> {
    let head = &text[..text.floor_char_boundary(text.len().min(LICENCE_BYTES_MAX))];
    let head = comment::fold(head).to_ascii_lowercase();
    if let Some((before, names)) = offer(&head) {
        // A copyright further down belongs to one of the licences.
        let holder = holder(text).filter(|holder| {
            let line = comment::fold(holder).to_ascii_lowercase();
            before.contains(&line)
        });
        return Some(with_holder(&names, holder));
    }
    let name = licence(&head)?;
    let name = if name == "ISC licence" && text.contains("COPYRIGHT AND PERMISSION NOTICE") {
        "curl licence"
    } else {
        name
    };
    let name = if is_mentioned(&head) {
        format!("Under the {name}")
    } else {
        name.to_owned()
    };
    Some(with_holder(&name, holder(text)))
}

fn with_holder(name: &str, holder: Option<&str>) -> String {
    holder.map_or_else(|| format!("{name}."), |holder| format!("{name}. {holder}"))
}

/// The line that says who holds the copyright, where it is filled in.
fn holder(text: &str) -> Option<&str> {
    let mut head = lines(text).take(HOLDER_LINES_MAX).map(str::trim);
    let holder = head.find(|line| {
        let is_dated = line.contains("(c)") || line.contains(|c: char| c.is_ascii_digit());
        is_dated && begins(line, "copyright ")
    })?;
    let is_blank = holder.contains('[') || holder.contains("<year>");
    (holder.len() <= HOLDER_BYTES_MAX && !is_blank).then_some(holder)
}

/// What stands in front of a sentence that offers several licences, and their names in the order of the sentence.
fn offer(head: &str) -> Option<(&str, String)> {
    let title = &head[..head.floor_char_boundary(TITLE_BYTES_MAX.min(head.len()))];
    let at = EITHER.iter().filter_map(|words| title.find(words)).min()?;
    let sentence = &head[at..];
    let sentence = &sentence[..sentence.floor_char_boundary(OFFER_BYTES_MAX.min(sentence.len()))];
    let mut named: Vec<(usize, &str)> = OFFERED
        .iter()
        .filter_map(|(words, name)| Some((find_word(sentence, words)?, *name)))
        .collect();
    named.sort_unstable();
    let mut names: Vec<&str> = Vec::new();
    for (_, name) in named {
        if !names.contains(&name) {
            names.push(name);
        }
    }
    let last = names.pop().filter(|_| !names.is_empty())?;
    Some((&head[..at], format!("{} or {last}", names.join(", "))))
}

/// Where words first stand that are no part of a longer one.
fn find_word(text: &str, words: &str) -> Option<usize> {
    let is_apart = |at: &usize| {
        let behind = &text[at + words.len()..];
        !text[..*at].ends_with(|c: char| c.is_alphanumeric())
            && !behind.starts_with(|c: char| c.is_alphanumeric())
    };
    let mut places = text.match_indices(words).map(|(at, _)| at);
    places.find(is_apart)
}

/// The name of the licence that a text is, by its first bytes.
fn licence(head: &str) -> Option<&'static str> {
    let is_licence = ["licen", "redistribution", "permission", "unencumbered"]
        .iter()
        .any(|word| head.contains(word));
    let title = &head[..head.floor_char_boundary(TITLE_BYTES_MAX.min(head.len()))];
    // The title comes first; below it one licence may name another.
    let known = LICENCES.iter().filter(|_| is_licence);
    let found = known.filter_map(|(words, name)| Some((title.find(words)?, *name)));
    // The family is told where none of its licences is.
    let found = found.min_by_key(|(at, name)| (*name == CREATIVE_COMMONS, *at));
    found.map(|(_, name)| name)
}

/// Whether a text says what is under a licence, and is none itself.
fn is_mentioned(head: &str) -> bool {
    let names = LICENCES.iter().filter_map(|(words, _)| head.find(words));
    let before = names
        .min()
        .map(|at| head[..at].trim_end_matches(['(', '"', '[']));
    let words = [
        "licensed under",
        "licensed under the",
        "available under",
        "available under the",
    ];
    before.is_some_and(|before| words.iter().any(|words| before.trim_end().ends_with(words)))
}
