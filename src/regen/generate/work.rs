//! What changes while a run with a model goes on, and what every part of it does with that: lay out a request, find what
//! was said before, book a failure, stop.
//!
//! The parent dispatches, `take` takes in answers, `batch` sends and collects batches. They use this file, and it uses none of them.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::pin::Pin;

use futures_util::stream::FuturesUnordered;
use tokio::sync::{mpsc, watch};

use super::generator::Generator;
use super::owing::{Errand, Owing};
use crate::base::number::IndexVec;
use crate::base::{BasisId, TreePath};
use crate::frame::commit::Committed;
use crate::frame::{Children, Frame, Index, NewFrame};
use crate::node::NodeNumber;
use crate::provider::call::{CallError, Called, Tally};
use crate::provider::ledger::Spend;
use crate::regen::body::NodeError;
use crate::regen::event::{Cause, Event, Report, Stop};
use crate::regen::make::{Authorship, ChildBodies, FrameContext, FrameDraft, is_again};
use crate::regen::plan::{Plan, PlannedNode};
use crate::regen::prepare::{MadeFrom, Nodes, Prepared, Question, Writer};
use crate::regen::queue::{Priority, Queue, Rank, TaskNumber};
use crate::regen::refused::{self, Kept, RefusedAnswers};
use crate::regen::run::RunError;
use crate::regen::warm::Warmth;
use crate::synthesis::Reason;

/// How often a question is laid out anew because the model says that it is too long.
const REFITS_MAX: u32 = 2;
/// Stands where a node has no task.
const NO_TASK: TaskNumber = TaskNumber::from_raw(u32::MAX);

/// A call that has ended.
pub(super) struct Answered {
    pub(super) task: TaskNumber,
    pub(super) question: Box<Question>,
    pub(super) outcome: Result<Called, CallError>,
}

/// A write that has ended.
pub(super) enum Written {
    Spooled {
        task: TaskNumber,
        basis: BasisId,
        frame: Box<Frame>,
        file: std::io::Result<String>,
    },
    Committed {
        committed: Result<Committed, RunError>,
        files: Vec<String>,
    },
}

pub(super) type Running<'g, T> = FuturesUnordered<Pin<Box<dyn Future<Output = T> + 'g>>>;

/// What changes while a run goes on.
pub(super) struct Work<'g, 'i> {
    pub(super) generator: &'g Generator<'g>,
    /// The requests, with what was learned of the model's limits on the way.
    pub(super) writer: Writer<'g>,
    pub(super) refused: RefusedAnswers,
    /// What the caller had taken before this run.
    pub(super) before: Tally,
    pub(super) plan: Plan,
    pub(super) tasks: IndexVec<TaskNumber, PlannedNode>,
    pub(super) index: &'i mut Index,
    pub(super) queue: Queue,
    pub(super) said: ChildBodies,
    pub(super) report: Report,
    /// Requests that wait for a slot, the most urgent last.
    pub(super) prepared: BTreeMap<Rank, (TaskNumber, Box<Question>)>,
    /// Calls that did not fit into the budget while others were in flight.
    pub(super) parked: Vec<(TaskNumber, Box<Question>)>,
    pub(super) calls: Running<'g, Answered>,
    pub(super) writes: Running<'g, Written>,
    /// Batches, and the one thing that is being done about them; nothing else is begun meanwhile.
    pub(super) owing: Owing<'g>,
    pub(super) errands: Running<'g, Errand>,
    /// Tasks that wait for the answer to a request already sent for the same basis, and the answers of this run.
    pub(super) waiters: HashMap<BasisId, Vec<TaskNumber>>,
    pub(super) answers: HashMap<BasisId, (String, Authorship)>,
    pub(super) batch: Vec<NewFrame>,
    pub(super) batch_files: Vec<String>,
    pub(super) is_committing: bool,
    /// Why nothing can be stored or spooled any more. What is in flight is still waited for and spooled, if that works.
    pub(super) failure: Option<RunError>,
    /// What the answers so far have taken.
    pub(super) answered: Spend,
    /// Calls in a row that found the provider unavailable, and answers in a row that could not be used.
    pub(super) unavailable: u32,
    pub(super) unusable: u32,
    /// True once the provider has answered in this run, with whatever.
    pub(super) is_heard: bool,
    pub(super) warmth: Warmth,
    pub(super) retries: mpsc::UnboundedSender<Event>,
    /// Tells calls that wait for their turn that it will not come.
    pub(super) stopped: watch::Sender<bool>,
}

impl<'g, 'i> Work<'g, 'i> {
    pub(super) fn new(
        generator: &'g Generator<'g>,
        plan: Plan,
        index: &'i mut Index,
        retries: mpsc::UnboundedSender<Event>,
        warmth: Warmth,
    ) -> Result<Self, RunError> {
        let scan = generator.scan;
        let tasks = IndexVec::from_vec(plan.tasks.clone());
        let mut task_of = scan.list_of(NO_TASK);
        for (number, task) in tasks.iter_enumerated() {
            task_of[task.node] = number;
        }
        let priorities: IndexVec<TaskNumber, Priority> = tasks
            .iter()
            .map(|task| generator.pace.priority.unwrap_or(priority(task.reason)))
            .collect();
        let queue = Queue::new(&priorities, |task| {
            let children = scan.children(tasks[task].node);
            let children = children.map(|child| task_of[child]);
            let children: BTreeSet<TaskNumber> =
                children.filter(|child| *child != NO_TASK).collect();
            children.into_iter().collect()
        });
        Ok(Self {
            said: ChildBodies::new(scan, &plan.tasks),
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
            is_heard: false,
            warmth,
            retries,
            stopped: watch::Sender::new(false),
        })
    }

    pub(super) fn is_stopping(&self) -> bool {
        self.report.stop.is_some() || self.failure.is_some()
    }

    pub(super) fn is_idle(&self) -> bool {
        self.calls.is_empty() && self.writes.is_empty() && self.errands.is_empty()
    }

    /// Lays out the question of a task with what is known of the model now.
    pub(super) fn lay_out(
        &mut self,
        number: TaskNumber,
        basis: BasisId,
        children: Children,
    ) -> Result<Prepared, NodeError> {
        let Generator {
            repo, scan, inputs, ..
        } = *self.generator;
        let node = self.tasks[number].node;
        let (said, plan) = (&self.said, &self.plan);
        self.writer.prepare(
            Nodes { repo, scan, inputs },
            node,
            MadeFrom { basis, children },
            &mut |child| said.of(repo, plan, child),
        )
    }

    /// Why the answer to the same request was of no use before, if there was one; a forced node is requested again, and an
    /// answer that is owed is taken.
    pub(super) fn find_refused(&self, task: PlannedNode, question: &Question) -> Option<Cause> {
        if is_again(task) || self.owing.owed.contains_key(&question.basis) {
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
    pub(super) fn keep(
        &self,
        number: TaskNumber,
        question: &Question,
        reason: String,
        text: &str,
    ) -> Cause {
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
    pub(super) fn refit(
        &mut self,
        number: TaskNumber,
        question: &Question,
    ) -> Option<Result<Prepared, NodeError>> {
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

    pub(super) fn children(&self, node: NodeNumber) -> Children {
        let children = self.generator.scan.children(node);
        Children::of(
            children
                .filter_map(|child| Some(self.plan.content_of(child)?.1))
                .collect(),
        )
    }

    /// What was said from the same basis: earlier in this run, or in the store.
    pub(super) fn find_said(
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

    pub(super) fn frame_context(&self) -> FrameContext<'_> {
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

    pub(super) fn path(&self, number: TaskNumber) -> TreePath {
        self.generator
            .scan
            .path(self.generator.inputs.root, self.tasks[number].node)
    }

    pub(super) fn done(&mut self, number: TaskNumber, on_event: &mut dyn FnMut(Event)) {
        self.said
            .release(self.generator.scan, self.tasks[number].node);
        self.queue.done(number);
        self.progress(on_event);
    }

    pub(super) fn fail(
        &mut self,
        number: TaskNumber,
        cause: Cause,
        on_event: &mut dyn FnMut(Event),
    ) {
        self.book_failure(number, cause, on_event);
        self.report.held_back += self.queue.fail(number);
        self.progress(on_event);
    }

    pub(super) fn book_failure(
        &mut self,
        number: TaskNumber,
        cause: Cause,
        on_event: &mut dyn FnMut(Event),
    ) {
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

    /// A question has no answer: the task fails, and those that wait for the same.
    pub(super) fn fail_all(
        &mut self,
        task: TaskNumber,
        basis: BasisId,
        cause: &Cause,
        on_event: &mut dyn FnMut(Event),
    ) {
        self.owing.take(&basis);
        let waiting = self.waiters.remove(&basis).unwrap_or_default();
        for number in std::iter::once(task).chain(waiting) {
            self.fail(number, cause.clone(), on_event);
        }
    }

    pub(super) fn progress(&self, on_event: &mut dyn FnMut(Event)) {
        let total = self.tasks.len();
        let done = (total - self.queue.left()) as u64;
        on_event(Event::Progress {
            done,
            total: total as u64,
            spent: self.answered,
        });
    }

    /// Sends nothing new any more. What is in flight is paid for, so it is waited for and stored.
    pub(super) fn stop(&mut self, stop: Stop, on_event: &mut dyn FnMut(Event)) {
        if self.report.stop.is_none() {
            on_event(Event::Stopping(stop.clone()));
            self.report.stop = Some(stop);
            self.stopped.send_replace(true);
            self.generator.caller.halt();
        }
    }

    /// Nothing new is begun. What is in flight is paid for: it is waited for and spooled for a later run.
    pub(super) fn break_off(&mut self, error: RunError) {
        self.failure.get_or_insert(error);
        self.stopped.send_replace(true);
        self.generator.caller.halt();
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
