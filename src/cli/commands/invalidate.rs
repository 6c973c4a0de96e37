//! `git merkle invalidate`: says that what was said no longer holds, so that it is made again.

use serde::Serialize;

use crate::base::count::counted;
use crate::base::{AgentId, FrameType, clock};
use crate::cli::program::Program;
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit};
use crate::ops;

/// Arguments of `invalidate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    /// Also everything below a directory
    #[arg(long, short = 'r')]
    recursive: bool,
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

#[derive(Serialize)]
struct Document {
    invalidated: usize,
}

/// Appends the invalidations; older frames stay listed.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let target = find_at_head(&workspace, &args.node)?;
    let wanted = |agent: &AgentId, frame_type: &FrameType| {
        args.agent.as_ref().is_none_or(|one| one == agent)
            && args.frame_type.as_ref().is_none_or(|one| one == frame_type)
    };
    let created = clock::render_utc(clock::now_seconds());
    let invalidated =
        ops::statement::invalidate(&workspace, &target, args.recursive, &wanted, &created)?;
    program.sign(&workspace);
    if program.ui.is_json() {
        program
            .ui
            .write_json("invalidate", &Document { invalidated })?;
    } else {
        writeln!(
            program.ui,
            "invalidated {}",
            counted(invalidated, "frame", "frames")
        )?;
    }
    Ok(if invalidated == 0 {
        Exit::No
    } else {
        Exit::Done
    })
}
