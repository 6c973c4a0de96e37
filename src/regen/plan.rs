//! The plan: which nodes of a scan need a frame of an agent, and why. Pure, and proportional to what was scanned.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::str::FromStr;

use crate::agent::{Agent, Exclusion};
use crate::base::number::{IndexSlice, IndexVec};
use crate::base::path::last_name;
use crate::base::{BasisId, Digest, FrameId, FrameType, NodeId, TreePath};
use crate::frame::{BasisKind, Record};
use crate::node::{Node, NodeNumber, Scan};
use crate::synthesis::basis::BasisOf;
use crate::synthesis::{Child, ChildState, PartKind, Reason};

/// What a plan is made for.
pub struct Inputs<'i> {
    /// Whose frames.
    pub agent: &'i Agent,
    /// Of which type.
    pub frame_type: &'i FrameType,
    /// Where the scan's root stands in the snapshot.
    pub root: &'i TreePath,
    /// Make everything, fresh or not.
    pub force: bool,
    /// What stands for a file in its basis in place of its id, by number: its outline, for an agent that says so.
    /// Empty for all others.
    pub outlines: &'i IndexSlice<NodeNumber, [Option<Digest>]>,
    /// Which nodes may be named.
    pub reach: NodeFilter,
}

/// Which nodes a plan may name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum NodeFilter {
    /// Whatever needs a frame.
    #[default]
    All,
    /// What the agent has a frame of, for the node itself or for what stood at its path before.
    Outdated,
    /// Of that, what has changed since: for a run in the background.
    Changed,
    /// One share of the files, and no directory: several machines divide a run.
    Shard(Shard),
}

impl NodeFilter {
    /// Whether a node that needs a frame for this reason may be named.
    fn covers(self, reason: Reason, node: &Node) -> bool {
        match self {
            Self::All => true,
            Self::Outdated => reason != Reason::Missing,
            Self::Changed => reason == Reason::Changed,
            Self::Shard(shard) => !node.is_directory && shard.holds(&node.id),
        }
    }

    /// The words in the digest of what a finished run was for; none for a run over everything.
    #[must_use]
    pub fn words(self) -> Option<String> {
        match self {
            Self::All => None,
            Self::Outdated => Some("said".to_owned()),
            Self::Changed => Some("changed".to_owned()),
            Self::Shard(shard) => Some(format!("shard {shard}")),
        }
    }
}

/// One of several equal shares of all objects, chosen by their ids alone: the same on every machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `of`.
    number: u32,
    of: u32,
}

impl Shard {
    /// Most shares.
    pub const OF_MAX: u32 = 1_000;

    /// Whether an object is in this share: the first eight bytes of its id, as a number, divided by the count of shares.
    fn holds(self, id: &NodeId) -> bool {
        let first = id.as_bytes().iter().take(8);
        let number = first.fold(0_u64, |number, byte| number << 8 | u64::from(*byte));
        number % u64::from(self.of) == u64::from(self.number - 1)
    }
}

impl FromStr for Shard {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let number = |text: &str| text.parse::<u32>().ok();
        let shard = text.split_once('/').and_then(|(at, of)| {
            let (number, of) = (number(at)?, number(of)?);
            (1..=of).contains(&number).then_some(Self { number, of })
        });
        let shard = shard.filter(|shard| shard.of <= Self::OF_MAX);
        shard.ok_or_else(|| {
            format!(
                "expected <i>/<n>, such as 1/4, with at most {} shares",
                Self::OF_MAX
            )
        })
    }
}

impl fmt::Display for Shard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}/{}", self.number, self.of)
    }
}

/// What is known of a slot's frames.
pub struct Known<'k> {
    /// Finds a node's head.
    pub find_head: &'k mut dyn FnMut(&NodeId) -> Option<Record>,
    /// Whether the slot has spoken about what stands, or stood, at a path.
    pub speaks_of: &'k dyn Fn(&TreePath) -> bool,
}

/// A node that needs a frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct PlannedNode {
    /// Its number in the scan.
    pub node: NodeNumber,
    /// Why.
    pub reason: Reason,
}

/// What is to be made, bottom-up, and what is known of everything else.
pub struct Plan {
    /// Tasks, children before the directories that wait for them.
    pub tasks: Vec<PlannedNode>,
    /// Nodes that need nothing.
    pub fresh: u64,
    /// Nodes that the agent does not speak about.
    pub skipped: u64,
    /// Of these, files that an agent leaves out unless its definition includes them.
    pub left_out: Vec<(NodeNumber, Exclusion)>,
    /// Digests shared by all bases.
    pub(super) bases: BasisOf,
    /// What is known of each node's head, by number; brought forward by the run.
    pub(super) heads: IndexVec<NodeNumber, Option<Record>>,
}

/// Adds nodes that are to be made again for this reason to tasks, and the directories that wait for them, where `may_wait` holds; how many.
pub(super) fn take_up(
    scan: &Scan,
    tasks: &mut Vec<PlannedNode>,
    again: &HashSet<NodeNumber>,
    why: Reason,
    may_wait: impl Fn(NodeNumber) -> bool,
) -> u64 {
    let known: HashMap<NodeNumber, Reason> = tasks
        .drain(..)
        .map(|task| (task.node, task.reason))
        .collect();
    let mut is_task = scan.list_of(false);
    for &node in scan.bottom_up() {
        let waits = || scan.children(node).any(|child| is_task[child]);
        let reason = match known.get(&node) {
            Some(reason) => Some(*reason),
            None if again.contains(&node) => Some(why),
            None => (scan.node(node).is_directory && may_wait(node) && waits())
                .then_some(Reason::Waiting),
        };
        if let Some(reason) = reason {
            is_task[node] = true;
            tasks.push(PlannedNode { node, reason });
        }
    }
    (tasks.len() - known.len()) as u64
}

/// Plans an agent's frames of a type over a scan.
pub fn plan(scan: &Scan, inputs: &Inputs<'_>, known: &mut Known<'_>) -> Plan {
    let bases = BasisOf::new(
        inputs.agent,
        inputs.frame_type,
        &inputs.agent.prompt_digest(),
    );
    let mut plan = Plan {
        tasks: Vec::new(),
        fresh: 0,
        skipped: 0,
        left_out: Vec::new(),
        bases,
        heads: scan.list_of(None),
    };
    let mut is_task = scan.list_of(false);
    let mut is_included = scan.list_of(true);
    for &number in scan.bottom_up() {
        let head = (known.find_head)(&scan.node(number).id);
        plan.heads[number] = head;
        is_included[number] = includes(scan, inputs, &is_included, number);
        let kind = scan.node(number).kind();
        if !is_included[number] || !inputs.agent.makes(kind) {
            plan.skipped += 1;
            plan.left_out.extend(exclusion(scan, inputs, number));
            continue;
        }
        let reason = plan
            .reason(scan, inputs, &is_task, number)
            .map(|reason| match reason {
                Reason::Missing if (known.speaks_of)(&scan.path(inputs.root, number)) => {
                    Reason::Changed
                }
                reason => reason,
            });
        match reason {
            None => plan.fresh += 1,
            Some(reason) if !inputs.reach.covers(reason, scan.node(number)) => plan.skipped += 1,
            Some(reason) => {
                is_task[number] = true;
                plan.tasks.push(PlannedNode {
                    node: number,
                    reason,
                });
            }
        }
    }
    plan
}

/// Whether the agent speaks about a node at all: a file by its path, a directory by what is below it.
fn includes(
    scan: &Scan,
    inputs: &Inputs<'_>,
    is_included: &IndexSlice<NodeNumber, [bool]>,
    number: NodeNumber,
) -> bool {
    let Some(include) = inputs
        .agent
        .instructions()
        .map(|instructions| &instructions.include)
    else {
        return true;
    };
    if !scan.node(number).is_directory {
        let path = scan.path(inputs.root, number);
        // A file that the user names is wanted, whatever is left out of a run over all of them.
        let is_named = number == scan.root() && include.patterns().is_empty();
        return is_named || include.contains(&path);
    }
    scan.children(number).any(|child| is_included[child])
}

/// Why a file is left out though its agent's definition does not say so.
fn exclusion(
    scan: &Scan,
    inputs: &Inputs<'_>,
    number: NodeNumber,
) -> Option<(NodeNumber, Exclusion)> {
    let include = &inputs.agent.instructions()?.include;
    if scan.node(number).is_directory {
        return None;
    }
    let exclusion = include.exclusion(&scan.path(inputs.root, number))?;
    Some((number, exclusion))
}

impl Plan {
    /// The nodes whose heads were made from one of these bases.
    #[must_use]
    pub fn made_from(&self, bases: &HashSet<BasisId>) -> HashSet<NodeNumber> {
        let is_one = |head: &Option<Record>| head.is_some_and(|head| bases.contains(&head.basis));
        let heads = self.heads.iter_enumerated();
        heads
            .filter(|(_, head)| is_one(head))
            .map(|(node, _)| node)
            .collect()
    }

    /// Takes up nodes that look fresh and are to be made again, and the directories that wait for them.
    pub fn make_again(&mut self, scan: &Scan, again: &HashSet<NodeNumber>, why: Reason) {
        let heads = &self.heads;
        let added = take_up(scan, &mut self.tasks, again, why, |number| {
            heads[number].is_some()
        });
        self.fresh = self.fresh.saturating_sub(added);
    }

    fn reason(
        &self,
        scan: &Scan,
        inputs: &Inputs<'_>,
        is_task: &IndexSlice<NodeNumber, [bool]>,
        number: NodeNumber,
    ) -> Option<Reason> {
        let node = scan.node(number);
        if inputs.force {
            return Some(Reason::Forced);
        }
        let Some(head) = &self.heads[number] else {
            return Some(Reason::Missing);
        };
        if head.is_invalidated() {
            return Some(Reason::Invalidated);
        }
        if node.is_unchanged || head.basis_kind == BasisKind::Written {
            return None;
        }
        if !node.is_directory {
            let basis = self.file_basis(scan, inputs, number);
            return (basis != head.basis).then_some(Reason::Instructions);
        }
        if scan.children(number).any(|child| is_task[child]) {
            return Some(Reason::Waiting);
        }
        (self.directory_basis(scan, number) != head.basis).then_some(Reason::Children)
    }

    /// Today's basis of a file.
    #[must_use]
    pub fn file_basis(&self, scan: &Scan, inputs: &Inputs<'_>, number: NodeNumber) -> BasisId {
        let path = if self.bases.is_path_sensitive() {
            scan.path(inputs.root, number)
        } else {
            TreePath::root()
        };
        match inputs.outlines.get(number).copied().flatten() {
            Some(outline) => self.bases.outlined_file(&outline, &path),
            None => self.bases.file(&scan.node(number).id, &path),
        }
    }

    /// Today's basis of a directory, as far as its children's heads are known.
    #[must_use]
    pub fn directory_basis(&self, scan: &Scan, number: NodeNumber) -> BasisId {
        self.bases
            .directory(scan.entries(number).map(|entry| Child {
                name: entry.name,
                kind: PartKind::of(entry.mode).as_str(),
                state: match entry.node.and_then(|child| self.content_of(child)) {
                    Some((content, _)) => ChildState::Content(content),
                    None => ChildState::Node(entry.id),
                },
            }))
    }

    /// The frame that a node's head is.
    #[must_use]
    pub fn frame_of(&self, number: NodeNumber) -> Option<FrameId> {
        self.content_of(number).map(|(_, frame)| frame)
    }

    /// What a node's head says, and its id.
    pub(super) fn content_of(&self, number: NodeNumber) -> Option<(Digest, FrameId)> {
        self.heads[number].map(|head| (head.content, head.frame))
    }
}

/// The name by which a file's language is told: that under which it was first met.
pub(super) fn file_name<'s>(scan: &'s Scan, root: &'s TreePath, number: NodeNumber) -> &'s [u8] {
    match scan.name(number) {
        [] => root.name(),
        name => last_name(name),
    }
}
