//! `git merkle get-head`: the current frame of a node, its text and nothing else.

use crate::agent::{OUTLINE, Registry};
use crate::base::{AgentId, FrameType};
use crate::cli::advice::{Lookup, nothing_said};
use crate::cli::frames::{FrameDocument, State, signatures};
use crate::cli::program::Program;
use crate::cli::shell::shell_word;
use crate::cli::snapshot::{SlotArgs, SnapshotArgs, find_at_head};
use crate::cli::{CliError, Exit};
use crate::frame::Head;
use crate::ops;
use crate::synthesis::Reason;

/// Arguments of `get-head`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    /// The frame of this agent (default: the only one that has a frame, else the outline builder's)
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// The frame of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

/// Prints the content of the head as it is stored. What was declared void is no current frame; a synthesis is one where
/// its type is named. On a terminal, what a terminal would obey is escaped.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let target = find_at_head(&workspace, &args.node)?;
    let mut heads = Vec::new();
    for head in store.heads(&target.id)? {
        let slot = head.frame.slot();
        heads.extend(ops::carried::head_about(&store, &target, &slot)?);
    }
    let slot = SlotArgs {
        agent: args.agent.clone(),
        frame_type: args.frame_type.clone(),
    };
    heads.retain(|head| slot.shows(head));
    if heads.is_empty() {
        let (snapshot, agent) = (&SnapshotArgs::default(), args.agent.as_ref());
        let asked = Lookup {
            node: &args.node,
            snapshot,
            agent,
            frame_type: args.frame_type.as_ref(),
        };
        return Err(CliError::new(
            Exit::No,
            nothing_said(&workspace, &target, &asked)?,
        ));
    }
    let agents = workspace.agents();
    let is_void = heads.iter().all(|head| head.invalidated);
    if let (true, true, [head]) = (program.ui.is_json(), is_void, &heads[..]) {
        let document = FrameDocument::new(&head.frame, Some(Reason::Invalidated).into())
            .at(target.path.as_ref());
        program.ui.write_json("get-head", &document)?;
        return Ok(Exit::No);
    }
    let head = choose(heads, &args.node, &agents)?;
    if program.ui.is_json() {
        let state = State::from(ops::staleness::staleness(
            &workspace, &store, &target, &head,
        )?);
        let signature = signatures(&program.ui, &workspace, &store, &[&head.frame])
            .pop()
            .flatten();
        let document = FrameDocument::new(&head.frame, state)
            .at(target.path.as_ref())
            .signed(signature.as_ref());
        program.ui.write_json("get-head", &document)?;
    } else {
        program.ui.write_text(&head.frame.content)?;
    }
    Ok(Exit::Done)
}

/// The one head that is meant, of those that are there.
fn choose(heads: Vec<Head>, node: &str, agents: &Registry) -> Result<Head, CliError> {
    let (mut heads, void): (Vec<Head>, Vec<Head>) =
        heads.into_iter().partition(|head| !head.invalidated);
    if heads.len() > 1
        && let Some(at) = heads
            .iter()
            .position(|head| head.frame.agent.as_str() == OUTLINE)
    {
        return Ok(heads.swap_remove(at));
    }
    match heads.len() {
        0 => {
            let failed = CliError::new(
                Exit::No,
                format!("what was said about '{node}' was declared void"),
            );
            let frame = void.first().map(|head| &head.frame);
            let agent = frame.and_then(|frame| agents.get(frame.agent.as_str()).ok());
            let Some((frame, agent)) = frame.zip(agent) else {
                return Err(failed);
            };
            let (word, id, kind) = (shell_word(node), &frame.agent, &frame.frame_type);
            Err(
                failed.hint(if agent.makes(frame.kind) && agent.frame_type == *kind {
                    format!("git merkle regenerate --agent {id} {word}")
                } else {
                    format!("git merkle put-frame {word} <file> --agent {id} --type {kind}")
                }),
            )
        }
        1 => Ok(heads.remove(0)),
        _ => {
            let names: Vec<String> = heads
                .iter()
                .map(|head| format!("{}/{}", head.frame.agent, head.frame.frame_type))
                .collect();
            Err(CliError::new(
                Exit::Usage,
                format!("several frames could be meant: {}", names.join(", ")),
            )
            .hint("choose one with --agent <agent> --type <type>"))
        }
    }
}
