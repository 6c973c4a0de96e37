//! `git merkle put-frame`: stores what somebody says about a node.

use std::io::Read;
use std::path::PathBuf;

use crate::agent::HUMAN;
use crate::base::limit::BODY_BYTES_MAX;
use crate::base::{FrameType, clock};
use crate::cli::frames::{FrameDocument, State};
use crate::cli::program::Program;
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit};
use crate::secret::guard;
use crate::workspace::Statement;

/// Arguments of `put-frame`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A path at HEAD, <rev>:<path>, or an object id
    #[arg(value_name = "node")]
    node: String,
    /// The text, Markdown in UTF-8; '-' reads standard input
    #[arg(value_name = "file")]
    file: PathBuf,
    /// Who says it
    #[arg(long, value_name = "agent", default_value = HUMAN)]
    agent: String,
    /// What kind of statement it is (default: the agent's own)
    #[arg(long = "type", value_name = "type")]
    frame_type: Option<FrameType>,
}

/// Reads the text, stores it, and prints the frame's id.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let target = find_at_head(&workspace, &args.node)?;
    let content = read(args, program)?;
    let name = if args.file.as_os_str() == "-" { "standard input".to_owned() } else { args.file.display().to_string() };
    guard(content.as_bytes(), &name, workspace.scanner()?, &program.allowed_secrets(&workspace)?)?;
    let agents = workspace.agents();
    let agent = agents.get(&args.agent)?;
    let frame_type = args.frame_type.clone().unwrap_or_else(|| agent.frame_type.clone());
    let created = clock::render_utc(clock::now_seconds());
    let frame = workspace.put(&target, Statement { agent, frame_type, content, created })?;
    if program.ui.is_json() {
        program.ui.write_json("put-frame", &FrameDocument::new(&frame, State::Fresh))?;
    } else {
        writeln!(program.ui, "{}", frame.id)?;
    }
    Ok(Exit::Done)
}

fn read(args: &Args, program: &Program) -> Result<String, CliError> {
    let name = args.file.display().to_string();
    let limit = BODY_BYTES_MAX as u64 + 1;
    let mut bytes = Vec::new();
    let result = if name == "-" {
        std::io::stdin().lock().take(limit).read_to_end(&mut bytes)
    } else {
        std::fs::File::open(program.global.resolve(&args.file)).and_then(|file| file.take(limit).read_to_end(&mut bytes))
    };
    result.map_err(|err| CliError::io(format!("cannot read '{name}'"), err))?;
    if bytes.len() > BODY_BYTES_MAX {
        return Err(CliError::new(Exit::Refused, format!("'{name}' is over the limit of {BODY_BYTES_MAX} bytes")));
    }
    let text = String::from_utf8(bytes).map_err(|_| CliError::new(Exit::Refused, format!("'{name}' is not UTF-8")))?;
    if text.trim().is_empty() {
        return Err(CliError::new(Exit::Refused, format!("'{name}' is empty")));
    }
    Ok(text)
}
