//! What the workers of a queue share: the requests that wait, and what came back for them.

use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use tokio::sync::{oneshot, watch};
use tokio::time::Instant;

use super::codec::{Outcome, TaskAnswer};
use crate::base::{Digest, HashKey, locked};
use crate::provider::transport::ANSWER_BYTES_MAX;

/// What the readers in the background and the requests have in common.
pub(super) struct Shared {
    pub(super) model: String,
    pub(super) repository: String,
    pub(super) claims: HashKey,
    pub(super) waiting: Mutex<Vec<Waiter>>,
    /// Answers that came before their question: a run that was killed had asked.
    pub(super) early: Mutex<Vec<(String, TaskAnswer)>>,
    pub(super) problems: Mutex<Vec<String>>,
    pub(super) number: AtomicU64,
    /// The last answer that was read.
    pub(super) seen: AtomicU64,
    pub(super) halted: watch::Sender<bool>,
}

/// A request whose answer is awaited.
pub(super) struct Waiter {
    number: u64,
    pub(super) id: Digest,
    /// Its place in the stream, once the server has taken it.
    pub(super) sequence: Option<u64>,
    pub(super) since: Instant,
    pub(super) end: oneshot::Sender<Ended>,
}

/// How waiting ends.
pub(super) enum Ended {
    Answered(String, Box<TaskAnswer>),
    Lost,
    /// No worker had begun.
    Withdrawn,
    Broken(String),
}

impl Shared {
    pub(super) fn halted(&self) -> watch::Receiver<bool> {
        self.halted.subscribe()
    }

    pub(super) fn claim(&self, id: &Digest) -> Digest {
        self.claims.digest(&id.0)
    }

    pub(super) fn wait_for(&self, id: Digest) -> (u64, oneshot::Receiver<Ended>) {
        let number = self.number.fetch_add(1, Ordering::Relaxed);
        let (end, ended) = oneshot::channel();
        let mut waiting = locked(&self.waiting);
        waiting.retain(|waiter| !waiter.end.is_closed());
        waiting.push(Waiter {
            number,
            id,
            sequence: None,
            since: Instant::now(),
            end,
        });
        (number, ended)
    }

    pub(super) fn is_published(&self, number: u64, sequence: u64) {
        let mut waiting = locked(&self.waiting);
        let of = waiting.iter_mut().find(|waiter| waiter.number == number);
        if let Some(waiter) = of {
            (waiter.sequence, waiter.since) = (Some(sequence), Instant::now());
        }
    }

    pub(super) fn forget(&self, number: u64) {
        locked(&self.waiting).retain(|waiter| waiter.number != number);
    }

    pub(super) fn take_early(&self, id: &Digest) -> Option<(String, TaskAnswer)> {
        let mut early = locked(&self.early);
        let at = early.iter().position(|(_, answer)| answer.id == *id)?;
        Some(early.swap_remove(at))
    }

    /// Takes an answer from the stream: it goes to who waits for it, is kept for who may ask, or is refused.
    pub(super) fn take(&self, worker: &str, bytes: &[u8]) {
        if bytes.len() > 2 * ANSWER_BYTES_MAX {
            return self.tell(worker, "a message that is too long");
        }
        let Some(answer) = TaskAnswer::decode(bytes) else {
            return self.tell(worker, "a message that is no answer");
        };
        // What was not handed to a worker cannot be answered by it.
        if answer.claim != self.claim(&answer.id) {
            return self.tell(worker, "an answer to a request that it was not given");
        }
        // That it is being worked on is for the next worker to know.
        if answer.outcome == Outcome::Begun {
            return;
        }
        let mut waiting = locked(&self.waiting);
        let same = |waiter: &Waiter| waiter.id == answer.id;
        let exact = |waiter: &Waiter| same(waiter) && waiter.sequence == Some(answer.sequence);
        let is_reply = matches!(answer.outcome, Outcome::Run(Ok(_)));
        let found = waiting
            .iter()
            .position(exact)
            // The answer of an earlier publication is as good; a failure of that one is told already.
            .or_else(|| waiting.iter().position(|waiter| is_reply && same(waiter)))
            // The server may hand a task out before it has told us its number.
            .or_else(|| {
                let is_new = |waiter: &Waiter| same(waiter) && waiter.sequence.is_none();
                waiting.iter().position(is_new)
            });
        match found {
            Some(at) => {
                let waiter = waiting.swap_remove(at);
                let _ = waiter
                    .end
                    .send(Ended::Answered(worker.to_owned(), Box::new(answer)));
            }
            None if is_reply => locked(&self.early).push((worker.to_owned(), answer)),
            None => {}
        }
    }

    pub(super) fn tell(&self, worker: &str, what: &str) {
        let mut problems = locked(&self.problems);
        let text = format!("worker '{worker}' sent {what}: refused");
        if problems.len() < PROBLEMS_MAX && !problems.contains(&text) {
            problems.push(text);
        }
    }

    /// Numbers in the stream of what has been waited for so long.
    pub(super) fn published(&self, for_at_least: Duration) -> Vec<u64> {
        let waiting = locked(&self.waiting);
        let old = waiting
            .iter()
            .filter(|waiter| waiter.since.elapsed() >= for_at_least);
        old.filter_map(|waiter| waiter.sequence).collect()
    }

    /// A task is gone from the stream without an answer.
    pub(super) fn is_gone(&self, sequence: u64) {
        self.end(sequence, Ended::Lost);
    }

    /// A task that no worker has begun is taken back.
    pub(super) fn withdraw(&self, sequence: u64) {
        self.end(sequence, Ended::Withdrawn);
    }

    pub(super) fn end(&self, sequence: u64, ended: Ended) {
        let mut waiting = locked(&self.waiting);
        let of = |waiter: &Waiter| waiter.sequence == Some(sequence);
        if let Some(at) = waiting.iter().position(of) {
            let _ = waiting.swap_remove(at).end.send(ended);
        }
    }

    /// Nothing more can be waited for.
    pub(super) fn break_off(&self, why: &str) {
        self.halted.send_replace(true);
        for waiter in std::mem::take(&mut *locked(&self.waiting)) {
            let _ = waiter.end.send(Ended::Broken(why.to_owned()));
        }
    }
}

/// Most things that are told of workers.
const PROBLEMS_MAX: usize = 100;
