//! What runs beside the requests: answers are read, the lease is renewed, and tasks that are gone are found.

use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Duration;

use async_nats::jetstream::consumer::{DeliverPolicy, OrderedPullConsumer, pull};
use async_nats::jetstream::message::Message;
use async_nats::jetstream::stream::{RawMessageErrorKind, Stream};
use futures_util::StreamExt as _;
use futures_util::future::join_all;
use tokio::sync::{Mutex, watch};
use tokio::time::{Instant, MissedTickBehavior, interval};

use super::lease::Lease;
use super::link::{Link, QueueError, consumer_name};
use super::waiting::Shared;

/// How long an answer is waited for that is known to be there.
const KNOWN_TIME_MAX: Duration = Duration::from_secs(10);
/// How long a reader rests that the server has thrown out.
const PAUSE: Duration = Duration::from_millis(500);
/// A run ends when its server has been away for this many times as long as a worker may be silent: five minutes, unless set.
const AWAY_WAITS: u32 = 10;

/// The answers of one repository, in the order in which they came.
pub(super) struct Answers {
    stream: Stream,
    messages: pull::Ordered,
}

impl Answers {
    /// Reads what is there already: answers that a killed run has paid for.
    pub(super) async fn open(link: &Link, shared: &Shared) -> Result<Self, QueueError> {
        let stream = link.answers.clone();
        let (mut messages, there) = messages(&stream, shared).await?;
        for _ in 0..there {
            let next = tokio::time::timeout(KNOWN_TIME_MAX, messages.next()).await;
            match next {
                Ok(Some(Ok(message))) => take_message(shared, &message),
                _ => break,
            }
        }
        Ok(Self { stream, messages })
    }

    /// Hands out answers until the task is aborted.
    pub(super) async fn read(mut self, shared: Arc<Shared>) {
        loop {
            match self.messages.next().await {
                Some(Ok(message)) => take_message(&shared, &message),
                Some(Err(_)) | None => {
                    tokio::time::sleep(PAUSE).await;
                    if let Ok((messages, _)) = messages(&self.stream, &shared).await {
                        self.messages = messages;
                    }
                }
            }
        }
    }
}

async fn messages(stream: &Stream, shared: &Shared) -> Result<(pull::Ordered, u64), QueueError> {
    let failed = |error: &dyn std::fmt::Display| QueueError::server("hand out answers", error);
    let config = pull::OrderedConfig {
        filter_subject: answers_of(shared),
        deliver_policy: DeliverPolicy::ByStartSequence {
            start_sequence: shared.seen.load(Ordering::Relaxed) + 1,
        },
        ..pull::OrderedConfig::default()
    };
    let made = stream.create_consumer(config).await;
    let consumer: OrderedPullConsumer = made.map_err(|error| failed(&error))?;
    let there = consumer.cached_info().num_pending;
    let messages = consumer.messages().await;
    Ok((messages.map_err(|error| failed(&error))?, there))
}

fn answers_of(shared: &Shared) -> String {
    format!("merkle.answer.{}.*", shared.repository)
}

/// Takes an answer unless it was taken before: two readers may come upon it.
fn take(shared: &Shared, sequence: u64, subject: &str, bytes: &[u8]) {
    if shared.seen.fetch_max(sequence, Ordering::Relaxed) < sequence {
        shared.take(subject.rsplit('.').next().unwrap_or_default(), bytes);
    }
}

fn take_message(shared: &Shared, message: &Message) {
    if let Ok(info) = message.info() {
        take(
            shared,
            info.stream_sequence,
            &message.subject,
            &message.payload,
        );
    }
}

/// Renews the lease and looks for lost tasks, three times in the time that a worker may be silent; takes tasks back when
/// nothing new is wanted, and gives up on a server that stays away.
pub(super) async fn keep(
    link: Link,
    lease: Arc<Mutex<Lease>>,
    shared: Arc<Shared>,
    wait: Duration,
) {
    let mut ticks = interval((wait / 3).max(Duration::from_millis(50)));
    ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
    let mut halted = shared.halted();
    let (mut has_withdrawn, mut seen) = (false, Instant::now());
    loop {
        tokio::select! {
            () = is_halted(&mut halted), if !has_withdrawn => {
                has_withdrawn = withdraw(&link, &shared).await;
                if !has_withdrawn {
                    tokio::time::sleep(PAUSE).await;
                }
            }
            _ = ticks.tick() => {
                let why = match lease.lock().await.renew().await {
                    Ok(true) => None,
                    Ok(false) => Some("another run has taken over the repository".to_owned()),
                    Err(_) if seen.elapsed() < wait * AWAY_WAITS => continue,
                    Err(error) => Some(format!("its server stays away: {error}")),
                };
                if let Some(why) = why {
                    return shared.break_off(&why);
                }
                seen = Instant::now();
                sweep(&link, &shared, wait).await;
            }
        }
    }
}

async fn is_halted(halted: &mut watch::Receiver<bool>) {
    // The sender lives as long as what is shared.
    let _ = halted.wait_for(|is_halted| *is_halted).await;
}

/// A task that is neither in the stream nor answered has been dropped, by a worker or by the server.
///
/// An answer is in its stream before its task is gone from the other, and after an outage the reader may be late.
async fn sweep(link: &Link, shared: &Shared, wait: Duration) {
    let mut gone = Vec::new();
    let published = shared.published(wait).into_iter();
    // All at once: the lease is renewed between two sweeps.
    let looks = published.map(async |sequence| {
        let found = link.tasks.get_raw_message(sequence).await;
        (sequence, found)
    });
    for (sequence, found) in join_all(looks).await {
        match found {
            Ok(_) => {}
            Err(error) if error.kind() == RawMessageErrorKind::NoMessageFound => {
                gone.push(sequence);
            }
            // The server is away.
            Err(_) => return,
        }
    }
    if catch_up(link, shared).await {
        for sequence in gone {
            shared.is_gone(sequence);
        }
    }
}

/// Takes every answer that is there; false when the server does not say.
async fn catch_up(link: &Link, shared: &Shared) -> bool {
    loop {
        let next = link.answers.raw_message_builder();
        let next = next
            .sequence(shared.seen.load(Ordering::Relaxed) + 1)
            .next_by_subject(answers_of(shared));
        match next.send().await {
            Ok(message) => take(shared, message.sequence, &message.subject, &message.payload),
            Err(error) => return error.kind() == RawMessageErrorKind::NoMessageFound,
        }
    }
}

/// Takes back what no worker has been given; false when the server cannot say what that is.
async fn withdraw(link: &Link, shared: &Shared) -> bool {
    let name = consumer_name(&shared.model);
    let given = match link.tasks.consumer_info(&name).await {
        Ok(info) => info.delivered.stream_sequence,
        // Without a consumer there has been no worker.
        Err(error) if error.to_string().contains("not found") => 0,
        Err(_) => return false,
    };
    let waiting = shared.published(Duration::ZERO).into_iter();
    // All at once: workers go on taking what is still there.
    join_all(
        waiting
            .filter(|sequence| *sequence > given)
            .map(async |sequence| {
                if link.tasks.delete_message(sequence).await.is_ok() {
                    shared.withdraw(sequence);
                }
            }),
    )
    .await;
    true
}

/// Removes the tasks of a repository; workers that have one go on, and their acknowledgement means nothing.
pub(super) async fn purge_tasks(link: &Link, shared: &Shared) -> Result<(), QueueError> {
    let subject = format!("merkle.task.*.{}", shared.repository);
    let purged = link.tasks.purge().filter(subject).await;
    purged
        .map(drop)
        .map_err(|error| QueueError::server("take back requests", error))
}

/// Removes the answers that were read; later ones wait for the next run.
pub(super) async fn purge_answers(link: &Link, shared: &Shared) -> Result<(), QueueError> {
    let purge = link.answers.purge().filter(answers_of(shared));
    let seen = shared.seen.load(Ordering::Relaxed);
    let purged = purge.sequence(seen + 1).await;
    purged
        .map(drop)
        .map_err(|error| QueueError::server("remove answers", error))
}
