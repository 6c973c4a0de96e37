//! `git merkle invalidate`: says that what was said no longer holds, so that it is made again.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::base::count::counted;
use crate::base::{AgentId, FrameType, NodeId, clock};
use crate::cli::program::Program;
use crate::cli::snapshot::{check_agent, find_at_head, head};
use crate::cli::{CliError, Exit};
use crate::frame::Head;
use crate::ops::carried::Carried;
use crate::ops::{self, Invalidated, Invalidation};
use crate::workspace::{Target, Workspace};

/// Arguments of `invalidate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    /// Also everything below a directory
    #[arg(long, short = 'r')]
    recursive: bool,
    /// Only frames of this agent (default: all that are not written by hand)
    #[arg(long, value_name = "agent")]
    agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

#[derive(Serialize)]
struct Document {
    invalidated: usize,
    left: usize,
}

/// Appends the invalidations; older frames stay listed.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let target = find_at_head(&workspace, &args.node)?;
    let created = clock::render_utc(clock::now_seconds());
    let which = Invalidation {
        is_recursive: args.recursive,
        agent: args.agent.as_ref(),
        frame_type: args.frame_type.as_ref(),
    };
    let Invalidated {
        mut invalidated,
        left,
    } = ops::statement::invalidate(&workspace, &target, which, &created)?;
    for earlier in carried_to(&workspace, &target, which)? {
        let which = Invalidation {
            is_recursive: false,
            ..which
        };
        invalidated +=
            ops::statement::invalidate(&workspace, &earlier, which, &created)?.invalidated;
    }
    if let (0, Some(agent)) = (invalidated, &args.agent) {
        check_agent(&workspace, &workspace.store()?, agent)?;
    }
    program.sign(&workspace);
    if left > 0 {
        program.ui.note(&format!(
            "{} written by hand and left: no run makes that again; 'git merkle retract' ends what you said, '--agent <agent>' invalidates what all said",
            counted(left, "frame is", "frames are")
        ));
    }
    if program.ui.is_json() {
        let document = Document { invalidated, left };
        program.ui.write_json("invalidate", &document)?;
    } else {
        writeln!(
            program.ui,
            "invalidated {}",
            counted(invalidated, "frame", "frames")
        )?;
    }
    Ok(Exit::no_if(invalidated == 0))
}

/// The earlier contents of which the named agent said what is carried to a path: `show` tells it there, so it ends there.
fn carried_to(
    workspace: &Workspace,
    target: &Target,
    which: Invalidation<'_>,
) -> Result<Vec<Target>, CliError> {
    let (Some(_), Ok(root)) = (which.agent, head(workspace)) else {
        return Ok(Vec::new());
    };
    let (repo, state) = (&workspace.repository, &workspace.state);
    let store = workspace.store()?;
    let carried = ops::carried(repo, state, &store, &root, target)?;
    let mut earlier: BTreeMap<NodeId, Target> = BTreeMap::new();
    let named = carried.into_iter().filter(|one| which.names(&one.frame));
    for Carried { frame, .. } in named {
        // What stands somewhere with this content has notes of its own there, and an end of the content would end these.
        let stands = store.voices(&frame.node)?.heads.into_iter();
        let is_elsewhere = |head: Head| {
            let at = head.frame.path.filter(|at| Some(at) != frame.path.as_ref());
            at.is_some_and(|at| matches!(repo.find_entry(&root.tree, at.as_bytes()), Ok(Some((_, id))) if id == frame.node))
        };
        if stands.into_iter().any(is_elsewhere) {
            continue;
        }
        let of_frame = Target {
            id: frame.node,
            kind: frame.kind,
            path: frame.path,
            root: None,
        };
        earlier.entry(of_frame.id).or_insert(of_frame);
    }
    Ok(earlier.into_values().collect())
}
