//! `git merkle put-frame`: stores a statement about a node.

use std::path::PathBuf;

use crate::agent::HUMAN;
use crate::base::limit::BODY_BYTES_MAX;
use crate::base::{FrameType, clock};
use crate::cli::frames::{FrameDocument, State};
use crate::cli::program::Program;
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit, given};
use crate::ops::{self, Statement};
use crate::secret::{guard, guard_name};

/// Arguments of `put-frame`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    /// A file with the text, in Markdown and UTF-8; '-' reads standard input
    #[arg(value_name = "file")]
    file: PathBuf,
    /// The author: an agent that stands for people
    #[arg(long, value_name = "agent", default_value = HUMAN)]
    agent: String,
    /// The frame's type (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

/// Reads the text, stores it, and prints the frame's id.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let target = find_at_head(&workspace, &args.node)?;
    let content = given::read(program, &args.file, BODY_BYTES_MAX as u64)?;
    let allowed = program.allowed_secrets(&workspace)?;
    guard(
        content.as_bytes(),
        &given::name(&args.file),
        workspace.scanner()?,
        &allowed,
    )?;
    let path = target.path.clone().unwrap_or_default();
    guard_name(path.as_bytes(), &target.id, workspace.scanner()?, &allowed)?;
    let agents = workspace.agents();
    let agent = agents.get(&args.agent)?;
    let frame_type = args
        .frame_type
        .clone()
        .unwrap_or_else(|| agent.frame_type.clone());
    let created = clock::render_utc(clock::now_seconds());
    let frame = ops::statement::put(
        &workspace,
        &target,
        Statement {
            agent,
            frame_type,
            content,
            created,
        },
    )?;
    program.sign(&workspace);
    if program.ui.is_json() {
        program
            .ui
            .write_json("put-frame", &FrameDocument::new(&frame, State::Fresh))?;
    } else {
        writeln!(program.ui, "{}", frame.id)?;
    }
    Ok(Exit::Done)
}
