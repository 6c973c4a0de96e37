//! The search: all keywords at once, and a rule only where its keyword stands.

use std::collections::HashMap;
use std::ops::Range;
use std::sync::OnceLock;

use super::encoded::{Form, long_runs, without_zeros};
use super::file_rule::FileRule;
use super::finding::{Finding, FindingId};
use super::keywords::Keywords;
use super::rule::{Harmless, Rule};
use super::rule_file::{RuleError, RuleFile};
use super::rules;
use crate::base::Digest;
use crate::base::hash::FieldHasher;

/// The text of the rules that are built in, which names them all.
const BUILT_IN: &str = include_str!("rules.rs");

/// Rules, ready to search with.
#[derive(Debug)]
pub struct Scanner {
    rules: Vec<Rule>,
    files: Vec<FileRule>,
    /// What no secret says.
    placeholders: Harmless,
    keywords: Keywords,
    /// For each keyword the rules that it belongs to.
    rules_of: Vec<Vec<usize>>,
    /// What is found in base64; made when there is a text that may hold some.
    encoded: OnceLock<Encoded>,
    digest: String,
}

/// What tokens begin with in base64, and the same as keywords.
#[derive(Debug)]
struct Encoded {
    forms: Vec<Form>,
    keywords: Keywords,
}

/// Raised when the same rules find something else.
const VERSION: &str = "git-merkle 2026 scanner/2";

impl Scanner {
    /// The built-in rules; made once, when first needed.
    #[must_use]
    pub fn built_in() -> &'static Self {
        static SCANNER: OnceLock<Scanner> = OnceLock::new();
        SCANNER.get_or_init(|| Self::new(Vec::new(), &[]))
    }

    /// Names the built-in rules; none is compiled for it.
    #[must_use]
    pub fn built_in_digest() -> Digest {
        static DIGEST: OnceLock<Digest> = OnceLock::new();
        *DIGEST.get_or_init(|| digest(&[]))
    }

    /// The built-in rules and those of more files; an error also says which of them is wrong, counted from 0.
    ///
    /// Files only add: what the built-in rules find is found with any number of files.
    pub fn with_rules(extra: &[&str]) -> Result<Self, (usize, RuleError)> {
        let added = extra
            .iter()
            .enumerate()
            .map(|(number, text)| RuleFile::parse(text).map_err(|error| (number, error)));
        Ok(Self::new(added.collect::<Result<_, _>>()?, extra))
    }

    fn new(added: Vec<RuleFile>, extra: &[&str]) -> Self {
        let (mut all, mut files): (Vec<Rule>, Vec<FileRule>) =
            (rules::rules().collect(), rules::files().collect());
        for file in added {
            all.extend(file.rules);
            files.extend(file.files);
        }
        let mut numbers: HashMap<String, usize> = HashMap::new();
        let mut words: Vec<String> = Vec::new();
        let mut rules_of: Vec<Vec<usize>> = Vec::new();
        for (number, rule) in all.iter().enumerate() {
            for keyword in rule
                .keywords
                .iter()
                .map(|keyword| keyword.to_ascii_lowercase())
            {
                let known = *numbers.entry(keyword).or_insert_with_key(|keyword| {
                    words.push(keyword.clone());
                    rules_of.push(Vec::new());
                    words.len() - 1
                });
                rules_of[known].push(number);
            }
        }
        let placeholders = Harmless::new(
            rules::PLACEHOLDERS
                .iter()
                .map(|text| (*text).to_owned())
                .collect(),
        );
        Self {
            rules: all,
            files,
            placeholders,
            keywords: Keywords::new(words),
            rules_of,
            encoded: OnceLock::new(),
            digest: digest(extra).to_string(),
        }
    }

    fn encoded(&self) -> &Encoded {
        self.encoded.get_or_init(|| {
            let known = |id: &str| self.rules.iter().position(|rule| rule.id == id);
            let rule_of = |id: &str| known(id).expect("what is listed is a rule that is built in");
            let listed = rules::ENCODED
                .iter()
                .flat_map(|(id, starts)| starts.iter().map(move |start| (rule_of(id), *start)));
            let forms: Vec<Form> = listed
                .flat_map(|(rule, start)| Form::of(rule, start))
                .collect();
            let keywords = Keywords::new(forms.iter().map(|form| form.word.clone()));
            Encoded { forms, keywords }
        })
    }

    /// Names everything that decides what is found.
    #[must_use]
    pub fn digest(&self) -> &str {
        &self.digest
    }

    /// The rules, in the order in which they win where they overlap.
    #[must_use]
    pub fn rules(&self) -> &[Rule] {
        &self.rules
    }

    /// What says that a file of this path holds secrets, whatever stands in it.
    #[must_use]
    pub fn find_name(&self, path: &[u8]) -> Option<Finding> {
        let rule = self.files.iter().find(|rule| rule.matches(path))?;
        Some(Finding {
            rule: rule.id.clone(),
            line: 1,
            range: 0..0,
            id: FindingId::of(&rule.id, path),
        })
    }

    /// Everything in a text that looks like a secret, in order, without overlaps.
    ///
    /// Where several rules find the same bytes the first in order names the finding. UTF-16 is text with zero bytes
    /// between its letters, and is searched without them as well.
    #[must_use]
    pub fn find(&self, text: &[u8]) -> Vec<Finding> {
        let mut found = self.matches(text);
        if memchr::memchr(0, text).is_some() {
            let (kept, offsets) = without_zeros(text);
            let range = |range: Range<usize>| offsets[range.start]..offsets[range.end - 1] + 1;
            found.extend(
                self.matches(&kept)
                    .into_iter()
                    .map(|(at, number)| (range(at), number)),
            );
        }
        self.findings(text, merge(found))
    }

    fn matches(&self, text: &[u8]) -> Vec<(Range<usize>, usize)> {
        let mut found: Vec<(Range<usize>, usize)> = Vec::new();
        self.keywords.find(text, |word, start| {
            for number in &self.rules_of[word] {
                let known = found
                    .iter()
                    .rev()
                    .take(8)
                    .any(|(range, by)| by == number && range.contains(&start));
                if !known
                    && let Some(range) =
                        self.rules[*number].secret_at(text, start, &self.placeholders)
                {
                    found.push((range, *number));
                }
            }
        });
        for run in long_runs(text) {
            let Encoded { forms, keywords } = self.encoded();
            keywords.find(&text[run.clone()], |word, start| {
                let form = &forms[word];
                let range = form.secret_at(
                    text,
                    run.start + start,
                    &self.rules[form.rule],
                    &self.placeholders,
                );
                found.extend(range.map(|range| (range, form.rule)));
            });
        }
        found
    }

    fn findings(&self, text: &[u8], merged: Vec<(Range<usize>, usize)>) -> Vec<Finding> {
        let (mut line, mut counted) = (1, 0);
        let finding = |(range, number): (Range<usize>, usize)| {
            line += text[counted..range.start]
                .split(|byte| *byte == b'\n')
                .count()
                - 1;
            counted = range.start;
            let rule = self.rules[number].id.clone();
            let id = FindingId::of(&rule, &text[range.clone()]);
            Finding {
                rule,
                line,
                range,
                id,
            }
        };
        merged.into_iter().map(finding).collect()
    }
}

fn digest(extra: &[&str]) -> Digest {
    let texts = [BUILT_IN].into_iter().chain(extra.iter().copied());
    let hasher = texts.fold(FieldHasher::new(VERSION), |hasher, text| {
        hasher.field(text.as_bytes())
    });
    hasher.finish()
}

/// Unites ranges that overlap; the rule that comes first names them.
fn merge(mut found: Vec<(Range<usize>, usize)>) -> Vec<(Range<usize>, usize)> {
    found.sort_by_key(|(range, number)| (range.start, range.end, *number));
    let mut merged: Vec<(Range<usize>, usize)> = Vec::new();
    for (range, number) in found {
        match merged.last_mut() {
            Some((last, by)) if range.start < last.end => {
                last.end = last.end.max(range.end);
                *by = number.min(*by);
            }
            _ => merged.push((range, number)),
        }
    }
    merged
}
