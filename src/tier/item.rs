//! What a prompt is made of, as the policies see it: items with their size, digest and evidence, and a provider's terms.

use crate::base::{Digest, TreePath};
use crate::chat::Capabilities;
use crate::provider::Prices;

/// Names one item of a session's prompt. The order is the order inside a block.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub enum Key {
    /// The list of all files. Never in a tier: it stands behind them.
    Tree,
    /// The block of a file in the symbol map.
    Symbols(TreePath),
    /// The full text of a file.
    File(TreePath),
    /// What [`Self::Symbols`] or a directory's statement says now, where a tier shows it as it was.
    Update(TreePath),
    /// What was fetched from an address. Never in a tier: it stands behind them.
    Url(String),
    /// A message of the conversation, numbered from 0.
    Message(u32),
}

impl Key {
    /// The file that it is about.
    #[must_use]
    pub fn path(&self) -> Option<&TreePath> {
        match self {
            Self::Symbols(path) | Self::File(path) | Self::Update(path) => Some(path),
            Self::Tree | Self::Url(_) | Self::Message(_) => None,
        }
    }

    /// True for what may stay as it was while an update stands behind it: symbols and the statement of a directory, which
    /// say what there is. Never the text of a file: that is what edits are made to.
    #[must_use]
    pub fn may_lag(&self) -> bool {
        match self {
            Self::Symbols(_) => true,
            Self::File(path) => is_statement(path),
            Self::Tree | Self::Update(_) | Self::Url(_) | Self::Message(_) => false,
        }
    }

    /// True for a message of the conversation.
    #[must_use]
    pub fn is_message(&self) -> bool {
        matches!(self, Self::Message(_))
    }
}

/// True for the path of a directory, whose text is a statement about it.
pub(super) fn is_statement(path: &TreePath) -> bool {
    path.as_bytes().ends_with(b"/")
}

/// Text that is not here: its digest and its size.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Content {
    /// Of the exact text.
    pub digest: Digest,
    /// Estimated.
    pub tokens: u64,
}

/// What git says about how a file changes.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Touches {
    /// Which of the newest commits touched it: 0 is the newest; ascending.
    pub commits_ago: Vec<u32>,
    /// The work tree's file is not the committed one.
    pub dirty: bool,
    /// It was named for this request only.
    pub is_passing: bool,
}

/// One part of the prompt that can stand in one tier or another.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// Which.
    pub key: Key,
    /// Its text.
    pub content: Content,
    /// Evidence for its chance to change.
    pub touches: Touches,
}

/// Everything that one request is made of.
#[derive(Debug, Clone, Copy)]
pub struct Request<'a> {
    /// What always stands first: system prompt and legend.
    pub system: Content,
    /// Everything else, in any order; no key twice.
    pub items: &'a [Item],
    /// Files that refer to one another, for the first request of the policy `counter`.
    pub components: &'a [Vec<TreePath>],
    /// How many commits were looked at for the items' [`Touches`].
    pub commits: u32,
    /// The directories that the map's legend abbreviates.
    pub aliases: &'a [String],
}

/// What a provider's prompt cache costs and takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct CacheTerms {
    /// Price of reading a token from the cache, in thousandths of a plain input token.
    pub read: u32,
    /// Price of writing a token to the cache, likewise.
    pub write: u32,
    /// Shortest prefix that is cached, in tokens.
    pub prefix_tokens_min: u64,
    /// How many marks a request may carry. 0 for a provider without marks, which caches by itself.
    pub breakpoints_max: u32,
}

/// The price of a plain input token, in thousandths.
pub(super) const PLAIN: u32 = 1_000;

impl CacheTerms {
    /// The terms of a provider: its prices, and where they say nothing what most providers take: reading a tenth, writing a
    /// quarter more. A cache that fills itself, without marks, takes nothing for writing.
    ///
    /// Prices at which nothing is saved do not count: such a cache saves time, and order costs nothing.
    #[must_use]
    pub fn of(capabilities: &Capabilities, prices: Option<&Prices>) -> Self {
        let breakpoints_max = capabilities.cache_breakpoints;
        let priced = prices.filter(|prices| prices.cache_read < prices.input);
        let share = |price: u64, prices: &Prices| {
            u32::try_from(price.saturating_mul(1_000) / prices.input).unwrap_or(u32::MAX)
        };
        let read = priced.map_or(100, |prices| share(prices.cache_read, prices));
        let write = match priced {
            _ if breakpoints_max == 0 => PLAIN,
            Some(prices) => share(prices.cache_write, prices),
            None => 1_250,
        };
        Self {
            read,
            write,
            prefix_tokens_min: capabilities.cache_tokens_min,
            breakpoints_max,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Before, a cached token without a price was taken for as dear as any other, and no prompt had a mark.
    #[test]
    fn terms_follow_prices_only_where_these_save_anything() {
        let marks = Capabilities {
            cache_breakpoints: 4,
            ..Capabilities::default()
        };
        let prices = |cache_read| Prices {
            input: 1_000,
            output: 1,
            cache_read,
            cache_write: 2_000,
        };
        let of = |capabilities: &Capabilities, prices: Option<&Prices>| {
            let terms = CacheTerms::of(capabilities, prices);
            (terms.read, terms.write)
        };
        assert_eq!(of(&marks, None), (100, 1_250));
        assert_eq!(of(&marks, Some(&prices(500))), (500, 2_000));
        assert_eq!(of(&marks, Some(&prices(1_000))), (100, 1_250));
        assert_eq!(
            of(&Capabilities::default(), Some(&prices(500))),
            (500, 1_000)
        );
        assert_eq!(of(&marks, Some(&Prices::default())), (100, 1_250));
    }
}
