//! What was heard of one answer so far: its words, how it ended, what it took.

use serde_json::Value;

use crate::base::number::floor;
use crate::chat::Usage;

/// Longest name of a model that is believed, in bytes; the configured name stands for any other.
const MODEL_BYTES_MAX: usize = 128;

/// How an answer ended.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::provider) enum Stop {
    /// The model came to its end.
    Done,
    /// At the limit of output tokens, or of the window.
    Length,
    /// A filter, or the model itself, declines; the provider's word for it.
    Refused(String),
    /// The model wants a tool.
    Tool,
    /// The model pauses in the middle of its turn.
    Paused,
}

impl Stop {
    /// The meaning of a protocol's word; what no protocol names is an end like any other.
    pub(super) fn of(reason: &str) -> Self {
        match reason.to_ascii_lowercase().as_str() {
            "length"
            | "max_tokens"
            | "incomplete"
            | "model_context_window_exceeded"
            | "model_length" => Self::Length,
            "tool_calls" | "tool_use" | "function_call" | "malformed_function_call" => Self::Tool,
            "content_filter" | "refusal" | "safety" | "recitation" | "blocklist"
            | "prohibited_content" | "spii" | "image_safety" | "language" | "error_toxic" => {
                Self::Refused(
                    reason
                        .chars()
                        .filter(char::is_ascii_graphic)
                        .take(40)
                        .collect(),
                )
            }
            "pause_turn" => Self::Paused,
            _ => Self::Done,
        }
    }
}

/// One answer as it comes in.
#[derive(Debug, Default)]
pub(in crate::provider) struct IncomingAnswer {
    /// The words so far.
    pub(in crate::provider) text: String,
    /// The words that the last document brought.
    pub(super) piece: String,
    /// How it ended; `None` while it has not.
    pub(in crate::provider) stop: Option<Stop>,
    /// True once the protocol's own end has come, after which nothing follows.
    pub(in crate::provider) is_ended: bool,
    /// True when the model declines, in the field that is made for it.
    pub(in crate::provider) is_refused: bool,
    /// True when some document had the form of the protocol.
    pub(in crate::provider) is_understood: bool,
    model: Option<String>,
    counts: Counts,
}

/// What a provider counts, each as it said it last; a number that is none is kept as an odd one.
#[derive(Debug, Default)]
struct Counts {
    told: [Option<u64>; 5],
    is_odd: bool,
}

/// The counts that there are.
#[derive(Debug, Clone, Copy)]
pub(super) enum Count {
    Input,
    Output,
    CacheRead,
    CacheWrite,
    Reasoning,
}

impl IncomingAnswer {
    /// Takes words of the answer.
    pub(super) fn say(&mut self, text: Option<&str>) {
        self.piece.push_str(text.unwrap_or_default());
    }

    /// Takes the words of the last document to the others, and gives them out.
    pub(in crate::provider) fn take_piece(&mut self) -> String {
        let piece = std::mem::take(&mut self.piece);
        self.text.push_str(&piece);
        piece
    }

    /// Takes the name of the model: the first, if it is a name.
    pub(super) fn name_model(&mut self, name: &Value) {
        let plain = |name: &&str| {
            !name.is_empty()
                && name.len() <= MODEL_BYTES_MAX
                && name.chars().all(|letter| letter.is_ascii_graphic())
        };
        if self.model.is_none() {
            self.model = name.as_str().filter(plain).map(str::to_owned);
        }
    }

    /// Takes how the answer ended.
    pub(super) fn end_with(&mut self, reason: &Value) {
        if let Some(reason) = reason.as_str().filter(|reason| !reason.is_empty()) {
            self.stop = Some(Stop::of(reason));
        }
    }

    /// Takes a count; what is not there says nothing.
    pub(super) fn count(&mut self, count: Count, value: &Value) {
        if value.is_null() {
            return;
        }
        match value
            .as_u64()
            .or_else(|| value.as_f64().filter(|number| *number >= 0.0).map(floor))
        {
            Some(number) => self.counts.told[count as usize] = Some(number),
            None => self.counts.is_odd = true,
        }
    }

    /// Takes a count beside what it was counted as so far.
    pub(super) fn count_more(&mut self, count: Count, value: &Value) {
        let before = self.counts.told[count as usize].take().unwrap_or(0);
        self.count(count, value);
        let more = self.counts.told[count as usize].unwrap_or(0);
        if before > 0 || !value.is_null() {
            self.counts.told[count as usize] = Some(before.saturating_add(more));
        }
    }

    /// The model, as the provider names it.
    pub(in crate::provider) fn model(&self) -> Option<String> {
        self.model.clone()
    }

    /// What it took; `None` when the provider does not say, or says what cannot be: no input at all, less than nothing.
    pub(in crate::provider) fn usage(&self) -> Option<Usage> {
        let Counts { told, is_odd } = &self.counts;
        let of = |count: Count| told[count as usize].unwrap_or(0);
        let usage = Usage {
            input: of(Count::Input),
            output: of(Count::Output),
            cache_read: of(Count::CacheRead),
            cache_write: of(Count::CacheWrite),
            reasoning: of(Count::Reasoning),
        };
        (!is_odd && usage.input > 0).then_some(usage)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn counts_that_cannot_be_are_none() {
        let told = |input: Value, output: Value| {
            let mut heard = IncomingAnswer::default();
            heard.count(Count::Input, &input);
            heard.count(Count::Output, &output);
            heard.usage().map(|usage| (usage.input, usage.output))
        };
        assert_eq!(told(json!(3), json!(4)), Some((3, 4)));
        assert_eq!(told(json!(3), Value::Null), Some((3, 0)));
        assert_eq!(told(json!(3.0), json!(1e30)), Some((3, u64::MAX)));
        for (input, output) in [
            (json!(0), json!(4)),
            (json!(3), json!(-1)),
            (json!(-3), json!(4)),
            (Value::Null, Value::Null),
        ] {
            assert_eq!(
                told(input.clone(), output.clone()),
                None,
                "{input} {output}"
            );
        }
        assert_eq!(told(json!("many"), json!(4)), None);
    }

    #[test]
    fn a_model_is_named_by_a_name() {
        for (name, expected) in [
            (json!("org/model:free"), Some("org/model:free")),
            (json!("x".repeat(200_000)), None),
            (json!("a\u{1b}[31m"), None),
            (json!(""), None),
            (json!(7), None),
        ] {
            let mut heard = IncomingAnswer::default();
            heard.name_model(&name);
            assert_eq!(heard.model().as_deref(), expected);
        }
    }
}
