//! Why an item stands where it stands, for `tiers` and for people.

use crate::base::count::counted;
use std::fmt;

use super::advance::Step;
use super::chance::{ONE, Outlook, quiet_requests};
use super::item::{Item, Key, Request};
use super::layout::Tier;
use super::observe::observe;
use super::state::State;

/// What is known of one item and what was made of it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ItemReport {
    /// Which item.
    pub key: Key,
    /// Where it stands now.
    pub tier: Tier,
    /// Where it stood; `None` when it is new or its text has changed.
    pub before: Option<Tier>,
    /// Requests in a row in which it was unchanged, as the policy counts.
    pub n: u32,
    /// Its chance to change before the next request, in thousandths; an estimate.
    pub chance_per_mille: u32,
    /// Commits that touched it, of those that were looked at, and how many those were.
    pub commits: (usize, u32),
    /// How many commits ago it was touched last.
    pub last_commit_ago: Option<u32>,
    /// Changes in this session.
    pub edits: usize,
    /// The work tree's file is not the committed one.
    pub dirty: bool,
}

/// Explains every item of a request that led from a state to a step, in order of key.
#[must_use]
pub fn explain(state: &State, request: &Request<'_>, step: &Step) -> Vec<ItemReport> {
    let observed = observe(state, request);
    let items: Vec<&Item> = observed.items.iter().map(|seen| seen.item).collect();
    let outlook = Outlook::of_past(
        &items,
        request.commits,
        state,
        &observed,
        quiet_requests(state, &observed),
    );
    let reason = |(at, item): (usize, &&Item)| {
        let tracked = step.state.items.get(&item.key)?;
        let edits = item.key.path().and_then(|path| step.state.edits.get(path));
        Some(ItemReport {
            key: item.key.clone(),
            tier: tracked.tier,
            before: observed.items[at].unchanged.map(|tracked| tracked.tier),
            n: tracked.n,
            chance_per_mille: per_mille(outlook.chance(at)),
            commits: (item.touches.commits_ago.len(), request.commits),
            last_commit_ago: item.touches.commits_ago.first().copied(),
            edits: edits.map_or(0, Vec::len),
            dirty: item.touches.dirty,
        })
    };
    items.iter().enumerate().filter_map(reason).collect()
}

impl fmt::Display for ItemReport {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(out, "{}, ", self.tier.as_str())?;
        match self.before {
            None => write!(out, "new or changed")?,
            Some(before) if before == self.tier => write!(out, "kept, unchanged for {}", self.n)?,
            Some(before) => write!(out, "from {}, unchanged for {}", before.as_str(), self.n)?,
        }
        let (tenths, rest) = (self.chance_per_mille / 10, self.chance_per_mille % 10);
        write!(out, "; about {tenths}.{rest} % to change next")?;
        if self.key.path().is_some() || self.key == Key::Tree {
            let (count, commits) = self.commits;
            write!(out, ": changed in {count} of the last {commits} commits")?;
        }
        match self.last_commit_ago {
            Some(0) => write!(out, ", the newest too")?,
            Some(1) => write!(out, ", the one before the newest too")?,
            Some(ago) => write!(out, ", not in the newest {ago}")?,
            None => {}
        }
        if self.edits > 0 {
            let changes = counted(self.edits, "change", "changes");
            write!(out, ", {changes} in this session")?;
        }
        if self.dirty {
            write!(out, ", being edited")?;
        }
        Ok(())
    }
}

/// A chance in thousandths.
fn per_mille(chance: u64) -> u32 {
    let thousandths = u128::from(chance) * 1_000 / u128::from(ONE);
    u32::try_from(thousandths).unwrap_or(u32::MAX)
}
