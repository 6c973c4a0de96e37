//! Ollama's own `/api/chat`: one document a line.

use serde_json::{Value, json};

use super::heard::{Count, IncomingAnswer, Stop};
use super::prepared::{PreparedRequest, set};
use crate::chat::Message;

pub(super) fn body(asked: &PreparedRequest<'_>) -> Value {
    let params = &asked.request.params;
    let mut body = json!({ "model": asked.model, "stream": asked.streams });
    let mut options = json!({});
    set(&mut options, "temperature", asked.temperature);
    set(&mut options, "top_p", params.top_p);
    set(&mut options, "num_predict", asked.output_tokens);
    set(&mut options, "seed", params.seed);
    set(&mut options, "stop", asked.stop().cloned());
    if options
        .as_object()
        .is_some_and(|options| !options.is_empty())
    {
        body["options"] = options;
    }
    body["messages"] = asked.messages.iter().map(message_of).collect();
    set(&mut body, "format", asked.schema.cloned());
    body
}

fn message_of(message: &Message) -> Value {
    let mut said = json!({ "role": message.role.as_str(), "content": message.text });
    if !message.images.is_empty() {
        said["images"] = message
            .images
            .iter()
            .map(|image| Value::from(image.base64.as_str()))
            .collect();
    }
    said
}

pub(super) fn hear(document: &Value, heard: &mut IncomingAnswer) {
    heard.name_model(&document["model"]);
    heard.is_understood |= document["message"].is_object() || document["done"].is_boolean();
    heard.say(document["message"]["content"].as_str());
    if document["done"] == true {
        heard.is_ended = true;
        heard.stop = Some(
            document["done_reason"]
                .as_str()
                .map_or(Stop::Done, Stop::of),
        );
        heard.count(Count::Input, &document["prompt_eval_count"]);
        heard.count(Count::Output, &document["eval_count"]);
        heard.count(Count::CacheRead, &document["prompt_eval_cached_count"]);
    }
}
