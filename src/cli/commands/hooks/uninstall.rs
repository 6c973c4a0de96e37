//! `git merkle hooks uninstall`: takes the hooks out, and leaves everything as it was.

use serde::Serialize;

use super::open::open;
use super::step::{StepDocument, show_steps, step_documents};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::hook::install;

/// Arguments of `hooks uninstall`.
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Debug, Serialize)]
struct Document {
    events: Vec<StepDocument>,
}

/// Takes everything out that was installed.
pub fn run(_: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let repository = open(program)?;
    let prepared = install::uninstall(&repository)?;
    let steps = prepared
        .as_ref()
        .map(|prepared| prepared.steps.as_slice())
        .unwrap_or_default();
    if let Some(prepared) = &prepared {
        install::install(&repository, prepared)?;
    }
    if program.ui.is_json() {
        program.ui.write_json(
            "hooks-uninstall",
            &Document {
                events: step_documents(steps),
            },
        )?;
        return Ok(Exit::Done);
    }
    show_steps(&mut program.ui, &repository, steps)?;
    if prepared.is_none() {
        program.ui.note("no hooks are installed");
    }
    Ok(Exit::Done)
}
