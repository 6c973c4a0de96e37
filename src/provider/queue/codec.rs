//! Tasks and answers as bytes: one JSON object each. `docs/formats.md` has the fields.

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::{Deserialize, Serialize};

use crate::base::Digest;
use crate::chat::{GenerationParams, Image, Message, Reply, Request, Role, Usage};
use crate::provider::{Charge, Failure, Lengths, ProviderError};

const TASK_FORMAT: &str = "git-merkle/task/1";
const ANSWER_FORMAT: &str = "git-merkle/answer/1";

/// A request on its way to a worker.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Task {
    /// What it asks, by [`Request::digest`].
    pub(super) id: Digest,
    /// A secret of the worker that was given the task.
    pub(super) claim: Digest,
    /// The model whose limits the coordinator assumes.
    pub(super) model: Option<String>,
    /// The request.
    pub(super) request: Request,
}

/// How a worker ended a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Outcome {
    /// Asked.
    Run(Result<Reply, Failure>),
    /// A worker is about to ask.
    Begun,
    /// It was begun before, by a worker that was not heard of since.
    Lost,
}

/// What a worker says of a task.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct TaskAnswer {
    pub(super) id: Digest,
    pub(super) claim: Digest,
    /// Which publication of the task: its number in the stream.
    pub(super) sequence: u64,
    pub(super) outcome: Outcome,
}

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskDocument {
    format: String,
    id: String,
    claim: String,
    model: Option<String>,
    messages: Vec<MessageDocument>,
    params: GenerationParams,
    schema: Option<serde_json::Value>,
    at_once: bool,
}

#[derive(Serialize, Deserialize)]
struct MessageDocument {
    role: String,
    text: String,
    images: Vec<String>,
    ends_cached_prefix: bool,
}

#[derive(Serialize, Deserialize)]
struct AnswerDocument {
    format: String,
    id: String,
    claim: String,
    sequence: u64,
    outcome: OutcomeDocument,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
enum OutcomeDocument {
    Reply(Reply),
    Failure(Box<FailureDocument>),
    Begun,
    Lost,
}

/// `kind` is the word for a variant of [`ProviderError`]; the rest is what that variant has.
#[derive(Serialize, Deserialize, Default)]
struct FailureDocument {
    kind: String,
    reason: String,
    seconds: Option<u64>,
    available: Vec<String>,
    window: Option<u64>,
    input: Option<u64>,
    output: Option<u64>,
    /// `nothing`, `usage` or `unknown`.
    charge: String,
    usage: Option<Usage>,
    answered_in_part: bool,
    partial: Option<Box<Reply>>,
}

impl Task {
    pub(super) fn encode(&self) -> Vec<u8> {
        let message = |message: &Message| MessageDocument {
            role: message.role.as_str().to_owned(),
            text: message.text.clone(),
            images: message
                .images
                .iter()
                .map(|image| image.base64.clone())
                .collect(),
            ends_cached_prefix: message.ends_cached_prefix,
        };
        json(&TaskDocument {
            format: TASK_FORMAT.to_owned(),
            id: self.id.to_string(),
            claim: self.claim.to_string(),
            model: self.model.clone(),
            messages: self.request.messages.iter().map(message).collect(),
            params: self.request.params.clone(),
            schema: self.request.schema.clone(),
            at_once: self.request.at_once,
        })
    }

    /// `None` for what is no task, or asks another thing than its id says.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let document: TaskDocument = serde_json::from_slice(bytes).ok()?;
        let messages = document.messages.into_iter().map(read_message);
        let request = Request {
            messages: messages.collect::<Option<_>>()?,
            params: document.params,
            schema: document.schema,
            at_once: document.at_once,
        };
        let id = Digest::from_hex(&document.id)?;
        let claim = Digest::from_hex(&document.claim)?;
        let is_task = document.format == TASK_FORMAT && request.digest() == id;
        is_task.then_some(Self {
            id,
            claim,
            model: document.model,
            request,
        })
    }
}

fn read_message(document: MessageDocument) -> Option<Message> {
    let roles = [Role::System, Role::User, Role::Assistant];
    let role = roles
        .into_iter()
        .find(|role| role.as_str() == document.role)?;
    let image = |text: String| Image::new(&STANDARD.decode(text).ok()?).ok();
    let images = document.images.into_iter().map(image);
    Some(Message {
        role,
        text: document.text,
        images: images.collect::<Option<_>>()?,
        ends_cached_prefix: document.ends_cached_prefix,
    })
}

impl TaskAnswer {
    pub(super) fn encode(&self) -> Vec<u8> {
        let outcome = match self.outcome.clone() {
            Outcome::Run(Ok(reply)) => OutcomeDocument::Reply(reply),
            Outcome::Run(Err(failure)) => OutcomeDocument::Failure(Box::new(failure.into())),
            Outcome::Begun => OutcomeDocument::Begun,
            Outcome::Lost => OutcomeDocument::Lost,
        };
        json(&AnswerDocument {
            format: ANSWER_FORMAT.to_owned(),
            id: self.id.to_string(),
            claim: self.claim.to_string(),
            sequence: self.sequence,
            outcome,
        })
    }

    /// `None` for what is no answer.
    pub(super) fn decode(bytes: &[u8]) -> Option<Self> {
        let document: AnswerDocument = serde_json::from_slice(bytes).ok()?;
        let outcome = match document.outcome {
            OutcomeDocument::Reply(reply) => Outcome::Run(Ok(reply)),
            OutcomeDocument::Failure(failure) => Outcome::Run(Err((*failure).read()?)),
            OutcomeDocument::Begun => Outcome::Begun,
            OutcomeDocument::Lost => Outcome::Lost,
        };
        let answer = Self {
            id: Digest::from_hex(&document.id)?,
            claim: Digest::from_hex(&document.claim)?,
            sequence: document.sequence,
            outcome,
        };
        (document.format == ANSWER_FORMAT).then_some(answer)
    }
}

impl From<Failure> for FailureDocument {
    fn from(failure: Failure) -> Self {
        let (charge, usage) = match failure.charge {
            Charge::Nothing => ("nothing", None),
            Charge::Usage(usage) => ("usage", Some(usage)),
            Charge::Unknown => ("unknown", None),
        };
        let document = Self {
            charge: charge.to_owned(),
            usage,
            answered_in_part: failure.answered_in_part,
            partial: failure.partial,
            ..Self::default()
        };
        document.with_error(failure.error)
    }
}

impl FailureDocument {
    fn with_error(self, error: ProviderError) -> Self {
        let whole = |time: Duration| time.as_secs();
        let of = |kind: &str, reason: String| Self {
            kind: kind.to_owned(),
            reason,
            ..self
        };
        match error {
            ProviderError::NotConfigured { reason, .. } => of("not-configured", reason),
            ProviderError::Auth(reason) => of("auth", reason),
            ProviderError::Quota(reason) => of("quota", reason),
            ProviderError::RateLimited { retry_after } => Self {
                seconds: retry_after.map(whole),
                ..of("rate-limited", String::new())
            },
            ProviderError::ModelNotFound { model, available } => Self {
                available,
                ..of("model-not-found", model)
            },
            ProviderError::ContextTooLong { reason, lengths } => Self {
                window: lengths.window,
                input: lengths.input,
                output: lengths.output,
                ..of("context-too-long", reason)
            },
            ProviderError::Refused(reason) => of("refused", reason),
            ProviderError::Truncated => of("truncated", String::new()),
            ProviderError::Lost | ProviderError::QueueBusy | ProviderError::BrokenOff => {
                of("broken-off", String::new())
            }
            ProviderError::NoEvent => of("no-event", String::new()),
            ProviderError::Address(reason) => of("address", reason),
            ProviderError::Rejected(reason) => of("rejected", reason),
            ProviderError::Queue(reason) | ProviderError::Protocol(reason) => {
                of("protocol", reason)
            }
            error @ ProviderError::TooLarge { .. } => of("protocol", error.to_string()),
            ProviderError::Timeout(time) => Self {
                seconds: Some(whole(time)),
                ..of("timeout", String::new())
            },
            ProviderError::Unavailable {
                reason,
                retry_after,
            } => Self {
                seconds: retry_after.map(whole),
                ..of("unavailable", reason)
            },
        }
    }

    fn read(self) -> Option<Failure> {
        let (reason, wait) = (self.reason, self.seconds.map(Duration::from_secs));
        let error = match self.kind.as_str() {
            "not-configured" => ProviderError::NotConfigured {
                provider: String::new(),
                reason,
            },
            "auth" => ProviderError::Auth(reason),
            "quota" => ProviderError::Quota(reason),
            "rate-limited" => ProviderError::RateLimited { retry_after: wait },
            "model-not-found" => ProviderError::ModelNotFound {
                model: reason,
                available: self.available,
            },
            "context-too-long" => ProviderError::ContextTooLong {
                reason,
                lengths: Box::new(Lengths {
                    window: self.window,
                    input: self.input,
                    output: self.output,
                }),
            },
            "refused" => ProviderError::Refused(reason),
            "truncated" => ProviderError::Truncated,
            "broken-off" => ProviderError::BrokenOff,
            "no-event" => ProviderError::NoEvent,
            "address" => ProviderError::Address(reason),
            "rejected" => ProviderError::Rejected(reason),
            "protocol" => ProviderError::Protocol(reason),
            "timeout" => ProviderError::Timeout(wait?),
            "unavailable" => ProviderError::Unavailable {
                reason,
                retry_after: wait,
            },
            _ => return None,
        };
        let charge = match (self.charge.as_str(), self.usage) {
            ("nothing", _) => Charge::Nothing,
            ("usage", Some(usage)) => Charge::Usage(usage),
            _ => Charge::Unknown,
        };
        Some(Failure {
            error,
            charge,
            answered_in_part: self.answered_in_part,
            partial: self.partial,
        })
    }
}

fn json(document: &impl Serialize) -> Vec<u8> {
    serde_json::to_vec(document).expect("maps with text keys are JSON")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn reply() -> Reply {
        Reply {
            text: "words".to_owned(),
            model: Some("m".to_owned()),
            usage: Some(Usage {
                input: 1,
                output: 2,
                cache_read: 3,
                cache_write: 4,
                reasoning: 5,
            }),
            worker: None,
        }
    }

    fn task() -> Task {
        let image = Image::new(b"GIF89a").expect("an image");
        let mut message = Message::new(Role::User, "hello \u{1f331}");
        message.images.push(image);
        message.ends_cached_prefix = true;
        let request = Request {
            messages: vec![Message::new(Role::System, "be short"), message],
            params: GenerationParams {
                max_output_tokens: Some(7),
                temperature: Some(0.1),
                stop: Some(vec!["x".to_owned()]),
                ..GenerationParams::default()
            },
            schema: Some(serde_json::json!({ "b": 1, "a": [2] })),
            at_once: true,
        };
        Task {
            id: request.digest(),
            claim: Digest([7; 32]),
            model: Some("m".to_owned()),
            request,
        }
    }

    #[test]
    fn tasks_come_back_as_they_went_and_only_with_their_own_id() {
        let task = task();
        assert_eq!(Task::decode(&task.encode()), Some(task.clone()));
        let other = Task {
            id: Digest([1; 32]),
            ..task
        };
        assert_eq!(Task::decode(&other.encode()), None);
        assert_eq!(Task::decode(b"{}"), None);
    }

    #[test]
    fn every_outcome_comes_back_as_it_went() {
        let text = || "why".to_owned();
        let errors = vec![
            ProviderError::NotConfigured {
                provider: String::new(),
                reason: text(),
            },
            ProviderError::Auth(text()),
            ProviderError::Quota(text()),
            ProviderError::RateLimited {
                retry_after: Some(Duration::from_secs(3)),
            },
            ProviderError::ModelNotFound {
                model: text(),
                available: vec![text()],
            },
            ProviderError::ContextTooLong {
                reason: text(),
                lengths: Box::new(Lengths {
                    window: Some(1),
                    input: Some(2),
                    output: None,
                }),
            },
            ProviderError::Refused(text()),
            ProviderError::Truncated,
            ProviderError::BrokenOff,
            ProviderError::NoEvent,
            ProviderError::Address(text()),
            ProviderError::Rejected(text()),
            ProviderError::Protocol(text()),
            ProviderError::Timeout(Duration::from_secs(9)),
            ProviderError::Unavailable {
                reason: text(),
                retry_after: None,
            },
        ];
        let charges = [
            Charge::Nothing,
            Charge::Usage(Usage::default()),
            Charge::Unknown,
        ];
        let failures = errors.into_iter().zip(charges.into_iter().cycle());
        let failed = failures.map(|(error, charge)| {
            Outcome::Run(Err(Failure {
                answered_in_part: charge == Charge::Unknown,
                partial: (error == ProviderError::Truncated).then(|| Box::new(reply())),
                ..Failure::new(error, charge)
            }))
        });
        for outcome in failed.chain([Outcome::Run(Ok(reply())), Outcome::Begun, Outcome::Lost]) {
            let answer = TaskAnswer {
                id: Digest([1; 32]),
                claim: Digest([2; 32]),
                sequence: 3,
                outcome,
            };
            assert_eq!(TaskAnswer::decode(&answer.encode()), Some(answer));
        }
        assert_eq!(TaskAnswer::decode(b"null"), None);
    }
}
