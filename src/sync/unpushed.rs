//! What is here and not there, as far as is known without asking the remote.

use super::memory::Memory;
use super::remote::Remote;
use super::select::{Gained, count_said};
use crate::base::NodeId;
use crate::frame::{Store, StoreError};
use crate::git::{Repository, StateDir};

/// What a remote lacks, as far as that is known without asking it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Unpushed {
    /// Statements since the last exchange.
    pub frames: usize,
    /// Statements that were held back then.
    pub held_back: usize,
    /// When that was, in seconds since 1970; `None` when that was forgotten.
    pub seconds: Option<u64>,
}

/// Looks at what the store has gained since the last exchange with a remote; `None` where there was none.
pub fn unpushed(
    repo: &Repository,
    state: &StateDir,
    remote: &Remote,
) -> Result<Option<Unpushed>, StoreError> {
    let tracked = repo.find_direct_ref(&remote.tracking_ref())?;
    if Memory::is_of_another(state, remote) {
        return Ok(None);
    }
    let remembered = Memory::load(state, remote);
    if remembered.is_none() && tracked.is_none() {
        return Ok(None);
    }
    let seconds = remembered.as_ref().map(|memory| memory.seconds);
    let memory = remembered.unwrap_or_default();
    let store = Store::open(repo)?;
    let mut frames = 0;
    if memory.store != store.commit() {
        // After a store of then was taken away by 'git gc', everything is as if it were new.
        let tree = |commit: NodeId| repo.tree_of_commit(&commit).ok();
        let gained = Gained {
            old: memory.store.and_then(tree),
            new: store.tree(),
            elsewhere: None,
        };
        let by = repo
            .refs_below(&remote.tracking_by())?
            .into_iter()
            .map(|(_, tip)| tip);
        let theirs: Vec<NodeId> = tracked.into_iter().chain(by).filter_map(tree).collect();
        frames = count_said(repo, gained, &theirs)?;
    }
    Ok(Some(Unpushed {
        frames,
        held_back: memory.held_back,
        seconds,
    }))
}
