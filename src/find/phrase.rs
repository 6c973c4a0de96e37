//! Phrases: words of a question that stand one after another in a file, as those of a message that was pasted do.
//!
//! Each word of a message stands in many files; in this order they stand where the program has the message. Words are
//! compared as they are written, in lower case, whatever signs stand between them. A run of words counts as much as its
//! share of the question, or of the quoted part in which it stands: Metzler and Croft's ordered windows (2005) are the same idea for two words.

use std::collections::HashMap;

use super::question::Query;
use super::rank::{Terms, rarest};
use super::sequence::{PhraseWord, each_word};
use crate::base::number::to_u32;
use crate::base::quick_hash::QuickHash;

/// Fewest words of a phrase, and fewest of them that say something.
const WORDS_MIN: usize = 3;
const TELLING_MIN: usize = 2;
/// A quoted part counts as much as a question when its words say as much as this many that stand in one file alone.
const QUOTED_WORDS: f64 = 3.0;
/// The words of a question in their order, ready to be looked for.
pub struct Phrases<'q> {
    words: &'q [PhraseWord],
    weights: Vec<f64>,
    /// What all words say, and those of each quoted part.
    total: f64,
    quoted: Vec<f64>,
    /// Where two words stand one after the other in the question.
    starts: HashMap<[u32; 2], Vec<usize>, QuickHash>,
}

/// The share of a phrase that makes its place worth telling.
const TOLD_MIN: f64 = 0.5;

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
        let weight = |word: &PhraseWord| word.term.map_or(0.0, |at| rare.weights[usize::from(at)]);
        let weights: Vec<f64> = words.iter().map(weight).collect();
        let total: f64 = weights.iter().sum();
        if words.len() < WORDS_MIN || total <= 0.0 {
            return None;
        }
        let mut quoted = Vec::new();
        for (word, weight) in words.iter().zip(&weights) {
            let Some(number) = word.quoted.map(usize::from) else {
                continue;
            };
            quoted.resize(quoted.len().max(number + 1), 0.0);
            quoted[number] += weight;
        }
        let least = QUOTED_WORDS * rarest(files);
        for sum in &mut quoted {
            *sum = sum.max(least).min(total);
        }
        let mut starts: HashMap<[u32; 2], Vec<usize>, QuickHash> = HashMap::default();
        for (at, two) in words.windows(2).enumerate() {
            starts
                .entry([two[0].hash, two[1].hash])
                .or_default()
                .push(at);
        }
        Some(Self {
            words,
            weights,
            total,
            quoted,
            starts,
        })
    }

    /// The phrase that says most of those that a text has.
    #[must_use]
    pub fn fit(&self, text: &str) -> Option<PhraseFit> {
        let mut all: Vec<(u32, u32)> = Vec::new();
        each_word(text.as_bytes(), |at, _, hash| all.push((hash, to_u32(at))));
        let (mut best, mut begin) = (0.0, 0);
        for (place, two) in all.windows(2).enumerate() {
            let starts = self.starts.get(&[two[0].0, two[1].0]);
            for start in starts.into_iter().flatten() {
                let here = self.words[*start..].iter().zip(&all[place..]);
                let len = here
                    .take_while(|(word, (hash, _))| word.hash == *hash)
                    .count();
                let share = self.share(*start, len);
                if share > best {
                    (best, begin) = (share, two[0].1);
                }
            }
        }
        let line = 1 + text[..begin as usize].matches('\n').count();
        (best > 0.0).then(|| PhraseFit {
            share: best,
            line: to_u32(line),
        })
    }

    /// What some words of the question count, one after another.
    fn share(&self, start: usize, len: usize) -> f64 {
        let said = |len: usize| {
            let weights = &self.weights[start..start + len];
            let telling = weights.iter().filter(|weight| **weight > 0.0).count();
            let is_phrase = len >= WORDS_MIN && telling >= TELLING_MIN;
            if is_phrase { weights.iter().sum() } else { 0.0 }
        };
        let whole = said(len) / self.total;
        let Some(quoted) = self.words[start].quoted else {
            return whole;
        };
        let run = self.words[start..start + len].iter();
        let within = run.take_while(|word| word.quoted == Some(quoted)).count();
        whole.max(said(within) / self.quoted[usize::from(quoted)])
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
        Phrases::of(&question, &rare, 100)?.fit(text)
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

    #[test]
    fn any_text_is_a_question_and_a_file() {
        for text in [
            "\u{1f980} \"\u{e9}t\u{e9}\" `",
            "``\"\"\u{201c}",
            "\\\\ \\",
            "a\0b c d",
        ] {
            let _ = Query::of(text).map(|_| fit(text, text));
        }
    }
}
