//! A request on its way out: the whole body for the protocols that are written in one place with what `prompt` prints.

use serde_json::Value;

use super::definition::Definition;
use super::kind::ProviderKind;
use crate::chat::Request;
use crate::chat::body::{self as chat, BodyOptions, Protocol};

/// The body of a request as it goes out, but for a schema of its answer; `None` for kinds whose bodies have another form.
#[must_use]
pub fn body(request: &Request, definition: &Definition) -> Option<Value> {
    let protocol = protocol(definition.kind)?;
    let (capabilities, streams) = (&definition.capabilities, streams(request, definition));
    Some(chat::body(
        request,
        BodyOptions {
            protocol,
            capabilities,
            streams,
            extra: &definition.extra,
        },
    ))
}

/// The protocol of a kind whose bodies are written here.
#[must_use]
pub fn protocol(kind: ProviderKind) -> Option<Protocol> {
    match kind {
        ProviderKind::OpenAi => Some(Protocol::OpenAi),
        ProviderKind::Local => Some(Protocol::OpenAiLike),
        ProviderKind::Anthropic => Some(Protocol::Anthropic),
        _ => None,
    }
}

/// True when the request wants the answer as a stream.
pub(super) fn streams(request: &Request, definition: &Definition) -> bool {
    definition.stream && definition.capabilities.streaming && !request.at_once
}

/// The limit of output in the request; `None` leaves it to the provider.
pub(super) fn output_tokens(request: &Request, definition: &Definition) -> Option<u64> {
    chat::output_tokens(
        request,
        &definition.capabilities,
        definition.kind == ProviderKind::Anthropic,
    )
}
