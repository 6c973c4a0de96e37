//! The rank of files for a question: BM25 over their text by sort, and over the messages of the commits that changed them.
//!
//! | part | what is held against the question |
//! |---|---|
//! | text | names, prose, strings, code and path of the file, one length for all (BM25F); whole identifiers beside their words |
//! | path | which words stand in it, each once: a long text has many words, a path names what matters |
//! | past | the messages of the commits that changed it, those of the newest more |
//! | said | what people and models say about it |
//! | definition | the text of the definition that fits best, of the files that are best by the rest: see [`add_looked_into`] |
//! | phrase | the words of the question that stand one after another in it, of the same files |
//!
//! Each part is divided by its largest value, and the parts are added with their weights. Only sums, products and quotients
//! are used, always in one order, so the scores are the same bits on every machine; equals stand in the order of paths.

use std::cmp::Ordering;
use std::collections::HashMap;

use super::name::Name;
use super::past::Past;
use super::postings::{COUNTS, CandidateNumber, Lengths, TermCounts, in_byte, lengths};
use super::question::Query;
use super::region::FIELDS;
use super::term::Term;
use super::words::{Hits, Words};
use crate::base::number::{IndexSlice, IndexVec, to_f64, to_u32};
use crate::base::path::last_name;
use crate::base::quick_hash::QuickHash;
use crate::symbol::map::{is_notice, is_prose, is_test};

/// How soon more of the same word counts no more.
const K1: f64 = 1.2;

/// What is left of what a commit counts more than the oldest, commit by commit: half of it after a hundred.
const PAST_FADES: f64 = 0.993_092_495_437_035_9;

/// What the score of a file is made of.
const PARTS: usize = 6;

/// What a file counts that is beside the point whatever its words.
const BESIDE: f64 = 0.4;

/// What a file counts that writes the name that the question is in prose alone: code that uses it comes first.
const NAMED_IN_PROSE: f64 = 0.01;

/// What each part counts. Chosen on three histories and held against others: docs/evaluation.md.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Weights {
    /// Of names, prose, strings and code.
    pub fields: [f64; FIELDS],
    /// Of the path, as a sort of text.
    pub path: f64,
    /// Of the path for itself, against the text.
    pub path_alone: f64,
    /// Of a whole identifier, against a word that is as rare.
    pub identifier: f64,
    /// Of a declaration of that name, against a place that only writes it.
    pub declared: f64,
    /// How much long texts are held back, 0 to 1.
    pub length: f64,
    /// Of the past, against the text.
    pub past: f64,
    /// What the oldest commits count, against the newest.
    pub past_least: f64,
    /// Of what is said, against the text.
    pub said: f64,
    /// What a test counts, against the program: it has the words of what it tests, and more of them.
    pub tests: f64,
    /// Of the definition that fits best, against the text of the file.
    pub definition: f64,
    /// Of a phrase that is the whole question.
    pub phrase: f64,
    /// What a document counts: it has the words in which users speak of the program.
    pub documents: f64,
}

impl Default for Weights {
    fn default() -> Self {
        Self {
            fields: [1.0, 0.5, 1.0, 1.0],
            path: 1.0,
            path_alone: 0.4,
            identifier: 4.0,
            declared: 12.0,
            length: 0.75,
            past: 0.8,
            past_least: 0.5,
            said: 0.5,
            tests: 0.7,
            definition: 1.0,
            phrase: 3.0,
            documents: 0.6,
        }
    }
}

/// By the numbers of files, what they count.
type Scores = IndexVec<CandidateNumber, f64>;

/// What the files of a snapshot have of a question's terms.
#[derive(Debug, Default)]
pub struct Occurrences {
    /// How many terms each file has.
    pub lengths: IndexVec<CandidateNumber, Lengths>,
    /// For each term of the question the files that have it, in their order.
    pub lists: Vec<Vec<(CandidateNumber, TermCounts)>>,
}

/// What a question is held against.
pub struct Searched<'s> {
    /// The words of the files.
    pub occurrences: &'s Occurrences,
    /// Whether a file is wanted.
    pub is_wanted: &'s IndexSlice<CandidateNumber, [bool]>,
    /// The path of a file.
    pub path: &'s dyn Fn(CandidateNumber) -> &'s [u8],
    /// The file at a path.
    pub find: &'s dyn Fn(&str) -> Option<CandidateNumber>,
    /// The newest commits first.
    pub past: &'s [Past],
    /// What is said about a file has of the question's terms.
    pub said: &'s HashMap<CandidateNumber, Hits>,
}

/// A file that is meant, and why.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Ranked {
    /// Which it is.
    pub number: CandidateNumber,
    /// All parts together.
    pub score: f64,
    /// Text, path, past, said, best definition, phrase: each with its weight.
    pub parts: [f64; PARTS],
    /// What it counts by its path alone.
    standing: f64,
}

/// How much each term of a question says.
#[derive(Debug, Clone, PartialEq)]
pub struct Terms {
    /// In the order of the question: the rarer, the more.
    pub weights: Vec<f64>,
    /// In how many files each stands.
    pub files: Vec<u32>,
    /// True when the question is one name and a file declares it: the answer is what declares it and what uses it.
    pub is_declared: bool,
}

impl Terms {
    /// The name that a question is, where a file declares it.
    #[must_use]
    pub fn name_in<'q>(&self, question: &'q Query) -> Option<&'q Name> {
        question.name.as_ref().filter(|_| self.is_declared)
    }
}

/// Ranks the files of a snapshot, the best `sorted` of them in order, the others behind in none; those that have nothing
/// of the question are left out.
#[must_use]
pub fn rank(
    question: &Query,
    searched: &Searched<'_>,
    sorted: usize,
    weights: &Weights,
) -> (Vec<Ranked>, Terms) {
    let count = searched.is_wanted.iter().filter(|wanted| **wanted).count();
    let declaring = declaring(question, searched);
    let terms = rareness(question, searched, count, weights, !declaring.is_empty());
    // No message of a commit says who uses a name.
    let past = if terms.is_declared { 0.0 } else { weights.past };
    let parts = [
        scaled(text_scores(question, searched, count, &terms, weights), 1.0),
        scaled(path_scores(searched, &terms), weights.path_alone),
        scaled(past_scores(question, searched, weights), past),
        scaled(said_scores(searched, &terms), weights.said),
    ];
    let of = |at: CandidateNumber| parts.each_ref().map(|part| part[at]);
    let in_code = terms.is_declared.then(|| searched.occurrences.in_code());
    let unless = |asks: bool, weight: f64| if asks { 1.0 } else { weight };
    let tests = unless(question.asks_for_tests(), weights.tests);
    let documents = unless(question.asks_for_documents(), weights.documents);
    let mut ranked: Vec<Ranked> = searched
        .is_wanted
        .indices()
        .filter(|at| searched.is_wanted[*at] && of(*at).iter().any(|part| *part > 0.0))
        .map(|at| {
            let is_named_in_prose = in_code.as_ref().is_some_and(|in_code| !in_code[at]);
            let named = if is_named_in_prose {
                NAMED_IN_PROSE
            } else {
                1.0
            };
            let standing = named * standing((searched.path)(at), tests, documents);
            let [text, path, past, said] = of(at).map(|part| part * standing);
            let parts = [text, path, past, said, 0.0, 0.0];
            Ranked {
                number: at,
                score: parts.iter().sum(),
                parts,
                standing,
            }
        })
        .collect();
    let is_behind = |ranked: &Ranked| declaring.binary_search(&ranked.number).is_err();
    let better = |one: &Ranked, other: &Ranked| {
        let by_name = is_behind(one).cmp(&is_behind(other));
        by_name.then_with(|| by_score(one, other, searched.path))
    };
    if sorted < ranked.len() {
        ranked.select_nth_unstable_by(sorted, better);
        ranked[..sorted].sort_unstable_by(better);
    } else {
        ranked.sort_unstable_by(better);
    }
    (ranked, terms)
}

/// Adds how well the best definition of each file fits, and its phrase, and puts the files in order again.
///
/// A long question has words of many files, and a large file has most of them somewhere; what is meant has them together.
pub fn add_looked_into<'p>(
    ranked: &mut [Ranked],
    fits: &[(f64, f64)],
    path: &dyn Fn(CandidateNumber) -> &'p [u8],
    weights: &Weights,
) {
    // Where no definition fits, none counts.
    let largest = fits.iter().map(|(fit, _)| *fit).fold(0.0, f64::max);
    let largest = if largest > 0.0 { largest } else { 1.0 };
    for (ranked, (fit, share)) in ranked.iter_mut().zip(fits) {
        let [.., definition, phrase] = &mut ranked.parts;
        *definition = weights.definition * ranked.standing * fit / largest;
        *phrase = weights.phrase * ranked.standing * share;
        ranked.score = ranked.parts.iter().sum();
    }
    ranked.sort_unstable_by(|one, other| by_score(one, other, path));
}

/// The larger score first, then the path.
fn by_score<'p>(
    one: &Ranked,
    other: &Ranked,
    path: &dyn Fn(CandidateNumber) -> &'p [u8],
) -> Ordering {
    let by_score = other.score.total_cmp(&one.score);
    by_score.then_with(|| path(one.number).cmp(path(other.number)))
}

/// What a file counts by its path: logs of changes, licences and lists of versions have words of everything.
fn standing(path: &[u8], tests: f64, documents: f64) -> f64 {
    let name = last_name(path);
    if is_notice(name) {
        BESIDE
    } else if tests < 1.0 && is_test(path) {
        tests
    } else if documents < 1.0 && is_prose(name) {
        documents
    } else {
        1.0
    }
}

/// Each divided by the largest, times a weight.
fn scaled(scores: Scores, weight: f64) -> Scores {
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

impl Occurrences {
    /// What texts with their paths have of some terms; files have numbers in their order.
    pub fn of<'w>(terms: &[Term], files: impl Iterator<Item = (&'w Words, Vec<Term>)>) -> Self {
        let mut all = Self {
            lengths: IndexVec::new(),
            lists: vec![Vec::new(); terms.len()],
        };
        for (words, path) in files {
            all.push(terms, words, &path);
        }
        all
    }

    /// Adds the next file.
    pub fn push(&mut self, terms: &[Term], words: &Words, path: &[Term]) {
        let number = self.lengths.push(lengths(words, path));
        let hits = words.hits(terms).counts;
        for (at, (term, [names, prose, quoted, code])) in terms.iter().zip(hits).enumerate() {
            let in_path = in_byte(path.iter().filter(|one| *one == term).count());
            let counts = [names, prose, quoted, code, in_path];
            if counts != [0; COUNTS] {
                self.lists[at].push((number, counts));
            }
        }
    }

    /// By the numbers of files, whether their code, or a string in it, has one of the terms.
    fn in_code(&self) -> IndexVec<CandidateNumber, bool> {
        let mut found = IndexVec::from_vec(vec![false; self.lengths.len()]);
        for (number, [_, _, quoted, code, _]) in self.lists.iter().flatten() {
            found[*number] |= *quoted > 0 || *code > 0;
        }
        found
    }

    /// What a file has of a term, by the term's place in the question.
    #[must_use]
    pub fn counts(&self, number: CandidateNumber, term: usize) -> TermCounts {
        let list = &self.lists[term];
        let found = list.binary_search_by_key(&number, |(number, _)| *number);
        found.map_or([0; COUNTS], |at| list[at].1)
    }
}

/// The files that declare the name that the question is, in order, wanted or not; none where it is a question of words.
fn declaring(question: &Query, searched: &Searched<'_>) -> Vec<CandidateNumber> {
    // The term that says so is the last.
    let name = question.name.as_ref();
    let list = name.and_then(|_| searched.occurrences.lists.last());
    let declares = |(_, [names, ..]): &&(CandidateNumber, TermCounts)| *names > 0;
    list.into_iter()
        .flatten()
        .filter(declares)
        .map(|(number, _)| *number)
        .collect()
}

fn rareness(
    question: &Query,
    searched: &Searched<'_>,
    count: usize,
    weights: &Weights,
    is_declared: bool,
) -> Terms {
    let lists = searched.occurrences.lists.iter();
    let is_wanted = |(number, _): &&(CandidateNumber, TermCounts)| searched.is_wanted[*number];
    let files: Vec<u32> = lists
        .map(|list| to_u32(list.iter().filter(is_wanted).count()))
        .collect();
    let is_known = question
        .name
        .as_ref()
        .is_some_and(Name::is_known_everywhere);
    let rare = |(at, having): (usize, &u32)| {
        let is_word = at < question.word_count;
        weight(*having, count)
            * match is_word {
                true if is_declared && is_known => 0.0,
                true => 1.0,
                false => weights.identifier,
            }
    };
    Terms {
        is_declared,
        weights: files.iter().enumerate().map(rare).collect(),
        files,
    }
}

/// The weight of a term that one text of all holds.
pub(super) fn rarest(all: usize) -> f64 {
    weight(1, all)
}

/// The weight of a term, by the number of texts that hold it and the number of all texts.
fn weight(having: u32, all: usize) -> f64 {
    ln(1.0 + (to_f64(all as u64) - f64::from(having) + 0.5) / (f64::from(having) + 0.5))
}

/// Sums are made of whole numbers first, so that they do not depend on the order of the files.
fn text_scores(
    question: &Query,
    searched: &Searched<'_>,
    count: usize,
    terms: &Terms,
    weights: &Weights,
) -> Scores {
    let Occurrences { lengths, lists } = searched.occurrences;
    let weighted = |counts: [f64; COUNTS]| {
        let [.., path] = counts;
        let text = counts.iter().zip(weights.fields);
        text.fold(weights.path * path, |sum, (count, weight)| {
            sum + weight * count
        })
    };
    let mut totals = [0_u64; COUNTS];
    for (lengths, _) in lengths.iter().zip(searched.is_wanted).filter(|one| *one.1) {
        for (total, length) in totals.iter_mut().zip(lengths) {
            *total += u64::from(*length);
        }
    }
    let mean = weighted(totals.map(to_f64)) / to_f64(count.max(1) as u64);
    let mut scores = Scores::from_vec(vec![0.0; lengths.len()]);
    for (at, (list, rare)) in lists.iter().zip(&terms.weights).enumerate() {
        // Who asks for a name wants the place that declares it, and then those that use it. A setting or an option is
        // declared by its text.
        let declared = if at < question.word_count {
            0.0
        } else {
            weights.declared - 1.0
        };
        let by_text = f64::from(question.words[at].contains(['.', '-']));
        // What is not wanted must not be the largest, by which all are divided.
        let is_wanted = |(number, _): &&(CandidateNumber, TermCounts)| searched.is_wanted[*number];
        for (number, counts) in list.iter().filter(is_wanted) {
            let length = weighted(lengths[*number].map(f64::from));
            let held_back = K1 * (1.0 - weights.length + weights.length * length / mean.max(1.0));
            let [names, _, quoted, ..] = counts.map(f64::from);
            let count =
                weighted(counts.map(f64::from)) + declared * (names + by_text * quoted.min(1.0));
            scores[*number] += rare * count * (K1 + 1.0) / (count + held_back);
        }
    }
    scores
}

/// How much the words say that a path has of the question.
fn path_scores(searched: &Searched<'_>, terms: &Terms) -> Scores {
    let mut scores = Scores::from_vec(vec![0.0; searched.is_wanted.len()]);
    for (list, rare) in searched.occurrences.lists.iter().zip(&terms.weights) {
        for (number, [.., in_path]) in list {
            if *in_path > 0 && searched.is_wanted[*number] {
                scores[*number] += rare;
            }
        }
    }
    scores
}

/// How well the messages of the commits that changed a file fit.
fn past_scores(question: &Query, searched: &Searched<'_>, weights: &Weights) -> Scores {
    let tells = |past: &&Past| !past.paths.is_empty() && !past.terms.is_empty();
    let telling: Vec<&Past> = searched.past.iter().filter(tells).collect();
    let having = question.terms.iter().map(|term| {
        let having = telling.iter().filter(|past| past.count(*term) > 0);
        to_u32(having.count())
    });
    let rare: Vec<f64> = having.map(|having| weight(having, telling.len())).collect();
    let mean = telling
        .iter()
        .map(|past| f64::from(past.length()))
        .sum::<f64>()
        / to_f64(telling.len().max(1) as u64);
    let mut by_path: HashMap<&str, f64, QuickHash> = HashMap::default();
    let mut fresh = 1.0;
    for past in telling {
        let share = weights.past_least + (1.0 - weights.past_least) * fresh;
        fresh *= PAST_FADES;
        let held_back = K1 * (1.0 - 0.75 + 0.75 * f64::from(past.length()) / mean.max(1.0));
        let mut score = 0.0;
        for (term, rare) in question.terms.iter().zip(&rare) {
            let count = f64::from(past.count(*term));
            score += rare * count * (K1 + 1.0) / (count + held_back);
        }
        if score > 0.0 {
            for path in &past.paths {
                *by_path.entry(path).or_default() += share * score * score;
            }
        }
    }
    let mut scores = Scores::from_vec(vec![0.0; searched.is_wanted.len()]);
    for (path, score) in by_path {
        if let Some(number) = (searched.find)(path)
            && searched.is_wanted[number]
        {
            scores[number] = score;
        }
    }
    scores
}

fn said_scores(searched: &Searched<'_>, terms: &Terms) -> Scores {
    let mut scores = Scores::from_vec(vec![0.0; searched.is_wanted.len()]);
    for (number, said) in searched.said {
        if !searched.is_wanted[*number] {
            continue;
        }
        for (counts, rare) in said.counts.iter().zip(&terms.weights) {
            let count: f64 = counts.iter().map(|count| f64::from(*count)).sum();
            scores[*number] += rare * count * (K1 + 1.0) / (count + K1);
        }
    }
    scores
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
    use crate::find::{path_terms, words_of};

    fn ranked(question: &str, files: &[(&str, &str)], past: &[Past]) -> Vec<String> {
        let question = Query::of(question).expect("words");
        let words: Vec<Words> = files.iter().map(|(_, text)| words_of(text)).collect();
        let paths = files.iter().map(|(path, _)| path_terms(path.as_bytes()));
        let occurrences = Occurrences::of(&question.terms, words.iter().zip(paths));
        let is_wanted = IndexVec::from_vec(vec![true; files.len()]);
        let searched = Searched {
            occurrences: &occurrences,
            is_wanted: &is_wanted,
            path: &|number| files[number.index()].0.as_bytes(),
            find: &|path| Some(files.iter().position(|file| file.0 == path)?.into()),
            past,
            said: &HashMap::new(),
        };
        let (ranked, _) = rank(&question, &searched, usize::MAX, &Weights::default());
        let first = rank(&question, &searched, 1, &Weights::default()).0;
        assert_eq!(
            first.first(),
            ranked.first(),
            "however many are put in order"
        );
        ranked
            .iter()
            .map(|ranked| files[ranked.number.index()].0.to_owned())
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
        ];
        let order = ranked("hidden files", &files, &[]);
        assert!(
            order[0] == "b" && order.iter().any(|path| path == "c"),
            "{order:?}"
        );
        assert!(!ranked("hidden files", &files, &[]).contains(&"d".to_owned()));
        assert_eq!(ranked("hidden", &[("hidden/e", "x")], &[]), ["hidden/e"]);
        assert_eq!(
            ranked("same", &[("z", "same"), ("y", "same"), ("x", "same")], &[]),
            ["x", "y", "z"]
        );
    }

    /// Before, `src/frame/merge.rs` was not among the first six for "merge frames": short files have the words more densely.
    #[test]
    fn a_path_that_has_the_words_comes_before_a_dense_text() {
        let long = "how it goes on and on with many other words of all sorts ".repeat(20);
        let files = [
            (
                "ci/review.yml",
                "merge request merge frames merge".to_owned(),
            ),
            ("frame/merge.rs", format!("merge frames {long}")),
            ("other.rs", format!("frames {long}")),
        ];
        let files = files.each_ref().map(|(path, text)| (*path, text.as_str()));
        assert_eq!(ranked("merge frames", &files, &[])[0], "frame/merge.rs");
    }

    /// Before, the product that the name of a setting has words of stood above the file that has the setting.
    #[test]
    fn a_setting_leads_to_the_file_that_has_it() {
        let maker = "mirror maker metrics source alias add source";
        let setting = "reads \"add.source.alias.to.metrics\", a setting among very many others";
        let files = [
            ("maker.java", maker),
            ("config.java", setting),
            ("a.java", "mirror"),
            ("b.java", "metrics of a maker"),
            ("c.java", "add"),
        ];
        let question = "drop add.source.alias.to.metrics";
        assert_eq!(ranked(question, &files, &[])[0], "config.java");
    }

    /// Before, the tests of what was looked for stood above it: they have its words, and more of them.
    #[test]
    fn the_program_comes_before_its_tests_unless_these_are_asked_for() {
        let files = [
            (
                "src/till.rs",
                "sells cheap items at the till, and other things",
            ),
            ("tests/till.rs", "sells cheap items at the till"),
        ];
        assert_eq!(ranked("sells cheap items", &files, &[])[0], "src/till.rs");
        let question = "test that sells cheap items";
        assert_eq!(ranked(question, &files, &[])[0], "tests/till.rs");
    }

    /// Before, the documents about what was to be changed stood above it: they have the words of users.
    #[test]
    fn the_program_comes_before_its_documents_unless_these_are_asked_for() {
        let files = [
            (
                "src/till.rs",
                "sells cheap items at the till, and other things",
            ),
            ("guide.md", "sells cheap items at the till"),
        ];
        assert_eq!(ranked("sells cheap items", &files, &[])[0], "src/till.rs");
        let question = "the guide that says what sells cheap items";
        assert_eq!(ranked(question, &files, &[])[0], "guide.md");
    }

    #[test]
    fn what_is_not_wanted_changes_nothing() {
        let question = Query::of("hidden files").expect("words");
        let texts = ["hidden files", "hidden files hidden files", "files"];
        let words: Vec<Words> = texts.iter().map(|text| words_of(text)).collect();
        let all = |count: usize| {
            let words = words.iter().rev().take(count).rev();
            Occurrences::of(&question.terms, words.map(|words| (words, Vec::new())))
        };
        let ask = |occurrences: &Occurrences, is_wanted: &[bool]| {
            let searched = Searched {
                occurrences,
                is_wanted: IndexSlice::new(is_wanted),
                path: &|_| b"",
                find: &|_| None,
                past: &[],
                said: &HashMap::new(),
            };
            let (ranked, terms) = rank(&question, &searched, usize::MAX, &Weights::default());
            let scores: Vec<f64> = ranked.iter().map(|ranked| ranked.score).collect();
            (scores, terms)
        };
        // The first is gone; the best of all is not the best of those that are wanted.
        assert_eq!(
            ask(&all(3), &[false, true, true]),
            ask(&all(2), &[true, true])
        );
    }

    #[test]
    fn commits_lead_to_the_files_that_they_changed() {
        let question = Query::of("colour of the sky").expect("words");
        let past = Past {
            terms: {
                let mut terms: Vec<_> = question.terms.iter().map(|term| (*term, 1)).collect();
                terms.sort_unstable();
                terms
            },
            paths: vec!["b".to_owned()],
            ..Past::default()
        };
        assert_eq!(
            ranked("colour of the sky", &[("a", ""), ("b", "")], &[past]),
            ["b"]
        );
    }

    #[test]
    fn the_logarithm_is_one() {
        for x in [0.001_f64, 0.5, 1.0, 1.5, 2.0, 10.0, 12_345.678] {
            assert!((ln(x) - x.ln()).abs() < 1e-12, "{x}");
        }
    }
}
