//! `git merkle hooks`: accelerators that keep frames fresh while people work.

mod run;
mod worker;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `hooks`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// What a hook calls: leaves a marker, starts the worker, and goes
    #[command(hide = true)]
    Run(run::Args),
    /// Does what the hooks left to be done
    #[command(hide = true)]
    Worker(worker::Args),
}

/// Does what was asked.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Action::Run(args) => Ok(run::run(args, program)),
        Action::Worker(args) => worker::run(args, program),
    }
}
