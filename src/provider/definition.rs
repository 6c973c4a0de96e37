//! Who can be asked: the providers that the user's own configuration defines, `merkle.provider.<name>.<key>`.
//!
//! Which keys there are stands in [`config::table::provider`](crate::config::table::provider).
//!
//! Without prices the cost is unknown, but for endpoints on this machine, people and recordings, which cost nothing. A
//! program's cost stays unknown: it may well ask a model that is paid for.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::time::Duration;

use serde_json::{Map, Value};

use super::api_key::ApiKey;
use super::endpoint::{Endpoint, EndpointError};
use super::error::ProviderError;
use super::family;
use super::kind::ProviderKind;
use super::limit::Limits;
use super::price::{self, Prices};
use super::read::{self, DefinitionError, Reader};
use crate::base::number::{floor, to_index};
use crate::base::variable::KEY_SUFFIX;
use crate::chat::Capabilities;
use crate::config::table::provider as key;
use crate::config::{Stack, TrustLevel, value};

/// Fields of requests that `extra` cannot set.
const OWN_FIELDS: [&str; 6] = [
    "contents",
    "messages",
    "model",
    "stream",
    "stream_options",
    "system",
];
/// Longest time between two pieces of an answer, unless configured.
const IDLE_TIMEOUT: Duration = Duration::from_mins(1);
/// Window of a model behind Ollama unless configured: what is longer would be cut there without a word.
const OLLAMA_CONTEXT_TOKENS: u64 = 8_192;

/// One provider as it is configured.
#[derive(Debug, Clone, PartialEq)]
pub struct Definition {
    /// How it is called.
    pub name: String,
    /// How it is reached.
    pub kind: ProviderKind,
    /// Where it listens; `None` when it does not, or the address is not configured.
    pub endpoint: Option<Endpoint>,
    /// The variable that holds its key, by the user's word.
    pub key_env: Option<String>,
    /// Headers to send with each request.
    pub headers: Vec<(String, ApiKey)>,
    /// The proxy in front of it.
    pub proxy: Option<ApiKey>,
    /// Program and arguments.
    pub command: Vec<String>,
    /// Variables that the program sees although they hold keys.
    pub env: Vec<String>,
    /// Recorded answers.
    pub file: Option<PathBuf>,
    /// Longest time for a whole answer.
    pub timeout: Duration,
    /// Longest time before the first piece of one: on this machine the model may have to be loaded first.
    pub first_timeout: Duration,
    /// Longest time between two pieces of one.
    pub idle_timeout: Duration,
    /// Whether requests want their answers as streams.
    pub stream: bool,
    /// How much it may be sent in a time.
    pub limits: Limits,
    /// What it can do; the model is here.
    pub capabilities: Capabilities,
    /// Fields of the user's own, which go out with each request and win over ours.
    pub extra: Map<String, Value>,
    /// What it costs; `None` when unknown.
    pub prices: Option<Prices>,
    /// Whether many requests may go out as one batch.
    pub batch: bool,
    /// What it costs in a batch; `None` when unknown.
    pub batch_prices: Option<Prices>,
}

impl Definition {
    /// The model it is configured with.
    #[must_use]
    pub fn model(&self) -> Option<&str> {
        self.capabilities.model.as_deref()
    }

    /// The error for what is missing or wrong in it.
    pub(super) fn not_configured(&self, reason: impl Into<String>) -> ProviderError {
        ProviderError::NotConfigured {
            provider: self.name.clone(),
            reason: reason.into(),
        }
    }

    /// Everything that must not show in a text.
    pub(super) fn secrets(&self) -> impl Iterator<Item = &ApiKey> {
        self.headers
            .iter()
            .map(|(_, value)| value)
            .chain(&self.proxy)
    }

    fn read(name: &str, reader: &Reader<'_>) -> Result<Self, DefinitionError> {
        let by_name = || ProviderKind::parse(name);
        let kind = reader
            .value(&key::KIND, ProviderKind::parse)?
            .or_else(by_name);
        let kind = kind.ok_or_else(|| DefinitionError::NoKind(name.to_owned()))?;
        let endpoint = reader.refusing(&key::ENDPOINT, |text| {
            Endpoint::parse(text).map_err(|error: EndpointError| error.to_string())
        })?;
        let endpoint = endpoint
            .or_else(|| kind.endpoint())
            .filter(|_| kind.has_endpoint());
        let timeout = reader
            .value(&key::TIMEOUT, read::duration)?
            .unwrap_or_default();
        let idle_timeout = reader.value(&key::IDLE_TIMEOUT, read::duration)?;
        let extra = reader.refusing(&key::EXTRA, extra)?.unwrap_or_default();
        let is_here = endpoint.as_ref().is_some_and(Endpoint::is_loopback);
        let prices = prices(kind, endpoint.as_ref(), reader)?;
        Ok(Self {
            name: name.to_owned(),
            kind,
            key_env: reader.refusing(&key::KEY_ENV, key_variable)?,
            headers: reader.each(&key::HEADER, header)?,
            proxy: reader.refusing(&key::PROXY, |text| {
                ApiKey::new(text).ok_or("it is no address".to_owned())
            })?,
            command: reader.each(&key::COMMAND, |text| Ok(text.to_owned()))?,
            env: reader.each(&key::ENV, |text| Ok(text.to_owned()))?,
            file: reader.text(&key::FILE).map(PathBuf::from),
            timeout,
            first_timeout: idle_timeout.unwrap_or(if is_here { timeout } else { IDLE_TIMEOUT }),
            idle_timeout: idle_timeout.unwrap_or(IDLE_TIMEOUT),
            stream: reader
                .value(&key::STREAM, read::boolean)?
                .unwrap_or_default(),
            limits: limits(reader)?,
            capabilities: capabilities(kind, &extra, reader)?,
            extra,
            batch: reader
                .refusing(&key::BATCH, |text| batch(kind, text))?
                .unwrap_or(kind.has_batches()),
            batch_prices: batch_prices(kind, prices, reader)?,
            prices,
            endpoint,
        })
    }
}

/// Every provider that is configured.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct Definitions(BTreeMap<String, Definition>);

impl Definitions {
    /// Reads them from the settings in force.
    pub fn load(stack: &Stack) -> Result<Self, DefinitionError> {
        let mut names: Vec<String> = Vec::new();
        for (key, entry) in stack.entries() {
            let parts: Vec<&str> = key.parts().collect();
            if parts[0] != "provider" {
                continue;
            }
            let &[_, name, setting] = parts.as_slice() else {
                continue;
            };
            // The stack sees to this; an endpoint from elsewhere would be given a key all the same.
            if entry.origin.level != TrustLevel::Protected && setting != "concurrency" {
                let (key, origin) = (key.to_string(), Box::new(entry.origin.clone()));
                return Err(DefinitionError::Unprotected { key, origin });
            }
            if !is_name(name) {
                return Err(DefinitionError::Name(name.to_owned()));
            }
            if names.last().is_none_or(|last| last != name) {
                names.push(name.to_owned());
            }
        }
        let read = |name: String| {
            Ok((
                name.clone(),
                Definition::read(&name, &Reader::new(stack, &name))?,
            ))
        };
        names
            .into_iter()
            .map(read)
            .collect::<Result<_, _>>()
            .map(Self)
    }

    /// Their names, in order.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }

    /// All of them, in the order of names.
    pub fn iter(&self) -> impl Iterator<Item = &Definition> {
        self.0.values()
    }

    /// The one of a name.
    pub fn get(&self, name: &str) -> Result<&Definition, DefinitionError> {
        if self.0.is_empty() {
            return Err(DefinitionError::NoneThere);
        }
        let names = || self.names().map(str::to_owned).collect();
        self.0.get(name).ok_or_else(|| DefinitionError::NotThere {
            name: name.to_owned(),
            names: names(),
        })
    }

    /// The only one there is.
    pub fn the_only(&self) -> Result<&Definition, DefinitionError> {
        let mut all = self.iter();
        match (all.next(), all.next()) {
            (Some(only), None) => Ok(only),
            (None, _) => Err(DefinitionError::NoneThere),
            (Some(_), Some(_)) => Err(DefinitionError::Several(
                self.names().map(str::to_owned).collect(),
            )),
        }
    }
}

/// True for what can be the name of a provider.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let plain = name
        .bytes()
        .all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-');
    plain && !name.is_empty() && name.len() <= 32 && !name.starts_with('-')
}

/// The name of a variable that may hold a key.
pub fn key_variable(text: &str) -> Result<String, String> {
    let plain = text
        .bytes()
        .all(|byte| byte.is_ascii_alphanumeric() || byte == b'_');
    if plain && text.ends_with(KEY_SUFFIX) {
        return Ok(text.to_owned());
    }
    Err(format!(
        "the name of a variable for a key ends with '{KEY_SUFFIX}', so that no program is started with it"
    ))
}

/// Fields of a request as one JSON object. What decides the provider, the messages and how the answer comes is not among them.
pub fn extra(text: &str) -> Result<Map<String, Value>, String> {
    let fields: Map<String, Value> =
        serde_json::from_str(text).map_err(|_| "it is one JSON object, such as {\"top_k\":40}")?;
    match OWN_FIELDS.iter().find(|name| fields.contains_key(**name)) {
        Some(name) => Err(format!("'{name}' is the program's own")),
        None => Ok(fields),
    }
}

/// A header of the form `Name: value`.
pub fn header(text: &str) -> Result<(String, ApiKey), String> {
    let is_name = |name: &str| {
        !name.is_empty()
            && name
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b"-_.".contains(&byte))
    };
    let (name, value) = text
        .split_once(':')
        .filter(|(name, _)| is_name(name))
        .ok_or("a header is 'Name: value'")?;
    Ok((
        name.to_owned(),
        ApiKey::new(value).ok_or("a header's value is plain text")?,
    ))
}

fn limits(reader: &Reader<'_>) -> Result<Limits, DefinitionError> {
    // A repository may make it smaller, and must not be able to make it nonsense: the least is one.
    let concurrency = reader
        .value(&key::CONCURRENCY, value::limit)?
        .map(|number| to_index(floor(number)).max(1));
    Ok(Limits {
        concurrency: concurrency.unwrap_or(1),
        requests_per_minute: reader.value(&key::REQUESTS_PER_MINUTE, read::positive)?,
        tokens_per_minute: reader.value(&key::TOKENS_PER_MINUTE, read::positive)?,
    })
}

fn capabilities(
    kind: ProviderKind,
    extra: &Map<String, Value>,
    reader: &Reader<'_>,
) -> Result<Capabilities, DefinitionError> {
    let model = reader.text(&key::MODEL).filter(|model| !model.is_empty());
    let known = match kind {
        ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini => {
            model.map(family::of_vendor)
        }
        _ => model.map(family::of_open_weights),
    };
    let mut base = known.unwrap_or_default();
    match kind {
        ProviderKind::Command | ProviderKind::Manual | ProviderKind::Replay => {
            // Words go in, words come out: nothing else reaches the program or person that answers.
            (base.temperature, base.top_p, base.seed, base.stops_max) =
                (None, false, false, Some(0));
            base.streaming &= kind == ProviderKind::Replay;
        }
        // The window that the user's own field sets is the one that there is.
        ProviderKind::Ollama => {
            let own = extra
                .get("options")
                .and_then(|options| options["num_ctx"].as_u64());
            base.context_tokens = own.or(Some(OLLAMA_CONTEXT_TOKENS));
        }
        // The marks are the vendors' own; another server with the same protocol may well stumble over them.
        ProviderKind::Local => base.cache_breakpoints = 0,
        _ => {}
    }
    base.multi_turn = !matches!(kind, ProviderKind::Command);
    // Its protocol has no field for one.
    base.seed &= kind != ProviderKind::Anthropic;
    Ok(Capabilities {
        context_tokens: reader
            .value(&key::CONTEXT_TOKENS, read::positive)?
            .or(base.context_tokens),
        output_tokens: reader
            .value(&key::OUTPUT_TOKENS, read::positive)?
            .or(base.output_tokens),
        temperature: reader
            .value(&key::TEMPERATURE, read::range)?
            .unwrap_or(base.temperature),
        structured_output: reader
            .value(&key::STRUCTURED_OUTPUT, read::boolean)?
            .unwrap_or(base.structured_output),
        system_prompt: reader
            .value(&key::SYSTEM_PROMPT, read::boolean)?
            .unwrap_or(base.system_prompt),
        cache_breakpoints: reader
            .value(&key::CACHE_BREAKPOINTS, read::count)?
            .unwrap_or(base.cache_breakpoints),
        cache_tokens_min: reader
            .value(&key::CACHE_TOKENS_MIN, read::number)?
            .unwrap_or(base.cache_tokens_min),
        ..base
    })
}

fn prices(
    kind: ProviderKind,
    endpoint: Option<&Endpoint>,
    reader: &Reader<'_>,
) -> Result<Option<Prices>, DefinitionError> {
    let price = |setting| reader.value(setting, price::parse);
    let (input, output) = (price(&key::PRICE_INPUT)?, price(&key::PRICE_OUTPUT)?);
    let (read, write) = (
        price(&key::PRICE_CACHE_READ)?,
        price(&key::PRICE_CACHE_WRITE)?,
    );
    // A gateway on this machine that takes a key passes requests on, and some vendor is paid for them.
    let is_here =
        endpoint.is_some_and(Endpoint::is_loopback) && reader.text(&key::KEY_ENV).is_none();
    let free = matches!(kind, ProviderKind::Manual | ProviderKind::Replay) || is_here;
    match (input, output) {
        (Some(input), Some(output)) => {
            let of_input = |thousandths: u64| input.saturating_mul(thousandths).div_ceil(1_000);
            let cache_read = read.unwrap_or_else(|| of_input(kind.cache_read_thousandths()));
            // Written tokens are taken to be as dear as any vendor has them.
            let cache_write = write.unwrap_or_else(|| of_input(1_250));
            Ok(Some(Prices {
                input,
                output,
                cache_read,
                cache_write,
            }))
        }
        (None, None) if read.is_none() && write.is_none() => Ok(free.then(Prices::default)),
        _ => Err(reader.lacking(&key::PRICE_INPUT, &key::PRICE_OUTPUT)),
    }
}

/// Whether batches are taken; no protocol but two has them.
fn batch(kind: ProviderKind, text: &str) -> Result<bool, String> {
    let wanted = read::boolean(text).ok_or("it is no boolean")?;
    let can = kind.has_batches() || kind == ProviderKind::Local;
    if wanted && !can {
        return Err(format!("kind '{}' has no batches", kind.name()));
    }
    Ok(wanted)
}

/// Prices in a batch: those that are set, else the kind's known share of the others.
fn batch_prices(
    kind: ProviderKind,
    prices: Option<Prices>,
    reader: &Reader<'_>,
) -> Result<Option<Prices>, DefinitionError> {
    let price = |setting| reader.value(setting, price::parse);
    let (input, output) = (
        price(&key::PRICE_BATCH_INPUT)?,
        price(&key::PRICE_BATCH_OUTPUT)?,
    );
    let Some(live) = prices else {
        return match (input, output) {
            (None, None) => Ok(None),
            _ => Err(reader.lacking(&key::PRICE_BATCH_INPUT, &key::PRICE_INPUT)),
        };
    };
    let percent = if kind.has_batches() { 50 } else { 100 };
    Ok(Some(live.in_batches(percent, input, output)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::Layer;
    use std::path::Path;

    fn load(text: &str) -> Result<Definitions, DefinitionError> {
        let mut stack = Stack::new(false);
        stack
            .add(Layer::from_toml(TrustLevel::Protected, text, Path::new("c.toml")).expect("TOML"));
        Definitions::load(&stack)
    }

    fn one(text: &str) -> Definition {
        load(text)
            .expect("definitions")
            .the_only()
            .expect("one")
            .clone()
    }

    /// Before, what a gateway on this machine takes a key for was booked as free.
    #[test]
    fn a_model_on_this_machine_is_free_unless_it_takes_a_key() {
        let local =
            "[provider.gk]\nkind = 'local'\nmodel = 'm'\nendpoint = 'http://127.0.0.1:1/v1/'\n";
        assert_eq!(one(local).prices, Some(Prices::default()));
        assert_eq!(one(&format!("{local}keyEnv = 'GK_API_KEY'")).prices, None);
    }

    #[test]
    fn a_vendor_needs_no_more_than_a_model() {
        let claude = one("[provider.claude]\nkind = 'anthropic'\nmodel = 'claude-sonnet-4-5'");
        assert_eq!(
            claude.endpoint.expect("an endpoint").as_str(),
            "https://api.anthropic.com/v1/"
        );
        assert_eq!(
            (
                claude.capabilities.cache_breakpoints,
                claude.limits.concurrency,
                claude.prices
            ),
            (4, 4, None)
        );
        assert_eq!(
            one("provider.openai.model = 'gpt-4o'").kind,
            ProviderKind::OpenAi
        );
    }

    #[test]
    fn what_costs_nothing_is_known_to() {
        assert_eq!(
            one("[provider.x]\nkind = 'local'\nendpoint = 'localhost:1/v1'").prices,
            Some(Prices::default())
        );
        assert_eq!(
            one("provider.manual.kind = 'manual'").prices,
            Some(Prices::default())
        );
        assert_eq!(
            one("[provider.x]\nkind = 'command'\ncommand = ['/bin/cat']").prices,
            None
        );
        let paid = one(
            "[provider.x]\nkind = 'openai'\nprice_input = 3\nprice_output = '15'\npriceCacheRead = 0.3",
        );
        let expected = Prices {
            input: 3_000_000,
            output: 15_000_000,
            cache_read: 300_000,
            cache_write: 3_750_000,
        };
        assert_eq!(paid.prices, Some(expected));
    }

    #[test]
    fn batches_cost_half_at_vendors_and_what_is_set() {
        let of = |more: &str| {
            let text =
                format!("[provider.x]\nmodel = 'm'\nprice_input = 3\nprice_output = 15\n{more}");
            let read = one(&text);
            (
                read.batch,
                read.batch_prices.map(|p| (p.input, p.output, p.cache_read)),
            )
        };
        let half = Some((1_500_000, 7_500_000, 150_000));
        assert_eq!(of("kind = 'anthropic'"), (true, half));
        assert!(!of("kind = 'openai'\nbatch = false").0);
        let full = Some((3_000_000, 15_000_000, 3_000_000));
        assert_eq!(
            of("kind = 'local'\nendpoint = 'api.example.org/v1'"),
            (false, full)
        );
        let set = "kind = 'anthropic'\npriceBatchInput = 1\npriceBatchOutput = 2";
        assert_eq!(of(set).1, Some((1_000_000, 2_000_000, 100_000)));
        let bare = "[provider.x]\nkind = 'anthropic'\npriceBatchInput = 1";
        assert!(load(bare).is_err(), "half a price is none");
        for kind in ["ollama", "gemini", "manual"] {
            let text = format!("[provider.x]\nkind = '{kind}'\nbatch = true");
            assert!(load(&text).is_err(), "{kind}");
        }
    }

    #[test]
    fn mistakes_name_their_place() {
        for (text, expected) in [
            ("provider.x.model = 'y'", "provider 'x' has no kind"),
            (
                "provider.openai.temperature = 'warm'",
                "bad value 'warm' for 'merkle.provider.openai.temperature' from file:c.toml:1",
            ),
            (
                "provider.openai.endpoint = 'http://example.org'",
                "'http://' is for this machine only",
            ),
            ("provider.openai.keyEnv = 'PATH'", "ends with '_API_KEY'"),
            (
                "provider.openai.header = ['no colon']",
                "a header is 'Name: value'",
            ),
            (
                "provider.openai.priceInput = 1",
                "'merkle.provider.openai.priceOutput'",
            ),
        ] {
            let error = load(text).expect_err(text).to_string();
            assert!(error.contains(expected), "{text}: {error}");
        }
    }

    #[test]
    fn the_table_and_the_kinds_say_the_same() {
        let names: Vec<&str> = ProviderKind::ALL
            .into_iter()
            .map(ProviderKind::name)
            .collect();
        assert_eq!(
            key::KIND.kind,
            crate::config::ValueKind::Choice(names.leak())
        );
    }

    #[test]
    fn a_repository_makes_concurrency_smaller_and_nothing_else() {
        let mut stack = Stack::new(true);
        let mut add = |level, text| {
            stack.add(Layer::from_toml(level, text, Path::new("c.toml")).expect("TOML"));
        };
        add(
            TrustLevel::Protected,
            "[provider.openai]\nmodel = 'x'\nconcurrency = 8",
        );
        add(
            TrustLevel::Repository,
            "[provider.openai]\nmodel = 'y'\nconcurrency = '0.5'\n[provider.evil]\nconcurrency = 1",
        );
        let loaded = Definitions::load(&stack).expect("definitions");
        let only = loaded.the_only().expect("one");
        assert_eq!((only.model(), only.limits.concurrency), (Some("x"), 1));
    }

    #[test]
    fn secrets_do_not_show_in_a_definition() {
        let shown = format!(
            "{:?}",
            one("[provider.openai]\nheader = 'X-Key: canary'\nproxy = 'http://u:canary@p:1'")
        );
        assert!(
            !shown.contains("canary") && shown.contains("X-Key"),
            "{shown}"
        );
    }

    #[test]
    fn who_is_meant_is_one_or_named() {
        let two = load("provider.openai.model = 'a'\nprovider.ollama.model = 'b'").expect("two");
        assert_eq!(
            two.the_only().expect_err("two").to_string(),
            "several providers are configured: 'ollama', 'openai'"
        );
        assert_eq!(
            two.get("x").expect_err("none").to_string(),
            "no provider 'x'; there is 'ollama', 'openai'"
        );
        assert_eq!(
            load("").expect("none").the_only(),
            Err(DefinitionError::NoneThere)
        );
    }
}
