//! `git merkle hooks`: put hooks into the repository, take them out, and say how they stand.

pub mod install;
mod open;
pub mod run;
pub mod status;
mod step;
pub mod uninstall;
pub mod worker;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::hook::detach;

/// Arguments of `hooks`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Install the hooks; your own hooks stay and run as before
    Install(install::Args),
    /// Remove the hooks, and restore everything as it was
    Uninstall(uninstall::Args),
    /// Show which hooks are installed, and which of them git runs
    Status(status::Args),
    /// What the hooks call
    #[command(hide = true)]
    Run(run::Args),
    /// What the hooks start
    #[command(hide = true)]
    Worker(worker::Args),
}

impl Args {
    /// See [`detach::settle`].
    pub fn settle(&self) {
        if matches!(self.action, Verb::Worker(_)) {
            detach::settle();
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Verb::Install(args) => install::run(args, program),
        Verb::Uninstall(args) => uninstall::run(args, program),
        Verb::Status(args) => status::run(args, program),
        Verb::Run(args) => Ok(run::run(args, program)),
        Verb::Worker(args) => worker::run(args, program),
    }
}
