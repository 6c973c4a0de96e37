//! Puts the hooks into a repository beside what stands there, and takes them out again without a trace.
//!
//! Observed first (a folder as a value), then decided (a list of edits), then done (each edit once, undone when a later
//! one fails). The scripts themselves stand in `hooks/` at the top of the source. Two ways:
//!
//! | mode | where | when |
//! |---|---|---|
//! | config | `hook.<name>.*` in a file that `.git/config` includes | git 2.54 and later |
//! | hookdir | the folder that git runs hooks from | else |
//!
//! | what stands in the folder | what is done |
//! |---|---|
//! | nothing | a file of our own |
//! | a shell script | a marked block after its first line |
//! | anything else | renamed to `<hook>.merkle-chained`, and called by a script of our own |
//!
//! Never writes a folder inside the work tree or one that other repositories share, unless forced; never changes what a
//! hook of the user is given, or what it returns. Start with [`install()`].

pub mod edit;
pub mod event;
pub mod folder;
pub mod hook_manager;
pub mod include;
pub mod place;
pub mod plan;
pub mod record;
pub mod run;
pub mod script;
pub mod standing;

pub use edit::{Edit, EditError};
pub use event::HookEvent;
pub use folder::{HookFile, HookFolder};
pub use hook_manager::{HookManager, uses_lfs};
pub use place::{FolderOwner, HooksPath};
pub use plan::{Action, HookRefusal, HookStep};
pub use record::{InstallRecord, InstallRecordError, Mode};
pub use run::{Blocked, InstallError, InstallRequest, Prepared, install, prepare, uninstall};
pub use standing::{HookStatus, standing};
