//! `git merkle explain`: why a node is fresh, outdated or missing, and what bringing it up to date would cost.

use serde::Serialize;

use crate::cli::program::Program;
use crate::cli::snapshot::{SnapshotArgs, find};
use crate::cli::{CliError, Exit, Style, json};
use crate::frame::{BasisKind, Children, Head};
use crate::node::Scan;
use crate::regen::Plan;
use crate::synthesis::Reason;
use crate::workspace::Refresh;

/// Arguments of `explain`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path, <rev>:<path>, or an object id
    #[arg(value_name = "node", default_value = ".")]
    node: String,
    /// Whose frame (default: the outline builder's)
    #[arg(long, value_name = "agent", default_value = crate::agent::OUTLINE)]
    agent: String,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

#[derive(Serialize)]
struct Document {
    node: String,
    path: Option<String>,
    agent: String,
    r#type: String,
    state: &'static str,
    reason: Option<&'static str>,
    frame: Option<String>,
    basis: Option<String>,
    /// Nodes below, and this one, that are not fresh.
    tasks: usize,
    calls: u64,
    /// What differs below: paths that are to be made first, at most [`SHOWN_MAX`].
    waits_for: Vec<String>,
    changed_children: Vec<String>,
}

/// Paths that are shown; more are counted.
const SHOWN_MAX: usize = 10;

/// Prints the state, the input that differs, and the cost.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let root = args.snapshot.root(&workspace, |text| program.ui.warn(text))?;
    let target = find(&workspace, &root, &args.node)?;
    let agents = workspace.agents();
    let agent = agents.get(&args.agent)?;
    let frame_type = agent.frame_type.clone();
    let head = store.head(&target.id, &agent.id, &frame_type)?;
    let request = Refresh { agent, frame_type, force: false, verify: true, since: None, asking: None };
    let planned = workspace.plan(&store, std::slice::from_ref(&target), &request)?;
    let (scan, plan) = (&planned.scan, &planned.plan);
    let is_made_here = agent.makes(target.kind);
    let reason = if is_made_here {
        plan.tasks.iter().find(|task| task.node == scan.root()).map(|task| task.reason)
    } else {
        match &head {
            None => Some(Reason::Missing),
            Some(head) => head.invalidated.then_some(Reason::Invalidated),
        }
    };
    let path = target.path.clone().unwrap_or_default();
    let below = plan.tasks.iter().filter(|task| is_made_here && task.node != scan.root());
    let document = Document {
        node: target.id.to_string(),
        path: target.path.as_ref().map(|path| json::path(path.as_bytes())),
        agent: agent.id.to_string(),
        r#type: request.frame_type.to_string(),
        state: match reason {
            None => "fresh",
            Some(Reason::Missing) => "missing",
            Some(_) => "outdated",
        },
        reason: reason.map(Reason::as_str),
        frame: head.as_ref().map(|head| head.frame.id.to_string()),
        basis: head.as_ref().map(|head| head.frame.basis.to_string()),
        tasks: if is_made_here { plan.tasks.len() } else { 0 },
        calls: if is_made_here && agent.instructions().is_some() { plan.tasks.len() as u64 } else { 0 },
        waits_for: below.take(SHOWN_MAX).map(|task| json::path(scan.path(&path, task.node).as_bytes())).collect(),
        changed_children: head.as_ref().map(|head| changed_children(scan, plan, head)).unwrap_or_default(),
    };
    if program.ui.is_json() {
        program.ui.write_json("explain", &document)?;
    } else {
        write_text(program, &document, reason, head.as_ref())?;
    }
    Ok(if reason.is_none() { Exit::Done } else { Exit::No })
}

/// Children whose current frame is not among those that the head was made from.
fn changed_children(scan: &Scan, plan: &Plan, head: &Head) -> Vec<String> {
    let Children::Listed(made_from) = &head.frame.children else { return Vec::new() };
    let differs = |number: u32| plan.frame_of(number).is_none_or(|frame| !made_from.contains(&frame));
    let entries = scan.entries(scan.root()).filter(|entry| entry.node.is_some_and(differs));
    entries.take(SHOWN_MAX).map(|entry| json::path(entry.name)).collect()
}

fn write_text(program: &mut Program, document: &Document, reason: Option<Reason>, head: Option<&Head>) -> Result<(), CliError> {
    let ui = &mut program.ui;
    let style = if reason.is_none() { Style::Good } else { Style::Caution };
    let state = ui.styled(style, document.state).to_string();
    writeln!(ui, "{}/{} of {} is {state}", document.agent, document.r#type, document.node)?;
    match reason {
        None if head.is_some_and(|head| head.frame.basis_kind == BasisKind::Written) => {
            writeln!(ui, "  it was written by hand for this very node")?;
        }
        None => writeln!(ui, "  everything that it was made from is unchanged")?,
        Some(reason) => writeln!(ui, "  {reason}")?,
    }
    let lists = [("to be made first", &document.waits_for), ("says something else now", &document.changed_children)];
    for (what, paths) in lists.iter().filter(|(_, paths)| !paths.is_empty() && reason.is_some()) {
        for path in *paths {
            let path = ui.styled(Style::Plain, path).to_string();
            writeln!(ui, "    {path} ({what})")?;
        }
    }
    if let Some(head) = head {
        writeln!(ui, "  frame {}, generation {}, basis {}", head.frame.id.short(), head.frame.seq, head.frame.basis.short())?;
    }
    if document.tasks > 0 {
        let nodes = if document.tasks == 1 { "node" } else { "nodes" };
        let calls = match document.calls {
            0 => "no calls to a model, no cost".to_owned(),
            1 => "at most 1 call to a model".to_owned(),
            calls => format!("at most {calls} calls to a model"),
        };
        writeln!(ui, "  refreshing looks at {} {nodes}; {calls}", document.tasks)?;
    }
    Ok(())
}
