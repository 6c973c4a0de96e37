//! Relevance: one number for how much a frame is likely to help a reader of a node. Larger is better.
//!
//! `score = 1000 / (1 + distance) + 1000 × overlap + 25 × references + 200 × type`, in whole numbers, where
//!
//! - **distance**: steps through directories from the node to the frame's node: itself 0, its parent 1, a sibling 2;
//! - **overlap**: the share of the query's words that the frame's body or its node's path has; 0 without a query;
//! - **references**: how many other nodes among the candidates have a frame that names this node, at most 8: a frame
//!   names a node when the node's file name without its extension is one of its words, and has three letters at least;
//! - **type**: 1 for the first type of the priority list, evenly less for the next ones, 0 for a type not in it.
//!
//! A word is a run of letters, digits and `_` without regard to case.

use std::collections::{BTreeMap, BTreeSet};

use super::candidate::FrameCandidate;
use crate::base::{FrameType, NodeId};

const DISTANCE_WEIGHT: u64 = 1_000;
const OVERLAP_WEIGHT: u64 = 1_000;
const REFERENCE_WEIGHT: u64 = 25;
const REFERENCES_MAX: u64 = 8;
const TYPE_WEIGHT: u64 = 200;
/// Names shorter than this stand in too many texts to mean anything.
const NAME_LETTERS_MIN: usize = 3;

/// The score of each candidate, in their order.
#[must_use]
pub fn scores(candidates: &[FrameCandidate], query: &str, types: &[FrameType]) -> Vec<u64> {
    let wanted = words(query);
    let texts: Vec<BTreeSet<String>> = candidates
        .iter()
        .map(|found| words(&found.frame.content))
        .collect();
    let names: Vec<Option<String>> = candidates.iter().map(name).collect();
    let references = references(candidates, &texts, &names);
    let score = |at: usize| {
        let found = &candidates[at];
        let path = found
            .path
            .as_ref()
            .map(|path| words(&path.to_text()))
            .unwrap_or_default();
        let hits = wanted
            .iter()
            .filter(|word| texts[at].contains(*word) || path.contains(*word))
            .count() as u64;
        let referred = names[at]
            .as_ref()
            .and_then(|name| references.get(name))
            .map_or(0, |nodes| {
                nodes
                    .iter()
                    .filter(|node| **node != found.frame.node)
                    .count() as u64
            });
        DISTANCE_WEIGHT / (1 + u64::from(found.distance))
            + (OVERLAP_WEIGHT * hits)
                .checked_div(wanted.len() as u64)
                .unwrap_or(0)
            + REFERENCE_WEIGHT * referred.min(REFERENCES_MAX)
            + (TYPE_WEIGHT * priority(types, &found.frame.frame_type))
                .checked_div(types.len() as u64)
                .unwrap_or(0)
    };
    (0..candidates.len()).map(score).collect()
}

/// By name, the nodes that have a frame with that name among its words.
fn references<'c>(
    candidates: &'c [FrameCandidate],
    texts: &[BTreeSet<String>],
    names: &'c [Option<String>],
) -> BTreeMap<&'c String, BTreeSet<NodeId>> {
    let mut found: BTreeMap<&String, BTreeSet<NodeId>> = names
        .iter()
        .flatten()
        .map(|name| (name, BTreeSet::new()))
        .collect();
    for (name, nodes) in &mut found {
        let naming = candidates
            .iter()
            .zip(texts)
            .filter(|(_, text)| text.contains(*name));
        nodes.extend(naming.map(|(found, _)| found.frame.node));
    }
    found
}

/// The word by which others would name a candidate's node.
fn name(candidate: &FrameCandidate) -> Option<String> {
    let path = candidate.path.as_ref()?;
    let name = String::from_utf8_lossy(path.name()).to_lowercase();
    let stem = name.split('.').find(|part| !part.is_empty())?;
    (stem.chars().filter(|c| c.is_alphabetic()).count() >= NAME_LETTERS_MIN)
        .then(|| stem.to_owned())
}

fn words(text: &str) -> BTreeSet<String> {
    let words = text
        .split(|c: char| !c.is_alphanumeric() && c != '_')
        .filter(|word| !word.is_empty());
    words.map(str::to_lowercase).collect()
}

/// The place in a list from its end, so that the first is the largest; 0 for what is not in it.
pub(super) fn priority<T: PartialEq>(list: &[T], value: &T) -> u64 {
    list.iter()
        .position(|listed| listed == value)
        .map_or(0, |at| (list.len() - at) as u64)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::view::compose::tests::candidate;

    fn at(path: &str, distance: u32, content: &str) -> FrameCandidate {
        let mut found = candidate("docs", "summary", 1, content);
        found.frame.node =
            NodeId::from_bytes(&[crate::base::number::low_byte(path.len() as u64); 20])
                .expect("20 bytes");
        FrameCandidate {
            path: Some(path.into()),
            distance,
            ..found
        }
    }

    #[test]
    fn each_part_of_the_formula_counts() {
        let score = |found: FrameCandidate, query: &str, types: &[FrameType]| {
            scores(&[found], query, types)[0]
        };
        let types = [
            "summary".parse().expect("a word"),
            "note".parse().expect("a word"),
        ];
        assert_eq!(score(at("a.rs", 0, "x"), "", &[]), 1_000);
        assert_eq!(score(at("a.rs", 1, "x"), "", &[]), 500);
        assert_eq!(
            score(at("a.rs", 0, "Locks are held"), "held lock", &[]),
            1_500
        );
        assert_eq!(score(at("lock.rs", 0, "x"), "lock", &[]), 2_000);
        assert_eq!(score(at("a.rs", 0, "x"), "", &types), 1_200);
        assert_eq!(
            score(
                at("a.rs", 0, "x"),
                "",
                &[types[1].clone(), types[0].clone()]
            ),
            1_100
        );
    }

    #[test]
    fn a_node_that_others_name_weighs_more() {
        let all = [
            at("src/store.rs", 2, "store"),
            at("src/b.rs", 2, "uses store"),
            at("src/lib.rs", 2, "store, store and b"),
        ];
        assert_eq!(scores(&all, "", &[]), [333 + 50, 333, 333]);
    }
}
