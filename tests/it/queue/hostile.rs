//! Workers that lie: what they send is refused, and they are named.

use std::collections::BTreeMap;
use std::time::Duration;

use async_nats::jetstream::consumer::{AckPolicy, PullConsumer, pull};
use async_nats::jetstream::{self, Context, Message};
use futures_util::StreamExt as _;
use serde_json::{Value, json};

use super::{Crew, Nats, coordinator, world};
use crate::generate::World;
use crate::support::Output;
use crate::support::loopback::Loopback;

/// A task as a worker sees it.
struct Seen {
    message: Message,
    document: Value,
    sequence: u64,
}

impl Seen {
    fn of(message: Message) -> Self {
        Self {
            document: serde_json::from_slice(&message.payload).expect("a task is JSON"),
            sequence: message.info().expect("from a stream").stream_sequence,
            message,
        }
    }

    /// An answer to this task with these words.
    fn answer(&self, text: &str) -> Value {
        json!({
            "format": "git-merkle/answer/1",
            "id": self.document["id"],
            "claim": self.document["claim"],
            "sequence": self.sequence,
            "outcome": { "reply": { "text": text, "model": "m", "usage": null } },
        })
    }
}

/// Gets hold of two tasks before any other worker, publishes what it makes of the first, and acknowledges that one.
async fn lie(address: &str, make: impl Fn(&Seen, &Seen) -> Vec<u8>) {
    let client = async_nats::connect(address).await.expect("it listens");
    let jetstream: Context = jetstream::new(client);
    let stream = loop {
        match jetstream.get_stream("MERKLE_TASKS").await {
            Ok(stream) => break stream,
            Err(_) => tokio::time::sleep(Duration::from_millis(20)).await,
        }
    };
    let config = pull::Config {
        durable_name: Some("evil".to_owned()),
        ack_policy: AckPolicy::Explicit,
        filter_subject: "merkle.task.*.*".to_owned(),
        ..pull::Config::default()
    };
    let consumer: PullConsumer = stream.create_consumer(config).await.expect("a consumer");
    let mut seen = Vec::new();
    while seen.len() < 2 {
        let batch = consumer.batch().max_messages(1);
        let mut batch = batch
            .expires(Duration::from_secs(5))
            .messages()
            .await
            .expect("asked");
        while let Some(Ok(message)) = batch.next().await {
            seen.push(Seen::of(message));
        }
    }
    let repository = seen[0].message.subject.rsplit('.').next().expect("a token");
    let subject = format!("merkle.answer.{repository}.evil");
    let bytes = make(&seen[0], &seen[1]);
    let taken = jetstream.publish(subject, bytes.into()).await;
    taken.expect("sent").await.expect("stored");
    seen[0].message.double_ack().await.expect("acknowledged");
    stream.delete_consumer("evil").await.expect("deleted");
}

/// A run with one worker that lies about the first request, and one that is honest about all others.
fn run(
    nats: &Nats,
    world: &World,
    make: impl Fn(&Seen, &Seen) -> Vec<u8> + Send,
) -> (Output, usize) {
    let repo = world.repo("commit one\n+ a.md = # A\n+ b.md = # B");
    let address = nats.address();
    let output = std::thread::scope(|scope| {
        let running = scope.spawn(|| coordinator(&repo, Some(nats), &[]).run());
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(lie(&address, make));
        let _crew = Crew::of(world, nats, 1);
        running.join().expect("it ends")
    });
    repo.merkle(&["validate"]).ok();
    (output, world.server.posts().len())
}

fn bytes(answer: &Value) -> Vec<u8> {
    answer.to_string().into_bytes()
}

#[test]
fn what_was_not_given_to_a_worker_is_not_taken_from_it() {
    type Lie = fn(&Seen, &Seen) -> Vec<u8>;
    let not_given = "worker 'evil' sent an answer to a request that it was not given: refused";
    let lies: BTreeMap<&str, (Lie, &str)> = [
        (
            "another digest",
            (
                (|mine, _| {
                    let mut answer = mine.answer("a lie");
                    answer["id"] = json!("0".repeat(64));
                    bytes(&answer)
                }) as Lie,
                not_given,
            ),
        ),
        (
            "the task of another",
            (
                |mine, other| {
                    let mut answer = mine.answer("a lie");
                    answer["id"] = other.document["id"].clone();
                    bytes(&answer)
                },
                not_given,
            ),
        ),
        (
            "no answer",
            (
                |_, _| b"\x1b[31m{".to_vec(),
                "worker 'evil' sent a message that is no answer: refused",
            ),
        ),
    ]
    .into();
    for (about, (make, words)) in lies {
        let world = world(Loopback::answering(|_| "the truth".to_owned()));
        let Some(nats) = Nats::start(&world) else {
            return;
        };
        let (output, posts) = run(&nats, &world, make);
        assert_eq!(output.code, Some(0), "{about}: {output}");
        assert!(output.err().contains(words), "{about}: {output}");
        assert!(output.out().contains("made 3 frames"), "{about}: {output}");
        assert_eq!(posts, 3, "{about}: the task that is gone is sent again");
    }
}

#[test]
fn what_a_worker_says_of_its_own_task_is_judged() {
    type Lie = fn(&Seen, &Seen) -> Vec<u8>;
    let lies: [(Lie, &str); 3] = [
        (
            |mine, _| {
                let key = ["AKIA", "IOSFODNN7", "EXAMPLQ"].concat();
                bytes(&mine.answer(&format!("the key is {key}")))
            },
            "worker 'evil': the answer holds what looks like a secret",
        ),
        (
            |mine, _| bytes(&mine.answer(&"long words ".repeat(60_000))),
            "worker 'evil': the answer is longer than what was wanted",
        ),
        (
            |mine, _| bytes(&mine.answer(" \n")),
            "worker 'evil': the answer is empty",
        ),
    ];
    for (make, words) in lies {
        let world = world(Loopback::answering(|_| "the truth".to_owned()));
        let Some(nats) = Nats::start(&world) else {
            return;
        };
        let (output, posts) = run(&nats, &world, make);
        assert_ne!(output.code, Some(0), "{output}");
        assert!(output.err().contains(words), "{output}");
        assert!(output.out().contains("made 1 frame "), "{output}");
        assert_eq!(posts, 1, "the directory waits for both files");
    }
}
