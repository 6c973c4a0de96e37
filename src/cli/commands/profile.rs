//! `git merkle profile`: show and check profiles: what requests to models hold.

use serde::Serialize;

use crate::chat::GenerationParams;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui, faults};
use crate::config::Diagnostic;
use crate::profile::{Phase, Profile, ProfileError, Profiles, Standard};
use crate::session;
use crate::workspace::Workspace;

/// Arguments of `profile`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the profiles
    List,
    /// Show one profile: each phase's provider and parameters
    Show(Show),
    /// Check profile files; exit with 1 if something is wrong
    Validate(Validate),
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The profile's name
    #[arg(value_name = "name", default_value = crate::profile::DEFAULT)]
    name: String,
}

#[derive(Debug, clap::Args)]
struct Validate {
    /// Check this profile only
    #[arg(value_name = "name")]
    name: Option<String>,
}

#[derive(Serialize)]
struct ListDocument {
    profiles: Vec<ListedDocument>,
}

#[derive(Serialize)]
struct ListedDocument {
    name: String,
    origin: &'static str,
    file: Option<String>,
}

#[derive(Serialize)]
struct Document {
    name: String,
    origin: &'static str,
    file: Option<String>,
    /// What holds for a phase and scope, everything merged; an empty scope is every other.
    params: Vec<ParamsDocument>,
    standards: Vec<String>,
}

#[derive(Serialize)]
struct ParamsDocument {
    phase: &'static str,
    scope: String,
    provider: Option<String>,
    #[serde(flatten)]
    values: GenerationParams,
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    match &args.action {
        Action::List => list(&workspace, program),
        Action::Show(args) => show(&args.name, &workspace, program),
        Action::Validate(args) => validate(args.name.as_deref(), &workspace, program),
    }
}

fn origin(workspace: &Workspace, profile: &Profile) -> (&'static str, Option<String>) {
    let Some(file) = &profile.file else {
        return ("built-in", None);
    };
    let folder = &workspace.folder.path;
    let is_team = !folder.as_os_str().is_empty() && file.starts_with(folder);
    (
        if is_team { "team" } else { "personal" },
        Some(file.display().to_string()),
    )
}

fn list(workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let profiles = workspace.profiles();
    for fault in &profiles.faults {
        program.ui.warn(&fault.to_string());
    }
    let listed = profiles.iter().map(|profile| {
        let (origin, file) = origin(workspace, profile);
        ListedDocument {
            name: profile.name.clone(),
            origin,
            file,
        }
    });
    let document = ListDocument {
        profiles: listed.collect(),
    };
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("profiles", &document)?;
        return Ok(Exit::Done);
    }
    for ListedDocument { name, origin, .. } in document.profiles {
        let name = ui.styled(Style::Id, &format!("{name:<20}"));
        write!(ui, "{name} {origin}")?;
        ui.end_record()?;
    }
    Ok(Exit::Done)
}

fn show(name: &str, workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let profiles = workspace.profiles();
    let profile = profiles.get(name)?;
    let (origin, file) = origin(workspace, profile);
    let mut scopes = vec![String::new()];
    scopes.extend(profile.scope_overrides.keys().cloned());
    let mut params = Vec::new();
    for phase in Phase::ALL {
        let overridden = |scope: &String| {
            profile
                .scope_overrides
                .get(scope)
                .is_some_and(|phases| phases.contains_key(&phase))
        };
        for scope in scopes
            .iter()
            .filter(|scope| scope.is_empty() || overridden(scope))
        {
            params.push(params_document(profile, phase, scope));
        }
    }
    let standards = profile
        .standards
        .iter()
        .map(|standard| standard.path.clone())
        .collect();
    let document = Document {
        name: profile.name.clone(),
        origin,
        file,
        params,
        standards,
    };
    if program.ui.is_json() {
        program.ui.write_json("profile", &document)?;
    } else {
        write_text(&mut program.ui, &document)?;
    }
    Ok(Exit::Done)
}

fn params_document(profile: &Profile, phase: Phase, scope: &str) -> ParamsDocument {
    ParamsDocument {
        phase: phase.as_str(),
        scope: scope.to_owned(),
        provider: profile.provider(phase).map(str::to_owned),
        values: profile.params(phase, scope),
    }
}

fn write_text(ui: &mut Ui, document: &Document) -> Result<(), CliError> {
    let title = ui.styled(Style::Heading, &document.name);
    let origin = document.file.as_deref().unwrap_or(document.origin);
    let origin = ui.styled(Style::Plain, origin);
    writeln!(ui, "{title}\n  origin {origin}")?;
    for params in &document.params {
        let scope = if params.scope.is_empty() {
            String::new()
        } else {
            format!(" of {}", params.scope)
        };
        let values = &params.values;
        let said = [
            params
                .provider
                .as_ref()
                .map(|name| format!("provider {name}")),
            values
                .max_input_tokens
                .map(|tokens| format!("max_input_tokens {tokens}")),
            values
                .max_output_tokens
                .map(|tokens| format!("max_output_tokens {tokens}")),
            values
                .temperature
                .map(|value| format!("temperature {value}")),
            values.top_p.map(|value| format!("top_p {value}")),
            values.seed.map(|value| format!("seed {value}")),
            values.stop.as_ref().map(|texts| format!("stop {texts:?}")),
        ];
        let said = said.into_iter().flatten().collect::<Vec<_>>().join(", ");
        let said = if said.is_empty() {
            "as the provider decides"
        } else {
            &said
        };
        let line = ui.styled(Style::Plain, &format!("{}{scope}: {said}", params.phase));
        writeln!(ui, "  {line}")?;
    }
    for path in &document.standards {
        let path = ui.styled(Style::Plain, path);
        writeln!(ui, "  standard {path}")?;
    }
    Ok(())
}

/// Standards and examples that stand neither beside the profile nor in the repository.
fn missing_files(workspace: &Workspace, profile: &Profile) -> Vec<Diagnostic> {
    let Some(file) = &profile.file else {
        return Vec::new();
    };
    let tree = workspace
        .root(&workspace.default_snapshot())
        .ok()
        .map(|root| root.tree);
    let stands = |path: &str| {
        tree.is_some_and(|tree| {
            session::gather::file_text(&workspace.repository, tree, path).is_some()
        })
    };
    let text = std::fs::read_to_string(file).unwrap_or_default();
    let missing = |what: &str, path: &str| {
        let line = text
            .lines()
            .position(|line| line.contains(path))
            .map(|at| at + 1);
        Diagnostic {
            file: file.clone(),
            line,
            message: format!("{what} '{path}' does not exist, neither here nor in the repository"),
        }
    };
    let named = |what: &'static str, all: &[Standard]| -> Vec<Diagnostic> {
        let gone = all
            .iter()
            .filter(|standard| standard.text.is_none() && !stands(&standard.path));
        gone.map(|standard| missing(what, &standard.path)).collect()
    };
    [
        named("standard", &profile.standards),
        named("example", &profile.examples),
    ]
    .concat()
}

fn validate(
    name: Option<&str>,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let (mut checked, mut found) = (Vec::new(), Vec::new());
    for folder in [&workspace.folder, workspace.personal_folder()] {
        let mut folder = folder.clone();
        let is_config = |path: &str| path.starts_with("profiles/") && path.ends_with("/config.yml");
        let wanted = name.map(|name| format!("profiles/{name}/config.yml"));
        folder.files.retain(|path, _| {
            !is_config(path) || wanted.as_deref().is_none_or(|wanted| wanted == path)
        });
        let names = folder.files.keys().filter(|path| is_config(path));
        checked.extend(names.map(|path| folder.path_of(path).display().to_string()));
        let loaded = Profiles::load(&[&folder]);
        found.extend(
            loaded
                .iter()
                .flat_map(|profile| missing_files(workspace, profile)),
        );
        found.extend(loaded.faults);
    }
    if let (Some(name), true) = (name, checked.is_empty()) {
        Profiles::load(&[])
            .get(name)
            .map_err(|_| ProfileError::Unknown(name.to_owned()))?;
        checked.push(name.to_owned());
    }
    Ok(faults::report(
        &mut program.ui,
        "profile-validate",
        &checked,
        &found,
    )?)
}
