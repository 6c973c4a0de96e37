//! What a session remembers from one request to the next.

use std::collections::BTreeMap;

use super::item::{Content, Key};
use super::layout::Tier;
use crate::base::TreePath;

/// Changes of one file that are remembered, newest last.
pub(super) const EDITS_MAX: usize = 16;

/// An item as the last request had it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Tracked {
    /// Its text.
    pub content: Content,
    /// Where it stood.
    pub tier: Tier,
    /// How often it was seen unchanged, as the policy `counter` counts.
    pub n: u32,
    /// The request in which it came; a change of its text is no coming.
    pub since: u32,
}

/// A session's memory. Empty before the first request.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct State {
    /// Requests so far.
    pub requests: u32,
    /// The system prompt of the last request.
    pub system: Option<Content>,
    /// The items of the last request.
    pub items: BTreeMap<Key, Tracked>,
    /// The directories that the map's legend abbreviates. The next map takes the same: another legend changes every block.
    pub aliases: Vec<String>,
    /// The requests in which another set of full texts was shown than before, or another text of one.
    pub moves: u32,
    /// Full texts of all requests before the last, and those of them that were not the same, or not there, in the next.
    pub full_texts: (u32, u32),
    /// The requests in which a text about a file had changed, ascending; of the files of the last request.
    pub edits: BTreeMap<TreePath, Vec<u32>>,
    /// The exact texts of what stands in the tiers and [may lag](Key::may_lag), so that they can be sent again as they were.
    pub texts: BTreeMap<Key, String>,
}
