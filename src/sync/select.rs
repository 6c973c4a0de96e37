//! What goes to a remote: statements that were said, about objects that the remote's branches reach.
//!
//! A statement about a file of a private branch names the file and says what stands in it. So an entry goes only when
//! its node stands in a tree of one of the remote's branches, as this clone last saw them. The rest is held back and
//! counted; it goes with a later push, once its branch was pushed.

use std::collections::HashSet;

use super::accept::{is_derived, is_outline};
use super::remote::{Remote, Share};
use crate::base::NodeId;
use crate::frame::listing;
use crate::frame::store::{Entry, read_entry};
use crate::frame::{Frame, StoreError};
use crate::git::{ChildError, RefError, Repository};
use crate::secret::{Allowed, Scanner, SecretFound, guard};

/// What a push takes along.
#[derive(Debug, Default)]
pub struct Selection {
    /// What goes.
    pub entries: Vec<Entry>,
    /// How many statements are about objects that the remote does not have.
    pub held_back: usize,
}

/// Why a selection cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// This store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// git could not walk the remote's branches.
    #[error(transparent)]
    Git(#[from] ChildError),
    /// The remote's branches cannot be read.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// A statement holds what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
}

/// What a statement must pass before it goes.
pub struct Rules<'a> {
    /// Which frames are shared.
    pub share: Share,
    /// The rules about secrets.
    pub scanner: &'a Scanner,
    /// Findings that the user lets pass.
    pub allowed: &'a Allowed,
    /// Whether statements go about objects that the remote does not have.
    pub all: bool,
}

/// Chooses from what the store has and the remote lacks.
pub fn select(
    repo: &Repository,
    ours: Option<NodeId>,
    theirs: Option<NodeId>,
    remote: &Remote,
    rules: &Rules<'_>,
) -> Result<Selection, SelectError> {
    let mut said = Vec::new();
    listing::visit_added(repo, theirs, ours, &mut |added| {
        for entry in added.entries {
            if rules.share == Share::Said && is_outline(&entry.name) {
                continue;
            }
            // An entry of a newer format or a damaged one stays: this program cannot tell what it says.
            let Ok(frame) = read_entry(repo, &entry) else { continue };
            if rules.share == Share::All || !is_derived(&frame) {
                said.push((entry, frame));
            }
        }
        Ok(())
    })?;
    let mut known = HashSet::new();
    if !rules.all {
        let tips: Vec<NodeId> = repo.refs_below(&remote.branches())?.into_iter().map(|(_, tip)| tip).collect();
        known = repo.reachable_of(&tips, said.iter().map(|(entry, _)| entry.name.node).collect())?;
    }
    let mut selection = Selection::default();
    for (entry, frame) in said {
        if rules.all || known.contains(&entry.name.node) {
            search(&frame, rules)?;
            selection.entries.push(entry);
        } else {
            selection.held_back += 1;
        }
    }
    Ok(selection)
}

fn search(frame: &Frame, rules: &Rules<'_>) -> Result<(), SecretFound> {
    let path = frame.path.as_ref().map_or_else(|| frame.node.to_string(), |path| path.to_text().into_owned());
    let name = format!("{}/{} of {path}", frame.agent, frame.frame_type);
    guard(path.as_bytes(), &name, rules.scanner, rules.allowed)?;
    guard(frame.content.as_bytes(), &name, rules.scanner, rules.allowed)
}
