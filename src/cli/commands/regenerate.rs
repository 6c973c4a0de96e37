//! `git merkle regenerate`: brings frames up to date, making exactly what is missing or outdated.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::agent::Agent;
use crate::base::FrameType;
use crate::cli::program::Program;
use crate::cli::progress::{Progress, Step};
use crate::cli::snapshot::{SnapshotArgs, find};
use crate::cli::{CliError, Exit, json};
use crate::frame::NodeKind;
use crate::node::SnapshotRoot;
use crate::regen::{Event, Report};
use crate::synthesis::Reason;
use crate::workspace::{Refresh, Refreshed, Target, Workspace};

/// Arguments of `regenerate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories to bring up to date; directories with all that is below (default: everything)
    #[arg(value_name = "node")]
    nodes: Vec<String>,
    /// Look only at what differs from this revision, and at the directories above it
    #[arg(long, value_name = "rev")]
    since: Option<String>,
    /// Whose frames (default: the outline builder's)
    #[arg(long, value_name = "agent")]
    agent: Option<String>,
    /// Of which type (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
    /// Directories with everything below them: always so, accepted for clarity
    #[arg(long, short = 'r')]
    recursive: bool,
    /// Make frames again even where they are fresh
    #[arg(long)]
    force: bool,
    /// Look at every node, whatever the last run has found
    #[arg(long)]
    verify: bool,
    /// Say what would be made, and why; make nothing
    #[arg(long, short = 'n')]
    dry_run: bool,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document {
    agent: String,
    r#type: String,
    visited: u64,
    made_files: u64,
    made_directories: u64,
    reused: u64,
    kept: u64,
    fresh: u64,
    absent: u64,
    stored: u64,
    held_back: u64,
    failed: Vec<FailedDocument>,
}

#[derive(Serialize)]
struct FailedDocument {
    path: String,
    message: String,
}

#[derive(Serialize)]
struct PlanDocument {
    agent: String,
    r#type: String,
    calls: u64,
    fresh: u64,
    tasks: Vec<TaskDocument>,
}

#[derive(Serialize)]
struct TaskDocument {
    path: String,
    kind: &'static str,
    reason: &'static str,
}

/// Plans, or plans and makes.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let agents = workspace.agents();
    for warning in &agents.warnings {
        program.ui.warn(warning);
    }
    let agent = choose_agent(args, &workspace, &agents)?;
    let root = args.snapshot.root(&workspace, |text| program.ui.warn(text))?;
    let since = match &args.since {
        Some(revision) => Some(workspace.repository.tree_of(&workspace.repository.resolve(revision)?)?),
        None => None,
    };
    let request = Refresh {
        agent,
        frame_type: args.frame_type.clone().unwrap_or_else(|| agent.frame_type.clone()),
        force: args.force,
        verify: args.verify,
        since,
    };
    let targets = targets(args, &workspace, &root)?;
    if args.dry_run {
        return dry_run(&workspace, program, &targets, &request);
    }
    let mut progress = Progress::new(&program.ui);
    let mut done = Refreshed { is_remembered: true, ..Refreshed::default() };
    for target in &targets {
        let one = workspace.refresh(target, &request, &mut |event| {
            if let Event::Progress { done, total, .. } = event {
                progress.show(Step { position: done, total: Some(total), message: "frames" });
            }
        })?;
        done.is_remembered &= one.is_remembered;
        done.visited += one.visited;
        done.report.add(one.report);
    }
    drop(progress);
    report(program, &request, args.snapshot.name(), &done)
}

/// The agent that was named, or the only one whose frames are made here.
fn choose_agent<'a>(args: &Args, workspace: &Workspace, agents: &'a crate::agent::Registry) -> Result<&'a Agent, CliError> {
    let named = args.agent.as_deref().or(workspace.settings.default_agent.as_ref().map(crate::base::AgentId::as_str));
    let agent = agents.get(named.unwrap_or(crate::agent::OUTLINE))?;
    if agent.maker != crate::agent::Maker::Outline {
        let message = format!("frames of agent '{}' are not made by this version", agent.id);
        return Err(CliError::new(Exit::Config, message).hint(format!("git merkle put-frame <node> <file> --agent {}", agent.id)));
    }
    Ok(agent)
}

fn targets(args: &Args, workspace: &Workspace, root: &SnapshotRoot) -> Result<Vec<Target>, CliError> {
    if args.nodes.is_empty() {
        return Ok(vec![Target::root_of(root.tree)]);
    }
    let located = |spec: &String| {
        let target = find(workspace, root, spec)?;
        if target.kind == NodeKind::File && target.path.is_none() {
            // A file's language is told by its name, so a bare blob id is looked for in the snapshot.
            let scan = workspace.scan(&Target::root_of(root.tree), None)?;
            let number = scan.find(&target.id).ok_or_else(|| {
                CliError::new(Exit::Refused, format!("'{spec}' does not stand in the snapshot")).hint("name it as <rev>:<path>")
            })?;
            let path = scan.path(&crate::base::TreePath::root(), number);
            return Ok(Target { path: Some(path), root: Some(root.tree), ..target });
        }
        Ok(target)
    };
    args.nodes.iter().map(located).collect()
}

fn dry_run(workspace: &Workspace, program: &mut Program, targets: &[Target], request: &Refresh<'_>) -> Result<Exit, CliError> {
    let store = workspace.store()?;
    let (mut tasks, mut fresh) = (Vec::new(), 0);
    for target in targets {
        let planned = workspace.plan(&store, target, request)?;
        let root = target.path.clone().unwrap_or_default();
        fresh += planned.plan.fresh;
        for task in &planned.plan.tasks {
            let is_directory = planned.scan.node(task.node).is_directory;
            tasks.push((planned.scan.path(&root, task.node), is_directory, task.reason));
        }
    }
    let ui = &mut program.ui;
    if ui.is_json() {
        let tasks = tasks.iter().map(|(path, is_directory, reason)| TaskDocument {
            path: json::path(path.as_bytes()),
            kind: if *is_directory { "directory" } else { "file" },
            reason: reason.as_str(),
        });
        let (agent, r#type) = (request.agent.id.to_string(), request.frame_type.to_string());
        ui.write_json("plan", &PlanDocument { agent, r#type, calls: 0, fresh, tasks: tasks.collect() })?;
        return Ok(Exit::Done);
    }
    let mut reasons: BTreeMap<Reason, u64> = BTreeMap::new();
    for (path, is_directory, reason) in &tasks {
        *reasons.entry(*reason).or_default() += 1;
        let mut shown = path.as_bytes().to_vec();
        if *is_directory {
            shown.push(b'/');
        }
        let path = ui.path(&shown).into_owned();
        ui.write_bytes(&path)?;
        ui.end_record()?;
    }
    let why: Vec<String> = reasons.iter().map(|(reason, count)| format!("{count} {}", reason.as_str())).collect();
    ui.note(&format!(
        "would make {} frames ({}), {fresh} fresh; no calls to a model, no cost",
        tasks.len(),
        if why.is_empty() { "nothing to do".to_owned() } else { why.join(", ") }
    ));
    Ok(Exit::Done)
}

fn report(program: &mut Program, request: &Refresh<'_>, snapshot: &str, done: &Refreshed) -> Result<Exit, CliError> {
    let report = &done.report;
    let ui = &mut program.ui;
    for (path, message) in &report.failed {
        ui.warn(&format!("'{}': {message}", path.to_text()));
    }
    if ui.is_json() {
        ui.write_json("regenerate", &document(request, done))?;
    } else if report.made() + report.reused + report.failed.len() as u64 + report.absent == 0 {
        writeln!(ui, "nothing to do: every node of {snapshot} is fresh")?;
    } else {
        writeln!(ui, "{}", sentence(report))?;
    }
    if report.absent > 0 {
        ui.note(&format!("{} files are not in this partial clone; 'git fetch --refetch --no-filter' brings them", report.absent));
    }
    if report.failed.is_empty() { Ok(Exit::Done) } else { Ok(Exit::Partial) }
}

fn sentence(report: &Report) -> String {
    let many = |count: u64, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let made = format!(
        "made {} ({}, {})",
        many(report.made(), "frame", "frames"),
        many(report.made_files, "file", "files"),
        many(report.made_directories, "directory", "directories")
    );
    let others = [
        (report.reused, "reused"),
        (report.kept, "unchanged"),
        (report.fresh, "fresh"),
        (report.failed.len() as u64, "failed"),
        (report.held_back, "held back by failures below"),
    ];
    let others = others.iter().filter(|(count, _)| *count > 0).map(|(count, what)| format!("{count} {what}"));
    std::iter::once(made).chain(others).collect::<Vec<_>>().join(", ")
}

fn document(request: &Refresh<'_>, done: &Refreshed) -> Document {
    let report = &done.report;
    let failed = report
        .failed
        .iter()
        .map(|(path, message)| FailedDocument { path: json::path(path.as_bytes()), message: message.clone() });
    Document {
        agent: request.agent.id.to_string(),
        r#type: request.frame_type.to_string(),
        visited: done.visited,
        made_files: report.made_files,
        made_directories: report.made_directories,
        reused: report.reused,
        kept: report.kept,
        fresh: report.fresh,
        absent: report.absent,
        stored: report.stored,
        held_back: report.held_back,
        failed: failed.collect(),
    }
}
