//! The repository, for commands in which settings and agents take no part.

use crate::cli::CliError;
use crate::cli::program::Program;
use crate::git::Repository;
use crate::workspace::Presentation;

/// Opens the repository; settings and agents take no part.
pub(super) fn open(program: &mut Program) -> Result<Repository, CliError> {
    let repository = Repository::open(&program.global.location())?;
    program.ui.adopt(Presentation::load(&repository));
    Ok(repository)
}
