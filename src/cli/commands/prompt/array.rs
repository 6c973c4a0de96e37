//! What a session's turn, or a request by itself, would send: printed in a form, or explained by `tiers`.

use std::path::PathBuf;

use serde::Serialize;

use crate::base::count::counted;
use crate::chat::Message;
use crate::chat::body::{self, BodyOptions, Protocol};
use crate::cli::commands::context::entries;
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, Style, Ui, amount, given};
use crate::profile::Wish;
use crate::provider::{self, Definition};
use crate::session::{self, Addressee, Placed, Preview, PreviewOptions, TurnAsking, TurnError};
use crate::tier::{Block, CacheTerms, TierPolicy};
use crate::workspace::Workspace;

/// The smallest limits of Anthropic's models, for its form without a provider: marks, shortest prefix.
const ANTHROPIC_CACHE: (u32, u64) = (4, 4_096);

/// What a message array is made of.
#[derive(Debug, Clone, clap::Args)]
pub struct ArrayArgs {
    /// The session (default: none; only the lists and this command line count)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
    /// The request (default: that of the session's last turn)
    #[arg(long, short = 'm', value_name = "request")]
    message: Option<String>,
    /// Also show this in full: a path, glob, dir/**, <rev>:<path>, frame:<node> or URL
    #[arg(long = "file", value_name = "entry")]
    files: Vec<String>,
    /// Attach this image: PNG, JPEG, GIF or WebP
    #[arg(long = "image", value_name = "file")]
    images: Vec<PathBuf>,
    /// Limit the symbol map to this many tokens (an estimate; default: a quarter of the window, at most 32000)
    #[arg(long = "symbols", value_name = "tokens", value_parser = amount::count)]
    symbol_tokens: Option<u64>,
    /// How to place parts in tiers: by expected cost, or by counting requests without a change
    #[arg(long, value_name = "policy", value_parser = parse_policy, default_value = "expected-cost")]
    policy: TierPolicy,
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
    /// What the profile wishes and the provider does not take so.
    changes: &'d [String],
    notes: &'d [String],
}

fn parse_policy(text: &str) -> Result<TierPolicy, String> {
    match text {
        "counter" => Ok(TierPolicy::Counter),
        "expected-cost" => Ok(TierPolicy::ExpectedCost),
        _ => Err("expected expected-cost or counter".to_owned()),
    }
}

/// The provider that the words are for, and the form in which they are printed.
#[derive(Clone, Copy)]
pub struct Recipient<'r> {
    /// `--provider`.
    pub provider: Option<&'r str>,
    /// `--profile`.
    pub profile: Option<&'r str>,
    /// `--format`.
    pub format: &'r str,
}

/// Builds the request that would be sent; the provider is part of it where one is configured.
pub fn assemble(
    args: &ArrayArgs,
    recipient: Recipient<'_>,
    snapshot: &SnapshotArgs,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Preview, CliError> {
    let Recipient {
        provider,
        profile,
        format,
    } = recipient;
    let session = args
        .session
        .as_ref()
        .map(|name| session::open::session_folder(&workspace.repository, Some(name)))
        .transpose()?;
    let root = snapshot
        .is_named()
        .then(|| snapshot.root(workspace, &program.ui))
        .transpose()?;
    let asking = TurnAsking {
        provider: provider.map(str::to_owned),
        profile: profile.map(str::to_owned),
        allowed: program.global.allow_secret.clone(),
    };
    let files = entries(workspace, &args.files)?;
    let options = PreviewOptions {
        session,
        request: args.message.clone(),
        named: &files,
        images: args
            .images
            .iter()
            .map(|file| Ok((file.display().to_string(), given::image(program, file)?.1)))
            .collect::<Result<_, CliError>>()?,
        root,
        symbols: args.symbol_tokens,
        asking,
    };
    let reader = |definition: Option<&Definition>, wished| {
        let mut reader = addressee(format, definition, wished);
        reader.policy = args.policy;
        reader
    };
    session::preview::preview(workspace, &options, &reader).map_err(|error| match error {
        TurnError::NoRequest => CliError::from_source(Exit::Usage, error)
            .hint("say it with '-m <request>', or name a '--session'"),
        error => error.into(),
    })
}

/// The reader of the words in this format: the provider, or one that caches as Anthropic documents it.
fn addressee(format: &str, definition: Option<&Definition>, wished: Wish) -> Addressee {
    let mut reader = Addressee::of(definition, wished);
    reader.takes_block = format == "manual";
    let is_anthropic = definition
        .is_some_and(|definition| provider::protocol(definition.kind) == Some(Protocol::Anthropic));
    if format == "anthropic" && !is_anthropic {
        let capabilities = &mut reader.capabilities;
        (
            capabilities.cache_breakpoints,
            capabilities.cache_tokens_min,
        ) = ANTHROPIC_CACHE;
        reader.terms = CacheTerms::of(capabilities, None);
    }
    reader
}

/// Prints the words in a format.
pub(super) fn print(format: &str, preview: &Preview, ui: &mut Ui) -> Result<(), CliError> {
    let words = &preview.words;
    let messages = &words.request.messages;
    match format {
        _ if ui.is_json() => ui.write_json("prompt-array", &document(preview))?,
        "json" => ui.write_json("prompt-array", &document(preview))?,
        "openai" | "anthropic" => {
            // On one line, as this program sends it: a script can send it without changing a byte.
            let text = ui.styled(Style::Plain, &body_of(format, preview).to_string());
            writeln!(ui, "{text}")?;
        }
        "manual" => {
            let text = ui.styled(Style::Plain, &words.text);
            write!(ui, "{text}")?;
        }
        "markdown" => write_said(ui, messages, |role| format!("## {role}"))?,
        _ => write_said(ui, messages, |role| format!("[{role}]"))?,
    }
    for note in words.notes.iter().chain(&words.changes) {
        ui.note(note);
    }
    let tokens = words.request.tokens_estimated();
    let marks = marks(messages);
    let read = words
        .placed
        .as_ref()
        .map_or(0, |placed| placed.predicted.read);
    ui.note(&format!(
        "estimate: about {tokens} input tokens in {}, {marks} marks; about {read} from a cache that holds the last request; \
         nothing was sent",
        counted(messages.len(), "message", "messages"),
    ));
    Ok(())
}

/// The body of a protocol: exactly what goes out to a provider that speaks it; without one, a body that names no model.
fn body_of(format: &str, preview: &Preview) -> serde_json::Value {
    let request = &preview.words.request;
    let spoken = preview.definition.as_ref().filter(|definition| {
        let protocol = provider::protocol(definition.kind);
        protocol
            .is_some_and(|protocol| (protocol == Protocol::Anthropic) == (format == "anthropic"))
    });
    if let Some(body) = spoken.and_then(|definition| provider::body(request, definition)) {
        return body;
    }
    let protocol = if format == "anthropic" {
        Protocol::Anthropic
    } else {
        Protocol::OpenAiLike
    };
    let mut capabilities = crate::chat::Capabilities::default();
    if format == "anthropic" {
        (
            capabilities.cache_breakpoints,
            capabilities.cache_tokens_min,
        ) = ANTHROPIC_CACHE;
    }
    body::body(
        request,
        BodyOptions {
            protocol,
            capabilities: &capabilities,
            streams: false,
            extra: &serde_json::Map::new(),
        },
    )
}

fn write_said(
    ui: &mut Ui,
    messages: &[Message],
    heading: impl Fn(&str) -> String,
) -> Result<(), CliError> {
    for (at, message) in messages.iter().enumerate() {
        let mark = if message.ends_cached_prefix {
            " (mark)"
        } else {
            ""
        };
        let heading = ui.styled(
            Style::Heading,
            &format!("{}{mark}", heading(message.role.as_str())),
        );
        let text = ui.styled(Style::Plain, message.text.trim_end());
        let before = if at == 0 { "" } else { "\n" };
        writeln!(ui, "{before}{heading}\n\n{text}")?;
        for image in &message.images {
            writeln!(
                ui,
                "\n({} of {} characters in base64)",
                image.media_type,
                image.base64.len()
            )?;
        }
    }
    Ok(())
}

fn document(preview: &Preview) -> Document<'_> {
    let words = &preview.words;
    Document {
        provider: preview
            .definition
            .as_ref()
            .map(|definition| definition.name.as_str()),
        messages: body::openai_messages(&words.request.messages),
        tiers: words.placed.as_ref().map(blocks).unwrap_or_default(),
        marks: marks(&words.request.messages),
        tokens_estimated: words.request.tokens_estimated(),
        cache_read_predicted: words
            .placed
            .as_ref()
            .map_or(0, |placed| placed.predicted.read),
        changes: &words.changes,
        notes: &words.notes,
    }
}

fn marks(messages: &[Message]) -> usize {
    messages
        .iter()
        .filter(|message| message.ends_cached_prefix)
        .count()
}

/// The tiers that have anything in them.
#[must_use]
pub fn blocks(placed: &Placed) -> Vec<BlockDocument> {
    let block = |block: &Block| BlockDocument {
        tier: block.tier.as_str(),
        items: block.keys.len(),
        tokens: block.tokens,
        ends_with_mark: block.ends_with_breakpoint,
    };
    placed.layout.blocks.iter().map(block).collect()
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
        let items = counted(self.items, "item", "items");
        let mark = if self.ends_with_mark { ", mark" } else { "" };
        format!("{} {items}, about {} tokens{mark}", self.tier, self.tokens)
    }
}
