//! `git merkle hooks status`: which hooks are installed, and what git really runs, in order.
//!
//! The answer has parts, each with a function that shows it and a field of the document: the installation is the first,
//! what the worker says of itself follows it.

use std::os::unix::ffi::OsStrExt;

use serde::Serialize;

use super::open::open;
use super::step::show_path;
use crate::base::Cost;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, json};
use crate::git::{Repository, StateDir};
use crate::hook::install::standing::{EventStanding, HookRunner};
use crate::hook::install::{HookStatus, Mode, standing};
use crate::hook::{log, marker, worker};

/// Runs of the worker that are shown.
const RUNS_SHOWN: usize = 3;

/// Arguments of `hooks status`.
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Debug, Serialize)]
struct Document {
    installed: bool,
    mode: Option<&'static str>,
    binary: Option<String>,
    directory: String,
    budget_usd: Option<Cost>,
    events: Vec<EventDocument>,
    worker: WorkerDocument,
}

/// What the worker says of itself.
#[derive(Debug, Serialize)]
struct WorkerDocument {
    at_work: bool,
    waiting: usize,
    log: String,
    last: Vec<String>,
}

#[derive(Debug, Serialize)]
struct EventDocument {
    event: &'static str,
    installed: bool,
    works: bool,
    effective: Vec<RunnerDocument>,
}

#[derive(Debug, Serialize)]
struct RunnerDocument {
    kind: &'static str,
    name: String,
}

/// Shows how the hooks stand.
pub fn run(_: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let repository = open(program)?;
    let found = standing(&repository)?;
    let worker = worker(&StateDir::of(&repository))?;
    if program.ui.is_json() {
        program
            .ui
            .write_json("hooks-status", &document(&found, worker))?;
        return Ok(Exit::Done);
    }
    show_installation(&mut program.ui, &repository, &found)?;
    show_worker(&mut program.ui, &worker)?;
    Ok(Exit::Done)
}

fn worker(state: &StateDir) -> Result<WorkerDocument, CliError> {
    let waiting = marker::list(state)
        .map_err(|error| CliError::io("cannot read the markers", error))?
        .len();
    let log = log::path(state).display().to_string();
    Ok(WorkerDocument {
        at_work: worker::is_at_work(state),
        waiting,
        log,
        last: log::tail(state, RUNS_SHOWN),
    })
}

/// The second part of the answer.
fn show_worker(ui: &mut Ui, worker: &WorkerDocument) -> Result<(), CliError> {
    let doing = if worker.at_work { "at work" } else { "idle" };
    writeln!(ui, "worker    {doing}, {} waiting", worker.waiting)?;
    for line in &worker.last {
        let line = ui.styled(Style::Dim, line);
        writeln!(ui, "          {line}")?;
    }
    Ok(())
}

/// The first part of the answer.
fn show_installation(
    ui: &mut Ui,
    repository: &Repository,
    found: &HookStatus,
) -> Result<(), CliError> {
    match &found.record {
        None => writeln!(ui, "hooks     not installed")?,
        Some(record) => {
            write!(ui, "hooks     installed, mode {}", record.mode.name())?;
            if record.mode == Mode::Hookdir {
                write!(ui, ", in ")?;
                show_path(
                    ui,
                    repository,
                    record
                        .directory
                        .as_deref()
                        .unwrap_or(&found.place.directory),
                )?;
            }
            let binary = ui.path(record.binary.as_os_str().as_bytes()).into_owned();
            write!(ui, "\nbinary    ")?;
            ui.write_bytes(&binary)?;
            let is_there = record.binary.is_file();
            let gone = if is_there {
                ""
            } else {
                " (gone; hooks look for git-merkle on the search path)"
            };
            let budget = record
                .budget_nano_dollars
                .map_or("none".to_owned(), |nano| {
                    format!("{} US dollars a day", Cost(nano))
                });
            writeln!(ui, "{gone}\nbudget    {budget}")?;
        }
    }
    let is_told = |event: &&EventStanding| event.is_installed || !event.effective.is_empty();
    for event in found.events.iter().filter(is_told) {
        show_event(ui, repository, event)?;
    }
    if found
        .events
        .iter()
        .any(|event| event.is_installed && !event.is_effective())
    {
        ui.note("'git merkle hooks install' puts back what another program has replaced, or says what to write");
    }
    Ok(())
}

fn show_event(ui: &mut Ui, repository: &Repository, event: &EventStanding) -> Result<(), CliError> {
    let (word, style) = match (event.is_installed, event.is_effective()) {
        (true, true) => ("installed", Style::Good),
        (true, false) => ("installed, but git does not run it", Style::Bad),
        (false, true) => ("not installed here, but git runs it", Style::Caution),
        (false, false) => ("not installed", Style::Dim),
    };
    let word = ui.styled(style, word);
    write!(ui, "{:<16}{word}", event.event.name())?;
    for (index, runner) in event.effective.iter().enumerate() {
        write!(ui, "{}", if index == 0 { "; runs " } else { ", then " })?;
        match runner {
            HookRunner::Merkle => write!(ui, "git merkle")?,
            HookRunner::Configured(name) => {
                let name = ui.styled(Style::Plain, name);
                write!(ui, "hook.{name}")?;
            }
            HookRunner::Hook(path) => show_path(ui, repository, path)?,
        }
    }
    Ok(writeln!(ui)?)
}

fn document(found: &HookStatus, worker: WorkerDocument) -> Document {
    let record = found.record.as_ref();
    Document {
        installed: record.is_some(),
        mode: record.map(|record| record.mode.name()),
        binary: record.map(|record| json::path(record.binary.as_os_str().as_bytes())),
        directory: json::path(found.place.directory.as_os_str().as_bytes()),
        worker,
        budget_usd: record
            .and_then(|record| record.budget_nano_dollars)
            .map(Cost),
        events: found.events.iter().map(event_document).collect(),
    }
}

fn event_document(event: &EventStanding) -> EventDocument {
    let runner = |runner: &HookRunner| match runner {
        HookRunner::Merkle => RunnerDocument {
            kind: "merkle",
            name: "git-merkle".to_owned(),
        },
        HookRunner::Configured(name) => RunnerDocument {
            kind: "config",
            name: name.clone(),
        },
        HookRunner::Hook(path) => RunnerDocument {
            kind: "hook",
            name: json::path(path.as_os_str().as_bytes()),
        },
    };
    EventDocument {
        event: event.event.name(),
        installed: event.is_installed,
        works: event.is_effective(),
        effective: event.effective.iter().map(runner).collect(),
    }
}
