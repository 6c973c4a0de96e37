//! Settings from many places: which are in force, where each comes from, and who is allowed to say what.
//!
//! Owns the ranking of the places, the table of settings, and the reading of values. Knows no domain and
//! no git: it never asks what a key is for. Lowest to highest:
//!
//! | place | level |
//! |---|---|
//! | built in | protected |
//! | the user's `git-merkle/config.toml` | protected |
//! | the repository's `.teddy/config.toml` | repository |
//! | git's configuration, system and global | protected |
//! | git's configuration, local and worktree | local |
//! | environment, `GIT_MERKLE_*` | protected |
//! | command line, `-c merkle.<key>=<value>` | protected |
//!
//! Which settings there are, of which type, and what a level that is not protected may say of them, is data in
//! [`table`]. A mistake in a protected place is an error, elsewhere the entry is ignored with a warning.
//! Start with [`Stack`].

pub mod environment;
pub mod fault;
pub mod folder;
pub mod key;
pub mod kind;
pub mod layer;
pub mod locate;
pub mod lookup;
pub mod origin;
pub mod permission;
pub mod setting;
pub mod source;
pub mod stack;
pub mod table;
pub mod trust;
pub mod value;

pub use environment::Environment;
pub use fault::Diagnostic;
pub use folder::Folder;
pub use key::Key;
pub use kind::ValueError;
pub use kind::ValueKind;
pub use layer::{Assignment, Layer};
pub use origin::{Origin, Place, TrustLevel};
pub use permission::{Order, Permission};
pub use setting::{KeySection, Setting};
pub use source::SourceError;
pub use stack::{Ignored, Mistake, Rejection, Stack};
