//! `git merkle profile`: show and check profiles: how models are asked.

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `profile`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
pub fn run(_args: &Args, _program: &mut Program) -> Result<Exit, CliError> {
    Err(CliError::new(Exit::Usage, "not there yet"))
}
