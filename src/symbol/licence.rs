//! Which lines of a comment are a licence, a copyright or what a service puts on top of a file, and say nothing of it.

/// Whether a line is of that kind.
pub(super) fn is_licence(line: &str) -> bool {
    const WORDS: [&str; 41] = [
        "copyright",
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
}
