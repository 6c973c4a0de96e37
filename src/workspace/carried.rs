//! What people have said about earlier contents of a path: it is about the path, and stands until its author ends it.
//!
//! Found by going back from a commit along first parents. The index is asked first whether anybody has said anything at
//! that path, so that most paths cost no walk.

use std::collections::HashSet;

use super::open::Workspace;
use super::refresh::RefreshError;
use super::target::Target;
use crate::agent::Maker;
use crate::base::NodeId;
use crate::base::limit::STALE_COMMITS_MAX;
use crate::frame::{Frame, Store, Voice};

/// A person's statement about an earlier content of a path.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Carried {
    /// What was said.
    pub frame: Frame,
    /// The newest commit that has that content at the path.
    pub commit: NodeId,
    /// How often the content has changed since.
    pub changes: usize,
}

impl Workspace {
    /// What each person said last about earlier contents of a target's path, and has neither said again about today's nor
    /// ended; newest first, at most 100 commits back from `start`.
    pub fn carried(&self, store: &Store<'_>, start: Option<NodeId>, target: &Target) -> Result<Vec<Carried>, RefreshError> {
        let (Some(start), Some(path)) = (start, &target.path) else { return Ok(Vec::new()) };
        let index = self.index(store, 0)?;
        let agents = self.agents();
        let is_person = |id: &str| agents.get(id).map_or(true, |agent| matches!(agent.maker, Maker::Person));
        let mut slots = index.slots().iter().enumerate();
        if !slots.any(|(number, slot)| is_person(slot.0.as_str()) && index.speaks_of(number as u16, path)) {
            return Ok(Vec::new());
        }
        let voices = store.voices(&target.id)?;
        let mut silent: HashSet<Voice> = voices.ended;
        silent.extend(voices.heads.iter().map(|head| Voice::of(&head.frame)));
        let (mut carried, mut changes, mut last) = (Vec::new(), 0, Some(target.id));
        for step in self.repository.first_parents(&start).take(STALE_COMMITS_MAX + 1) {
            let (commit, tree) = step?;
            let there = self.repository.find_entry(&tree, path.as_bytes())?.map(|(_, id)| id);
            if there == last {
                continue;
            }
            (last, changes) = (there, changes + 1);
            let Some(node) = there else { continue };
            let voices = store.voices(&node)?;
            for head in voices.heads {
                let voice = Voice::of(&head.frame);
                if !silent.contains(&voice.of_all()) && silent.insert(voice) {
                    carried.push(Carried { frame: head.frame, commit, changes });
                }
            }
            silent.extend(voices.ended);
        }
        Ok(carried)
    }
}
