//! Whom a turn is sent to, as the command line says.

use crate::cli::program::Program;
use crate::session::TurnAsking;

/// The session, the provider and the profile.
#[derive(Debug, Clone, clap::Args)]
pub(super) struct RecipientArgs {
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    pub(super) session: Option<String>,
    /// The provider to send it to (default: that of the session, the profile, merkle.defaultProvider, or the only one)
    #[arg(long, value_name = "provider")]
    pub(super) provider: Option<String>,
    /// The profile with the request's parameters (default: the session's, then merkle.defaultProfile)
    #[arg(long, value_name = "profile")]
    profile: Option<String>,
}

impl RecipientArgs {
    /// What a turn is to be asked with.
    pub(super) fn asking(&self, program: &Program) -> TurnAsking {
        TurnAsking {
            provider: self.provider.clone(),
            profile: self.profile.clone(),
            allowed: program.global.allow_secret.clone(),
        }
    }
}
