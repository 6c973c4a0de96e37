//! `git merkle regenerate`: brings frames up to date, making exactly what is missing or outdated.

pub mod args;
mod batch;
mod confirm;
mod dry_run;
mod event;
mod job;
mod report;
mod syntheses;

pub(in crate::cli) use batch::BatchDocument;
pub(in crate::cli) use report::Run;

use std::time::Instant;

use self::args::Args;
use self::job::Job;
use self::syntheses::Scope;

use crate::agent::{Agent, Registry};
use crate::base::{AgentId, FrameType, NodeId, NodeKind, TreePath};
use crate::cli::program::Program;
use crate::cli::progress::Progress;
use crate::cli::snapshot::find_all;
use crate::cli::{CliError, Exit, Ui, asker};
use crate::node::{self, SnapshotRoot};
use crate::ops::{self, AskingOptions, ModelRun, Refresh, Refreshed, Upkeep};
use crate::provider::ledger::Spend;
use crate::regen::queue::Priority;
use crate::regen::remake::Remade;
use crate::regen::{Event, NodeFilter, Stop};
use crate::workspace::{NamedTarget, Target, Workspace};

/// Plans, or plans and makes.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let begun = Instant::now();
    let workspace = program.open()?;
    let agents = workspace.agents();
    program.ui.warn_all(&agents.warnings);
    let agent = choose_agent(args, &workspace, &agents)?;
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let repository = &workspace.repository;
    let tree_of = |revision: &String| -> Result<_, CliError> {
        Ok(repository.tree_of(&repository.resolve(revision)?)?)
    };
    let since = args.since.as_ref().map(tree_of).transpose()?;
    let scope = Scope::of(args, &workspace, agent)?;
    if scope.is_own {
        require_maker(agent)?;
    }
    let asking = if scope.is_own {
        asking(args, program, &workspace, agent)?
    } else {
        None
    };
    let request = request(args, agent, since, asking.as_ref());
    let targets = targets(args, &workspace, &root)?;
    for change in asking
        .iter()
        .flat_map(|asking| asking.writer.lasting_changes())
    {
        program.ui.note(&change);
    }
    let mut job = Job {
        args,
        workspace: &workspace,
        program,
    };
    if let (Some(option), None) = (args.model.about_a_model(), &asking) {
        return Err(asks_none(agent, option, &agents));
    }
    if let Some(asking) = asking.as_ref().filter(|_| args.model.cancel) {
        return batch::cancel(&mut job, asking);
    }
    if args.dry_run {
        return dry_run::run(&mut job, &targets, &request, &scope, root.history);
    }
    if let Some(asking) = &asking {
        agree(&mut job, &targets, &request, asking)?;
    }
    let done = refresh(&mut job, &targets, &request, &scope, root.history)?;
    job.program.sign(&workspace);
    let told = report::report(&mut job, &request, &done, begun.elapsed());
    let exit = match told {
        // The terminal that closed is the one that would be written to.
        Err(_) if done.report.stop == Some(Stop::Terminated) => Exit::Terminated,
        told => told?,
    };
    if job.program.ui.is_last() {
        // Nothing follows but the end of the process, which gives all of it back at once.
        std::mem::forget(workspace);
    }
    Ok(exit)
}

fn request<'a>(
    args: &Args,
    agent: &'a Agent,
    since: Option<NodeId>,
    asking: Option<&'a ModelRun<'a>>,
) -> Refresh<'a> {
    let frame_type = args.frame_type.as_ref().unwrap_or(&agent.frame_type);
    Refresh {
        agent,
        frame_type: frame_type.clone(),
        force: args.force,
        verify: args.verify,
        since,
        reach: match args.shard {
            Some(shard) => NodeFilter::Shard(shard),
            None if args.outdated => NodeFilter::Outdated,
            None => NodeFilter::All,
        },
        asking,
        is_background: false,
    }
}

/// Has the user agree to what requests may cost, and says where they go.
fn agree(
    job: &mut Job<'_>,
    targets: &[Target],
    request: &Refresh<'_>,
    asking: &ModelRun<'_>,
) -> Result<(), CliError> {
    confirm::confirm(job, targets, request, asking)?;
    if let Some(queue) = &asking.queue {
        let address = queue.as_text();
        job.program.ui.note(&format!(
            "requests go through {address}; workers answer them (git merkle worker --queue {address})"
        ));
    }
    Ok(())
}

fn refresh(
    job: &mut Job<'_>,
    targets: &[Target],
    request: &Refresh<'_>,
    scope: &Scope,
    start: Option<NodeId>,
) -> Result<Refreshed, CliError> {
    let (args, workspace, ui) = (job.args, job.workspace, &mut job.program.ui);
    let mut progress = Progress::new(ui);
    let mut output = Ok(());
    let mut on_event = |agent: &AgentId, frame_type: &FrameType, event| {
        event::show(&mut progress, &event);
        if event == Event::Waiting {
            ui.note(&format!(
                "another run of agent '{agent}' is at work here; waiting for it"
            ));
        }
        if args.model.json_lines && output.is_ok() {
            output = event::write(ui, &event, agent, frame_type);
        }
    };
    let mut done = Refreshed {
        is_remembered: true,
        ..Refreshed::default()
    };
    if scope.is_own {
        done = ops::refresh(workspace, targets, request, &mut |event| {
            on_event(&request.agent.id, &request.frame_type, event);
        })?;
    }
    let is_stopped = done.report.stop.is_some();
    let upkeep = Upkeep {
        wanted: &|slot| scope.wants(slot),
        start,
        verify: args.verify,
    };
    // Directories are for the run that has the frames of all shares.
    let has_directories = args.shard.is_none();
    for target in targets.iter().filter(|_| has_directories && !is_stopped) {
        for (_, one) in
            ops::syntheses::refresh_syntheses(workspace, target, &upkeep, &mut |slot, event| {
                on_event(&slot.agent, &slot.frame_type, event);
            })?
        {
            done.remade.add(&one.remade);
            done.is_remembered &= one.is_remembered;
            done.visited += one.visited;
            done.is_partial |= one.is_partial;
            done.report.add(one.report);
        }
    }
    drop(progress);
    output?;
    tell_remade(&done.remade, args.verify, ui);
    Ok(done)
}

/// What came of making anew what looks fresh; how much was compared is told only where the user wants it verified.
fn tell_remade(remade: &Remade, is_verified: bool, ui: &mut Ui) {
    let forged = remade.forged_count();
    if forged > 0 {
        ui.warn(&format!("{forged} outlines or syntheses did not say what is made from the same inputs; they are made again"));
    }
    if is_verified && remade.of > 0 {
        let (checked, of, odds) = (remade.checked, remade.of, remade.odds_percent());
        let odds = if odds == 0 {
            "under 1".to_owned()
        } else {
            odds.to_string()
        };
        let all = if checked < of {
            " (\"git merkle validate --remake\" compares all)"
        } else {
            ""
        };
        ui.note(&format!(
            "{checked} of {of} outlines and syntheses made again and compared; one forged is found with {odds} % odds{all}"
        ));
    }
}

/// The agent that was named, else the default one, else the outline builder: no other option chooses one that asks a model.
fn choose_agent<'a>(
    args: &Args,
    workspace: &Workspace,
    agents: &'a Registry,
) -> Result<&'a Agent, CliError> {
    let named = args.agent.as_deref().or(workspace
        .settings
        .default_agent
        .as_ref()
        .map(AgentId::as_str));
    Ok(agents.get(named.unwrap_or(crate::agent::OUTLINE))?)
}

/// The error for an option that needs a model, given for an agent without one; it names the agents that have one.
fn asks_none(agent: &Agent, option: &str, agents: &Registry) -> CliError {
    if agent.instructions().is_some() {
        let message =
            format!("what is combined from below asks no model, so there is no '{option}'");
        return CliError::new(Exit::Config, message).hint("leave '--type' out");
    }
    let message = format!(
        "agent '{}' asks no model, so there is no '{option}'",
        agent.id
    );
    let error = CliError::new(Exit::Config, message);
    let able = asker::all(agents);
    if able.is_empty() {
        return error.hint(
            "no agent asks a model here; 'git merkle agent create docs' makes one that does",
        );
    }
    able.iter().fold(error, |error, agent| {
        error.hint(format!(
            "git merkle regenerate --agent {} {option} …",
            agent.id
        ))
    })
}

/// Refuses an agent that makes nothing by itself.
fn require_maker(agent: &Agent) -> Result<(), CliError> {
    if !agent.makes(NodeKind::Directory) {
        let message = format!(
            "frames of agent '{}' are written by hand, not made",
            agent.id
        );
        let hint = if agent.disabled {
            format!("git merkle agent show {}", agent.id)
        } else {
            format!("git merkle put-frame <node> <file> --agent {}", agent.id)
        };
        return Err(CliError::new(Exit::Config, message).hint(hint));
    }
    Ok(())
}

/// What to send to which provider; `None` for an agent that needs no provider.
fn asking<'a>(
    args: &Args,
    program: &Program,
    workspace: &'a Workspace,
    agent: &'a Agent,
) -> Result<Option<ModelRun<'a>>, CliError> {
    if agent.instructions().is_none() {
        return Ok(None);
    }
    let model = &args.model;
    let options = AskingOptions {
        provider: model.provider.clone(),
        profile: model.profile.clone(),
        caps: model.caps(),
        spent: Spend::default(),
        day_usd: None,
        concurrency: model.concurrency.map(usize::from),
        fail_fast: model.fail_fast,
        strict: model.strict,
        batch: model.batch_mode(),
        // Batches go to the provider itself.
        queue: if model.batch {
            None
        } else {
            let stack = workspace.settings.stack();
            ops::queue::address(stack, model.queue.as_deref())?
        },
        allowed: program.global.allow_secret.clone(),
        priority: (!args.nodes.is_empty()).then_some(Priority::Requested),
        is_dry: args.dry_run,
    };
    Ok(Some(ops::asking(workspace, agent, &options)?))
}

fn targets(
    args: &Args,
    workspace: &Workspace,
    root: &SnapshotRoot,
) -> Result<Vec<Target>, CliError> {
    if args.nodes.is_empty() {
        return Ok(vec![Target::root_of(root.tree)]);
    }
    let located = |NamedTarget { written, target }: NamedTarget| {
        if target.kind == NodeKind::File && target.path.is_none() {
            // A file's language is told by its name, so a bare blob id is looked for in the snapshot.
            let scan =
                ops::refresh::scan(&workspace.repository, &Target::root_of(root.tree), None)?;
            let number = scan.find(&target.id).ok_or_else(|| {
                CliError::new(
                    Exit::Refused,
                    format!("'{written}' does not stand in the snapshot"),
                )
                .hint("name it as <rev>:<path>")
            })?;
            let path = scan.path(&TreePath::root(), number);
            return Ok(Target {
                path: Some(path),
                root: Some(root.tree),
                ..target
            });
        }
        Ok(target)
    };
    let named = find_all(workspace, root, &args.nodes)?;
    let found: Result<Vec<Target>, CliError> = named.into_iter().map(located).collect();
    let found = found?;
    for target in &found {
        refuse_ignored(workspace, target)?;
    }
    Ok(found)
}

/// Refuses what a `.teddyignore` leaves out, itself or a directory around it: nothing of it is to leave.
fn refuse_ignored(workspace: &Workspace, target: &Target) -> Result<(), CliError> {
    let (Some(tree), Some(path)) = (target.root, &target.path) else {
        return Ok(());
    };
    let rules = node::rules_above(&workspace.repository, tree, path)?;
    if rules.is_ignored(path, target.kind == NodeKind::Directory) {
        let text = format!("'{}' is left out by a .teddyignore", path.to_text());
        return Err(CliError::new(Exit::Refused, text)
            .hint("'git merkle find' and 'map' do not read it either; take its line out of the file first"));
    }
    Ok(())
}
