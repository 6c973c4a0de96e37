//! Short forms of symbols, as lists and the appendix of an outline write them.

use std::borrow::Cow;
use std::collections::{BTreeSet, HashMap};

use super::comment::cap;
use super::markdown::code;
use super::outline::{Kind, Symbol};
use crate::base::quick_hash::QuickHash;

/// Longest signature that is shown, in bytes; the rest stands as `…`.
pub(super) const SIGNATURE_BYTES_MAX: usize = 240;

/// Most re-exports, modules or keys that are named for one file.
pub(super) const NAMES_MAX: usize = 40;

/// Most attributes of one symbol that are shown, and the longest of them, in bytes.
const ATTRIBUTES_MAX: usize = 3;

const ATTRIBUTE_BYTES_MAX: usize = 80;

/// A signature as far as outlines show it.
#[must_use]
pub fn shown_signature(symbol: &Symbol) -> String {
    cap(&without_receiver(symbol), SIGNATURE_BYTES_MAX)
}

/// The signature of a method below its type, which need not be said again.
pub(super) fn without_receiver(symbol: &Symbol) -> Cow<'_, str> {
    let receiver = symbol
        .signature
        .strip_prefix("func (")
        .filter(|_| symbol.kind == Kind::Method);
    match receiver.and_then(|rest| rest.split_once(") ")) {
        Some((_, rest)) => Cow::Owned(format!("func {rest}")),
        None => Cow::Borrowed(&symbol.signature),
    }
}

/// What stands behind the name of a symbol: the attributes that say what it is for, and how many more there are.
pub(super) fn attributes(symbol: &Symbol) -> String {
    let telling: Vec<&String> = symbol
        .attributes
        .iter()
        .filter(|text| !is_noise(text))
        .collect();
    let mut shown: Vec<String> = telling
        .iter()
        .take(ATTRIBUTES_MAX)
        .map(|text| code(&cap(text, ATTRIBUTE_BYTES_MAX)))
        .collect();
    if telling.len() > ATTRIBUTES_MAX {
        shown.push(format!("… and {} more", telling.len() - ATTRIBUTES_MAX));
    }
    if shown.is_empty() {
        String::new()
    } else {
        format!(" ({})", shown.join(", "))
    }
}

/// Attributes for the compiler and the linter.
fn is_noise(attribute: &str) -> bool {
    const WORDS: [&str; 16] = [
        "inline",
        "must_use",
        "allow",
        "expect",
        "doc",
        "rustfmt::skip",
        "cold",
        "track_caller",
        "Override",
        "SuppressWarnings",
        "NonNull",
        "NotNull",
        "SafeVarargs",
        "override",
        "typing.no_type_check",
        "__attribute__",
    ];
    let text = attribute.trim_start_matches(['#', '@', '!', '[']);
    let end = text
        .find(|c: char| !c.is_alphanumeric() && c != '_' && c != ':' && c != '.')
        .unwrap_or(text.len());
    WORDS.contains(&&text[..end])
}

/// `a, b, … and 3 more`, each name once.
pub(super) fn listing(names: impl Iterator<Item = String>, max: usize) -> String {
    let mut unique = Vec::new();
    let mut seen = BTreeSet::new();
    for name in names {
        if seen.insert(name.clone()) {
            unique.push(name);
        }
    }
    let left = unique.len().saturating_sub(max);
    unique.truncate(max);
    if left > 0 {
        unique.push(format!("… and {left} more"));
    }
    unique.join(", ")
}

/// `A_B_*` (12) for names that begin alike, the others as they are, in the order of the file.
pub(super) fn by_prefix(members: &[&Symbol]) -> Vec<String> {
    const TOGETHER_MIN: usize = 3;
    let mut names: Vec<&str> = members.iter().map(|member| member.name.as_str()).collect();
    names.sort_unstable();
    names.dedup();
    let mut counts: HashMap<&str, usize, QuickHash> = HashMap::default();
    for prefix in names.iter().flat_map(|name| prefixes(name)) {
        *counts.entry(prefix).or_default() += 1;
    }
    // The longest beginning that most of those with a shorter one share.
    let shown = |name: &str| {
        let known = prefixes(name).filter(|prefix| counts[prefix] >= TOGETHER_MIN);
        let longest = known.reduce(|best, next| {
            if 2 * counts[next] >= counts[best] {
                next
            } else {
                best
            }
        });
        longest.map_or_else(
            || code(name),
            |prefix| format!("{} ({})", code(&format!("{prefix}*")), counts[prefix]),
        )
    };
    members.iter().map(|member| shown(&member.name)).collect()
}

/// What a name begins with, up to each of its underscores.
fn prefixes(name: &str) -> impl Iterator<Item = &str> {
    let inner = name.match_indices('_').map(|(at, _)| at + 1);
    inner
        .filter(|end| *end > 1 && *end < name.len())
        .map(|end| &name[..end])
}
