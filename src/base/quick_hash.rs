//! A quick hash for names and ids, for maps with millions of lookups: eight bytes at once, folded by a multiplication.
//!
//! Each map has a random seed, so that no repository can be made whose names or ids all fall into one place.

use std::hash::{BuildHasher, Hasher, RandomState};

/// An odd number without a pattern: the golden ratio.
const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;

/// Makes the hashers of one map.
#[derive(Debug, Clone, Copy)]
pub struct QuickHash(u64);

impl Default for QuickHash {
    fn default() -> Self {
        Self(RandomState::new().hash_one(FACTOR))
    }
}

impl BuildHasher for QuickHash {
    type Hasher = QuickHasher;

    fn build_hasher(&self) -> QuickHasher {
        QuickHasher {
            state: self.0,
            seed: self.0 | 1,
        }
    }
}

/// Hashes one name or id.
#[derive(Debug, Clone, Copy)]
pub struct QuickHasher {
    state: u64,
    seed: u64,
}

impl QuickHasher {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "the halves of a product are taken"
    )]
    fn fold(&mut self, word: u64) {
        let product = u128::from(self.state ^ word) * u128::from(self.seed ^ FACTOR);
        self.state = (product as u64 ^ (product >> 64) as u64).wrapping_add(self.seed);
    }
}

impl Hasher for QuickHasher {
    fn write(&mut self, bytes: &[u8]) {
        let mut words = bytes.chunks_exact(8);
        for word in &mut words {
            self.fold(u64::from_le_bytes(word.try_into().expect("eight bytes")));
        }
        let rest = words.remainder();
        let last = rest.iter().rev().fold(bytes.len() as u64, |word, byte| {
            word << 8 | u64::from(*byte)
        });
        self.fold(last);
    }

    /// The byte that ends a text says nothing more than its length.
    fn write_u8(&mut self, _: u8) {}

    fn finish(&self) -> u64 {
        self.state
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn names_and_seeds_give_other_hashes() {
        let names: Vec<String> = (0..20_000)
            .map(|number| format!("{}name_{number}", "x".repeat(number % 20)))
            .collect();
        let (one, other) = (QuickHash::default(), QuickHash::default());
        let hashes: HashSet<u64> = names
            .iter()
            .map(|name| one.hash_one(name.as_str()))
            .collect();
        assert_eq!(hashes.len(), names.len());
        let low: HashSet<u64> = hashes.iter().map(|hash| hash & 0xffff).collect();
        let high: HashSet<u64> = hashes.iter().map(|hash| hash >> 57).collect();
        assert!(
            low.len() > 15_000 && high.len() == 128,
            "{} {}",
            low.len(),
            high.len()
        );
        assert!(
            names
                .iter()
                .all(|name| other.hash_one(name.as_str()) != one.hash_one(name.as_str()))
        );
    }
}
