//! `git merkle help`: all options of a command, for those who type it as they do with git.

use crate::cli::help::help;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};

/// Arguments of `help`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The command, and its own command where it has some
    #[arg(value_name = "command")]
    command: Vec<String>,
}

/// Prints the help of a command, or the list of commands.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let text = help(&args.command, true)?;
    program.page();
    write!(program.ui, "{text}")?;
    Ok(Exit::Done)
}
