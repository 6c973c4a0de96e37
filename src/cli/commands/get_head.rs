//! `git merkle get-head`: the current frame of a node, its text and nothing else.

use crate::agent::OUTLINE;
use crate::base::{AgentId, FrameType};
use crate::cli::frames::{FrameDocument, State};
use crate::cli::program::Program;
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit};
use crate::frame::Head;

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

/// Prints the content of the head as it is stored.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let target = find_at_head(&workspace, &args.node)?;
    let mut heads = store.heads(&target.id)?;
    heads.retain(|head| {
        args.agent.as_ref().is_none_or(|agent| *agent == head.frame.agent)
            && args.frame_type.as_ref().is_none_or(|frame_type| *frame_type == head.frame.frame_type)
    });
    let head = choose(heads, &args.node)?;
    if program.ui.is_json() {
        let state = State::from(workspace.staleness(&store, &target, &head)?);
        program.ui.write_json("get-head", &FrameDocument::new(&head.frame, state).at(target.path.as_ref()))?;
    } else {
        program.ui.write_bytes(head.frame.content.as_bytes())?;
    }
    Ok(Exit::Done)
}

/// The one head that is meant.
fn choose(mut heads: Vec<Head>, node: &str) -> Result<Head, CliError> {
    if heads.len() > 1
        && let Some(at) = heads.iter().position(|head| head.frame.agent.as_str() == OUTLINE)
    {
        return Ok(heads.swap_remove(at));
    }
    match heads.len() {
        0 => Err(CliError::new(Exit::No, format!("nothing is said about '{node}'")).hint("git merkle regenerate")),
        1 => Ok(heads.remove(0)),
        _ => {
            let names: Vec<String> = heads.iter().map(|head| format!("{}/{}", head.frame.agent, head.frame.frame_type)).collect();
            Err(CliError::new(Exit::Usage, format!("several frames could be meant: {}", names.join(", ")))
                .hint("choose one with --agent <agent> --type <type>"))
        }
    }
}
