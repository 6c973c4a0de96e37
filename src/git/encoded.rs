//! Objects made ready to be written: hashed and compressed on whatever thread made them, and gathered in a batch.
//!
//! What is kept is the zlib stream that a pack takes as it is.

use std::cell::RefCell;
use std::collections::HashSet;
use std::io::{self, Write};
use std::sync::Arc;

use flate2::write::ZlibEncoder;
use flate2::{Compression, Decompress, FlushDecompress};

use super::object::{ObjectKind, TreeEntry, from_oid};
use super::repo::HashKind;
use crate::base::NodeId;
use crate::base::number::{low_byte, to_u32};

/// On frames of 2 KiB, level 1 takes a third of the time and a third more space; from 2 on little changes.
const LEVEL: Compression = Compression::new(6);
/// Trees are digests: on one of 74 KB, level 1 takes half of the time and a fiftieth more space.
const TREE_LEVEL: Compression = Compression::new(1);

/// An object ready to be written: hashed and compressed, on whatever thread made it. Cheap to clone.
#[derive(Clone)]
pub struct Encoded {
    /// Its id.
    pub id: NodeId,
    pub(super) kind: ObjectKind,
    pub(super) size: usize,
    deflated: Arc<[u8]>,
}

impl Encoded {
    /// Hashes and compresses an object.
    #[must_use]
    pub fn new(hash: HashKind, kind: ObjectKind, data: &[u8]) -> Self {
        let oid = gix::objs::compute_hash(hash.to_gix(), kind.to_gix(), data)
            .expect("data is no SHA-1 collision attack");
        Self {
            id: from_oid(&oid),
            kind,
            size: data.len(),
            deflated: deflate(kind, data).into(),
        }
    }

    /// Writes the object as an entry of a pack: kind and size in a varint, then the zlib stream.
    pub(super) fn write_entry(&self, out: &mut impl Write) -> io::Result<()> {
        let kind = match self.kind {
            ObjectKind::Commit => 1,
            ObjectKind::Tree => 2,
            ObjectKind::Blob => 3,
            ObjectKind::Tag => 4,
        };
        let mut byte = kind << 4 | low_byte(self.size as u64 & 15);
        let mut rest = self.size >> 4;
        while rest > 0 {
            out.write_all(&[byte | 0x80])?;
            byte = low_byte(rest as u64 & 0x7f);
            rest >>= 7;
        }
        out.write_all(&[byte])?;
        out.write_all(&self.deflated)
    }

    /// Compressed size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.deflated.len() as u64
    }

    /// The object's body again.
    #[must_use]
    pub fn data(&self) -> Vec<u8> {
        let mut body = Vec::with_capacity(self.size);
        Decompress::new(true)
            .decompress_vec(&self.deflated, &mut body, FlushDecompress::Finish)
            .expect("what was compressed here can be inflated");
        body
    }
}

impl std::fmt::Debug for Encoded {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} {}", self.kind, self.id)
    }
}

/// Objects to be written together.
#[derive(Debug, Default)]
pub struct Batch {
    pub(super) objects: Vec<Encoded>,
    ids: HashSet<NodeId>,
    size_bytes: u64,
}

impl Batch {
    /// Adds an object, once however often it is added.
    pub fn add(&mut self, object: Encoded) {
        if self.ids.insert(object.id) {
            self.size_bytes += object.deflated.len() as u64;
            self.objects.push(object);
        }
    }

    /// Adds the tree of these entries, in whatever order; its id.
    pub fn add_tree(&mut self, hash: HashKind, mut entries: Vec<TreeEntry<'_>>) -> NodeId {
        entries.sort_by(TreeEntry::tree_order);
        let mut body = Vec::new();
        for entry in entries {
            entry.encode(&mut body);
        }
        let tree = Encoded::new(hash, ObjectKind::Tree, &body);
        let id = tree.id;
        self.add(tree);
        id
    }

    /// Adds the objects of another batch.
    pub fn append(&mut self, other: Self) {
        other
            .objects
            .into_iter()
            .for_each(|object| self.add(object));
    }

    /// How many objects.
    #[must_use]
    pub fn len(&self) -> usize {
        self.objects.len()
    }

    /// True when there is nothing to write.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.objects.is_empty()
    }

    /// Compressed size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> u64 {
        self.size_bytes
    }

    /// Streams the batch as a pack, version 2, without deltas.
    pub(super) fn write_pack(&self, hash: HashKind, out: &mut impl Write) -> io::Result<()> {
        let mut out = gix::hash::io::Write::new(out, hash.to_gix());
        out.write_all(b"PACK")?;
        out.write_all(&2_u32.to_be_bytes())?;
        out.write_all(&to_u32(self.objects.len()).to_be_bytes())?;
        for object in &self.objects {
            object.write_entry(&mut out)?;
        }
        let digest = out.hash.try_finalize().map_err(io::Error::other)?;
        out.inner.write_all(digest.as_bytes())
    }
}

/// Compresses into a zlib stream; a compressor is made once a thread, which costs more than a small object.
fn deflate(kind: ObjectKind, data: &[u8]) -> Vec<u8> {
    type Encoder = RefCell<ZlibEncoder<Vec<u8>>>;
    thread_local! {
        static OF_TREES: Encoder = RefCell::new(ZlibEncoder::new(Vec::new(), TREE_LEVEL));
        static OF_OTHERS: Encoder = RefCell::new(ZlibEncoder::new(Vec::new(), LEVEL));
    }
    let encoder = if kind == ObjectKind::Tree {
        &OF_TREES
    } else {
        &OF_OTHERS
    };
    encoder.with_borrow_mut(|encoder| {
        encoder
            .write_all(data)
            .and_then(|()| encoder.reset(Vec::new()))
            .expect("zlib takes any bytes and memory holds them")
    })
}
