//! Phrases: words of a question that stand one after another in a file, as those of a message that was pasted do.
//!
//! Each word of a message stands in many files; in this order they stand where the program has the message. Words are
//! compared as they are written, in lower case, whatever signs stand between them. A run of words counts as much as its
//! share of the question, or of the quoted part in which it stands: Metzler and Croft's ordered windows (2005) are the same idea for two words.

use std::cell::OnceCell;
use std::collections::HashMap;

use super::question::Query;
use super::rank::{Terms, rarest};
use super::region::{Field, regions};
use super::sequence::{PhraseWord, each_word};
use crate::base::number::to_u32;
use crate::base::quick_hash::QuickHash;
use crate::symbol::Language;

/// Fewest words of a phrase, and fewest of them that say something.
const WORDS_MIN: usize = 3;
const TELLING_MIN: usize = 2;
/// Places of the same two words in a question that are looked for.
const STARTS_MAX: usize = 8;
/// The share of a phrase that makes its place worth telling.
const TOLD_MIN: f64 = 0.5;
/// A quoted part counts as much as a question when its words say as much as this many that stand in one file alone.
const QUOTED_WORDS: f64 = 3.0;

/// The words of a question in their order, ready to be looked for.
pub struct Phrases<'q> {
    words: &'q [PhraseWord],
    /// Of the words in front of each place, what they say, and how many say something.
    before: Vec<(f64, usize)>,
    /// What all words say, and those of each quoted part.
    total: f64,
    quoted: Vec<f64>,
    /// Where the quoted part of each word begins.
    quoted_from: Vec<usize>,
    /// Where two words stand one after the other in the question.
    starts: HashMap<[u32; 2], Vec<usize>, QuickHash>,
}

/// The phrase of a question that says most of those that a file has.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct PhraseFit {
    /// Its share of the question or of a quoted part, 0 to 1.
    pub share: f64,
    /// The line in which it begins, from 1.
    pub line: u32,
}

impl PhraseFit {
    /// Whether a reader wants to know where it stands.
    #[must_use]
    pub fn is_told(self) -> bool {
        self.share >= TOLD_MIN
    }
}

impl<'q> Phrases<'q> {
    /// The phrases of a question to `files` files; `None` where it is too short to have one.
    #[must_use]
    pub fn of(question: &'q Query, rare: &Terms, files: usize) -> Option<Self> {
        let words = &question.sequence[..];
        // What no file has is a value that the message was filled with.
        let weight = |word: &PhraseWord| {
            let term = word.term.map(usize::from);
            let known = term.filter(|at| rare.files[*at] > 0);
            known.map_or(0.0, |at| rare.weights[at])
        };
        let (mut before, mut said) = (vec![(0.0, 0)], (0.0, 0));
        let (mut quoted, mut quoted_from) = (Vec::new(), Vec::new());
        for (at, word) in words.iter().enumerate() {
            let weight = weight(word);
            said = (said.0 + weight, said.1 + usize::from(weight > 0.0));
            before.push(said);
            let is_same = at > 0 && words[at - 1].quoted == word.quoted;
            quoted_from.push(if is_same { quoted_from[at - 1] } else { at });
            if let Some(number) = word.quoted.map(usize::from) {
                quoted.resize(quoted.len().max(number + 1), 0.0);
                quoted[number] += weight;
            }
        }
        let total = said.0;
        if words.len() < WORDS_MIN || total <= 0.0 {
            return None;
        }
        let least = QUOTED_WORDS * rarest(files);
        for sum in &mut quoted {
            *sum = sum.max(least).min(total);
        }
        let mut starts: HashMap<[u32; 2], Vec<usize>, QuickHash> = HashMap::default();
        for (at, two) in words.windows(2).enumerate() {
            let known = starts.entry([two[0].hash, two[1].hash]).or_default();
            if known.len() < STARTS_MAX {
                known.push(at);
            }
        }
        Some(Self {
            words,
            before,
            total,
            quoted,
            quoted_from,
            starts,
        })
    }

    /// The phrase that says most of those that a text has. Each place of the text is looked at once, with the runs that
    /// end there.
    #[must_use]
    pub fn fit(&self, text: &str, language: Option<Language>) -> Option<PhraseFit> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        each_word(text, |at, _, hash| all.push((hash, to_u32(at))));
        // Of two that say as much, the one that is no comment.
        let (mut best, mut begin, mut is_prose) = (0.0, 0, false);
        let parts = OnceCell::new();
        let in_prose = |at: u32| {
            let regions = parts.get_or_init(|| regions(text, language));
            let next = regions.partition_point(|(range, _)| range.start <= at as usize);
            next > 0 && regions[next - 1].1 == Field::Prose
        };
        // Where each run ends in the question, and its length.
        let mut runs: Vec<(usize, usize)> = Vec::new();
        let mut grown = Vec::new();
        for (place, two) in all.windows(2).enumerate() {
            let starts = self.starts.get(&[two[0].0, two[1].0]);
            for start in starts.into_iter().flatten() {
                let run = runs.iter().find(|(last, _)| last == start);
                let (last, len) = (start + 1, run.map_or(2, |(_, len)| len + 1));
                grown.push((last, len));
                let share = self.share(last + 1 - len, last + 1);
                let from = all[place + 2 - len].1;
                if share > best || share >= best && is_prose && !in_prose(from) {
                    (best, begin, is_prose) = (share, from, in_prose(from));
                }
            }
            std::mem::swap(&mut runs, &mut grown);
            grown.clear();
        }
        let line = 1 + text[..begin as usize].matches('\n').count();
        (best > 0.0).then(|| PhraseFit {
            share: best,
            line: to_u32(line),
        })
    }

    /// What a run of words of the question counts, from one place up to another.
    fn share(&self, from: usize, to: usize) -> f64 {
        let said = |from: usize| {
            let (before, until) = (self.before[from], self.before[to]);
            let is_phrase = to - from >= WORDS_MIN && until.1 - before.1 >= TELLING_MIN;
            if is_phrase { until.0 - before.0 } else { 0.0 }
        };
        let whole = said(from) / self.total;
        let last = to - 1;
        match self.words[last].quoted {
            Some(number) => {
                let within = said(from.max(self.quoted_from[last]));
                whole.max(within / self.quoted[usize::from(number)])
            }
            None => whole,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fit(question: &str, text: &str) -> Option<PhraseFit> {
        let question = Query::of(question).expect("words");
        let rare = Terms {
            weights: vec![4.0; question.terms.len()],
            files: vec![1; question.terms.len()],
            is_declared: false,
        };
        Phrases::of(&question, &rare, 100)?.fit(text, Some(Language::Rust))
    }

    #[test]
    fn words_in_their_order_count_whatever_stands_between() {
        let message = "Cannot open \"till 7\": find no such drawer";
        let text = "fn a() {}\nfail(\"cannot open\\n{}: find no such \"\n  \"drawer {}\", name);\n";
        let found = fit(message, text).expect("a phrase");
        // Two of the five words that say something.
        assert_eq!((found.line, found.is_told()), (2, false));
        assert!(found.share > 0.35 && found.share < 0.45, "{found:?}");
        let whole = fit(
            "Drawer is already open",
            "// a\n\"drawer is already open!\"",
        )
        .expect("a phrase");
        assert_eq!(
            whole,
            PhraseFit {
                share: 1.0,
                line: 2
            }
        );
        for other in [
            "open drawer already",
            "drawer already",
            "already is open drawer is",
            "",
        ] {
            assert_eq!(fit("Drawer is already open", other), None, "{other}");
        }
        assert_eq!(
            fit("open drawer", "open drawer"),
            None,
            "two words are none"
        );
    }

    /// Before, a value counted most, since no file has it: the message was found only where the repository knew that too.
    #[test]
    fn a_value_that_no_file_has_is_none_of_the_words() {
        let question = Query::of("error: cannot format quiver.py").expect("words");
        let is_known = |word: &String| u32::from(!word.starts_with("quiver"));
        let files = question.words.iter().map(is_known);
        let rare = Terms {
            weights: vec![4.0; question.terms.len()],
            files: files.collect(),
            is_declared: false,
        };
        let phrases = Phrases::of(&question, &rare, 100).expect("words");
        let text = "err(f\"error: cannot format {src}: {message}\")";
        let found = phrases.fit(text, None).expect("a phrase");
        assert!(found.is_told(), "{found:?}");
    }

    #[test]
    fn a_quoted_part_counts_as_a_question() {
        let told = "After the last upgrade of all our tills in three shops I see ";
        let message = "drawer seven could not be opened because its lock is frozen";
        let text = format!("\"{message}\"");
        let plain = fit(&format!("{told}{message}"), &text)
            .expect("a phrase")
            .share;
        let quoted = fit(&format!("{told}\"{message}\""), &text)
            .expect("a phrase")
            .share;
        assert!(plain < 0.7 && quoted > plain, "{plain} {quoted}");
        // What goes on behind the quote is no part of it, and a quote that never ends is none.
        assert!(fit("say \"aa bb\" cc dd ee", "aa bb cc dd ee").is_some());
        assert!(fit("say \"drawer seven opened", "drawer seven opened").is_some());
    }

    /// Before, each place of a text was held against each place of the question, run by run.
    #[test]
    fn words_that_repeat_take_no_longer() {
        let question = format!("memory dump {}", "00 ".repeat(250));
        let text = "00 ".repeat(100_000);
        let found = fit(&question, &text).expect("a phrase");
        assert!(found.share > 0.0 && found.share <= 1.0, "{found:?}");
    }

    #[test]
    fn any_text_is_a_question_and_a_file() {
        let (quotes, opened) = ("\"".repeat(200_000), "\u{ab}a ".repeat(100_000));
        for text in [
            &quotes,
            &opened,
            // Before, a backslash in front of the first letter ended the program.
            "read C:\\\u{dc}mlaut\\\u{e9}clair file",
            "\u{1f980} \"\u{e9}t\u{e9}\" `",
            "``\"\"\u{201c}",
            "\\\\ \\",
            "a\0b c d",
        ] {
            let _ = Query::of(text).map(|_| fit(text, text));
        }
    }
}
