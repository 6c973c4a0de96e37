//! The providers that the settings in force define, inside of a repository or not.

use crate::cli::commands::config::gathered::gather;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::Stack;
use crate::provider::{Definition, DefinitionError, Definitions};
use crate::workspace::Presentation;

/// The providers that the settings in force define.
pub(in crate::cli) fn definitions(program: &mut Program) -> Result<Definitions, CliError> {
    Ok(Definitions::load(&stack(program)?)?)
}

/// The settings in force, inside of a repository or not.
pub(in crate::cli) fn stack(program: &mut Program) -> Result<Stack, CliError> {
    let (repository, gathered) = gather(program)?;
    gathered.check()?;
    if let Some(repository) = &repository {
        program.ui.adopt(Presentation::load(repository));
    }
    program.ui.warn_all(gathered.warnings());
    Ok(gathered.stack)
}

/// The one of a name, or the only one.
pub(in crate::cli) fn chosen<'a>(
    definitions: &'a Definitions,
    name: Option<&str>,
) -> Result<&'a Definition, CliError> {
    let found = name.map_or_else(|| definitions.the_only(), |name| definitions.get(name));
    found.map_err(|error| match error {
        DefinitionError::Several(_) => {
            CliError::from_source(Exit::Config, error).hint("name one of them")
        }
        other => other.into(),
    })
}
