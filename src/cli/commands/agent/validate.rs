//! `git merkle agent validate`: everything that is wrong with definitions, by file and line.

use crate::agent::{AgentError, AgentOrigin, Registry};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, faults};
use crate::config::{Diagnostic, Folder};
use crate::workspace::Workspace;

/// Arguments of `agent validate`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// Check this agent only
    #[arg(value_name = "id")]
    pub(super) id: Option<String>,
}

/// Checks what every folder says, also where another one outranks it.
pub(super) fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let folders = [&workspace.folder, workspace.personal_folder()];
    let wanted = args.id.as_deref().map(definition);
    let is_wanted = |name: &str| wanted.as_deref().is_none_or(|wanted| wanted == name);
    let mut found = Vec::new();
    let mut checked = Vec::new();
    for folder in folders {
        let names = folder
            .files
            .keys()
            .filter(|name| is_definition(name) && is_wanted(name));
        checked.extend(names.map(|name| folder.path_of(name).display().to_string()));
        found.extend(faults_of(&workspace, folder, is_wanted));
        found.extend(
            folder
                .warnings
                .iter()
                .filter(|_| args.id.is_none())
                .map(|warning| Diagnostic {
                    file: folder.path.clone(),
                    line: None,
                    message: warning.clone(),
                }),
        );
    }
    if let (Some(id), true) = (&args.id, checked.is_empty()) {
        // A built-in agent has no file, and nothing that could be wrong with it.
        Registry::built_in()
            .get(id)
            .map_err(|_| AgentError::Unknown(id.clone()))?;
        checked.push(id.clone());
    }
    Ok(faults::report(
        &mut program.ui,
        "agent-validate",
        &checked,
        &found,
    )?)
}

fn definition(id: &str) -> String {
    format!("agents/{id}.toml")
}

fn is_definition(name: &str) -> bool {
    name.strip_prefix("agents/")
        .and_then(|name| name.strip_suffix(".toml"))
        .is_some_and(|stem| !stem.contains('/'))
}

/// The faults of a folder's definitions, with the profiles that they name and that do not exist.
fn faults_of(
    workspace: &Workspace,
    folder: &Folder,
    is_wanted: impl Fn(&str) -> bool,
) -> Vec<Diagnostic> {
    let mut folder = folder.clone();
    folder
        .files
        .retain(|name, _| !is_definition(name) || is_wanted(name));
    let mut registry = Registry::built_in();
    registry.add_folder(&folder, |file| AgentOrigin::Team(file.to_owned()));
    let profiles = workspace.profiles();
    let mut found = registry.faults.clone();
    for agent in registry.iter() {
        let profile = agent
            .instructions()
            .and_then(|instructions| instructions.profile.as_deref());
        if let Some(error) = profile.and_then(|name| profiles.get(name).err()) {
            let name = definition(agent.id.as_str());
            let text = folder.text(&name).unwrap_or_default();
            let line = text
                .lines()
                .position(|line| line.trim_start().starts_with("profile"))
                .map(|at| at + 1);
            found.push(Diagnostic {
                file: folder.path_of(&name),
                line,
                message: error.to_string(),
            });
        }
    }
    found
}
