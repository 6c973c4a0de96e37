//! `git merkle provider`: show, check, try and add providers: who can be asked.

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `provider`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
pub fn run(_args: &Args, _program: &mut Program) -> Result<Exit, CliError> {
    Err(CliError::new(Exit::Usage, "not there yet"))
}
