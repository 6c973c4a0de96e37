//! What all protocols have in common: who speaks which, and the parts of their documents.

use serde_json::Value;

use super::heard::IncomingAnswer;
use super::prepared::PreparedRequest;
use super::{anthropic, gemini, ollama, openai};
use crate::chat::Request;
use crate::chat::body::add_extra;
use crate::chat::sendable::sendable;
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
