//! Facts: frames, what one agent says about one node, and the append-only store that holds them.
//!
//! Owns the frame's model and bytes, the names in the store's tree, the union of two stores, the write protocol
//! and the derived index. Must never change a frame, remove one but by an epoch, decide by a clock, or know who makes frames
//! and why.
//! Start with [`Frame`] and [`Store`]; the bytes are in [`codec`], the write protocol in [`commit`](mod@commit).

pub mod codec;
pub mod commit;
mod directory;
pub mod entry;
pub mod epoch;
mod fault;
pub mod index;
pub mod listing;
pub mod manifest;
pub mod merge;
pub mod model;
pub mod name;
mod news;
pub mod orphan;
mod record;
pub mod retain;
pub mod signed;
pub mod spool;
pub mod store;
mod stored;
mod table;
pub mod unsigned;
pub mod verify;
mod voice;

pub use codec::{CodecError, decode, encode};
pub use commit::{Committed, commit};
pub use entry::{Entry, FRAMES_REF, ManifestEntry, StoreError};
pub use fault::{BadEntry, Fault, Skipped};
pub use index::Index;
pub use manifest::{Manifest, ManifestError, StatementKey};
pub use model::{
    Basis, BasisKind, Children, Frame, Head, MadeBy, NodeKind, Slot, TOOL, Usage, content_digest,
    frame_id,
};
pub use name::FrameName;
pub use record::Record;
pub use store::{Store, StoreState};
pub use stored::{NewFrame, Stored};
pub use voice::{Silent, Voice, Voices, newest_first};
