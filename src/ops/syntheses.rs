//! Syntheses for a caller that has nothing but arguments: requested once, and brought up to date ever after.

use std::sync::Arc;

use super::earlier::earlier;
use super::refresh::{self, RefreshError, Refreshed, VERIFY_SAMPLE};
use super::statement::StatementError;
use super::synthesized::{self, SynthesisReport};
use crate::agent::Agent;
use crate::base::count::counted;
use crate::base::printable::chain;
use crate::base::{AgentId, Digest, FrameType, NodeId, TreePath};
use crate::frame::{BasisKind, FrameName, Head, Index, NodeKind, Slot, Store, commit};
use crate::git::Repository;
use crate::node::Scan;
use crate::regen::remake::Remade;
use crate::regen::synthesize::{SynthesisPlan, Synthesizer};
use crate::regen::{Event, Report};
use crate::secret::{Allowed, guard};
use crate::synthesis::{Policy, PolicySpec, Reason};
use crate::workspace::{Target, Workspace};

/// A synthesis that the user requests.
pub struct Synthesis<'a> {
    /// Whose frames are read, and who speaks.
    pub agent: &'a Agent,
    /// The type of the frames that are made.
    pub into: FrameType,
    /// What the frames remember of how they were made.
    pub spec: PolicySpec,
    /// How they are put together.
    pub policy: Arc<dyn Policy>,
    /// What may be said though it looks like a secret.
    pub allowed: &'a Allowed,
}

/// Which syntheses are brought up to date, and how.
pub struct Upkeep<'a> {
    /// True for a slot whose syntheses are made.
    pub wanted: &'a dyn Fn(&Slot) -> bool,
    /// The commit from which earlier contents of paths are looked for.
    pub start: Option<NodeId>,
    /// Make a sample of those that look fresh again, and those that say something else.
    pub verify: bool,
}

/// A plan of one slot's syntheses, with what it was made from.
pub struct PlannedSyntheses {
    /// The nodes.
    pub scan: Scan,
    /// The store's index.
    pub index: Index,
    /// What is to be made.
    pub plan: SynthesisPlan,
    /// True when it depends on what stood at a path before.
    looked_back: bool,
}

impl PlannedSyntheses {
    /// Why the synthesis of the scan's root is not fresh; `None` when it is, or when there is none.
    #[must_use]
    pub fn reason(&self) -> Option<Reason> {
        self.plan
            .tasks
            .iter()
            .find(|task| task.node == self.scan.root())
            .map(|task| task.reason)
    }

    /// What makes syntheses of the plan's nodes, which stand below `root`.
    #[must_use]
    pub fn synthesizer<'a>(
        &'a self,
        repo: &'a Repository,
        root: &'a TreePath,
        agent: &'a Agent,
        into: &'a FrameType,
    ) -> Synthesizer<'a> {
        Synthesizer {
            repo,
            scan: &self.scan,
            root,
            index: &self.index,
            agent,
            into,
        }
    }
}

/// Makes the frames of a directory and of all directories below it, bottom-up. Nothing outside is looked at.
pub fn synthesize(
    workspace: &Workspace,
    target: &Target,
    synthesis: &Synthesis<'_>,
) -> Result<SynthesisReport, StatementError> {
    let Synthesis {
        agent,
        into,
        spec,
        policy,
        allowed,
    } = synthesis;
    if target.kind != NodeKind::Directory {
        let name = target
            .path
            .as_ref()
            .map_or_else(|| target.id.to_string(), |path| path.to_text().into_owned());
        return Err(StatementError::NotDirectory(name));
    }
    agent.may_write(target.kind, BasisKind::Synthesis)?;
    if agent.frame_type == *into {
        return Err(StatementError::OwnType(agent.id.clone(), into.clone()));
    }
    let scanner = workspace.scanner()?;
    let (store, cache) = (workspace.store()?, workspace.state.cache());
    let request = synthesized::request(
        &store,
        target,
        &Slot::new(&agent.id, into),
        &spec.digest(&**policy),
    );
    if let Some(known) = request.and_then(|request| synthesized::find(&cache, &request)) {
        return Ok(known);
    }
    let (scan, root) = (
        refresh::scan(&workspace.repository, target, None)?,
        target.path.clone().unwrap_or_default(),
    );
    let index = refresh::index(&workspace.state, &store, scan.len())?;
    let work = Synthesizer {
        repo: &workspace.repository,
        scan: &scan,
        root: &root,
        index: &index,
        agent,
        into,
    };
    let plan = work.plan_all(spec.clone(), policy.clone());
    let fresh = plan.fresh;
    let done = work.run(plan, &|text, path| {
        guard(text.as_bytes(), &path.to_text(), scanner, allowed)
    });
    if let Some((_, error)) = done.failed.into_iter().next() {
        return Err(error.into());
    }
    let report = SynthesisReport {
        frame: done.root.expect("a directory was named"),
        made: done.frames.len() as u64,
        kept: done.kept + fresh,
    };
    if let Some(request) = request.filter(|_| report.made == 0 && !index.is_damaged()) {
        synthesized::save(&cache, &request, &report);
    }
    commit(
        &workspace.repository,
        &workspace.state,
        &done.frames,
        &message(&agent.id, report.made),
    )?;
    Ok(report)
}

/// The slots that policies have made: of agents that may write here, and not what an agent makes by itself.
#[must_use]
pub fn synthesized_slots(workspace: &Workspace, index: &Index) -> Vec<Slot> {
    let slots = possible_slots(workspace, index).into_iter();
    slots.filter(|slot| is_synthesized(index, slot)).collect()
}

/// The slots that policies may have made; to find out whether they have is a look at all heads.
fn possible_slots(workspace: &Workspace, index: &Index) -> Vec<Slot> {
    let agents = workspace.agents();
    let may_be = |slot: &&Slot| {
        let agent = agents.get(slot.agent.as_str()).ok();
        agent.is_some_and(|agent| {
            agent.frame_type != slot.frame_type
                && agent
                    .may_write(NodeKind::Directory, BasisKind::Synthesis)
                    .is_ok()
        })
    };
    index.slots().iter().filter(may_be).cloned().collect()
}

fn is_synthesized(index: &Index, slot: &Slot) -> bool {
    let number = index.slot(slot);
    number.is_some_and(|number| index.is_synthesized(number))
}

/// How many syntheses of a slot are up to date below a target, where it is remembered that all of them are.
fn remembered(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    slot: &Slot,
) -> Option<u64> {
    let upkeep = upkeep_of(workspace, store, target, slot)?;
    synthesized::find_fresh(&workspace.state.cache(), &upkeep)
}

/// Under what it is remembered; `None` for an agent that is not known here, and a store that has no commit.
fn upkeep_of(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    slot: &Slot,
) -> Option<Digest> {
    let agents = workspace.agents();
    let agent = agents.get(slot.agent.as_str()).ok()?;
    synthesized::upkeep(store, target, agent, &slot.frame_type)
}

/// Remembers that a plan has nothing to make, unless it asked what stood at a path before.
fn remember(
    workspace: &Workspace,
    store: &Store<'_>,
    below: &Below<'_>,
    planned: &PlannedSyntheses,
) {
    let PlannedSyntheses {
        index,
        plan,
        looked_back,
        ..
    } = planned;
    if *looked_back || !plan.tasks.is_empty() || index.is_damaged() {
        return;
    }
    if let Some(upkeep) = upkeep_of(workspace, store, below.target, below.slot) {
        synthesized::save_fresh(&workspace.state.cache(), &upkeep, plan.fresh);
    }
}

/// How many syntheses of a slot are up to date, and how many are not.
#[derive(Debug, Clone, Copy)]
pub struct SynthesisCount {
    /// Those that say what they should.
    pub fresh: u64,
    /// Those that have to be made again.
    pub outdated: u64,
}

/// Counts the syntheses of a slot below a target; the arguments are those of [`plan_syntheses`].
pub fn count_syntheses(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    slot: &Slot,
    start: Option<NodeId>,
) -> Result<SynthesisCount, RefreshError> {
    if let Some(fresh) = remembered(workspace, store, target, slot) {
        return Ok(SynthesisCount { fresh, outdated: 0 });
    }
    let PlannedSyntheses { plan, .. } = plan_syntheses(workspace, store, target, slot, start)?;
    Ok(SynthesisCount {
        fresh: plan.fresh,
        outdated: plan.tasks.len() as u64,
    })
}

/// Plans the syntheses of a slot below a target. Earlier contents of paths are looked for from the commit `start`.
pub fn plan_syntheses(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    slot: &Slot,
    start: Option<NodeId>,
) -> Result<PlannedSyntheses, RefreshError> {
    let scan = refresh::scan(&workspace.repository, target, None)?;
    let mut index = refresh::index(&workspace.state, store, scan.len())?;
    let below = Below {
        target,
        slot,
        start,
    };
    let (mut plan, mut looked_back) = plan_slot(workspace, store, &scan, &index, &below)?;
    if index.is_damaged() {
        index = refresh::rebuild_index(&workspace.state, store)?;
        (plan, looked_back) = plan_slot(workspace, store, &scan, &index, &below)?;
    }
    let planned = PlannedSyntheses {
        scan,
        index,
        plan,
        looked_back,
    };
    remember(workspace, store, &below, &planned);
    Ok(planned)
}

/// Which slot is planned below which target, and the commit from which its history is read.
struct Below<'b> {
    target: &'b Target,
    slot: &'b Slot,
    start: Option<NodeId>,
}

/// The plan of a slot, and whether it depends on what stood at a path before.
fn plan_slot(
    workspace: &Workspace,
    store: &Store<'_>,
    scan: &Scan,
    index: &Index,
    below: &Below<'_>,
) -> Result<(SynthesisPlan, bool), RefreshError> {
    let Below {
        target,
        slot,
        start,
    } = *below;
    let (agents, root) = (workspace.agents(), target.path.clone().unwrap_or_default());
    let agent = agents.get(slot.agent.as_str())?;
    let work = Synthesizer {
        repo: &workspace.repository,
        scan,
        root: &root,
        index,
        agent,
        into: &slot.frame_type,
    };
    let mut looked_back = false;
    let plan = work.plan(&mut |node, path| {
        looked_back = true;
        let at = Target {
            id: *node,
            kind: NodeKind::Directory,
            path: Some(path.clone()),
            root: target.root,
        };
        let wanted = |head: &Head| {
            head.frame.agent == slot.agent && head.frame.frame_type == slot.frame_type
        };
        // History that cannot be read leaves the policy of the directory above.
        let earlier = earlier(&workspace.repository, store, start, &at, &wanted).ok()??;
        let head = earlier.heads.first().filter(|head| !head.invalidated)?;
        PolicySpec::parse(head.frame.policy()?)
    });
    Ok((plan, looked_back))
}

/// Rebuilds the outdated syntheses of the wanted slots below a target, without a model.
pub fn refresh_syntheses(
    workspace: &Workspace,
    target: &Target,
    upkeep: &Upkeep<'_>,
    on_event: &mut dyn FnMut(&Slot, Event),
) -> Result<Vec<(Slot, Refreshed)>, RefreshError> {
    let mut all = Vec::new();
    if target.kind != NodeKind::Directory {
        return Ok(all);
    }
    let index = refresh::index(&workspace.state, &workspace.store()?, 0)?;
    let slots = possible_slots(workspace, &index).into_iter();
    for slot in slots.filter(|slot| (upkeep.wanted)(slot)) {
        // What a slot before has stored may be what this one is made of.
        let known = remembered(workspace, &workspace.store()?, target, &slot);
        let refreshed = match known.filter(|_| !upkeep.verify) {
            Some(fresh) => Refreshed {
                report: Report {
                    fresh,
                    ..Report::default()
                },
                is_remembered: true,
                ..Refreshed::default()
            },
            None if is_synthesized(&index, &slot) => {
                refresh_slot(workspace, target, &slot, upkeep, on_event)?
            }
            None => continue,
        };
        all.push((slot, refreshed));
    }
    Ok(all)
}

/// The subject of a commit of the store.
fn message(agent: &AgentId, frames: u64) -> String {
    format!("{agent}: {}", counted(frames, "frame", "frames"))
}

fn refresh_slot(
    workspace: &Workspace,
    target: &Target,
    slot: &Slot,
    upkeep: &Upkeep<'_>,
    on_event: &mut dyn FnMut(&Slot, Event),
) -> Result<Refreshed, RefreshError> {
    let (store, scanner) = (workspace.store()?, workspace.scanner()?);
    let mut planned = plan_syntheses(workspace, &store, target, slot, upkeep.start)?;
    let mut plan = std::mem::take(&mut planned.plan);
    let (agents, root) = (workspace.agents(), target.path.clone().unwrap_or_default());
    let agent = agents.get(slot.agent.as_str())?;
    // What cannot be read allows nothing.
    let allowed = workspace.allowed_secrets(&[]).unwrap_or_default();
    let work = planned.synthesizer(&workspace.repository, &root, agent, &slot.frame_type);
    let mut remade = Remade::default();
    if upkeep.verify {
        remade = work.remake(&plan, Some(VERIFY_SAMPLE));
        work.make_again(&mut plan, &remade.forged);
    }
    let fresh = plan.fresh;
    let done = work.run(plan, &|text, path| {
        guard(text.as_bytes(), &path.to_text(), scanner, &allowed)
    });
    let mut report = Report {
        fresh,
        kept: done.kept,
        held_back: done.held_back,
        made_directories: done.frames.len() as u64,
        failed: done
            .failed
            .iter()
            .map(|(path, error)| (path.clone(), chain(error).into()))
            .collect(),
        ..Report::default()
    };
    if !done.frames.is_empty() {
        let message = message(&slot.agent, done.frames.len() as u64);
        let (repo, state) = (&workspace.repository, &workspace.state);
        let committed = commit(repo, state, &done.frames, &message)?;
        report.stored = committed.frames.len() as u64;
        planned.index.follow(&committed);
        done.made
            .into_iter()
            .for_each(|path| on_event(slot, Event::Made(path)));
        on_event(slot, Event::Stored(report.stored));
    }
    for (path, reason) in &report.failed {
        on_event(
            slot,
            Event::Failed {
                path: path.clone(),
                reason: reason.to_string(),
            },
        );
    }
    Ok(Refreshed {
        report,
        visited: planned.scan.len() as u64,
        remade,
        ..Refreshed::default()
    })
}

/// Makes every synthesis of a snapshot again that looks fresh; the names of those that say something else.
pub(super) fn remake_syntheses(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
) -> Result<(Remade, Vec<FrameName>), RefreshError> {
    let (agents, root) = (workspace.agents(), TreePath::root());
    let (mut all, mut names) = (Remade::default(), Vec::new());
    for slot in synthesized_slots(workspace, &refresh::index(&workspace.state, store, 0)?) {
        let planned = plan_syntheses(workspace, store, target, &slot, None)?;
        let agent = agents.get(slot.agent.as_str())?;
        let work = planned.synthesizer(&workspace.repository, &root, agent, &slot.frame_type);
        let remade = work.remake(&planned.plan, None);
        names.extend(
            remade
                .forged
                .iter()
                .filter_map(|number| work.head_name(&planned.plan, *number)),
        );
        all.add(&remade);
    }
    Ok((all, names))
}

/// Why a synthesis is not what its policy would say today; everything below it is looked at.
pub(super) fn synthesis_reason(
    workspace: &Workspace,
    store: &Store<'_>,
    target: &Target,
    head: &Head,
) -> Result<Option<Reason>, RefreshError> {
    let path = target.path.clone().or_else(|| head.frame.path.clone());
    let target = Target {
        path,
        ..target.clone()
    };
    let slot = head.frame.slot();
    Ok(plan_syntheses(workspace, store, &target, &slot, None)?.reason())
}
