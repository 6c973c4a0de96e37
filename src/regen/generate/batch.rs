//! Batches in a run: what is ready goes out together, and what comes back is taken like any answer.
//!
//! A run gathers every request that is ready. When nothing else is left to do, they are one level of the tree: files, then the
//! directories whose children are all made. A level that is large enough goes out as batches, a small one at once. Answers
//! that are owed are known by their basis, whichever command requested them, so no run requests one a second time.
//!
//! Sending and collecting are errands: one at a time, and nothing is laid out meanwhile.

use std::time::Duration;

use super::owing::{Awaiting, BatchMode, Errand, Found, POLL_FIRST, Parcel, Place};
use super::work::{Answered, Work};
use crate::base::printable::chain;
use crate::provider::batch::{self, OwedBatch, SentBatch, SubmitError};
use crate::provider::call::CallError;
use crate::provider::ledger::{LedgerError, Spend};
use crate::regen::event::{Event, Stop};
use crate::regen::make::is_again;
use crate::regen::prepare::{Prepared, Question};
use crate::regen::queue::TaskNumber;
use crate::regen::run::RunError;

/// Longest rest of a run that waits for batches, before it looks again.
const POLL_MAX: Duration = Duration::from_mins(1);

impl Work<'_, '_> {
    /// Hands a question on: its answer is there, or owed, or it goes out alone or with others.
    pub(super) fn hand_over(
        &mut self,
        task: TaskNumber,
        question: Box<Question>,
        on_event: &mut dyn FnMut(Event),
    ) {
        let mode = self.owing.batching.mode;
        match self.owing.look(&question.basis) {
            Place::There(found) => self.take_owed(task, question, found, on_event),
            Place::Owed(ticket) => self.await_batch(task, *question, ticket, on_event),
            Place::Nowhere if mode.submits() => self.gather(task, question),
            // It is among what is left.
            Place::Nowhere if mode == BatchMode::Collect => {}
            Place::Nowhere => {
                self.prepared
                    .insert(self.queue.rank(task), (task, question));
            }
        }
    }

    fn await_batch(
        &mut self,
        task: TaskNumber,
        question: Question,
        ticket: String,
        on_event: &mut dyn FnMut(Event),
    ) {
        let path = self.path(task);
        on_event(Event::Awaited { path, ticket });
        self.owing.awaiting.push(Awaiting {
            task,
            basis: question.basis,
            children: question.children,
        });
    }

    /// Takes an answer from results and validates it like any other. It is paid for, so a bad one must not stop the rest.
    fn take_owed(
        &mut self,
        task: TaskNumber,
        question: Box<Question>,
        found: Found,
        on_event: &mut dyn FnMut(Event),
    ) {
        let client = self.owing.client().expect("results are read with a client");
        let caller = self.generator.caller;
        let outcome = match found.line {
            None => Err(CallError::NotRun(found.why)),
            Some(line) => caller.collected(
                &question.request,
                client.outcome(&line, &question.request),
                client.prices(),
            ),
        };
        let called = match &outcome {
            Ok(called) => Some(called),
            Err(CallError::Cut { partial, .. }) => Some(partial.as_ref()),
            Err(_) => None,
        };
        if let Some(called) = called {
            self.owing.collected += Spend {
                calls: 1,
                tokens: called.usage.tokens(),
                nano_dollars: called.nano_dollars,
            };
        }
        let (unusable, unavailable) = (self.unusable, self.unavailable);
        (self.unusable, self.unavailable) = (0, 0);
        self.take_answer(
            Answered {
                task,
                question,
                outcome,
            },
            on_event,
        );
        (self.unusable, self.unavailable) = (unusable, unavailable);
    }

    /// Puts a question into the level that is being gathered.
    fn gather(&mut self, task: TaskNumber, question: Box<Question>) {
        let client = self.owing.client().expect("who sends batches has a client");
        let wave = &mut self.owing.wave;
        let again = is_again(self.tasks[task]);
        let full = wave
            .open
            .part
            .add(client, question.basis, &question.request, again);
        if let Some(part) = full {
            let tasks = std::mem::take(&mut wave.open.tasks);
            wave.full.push(Parcel { part, tasks });
            wave.is_large = true;
        }
        wave.open.tasks.push(Awaiting {
            task,
            basis: question.basis,
            children: question.children.clone(),
        });
        wave.is_large |= wave.open.part.len() >= self.owing.batching.requests_min;
        if wave.is_large {
            wave.questions.clear();
        } else {
            wave.questions.push((task, question));
        }
    }

    /// The first errand: to see what has become of what is owed.
    pub(super) fn start_errands(&mut self) {
        // Those that went to another address of the provider are named by this, too.
        if self.owing.batches.iter().any(|batch| !batch.has_ended()) {
            self.collect(Duration::ZERO);
        }
    }

    /// Sends what is full while the rest of a level is still being gathered.
    pub(super) fn send_full(&mut self, on_event: &mut dyn FnMut(Event)) {
        if let Some(full) = self.owing.wave.full.pop() {
            self.send(full, on_event);
        }
    }

    /// Finds more to do when all else is done: a level is whole, or answers are waited for. False when there is nothing.
    pub(super) fn next_errand(&mut self, on_event: &mut dyn FnMut(Event)) -> bool {
        if self.is_stopping() {
            return false;
        }
        let wave = &mut self.owing.wave;
        if !wave.is_large && !wave.questions.is_empty() {
            let small = std::mem::take(wave).questions;
            for (task, question) in small {
                self.prepared
                    .insert(self.queue.rank(task), (task, question));
            }
            return true;
        }
        if let Some(part) = wave.next() {
            self.send(part, on_event);
            return true;
        }
        wave.is_large = false;
        let waits = self.owing.batching.mode == BatchMode::Wait && !self.owing.awaiting.is_empty();
        if waits && self.owing.is_open() {
            let rest = self.owing.rest;
            self.owing.rest = (rest * 2).min(POLL_MAX);
            self.collect(rest);
            return true;
        }
        false
    }

    /// Looks after what is owed, after a rest that the end of the run cuts short.
    fn collect(&mut self, rest: Duration) {
        let (batching, caller) = (self.owing.batching, self.generator.caller);
        let Some(client) = self.owing.client() else {
            return;
        };
        let mut batches = self.owing.batches.clone();
        let mut stop = self.stopped.subscribe();
        self.errands.push(Box::pin(async move {
            let is_stopped = tokio::select! {
                biased;
                stopped = stop.wait_for(|is_stopped| *is_stopped) => stopped.is_ok(),
                () = tokio::time::sleep(rest) => false,
            };
            let mut problems = Vec::new();
            if !is_stopped {
                let files = &batching.files;
                problems = batch::collect(caller, client, files, &mut batches, false).await;
            }
            Errand::Collected(batches, problems)
        }));
    }

    fn send(&mut self, parcel: Parcel, on_event: &mut dyn FnMut(Event)) {
        let (batching, caller) = (self.owing.batching, self.generator.caller);
        let client = self.owing.client().expect("who sends batches has a client");
        for one in &parcel.tasks {
            on_event(Event::Sent(self.path(one.task)));
        }
        self.errands.push(Box::pin(async move {
            let (files, agent) = (&batching.files, batching.agent.as_str());
            let outcome = batch::submit(caller, client, files, agent, &parcel.part).await;
            Errand::Sent(parcel, Box::new(outcome))
        }));
    }

    /// Takes in what an errand has brought.
    pub(super) fn take_errand(&mut self, errand: Errand, on_event: &mut dyn FnMut(Event)) {
        match errand {
            Errand::Collected(batches, problems) => {
                let ended = |batches: &[OwedBatch]| {
                    batches
                        .iter()
                        .filter(|batch| batch.has_ended() || batch.open.is_empty())
                        .count()
                };
                let is_news = ended(&batches) > ended(&self.owing.batches);
                self.owing.problems = problems;
                if let Err(error) = self.owing.renew(batches) {
                    return self.break_off(error);
                }
                if is_news {
                    self.owing.rest = POLL_FIRST;
                    self.resume(on_event);
                }
            }
            Errand::Sent(parcel, outcome) => self.take_sent(parcel, *outcome, on_event),
        }
    }

    fn take_sent(
        &mut self,
        mut parcel: Parcel,
        outcome: Result<SentBatch, SubmitError>,
        on_event: &mut dyn FnMut(Event),
    ) {
        let provider = &self.generator.caller.name;
        match outcome {
            Ok(SentBatch { batch, problem }) => {
                let number = self.owing.batches.len();
                let ticket = batch.ticket().to_owned();
                self.owing
                    .owed
                    .extend(batch.open.keys().map(|basis| (*basis, number)));
                self.owing.batches.push(batch);
                self.owing.problems.extend(problem.map(|problem| {
                    format!("provider '{provider}': whether a batch was created is not known: {problem}; the next command finds out")
                }));
                for one in parcel.tasks {
                    let (path, ticket) = (self.path(one.task), ticket.clone());
                    on_event(Event::Awaited { path, ticket });
                    self.owing.awaiting.push(one);
                }
            }
            // What is too dear together may fit in part, as requests that go out one by one do.
            Err(SubmitError::Ledger(LedgerError::Exhausted { .. }))
                if parcel.part.len() / 2 >= self.owing.batching.requests_min.max(1) =>
            {
                let part = parcel.part.split();
                let tasks = parcel.tasks.split_off(parcel.part.len());
                let second = Parcel { part, tasks };
                self.owing.wave.full.extend([second, parcel]);
            }
            Err(SubmitError::Ledger(error @ LedgerError::Exhausted { .. })) => {
                self.stop(Stop::Budget(chain(&error)), on_event);
            }
            Err(SubmitError::Io(error)) => self.break_off(RunError::Batches(error)),
            Err(error) => {
                let why = format!("provider '{provider}': {}", chain(&error));
                self.stop(Stop::Provider(why), on_event);
            }
        }
    }

    /// Goes on with what waited for a batch that has ended.
    fn resume(&mut self, on_event: &mut dyn FnMut(Event)) {
        for one in std::mem::take(&mut self.owing.awaiting) {
            if matches!(self.owing.look(&one.basis), Place::Owed(_)) {
                self.owing.awaiting.push(one);
                continue;
            }
            match self.lay_out(one.task, one.basis, one.children) {
                Ok(Prepared::Ask(question)) => self.hand_over(one.task, question, on_event),
                Ok(Prepared::Absent) => {}
                Err(error) => self.fail_all(one.task, one.basis, &chain(&error).into(), on_event),
            }
        }
    }
}
