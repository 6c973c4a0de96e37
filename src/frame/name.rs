//! The name of a frame in the store's tree, from which its node, agent, type and generation can be read.
//!
//! `<aa>/<rest of NodeId>.<agent>.<type>.<seq, 8 digits>.<FrameId>`. The directories keep every tree
//! small, and are few: a server walks all of them at each push. Within a node the names sort by agent, type and
//! generation, so the last name of a slot is its head.

use super::model::Frame;
use crate::base::{AgentId, FrameId, FrameType, NodeId};

/// The largest generation number that a name can hold.
pub const SEQ_MAX: u32 = 99_999_999;

/// What a frame's name in the store says.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct FrameName {
    /// The node that the frame is about.
    pub node: NodeId,
    /// Who speaks.
    pub agent: AgentId,
    /// What kind of statement.
    pub frame_type: FrameType,
    /// Generation number, from 1.
    pub seq: u32,
    /// Which frame.
    pub frame: FrameId,
}

impl FrameName {
    /// The name that a frame must stand under.
    #[must_use]
    pub fn of(frame: &Frame) -> Self {
        let Frame {
            node,
            agent,
            frame_type,
            seq,
            id,
            ..
        } = frame;
        Self {
            node: *node,
            agent: agent.clone(),
            frame_type: frame_type.clone(),
            seq: *seq,
            frame: *id,
        }
    }

    /// True when a frame must stand under this name.
    #[must_use]
    pub fn is_of(&self, frame: &Frame) -> bool {
        (self.node, self.seq, self.frame) == (frame.node, frame.seq, frame.id)
            && self.agent == frame.agent
            && self.frame_type == frame.frame_type
    }

    /// True when the other name is of the same node, agent and type.
    #[must_use]
    pub fn is_of_slot_of(&self, other: &Self) -> bool {
        self.node == other.node && self.agent == other.agent && self.frame_type == other.frame_type
    }

    /// The name within the directory.
    #[must_use]
    pub fn leaf(&self) -> String {
        format!(
            "{}{:08}.{}",
            slot_prefix(&self.node, &self.agent, &self.frame_type),
            self.seq,
            self.frame
        )
    }

    /// The whole path in the store's tree.
    #[must_use]
    pub fn path(&self) -> String {
        let hex = self.node.to_string();
        format!("{}/{}", &hex[..2], self.leaf())
    }

    /// Reads a whole path; `None` if it is not one this program would write.
    #[must_use]
    pub fn parse_path(path: &[u8]) -> Option<Self> {
        let mut parts = path.splitn(2, |b| *b == b'/');
        Self::parse(parts.next()?, parts.next()?)
    }

    /// Reads a leaf that stands in the directories of `node`.
    #[must_use]
    pub fn parse_leaf(node: &NodeId, leaf: &[u8]) -> Option<Self> {
        Self::parse(&directory_of(node), leaf)
    }

    /// Reads a name back from the directory's name and the leaf; `None` if it is not one this program would write.
    #[must_use]
    pub fn parse(first: &[u8], leaf: &[u8]) -> Option<Self> {
        let leaf = std::str::from_utf8(leaf).ok()?;
        let mut parts = leaf.split('.');
        let (rest, agent, frame_type, seq, frame) = (
            parts.next()?,
            parts.next()?,
            parts.next()?,
            parts.next()?,
            parts.next()?,
        );
        if parts.next().is_some() || first.len() != 2 || seq.len() != 8 {
            return None;
        }
        let mut digits = [0; 64];
        let digits = digits.get_mut(..first.len() + rest.len())?;
        digits[..2].copy_from_slice(first);
        digits[2..].copy_from_slice(rest.as_bytes());
        let name = Self {
            node: std::str::from_utf8(digits).ok()?.parse().ok()?,
            agent: agent.parse().ok()?,
            frame_type: frame_type.parse().ok()?,
            seq: seq.parse().ok()?,
            frame: frame.parse().ok()?,
        };
        (name.seq > 0 && seq.bytes().all(|b| b.is_ascii_digit())).then_some(name)
    }
}

/// The directory that a node's frames stand in.
#[must_use]
pub fn directory_of(node: &NodeId) -> [u8; 2] {
    let hex = node.to_string();
    let hex = hex.as_bytes();
    [hex[0], hex[1]]
}

/// What the leaf names of a node start with.
#[must_use]
pub fn node_prefix(node: &NodeId) -> String {
    format!("{}.", &node.to_string()[2..])
}

/// What the leaf names of a (node, agent, type) start with.
#[must_use]
pub fn slot_prefix(node: &NodeId, agent: &AgentId, frame_type: &FrameType) -> String {
    format!("{}{agent}.{frame_type}.", node_prefix(node))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::base::Digest;

    #[test]
    fn names_read_back_and_sort_by_generation() {
        let name = |seq| FrameName {
            node: "9c1e00000000000000000000000000000000abcd"
                .parse()
                .expect("an id"),
            agent: "docs".parse().expect("a word"),
            frame_type: "summary".parse().expect("a word"),
            seq,
            frame: FrameId(Digest::of("test/1", b"")),
        };
        let leaf = name(7).leaf();
        assert_eq!(FrameName::parse(b"9c", leaf.as_bytes()), Some(name(7)));
        assert!(name(9).leaf() < name(10).leaf());
        for bad in [
            "",
            "x.docs.summary.00000001",
            &leaf.replace("00000007", "7"),
            &leaf.replace("00000007", "+0000007"),
            &format!("{leaf}.x"),
        ] {
            assert_eq!(FrameName::parse(b"9c", bad.as_bytes()), None, "{bad}");
        }
    }
}
