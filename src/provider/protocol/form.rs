//! What all protocols have in common: who speaks which, and the parts of their documents.

use serde_json::Value;

use super::heard::IncomingAnswer;
use super::{anthropic, gemini, ollama, openai};
use crate::chat::body::add_extra;
use crate::chat::sendable::sendable;
use crate::chat::{Message, Request};
use crate::provider::definition::Definition;
use crate::provider::kind::ProviderKind;
use crate::provider::wire;

/// Where a request goes, below the endpoint.
pub(in crate::provider) fn path(definition: &Definition, streams: bool) -> String {
    match definition.kind {
        ProviderKind::Anthropic => "messages".to_owned(),
        ProviderKind::Gemini => gemini::path(definition.model().unwrap_or_default(), streams),
        ProviderKind::Ollama => "api/chat".to_owned(),
        _ => "chat/completions".to_owned(),
    }
}

/// The document that is sent: the body that `prompt` prints, and the schema of the answer.
pub(in crate::provider) fn body(request: &Request, definition: &Definition) -> Value {
    let schema = request
        .schema
        .as_ref()
        .filter(|_| definition.capabilities.structured_output);
    if let Some(mut body) = wire::body(request, definition) {
        if let Some(schema) = schema {
            let add = if definition.kind == ProviderKind::Anthropic {
                anthropic::add_schema
            } else {
                openai::add_schema
            };
            add(&mut body, schema);
        }
        return body;
    }
    let asked = PreparedRequest {
        messages: sendable(&request.messages, &definition.capabilities),
        request,
        model: definition.model().unwrap_or_default(),
        output_tokens: wire::output_tokens(request, definition),
        temperature: request
            .params
            .temperature
            .filter(|_| definition.capabilities.temperature.is_some()),
        schema,
        streams: wire::streams(request, definition),
    };
    let mut body = if definition.kind == ProviderKind::Gemini {
        gemini::body(&asked)
    } else {
        ollama::body(&asked)
    };
    add_extra(&mut body, &definition.extra);
    body
}

/// Takes note of a document that came in, a piece of a stream or a whole answer.
pub(in crate::provider) fn hear(kind: ProviderKind, document: &Value, heard: &mut IncomingAnswer) {
    match kind {
        ProviderKind::Anthropic => anthropic::hear(document, heard),
        ProviderKind::Gemini => gemini::hear(document, heard),
        ProviderKind::Ollama => ollama::hear(document, heard),
        _ => openai::hear(document, heard),
    }
}

/// A request with everything that the definition decides.
pub(super) struct PreparedRequest<'a> {
    pub(super) messages: Vec<Message>,
    pub(super) request: &'a Request,
    pub(super) model: &'a str,
    pub(super) output_tokens: Option<u64>,
    pub(super) temperature: Option<f64>,
    pub(super) schema: Option<&'a Value>,
    pub(super) streams: bool,
}

impl PreparedRequest<'_> {
    pub(super) fn stop(&self) -> Option<&Vec<String>> {
        self.request
            .params
            .stop
            .as_ref()
            .filter(|stop| !stop.is_empty())
    }
}

/// Sets a field where there is a value for it.
pub(super) fn set(body: &mut Value, name: &str, value: Option<impl Into<Value>>) {
    if let Some(value) = value {
        body[name] = value.into();
    }
}

/// A schema whose objects take no other properties than those they name, as strict output demands.
pub(super) fn closed(schema: &Value, requires_all: bool) -> Value {
    match schema {
        Value::Object(fields) => {
            let fields = fields
                .iter()
                .map(|(name, value)| (name.clone(), closed(value, requires_all)));
            let mut object: serde_json::Map<String, Value> = fields.collect();
            let names = object
                .get("properties")
                .and_then(Value::as_object)
                .map(|all| all.keys().cloned().collect::<Vec<_>>());
            if let Some(names) =
                names.filter(|_| object.get("type").is_some_and(|kind| kind == "object"))
            {
                object.insert("additionalProperties".to_owned(), false.into());
                if requires_all {
                    object.insert("required".to_owned(), names.into());
                }
            }
            Value::Object(object)
        }
        Value::Array(values) => values
            .iter()
            .map(|value| closed(value, requires_all))
            .collect(),
        other => other.clone(),
    }
}
