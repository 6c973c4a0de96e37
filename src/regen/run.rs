//! The run: makes what a plan names, files on all cores, directories as soon as their children are done.
//!
//! Tasks stand bottom-up, so a stretch of them is taken at a time: its files are made in parallel, then its
//! directories in order. What a child says is kept only until all directories that hold it are made; frames are
//! stored in batches. So memory grows neither with the repository nor with its bytes.

use super::body::{FrameBody, NodeError};
use super::event::{Event, Report};
use super::make::{ChildBodies, FrameContext, FrameDraft, MadeFrame};
use super::plan::{Inputs, Plan, PlannedNode, file_name};
use super::prepare::Nodes;
use super::record::{Blob, Records, with_blob};
use crate::base::cores::on_all_cores;
use crate::base::count::counted;
use crate::base::number::IndexVec;
use crate::base::{FrameId, NodeId, TreePath};
use crate::frame::commit::CommitError;
use crate::frame::{Children, Index, NewFrame, commit};
use crate::git::{ObjectError, Repository, StateDir};
use crate::node::{NodeNumber, Scan};
use crate::provider::ProviderError;
use crate::provider::ledger::Spend;
use crate::symbol;
use crate::synthesis::summarize::Summarize;
use crate::synthesis::{ChildNode, PartKind, Policy, Reason, outline};

/// Tasks that are taken at a time.
const STRETCH: usize = 2_048;
/// Frames and compressed bytes in a batch, whichever comes first. While the store takes a batch in, what is known of its frames
/// is in memory several times; a smaller one writes directories of the store more often.
const BATCH_FRAMES_MAX: usize = 16_384;
const BATCH_BYTES_MAX: u64 = 16 << 20;
/// From this many files on, the cache of what files declare is worth opening.
const KEPT_FROM: usize = 16;

/// Why a run stopped. What was stored before stays.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Frames cannot be stored.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The threads that wait for answers cannot be set up.
    #[error("cannot wait for answers")]
    Runtime(#[source] std::io::Error),
    /// An answer cannot be kept safe before it is stored.
    #[error("cannot write to the spool")]
    Spool(#[source] std::io::Error),
    /// What is under way in batches cannot be written down.
    #[error("cannot write down what is under way in batches")]
    Batches(#[source] std::io::Error),
    /// Another process sends or collects batches.
    #[error("another process sends or collects batches of this repository")]
    BatchesBusy,
    /// The queue between this run and its workers cannot be used.
    #[error(transparent)]
    Queue(ProviderError),
    /// The node that was to be described cannot be: why.
    #[error("{0}")]
    NoBody(String),
}

/// What came of one file's task.
enum Made {
    /// Its frame.
    Frame(Box<MadeFrame>),
    /// Its content is not in this partial clone.
    Absent,
    Failed(NodeError),
}

/// Everything that a run works with.
pub struct Runner<'r> {
    /// Where objects are read and written.
    pub repo: &'r Repository,
    /// Where this machine keeps its state.
    pub state: &'r StateDir,
    /// What was scanned.
    pub scan: &'r Scan,
    /// Whose frames are made.
    pub inputs: &'r Inputs<'r>,
}

/// What makes outlines: shared by all threads, while each reads through a repository handle of its own.
struct Maker<'m> {
    context: FrameContext<'m>,
    records: &'m Records,
}

/// What changes while a run goes on.
struct Progress<'p> {
    plan: Plan,
    index: &'p mut Index,
    report: Report,
    said: ChildBodies,
    is_failed: IndexVec<NodeNumber, bool>,
    batch: Vec<NewFrame>,
    batch_bytes: u64,
}

impl<'p> Progress<'p> {
    fn new(scan: &Scan, plan: Plan, index: &'p mut Index) -> Self {
        Self {
            report: Report {
                fresh: plan.fresh,
                ..Report::default()
            },
            said: ChildBodies::new(scan, &plan.tasks),
            is_failed: scan.list_of(false),
            batch: Vec::new(),
            batch_bytes: 0,
            plan,
            index,
        }
    }
}

impl Runner<'_> {
    /// Does everything that the plan names, and stores it. The index is brought forward with the store.
    pub fn run(
        &self,
        plan: Plan,
        index: &mut Index,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<Report, RunError> {
        let mut progress = Progress::new(self.scan, plan, index);
        let (tasks, records) = (progress.plan.tasks.clone(), self.records(&progress.plan));
        let mut done = 0;
        for stretch in tasks.chunks(STRETCH) {
            self.make(stretch, &mut progress, &records, on_event);
            done += stretch.len() as u64;
            on_event(Event::Progress {
                done,
                total: tasks.len() as u64,
                spent: Spend::default(),
            });
            if progress.batch.len() >= BATCH_FRAMES_MAX || progress.batch_bytes >= BATCH_BYTES_MAX {
                self.store(&mut progress, on_event)?;
            }
        }
        self.store(&mut progress, on_event)?;
        Ok(progress.report)
    }

    /// What some nodes say, with whatever has to be made for that; nothing is stored.
    pub fn bodies(
        &self,
        plan: Plan,
        index: &mut Index,
        nodes: &[NodeNumber],
    ) -> Vec<Result<FrameBody, RunError>> {
        let mut progress = Progress::new(self.scan, plan, index);
        for node in nodes {
            progress.said.keep(*node);
        }
        let (tasks, records) = (progress.plan.tasks.clone(), self.records(&progress.plan));
        for stretch in tasks.chunks(STRETCH) {
            self.make(stretch, &mut progress, &records, &mut |_| {});
            progress.batch.clear();
        }
        let failed = progress.report.failed.pop().map(|(_, cause)| cause.reason);
        let missing = || {
            failed
                .clone()
                .unwrap_or_else(|| "its content is missing in this clone".to_owned())
        };
        let body = |node: &NodeNumber| match progress.said.of(self.repo, &progress.plan, *node) {
            Ok(Some(body)) => Ok(body),
            Ok(None) => Err(RunError::NoBody(missing())),
            Err(error) => Err(RunError::NoBody(crate::base::printable::chain(&error))),
        };
        nodes.iter().map(body).collect()
    }

    fn records(&self, plan: &Plan) -> Records {
        let files = plan
            .tasks
            .iter()
            .filter(|task| !self.scan.node(task.node).is_directory)
            .count();
        if files < KEPT_FROM {
            Records::unkept()
        } else {
            Records::of(&self.state.cache())
        }
    }

    fn make(
        &self,
        stretch: &[PlannedNode],
        progress: &mut Progress<'_>,
        records: &Records,
        on_event: &mut dyn FnMut(Event),
    ) {
        self.make_files(stretch, progress, records, on_event);
        for task in stretch
            .iter()
            .filter(|task| self.scan.node(task.node).is_directory)
        {
            self.make_directory(*task, progress, on_event);
        }
    }

    fn maker<'m>(&'m self, progress: &'m Progress<'_>, records: &'m Records) -> Maker<'m> {
        let hash = self.repo.hash_kind();
        let (scan, inputs, plan) = (self.scan, self.inputs, &progress.plan);
        let context = FrameContext {
            scan,
            inputs,
            hash,
            plan,
            index: &*progress.index,
            writer: None,
        };
        Maker { context, records }
    }

    fn make_files(
        &self,
        stretch: &[PlannedNode],
        progress: &mut Progress<'_>,
        records: &Records,
        on_event: &mut dyn FnMut(Event),
    ) {
        let files: Vec<PlannedNode> = stretch
            .iter()
            .copied()
            .filter(|task| !self.scan.node(task.node).is_directory)
            .collect();
        let maker = self.maker(progress, records);
        let work = |repo: &Repository, at: usize| maker.file(repo, files[at]);
        let made = on_all_cores(files.len(), self.repo, || self.repo.fork(), work);
        for (task, made) in files.iter().zip(made) {
            self.take(task.node, made, progress, on_event);
        }
    }

    fn make_directory(
        &self,
        task: PlannedNode,
        progress: &mut Progress<'_>,
        on_event: &mut dyn FnMut(Event),
    ) {
        let children: Vec<NodeNumber> = self.scan.children(task.node).collect();
        if children.iter().any(|child| progress.is_failed[*child]) {
            progress.is_failed[task.node] = true;
            progress.report.held_back += 1;
            return progress.said.release(self.scan, task.node);
        }
        let basis = progress.plan.directory_basis(self.scan, task.node);
        let is_open = matches!(task.reason, Reason::Waiting | Reason::Children);
        if is_open && progress.plan.heads[task.node].is_some_and(|head| head.basis == basis) {
            progress.report.kept += 1;
            on_event(Event::Kept(self.path(task.node)));
            return progress.said.release(self.scan, task.node);
        }
        let frames: Vec<FrameId> = children
            .iter()
            .filter_map(|child| Some(progress.plan.content_of(*child)?.1))
            .collect();
        let frames = Children::of(frames);
        let unkept = Records::unkept();
        let maker = self.maker(progress, &unkept);
        let made = match maker.context.reuse(self.repo, task, basis, &frames) {
            Some(reused) => maker.made(task, reused),
            None => match directory_body(
                Nodes {
                    repo: self.repo,
                    scan: self.scan,
                    inputs: self.inputs,
                },
                &progress.plan,
                &progress.said,
                task.node,
            ) {
                Ok(content) => maker.made(task, FrameDraft::new(basis, frames, content)),
                Err(err) => Made::Failed(err),
            },
        };
        self.take(task.node, made, progress, on_event);
        progress.said.release(self.scan, task.node);
    }

    fn path(&self, number: NodeNumber) -> TreePath {
        self.scan.path(self.inputs.root, number)
    }

    /// Books what came of a task.
    fn take(
        &self,
        number: NodeNumber,
        made: Made,
        progress: &mut Progress<'_>,
        on_event: &mut dyn FnMut(Event),
    ) {
        let (report, path) = (&mut progress.report, self.path(number));
        match made {
            Made::Frame(made) => {
                let MadeFrame {
                    new,
                    record,
                    body,
                    is_reused,
                } = *made;
                let kind = self.scan.node(number).kind();
                on_event(report.count_frame(is_reused, kind, path));
                progress.batch_bytes += new.size_bytes();
                progress.batch.push(new);
                progress.plan.heads[number] = Some(record);
                progress.said.put(number, body);
            }
            Made::Absent => {
                on_event(Event::Absent(path.clone()));
                report.absent.push(path);
            }
            Made::Failed(err) => {
                let reason = crate::base::printable::chain(&err);
                on_event(Event::Failed {
                    path: path.clone(),
                    reason: reason.clone(),
                });
                report.failed.push((path, reason.into()));
                // The directories above describe the others: one that cannot be read stands in their bases by its id.
                progress.is_failed[number] = !err.is_unreadable();
            }
        }
    }

    fn store(
        &self,
        progress: &mut Progress<'_>,
        on_event: &mut dyn FnMut(Event),
    ) -> Result<(), RunError> {
        if progress.batch.is_empty() {
            return Ok(());
        }
        let frames = std::mem::take(&mut progress.batch);
        progress.batch_bytes = 0;
        let count = counted(frames.len(), "frame", "frames");
        let message = format!("{}: {count}", self.inputs.agent.id);
        let committed = commit(self.repo, self.state, &frames, &message)?;
        progress.report.stored += committed.frames.len() as u64;
        progress.index.follow(&committed);
        on_event(Event::Stored(committed.frames.len() as u64));
        Ok(())
    }
}

impl Maker<'_> {
    fn file(&self, repo: &Repository, task: PlannedNode) -> Made {
        let FrameContext {
            scan, inputs, plan, ..
        } = self.context;
        let basis = plan.file_basis(scan, inputs, task.node);
        if let Some(reused) = self.context.reuse(repo, task, basis, &Children::None) {
            return self.made(task, reused);
        }
        let name = file_name(scan, inputs.root, task.node);
        match file_body(repo, &scan.node(task.node).id, name, self.records) {
            Ok(Some(content)) => self.made(task, FrameDraft::new(basis, Children::None, content)),
            Ok(None) => Made::Absent,
            Err(err) => Made::Failed(err),
        }
    }

    fn made(&self, task: PlannedNode, saying: FrameDraft) -> Made {
        let is_reused = saying.is_reused;
        match self
            .context
            .encode(task, self.context.frame(task, saying), is_reused)
        {
            Ok(made) => Made::Frame(Box::new(made)),
            Err(err) => Made::Failed(err),
        }
    }
}

/// What the outline builder says about a directory whose children have been made.
pub(super) fn directory_body(
    nodes: Nodes<'_>,
    plan: &Plan,
    said: &ChildBodies,
    number: NodeNumber,
) -> Result<String, NodeError> {
    let Nodes { repo, scan, inputs } = nodes;
    let mut parts = Vec::new();
    for entry in scan.entries(number) {
        let body = entry
            .node
            .map_or(Ok(None), |child| said.of(repo, plan, child))?;
        let bodies = body
            .map(|body| (inputs.frame_type.clone(), body))
            .into_iter()
            .collect();
        parts.push(ChildNode {
            name: outline::shown_name(entry.name),
            kind: PartKind::of(entry.mode),
            bodies,
        });
    }
    Ok(Summarize.synthesize(&parts))
}

/// What the outline builder says about a file of a name; `None` when a partial clone does not have it.
pub(super) fn file_body(
    repo: &Repository,
    id: &NodeId,
    name: &[u8],
    records: &Records,
) -> Result<Option<String>, NodeError> {
    if let Some(known) = records.find(id, outline::language(name, b"")) {
        return Ok(Some(symbol::render(&known)));
    }
    let read = |blob: Blob<'_>| match blob {
        Blob::Absent => None,
        Blob::TooLarge(size_bytes) => Some(outline::too_large(size_bytes)),
        Blob::Data(data) => {
            let outline = records.read(id, name, &outline::shown(data));
            Some(symbol::render(&outline))
        }
    };
    match with_blob(repo, id, read)? {
        None if !repo.is_partial() => Err(ObjectError::Missing(*id).into()),
        body => Ok(body),
    }
}
