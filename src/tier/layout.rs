//! Which item stands in which block, in which order, and where the provider may cut its cache.

use std::collections::BTreeMap;

use super::item::{CacheTerms, Content, Key};

/// Most marks that any request carries.
const BREAKPOINTS_MAX: usize = 4;

/// How stable an item is held to be: L0 stands first, active last. The tail is what stands behind the tiers and is cached all
/// the same, since the next request may well be the same up to there.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Tier {
    /// With the system prompt.
    L0,
    /// The first block of reference.
    L1,
    /// The second.
    L2,
    /// The last that is cached.
    L3,
    /// The list of files and pages, or these and everything that was active, with a mark at the end.
    Tail,
    /// Behind everything that is cached.
    Active,
}

impl Tier {
    /// The tiers proper, most stable first.
    pub const CACHED: [Self; 4] = [Self::L0, Self::L1, Self::L2, Self::L3];

    /// 0 for L0, 4 for the tail, 5 for active.
    #[must_use]
    pub fn number(self) -> usize {
        self as usize
    }

    /// The tier with a number; active for every greater one.
    #[must_use]
    pub fn of_number(number: usize) -> Self {
        let tail = if number == Self::Tail.number() {
            Self::Tail
        } else {
            Self::Active
        };
        Self::CACHED.get(number).copied().unwrap_or(tail)
    }

    /// The word that is shown.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        ["L0", "L1", "L2", "L3", "tail", "active"][self.number()]
    }
}

/// The items of one tier.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Block {
    /// Which.
    pub tier: Tier,
    /// The list of files, symbols by path, files by path, addresses, then messages by number.
    pub keys: Vec<Key>,
    /// Size of its items, for L0 with the system prompt.
    pub tokens: u64,
    /// Its last message carries a cache mark.
    pub ends_with_breakpoint: bool,
}

impl Block {
    /// Its messages of the conversation; they come after everything else.
    #[must_use]
    pub fn messages(&self) -> &[Key] {
        &self.keys[self.keys.partition_point(|key| !key.is_message())..]
    }

    /// What comes before its messages of the conversation.
    #[must_use]
    pub fn reference(&self) -> &[Key] {
        &self.keys[..self.keys.partition_point(|key| !key.is_message())]
    }
}

/// The blocks of a request in their order, empty ones left out. L0 is always there: it holds the system prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Layout {
    /// Most stable first.
    pub blocks: Vec<Block>,
}

impl Layout {
    /// Lays out what a policy has placed.
    pub(super) fn new(
        placed: &BTreeMap<Key, (Tier, u64)>,
        system: Content,
        terms: &CacheTerms,
    ) -> Self {
        let empty = |number| Block {
            tier: Tier::of_number(number),
            keys: Vec::new(),
            tokens: 0,
            ends_with_breakpoint: false,
        };
        let mut blocks: Vec<Block> = (0..=Tier::Active.number()).map(empty).collect();
        blocks[0].tokens = system.tokens;
        for (key, (tier, tokens)) in placed {
            let block = &mut blocks[tier.number()];
            block.keys.push(key.clone());
            block.tokens += tokens;
        }
        blocks.retain(|block| block.tier == Tier::L0 || !block.keys.is_empty());
        mark(&mut blocks, terms);
        Self { blocks }
    }

    /// The block of a tier, when there is anything in it.
    #[must_use]
    pub fn block(&self, tier: Tier) -> Option<&Block> {
        self.blocks.iter().find(|block| block.tier == tier)
    }

    /// The tier of an item.
    #[must_use]
    pub fn tier_of(&self, key: &Key) -> Option<Tier> {
        self.blocks
            .iter()
            .find(|block| block.keys.binary_search(key).is_ok())
            .map(|block| block.tier)
    }
}

/// Marks the ends of cached blocks: none below the provider's minimum, the last ones where there are too few marks.
fn mark(blocks: &mut [Block], terms: &CacheTerms) {
    let (mut prefix_tokens, mut marks) = (0, Vec::new());
    for (at, block) in blocks
        .iter()
        .enumerate()
        .filter(|(_, block)| block.tier != Tier::Active)
    {
        prefix_tokens += block.tokens;
        if prefix_tokens >= terms.prefix_tokens_min && prefix_tokens > 0 {
            marks.push(at);
        }
    }
    let spare = marks
        .len()
        .saturating_sub((terms.breakpoints_max as usize).min(BREAKPOINTS_MAX));
    for at in marks.into_iter().skip(spare) {
        blocks[at].ends_with_breakpoint = true;
    }
}
