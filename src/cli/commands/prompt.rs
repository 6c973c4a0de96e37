//! `git merkle prompt`: print the exact words that would be sent, and what they would cost; sends nothing.

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `prompt`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Does what was asked.
pub fn run(_args: &Args, _program: &mut Program) -> Result<Exit, CliError> {
    Err(CliError::new(Exit::Usage, "not there yet"))
}
