//! The settings of one provider, `merkle.provider.<name>.<key>`; see [`table`](super).

use crate::config::kind::ValueKind;
use crate::config::permission::Order;
use crate::config::setting::{KeySection, Setting};

const PRICE: &str = "US dollars per million tokens";

const fn provider(name: &'static str, kind: ValueKind) -> Setting {
    Setting::new(KeySection::Provider, name, kind).read_by("provider/definition.rs")
}

/// `kind`.
pub const KIND: Setting = provider(
    "kind",
    ValueKind::Choice(&[
        "openai",
        "anthropic",
        "gemini",
        "ollama",
        "local",
        "command",
        "manual",
        "replay",
    ]),
)
.means("How the provider is reached; without it, the provider's name if that is a kind");

/// `model`.
pub const MODEL: Setting =
    provider("model", ValueKind::Text("a name, as the provider has it")).means("Model to use");

/// `endpoint`.
pub const ENDPOINT: Setting = provider(
    "endpoint",
    ValueKind::Text("an address; http on this machine only"),
)
.means("Where the provider listens; without it, the vendor's address");

/// `proxy`.
pub const PROXY: Setting =
    provider("proxy", ValueKind::Text("an address")).means("Proxy in front of the provider");

/// `keyEnv`.
pub const KEY_ENV: Setting = provider("keyEnv", ValueKind::Text("a variable whose name ends with _API_KEY"))
    .means("Environment variable that holds the key; without it, the vendor's, for the vendor's own address");

/// `header`.
pub const HEADER: Setting =
    provider("header", ValueKind::List("Name: value")).means("Header to send with each request");

/// `extra`.
pub const EXTRA: Setting = provider(
    "extra",
    ValueKind::Text("a JSON object, or a table in TOML"),
)
.means("Fields to add to each request; they win over the program's own, object by object");

/// `command`.
pub const COMMAND: Setting = provider(
    "command",
    ValueKind::List("a program, then one value for each argument"),
)
.means("Program that answers, of the kind `command`");

/// `env`.
pub const ENV: Setting = provider(
    "env",
    ValueKind::List("a variable whose name ends with _API_KEY"),
)
.means("Environment variable that the program sees although it holds a key");

/// `file`.
pub const FILE: Setting =
    provider("file", ValueKind::Text("a path")).means("Recorded answers, of the kind `replay`");

/// `timeout`.
pub const TIMEOUT: Setting = provider("timeout", ValueKind::Duration)
    .default("10m")
    .means("Longest time for a whole answer");

/// `idleTimeout`.
pub const IDLE_TIMEOUT: Setting = provider("idleTimeout", ValueKind::Duration)
    .means("Longest time between two pieces of an answer, 60s without it, and before the first piece, which on this machine may take the whole time");

/// `stream`.
pub const STREAM: Setting = provider("stream", ValueKind::Boolean)
    .default("true")
    .means("Whether the answer comes piece by piece");

/// `concurrency`.
pub const CONCURRENCY: Setting = provider("concurrency", ValueKind::Limit("requests"))
    .default("4")
    .tighten(Order::Smaller)
    .means("Most requests at a time; halved for the rest of a run where answers break off");

/// `requestsPerMinute`.
pub const REQUESTS_PER_MINUTE: Setting =
    provider("requestsPerMinute", ValueKind::Positive("requests"))
        .means("Most requests in a minute");

/// `tokensPerMinute`.
pub const TOKENS_PER_MINUTE: Setting =
    provider("tokensPerMinute", ValueKind::Positive("tokens")).means("Most tokens in a minute");

/// `contextTokens`.
pub const CONTEXT_TOKENS: Setting = provider("contextTokens", ValueKind::Positive("tokens"))
    .means("Context window of the model; without it, what is known of the model, 8192 for Ollama, or what a refusal says");

/// `outputTokens`.
pub const OUTPUT_TOKENS: Setting = provider("outputTokens", ValueKind::Positive("tokens"))
    .means("Longest answer of the model; without it, what is known of the model");

/// `temperature`.
pub const TEMPERATURE: Setting = provider("temperature", ValueKind::Text("'<min> <max>' or none"))
    .means("Temperatures that the model takes; without it, what is known of the model");

/// `structuredOutput`.
pub const STRUCTURED_OUTPUT: Setting = provider("structuredOutput", ValueKind::Boolean).means(
    "Whether the model takes a schema for its answer; without it, what is known of the model",
);

/// `systemPrompt`.
pub const SYSTEM_PROMPT: Setting = provider("systemPrompt", ValueKind::Boolean)
    .means("Whether the model takes system messages; without it, what is known of the model");

/// `cacheBreakpoints`.
pub const CACHE_BREAKPOINTS: Setting = provider("cacheBreakpoints", ValueKind::Number("marks"))
    .means("Cache marks that the provider takes; without it, what is known of the model");

/// `cacheTokensMin`.
pub const CACHE_TOKENS_MIN: Setting = provider("cacheTokensMin", ValueKind::Number("tokens"))
    .means("Shortest prefix that the provider caches; without it, what is known of the model");

/// `priceInput`.
pub const PRICE_INPUT: Setting = provider("priceInput", ValueKind::Limit(PRICE))
    .means("Price of input; set it together with `priceOutput`");

/// `priceOutput`.
pub const PRICE_OUTPUT: Setting = provider("priceOutput", ValueKind::Limit(PRICE))
    .means("Price of output; set it together with `priceInput`");

/// `priceCacheRead`.
pub const PRICE_CACHE_READ: Setting = provider("priceCacheRead", ValueKind::Limit(PRICE))
    .means("Price of input from the provider's cache; without it, the share of `priceInput` that the vendor takes");

/// `priceCacheWrite`.
pub const PRICE_CACHE_WRITE: Setting = provider("priceCacheWrite", ValueKind::Limit(PRICE)).means(
    "Price of input that goes into the provider's cache; without it, 1.25 times `priceInput`",
);

/// `batch`.
pub const BATCH: Setting = provider("batch", ValueKind::Boolean).means(
    "Whether the provider takes batches; without it, true at OpenAI and Anthropic, false elsewhere",
);

/// `priceBatchInput`.
pub const PRICE_BATCH_INPUT: Setting = provider("priceBatchInput", ValueKind::Limit(PRICE))
    .means("Price of input in batches; without it, half of `priceInput` at OpenAI and Anthropic, `priceInput` elsewhere");

/// `priceBatchOutput`.
pub const PRICE_BATCH_OUTPUT: Setting = provider("priceBatchOutput", ValueKind::Limit(PRICE))
    .means("Price of output in batches; without it, half of `priceOutput` at OpenAI and Anthropic, `priceOutput` elsewhere");

/// All of them, in the order of the reference page.
pub const ALL: &[Setting] = &[
    KIND,
    MODEL,
    ENDPOINT,
    PROXY,
    KEY_ENV,
    HEADER,
    EXTRA,
    COMMAND,
    ENV,
    FILE,
    TIMEOUT,
    IDLE_TIMEOUT,
    STREAM,
    CONCURRENCY,
    REQUESTS_PER_MINUTE,
    TOKENS_PER_MINUTE,
    CONTEXT_TOKENS,
    OUTPUT_TOKENS,
    TEMPERATURE,
    STRUCTURED_OUTPUT,
    SYSTEM_PROMPT,
    CACHE_BREAKPOINTS,
    CACHE_TOKENS_MIN,
    PRICE_INPUT,
    PRICE_OUTPUT,
    PRICE_CACHE_READ,
    PRICE_CACHE_WRITE,
    BATCH,
    PRICE_BATCH_INPUT,
    PRICE_BATCH_OUTPUT,
];
