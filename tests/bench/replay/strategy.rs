//! The ways to lay out the requests of a history, and what a server that caches reports of each.

use std::collections::BTreeSet;
use std::time::Duration;

use git_merkle::base::TreePath;
use git_merkle::chat::body::{BodyOptions, Protocol, body};
use git_merkle::chat::{self, Capabilities, Usage};
use git_merkle::tier::{
    Block, Item, Key, Layout, State, Tier, TierPolicy, advance, advance_by_sample,
};

use super::TERMS;
use super::cache::PrefixCache;
use super::history::Made;

/// What passes between two requests.
const PAUSE: Duration = Duration::from_mins(1);

/// How requests are laid out.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Strategy {
    /// Symbols in the order of their paths in three blocks of one size, a mark on each; full texts behind.
    PathOrder,
    Counter,
    ExpectedCost,
    /// As `expected-cost`, but knowing which files change together in all of the replay, apart from the change that comes next.
    KnowsOthers,
}

impl Strategy {
    pub(crate) const ALL: [Self; 4] = [
        Self::PathOrder,
        Self::Counter,
        Self::ExpectedCost,
        Self::KnowsOthers,
    ];

    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::PathOrder => "path order",
            Self::Counter => "`counter`",
            Self::ExpectedCost => "`expected-cost`",
            Self::KnowsOthers => "knows the other changes",
        }
    }
}

/// Holds the body of every request against a cache, and adds up.
pub(crate) fn play(worlds: &[Made<'_>], strategy: Strategy) -> Usage {
    let events = events(worlds);
    let cache = PrefixCache::new(TERMS.prefix_tokens_min);
    let (mut state, mut total) = (State::default(), Usage::default());
    for (at, made) in worlds.iter().enumerate() {
        if made.is_first {
            state = State::default();
        }
        let request = made.request();
        let mut step = match strategy {
            Strategy::Counter | Strategy::PathOrder => {
                advance(TierPolicy::Counter, &state, &request, &TERMS)
            }
            Strategy::ExpectedCost => advance(TierPolicy::ExpectedCost, &state, &request, &TERMS),
            Strategy::KnowsOthers => {
                let others = events
                    .iter()
                    .enumerate()
                    .filter(|(event, _)| *event != at + 1);
                let others: Vec<_> = others.map(|(_, event)| event.clone()).collect();
                advance_by_sample(&state, &request, &TERMS, &others)
            }
        };
        if strategy == Strategy::PathOrder {
            step.layout = in_path_order(&step.layout, &made.items);
        }
        let now = PAUSE * at as u32;
        let usage = cache.usage(
            &body_of(made, &step.layout),
            now,
            now + Duration::from_secs(5),
        );
        total.input += usage.input;
        total.cache_read += usage.cache_read;
        total.cache_write += usage.cache_write;
        state = step.state;
    }
    total
}

/// By request: the files of which something came, went or changed since the one before.
fn events(worlds: &[Made<'_>]) -> Vec<BTreeSet<TreePath>> {
    let mut events = vec![BTreeSet::new()];
    for pair in worlds.windows(2) {
        let items = |made: &Made<'_>| {
            made.items
                .iter()
                .map(|item| (item.key.clone(), item.content.digest))
                .collect::<BTreeSet<_>>()
        };
        let (before, after) = (items(&pair[0]), items(&pair[1]));
        events.push(
            before
                .symmetric_difference(&after)
                .filter_map(|(key, _)| key.path().cloned())
                .collect(),
        );
    }
    events
}

fn body_of(made: &Made<'_>, layout: &Layout) -> serde_json::Value {
    let request = chat::Request {
        messages: made.world.messages(layout),
        ..chat::Request::default()
    };
    let capabilities = Capabilities {
        cache_breakpoints: TERMS.breakpoints_max,
        cache_tokens_min: TERMS.prefix_tokens_min,
        ..Capabilities::default()
    };
    body(
        &request,
        BodyOptions {
            protocol: Protocol::Anthropic,
            capabilities: &capabilities,
            streams: false,
            extra: &serde_json::Map::new(),
        },
    )
}

/// The same items with symbols in three blocks of about one size behind the system prompt.
fn in_path_order(layout: &Layout, items: &[Item]) -> Layout {
    let mut symbols: Vec<&Item> = items
        .iter()
        .filter(|item| matches!(item.key, Key::Symbols(_)))
        .collect();
    symbols.sort_by(|a, b| a.key.cmp(&b.key));
    let third = symbols.iter().map(|item| item.content.tokens).sum::<u64>() / 3 + 1;
    let rest = |key: &&Key| !matches!(key, Key::Symbols(_));
    let mut active: Vec<Key> = layout
        .blocks
        .iter()
        .flat_map(|block| &block.keys)
        .filter(rest)
        .cloned()
        .collect();
    active.sort();
    let empty = |tier| Block {
        tier,
        keys: Vec::new(),
        tokens: 0,
        ends_with_breakpoint: tier != Tier::Active,
    };
    let mut blocks: Vec<Block> = [Tier::L0, Tier::L1, Tier::L2, Tier::L3].map(empty).into();
    let mut before = 0;
    for item in symbols {
        let block = &mut blocks[1 + (before / third) as usize];
        block.keys.push(item.key.clone());
        before += item.content.tokens;
    }
    blocks.retain(|block| block.tier == Tier::L0 || !block.keys.is_empty());
    blocks.push(Block {
        keys: active,
        ..empty(Tier::Active)
    });
    Layout { blocks }
}
