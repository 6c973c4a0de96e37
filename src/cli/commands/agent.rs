//! `git merkle agent`: show, check and make agents: who speaks, in which role, from which instructions.

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `agent`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
pub fn run(_args: &Args, _program: &mut Program) -> Result<Exit, CliError> {
    Err(CliError::new(Exit::Usage, "not there yet"))
}
