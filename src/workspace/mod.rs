//! The only place where the parts are put together: a repository with its settings, state, agents and store.
//!
//! Owns opening, the typed settings, what `<node>` arguments mean, and bringing frames up to date for a caller that
//! has nothing but arguments. Operations of lower modules take from it the few things they need, never the whole.
//! Must not print, and must not know how a surface looks. Start with [`Workspace`].

pub mod absent;
pub mod asking;
pub mod autosync;
pub mod background;
pub mod branch;
pub mod carried;
pub mod earlier;
pub mod evaluate;
pub mod evidence;
pub mod files;
pub mod find;
mod git_config;
mod last_run;
pub mod map;
pub mod offer;
pub mod open;
pub mod outline;
pub mod overview;
pub mod pages;
pub mod payload;
pub mod refresh;
pub mod review;
pub mod secrets;
pub mod settings;
pub mod sharing;
pub mod signing;
mod state;
pub mod statement;
pub mod syntheses;
pub mod target;
pub mod touched;
pub mod trust;
pub mod worth;

pub use asking::{AskingError, AskingOptions, ComposeError, Draft, Payer};
pub use background::{Background, Done};
pub use carried::{Carried, PeopleSay};
pub use earlier::Earlier;
pub use evaluate::EvaluateError;
pub use evidence::Evidence;
pub use files::FilesError;
pub use find::{FindError, Findable, Ranking};
pub use map::SnapshotSymbols;
pub use offer::{AgentOffer, FileOffer, Offer};
pub use open::{Workspace, WorkspaceError};
pub use pages::PageOptions;
pub use payload::{InputError, PayloadOptions, SecretPolicy};
pub use refresh::{Asking, Planned, Refresh, RefreshError, Refreshed};
pub use secrets::RulesError;
pub use settings::{Gathered, PagerSetting, Presentation, Settings, SettingsError, When};
pub use sharing::Sharing;
pub use statement::{Statement, StatementError};
pub use syntheses::{PlannedSyntheses, Synthesis, Synthesized, Upkeep};
pub use target::{Target, TargetError, find_object, find_target, locate};
pub use trust::{Judged, Memory, Trust, TrustError};
