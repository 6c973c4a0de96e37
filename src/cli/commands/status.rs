//! `git merkle status`: how much is said about a snapshot, and how much of it still holds.

use serde::Serialize;

use crate::agent::Maker;
use crate::base::{NodeId, NodeKind};
use crate::cli::commands::regenerate;
use crate::cli::commands::tiers::{Reported, reported};
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, Style};
use crate::frame::{Index, Slot, Store, spool};
use crate::node::{Counts, Scan};
use crate::synthesis::Reason;
use crate::workspace::{Planned, Refresh, Target, Workspace};

/// Arguments of `status`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    snapshot: SnapshotArgs,
    /// Show what the last run with a model did
    #[arg(long, conflicts_with = "exit_code")]
    last: bool,
    /// Exit with 1 if a frame that is made here is missing or outdated
    #[arg(long)]
    exit_code: bool,
}

#[derive(Serialize)]
struct Document {
    root: String,
    commit: Option<String>,
    files: u64,
    directories: u64,
    store: Option<String>,
    slots: Vec<SlotDocument>,
    spooled: usize,
    damaged_spool_files: usize,
    /// What providers have counted for the turns of sessions; absent before the first answer.
    #[serde(skip_serializing_if = "Reported::is_empty")]
    turns: Reported,
}

#[derive(Serialize)]
struct SlotDocument {
    agent: String,
    r#type: String,
    fresh: u64,
    outdated: u64,
    /// Absent for agents whose frames are written by hand: nothing says that every node needs one.
    missing: Option<u64>,
}

struct Summary {
    counts: Counts,
    slots: Vec<SlotDocument>,
}

/// Prints counts by agent and type.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    if args.last {
        return last_run(&workspace, program);
    }
    let store = workspace.store()?;
    let root = args.snapshot.root(&workspace, |text| program.ui.warn(text))?;
    let summary = summarize(&workspace, &store, root.tree)?;
    let (spooled, damaged) = spool::list(&workspace.state).map_err(|err| CliError::io("cannot read the spool", err))?;
    let stale: u64 = summary.slots.iter().filter_map(|slot| slot.missing.map(|missing| missing + slot.outdated)).sum();
    let document = Document {
        root: root.tree.to_string(),
        commit: root.commit.map(|commit| commit.to_string()),
        files: summary.counts.files,
        directories: summary.counts.directories,
        store: store.commit().map(|commit| commit.to_string()),
        slots: summary.slots,
        spooled: spooled.len(),
        damaged_spool_files: damaged.len(),
        turns: reported(&workspace)?,
    };
    if program.ui.is_json() {
        program.ui.write_json("status", &document)?;
    } else {
        write_text(program, args.snapshot.name(), &document, stale)?;
    }
    Ok(if args.exit_code && stale > 0 { Exit::No } else { Exit::Done })
}

/// Prints what the last run with a model did, as it was printed then.
fn last_run(workspace: &Workspace, program: &mut Program) -> Result<Exit, CliError> {
    let text = workspace.load_last_run().map_err(|error| CliError::io("cannot read what the last run did", error))?;
    let Some(document) = text.as_deref().and_then(regenerate::Run::parse) else {
        return Err(CliError::new(Exit::No, "no run with a model is remembered").hint("git merkle regenerate --agent <agent>"));
    };
    if program.ui.is_json() {
        program.ui.write_json("regenerate", &document)?;
    } else {
        document.write(&mut program.ui)?;
    }
    Ok(Exit::Done)
}

fn summarize(workspace: &Workspace, store: &Store<'_>, tree: NodeId) -> Result<Summary, CliError> {
    let agents = workspace.agents();
    let target = Target::root_of(tree);
    let mut slots = Vec::new();
    let mut seen: Vec<Slot> = Vec::new();
    let mut last = None;
    let index = workspace.index(store, 0)?;
    for agent in agents.iter().filter(|agent| agent.makes(NodeKind::Directory)) {
        let frame_type = agent.frame_type.clone();
        // An agent that was never put to work does not make every node a missing one.
        let is_at_work = agent.maker == Maker::Outline || index.slot(&(agent.id.clone(), frame_type.clone())).is_some();
        if !is_at_work {
            continue;
        }
        let request = Refresh { agent, frame_type, force: false, verify: true, since: None, asking: None };
        let planned = workspace.plan(store, std::slice::from_ref(&target), &request)?;
        let missing = planned.plan.tasks.iter().filter(|task| task.reason == Reason::Missing).count() as u64;
        slots.push(SlotDocument {
            agent: agent.id.to_string(),
            r#type: request.frame_type.to_string(),
            fresh: planned.plan.fresh,
            outdated: planned.plan.tasks.len() as u64 - missing,
            missing: Some(missing),
        });
        seen.push((agent.id.clone(), request.frame_type));
        last = Some(planned);
    }
    let Planned { scan, index, .. } = last.expect("the outline builder is built in");
    let mut others = count_others(&scan, &index, &seen);
    if index.is_damaged() {
        others = count_others(&scan, &workspace.rebuild_index(store)?, &seen);
    }
    slots.extend(others);
    Ok(Summary { counts: scan.counts, slots })
}

/// Heads in the slots that no plan has looked at.
fn count_others(scan: &Scan, index: &Index, seen: &[Slot]) -> Vec<SlotDocument> {
    let mut slots = Vec::new();
    for (number, slot) in index.slots().iter().enumerate().filter(|(_, slot)| !seen.contains(slot)) {
        let heads = scan.bottom_up().iter().filter_map(|node| index.find_head(&scan.node(*node).id, number as u16));
        let (mut fresh, mut outdated) = (0, 0);
        heads.for_each(|head| if head.is_invalidated() { outdated += 1 } else { fresh += 1 });
        if fresh + outdated > 0 {
            slots.push(SlotDocument { agent: slot.0.to_string(), r#type: slot.1.to_string(), fresh, outdated, missing: None });
        }
    }
    slots
}

fn write_text(program: &mut Program, snapshot: &str, document: &Document, stale: u64) -> Result<(), CliError> {
    let ui = &mut program.ui;
    let id = ui.styled(Style::Id, &document.root).to_string();
    writeln!(ui, "root {id} ({snapshot}): {} files, {} directories", document.files, document.directories)?;
    writeln!(ui)?;
    writeln!(ui, "{:<24} {:>9} {:>9} {:>9}", "agent/type", "fresh", "outdated", "missing")?;
    for slot in &document.slots {
        let name = format!("{}/{}", slot.agent, slot.r#type);
        let missing = slot.missing.map_or_else(|| "-".to_owned(), |missing| missing.to_string());
        writeln!(ui, "{name:<24} {:>9} {:>9} {missing:>9}", slot.fresh, slot.outdated)?;
    }
    writeln!(ui)?;
    if document.spooled + document.damaged_spool_files > 0 {
        writeln!(ui, "spool: {} frames wait, {} files are damaged", document.spooled, document.damaged_spool_files)?;
    }
    if !document.turns.is_empty() {
        writeln!(ui, "turns, {}", document.turns.line())?;
    }
    if stale > 0 {
        writeln!(ui, "{stale} nodes are not fresh (use \"git merkle regenerate\" to bring them up to date)")?;
    } else {
        writeln!(ui, "everything is fresh")?;
    }
    Ok(())
}
