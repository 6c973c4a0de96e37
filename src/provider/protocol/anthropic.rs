//! Anthropic's messages.

use serde_json::{Value, json};

use super::heard::{Count, IncomingAnswer};
use super::prepared::closed;

/// Asks for an answer that follows a schema.
pub(super) fn add_schema(body: &mut Value, schema: &Value) {
    body["output_config"] =
        json!({ "format": { "type": "json_schema", "schema": closed(schema, false) } });
}

pub(super) fn hear(document: &Value, heard: &mut IncomingAnswer) {
    let kind = document["type"].as_str().unwrap_or_default();
    heard.is_understood |= matches!(
        kind,
        "message" | "message_start" | "message_delta" | "content_block_delta"
    );
    match kind {
        "message" => {
            heard.name_model(&document["model"]);
            for part in document["content"]
                .as_array()
                .into_iter()
                .flatten()
                .filter(|part| part["type"] == "text")
            {
                heard.say(part["text"].as_str());
            }
            heard.end_with(&document["stop_reason"]);
            count(&document["usage"], heard);
        }
        "message_start" => {
            heard.name_model(&document["message"]["model"]);
            count(&document["message"]["usage"], heard);
        }
        "content_block_delta" if document["delta"]["type"] == "text_delta" => {
            heard.say(document["delta"]["text"].as_str());
        }
        "message_delta" => {
            heard.end_with(&document["delta"]["stop_reason"]);
            count(&document["usage"], heard);
        }
        "message_stop" => heard.is_ended = true,
        _ => {}
    }
}

/// Cached tokens stand beside the input here, and count as part of it.
fn count(usage: &Value, heard: &mut IncomingAnswer) {
    heard.count(Count::CacheRead, &usage["cache_read_input_tokens"]);
    heard.count(Count::CacheWrite, &usage["cache_creation_input_tokens"]);
    heard.count(Count::Output, &usage["output_tokens"]);
    heard.count(
        Count::Reasoning,
        &usage["output_tokens_details"]["thinking_tokens"],
    );
    if !usage["input_tokens"].is_null() {
        heard.count(Count::Input, &usage["input_tokens"]);
        heard.count_more(Count::Input, &usage["cache_read_input_tokens"]);
        heard.count_more(Count::Input, &usage["cache_creation_input_tokens"]);
    }
}
