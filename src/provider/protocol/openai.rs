//! OpenAI's chat completions, and everything that speaks them.

use serde_json::{Value, json};

use super::heard::{Count, IncomingAnswer};
use super::prepared::closed;

/// What the schema of an answer is called on the wire.
const SCHEMA_NAME: &str = "answer";

/// Asks for an answer that follows a schema.
pub(super) fn add_schema(body: &mut Value, schema: &Value) {
    let schema = json!({ "name": SCHEMA_NAME, "strict": true, "schema": closed(schema, true) });
    body["response_format"] = json!({ "type": "json_schema", "json_schema": schema });
}

pub(super) fn hear(document: &Value, heard: &mut IncomingAnswer) {
    heard.name_model(&document["model"]);
    let choice = &document["choices"][0];
    heard.is_understood |= document["choices"].is_array();
    let words = if choice["delta"].is_object() {
        &choice["delta"]
    } else {
        &choice["message"]
    };
    match &words["content"] {
        Value::Array(parts) => parts
            .iter()
            .for_each(|part| heard.say(part["text"].as_str())),
        content => heard.say(content.as_str()),
    }
    heard.is_refused |= words["refusal"]
        .as_str()
        .is_some_and(|text| !text.is_empty());
    heard.end_with(&choice["finish_reason"]);
    let usage = &document["usage"];
    heard.count(Count::Input, &usage["prompt_tokens"]);
    heard.count(Count::Output, &usage["completion_tokens"]);
    heard.count(
        Count::CacheRead,
        &usage["prompt_tokens_details"]["cached_tokens"],
    );
    heard.count(
        Count::Reasoning,
        &usage["completion_tokens_details"]["reasoning_tokens"],
    );
}
