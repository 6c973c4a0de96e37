//! Texts that are numbered in the order in which they come, each once: millions of names in little more than their bytes.
//!
//! A hash map with a string for each key has a place of 32 bytes for it and an allocation of its own.

use std::hash::BuildHasher;
use std::ops::Range;

use super::number::to_u32;
use super::quick_hash::QuickHash;

/// Where the list of a number stands among lists that stand one behind the other, each up to its end.
#[must_use]
pub fn range_of(ends: &[usize], number: usize) -> Range<usize> {
    let start = number.checked_sub(1).map_or(0, |before| ends[before]);
    start..ends[number]
}

/// A place in the table that no text has taken.
const FREE: u32 = u32::MAX;
/// Places of the smallest table; their number is a power of two.
const SLOTS_MIN: usize = 16;

/// Texts, found by their number, and numbers, found by their text.
#[derive(Debug, Default)]
pub struct NumberedTexts {
    hash: QuickHash,
    /// One behind the other.
    texts: String,
    /// Where each ends.
    ends: Vec<usize>,
    /// The hash of a text and its number, at the first free place from that hash on; at most three of four are taken.
    slots: Vec<(u32, u32)>,
}

impl NumberedTexts {
    /// How many there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ends.len()
    }

    /// True when there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ends.is_empty()
    }

    /// The number of a text, which is the next one if it is new.
    pub fn add(&mut self, text: &str) -> u32 {
        if 4 * (self.len() + 1) > 3 * self.slots.len() {
            self.grow();
        }
        self.add_hashed(text, self.hash_of(text))
    }

    fn add_hashed(&mut self, text: &str, hash: u32) -> u32 {
        match self.find(text, hash) {
            Ok(number) => number,
            Err(free) => {
                let number = to_u32(self.ends.len());
                self.texts.push_str(text);
                self.ends.push(self.texts.len());
                self.slots[free] = (hash, number);
                number
            }
        }
    }

    /// The number of a text; `None` when it was never added.
    #[must_use]
    pub fn number(&self, text: &str) -> Option<u32> {
        (!self.is_empty())
            .then(|| self.find(text, self.hash_of(text)).ok())
            .flatten()
    }

    /// Gives back room that further texts would take.
    pub fn shrink_to_fit(&mut self) {
        self.texts.shrink_to_fit();
        self.ends.shrink_to_fit();
    }

    fn text(&self, number: u32) -> &str {
        &self.texts[range_of(&self.ends, number as usize)]
    }

    fn hash_of(&self, text: &str) -> u32 {
        (self.hash.hash_one(text) >> 32) as u32
    }

    /// The number of a text, or the place where it belongs; there is always a free one.
    fn find(&self, text: &str, hash: u32) -> Result<u32, usize> {
        let mask = self.slots.len() - 1;
        let mut at = hash as usize & mask;
        loop {
            match self.slots[at] {
                (_, FREE) => return Err(at),
                (known, number) if known == hash && self.text(number) == text => return Ok(number),
                _ => at = (at + 1) & mask,
            }
        }
    }

    fn grow(&mut self) {
        let size = (2 * self.slots.len()).max(SLOTS_MIN);
        let old = std::mem::replace(&mut self.slots, vec![(0, FREE); size]);
        for slot in old.into_iter().filter(|(_, number)| *number != FREE) {
            let mut at = slot.0 as usize & (size - 1);
            while self.slots[at].1 != FREE {
                at = (at + 1) & (size - 1);
            }
            self.slots[at] = slot;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashMap;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        /// A hash map is the oracle.
        #[test]
        fn each_text_has_one_number(texts in proptest::collection::vec("[ab]{0,9}", 0..400), other in "[abc]{0,9}") {
            let (mut numbered, mut known) = (NumberedTexts::default(), HashMap::new());
            prop_assert_eq!(numbered.number(&other), None);
            for text in &texts {
                let next = to_u32(known.len());
                let number = *known.entry(text.clone()).or_insert(next);
                prop_assert_eq!(numbered.add(text), number);
            }
            prop_assert_eq!((numbered.len(), numbered.is_empty()), (known.len(), known.is_empty()));
            for (text, number) in &known {
                prop_assert_eq!(numbered.number(text), Some(*number));
                prop_assert_eq!(numbered.text(*number), text);
            }
            prop_assert_eq!(numbered.number(&other), known.get(&other).copied());
        }
    }

    #[test]
    fn texts_of_one_hash_are_told_apart() {
        let mut numbered = NumberedTexts::default();
        numbered.grow();
        let same = ["one", "other", "one"].map(|text| numbered.add_hashed(text, 7));
        assert_eq!(same, [0, 1, 0]);
        let mut numbered = NumberedTexts::default();
        let texts: Vec<String> = (0..40_000).map(|number| format!("name {number}")).collect();
        let numbers = texts.iter().map(|text| numbered.add(text));
        assert!(numbers.eq(0..40_000));
        assert!(
            texts
                .iter()
                .zip(0..)
                .all(|(text, number)| numbered.number(text) == Some(number))
        );
        assert_eq!(numbered.number("name"), None);
    }
}
