//! A request on its way out: the whole body for the protocols that are written here, the library's form for the others.

use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatRole, ContentPart, JsonSpec, MessageContent,
};
use serde_json::{Map, Value};

use super::definition::Definition;
use super::kind::Kind;
use crate::chat::body::{self as chat, Form, Protocol};
use crate::chat::sendable::sendable;
use crate::chat::{Message, Request, Role};

/// What the schema of an answer is called on the wire.
const SCHEMA_NAME: &str = "answer";

/// The body of a request as it goes out; `None` for kinds whose protocol the library writes.
#[must_use]
pub fn body(request: &Request, definition: &Definition) -> Option<Value> {
    let protocol = protocol(definition.kind)?;
    let streams = definition.stream && definition.capabilities.streaming;
    let form = Form { protocol, capabilities: &definition.capabilities, streams, extra: &Map::new() };
    Some(chat::body(request, form))
}

/// The protocol of a kind whose bodies are written here.
#[must_use]
pub fn protocol(kind: Kind) -> Option<Protocol> {
    match kind {
        Kind::OpenAi => Some(Protocol::OpenAi),
        Kind::Local => Some(Protocol::OpenAiLike),
        Kind::Anthropic => Some(Protocol::Anthropic),
        _ => None,
    }
}

/// The model's name for the library, which adds fields by names and cuts them: none of ours where the body has the name.
pub(super) fn model(definition: &Definition) -> &str {
    if protocol(definition.kind).is_some() { "model" } else { definition.model().unwrap_or_default() }
}

/// The messages for the library; none where the body goes out as it is written here.
pub(super) fn messages(request: &Request, definition: &Definition) -> ChatRequest {
    if protocol(definition.kind).is_some() {
        return ChatRequest::from_messages(Vec::new());
    }
    ChatRequest::from_messages(sendable(&request.messages, &definition.capabilities).into_iter().map(chat_message).collect())
}

/// The parameters and the schema, as far as the provider takes them.
///
/// A body that is written here takes the place of what the library makes, field by field: the library adds the schema,
/// carries it to the provider and reads the answer.
pub(super) fn options(request: &Request, definition: &Definition) -> ChatOptions {
    let (params, capabilities) = (&request.params, &definition.capabilities);
    let mut options = ChatOptions::default().with_capture_usage(true).with_capture_raw_body(true);
    options.extra_body = body(request, definition);
    if options.extra_body.is_none() {
        options.temperature = params.temperature.filter(|_| capabilities.temperature.is_some());
        options.max_tokens = output_tokens(request, definition).map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
        options.top_p = params.top_p;
        options.seed = params.seed;
        options.stop_sequences = params.stop.clone().unwrap_or_default();
    }
    if let Some(schema) = request.schema.as_ref().filter(|_| capabilities.structured_output) {
        options.response_format = Some(ChatResponseFormat::JsonSpec(JsonSpec::new(SCHEMA_NAME, schema.clone())));
    }
    options
}

/// The most output that is asked for; `None` leaves it to the provider.
pub(super) fn output_tokens(request: &Request, definition: &Definition) -> Option<u64> {
    chat::output_tokens(request, &definition.capabilities, definition.kind == Kind::Anthropic)
}

fn chat_message(message: Message) -> ChatMessage {
    let role = match message.role {
        Role::System => ChatRole::System,
        Role::User => ChatRole::User,
        Role::Assistant => ChatRole::Assistant,
    };
    let images = message.images.into_iter().map(|image| ContentPart::from_binary_base64(image.media_type, image.base64, None));
    let mut parts = vec![ContentPart::from_text(message.text)];
    parts.extend(images);
    let chat = ChatMessage::new(role, MessageContent::from_parts(parts));
    if message.ends_cached_prefix { chat.with_options(CacheControl::Ephemeral) } else { chat }
}
