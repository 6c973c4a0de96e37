//! Composing: candidates in, the ordered selection out. Pure; the order of the candidates does not matter.

use std::cmp::Reverse;
use std::collections::BTreeMap;

use super::candidate::{FrameCandidate, FrameSource, FrameState};
use super::policy::{ContextView, FrameOrder};
use super::relevance::{self, priority};
use crate::base::{AgentId, FrameId, FrameType, NodeId, TreePath};
use crate::frame::Frame;

/// What a view shows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct View {
    /// The frames, in their order.
    pub frames: Vec<FrameCandidate>,
    /// How many frames the filter let through; larger than the number of frames when the cap cut some off.
    pub matched: usize,
}

type Key = (NodeId, AgentId, FrameType, u32, FrameId);

/// Applies a policy: filter, order, cap. An empty selection is a good answer.
///
/// A frame that comes from several sources is shown once, as from the nearest.
#[must_use]
pub fn compose(candidates: Vec<FrameCandidate>, view: &ContextView) -> View {
    let mut nearest: BTreeMap<Key, FrameCandidate> = BTreeMap::new();
    for candidate in candidates
        .into_iter()
        .filter(|found| view.filter.wants(&found.frame, found.state))
    {
        let is_nearer = |known: &FrameCandidate| nearness(&candidate) < nearness(known);
        let key = key(&candidate.frame);
        if nearest.get(&key).is_none_or(is_nearer) {
            nearest.insert(key, candidate);
        }
    }
    let candidates: Vec<FrameCandidate> = nearest.into_values().collect();
    let matched = candidates.len();
    let mut ranked: Vec<_> = ranks(&candidates, &view.order)
        .into_iter()
        .zip(candidates)
        .collect();
    // Stable, so what is equal even in generation and id stays ordered by node, agent and type.
    ranked.sort_by_key(|(rank, found)| Reverse((*rank, found.frame.seq, found.frame.id)));
    let frames = ranked
        .into_iter()
        .take(view.frames_max)
        .map(|(_, found)| found)
        .collect();
    View { frames, matched }
}

fn nearness(candidate: &FrameCandidate) -> (u32, &FrameSource, &Option<TreePath>, FrameState) {
    (
        candidate.distance,
        &candidate.source,
        &candidate.path,
        candidate.state,
    )
}

fn key(frame: &Frame) -> Key {
    (
        frame.node,
        frame.agent.clone(),
        frame.frame_type.clone(),
        frame.seq,
        frame.id,
    )
}

fn ranks(candidates: &[FrameCandidate], order: &FrameOrder) -> Vec<u64> {
    let each = |rank: &dyn Fn(&FrameCandidate) -> u64| candidates.iter().map(rank).collect();
    match order {
        FrameOrder::Recency => vec![0; candidates.len()],
        FrameOrder::Type(types) => each(&|found| priority(types, &found.frame.frame_type)),
        FrameOrder::Agent(agents) => each(&|found| priority(agents, &found.frame.agent)),
        FrameOrder::Relevance { query, types } => relevance::scores(candidates, query, types),
        FrameOrder::Custom(rank) => each(rank),
    }
}

#[cfg(test)]
pub(super) mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::base::{BasisId, Digest};
    use crate::frame::{BasisKind, Children, NodeKind, frame_id};
    use crate::view::{FrameFilter, Orders};

    /// A fresh frame of one node, from the node itself.
    pub(in crate::view) fn candidate(
        agent: &str,
        frame_type: &str,
        seq: u32,
        content: &str,
    ) -> FrameCandidate {
        let (agent, frame_type) = (
            agent.parse().expect("a word"),
            frame_type.parse().expect("a word"),
        );
        let basis = BasisId(Digest::of("test/1", content.as_bytes()));
        let frame = Frame {
            id: frame_id(&basis, &agent, &frame_type, content),
            node: NodeId::from_bytes(&[1; 20]).expect("20 bytes"),
            kind: NodeKind::File,
            agent,
            frame_type,
            seq,
            basis,
            basis_kind: BasisKind::Generated,
            path: None,
            children: Children::None,
            provider: None,
            model: None,
            usage: None,
            cost: None,
            created: None,
            tool: "test".to_owned(),
            unknown: Vec::new(),
            content: content.to_owned(),
        };
        FrameCandidate {
            frame,
            state: FrameState::Fresh,
            source: FrameSource::Node,
            path: Some("a/b.rs".into()),
            distance: 0,
        }
    }

    fn slots(selection: &View) -> Vec<String> {
        let slot = |found: &FrameCandidate| {
            format!(
                "{}.{}.{}",
                found.frame.agent, found.frame.frame_type, found.frame.seq
            )
        };
        selection.frames.iter().map(slot).collect()
    }

    fn some() -> Vec<FrameCandidate> {
        vec![
            candidate("docs", "summary", 1, "old words about storage"),
            candidate("docs", "summary", 2, "words about storage"),
            candidate("outline", "outline", 1, "fn store"),
            candidate(
                "human",
                "note",
                3,
                "beware of the storage of tokens, which is long",
            ),
        ]
    }

    #[test]
    fn orders_put_first_what_they_say() {
        let types = |words: &[&str]| {
            words
                .iter()
                .map(|word| word.parse().expect("a word"))
                .collect::<Vec<FrameType>>()
        };
        let agents = |words: &[&str]| {
            words
                .iter()
                .map(|word| word.parse().expect("a word"))
                .collect::<Vec<AgentId>>()
        };
        let relevance = |query: &str| FrameOrder::Relevance {
            query: query.to_owned(),
            types: Vec::new(),
        };
        for (order, first) in [
            (FrameOrder::Recency, "human.note.3"),
            (
                FrameOrder::Type(types(&["outline", "note"])),
                "outline.outline.1",
            ),
            (FrameOrder::Agent(agents(&["docs"])), "docs.summary.2"),
            (relevance("storage words"), "docs.summary.2"),
            (relevance("beware"), "human.note.3"),
            (
                Orders::default().get("brief").expect("built in"),
                "outline.outline.1",
            ),
        ] {
            let view = ContextView {
                order,
                ..ContextView::default()
            };
            assert_eq!(slots(&compose(some(), &view))[0], first, "{:?}", view.order);
        }
    }

    #[test]
    fn the_filter_comes_before_the_cap_and_nothing_is_a_good_answer() {
        let filter = FrameFilter {
            types: vec!["summary".parse().expect("a word")],
            ..FrameFilter::default()
        };
        let view = ContextView {
            frames_max: 1,
            filter,
            ..ContextView::default()
        };
        let selection = compose(some(), &view);
        assert_eq!(
            (slots(&selection), selection.matched),
            (vec!["docs.summary.2".to_owned()], 2)
        );
        let none = compose(Vec::new(), &view);
        assert_eq!((none.frames.len(), none.matched), (0, 0));
    }

    #[test]
    fn a_frame_from_two_sources_is_shown_once_as_from_the_nearest() {
        let near = candidate("docs", "summary", 1, "x");
        let far = FrameCandidate {
            source: FrameSource::Siblings,
            distance: 2,
            ..near.clone()
        };
        for both in [vec![near.clone(), far.clone()], vec![far, near.clone()]] {
            assert_eq!(
                compose(both, &ContextView::default()).frames,
                std::slice::from_ref(&near)
            );
        }
    }

    prop_compose! {
        fn any_candidate()(agent in "[ab]", kind in "[st]", seq in 1_u32..4, content in "[xyz ]{0,3}", node in 0_u8..3, distance in 0_u32..3) -> FrameCandidate {
            let mut found = candidate(&agent, &kind, seq, &content);
            found.frame.node = NodeId::from_bytes(&[node; 20]).expect("20 bytes");
            found.source = [FrameSource::Node, FrameSource::Parent, FrameSource::Siblings][distance as usize].clone();
            FrameCandidate { distance, ..found }
        }
    }

    proptest! {
        #[test]
        fn the_order_of_candidates_never_matters(
            (candidates, shuffled) in proptest::collection::vec(any_candidate(), 0..20).prop_flat_map(|all| (Just(all.clone()), Just(all).prop_shuffle())),
            frames_max in 0_usize..8,
            which in 0_usize..5,
        ) {
            let order = [
                FrameOrder::Recency,
                FrameOrder::Type(vec!["t".parse().expect("a word")]),
                FrameOrder::Agent(vec!["b".parse().expect("a word"), "a".parse().expect("a word")]),
                FrameOrder::Relevance { query: "x y".to_owned(), types: vec!["s".parse().expect("a word")] },
                Orders::default().get("brief").expect("built in"),
            ][which].clone();
            let view = ContextView { frames_max, order, ..ContextView::default() };
            let selection = compose(candidates, &view);
            prop_assert!(selection.frames.len() <= frames_max && selection.frames.len() <= selection.matched);
            prop_assert_eq!(selection.frames.len(), frames_max.min(selection.matched));
            prop_assert_eq!(selection, compose(shuffled, &view));
        }
    }
}
