//! A question as terms: its words, each once, without those that every sentence has; then its identifiers of several words.

use super::name::Name;
use super::sequence::{PhraseWord, sequence};
use super::term::{Term, declared, distinct, identifiers, literals};

/// Most words of a question that count.
const WORDS_MAX: usize = 256;

/// A question of this many words or fewer is short.
const SHORT_WORDS: usize = 16;

/// Words that say nothing about what is looked for.
#[rustfmt::skip]
const EMPTY_WORDS: &[&str] = &[
    "about", "after", "all", "also", "an", "and", "any", "are", "as", "at", "be", "because", "been", "before", "but", "by", "can",
    "could", "did", "do", "does", "for", "from", "had", "has", "have", "how", "if", "in", "into", "is", "it", "its", "just", "me",
    "more", "my", "no", "not", "now", "of", "on", "or", "our", "should", "so", "some", "such", "than", "that", "the", "their",
    "them", "then", "there", "these", "they", "this", "those", "to", "up", "use", "via", "was", "we", "were", "what", "when",
    "where", "which", "while", "who", "why", "will", "with", "would", "you", "your",
];

/// What is looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Query {
    /// The terms, in the order of the question.
    pub terms: Vec<Term>,
    /// One word of each, in lower case.
    pub words: Vec<String>,
    /// How many of these are words; the others, behind them, are whole identifiers, and the last says what declares the
    /// name, where the question is one.
    pub word_count: usize,
    /// True when there were more words than count.
    pub is_cut: bool,
    /// The name, where the question is nothing else.
    pub name: Option<Name>,
    /// All of its words in their order.
    pub sequence: Vec<PhraseWord>,
}

impl Query {
    /// Reads a question; `None` when it has no word.
    #[must_use]
    pub fn of(text: &str) -> Option<Self> {
        let all = distinct(text, WORDS_MAX + 1);
        let is_cut = all.len() > WORDS_MAX;
        let says = |word: &str| !EMPTY_WORDS.contains(&word);
        let has_words = all.iter().any(|(_, word)| says(word));
        let kept = all
            .into_iter()
            .take(WORDS_MAX)
            .filter(|(_, word)| !has_words || says(word));
        let (mut terms, mut words): (Vec<Term>, Vec<String>) = kept.unzip();
        let word_count = terms.len();
        let sequence = sequence(text, &terms);
        let mut whole = |name: &str, term| {
            if terms.len() < WORDS_MAX && !terms.contains(&term) {
                terms.push(term);
                words.push(name.to_owned());
            }
        };
        identifiers(text, &mut whole);
        // `built-in` and `end-to-end` are words of English, `--built-in` is an option.
        literals(text, false, |at, name, term| {
            if text[..at].ends_with("--") || name.contains('.') {
                whole(name, term);
            }
        });
        let name = Name::of(text);
        if let Some(name) = &name {
            terms.push(declared(&name.text));
            words.push(format!("{} (declared)", name.text));
        }
        (word_count > 0).then_some(Self {
            terms,
            words,
            word_count,
            is_cut,
            name,
            sequence,
        })
    }

    /// Whether tests are looked for, and not only what they test.
    #[must_use]
    pub fn asks_for_tests(&self) -> bool {
        self.has_one_of(&[
            "test", "tests", "tested", "testing", "spec", "specs", "fixture", "fixtures", "mock",
            "mocks", "e2e",
        ])
    }

    /// Whether documents are looked for, and not only what they are about.
    #[must_use]
    pub fn asks_for_documents(&self) -> bool {
        self.has_one_of(&[
            "doc",
            "docs",
            "document",
            "documents",
            "documented",
            "documentation",
            "readme",
            "guide",
            "guides",
            "manual",
            "tutorial",
            "changelog",
        ])
    }

    /// Whether a short question has one of these words; a long one tells of tests that fail and of what is documented.
    fn has_one_of(&self, wanted: &[&str]) -> bool {
        let mut words = self.words[..self.word_count].iter();
        self.word_count <= SHORT_WORDS && words.any(|word| wanted.contains(&word.as_str()))
    }

    /// The same without whole identifiers.
    #[must_use]
    pub fn of_words(&self) -> Self {
        Self {
            terms: self.terms[..self.word_count].to_vec(),
            words: self.words[..self.word_count].to_vec(),
            name: None,
            sequence: self.sequence.clone(),
            word_count: self.word_count,
            is_cut: self.is_cut,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_say_something_count_once() {
        let words = |text: &str| Query::of(text).map(|question| question.words);
        assert_eq!(
            words("Why are hidden files searched? hidden_file").unwrap_or_default(),
            ["hidden", "files", "searched", "hidden_file"]
        );
        let whole = Query::of("Why sendFile?").expect("words");
        assert_eq!((whole.word_count, whole.words.len()), (2, 3));
        // One hyphen joins words of English.
        let all = |text: &str| Query::of(text).expect("words").words;
        assert_eq!(all("built-in run"), ["built", "run"]);
        assert_eq!(all("end-to-end run"), ["end", "run"]);
        assert_eq!(all("--built-in"), ["built", "built-in"]);
        assert_eq!(
            all("a.b.c max.poll.records").last().map(String::as_str),
            Some("max.poll.records")
        );
        assert_eq!(whole.of_words().words, ["send", "file"]);
        assert_eq!(
            words("what is it").unwrap_or_default(),
            ["what", "is", "it"]
        );
        assert_eq!(words("  *** && x -y \"\" "), None);
        let long = Query::of(
            &(0..50_000)
                .map(|n| format!("w{n} "))
                .collect::<Vec<_>>()
                .concat(),
        )
        .expect("words");
        assert!(long.is_cut && long.terms.len() == WORDS_MAX);
    }
}
