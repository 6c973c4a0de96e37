//! Batches in a run: what is ready goes out together, and what comes back is taken like any answer.
//!
//! A run gathers every request that is ready. When nothing else is left to do, they are one level of the tree: files, then the
//! directories whose children are all made. A level that is large enough goes out as batches, a small one at once. Answers
//! that are owed are known by their basis, whichever command requested them, so no run requests one a second time.
//!
//! Sending and collecting are errands: one at a time, and nothing is laid out meanwhile.

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::time::Duration;

use super::{Answered, Question, Work};
use crate::base::printable::chain;
use crate::base::{AgentId, BasisId};
use crate::frame::Children;
use crate::git::Lock;
use crate::provider::batch::{
    self, BatchClient, BatchFiles, BatchPart, BatchStage, OwedBatch, SentBatch, SubmitError,
};
use crate::provider::call::CallError;
use crate::provider::ledger::{LedgerError, Spend};
use crate::regen::event::{Event, Stop, UnderWay};
use crate::regen::make::is_again;
use crate::regen::prepare::Prepared;
use crate::regen::run::RunError;

/// How long a run that waits for batches rests before it looks again: the first time, and at most.
const POLL_FIRST: Duration = Duration::from_millis(100);
const POLL_MAX: Duration = Duration::from_mins(1);

/// What a run does about batches.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum BatchMode {
    /// Requests go out one by one.
    #[default]
    Live,
    /// Requests go out in batches, and the run ends.
    Submit,
    /// Requests go out in batches, and the run waits for the answers.
    Wait,
    /// Nothing goes out: only answers that are owed are taken.
    Collect,
}

impl BatchMode {
    fn submits(self) -> bool {
        matches!(self, Self::Submit | Self::Wait)
    }
}

/// How a run goes about batches.
pub struct Batching {
    /// What it does.
    pub mode: BatchMode,
    /// A smaller level goes out at once.
    pub requests_min: usize,
    /// Where batches are written down.
    pub files: BatchFiles,
    /// Speaks with the provider; `None` for one that takes no batches.
    pub client: Option<BatchClient>,
    /// Whose frames are made.
    pub agent: AgentId,
}

/// A task whose answer is owed, or is about to be.
struct Awaiting {
    task: u32,
    basis: BasisId,
    children: Children,
}

/// What goes out together, and whose requests these are.
#[derive(Default)]
pub(super) struct Parcel {
    part: BatchPart,
    tasks: Vec<Awaiting>,
}

/// Requests of one level.
#[derive(Default)]
struct Wave {
    open: Parcel,
    /// The questions themselves, as long as the level may turn out to be a small one.
    questions: Vec<(u32, Box<Question>)>,
    /// True once the level is large enough.
    is_large: bool,
    /// What is full, or was too dear together.
    full: Vec<Parcel>,
}

/// An errand that is done.
pub(super) enum Errand {
    Collected(Vec<OwedBatch>, Vec<String>),
    Sent(Parcel, Box<Result<SentBatch, SubmitError>>),
}

/// Where the answer of a basis is.
enum Place {
    Nowhere,
    /// In a batch that has not ended, or that another provider has: its ticket.
    Owed(String),
    There(Found),
}

/// What results that are here say: a line, or why there is none.
struct Found {
    line: Option<Vec<u8>>,
    why: String,
}

/// What a run knows of batches.
pub(super) struct Owing<'g> {
    batching: &'g Batching,
    /// Held from the first look to the end; `None` where nothing is owed, or another process works on it.
    lock: Option<Lock>,
    batches: Vec<OwedBatch>,
    /// Numbers of batches that a file is to be written for.
    changed: HashSet<usize>,
    owed: HashMap<BasisId, usize>,
    results: HashMap<usize, Vec<u8>>,
    lines: HashMap<BasisId, Range<usize>>,
    wave: Wave,
    awaiting: Vec<Awaiting>,
    problems: Vec<String>,
    collected: Spend,
    rest: Duration,
}

impl Batching {
    /// What is owed, for whichever agent and by whichever provider.
    #[must_use]
    pub fn owed(&self) -> HashSet<BasisId> {
        let batches = self.files.list().unwrap_or_default();
        batches
            .into_iter()
            .flat_map(|batch| batch.open.into_keys())
            .collect()
    }
}

impl<'g> Owing<'g> {
    /// Reads what is owed. A run that sends batches needs to be the only one that does; another one leaves them alone.
    pub(super) fn open(batching: &'g Batching) -> Result<Self, RunError> {
        let submits = batching.mode.submits();
        let batches = match batching.files.list() {
            // A folder that is not ours is named where something is to be written there, and by 'doctor'.
            Err(_) if !submits => Vec::new(),
            listed => listed.map_err(RunError::Batches)?,
        };
        let mut owing = Self {
            batching,
            lock: None,
            batches,
            changed: HashSet::new(),
            owed: HashMap::new(),
            results: HashMap::new(),
            lines: HashMap::new(),
            wave: Wave::default(),
            awaiting: Vec::new(),
            problems: Vec::new(),
            collected: Spend::default(),
            rest: POLL_FIRST,
        };
        if submits || !owing.batches.is_empty() {
            owing.lock = batching.files.lock().map_err(RunError::Batches)?;
            if owing.lock.is_none() && submits {
                return Err(RunError::BatchesBusy);
            }
            // What another process did until now is on the disk.
            owing.batches = batching.files.list().map_err(RunError::Batches)?;
        }
        owing.read();
        Ok(owing)
    }

    /// Takes over what is known of batches now.
    fn renew(&mut self, batches: Vec<OwedBatch>) -> Result<(), RunError> {
        self.batches = batches;
        self.write()?;
        self.batches.retain(|batch| !batch.open.is_empty());
        self.read();
        Ok(())
    }

    /// Writes down what was taken.
    fn write(&mut self) -> Result<(), RunError> {
        for number in std::mem::take(&mut self.changed) {
            let batch = &self.batches[number];
            self.batching.files.save(batch).map_err(RunError::Batches)?;
        }
        Ok(())
    }

    fn client(&self) -> Option<&'g BatchClient> {
        self.batching
            .client
            .as_ref()
            .filter(|_| self.lock.is_some())
    }

    /// Puts together which basis is owed by which batch, and where its line is.
    fn read(&mut self) {
        self.owed.clear();
        self.lines.clear();
        self.results.clear();
        let client = self.client();
        for (number, batch) in self.batches.iter().enumerate() {
            self.owed
                .extend(batch.open.keys().map(|basis| (*basis, number)));
            let is_here = batch.has_ended() && client.is_some_and(|client| client.is_of(batch));
            let Some(results) = is_here
                .then(|| self.batching.files.results(batch))
                .flatten()
            else {
                continue;
            };
            if let Ok((lines, _)) =
                BatchClient::lines(&results, |basis| batch.open.contains_key(basis))
            {
                self.lines.extend(lines);
            }
            self.results.insert(number, results);
        }
    }

    fn look(&self, basis: &BasisId) -> Place {
        let Some(number) = self.owed.get(basis) else {
            return Place::Nowhere;
        };
        let batch = &self.batches[*number];
        match &batch.stage {
            // Results that are damaged are no sign that nothing was run: what was paid for is not sent again by itself.
            BatchStage::Ended(why)
                if self.results.contains_key(number)
                    && self.client().is_some_and(|client| client.is_of(batch)) =>
            {
                let line = self.lines.get(basis).zip(self.results.get(number));
                Place::There(Found {
                    line: line.map(|(range, results)| results[range.clone()].to_vec()),
                    why: why.clone(),
                })
            }
            _ => Place::Owed(batch.ticket().to_owned()),
        }
    }

    /// An answer was taken: it is on the disk as a frame, or its failure is said.
    pub(super) fn take(&mut self, basis: &BasisId) {
        if self.lock.is_some()
            && let Some(number) = self.owed.remove(basis)
        {
            self.batches[number].open.remove(basis);
            self.changed.insert(number);
        }
    }

    /// Writes down what was taken, at the end.
    ///
    /// An answer that a killed run had taken has its frame in the store by now: it is not wanted any more either.
    pub(super) fn close(&mut self, is_stored: impl Fn(&BasisId) -> bool) -> Result<(), RunError> {
        if self.lock.is_none() {
            return Ok(());
        }
        for (number, batch) in self.batches.iter_mut().enumerate() {
            let before = batch.open.len();
            if batch.has_ended() {
                batch
                    .open
                    .retain(|basis, owed| owed.is_again || !is_stored(basis));
            }
            if before > batch.open.len() {
                self.changed.insert(number);
            }
        }
        self.write()
    }

    /// What is still owed, batch by batch.
    pub(super) fn under_way(&self) -> Vec<UnderWay> {
        UnderWay::of(&self.batches)
    }

    pub(super) fn collected(&self) -> Spend {
        self.collected
    }

    pub(super) fn take_problems(&mut self) -> Vec<String> {
        std::mem::take(&mut self.problems)
    }

    /// Tasks whose answers are owed, with the tickets.
    pub(super) fn awaited(&self) -> Vec<(u32, String)> {
        let ticket = |one: &Awaiting| match self.look(&one.basis) {
            Place::Owed(ticket) => Some((one.task, ticket)),
            Place::Nowhere | Place::There(_) => None,
        };
        self.awaiting.iter().filter_map(ticket).collect()
    }

    /// True when something may have come to its end since.
    fn is_open(&self) -> bool {
        let client = self.client();
        let is_open = |batch: &&OwedBatch| !batch.has_ended();
        self.batches
            .iter()
            .filter(is_open)
            .any(|batch| client.is_some_and(|client| client.is_of(batch)))
    }

    /// True for what is left alone by a run that only collects.
    pub(super) fn skips(&self, basis: &BasisId) -> bool {
        self.batching.mode == BatchMode::Collect && !self.owed.contains_key(basis)
    }
}

impl Wave {
    /// What goes out next; `None` where the level is done.
    fn next(&mut self) -> Option<Parcel> {
        let is_open = !self.open.part.is_empty();
        let open = || is_open.then(|| std::mem::take(&mut self.open));
        self.full.pop().or_else(open)
    }
}

impl Work<'_, '_> {
    /// Hands a question on: its answer is there, or owed, or it goes out alone or with others.
    pub(super) fn hand_over(
        &mut self,
        task: u32,
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
        task: u32,
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

    /// Takes an answer from results. What it is worth is found out as for any other; that it is paid for already, no run of
    /// bad answers may keep the others from being taken.
    fn take_owed(
        &mut self,
        task: u32,
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
                tokens: called.usage.input.saturating_add(called.usage.output),
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
    fn gather(&mut self, task: u32, question: Box<Question>) {
        let client = self.owing.client().expect("who sends batches has a client");
        let wave = &mut self.owing.wave;
        let again = is_again(self.tasks[task as usize]);
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
