//! A model behind an endpoint, through the protocol library: one request, one answer or one failure.
//!
//! Always with an explicit target: by a model's name alone the library would choose an endpoint of its own. An answer is
//! whole only with the end that its protocol has; what ends otherwise is thrown away, and counts in full.

use std::sync::{Arc, OnceLock};

use futures_util::StreamExt as _;
use genai::adapter::AdapterKind;
use genai::chat::{ChatOptions, ChatStreamEvent, StopReason, StreamEnd};
use genai::resolver::{AuthData, Endpoint as Target};
use genai::{Client, Headers, ModelIden, ServiceTarget};

use super::ask::{Asking, Provider, TextSink};
use super::definition::Definition;
use super::key::{self, Key};
use super::kind::Kind;
use super::seen::Seen;
use super::{Charge, Failure, ProviderError, fault, http, wire};
use crate::chat::{Answer, Capabilities, Reply, Request, Ticket, Usage};

/// Largest answer, in bytes.
const ANSWER_BYTES_MAX: usize = 8 * 1024 * 1024;
/// Shortest run of words that an error shares with the request and is then not repeated.
const SHARED_BYTES_MIN: usize = 24;

/// A model behind an endpoint.
pub(super) struct Model {
    definition: Definition,
    key: Option<Key>,
    clients: OnceLock<Result<Clients, String>>,
}

struct Clients {
    http: reqwest::Client,
    chat: Client,
}

type Attempt = Result<Answer, (ProviderError, Charge)>;

impl Model {
    pub(super) fn new(definition: Definition, key: Option<Key>) -> Self {
        Self { definition, key, clients: OnceLock::new() }
    }

    fn clients(&self) -> Result<&Clients, ProviderError> {
        let made = self.clients.get_or_init(|| {
            let http = http::client(&self.definition)?;
            let chat =
                Client::builder().with_reqwest(http.clone()).build().map_err(|_| "the client cannot be made".to_owned())?;
            Ok(Clients { http, chat })
        });
        made.as_ref().map_err(|reason| self.not_configured(reason))
    }

    fn is_vendors(&self) -> bool {
        let vendor = self.definition.kind.endpoint();
        vendor.zip(self.definition.endpoint.as_ref()).is_some_and(|(vendor, endpoint)| vendor.has_origin_of(endpoint))
    }

    fn not_configured(&self, reason: &str) -> ProviderError {
        ProviderError::NotConfigured { provider: self.definition.name.clone(), reason: reason.to_owned() }
    }

    /// Where the request goes; the key stands in it.
    fn target(&self) -> (ServiceTarget, Option<Headers>) {
        let Definition { kind, endpoint, .. } = &self.definition;
        let endpoint = endpoint.as_ref().expect("a model is connected with an endpoint");
        let (adapter, path) = match kind {
            Kind::Anthropic => (AdapterKind::Anthropic, Some("messages")),
            Kind::Gemini => (AdapterKind::Gemini, None),
            Kind::Ollama => (AdapterKind::Ollama, None),
            _ => (AdapterKind::OpenAI, Some("chat/completions")),
        };
        let headers = Headers::from(http::headers(&self.definition, self.key.as_ref()));
        let model = ModelIden::new(adapter, wire::model(&self.definition));
        let (auth, extra) = match path {
            // All headers are ours then, and without a key there is none.
            Some(path) => (AuthData::RequestOverride { url: endpoint.below(path), headers }, None),
            None => {
                let key = self.key.as_ref().map_or_else(String::new, |key| key.reveal().to_owned());
                (AuthData::Key(key), Some(headers))
            }
        };
        (ServiceTarget { endpoint: Target::from_owned(endpoint.as_str()), auth, model }, extra)
    }

    async fn ask(&self, request: &Request, on_text: TextSink<'_>, seen: &Arc<Seen>) -> Attempt {
        let clients = self.clients().map_err(|error| (error, Charge::Nothing))?;
        let (target, extra) = self.target();
        let mut options = wire::options(request, &self.definition);
        options.extra_headers = extra;
        let messages = wire::messages(request, &self.definition);
        if !self.definition.stream || !self.definition.capabilities.streaming {
            let response = clients.chat.exec_chat(target, messages, Some(&options)).await;
            return self.whole(response, seen);
        }
        let watched = Arc::clone(seen);
        let options: ChatOptions = options.with_raw_frame_fn(move |_, frame| watched.event(frame.data));
        let streamed = clients.chat.exec_chat_stream(target, messages, Some(&options)).await;
        let mut stream = streamed.map_err(|error| self.of_library(&error))?.stream;
        let mut text = String::new();
        loop {
            match self.next(&mut stream, seen).await? {
                Some(ChatStreamEvent::Chunk(chunk)) => {
                    seen.text();
                    text.push_str(&chunk.content);
                    on_text(&chunk.content);
                    if text.len() > ANSWER_BYTES_MAX {
                        return Err((ProviderError::Protocol("the answer does not end".to_owned()), Charge::Unknown));
                    }
                }
                Some(ChatStreamEvent::End(end)) => return self.ended(text, &end, seen),
                Some(_) => {}
                None if seen.has_events() => return Err(unknown("the stream ends before the answer does")),
                None => return Err(unknown("it is no stream of events")),
            }
        }
    }

    /// The next event, as long as there are signs of life.
    async fn next(
        &self,
        stream: &mut genai::chat::ChatStream,
        seen: &Seen,
    ) -> Result<Option<ChatStreamEvent>, (ProviderError, Charge)> {
        let idle = self.definition.idle_timeout;
        loop {
            let frames = seen.frames();
            match tokio::time::timeout(idle, stream.next()).await {
                Ok(None) => return Ok(None),
                Ok(Some(Ok(event))) => return Ok(Some(event)),
                Ok(Some(Err(error))) => return Err(self.of_broken(&error, seen)),
                // Comments are no events, but no silence either.
                Err(_) if seen.frames() > frames => {}
                Err(_) => return Err((ProviderError::Timeout(idle), Charge::Unknown)),
            }
        }
    }

    fn whole(&self, response: genai::Result<genai::chat::ChatResponse>, seen: &Seen) -> Attempt {
        let response = response.map_err(|error| self.of_library(&error))?;
        let body = response.captured_raw_body.as_ref();
        if let Some(error) = body.and_then(fault::of_document) {
            return Err((error, Charge::Unknown));
        }
        if let Some(body) = body {
            seen.document(body);
        }
        let text = response.content.joined_texts().unwrap_or_default();
        judge(text, response.stop_reason.as_ref(), usage(&response.usage), seen)
    }

    fn ended(&self, text: String, end: &StreamEnd, seen: &Seen) -> Attempt {
        let usage = end.captured_usage.as_ref().and_then(usage);
        let made_up = self.definition.kind == Kind::Ollama && !seen.is_done();
        if made_up || (end.captured_stop_reason.is_none() && !seen.is_refused()) {
            return Err(unknown("the stream ends before the answer does"));
        }
        judge(text, end.captured_stop_reason.as_ref(), usage, seen)
    }

    fn of_library(&self, error: &genai::Error) -> (ProviderError, Charge) {
        fault::of_library(error, self.definition.timeout)
    }

    /// A stream that breaks after it had begun is no outage to be waited for: it has been paid for.
    fn of_broken(&self, error: &genai::Error, seen: &Seen) -> (ProviderError, Charge) {
        match self.of_library(error) {
            (ProviderError::Unavailable { .. } | ProviderError::Protocol(_), Charge::Unknown)
                if seen.has_events() && is_cut(error) =>
            {
                unknown("the stream ends before the answer does")
            }
            other => other,
        }
    }

    async fn attempt(&self, request: &Request, on_text: TextSink<'_>) -> Result<Answer, Failure> {
        let seen = Arc::new(Seen::default());
        let limit = self.definition.timeout;
        let asked = tokio::time::timeout(limit, self.ask(request, on_text, &seen)).await;
        let (error, charge) = match asked {
            Ok(Ok(answer)) => return Ok(answer),
            Ok(Err(failed)) => failed,
            Err(_) => (ProviderError::Timeout(limit), Charge::Unknown),
        };
        let error = self.safe(self.completed(error).await, Some(request));
        Err(Failure { error, charge, answered_in_part: seen.has_text() })
    }

    /// Adds the models that there are.
    async fn completed(&self, error: ProviderError) -> ProviderError {
        let ProviderError::ModelNotFound { .. } = error else { return error };
        let available = match self.clients() {
            Ok(clients) => http::models(&clients.http, &self.definition, self.key.as_ref()).await.unwrap_or_default(),
            Err(_) => Vec::new(),
        };
        ProviderError::ModelNotFound { model: self.definition.model().unwrap_or_default().to_owned(), available }
    }

    /// The same failure without a key, and without words of the request, which some servers repeat.
    fn safe(&self, error: ProviderError, request: Option<&Request>) -> ProviderError {
        let clean = |text: String| {
            let text = key::redact(&text, self.key.iter().chain(self.definition.secrets()));
            if request.is_some_and(|request| shares_words(&text, request)) { "it repeats the request".to_owned() } else { text }
        };
        match error {
            ProviderError::Auth(text) => ProviderError::Auth(clean(text)),
            ProviderError::ContextTooLong(text) => ProviderError::ContextTooLong(clean(text)),
            ProviderError::Refused(text) => ProviderError::Refused(clean(text)),
            ProviderError::Protocol(text) => ProviderError::Protocol(clean(text)),
            ProviderError::Unavailable { reason, retry_after } => {
                ProviderError::Unavailable { reason: clean(reason), retry_after }
            }
            other => other,
        }
    }

    async fn check(&self) -> Result<(), ProviderError> {
        let clients = self.clients()?;
        let listed = http::models(&clients.http, &self.definition, self.key.as_ref()).await;
        let model = self.definition.model().unwrap_or_default();
        match listed {
            // Many gateways and servers of one's own have no list; that they answer is all there is to know.
            Err(ProviderError::Protocol(text)) if text.contains("404") && !self.is_vendors() => Ok(()),
            Err(error) => Err(self.safe(error, None)),
            Ok(available) if available.is_empty() || available.iter().any(|name| is_same_model(name, model)) => Ok(()),
            Ok(available) => Err(ProviderError::ModelNotFound { model: model.to_owned(), available }),
        }
    }
}

impl Provider for Model {
    fn capabilities(&self) -> &Capabilities {
        &self.definition.capabilities
    }

    fn validate(&self) -> Asking<'_, (), ProviderError> {
        Box::pin(self.check())
    }

    fn complete<'a>(&'a self, request: &'a Request, on_text: TextSink<'a>) -> Asking<'a, Answer, Failure> {
        Box::pin(self.attempt(request, on_text))
    }

    fn collect<'a>(&'a self, _ticket: &'a Ticket) -> Asking<'a, Answer, Failure> {
        let error = self.not_configured("it answers at once and has nothing to collect");
        Box::pin(std::future::ready(Err(Failure { error, charge: Charge::Nothing, answered_in_part: false })))
    }
}

/// What an answer that has come to its end is worth.
fn judge(text: String, stop: Option<&StopReason>, usage: Option<Usage>, seen: &Seen) -> Attempt {
    let charge = usage.map_or(Charge::Unknown, Charge::Usage);
    if seen.is_refused() {
        return Err((ProviderError::Refused("the model declines".to_owned()), charge));
    }
    match stop {
        Some(StopReason::ContentFilter(reason)) => {
            let reason = reason.chars().filter(char::is_ascii_graphic).take(40).collect();
            return Err((ProviderError::Refused(reason), charge));
        }
        Some(StopReason::MaxTokens(_)) => return Err((ProviderError::Truncated, charge)),
        Some(StopReason::ToolCall(_)) => {
            return Err((ProviderError::Protocol("it calls a tool, and was given none".to_owned()), charge));
        }
        Some(StopReason::Other(reason)) if reason == "pause_turn" => {
            return Err((ProviderError::Protocol("it pauses in the middle of its turn".to_owned()), charge));
        }
        _ => {}
    }
    if text.trim().is_empty() {
        return Err((ProviderError::Protocol("the answer is empty".to_owned()), charge));
    }
    Ok(Answer::Ready(Reply { text, model: seen.model(), usage }))
}

/// The provider's own count; `None` when it has none.
fn usage(told: &genai::chat::Usage) -> Option<Usage> {
    let count = |number: Option<i32>| number.map_or(0, |number| u64::try_from(number).unwrap_or(0));
    told.prompt_tokens.or(told.completion_tokens)?;
    let (input, output) = (told.prompt_tokens_details.as_ref(), told.completion_tokens_details.as_ref());
    Some(Usage {
        input: count(told.prompt_tokens),
        output: count(told.completion_tokens),
        cache_read: count(input.and_then(|details| details.cached_tokens)),
        cache_write: count(input.and_then(|details| details.cache_creation_tokens)),
        reasoning: count(output.and_then(|details| details.reasoning_tokens)),
    })
}

fn unknown(reason: &str) -> (ProviderError, Charge) {
    (ProviderError::Protocol(reason.to_owned()), Charge::Unknown)
}

fn is_cut(error: &genai::Error) -> bool {
    matches!(error, genai::Error::WebStream { .. })
}

/// Ollama's `name` stands for `name:latest`.
fn is_same_model(listed: &str, wanted: &str) -> bool {
    listed == wanted || listed.strip_suffix(":latest") == Some(wanted)
}

/// True when a text has a longer run of words in common with a request.
fn shares_words(text: &str, request: &Request) -> bool {
    let ends = |start: usize| text.get(start..).filter(|rest| rest.len() >= SHARED_BYTES_MIN);
    let runs = text.char_indices().filter_map(|(start, _)| {
        let rest = ends(start)?;
        (SHARED_BYTES_MIN..=rest.len()).find_map(|end| rest.get(..end))
    });
    let runs: Vec<&str> = runs.collect();
    request.messages.iter().any(|message| runs.iter().any(|run| message.text.contains(run)))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chat::{Message, Role};

    #[test]
    fn words_of_the_request_are_recognized() {
        let words = "fn main() { println!(\"hello\"); } // the whole file";
        let request = Request { messages: vec![Message::new(Role::User, words)], ..Request::default() };
        assert!(shares_words("status 400: cannot parse 'fn main() { println!(\"hello\"); }'", &request));
        assert!(!shares_words("status 400: prompt is too long", &request));
    }

    #[test]
    fn a_count_that_is_not_there_is_none() {
        assert_eq!(usage(&genai::chat::Usage::default()), None);
        let told = genai::chat::Usage { prompt_tokens: Some(3), completion_tokens: Some(-1), ..Default::default() };
        assert_eq!(usage(&told), Some(Usage { input: 3, ..Usage::default() }));
    }
}
