//! Messages as the JSON of the two large protocols, for programs that send them by themselves.
//!
//! The shapes are those of OpenAI's chat completions and of Anthropic's messages. A message is a plain text, or a list of
//! parts where it has a cache mark or images.

use serde_json::{Value, json};

use super::{Image, Message, Role};

/// `messages` of a chat completion; marks as the gateways that take them want them, on the text part.
#[must_use]
pub fn openai(messages: &[Message]) -> Value {
    let one = |message: &Message| {
        let image = |image: &Image| json!({ "type": "image_url", "image_url": { "url": image.data_uri() } });
        json!({ "role": message.role.as_str(), "content": content(message, &image) })
    };
    messages.iter().map(one).collect()
}

/// `system` and `messages` of a request to Anthropic.
#[must_use]
pub fn anthropic(messages: &[Message]) -> Value {
    let image = |image: &Image| {
        let source = json!({ "type": "base64", "media_type": image.media_type, "data": image.base64 });
        json!({ "type": "image", "source": source })
    };
    let (system, said): (Vec<&Message>, Vec<&Message>) = messages.iter().partition(|message| message.role == Role::System);
    let said: Value =
        said.iter().map(|message| json!({ "role": message.role.as_str(), "content": content(message, &image) })).collect();
    let system: Vec<Value> = system.iter().map(|message| text_part(message)).collect();
    if system.is_empty() { json!({ "messages": said }) } else { json!({ "system": system, "messages": said }) }
}

fn content(message: &Message, image: &dyn Fn(&Image) -> Value) -> Value {
    if message.images.is_empty() && !message.ends_cached_prefix {
        return message.text.as_str().into();
    }
    std::iter::once(text_part(message)).chain(message.images.iter().map(image)).collect()
}

fn text_part(message: &Message) -> Value {
    let mut part = json!({ "type": "text", "text": message.text });
    if message.ends_cached_prefix {
        part["cache_control"] = json!({ "type": "ephemeral" });
    }
    part
}

#[cfg(test)]
mod tests {
    use super::*;

    fn messages() -> Vec<Message> {
        let image = Image::new(b"GIF89a").expect("an image");
        vec![
            Message { ends_cached_prefix: true, ..Message::new(Role::System, "s") },
            Message::new(Role::User, "a"),
            Message { ends_cached_prefix: true, ..Message::new(Role::Assistant, "b") },
            Message { images: vec![image], ..Message::new(Role::User, "c") },
        ]
    }

    #[test]
    fn bodies_have_the_shapes_of_the_protocols() {
        let mark = json!({ "type": "ephemeral" });
        let text = |text: &str| json!([{ "type": "text", "text": text, "cache_control": mark }]);
        let uri = "data:image/gif;base64,R0lGODlh";
        assert_eq!(
            openai(&messages()),
            json!([
                { "role": "system", "content": text("s") },
                { "role": "user", "content": "a" },
                { "role": "assistant", "content": text("b") },
                { "role": "user", "content": [
                    { "type": "text", "text": "c" }, { "type": "image_url", "image_url": { "url": uri } }
                ] },
            ])
        );
        let image = json!({ "type": "image", "source": { "type": "base64", "media_type": "image/gif", "data": "R0lGODlh" } });
        assert_eq!(
            anthropic(&messages()),
            json!({
                "system": text("s"),
                "messages": [
                    { "role": "user", "content": "a" },
                    { "role": "assistant", "content": text("b") },
                    { "role": "user", "content": [{ "type": "text", "text": "c" }, image] },
                ],
            })
        );
    }
}
