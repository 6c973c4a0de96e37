//! The message array of a session or of one request: printed in the form of a protocol, or explained by `tiers`.

use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::base::token;
use crate::chat::{Image, Message, body};
use crate::cli::commands::context::entries;
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, Style, Ui};
use crate::context::{List, Scope};
use crate::provider::{Definition, Definitions, Kind};
use crate::session::folder::{HISTORY, SessionFolder};
use crate::session::history::History;
use crate::session::{ArrayOptions, Assembled, Next};
use crate::tier::{CacheTerms, Policy};
use crate::workspace::payload::{PayloadOptions, SecretPolicy};
use crate::workspace::{PageOptions, Workspace};

/// Tokens of all symbols where no window is known, and the part of a window that they take at most.
const SYMBOL_TOKENS_DEFAULT: u64 = 32_000;
const SYMBOL_SHARE: u64 = 4;
/// What Anthropic's models take at least, for whoever asks for its form without a provider: marks, shortest prefix.
const ANTHROPIC_CACHE: (u32, u64) = (4, 4_096);

/// What a message array is made of.
#[derive(Debug, Clone, clap::Args)]
pub struct ArrayArgs {
    /// The session (default: none; only what the lists and this command line name)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
    /// What is wanted (default: the request of the session's last turn)
    #[arg(long, short = 'm', value_name = "request")]
    message: Option<String>,
    /// Show this in full besides what the lists name: a path, glob, dir/**, <rev>:<path>, frame:<node> or URL
    #[arg(long = "file", value_name = "entry")]
    files: Vec<String>,
    /// Send this image along: PNG, JPEG, GIF or WebP
    #[arg(long = "image", value_name = "file")]
    images: Vec<PathBuf>,
    /// Take at most so many tokens for symbols (an estimate; default: a quarter of the window, or 32000)
    #[arg(long = "symbols", value_name = "tokens")]
    symbol_tokens: Option<u64>,
    /// How parts find their tier: by expected-cost, or by counting requests without a change
    #[arg(long, value_name = "policy", value_parser = parse_policy, default_value = "expected-cost")]
    policy: Policy,
}

/// A tier as programs read it.
#[derive(Serialize)]
pub struct BlockDocument {
    tier: &'static str,
    items: usize,
    /// By estimate.
    tokens: u64,
    ends_with_mark: bool,
}

#[derive(Serialize)]
struct Document<'d> {
    provider: Option<&'d str>,
    messages: serde_json::Value,
    tiers: Vec<BlockDocument>,
    marks: usize,
    /// Counted with one vocabulary, an estimate for models with another.
    tokens_estimated: u64,
    /// What a provider that still holds the last request would read; a prediction.
    cache_read_predicted: u64,
    notes: &'d [String],
}

fn parse_policy(text: &str) -> Result<Policy, String> {
    match text {
        "counter" => Ok(Policy::Counter),
        "expected-cost" => Ok(Policy::ExpectedCost),
        _ => Err("expected expected-cost or counter".to_owned()),
    }
}

/// Puts an array together; whoever is asked is known as far as a provider is configured.
pub fn assemble(
    args: &ArrayArgs,
    (provider, wants_anthropic): (Option<&str>, bool),
    snapshot: &SnapshotArgs,
    (workspace, program): (&Workspace, &mut Program),
) -> Result<(Assembled, Option<Definition>), CliError> {
    token::prepare();
    let definition = definition(workspace, provider)?;
    let folder = args.session.as_ref().map(|name| workspace.session_folder(Some(name))).transpose()?;
    let session = folder.as_ref().map(SessionFolder::load).transpose()?;
    let history = match &folder {
        Some(folder) => History::decode(&folder.read(None, HISTORY)?.unwrap_or_default()),
        None => History::default(),
    };
    let last = session.as_ref().and_then(|session| session.turns.last());
    let request = args.message.clone().or_else(|| last.map(|(_, turn)| turn.request.clone()));
    let request = request.filter(|request| !request.trim().is_empty()).ok_or_else(|| {
        CliError::new(Exit::Usage, "nothing was said about what is wanted")
            .hint("say it with '-m <request>', or name a '--session'")
    })?;
    // The list of a turn counts as long as the turn is open.
    let turn = session
        .as_ref()
        .and_then(|session| if let Next::Finish(number) = session.next() { Some(number.to_string()) } else { None });
    let files = entries(workspace, &args.files)?.join("\n");
    let named = List { is_personal: true, ..List::parse(Scope::Turn, "", files.as_bytes()) };
    let tree = snapshot.root(workspace, |text| program.ui.warn(text))?.tree;
    let allowed = program.allowed_secrets(workspace)?;
    let payload = PayloadOptions {
        tree,
        lists: vec![named],
        session: args.session.as_deref(),
        turn: turn.as_deref(),
        frames: None,
        tokens_max: None,
        secrets: SecretPolicy::Stop(allowed.clone()),
        pages: PageOptions { is_foreground: true, ..PageOptions::default() },
        system: workspace.system(&program.global.location().directory),
    };
    let window = definition.as_ref().and_then(|definition| definition.capabilities.context_tokens);
    let assembled = workspace.array(ArrayOptions {
        payload,
        request: &request,
        images: args.images.iter().map(|file| image(program, file)).collect::<Result<_, _>>()?,
        history: &history,
        policy: args.policy,
        terms: terms(definition.as_ref(), wants_anthropic),
        symbol_tokens_max: args
            .symbol_tokens
            .unwrap_or_else(|| window.map_or(SYMBOL_TOKENS_DEFAULT, |window| window / SYMBOL_SHARE)),
        allowed: &allowed,
    })?;
    Ok((assembled, definition))
}

/// The provider of a name, else the configured one, else the only one; several are no error where nobody is asked.
fn definition(workspace: &Workspace, named: Option<&str>) -> Result<Option<Definition>, CliError> {
    let definitions = Definitions::load(workspace.settings.stack())?;
    match named.or(workspace.settings.stack().text("defaultprovider")) {
        Some(name) => Ok(Some(definitions.get(name)?.clone())),
        None => Ok(definitions.the_only().ok().cloned()),
    }
}

/// What the provider's cache costs and takes; its prices where they are configured.
fn terms(definition: Option<&Definition>, wants_anthropic: bool) -> CacheTerms {
    let mut capabilities = definition.map(|definition| definition.capabilities.clone()).unwrap_or_default();
    if wants_anthropic && definition.is_none_or(|definition| definition.kind != Kind::Anthropic) {
        (capabilities.cache_breakpoints, capabilities.cache_tokens_min) = ANTHROPIC_CACHE;
    }
    CacheTerms::of(&capabilities, definition.and_then(|definition| definition.prices.as_ref()))
}

fn image(program: &Program, file: &Path) -> Result<Image, CliError> {
    let failed = |error| CliError::io(format!("cannot read '{}'", file.display()), error);
    let bytes = std::fs::read(program.global.resolve(file)).map_err(failed)?;
    Image::new(&bytes).map_err(|error| CliError::new(Exit::Refused, format!("'{}': {error}", file.display())))
}

/// Prints the messages in a format.
pub(super) fn print(
    format: &str,
    (assembled, definition): &(Assembled, Option<Definition>),
    ui: &mut Ui,
) -> Result<(), CliError> {
    let messages = &assembled.messages;
    match format {
        _ if ui.is_json() => ui.write_json("prompt-array", &document(assembled, definition.as_ref()))?,
        "json" => ui.write_json("prompt-array", &document(assembled, definition.as_ref()))?,
        "openai" => write_value(ui, &serde_json::json!({ "messages": body::openai_messages(messages) }))?,
        "anthropic" => write_value(ui, &anthropic_body(messages))?,
        "markdown" => write_said(ui, messages, |role| format!("## {role}"))?,
        _ => write_said(ui, messages, |role| format!("[{role}]"))?,
    }
    for note in &assembled.notes {
        ui.note(note);
    }
    let tokens: u64 = messages.iter().map(Message::tokens_estimated).sum();
    let read = assembled.predicted.read;
    ui.note(&format!(
        "estimate: about {tokens} input tokens in {} messages, {} marks; about {read} from a cache that holds the last request; \
         nothing was sent",
        messages.len(),
        marks(messages)
    ));
    Ok(())
}

fn write_value(ui: &mut Ui, value: &serde_json::Value) -> Result<(), CliError> {
    let text = serde_json::to_string_pretty(value).expect("text is JSON");
    let text = ui.styled(Style::Plain, &text).to_string();
    Ok(writeln!(ui, "{text}")?)
}

fn write_said(ui: &mut Ui, messages: &[Message], heading: impl Fn(&str) -> String) -> Result<(), CliError> {
    for (at, message) in messages.iter().enumerate() {
        let mark = if message.ends_cached_prefix { " (mark)" } else { "" };
        let heading = ui.styled(Style::Heading, &format!("{}{mark}", heading(message.role.as_str()))).to_string();
        let text = ui.styled(Style::Plain, message.text.trim_end()).to_string();
        let before = if at == 0 { "" } else { "\n" };
        writeln!(ui, "{before}{heading}\n\n{text}")?;
        for image in &message.images {
            writeln!(ui, "\n({} of {} characters in base64)", image.media_type, image.base64.len())?;
        }
    }
    Ok(())
}

fn document<'d>(assembled: &'d Assembled, definition: Option<&'d Definition>) -> Document<'d> {
    Document {
        provider: definition.map(|definition| definition.name.as_str()),
        messages: body::openai_messages(&assembled.messages),
        tiers: blocks(assembled),
        marks: marks(&assembled.messages),
        tokens_estimated: assembled.messages.iter().map(Message::tokens_estimated).sum(),
        cache_read_predicted: assembled.predicted.read,
        notes: &assembled.notes,
    }
}

fn marks(messages: &[Message]) -> usize {
    messages.iter().filter(|message| message.ends_cached_prefix).count()
}

/// The tiers that have anything in them.
#[must_use]
pub fn blocks(assembled: &Assembled) -> Vec<BlockDocument> {
    let block = |block: &crate::tier::Block| BlockDocument {
        tier: block.tier.as_str(),
        items: block.keys.len(),
        tokens: block.tokens,
        ends_with_mark: block.ends_with_breakpoint,
    };
    assembled.layout.blocks.iter().map(block).collect()
}

impl BlockDocument {
    /// The tier's word.
    #[must_use]
    pub fn tier(&self) -> &'static str {
        self.tier
    }

    /// One line for people.
    #[must_use]
    pub fn line(&self) -> String {
        let many = if self.items == 1 { "item" } else { "items" };
        let mark = if self.ends_with_mark { ", mark" } else { "" };
        format!("{} {} {many}, about {} tokens{mark}", self.tier, self.items, self.tokens)
    }
}

fn anthropic_body(messages: &[Message]) -> serde_json::Value {
    let capabilities = crate::chat::Capabilities { cache_breakpoints: 4, ..crate::chat::Capabilities::default() };
    let request = crate::chat::Request { messages: messages.to_vec(), ..crate::chat::Request::default() };
    let extra = serde_json::Map::new();
    body::body(
        &request,
        body::Form { protocol: body::Protocol::Anthropic, capabilities: &capabilities, streams: true, extra: &extra },
    )
}
