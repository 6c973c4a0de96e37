//! What can be done, one file for each thing: bringing frames up to date, asking, payloads, maps, statements.
//!
//! The only place where parts are put together. Operations are free functions that take the few things they need: the
//! repository, the state directory or the settings where these are enough, the workspace where they are not. Must not
//! print, and must not know how a surface looks. Start with [`refresh`](mod@refresh).

pub mod absent;
pub mod asking;
pub mod autosync;
pub mod background;
mod beside;
pub mod branch;
mod brief;
pub mod browse;
pub mod carried;
pub mod differing;
pub mod earlier;
pub mod evaluate;
pub mod evidence;
pub mod files;
pub mod find;
pub mod foreign;
mod headers;
mod index;
pub mod input;
pub mod last_run;
mod links;
mod machine;
pub mod map;
mod modules;
pub mod outline;
pub mod overview;
pub mod pages;
pub mod payload;
pub mod queue;
mod refers;
pub mod refresh;
pub mod remake;
pub mod rendered;
pub mod review;
pub mod signing;
pub mod staleness;
pub mod statement;
pub mod states;
pub mod syntheses;
mod synthesized;
pub mod touched;
mod version;
pub mod worth;

pub use asking::{AskingError, AskingOptions, ComposeError, Draft, Payer, asking};
pub use background::{AgentRun, Background};
pub use carried::{Carried, PeopleSay, carried};
pub use earlier::{Earlier, earlier};
pub use evaluate::EvaluateError;
pub use evidence::Evidence;
pub use files::FilesError;
pub use find::{FindError, Findable, Ranking};
pub use input::{InputError, PayloadOptions, SecretPolicy};
pub use map::SnapshotSymbols;
pub use outline::outline;
pub use pages::PageOptions;
pub use payload::payload;
pub use refresh::{ModelRun, Planned, Refresh, RefreshError, Refreshed, refresh};
pub use statement::{Invalidated, Invalidation, Statement, StatementError};
pub use syntheses::{PlannedSyntheses, Synthesis, SynthesisCount, Upkeep};
pub use synthesized::SynthesisReport;
