//! How a provider is shown: in a list, and whole. Secrets are said to be there, never what they are.

use serde::Serialize;

use crate::base::number::to_f64;
use crate::base::printable;
use crate::cli::{CliError, Ui};
use crate::provider::{Definition, KeyPlace, KeyStatus, Prices};

/// How things stand with a key.
#[derive(Debug, Serialize)]
pub(in crate::cli::commands) struct KeyDocument {
    state: &'static str,
    variable: Option<String>,
}

impl KeyDocument {
    pub(in crate::cli::commands) fn new(status: &KeyStatus) -> Self {
        let (state, variable) = match status {
            KeyStatus::NotNeeded => ("not needed", None),
            KeyStatus::Header => ("header", None),
            KeyStatus::Found(KeyPlace::Variable(name)) => ("variable", Some(name.clone())),
            KeyStatus::Found(KeyPlace::Helper) => ("helper", None),
            KeyStatus::Missing => ("missing", None),
        };
        Self { state, variable }
    }
}

/// The same in a few words.
pub(in crate::cli::commands) fn key_word(status: &KeyStatus) -> String {
    match status {
        KeyStatus::NotNeeded => "no key needed".to_owned(),
        KeyStatus::Header => "a header of its own".to_owned(),
        KeyStatus::Found(KeyPlace::Variable(name)) => format!("key in {name}"),
        KeyStatus::Found(KeyPlace::Helper) => "key in a credential helper".to_owned(),
        KeyStatus::Missing => "no key".to_owned(),
    }
}

/// Foreign text on one line, safe for a terminal.
pub(super) fn line(text: &str) -> String {
    printable(&text.replace(['\n', '\t', '\r'], " ")).to_string()
}

/// What `list` prints.
#[derive(Debug, Serialize)]
pub(super) struct ListDocument {
    pub(super) providers: Vec<ListedDocument>,
}

/// One of a list.
#[derive(Debug, Serialize)]
pub(super) struct ListedDocument {
    name: String,
    kind: &'static str,
    model: Option<String>,
    endpoint: Option<String>,
    key: KeyDocument,
    #[serde(skip)]
    key_word: String,
}

impl ListedDocument {
    pub(super) fn new(definition: &Definition, status: &KeyStatus) -> Self {
        Self {
            name: definition.name.clone(),
            kind: definition.kind.name(),
            model: definition.model().map(str::to_owned),
            endpoint: definition
                .endpoint
                .as_ref()
                .map(|endpoint| endpoint.as_str().to_owned()),
            key: KeyDocument::new(status),
            key_word: key_word(status),
        }
    }

    /// Name, kind, model, endpoint and key, separated by tabs; `-` for what is not there.
    pub(super) fn write(&self, ui: &mut Ui) -> Result<(), CliError> {
        let (model, endpoint) = (
            self.model.as_deref().unwrap_or("-"),
            self.endpoint.as_deref().unwrap_or("-"),
        );
        let fields = [&self.name, self.kind, model, endpoint, &self.key_word].map(line);
        write!(ui, "{}", fields.join("\t"))?;
        Ok(ui.end_record()?)
    }
}

/// What `show` prints.
#[derive(Debug, Serialize)]
pub(super) struct ShownDocument {
    #[serde(flatten)]
    listed: ListedDocument,
    key_env: Option<String>,
    headers: Vec<String>,
    proxy: bool,
    command: Vec<String>,
    env: Vec<String>,
    file: Option<String>,
    stream: bool,
    timeout_seconds: f64,
    idle_timeout_seconds: f64,
    concurrency: usize,
    requests_per_minute: Option<u64>,
    tokens_per_minute: Option<u64>,
    /// Names of the user's own fields; what they hold may be a secret.
    extra: Vec<String>,
    capabilities: CapabilitiesDocument,
    prices: Option<PricesDocument>,
    /// Whether it takes batches, and what they cost.
    batch: bool,
    batch_prices: Option<PricesDocument>,
}

#[derive(Debug, Serialize)]
struct CapabilitiesDocument {
    family: Option<String>,
    context_tokens: Option<u64>,
    output_tokens: Option<u64>,
    system_prompt: bool,
    structured_output: bool,
    temperature: Option<[f64; 2]>,
    cache_breakpoints: u32,
    cache_tokens_min: u64,
}

/// Dollars per million tokens.
#[derive(Debug, Serialize)]
struct PricesDocument {
    input: f64,
    output: f64,
    cache_read: f64,
    cache_write: f64,
}

impl From<Prices> for PricesDocument {
    fn from(prices: Prices) -> Self {
        let dollars = |price: u64| to_f64(price) / 1e6;
        Self {
            input: dollars(prices.input),
            output: dollars(prices.output),
            cache_read: dollars(prices.cache_read),
            cache_write: dollars(prices.cache_write),
        }
    }
}

impl ShownDocument {
    pub(super) fn new(definition: &Definition, status: &KeyStatus) -> Self {
        let capabilities = &definition.capabilities;
        let batch_prices = definition.batch_prices.filter(|_| definition.batch);
        Self {
            listed: ListedDocument::new(definition, status),
            key_env: definition.key_env.clone(),
            headers: definition
                .headers
                .iter()
                .map(|(name, _)| name.clone())
                .collect(),
            proxy: definition.proxy.is_some(),
            command: definition.command.clone(),
            env: definition.env.clone(),
            file: definition
                .file
                .as_ref()
                .map(|file| file.display().to_string()),
            stream: definition.stream,
            timeout_seconds: definition.timeout.as_secs_f64(),
            idle_timeout_seconds: definition.idle_timeout.as_secs_f64(),
            concurrency: definition.limits.concurrency,
            requests_per_minute: definition.limits.requests_per_minute,
            tokens_per_minute: definition.limits.tokens_per_minute,
            extra: definition.extra.keys().cloned().collect(),
            capabilities: CapabilitiesDocument {
                family: capabilities.family.clone(),
                context_tokens: capabilities.context_tokens,
                output_tokens: capabilities.output_tokens,
                system_prompt: capabilities.system_prompt,
                structured_output: capabilities.structured_output,
                temperature: capabilities.temperature.map(|(low, high)| [low, high]),
                cache_breakpoints: capabilities.cache_breakpoints,
                cache_tokens_min: capabilities.cache_tokens_min,
            },
            prices: definition.prices.map(PricesDocument::from),
            batch: definition.batch,
            batch_prices: batch_prices.map(PricesDocument::from),
        }
    }

    /// One line for each thing there is to say.
    pub(super) fn write(&self, ui: &mut Ui) -> Result<(), CliError> {
        let number =
            |number: Option<u64>| number.map_or("unknown".to_owned(), |number| number.to_string());
        let text = |text: &Option<String>| text.clone().unwrap_or("-".to_owned());
        let mut lines = vec![
            ("name", self.listed.name.clone()),
            ("kind", self.listed.kind.to_owned()),
            ("model", text(&self.listed.model)),
            ("endpoint", text(&self.listed.endpoint)),
            ("key", self.listed.key_word.clone()),
        ];
        lines.extend(
            self.headers
                .iter()
                .map(|name| ("header", format!("{name}: ***"))),
        );
        if !self.command.is_empty() {
            lines.push(("command", self.command.join(" ")));
        }
        lines.extend(self.file.iter().map(|file| ("file", file.clone())));
        if self.proxy {
            lines.push(("proxy", "***".to_owned()));
        }
        if !self.extra.is_empty() {
            lines.push(("extra fields", self.extra.join(", ")));
        }
        lines.extend([
            (
                "timeout",
                format!(
                    "{} s, {} s of silence",
                    self.timeout_seconds, self.idle_timeout_seconds
                ),
            ),
            ("concurrency", self.concurrency.to_string()),
            ("window", number(self.capabilities.context_tokens)),
            ("output", number(self.capabilities.output_tokens)),
            (
                "structured output",
                if self.capabilities.structured_output {
                    "yes"
                } else {
                    "no"
                }
                .to_owned(),
            ),
            (
                "cache marks",
                self.capabilities.cache_breakpoints.to_string(),
            ),
            ("price", price(self.prices.as_ref())),
        ]);
        if self.batch {
            lines.push(("price in batches", price(self.batch_prices.as_ref())));
        }
        for (name, value) in lines {
            let value = line(&value);
            writeln!(ui, "{name}: {value}")?;
        }
        Ok(())
    }
}

fn price(prices: Option<&PricesDocument>) -> String {
    match prices {
        None => "unknown".to_owned(),
        Some(prices) if prices.input == 0.0 && prices.output == 0.0 => "nothing".to_owned(),
        Some(prices) => format!(
            "{} in, {} out, in dollars per million tokens",
            prices.input, prices.output
        ),
    }
}
