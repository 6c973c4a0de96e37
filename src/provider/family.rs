//! What is known of models by their names: a small table for the vendors' own endpoints, the first line that fits.
//!
//! Numbers are the vendors' documented limits, or smaller where models of a family differ. What a definition says goes
//! before; a model that no line names has no known limit.

use crate::chat::Capabilities;

/// A line of the table: models whose names begin so.
struct Row {
    prefix: &'static str,
    family: &'static str,
    context_tokens: u64,
    output_tokens: u64,
    structured_output: bool,
    temperature: Option<(f64, f64)>,
    cache_breakpoints: u32,
    /// The shortest prefix that is cached.
    cache_tokens_min: u64,
}

const OPENAI: Option<(f64, f64)> = Some((0.0, 2.0));

const CLAUDE: Row = Row {
    prefix: "claude",
    family: "claude",
    context_tokens: 200_000,
    output_tokens: 32_000,
    structured_output: true,
    temperature: Some((0.0, 1.0)),
    cache_breakpoints: 4,
    cache_tokens_min: 4_096,
};
/// A model of OpenAI that reasons.
const REASONER: Row = Row {
    prefix: "gpt-5",
    family: "gpt",
    context_tokens: 400_000,
    output_tokens: 128_000,
    structured_output: true,
    temperature: None,
    cache_breakpoints: 0,
    cache_tokens_min: 0,
};

const ROWS: &[Row] = &[
    Row {
        prefix: "claude-3",
        output_tokens: 4_096,
        structured_output: false,
        cache_tokens_min: 2_048,
        ..CLAUDE
    },
    Row {
        prefix: "claude-opus-4-2",
        structured_output: false,
        cache_tokens_min: 1_024,
        ..CLAUDE
    },
    Row {
        prefix: "claude-sonnet-4-2",
        output_tokens: 64_000,
        structured_output: false,
        cache_tokens_min: 1_024,
        ..CLAUDE
    },
    CLAUDE,
    Row {
        prefix: "gpt-3",
        context_tokens: 16_385,
        output_tokens: 4_096,
        structured_output: false,
        temperature: OPENAI,
        ..REASONER
    },
    Row {
        prefix: "gpt-4o",
        context_tokens: 128_000,
        output_tokens: 16_384,
        temperature: OPENAI,
        ..REASONER
    },
    Row {
        prefix: "gpt-4.1",
        context_tokens: 1_047_576,
        output_tokens: 32_768,
        temperature: OPENAI,
        ..REASONER
    },
    Row {
        prefix: "gpt-4-turbo",
        context_tokens: 128_000,
        output_tokens: 4_096,
        structured_output: false,
        temperature: OPENAI,
        ..REASONER
    },
    Row {
        prefix: "gpt-4",
        context_tokens: 8_192,
        output_tokens: 4_096,
        structured_output: false,
        temperature: OPENAI,
        ..REASONER
    },
    Row {
        prefix: "gpt-5.6",
        cache_breakpoints: 4,
        cache_tokens_min: 1_024,
        ..REASONER
    },
    REASONER,
    Row {
        prefix: "gpt-6",
        cache_breakpoints: 4,
        cache_tokens_min: 1_024,
        ..REASONER
    },
    Row {
        prefix: "o1",
        context_tokens: 200_000,
        output_tokens: 100_000,
        ..REASONER
    },
    Row {
        prefix: "o3",
        context_tokens: 200_000,
        output_tokens: 100_000,
        ..REASONER
    },
    Row {
        prefix: "o4",
        context_tokens: 200_000,
        output_tokens: 100_000,
        ..REASONER
    },
    Row {
        prefix: "gemini",
        family: "gemini",
        context_tokens: 1_048_576,
        output_tokens: 8_192,
        temperature: OPENAI,
        ..REASONER
    },
];

/// Beginnings of the names of OpenAI's models that reason.
const REASONING: [&str; 5] = ["gpt-5", "gpt-6", "o1", "o3", "o4"];

/// Our count is that of the newer models of one vendor; of others' vocabularies and templates this much more was seen.
const OTHERS_PERCENT: u64 = 120;

/// Open-weight model families; each server sets its own limits.
const OPEN: [&str; 10] = [
    "llama", "qwen", "mistral", "mixtral", "gemma", "deepseek", "phi", "gpt-oss", "granite",
    "command",
];

/// What is known of a model behind its vendor's own protocol.
#[must_use]
pub(super) fn of_vendor(model: &str) -> Capabilities {
    let Some(row) = ROWS.iter().find(|row| model.starts_with(row.prefix)) else {
        return of_open_weights(model);
    };
    Capabilities {
        context_tokens: Some(row.context_tokens),
        output_tokens: Some(row.output_tokens),
        structured_output: row.structured_output,
        temperature: row.temperature,
        cache_breakpoints: row.cache_breakpoints,
        cache_tokens_min: row.cache_tokens_min,
        tokens_percent: tokens_percent(row.family),
        family: Some(row.family.to_owned()),
        model: Some(model.to_owned()),
        ..sampling(model, row.family)
    }
}

/// What a vendor's model takes of the parameters that choose among words, by the vendors' own documents.
fn sampling(model: &str, family: &str) -> Capabilities {
    let base = Capabilities::default();
    match family {
        // No seed; since the models of late 2025 a temperature or `top_p`, and not both.
        "claude" => {
            let is_older = ["claude-3", "claude-opus-4-2", "claude-sonnet-4-2"]
                .iter()
                .any(|prefix| model.starts_with(prefix));
            Capabilities {
                seed: false,
                one_of_sampling: !is_older,
                ..base
            }
        }
        // Models that reason take none of them.
        "gpt" if REASONING.iter().any(|prefix| model.starts_with(prefix)) => Capabilities {
            top_p: false,
            stops_max: Some(0),
            ..base
        },
        "gpt" => Capabilities {
            stops_max: Some(4),
            ..base
        },
        "gemini" => Capabilities {
            stops_max: Some(5),
            ..base
        },
        _ => base,
    }
}

/// What is known of a model with open weights: its family, by name.
#[must_use]
pub(super) fn of_open_weights(model: &str) -> Capabilities {
    let name = model
        .rsplit('/')
        .next()
        .unwrap_or(model)
        .to_ascii_lowercase();
    let known = ROWS
        .iter()
        .map(|row| (row.prefix, row.family))
        .chain(OPEN.iter().map(|name| (*name, *name)));
    let family = known
        .filter(|(prefix, _)| name.starts_with(prefix))
        .map(|(_, family)| family.to_owned())
        .next();
    let tokens_percent = tokens_percent(family.as_deref().unwrap_or_default());
    Capabilities {
        family,
        tokens_percent,
        model: Some(model.to_owned()),
        ..Capabilities::default()
    }
}

fn tokens_percent(family: &str) -> u64 {
    if matches!(family, "gpt" | "gpt-oss") {
        100
    } else {
        OTHERS_PERCENT
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_line_that_fits_decides() {
        assert_eq!(of_vendor("gpt-4o-mini").context_tokens, Some(128_000));
        assert_eq!(of_vendor("gpt-5-mini").temperature, None);
        assert_eq!(of_vendor("claude-sonnet-4-5").cache_breakpoints, 4);
        let takes = |model: &str| {
            let Capabilities {
                top_p,
                one_of_sampling,
                seed,
                stops_max,
                ..
            } = of_vendor(model);
            (top_p, one_of_sampling, seed, stops_max)
        };
        assert_eq!(takes("claude-sonnet-4-5"), (true, true, false, None));
        assert_eq!(takes("claude-3-haiku"), (true, false, false, None));
        assert_eq!(takes("gpt-5-mini"), (false, false, true, Some(0)));
        assert_eq!(takes("gpt-4o"), (true, false, true, Some(4)));
        assert_eq!(takes("gemini-2.5-pro"), (true, false, true, Some(5)));
        let unknown = of_vendor("something-new");
        assert_eq!((unknown.context_tokens, unknown.family), (None, None));
    }

    #[test]
    fn who_serves_an_open_model_sets_its_limits() {
        let served = of_open_weights("meta/Llama-3.3-70B");
        assert_eq!(
            (served.family.as_deref(), served.context_tokens),
            (Some("llama"), None)
        );
    }
}
