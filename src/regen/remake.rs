//! Making outlines and syntheses again, to find frames that say something else from the same inputs.
//!
//! Every user who can push can store a frame with the basis of a real one and other words. A basis is all that freshness looks
//! at, so such a frame is "fresh". What is made by a fixed rule can be made again and compared; what a model
//! said cannot.

use std::collections::HashSet;
use std::hash::{BuildHasher, RandomState};

use super::make::{ChildBodies, read_frame};
use super::plan::{Plan, file_name};
use super::prepare::Nodes;
use super::record::Records;
use super::run::{directory_body, file_body};
use crate::base::cores::on_all_cores;
use crate::base::number::to_index;
use crate::base::{AgentId, FrameType, NodeId};
use crate::frame::{BasisKind, FrameName, Record, content_digest};
use crate::git::Repository;
use crate::node::NodeNumber;

/// What was made again.
#[derive(Debug, Clone, Default)]
pub struct Remade {
    /// Nodes whose frame was made again and compared.
    pub checked: u64,
    /// Nodes whose frame could have been.
    pub of: u64,
    /// Nodes whose frame says something else.
    pub forged: HashSet<NodeNumber>,
    /// How many say something else in the slots that were added.
    others: u64,
}

impl Remade {
    /// The chance that one forged frame among all would have been found, in percent.
    #[must_use]
    pub fn odds_percent(&self) -> u64 {
        (100 * self.checked).checked_div(self.of).unwrap_or(100)
    }

    /// Adds what was made again of another slot, whose nodes count apart.
    pub fn add(&mut self, other: &Self) {
        self.checked += other.checked;
        self.of += other.of;
        self.others += other.forged_count();
    }

    /// How many frames say something else.
    #[must_use]
    pub fn forged_count(&self) -> u64 {
        self.forged.len() as u64 + self.others
    }
}

/// Makes the outlines of nodes that look fresh again, all of them or as many as `sample`, drawn at random: a
/// forger must not be able to tell which.
#[must_use]
pub fn remake(nodes: Nodes<'_>, plan: &Plan, sample: Option<usize>) -> Remade {
    let tasks: HashSet<NodeNumber> = plan.tasks.iter().map(|task| task.node).collect();
    let is_checkable = |number: &NodeNumber| {
        let head = plan.heads[*number].as_ref();
        head.is_some_and(|head| head.basis_kind != BasisKind::Written) && !tasks.contains(number)
    };
    let said = ChildBodies::new(nodes.scan, &[]);
    let Nodes { scan, inputs, .. } = nodes;
    let is_forged =
        |repo: &Repository, number| is_forged(Nodes { repo, scan, inputs }, plan, &said, number);
    compare(
        nodes.repo,
        nodes
            .scan
            .bottom_up()
            .iter()
            .copied()
            .filter(is_checkable)
            .collect(),
        sample,
        is_forged,
    )
}

/// Compares nodes with what is made of them now, all of them or `sample` drawn at random, on all cores.
pub(super) fn compare(
    repo: &Repository,
    mut nodes: Vec<NodeNumber>,
    sample: Option<usize>,
    is_forged: impl Fn(&Repository, NodeNumber) -> Option<bool> + Sync,
) -> Remade {
    let of = nodes.len() as u64;
    if let Some(sample) = sample.filter(|sample| *sample < nodes.len()) {
        let (seed, all) = (RandomState::new(), nodes.len());
        // Each place of the sample gets one of the nodes that are not in it yet.
        for place in 0..sample {
            nodes.swap(
                place,
                place + to_index(seed.hash_one(place) % (all - place) as u64),
            );
        }
        nodes.truncate(sample);
    }
    let results = on_all_cores(
        nodes.len(),
        repo,
        || repo.fork(),
        |repo: &Repository, at: usize| is_forged(repo, nodes[at]),
    );
    let forged = nodes
        .iter()
        .zip(&results)
        .filter(|(_, result)| **result == Some(true))
        .map(|(number, _)| *number)
        .collect();
    Remade {
        checked: results.iter().flatten().count() as u64,
        of,
        forged,
        others: 0,
    }
}

/// The name of the frame that a node's head is.
#[must_use]
pub fn head_name(nodes: Nodes<'_>, plan: &Plan, number: NodeNumber) -> Option<FrameName> {
    let head = plan.heads[number].as_ref()?;
    let Nodes { scan, inputs, .. } = nodes;
    Some(name_of(
        head,
        scan.node(number).id,
        &inputs.agent.id,
        inputs.frame_type,
    ))
}

/// The name under which the store has the head of a slot.
pub(super) fn name_of(
    head: &Record,
    node: NodeId,
    agent: &AgentId,
    frame_type: &FrameType,
) -> FrameName {
    FrameName {
        node,
        agent: agent.clone(),
        frame_type: frame_type.clone(),
        seq: head.seq,
        frame: head.frame,
    }
}

/// Whether a head says something else than what is made now; `None` where that cannot be made here.
fn is_forged(
    nodes: Nodes<'_>,
    plan: &Plan,
    said: &ChildBodies,
    number: NodeNumber,
) -> Option<bool> {
    let Nodes { repo, scan, inputs } = nodes;
    let head = plan.heads[number].as_ref()?;
    let node = scan.node(number);
    if node.is_directory {
        let body = directory_body(nodes, plan, said, number).ok()?;
        return Some(content_digest(&body) != head.content);
    }
    let is_said_of = |name: &[u8]| {
        let body = file_body(repo, &node.id, name, &Records::unkept()).ok()??;
        Some(content_digest(&body) == head.content)
    };
    if is_said_of(file_name(scan, inputs.root, number))? {
        return Some(false);
    }
    // The language is told by the name under which the file was met then, which the frame remembers.
    let path = read_frame(repo, &head.blob).ok()?.path;
    let is_said_then = path.is_some_and(|path| is_said_of(path.name()) == Some(true));
    Some(!is_said_then)
}
