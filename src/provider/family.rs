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
    /// Cache marks, and the shortest prefix that is cached.
    cache: (u32, u64),
}

const ANTHROPIC: Option<(f64, f64)> = Some((0.0, 1.0));
const OPENAI: Option<(f64, f64)> = Some((0.0, 2.0));

#[rustfmt::skip]
const ROWS: &[Row] = &[
    row("claude-3", "claude", (200_000, 4_096), (false, ANTHROPIC), (4, 2_048)),
    row("claude-opus-4-2", "claude", (200_000, 32_000), (false, ANTHROPIC), (4, 1_024)),
    row("claude-sonnet-4-2", "claude", (200_000, 64_000), (false, ANTHROPIC), (4, 1_024)),
    row("claude", "claude", (200_000, 32_000), (true, ANTHROPIC), (4, 4_096)),
    row("gpt-3", "gpt", (16_385, 4_096), (false, OPENAI), (0, 0)),
    row("gpt-4o", "gpt", (128_000, 16_384), (true, OPENAI), (0, 0)),
    row("gpt-4.1", "gpt", (1_047_576, 32_768), (true, OPENAI), (0, 0)),
    row("gpt-4-turbo", "gpt", (128_000, 4_096), (false, OPENAI), (0, 0)),
    row("gpt-4", "gpt", (8_192, 4_096), (false, OPENAI), (0, 0)),
    row("gpt-5.6", "gpt", (400_000, 128_000), (true, None), (4, 1_024)),
    row("gpt-5", "gpt", (400_000, 128_000), (true, None), (0, 0)),
    row("gpt-6", "gpt", (400_000, 128_000), (true, None), (4, 1_024)),
    row("o1", "gpt", (200_000, 100_000), (true, None), (0, 0)),
    row("o3", "gpt", (200_000, 100_000), (true, None), (0, 0)),
    row("o4", "gpt", (200_000, 100_000), (true, None), (0, 0)),
    row("gemini", "gemini", (1_048_576, 8_192), (true, OPENAI), (0, 0)),
];

/// Beginnings of the names of OpenAI's models that reason.
const REASONING: [&str; 5] = ["gpt-5", "gpt-6", "o1", "o3", "o4"];

/// Our count is that of the newer models of one vendor; of others' vocabularies and templates this much more was seen.
const OTHERS_PERCENT: u64 = 120;

/// Families of models that anybody can serve, with limits of his own.
const OPEN: [&str; 10] = [
    "llama", "qwen", "mistral", "mixtral", "gemma", "deepseek", "phi", "gpt-oss", "granite",
    "command",
];

const fn row(
    prefix: &'static str,
    family: &'static str,
    (context_tokens, output_tokens): (u64, u64),
    (structured_output, temperature): (bool, Option<(f64, f64)>),
    cache: (u32, u64),
) -> Row {
    Row {
        prefix,
        family,
        context_tokens,
        output_tokens,
        structured_output,
        temperature,
        cache,
    }
}

/// What is known of a model behind its vendor's own protocol.
#[must_use]
pub(super) fn of_vendor(model: &str) -> Capabilities {
    let Some(row) = ROWS.iter().find(|row| model.starts_with(row.prefix)) else {
        return of_anybody(model);
    };
    Capabilities {
        context_tokens: Some(row.context_tokens),
        output_tokens: Some(row.output_tokens),
        structured_output: row.structured_output,
        temperature: row.temperature,
        cache_breakpoints: row.cache.0,
        cache_tokens_min: row.cache.1,
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

/// What is known of a model that anybody may serve: its family, by name.
#[must_use]
pub(super) fn of_anybody(model: &str) -> Capabilities {
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
        let served = of_anybody("meta/Llama-3.3-70B");
        assert_eq!(
            (served.family.as_deref(), served.context_tokens),
            (Some("llama"), None)
        );
    }
}
