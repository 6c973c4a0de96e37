//! `git merkle show`: what is said about nodes, with whether it still holds.

use crate::base::limit::STALE_COMMITS_MAX;
use crate::base::{AgentId, FrameType, NodeId};
use crate::cli::frames::{FrameDocument, FramesDocument, State, write_whole};
use crate::cli::program::Program;
use crate::cli::snapshot::{SnapshotArgs, find};
use crate::cli::{CliError, Exit};
use crate::frame::{Head, Store};
use crate::node::SnapshotRoot;
use crate::workspace::{Target, Workspace};

/// Arguments of `show`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Files and directories (default: the current directory)
    #[arg(value_name = "node")]
    nodes: Vec<String>,
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
    #[command(flatten)]
    snapshot: SnapshotArgs,
}

/// A head, and the earlier commit that it was found at when the node itself has none.
struct Found {
    head: Head,
    state: State,
    commit: Option<NodeId>,
}

/// Prints the heads of each node.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let store = workspace.store()?;
    let root = args.snapshot.root(&workspace, |text| program.ui.warn(text))?;
    let here = [".".to_owned()];
    let specs = if args.nodes.is_empty() { &here[..] } else { &args.nodes };
    let mut documents = Vec::new();
    let mut is_first = true;
    for spec in specs {
        let target = find(&workspace, &root, spec)?;
        let found = heads(args, &workspace, &store, &root, &target)?;
        if found.is_empty() {
            program.ui.note(&format!("nothing is said about '{spec}' yet; 'git merkle regenerate {spec}' outlines it"));
        }
        for Found { head, state, commit } in found {
            if program.ui.is_json() {
                let document = FrameDocument::new(&head.frame, state).at(target.path.as_ref());
                documents.push(match commit {
                    Some(commit) => document.at_commit(&commit.to_string()),
                    None => document,
                });
                continue;
            }
            if !is_first {
                writeln!(program.ui)?;
            }
            is_first = false;
            let note = commit.map_or(String::new(), |commit| format!("from commit {}", commit.short()));
            write_whole(&mut program.ui, &head.frame, state, (target.path.as_ref(), &note))?;
        }
    }
    let is_empty = if program.ui.is_json() {
        let is_empty = documents.is_empty();
        program.ui.write_json("show", &FramesDocument { frames: documents })?;
        is_empty
    } else {
        is_first
    };
    Ok(if is_empty { Exit::No } else { Exit::Done })
}

fn heads(
    args: &Args,
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    target: &Target,
) -> Result<Vec<Found>, CliError> {
    let wanted = |head: &Head| {
        args.agent.as_ref().is_none_or(|agent| *agent == head.frame.agent)
            && args.frame_type.as_ref().is_none_or(|frame_type| *frame_type == head.frame.frame_type)
    };
    let mut found = Vec::new();
    for head in store.heads(&target.id)?.into_iter().filter(wanted) {
        let state = workspace.staleness(store, target, &head)?.into();
        found.push(Found { head, state, commit: None });
    }
    if found.is_empty() && root.commit.is_some() {
        found = stale(workspace, store, root, target, &wanted)?;
    }
    Ok(found)
}

/// The newest frames that the same path had in earlier commits, always labelled as such.
fn stale(
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    target: &Target,
    wanted: &dyn Fn(&Head) -> bool,
) -> Result<Vec<Found>, CliError> {
    let (Some(commit), Some(path)) = (root.commit, &target.path) else { return Ok(Vec::new()) };
    let mut last = Some(target.id);
    for step in workspace.repository.first_parents(&commit).take(STALE_COMMITS_MAX + 1).skip(1) {
        let (commit, tree) = step?;
        let there = workspace.repository.find_entry(&tree, path.as_bytes())?.map(|(_, id)| id);
        if there == last {
            continue;
        }
        last = there;
        let Some(id) = there else { continue };
        let heads: Vec<_> = store.heads(&id)?.into_iter().filter(wanted).collect();
        if !heads.is_empty() {
            return Ok(heads.into_iter().map(|head| Found { head, state: State::Stale, commit: Some(commit) }).collect());
        }
    }
    Ok(Vec::new())
}
