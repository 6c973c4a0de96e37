//! One request to a model, in no provider's form.

use super::image::IMAGE_TOKENS;
use super::message::Message;
use super::params::GenerationParams;
use crate::base::{Digest, FieldHasher};

/// Tokens that a protocol adds around each message, at most.
const FRAMING_TOKENS_MAX: u64 = 16;

/// Messages and parameters. Names no provider, no endpoint and no key.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Request {
    /// A system message first, if any; then user and assistant in turns, a user's last.
    pub messages: Vec<Message>,
    /// How.
    pub params: GenerationParams,
    /// A JSON schema that the answer must follow, where the provider supports that.
    pub schema: Option<serde_json::Value>,
    /// Requests the whole answer at once, though it could come piece by piece.
    pub at_once: bool,
}

impl Request {
    /// How many tokens the messages are, by estimate.
    #[must_use]
    pub fn tokens_estimated(&self) -> u64 {
        self.messages
            .iter()
            .map(|message| message.tokens_estimated() + 4)
            .sum()
    }

    /// More input tokens than any tokenizer makes of it: none makes more tokens than there are bytes.
    #[must_use]
    pub fn input_tokens_max(&self) -> u64 {
        let schema = self
            .schema
            .as_ref()
            .map_or(0, |schema| schema.to_string().len() as u64);
        self.messages.iter().map(message_tokens_max).sum::<u64>() + schema
    }

    /// The same for the same request, on every machine; for logs and recorded answers, which must not hold its text.
    #[must_use]
    pub fn digest(&self) -> Digest {
        let mut hasher = FieldHasher::new("git-merkle 2026 request/1");
        for message in &self.messages {
            hasher.add(message.role.as_str().as_bytes());
            hasher.add(message.text.as_bytes());
            for image in &message.images {
                hasher.add(image.media_type.as_bytes());
                hasher.add(image.base64.as_bytes());
            }
        }
        hasher.add(format!("{:?}", self.params).as_bytes());
        hasher.add(
            self.schema
                .as_ref()
                .map(ToString::to_string)
                .unwrap_or_default()
                .as_bytes(),
        );
        hasher.finish()
    }
}

/// No tokenizer makes more tokens of a text than it has bytes; an image is taken for twice its estimate.
fn message_tokens_max(message: &Message) -> u64 {
    message.text.len() as u64 + FRAMING_TOKENS_MAX + message.images.len() as u64 * 2 * IMAGE_TOKENS
}
