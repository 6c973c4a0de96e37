//! Bringing frames up to date, from a named node to a report: what `regenerate` does, for any surface.
//!
//! Decides how little must be looked at: nothing when the last finished run was for this very tree, these agents and
//! this store; the difference to that run's tree when only the tree has moved on; else everything below the target.

use std::collections::HashSet;
use std::path::PathBuf;
use std::time::Duration;

use crate::agent::{Agent, AgentError, Maker, Sensitivity, exclusion};
use crate::base::cores::beside;
use crate::base::number::{IndexSlice, IndexVec};
use crate::base::{BasisId, Digest, FieldHasher, FrameType, NodeId, TreePath};
use crate::frame::commit::CommitError;
use crate::frame::{BasisKind, FRAMES_REF, Index, NodeKind, Slot, Store, StoreError};
use crate::git::{ObjectError, Repository, RevisionError, StateDir};
use crate::node::{self, NodeNumber, Scan, ScanError};
use crate::provider::call::Caller;
use crate::provider::queue::QueueAddress;
use crate::regen;
use crate::regen::generate::{self, Generator, Pace};
use crate::regen::memory::{self, Finished};
use crate::regen::prepare::{Nodes, Writer};
use crate::regen::record::{self, Records};
use crate::regen::remake::{self, Remade};
use crate::regen::{
    BatchMode, Batching, Event, Inputs, Known, NodeFilter, Plan, Report, RunError, Runner,
};
use crate::synthesis::Reason;
use crate::workspace::{RulesError, Target, Workspace};

/// Outlines, and syntheses of a slot, that `--verify` makes again and compares, drawn at random.
pub(super) const VERIFY_SAMPLE: usize = 32;

/// A run locks the file of this name while it asks a model; the agent and the type of its frames are appended.
const ASKING_FILE: &str = "asking";
/// A run for fewer frames waits for no other: it is soon over, and costs little.
const ALONE_TASKS_MIN: usize = 9;
/// How long one look for the end of another run takes.
const ASKING_WAIT: Duration = Duration::from_secs(1);

/// What is to be brought up to date, and how.
#[derive(Clone)]
pub struct Refresh<'a> {
    /// Whose frames.
    pub agent: &'a Agent,
    /// Of which type.
    pub frame_type: FrameType,
    /// Make everything again, fresh or not.
    pub force: bool,
    /// Look at everything, whatever is remembered.
    pub verify: bool,
    /// Look only at what differs from this root tree.
    pub since: Option<NodeId>,
    /// Which nodes may be made.
    pub reach: NodeFilter,
    /// What and whom to ask, for an agent whose frames a model makes.
    pub asking: Option<&'a ModelRun<'a>>,
    /// True for a run that no user waits for.
    pub is_background: bool,
}

impl<'a> Refresh<'a> {
    /// Everything of an agent's own type that is missing or outdated; whatever is remembered of the last run is used.
    #[must_use]
    pub fn of(agent: &'a Agent) -> Self {
        let frame_type = agent.frame_type.clone();
        Self {
            agent,
            frame_type,
            force: false,
            verify: false,
            since: None,
            reach: NodeFilter::All,
            asking: None,
            is_background: false,
        }
    }

    /// True for requests that go out from here and are answered at once, and not for one share of several. Who forces
    /// frames to be made again wants them once more; batches and queues know what is under way.
    fn asks_alone(&self) -> bool {
        let is_share = matches!(self.reach, NodeFilter::Shard(_));
        let is_live = |asking: &&ModelRun<'_>| {
            asking.batching.mode == BatchMode::Live && asking.queue.is_none()
        };
        self.asking.as_ref().is_some_and(is_live) && !is_share && !self.force
    }

    /// The bases of which batches owe an answer though the same was said before.
    fn owed_again(&self) -> HashSet<BasisId> {
        self.asking
            .map_or_else(HashSet::new, |asking| asking.batching.owed_again())
    }
}

/// The requests of a run to a model, the provider, and the pace.
pub struct ModelRun<'a> {
    /// Writes the requests.
    pub writer: Writer<'a>,
    /// Sends them to the provider, within the budget.
    pub caller: Caller,
    /// How many calls at once.
    pub pace: Pace,
    /// What goes out in batches, and what is owed by them.
    pub batching: Batching,
    /// Where workers take the requests, when they are not sent from here.
    pub queue: Option<QueueAddress>,
    /// Where requests to people wait for their answers.
    pub pending_dir: PathBuf,
    /// True when some limit is configured or given.
    pub has_budget: bool,
    /// `merkle.confirmAbove`: the estimate above which the user has to agree.
    pub confirm_above_nano_dollars: u64,
}

/// Why frames could not be brought up to date.
#[derive(Debug, thiserror::Error)]
pub enum RefreshError {
    /// The agent may not write.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// The snapshot cannot be walked.
    #[error(transparent)]
    Scan(#[from] ScanError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// An object cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// A revision cannot be read.
    #[error(transparent)]
    Revision(#[from] RevisionError),
    /// The run stopped.
    #[error(transparent)]
    Run(#[from] RunError),
    /// The rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
}

impl From<CommitError> for RefreshError {
    fn from(error: CommitError) -> Self {
        Self::Run(error.into())
    }
}

/// What came of it.
#[derive(Debug, Clone, Default)]
pub struct Refreshed {
    /// What was done.
    pub report: Report,
    /// True when nothing had to be looked at.
    pub is_remembered: bool,
    /// How many nodes were looked at.
    pub visited: u64,
    /// True when directories that are as they were in the last run were not looked into.
    pub is_partial: bool,
    /// Outlines and syntheses that were made again and compared, for a run that verifies.
    pub remade: Remade,
}

/// A plan with what it was made from.
pub struct Planned {
    /// The nodes.
    pub scan: Scan,
    /// What their paths are below.
    pub root: TreePath,
    /// What is to be made of them.
    pub plan: Plan,
    /// The store's index.
    pub index: Index,
    /// See [`Inputs::outlines`].
    pub outlines: IndexVec<NodeNumber, Option<Digest>>,
}

/// Plans without doing anything.
pub fn plan(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    targets: &[Target],
    request: &Refresh<'_>,
) -> Result<Planned, RefreshError> {
    let old = |target| {
        request
            .since
            .map_or(Ok(None), |tree| tree_at(repo, tree, target))
    };
    let places = targets
        .iter()
        .map(|target| Ok((target, old(target)?)))
        .collect::<Result<Vec<_>, RefreshError>>()?;
    plan_from(repo, state, store, &places, request)
}

/// Plans an agent's frames of a whole tree; every node is checked.
pub fn plan_tree(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    agent: &Agent,
) -> Result<Planned, RefreshError> {
    let target = Target::root_of(tree);
    let request = Refresh {
        verify: true,
        ..Refresh::of(agent)
    };
    let (repo, state) = (&workspace.repository, &workspace.state);
    plan(repo, state, store, std::slice::from_ref(&target), &request)
}

fn plan_from(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    places: &[(&Target, Option<NodeId>)],
    request: &Refresh<'_>,
) -> Result<Planned, RefreshError> {
    let (scan, root, mut index) = scan_and_index(repo, state, store, places)?;
    let outlines = outlines(repo, state, &scan, &root, request.agent);
    let inputs = inputs(request, &root, &outlines);
    let mut plan = plan_scan(&scan, &index, &inputs);
    if index.is_damaged() {
        index = rebuild_index(state, store)?;
        plan = plan_scan(&scan, &index, &inputs);
    }
    Ok(Planned {
        scan,
        root,
        plan,
        index,
        outlines,
    })
}

/// Walks the places, and opens the index: at the same time where the walk may be long.
fn scan_and_index(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    places: &[(&Target, Option<NodeId>)],
) -> Result<(Scan, TreePath, Index), RefreshError> {
    let is_walk = places
        .iter()
        .any(|(target, old)| old.is_none() && target.kind == NodeKind::Directory);
    let scan = || match places {
        [(target, old)] => Ok((
            scan(repo, target, *old)?,
            target.path.clone().unwrap_or_default(),
        )),
        several => Ok::<_, RefreshError>((scan_all(repo, several)?, TreePath::root())),
    };
    if !is_walk {
        let (scan, root) = scan()?;
        let index = index(state, store, scan.len())?;
        return Ok((scan, root, index));
    }
    let (repo, cache, commit) = (repo.fork(), state.cache(), store.commit());
    let (scanned, index) = std::thread::scope(|scope| {
        let index = beside(scope, move || {
            let mut index = open_index(&Store::at(&repo, commit)?, &cache)?;
            index.prepare_beside();
            Ok::<_, StoreError>(index)
        });
        (scan(), index.join())
    });
    let ((scan, root), mut index) = (scanned?, index?);
    index.prepare(scan.len());
    Ok((scan, root, index))
}

/// What stands for files in the bases of an agent; empty for one to whom every byte matters.
pub(super) fn outlines(
    repo: &Repository,
    state: &StateDir,
    scan: &Scan,
    root: &TreePath,
    agent: &Agent,
) -> IndexVec<NodeNumber, Option<Digest>> {
    match agent.sensitivity {
        Sensitivity::Content => IndexVec::new(),
        Sensitivity::Outline => record::outlines(repo, scan, root, &Records::of(&state.cache())),
    }
}

/// The store's index, prepared for this many lookups of nodes.
pub fn index(state: &StateDir, store: &Store<'_>, nodes: usize) -> Result<Index, StoreError> {
    let mut index = open_index(store, &state.cache())?;
    index.prepare(nodes);
    Ok(index)
}

/// The store's index, built from the store alone: for when one turned out to be damaged.
pub fn rebuild_index(state: &StateDir, store: &Store<'_>) -> Result<Index, StoreError> {
    Index::rebuild(store, &state.cache())
}

/// Walks what is below a target; what stood there in `old` is not looked into again.
pub fn scan(repo: &Repository, target: &Target, old: Option<NodeId>) -> Result<Scan, RefreshError> {
    if target.kind == NodeKind::File {
        return Ok(Scan::of_file(target.id));
    }
    let path = target.path.clone().unwrap_or_default();
    Ok(node::scan(
        repo,
        target.id,
        &path,
        rules_above(repo, target)?,
        old,
    )?)
}

/// The same for several targets at once: a node that two of them hold is looked at once.
fn scan_all(repo: &Repository, places: &[(&Target, Option<NodeId>)]) -> Result<Scan, RefreshError> {
    let mut starts = Vec::with_capacity(places.len());
    for (target, old) in places {
        let is_directory = target.kind == NodeKind::Directory;
        let rules = if is_directory {
            rules_above(repo, target)?
        } else {
            node::IgnoreRules::default()
        };
        let path = target.path.clone().unwrap_or_default();
        starts.push(node::Start {
            id: target.id,
            is_directory,
            path,
            rules,
            old: *old,
        });
    }
    Ok(node::scan_all(repo, starts)?)
}

fn rules_above(repo: &Repository, target: &Target) -> Result<node::IgnoreRules, ScanError> {
    let path = target.path.clone().unwrap_or_default();
    target
        .root
        .map_or(Ok(node::IgnoreRules::default()), |root| {
            node::rules_above(repo, root, &path)
        })
}

/// True when the last finished run was for just this: nothing has to be looked at.
pub fn is_up_to_date(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    target: &Target,
    request: &Refresh<'_>,
) -> bool {
    request.since.is_none() && baseline(repo, state, store, target, request) == Some(target.id)
}

/// The tree all of whose nodes are known to be fresh, if that may be relied on.
fn baseline(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    target: &Target,
    request: &Refresh<'_>,
) -> Option<NodeId> {
    let is_whole = target.path.as_ref().is_some_and(TreePath::is_root);
    remembered(repo, state, store, &digest_of(request))
        .filter(|_| is_whole && !request.verify && !request.force)
        .filter(|_| request.owed_again().is_empty())
}

/// The targets that are not known to be fresh, each with the tree that a run looked at before.
fn places<'t>(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    targets: &'t [Target],
    request: &Refresh<'_>,
) -> Result<Vec<(&'t Target, Option<NodeId>)>, RefreshError> {
    let mut places = Vec::with_capacity(targets.len());
    for target in targets {
        request.agent.may_write(target.kind, BasisKind::Generated)?;
        let remembered = baseline(repo, state, store, target, request);
        match request.since {
            Some(tree) => places.push((target, tree_at(repo, tree, target)?)),
            None if remembered == Some(target.id) => {}
            None => places.push((target, remembered)),
        }
    }
    Ok(places)
}

/// Makes what is missing or outdated below all targets in one run, and stores it.
///
/// A run that would ask a model for many frames of an agent does so alone in this clone: what two ask for at once is paid
/// for twice. The second waits, or leaves its work to a later run where it is one in the background, and plans with what
/// the first has stored.
pub fn refresh(
    workspace: &Workspace,
    targets: &[Target],
    request: &Refresh<'_>,
    on_event: &mut dyn FnMut(Event),
) -> Result<Refreshed, RefreshError> {
    let checked = workspace.repository.check_movable(FRAMES_REF);
    checked.map_err(CommitError::from)?;
    if !request.asks_alone() {
        return refresh_now(workspace, targets, request, on_event);
    }
    let (repo, state) = (&workspace.repository, &workspace.state);
    let store = workspace.store()?;
    let places = places(repo, state, &store, targets, request)?;
    let mut count = 0;
    if !places.is_empty() {
        let planned = plan_from(repo, state, &store, &places, request)?;
        count = planned.plan.tasks.len();
    }
    if count < ALONE_TASKS_MIN {
        return refresh_now(workspace, targets, request, on_event);
    }
    let name = format!("{ASKING_FILE}-{}.{}", request.agent.id, request.frame_type);
    let mut wait = Duration::ZERO;
    let _lock = loop {
        match state.lock(&name, wait) {
            Ok(None) if request.is_background => {
                let report = Report {
                    left: count as u64,
                    ..Report::default()
                };
                return Ok(Refreshed {
                    report,
                    is_partial: true,
                    ..Refreshed::default()
                });
            }
            Ok(None) if wait.is_zero() => on_event(Event::Waiting),
            Ok(None) => {}
            // Where no file can be locked, the run itself says what is wrong.
            lock => break lock.ok().flatten(),
        }
        wait = ASKING_WAIT;
    };
    refresh_now(workspace, targets, request, on_event)
}

fn refresh_now(
    workspace: &Workspace,
    targets: &[Target],
    request: &Refresh<'_>,
    on_event: &mut dyn FnMut(Event),
) -> Result<Refreshed, RefreshError> {
    let (repo, state) = (&workspace.repository, &workspace.state);
    let store = workspace.store()?;
    let places = places(repo, state, &store, targets, request)?;
    if places.is_empty() {
        return Ok(Refreshed {
            is_remembered: true,
            is_partial: true,
            ..Refreshed::default()
        });
    }
    let Planned {
        scan,
        root,
        mut plan,
        mut index,
        outlines,
    } = plan_from(repo, state, &store, &places, request)?;
    let inputs = inputs(request, &root, &outlines);
    let mut remade = Remade::default();
    if request.verify && request.agent.maker == Maker::Outline {
        let (scan, inputs) = (&scan, &inputs);
        let nodes = Nodes { repo, scan, inputs };
        remade = remake::remake(nodes, &plan, Some(VERIFY_SAMPLE));
        plan.make_again(scan, &remade.forged, Reason::Forged);
    }
    // What was sent by '--force' is collected whatever is fresh.
    let again = plan.made_from(&request.owed_again());
    plan.make_again(&scan, &again, Reason::Forced);
    let runner = Runner {
        repo,
        state,
        scan: &scan,
        inputs: &inputs,
    };
    let report = run(&runner, request.asking, plan, &mut index, on_event)?;
    let mut targets = places.iter().map(|(target, _)| target);
    let whole = targets.find(|target| target.path.as_ref().is_some_and(TreePath::is_root));
    if let (true, Some(whole), None, Some(store)) =
        (report.is_complete(), whole, request.since, index.commit())
    {
        let finished = Finished {
            tree: whole.id,
            agents: digest_of(request),
            store,
        };
        memory::save(&state.cache(), &finished);
    }
    // The index has a commit only while each step of the store was this run's own. What was just saved is not carried.
    if let (Some(before), Some(after)) = (store.commit(), index.commit()) {
        memory::carry(&state.cache(), before, after);
    }
    Ok(Refreshed {
        report,
        is_remembered: false,
        visited: scan.len() as u64,
        is_partial: places.iter().any(|(_, old)| old.is_some()),
        remade,
    })
}

/// The tree that the last finished run was for, if it was for these agents and this store.
fn remembered(
    repo: &Repository,
    state: &StateDir,
    store: &Store<'_>,
    agents: &Digest,
) -> Option<NodeId> {
    let finished = memory::load(&state.cache(), agents)?;
    let holds = Some(finished.store) == store.commit();
    let is_there = || matches!(repo.header(&finished.tree), Ok(Some(_)));
    (holds && is_there()).then_some(finished.tree)
}

/// What stands at a target's path in another root tree.
fn tree_at(
    repo: &Repository,
    root: NodeId,
    target: &Target,
) -> Result<Option<NodeId>, RefreshError> {
    let path = target.path.clone().unwrap_or_default();
    Ok(repo.find_entry(&root, path.as_bytes())?.map(|(_, id)| id))
}

/// The node alone, a directory with its entries: nothing deeper is looked at.
pub(super) fn scan_shallow(repo: &Repository, target: &Target) -> Result<Scan, RefreshError> {
    if target.kind == NodeKind::File {
        return Ok(Scan::of_file(target.id));
    }
    let path = target.path.clone().unwrap_or_default();
    Ok(node::scan_entries(
        repo,
        target.id,
        &path,
        rules_above(repo, target)?,
    )?)
}

fn open_index(store: &Store<'_>, cache: &StateDir) -> Result<Index, StoreError> {
    // A directory that cannot be made means no cache, and nothing worse.
    let _ = cache.create();
    Index::open(store, cache)
}

/// What a finished run depends on besides tree and store.
fn digest_of(request: &Refresh<'_>) -> Digest {
    let agent = request.agent;
    let mut hasher = FieldHasher::new("git-merkle 2026 agents/1")
        .field(agent.id.as_str().as_bytes())
        .field(request.frame_type.as_str().as_bytes())
        .field(&agent.prompt_digest().0)
        .field(&[u8::from(agent.path_sensitive)]);
    if let Some(words) = request.reach.words() {
        hasher.add(words.as_bytes());
    }
    if let Some(instructions) = agent.instructions() {
        hasher.add(format!("{:?} {:?}", agent.role, agent.sensitivity).as_bytes());
        let patterns = instructions.include.patterns();
        for pattern in patterns {
            hasher.add(pattern.as_bytes());
        }
        if patterns.is_empty() {
            exclusion::patterns().for_each(|(_, pattern)| hasher.add(pattern.as_bytes()));
        }
    }
    hasher.finish()
}

pub(super) fn inputs<'i>(
    request: &'i Refresh<'_>,
    root: &'i TreePath,
    outlines: &'i IndexSlice<NodeNumber, [Option<Digest>]>,
) -> Inputs<'i> {
    let Refresh {
        agent,
        force,
        reach,
        ..
    } = *request;
    Inputs {
        agent,
        frame_type: &request.frame_type,
        root,
        force,
        outlines,
        reach,
    }
}

/// Plans a scan with an index.
fn plan_scan(scan: &Scan, index: &Index, inputs: &Inputs<'_>) -> Plan {
    let slot = index.slot(&Slot::new(&inputs.agent.id, inputs.frame_type));
    let mut find_head = |node: &NodeId| index.find_head(node, slot?);
    let speaks_of = |path: &TreePath| slot.is_some_and(|slot| index.speaks_of(slot, path));
    regen::plan(
        scan,
        inputs,
        &mut Known {
            find_head: &mut find_head,
            speaks_of: &speaks_of,
        },
    )
}

/// Carries a plan out, with a model or without.
fn run(
    runner: &Runner<'_>,
    asking: Option<&ModelRun<'_>>,
    plan: Plan,
    index: &mut Index,
    on_event: &mut dyn FnMut(Event),
) -> Result<Report, RunError> {
    let Some(asking) = asking else {
        return runner.run(plan, index, on_event);
    };
    let generator = Generator {
        repo: runner.repo,
        state: runner.state,
        scan: runner.scan,
        inputs: runner.inputs,
        writer: &asking.writer,
        caller: &asking.caller,
        pace: asking.pace,
        batching: &asking.batching,
    };
    generate::block_on(&generator, plan, index, on_event)
}
