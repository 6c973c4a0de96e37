//! The connection: what server it is, and the streams and the consumer that both ends find or make.

use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::stream::{self, RetentionPolicy};
use async_nats::jetstream::{self, Context};
use async_nats::{ConnectOptions, ServerAddr};

use super::address::QueueAddress;
use crate::base::Digest;
use crate::provider::api_key::ApiKey;

/// The oldest server on which everything here means what it says.
const VERSION_MIN: (i64, i64, i64) = (2, 10, 0);
const CONNECT_TIME_MAX: Duration = Duration::from_secs(10);
/// How long the server recognises a task that is published a second time, and one that was begun.
const TASK_WINDOW: Duration = Duration::from_mins(2);
const BEGUN_WINDOW: Duration = Duration::from_hours(1);
/// A task of a coordinator that is gone for good is dropped after this, and answers that no run came back for.
const TASK_AGE_MAX: Duration = Duration::from_hours(24);
const ANSWER_AGE_MAX: Duration = Duration::from_hours(24 * 7);
/// Requests that workers may hold at once, all together.
const HELD_MAX: i64 = 100_000;
const MODEL_CONTEXT: &str = "git-merkle 2026 queue model/1";

/// Why a queue cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum QueueError {
    /// No connection: nothing listens, or it does not let us in.
    #[error("cannot connect to '{address}': {reason}")]
    Connect {
        /// Which.
        address: String,
        /// What the client says.
        reason: String,
    },
    /// It is too old.
    #[error("the server at '{address}' is version {version}; a queue needs 2.10 or later")]
    Version {
        /// Which.
        address: String,
        /// What it says it is.
        version: String,
    },
    /// It refuses something, or does not answer.
    #[error("the server cannot {action}: {reason}")]
    Server {
        /// What was wanted.
        action: &'static str,
        /// What the client says.
        reason: String,
    },
    /// Another run coordinates this repository.
    #[error("another run of this repository uses the queue")]
    Busy,
    /// The provider that a worker asks has refused to work at all.
    #[error("{0}")]
    Provider(String),
    /// Such a provider cannot answer for a worker.
    #[error("provider '{0}' is a person, who cannot answer for a worker")]
    Person(String),
}

impl QueueError {
    pub(super) fn server(action: &'static str, error: impl std::fmt::Display) -> Self {
        let reason = error.to_string();
        Self::Server { action, reason }
    }
}

/// A connection with its streams.
#[derive(Clone)]
pub(super) struct Link {
    pub(super) jetstream: Context,
    pub(super) tasks: stream::Stream,
    pub(super) answers: stream::Stream,
    /// The largest message that the server takes.
    pub(super) payload_max: usize,
}

/// Which requests a worker can answer: those that are counted with its model.
pub(super) fn model_token(model: Option<&str>) -> String {
    short(Digest::of(
        MODEL_CONTEXT,
        model.unwrap_or_default().as_bytes(),
    ))
}

pub(super) fn short(digest: Digest) -> String {
    let mut text = digest.to_string();
    text.truncate(16);
    text
}

impl Link {
    /// Connects, and finds or makes the streams.
    pub(super) async fn open(
        address: &QueueAddress,
        key: Option<&ApiKey>,
    ) -> Result<Self, QueueError> {
        let name = address.as_text();
        let refused = |error: &dyn std::fmt::Display| QueueError::Connect {
            address: name.clone(),
            reason: error.to_string(),
        };
        let mut options = ConnectOptions::new()
            .name("git-merkle")
            .require_tls(address.is_tls())
            .ignore_discovered_servers()
            .connection_timeout(CONNECT_TIME_MAX);
        if let Some(key) = key {
            options = match key.reveal().split_once(':') {
                Some((user, word)) => options.user_and_password(user.to_owned(), word.to_owned()),
                None => options.token(key.reveal().to_owned()),
            };
        }
        let server: ServerAddr = name.parse().map_err(|error| refused(&error))?;
        let client = options
            .connect(server)
            .await
            .map_err(|error| refused(&error))?;
        let (major, minor, patch) = VERSION_MIN;
        let info = client.server_info();
        if !client.is_server_compatible(major, minor, patch) {
            return Err(QueueError::Version {
                address: name,
                version: info.version,
            });
        }
        let jetstream = jetstream::new(client);
        Ok(Self {
            tasks: stream(&jetstream, task_stream()).await?,
            answers: stream(&jetstream, answer_stream()).await?,
            payload_max: info.max_payload,
            jetstream,
        })
    }

    /// The consumer that all workers of a model share.
    pub(super) async fn consumer(
        &self,
        model: &str,
        ack_wait: Duration,
    ) -> Result<PullConsumer, QueueError> {
        let name = consumer_name(model);
        let config = pull::Config {
            durable_name: Some(name.clone()),
            ack_policy: AckPolicy::Explicit,
            ack_wait,
            max_ack_pending: HELD_MAX,
            filter_subject: format!("merkle.task.{model}.*"),
            ..pull::Config::default()
        };
        let made = self.tasks.get_or_create_consumer(&name, config).await;
        made.map_err(|error| QueueError::server("make a consumer", error))
    }
}

pub(super) fn consumer_name(model: &str) -> String {
    format!("model-{model}")
}

async fn stream(jetstream: &Context, config: stream::Config) -> Result<stream::Stream, QueueError> {
    let made = jetstream.get_or_create_stream(config).await;
    made.map_err(|error| QueueError::server("make a stream", error))
}

fn task_stream() -> stream::Config {
    stream::Config {
        name: "MERKLE_TASKS".to_owned(),
        subjects: vec!["merkle.task.*.*".to_owned()],
        retention: RetentionPolicy::WorkQueue,
        duplicate_window: TASK_WINDOW,
        max_age: TASK_AGE_MAX,
        ..stream::Config::default()
    }
}

fn answer_stream() -> stream::Config {
    stream::Config {
        name: "MERKLE_ANSWERS".to_owned(),
        subjects: vec!["merkle.answer.*.*".to_owned()],
        duplicate_window: BEGUN_WINDOW,
        max_age: ANSWER_AGE_MAX,
        ..stream::Config::default()
    }
}
