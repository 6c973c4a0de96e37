//! Entries that name frames: by node, by agent and type, and those that are made on the fly.

use super::super::pattern;
use super::super::pattern::Pattern;
use super::super::scope::Scope;
use super::{Body, Resolver, STALE, frame_key, key, place_of, weight};
use crate::agent::OUTLINE;
use crate::base::printable::chain;
use crate::base::{AgentId, FrameType, NodeId, NodeKind, TreePath};
use crate::frame::Head;
use crate::git::ObjectKind;
use crate::view::LocatedNode;

impl Resolver<'_> {
    pub(super) fn add_frame_entry(&mut self, scope: Scope, entry: &[u8], text: &[u8]) {
        let (node, slot) = pattern::parse_frame(text);
        match self.find_node(node) {
            Ok(place) => self.add_frame(scope, entry.to_vec(), &place, slot.as_ref()),
            Err(reason) => self.refuse(scope, entry, reason),
        }
    }

    /// Adds the frame of a node, or the outline that is made of one without any.
    pub(super) fn add_frame(
        &mut self,
        scope: Scope,
        name: Vec<u8>,
        place: &LocatedNode,
        slot: Option<&(AgentId, FrameType)>,
    ) {
        let (tree, path) = standing_in(place);
        match self.frame_of(place.id, slot) {
            Ok(Some((agent, frame_type))) => {
                let key = frame_key(&tree, path.as_bytes(), &agent, &frame_type);
                self.add(
                    scope,
                    key,
                    || name,
                    Body::Frame(place.id, agent, frame_type),
                );
            }
            Ok(None) => self.add_made(scope, name, place, slot),
            Err(reason) => self.refuse(scope, &name, reason),
        }
    }

    /// Adds what was said of what the last commit has at a path, else an outline that is made now.
    pub(super) fn add_made(
        &mut self,
        scope: Scope,
        name: Vec<u8>,
        place: &LocatedNode,
        slot: Option<&(AgentId, FrameType)>,
    ) {
        let (tree, path) = standing_in(place);
        let is_here = tree == self.tree.id && slot.is_none();
        if let Some(head) = is_here.then(|| (self.earlier)(&path)).flatten() {
            let (agent, frame_type) = (head.frame.agent, head.frame.frame_type);
            let (added, key) = (
                self.resources.len(),
                frame_key(&tree, path.as_bytes(), &agent, &frame_type),
            );
            self.add(
                scope,
                key,
                || name,
                Body::Frame(head.frame.node, agent, frame_type),
            );
            if let Some(added) = self.resources.get_mut(added) {
                added.state = Some(STALE);
            }
            return;
        }
        match (self.outlines)(place) {
            Ok(text) => self.add(
                scope,
                key(b'o', &tree, path.as_bytes()),
                || name,
                Body::Outline(text.into()),
            ),
            Err(reason) => self.refuse(
                scope,
                &name,
                format!("it has no frame, and none can be made: {reason}"),
            ),
        }
    }

    /// The node of a `frame:` entry: a path of the snapshot, a path of a revision, or an object id.
    pub(super) fn find_node(&mut self, text: &[u8]) -> Result<LocatedNode, String> {
        let parsed = Pattern::parse(text).map_err(|refusal| refusal.to_string())?;
        if let Some(found) = self.tree.find(&parsed.path) {
            return place_of(found.mode, found.id, self.tree.id, parsed.path);
        }
        if let Some((revision, path)) = pattern::parse_revision(text) {
            let path = Pattern::parse(path)
                .map_err(|refusal| refusal.to_string())?
                .path;
            let tree = self.root_of(revision)?;
            let found = self
                .repo
                .find_entry(&tree, path.as_bytes())
                .map_err(|error| chain(&error))?;
            let (mode, id) = found.ok_or_else(|| "no such file in that revision".to_owned())?;
            return place_of(mode, id, tree, path);
        }
        let id: Option<NodeId> = std::str::from_utf8(text)
            .ok()
            .and_then(|text| text.parse().ok());
        match id.map(|id| (id, self.repo.header(&id))) {
            Some((id, Ok(Some(header)))) if header.kind == ObjectKind::Blob => Ok(LocatedNode {
                id,
                kind: NodeKind::File,
                found_in: None,
            }),
            Some((id, Ok(Some(header)))) if header.kind == ObjectKind::Tree => Ok(LocatedNode {
                id,
                kind: NodeKind::Directory,
                found_in: None,
            }),
            _ => Err("no such file or object".to_owned()),
        }
    }

    /// The slot that a node's frame is shown of: the one that is named, or the one that says most.
    ///
    /// Without a name that is a `summary`, else any other type, else an `outline`; then the first agent by name. `None` for
    /// a node that has no frame where an outline would do: one is made.
    pub(super) fn frame_of(
        &self,
        node: NodeId,
        slot: Option<&(AgentId, FrameType)>,
    ) -> Result<Option<(AgentId, FrameType)>, String> {
        let heads = self
            .store
            .heads(&node)
            .map_err(|error| format!("unreadable: {}", chain(&error)))?;
        // A synthesis is shown where it is named and nowhere else.
        let wanted = |head: &&Head| match slot {
            Some((agent, kind)) => head.frame.agent == *agent && head.frame.frame_type == *kind,
            None => head.frame.policy().is_none(),
        };
        let found = heads.iter().filter(wanted).min_by_key(|head| weight(head));
        match found {
            None if slot.is_none_or(|(agent, kind)| {
                (agent.as_str(), kind.as_str()) == (OUTLINE, OUTLINE)
            }) =>
            {
                Ok(None)
            }
            None => Err("it has no frame of this agent and type".to_owned()),
            Some(head) if head.invalidated => {
                Err("its frame was taken back; 'git merkle regenerate' makes another".to_owned())
            }
            Some(head) => Ok(Some((
                head.frame.agent.clone(),
                head.frame.frame_type.clone(),
            ))),
        }
    }
}

/// The tree in which a place was found, and its path there; a place by its id alone is a root of its own.
fn standing_in(place: &LocatedNode) -> (NodeId, TreePath) {
    let alone = || (place.id, TreePath::root());
    place.found_in.clone().unwrap_or_else(alone)
}
