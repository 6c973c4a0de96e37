//! What providers say about lengths when they refuse a request: the window, what was sent, the most output.
//!
//! No protocol has a field for it, so the numbers are read out of the sentences that servers are known to write (and the
//! fields of llama.cpp). Each sentence of the table in the tests is from the source or the documentation of a server.

use serde_json::Value;

/// The numbers of a refusal, as far as it has any.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Lengths {
    /// Tokens of input and output together, at most.
    pub window: Option<u64>,
    /// Tokens of this input, as the model counts them.
    pub input: Option<u64>,
    /// Tokens of output, at most.
    pub output: Option<u64>,
}

/// How providers say that a request is too long.
const TOO_LONG: [&str; 18] = [
    "context_length",
    "context length",
    "context_window",
    "context window",
    "context size",
    "context limit",
    "exceed_context_size",
    "prompt is too long",
    "too many tokens",
    "maximum model length",
    "maximum number of tokens",
    "max_tokens is too large",
    "max_tokens value",
    "max_new_tokens",
    "maximum allowed number of output tokens",
    "is too large: ",
    "reduce the length of the messages",
    "exceeds the maximum",
];

/// Phrases in front of a window's size.
const WINDOW_AFTER: [&str; 9] = [
    "maximum context length is ",
    "maximum context length of ",
    "context length of only ",
    "maximum model length of ",
    "maximum number of tokens allowed (",
    "available context size (",
    "exceed context limit: ",
    "must be <= ",
    "model with ",
];
/// Phrases in front of the size of the input.
const INPUT_AFTER: [&str; 9] = [
    "prompt is too long: ",
    "input token count (",
    "messages resulted in ",
    "decoder prompt (length ",
    "your request has ",
    "prompt contains ",
    "keep the first ",
    "given: ",
    "exceed context limit: ",
];
/// Phrases behind the size of the input.
const INPUT_BEFORE: [&str; 4] = [
    " in your messages",
    " in the messages",
    " of text input",
    " tokens) exceeds",
];
/// Phrases in front of the most output.
const OUTPUT_AFTER: [&str; 2] = ["supports at most ", "range of max_tokens is [1, "];

/// True for words that speak of length.
pub(super) fn is_about(words: &str) -> bool {
    TOO_LONG.iter().any(|phrase| words.contains(phrase))
}

impl Lengths {
    /// Reads the numbers of an error's words, in lower case, and of its fields.
    pub(super) fn of(words: &str, error: &Value) -> Self {
        let first = |phrases: &[&str], read: fn(&str, &str) -> Option<u64>| {
            phrases.iter().find_map(|phrase| read(words, phrase))
        };
        let mut lengths = Self {
            window: error["n_ctx"]
                .as_u64()
                .or_else(|| first(&WINDOW_AFTER, number_after)),
            input: error["n_prompt_tokens"]
                .as_u64()
                .or_else(|| first(&INPUT_BEFORE, number_before))
                .or_else(|| first(&INPUT_AFTER, number_after)),
            output: first(&OUTPUT_AFTER, number_after),
        };
        // Anthropic compares: `209753 tokens > 200000 maximum`, `a + b > window`, `max_tokens: a > most, which is …`.
        let compared = number_after(words, " > ");
        if words.contains("maximum allowed number of output tokens") {
            lengths.output = lengths.output.or(compared);
        } else if words.contains("prompt is too long") || words.contains("exceed context limit") {
            lengths.window = compared.or(lengths.window);
        }
        lengths.plausible()
    }

    /// The same without what cannot be: a server's words are believed only as far as they make sense.
    fn plausible(self) -> Self {
        let sane = |number: Option<u64>| number.filter(|number| (16..1 << 32).contains(number));
        Self {
            window: sane(self.window),
            input: sane(self.input),
            output: sane(self.output),
        }
    }
}

/// The number right behind a phrase.
fn number_after(text: &str, phrase: &str) -> Option<u64> {
    let rest = &text[text.find(phrase)? + phrase.len()..];
    let digits: String = rest
        .chars()
        .take_while(|letter| letter.is_ascii_digit() || *letter == ',')
        .collect();
    parsed(&digits)
}

/// The number right before a phrase.
fn number_before(text: &str, phrase: &str) -> Option<u64> {
    let before = &text[..text.find(phrase)?];
    let digits: String = before
        .chars()
        .rev()
        .take_while(|letter| letter.is_ascii_digit() || *letter == ',')
        .collect();
    parsed(&digits.chars().rev().collect::<String>())
}

fn parsed(digits: &str) -> Option<u64> {
    digits.split(',').collect::<String>().parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn read(text: &str) -> (Option<u64>, Option<u64>, Option<u64>) {
        let words = text.to_ascii_lowercase();
        assert!(is_about(&words), "{text}");
        let Lengths {
            window,
            input,
            output,
        } = Lengths::of(&words, &Value::Null);
        (window, input, output)
    }

    /// The words, the window, the input and the most output; 0 for what they do not say.
    const SENTENCES: &[(&str, u64, u64, u64)] = &[
        (
            // llama-cpp-python; OpenAI before 2024
            "This model's maximum context length is 2048 tokens, however you requested 4178 tokens (2130 in your messages; \
                 2048 in the completion). Please reduce the length of the messages or completion.",
            2048,
            2130,
            0,
        ),
        (
            // OpenAI
            "This model's maximum context length is 128000 tokens. However, your messages resulted in 130012 tokens. \
                 Please reduce the length of the messages.",
            128_000,
            130_012,
            0,
        ),
        (
            "Your input exceeds the context window of this model. Please adjust your input and try again.",
            0,
            0,
            0,
        ),
        (
            "max_tokens is too large: 20000. This model supports at most 16384 completion tokens",
            0,
            0,
            16_384,
        ),
        (
            // vLLM
            "This model's maximum context length is 4096 tokens. However, you requested 5000 tokens (4000 in the messages, \
                 1000 in the completion). Please reduce the length of the messages or completion.",
            4096,
            4000,
            0,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 2048. This model's maximum context length is 2048 tokens \
                 and your request has 130 input tokens (2048 > 2048 - 130).",
            2048,
            130,
            0,
        ),
        (
            "The decoder prompt (length 5000) is longer than the maximum model length of 4096.",
            4096,
            5000,
            0,
        ),
        // llama.cpp
        (
            "request (5000 tokens) exceeds the available context size (4096 tokens), try increasing it",
            4096,
            5000,
            0,
        ),
        (
            "the request exceeds the available context size. try increasing the context size",
            0,
            0,
            0,
        ),
        // Anthropic
        (
            "prompt is too long: 209753 tokens > 200000 maximum",
            200_000,
            209_753,
            0,
        ),
        (
            "input length and `max_tokens` exceed context limit: 190000 + 20000 > 200000, decrease input length or \
                 `max_tokens` and try again",
            200_000,
            190_000,
            0,
        ),
        (
            "max_tokens: 16000 > 8192, which is the maximum allowed number of output tokens for claude-3-5-sonnet-20241022",
            0,
            0,
            8_192,
        ),
        // Ollama
        ("the input length exceeds the context length", 0, 0, 0),
        // Gemini
        (
            "The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).",
            1_048_576,
            1_200_000,
            0,
        ),
        // Mistral
        (
            "Prompt contains 40000 tokens and 0 draft tokens, too large for model with 32768 maximum context length",
            32_768,
            40_000,
            0,
        ),
        // text-generation-inference
        (
            "Input validation error: `inputs` tokens + `max_new_tokens` must be <= 4096. Given: 4000 `inputs` tokens and 1000 \
                 `max_new_tokens`",
            4096,
            4000,
            0,
        ),
        // LM Studio
        (
            "Trying to keep the first 5000 tokens when context the overflows. However, the model is loaded with context length \
                 of only 4096 tokens, which is not enough.",
            4096,
            5000,
            0,
        ),
        // OpenRouter
        (
            "This endpoint's maximum context length is 32768 tokens. However, you requested about 40000 tokens (39000 of text \
                 input, 1000 in the output).",
            32_768,
            39_000,
            0,
        ),
        // DeepSeek
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            0,
            0,
            8_192,
        ),
    ];

    #[test]
    fn servers_say_it_like_this() {
        for (text, window, input, output) in SENTENCES {
            let number = |number: &u64| (*number > 0).then_some(*number);
            assert_eq!(
                read(text),
                (number(window), number(input), number(output)),
                "{text}"
            );
        }
    }

    #[test]
    fn fields_go_before_words_and_nonsense_is_no_number() {
        let error = json!({ "code": 400, "type": "exceed_context_size_error", "n_prompt_tokens": 5000, "n_ctx": 4096 });
        let lengths = Lengths::of("the request exceeds the available context size", &error);
        assert_eq!(
            lengths,
            Lengths {
                window: Some(4096),
                input: Some(5000),
                output: None
            }
        );
        for text in [
            "maximum context length is 0 tokens",
            "maximum context length is 99999999999999999999",
            "context length",
        ] {
            assert_eq!(
                Lengths::of(text, &Value::Null),
                Lengths::default(),
                "{text}"
            );
        }
    }
}
