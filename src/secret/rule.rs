//! One rule about text: where to look, what must stand there, and what makes it harmless.

use std::ops::Range;
use std::sync::OnceLock;

use regex::bytes::{Regex, RegexBuilder, RegexSet, RegexSetBuilder};

use super::start::may_begin_behind;
use crate::base::number::to_f64;

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
    pub(super) allow: Harmless,
    /// The pattern, compiled when first needed.
    pub(super) compiled: OnceLock<Regex>,
}

/// Patterns of which one is enough to make a match harmless; compiled when first needed.
#[derive(Debug)]
pub(super) struct Harmless {
    patterns: Vec<String>,
    set: OnceLock<RegexSet>,
}

impl Harmless {
    pub(super) fn new(patterns: Vec<String>) -> Self {
        Self {
            patterns,
            set: OnceLock::new(),
        }
    }

    fn compile(&self) -> Result<RegexSet, regex::Error> {
        RegexSetBuilder::new(&self.patterns)
            .unicode(false)
            .size_limit(PATTERN_BYTES_MAX)
            .build()
    }

    fn fits(&self, text: &[u8]) -> bool {
        !self.patterns.is_empty()
            && self
                .set
                .get_or_init(|| self.compile().expect(COMPILED_BEFORE))
                .is_match(text)
    }
}

const COMPILED_BEFORE: &str =
    "a test compiles the built-in patterns; reading a rule file compiles the others";

impl Rule {
    fn compile(&self) -> Result<Regex, regex::Error> {
        RegexBuilder::new(&format!("^(?:{})", self.pattern))
            .unicode(false)
            .size_limit(PATTERN_BYTES_MAX)
            .dfa_size_limit(PATTERN_BYTES_MAX)
            .build()
    }

    /// Compiles all of its patterns now; false when one cannot be used.
    pub(super) fn compiles(&self) -> bool {
        let (pattern, allow) = (self.compile(), self.allow.compile());
        let is_sound = pattern.is_ok() && allow.is_ok();
        // The thread that came first has compiled the same.
        let _ = pattern.map(|pattern| self.compiled.set(pattern));
        let _ = allow.map(|allow| self.allow.set.set(allow));
        is_sound
    }

    /// The secret that stands around a keyword, if one does.
    pub(super) fn secret_at(
        &self,
        text: &[u8],
        keyword_at: usize,
        placeholders: &Harmless,
    ) -> Option<Range<usize>> {
        let start = keyword_at.checked_sub(self.behind)?;
        if !self.inside && !may_begin_behind(&text[..start]) {
            return None;
        }
        let window = &text[start..text.len().min(start + self.reach)];
        let pattern = self
            .compiled
            .get_or_init(|| self.compile().expect(COMPILED_BEFORE));
        if !pattern.is_match(window) {
            return None;
        }
        let groups = pattern.captures(window)?;
        let whole = groups.get(0)?;
        let secret = groups.get(1).unwrap_or(whole);
        let is_harmless = entropy(secret.as_bytes()) < self.entropy
            || kinds(secret.as_bytes()) < self.kinds
            || self.allow.fits(whole.as_bytes())
            || self.placeholders && placeholders.fits(secret.as_bytes());
        (!is_harmless).then(|| start + secret.start()..start + secret.end())
    }
}

/// Shannon entropy, in bits per byte.
fn entropy(bytes: &[u8]) -> f64 {
    let mut counts = [0_u32; 256];
    for byte in bytes {
        counts[usize::from(*byte)] += 1;
    }
    let total = to_f64(bytes.len() as u64);
    counts
        .iter()
        .filter(|count| **count > 0)
        .map(|count| f64::from(*count) / total)
        .map(|share| -share * share.log2())
        .sum()
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
