//! Plain values that everything else is made of: digests, ids, paths, time, text that is safe to print, and threads.
//!
//! Owns the grammar of every id and the one way to hash. Knows neither git nor files nor the network, and
//! must never learn them: a value here can be built in a test with no repository at hand.
//! Start with [`id`].

pub mod absent;
pub mod clock;
pub mod codec;
pub mod cores;
pub mod cost;
pub mod count;
pub mod fence;
pub mod hash;
pub mod id;
pub mod kind;
pub mod limit;
pub mod lines;
pub mod locked;
pub mod number;
pub mod numbered;
pub mod path;
pub mod printable;
pub mod quick_hash;
pub mod runtime;
pub mod shelf;
pub mod token;
pub mod variable;

pub use cost::Cost;
pub use hash::{Digest, FieldHasher, HashKey};
pub use id::{AgentId, BasisId, FrameId, FrameType, IdError, NodeId};
pub use kind::{BasisKind, NodeKind};
pub use locked::locked;
pub use path::TreePath;
pub use printable::printable;
pub use runtime::runtime;
pub use shelf::Shelf;
