//! Making one frame, from any source of text: what stands in it, what may be reused, what its children say.

use std::collections::HashMap;

use super::body::{FrameBody, NodeError};
use super::plan::{Inputs, Plan, PlannedNode};
use super::prepare::Writer;
use crate::base::Cost;
use crate::base::number::IndexVec;
use crate::base::{BasisId, NodeId, TreePath};
use crate::frame::{
    Basis, BasisKind, Children, Frame, Index, NewFrame, NodeKind, Record, Slot, Usage, codec,
};
use crate::git::{HashKind, ObjectKind, Repository};
use crate::node::{NodeNumber, Scan};
use crate::synthesis::Reason;

/// A frame that is ready to be stored.
pub(super) struct MadeFrame {
    pub(super) new: NewFrame,
    pub(super) record: Record,
    pub(super) body: FrameBody,
    pub(super) is_reused: bool,
}

/// What a frame is going to say, and from what.
pub(super) struct FrameDraft {
    pub(super) basis: BasisId,
    pub(super) children: Children,
    pub(super) content: String,
    /// Who said it, where that is not the program itself.
    pub(super) spoken: Option<Authorship>,
    /// True when it was said before, of another node.
    pub(super) is_reused: bool,
}

/// Who said something, and what that took.
#[derive(Debug, Clone, Default)]
pub(super) struct Authorship {
    pub(super) provider: Option<String>,
    pub(super) model: Option<String>,
    pub(super) usage: Option<Usage>,
    pub(super) cost: Option<Cost>,
    pub(super) created: Option<String>,
    /// Header lines beyond the known ones: what was cut or taken out of the payload.
    pub(super) notes: Vec<(String, String)>,
}

impl FrameDraft {
    /// Something new that the program itself says.
    pub(super) fn new(basis: BasisId, children: Children, content: String) -> Self {
        Self {
            basis,
            children,
            content,
            spoken: None,
            is_reused: false,
        }
    }
}

/// What a frame is made with; shared by all threads.
pub(super) struct FrameContext<'m> {
    pub(super) scan: &'m Scan,
    pub(super) inputs: &'m Inputs<'m>,
    pub(super) hash: HashKind,
    pub(super) plan: &'m Plan,
    pub(super) index: &'m Index,
    /// Whose rules about secrets paths pass besides the built-in ones, when a model speaks.
    pub(super) writer: Option<&'m Writer<'m>>,
}

impl FrameContext<'_> {
    /// What was said before from the same basis, at whatever node; `None` when nothing was, or may not be reused.
    ///
    /// It keeps the name of who said it, and carries no usage: nothing was spent again.
    pub(super) fn reuse(
        &self,
        repo: &Repository,
        task: PlannedNode,
        basis: BasisId,
        children: &Children,
    ) -> Option<FrameDraft> {
        if is_again(task) {
            return None;
        }
        let (_, blob) = self.index.find_basis(&basis)?;
        let frame = read_frame(repo, &blob)
            .ok()
            .filter(|frame| frame.basis == basis)?;
        let Frame {
            provider,
            model,
            created,
            unknown,
            content,
            ..
        } = frame;
        let spoken = Authorship {
            provider,
            model,
            created,
            notes: unknown,
            ..Authorship::default()
        };
        Some(FrameDraft {
            basis,
            children: children.clone(),
            content,
            spoken: Some(spoken),
            is_reused: true,
        })
    }

    /// The frame of a task. What the program itself says carries no time: two machines make the same bytes.
    pub(super) fn frame(&self, task: PlannedNode, saying: FrameDraft) -> Frame {
        let node = self.scan.node(task.node);
        let kind = node.kind();
        let slot = Slot::new(&self.inputs.agent.id, self.inputs.frame_type);
        let basis = Basis {
            kind: basis_kind(self.inputs, kind),
            id: saying.basis,
        };
        let path = self.scan.path(self.inputs.root, task.node);
        let path = match self.writer {
            Some(writer) => TreePath::new(writer.shown(path.as_bytes()).0),
            None => path,
        };
        let mut frame = Frame::new(node.id, kind, slot, basis, saying.content).at(Some(path));
        frame.seq = self.plan.heads[task.node].map_or(1, |head| head.seq_max().saturating_add(1));
        frame.children = saying.children;
        if let Some(spoken) = saying.spoken {
            let Authorship {
                provider,
                model,
                usage,
                cost,
                created,
                notes,
            } = spoken;
            frame = Frame {
                provider,
                model,
                usage,
                cost,
                created,
                unknown: notes,
                ..frame
            };
        }
        frame
    }

    /// Encodes a frame for the store.
    pub(super) fn encode(
        &self,
        task: PlannedNode,
        frame: Frame,
        is_reused: bool,
    ) -> Result<MadeFrame, NodeError> {
        let new = NewFrame::new(self.hash, &frame, is_again(task))?;
        let known = self.plan.heads[task.node];
        let record = new
            .stored()
            .record(known.and_then(|head| head.invalidation));
        Ok(MadeFrame {
            new,
            record,
            body: frame.content.into(),
            is_reused,
        })
    }
}

/// What children say, kept only until all directories that hold them are made.
pub(super) struct ChildBodies {
    bodies: HashMap<NodeNumber, FrameBody>,
    /// How many directories among the tasks still ask for each node.
    uses: IndexVec<NodeNumber, u32>,
}

impl ChildBodies {
    /// Nothing said yet.
    pub(super) fn new(scan: &Scan, tasks: &[PlannedNode]) -> Self {
        let mut uses = scan.list_of(0);
        for child in tasks.iter().flat_map(|task| scan.children(task.node)) {
            uses[child] += 1;
        }
        Self {
            bodies: HashMap::new(),
            uses,
        }
    }

    /// Keeps what a node will say to the end, whatever waits for it.
    pub(super) fn keep(&mut self, number: NodeNumber) {
        self.uses[number] += 1;
    }

    /// Keeps what a node says, if a later task reads it.
    pub(super) fn put(&mut self, number: NodeNumber, body: FrameBody) {
        if self.uses[number] > 0 {
            self.bodies.insert(number, body);
        }
    }

    /// What a node says that was made in this run.
    pub(super) fn made(&self, number: NodeNumber) -> Option<FrameBody> {
        self.bodies.get(&number).cloned()
    }

    /// What a node's head says: from this run, or from the store; `None` when it has none.
    pub(super) fn of(
        &self,
        repo: &Repository,
        plan: &Plan,
        number: NodeNumber,
    ) -> Result<Option<FrameBody>, NodeError> {
        if let Some(body) = self.made(number) {
            return Ok(Some(body));
        }
        let Some(head) = &plan.heads[number] else {
            return Ok(None);
        };
        Ok(Some(read_frame(repo, &head.blob)?.content.into()))
    }

    /// A directory is done: what its children say is wanted once less.
    pub(super) fn release(&mut self, scan: &Scan, directory: NodeNumber) {
        for child in scan.children(directory) {
            self.uses[child] -= 1;
            if self.uses[child] == 0 {
                self.bodies.remove(&child);
            }
        }
    }
}

/// How frames of an agent come to be: a model's are all generated, the outline builder's directories synthesized.
fn basis_kind(inputs: &Inputs<'_>, kind: NodeKind) -> BasisKind {
    match kind {
        NodeKind::Directory if inputs.agent.maker == crate::agent::Maker::Outline => {
            BasisKind::Synthesis
        }
        NodeKind::File | NodeKind::Directory => BasisKind::Generated,
    }
}

/// True for what is made anew, whatever was said before.
pub(super) fn is_again(task: PlannedNode) -> bool {
    matches!(
        task.reason,
        Reason::Forced | Reason::Invalidated | Reason::Forged
    )
}

/// The frame that a blob holds.
pub(super) fn read_frame(repo: &Repository, blob: &NodeId) -> Result<Frame, NodeError> {
    let mut data = Vec::new();
    repo.read(blob, ObjectKind::Blob, &mut data)?;
    Ok(codec::decode(&data)?)
}
