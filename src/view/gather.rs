//! Gathering: every frame of a node, and the heads of what stands around it. The one part of a view that reads.

use super::candidate::{FrameCandidate, FrameSource, FrameState};
use super::place::LocatedNode;
use super::policy::ContextView;
use crate::base::number::to_u32;
use crate::base::{NodeId, TreePath};
use crate::frame::{BasisKind, Head, NodeKind, Store, StoreError};
use crate::git::{ObjectKind, Repository, tree_entries};

/// What a view of a node can choose from.
#[derive(Debug, Clone, Default)]
pub struct FrameChoices {
    /// The frames that may be shown.
    pub candidates: Vec<FrameCandidate>,
    /// How many frames the store has of the node itself, of whatever agent and type.
    pub frame_count: usize,
}

/// A node whose frames are gathered.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Subject {
    /// The node.
    pub id: NodeId,
    /// File or directory.
    pub kind: NodeKind,
    /// Where it stands in the snapshot.
    pub path: Option<TreePath>,
}

/// Says of a head that is not taken back whether it is made from what there is today.
pub type IsFresh<'f> = dyn Fn(&Subject, &Head) -> Result<bool, StoreError> + 'f;

/// Gathers the candidates of a view of a node.
///
/// Agents and types that the filter does not want are not even read. A related path without a node adds nothing.
pub fn gather(
    store: &Store<'_>,
    place: &LocatedNode,
    view: &ContextView,
    is_fresh: &IsFresh<'_>,
) -> Result<FrameChoices, StoreError> {
    let mut gathering = Gathering {
        store,
        view,
        is_fresh,
        gathered: FrameChoices::default(),
    };
    let path = place.path().cloned();
    let own = Subject {
        id: place.id,
        kind: place.kind,
        path: path.clone(),
    };
    gathering.gathered.frame_count = store.entries(&place.id)?.len();
    gathering.add_node(&own)?;
    let Some((tree, path)) = &place.found_in else {
        return Ok(gathering.gathered);
    };
    for source in &view.sources {
        for subject in subjects(store.repository(), tree, path, source)? {
            gathering.add_heads(&subject, path, source)?;
        }
    }
    Ok(gathering.gathered)
}

/// The nodes that a source stands for.
fn subjects(
    repo: &Repository,
    tree: &NodeId,
    path: &TreePath,
    source: &FrameSource,
) -> Result<Vec<Subject>, StoreError> {
    let parent = path.parent();
    let at = match source {
        FrameSource::Node => return Ok(Vec::new()),
        FrameSource::Parent => parent,
        FrameSource::Siblings => {
            return parent.map_or_else(
                || Ok(Vec::new()),
                |parent| siblings(repo, tree, &parent, path),
            );
        }
        FrameSource::Related(path) => Some(path.clone()),
    };
    let Some(at) = at else { return Ok(Vec::new()) };
    let found = repo.find_entry(tree, at.as_bytes())?;
    Ok(found
        .and_then(|(mode, id)| {
            Some(Subject {
                id,
                kind: mode.node_kind()?,
                path: Some(at),
            })
        })
        .into_iter()
        .collect())
}

fn siblings(
    repo: &Repository,
    tree: &NodeId,
    parent: &TreePath,
    own: &TreePath,
) -> Result<Vec<Subject>, StoreError> {
    let Some((_, directory)) = repo.find_entry(tree, parent.as_bytes())? else {
        return Ok(Vec::new());
    };
    let mut data = Vec::new();
    repo.read(&directory, ObjectKind::Tree, &mut data)?;
    let mut found = Vec::new();
    for entry in tree_entries(directory, &data, repo.hash_kind()) {
        let entry = entry?;
        if let Some(kind) = entry.mode.node_kind().filter(|_| entry.name != own.name()) {
            found.push(Subject {
                id: entry.id,
                kind,
                path: Some(parent.join(entry.name)),
            });
        }
    }
    Ok(found)
}

struct Gathering<'g> {
    store: &'g Store<'g>,
    view: &'g ContextView,
    is_fresh: &'g IsFresh<'g>,
    gathered: FrameChoices,
}

impl Gathering<'_> {
    /// Adds every frame of the node itself, invalidations too when they are wanted.
    fn add_node(&mut self, subject: &Subject) -> Result<(), StoreError> {
        let heads = self.store.standing(&subject.id)?;
        let wants_invalidations = self
            .view
            .filter
            .basis_kinds
            .contains(&BasisKind::Invalidation);
        for entry in self.store.entries(&subject.id)? {
            if !self
                .view
                .filter
                .wants_slot(&entry.name.agent, &entry.name.frame_type)
            {
                continue;
            }
            let Some(frame) = self.store.read(&entry) else {
                continue;
            };
            if frame.basis_kind == BasisKind::Invalidation && !wants_invalidations {
                continue;
            }
            let state = match heads.iter().find(|head| head.frame == frame) {
                Some(head) => self.state(subject, head)?,
                None => FrameState::Superseded,
            };
            let path = subject.path.clone();
            self.gathered.candidates.push(FrameCandidate {
                frame,
                state,
                source: FrameSource::Node,
                path,
                distance: 0,
            });
        }
        Ok(())
    }

    fn add_heads(
        &mut self,
        subject: &Subject,
        own: &TreePath,
        source: &FrameSource,
    ) -> Result<(), StoreError> {
        let distance = subject
            .path
            .as_ref()
            .map_or(u32::MAX, |path| steps(own, path));
        for head in self.store.heads(&subject.id)? {
            if self
                .view
                .filter
                .wants_slot(&head.frame.agent, &head.frame.frame_type)
            {
                let (state, path) = (self.state(subject, &head)?, subject.path.clone());
                self.gathered.candidates.push(FrameCandidate {
                    frame: head.frame,
                    state,
                    source: source.clone(),
                    path,
                    distance,
                });
            }
        }
        Ok(())
    }

    fn state(&self, subject: &Subject, head: &Head) -> Result<FrameState, StoreError> {
        if head.invalidated {
            return Ok(FrameState::Invalidated);
        }
        Ok(if (self.is_fresh)(subject, head)? {
            FrameState::Fresh
        } else {
            FrameState::Outdated
        })
    }
}

/// Steps from one path to another, up to the directory that holds both and down again.
fn steps(from: &TreePath, to: &TreePath) -> u32 {
    let shared = from
        .names()
        .zip(to.names())
        .take_while(|(a, b)| a == b)
        .count();
    to_u32(from.names().count() + to.names().count() - 2 * shared)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_go_up_and_down() {
        for (from, to, expected) in [
            ("a/b.rs", "a/b.rs", 0),
            ("a/b.rs", "a", 1),
            ("a/b.rs", "a/c.rs", 2),
            ("a/b", "c/d/e", 5),
            ("", "a", 1),
        ] {
            assert_eq!(steps(&from.into(), &to.into()), expected, "{from} {to}");
        }
    }
}
