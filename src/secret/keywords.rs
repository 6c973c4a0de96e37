//! Every place where one of many words stands, in one pass.
//!
//! To make a table that takes one step a byte takes as long as to look for each word by itself in some hundred thousand
//! bytes: it is made when there was so much to search.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};
use memchr::memmem;

/// How much is searched before the table is made.
const TABLE_FROM_BYTES: usize = 128 * 1024;
/// What a search costs beside the bytes of its text, in bytes: every word is looked for once in the shortest name.
const SEARCH_BYTES: usize = 128;

/// Words, found whatever the case of their ASCII letters.
#[derive(Debug)]
pub(super) struct Keywords {
    /// In lower case.
    words: Vec<String>,
    searched_bytes: AtomicUsize,
    finders: OnceLock<Vec<memmem::Finder<'static>>>,
    table: OnceLock<AhoCorasick>,
}

impl Keywords {
    pub(super) fn new(words: impl IntoIterator<Item = String>) -> Self {
        let words = words
            .into_iter()
            .map(|word| word.to_ascii_lowercase())
            .collect();
        Self {
            words,
            searched_bytes: AtomicUsize::new(0),
            finders: OnceLock::new(),
            table: OnceLock::new(),
        }
    }

    /// Calls `hit` with the number of each word that is found and the offset of its first byte, by the ends of the words.
    pub(super) fn find(&self, text: &[u8], hit: impl FnMut(usize, usize)) {
        let cost = text.len() + SEARCH_BYTES;
        let before = self.searched_bytes.fetch_add(cost, Ordering::Relaxed);
        if before.saturating_add(cost) < TABLE_FROM_BYTES {
            self.find_each(text, hit);
        } else {
            self.find_all(text, hit);
        }
    }

    fn find_each(&self, text: &[u8], mut hit: impl FnMut(usize, usize)) {
        let text = text.to_ascii_lowercase();
        let mut found = Vec::new();
        let finders = self.finders.get_or_init(|| {
            self.words
                .iter()
                .map(|word| memmem::Finder::new(word).into_owned())
                .collect()
        });
        for (number, (word, finder)) in self.words.iter().zip(finders).enumerate() {
            let mut from = 0;
            while let Some(at) = finder.find(&text[from..]) {
                found.push((from + at + word.len(), from + at, number));
                // A word may begin inside of itself.
                from += at + 1;
            }
        }
        found.sort_unstable();
        for (_, start, number) in found {
            hit(number, start);
        }
    }

    fn find_all(&self, text: &[u8], mut hit: impl FnMut(usize, usize)) {
        let table = self.table.get_or_init(|| {
            AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .kind(Some(AhoCorasickKind::DFA))
                .build(&self.words)
                .expect("a few thousand short keywords fit into an automaton")
        });
        table
            .find_overlapping_iter(text)
            .for_each(|found| hit(found.pattern().as_usize(), found.start()));
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    fn hits(find: impl FnOnce(&mut dyn FnMut(usize, usize))) -> Vec<(usize, usize)> {
        let mut hits = Vec::new();
        find(&mut |word, start| hits.push((word, start)));
        hits
    }

    proptest! {
        #[test]
        fn each_word_by_itself_and_all_at_once_find_the_same(
            words in prop::collection::btree_set("[aAbB_]{1,4}", 1..6),
            text in "[aAbB_é]{0,40}",
        ) {
            let words: BTreeSet<_> = words.into_iter().map(|word| word.to_ascii_lowercase()).collect();
            let (keywords, text) = (Keywords::new(words), text.as_bytes());
            prop_assert_eq!(hits(|hit| keywords.find_each(text, hit)), hits(|hit| keywords.find_all(text, hit)));
        }
    }

    #[test]
    fn the_table_is_made_when_there_is_enough_to_search() {
        let keywords = Keywords::new(["key", "api_key", "KE"].map(str::to_owned));
        let text = b"Api_Key = ke, KEY";
        let found = [(2, 4), (1, 0), (0, 4), (2, 10), (2, 14), (0, 14)];
        assert_eq!(hits(|hit| keywords.find(text, hit)), found);
        assert!(keywords.table.get().is_none());
        assert_eq!(
            hits(|hit| keywords.find(&vec![b'-'; TABLE_FROM_BYTES], hit)),
            []
        );
        assert!(keywords.table.get().is_some());
        assert_eq!(hits(|hit| keywords.find(text, hit)), found);
    }
}
