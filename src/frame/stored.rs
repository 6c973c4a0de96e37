//! A frame on its way into the store: its bytes, its name, and what the index keeps of it.

use super::codec::{CodecError, decode, encode};
use super::model::{BasisKind, Frame, content_digest};
use super::name::FrameName;
use super::record::{Place, Record, place_of};
use crate::base::{BasisId, Digest, FrameId, NodeId};
use crate::git::{Encoded, HashKind, ObjectKind};

/// What is known of a frame once it has a place in the store.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Stored {
    /// Its name: node, agent, type, generation, id.
    pub name: FrameName,
    /// What it was made from.
    pub basis: BasisId,
    /// How it was made.
    pub basis_kind: BasisKind,
    /// The digest of its content.
    pub content: Digest,
    /// The blob that holds it.
    pub blob: NodeId,
    /// True when it remembers its policy.
    pub has_policy: bool,
    /// True when any clone makes it again: see [`Frame::is_derived`].
    pub is_derived: bool,
    /// The key of its slot and path; absent for an invalidation and where no path is known.
    pub(super) place: Option<Place>,
}

impl Stored {
    /// What is known of a frame that stands in a blob.
    #[must_use]
    pub fn of(frame: &Frame, blob: NodeId) -> Self {
        let name = FrameName::of(frame);
        let content = content_digest(&frame.content);
        let path = frame
            .path
            .as_ref()
            .filter(|_| frame.basis_kind != BasisKind::Invalidation);
        let place = path.map(|path| place_of(&frame.agent, &frame.frame_type, path));
        let (has_policy, is_derived) = (frame.policy().is_some(), frame.is_derived());
        Self {
            name,
            basis: frame.basis,
            basis_kind: frame.basis_kind,
            content,
            blob,
            has_policy,
            is_derived,
            place,
        }
    }

    /// What the index knows of it as a head, given the newest invalidation of its slot.
    #[must_use]
    pub fn record(&self, invalidation: Option<(u32, FrameId)>) -> Record {
        let Stored {
            name,
            basis,
            basis_kind,
            content,
            blob,
            has_policy,
            is_derived,
            place: _,
        } = self;
        Record {
            seq: name.seq,
            frame: name.frame,
            basis: *basis,
            basis_kind: *basis_kind,
            content: *content,
            blob: *blob,
            invalidation,
            has_policy: *has_policy,
            is_derived: *is_derived,
        }
    }
}

/// A frame on its way into the store, encoded on whatever thread made it.
#[derive(Clone)]
pub struct NewFrame {
    pub(super) stored: Stored,
    pub(super) again: bool,
    /// Whether a person or a model says it.
    pub(super) is_said: bool,
    pub(super) blob: Encoded,
}

impl NewFrame {
    /// Encodes a frame. Its generation is a guess that saves encoding it again; the store has the last word.
    ///
    /// `again` stores it even where the newest frame of its slot says the same already.
    pub fn new(hash: HashKind, frame: &Frame, again: bool) -> Result<Self, CodecError> {
        let blob = Encoded::new(hash, ObjectKind::Blob, &encode(frame)?);
        Ok(Self {
            stored: Stored::of(frame, blob.id),
            again,
            is_said: !frame.is_derived(),
            blob,
        })
    }

    /// What is known of it.
    #[must_use]
    pub fn stored(&self) -> &Stored {
        &self.stored
    }

    /// Compressed size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.blob.size_bytes()
    }

    /// Gives the frame another generation, encoding it again where that is not the one it has.
    pub(super) fn renumber(&mut self, hash: HashKind, seq: u32) {
        if self.stored.name.seq == seq {
            return;
        }
        let mut frame = decode(&self.blob.data()).expect("a frame that was encoded decodes");
        frame.seq = seq;
        let bytes = encode(&frame).expect("a few digits more do not pass the limit");
        self.blob = Encoded::new(hash, ObjectKind::Blob, &bytes);
        self.stored = Stored::of(&frame, self.blob.id);
    }
}
