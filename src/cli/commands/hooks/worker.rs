//! `git merkle hooks worker`: the process apart from the terminal that does what the hooks left to be done.

use std::path::Path;
use std::time::Duration;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::{Environment, table};
use crate::git::{Location, Repository, StateDir};
use crate::hook::marker::Marker;
use crate::hook::{log, worker};
use crate::ops;
use crate::workspace::Workspace;

/// Arguments of `hooks worker`.
#[derive(Debug, clap::Args)]
pub struct Args {}

/// Works until the queue is empty. The process is detached from its parent by now.
pub fn run(_args: &Args, program: &Program) -> Result<Exit, CliError> {
    let location = program.global.location();
    let state = StateDir::of(&Repository::open(&location)?);
    // Settings that make no sense are told about when there is work to do, like everything else that fails then.
    let workspace = Workspace::open(
        &location,
        &program.environment,
        program.global.settings(),
        None,
    )
    .ok();
    let quiet = workspace.and_then(|workspace| {
        workspace
            .settings
            .stack()
            .duration(&table::HOOK_QUIET)
            .ok()
            .flatten()
    });
    let quiet = quiet.unwrap_or_default();
    let mut work = |marker: &Marker| work(marker, &state, &program.environment);
    match worker::run(&state, quiet.max(Duration::from_millis(1)), &mut work) {
        Ok(_) => Ok(Exit::Done),
        Err(error) => {
            log::leave_error(&state, &error.to_string());
            Err(CliError::io("the worker failed", error))
        }
    }
}

/// Brings one worktree up to date; the line for the log, or what failed.
fn work(marker: &Marker, state: &StateDir, environment: &Environment) -> Result<String, String> {
    let location = Location {
        directory: marker.directory.clone(),
        ..Location::default()
    };
    let workspace = Workspace::open(&location, environment, [], None)
        .map_err(|error| CliError::from(error).to_string())?;
    // The queue may have come with the repository: what is worked on is the repository that the queue is in.
    let real = |path: &Path| path.canonicalize().ok();
    if real(workspace.repository.common_dir()) != real(state.git_dir()) {
        return Err(format!(
            "'{}' is no worktree of this repository",
            marker.directory.display()
        ));
    }
    let background = ops::background::refresh_in_background(&workspace)
        .map_err(|error| CliError::from(error).to_string())?;
    let exchanged = ops::autosync::exchange_in_background(&workspace, &marker.event);
    let done: Vec<String> = background
        .done
        .iter()
        .map(ToString::to_string)
        .chain(exchanged)
        .collect();
    if let Some(problem) = background.problems.first() {
        return Err(problem.clone());
    }
    Ok(done.join(", "))
}
