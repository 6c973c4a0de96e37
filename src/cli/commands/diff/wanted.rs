//! Which frames are compared.

use crate::base::NodeId;
use crate::cli::snapshot::SlotArgs;
use crate::frame::{Frame, Head, Slot, Store, StoreError, Voice};

/// Paths and slots that the command line names.
#[derive(Debug, clap::Args)]
pub(super) struct WantedArgs {
    /// Compare only these paths and what is below them, or what matches these pathspecs
    #[arg(value_name = "path", last = true)]
    pub(super) paths: Vec<String>,
    #[command(flatten)]
    pub(super) slot: SlotArgs,
}

pub(super) fn slot(head: &Head) -> Slot {
    head.frame.slot()
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
    heads.retain(|head| {
        !head.invalidated && head.frame.author().is_none() && named.slot.shows(head)
    });
    let made = heads.into_iter().map(|head| Statement {
        who: Voice {
            slot: slot(&head),
            author: None,
        },
        frame: head.frame,
    });
    let mut voices = store.voices_of(&entries).heads;
    voices.retain(|head| head.frame.author().is_some() && named.slot.shows(head));
    let spoken = voices.into_iter().map(|head| Statement {
        who: Voice::of(&head.frame),
        frame: head.frame,
    });
    let mut all: Vec<Statement> = made.chain(spoken).collect();
    all.sort_by(|one, other| one.who.slot.cmp(&other.who.slot));
    Ok(all)
}
