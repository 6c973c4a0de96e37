//! `git merkle prompt`: print the exact words that would be sent, and what they would cost; sends nothing.

pub mod array;
mod commit;
mod message;

use serde::Serialize;

use self::message::{MessageDocument, write_foreign, write_messages};
use crate::agent::{Agent, AgentError, Instructions, Registry};
use crate::base::Cost;
use crate::base::{FrameType, NodeKind};
use crate::chat::GenerationParams;
use crate::cli::program::Program;
use crate::cli::snapshot::{SnapshotArgs, find};
use crate::cli::{CliError, Exit, Ui, asker, json};
use crate::ops::{self, AskingOptions, Draft, Refresh};
use crate::prompt;
use crate::provider::Definition;
use crate::regen::Composed;
use crate::session;
use crate::workspace::{Target, Workspace};

/// Arguments of `prompt`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Print the request about one file or directory instead of a session's messages: a path, <rev>:<path> or an object id
    #[arg(long, value_name = "node", conflicts_with_all = ["session", "message", "files", "images", "symbol_tokens", "is_sent"])]
    node: Option<String>,
    #[command(flatten)]
    array: array::ArrayArgs,
    /// Print the request for a commit message about what is staged
    #[arg(long, conflicts_with_all = ["node", "session", "message", "files", "images", "symbol_tokens", "is_sent", "agent", "frame_type", "provider", "profile", "rev", "index", "worktree"])]
    commit_message: bool,
    /// Record this request as sent, so that the next one reuses its tiers
    #[arg(long = "sent")]
    is_sent: bool,
    /// The agent whose request to print (default: the only one with a model)
    #[arg(long, value_name = "agent", requires = "node")]
    agent: Option<String>,
    /// The frames' type (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
    /// The provider to send it to (default: that of the agent, the profile or the settings)
    #[arg(long, value_name = "provider")]
    provider: Option<String>,
    /// The profile with the request's parameters (default: the agent's or the session's)
    #[arg(long, value_name = "profile", hide_short_help = true)]
    profile: Option<String>,
    /// text and json: the messages as they are sent; markdown: for reading; manual: for pasting into a chat; openai and
    /// anthropic: the body of the request of a session's turn, byte for byte as 'turn run' sends it
    #[arg(long, value_name = "format", default_value = "text", value_parser = ["text", "json", "markdown", "manual", "openai", "anthropic"])]
    format: String,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document {
    node: String,
    path: Option<String>,
    agent: String,
    r#type: String,
    profile: String,
    provider: Option<String>,
    messages: Vec<MessageDocument>,
    params: ParamsDocument,
    output_schema: Option<serde_json::Value>,
    /// Counted with one vocabulary, an estimate for models with another.
    input_tokens_estimated: u64,
    /// No tokenizer makes more of it.
    input_tokens_max: u64,
    cost_usd_max: Option<Cost>,
    cut: Option<String>,
    changes: Vec<String>,
    /// Passages that were taken out because they look like secrets.
    redacted: u64,
}

#[derive(Serialize)]
struct ParamsDocument {
    max_output_tokens: Option<u64>,
    temperature: Option<f64>,
    top_p: Option<f64>,
    seed: Option<u64>,
    stop: Option<Vec<String>>,
}

/// What would be sent, to whom, and what else there is to say about it.
struct Prepared {
    composed: Composed,
    profile: String,
    definition: Option<Definition>,
}

impl Prepared {
    /// The most that the request can cost, in nano-dollars; `None` when no price is known.
    fn cost_max(&self) -> Option<u64> {
        let prices = self.definition.as_ref()?.prices?;
        let request = &self.composed.request;
        Some(prices.cost_max(
            request.input_tokens_max(),
            request.params.max_output_tokens?,
        ))
    }
}

/// Prints the words; on standard error what they are in tokens and money.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    if args.commit_message {
        return commit::print(&args.format, &workspace, program);
    }
    let Some(node) = &args.node else {
        return print_array(args, &workspace, program);
    };
    if matches!(args.format.as_str(), "openai" | "anthropic") {
        return Err(CliError::new(
            Exit::Usage,
            format!("'--format {}' is for a session's messages", args.format),
        )
        .hint("leave '--node' out, or take '--format json'"));
    }
    let agents = workspace.agents();
    program.ui.warn_all(&agents.warnings);
    let (agent, instructions) = choose(args, &workspace, &agents)?;
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let target = find(&workspace, &root, node)?;
    refuse_silent(agent, instructions, &target, node)?;
    let frame_type = args
        .frame_type
        .clone()
        .unwrap_or_else(|| agent.frame_type.clone());
    let prepared = prepare(args, program, &workspace, agent, &target)?;
    let ui = &mut program.ui;
    match args.format.as_str() {
        _ if ui.is_json() => {
            ui.write_json("prompt", &document(agent, &frame_type, &target, &prepared))?;
        }
        "json" => ui.write_json("prompt", &document(agent, &frame_type, &target, &prepared))?,
        "markdown" => write_foreign(ui, &prompt::display(&prepared.composed.payload.bundle))?,
        "manual" => write_foreign(ui, &prompt::manual(&prepared.composed.payload.bundle))?,
        _ => write_messages(ui, &prepared.composed.request.messages)?,
    }
    note(ui, &prepared);
    Ok(Exit::Done)
}

/// Prints the messages of a session, or of a request without one.
fn print_array(
    args: &Args,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let whom = array::Recipient {
        provider: args.provider.as_deref(),
        profile: args.profile.as_deref(),
        format: args.format.as_str(),
    };
    let preview = array::assemble(&args.array, whom, &args.snapshot, workspace, program)?;
    array::print(&args.format, &preview, &mut program.ui)?;
    if let Some(placed) = preview.words.placed.as_ref().filter(|_| args.is_sent) {
        session::tiers::remember_sent(&workspace.state, placed)?;
    }
    Ok(Exit::Done)
}

/// The agent that was named, the default one, or the only one that asks a model.
fn choose<'a>(
    args: &Args,
    workspace: &Workspace,
    agents: &'a Registry,
) -> Result<(&'a Agent, &'a Instructions), CliError> {
    let named = args.agent.as_deref().or(workspace
        .settings
        .default_agent
        .as_ref()
        .map(crate::base::AgentId::as_str));
    let agent = match named {
        Some(id) => agents.get(id)?,
        None => asker::the_only(agents, |id| {
            format!("git merkle prompt --agent {id} --node <node>")
        })?,
    };
    agent
        .instructions()
        .map(|instructions| (agent, instructions))
        .ok_or_else(|| {
            let id = &agent.id;
            CliError::new(
                Exit::Refused,
                format!("agent '{id}' asks no model: its definition has no prompts"),
            )
            .hint(format!("git merkle agent show {id}"))
        })
}

/// Refuses nodes about which the agent says nothing.
fn refuse_silent(
    agent: &Agent,
    instructions: &Instructions,
    target: &Target,
    spec: &str,
) -> Result<(), CliError> {
    if agent.disabled {
        return Err(AgentError::Disabled(agent.id.clone()).into());
    }
    if !agent.makes(target.kind) {
        return Err(CliError::new(
            Exit::Refused,
            format!("agent '{}' makes no frames of a {}", agent.id, target.kind),
        ));
    }
    if target.kind == NodeKind::Directory {
        return Ok(());
    }
    match &target.path {
        Some(path)
            if instructions.include.contains(path)
                || instructions.include.exclusion(path).is_some() =>
        {
            Ok(())
        }
        Some(_) => Err(CliError::new(
            Exit::Refused,
            format!(
                "'{spec}' is not among the files that agent '{}' includes",
                agent.id
            ),
        )
        .hint(format!("git merkle agent show {}", agent.id))),
        None => Err(
            CliError::new(Exit::Refused, format!("'{spec}' names no path"))
                .hint("name it as <rev>:<path>"),
        ),
    }
}

fn prepare(
    args: &Args,
    program: &Program,
    workspace: &Workspace,
    agent: &Agent,
    target: &Target,
) -> Result<Prepared, CliError> {
    let frame_type = args.frame_type.as_ref().unwrap_or(&agent.frame_type);
    let options = AskingOptions {
        provider: args.provider.clone(),
        profile: args.profile.clone(),
        allowed: program.global.allow_secret.clone(),
        ..AskingOptions::default()
    };
    let Draft {
        writer,
        definition,
        profile,
    } = ops::asking::draft(workspace, agent, &options)?;
    let store = workspace.store()?;
    let request = Refresh {
        frame_type: frame_type.clone(),
        ..Refresh::of(agent)
    };
    let composed = ops::asking::compose(&workspace.repository, &store, target, &request, &writer)?;
    let composed = composed.ok_or_else(|| {
        let path = target
            .path
            .as_ref()
            .map_or_else(|| target.id.to_string(), |path| path.to_text().into_owned());
        let is_partial = workspace.repository.is_partial();
        let fetch = if is_partial {
            format!("git cat-file -e {}", target.id)
        } else {
            ops::absent::fetch_command(&workspace.repository, "HEAD")
        };
        CliError::new(
            Exit::Git,
            format!("the content of '{path}' is missing in this clone"),
        )
        .hint(format!("'{fetch}' brings it"))
    })?;
    Ok(Prepared {
        composed,
        profile,
        definition,
    })
}

fn document(
    agent: &Agent,
    frame_type: &FrameType,
    target: &Target,
    prepared: &Prepared,
) -> Document {
    let Composed {
        request,
        payload,
        changes,
        redacted,
        ..
    } = &prepared.composed;
    let GenerationParams {
        max_output_tokens,
        temperature,
        top_p,
        seed,
        stop,
        ..
    } = request.params.clone();
    let messages = request.messages.iter();
    Document {
        node: target.id.to_string(),
        path: target.path.as_ref().map(|path| json::path(path.as_bytes())),
        agent: agent.id.to_string(),
        r#type: frame_type.to_string(),
        profile: prepared.profile.clone(),
        provider: prepared
            .definition
            .as_ref()
            .map(|definition| definition.name.clone()),
        messages: messages.map(MessageDocument::of).collect(),
        params: ParamsDocument {
            max_output_tokens,
            temperature,
            top_p,
            seed,
            stop,
        },
        output_schema: request.schema.clone(),
        input_tokens_estimated: request.tokens_estimated(),
        input_tokens_max: request.input_tokens_max(),
        cost_usd_max: prepared.cost_max().map(Cost),
        cut: payload.cut.clone(),
        changes: changes.clone(),
        redacted: *redacted,
    }
}

/// What the words are in tokens and money, and what had to give way.
fn note(ui: &Ui, prepared: &Prepared) {
    let Composed {
        request,
        payload,
        changes,
        redacted,
        ..
    } = &prepared.composed;
    let output = request.params.max_output_tokens;
    let most = output.map_or("no limit on the output".to_owned(), |tokens| {
        format!("at most {tokens} output tokens")
    });
    let cost = prepared
        .cost_max()
        .map_or("cost unknown".to_owned(), |cost| {
            format!("at most {} USD", Cost(cost))
        });
    let (estimate, worst) = (request.tokens_estimated(), request.input_tokens_max());
    ui.note(&format!("estimate: about {estimate} input tokens (at most {worst}), {most}, {cost}; nothing was sent"));
    let cut = payload.cut.iter().map(|cut| format!("cut: {cut}"));
    let redacted = match redacted {
        0 => None,
        1 => Some("1 passage that looks like a secret is taken out".to_owned()),
        several => Some(format!(
            "{several} passages that look like secrets are taken out"
        )),
    };
    for change in cut.chain(redacted).chain(changes.iter().cloned()) {
        ui.note(&change);
    }
}
