//! The words of the two protocols: documents, events and errors, as their vendors document them.

use git_merkle::chat::Usage;
use serde_json::{Value, json};

use super::{MODELS, Recorded, Refused, Stop};

/// The most pieces that an answer comes in.
const PIECES_MAX: usize = 8;

/// Which protocol a request speaks.
#[derive(Clone, Copy, PartialEq)]
pub(super) enum Protocol {
    OpenAi,
    Anthropic,
}

impl Protocol {
    /// Told by the path, or for what both have in common by a header.
    pub(super) fn of(request: &Recorded) -> Self {
        let anthropic =
            request.path.ends_with("/messages") || request.header("anthropic-version").is_some();
        if anthropic {
            Self::Anthropic
        } else {
            Self::OpenAi
        }
    }

    pub(super) fn models(self) -> String {
        let list: Vec<Value> = match self {
            Self::OpenAi => MODELS
                .iter()
                .map(|id| json!({"id": id, "object": "model", "owned_by": "test"}))
                .collect(),
            Self::Anthropic => MODELS
                .iter()
                .map(|id| json!({"type": "model", "id": id, "display_name": id}))
                .collect(),
        };
        json!({"object": "list", "data": list, "has_more": false}).to_string()
    }

    /// A whole answer as one document.
    pub(super) fn document(
        self,
        request: &Recorded,
        text: &str,
        stop: Stop,
        usage: Option<Usage>,
    ) -> String {
        let model = &request.body["model"];
        let mut document = match self {
            Self::OpenAi => {
                let (content, refusal) = openai_words(text, stop);
                let message = json!({"role": "assistant", "content": content, "refusal": refusal});
                let choice =
                    json!({"index": 0, "message": message, "finish_reason": self.stop(stop)});
                json!({"id": "c-1", "object": "chat.completion", "created": 1, "model": model, "choices": [choice]})
            }
            Self::Anthropic => {
                let content = if text.is_empty() {
                    json!([])
                } else {
                    json!([{"type": "text", "text": text}])
                };
                json!({"id": "m-1", "type": "message", "role": "assistant", "model": model, "content": content,
                    "stop_reason": self.stop(stop), "stop_sequence": null})
            }
        };
        if let Some(usage) = usage {
            document["usage"] = self.usage(usage);
        }
        document.to_string()
    }

    /// A whole answer as events, the protocol's end last.
    pub(super) fn events(
        self,
        request: &Recorded,
        text: &str,
        stop: Stop,
        usage: Option<Usage>,
    ) -> Vec<String> {
        match self {
            Self::OpenAi => openai_events(request, text, stop, usage),
            Self::Anthropic => anthropic_events(request, text, stop, usage),
        }
    }

    /// The events of an answer before anything says that it has ended.
    pub(super) fn first_events(self, request: &Recorded, text: &str) -> Vec<String> {
        let mut events = self.events(request, text, Stop::Done, None);
        // OpenAI: the stop chunk and [DONE]; Anthropic: the end of the block, the stop delta and message_stop.
        events.truncate(events.len() - if self == Self::OpenAi { 2 } else { 3 });
        events
    }

    pub(super) fn error(self, request: &Recorded, refused: &Refused) -> String {
        let model = request.body["model"].as_str().unwrap_or_default();
        let message = refused
            .message
            .replace("{key}", request.key())
            .replace("{model}", model);
        match self {
            Self::OpenAi => json!({"error": {"message": message, "type": refused.kind, "param": null, "code": refused.code}}),
            Self::Anthropic => json!({"type": "error", "error": {"type": refused.kind, "message": message}}),
        }
        .to_string()
    }

    /// What a request gets with 200 that fails nevertheless.
    pub(super) fn error_document(self) -> String {
        match self {
            Self::OpenAi => json!({"error": {"message": "overloaded", "type": "server_error", "code": null}}),
            Self::Anthropic => json!({"type": "error", "error": {"type": "overloaded_error", "message": "overloaded"}}),
        }
        .to_string()
    }

    pub(super) fn error_event(self) -> String {
        match self {
            Self::OpenAi => format!("data: {}\n\n", self.error_document()),
            Self::Anthropic => format!("event: error\ndata: {}\n\n", self.error_document()),
        }
    }

    fn stop(self, stop: Stop) -> &'static str {
        match (self, stop) {
            (Self::OpenAi, Stop::Done | Stop::Refusal) => "stop",
            (Self::OpenAi, Stop::Length) => "length",
            (Self::OpenAi, Stop::Filter) => "content_filter",
            (Self::Anthropic, Stop::Done) => "end_turn",
            (Self::Anthropic, Stop::Length) => "max_tokens",
            (Self::Anthropic, Stop::Refusal | Stop::Filter) => "refusal",
        }
    }

    /// Anthropic counts cached tokens beside the input, OpenAI within it.
    fn usage(self, usage: Usage) -> Value {
        match self {
            Self::OpenAi => json!({
                "prompt_tokens": usage.input, "completion_tokens": usage.output, "total_tokens": usage.input + usage.output,
                "prompt_tokens_details": {"cached_tokens": usage.cache_read},
                "completion_tokens_details": {"reasoning_tokens": usage.reasoning},
            }),
            Self::Anthropic => json!({
                "input_tokens": usage.input - usage.cache_read - usage.cache_write, "output_tokens": usage.output,
                "cache_creation_input_tokens": usage.cache_write, "cache_read_input_tokens": usage.cache_read,
            }),
        }
    }
}

/// The text of a message's content or a system text: a string, or a list of parts.
pub(super) fn text_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        _ => String::new(),
    }
}

fn openai_words(text: &str, stop: Stop) -> (Value, Value) {
    if stop == Stop::Refusal {
        (Value::Null, json!(text))
    } else {
        (json!(text), Value::Null)
    }
}

fn openai_events(request: &Recorded, text: &str, stop: Stop, usage: Option<Usage>) -> Vec<String> {
    let chunk = |choices: Value, usage: Value| {
        let model = &request.body["model"];
        let chunk = json!({"id": "c-1", "object": "chat.completion.chunk", "created": 1, "model": model,
            "choices": choices, "usage": usage});
        format!("data: {chunk}\n\n")
    };
    let delta = |delta: Value, stop: Value| {
        chunk(
            json!([{"index": 0, "delta": delta, "finish_reason": stop}]),
            Value::Null,
        )
    };
    let word = if stop == Stop::Refusal {
        "refusal"
    } else {
        "content"
    };
    let mut events = vec![delta(
        json!({"role": "assistant", "content": ""}),
        Value::Null,
    )];
    events.extend(
        pieces(text)
            .into_iter()
            .map(|piece| delta(json!({word: piece}), Value::Null)),
    );
    events.push(delta(json!({}), json!(Protocol::OpenAi.stop(stop))));
    if let Some(usage) = usage.filter(|_| request.body["stream_options"]["include_usage"] == true) {
        events.push(chunk(json!([]), Protocol::OpenAi.usage(usage)));
    }
    events.push("data: [DONE]\n\n".to_owned());
    events
}

fn anthropic_events(
    request: &Recorded,
    text: &str,
    stop: Stop,
    usage: Option<Usage>,
) -> Vec<String> {
    let event = |data: Value| {
        format!(
            "event: {}\ndata: {data}\n\n",
            data["type"].as_str().unwrap_or_default()
        )
    };
    let mut message = json!({"id": "m-1", "type": "message", "role": "assistant", "model": request.body["model"],
        "content": [], "stop_reason": null, "stop_sequence": null});
    let mut end = json!({"type": "message_delta",
        "delta": {"stop_reason": Protocol::Anthropic.stop(stop), "stop_sequence": null}});
    if let Some(usage) = usage {
        let first = Usage { output: 1, ..usage };
        message["usage"] = Protocol::Anthropic.usage(first);
        end["usage"] = json!({"output_tokens": usage.output});
    }
    let mut events = vec![
        event(json!({"type": "message_start", "message": message})),
        event(json!({"type": "ping"})),
    ];
    if !text.is_empty() {
        let block = json!({"type": "text", "text": ""});
        events.push(event(
            json!({"type": "content_block_start", "index": 0, "content_block": block}),
        ));
    }
    events.extend(pieces(text).into_iter().map(|piece| {
        let delta = json!({"type": "text_delta", "text": piece});
        event(json!({"type": "content_block_delta", "index": 0, "delta": delta}))
    }));
    if !text.is_empty() {
        events.push(event(json!({"type": "content_block_stop", "index": 0})));
    }
    events.extend([event(end), event(json!({"type": "message_stop"}))]);
    events
}

/// A text in at most [`PIECES_MAX`] pieces, cut between characters.
fn pieces(text: &str) -> Vec<String> {
    let chars: Vec<char> = text.chars().collect();
    chars
        .chunks(chars.len().div_ceil(PIECES_MAX).max(1))
        .map(|piece| piece.iter().collect())
        .collect()
}
