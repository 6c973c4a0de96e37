//! `git merkle watch`: keeps local frames of the work tree fresh while files change. One line for each batch.

mod batch;

use std::time::Duration;

use self::batch::{Batch, BatchStates};

use crate::agent::Agent;
use crate::base::NodeId;
use crate::base::count::files_and_directories;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::frame::Slot;
use crate::hook::watch::Watch;
use crate::node::Snapshot;
use crate::ops::{self, Refresh, Upkeep};
use crate::regen::Report;
use crate::workspace::{Target, Workspace};

/// Arguments of `watch`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Wait until nothing has changed for this long, in milliseconds
    #[arg(long, value_name = "ms", default_value_t = 300, value_parser = clap::value_parser!(u64).range(1..=60_000))]
    quiet_for: u64,
    /// Print one JSON object per batch
    #[arg(long, visible_alias = "jsonl")]
    json_lines: bool,
    /// Bring everything up to date once, then exit
    #[arg(long)]
    once: bool,
}

/// Watches until it is interrupted.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let Some(root) = workspace
        .repository
        .work_dir()
        .and_then(|path| path.canonicalize().ok())
    else {
        return Err(
            CliError::new(Exit::Git, "this operation must be run in a work tree")
                .hint("clone the repository and run 'git merkle watch' in the clone"),
        );
    };
    let git_dir = workspace
        .repository
        .git_dir()
        .canonicalize()
        .unwrap_or_else(|_| workspace.repository.git_dir().to_owned());
    if args.once {
        return look(&workspace, &mut None)?
            .map_or(Ok(()), |batch| print(args, program, &batch))
            .map(|()| Exit::Done);
    }
    // Listening begins before the first look, so that no change falls between the two.
    let watch = Watch::start(&root, &git_dir)?;
    program
        .ui
        .note(&format!("watching {}; Ctrl-C ends it", root.display()));
    let mut last = None;
    loop {
        match look(&workspace, &mut last) {
            Ok(Some(batch)) => print(args, program, &batch)?,
            Ok(None) => {}
            // A file that goes while it is read, a merge with conflicts, a lock: the next change brings the next look.
            Err(error) => program.ui.warn(&error.to_string()),
        }
        if !watch.wait(Duration::from_millis(args.quiet_for)) {
            return Ok(Exit::Done);
        }
    }
}

/// Brings the work tree's frames up to date; `None` if it holds what it held at the last look that succeeded.
fn look(workspace: &Workspace, last: &mut Option<NodeId>) -> Result<Option<Batch>, CliError> {
    let root = workspace.root(&Snapshot::Worktree)?;
    let tree = root.tree;
    if *last == Some(tree) {
        return Ok(None);
    }
    let agents = workspace.agents();
    let (mut report, mut told) = (Report::default(), BatchStates::default());
    for agent in agents.iter().filter(|agent| is_local(agent)) {
        let request = Refresh::of(agent);
        let done = ops::refresh(
            workspace,
            &[Target::root_of(tree)],
            &request,
            &mut |event| {
                told.add(&agent.id, &request.frame_type, event);
            },
        )?;
        report.add(done.report);
    }
    let upkeep = Upkeep {
        wanted: &|_| true,
        start: root.history,
        verify: false,
    };
    let mut take = |slot: &Slot, event| told.add(&slot.agent, &slot.frame_type, event);
    for (_, done) in
        ops::syntheses::refresh_syntheses(workspace, &Target::root_of(tree), &upkeep, &mut take)?
    {
        report.add(done.report);
    }
    let batch = told.batch(workspace, &report, *last, tree)?;
    *last = Some(tree);
    Ok(Some(batch))
}

/// True for an agent that needs no provider and costs nothing.
fn is_local(agent: &Agent) -> bool {
    agent.instructions().is_none() && agent.makes(crate::base::NodeKind::Directory)
}

fn print(args: &Args, program: &mut Program, batch: &Batch) -> Result<(), CliError> {
    let Batch {
        made_files,
        made_directories,
        reused,
        failed,
        ref changes,
        ..
    } = *batch;
    let is_still = made_files + made_directories + reused + failed == 0;
    let ui = &mut program.ui;
    if args.json_lines || ui.is_json() {
        if is_still && changes.is_empty() {
            return Ok(());
        }
        ui.write_json("watch", batch)?;
    } else if is_still {
        return Ok(());
    } else {
        let failed = if failed > 0 {
            format!(", {failed} failed")
        } else {
            String::new()
        };
        writeln!(
            ui,
            "{} made, {reused} reused{failed}",
            files_and_directories(made_files, made_directories)
        )?;
    }
    ui.flush()?;
    Ok(())
}
