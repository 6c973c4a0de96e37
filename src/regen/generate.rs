//! The run with a model: one queue, a limited number of calls at once, every answer on the disk before anything is built on it.
//!
//! One thread dispatches. It prepares a few requests ahead, starts calls while there are free slots, and takes what
//! comes back: an answer becomes a frame in the spool (on another thread, flushed), then what its directory waits for.
//! Batches go into the store every two seconds or 256 frames. The head of a node is replaced by a success only; a
//! failure holds back the directories above and nothing else.

use std::collections::{BTreeMap, HashMap};
use std::pin::Pin;
use std::time::Duration;

use batch::{Errand, Owing};
use futures_util::StreamExt as _;
use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};
use tokio::time::{Instant, MissedTickBehavior, interval_at};

use super::body::NodeError;
use super::event::{Cause, Event, Report, Stop};
use super::make::{Authorship, ChildBodies, FrameContext, FrameDraft, is_again};
use super::plan::{Inputs, Plan, PlannedNode};
use super::prepare::{MadeFrom, Nodes, Prepared, Question, Writer};
use super::queue::{Priority, Queue, Rank};
use super::refused::{self, Kept, RefusedAnswers};
use super::run::RunError;
use super::signals;
use super::warm::Warmth;
use crate::base::count::counted;
use crate::base::printable::chain;
use crate::base::{BasisId, TreePath, runtime};
use crate::chat::Usage;
use crate::frame::commit::{Committed, LOCK_WAIT};
use crate::frame::{Children, Frame, Index, NewFrame, commit};
use crate::git::{Repository, StateDir};
use crate::node::Scan;
use crate::provider::ProviderError;
use crate::provider::call::{CallError, Called, Caller, Tally};
use crate::provider::ledger::Spend;
use crate::synthesis::Reason;

mod batch;
mod take;

pub use batch::{BatchMode, Batching};

/// Longest time that a finished frame waits in the spool for its batch, and most frames that wait.
const BATCH_PAUSE_MAX: Duration = Duration::from_secs(2);
const BATCH_FRAMES_MAX: usize = 256;
/// Tasks that are laid out in one go, at most.
const TURNS_MAX: usize = 256;
/// Calls in a row that found the provider unavailable, after which it is left alone.
const UNAVAILABLE_MAX: u32 = 3;

/// Answers in a row that were paid for and could not be used, after which the run sends no further request.
const UNUSABLE_MAX: u32 = 10;

/// How often a question is laid out anew because the model says that it is too long.
const REFITS_MAX: u32 = 2;

/// How a run goes about it.
#[derive(Debug, Clone, Copy)]
pub struct Pace {
    /// Calls at once.
    pub concurrency: usize,
    /// The first failure ends the run.
    pub fail_fast: bool,
    /// How urgent the nodes are for their own sake; `None` to tell by their reasons.
    pub priority: Option<Priority>,
}

/// Everything that a run with a model works with.
pub struct Generator<'g> {
    /// Where objects are read and written.
    pub repo: &'g Repository,
    /// Where this machine keeps its state.
    pub state: &'g StateDir,
    /// What was scanned.
    pub scan: &'g Scan,
    /// Whose frames are made.
    pub inputs: &'g Inputs<'g>,
    /// The request.
    pub writer: &'g Writer<'g>,
    /// The provider.
    pub caller: &'g Caller,
    /// How many at once, and what ends it.
    pub pace: Pace,
    /// What goes out in batches, and what is owed by them.
    pub batching: &'g Batching,
}

/// A request to end the run; after a second one, calls in flight are given up as well.
pub type Signals = mpsc::UnboundedReceiver<Stop>;

/// A call that has ended.
struct Answered {
    task: u32,
    question: Box<Question>,
    outcome: Result<Called, CallError>,
}

/// A write that has ended.
enum Written {
    Spooled {
        task: u32,
        basis: BasisId,
        frame: Box<Frame>,
        file: std::io::Result<String>,
    },
    Committed {
        committed: Result<Committed, RunError>,
        files: Vec<String>,
    },
}

type Running<'g, T> = FuturesUnordered<Pin<Box<dyn Future<Output = T> + 'g>>>;

/// What changes while a run goes on.
struct Work<'g, 'i> {
    generator: &'g Generator<'g>,
    /// The requests, with what was learned of the model's limits on the way.
    writer: Writer<'g>,
    refused: RefusedAnswers,
    /// What the caller had taken before this run.
    before: Tally,
    plan: Plan,
    tasks: Vec<PlannedNode>,
    index: &'i mut Index,
    queue: Queue,
    said: ChildBodies,
    report: Report,
    /// Requests that wait for a slot, the most urgent last.
    prepared: BTreeMap<Rank, (u32, Box<Question>)>,
    /// Calls that did not fit into the budget while others were in flight.
    parked: Vec<(u32, Box<Question>)>,
    calls: Running<'g, Answered>,
    writes: Running<'g, Written>,
    /// Batches, and what is being done about them; nothing else is begun meanwhile.
    owing: Owing<'g>,
    errands: Running<'g, Errand>,
    /// Who waits for the answer of a basis that a request is out for, and what was said of one in this run.
    waiters: HashMap<BasisId, Vec<u32>>,
    answers: HashMap<BasisId, (String, Authorship)>,
    batch: Vec<NewFrame>,
    batch_files: Vec<String>,
    is_committing: bool,
    /// Why nothing can be stored or spooled any more. What is in flight is still waited for and spooled, if that works.
    failure: Option<RunError>,
    /// What the answers so far have taken.
    answered: Spend,
    /// Calls in a row that found the provider unavailable, and answers in a row that could not be used.
    unavailable: u32,
    unusable: u32,
    warmth: Warmth,
    retries: mpsc::UnboundedSender<Event>,
    /// Tells calls that wait for their turn that it will not come.
    stopped: watch::Sender<bool>,
}

impl Generator<'_> {
    /// Does everything that the plan names, and stores it. The index is brought forward with the store.
    pub async fn run(
        &self,
        plan: Plan,
        index: &mut Index,
        signals: &mut Signals,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Report, RunError> {
        let (retries, mut retried) = mpsc::unbounded_channel();
        let (warmth, mut begun) =
            Warmth::new(&self.writer.instructions.system, &self.writer.capabilities);
        let mut work = Work::new(self, plan, index, retries, warmth)?;
        if !work.tasks.is_empty() {
            self.caller.open().await.map_err(RunError::Queue)?;
        }
        work.start_errands();
        let mut ticks = interval_at(Instant::now() + BATCH_PAUSE_MAX, BATCH_PAUSE_MAX);
        ticks.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            let has_more = work.dispatch(on_event);
            if work.is_idle() && !has_more {
                work.start_commit();
                if work.writes.is_empty() {
                    if work.next_errand(on_event) {
                        continue;
                    }
                    break;
                }
            }
            tokio::select! {
                () = tokio::task::yield_now(), if has_more => {}
                Some(errand) = work.errands.next() => work.take_errand(errand, on_event),
                Some(answered) = work.calls.next() => work.take_answer(answered, on_event),
                Some(written) = work.writes.next() => work.take_write(written, on_event),
                Some(()) = begun.recv() => work.warmth.warm(),
                Some(event) = retried.recv() => {
                    work.report.retries += 1;
                    on_event(event);
                }
                Some(stop) = signals.recv() => work.interrupt(stop, on_event),
                _ = ticks.tick() => work.start_commit(),
            }
        }
        while let Ok(event) = retried.try_recv() {
            work.report.retries += 1;
            on_event(event);
        }
        let mut report = work.finish();
        // The lease of a queue is given back whatever became of the run.
        let problems = self.caller.close().await;
        if let Ok(report) = &mut report {
            report.queue_problems = problems;
        }
        report
    }
}

impl<'g, 'i> Work<'g, 'i> {
    fn new(
        generator: &'g Generator<'g>,
        plan: Plan,
        index: &'i mut Index,
        retries: mpsc::UnboundedSender<Event>,
        warmth: Warmth,
    ) -> Result<Self, RunError> {
        let scan = generator.scan;
        let tasks = plan.tasks.clone();
        let mut task_of = vec![u32::MAX; scan.len()];
        for (number, task) in tasks.iter().enumerate() {
            task_of[task.node as usize] = number as u32;
        }
        let priorities: Vec<Priority> = tasks
            .iter()
            .map(|task| generator.pace.priority.unwrap_or(priority(task.reason)))
            .collect();
        let queue = Queue::new(&priorities, |task| {
            let children = scan
                .entries(tasks[task as usize].node)
                .filter_map(|entry| entry.node);
            let mut children: Vec<u32> = children
                .map(|child| task_of[child as usize])
                .filter(|child| *child != u32::MAX)
                .collect();
            children.sort_unstable();
            children.dedup();
            children
        });
        Ok(Self {
            said: ChildBodies::new(scan, &tasks),
            report: Report {
                fresh: plan.fresh,
                ..Report::default()
            },
            writer: generator.writer.clone(),
            refused: RefusedAnswers::of(generator.state),
            before: generator.caller.learned().tally,
            generator,
            plan,
            tasks,
            index,
            queue,
            prepared: BTreeMap::new(),
            parked: Vec::new(),
            calls: FuturesUnordered::new(),
            writes: FuturesUnordered::new(),
            owing: Owing::open(generator.batching)?,
            errands: FuturesUnordered::new(),
            waiters: HashMap::new(),
            answers: HashMap::new(),
            batch: Vec::new(),
            batch_files: Vec::new(),
            is_committing: false,
            failure: None,
            answered: Spend::default(),
            unavailable: 0,
            unusable: 0,
            warmth,
            retries,
            stopped: watch::Sender::new(false),
        })
    }

    fn is_stopping(&self) -> bool {
        self.report.stop.is_some() || self.failure.is_some()
    }

    fn is_idle(&self) -> bool {
        self.calls.is_empty() && self.writes.is_empty() && self.errands.is_empty()
    }

    /// Starts calls while there are slots, and prepares as many requests again for when slots become free.
    ///
    /// True when there is more to do at once: what comes in, and signals, have their turn in between.
    fn dispatch(&mut self, on_event: &mut dyn FnMut(Event)) -> bool {
        let mut turns = 0..TURNS_MAX;
        let slots = self.warmth.slots(self.generator.pace.concurrency.max(1));
        // While a call does not fit into the budget, none is begun that would take what is left from under it.
        while !self.is_stopping() && self.parked.is_empty() && self.errands.is_empty() {
            if self.writes.len() >= BATCH_FRAMES_MAX {
                return false;
            }
            if turns.next().is_none() {
                return true;
            }
            self.send_full(on_event);
            let is_next_prepared = match (self.prepared.last_key_value(), self.queue.peek()) {
                (Some((prepared, _)), Some(ready)) => *prepared > ready,
                (prepared, None) => prepared.is_some(),
                (None, Some(_)) => false,
            };
            if self.calls.len() < slots && is_next_prepared {
                let (_, (task, question)) = self.prepared.pop_last().expect("looked at above");
                self.start_call(task, question, on_event);
            } else if self.prepared.len() < slots || (self.calls.len() < slots && !is_next_prepared)
            {
                let Some(task) = self.queue.pop() else {
                    return false;
                };
                self.prepare(task, on_event);
            } else {
                return false;
            }
        }
        false
    }

    /// Finds out what a task needs: nothing, what was said before, or an answer.
    fn prepare(&mut self, number: u32, on_event: &mut dyn FnMut(Event)) {
        let task = self.tasks[number as usize];
        let Generator { scan, inputs, .. } = *self.generator;
        let is_directory = scan.node(task.node).is_directory;
        let basis = if is_directory {
            self.plan.directory_basis(scan, task.node)
        } else {
            self.plan.file_basis(scan, inputs, task.node)
        };
        let is_open = matches!(task.reason, Reason::Waiting | Reason::Children);
        if is_open && self.plan.heads[task.node as usize].is_some_and(|head| head.basis == basis) {
            self.report.kept += 1;
            on_event(Event::Kept(self.path(number)));
            return self.done(number, on_event);
        }
        let children = self.children(task.node);
        if let Some(saying) = self.find_said(task, basis, &children) {
            return self.attach(number, saying, on_event);
        }
        if let Some(waiting) = self.waiters.get_mut(&basis) {
            return waiting.push(number);
        }
        if self.owing.skips(&basis) {
            return;
        }
        match self.lay_out(number, basis, children) {
            Ok(Prepared::Ask(question)) => match self.find_refused(task, &question) {
                Some(cause) => self.fail(number, cause, on_event),
                None => {
                    self.waiters.insert(basis, Vec::new());
                    self.hand_over(number, question, on_event);
                }
            },
            Ok(Prepared::Absent) => {
                let path = self.path(number);
                on_event(Event::Absent(path.clone()));
                self.report.absent.push(path);
                self.done(number, on_event);
            }
            Err(error) if error.is_unreadable() => {
                // The requests about the directories above go out without it: they say that nothing is known of this one.
                self.book_failure(number, chain(&error).into(), on_event);
                self.done(number, on_event);
            }
            Err(error) => self.fail(number, chain(&error).into(), on_event),
        }
    }

    /// Lays out the question of a task with what is known of the model now.
    fn lay_out(
        &mut self,
        number: u32,
        basis: BasisId,
        children: Children,
    ) -> Result<Prepared, NodeError> {
        let Generator {
            repo, scan, inputs, ..
        } = *self.generator;
        let node = self.tasks[number as usize].node;
        let (said, plan) = (&self.said, &self.plan);
        self.writer.prepare(
            Nodes { repo, scan, inputs },
            node,
            MadeFrom { basis, children },
            &mut |child| said.of(repo, plan, child),
        )
    }

    /// Why the answer to the same request was of no use before, if there was one; a forced node is requested again.
    fn find_refused(&self, task: PlannedNode, question: &Question) -> Option<Cause> {
        if is_again(task) {
            return None;
        }
        let Kept { file, reason, .. } = self.refused.find(&refused::key(
            &question.request,
            &self.generator.caller.name,
        ))?;
        Some(Cause {
            reason: format!("{reason} (in an earlier run; --force sends the request again)"),
            kept: Some(file),
        })
    }

    /// Keeps an answer that was paid for and is no frame.
    fn keep(&self, number: u32, question: &Question, reason: String, text: &str) -> Cause {
        let provider = &self.generator.caller.name;
        let (key, path) = (refused::key(&question.request, provider), self.path(number));
        let answer = refused::Answer {
            path: &path,
            provider,
            reason: &reason,
            text: &self.writer.clean(text),
        };
        match self.refused.keep(&key, &answer) {
            Ok(file) => Cause {
                reason,
                kept: Some(file),
            },
            Err(error) => format!("{reason}; the answer cannot be kept: {error}").into(),
        }
    }

    /// Lays a question out anew when more is known of the model's limits than when it was laid out; `None` when not.
    fn refit(&mut self, number: u32, question: &Question) -> Option<Result<Prepared, NodeError>> {
        self.writer.learn(&self.generator.caller.learned());
        if question.fitted_to == self.writer.known() || question.refits >= REFITS_MAX {
            return None;
        }
        let laid_out = self.lay_out(number, question.basis, question.children.clone());
        Some(laid_out.map(|prepared| match prepared {
            Prepared::Ask(new) => Prepared::Ask(Box::new(Question {
                refits: question.refits + 1,
                ..*new
            })),
            Prepared::Absent => Prepared::Absent,
        }))
    }

    fn children(&self, node: u32) -> Children {
        let children = self
            .generator
            .scan
            .entries(node)
            .filter_map(|entry| entry.node);
        Children::of(
            children
                .filter_map(|child| Some(self.plan.content_of(child)?.1))
                .collect(),
        )
    }

    /// What was said from the same basis: earlier in this run, or in the store.
    fn find_said(
        &self,
        task: PlannedNode,
        basis: BasisId,
        children: &Children,
    ) -> Option<FrameDraft> {
        if let Some((content, spoken)) = self.answers.get(&basis) {
            let spoken = Authorship {
                usage: None,
                cost: None,
                ..spoken.clone()
            };
            return Some(FrameDraft {
                basis,
                children: children.clone(),
                content: content.clone(),
                spoken: Some(spoken),
                is_reused: true,
            });
        }
        self.frame_context()
            .reuse(self.generator.repo, task, basis, children)
    }

    fn frame_context(&self) -> FrameContext<'_> {
        let Generator {
            repo, scan, inputs, ..
        } = *self.generator;
        FrameContext {
            scan,
            inputs,
            hash: repo.hash_kind(),
            plan: &self.plan,
            index: &*self.index,
            writer: Some(&self.writer),
        }
    }

    fn path(&self, number: u32) -> TreePath {
        self.generator
            .scan
            .path(self.generator.inputs.root, self.tasks[number as usize].node)
    }

    fn start_call(
        &mut self,
        task: u32,
        mut question: Box<Question>,
        on_event: &mut dyn FnMut(Event),
    ) {
        match self.refit(task, &question) {
            Some(Ok(Prepared::Ask(new))) => question = new,
            Some(Err(error)) => {
                return self.fail_all(task, question.basis, &chain(&error).into(), on_event);
            }
            Some(Ok(Prepared::Absent)) | None => {}
        }
        let path = self.path(task);
        on_event(Event::Sent(path.clone()));
        let (caller, retries, mut stop) = (
            self.generator.caller,
            self.retries.clone(),
            self.stopped.subscribe(),
        );
        let mut begun = self.warmth.begun();
        self.calls.push(Box::pin(async move {
            let mut on_retry = |error: &ProviderError, pause: Duration| {
                // The receiver is dropped only after the run has ended.
                let _ = retries.send(Event::Retried {
                    path: path.clone(),
                    reason: error.to_string(),
                    pause,
                });
            };
            let mut on_text = |_: &str| begun.tell();
            let outcome = caller
                .call(&question.request, &mut on_text, &mut on_retry, &mut stop)
                .await;
            Answered {
                task,
                question,
                outcome,
            }
        }));
    }

    fn done(&mut self, number: u32, on_event: &mut dyn FnMut(Event)) {
        self.said
            .release(self.generator.scan, self.tasks[number as usize].node);
        self.queue.done(number);
        self.progress(on_event);
    }

    fn fail(&mut self, number: u32, cause: Cause, on_event: &mut dyn FnMut(Event)) {
        self.book_failure(number, cause, on_event);
        self.report.held_back += self.queue.fail(number);
        self.progress(on_event);
    }

    fn book_failure(&mut self, number: u32, cause: Cause, on_event: &mut dyn FnMut(Event)) {
        let path = self.path(number);
        on_event(Event::Failed {
            path: path.clone(),
            reason: cause.to_string(),
        });
        self.report.failed.push((path, cause));
        if self.generator.pace.fail_fast {
            self.stop(Stop::FailFast, on_event);
        }
    }

    fn progress(&self, on_event: &mut dyn FnMut(Event)) {
        let total = self.tasks.len();
        let done = (total - self.queue.left()) as u64;
        on_event(Event::Progress {
            done,
            total: total as u64,
            spent: self.answered,
        });
    }

    /// Sends nothing new any more. What is in flight is paid for, so it is waited for and stored.
    fn stop(&mut self, stop: Stop, on_event: &mut dyn FnMut(Event)) {
        if self.report.stop.is_none() {
            on_event(Event::Stopping(stop.clone()));
            self.report.stop = Some(stop);
            self.stopped.send_replace(true);
            self.generator.caller.halt();
        }
    }

    fn interrupt(&mut self, stop: Stop, on_event: &mut dyn FnMut(Event)) {
        if matches!(self.report.stop, Some(Stop::Interrupted | Stop::Terminated)) {
            self.calls.clear();
            self.errands.clear();
        }
        self.report.stop = None;
        self.stop(stop, on_event);
    }

    /// Brings what waits into the store, on another thread, one batch at a time.
    fn start_commit(&mut self) {
        let is_hopeless = matches!(self.failure, Some(RunError::Commit(_)));
        if self.batch.is_empty() || self.is_committing || is_hopeless {
            return;
        }
        self.is_committing = true;
        let (frames, files) = (
            std::mem::take(&mut self.batch),
            std::mem::take(&mut self.batch_files),
        );
        let (repo, state) = (self.generator.repo.fork(), self.generator.state.clone());
        let message = format!(
            "{}: {}",
            self.generator.inputs.agent.id,
            counted(frames.len() as u64, "frame", "frames")
        );
        let write = tokio::task::spawn_blocking(move || {
            commit(&repo, &state, &frames, &message, LOCK_WAIT)
        });
        self.writes.push(Box::pin(async move {
            let committed = write
                .await
                .expect("storing does not panic")
                .map_err(RunError::from);
            Written::Committed { committed, files }
        }));
    }

    fn finish(mut self) -> Result<Report, RunError> {
        let index = &*self.index;
        let closed = self.owing.close(|basis| index.find_basis(basis).is_some());
        if let Some(failure) = self.failure {
            return Err(failure);
        }
        closed?;
        for (task, ticket) in self.owing.awaited() {
            let awaited = (self.path(task), ticket);
            self.report.awaited.push(awaited);
        }
        self.report.batches = self.owing.under_way();
        self.report.batch_problems = self.owing.take_problems();
        self.report.left = self.queue.left() as u64;
        let learned = self.generator.caller.learned();
        self.report.usage = since(learned.tally.usage, self.before.usage);
        self.report.estimated = learned.tally.estimated - self.before.estimated;
        self.report.window = learned.window;
        self.report.concurrency = self.generator.caller.concurrency_lowered();
        self.report.spent = self.generator.caller.spent();
        self.report.spent += self.owing.collected();
        Ok(self.report)
    }
}

/// Runs to the end on this thread, with Ctrl-C and requests to terminate as [`Signals`].
pub fn block_on(
    generator: &Generator<'_>,
    plan: Plan,
    index: &mut Index,
    on_event: &mut dyn FnMut(Event),
) -> Result<Report, RunError> {
    let runtime = runtime().map_err(RunError::Runtime)?;
    let mut signals = signals::listen().map_err(RunError::Runtime)?;
    let outcome = runtime.block_on(generator.run(plan, index, &mut signals, on_event));
    // Answers are on the disk. What still looks up a name, or books into a file that does not answer, is not waited for.
    runtime.shutdown_background();
    outcome
}

/// What was used after another count.
fn since(now: Usage, before: Usage) -> Usage {
    Usage {
        input: now.input - before.input,
        output: now.output - before.output,
        cache_read: now.cache_read - before.cache_read,
        cache_write: now.cache_write - before.cache_write,
        reasoning: now.reasoning - before.reasoning,
    }
}

/// How urgent a node is for its reason alone.
fn priority(reason: Reason) -> Priority {
    if reason == Reason::Missing {
        Priority::Background
    } else {
        Priority::Changed
    }
}
