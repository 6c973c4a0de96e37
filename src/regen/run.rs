//! The run: makes what a plan names, files on all cores, directories as soon as their children are done.
//!
//! Tasks stand bottom-up, so a stretch of them is taken at a time: its files are made in parallel, then its
//! directories in order. What a child says is kept only until all directories that hold it are made; frames are
//! stored in batches. So memory grows neither with the repository nor with its bytes.

use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::event::{Event, Report};
use super::plan::{Inputs, Plan, Task, file_name, part_kind};
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{BasisId, FrameId};
use crate::frame::commit::{CommitError, LOCK_WAIT};
use crate::frame::{BasisKind, Children, CodecError, Frame, Index, NewFrame, NodeKind, Record, StoreError, codec, commit};
use crate::git::{HashKind, ObjectError, ObjectKind, Repository, StateDir};
use crate::node::Scan;
use crate::symbol::{self, OutlineCache};
use crate::synthesis::summarize::Summarize;
use crate::synthesis::{Part, Policy, Reason, outline};

/// Tasks that are taken at a time.
const STRETCH: usize = 2_048;
/// Frames and compressed bytes in a batch, whichever comes first.
const BATCH_FRAMES_MAX: usize = 65_536;
const BATCH_BYTES_MAX: u64 = 48 << 20;
/// From so many files on, the cache of outlines is worth opening.
const CACHE_FROM: usize = 256;

/// Why a run stopped. What was stored before stays.
#[derive(Debug, thiserror::Error)]
pub enum RunError {
    /// Frames cannot be stored.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// Why one node has no frame. The run goes on.
#[derive(Debug, thiserror::Error)]
enum NodeError {
    #[error(transparent)]
    Object(#[from] ObjectError),
    #[error(transparent)]
    Codec(#[from] CodecError),
}

/// What a finished node says.
type Body = Arc<str>;

/// What came of one file's task.
enum Made {
    /// Its frame.
    Frame(Box<MadeFrame>),
    /// Its content is not in this partial clone.
    Absent,
    Failed(NodeError),
}

/// A frame that is ready to be stored.
struct MadeFrame {
    new: NewFrame,
    record: Record,
    body: Body,
    is_reused: bool,
}

/// What a frame is going to say, and from what.
struct Saying {
    basis: BasisId,
    children: Children,
    content: String,
    /// True when it was said before, of another node.
    is_reused: bool,
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

/// What makes frames: shared by all threads, while each reads through a repository handle of its own.
struct Maker<'m> {
    scan: &'m Scan,
    inputs: &'m Inputs<'m>,
    hash: HashKind,
    plan: &'m Plan,
    index: &'m Index,
    cache: Option<&'m OutlineCache>,
}

/// What changes while a run goes on.
struct Progress<'p> {
    plan: Plan,
    index: &'p mut Index,
    report: Report,
    bodies: HashMap<u32, (Body, u32)>,
    uses: Vec<u32>,
    is_failed: Vec<bool>,
    batch: Vec<NewFrame>,
    batch_bytes: u64,
}

impl Runner<'_> {
    /// Does everything that the plan names, and stores it. The index is brought forward with the store.
    pub fn run(&self, plan: Plan, index: &mut Index, on_event: &mut dyn FnMut(Event)) -> Result<Report, RunError> {
        let tasks = plan.tasks.clone();
        let report = Report { fresh: plan.fresh, ..Report::default() };
        let mut progress = Progress {
            uses: self.count_uses(&tasks),
            is_failed: vec![false; self.scan.len()],
            bodies: HashMap::new(),
            batch: Vec::new(),
            batch_bytes: 0,
            plan,
            index,
            report,
        };
        let files = tasks.iter().filter(|task| !self.scan.node(task.node).is_directory).count();
        let cache = (files >= CACHE_FROM).then(|| OutlineCache::open(&self.state.cache()));
        let mut done = 0;
        for stretch in tasks.chunks(STRETCH) {
            self.make_files(stretch, &mut progress, cache.as_ref());
            for task in stretch.iter().filter(|task| self.scan.node(task.node).is_directory) {
                self.make_directory(*task, &mut progress);
            }
            done += stretch.len() as u64;
            on_event(Event::Progress { done, total: tasks.len() as u64 });
            if progress.batch.len() >= BATCH_FRAMES_MAX || progress.batch_bytes >= BATCH_BYTES_MAX {
                self.store(&mut progress, on_event)?;
            }
        }
        self.store(&mut progress, on_event)?;
        Ok(progress.report)
    }

    /// How many directories among the tasks hold each node: that often its body is asked for.
    fn count_uses(&self, tasks: &[Task]) -> Vec<u32> {
        let mut uses = vec![0; self.scan.len()];
        for task in tasks {
            for child in self.scan.entries(task.node).filter_map(|entry| entry.node) {
                uses[child as usize] += 1;
            }
        }
        uses
    }

    fn maker<'m>(&'m self, progress: &'m Progress<'_>, cache: Option<&'m OutlineCache>) -> Maker<'m> {
        Maker {
            scan: self.scan,
            inputs: self.inputs,
            hash: self.repo.hash_kind(),
            plan: &progress.plan,
            index: &*progress.index,
            cache,
        }
    }

    fn make_files(&self, stretch: &[Task], progress: &mut Progress<'_>, cache: Option<&OutlineCache>) {
        let files: Vec<Task> = stretch.iter().copied().filter(|task| !self.scan.node(task.node).is_directory).collect();
        let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get).min(files.len().div_ceil(16));
        let next = AtomicUsize::new(0);
        let maker = self.maker(progress, cache);
        let work = |repo: &Repository| {
            let mut made = Vec::new();
            while let Some(task) = files.get(next.fetch_add(1, Ordering::Relaxed)) {
                made.push((task.node, maker.file(repo, *task)));
            }
            made
        };
        let made: Vec<(u32, Made)> = if threads <= 1 {
            work(self.repo)
        } else {
            std::thread::scope(|scope| {
                let others: Vec<_> = (1..threads)
                    .map(|_| {
                        let repo = self.repo.fork();
                        let work = &work;
                        scope.spawn(move || work(&repo))
                    })
                    .collect();
                let mut made = work(self.repo);
                made.extend(others.into_iter().flat_map(|other| other.join().expect("workers do not panic")));
                made
            })
        };
        for (number, made) in made {
            self.take(number, made, progress);
        }
    }

    fn make_directory(&self, task: Task, progress: &mut Progress<'_>) {
        let children: Vec<u32> = self.scan.entries(task.node).filter_map(|entry| entry.node).collect();
        if children.iter().any(|child| progress.is_failed[*child as usize]) {
            progress.is_failed[task.node as usize] = true;
            progress.report.held_back += 1;
            return self.release(task.node, progress);
        }
        let basis = progress.plan.directory_basis(self.scan, task.node);
        let is_open = matches!(task.reason, Reason::Waiting | Reason::Children);
        if is_open && progress.plan.heads[task.node as usize].is_some_and(|head| head.basis == basis) {
            progress.report.kept += 1;
            return self.release(task.node, progress);
        }
        let frames: Vec<FrameId> = children.iter().filter_map(|child| Some(progress.plan.content_of(*child)?.1)).collect();
        let frames = Children::of(frames);
        let maker = self.maker(progress, None);
        let made = match maker.reuse(self.repo, task, basis, &frames) {
            Some(reused) => reused,
            None => match self.directory_body(task.node, progress) {
                Ok(content) => maker.frame(task, Saying { basis, children: frames, content, is_reused: false }),
                Err(err) => Made::Failed(err),
            },
        };
        self.take(task.node, made, progress);
        self.release(task.node, progress);
    }

    fn directory_body(&self, number: u32, progress: &Progress<'_>) -> Result<String, NodeError> {
        let mut parts = Vec::new();
        for entry in self.scan.entries(number) {
            let said = entry.node.map_or(Ok(None), |child| self.said(child, progress))?;
            let bodies = said.map(|body| (self.inputs.frame_type.clone(), body)).into_iter().collect();
            parts.push(Part { name: String::from_utf8_lossy(entry.name), kind: part_kind(entry.mode), bodies });
        }
        Ok(Summarize.synthesize(&parts))
    }

    /// What a child's head says: from this run, or from the store.
    fn said(&self, child: u32, progress: &Progress<'_>) -> Result<Option<Body>, NodeError> {
        if let Some((body, _)) = progress.bodies.get(&child) {
            return Ok(Some(body.clone()));
        }
        let Some(head) = &progress.plan.heads[child as usize] else { return Ok(None) };
        Ok(Some(read_frame(self.repo, &head.blob)?.content.into()))
    }

    /// Books what came of a task.
    fn take(&self, number: u32, made: Made, progress: &mut Progress<'_>) {
        let report = &mut progress.report;
        match made {
            Made::Frame(made) => {
                let MadeFrame { new, record, body, is_reused } = *made;
                match (is_reused, self.scan.node(number).is_directory) {
                    (true, _) => report.reused += 1,
                    (false, true) => report.made_directories += 1,
                    (false, false) => report.made_files += 1,
                }
                progress.batch_bytes += new.size_bytes();
                progress.batch.push(new);
                progress.plan.heads[number as usize] = Some(record);
                let uses = progress.uses[number as usize];
                if uses > 0 {
                    progress.bodies.insert(number, (body, uses));
                }
            }
            Made::Absent => report.absent += 1,
            Made::Failed(err) => {
                report.failed.push((self.scan.path(self.inputs.root, number), crate::base::printable::chain(&err)));
                progress.is_failed[number as usize] = true;
            }
        }
    }

    /// A directory is done: its children's bodies are wanted once less.
    fn release(&self, number: u32, progress: &mut Progress<'_>) {
        for child in self.scan.entries(number).filter_map(|entry| entry.node) {
            if let Some((_, uses)) = progress.bodies.get_mut(&child) {
                *uses -= 1;
                if *uses == 0 {
                    progress.bodies.remove(&child);
                }
            }
        }
    }

    fn store(&self, progress: &mut Progress<'_>, on_event: &mut dyn FnMut(Event)) -> Result<(), RunError> {
        if progress.batch.is_empty() {
            return Ok(());
        }
        let frames = std::mem::take(&mut progress.batch);
        progress.batch_bytes = 0;
        let message = format!("{}: {} frames", self.inputs.agent.id, frames.len());
        let committed = commit(self.repo, self.state, &frames, &message, LOCK_WAIT)?;
        progress.report.stored += committed.frames.len() as u64;
        progress.index.follow(&committed);
        on_event(Event::Stored(committed.frames.len() as u64));
        Ok(())
    }
}

impl Maker<'_> {
    fn file(&self, repo: &Repository, task: Task) -> Made {
        let basis = self.plan.file_basis(self.scan, self.inputs.root, task.node);
        if let Some(reused) = self.reuse(repo, task, basis, &Children::None) {
            return reused;
        }
        match self.file_body(repo, task.node) {
            Ok(Some(content)) => self.frame(task, Saying { basis, children: Children::None, content, is_reused: false }),
            Ok(None) => Made::Absent,
            Err(err) => Made::Failed(err),
        }
    }

    /// What the outline builder says about a file; `None` when a partial clone does not have it.
    fn file_body(&self, repo: &Repository, number: u32) -> Result<Option<String>, NodeError> {
        let id = self.scan.node(number).id;
        let Some(header) = repo.header(&id)? else {
            return if repo.is_partial() { Ok(None) } else { Err(ObjectError::Missing(id).into()) };
        };
        if header.size_bytes > FILE_BYTES_MAX {
            return Ok(Some(outline::too_large(header.size_bytes)));
        }
        let name = file_name(self.scan, self.inputs.root, number);
        let language = outline::language(name, b"");
        if let Some(known) = self.cache.and_then(|cache| cache.get(id, language)) {
            return Ok(Some(symbol::render(&known)));
        }
        let mut data = Vec::with_capacity(header.size_bytes as usize);
        repo.read(&id, ObjectKind::Blob, &mut data)?;
        if let Some(body) = outline::lfs_pointer(&data) {
            return Ok(Some(body));
        }
        let outline = outline::outline(name, &data);
        if let Some(cache) = self.cache {
            cache.put(id, language, &outline);
        }
        Ok(Some(symbol::render(&outline)))
    }

    /// Attaches what was said before from the same basis, at whatever node; `None` when nothing was, or may not be.
    fn reuse(&self, repo: &Repository, task: Task, basis: BasisId, children: &Children) -> Option<Made> {
        if matches!(task.reason, Reason::Forced | Reason::Invalidated) {
            return None;
        }
        let (_, blob) = self.index.find_basis(&basis)?;
        let frame = read_frame(repo, &blob).ok().filter(|frame| frame.basis == basis)?;
        let children = children.clone();
        Some(self.frame(task, Saying { basis, children, content: frame.content, is_reused: true }))
    }

    /// The frame, which carries no time: the builder is deterministic, so two machines make the same bytes.
    fn frame(&self, task: Task, saying: Saying) -> Made {
        let Saying { basis, children, content, is_reused } = saying;
        let node = self.scan.node(task.node);
        let directory = (NodeKind::Directory, BasisKind::Synthesis);
        let (kind, basis_kind) = if node.is_directory { directory } else { (NodeKind::File, BasisKind::Generated) };
        let slot = (self.inputs.agent.id.clone(), self.inputs.frame_type.clone());
        let known = self.plan.heads[task.node as usize];
        let mut frame =
            Frame::new((node.id, kind), slot, (basis_kind, basis), content).at(Some(self.scan.path(self.inputs.root, task.node)));
        frame.seq = known.map_or(1, |head| head.seq_max().saturating_add(1));
        frame.children = children;
        let again = matches!(task.reason, Reason::Forced | Reason::Invalidated);
        match NewFrame::new(self.hash, &frame, again) {
            Ok(new) => {
                let record = new.stored().record(known.and_then(|head| head.invalidation));
                Made::Frame(Box::new(MadeFrame { new, record, body: frame.content.into(), is_reused }))
            }
            Err(err) => Made::Failed(err.into()),
        }
    }
}

fn read_frame(repo: &Repository, blob: &crate::base::NodeId) -> Result<Frame, NodeError> {
    let mut data = Vec::new();
    repo.read(blob, ObjectKind::Blob, &mut data)?;
    Ok(codec::decode(&data)?)
}
