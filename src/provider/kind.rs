//! The kinds of provider and their defaults.

use super::endpoint::Endpoint;

/// How a provider is reached.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ProviderKind {
    /// The OpenAI chat-completions protocol.
    OpenAi,
    /// The Anthropic messages protocol.
    Anthropic,
    /// The Gemini protocol.
    Gemini,
    /// Ollama's own protocol.
    Ollama,
    /// The OpenAI protocol at an endpoint of the user's own.
    Local,
    /// A program of the user's own.
    Command,
    /// A person.
    Manual,
    /// Recorded answers.
    Replay,
}

impl ProviderKind {
    /// All of them.
    pub const ALL: [Self; 8] = [
        Self::OpenAi,
        Self::Anthropic,
        Self::Gemini,
        Self::Ollama,
        Self::Local,
        Self::Command,
        Self::Manual,
        Self::Replay,
    ];

    /// What a token costs that the vendor's cache serves, in thousandths of a plain input token, where no price is set:
    /// the dearest of the vendor's models, and a plain token where the vendor is not known.
    #[must_use]
    pub fn cache_read_thousandths(self) -> u64 {
        match self {
            Self::Anthropic => 100,
            Self::OpenAi => 500,
            Self::Gemini => 250,
            _ => 1_000,
        }
    }

    /// True for vendors that take many requests as one batch, at half the price.
    #[must_use]
    pub fn has_batches(self) -> bool {
        matches!(self, Self::OpenAi | Self::Anthropic)
    }

    /// The word for it in configuration.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
            Self::Local => "local",
            Self::Command => "command",
            Self::Manual => "manual",
            Self::Replay => "replay",
        }
    }

    /// The kind of a word.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == text)
    }

    /// True for those that are reached over HTTP.
    #[must_use]
    pub fn has_endpoint(self) -> bool {
        !matches!(self, Self::Command | Self::Manual | Self::Replay)
    }

    /// The endpoint that needs no configuration.
    #[must_use]
    pub fn endpoint(self) -> Option<Endpoint> {
        let text = match self {
            Self::OpenAi => "https://api.openai.com/v1/",
            Self::Anthropic => "https://api.anthropic.com/v1/",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta/",
            Self::Ollama => "http://localhost:11434/",
            Self::Local | Self::Command | Self::Manual | Self::Replay => return None,
        };
        Some(Endpoint::parse(text).expect("the built-in endpoints are addresses"))
    }

    /// The variable in which the vendor's own tools expect a key; it is sent to the vendor's own origin alone.
    #[must_use]
    pub fn key_variable(self) -> Option<&'static str> {
        match self {
            Self::OpenAi => Some("OPENAI_API_KEY"),
            Self::Anthropic => Some("ANTHROPIC_API_KEY"),
            Self::Gemini => Some("GEMINI_API_KEY"),
            _ => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_read_back_and_built_in_endpoints_are_addresses() {
        for kind in ProviderKind::ALL {
            assert_eq!(ProviderKind::parse(kind.name()), Some(kind));
            assert!(kind.endpoint().is_none() || kind.has_endpoint());
        }
    }
}
