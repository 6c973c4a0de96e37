//! `git merkle trust`: accept this repository's agents, prompts and profiles, by content hash.

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `trust`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
pub fn run(_args: &Args, _program: &mut Program) -> Result<Exit, CliError> {
    Err(CliError::new(Exit::Usage, "not there yet"))
}
