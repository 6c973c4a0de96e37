//! Which frames are compared.

use crate::base::{AgentId, FrameType, NodeId};
use crate::frame::{Frame, Head, Slot, Store, StoreError, Voice};

/// Paths and slots that the command line names.
#[derive(Debug, clap::Args)]
pub(super) struct WantedArgs {
    /// Compare only these paths and what is below them, or what matches these pathspecs
    #[arg(value_name = "path", last = true)]
    pub(super) paths: Vec<String>,
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

impl WantedArgs {
    /// True for a slot that the command line does not leave out.
    pub(super) fn has_slot(&self, slot: &Slot) -> bool {
        let (agent, frame_type) = (self.agent.as_ref(), self.frame_type.as_ref());
        agent.is_none_or(|agent| *agent == slot.agent)
            && frame_type.is_none_or(|frame_type| *frame_type == slot.frame_type)
    }

    /// The same for a head: a synthesis is shown where its type is named and nowhere else.
    pub(super) fn has(&self, head: &Head) -> bool {
        self.has_slot(&slot(head)) && (self.frame_type.is_some() || head.frame.policy().is_none())
    }
}

pub(super) fn slot(head: &Head) -> Slot {
    Slot::new(&head.frame.agent, &head.frame.frame_type)
}

/// What is said in a slot, by one person where people speak.
pub(super) struct Statement {
    pub(super) who: Voice,
    pub(super) frame: Frame,
}

/// What is said about a node and stands: people speak beside each other in one slot, and what they retracted is not said.
pub(super) fn said(
    named: &WantedArgs,
    store: &Store<'_>,
    node: &NodeId,
) -> Result<Vec<Statement>, StoreError> {
    let entries = store.entries(node)?;
    let mut heads = store.heads_of(&entries);
    heads.retain(|head| !head.invalidated && head.frame.author().is_none() && named.has(head));
    let made = heads.into_iter().map(|head| Statement {
        who: Voice {
            slot: slot(&head),
            author: None,
        },
        frame: head.frame,
    });
    let mut voices = store.voices_of(&entries).heads;
    voices.retain(|head| head.frame.author().is_some() && named.has(head));
    let spoken = voices.into_iter().map(|head| Statement {
        who: Voice::of(&head.frame),
        frame: head.frame,
    });
    let mut all: Vec<Statement> = made.chain(spoken).collect();
    all.sort_by(|one, other| one.who.slot.cmp(&other.who.slot));
    Ok(all)
}
