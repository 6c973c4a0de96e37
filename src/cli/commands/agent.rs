//! `git merkle agent`: show, check and make agents: who speaks, in which role, from which instructions.

mod create;
mod edit;
mod remove;
mod validate;

use std::collections::BTreeMap;

use serde::Serialize;

use crate::agent::{Agent, AgentOrigin, AgentRole, Instructions, Maker, Sensitivity, exclusion};
use crate::base::NodeKind;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style, Ui};

/// Arguments of `agent`.
#[derive(Debug, clap::Args)]
#[command(subcommand_value_name = "command")]
pub struct Args {
    #[command(subcommand)]
    action: Action,
}

#[derive(Debug, clap::Subcommand)]
enum Action {
    /// List the agents
    List,
    /// Show one agent with its prompts
    Show(Show),
    /// Check definitions and the prompts that they name; exit with 1 if something is wrong
    Validate(validate::Args),
    /// Create the definition of a new agent, with prompts to start from
    Create(create::Args),
    /// Edit an agent's definition and prompts in your editor, then check them
    Edit(edit::Which),
    /// Delete an agent's definition and prompts
    #[command(alias = "rm")]
    Remove(remove::Args),
}

#[derive(Debug, clap::Args)]
struct Show {
    /// The agent's id
    #[arg(value_name = "id")]
    id: String,
}

#[derive(Serialize)]
struct ListDocument {
    agents: Vec<AgentDocument>,
}

#[derive(Serialize)]
struct AgentDocument {
    id: String,
    role: &'static str,
    r#type: String,
    maker: &'static str,
    makes: Vec<&'static str>,
    disabled: bool,
    origin: &'static str,
    file: Option<String>,
    path_sensitive: bool,
    sensitivity: &'static str,
    prompt_digest: String,
    provider: Option<String>,
    profile: Option<String>,
    include: Vec<String>,
    /// The kinds of files that it leaves out because `include` names none, each with its patterns.
    left_out: BTreeMap<&'static str, Vec<&'static str>>,
    system_prompt: Option<String>,
    user_prompt_file: Option<String>,
    user_prompt_directory: Option<String>,
    response_template: Option<String>,
    output_schema: Option<serde_json::Value>,
}

/// Runs the subcommand.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    match &args.action {
        Action::List => list(program),
        Action::Show(args) => show(args, program),
        Action::Validate(args) => validate::run(args, program),
        Action::Create(args) => create::run(args, program),
        Action::Edit(args) => edit::run(args, program),
        Action::Remove(args) => remove::run(args, program),
    }
}

fn list(program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let agents = workspace.agents();
    program.ui.warn_all(&agents.warnings);
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json(
            "agents",
            &ListDocument {
                agents: agents.iter().map(document).collect(),
            },
        )?;
        return Ok(Exit::Done);
    }
    for agent in agents.iter() {
        let AgentDocument {
            id,
            role,
            r#type,
            maker,
            origin,
            ..
        } = document(agent);
        let id = ui.styled(Style::Id, &format!("{id:<20}"));
        let note = if agent.disabled {
            ui.styled(Style::Caution, " disabled")
        } else {
            String::new()
        };
        write!(ui, "{id} {role:<9} {type:<12} {maker:<8} {origin}{note}")?;
        ui.end_record()?;
    }
    Ok(Exit::Done)
}

fn show(args: &Show, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let agents = workspace.agents();
    let agent = agents.get(&args.id)?;
    if program.ui.is_json() {
        program.ui.write_json("agent", &document(agent))?;
    } else {
        write_text(&mut program.ui, agent)?;
    }
    Ok(Exit::Done)
}

fn document(agent: &Agent) -> AgentDocument {
    let (origin, file) = origin(&agent.origin);
    let instructions = agent.instructions();
    let text = |text: &str| Some(text.to_owned());
    AgentDocument {
        id: agent.id.to_string(),
        role: role_word(agent.role),
        r#type: agent.frame_type.to_string(),
        maker: match agent.maker {
            Maker::Outline => "outline",
            Maker::Person => "person",
            Maker::Model(_) => "model",
        },
        makes: [NodeKind::File, NodeKind::Directory]
            .into_iter()
            .filter(|kind| agent.makes(*kind))
            .map(NodeKind::as_str)
            .collect(),
        disabled: agent.disabled,
        origin,
        file,
        path_sensitive: agent.path_sensitive,
        sensitivity: match agent.sensitivity {
            Sensitivity::Content => "content",
            Sensitivity::Outline => "outline",
        },
        prompt_digest: agent.prompt_digest().to_string(),
        provider: instructions.and_then(|words| words.provider.clone()),
        profile: instructions.and_then(|words| words.profile.clone()),
        include: instructions
            .map(|words| words.include.patterns().to_vec())
            .unwrap_or_default(),
        left_out: instructions.map(left_out).unwrap_or_default(),
        system_prompt: instructions.and_then(|words| text(&words.system)),
        user_prompt_file: instructions.and_then(|words| text(words.file.text())),
        user_prompt_directory: instructions.and_then(|words| text(words.directory.text())),
        response_template: instructions.and_then(|words| words.response_template.clone()),
        output_schema: instructions.and_then(|words| words.output_schema.clone()),
    }
}

/// What an agent leaves out unless its definition includes it.
fn left_out(instructions: &Instructions) -> BTreeMap<&'static str, Vec<&'static str>> {
    let mut kinds: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    if instructions.include.patterns().is_empty() {
        for (kind, pattern) in exclusion::patterns() {
            kinds.entry(kind.several()).or_default().push(pattern);
        }
    }
    kinds
}

/// The word of a role in definitions.
fn role_word(role: AgentRole) -> &'static str {
    match role {
        AgentRole::Reader => "reader",
        AgentRole::Writer => "writer",
        AgentRole::Synthesis => "synthesis",
    }
}

fn origin(origin: &AgentOrigin) -> (&'static str, Option<String>) {
    match origin {
        AgentOrigin::BuiltIn => ("built-in", None),
        AgentOrigin::Team(file) => ("team", Some(file.display().to_string())),
        AgentOrigin::Personal(file) => ("personal", Some(file.display().to_string())),
    }
}

fn write_text(ui: &mut Ui, agent: &Agent) -> Result<(), CliError> {
    let document = document(agent);
    let title = ui.styled(Style::Heading, &document.id);
    writeln!(
        ui,
        "{title}{}",
        if agent.disabled { " (disabled)" } else { "" }
    )?;
    let makes = if document.makes.is_empty() {
        "nothing by itself".to_owned()
    } else {
        document.makes.join(" and ")
    };
    let lines = [
        (
            "origin",
            document.file.unwrap_or_else(|| document.origin.to_owned()),
        ),
        ("role", document.role.to_owned()),
        ("type", document.r#type),
        ("maker", document.maker.to_owned()),
        ("makes", makes),
        ("provider", document.provider.unwrap_or_default()),
        ("profile", document.profile.unwrap_or_default()),
        ("include", document.include.join(" ")),
        ("prompts", document.prompt_digest),
    ];
    for (name, value) in lines.iter().filter(|(_, value)| !value.is_empty()) {
        let value = ui.styled(Style::Plain, value);
        writeln!(ui, "  {name:<9} {value}")?;
    }
    let schema = document.output_schema.map(|schema| format!("{schema:#}"));
    let texts = [
        ("system prompt", document.system_prompt),
        ("prompt for files", document.user_prompt_file),
        ("prompt for directories", document.user_prompt_directory),
        ("response template", document.response_template),
        ("output schema", schema),
    ];
    for (name, text) in texts {
        let Some(text) = text.filter(|text| !text.is_empty()) else {
            continue;
        };
        let name = ui.styled(Style::Heading, name);
        let text = ui.styled(Style::Plain, &text);
        writeln!(ui, "\n{name}\n\n{text}")?;
    }
    write_left_out(ui, &document.left_out)
}

/// Writes which files an agent with a model does not describe, and how to include them.
fn write_left_out(ui: &mut Ui, left_out: &BTreeMap<&str, Vec<&str>>) -> Result<(), CliError> {
    if left_out.is_empty() {
        return Ok(());
    }
    let title = ui.styled(Style::Heading, "files that it leaves out");
    writeln!(ui, "\n{title}\n")?;
    for (kind, patterns) in left_out {
        writeln!(ui, "{kind}: {}", patterns.join(" "))?;
    }
    writeln!(
        ui,
        "\nThe line include = [\"*\"] in its definition includes them."
    )?;
    Ok(())
}
