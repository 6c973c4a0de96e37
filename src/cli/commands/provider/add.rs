//! `provider add`: the settings of a new provider, checked before they are written to the user's global configuration.

use serde::Serialize;

use super::configured::definitions;
use super::document;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::{Layer, Place, Stack, TrustLevel};
use crate::git::ConfigFile;
use crate::provider::{DefinitionError, Definitions, definition, lacking};

/// Arguments of `provider add`. There is none for a key: those are kept by `git merkle auth login`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The provider's name
    #[arg(value_name = "name")]
    name: String,
    /// openai, anthropic, gemini, ollama, local, command, manual or replay
    #[arg(long, value_name = "kind")]
    kind: String,
    /// The model to send requests to
    #[arg(long, value_name = "model")]
    model: Option<String>,
    /// The server's address (default: the vendor's own; kind local has none)
    #[arg(long, value_name = "address")]
    endpoint: Option<String>,
    /// The environment variable with the key; its name ends in _API_KEY
    #[arg(long, value_name = "variable")]
    key_env: Option<String>,
    /// The program to run; repeat for each of its arguments
    #[arg(long, value_name = "word", allow_hyphen_values = true)]
    command: Vec<String>,
    /// The file with recorded answers
    #[arg(long, value_name = "file")]
    file: Option<String>,
    /// Maximum concurrent requests
    #[arg(long, value_name = "count")]
    concurrency: Option<String>,
    /// US dollars per million input tokens
    #[arg(long, value_name = "dollars", requires = "price_output")]
    price_input: Option<String>,
    /// US dollars per million output tokens
    #[arg(long, value_name = "dollars", requires = "price_input")]
    price_output: Option<String>,
    /// US dollars per million input tokens that are read from the provider's cache (default: the kind's usual price)
    #[arg(long, value_name = "dollars", requires = "price_input")]
    price_cache_read: Option<String>,
    /// US dollars per million input tokens that are written to the provider's cache (default: a quarter more than input)
    #[arg(long, value_name = "dollars", requires = "price_input")]
    price_cache_write: Option<String>,
    /// It takes batches, as OpenAI's Batch API; kinds openai and anthropic do without this
    #[arg(long)]
    batch: bool,
    /// US dollars per million input tokens in batches (default: half of --price-input at openai and anthropic)
    #[arg(long, value_name = "dollars", requires = "price_input")]
    price_batch_input: Option<String>,
    /// US dollars per million output tokens in batches (default: half of --price-output at openai and anthropic)
    #[arg(long, value_name = "dollars", requires = "price_output")]
    price_batch_output: Option<String>,
    /// Show what would be written, and write nothing
    #[arg(long)]
    dry_run: bool,
}

#[derive(Debug, Serialize)]
struct AddedDocument {
    name: String,
    written: bool,
    settings: Vec<SettingDocument>,
}

#[derive(Debug, Serialize)]
struct SettingDocument {
    key: String,
    value: String,
}

pub(super) fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let name = args.name.as_str();
    if !definition::is_name(name) {
        return Err(DefinitionError::Name(name.to_owned()).into());
    }
    if definitions(program)?.get(name).is_ok() {
        let taken = CliError::new(
            Exit::Refused,
            format!("there is a provider '{name}' already"),
        );
        return Err(taken
            .hint(format!(
                "'git config --global merkle.provider.{name}.<setting> <value>' changes a setting; 'git merkle provider show {name}' shows them"
            ))
            .hint(format!(
                "'git merkle provider remove {name}' takes it out, and it can be added again"
            )));
    }
    let settings = settings(args);
    check(args, &settings)?;
    if !args.dry_run {
        for setting in &settings {
            ConfigFile::Global.add(&setting.key, &setting.value)?;
        }
    }
    let document = AddedDocument {
        name: name.to_owned(),
        written: !args.dry_run,
        settings,
    };
    if program.ui.is_json() {
        program.ui.write_json("provider-add", &document)?;
        return Ok(Exit::Done);
    }
    for setting in &document.settings {
        let setting = document::line(&format!("{}={}", setting.key, setting.value));
        writeln!(program.ui, "{setting}")?;
    }
    Ok(Exit::Done)
}

fn settings(args: &Args) -> Vec<SettingDocument> {
    let is_true = "true".to_owned();
    let single = [
        ("kind", Some(&args.kind)),
        ("model", args.model.as_ref()),
        ("endpoint", args.endpoint.as_ref()),
        ("keyEnv", args.key_env.as_ref()),
        ("file", args.file.as_ref()),
        ("concurrency", args.concurrency.as_ref()),
        ("priceInput", args.price_input.as_ref()),
        ("priceOutput", args.price_output.as_ref()),
        ("priceCacheRead", args.price_cache_read.as_ref()),
        ("priceCacheWrite", args.price_cache_write.as_ref()),
        ("batch", args.batch.then_some(&is_true)),
        ("priceBatchInput", args.price_batch_input.as_ref()),
        ("priceBatchOutput", args.price_batch_output.as_ref()),
    ];
    let single = single
        .into_iter()
        .filter_map(|(key, value)| Some((key, value?)));
    let all = single.chain(args.command.iter().map(|word| ("command", word)));
    let key = |key| format!("merkle.provider.{}.{key}", args.name);
    all.map(|(name, value)| SettingDocument {
        key: key(name),
        value: value.clone(),
    })
    .collect()
}

/// Reads the settings as they would be read once they are written.
fn check(args: &Args, settings: &[SettingDocument]) -> Result<(), CliError> {
    let mut layer = Layer::new(TrustLevel::Protected);
    for setting in settings {
        let spelling = setting.key.trim_start_matches("merkle.");
        layer.add(spelling, setting.value.clone(), Place::CommandLine);
    }
    let mut stack = Stack::new(false);
    stack.add(layer);
    if let Some(mistake) = stack.mistakes().next() {
        return Err(
            CliError::from_source(Exit::Usage, mistake).hint("see 'git merkle provider add -h'")
        );
    }
    let definitions = Definitions::load(&stack).map_err(|error| {
        CliError::from_source(Exit::Usage, error).hint("see 'git merkle provider add -h'")
    })?;
    let lacking = lacking(definitions.get(&args.name)?);
    if lacking.is_empty() {
        return Ok(());
    }
    let kind = &args.kind;
    let whats: Vec<&str> = lacking.iter().map(|lacking| lacking.what).collect();
    let options = lacking
        .iter()
        .map(|lacking| format!(" --{} {}", lacking.setting, lacking.value));
    let message = format!(
        "a provider of kind '{kind}' cannot do without: {}",
        whats.join(", ")
    );
    Err(CliError::new(Exit::Usage, message).hint(format!(
        "run the same command with{}",
        options.collect::<String>()
    )))
}
