//! The parameters of a request. `None` means that nothing is said and the provider decides; an explicit 0 is a value.

use serde::{Deserialize, Serialize};

/// Most tokens of output where neither a request nor a provider gives a limit.
pub const OUTPUT_TOKENS_DEFAULT: u64 = 8_192;

/// Parameters of one generation.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct GenerationParams {
    /// Most tokens of input that the asker wants to pay for.
    pub max_input_tokens: Option<u64>,
    /// Most tokens of output.
    pub max_output_tokens: Option<u64>,
    /// Sampling temperature.
    pub temperature: Option<f64>,
    /// Nucleus sampling.
    pub top_p: Option<f64>,
    /// Seed, where the provider takes one.
    pub seed: Option<u64>,
    /// Texts at which the answer ends.
    pub stop: Option<Vec<String>>,
}

impl GenerationParams {
    /// These parameters, with every field that `above` sets in its place.
    #[must_use]
    pub fn overridden(&self, above: &Self) -> Self {
        Self {
            max_input_tokens: above.max_input_tokens.or(self.max_input_tokens),
            max_output_tokens: above.max_output_tokens.or(self.max_output_tokens),
            temperature: above.temperature.or(self.temperature),
            top_p: above.top_p.or(self.top_p),
            seed: above.seed.or(self.seed),
            stop: above.stop.clone().or_else(|| self.stop.clone()),
        }
    }
}
