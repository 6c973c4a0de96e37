//! `git merkle log`: what was said about a path over time, following it through history.

use serde::Serialize;

use crate::base::{NodeId, TreePath, printable};
use crate::cli::frames::{FrameDocument, State, signatures, state_of, write_line};
use crate::cli::program::Program;
use crate::cli::snapshot::{SlotArgs, find, head};
use crate::cli::{CliError, Exit, Style, Ui};
use crate::frame::{Frame, Store};
use crate::ops;
use crate::sync::Signature;
use crate::workspace::Workspace;

/// How much of a statement's first line is shown.
const FIRST_LINE_CHARS: usize = 100;

/// Arguments of `log`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD
    #[arg(value_name = "node", default_value = ".")]
    node: String,
    /// Search at most this many commits
    #[arg(long, short = 'n', value_name = "commits", default_value_t = 1_000)]
    max_count: usize,
    #[command(flatten)]
    slot: SlotArgs,
}

/// A version of a path, with its frames and their states, newest first.
struct Version {
    commit: NodeId,
    node: NodeId,
    frames: Vec<(Frame, State)>,
}

#[derive(Serialize)]
struct Document {
    versions: Vec<VersionDocument>,
}

#[derive(Serialize)]
struct VersionDocument {
    commit: String,
    node: String,
    frames: Vec<FrameDocument>,
}

/// Prints each version of the node that has frames, with the oldest commit of the line that has it.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open_paged()?;
    let store = workspace.store()?;
    let root = head(&workspace)?;
    let target = find(&workspace, &root, &args.node)?;
    let path = target.path.clone().unwrap_or_default();
    let start = root
        .commit
        .ok_or_else(|| CliError::new(Exit::Git, "HEAD is no commit"))?;
    let mut versions = versions(args, &workspace, &store, &start, &path)?;
    if versions.is_empty() {
        args.slot.check(&workspace, &store)?;
    }
    // What stands at the path now has heads; what stood there before is older.
    let standing = store.standing(&target.id)?;
    for (frame, state) in versions
        .iter_mut()
        .filter(|version| version.node == target.id)
        .flat_map(|version| &mut version.frames)
    {
        *state = state_of(&workspace, &store, &target, &standing, frame)?;
    }
    // What a person said about an earlier version stands until its author ends it.
    let (repo, state) = (&workspace.repository, &workspace.state);
    let carried = ops::carried::carried(repo, state, &store, &root, &target)?;
    let frames = versions.iter_mut().flat_map(|version| &mut version.frames);
    for (_, state) in frames.filter(|(frame, _)| carried.iter().any(|one| one.frame == *frame)) {
        *state = State::Carried;
    }
    let said: Vec<&Frame> = versions
        .iter()
        .flat_map(|version| version.frames.iter().map(|(frame, _)| frame))
        .collect();
    let known = signatures(&program.ui, &workspace, &store, &said);
    let mut known = known.iter().map(Option::as_ref);
    let versions: Vec<(&Version, Vec<Option<&Signature>>)> = versions
        .iter()
        .map(|version| (version, known.by_ref().take(version.frames.len()).collect()))
        .collect();
    if program.ui.is_json() {
        let document =
            |(version, signatures): &(&Version, Vec<Option<&Signature>>)| VersionDocument {
                commit: version.commit.to_string(),
                node: version.node.to_string(),
                frames: (version.frames.iter().zip(signatures))
                    .map(|((frame, state), signature)| {
                        FrameDocument::new(frame, *state)
                            .at(Some(&path))
                            .signed(*signature)
                    })
                    .collect(),
            };
        program.ui.write_json(
            "log",
            &Document {
                versions: versions.iter().map(document).collect(),
            },
        )?;
        return Ok(Exit::Done);
    }
    write_text(&mut program.ui, &versions)
}

/// The versions of a path in the line of a commit that have frames, the newest first.
fn versions(
    args: &Args,
    workspace: &Workspace,
    store: &Store<'_>,
    start: &NodeId,
    path: &TreePath,
) -> Result<Vec<Version>, CliError> {
    let mut versions: Vec<Version> = Vec::new();
    let repo = &workspace.repository;
    for step in repo.first_parents(start).take(args.max_count) {
        let (commit, tree) = step?;
        let Some((_, node)) = repo.find_entry(&tree, path.as_bytes())? else {
            break;
        };
        match versions.last_mut() {
            Some(version) if version.node == node => version.commit = commit,
            _ => versions.push(Version {
                commit,
                node,
                frames: frames(args, store, &node)?,
            }),
        }
    }
    versions.retain(|version| !version.frames.is_empty());
    Ok(versions)
}

fn write_text(
    ui: &mut Ui,
    versions: &[(&Version, Vec<Option<&Signature>>)],
) -> Result<Exit, CliError> {
    for (version, signatures) in versions {
        let commit = ui.styled(Style::Id, &version.commit.to_string());
        writeln!(ui, "commit {commit} {}", version.node.short())?;
        for ((frame, state), signature) in version.frames.iter().zip(signatures) {
            write!(ui, "    ")?;
            write_line(ui, frame, *state, *signature)?;
            // Records that a program reads are one line each.
            if !ui.is_raw()
                && let Some(first) = frame.content.lines().find(|line| !line.trim().is_empty())
            {
                let first: String = first.trim().chars().take(FIRST_LINE_CHARS).collect();
                writeln!(ui, "        {}", printable(&first))?;
            }
        }
    }
    Ok(Exit::Done)
}

fn frames(args: &Args, store: &Store<'_>, node: &NodeId) -> Result<Vec<(Frame, State)>, CliError> {
    let mut frames: Vec<Frame> = store
        .entries(node)?
        .iter()
        .rev()
        .filter_map(|entry| store.read(entry))
        .collect();
    frames.retain(|frame| args.slot.has(&frame.agent, &frame.frame_type));
    Ok(frames
        .into_iter()
        .map(|frame| (frame, State::Older))
        .collect())
}
