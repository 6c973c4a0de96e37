//! What is kept of a session and of a turn: `session.yaml` and `meta.yaml`, and their bytes.
//!
//! The shapes stand in docs/formats.md. Unknown keys are errors: these files name the provider and what was accepted.

use std::collections::BTreeMap;
use std::ops::AddAssign;

use serde::de::{DeserializeOwned, Error as _};
use serde::{Deserialize, Deserializer, Serialize};

use crate::base::{Cost, hash};
use crate::chat::Usage;
use crate::profile::{Phase, ProviderRole};

/// The version of both files.
pub const VERSION: u32 = 1;

/// Who ends the turn of a review: its own verdict.
pub const BY_REVIEW: &str = "review";
/// Who ends a turn by a command.
pub const BY_PERSON: &str = "person";

/// What holds for all turns of a session: `session.yaml`.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionRecord {
    /// [`VERSION`].
    pub version: u32,
    /// The profile; absent for the configured one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub profile: Option<String>,
    /// The kind of work, as the profile names it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// The provider of each role; a role that is absent is the profile's.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub providers: BTreeMap<ProviderRole, String>,
    /// The phase of the first turn.
    #[serde(default)]
    pub phase: Phase,
    /// The session and turn that this one was branched from: `<name>/<NN>`.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub parent: Option<String>,
    /// When to stop.
    #[serde(default)]
    pub limits: SessionLimits,
}

/// The most that a session takes; what is absent is not limited.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SessionLimits {
    /// Turns.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub turns: Option<u32>,
    /// Tokens in and out, as the providers count them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tokens: Option<u64>,
    /// US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// What happened in a turn: `meta.yaml`.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct TurnRecord {
    /// [`VERSION`].
    pub version: u32,
    /// What the turn is for.
    pub phase: Phase,
    /// 1 for the first answer, one more for each revision.
    pub iteration: u32,
    /// What is wanted, in the words of a person.
    pub request: String,
    /// True when the request is all that is sent: text that another program put together.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub is_text_only: bool,
    /// The snapshot: `index`, or the id of a tree; absent for the work tree, and for HEAD where there is none.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub snapshot: Option<String>,
    /// The most tokens of the payload, where the user says so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub budget: Option<u64>,
    /// Images that go along with the request: files of the turn.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub images: Vec<String>,
    /// SHA-256 of `input.md` as it was written; absent in turns of older versions.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub input_sha256: Option<String>,
    /// SHA-256 of the prompt file as it was written.
    pub prompt_sha256: String,
    /// About how many tokens the prompt has.
    pub prompt_tokens_estimated: u64,
    /// How many of them a cache that holds the last request would serve: a prediction; absent where nothing is cached.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cache_read_predicted: Option<u64>,
    /// What the payload leaves out, reduces, or could not get.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Wishes of the profile that the provider cannot follow.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub clamps: Vec<String>,
    /// What the ledger was charged for this turn.
    #[serde(default, skip_serializing_if = "Charged::is_nothing")]
    pub charged: Charged,
    /// The answer, once there is one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub answered: Option<AnswerRecord>,
    /// How the turn ended, once it has.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub closed: Option<Closed>,
}

/// How a turn was answered.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AnswerRecord {
    /// The name of the provider.
    pub provider: String,
    /// The model as it was returned.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub model: Option<String>,
    /// SHA-256 of the response file as it was written or found.
    pub response_sha256: String,
    /// What the provider says that it took.
    #[serde(
        default,
        deserialize_with = "known_usage",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
    /// What it cost, in US dollars; absent when that is unknown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
    /// How long it took; absent where a person answered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub seconds: Option<f64>,
}

/// What the ledger was charged: for answers, for decisions about them, and for attempts that failed.
///
/// What a provider does not tell is charged at its worst case, so this may be more than what the answers say they took.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Charged {
    /// Attempts.
    pub calls: u64,
    /// Tokens, in and out.
    pub tokens: u64,
    /// US dollars; absent when no price is known.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// How a turn ended.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Closed {
    /// The answer was accepted; of a review: the work was.
    pub is_approved: bool,
    /// Who said so: `person`, `review`, or the name of a provider.
    pub by: String,
    /// SHA-256 of the response that was judged.
    pub response_sha256: String,
    /// What to do better, or the issues of a review.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub feedback: String,
    /// What a model that decided says that it took.
    #[serde(
        default,
        deserialize_with = "known_usage",
        skip_serializing_if = "Option::is_none"
    )]
    pub usage: Option<Usage>,
    /// What that cost, in US dollars.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cost_usd: Option<f64>,
}

/// Where a turn stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Status {
    /// The prompt is written, and there is no answer yet.
    Ready,
    /// There is an answer without a verdict.
    Answered,
    /// The answer was accepted.
    Approved,
    /// It was not.
    Rejected,
}

/// A file cannot be understood.
#[derive(Debug, thiserror::Error)]
pub enum RecordError {
    /// It is not what it should be.
    #[error("damaged, or of a newer version")]
    Damaged(#[from] serde_yaml::Error),
    /// It was written by a newer program.
    #[error("version {0} is not understood; this program knows {VERSION}")]
    Version(u32),
}

impl SessionRecord {
    /// Reads the bytes of `session.yaml`.
    pub fn decode(text: &str) -> Result<Self, RecordError> {
        decode(text, |record: &Self| record.version)
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> String {
        encode(self)
    }

    /// The provider that the session itself names for a phase.
    #[must_use]
    pub fn provider(&self, phase: Phase) -> Option<&str> {
        self.provider_of(phase.provider_role())
    }

    /// The provider that the session itself names for a role.
    #[must_use]
    pub fn provider_of(&self, role: ProviderRole) -> Option<&str> {
        self.providers.get(&role).map(String::as_str)
    }
}

/// An amount of a record in words. A sum of such numbers can have more digits than money has: `0.30000000000000004`.
#[must_use]
pub fn usd(dollars: f64) -> String {
    format!("{} USD", Cost::of_dollars(dollars))
}

impl Charged {
    fn is_nothing(&self) -> bool {
        *self == Self::default()
    }
}

impl AddAssign for Charged {
    fn add_assign(&mut self, other: Self) {
        self.calls = self.calls.saturating_add(other.calls);
        self.tokens = self.tokens.saturating_add(other.tokens);
        self.cost_usd = match (self.cost_usd, other.cost_usd) {
            (Some(one), Some(other)) => Some(one + other),
            (one, other) => one.or(other),
        };
    }
}

impl TurnRecord {
    /// Tokens and US dollars of the turn, as far as they are known.
    #[must_use]
    pub fn took(&self) -> (u64, f64) {
        let answered = self
            .answered
            .as_ref()
            .map(|answered| (answered.usage, answered.cost_usd));
        let decided = self
            .closed
            .as_ref()
            .map(|closed| (closed.usage, closed.cost_usd));
        answered
            .into_iter()
            .chain(decided)
            .fold((0, 0.0), |(tokens, cost), (usage, dollars)| {
                (
                    tokens.saturating_add(usage.map_or(0, |usage| usage.tokens())),
                    cost + dollars.unwrap_or_default(),
                )
            })
    }

    /// Reads the bytes of `meta.yaml`.
    pub fn decode(text: &str) -> Result<Self, RecordError> {
        decode(text, |record: &Self| record.version)
    }

    /// Its bytes.
    #[must_use]
    pub fn encode(&self) -> String {
        encode(self)
    }

    /// Where the turn stands.
    #[must_use]
    pub fn status(&self) -> Status {
        match (&self.closed, &self.answered) {
            (Some(closed), _) if closed.is_approved => Status::Approved,
            (Some(_), _) => Status::Rejected,
            (None, Some(_)) => Status::Answered,
            (None, None) => Status::Ready,
        }
    }

    /// True when a text is the one that was judged.
    #[must_use]
    pub fn is_as_judged(&self, response: &str) -> bool {
        self.closed
            .as_ref()
            .is_none_or(|closed| closed.response_sha256 == sha256(response))
    }
}

impl Status {
    /// The word that people read.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Ready => "waiting for an answer",
            Self::Answered => "waiting for approval",
            Self::Approved => "approved",
            Self::Rejected => "rejected",
        }
    }
}

/// Reads a record of this version.
fn decode<T: DeserializeOwned>(text: &str, version: impl Fn(&T) -> u32) -> Result<T, RecordError> {
    let record: T = serde_yaml::from_str(text)?;
    match version(&record) {
        VERSION => Ok(record),
        other => Err(RecordError::Version(other)),
    }
}

fn encode(record: &impl Serialize) -> String {
    serde_yaml::to_string(record).expect("maps of text are YAML")
}

/// SHA-256 of a text as hex digits, as `sha256sum` prints it.
#[must_use]
pub fn sha256(text: &str) -> String {
    hash::sha256_hex(text.as_bytes())
}

/// Usage without counts that this program does not know: it would drop them when it writes the file again.
fn known_usage<'d, D: Deserializer<'d>>(deserializer: D) -> Result<Option<Usage>, D::Error> {
    let Some(counts) = Option::<BTreeMap<String, u64>>::deserialize(deserializer)? else {
        return Ok(None);
    };
    let known = serde_json::to_value(Usage::default()).map_err(D::Error::custom)?;
    if let Some(name) = counts
        .keys()
        .find(|name| known.get(name.as_str()).is_none())
    {
        return Err(D::Error::custom(format!("unknown field `{name}`")));
    }
    let counts = serde_json::to_value(counts).and_then(serde_json::from_value);
    counts.map(Some).map_err(D::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn turn() -> TurnRecord {
        TurnRecord {
            version: VERSION,
            phase: Phase::Reviewing,
            iteration: 2,
            request: "Add a lock:\n- it must be freed\n".to_owned(),
            is_text_only: false,
            snapshot: Some("index".to_owned()),
            budget: Some(8_000),
            images: vec!["image-1.png".to_owned()],
            input_sha256: Some(sha256("y")),
            prompt_sha256: sha256("x"),
            cache_read_predicted: Some(7),
            prompt_tokens_estimated: 7,
            notes: vec!["'a: b' is not included: missing".to_owned()],
            clamps: vec!["x".to_owned()],
            charged: Charged {
                calls: 2,
                tokens: 12,
                cost_usd: Some(0.75),
            },
            answered: Some(AnswerRecord {
                provider: "claude".to_owned(),
                model: Some("m-1".to_owned()),
                response_sha256: sha256("y"),
                usage: Some(Usage {
                    input: 10,
                    output: 2,
                    cache_read: 4,
                    ..Usage::default()
                }),
                cost_usd: Some(0.25),
                seconds: Some(1.5),
            }),
            closed: Some(Closed {
                is_approved: false,
                by: "review".to_owned(),
                response_sha256: sha256("y"),
                feedback: "#1".to_owned(),
                usage: None,
                cost_usd: Some(0.5),
            }),
        }
    }

    #[test]
    fn records_are_read_as_written() {
        let session = SessionRecord {
            version: VERSION,
            profile: Some("strict".to_owned()),
            providers: [(ProviderRole::Planner, "claude".to_owned())].into(),
            parent: Some("main/02".to_owned()),
            limits: SessionLimits {
                turns: Some(9),
                tokens: None,
                cost_usd: Some(0.5),
            },
            ..SessionRecord::default()
        };
        assert_eq!(
            SessionRecord::decode(&session.encode()).expect("valid"),
            session
        );
        assert_eq!(TurnRecord::decode(&turn().encode()).expect("valid"), turn());
        let text = turn().encode();
        let more = text.replace("cache_read: 4", "cache_read: 4\n    audio: 7");
        assert!(text != more && TurnRecord::decode(&more).is_err());
        let open = TurnRecord {
            answered: None,
            closed: None,
            notes: Vec::new(),
            ..turn()
        };
        assert_eq!(TurnRecord::decode(&open.encode()).expect("valid"), open);
    }

    #[test]
    fn what_is_not_understood_is_refused() {
        for text in [
            "",
            "version: 1\nprovider: x\n",
            "version: 2\n",
            "version: 1\nphase: dreaming\n",
            "\0",
        ] {
            assert!(SessionRecord::decode(text).is_err(), "{text:?}");
        }
        assert!(TurnRecord::decode(&turn().encode().replace("iteration:", "iterations:")).is_err());
    }

    #[test]
    fn later_edits_are_seen() {
        assert!(turn().is_as_judged("y"));
        assert!(!turn().is_as_judged("y, edited"));
        assert!(
            TurnRecord {
                closed: None,
                ..turn()
            }
            .is_as_judged("anything")
        );
    }

    proptest::proptest! {
        #[test]
        fn any_words_of_a_person_are_read_as_written(text in "(?s).{0,40}", line in "[-#:{}\\[\\],&*?|>!%@`'\"~ \\t\\r\\n0-9a-z\u{0}\u{85}\u{feff}\u{2028}]{0,20}") {
            for said in [text, line] {
                let turn = TurnRecord { request: said.clone(), notes: vec![said], ..turn() };
                proptest::prop_assert_eq!(TurnRecord::decode(&turn.encode()).expect("valid"), turn);
            }
        }
    }
}
