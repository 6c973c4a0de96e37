//! What the hooks' worker does in one worktree: local agents always, paid ones only within the hooks' budget.

use std::collections::BTreeSet;
use std::fmt;

use super::asking::{self, AskingOptions};
use super::refresh::{self, Refresh, RefreshError, Refreshed};
use super::syntheses::{self, Upkeep};
use crate::agent::Agent;
use crate::base::Cost;
use crate::base::count::counted;
use crate::base::{NodeId, NodeKind};
use crate::config::table;
use crate::frame::Slot;
use crate::frame::commit::CommitError;
use crate::git::{RevisionError, StateDir};
use crate::hook::install::record::InstallRecord;
use crate::provider::batch::BatchFiles;
use crate::regen::{BatchMode, NodeFilter, Stop};
use crate::workspace::{Settings, Target, Workspace};

/// The commits of a bare repository's branches that have been dealt with, one a line, below the cache.
const BRANCHES_FILE: &str = "branches";
/// Room for a quarter of a million branches.
const BRANCHES_BYTES_MAX: u64 = 16 << 20;

/// What was done for one agent.
#[derive(Debug, Clone)]
pub struct AgentRun {
    /// Whose frames.
    pub agent: String,
    /// What came of it.
    pub refreshed: Refreshed,
}

/// A line for the log: `outline 3 visited 1 made 0 reused 2 stored 0 calls`.
impl fmt::Display for AgentRun {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let report = &self.refreshed.report;
        write!(
            f,
            "{} {} visited {} made {} reused {} stored {} calls",
            self.agent,
            self.refreshed.visited,
            report.made(),
            report.reused,
            report.stored,
            report.spent.calls
        )
    }
}

/// What was done in the background, and why some of it was not.
#[derive(Debug, Clone, Default)]
pub struct Background {
    /// By agent.
    pub done: Vec<AgentRun>,
    /// Agents that could not be put to work, and what failed: for the next command to tell.
    pub problems: Vec<String>,
}

/// Updates the checked-out branch without asking the user; in a bare repository, every branch that moved.
///
/// A paid agent says anew what it has said about paths that have changed, and with `merkle.hookComplete` also what it
/// never said. It takes part when `merkle.hookBudget` (US dollars a day) gives it something
/// to spend and, for one of the repository's own, when the repository is trusted; for other branches than that of
/// `HEAD` never. Secrets are taken out of what is sent. Keys come from the credential helpers: no variable of a hook
/// reaches this.
pub fn refresh_in_background(workspace: &Workspace) -> Result<Background, RefreshError> {
    let mut background = Background::default();
    let agents: Vec<Agent> = workspace
        .agents()
        .iter()
        .filter(|agent| agent.makes(NodeKind::Directory))
        .cloned()
        .collect();
    if workspace.repository.work_dir().is_none() {
        refresh_branches(workspace, &agents, &mut background)?;
    }
    match workspace.repository.resolve("HEAD") {
        Ok(commit) => refresh_all(workspace, &commit, &agents, &mut background)?,
        Err(RevisionError::Unborn | RevisionError::Unknown(_)) => {}
        Err(error) => return Err(error.into()),
    }
    Ok(background)
}

/// The branches whose commit is another one than at the last time, or all of them when that is not known.
fn refresh_branches(
    workspace: &Workspace,
    agents: &[Agent],
    background: &mut Background,
) -> Result<(), RefreshError> {
    let cache = workspace.state.cache();
    let known: BTreeSet<NodeId> = cache
        .kept_text(BRANCHES_FILE, BRANCHES_BYTES_MAX)
        .lines()
        .filter_map(|line| line.parse().ok())
        .collect();
    let branches = workspace
        .repository
        .refs_below("refs/heads/")
        .map_err(CommitError::from)?;
    let commits: BTreeSet<NodeId> = branches.into_iter().map(|(_, commit)| commit).collect();
    let local: Vec<Agent> = agents
        .iter()
        .filter(|agent| agent.instructions().is_none())
        .cloned()
        .collect();
    for commit in commits.difference(&known) {
        refresh_all(workspace, commit, &local, background)?;
    }
    if background.problems.is_empty() && commits != known {
        // A disk that refuses only costs a look at all of them next time.
        let lines: Vec<String> = commits.iter().map(ToString::to_string).collect();
        let _ = cache.keep(BRANCHES_FILE, lines.join("\n").as_bytes());
    }
    Ok(())
}

/// One commit's tree, for each agent.
fn refresh_all(
    workspace: &Workspace,
    commit: &NodeId,
    agents: &[Agent],
    background: &mut Background,
) -> Result<(), RefreshError> {
    let target = Target::root_of(workspace.repository.tree_of(commit)?);
    for agent in agents {
        for part in [collect_one, refresh_one] {
            match part(workspace, &target, agent)? {
                Ok(Some(refreshed)) => {
                    background.problems.extend(problem(agent, &refreshed));
                    background.done.push(AgentRun {
                        agent: agent.id.to_string(),
                        refreshed,
                    });
                }
                Ok(None) => {}
                Err(reason) => background
                    .problems
                    .push(format!("agent '{}': {reason}", agent.id)),
            }
        }
    }
    let upkeep = Upkeep {
        wanted: &|_| true,
        start: Some(*commit),
        verify: false,
    };
    for (slot, refreshed) in
        syntheses::refresh_syntheses(workspace, &target, &upkeep, &mut |_, _| {})?
    {
        let agent = format!("{}/{}", slot.agent, slot.frame_type);
        if let Some((path, reason)) = refreshed.report.failed.first() {
            background
                .problems
                .push(format!("'{agent}' of '{}': {reason}", path.to_text()));
        }
        background.done.push(AgentRun { agent, refreshed });
    }
    Ok(())
}

/// What the worker may spend in a day: what the user's own configuration gives, and no more than was given at install.
///
/// What stands below the git directory alone gives nothing: it may have come with the repository.
fn hook_budget_usd(state: &StateDir, settings: &Settings) -> Result<Option<f64>, String> {
    let given = settings
        .stack()
        .limit(&table::HOOK_BUDGET)
        .map_err(|error| error.to_string())?;
    let record = InstallRecord::load(state).map_err(|error| error.to_string())?;
    let at_install = record
        .and_then(|record| record.budget_nano_dollars)
        .map(|nano| Cost(nano).dollars());
    Ok(given
        .map(|given| at_install.map_or(given, |most| given.min(most)))
        .filter(|budget| *budget > 0.0))
}

/// One agent's part; `None` for one that is not at work here, an inner error for one that cannot be.
fn refresh_one(
    workspace: &Workspace,
    target: &Target,
    agent: &Agent,
) -> Result<Result<Option<Refreshed>, String>, RefreshError> {
    let mut request = Refresh {
        is_background: true,
        ..Refresh::of(agent)
    };
    if agent.instructions().is_none() {
        return refresh::refresh(
            workspace,
            std::slice::from_ref(target),
            &request,
            &mut |_| {},
        )
        .map(|refreshed| Ok(Some(refreshed)));
    }
    match workspace.settings.stack().boolean(&table::HOOK_COMPLETE) {
        Ok(Some(true)) => {}
        Ok(_) => request.reach = NodeFilter::Changed,
        Err(error) => return Ok(Err(error.to_string())),
    }
    let budget = match hook_budget_usd(&workspace.state, &workspace.settings) {
        Ok(Some(budget)) => budget,
        Ok(None) => return Ok(Ok(None)),
        Err(reason) => return Ok(Err(reason)),
    };
    let slot = Slot::new(&agent.id, &request.frame_type);
    let store = workspace.store()?;
    if refresh::index(&workspace.state, &store, 0)?
        .slot(&slot)
        .is_none()
        || refresh::is_up_to_date(
            &workspace.repository,
            &workspace.state,
            &store,
            target,
            &request,
        )
    {
        return Ok(Ok(None));
    }
    let options = AskingOptions {
        day_usd: Some(budget),
        ..AskingOptions::default()
    };
    let asking = match asking::asking(workspace, agent, &options) {
        Ok(asking) => asking,
        Err(error) => return Ok(Err(error.to_string())),
    };
    request.asking = Some(&asking);
    refresh::refresh(
        workspace,
        std::slice::from_ref(target),
        &request,
        &mut |_| {},
    )
    .map(|refreshed| Ok(Some(refreshed)))
}

/// Takes the answers that batches owe to an agent. They are paid for, so it needs no budget, and sends no request to a model.
fn collect_one(
    workspace: &Workspace,
    target: &Target,
    agent: &Agent,
) -> Result<Result<Option<Refreshed>, String>, RefreshError> {
    let batches = BatchFiles::of(&workspace.state).list().unwrap_or_default();
    let mut owed = batches
        .iter()
        .filter(|batch| batch.agent == agent.id.as_str());
    let Some(first) = owed.next() else {
        return Ok(Ok(None));
    };
    let options = AskingOptions {
        provider: Some(first.provider.clone()),
        batch: BatchMode::Collect,
        ..AskingOptions::default()
    };
    let asking = match asking::asking(workspace, agent, &options) {
        Ok(asking) => asking,
        Err(error) => return Ok(Err(error.to_string())),
    };
    let request = Refresh {
        asking: Some(&asking),
        ..Refresh::of(agent)
    };
    let targets = std::slice::from_ref(target);
    refresh::refresh(workspace, targets, &request, &mut |_| {}).map(|refreshed| Ok(Some(refreshed)))
}

/// What of a run the user should hear of.
fn problem(agent: &Agent, refreshed: &Refreshed) -> Option<String> {
    let report = &refreshed.report;
    if let Some(Stop::Budget(why) | Stop::Provider(why) | Stop::Unusable(why)) = &report.stop {
        return Some(format!("agent '{}': {why}", agent.id));
    }
    let (path, reason) = report.failed.first()?;
    Some(format!(
        "agent '{}': {} failed, the first is '{}': {reason}",
        agent.id,
        counted(report.failed.len(), "node", "nodes"),
        path.to_text()
    ))
}
