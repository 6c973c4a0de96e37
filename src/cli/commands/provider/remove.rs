//! `provider remove`: a provider's settings go from the user's global configuration.

use serde::Serialize;

use super::configured;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::git::ConfigFile;
use crate::provider::key::{self, KeyPlace, KeyStatus};

/// Arguments of `provider remove`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The provider
    #[arg(value_name = "name")]
    name: String,
    /// Remove it though git's credential helper keeps a key for it
    #[arg(long)]
    keep_key: bool,
}

#[derive(Debug, Serialize)]
struct RemovedDocument<'a> {
    name: &'a str,
}

pub(super) fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let name = args.name.as_str();
    let definitions = configured::definitions(program)?;
    let definition = definitions.get(name)?;
    let status = key::status(definition, &program.environment)?;
    // Afterwards the provider's name does not lead to its key any more.
    if status == KeyStatus::Found(KeyPlace::Helper) && !args.keep_key {
        let message = format!("git's credential helper keeps a key for provider '{name}'");
        return Err(CliError::new(Exit::Refused, message)
            .hint(format!("'git merkle auth logout {name}' forgets it"))
            .hint(format!(
                "'git merkle provider remove --keep-key {name}' leaves it there"
            )));
    }
    if !ConfigFile::Global.remove_section(&format!("merkle.provider.{name}"))? {
        let message = format!("your global git configuration does not define provider '{name}'");
        return Err(CliError::new(Exit::Refused, message)
            .hint("'git merkle config list --show-origin' shows what does"));
    }
    if configured::definitions(program)?.get(name).is_ok() {
        program.ui.warn(&format!(
            "provider '{name}' is still defined; 'git merkle config list --show-origin' shows where"
        ));
    }
    if program.ui.is_json() {
        program
            .ui
            .write_json("provider-remove", &RemovedDocument { name })?;
    } else {
        writeln!(program.ui, "removed provider '{name}'")?;
    }
    Ok(Exit::Done)
}
