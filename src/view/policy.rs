//! The policy of a view: where frames come from, which are wanted, in which order, and how many at most.

use std::collections::BTreeMap;

use super::candidate::{FrameCandidate, FrameSource, FrameState};
use crate::base::{AgentId, FrameType, clock};
use crate::frame::{BasisKind, Frame};

/// How many frames a view shows when nothing else is said.
pub const FRAMES_MAX: usize = 100;

/// What a reader wants to see of a node.
#[derive(Debug, Clone)]
pub struct ContextView {
    /// Never more frames than this.
    pub frames_max: usize,
    /// What comes first.
    pub order: FrameOrder,
    /// What is left out.
    pub filter: FrameFilter,
    /// What is looked at besides the node itself.
    pub sources: Vec<FrameSource>,
}

impl Default for ContextView {
    /// The newest [`FRAMES_MAX`] frames of the node itself.
    fn default() -> Self {
        Self {
            frames_max: FRAMES_MAX,
            order: FrameOrder::Recency,
            filter: FrameFilter::default(),
            sources: Vec::new(),
        }
    }
}

/// Which frames are wanted: all conditions must hold, an empty list is no condition.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct FrameFilter {
    /// One of these types.
    pub types: Vec<FrameType>,
    /// One of these agents.
    pub agents: Vec<AgentId>,
    /// Made in one of these ways.
    pub basis_kinds: Vec<BasisKind>,
    /// In one of these states.
    pub states: Vec<FrameState>,
    /// Made at this time or later (RFC 3339, UTC, whole seconds); see [`FrameFilter::not_older_than`].
    pub created_from: Option<String>,
}

impl FrameFilter {
    /// Adds the condition on the largest age of a frame, in seconds.
    ///
    /// A frame without a time of creation is never too old: such frames are the same whenever they are made.
    #[must_use]
    pub fn not_older_than(self, seconds: u64, now_seconds: u64) -> Self {
        Self {
            created_from: Some(clock::render_utc(now_seconds.saturating_sub(seconds))),
            ..self
        }
    }

    /// True when a frame in this state is wanted.
    #[must_use]
    pub fn wants(&self, frame: &Frame, state: FrameState) -> bool {
        self.wants_slot(&frame.agent, &frame.frame_type)
            && (frame.policy().is_none() || self.wants_syntheses())
            && any_or_listed(&self.basis_kinds, &frame.basis_kind)
            && any_or_listed(&self.states, &state)
            && !self
                .created_from
                .as_deref()
                .is_some_and(|from| is_before(frame.created.as_deref(), from))
    }

    /// True when a synthesis is shown: only where its type, or syntheses as such, are wanted.
    #[must_use]
    pub fn wants_syntheses(&self) -> bool {
        !self.types.is_empty() || self.basis_kinds.contains(&BasisKind::Synthesis)
    }

    /// The part of the filter that a frame's name in the store answers.
    #[must_use]
    pub fn wants_slot(&self, agent: &AgentId, frame_type: &FrameType) -> bool {
        any_or_listed(&self.agents, agent) && any_or_listed(&self.types, frame_type)
    }
}

fn any_or_listed<T: PartialEq>(list: &[T], value: &T) -> bool {
    list.is_empty() || list.contains(value)
}

/// Compares times as text, which is right for two that are both written `2026-11-21T20:13:05Z`; others have no time.
fn is_before(created: Option<&str>, from: &str) -> bool {
    let is_utc = |text: &&str| text.len() == from.len() && text.ends_with('Z');
    created.filter(is_utc).is_some_and(|created| created < from)
}

/// A number for a candidate; the larger, the earlier it is shown.
pub type FrameRank = fn(&FrameCandidate) -> u64;

/// What comes first. Candidates of equal rank are ordered by generation and frame id, newest first.
#[derive(Debug, Clone)]
pub enum FrameOrder {
    /// Generation and frame id alone.
    Recency,
    /// Types in this order, then all others.
    Type(Vec<FrameType>),
    /// Agents in this order, then all others.
    Agent(Vec<AgentId>),
    /// The formula of [`super::relevance`].
    Relevance {
        /// What the reader is looking for; may be empty.
        query: String,
        /// Types in the order of their weight.
        types: Vec<FrameType>,
    },
    /// A registered function.
    Custom(FrameRank),
}

/// Custom orders by name.
#[derive(Debug, Clone)]
pub struct Orders(BTreeMap<&'static str, FrameRank>);

impl Default for Orders {
    /// `brief`: the shortest bodies first, so that a budget holds as many voices as it can.
    fn default() -> Self {
        Self(BTreeMap::from([("brief", brief as FrameRank)]))
    }
}

impl Orders {
    /// Adds an order. It must depend on nothing but the candidate.
    pub fn register(&mut self, name: &'static str, rank: FrameRank) {
        self.0.insert(name, rank);
    }

    /// The order of a name.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<FrameOrder> {
        self.0.get(name).copied().map(FrameOrder::Custom)
    }

    /// All names.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + '_ {
        self.0.keys().copied()
    }
}

fn brief(candidate: &FrameCandidate) -> u64 {
    u64::MAX - candidate.frame.content.len() as u64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::compose::tests::candidate;

    #[test]
    fn all_conditions_must_hold() {
        let found = candidate("docs", "summary", 1, "x");
        let wants = |filter: &FrameFilter| filter.wants(&found.frame, found.state);
        let word = |text: &str| text.parse().expect("a word");
        let right = FrameFilter {
            types: vec![word("summary")],
            agents: vec![word_agent("docs")],
            ..FrameFilter::default()
        };
        assert!(wants(&FrameFilter::default()) && wants(&right));
        assert!(!wants(&FrameFilter {
            types: vec![word("review")],
            ..right.clone()
        }));
        assert!(!wants(&FrameFilter {
            agents: vec![word_agent("other")],
            ..right.clone()
        }));
        assert!(!wants(&FrameFilter {
            states: vec![FrameState::Invalidated],
            ..right.clone()
        }));
        assert!(!wants(&FrameFilter {
            basis_kinds: vec![BasisKind::Synthesis],
            ..right
        }));
    }

    fn word_agent(text: &str) -> AgentId {
        text.parse().expect("a word")
    }

    #[test]
    fn only_a_known_time_can_be_too_old() {
        let filter = FrameFilter::default().not_older_than(60, 1_795_291_985);
        let mut found = candidate("docs", "summary", 1, "x");
        for (created, wanted) in [
            (None, true),
            (Some("2026-11-21T20:12:04Z"), false),
            (Some("2026-11-21T20:12:05Z"), true),
            (Some("2027-01-01T00:00:00Z"), true),
            (Some("2020-01-01T00:00:00+01:00"), true),
            (Some("yesterday"), true),
        ] {
            found.frame.created = created.map(ToOwned::to_owned);
            assert_eq!(
                filter.wants(&found.frame, found.state),
                wanted,
                "{created:?}"
            );
        }
    }

    #[test]
    fn states_read_back() {
        for (state, word) in FrameState::ALL {
            assert_eq!(
                (state.to_string().as_str(), word.parse()),
                (word, Ok(state))
            );
        }
    }
}
