//! `git merkle hooks install`: puts the hooks in, or says what to write where this program must not.

use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;
use similar::TextDiff;

use super::open::open;
use super::step::{StepDocument, show_steps, step_documents};
use crate::base::Cost;
use crate::base::printable;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, amount};
use crate::git::Repository;
use crate::hook::install::{
    self, Action, Blocked, Edit, FolderOwner, HookEvent, HookManager, HooksPath, InstallRequest,
    Mode, Prepared,
};

/// What a user runs in a repository whose hooks were written by hand: no other user's files start them.
const SWITCH_ON: &str = "git config merkle.hooks true";

/// Arguments of `hooks install`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// How to install: auto, config (git 2.54 and later), hookdir, or print, which writes nothing
    #[arg(long, value_name = "mode", default_value = "auto", value_parser = ["auto", "config", "hookdir", "print"])]
    mode: String,
    /// Install only for these events, separated by commas
    #[arg(long, value_name = "list", value_delimiter = ',', value_parser = parse_event)]
    events: Option<Vec<HookEvent>>,
    /// Daily limit for paid agents, in US dollars (default: 0)
    #[arg(long, value_name = "usd", value_parser = amount::dollars)]
    budget: Option<u64>,
    /// Write to a hooks folder that belongs to the project or is shared with other repositories, after showing the difference
    #[arg(long)]
    force: bool,
    /// Install into a bare repository
    #[arg(long)]
    bare: bool,
}

#[derive(Debug, Serialize)]
struct Document {
    mode: &'static str,
    binary: String,
    directory: String,
    budget_usd: Option<Cost>,
    events: Vec<StepDocument>,
    blocked: Option<&'static str>,
    manager: Option<&'static str>,
    write: Vec<SnippetDocument>,
}

#[derive(Debug, Serialize)]
struct SnippetDocument {
    file: String,
    text: String,
}

fn parse_event(name: &str) -> Result<HookEvent, String> {
    let names = || HookEvent::ALL.map(HookEvent::name).join(", ");
    HookEvent::parse(name).ok_or_else(|| format!("expected some of {}", names()))
}

/// Installs, or says why not and what to do instead.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let repository = open(program)?;
    let is_print = args.mode == "print";
    let request = InstallRequest {
        mode: match args.mode.as_str() {
            "config" => Some(Mode::Config),
            "hookdir" | "print" => Some(Mode::Hookdir),
            _ => None,
        },
        events: args.events.clone(),
        budget_nano_dollars: args.budget,
        binary: binary(program)
            .map_err(|error| CliError::io("cannot find this program's own file", error))?,
        force: args.force,
        bare: args.bare,
    };
    let prepared = install::prepare(&repository, &request)?;
    if is_print || prepared.blocked.is_some() {
        return instead(&repository, &request, &prepared, &mut program.ui);
    }
    if prepared.place.verdict != FolderOwner::Own
        && prepared.mode == Mode::Hookdir
        && !program.ui.is_json()
    {
        show_differences(&mut program.ui, &prepared)?;
    }
    install::install(&repository, &prepared)?;
    if program.ui.is_json() {
        let document = Document {
            events: step_documents(&prepared.steps),
            ..document(&request, &prepared)
        };
        program.ui.write_json("hooks-install", &document)?;
    } else {
        show_steps(&mut program.ui, &repository, &prepared.steps)?;
        remark(&repository, &prepared, &program.ui);
    }
    if let Some(budget) = args.budget.filter(|_| !program.ui.is_json()) {
        let command = format!("git config --global merkle.hookBudget {}", Cost(budget));
        program.ui.note(&format!(
            "agents that cost something run once your own configuration allows it too: '{command}'"
        ));
    }
    let is_whole = !prepared
        .steps
        .iter()
        .any(|step| matches!(step.action, Action::Refused(_)));
    Ok(Exit::no_if(!is_whole))
}

/// Says what a person writes instead.
fn instead(
    repository: &Repository,
    request: &InstallRequest,
    prepared: &Prepared,
    ui: &mut Ui,
) -> Result<Exit, CliError> {
    let directory = &prepared.place.directory;
    let manager = HookManager::of(directory, repository.work_dir());
    let snippets = manager.snippets(directory, &prepared.events);
    let ending = prepared.blocked.filter(|_| !ui.is_json());
    if ui.is_json() {
        let write = snippets
            .into_iter()
            .map(|(file, text)| SnippetDocument { file, text })
            .collect();
        let document = Document {
            manager: Some(manager.name()),
            write,
            ..document(request, prepared)
        };
        ui.write_json("hooks-install", &document)?;
        return Ok(Exit::no_if(prepared.blocked.is_some()));
    }
    for (file, text) in snippets {
        let file = ui.styled(Style::Heading, &format!("{file}:"));
        let text = ui.styled(Style::Plain, &text);
        writeln!(ui, "{file}\n{text}")?;
    }
    if ending.is_none() {
        ui.note(&format!(
            "hooks that were not installed do something once '{SWITCH_ON}' was run"
        ));
    }
    ending.map_or(Ok(Exit::Done), |blocked| {
        Err(refusal(blocked, &prepared.place))
    })
}

fn by_hand() -> String {
    format!(
        "write the lines above into the files named and run '{SWITCH_ON}', or run 'git merkle hooks install --force'"
    )
}

fn refusal(blocked: Blocked, place: &HooksPath) -> CliError {
    let directory = quoted(&place.directory);
    let (text, hint) = match blocked {
        Blocked::InWorkTree => (
            format!("hooks folder {directory} belongs to the project"),
            by_hand(),
        ),
        Blocked::Shared => (
            format!("hooks folder {directory} is shared with other repositories"),
            by_hand(),
        ),
        Blocked::OneCommand => (
            format!("hooks folder {directory} was set for this command only"),
            "run 'git merkle hooks install' without '-c core.hooksPath'".to_owned(),
        ),
        Blocked::ReadOnly => (
            format!("hooks folder {directory} is closed for writing"),
            format!("run 'chmod u+w {}'", place.directory.display()),
        ),
        Blocked::NoFolder => (
            format!("{directory} is no folder, so git runs no hooks from it"),
            "run 'git config --unset core.hooksPath' to have hooks again".to_owned(),
        ),
    };
    CliError::new(Exit::No, text).hint(hint)
}

/// What a person should know of the project's hook manager.
fn remark(repository: &Repository, prepared: &Prepared, ui: &Ui) {
    let manager = HookManager::of(&prepared.place.directory, repository.work_dir());
    if prepared.mode == Mode::Hookdir
        && matches!(manager, HookManager::Lefthook | HookManager::PreCommit)
    {
        let name = manager.name();
        ui.note(&format!("{name} may write its hooks anew; 'git merkle hooks install --mode=print' shows what to tell it"));
    }
    let has_lfs_hook = |event: &HookEvent| {
        let hook = fs::read(prepared.place.directory.join(event.name())).unwrap_or_default();
        install::script::is_lfs(&install::script::strip(&hook))
    };
    let lfs_events: Vec<&HookEvent> = prepared
        .events
        .iter()
        .filter(|event| event.is_of_lfs())
        .collect();
    let is_lfs_to_come = prepared.mode == Mode::Hookdir
        && !lfs_events.iter().any(|event| has_lfs_hook(event))
        && repository.work_dir().is_some_and(install::uses_lfs);
    if is_lfs_to_come && !lfs_events.is_empty() {
        ui.note("'git lfs install' puts its own hooks in the place of these; run 'git merkle hooks install' again after it");
    }
}

/// Shows what is about to change outside of the git directory, before it does.
fn show_differences(ui: &mut Ui, prepared: &Prepared) -> Result<(), CliError> {
    for edit in prepared
        .edits
        .iter()
        .filter(|edit| edit.path().starts_with(&prepared.place.directory))
    {
        match edit {
            Edit::Write {
                path,
                before,
                after,
            } => {
                let text = |content: &Option<install::edit::HookContent>| {
                    content
                        .as_ref()
                        .map(|content| String::from_utf8_lossy(&content.bytes).into_owned())
                        .unwrap_or_default()
                };
                let (before, after, name) = (text(before), text(after), path.to_string_lossy());
                let diff = TextDiff::from_lines(&before, &after)
                    .unified_diff()
                    .header(&name, &name)
                    .to_string();
                let diff = ui.styled(Style::Plain, &diff);
                write!(ui, "{diff}")?;
            }
            Edit::Chain { hook, chained, own } => {
                let text = format!("rename {} to {}", hook.display(), chained.display());
                let lines = String::from_utf8_lossy(&own.bytes)
                    .trim_end()
                    .replace('\n', "\n+");
                let text = ui.styled(Style::Plain, &format!("{text}\n+{lines}"));
                writeln!(ui, "{text}")?;
            }
            _ => {}
        }
    }
    Ok(ui.flush()?)
}

fn document(request: &InstallRequest, prepared: &Prepared) -> Document {
    Document {
        mode: prepared.mode.name(),
        binary: request.binary.to_string_lossy().into_owned(),
        directory: prepared.place.directory.to_string_lossy().into_owned(),
        budget_usd: prepared.budget_nano_dollars.map(Cost),
        events: Vec::new(),
        blocked: prepared.blocked.map(blocked_word),
        manager: None,
        write: Vec::new(),
    }
}

fn blocked_word(blocked: Blocked) -> &'static str {
    match blocked {
        Blocked::InWorkTree => "in-work-tree",
        Blocked::Shared => "shared",
        Blocked::OneCommand => "one-command",
        Blocked::ReadOnly => "read-only",
        Blocked::NoFolder => "no-folder",
    }
}

/// What hooks call: this program under the name by which it is found, which outlives an update, else its file.
fn binary(program: &Program) -> std::io::Result<PathBuf> {
    let own = std::env::current_exe()?;
    let real = fs::canonicalize(&own)?;
    let search_path = program.environment.get("PATH").unwrap_or_default();
    let is_own = |path: &PathBuf| {
        path.is_absolute() && fs::canonicalize(path).is_ok_and(|found| found == real)
    };
    let found = std::env::split_paths(search_path)
        .map(|directory| directory.join("git-merkle"))
        .find(is_own);
    Ok(found.unwrap_or_else(|| Path::new(&own).to_owned()))
}

/// A path for a message.
fn quoted(path: &Path) -> String {
    format!("'{}'", printable(&path.to_string_lossy()))
}
