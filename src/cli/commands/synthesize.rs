//! `git merkle synthesize`: makes a directory's frame from its children's, by a fixed policy, without a model.

use serde::Serialize;

use crate::agent::OUTLINE;
use crate::base::FrameType;
use crate::cli::program::Program;
use crate::cli::snapshot::find_at_head;
use crate::cli::{CliError, Exit, amount};
use crate::ops::{self, Synthesis};
use crate::synthesis::{PolicySpec, SourceTypes};

/// Arguments of `synthesize`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// A directory at HEAD, <rev>:<path>, or a tree id
    #[arg(value_name = "directory")]
    directory: String,
    /// Type of the children's frames to combine; '*' for all types
    #[arg(long = "type", value_name = "type", default_value = "outline")]
    source: String,
    /// Agent whose frames to combine, and author of the result
    #[arg(long, value_name = "agent", default_value = OUTLINE)]
    agent: String,
    /// concatenate, summarize or filter
    #[arg(long, value_name = "policy", default_value = "concatenate")]
    policy: String,
    /// Type of the frame to create
    #[arg(long, value_name = "type", default_value = "digest")]
    into: FrameType,
    /// With filter: only children with these names; may be given more than once
    #[arg(long = "glob", value_name = "pattern")]
    globs: Vec<String>,
    /// With filter: only files, or only directories
    #[arg(long, value_name = "kind", value_parser = ["file", "directory"])]
    kind: Option<String>,
    /// With filter: only children whose frames are at most this long
    #[arg(long, value_name = "bytes", value_parser = amount::count)]
    max_bytes: Option<u64>,
}

#[derive(Serialize)]
struct Document {
    frame: String,
    made: u64,
    kept: u64,
}

/// Makes the frames of the directory and of those below it, bottom-up, and prints the directory's frame id.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let target = find_at_head(&workspace, &args.directory)?;
    let usage = |err: crate::synthesis::PolicyError| CliError::from_source(Exit::Usage, err);
    let source = match args.source.as_str() {
        "*" => SourceTypes::All,
        one => SourceTypes::One(
            one.parse()
                .map_err(|err: crate::base::IdError| CliError::from_source(Exit::Usage, err))?,
        ),
    };
    let chooses = !args.globs.is_empty() || args.kind.is_some() || args.max_bytes.is_some();
    if chooses && args.policy != "filter" {
        let text = "--glob, --kind and --max-bytes choose for '--policy filter' alone";
        return Err(CliError::new(Exit::Usage, text));
    }
    let (globs, kind, max_bytes) = (args.globs.clone(), args.kind.clone(), args.max_bytes);
    let spec = PolicySpec {
        globs,
        kind,
        max_bytes,
        ..PolicySpec::named(&args.policy, source)
    };
    let policy = spec.policy().map_err(usage)?;
    let agents = workspace.agents();
    let agent = agents.get(&args.agent)?;
    let allowed = program.allowed_secrets(&workspace)?;
    let synthesis = Synthesis {
        agent,
        into: args.into.clone(),
        spec,
        policy,
        allowed: &allowed,
    };
    let made = ops::syntheses::synthesize(&workspace, &target, &synthesis)?;
    if program.ui.is_json() {
        let (frame, kept) = (made.frame.to_string(), made.kept);
        program.ui.write_json(
            "synthesize",
            &Document {
                frame,
                made: made.made,
                kept,
            },
        )?;
    } else {
        writeln!(program.ui, "{}", made.frame)?;
    }
    Ok(Exit::Done)
}
