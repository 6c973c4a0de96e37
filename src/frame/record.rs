//! The fixed-width records of the index: the head of a slot of a node, a frame of a basis, a path that a slot speaks about,
//! a node that people speak about.
//!
//! A head record's key is the node id, zero-padded, and the slot number; a basis record's key is the basis id. A place
//! record is a key and nothing else: a digest of slot and path.
//! Numbers are little endian.

use super::model::BasisKind;
use super::model::Slot;
use crate::base::number::low_byte;
use crate::base::{AgentId, BasisId, Digest, FieldHasher, FrameId, FrameType, NodeId, TreePath};

/// Bytes of a head record.
pub(super) const HEAD_BYTES: u32 = 34 + 4 + 1 + 3 * 32 + 33 + 4 + 32;
/// Bytes of a basis record.
pub(super) const BASIS_BYTES: u32 = 32 + 32 + 33;
/// Bytes of a place record.
pub(super) const PLACE_BYTES: u32 = 16;
/// Bytes of a record of a node that people have spoken about: its padded id.
pub(super) const SAID_BYTES: u32 = 33;
/// Bytes of a record of each table, in the order of the tables.
pub(super) const WIDTHS: [u32; 4] = [HEAD_BYTES, BASIS_BYTES, PLACE_BYTES, SAID_BYTES];
/// Set beside the basis kind of a head that remembers its policy.
const POLICY_BIT: u8 = 0x80;
/// Set beside the basis kind of a head that any clone makes again.
const DERIVED_BIT: u8 = 0x40;

/// The key of a statement's path and slot. Only whether there is one is ever looked up.
pub(super) type Place = [u8; PLACE_BYTES as usize];

/// What stands for no frame.
pub(super) const NO_FRAME: FrameId = FrameId(Digest([0; 32]));

/// What the index knows of a slot of a node. Generation 0: nothing but an invalidation, its head not being here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Record {
    /// Generation of the head.
    pub seq: u32,
    /// Its id.
    pub frame: FrameId,
    /// What it was made from.
    pub basis: BasisId,
    /// How it was made.
    pub basis_kind: BasisKind,
    /// The digest of its content.
    pub content: Digest,
    /// The blob that holds it.
    pub blob: NodeId,
    /// The newest invalidation of the slot: generation and frame id.
    pub invalidation: Option<(u32, FrameId)>,
    /// True for a synthesis that remembers its policy: see [`Frame::policy`](super::Frame::policy).
    pub has_policy: bool,
    /// True for what any clone makes again, without a model and without a person: see [`Frame::is_derived`](super::Frame::is_derived).
    pub is_derived: bool,
}

impl Record {
    /// True when an invalidation is newer than the head.
    #[must_use]
    pub fn is_invalidated(&self) -> bool {
        self.invalidation
            .is_some_and(|newest| newest > (self.seq, self.frame))
    }

    /// The largest generation in the slot.
    #[must_use]
    pub fn seq_max(&self) -> u32 {
        self.invalidation
            .map_or(self.seq, |(seq, _)| seq.max(self.seq))
    }
}

/// Length and bytes of an object id, padded to one width for both hashes.
pub(super) fn padded(id: &NodeId) -> [u8; 33] {
    let mut bytes = [0; 33];
    bytes[0] = low_byte(id.as_bytes().len() as u64);
    bytes[1..=id.as_bytes().len()].copy_from_slice(id.as_bytes());
    bytes
}

pub(super) fn head_key(node: &NodeId, slot: u16) -> [u8; 34] {
    let mut key = [0; 34];
    key[..node.as_bytes().len()].copy_from_slice(node.as_bytes());
    key[32..].copy_from_slice(&slot.to_le_bytes());
    key
}

pub(super) fn encode_head(bytes: &mut Vec<u8>, node: &NodeId, slot: u16, record: &Record) {
    bytes.extend_from_slice(&head_key(node, slot));
    bytes.extend_from_slice(&record.seq.to_le_bytes());
    let flag = |is_set: bool, flag: u8| if is_set { flag } else { 0 };
    bytes.push(
        record.basis_kind as u8
            | flag(record.has_policy, POLICY_BIT)
            | flag(record.is_derived, DERIVED_BIT),
    );
    bytes.extend_from_slice(&record.frame.0.0);
    bytes.extend_from_slice(&record.basis.0.0);
    bytes.extend_from_slice(&record.content.0);
    bytes.extend_from_slice(&padded(&record.blob));
    let (seq, frame) = record.invalidation.unwrap_or((0, NO_FRAME));
    bytes.extend_from_slice(&seq.to_le_bytes());
    bytes.extend_from_slice(&frame.0.0);
}

pub(super) fn decode_head(bytes: &[u8]) -> Option<Record> {
    let number =
        |at: usize| u32::from_le_bytes([bytes[at], bytes[at + 1], bytes[at + 2], bytes[at + 3]]);
    let digest = |at: usize| Digest(bytes[at..at + 32].try_into().expect("the width is fixed"));
    let invalidation = number(168);
    Some(Record {
        seq: number(34),
        basis_kind: *[
            BasisKind::Generated,
            BasisKind::Synthesis,
            BasisKind::Written,
            BasisKind::Invalidation,
        ]
        .get(usize::from(bytes[38] & !(POLICY_BIT | DERIVED_BIT)))?,
        frame: FrameId(digest(39)),
        basis: BasisId(digest(71)),
        content: digest(103),
        blob: unpadded(&bytes[135..168])?,
        invalidation: (invalidation > 0).then(|| (invalidation, FrameId(digest(172)))),
        has_policy: bytes[38] & POLICY_BIT != 0,
        is_derived: bytes[38] & DERIVED_BIT != 0,
    })
}

/// The node and the slot of a head record, with ids of this many bytes.
pub(super) fn head_of(bytes: &[u8], id_len: usize) -> Option<(NodeId, u16)> {
    Some((
        NodeId::from_bytes(&bytes[..id_len])?,
        u16::from_le_bytes([bytes[32], bytes[33]]),
    ))
}

pub(super) fn encode_basis(bytes: &mut Vec<u8>, basis: &BasisId, frame: &FrameId, blob: &NodeId) {
    bytes.extend_from_slice(&basis.0.0);
    bytes.extend_from_slice(&frame.0.0);
    bytes.extend_from_slice(&padded(blob));
}

/// The basis of a basis record.
pub(super) fn basis_of(bytes: &[u8]) -> Option<BasisId> {
    Some(BasisId(Digest(*bytes.first_chunk()?)))
}

pub(super) fn decode_basis(bytes: &[u8]) -> Option<(FrameId, NodeId)> {
    Some((
        FrameId(Digest(bytes[32..64].try_into().ok()?)),
        unpadded(&bytes[64..])?,
    ))
}

pub(super) fn unpadded(bytes: &[u8]) -> Option<NodeId> {
    NodeId::from_bytes(bytes[1..].get(..usize::from(bytes[0]))?)
}

/// The key of a slot's statements about what stands, or stood, at a path.
pub(super) fn place_of(agent: &AgentId, frame_type: &FrameType, path: &TreePath) -> Place {
    let hasher = FieldHasher::new("git-merkle 2026 place/1").field(agent.as_str().as_bytes());
    let digest = hasher
        .field(frame_type.as_str().as_bytes())
        .field(path.as_bytes())
        .finish();
    *digest.0.first_chunk().expect("a digest is longer")
}

pub(super) fn encode_slots(slots: &[Slot]) -> String {
    let lines: Vec<String> = slots
        .iter()
        .map(|Slot { agent, frame_type }| format!("{agent} {frame_type}\n"))
        .collect();
    lines.concat()
}

pub(super) fn parse_slots(bytes: &[u8]) -> Option<Vec<Slot>> {
    let text = std::str::from_utf8(bytes).ok()?;
    text.lines()
        .map(|line| {
            let (agent, frame_type) = line.split_once(' ')?;
            Some(Slot {
                agent: agent.parse().ok()?,
                frame_type: frame_type.parse().ok()?,
            })
        })
        .collect()
}
