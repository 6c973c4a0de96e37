//! A request as the JSON of the two large protocols: whole bodies, model, parameters, messages and cache marks.
//!
//! The shapes are those of OpenAI's chat completions and of Anthropic's messages. This is the only place where they are
//! written: what a provider is sent and what `prompt --format openai|anthropic` prints are the same bytes. Fields stand
//! in the order in which they go out. A message is a plain text, or a list of parts where it has a mark or images.

use serde_json::{Map, Value, json};

use super::sendable::sendable;
use super::{Capabilities, Image, Message, Request, Role};

/// The limit of output where the protocol insists on a number and the request has none.
const OUTPUT_TOKENS_DEFAULT: u64 = 4_096;
/// Beginnings of the names of OpenAI's models that call the limit of output `max_completion_tokens`.
const COMPLETION_TOKENS: [&str; 5] = ["gpt-5", "gpt-6", "o1", "o3", "o4"];
/// How long OpenAI keeps a prefix that a mark ends.
const OPENAI_CACHE_TIME: &str = "30m";

/// Which protocol, and who speaks it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Protocol {
    /// OpenAI itself: its own form of marks.
    OpenAi,
    /// OpenAI's protocol spoken by another server; gateways take marks in Anthropic's options.
    OpenAiLike,
    /// Anthropic.
    Anthropic,
}

/// What a body says besides what the request says.
#[derive(Debug, Clone, Copy)]
pub struct BodyOptions<'f> {
    /// The shapes.
    pub protocol: Protocol,
    /// The limits, and the model where one is configured.
    pub capabilities: &'f Capabilities,
    /// Whether the answer is wanted piece by piece.
    pub streams: bool,
    /// Fields of the user's own, which go out as they are and win over ours.
    pub extra: &'f Map<String, Value>,
}

/// The body of a request, but for a schema of its answer.
#[must_use]
pub fn body(request: &Request, options: BodyOptions<'_>) -> Value {
    let messages = sendable(&request.messages, options.capabilities);
    let mut body = Map::new();
    if let Some(model) = &options.capabilities.model {
        body.insert("model".to_owned(), json!(model));
    }
    body.insert("stream".to_owned(), json!(options.streams));
    match options.protocol {
        Protocol::Anthropic => anthropic(&mut body, &messages, request, options),
        Protocol::OpenAi | Protocol::OpenAiLike => openai(&mut body, &messages, request, options),
    }
    let mut body = Value::Object(body);
    add_extra(&mut body, options.extra);
    body
}

/// Adds the user's own fields to a body; of a field that both have and that is an object, the fields inside.
pub fn add_extra(body: &mut Value, extra: &Map<String, Value>) {
    for (name, value) in extra {
        match (&mut body[name.as_str()], value) {
            (known @ Value::Object(_), Value::Object(inner)) => add_extra(known, inner),
            (place, value) => *place = value.clone(),
        }
    }
}

/// The limit of output in the request; `None` leaves it to the provider. Anthropic insists on a number.
#[must_use]
pub fn output_tokens(
    request: &Request,
    capabilities: &Capabilities,
    is_anthropic: bool,
) -> Option<u64> {
    let asked = request
        .params
        .max_output_tokens
        .or(is_anthropic.then_some(OUTPUT_TOKENS_DEFAULT));
    asked.map(|asked| {
        capabilities
            .output_tokens
            .map_or(asked, |limit| asked.min(limit))
            .max(1)
    })
}

/// The messages of a chat completion, with marks as gateways take them.
#[must_use]
pub fn openai_messages(messages: &[Message]) -> Value {
    messages
        .iter()
        .map(|message| openai_message(message, Protocol::OpenAiLike))
        .collect()
}

fn openai(
    body: &mut Map<String, Value>,
    messages: &[Message],
    request: &Request,
    options: BodyOptions<'_>,
) {
    let capabilities = options.capabilities;
    body.insert(
        "messages".to_owned(),
        messages
            .iter()
            .map(|message| openai_message(message, options.protocol))
            .collect(),
    );
    if options.streams {
        body.insert(
            "stream_options".to_owned(),
            json!({ "include_usage": true }),
        );
    }
    if options.protocol == Protocol::OpenAi && capabilities.cache_breakpoints > 0 {
        let has_marks = messages.iter().any(|message| message.ends_cached_prefix);
        let options = if has_marks {
            json!({ "mode": "explicit", "ttl": OPENAI_CACHE_TIME })
        } else {
            json!({ "mode": "explicit" })
        };
        body.insert("prompt_cache_options".to_owned(), options);
    }
    let model = capabilities.model.as_deref().unwrap_or_default();
    let is_completion = COMPLETION_TOKENS.iter().any(|name| model.starts_with(name));
    let params = &request.params;
    insert(
        body,
        "temperature",
        params
            .temperature
            .filter(|_| capabilities.temperature.is_some()),
    );
    insert(
        body,
        "stop",
        params.stop.clone().filter(|stop| !stop.is_empty()),
    );
    let limit = if is_completion {
        "max_completion_tokens"
    } else {
        "max_tokens"
    };
    insert(body, limit, output_tokens(request, capabilities, false));
    insert(body, "top_p", params.top_p);
    insert(body, "seed", params.seed);
}

fn anthropic(
    body: &mut Map<String, Value>,
    messages: &[Message],
    request: &Request,
    options: BodyOptions<'_>,
) {
    let image = |image: &Image| {
        let source =
            json!({ "type": "base64", "media_type": image.media_type, "data": image.base64 });
        json!({ "type": "image", "source": source })
    };
    let (system, said): (Vec<&Message>, Vec<&Message>) = messages
        .iter()
        .partition(|message| message.role == Role::System);
    let one = |message: &&Message| json!({ "role": message.role.as_str(), "content": content(message, &image, "cache_control") });
    body.insert("messages".to_owned(), said.iter().map(one).collect());
    insert(
        body,
        "max_tokens",
        output_tokens(request, options.capabilities, true),
    );
    match system.as_slice() {
        [] => {}
        [only] if !only.ends_cached_prefix => insert(body, "system", Some(only.text.as_str())),
        several => {
            let parts: Value = several
                .iter()
                .map(|message| text_part(message, "cache_control"))
                .collect();
            body.insert("system".to_owned(), parts);
        }
    }
    let params = &request.params;
    insert(
        body,
        "temperature",
        params
            .temperature
            .filter(|_| options.capabilities.temperature.is_some()),
    );
    insert(
        body,
        "stop_sequences",
        params.stop.clone().filter(|stop| !stop.is_empty()),
    );
    insert(body, "top_p", params.top_p);
}

fn insert<T: Into<Value>>(body: &mut Map<String, Value>, name: &str, value: Option<T>) {
    if let Some(value) = value {
        body.insert(name.to_owned(), value.into());
    }
}

fn openai_message(message: &Message, protocol: Protocol) -> Value {
    let image =
        |image: &Image| json!({ "type": "image_url", "image_url": { "url": image.data_uri() } });
    let mark = if protocol == Protocol::OpenAi {
        "prompt_cache_breakpoint"
    } else {
        "cache_control"
    };
    json!({ "role": message.role.as_str(), "content": content(message, &image, mark) })
}

fn content(message: &Message, image: &dyn Fn(&Image) -> Value, mark: &str) -> Value {
    if message.images.is_empty() && !message.ends_cached_prefix {
        return message.text.as_str().into();
    }
    std::iter::once(text_part(message, mark))
        .chain(message.images.iter().map(image))
        .collect()
}

fn text_part(message: &Message, mark: &str) -> Value {
    let mut part = json!({ "type": "text", "text": message.text });
    if message.ends_cached_prefix {
        part[mark] = if mark == "cache_control" {
            json!({ "type": "ephemeral" })
        } else {
            json!({ "mode": "explicit" })
        };
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        let image = Image::new(b"GIF89a").expect("an image");
        let messages = vec![
            Message {
                ends_cached_prefix: true,
                ..Message::new(Role::System, "s")
            },
            Message::new(Role::User, "a"),
            Message {
                ends_cached_prefix: true,
                ..Message::new(Role::Assistant, "b")
            },
            Message {
                images: vec![image],
                ..Message::new(Role::User, "c")
            },
        ];
        Request {
            messages,
            ..Request::default()
        }
    }

    fn written(protocol: Protocol, capabilities: &Capabilities) -> Value {
        body(
            &request(),
            BodyOptions {
                protocol,
                capabilities,
                streams: true,
                extra: &Map::new(),
            },
        )
    }

    #[test]
    fn bodies_have_the_shapes_of_the_protocols() {
        let capabilities = Capabilities {
            cache_breakpoints: 4,
            model: Some("m".to_owned()),
            ..Capabilities::default()
        };
        let text = |text: &str, name: &str, mark: Value| json!([{ "type": "text", "text": text, name: mark }]);
        let uri = "data:image/gif;base64,R0lGODlh";
        for (protocol, name, mark) in [
            (
                Protocol::OpenAiLike,
                "cache_control",
                json!({ "type": "ephemeral" }),
            ),
            (
                Protocol::OpenAi,
                "prompt_cache_breakpoint",
                json!({ "mode": "explicit" }),
            ),
        ] {
            let body = written(protocol, &capabilities);
            assert_eq!(
                body["messages"],
                json!([
                    { "role": "system", "content": text("s", name, mark.clone()) },
                    { "role": "user", "content": "a" },
                    { "role": "assistant", "content": text("b", name, mark) },
                    { "role": "user", "content": [
                        { "type": "text", "text": "c" }, { "type": "image_url", "image_url": { "url": uri } }
                    ] },
                ])
            );
            assert_eq!(
                body.get("prompt_cache_options").is_some(),
                protocol == Protocol::OpenAi
            );
        }
        let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/gif", "data": "R0lGODlh" } });
        let mark = json!({ "type": "ephemeral" });
        assert_eq!(
            written(Protocol::Anthropic, &capabilities),
            json!({
                "model": "m", "stream": true, "max_tokens": 4_096,
                "system": text("s", "cache_control", mark.clone()),
                "messages": [
                    { "role": "user", "content": "a" },
                    { "role": "assistant", "content": text("b", "cache_control", mark) },
                    { "role": "user", "content": [{ "type": "text", "text": "c" }, image] },
                ],
            })
        );
    }

    #[test]
    fn without_marks_a_system_text_is_a_string_and_fields_of_the_user_win() {
        let capabilities = Capabilities::default();
        assert_eq!(written(Protocol::Anthropic, &capabilities)["system"], "s");
        let extra = json!({ "top_k": 5, "stream": false });
        let extra = extra.as_object().expect("an object");
        let body = body(
            &request(),
            BodyOptions {
                protocol: Protocol::OpenAi,
                capabilities: &capabilities,
                streams: true,
                extra,
            },
        );
        assert_eq!(
            (&body["top_k"], &body["stream"]),
            (&json!(5), &json!(false))
        );
        assert!(body.get("model").is_none() && body.get("max_tokens").is_none());
    }
}
