//! `git merkle hooks run <event>`: what a hook calls. Leaves a marker, starts the worker if none is at work, and goes.
//!
//! It says nothing, reads nothing from its input and always ends with 0: no hook of ours changes what the user's git does.

use std::ffi::OsStr;

use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::table;
use crate::hook::install::record::InstallRecord;
use crate::hook::marker::{self, Marker};
use crate::hook::{detach, worker};
use crate::workspace::Workspace;

/// Arguments of `hooks run`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The hook's name, such as post-commit
    #[arg(value_name = "event")]
    event: String,
    /// What git gives the hook: not looked at
    #[arg(
        value_name = "argument",
        trailing_var_arg = true,
        allow_hyphen_values = true
    )]
    arguments: Vec<std::ffi::OsString>,
}

/// Runs it; a failure is not reported.
#[must_use]
pub fn run(args: &Args, program: &Program) -> Exit {
    // A hook that fails would be noise in the user's git; what is missing is found by comparing.
    let _ = hand_over(args, program);
    Exit::Done
}

fn hand_over(args: &Args, program: &Program) -> Result<(), CliError> {
    let workspace = Workspace::open(
        &program.global.location(),
        &program.environment,
        program.global.settings(),
        None,
    )?;
    if !is_wanted(&workspace, program) {
        return Ok(());
    }
    let repository = &workspace.repository;
    let git_dir = repository
        .git_dir()
        .canonicalize()
        .map_err(|error| CliError::io("cannot find the git directory", error))?;
    let directory = repository
        .work_dir()
        .map(|path| path.canonicalize().unwrap_or_else(|_| path.to_owned()));
    let directory = directory.unwrap_or_else(|| git_dir.clone());
    let marker = Marker {
        git_dir,
        directory,
        event: args.event.clone(),
    };
    let failed = |error| CliError::io("cannot leave a marker", error);
    marker::leave(&workspace.state, &marker).map_err(failed)?;
    if worker::is_at_work(&workspace.state) {
        return Ok(());
    }
    let own = std::env::current_exe().map_err(failed)?;
    let arguments = [
        OsStr::new("-C"),
        marker.directory.as_os_str(),
        OsStr::new("hooks"),
        OsStr::new("worker"),
    ];
    detach::start(&own, &arguments, &program.environment).map_err(failed)
}

/// True where hooks were installed, or the user switched them on: by `GIT_MERKLE_HOOKS` or `merkle.hooks`, which switch them off
/// as well, and in continuous integration have to say yes.
///
/// A folder of hooks that repositories share, or the project's own, calls this in all of them; who never asked for it, or
/// took it out, gets nothing.
fn is_wanted(workspace: &Workspace, program: &Program) -> bool {
    match workspace.settings.stack().boolean(&table::HOOKS) {
        Ok(Some(wanted)) => wanted,
        Ok(None) => {
            // A record that cannot be read was written by an installation.
            let is_installed = !matches!(InstallRecord::load(&workspace.state), Ok(None));
            is_installed
                && program
                    .environment
                    .text("CI")
                    .is_none_or(|text| text == "false")
        }
        Err(_) => false,
    }
}
