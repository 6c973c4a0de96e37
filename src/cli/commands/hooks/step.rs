//! What became of each hook, for people and for programs.

use std::os::unix::ffi::OsStrExt;
use std::path::Path;

use serde::Serialize;

use crate::cli::{CliError, Style, Ui, json};
use crate::git::Repository;
use crate::hook::install::{Action, HookRefusal, HookStep};

/// What became of a hook, as `--json` says it.
#[derive(Debug, Serialize)]
pub(super) struct StepDocument {
    event: &'static str,
    action: &'static str,
    path: String,
    reason: Option<&'static str>,
}

pub(super) fn step_documents(steps: &[HookStep]) -> Vec<StepDocument> {
    let document = |step: &HookStep| StepDocument {
        event: step.event.name(),
        action: word(step.action).0,
        path: json::path(step.path.as_os_str().as_bytes()),
        reason: reason(step.action),
    };
    steps.iter().map(document).collect()
}

pub(super) fn show_steps(
    ui: &mut Ui,
    repository: &Repository,
    steps: &[HookStep],
) -> Result<(), CliError> {
    for step in steps {
        let (word, style) = word(step.action);
        let word = ui.styled(style, word);
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
pub(super) fn show_path(ui: &mut Ui, repository: &Repository, path: &Path) -> Result<(), CliError> {
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
        Action::Refused(HookRefusal::NotExecutable) => {
            Some("it is not executable, so git does not run it; 'chmod +x' makes it so")
        }
        _ => None,
    }
}
