//! The ground: one repository, as git sees it. The only home of gix and of the git program.
//!
//! Owns finding and opening repositories, reading objects and trees, comparing trees, resolving revisions,
//! writing batches of objects durably, moving refs by compare-and-swap, the store lock, and child processes.
//! Nothing outside this module names a gix type or starts the git program; nothing in it knows what a frame is.
//! Start with [`Repository`].

pub mod child;
pub mod commit;
pub mod config;
pub mod config_file;
pub mod credential;
pub mod diff;
mod dirty;
mod discover;
pub mod encoded;
pub mod file;
mod filter;
#[cfg(test)]
pub(crate) mod fixture;
mod hooks;
pub mod lock;
pub mod log;
pub mod object;
mod open;
pub mod pathspec;
mod pipes;
pub mod program;
pub mod reach;
pub mod ref_child;
mod ref_lock;
mod ref_path;
mod reflog;
pub mod refs;
pub mod refspec;
pub mod remote;
mod remote_program;
pub mod repo;
pub mod revision;
mod seal;
mod small_pack;
pub mod ssh;
mod staged;
pub mod state;
pub mod sweep;
mod system;
mod trees;
mod variable;
mod walk;
mod window;
pub mod work_change;
pub mod work_file;
pub mod worktree;
pub mod write;

pub use child::ChildError;
pub use commit::commit_body;
pub use config::{ConfigScope, ConfigValue, section_outside};
pub use config_file::ConfigFile;
pub use credential::CredentialOrigin;
pub use diff::{DiffEntry, Side, diff_trees};
pub use encoded::{Batch, Encoded};
pub use lock::Lock;
pub use log::LogEntry;
pub use object::{EntryMode, Header, ObjectError, ObjectKind, TreeEntry, tree_entries};
pub use pathspec::{PathFilter, Pathspec, PathspecError};
pub use reach::Reach;
pub use ref_child::{LockOwner, RefLockLeft};
pub use refs::{Expected, RefError};
pub use refspec::Overwriting;
pub use remote::{Prompt, Pushed, RemoteRef, is_ref_name};
pub use repo::{HashKind, Location, OpenError, Repository};
pub use revision::RevisionError;
pub use ssh::{Checked, Signer, Signers, SshError};
pub use state::{Refused, StateDir};
pub use sweep::Sweep;
pub use system::system_cause;
pub use work_change::{Applied, JournalState, WorkChange};
pub use work_file::{Unreachable, WorkFile, WorkFiles};
pub use worktree::IncludeFilter;
pub use write::{Held, WriteError};
