//! `git merkle agent create`: a definition with prompts to start from, written beside nothing and over nothing.

use std::fmt::Write as _;
use std::fs;
use std::path::{Path, PathBuf};

use serde::Serialize;

use crate::agent::{ASSISTANT, HUMAN, OUTLINE};
use crate::base::{AgentId, FrameType};
use crate::cli::commands::init::file::{self, State};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::config::locate;

/// The prompts of every new agent: file, key, and first text.
pub(super) const PROMPTS: [(&str, &str, &str); 3] = [
    (
        "system",
        "system_prompt",
        include_str!("../init/docs.system.md"),
    ),
    (
        "file",
        "user_prompt_file",
        include_str!("../init/docs.file.md"),
    ),
    (
        "dir",
        "user_prompt_directory",
        include_str!("../init/docs.dir.md"),
    ),
];

/// Arguments of `agent create`.
#[derive(Debug, clap::Args)]
pub(super) struct Args {
    /// The agent's id: lower-case letters, digits and dashes
    #[arg(value_name = "id")]
    id: AgentId,
    /// The type of its frames
    #[arg(long = "type", value_name = "type", default_value = "summary")]
    frame_type: FrameType,
    /// What it may do: reader, writer or synthesis
    #[arg(long, value_name = "role", default_value = "writer", value_parser = ["reader", "writer", "synthesis"])]
    role: String,
    /// Create it for yourself, in every repository, instead of for all users of this one
    #[arg(long)]
    personal: bool,
}

#[derive(Serialize)]
struct Document {
    id: String,
    files: Vec<FileDocument>,
}

#[derive(Serialize)]
struct FileDocument {
    path: String,
    state: State,
}

/// Writes the prompts and then the definition, so that there is never one without the other.
pub(super) fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let id = args.id.as_str();
    if [ASSISTANT, HUMAN, OUTLINE].contains(&id) {
        return Err(CliError::new(
            Exit::Refused,
            format!("agent '{id}' is built in"),
        ));
    }
    let (root, below) = if args.personal {
        (personal(program)?, "")
    } else {
        (team(program)?, ".teddy/")
    };
    let definition = format!("{below}agents/{id}.toml");
    if fs::symlink_metadata(root.join(&definition)).is_ok() {
        let message = format!(
            "agent '{id}' is defined already, in '{}'",
            root.join(&definition).display()
        );
        return Err(
            CliError::new(Exit::Refused, message).hint(format!("git merkle agent show {id}"))
        );
    }
    let mut files = Vec::new();
    for (name, _, content) in prompts(&args.role) {
        let path = format!("{below}prompts/{id}.{name}.md");
        let state = file::create(&root, &path, content)?;
        files.push(FileDocument {
            path: shown(&root, &path, args.personal),
            state,
        });
    }
    let state = file::create(&root, &definition, &text(args))?;
    files.push(FileDocument {
        path: shown(&root, &definition, args.personal),
        state,
    });
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json(
            "agent-create",
            &Document {
                id: id.to_owned(),
                files,
            },
        )?;
        return Ok(Exit::Done);
    }
    for FileDocument { path, state } in files {
        let (word, style) = state.word();
        let word = ui.styled(style, word);
        let path = ui.path(path.as_bytes()).into_owned();
        write!(ui, "{word} ")?;
        ui.write_bytes(&path)?;
        ui.end_record()?;
    }
    Ok(Exit::Done)
}

pub(super) fn team(program: &mut Program) -> Result<PathBuf, CliError> {
    let workspace = program.open()?;
    let root = workspace.repository.work_dir().map(Path::to_owned);
    root.ok_or_else(|| {
        CliError::new(Exit::Git, "this operation must be run in a work tree")
            .hint("git merkle agent create --personal <id>")
    })
}

pub(super) fn personal(program: &Program) -> Result<PathBuf, CliError> {
    let folder = locate::user_folder(&program.environment).ok_or_else(|| {
        CliError::new(
            Exit::Config,
            "there is no home directory for personal agents",
        )
    })?;
    fs::create_dir_all(&folder)
        .map_err(|error| CliError::io(format!("cannot create '{}'", folder.display()), error))?;
    Ok(folder)
}

fn shown(root: &Path, path: &str, is_personal: bool) -> String {
    if is_personal {
        root.join(path).display().to_string()
    } else {
        path.to_owned()
    }
}

/// The prompts that a role needs: none to read, none for files where only directories are spoken of.
fn prompts(
    role: &str,
) -> impl Iterator<Item = &'static (&'static str, &'static str, &'static str)> {
    let is_needed = match role {
        "reader" => [false; 3],
        "synthesis" => [true, false, true],
        _ => [true; 3],
    };
    PROMPTS
        .iter()
        .zip(is_needed)
        .filter_map(|(prompt, is_needed)| is_needed.then_some(prompt))
}

fn text(args: &Args) -> String {
    let id = args.id.as_str();
    let mut text = format!(
        "id = \"{id}\"\nrole = \"{}\"\nframe_type = \"{}\"\n",
        args.role, args.frame_type
    );
    for (name, key, _) in prompts(&args.role) {
        let _ = writeln!(text, "{key} = \"prompts/{id}.{name}.md\"");
    }
    text.push_str(
        "path_sensitive = false\nsensitivity = \"content\"\n\
         # The name of a provider that each person defines for themselves; endpoints and keys never stand here.\n\
         # provider = \"claude\"\n# profile = \"default\"\n# include = [\"src/**\"]\n",
    );
    text
}
