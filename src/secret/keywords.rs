//! Every place where one of many words stands, in one pass.
//!
//! A table that takes one step a byte is searched some three times as fast as the automaton that it is made of, but
//! takes as long to make as that needs for some hundred thousand bytes: it is made when there was so much to search.

use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering};

use aho_corasick::{AhoCorasick, AhoCorasickBuilder, AhoCorasickKind, MatchKind};

/// How much is searched before the table is made.
const TABLE_FROM_BYTES: usize = 128 * 1024;

/// Words, found whatever the case of their ASCII letters.
#[derive(Debug)]
pub(super) struct Keywords {
    words: Vec<String>,
    searched_bytes: AtomicUsize,
    automaton: OnceLock<AhoCorasick>,
    table: OnceLock<AhoCorasick>,
}

impl Keywords {
    pub(super) fn new(words: Vec<String>) -> Self {
        Self { words, searched_bytes: AtomicUsize::new(0), automaton: OnceLock::new(), table: OnceLock::new() }
    }

    /// Calls `hit` with the number of each word that is found and the offset of its first byte, by the ends of the words.
    pub(super) fn find(&self, text: &[u8], mut hit: impl FnMut(usize, usize)) {
        let searched = self.searched_bytes.fetch_add(text.len(), Ordering::Relaxed);
        let (made, kind) = if searched.saturating_add(text.len()) < TABLE_FROM_BYTES {
            (&self.automaton, AhoCorasickKind::NoncontiguousNFA)
        } else {
            (&self.table, AhoCorasickKind::DFA)
        };
        let search = made.get_or_init(|| {
            AhoCorasickBuilder::new()
                .ascii_case_insensitive(true)
                .match_kind(MatchKind::Standard)
                .kind(Some(kind))
                .build(&self.words)
                .expect("a few thousand short keywords fit into an automaton")
        });
        search.find_overlapping_iter(text).for_each(|found| hit(found.pattern().as_usize(), found.start()));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_is_found_before_and_after_the_table_is_made() {
        let keywords = Keywords::new(["key", "api_key", "KE"].map(str::to_owned).to_vec());
        let text = b"Api_Key = ke, KEY";
        let hits = || {
            let mut hits = Vec::new();
            keywords.find(text, |word, start| hits.push((word, start)));
            hits
        };
        let first = hits();
        assert_eq!(first.len(), 6, "{first:?}");
        keywords.find(&vec![b'-'; TABLE_FROM_BYTES], |_, _| unreachable!("there is none"));
        assert!(keywords.table.get().is_some());
        assert_eq!(hits(), first);
    }
}
