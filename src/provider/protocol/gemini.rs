//! Gemini's generateContent.

use serde_json::{Value, json};

use super::heard::{Count, IncomingAnswer, Stop};
use super::prepared::{PreparedRequest, set};
use crate::chat::{Message, Role};

pub(super) fn path(model: &str, streams: bool) -> String {
    let model = model.strip_prefix("models/").unwrap_or(model);
    // The name stands in an address: what would end or leave its place in there is taken for a letter of it.
    let model: String = model
        .chars()
        .map(|letter| {
            if letter.is_ascii_alphanumeric() || "-._~".contains(letter) {
                letter
            } else {
                '_'
            }
        })
        .collect();
    let what = if streams {
        "streamGenerateContent?alt=sse"
    } else {
        "generateContent"
    };
    format!("models/{model}:{what}")
}

pub(super) fn body(asked: &PreparedRequest<'_>) -> Value {
    let params = &asked.request.params;
    let mut body = json!({});
    let (system, turns): (Vec<&Message>, Vec<&Message>) = asked
        .messages
        .iter()
        .partition(|message| message.role == Role::System);
    if !system.is_empty() {
        let text = system
            .iter()
            .map(|message| message.text.as_str())
            .collect::<Vec<_>>()
            .join("\n");
        body["systemInstruction"] = json!({ "parts": [{ "text": text }] });
    }
    body["contents"] = turns.into_iter().map(content).collect();
    let mut config = json!({});
    if let Some(schema) = asked.schema {
        config["responseMimeType"] = "application/json".into();
        config["responseJsonSchema"] = schema.clone();
    }
    set(&mut config, "temperature", asked.temperature);
    set(&mut config, "stopSequences", asked.stop().cloned());
    set(&mut config, "maxOutputTokens", asked.output_tokens);
    set(&mut config, "topP", params.top_p);
    set(&mut config, "seed", params.seed);
    if config.as_object().is_some_and(|config| !config.is_empty()) {
        body["generationConfig"] = config;
    }
    body
}

fn content(message: &Message) -> Value {
    let role = if message.role == Role::Assistant {
        "model"
    } else {
        "user"
    };
    let images = message.images.iter().map(
        |image| json!({ "inline_data": { "mime_type": image.media_type, "data": image.base64 } }),
    );
    let parts: Value = std::iter::once(json!({ "text": message.text }))
        .chain(images)
        .collect();
    json!({ "role": role, "parts": parts })
}

pub(super) fn hear(document: &Value, heard: &mut IncomingAnswer) {
    heard.name_model(&document["modelVersion"]);
    heard.is_understood |=
        document["candidates"].is_array() || document["promptFeedback"].is_object();
    let candidate = &document["candidates"][0];
    for part in candidate["content"]["parts"]
        .as_array()
        .into_iter()
        .flatten()
        .filter(|part| part["thought"] != true)
    {
        heard.say(part["text"].as_str());
    }
    heard.end_with(&candidate["finishReason"]);
    if let Some(reason) = document["promptFeedback"]["blockReason"].as_str() {
        heard.stop = Some(Stop::Refused(
            reason
                .chars()
                .filter(char::is_ascii_graphic)
                .take(40)
                .collect(),
        ));
    }
    let usage = &document["usageMetadata"];
    if usage.is_object() {
        // What was thought stands beside the output here, and what tools brought beside the input.
        heard.count(Count::Input, &usage["promptTokenCount"]);
        heard.count_more(Count::Input, &usage["toolUsePromptTokenCount"]);
        heard.count(Count::Output, &usage["candidatesTokenCount"]);
        heard.count_more(Count::Output, &usage["thoughtsTokenCount"]);
        heard.count(Count::Reasoning, &usage["thoughtsTokenCount"]);
        heard.count(Count::CacheRead, &usage["cachedContentTokenCount"]);
    }
}
