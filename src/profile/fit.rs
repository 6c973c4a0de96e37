//! Fitting what a profile wishes to what a provider can do. Pure: says what it changed, and edits nothing.
//!
//! | wish | limit | outcome |
//! |---|---|---|
//! | temperature | none is taken | dropped |
//! | temperature | outside of the range | the nearest that is taken |
//! | top_p | none is taken, or a temperature is sent and only one of both is taken | dropped |
//! | seed | none is taken | dropped |
//! | stop | none, or fewer are taken | dropped, or the first ones |
//! | output tokens | more than the model gives | as many as it gives |
//! | output tokens | more than input leaves of the window | as many as are left |
//! | output tokens that the user has not set | more than a quarter of the window | a quarter |
//! | input tokens at most | more than the window | the window |
//! | – | the input alone fills the window, or is over the wish | an error |
//!
//! `None` stays `None`: what the profile does not set stays unset. An explicit 0 is a value like any other.

use std::fmt;

use crate::chat::{Capabilities, GenerationParams, OUTPUT_TOKENS_DEFAULT};

/// Of a window, what is planned with: estimates of tokens are off by a few per cent.
const WINDOW_PERCENT: u64 = 90;

/// An answer's share of the window is one part in this many.
const WINDOW_SHARE: u64 = 4;

/// How a profile wishes to have something generated.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Wish {
    /// The parameters.
    pub params: GenerationParams,
    /// True when the limit of output is the user's own word, and not a built-in one.
    pub is_output_own: bool,
}

/// Parameters that a provider takes, and what had to be changed for that.
#[derive(Debug, Clone, PartialEq)]
pub struct FittedParams {
    /// The parameters.
    pub params: GenerationParams,
    /// What differs from the wish, in the order of the table.
    pub changes: Vec<Adjustment>,
}

/// One thing that is not as it was wished.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Adjustment {
    /// The model takes no temperature.
    TemperatureDropped {
        /// The wish.
        from: f64,
    },
    /// The model takes no such temperature.
    TemperatureClamped {
        /// The wish.
        from: f64,
        /// The nearest that is taken.
        to: f64,
    },
    /// The model takes no `top_p`.
    TopPDropped {
        /// The wish.
        from: f64,
    },
    /// The model takes no `top_p` beside a temperature.
    TopPBesideTemperature {
        /// The wish.
        from: f64,
    },
    /// The model takes no seed.
    SeedDropped {
        /// The wish.
        from: u64,
    },
    /// The model takes no texts at which an answer ends, or fewer.
    StopsCut {
        /// How many were wished.
        from: usize,
        /// How many are sent.
        to: usize,
    },
    /// The model gives no such long answers.
    OutputClamped {
        /// The wish.
        from: u64,
        /// The longest.
        to: u64,
    },
    /// Input and output together are over the window.
    OutputCutToWindow {
        /// The wish.
        from: u64,
        /// What is left.
        to: u64,
    },
    /// The user has not said how long an answer may be: it has a share of the window.
    OutputQuartered {
        /// The built-in limit.
        from: u64,
        /// A quarter of the window.
        to: u64,
    },
    /// The window is smaller than the input that the asker would pay for.
    InputClamped {
        /// The wish.
        from: u64,
        /// The window.
        to: u64,
    },
    /// The system prompt stands in front of the user's text.
    SystemInText,
    /// The schema is said in words.
    SchemaInText,
    /// The conversation so far is said in the last message.
    TurnsInText,
}

impl fmt::Display for Adjustment {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::TemperatureDropped { from } => {
                write!(f, "temperature {from} is dropped: the model takes none")
            }
            Self::TemperatureClamped { from, to } => {
                write!(
                    f,
                    "temperature {from} becomes {to}, the nearest that the model takes"
                )
            }
            Self::TopPDropped { from } => {
                write!(f, "top_p {from} is dropped: the model takes none")
            }
            Self::TopPBesideTemperature { from } => {
                write!(
                    f,
                    "top_p {from} is dropped: the model takes none beside a temperature"
                )
            }
            Self::SeedDropped { from } => write!(f, "seed {from} is dropped: the model takes none"),
            Self::StopsCut { to: 0, .. } => f.write_str("stop is dropped: the model takes none"),
            Self::StopsCut { from, to } => write!(
                f,
                "the first {to} of {from} texts of stop are sent: the model takes no more"
            ),
            Self::OutputClamped { from, to } => write!(
                f,
                "max_output_tokens {from} becomes {to}, the most that the model gives"
            ),
            Self::OutputCutToWindow { from, to } => {
                write!(
                    f,
                    "max_output_tokens {from} becomes {to}, what the input leaves of the model's window"
                )
            }
            Self::OutputQuartered { from, to } => {
                write!(
                    f,
                    "max_output_tokens {from} becomes {to}, a quarter of the model's window"
                )
            }
            Self::InputClamped { from, to } => write!(
                f,
                "max_input_tokens {from} becomes {to}, the model's window"
            ),
            Self::SystemInText => f.write_str(
                "the system prompt stands in front of the user's text: the model takes none",
            ),
            Self::SchemaInText => f.write_str("the schema is said in words: the model takes none"),
            Self::TurnsInText => f.write_str(
                "the conversation so far stands in the last message: the model takes no turns",
            ),
        }
    }
}

/// Why nothing can be asked at all.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum FitError {
    /// The input leaves no room for an answer.
    #[error("{input} input tokens leave no room for an answer in a window of {window}")]
    Window {
        /// Its tokens.
        input: u64,
        /// Those of the window.
        window: u64,
    },
    /// The input is more than the profile allows.
    #[error("{input} input tokens are over the profile's max_input_tokens of {limit}")]
    Input {
        /// Its tokens.
        input: u64,
        /// What is allowed.
        limit: u64,
    },
    /// The window has no room for the input and the wished answer together.
    #[error(
        "{input} input tokens are over the {left} that a window of {window} leaves beside the answer"
    )]
    Beside {
        /// Its tokens.
        input: u64,
        /// What is left for it.
        left: u64,
        /// The tokens of the window.
        window: u64,
    },
}

/// The parameters with a limit of output. One that the user has set stays; another is at most a quarter of the window,
/// so that a small window has room for the request.
#[must_use]
pub fn with_output(
    wish: &Wish,
    capabilities: &Capabilities,
) -> (GenerationParams, Option<Adjustment>) {
    let mut params = wish.params.clone();
    if wish.is_output_own && params.max_output_tokens.is_some() {
        return (params, None);
    }
    let longest = params.max_output_tokens.unwrap_or(OUTPUT_TOKENS_DEFAULT);
    let share = capabilities
        .context_tokens
        .map_or(u64::MAX, |window| window / WINDOW_SHARE)
        .max(1);
    params.max_output_tokens = Some(longest.min(share));
    let change = Adjustment::OutputQuartered {
        from: longest,
        to: share,
    };
    (
        params,
        (share < longest && capabilities.output_tokens.is_none_or(|most| most > share))
            .then_some(change),
    )
}

/// Which setting makes an answer no longer than it may be: the one to raise.
#[must_use]
pub fn output_key(changes: &[Adjustment]) -> OutputKey {
    let of = |change: &Adjustment| match change {
        Adjustment::OutputCutToWindow { .. } | Adjustment::OutputQuartered { .. } => {
            Some(OutputKey::Window)
        }
        Adjustment::OutputClamped { .. } => Some(OutputKey::Provider),
        _ => None,
    };
    changes
        .iter()
        .rev()
        .find_map(of)
        .unwrap_or(OutputKey::Profile)
}

/// What limits the length of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum OutputKey {
    /// `max_output_tokens` of the profile.
    Profile,
    /// `outputTokens` of the provider.
    Provider,
    /// The window, `contextTokens` of the provider.
    Window,
}

/// Fits parameters to a provider for an input of this many tokens.
pub fn fit(
    params: &GenerationParams,
    capabilities: &Capabilities,
    input_tokens: u64,
) -> Result<FittedParams, FitError> {
    let counted = input_tokens.saturating_mul(capabilities.tokens_percent) / 100;
    let (longest, window) = (capabilities.output_tokens, capabilities.context_tokens);
    if let Some(window) = window.filter(|window| counted >= *window) {
        let input = counted;
        return Err(FitError::Window { input, window });
    }
    let limit = params.max_input_tokens;
    if let Some(limit) = limit.filter(|limit| input_tokens > *limit) {
        let input = input_tokens;
        return Err(FitError::Input { input, limit });
    }
    let mut fitted = FittedParams {
        params: params.clone(),
        changes: Vec::new(),
    };
    fitted.fit_temperature(capabilities.temperature);
    fitted.fit_sampling(capabilities);
    let left = window.map(|window| window - counted);
    let output = &mut fitted.params.max_output_tokens;
    fitted
        .changes
        .extend(clamp(output, longest).map(|(from, to)| Adjustment::OutputClamped { from, to }));
    fitted
        .changes
        .extend(clamp(output, left).map(|(from, to)| Adjustment::OutputCutToWindow { from, to }));
    let input = &mut fitted.params.max_input_tokens;
    fitted
        .changes
        .extend(clamp(input, window).map(|(from, to)| Adjustment::InputClamped { from, to }));
    Ok(fitted)
}

/// Lowers a wish to a limit; what it was and what it is now, if that is another value.
fn clamp(wish: &mut Option<u64>, limit: Option<u64>) -> Option<(u64, u64)> {
    let (from, to) = (wish.as_ref().copied()?, limit?);
    (from > to).then(|| {
        *wish = Some(to);
        (from, to)
    })
}

impl FittedParams {
    fn fit_temperature(&mut self, range: Option<(f64, f64)>) {
        let Some(from) = self.params.temperature else {
            return;
        };
        let Some((least, most)) = range.filter(|_| !from.is_nan()) else {
            self.params.temperature = None;
            return self.changes.push(Adjustment::TemperatureDropped { from });
        };
        if !(least..=most).contains(&from) {
            let to = from.max(least).min(most);
            self.params.temperature = Some(to);
            self.changes
                .push(Adjustment::TemperatureClamped { from, to });
        }
    }

    fn fit_sampling(&mut self, capabilities: &Capabilities) {
        let is_alone = !capabilities.one_of_sampling || self.params.temperature.is_none();
        if let Some(from) = self
            .params
            .top_p
            .filter(|_| !capabilities.top_p || !is_alone)
        {
            self.params.top_p = None;
            let beside = capabilities.top_p;
            self.changes.push(if beside {
                Adjustment::TopPBesideTemperature { from }
            } else {
                Adjustment::TopPDropped { from }
            });
        }
        if let Some(from) = self.params.seed.filter(|_| !capabilities.seed) {
            self.params.seed = None;
            self.changes.push(Adjustment::SeedDropped { from });
        }
        let stops = self.params.stop.as_ref().map_or(0, Vec::len);
        if let (Some(most), Some(stop)) = (
            capabilities.stops_max.filter(|most| stops > *most),
            &mut self.params.stop,
        ) {
            stop.truncate(most);
            self.changes.push(Adjustment::StopsCut {
                from: stops,
                to: most,
            });
        }
    }
}

/// What is changed of a wish whatever the input is: estimates and dry runs tell it before a request is sent.
#[must_use]
pub fn lasting_changes(params: &GenerationParams, capabilities: &Capabilities) -> Vec<Adjustment> {
    fit(params, capabilities, 0)
        .map(|fitted| fitted.changes)
        .unwrap_or_default()
}

/// What a request has besides parameters that not every provider takes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Wants {
    /// A system message.
    pub system: bool,
    /// A schema for the answer.
    pub schema: bool,
    /// Earlier turns.
    pub turns: bool,
}

/// What of a request is said in words because the provider does not take it otherwise.
#[must_use]
pub fn said_in_words(wants: Wants, capabilities: &Capabilities) -> Vec<Adjustment> {
    let all = [
        (
            wants.system && !capabilities.system_prompt,
            Adjustment::SystemInText,
        ),
        (
            wants.schema && !capabilities.structured_output,
            Adjustment::SchemaInText,
        ),
        (
            wants.turns && !capabilities.multi_turn,
            Adjustment::TurnsInText,
        ),
    ];
    all.into_iter()
        .filter_map(|(is_so, change)| is_so.then_some(change))
        .collect()
}

/// The most input tokens, by our count, that a payload may have: what the profile allows, and what nine tenths of the
/// window, in tokens of the model, leave beside the answer. `None` where neither says anything.
#[must_use]
pub fn input_tokens_max(params: &GenerationParams, capabilities: &Capabilities) -> Option<u64> {
    let longest = capabilities.output_tokens;
    let output = match (params.max_output_tokens, longest) {
        (Some(wish), Some(longest)) => wish.min(longest),
        (wish, longest) => wish.or(longest).unwrap_or(0),
    };
    let left = |window: u64| (window.saturating_mul(WINDOW_PERCENT) / 100).saturating_sub(output);
    let of_ours = |tokens: u64| tokens.saturating_mul(100) / capabilities.tokens_percent.max(1);
    let window = capabilities
        .context_tokens
        .map(|window| of_ours(left(window)));
    [params.max_input_tokens, window]
        .into_iter()
        .flatten()
        .min()
}

/// An error for more input than [`input_tokens_max`] allows, with the limit of output of [`with_output`].
pub fn check_input(wish: &Wish, capabilities: &Capabilities, input: u64) -> Result<(), FitError> {
    let params = with_output(wish, capabilities).0;
    match input_tokens_max(&params, capabilities) {
        Some(limit) if input > limit => Err(over(&params, capabilities, input, limit)),
        _ => Ok(()),
    }
}

/// What input over a limit of [`input_tokens_max`] is over: the profile's own limit, or what the window has left for it.
#[must_use]
pub fn over(
    params: &GenerationParams,
    capabilities: &Capabilities,
    input: u64,
    limit: u64,
) -> FitError {
    match capabilities.context_tokens {
        Some(window) if params.max_input_tokens != Some(limit) => FitError::Beside {
            input,
            left: limit,
            window,
        },
        _ => FitError::Input { input, limit },
    }
}

#[cfg(test)]
mod tests;
