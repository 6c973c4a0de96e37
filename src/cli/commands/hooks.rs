//! `git merkle hooks`: put hooks into the repository, take them out, and say how they stand.

pub mod install;
pub mod run;
pub mod status;
pub mod uninstall;
pub mod worker;

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use crate::base::printable;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::git::Repository;
use crate::hook::detach;
use crate::hook::install::{Action, HookRefusal, HookStep};
use crate::workspace::Presentation;

/// Arguments of `hooks`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Verb,
}

#[derive(Debug, clap::Subcommand)]
enum Verb {
    /// Install the hooks; your own hooks stay and run as before
    Install(install::Args),
    /// Remove the hooks, and restore everything as it was
    Uninstall(uninstall::Args),
    /// Show which hooks are installed, and which of them git runs
    Status(status::Args),
    /// What the hooks call
    #[command(hide = true)]
    Run(run::Args),
    /// What the hooks start
    #[command(hide = true)]
    Worker(worker::Args),
}

impl Args {
    /// See [`detach::settle`].
    pub fn settle(&self) {
        if matches!(self.action, Verb::Worker(_)) {
            detach::settle();
        }
    }
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Verb::Install(args) => install::run(args, program),
        Verb::Uninstall(args) => uninstall::run(args, program),
        Verb::Status(args) => status::run(args, program),
        Verb::Run(args) => Ok(run::run(args, program)),
        Verb::Worker(args) => worker::run(args, program),
    }
}

/// What became of a hook, as `--json` says it.
#[derive(Debug, Serialize)]
struct StepDocument {
    event: &'static str,
    action: &'static str,
    path: String,
    reason: Option<&'static str>,
}

/// Opens the repository; settings and agents take no part.
fn open(program: &mut Program) -> Result<Repository, CliError> {
    let repository = Repository::open(&program.global.location())?;
    program.ui.adopt(Presentation::load(&repository));
    Ok(repository)
}

fn step_documents(steps: &[HookStep]) -> Vec<StepDocument> {
    let document = |step: &HookStep| StepDocument {
        event: step.event.name(),
        action: word(step.action).0,
        path: json::path(step.path.as_os_str().as_bytes()),
        reason: reason(step.action),
    };
    steps.iter().map(document).collect()
}

fn show_steps(ui: &mut Ui, repository: &Repository, steps: &[HookStep]) -> Result<(), CliError> {
    for step in steps {
        let (word, style) = word(step.action);
        let word = ui.styled(style, word).to_string();
        write!(ui, "{word} {} ", step.event.name())?;
        show_path(ui, repository, &step.path)?;
        if let Some(reason) = reason(step.action) {
            write!(ui, " ({reason})")?;
        }
        writeln!(ui)?;
    }
    Ok(())
}

/// A path as short as it gets: below the work tree's root, or whole.
fn show_path(ui: &mut Ui, repository: &Repository, path: &Path) -> Result<(), CliError> {
    let root = repository.work_dir().unwrap_or(repository.git_dir());
    let short = path.strip_prefix(root).unwrap_or(path);
    let shown = ui.path(short.as_os_str().as_bytes()).into_owned();
    Ok(ui.write_bytes(&shown)?)
}

fn word(action: Action) -> (&'static str, Style) {
    match action {
        Action::Created => ("created", Style::Good),
        Action::Added => ("added", Style::Good),
        Action::Chained => ("chained", Style::Good),
        Action::Updated => ("updated", Style::Good),
        Action::Kept => ("kept", Style::Dim),
        Action::Removed => ("removed", Style::Good),
        Action::Refused(_) => ("left", Style::Caution),
    }
}

fn reason(action: Action) -> Option<&'static str> {
    match action {
        Action::Refused(HookRefusal::NotAFile) => Some("it is neither a file nor a link"),
        Action::Refused(HookRefusal::NameTaken) => {
            Some("the hook beside it whose name ends in '.merkle-chained' is in the way")
        }
        Action::Refused(HookRefusal::NamesItself) => {
            Some("it acts by its own name and cannot be renamed; --force does it")
        }
        _ => None,
    }
}

/// A path for a message.
fn quoted(path: &Path) -> String {
    format!("'{}'", printable(&path.to_string_lossy()))
}
