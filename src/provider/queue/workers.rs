//! The coordinator's end of a queue: a provider whose answers come from workers.

use std::sync::atomic::AtomicU64;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::PublishMessage;
use tokio::sync::{OnceCell, watch};
use tokio::task::JoinHandle;

use super::address::QueueAddress;
use super::codec::{Outcome, Task};
use super::lease::Lease;
use super::link::{Link, QueueError, model_token, short};
use super::sweep;
use super::waiting::{Ended, Shared};
use crate::base::printable::chain;
use crate::base::{locked, token};
use crate::chat::{Answer, Capabilities, Reply, Request};
use crate::git::{Lock, StateDir};
use crate::provider::api_key::ApiKey;
use crate::provider::ask::{Provider, ReplyFuture, TextSink};
use crate::provider::transport::ANSWER_BYTES_MAX;
use crate::provider::worst_case::output_tokens_max;
use crate::provider::{Charge, Failure, ProviderError};
use crate::secret::Scanner;

const CONTEXT: &str = "git-merkle 2026 queue/1";
const LOCK_NAME: &str = "coordinator-lock";
/// How long a request rests that the server did not take.
const PUBLISH_PAUSE: Duration = Duration::from_millis(500);
/// The longest name of a model that is believed, and the longest reason.
const NAME_BYTES_MAX: usize = 200;
const REASON_CHARS_MAX: usize = 500;

/// Everything that a queue is used with.
pub struct QueueTerms {
    /// Where it is.
    pub address: QueueAddress,
    /// What it is entered with.
    pub key: Option<ApiKey>,
    /// How long a worker may be silent.
    pub wait: Duration,
}

/// Workers behind a queue, asked like one provider.
pub struct Workers {
    /// What the coordinator counts on: the definition of its own provider.
    capabilities: Capabilities,
    terms: QueueTerms,
    state: StateDir,
    shared: Arc<Shared>,
    open: OnceCell<Open>,
}

/// What is open while a run lasts.
struct Open {
    link: Link,
    lease: Arc<tokio::sync::Mutex<Lease>>,
    fence: u64,
    background: Vec<JoinHandle<()>>,
    _lock: Lock,
}

impl Workers {
    /// Nothing is reached before the first request.
    #[must_use]
    pub fn new(capabilities: Capabilities, terms: QueueTerms, state: &StateDir) -> Self {
        let claims = state.key(CONTEXT);
        let shared = Shared {
            model: model_token(capabilities.model.as_deref()),
            repository: short(claims.digest(b"repository")),
            claims,
            waiting: Mutex::default(),
            early: Mutex::default(),
            problems: Mutex::default(),
            number: AtomicU64::new(0),
            seen: AtomicU64::new(0),
            halted: watch::Sender::new(false),
        };
        Self {
            capabilities,
            terms,
            state: state.clone(),
            shared: Arc::new(shared),
            open: OnceCell::new(),
        }
    }

    async fn opened(&self) -> Result<&Open, ProviderError> {
        let open = self.open.get_or_try_init(|| self.enter()).await;
        open.map_err(|error| match error {
            QueueError::Busy => ProviderError::QueueBusy,
            error => ProviderError::Queue(chain(&error)),
        })
    }

    async fn enter(&self) -> Result<Open, QueueError> {
        let QueueTerms { address, key, wait } = &self.terms;
        let lock = self.state.lock(LOCK_NAME, Duration::ZERO);
        let lock = lock.map_err(|error| QueueError::server("be used", error))?;
        let lock = lock.ok_or(QueueError::Busy)?;
        let link = Link::open(address, key.as_ref()).await?;
        let host = rustix::system::uname();
        let place = [
            host.nodename().to_bytes(),
            self.shared.repository.as_bytes(),
        ]
        .concat();
        let place = short(self.shared.claims.digest(&place));
        let repository = &self.shared.repository;
        let lease = Lease::take(&link.jetstream, repository, &place, *wait).await?;
        // What a run has left behind that was killed is not wanted by it any more.
        sweep::purge_tasks(&link, &self.shared).await?;
        let answers = sweep::Answers::open(&link, &self.shared).await?;
        let fence = lease.revision();
        let lease = Arc::new(tokio::sync::Mutex::new(lease));
        let background = vec![
            tokio::spawn(answers.read(self.shared.clone())),
            tokio::spawn(sweep::keep(
                link.clone(),
                lease.clone(),
                self.shared.clone(),
                *wait,
            )),
        ];
        Ok(Open {
            link,
            lease,
            fence,
            background,
            _lock: lock,
        })
    }

    async fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        let opened = self.opened().await;
        let open = opened.map_err(|error| Failure::new(error, Charge::Nothing))?;
        let id = request.digest();
        if let Some((worker, answer)) = self.shared.take_early(&id) {
            return self.judge(request, &worker, answer.outcome);
        }
        let task = Task {
            id,
            claim: self.shared.claim(&id),
            model: self.capabilities.model.clone(),
            request: request.clone(),
        };
        let (number, ended) = self.shared.wait_for(id);
        if !self.publish(open, number, &task).await? {
            return Err(withdrawn());
        }
        match ended.await {
            Ok(Ended::Answered(worker, answer)) => self.judge(request, &worker, answer.outcome),
            Ok(Ended::Withdrawn) => Err(withdrawn()),
            Ok(Ended::Broken(why)) => Err(Failure::new(ProviderError::Queue(why), Charge::Unknown)),
            Ok(Ended::Lost) | Err(_) => Err(Failure::new(ProviderError::Lost, Charge::Unknown)),
        }
    }

    /// Publishes a task until the server has it; false when it is not wanted any more before that.
    async fn publish(&self, open: &Open, number: u64, task: &Task) -> Result<bool, Failure> {
        let bytes = task.encode();
        let subject = format!(
            "merkle.task.{}.{}",
            self.shared.model, self.shared.repository
        );
        // Each publication has an id of its own: the server forgets for a while what it has seen, and drops what has it.
        let id = format!("{}.{}.{number}", task.id, open.fence);
        let mut halted = self.shared.halted();
        loop {
            let message = PublishMessage::build()
                .payload(bytes.clone().into())
                .message_id(&id);
            let sent = open.link.jetstream.send_publish(subject.clone(), message);
            let published = async { sent.await?.await };
            let error = match published.await {
                Ok(taken) => {
                    self.shared.is_published(number, taken.sequence);
                    return Ok(true);
                }
                Err(error) => error,
            };
            if error.kind() == PublishErrorKind::MaxPayloadExceeded {
                self.shared.forget(number);
                let error = ProviderError::TooLarge {
                    size_bytes: bytes.len(),
                    size_bytes_max: open.link.payload_max,
                };
                return Err(Failure::new(error, Charge::Nothing));
            }
            tokio::select! {
                _ = halted.wait_for(|is_halted| *is_halted) => {
                    self.shared.forget(number);
                    return Ok(false);
                }
                () = tokio::time::sleep(PUBLISH_PAUSE) => {}
            }
        }
    }

    /// What an answer is worth, as far as it does not depend on the request.
    fn judge(&self, request: &Request, worker: &str, outcome: Outcome) -> Result<Reply, Failure> {
        let refused = |why: &str| {
            let why = format!("worker '{worker}': {why}");
            Failure::new(ProviderError::Protocol(why), Charge::Unknown)
        };
        match outcome {
            Outcome::Begun | Outcome::Lost => {
                Err(Failure::new(ProviderError::Lost, Charge::Unknown))
            }
            Outcome::Run(Err(failure)) => Err(told(worker, self.clean(request, failure))),
            Outcome::Run(Ok(reply)) if reply.text.len() > ANSWER_BYTES_MAX => {
                Err(refused("the answer is too long"))
            }
            Outcome::Run(Ok(reply)) if reply.text.trim().is_empty() => {
                Err(refused("the answer is empty"))
            }
            Outcome::Run(Ok(reply)) if self.is_longer(request, &reply.text) => {
                Err(refused("the answer is longer than what was wanted"))
            }
            Outcome::Run(Ok(reply)) => Ok(Reply {
                worker: Some(worker.to_owned()),
                ..self.believed(request, reply)
            }),
        }
    }

    /// No tokenizer makes less than a quarter of what another makes of the same text.
    fn is_longer(&self, request: &Request, text: &str) -> bool {
        let wanted = output_tokens_max(request, &self.capabilities);
        token::estimate(text) > wanted.saturating_mul(4)
    }

    /// A count beyond the worst case, and a name that may be a secret, are not believed.
    fn believed(&self, request: &Request, reply: Reply) -> Reply {
        let (input, output) = (
            request.input_tokens_max(),
            output_tokens_max(request, &self.capabilities),
        );
        let is_name = |name: &String| {
            name.len() <= NAME_BYTES_MAX && Scanner::built_in().find(name.as_bytes()).is_empty()
        };
        Reply {
            usage: reply.usage.filter(|usage| {
                usage.input <= input
                    && usage.output <= output
                    && usage.cache_read <= usage.input
                    && usage.cache_write <= usage.input
            }),
            model: reply.model.filter(is_name),
            ..reply
        }
    }

    fn clean(&self, request: &Request, failure: Failure) -> Failure {
        let partial = failure
            .partial
            .filter(|partial| partial.text.len() <= ANSWER_BYTES_MAX);
        let worst = Charge::Unknown;
        let charge = match failure.charge {
            Charge::Usage(usage)
                if usage.input > request.input_tokens_max()
                    || usage.output > output_tokens_max(request, &self.capabilities) =>
            {
                worst
            }
            charge => charge,
        };
        Failure {
            charge,
            partial: partial.map(|partial| Box::new(self.believed(request, *partial))),
            ..failure
        }
    }

    async fn end(&self) -> Vec<String> {
        let Some(open) = self.open.get() else {
            return Vec::new();
        };
        self.halt();
        open.background.iter().for_each(JoinHandle::abort);
        // A server that is away keeps what it has; the next run looks after it.
        let ending = async {
            let _ = sweep::purge_tasks(&open.link, &self.shared).await;
            let _ = sweep::purge_answers(&open.link, &self.shared).await;
            open.lease.lock().await.release().await;
        };
        let _ = tokio::time::timeout(Duration::from_secs(5), ending).await;
        std::mem::take(&mut *locked(&self.shared.problems))
    }
}

impl Provider for Workers {
    fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    fn validate(&self) -> ReplyFuture<'_, (), ProviderError> {
        Box::pin(async {
            let link = Link::open(&self.terms.address, self.terms.key.as_ref()).await;
            link.map(drop)
                .map_err(|error| ProviderError::Queue(chain(&error)))
        })
    }

    fn complete<'a>(
        &'a self,
        request: &'a Request,
        _on_text: TextSink<'a>,
    ) -> ReplyFuture<'a, Answer, Failure> {
        Box::pin(async { self.ask(request).await.map(Answer::Ready) })
    }

    fn open(&self) -> ReplyFuture<'_, (), ProviderError> {
        Box::pin(async { self.opened().await.map(drop) })
    }

    fn halt(&self) {
        self.shared.halted.send_replace(true);
    }

    fn close(&self) -> ReplyFuture<'_, Vec<String>, ProviderError> {
        Box::pin(async { Ok(self.end().await) })
    }
}

fn withdrawn() -> Failure {
    let error = ProviderError::Unavailable {
        reason: "the request was taken back".to_owned(),
        retry_after: None,
    };
    Failure::new(error, Charge::Nothing)
}

/// A failure in which the worker is named.
fn told(worker: &str, failure: Failure) -> Failure {
    let named = |reason: String| {
        let reason: String = reason.chars().take(REASON_CHARS_MAX).collect();
        format!("worker '{worker}': {reason}")
    };
    let error = match failure.error {
        // One worker that cannot ask is no reason to end the run: another one may.
        error @ (ProviderError::Auth(_)
        | ProviderError::Quota(_)
        | ProviderError::NotConfigured { .. }
        | ProviderError::Address(_)
        | ProviderError::ModelNotFound { .. }
        | ProviderError::Queue(_)) => ProviderError::Unavailable {
            reason: named(error.to_string()),
            retry_after: None,
        },
        // The worker has tried again alone already, as far as that helps.
        ProviderError::BrokenOff => ProviderError::Protocol(named("the answer breaks off".into())),
        error => error.map_text(named),
    };
    Failure { error, ..failure }
}
