//! A provider's prompt cache as a model: what a request would read, write and pay in full. For measuring, not for bills.
//!
//! A request is a row of blocks; the cache holds prefixes that ended with a mark. A prefix is found when it ends at a
//! mark or a limited number of blocks before one. Everything up to the longest found prefix is read, everything from there
//! to the last mark is written, the rest is plain. A prefix that was not used for some requests is forgotten, as a
//! provider forgets after some minutes.

use std::collections::BTreeMap;

use super::item::{CacheTerms, Item, Key, PLAIN, Request, Touches};
use super::layout::{Layout, Tier};
use super::shape::is_listed;
use super::state::{State, Tracked};
use crate::base::{Digest, FieldHasher};

/// Blocks before a mark in which a known prefix is looked for.
const LOOK_BACK: usize = 20;
/// Requests after which an unused prefix is gone.
const IDLE_REQUESTS_MAX: u32 = 5;

/// One block of a request as it is sent.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct SentBlock {
    /// Of its text.
    pub digest: Digest,
    /// Its size.
    pub tokens: u64,
    /// It carries a mark.
    pub marked: bool,
}

/// A layout as it is sent: for each block the list of files, the pages, what it says of files, then each message of the conversation.
#[must_use]
pub fn sent(layout: &Layout, request: &Request<'_>) -> Vec<SentBlock> {
    let contents: BTreeMap<&Key, _> = request
        .items
        .iter()
        .map(|item| (&item.key, item.content))
        .collect();
    let mut row = Vec::new();
    for block in &layout.blocks {
        let mut hasher = FieldHasher::new("git-merkle 2026 tier block/1");
        let mut tokens = 0;
        if block.tier == Tier::L0 {
            hasher.add(&request.system.digest.0);
            tokens = request.system.tokens;
        }
        // The list of files and the pages are messages of their own, in front of the rest.
        let kinds: [fn(&Key) -> bool; 3] = [
            |key| matches!(key, Key::Tree),
            |key| matches!(key, Key::Url(_)),
            |key| !is_listed(key),
        ];
        for is_kind in kinds {
            for content in block
                .reference()
                .iter()
                .filter(|key| is_kind(key))
                .filter_map(|key| contents.get(key))
            {
                hasher.add(&content.digest.0);
                tokens += content.tokens;
            }
            if tokens > 0 {
                row.push(SentBlock {
                    digest: hasher.clone().finish(),
                    tokens: std::mem::take(&mut tokens),
                    marked: false,
                });
            }
        }
        let messages = block.messages().iter().filter_map(|key| contents.get(key));
        row.extend(messages.map(|content| SentBlock {
            digest: content.digest,
            tokens: content.tokens,
            marked: false,
        }));
        if let Some(last) = row.last_mut() {
            last.marked |= block.ends_with_breakpoint;
        }
    }
    row
}

/// The tokens of one or more requests by what they cost.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Bill {
    /// Served from the cache.
    pub read: u64,
    /// Written to it.
    pub written: u64,
    /// Neither.
    pub plain: u64,
}

impl Bill {
    /// All tokens.
    #[must_use]
    pub fn tokens(&self) -> u64 {
        self.read + self.written + self.plain
    }

    /// The cost in thousandths of a plain token.
    #[must_use]
    pub fn cost(&self, terms: &CacheTerms) -> u64 {
        self.read * u64::from(terms.read)
            + self.written * u64::from(terms.write)
            + self.plain * u64::from(PLAIN)
    }
}

impl std::ops::AddAssign for Bill {
    fn add_assign(&mut self, other: Self) {
        self.read += other.read;
        self.written += other.written;
        self.plain += other.plain;
    }
}

/// The prefixes that a provider holds.
#[derive(Debug, Clone, Default)]
pub struct PromptCache {
    requests: u32,
    /// By digest of a prefix: the request that used it last.
    prefixes: BTreeMap<Digest, u32>,
}

impl PromptCache {
    /// Takes one request. Marks beyond the allowed number and on too short prefixes do nothing.
    pub fn take(&mut self, request: &[SentBlock], terms: &CacheTerms) -> Bill {
        self.requests += 1;
        let oldest = self.requests.saturating_sub(IDLE_REQUESTS_MAX);
        self.prefixes.retain(|_, used| *used >= oldest);

        let mut hasher = FieldHasher::new("git-merkle 2026 prompt cache model/1");
        let (mut prefixes, mut tokens, mut marks) = (Vec::new(), 0, Vec::new());
        for (at, sent) in request.iter().enumerate() {
            hasher.add(&sent.digest.0);
            tokens += sent.tokens;
            prefixes.push((hasher.clone().finish(), tokens));
            if sent.marked
                && tokens >= terms.prefix_tokens_min
                && marks.len() < terms.breakpoints_max as usize
            {
                marks.push(at);
            }
        }
        let known = |at: &usize| self.prefixes.contains_key(&prefixes[*at].0);
        let in_reach = |at: &usize| {
            marks
                .iter()
                .any(|mark| at <= mark && mark - at <= LOOK_BACK)
        };
        let read = (0..prefixes.len()).rev().filter(in_reach).find(known);
        let read_tokens = read.map_or(0, |at| prefixes[at].1);
        let marked_tokens = marks.last().map_or(0, |at| prefixes[*at].1);
        for at in read.into_iter().chain(marks) {
            self.prefixes.insert(prefixes[at].0, self.requests);
        }
        Bill {
            read: read_tokens,
            written: marked_tokens.saturating_sub(read_tokens),
            plain: tokens - marked_tokens.max(read_tokens),
        }
    }
}

/// What a provider that still holds the last request would read of this one. A prediction: bills come from providers.
///
/// One that takes no marks caches by itself, up to any block.
#[must_use]
pub fn predict(before: &State, layout: &Layout, request: &Request<'_>, terms: &CacheTerms) -> Bill {
    let marks_itself = terms.breakpoints_max == 0;
    let terms = &CacheTerms {
        breakpoints_max: if marks_itself {
            u32::MAX
        } else {
            terms.breakpoints_max
        },
        ..*terms
    };
    let sent = |layout: &Layout, request: &Request<'_>| {
        let mut row = sent(layout, request);
        for sent in &mut row {
            sent.marked |= marks_itself;
        }
        row
    };
    let mut cache = PromptCache::default();
    if let Some(system) = before.system {
        let placed = before
            .items
            .iter()
            .map(|(key, tracked)| (key.clone(), (tracked.tier, tracked.content.tokens)));
        let item = |(key, tracked): (&Key, &Tracked)| Item {
            key: key.clone(),
            content: tracked.content,
            touches: Touches::default(),
        };
        let items: Vec<Item> = before.items.iter().map(item).collect();
        let last = Request {
            system,
            items: &items,
            components: &[],
            commits: 0,
            aliases: &[],
        };
        cache.take(
            &sent(&Layout::new(&placed.collect(), system, terms), &last),
            terms,
        );
    }
    cache.take(&sent(layout, request), terms)
}
