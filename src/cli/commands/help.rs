//! `git merkle help`: what `-h` prints, for those who type it as they do with git.

use crate::cli::args::definition;
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
    let mut command = definition();
    command.build();
    let found = super::man::find(&mut command, &args.command)?;
    let text = found.render_help().to_string();
    program.page();
    write!(program.ui, "{text}")?;
    Ok(Exit::Done)
}
