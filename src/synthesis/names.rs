//! What the names of files have in common, and the names that they list.

use std::collections::{BTreeMap, BTreeSet};

use super::child::ChildNode;
use super::reading::listed;
use crate::symbol::{Language, detect};

/// What stands before a pattern that the names of most files fit.
pub(super) const AMONG: &str = ", among them ";
/// Children that are named with what they declare or are about.
pub(super) const POINTS_MAX: usize = 5;
/// Subjects of tests that are named.
pub(super) const SUBJECTS_MAX: usize = 12;
/// What is beside tests and tests nothing.
pub(super) const HELPERS: [&str; 12] = [
    "helper", "helpers", "support", "setup", "util", "utils", "base", "case", "runner", "common",
    "fixtures", "data",
];
/// Fewest files whose names can have something in common.
const NAMED_MIN: usize = 3;
/// Longest ending in front of another one.
const ENDING_BYTES_MAX: usize = 4;
/// Keys that files have which do not share all of them.
const KEYS_MAX: usize = 5;

/// Whether a file is what a directory offers, by the names that languages look for.
pub(super) fn is_main(name: &str) -> bool {
    let stem = name.split('.').next().unwrap_or(name);
    let end = name.rsplit('.').next().unwrap_or_default();
    let is_code = !["md", "html"].contains(&end);
    is_code && ["index", "mod", "lib", "main"].contains(&stem)
}

/// Whether a file is a licence by its name, and no source that deals with them.
pub(super) fn is_licence(name: &str) -> bool {
    detect(name.as_bytes(), b"") == Some(Language::Licence)
}

pub(super) fn is_image(name: &str) -> bool {
    let end = name.rsplit_once('.').map_or("", |(_, end)| end);
    [
        "png", "jpg", "jpeg", "gif", "svg", "ico", "webp", "bmp", "tif", "tiff", "avif", "ai",
        "psd", "sketch",
    ]
    .iter()
    .any(|known| end.eq_ignore_ascii_case(known))
}

/// A name without its ending.
pub(super) fn stem(name: &str) -> &str {
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

/// What a file tests, by its name; `None` for a file that is not named like a test.
pub(super) fn subject(name: &str) -> Option<&str> {
    const BEFORE: [&str; 3] = ["test_", "test-", "tests_"];
    const BEHIND: [&str; 11] = [
        ".test-d", "_test", "-test", ".test", "_tests", "_spec", "-spec", ".spec", "Test", "Tests",
        "Spec",
    ];
    // `test_file.txt` is what a test reads.
    if [".txt", ".md", ".html", ".json"]
        .iter()
        .any(|end| name.ends_with(end))
    {
        return None;
    }
    let stem = stem(name);
    let before = BEFORE.iter().find_map(|mark| stem.strip_prefix(mark));
    // `test_spec.rb` is the specification of what tests.
    let before = before.filter(|subject| !matches!(*subject, "spec" | "test"));
    before
        .or_else(|| BEHIND.iter().find_map(|mark| stem.strip_suffix(mark)))
        .filter(|subject| subject.ends_with(char::is_alphanumeric))
}

/// Whether pytest collects a file by its name, so that it holds tests whatever the subject is called.
pub(super) fn is_collected(name: &str, subject: &str) -> bool {
    name.strip_prefix("test_")
        .and_then(|rest| rest.strip_suffix(".py"))
        == Some(subject)
}

/// What a script of JavaScript tests that exports nothing, by its name; `None` for one without tests.
pub(super) fn tested<'p>(part: &'p ChildNode<'_>) -> Option<&'p str> {
    let is_script = [".js", ".ts", ".mjs", ".tsx"]
        .iter()
        .any(|end| part.name.ends_with(end));
    let body = part.body();
    let is_test = is_script
        && !body.contains(" public item")
        && body.lines().any(|line| line.starts_with("Tests:"));
    is_test.then(|| stem(&part.name))
}

/// What most names have in common: how they end, or how they begin.
pub(super) fn pattern(files: &[&ChildNode<'_>]) -> Option<String> {
    let names = || {
        let names = files.iter().map(|part| &*part.name);
        names.filter(|name| !name.starts_with('.'))
    };
    let stem = |name: &'_ str| {
        name.rsplit_once('.')
            .map_or(name.len(), |(stem, _)| stem.len())
    };
    let stems = || names().map(|name| &name[..stem(name)]);
    let ends = groups(stems().filter_map(last_word));
    let starts = groups(stems().filter_map(first_word));
    let is_one = |name: &str, word: &str, is_end: bool| {
        if is_end {
            name[..stem(name)].ends_with(word)
        } else {
            name.starts_with(word)
        }
    };
    let covered = |groups: &[&str], is_end| {
        names()
            .filter(|name| groups.iter().any(|word| is_one(name, word, is_end)))
            .count()
    };
    let (shown, is_end) = if covered(&ends, true) >= covered(&starts, false) {
        (ends, true)
    } else {
        (starts, false)
    };
    let count = covered(&shown, is_end);
    if shown.is_empty() || 5 * count < 3 * files.len() {
        return None;
    }
    let one = |word: &&str| {
        let name = if is_end {
            // `*.html.erb`: without its last part the ending would be that of another kind of file.
            let mut ends = names()
                .filter(|name| word.starts_with('.') && is_one(name, word, true))
                .map(|name| &name[stem(name)..]);
            let end = ends.next().filter(|end| ends.all(|other| other == *end));
            format!("*{word}{}", end.unwrap_or_default())
        } else {
            format!("{word}*")
        };
        let count = names().filter(|name| is_one(name, word, is_end)).count();
        format!("`{}` ({count})", name.replace('`', ""))
    };
    let how = if count < files.len() {
        AMONG.trim_end()
    } else {
        " named"
    };
    Some(format!(
        "{how} {}",
        shown.iter().map(one).collect::<Vec<_>>().join(", ")
    ))
}

/// The three words that most names share.
fn groups<'s>(words: impl Iterator<Item = &'s str>) -> Vec<&'s str> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for word in words {
        *counts.entry(word).or_default() += 1;
    }
    let mut counts: Vec<_> = counts
        .into_iter()
        .filter(|(_, count)| *count >= NAMED_MIN)
        .collect();
    counts.sort_by_key(|(word, count)| (std::cmp::Reverse(*count), *word));
    counts.truncate(3);
    counts.into_iter().map(|(word, _)| word).collect()
}

/// `Handler` of `AmqpHandler`, `-api` of `colwise-api`.
fn last_word(stem: &str) -> Option<&str> {
    let at = stem.rfind(|c: char| c.is_uppercase() || matches!(c, '_' | '-' | '.'))?;
    // `.rb` of `job.rb.erb` says nothing.
    let is_ending = stem[at..].starts_with('.') && stem.len() - at <= ENDING_BYTES_MAX;
    (at > 0 && stem.len() - at > 2 && !is_ending).then(|| &stem[at..])
}

/// `req.` of `req.get`, `grouped-` of `grouped-df`.
fn first_word(stem: &str) -> Option<&str> {
    let mut breaks = stem.char_indices().skip(1);
    let (at, c) = breaks.find(|(_, c)| c.is_uppercase() || matches!(c, '_' | '-' | '.'))?;
    let end = if c.is_uppercase() {
        at
    } else {
        at + c.len_utf8()
    };
    (at > 1 && end < stem.len()).then(|| &stem[..end])
}

/// Names that all of at least two files list on one line: keys, blocks of templates.
pub(super) fn common_names(files: &[&ChildNode<'_>]) -> Option<String> {
    let mut lists = files.iter().map(|part| names_of(part));
    let mut common = lists.next().filter(|_| files.len() > 1)?;
    for names in lists {
        common.retain(|name| names.contains(name));
    }
    (!common.is_empty()).then(|| format!(" with {}", listing(&common, SUBJECTS_MAX)))
}

/// The names that most files list of which none is in all of them, with how many list each.
pub(super) fn frequent_names(files: &[&ChildNode<'_>]) -> Option<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    let lists: Vec<Vec<&str>> = files.iter().map(|part| names_of(part)).collect();
    for name in lists.iter().flatten() {
        *counts.entry(name).or_default() += 1;
    }
    let list_any = lists
        .iter()
        .filter(|names| names.iter().any(|name| counts[name] > 1));
    if list_any.count() < NAMED_MIN.max(files.len() / 2) {
        return None;
    }
    let mut counts: Vec<(&str, usize)> =
        counts.into_iter().filter(|(_, count)| *count > 1).collect();
    counts.sort_by_key(|(name, count)| (std::cmp::Reverse(*count), *name));
    let shown = counts.iter().take(KEYS_MAX);
    let shown: Vec<String> = shown
        .map(|(name, count)| format!("`{}` ({count})", name.replace('`', "")))
        .collect();
    (!shown.is_empty()).then(|| format!(" with {}", shown.join(", ")))
}

/// The names that a file lists on one line, without what stands behind them.
fn names_of<'p>(part: &'p ChildNode<'_>) -> Vec<&'p str> {
    // Commands are no names.
    let names = listed(part).filter(|line| line.contains('`') && !line.starts_with("command"));
    let mut names: Vec<&str> = names
        .flat_map(|line| line.split('`').skip(1).step_by(2))
        .filter_map(|name| name.split([':', ' ']).next())
        .filter(|name| name.starts_with(|c: char| c.is_alphanumeric() || "_.".contains(c)))
        // How often an element stands there.
        .filter(|name| name.contains(|c: char| !c.is_ascii_digit()))
        .collect();
    let mut seen = BTreeSet::new();
    names.retain(|name| seen.insert(*name));
    names
}

/// `a`, `b` and 3 more.
pub(super) fn listing(names: &[&str], max: usize) -> String {
    let names: Vec<String> = names
        .iter()
        .map(|name| format!("`{}`", name.replace('`', "")))
        .collect();
    some_of(&names, max)
}

/// The first of them, and how many more there are.
pub(super) fn some_of(names: &[String], max: usize) -> String {
    let shown = &names[..names.len().min(max)];
    let left = names.len().saturating_sub(max);
    if left == 0 {
        shown.join(", ")
    } else {
        format!("{} and {left} more", shown.join(", "))
    }
}
