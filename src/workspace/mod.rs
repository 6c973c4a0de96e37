//! What is open, and who may do what with it: a repository with its settings, state, agents and store.
//!
//! Owns opening, the typed settings, trust, what `<node>` arguments mean, and what may stand in the state directory.
//! Does nothing by itself: what is done with a workspace stands in `ops/`. Must not print. Start with [`Workspace`].

mod git_config;
pub mod offer;
pub mod open;
pub mod paths;
pub mod secrets;
mod seen;
pub mod settings;
pub mod sharing;
pub(crate) mod state;
pub mod target;
pub mod trust;

pub use offer::{AgentOffer, FileOffer, Offer};
pub use open::{Workspace, WorkspaceError};
pub use paths::{NamedTarget, find_targets, path_filter, snapshot_filter};
pub use secrets::RulesError;
pub use settings::{GatheredSettings, PagerSetting, Presentation, Settings, SettingsError, When};
pub use sharing::Sharing;
pub use target::{Target, TargetError, find_object, find_target, locate};
pub use trust::{JudgedFolder, Trust, TrustError, TrustMemory};
