//! `git merkle list-frames`: every frame of a node, newest last.

use crate::cli::frames::{FrameDocument, FramesDocument, State, signatures, state_of, write_line};
use crate::cli::program::Program;
use crate::cli::snapshot::{SlotArgs, find_at_head};
use crate::cli::{CliError, Exit};
use crate::frame::Frame;
use crate::sync::Signature;

/// Arguments of `list-frames`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    #[command(flatten)]
    slot: SlotArgs,
}

/// Prints them, by agent, type and generation.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let target = find_at_head(&workspace, &args.node)?;
    let mut listed: Vec<(Frame, State)> = Vec::new();
    let mut entries = store.entries(&target.id)?;
    entries.retain(|entry| args.slot.has(&entry.name.agent, &entry.name.frame_type));
    if entries.is_empty() {
        args.slot.check(&workspace, &store)?;
    }
    let standing = store.standing(&target.id)?;
    for frame in entries.iter().filter_map(|entry| store.read(entry)) {
        let state = state_of(&workspace, &store, &target, &standing, &frame)?;
        listed.push((frame, state));
    }
    let frames: Vec<&Frame> = listed.iter().map(|(frame, _)| frame).collect();
    let signatures = signatures(&program.ui, &workspace, &store, &frames);
    let listed = listed.iter().zip(signatures.iter().map(Option::as_ref));
    if program.ui.is_json() {
        let document = |((frame, state), signature): (&(Frame, State), Option<&Signature>)| {
            FrameDocument::new(frame, *state)
                .at(target.path.as_ref())
                .signed(signature)
        };
        program.ui.write_json(
            "list-frames",
            &FramesDocument {
                frames: listed.map(document).collect(),
            },
        )?;
        return Ok(Exit::Done);
    }
    for ((frame, state), signature) in listed {
        write_line(&mut program.ui, frame, *state, signature)?;
    }
    Ok(Exit::Done)
}
