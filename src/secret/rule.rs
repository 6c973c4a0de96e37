//! One rule about text: where to look, what must stand there, and what makes it harmless.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

/// Largest compiled form of a pattern, in bytes.
const PATTERN_BYTES_MAX: usize = 1 << 20;

/// What a kind of secret looks like.
#[derive(Debug)]
pub struct Rule {
    /// Its name in messages and markers.
    pub id: String,
    /// One of these, in any case, stands in every match.
    pub(super) keywords: Vec<String>,
    /// What must stand there, from `behind` bytes before the keyword on.
    pub(super) pattern: String,
    /// Least entropy of the secret, in bits per byte.
    pub(super) entropy: f64,
    /// Least number of kinds of characters in the secret: lower case, upper case, digits.
    pub(super) kinds: usize,
    /// Where the match begins, in bytes before the keyword.
    pub(super) behind: usize,
    /// Whether it may begin within a word.
    pub(super) inside: bool,
    /// Whether a placeholder makes it harmless.
    pub(super) placeholders: bool,
    /// How many bytes are looked at from there.
    pub(super) reach: usize,
    /// What makes a match harmless.
    pub(super) allow: Vec<String>,
    /// Both compiled when first needed.
    pub(super) compiled: OnceLock<Compiled>,
}

/// A rule's patterns, ready to run.
#[derive(Debug)]
pub(super) struct Compiled {
    pattern: Regex,
    allow: Option<RegexSet>,
}

impl Rule {
    /// Compiles the patterns, for rules that nobody has tried yet.
    pub(super) fn compile(&self) -> Result<Compiled, regex::Error> {
        let pattern = RegexBuilder::new(&format!("^(?:{})", self.pattern))
            .unicode(false)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build()?;
        let allow = if self.allow.is_empty() { None } else { Some(harmless(&self.allow)?) };
        Ok(Compiled { pattern, allow })
    }

    /// The secret that stands around a keyword, if one does.
    pub(super) fn secret_at(&self, text: &[u8], keyword_at: usize, placeholders: &RegexSet) -> Option<Range<usize>> {
        let start = keyword_at.checked_sub(self.behind)?;
        let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || *byte == b'_';
        if !self.inside && start.checked_sub(1).is_some_and(|before| is_word(&text[before])) {
            return None;
        }
        let window = &text[start..text.len().min(start + self.reach)];
        let compiled = self.compiled.get_or_init(|| self.compile().expect("patterns are compiled when a file of rules is read"));
        if !compiled.pattern.is_match(window) {
            return None;
        }
        let groups = compiled.pattern.captures(window)?;
        let whole = groups.get(0)?;
        let secret = groups.get(1).unwrap_or(whole);
        let is_harmless = (self.placeholders && placeholders.is_match(secret.as_bytes()))
            || entropy(secret.as_bytes()) < self.entropy
            || kinds(secret.as_bytes()) < self.kinds
            || compiled.allow.as_ref().is_some_and(|allow| allow.is_match(whole.as_bytes()));
        (!is_harmless).then(|| start + secret.start()..start + secret.end())
    }
}

/// Compiles what makes a match harmless.
pub(super) fn harmless(patterns: &[String]) -> Result<RegexSet, regex::Error> {
    RegexSetBuilder::new(patterns).unicode(false).size_limit(PATTERN_BYTES_MAX).build()
}

/// Shannon entropy, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = bytes.len() as f64;
    counts.iter().filter(|count| **count > 0).map(|count| f64::from(*count) / total).map(|share| -share * share.log2()).sum()
}

/// How many of the kinds lower case, upper case and digit occur.
fn kinds(bytes: &[u8]) -> usize {
    let occurs = |is_kind: fn(&u8) -> bool| usize::from(bytes.iter().any(is_kind));
    occurs(u8::is_ascii_lowercase) + occurs(u8::is_ascii_uppercase) + occurs(u8::is_ascii_digit)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn entropy_is_that_of_shannon() {
        assert!((entropy(b"abcd") - 2.0).abs() < 1e-9);
        assert!(entropy(b"aaaa").abs() < 1e-9);
        assert_eq!((kinds(b"aB3"), kinds(b"--"), kinds(b"a1")), (3, 0, 2));
    }
}
