//! The other end of a queue: takes one request for each free slot, asks its own provider, and publishes the answer.
//!
//! Whatever happens, the coordinator hears of it or finds out. Before it asks, a worker publishes that it begins, under an id
//! that the server takes once. A worker that dies leaves its task to be handed out again, and the next one learns that it
//! was begun, and says that it is lost, without asking. So no call is made that is not booked.
//! A rate limit is waited for here, with signs of life to the server.

use std::time::Duration;

use async_nats::jetstream::AckKind;
use async_nats::jetstream::consumer::PullConsumer;
use async_nats::jetstream::context::PublishErrorKind;
use async_nats::jetstream::message::{Message, PublishMessage};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::mpsc::UnboundedReceiver;
use tokio::time::{MissedTickBehavior, interval};

use super::codec::{Outcome, Task, TaskAnswer};
use super::link::{Link, QueueError, model_token};
use super::workers::QueueTerms;
use crate::base::clock;
use crate::chat::{Answer, Reply, Request};
use crate::provider::call::settled;
use crate::provider::{Charge, Company, Failure, Gate, Limits, Provider, ProviderError, retry};

/// How long one look for a request takes at most, and with it the end of an idle worker.
const PULL_TIME_MAX: Duration = Duration::from_secs(2);
/// How long a worker rests that the server does not answer.
const PAUSE: Duration = Duration::from_millis(500);
/// The longest name of a worker.
const NAME_BYTES_MAX: usize = 64;

/// How a worker goes about it.
pub struct WorkerTerms {
    /// The queue.
    pub queue: QueueTerms,
    /// How it is called; see [`is_name`].
    pub name: String,
    /// Its provider's limits; requests at once are those of the worker.
    pub limits: Limits,
    /// True when it ends once nothing is left to do.
    pub drains: bool,
}

/// What a worker has done.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct WorkerReport {
    /// Requests that its provider answered.
    pub answered: u64,
    /// Requests without an answer.
    pub failed: u64,
}

/// The name of a worker that has been given none: the machine's, and the number of the process.
#[must_use]
pub fn own_name() -> String {
    let host = rustix::system::uname();
    let host = host.nodename().to_string_lossy();
    let plain = host.chars().take(NAME_BYTES_MAX / 2).map(|letter| {
        if letter.is_ascii_alphanumeric() {
            letter
        } else {
            '-'
        }
    });
    format!("{}-{}", plain.collect::<String>(), std::process::id())
}

/// True for what can be the name of a worker: it is part of a subject.
#[must_use]
pub fn is_name(name: &str) -> bool {
    let plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_';
    !name.is_empty() && name.len() <= NAME_BYTES_MAX && name.bytes().all(plain)
}

/// Works until `stop` is heard, or until nothing is left for one that drains. `stop` a second time drops what is under way.
pub async fn run<S>(
    provider: &dyn Provider,
    terms: &WorkerTerms,
    stop: &mut UnboundedReceiver<S>,
) -> Result<WorkerReport, QueueError> {
    let link = Link::open(&terms.queue.address, terms.queue.key.as_ref()).await?;
    let model = model_token(provider.capabilities().model.as_deref());
    let consumer = link.consumer(&model, terms.queue.wait).await?;
    // Another worker may have made it, with another patience.
    let wait = consumer.cached_info().config.ack_wait;
    let slot = Slot {
        link: &link,
        provider,
        gate: Gate::new(terms.limits),
        name: &terms.name,
        beat: (wait / 3).max(Duration::from_millis(20)),
    };
    let mut work = FuturesUnordered::new();
    let mut pulls = FuturesUnordered::new();
    let (mut report, mut fault) = (WorkerReport::default(), None);
    let mut is_ending = false;
    loop {
        if !is_ending && pulls.is_empty() && work.len() < terms.limits.concurrency {
            pulls.push(pull(&consumer));
        }
        if pulls.is_empty() && work.is_empty() {
            break;
        }
        tokio::select! {
            Some(pulled) = pulls.next() => match pulled {
                Some(message) if is_ending => slot.give_back(&message).await,
                Some(message) => work.push(slot.work(message)),
                None if terms.drains && work.is_empty() => is_ending |= is_empty(&consumer).await,
                None => {}
            },
            Some(done) = work.next() => match done {
                Done::Answered => report.answered += 1,
                Done::Failed => report.failed += 1,
                Done::Useless(why) => {
                    report.failed += 1;
                    (is_ending, fault) = (true, Some(why));
                }
            },
            Some(_) = stop.recv() => {
                if is_ending {
                    break;
                }
                is_ending = true;
            }
        }
    }
    drop((work, pulls));
    match fault {
        Some(why) => Err(QueueError::Provider(why)),
        None => Ok(report),
    }
}

/// Waits for one request; `None` when there was none, or no answer from the server.
async fn pull(consumer: &PullConsumer) -> Option<Message> {
    let batch = consumer.batch().max_messages(1).expires(PULL_TIME_MAX);
    match batch.messages().await {
        Ok(mut messages) => messages.next().await?.ok(),
        Err(_) => {
            tokio::time::sleep(PAUSE).await;
            None
        }
    }
}

async fn is_empty(consumer: &PullConsumer) -> bool {
    let info = consumer.get_info().await;
    info.is_ok_and(|info| info.num_pending == 0 && info.num_ack_pending == 0)
}

/// What became of one task.
enum Done {
    Answered,
    Failed,
    /// The provider cannot be used at all: why.
    Useless(String),
}

/// What each task is worked on with.
struct Slot<'s> {
    link: &'s Link,
    provider: &'s dyn Provider,
    gate: Gate,
    name: &'s str,
    beat: Duration,
}

impl Slot<'_> {
    async fn work(&self, message: Message) -> Done {
        let mut beats = interval(self.beat);
        beats.set_missed_tick_behavior(MissedTickBehavior::Delay);
        let mut done = std::pin::pin!(self.answer(&message));
        loop {
            tokio::select! {
                done = &mut done => return done,
                // A sign that does not arrive is followed by another one.
                _ = beats.tick() => drop(message.ack_with(AckKind::Progress).await),
            }
        }
    }

    async fn answer(&self, message: &Message) -> Done {
        let Some(task) = Task::decode(&message.payload) else {
            let _ = message.double_ack_with(AckKind::Term).await;
            return Done::Failed;
        };
        // How often a server has handed a task out it forgets when it is killed; what it has stored it remembers.
        if !self.tell(message, &task, Outcome::Begun).await {
            self.end(message, &task, Outcome::Lost).await;
            return Done::Failed;
        }
        let outcome = self.ask(&task.request).await;
        let done = match &outcome {
            Ok(_) => Done::Answered,
            Err(failure) => match &failure.error {
                ProviderError::Auth(_)
                | ProviderError::Quota(_)
                | ProviderError::NotConfigured { .. }
                | ProviderError::Address(_)
                | ProviderError::ModelNotFound { .. } => Done::Useless(failure.to_string()),
                _ => Done::Failed,
            },
        };
        self.end(message, &task, Outcome::Run(outcome)).await;
        done
    }

    /// Sends a request once; what was turned away unpaid is sent again after a pause.
    async fn ask(&self, request: &Request) -> Result<Reply, Failure> {
        let mut attempt = 1;
        loop {
            let tokens = request.tokens_estimated();
            let leave = self.gate.acquire(tokens, Company::Any).await;
            let outcome = self.provider.complete(request, &mut |_| ()).await;
            leave.settle(settled(&outcome));
            let failure = match outcome {
                Ok(Answer::Ready(reply)) => return Ok(reply),
                Ok(Answer::Pending(_)) => {
                    let why = "its provider answers later".to_owned();
                    return Err(Failure::new(ProviderError::Protocol(why), Charge::Unknown));
                }
                Err(failure) => failure,
            };
            let pause = retry::pause(&failure.error, attempt, false, clock::random_part());
            match pause.filter(|_| failure.charge == Charge::Nothing) {
                Some(pause) => tokio::time::sleep(pause).await,
                None => return Err(failure),
            }
            attempt += 1;
        }
    }

    /// Publishes how a task ended, and only then lets go of it.
    async fn end(&self, message: &Message, task: &Task, outcome: Outcome) {
        self.tell(message, task, outcome).await;
        // Without it the task is handed out again, and said to be lost when its answer is long there.
        let _ = message.double_ack().await;
    }

    /// Publishes something about a task until the server has it; false when it had the same already.
    async fn tell(&self, message: &Message, task: &Task, outcome: Outcome) -> bool {
        let sequence = message.info().map_or(0, |info| info.stream_sequence);
        let repository = message.subject.rsplit('.').next().unwrap_or_default();
        let subject = format!("merkle.answer.{repository}.{}", self.name);
        // Whichever worker it is that begins, the second one is told.
        let id = match outcome {
            Outcome::Begun => format!("begun.{}.{sequence}", task.claim),
            Outcome::Lost => format!("lost.{}.{sequence}", task.claim),
            Outcome::Run(_) => format!("ended.{}.{sequence}", task.claim),
        };
        let mut answer = TaskAnswer {
            id: task.id,
            claim: task.claim,
            sequence,
            outcome,
        };
        loop {
            let publish = PublishMessage::build()
                .payload(answer.encode().into())
                .message_id(&id);
            let sent = self.link.jetstream.send_publish(subject.clone(), publish);
            match async { sent.await?.await }.await {
                Ok(taken) => return !taken.duplicate,
                Err(error) if error.kind() == PublishErrorKind::MaxPayloadExceeded => {
                    let why = format!(
                        "the answer is larger than the {} bytes that the server takes",
                        self.link.payload_max
                    );
                    let failure = Failure::new(ProviderError::Protocol(why), Charge::Unknown);
                    answer.outcome = Outcome::Run(Err(failure));
                }
                Err(_) => tokio::time::sleep(PAUSE).await,
            }
        }
    }

    /// A task that came while the worker was ending.
    async fn give_back(&self, message: &Message) {
        let Some(task) = Task::decode(&message.payload) else {
            return;
        };
        let error = ProviderError::Unavailable {
            reason: "it is ending".to_owned(),
            retry_after: None,
        };
        let failure = Failure::new(error, Charge::Nothing);
        self.end(message, &task, Outcome::Run(Err(failure))).await;
    }
}
