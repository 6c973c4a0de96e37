//! The basis: one digest over everything that a frame is made from (the table stands in the module above).

use crate::agent::Agent;
use crate::base::{BasisId, Digest, FieldHasher, FrameType, NodeId, TreePath};
use crate::frame::{BasisKind, Slot};

const CONTEXT: &str = "git-merkle 2026 basis/1";

/// What a directory's basis knows of one child.
#[derive(Debug, Clone, Copy)]
pub struct Child<'c> {
    /// Its name in the directory.
    pub name: &'c [u8],
    /// `file`, `directory`, `symlink` or `submodule`.
    pub kind: &'static str,
    /// What is said about it.
    pub state: ChildState,
}

/// What stands for a child: the content of its head, or the child itself when it has no frame.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ChildState {
    /// The digest of the content of its head.
    Content(Digest),
    /// Its own id.
    Node(NodeId),
}

/// The fields that all bases of an agent and type share, hashed once.
#[derive(Clone)]
pub struct BasisOf {
    file: FieldHasher,
    directory: FieldHasher,
    path_sensitive: bool,
}

impl BasisOf {
    /// Starts the bases of an agent's own frames of a type; `instructions` is its prompt digest.
    ///
    /// What a model says of a directory is generated; what the outline builder says of one is synthesized.
    #[must_use]
    pub fn new(agent: &Agent, frame_type: &FrameType, instructions: &Digest) -> Self {
        let directory = if agent.instructions().is_some() {
            BasisKind::Generated
        } else {
            BasisKind::Synthesis
        };
        Self::of(agent, frame_type, instructions, directory)
    }

    /// The same for a synthesis on request, for any agent; `policy` is the policy's digest.
    #[must_use]
    pub fn synthesis(agent: &Agent, frame_type: &FrameType, policy: &Digest) -> Self {
        Self::of(agent, frame_type, policy, BasisKind::Synthesis)
    }

    fn of(
        agent: &Agent,
        frame_type: &FrameType,
        instructions: &Digest,
        directory: BasisKind,
    ) -> Self {
        let start =
            |kind: BasisKind| start(kind, agent.id.as_str(), frame_type).field(&instructions.0);
        Self {
            file: start(BasisKind::Generated),
            directory: start(directory),
            path_sensitive: agent.path_sensitive,
        }
    }

    /// True when the agent wants paths in its bases.
    #[must_use]
    pub fn is_path_sensitive(&self) -> bool {
        self.path_sensitive
    }

    /// The basis of a file: its node, and its path if that matters to the agent.
    ///
    /// What a name says of the language takes no part: one blob can stand under names of two languages, and which of
    /// them is met first depends on how much is walked. What was said first holds until a user invalidates it.
    #[must_use]
    pub fn file(&self, node: &NodeId, path: &TreePath) -> BasisId {
        let mut hasher = self.file.clone();
        hasher.add(b"file");
        hasher.add(node.as_bytes());
        if self.path_sensitive {
            hasher.add(path.as_bytes());
        }
        BasisId(hasher.finish())
    }

    /// The basis of a file for an agent to whom only its outline matters.
    #[must_use]
    pub fn outlined_file(&self, outline: &Digest, path: &TreePath) -> BasisId {
        let mut hasher = self.file.clone();
        hasher.add(b"outline");
        hasher.add(&outline.0);
        if self.path_sensitive {
            hasher.add(path.as_bytes());
        }
        BasisId(hasher.finish())
    }

    /// The basis of a directory: names, kinds and what is said of its children, in tree order.
    #[must_use]
    pub fn directory<'c>(&self, children: impl Iterator<Item = Child<'c>>) -> BasisId {
        let mut hasher = self.directory.clone();
        hasher.add(b"directory");
        for child in children {
            hasher.add(child.name);
            hasher.add(child.kind.as_bytes());
            match child.state {
                ChildState::Content(digest) => {
                    hasher.add(b"content");
                    hasher.add(&digest.0);
                }
                ChildState::Node(node) => {
                    hasher.add(b"node");
                    hasher.add(node.as_bytes());
                }
            }
        }
        BasisId(hasher.finish())
    }
}

/// Who says something, and about which path: the same words of two people, or about two files of one content, are two
/// statements.
#[derive(Debug, Clone, Copy)]
pub struct Spoken<'a> {
    /// The author's mail address.
    pub mail: &'a str,
    /// The path.
    pub path: Option<&'a TreePath>,
}

impl Spoken<'_> {
    fn add_to(self, hasher: FieldHasher) -> FieldHasher {
        let path = self.path.map_or(&[][..], TreePath::as_bytes);
        hasher
            .field(self.mail.to_lowercase().as_bytes())
            .field(path)
    }
}

/// The basis of a frame that was handed in: its node, what it says, and who says so.
#[must_use]
pub fn written(slot: &Slot, node: &NodeId, content: &Digest, by: Spoken<'_>) -> BasisId {
    let said = start(BasisKind::Written, slot.agent.as_str(), &slot.frame_type)
        .field(node.as_bytes())
        .field(&content.0);
    BasisId(by.add_to(said).finish())
}

/// The basis of an invalidation: its node, the generation that it ends, and whose words it ends, if not all.
#[must_use]
pub fn invalidation(slot: &Slot, node: &NodeId, seq: u32, by: Option<Spoken<'_>>) -> BasisId {
    let start = start(
        BasisKind::Invalidation,
        slot.agent.as_str(),
        &slot.frame_type,
    );
    let end = start.field(node.as_bytes()).field(&seq.to_le_bytes());
    BasisId(match by {
        Some(by) => by.add_to(end).finish(),
        None => end.finish(),
    })
}

fn start(kind: BasisKind, agent: &str, frame_type: &FrameType) -> FieldHasher {
    FieldHasher::new(CONTEXT)
        .field(kind.as_str().as_bytes())
        .field(agent.as_bytes())
        .field(frame_type.as_str().as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::agent::Registry;

    fn node(byte: u8) -> NodeId {
        NodeId::from_bytes(&[byte; 20]).expect("20 bytes")
    }

    #[test]
    fn each_input_of_a_file_changes_its_basis_and_nothing_else_does() {
        let registry = Registry::built_in();
        let agent = registry.get("outline").expect("built in").clone();
        let frame_type: FrameType = "outline".parse().expect("a word");
        let path = TreePath::from("a/b.rs");
        let plain = |agent: &Agent, frame_type: &FrameType, words: &str, id, path: &TreePath| {
            BasisOf::new(agent, frame_type, &Digest::of("test/1", words.as_bytes()))
                .file(&node(id), path)
        };
        let basis = plain(&agent, &frame_type, "w", 1, &path);
        assert_eq!(
            basis,
            plain(&agent, &frame_type, "w", 1, &TreePath::from("moved.rs")),
            "the path is no input"
        );
        assert_ne!(basis, plain(&agent, &frame_type, "w", 2, &path), "the node");
        assert_ne!(
            basis,
            plain(&agent, &frame_type, "x", 1, &path),
            "the instructions"
        );
        assert_ne!(
            basis,
            plain(&agent, &"other".parse().expect("a word"), "w", 1, &path),
            "the type"
        );
        let human = registry.get("human").expect("built in");
        assert_ne!(basis, plain(human, &frame_type, "w", 1, &path), "the agent");
        let sensitive = Agent {
            path_sensitive: true,
            ..agent
        };
        assert_ne!(
            plain(&sensitive, &frame_type, "w", 1, &path),
            plain(&sensitive, &frame_type, "w", 1, &TreePath::from("moved.rs")),
            "the path, for an agent that says so"
        );
    }

    #[test]
    fn a_directory_depends_on_what_its_children_say() {
        let registry = Registry::built_in();
        let agent = registry.get("outline").expect("built in");
        let of = BasisOf::new(agent, &agent.frame_type, &agent.prompt_digest());
        let child = |name: &'static str, kind, state| Child {
            name: name.as_bytes(),
            kind,
            state,
        };
        let said = ChildState::Content(Digest::of("test/1", b"says"));
        let base = of.directory([child("a", "file", said)].into_iter());
        for other in [
            child("b", "file", said),
            child("a", "symlink", said),
            child(
                "a",
                "file",
                ChildState::Content(Digest::of("test/1", b"other")),
            ),
            child("a", "file", ChildState::Node(node(1))),
        ] {
            assert_ne!(base, of.directory([other].into_iter()));
        }
        let two = [child("a", "file", said), child("b", "file", said)];
        let turned = [child("b", "file", said), child("a", "file", said)];
        assert_ne!(
            of.directory(two.into_iter()),
            of.directory(turned.into_iter())
        );
    }
}
