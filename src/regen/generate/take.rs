//! What becomes of an answer: a frame, written to the spool, and attached where it holds.
//!
//! The methods of a run that take in what comes back; see the parent for the order of a run.

use std::time::Duration;

use super::work::{Answered, Work, Written};
use crate::base::Cost;
use crate::base::count::counted;
use crate::base::printable::chain;
use crate::base::{BasisId, clock};
use crate::chat::Ticket;
use crate::frame::commit::Committed;
use crate::frame::model::Usage as FrameUsage;
use crate::frame::{Frame, codec, commit, spool};
use crate::provider::ProviderError;
use crate::provider::call::{CallError, Called};
use crate::provider::ledger::{LedgerError, Spend};
use crate::provider::retry::RETRY_AFTER_MAX;
use crate::regen::body::NodeError;
use crate::regen::event::{Cause, Event, Stop};
use crate::regen::make::{Authorship, FrameDraft, MadeFrame};
use crate::regen::prepare::{Prepared, Question};
use crate::regen::queue::TaskNumber;
use crate::regen::run::RunError;

/// Most frames that wait in the spool for their batch.
pub(super) const BATCH_FRAMES_MAX: usize = 256;

/// Calls in a row that found the provider unavailable, after which it is left alone.
const UNAVAILABLE_MAX: u32 = 3;

/// Answers in a row that were paid for and could not be used, after which the run sends no further request.
const UNUSABLE_MAX: u32 = 10;

impl Work<'_, '_> {
    /// Turns an answer into a frame on its way to the spool, or books why there is none.
    pub(super) fn take_answer(&mut self, answered: Answered, on_event: &mut dyn FnMut(Event)) {
        let Answered {
            task,
            question,
            outcome,
        } = answered;
        self.warmth.warm();
        let budget = match &outcome {
            Err(CallError::Ledger(budget @ LedgerError::Exhausted { .. })) => Some(budget),
            Err(CallError::Unpaid { failure, budget }) => {
                self.report.trouble = Some(failure.clone());
                Some(budget)
            }
            _ => None,
        };
        if let Some(budget) = budget {
            self.parked.push((task, question));
            // While others are in flight, what they leave of their worst case may do.
            if self.calls.is_empty() {
                let stop = self.spent_up(budget);
                self.stop(stop, on_event);
            }
            return;
        }
        if let Err(CallError::Stopped) = &outcome {
            // Neither asked nor failed: it is among what is left.
            return;
        }
        for (parked, question) in std::mem::take(&mut self.parked) {
            self.prepared
                .insert(self.queue.rank(parked), (parked, question));
        }
        match outcome {
            Ok(called) => {
                (self.unavailable, self.is_heard) = (0, true);
                self.report.trouble = None;
                self.record(task, &question, &called, on_event);
            }
            Err(CallError::Pending(Ticket(ticket))) => {
                let path = self.path(task);
                on_event(Event::Awaited {
                    path: path.clone(),
                    ticket: ticket.clone(),
                });
                self.report.awaited.push((path, ticket));
            }
            Err(error) => self.take_failure(task, &question, &error, on_event),
        }
    }

    /// Why the run ends where the budget covers no further call. A provider that never answered, and would not have answered
    /// more of them, is the reason then.
    fn spent_up(&self, budget: &LedgerError) -> Stop {
        let (budget, provider) = (chain(budget), &self.generator.caller.name);
        match &self.report.trouble {
            None => Stop::Budget(budget),
            Some(failure) if !self.is_heard && is_away(failure) => {
                Stop::Provider(format!("provider '{provider}': {failure}; {budget}"))
            }
            Some(failure) => Stop::Budget(format!(
                "{budget}; the last one failed: provider '{provider}': {failure}"
            )),
        }
    }

    fn take_failure(
        &mut self,
        task: TaskNumber,
        question: &Question,
        error: &CallError,
        on_event: &mut dyn FnMut(Event),
    ) {
        if let CallError::Provider(ProviderError::ContextTooLong { .. }) = error
            && let Some(Ok(Prepared::Ask(new))) = self.refit(task, question)
        {
            if let Some(cause) = self.find_refused(self.tasks[task], &new) {
                return self.fail_all(task, question.basis, &cause, on_event);
            }
            let (path, reason) = (self.path(task), error.to_string());
            self.report.retries += 1;
            on_event(Event::Retried {
                path,
                reason,
                pause: Duration::ZERO,
            });
            self.prepared.insert(self.queue.rank(task), (task, new));
            return;
        }
        if let CallError::Provider(error) = error {
            self.report.trouble = Some(error.clone());
        }
        let is_lasting = match error {
            CallError::Cut { partial, .. } => {
                let key = self
                    .writer
                    .output_key_name(question.output_key, &self.generator.caller.name);
                let reason = format!("{}; for a longer answer, raise {key}", chain(error));
                let cause = self.keep(task, question, reason, &partial.reply.text);
                return self.take_unusable(task, question.basis, cause, on_event);
            }
            CallError::Invalid(why) => {
                // Asked a second time it would be refused a second time.
                let cause = self.keep(task, question, chain(error), why);
                return self.fail_all(task, question.basis, &cause, on_event);
            }
            CallError::NotRun(_) => false,
            CallError::Ledger(_)
            | CallError::Unpaid { .. }
            | CallError::Pending(_)
            | CallError::Stopped => true,
            CallError::Provider(error) => self.is_lasting(error),
        };
        let cause = Cause::from(chain(error));
        self.fail_all(task, question.basis, &cause, on_event);
        if is_lasting {
            let provider = &self.generator.caller.name;
            let why = format!("provider '{provider}': {cause}");
            self.stop(Stop::Provider(why), on_event);
        }
    }

    /// True when the provider would fail for the other tasks as well.
    fn is_lasting(&mut self, error: &ProviderError) -> bool {
        match error {
            ProviderError::NotConfigured { .. }
            | ProviderError::Auth(_)
            | ProviderError::Quota(_)
            | ProviderError::Address(_)
            | ProviderError::Queue(_)
            | ProviderError::ModelNotFound { .. } => true,
            // It would be as long for each of the others.
            ProviderError::RateLimited {
                retry_after: Some(wait),
            } if *wait > RETRY_AFTER_MAX => true,
            error if is_away(error) => {
                self.unavailable += 1;
                self.unavailable >= UNAVAILABLE_MAX
            }
            _ => false,
        }
    }

    /// An answer was kept because it is no frame. When none of the last answers could be used, the next one would most
    /// likely be paid for in vain as well, so the run stops.
    fn take_unusable(
        &mut self,
        task: TaskNumber,
        basis: BasisId,
        cause: Cause,
        on_event: &mut dyn FnMut(Event),
    ) {
        self.fail_all(task, basis, &cause, on_event);
        self.unusable += 1;
        if self.unusable >= UNUSABLE_MAX {
            let (provider, reason) = (&self.generator.caller.name, cause.reason);
            let why = format!(
                "{} answers in a row of provider '{provider}' could not be used: {reason}",
                self.unusable
            );
            self.stop(Stop::Unusable(why), on_event);
        }
    }

    /// The content of an answer that can be a frame.
    ///
    /// A model may repeat a secret, and it is taken out. A worker was sent none, so one in its answer is its own doing.
    fn accept(&self, question: &Question, called: &Called) -> Result<String, String> {
        let text = &called.reply.text;
        let content = self.writer.accept(question, text);
        let Some(worker) = &called.reply.worker else {
            return content;
        };
        match content {
            Ok(content) if content.trim_end() != text.trim() => Err(format!(
                "worker '{worker}': the answer holds what looks like a secret"
            )),
            content => content.map_err(|reason| format!("worker '{worker}': {reason}")),
        }
    }

    /// Who has said an answer, and what it took.
    fn authorship(&self, question: &Question, called: &Called) -> Authorship {
        let (reply, caller) = (&called.reply, &self.generator.caller);
        let model = reply.model.as_ref();
        Authorship {
            provider: Some(caller.name.clone()),
            model: model.or(caller.capabilities().model.as_ref()).cloned(),
            usage: reply.usage.map(|usage| FrameUsage {
                input: usage.input,
                output: usage.output,
                cache_read: usage.cache_read,
                cache_write: usage.cache_write,
            }),
            // What a provider has not counted is no fact about the frame.
            cost: called.cost_told().map(Cost),
            created: Some(clock::render_utc(clock::now_seconds())),
            notes: question.notes.clone(),
        }
    }

    fn record(
        &mut self,
        task: TaskNumber,
        question: &Question,
        called: &Called,
        on_event: &mut dyn FnMut(Event),
    ) {
        let usage = called.reply.usage;
        let content = match self.accept(question, called) {
            Ok(content) => content,
            Err(reason) => {
                let cause = self.keep(task, question, reason, &called.reply.text);
                return self.take_unusable(task, question.basis, cause, on_event);
            }
        };
        let tokens = called.usage.tokens();
        self.answered += Spend {
            calls: 1,
            tokens,
            nano_dollars: called.nano_dollars,
        };
        self.report.redacted += question.redacted;
        let spoken = self.authorship(question, called);
        let (basis, children) = (question.basis, question.children.clone());
        let saying = FrameDraft {
            basis,
            children,
            content: content.clone(),
            spoken: Some(spoken.clone()),
            is_reused: false,
        };
        let frame = self.frame_context().frame(self.tasks[task], saying);
        // Before it is on its way to the disk, where a failure is one of the machine and ends the run.
        if let Err(error) = codec::encode(&frame) {
            let cause = self.keep(task, question, chain(&error), &frame.content);
            return self.take_unusable(task, basis, cause, on_event);
        }
        self.unusable = 0;
        self.answers.insert(basis, (content, spoken));
        on_event(Event::Answered {
            path: self.path(task),
            usage,
            nano_dollars: called.nano_dollars,
        });
        let state = self.generator.state.clone();
        let write = tokio::task::spawn_blocking(move || (spool::put(&state, &frame), frame));
        self.writes.push(Box::pin(async move {
            let (file, frame) = write.await.expect("writing a file does not panic");
            Written::Spooled {
                task,
                basis,
                frame: Box::new(frame),
                file,
            }
        }));
    }

    pub(super) fn take_write(&mut self, written: Written, on_event: &mut dyn FnMut(Event)) {
        match written {
            Written::Spooled {
                task,
                basis,
                frame,
                file,
            } => {
                match file {
                    Ok(file) => {
                        self.owing.take(&basis);
                        self.batch_files.push(file);
                    }
                    Err(error) => self.break_off(RunError::Spool(error)),
                }
                self.take_spooled(task, basis, *frame, on_event);
            }
            Written::Committed { committed, files } => {
                self.is_committing = false;
                let state = self.generator.state;
                let removed = |committed| {
                    spool::remove(state, &files)
                        .map_err(RunError::Spool)
                        .map(|()| committed)
                };
                match committed.and_then(removed) {
                    Ok(committed) => self.take_committed(&committed, on_event),
                    // The frames wait in the spool; the next command of any kind stores them.
                    Err(error) => self.break_off(error),
                }
            }
        }
    }

    fn take_spooled(
        &mut self,
        task: TaskNumber,
        basis: BasisId,
        frame: Frame,
        on_event: &mut dyn FnMut(Event),
    ) {
        let made = self.frame_context().encode(self.tasks[task], frame, false);
        self.take_made(task, made, on_event);
        for number in self.waiters.remove(&basis).unwrap_or_default() {
            let task = self.tasks[number];
            if let Some(saying) = self.find_said(task, basis, &self.children(task.node)) {
                self.attach(number, saying, on_event);
            }
        }
        if self.batch.len() >= BATCH_FRAMES_MAX {
            self.start_commit();
        }
    }

    fn take_committed(&mut self, committed: &Committed, on_event: &mut dyn FnMut(Event)) {
        self.report.stored += committed.frames.len() as u64;
        self.index.follow(committed);
        for stored in &committed.frames {
            self.answers.remove(&stored.basis);
        }
        on_event(Event::Stored(committed.frames.len() as u64));
    }

    /// Brings what waits into the store, on another thread, one batch at a time.
    pub(super) fn start_commit(&mut self) {
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
            counted(frames.len(), "frame", "frames")
        );
        let write = tokio::task::spawn_blocking(move || commit(&repo, &state, &frames, &message));
        self.writes.push(Box::pin(async move {
            let committed = write
                .await
                .expect("storing does not panic")
                .map_err(RunError::from);
            Written::Committed { committed, files }
        }));
    }

    /// Attaches what was said before.
    pub(super) fn attach(
        &mut self,
        number: TaskNumber,
        saying: FrameDraft,
        on_event: &mut dyn FnMut(Event),
    ) {
        let task = self.tasks[number];
        let made =
            self.frame_context()
                .encode(task, self.frame_context().frame(task, saying), true);
        self.take_made(number, made, on_event);
    }

    fn take_made(
        &mut self,
        number: TaskNumber,
        made: Result<MadeFrame, NodeError>,
        on_event: &mut dyn FnMut(Event),
    ) {
        let node = self.tasks[number].node;
        match made {
            Ok(MadeFrame {
                new,
                record,
                body,
                is_reused,
            }) => {
                let (kind, path) = (self.generator.scan.node(node).kind(), self.path(number));
                on_event(self.report.count_frame(is_reused, kind, path));
                self.batch.push(new);
                self.plan.heads[node] = Some(record);
                self.said.put(node, body);
                self.done(number, on_event);
            }
            Err(error) => self.fail(number, chain(&error).into(), on_event),
        }
    }
}

/// True for a provider that says nothing of the request: it cannot be reached, or asks for patience.
fn is_away(error: &ProviderError) -> bool {
    matches!(
        error,
        ProviderError::Unavailable { .. }
            | ProviderError::RateLimited { .. }
            | ProviderError::Timeout(_)
    )
}
