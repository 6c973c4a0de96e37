//! The run with a model: one queue, a limited number of calls at once, every answer on the disk before anything is built on it.
//!
//! One thread dispatches. It prepares a few requests ahead, starts calls while there are free slots, and takes what
//! comes back: an answer becomes a frame in the spool (on another thread, flushed), then what its directory waits for.
//! Batches go into the store every two seconds or 256 frames. The head of a node is replaced by a success only; a
//! failure holds back the directories above and nothing else.

use std::time::Duration;

use futures_util::StreamExt as _;
use take::BATCH_FRAMES_MAX;
use tokio::sync::mpsc;
use tokio::time::{Instant, MissedTickBehavior, interval_at};
use work::{Answered, Work};

use super::event::{Event, Report, Stop};
use super::plan::Plan;
use super::prepare::{Prepared, Question};
use super::queue::TaskNumber;
use super::run::RunError;
use super::signals;
use super::warm::Warmth;
use crate::base::printable::chain;
use crate::base::runtime;
use crate::chat::Usage;
use crate::frame::Index;
use crate::provider::ProviderError;
use crate::synthesis::Reason;

mod batch;
mod generator;
mod owing;
mod take;
mod work;

pub use generator::{Generator, Pace};
pub use owing::{BatchMode, Batching};

/// Longest time that a finished frame waits in the spool for its batch.
const BATCH_PAUSE_MAX: Duration = Duration::from_secs(2);
/// Tasks that are laid out in one go, at most.
const TURNS_MAX: usize = 256;

/// A request to end the run; after a second one, calls in flight are given up as well.
pub type Signals = mpsc::UnboundedReceiver<Stop>;

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

impl Work<'_, '_> {
    /// Starts calls while slots are free, and prepares as many more requests for the slots that become free next.
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
    fn prepare(&mut self, number: TaskNumber, on_event: &mut dyn FnMut(Event)) {
        let task = self.tasks[number];
        let Generator { scan, inputs, .. } = *self.generator;
        let is_directory = scan.node(task.node).is_directory;
        let basis = if is_directory {
            self.plan.directory_basis(scan, task.node)
        } else {
            self.plan.file_basis(scan, inputs, task.node)
        };
        let is_open = matches!(task.reason, Reason::Waiting | Reason::Children);
        if is_open && self.plan.heads[task.node].is_some_and(|head| head.basis == basis) {
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
                // A directory of which nothing is known yet would be paid for, and once more when its files are here.
                self.report.held_back += self.queue.fail(number);
                self.progress(on_event);
            }
            Err(error) if error.is_unreadable() => {
                // The requests about the directories above go out without it: they say that nothing is known of this one.
                self.book_failure(number, chain(&error).into(), on_event);
                self.done(number, on_event);
            }
            Err(error) => self.fail(number, chain(&error).into(), on_event),
        }
    }

    fn start_call(
        &mut self,
        task: TaskNumber,
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

    fn interrupt(&mut self, stop: Stop, on_event: &mut dyn FnMut(Event)) {
        if matches!(self.report.stop, Some(Stop::Interrupted | Stop::Terminated)) {
            self.calls.clear();
            self.errands.clear();
        }
        self.report.stop = None;
        self.stop(stop, on_event);
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
