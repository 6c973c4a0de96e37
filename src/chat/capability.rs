//! What one configured provider can do: hard limits, not wishes.

/// The limits of one provider with one model. `None` stands for unknown or unlimited.
#[derive(Debug, Clone, PartialEq)]
pub struct Capabilities {
    /// Tokens of input and output together.
    pub context_tokens: Option<u64>,
    /// Tokens of output.
    pub output_tokens: Option<u64>,
    /// Tokens that the model makes of a hundred of ours, its template around each message included.
    pub tokens_percent: u64,
    /// Takes a system message.
    pub system_prompt: bool,
    /// Takes a JSON schema for its answer.
    pub structured_output: bool,
    /// Answers piece by piece.
    pub streaming: bool,
    /// Takes earlier messages.
    pub multi_turn: bool,
    /// The temperatures that it takes; `None` when it takes none.
    pub temperature: Option<(f64, f64)>,
    /// Takes a share of the probable, `top_p`.
    pub top_p: bool,
    /// Takes a temperature or `top_p`, and refuses both together.
    pub one_of_sampling: bool,
    /// Takes a seed.
    pub seed: bool,
    /// How many texts at which an answer ends it takes; `None` for any number.
    pub stops_max: Option<usize>,
    /// How many cache marks it takes.
    pub cache_breakpoints: u32,
    /// Shortest prefix that it caches, in tokens.
    pub cache_tokens_min: u64,
    /// The model it is configured with.
    pub model: Option<String>,
    /// `claude`, `gpt`, `gemini`, `llama`, …, as far as the model's name tells.
    pub family: Option<String>,
}

impl Default for Capabilities {
    /// Nothing known: no limits, no marks, everything that any chat endpoint takes.
    fn default() -> Self {
        Self {
            context_tokens: None,
            output_tokens: None,
            tokens_percent: 100,
            system_prompt: true,
            structured_output: false,
            streaming: true,
            multi_turn: true,
            temperature: Some((0.0, 2.0)),
            top_p: true,
            one_of_sampling: false,
            seed: true,
            stops_max: None,
            cache_breakpoints: 0,
            cache_tokens_min: 0,
            model: None,
            family: None,
        }
    }
}
