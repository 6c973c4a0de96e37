//! The rank of files for a question: BM25 over their text by sort, and over the messages of the commits that changed them.
//!
//! | part | what is held against the question |
//! |---|---|
//! | text | names, prose, strings, code and path of the file, one length for all (BM25F) |
//! | past | the messages of the commits that changed it |
//! | said | what people and models say about it |
//!
//! Each part is divided by its largest value, and the parts are added with their weights. Only sums, products and quotients
//! are used, always in one order, so the scores are the same bits on every machine; equals stand in the order of paths.

use std::collections::HashMap;

use super::past::Past;
use super::question::Query;
use super::region::FIELDS;
use super::term::{Term, terms};
use super::words::Hits;
use crate::base::quick_hash::QuickHash;

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;

/// What a file counts that is beside the point whatever its words.
const BESIDE: f64 = 0.4;

/// What each part counts. Chosen on three histories and held against others: docs/evaluation.md.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of names, prose, strings and code.
    pub fields: [f64; FIELDS],
    /// Of the path.
    pub path: f64,
    /// How much long texts are held back, 0 to 1.
    pub length: f64,
    /// Of the past, against the text.
    pub past: f64,
    /// How many paths a commit may have before it says less about each.
    pub past_spread: f64,
    /// Of what is said, against the text.
    pub said: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [1.0, 0.5, 1.0, 1.0],
            path: 1.0,
            length: 0.75,
            past: 0.7,
            past_spread: 0.0,
            said: 0.5,
        }
    }
}

/// A file that may be meant.
#[derive(Debug, Clone, Copy)]
pub struct Candidate<'c> {
    /// Its path.
    pub path: &'c [u8],
    /// The terms of its path.
    pub path_terms: &'c [Term],
    /// What it has of the question's terms.
    pub hits: &'c Hits,
    /// What is said about it has of them.
    pub said: Option<&'c Hits>,
}

/// A file that is meant, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Its number among the candidates.
    pub number: u32,
    /// All parts together.
    pub score: f64,
    /// Text, past, said: each with its weight.
    pub parts: [f64; 3],
}

/// How much each term of a question says.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// In the order of the question: the rarer, the more.
    pub weights: Vec<f64>,
    /// In how many files each stands.
    pub files: Vec<u32>,
}

/// Ranks the files of a snapshot; those that have nothing of the question are left out.
#[must_use]
pub fn rank(
    question: &Query,
    files: &[Candidate<'_>],
    past: &[&Past],
    weights: &Weights,
) -> (Vec<Ranked>, Terms) {
    let paths = Paths::of(question, files);
    let terms = rareness(question, files, &paths);
    let text = text_scores(files, &paths, &terms, weights);
    let of_past = past_scores(question, past, weights);
    let by_path = |file: &Candidate<'_>| of_past.get(file.path).copied();
    let past: Vec<f64> = files
        .iter()
        .map(|file| by_path(file).unwrap_or(0.0))
        .collect();
    let said = said_scores(files, &terms);
    let [text, past, said] = [(text, 1.0), (past, weights.past), (said, weights.said)]
        .map(|(scores, weight)| scaled(scores, weight));
    let of = |at: usize| [text[at], past[at], said[at]];
    let mut ranked: Vec<Ranked> = (0..files.len())
        .filter(|at| of(*at).iter().any(|part| *part > 0.0))
        .map(|at| {
            let standing = standing(files[at].path);
            let parts = of(at).map(|part| part * standing);
            Ranked {
                number: at as u32,
                score: parts.iter().sum(),
                parts,
            }
        })
        .collect();
    ranked.sort_unstable_by(|one, other| {
        let path = |ranked: &Ranked| files[ranked.number as usize].path;
        other
            .score
            .total_cmp(&one.score)
            .then_with(|| path(one).cmp(path(other)))
    });
    (ranked, terms)
}

/// What a file counts by its name: logs of changes, licences and lists of versions have words of everything.
fn standing(path: &[u8]) -> f64 {
    let name = path
        .rsplit(|byte| *byte == b'/')
        .next()
        .unwrap_or_default()
        .to_ascii_lowercase();
    let is = |starts: &[&str]| {
        starts
            .iter()
            .any(|start| name.starts_with(start.as_bytes()))
    };
    let is_list = is(&[
        "changelog",
        "changes",
        "history",
        "news",
        "releases",
        "licen",
        "copying",
        "authors",
        "contributors",
    ]);
    let is_lock = name.ends_with(b".lock") || is(&["package-lock.json", "go.sum", "pnpm-lock"]);
    if is_list || is_lock { BESIDE } else { 1.0 }
}

/// Each divided by the largest, times a weight.
fn scaled(scores: Vec<f64>, weight: f64) -> Vec<f64> {
    let largest = scores.iter().copied().fold(0.0, f64::max);
    if largest <= 0.0 {
        scores
    } else {
        scores
            .into_iter()
            .map(|score| weight * score / largest)
            .collect()
    }
}

/// The terms of paths, one path behind the other: they are the same for every question.
#[derive(Debug, Default)]
pub struct PathTerms {
    terms: Vec<Term>,
    ends: Vec<u32>,
}

impl PathTerms {
    /// Splits paths into terms.
    pub fn of<'p>(paths: impl Iterator<Item = &'p [u8]>) -> Self {
        let mut all = Self::default();
        for path in paths {
            terms(&String::from_utf8_lossy(path), |_, term| {
                all.terms.push(term);
            });
            all.ends.push(all.terms.len() as u32);
        }
        all
    }

    /// The terms of the path with a number.
    #[must_use]
    pub fn get(&self, number: usize) -> &[Term] {
        let start = number.checked_sub(1).map_or(0, |before| self.ends[before]);
        &self.terms[start as usize..self.ends[number] as usize]
    }
}

/// What paths have of the question's terms.
struct Paths {
    /// For each file how often each term stands in its path; empty for a path that has none.
    counts: Vec<Vec<u8>>,
    lengths: Vec<u32>,
}

impl Paths {
    fn of(question: &Query, files: &[Candidate<'_>]) -> Self {
        let mut places: Vec<(Term, usize)> = question.terms.iter().copied().zip(0..).collect();
        places.sort_unstable();
        // Most terms of paths are told from those of the question by six of their bits.
        let bit = |term: Term| 1_u64 << (term % 64);
        let bits = places.iter().fold(0, |bits, (term, _)| bits | bit(*term));
        let mut all = Self {
            counts: Vec::with_capacity(files.len()),
            lengths: Vec::with_capacity(files.len()),
        };
        for file in files {
            let mut counts = Vec::new();
            for term in file.path_terms {
                if bits & bit(*term) != 0
                    && let Ok(at) = places.binary_search_by_key(term, |(term, _)| *term)
                {
                    let at = places[at].1;
                    counts.resize(question.terms.len(), 0_u8);
                    counts[at] = counts[at].saturating_add(1);
                }
            }
            all.counts.push(counts);
            all.lengths.push(file.path_terms.len() as u32);
        }
        all
    }

    /// True when neither path nor text has a term of the question.
    fn lacks_all(&self, number: usize, file: &Candidate<'_>) -> bool {
        file.hits.counts.is_empty() && self.counts[number].is_empty()
    }

    fn count(&self, file: usize, term: usize) -> u8 {
        self.counts[file].get(term).copied().unwrap_or(0)
    }
}

fn rareness(question: &Query, files: &[Candidate<'_>], paths: &Paths) -> Terms {
    let mut having = vec![0_u32; question.terms.len()];
    for (number, file) in files.iter().enumerate() {
        if paths.lacks_all(number, file) {
            continue;
        }
        for (term, having) in having.iter_mut().enumerate() {
            let in_text = file
                .hits
                .counts
                .get(term)
                .is_some_and(|counts| *counts != [0; FIELDS]);
            *having += u32::from(in_text || paths.count(number, term) > 0);
        }
    }
    Terms {
        weights: having
            .iter()
            .map(|having| weight(*having, files.len()))
            .collect(),
        files: having,
    }
}

/// The weight of a term, by the number of texts that hold it and the number of all texts.
fn weight(having: u32, all: usize) -> f64 {
    ln(1.0 + (all as f64 - f64::from(having) + 0.5) / (f64::from(having) + 0.5))
}

fn text_scores(
    files: &[Candidate<'_>],
    paths: &Paths,
    terms: &Terms,
    weights: &Weights,
) -> Vec<f64> {
    let weighted = |counts: [f64; FIELDS], path: f64| {
        counts
            .iter()
            .zip(weights.fields)
            .fold(weights.path * path, |sum, (count, weight)| {
                sum + weight * count
            })
    };
    let lengths: Vec<f64> = files
        .iter()
        .zip(&paths.lengths)
        .map(|(file, path)| weighted(file.hits.lengths.map(f64::from), f64::from(*path)))
        .collect();
    let mean = lengths.iter().sum::<f64>() / (files.len().max(1) as f64);
    let score = |(number, file): (usize, &Candidate<'_>)| {
        if paths.lacks_all(number, file) {
            return 0.0;
        }
        let held_back =
            K1 * (1.0 - weights.length + weights.length * lengths[number] / mean.max(1.0));
        let mut score = 0.0;
        for (term, rare) in terms.weights.iter().enumerate() {
            let counts = file.hits.counts.get(term).copied().unwrap_or_default();
            let count = weighted(counts.map(f64::from), f64::from(paths.count(number, term)));
            score += rare * count * (K1 + 1.0) / (count + held_back);
        }
        score
    };
    files.iter().enumerate().map(score).collect()
}

/// For each path how well the messages of the commits that changed it fit.
fn past_scores<'p>(
    question: &Query,
    past: &[&'p Past],
    weights: &Weights,
) -> HashMap<&'p [u8], f64, QuickHash> {
    let telling: Vec<&Past> = past
        .iter()
        .copied()
        .filter(|past| !past.paths.is_empty() && !past.terms.is_empty())
        .collect();
    let having = question
        .terms
        .iter()
        .map(|term| telling.iter().filter(|past| past.count(*term) > 0).count() as u32);
    let rare: Vec<f64> = having.map(|having| weight(having, telling.len())).collect();
    let mean = telling
        .iter()
        .map(|past| f64::from(past.length()))
        .sum::<f64>()
        / (telling.len().max(1) as f64);
    let mut scores: HashMap<&[u8], f64, QuickHash> = HashMap::default();
    for past in telling {
        let held_back = K1 * (1.0 - 0.75 + 0.75 * f64::from(past.length()) / mean.max(1.0));
        let mut score = 0.0;
        for (term, rare) in question.terms.iter().zip(&rare) {
            let count = f64::from(past.count(*term));
            score += rare * count * (K1 + 1.0) / (count + held_back);
        }
        if score > 0.0 {
            let share = score / (1.0 + weights.past_spread * (past.paths.len() as f64 - 1.0));
            for path in &past.paths {
                *scores.entry(path.as_bytes()).or_default() += share * score;
            }
        }
    }
    scores
}

fn said_scores(files: &[Candidate<'_>], terms: &Terms) -> Vec<f64> {
    let score = |file: &Candidate<'_>| {
        let Some(said) = file.said else { return 0.0 };
        let mut score = 0.0;
        for (counts, rare) in said.counts.iter().zip(&terms.weights) {
            let count: f64 = counts.iter().map(|count| f64::from(*count)).sum();
            score += rare * count * (K1 + 1.0) / (count + K1);
        }
        score
    };
    files.iter().map(score).collect()
}

/// The natural logarithm by sums and products alone: that of a system's library differs in its last bit from machine to machine.
fn ln(x: f64) -> f64 {
    let (mut rest, mut exponent) = (x, 0.0);
    while rest >= 2.0 {
        rest /= 2.0;
        exponent += 1.0;
    }
    while rest < 1.0 && rest > 0.0 {
        rest *= 2.0;
        exponent -= 1.0;
    }
    let ratio = (rest - 1.0) / (rest + 1.0);
    let (mut power, mut sum) = (ratio, 0.0);
    for odd in (1..32).step_by(2) {
        sum += power / f64::from(odd);
        power *= ratio * ratio;
    }
    2.0 * sum + exponent * std::f64::consts::LN_2
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::find::words_of;

    fn ranked(question: &str, files: &[(&str, &str)]) -> Vec<String> {
        let question = Query::of(question).expect("words");
        let hits: Vec<Hits> = files
            .iter()
            .map(|(_, text)| words_of(text).hits(&question.terms))
            .collect();
        let terms = PathTerms::of(files.iter().map(|(path, _)| path.as_bytes()));
        let candidates: Vec<Candidate<'_>> = (0..files.len())
            .map(|at| Candidate {
                path: files[at].0.as_bytes(),
                path_terms: terms.get(at),
                hits: &hits[at],
                said: None,
            })
            .collect();
        let (ranked, _) = rank(&question, &candidates, &[], &Weights::default());
        ranked
            .iter()
            .map(|ranked| files[ranked.number as usize].0.to_owned())
            .collect()
    }

    #[test]
    fn rare_words_and_short_texts_go_first() {
        let files = [
            ("a", "walk files files files"),
            ("b", "hidden files"),
            (
                "c",
                "hidden files and very many other words that say nothing of it",
            ),
            ("d", "nothing"),
            ("hidden/e", "x"),
        ];
        let order = ranked("hidden files", &files);
        assert!(
            order[0] == "b" && order.iter().any(|path| path == "c"),
            "{order:?}"
        );
        assert!(!ranked("hidden files", &files).contains(&"d".to_owned()));
        assert!(ranked("hidden", &files).contains(&"hidden/e".to_owned()));
        assert_eq!(
            ranked("same", &[("z", "same"), ("y", "same"), ("x", "same")]),
            ["x", "y", "z"]
        );
    }

    #[test]
    fn commits_lead_to_the_files_that_they_changed() {
        let question = Query::of("colour of the sky").expect("words");
        let none = Hits::default();
        let files = ["a", "b"].map(|path| Candidate {
            path: path.as_bytes(),
            path_terms: &[],
            hits: &none,
            said: None,
        });
        let past = Past {
            terms: {
                let mut terms: Vec<_> = question.terms.iter().map(|term| (*term, 1)).collect();
                terms.sort_unstable();
                terms
            },
            paths: vec!["b".to_owned()],
            ..Past::default()
        };
        let (ranked, _) = rank(&question, &files, &[&past], &Weights::default());
        assert_eq!(
            ranked
                .iter()
                .map(|ranked| ranked.number)
                .collect::<Vec<_>>(),
            [1]
        );
    }

    #[test]
    fn the_logarithm_is_one() {
        for x in [0.001_f64, 0.5, 1.0, 1.5, 2.0, 10.0, 12_345.678] {
            assert!((ln(x) - x.ln()).abs() < 1e-12, "{x}");
        }
    }
}
