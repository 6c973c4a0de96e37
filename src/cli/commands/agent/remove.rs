//! `git merkle agent remove`: the files of an agent go; what no commit has goes only by force.

use std::fs;
use std::path::Path;

use serde::Serialize;

use super::edit::{self, AgentFiles};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::workspace::Workspace;

/// Arguments of `agent remove`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    #[command(flatten)]
    agent: edit::Which,
    /// Delete files as well that HEAD does not have as they are
    #[arg(long, short = 'f')]
    force: bool,
}

#[derive(Serialize)]
struct RemovedDocument<'a> {
    id: &'a str,
    files: Vec<String>,
}

/// Deletes the prompts that no other definition names, and the definition last.
pub(super) fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let id = &args.agent.id;
    let files = AgentFiles::find(&args.agent, program)?;
    let workspace = program.open()?;
    let is_kept = |path: &Path| !files.is_personal && is_committed(&workspace, &files.root, path);
    let only_here = files.paths.iter().find(|path| !is_kept(path));
    if let Some(path) = only_here.filter(|_| !args.force) {
        let message = format!("no commit has '{}' as it is", path.display());
        return Err(CliError::new(Exit::Refused, message)
            .hint(format!("'git merkle agent remove --force {id}' deletes it")));
    }
    let mut removed = Vec::new();
    for path in files.paths.iter().rev() {
        if *path != files.paths[0] && is_named_by_others(&files, path) {
            let path = path.display();
            program
                .ui
                .note(&format!("'{path}' stays: another agent names it"));
            continue;
        }
        let shown = path.display().to_string();
        fs::remove_file(files.root.join(path))
            .map_err(|error| CliError::io(format!("cannot delete '{shown}'"), error))?;
        removed.push(shown);
    }
    let ui = &mut program.ui;
    if ui.is_json() {
        let (id, files) = (id.as_str(), removed);
        ui.write_json("agent-remove", &RemovedDocument { id, files })?;
        return Ok(Exit::Done);
    }
    for path in removed {
        write!(ui, "removed ")?;
        let path = ui.path(path.as_bytes()).into_owned();
        ui.write_bytes(&path)?;
        ui.end_record()?;
    }
    ui.note("what it has said stays in the store");
    Ok(Exit::Done)
}

/// True when HEAD has the file as it is.
fn is_committed(workspace: &Workspace, root: &Path, path: &Path) -> bool {
    let repo = &workspace.repository;
    let text = path.to_string_lossy();
    let blob = repo
        .resolve_commit("HEAD")
        .ok()
        .and_then(|commit| repo.tree_of(&commit).ok())
        .and_then(|tree| repo.find_entry(&tree, text.as_bytes()).ok().flatten());
    let mut committed = Vec::new();
    let is_read = blob.is_some_and(|(_, id)| repo.read_any(&id, &mut committed).is_ok());
    is_read && fs::read(root.join(path)).is_ok_and(|bytes| bytes == committed)
}

/// True for a prompt that another definition beside this one names.
fn is_named_by_others(files: &AgentFiles, path: &Path) -> bool {
    let Some(name) = path.file_name().and_then(|name| name.to_str()) else {
        return false;
    };
    let own = files.root.join(&files.paths[0]);
    let beside = own.parent().and_then(|folder| fs::read_dir(folder).ok());
    let mut others = beside
        .into_iter()
        .flatten()
        .flatten()
        .map(|entry| entry.path())
        .filter(|path| *path != own && path.extension().is_some_and(|end| end == "toml"));
    // `docs.work.md` stands in `api-docs.work.md` as well.
    let names = |text: &str| {
        let found = text.match_indices(name);
        found
            .into_iter()
            .any(|(at, _)| text[..at].ends_with(['/', '"', '\'']))
    };
    others.any(|path| fs::read_to_string(path).is_ok_and(|text| names(&text)))
}
