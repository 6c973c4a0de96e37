//! A request in the form of the protocol library: roles in turns, cache marks within the limits, parameters.

use genai::chat::{
    CacheControl, ChatMessage, ChatOptions, ChatRequest, ChatResponseFormat, ChatRole, ContentPart, JsonSpec, MessageContent,
    ReasoningEffort,
};
use serde_json::json;

use super::definition::Definition;
use super::kind::Kind;
use crate::chat::{Capabilities, Message, Request, Role};

/// Output that is asked for where the protocol insists on a number and nobody has named one.
pub(super) const OUTPUT_TOKENS_DEFAULT: u64 = 4_096;
/// What the schema of an answer is called on the wire.
const SCHEMA_NAME: &str = "answer";
/// What stands between two texts that become one.
const BETWEEN: &str = "\n\n";

/// The messages in turns, with the marks that are allowed.
pub(super) fn messages(request: &Request, capabilities: &Capabilities) -> ChatRequest {
    let mut messages = request.messages.clone();
    keep_marks(&mut messages, capabilities);
    if !capabilities.system_prompt {
        messages = without_system(messages);
    }
    ChatRequest::from_messages(merged(messages).into_iter().map(chat_message).collect())
}

/// The parameters and the schema, as far as the provider takes them.
pub(super) fn options(request: &Request, definition: &Definition) -> ChatOptions {
    let (params, capabilities) = (&request.params, &definition.capabilities);
    let mut options = ChatOptions::default().with_capture_usage(true).with_capture_raw_body(true);
    options.temperature = params.temperature.filter(|_| capabilities.temperature.is_some());
    options.max_tokens = output_tokens(request, definition).map(|tokens| u32::try_from(tokens).unwrap_or(u32::MAX));
    options.top_p = params.top_p;
    options.seed = params.seed;
    options.stop_sequences = params.stop.clone().unwrap_or_default();
    if let Some(schema) = request.schema.as_ref().filter(|_| capabilities.structured_output) {
        options.response_format = Some(ChatResponseFormat::JsonSpec(JsonSpec::new(SCHEMA_NAME, schema.clone())));
    }
    if matches!(definition.kind, Kind::OpenAi | Kind::Local) {
        // The library takes an ending like `-high` from a model's name, unless an effort is given; this one sends nothing.
        options.reasoning_effort = Some(ReasoningEffort::Budget(0));
    }
    if matches!(definition.kind, Kind::OpenAi | Kind::Local | Kind::Anthropic) {
        // And `a::b` would become `b`: the name goes out as it is configured.
        options.extra_body = definition.model().map(|model| json!({ "model": model }));
    }
    options
}

/// The most output that is asked for; `None` leaves it to the provider.
pub(super) fn output_tokens(request: &Request, definition: &Definition) -> Option<u64> {
    let limit = definition.capabilities.output_tokens;
    let asked = request.params.max_output_tokens.or_else(|| {
        // Anthropic insists on a number, and a whole window of output is nothing anybody has asked for.
        (definition.kind == Kind::Anthropic).then_some(OUTPUT_TOKENS_DEFAULT)
    });
    asked.map(|asked| limit.map_or(asked, |limit| asked.min(limit)).max(1))
}

/// Takes away the marks that the provider does not take: those on prefixes that are too short, and those above its number.
///
/// Of too many the first stays, which most requests share, and the last ones, which save most.
fn keep_marks(messages: &mut [Message], capabilities: &Capabilities) {
    let mut tokens = 0;
    let mut marked = Vec::new();
    for (at, message) in messages.iter_mut().enumerate() {
        tokens += message.tokens_estimated();
        message.ends_cached_prefix &= tokens >= capabilities.cache_tokens_min && !message.is_empty();
        if message.ends_cached_prefix {
            marked.push(at);
        }
    }
    let allowed = capabilities.cache_breakpoints as usize;
    let surplus = marked.len().saturating_sub(allowed);
    let first = usize::from(allowed > 1);
    for at in marked.into_iter().skip(first).take(surplus) {
        messages[at].ends_cached_prefix = false;
    }
}

/// Puts the system text in front of the first text of the user.
fn without_system(messages: Vec<Message>) -> Vec<Message> {
    let (system, mut others): (Vec<_>, Vec<_>) = messages.into_iter().partition(|message| message.role == Role::System);
    let text = system.into_iter().map(|message| message.text).collect::<Vec<_>>().join(BETWEEN);
    if !text.is_empty() {
        others.insert(0, Message::new(Role::User, text));
    }
    others
}

/// Makes one message of neighbours of one role, but for those between which a mark stands.
fn merged(messages: Vec<Message>) -> Vec<Message> {
    let mut merged: Vec<Message> = Vec::new();
    for message in messages {
        match merged.last_mut().filter(|last| last.role == message.role && !last.ends_cached_prefix) {
            Some(last) => {
                last.text = [last.text.as_str(), &message.text].join(BETWEEN);
                last.images.extend(message.images);
                last.ends_cached_prefix = message.ends_cached_prefix;
            }
            None => merged.push(message),
        }
    }
    merged
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

#[cfg(test)]
mod tests {
    use super::*;

    fn marked(texts: &[&str]) -> Vec<Message> {
        texts.iter().map(|text| Message { ends_cached_prefix: true, ..Message::new(Role::User, *text) }).collect()
    }

    fn kept(texts: &[&str], breakpoints: u32, min: u64) -> Vec<bool> {
        let mut messages = marked(texts);
        let capabilities = Capabilities { cache_breakpoints: breakpoints, cache_tokens_min: min, ..Capabilities::default() };
        keep_marks(&mut messages, &capabilities);
        messages.iter().map(|message| message.ends_cached_prefix).collect()
    }

    #[test]
    fn of_too_many_marks_the_first_and_the_last_stay() {
        let six = ["a", "b", "c", "d", "e", "f"];
        assert_eq!(kept(&six, 4, 0), [true, false, false, true, true, true]);
        assert_eq!(kept(&six, 1, 0), [false, false, false, false, false, true]);
        assert_eq!(kept(&six, 0, 0), [false; 6]);
        assert_eq!(kept(&["short", "a long text with many words in it"], 4, 5), [false, true]);
        assert_eq!(kept(&[""], 4, 0), [false]);
    }

    #[test]
    fn neighbours_become_one_but_for_marks() {
        let plain = vec![Message::new(Role::User, "a"), Message::new(Role::User, "b"), Message::new(Role::Assistant, "c")];
        let texts: Vec<String> = merged(plain).into_iter().map(|message| message.text).collect();
        assert_eq!(texts, ["a\n\nb", "c"]);
        assert_eq!(merged(marked(&["a", "b"])).len(), 2);
    }

    #[test]
    fn without_a_system_message_its_text_goes_before_the_users() {
        let messages = vec![Message::new(Role::System, "s"), Message::new(Role::User, "u")];
        let merged = merged(without_system(messages));
        assert_eq!((merged.len(), merged[0].role, merged[0].text.as_str()), (1, Role::User, "s\n\nu"));
    }
}
