//! `git merkle browse`: writes what is known as pages for a browser.

use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::process::Stdio;

use serde::Serialize;

use crate::agent::{HUMAN, Maker, Registry};
use crate::base::TreePath;
use crate::base::printable::is_safe;
use crate::cli::program::Program;
use crate::cli::shell::shell_word;
use crate::cli::{CliError, Exit, json, outside};
use crate::config::Environment;
use crate::frame::Slot;
use crate::git::program;
use crate::node::Snapshot;
use crate::ops::browse::{Browsed, browse};
use crate::site::escape::counted;
use crate::workspace::Workspace;
use crate::workspace::state::SITE;

/// The page that a reader starts with.
const START: &str = "index.html";
/// Programs of desktops that open a file with what the user has chosen for it.
const OPENERS: [&str; 2] = if cfg!(target_os = "macos") {
    ["open", "xdg-open"]
} else {
    ["xdg-open", "wslview"]
};

/// Arguments of `browse`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// The commit or tree whose files and directories get pages (default: HEAD)
    #[arg(value_name = "rev")]
    revision: Option<String>,
    /// Write the pages to this directory, which must be empty or hold such pages (default: merkle/site in the git directory)
    #[arg(long, short = 'o', value_name = "dir")]
    output: Option<PathBuf>,
    /// Open the first page in a browser
    #[arg(long)]
    open: bool,
}

#[derive(Serialize)]
struct Document {
    tree: String,
    commit: Option<String>,
    index: String,
    pages: usize,
    written: usize,
    removed: usize,
}

/// Writes the pages and prints where they start.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let revision = args.revision.as_deref().unwrap_or("HEAD");
    let root = workspace.root(&Snapshot::Revision(revision.to_owned()))?;
    let store = workspace.store()?;
    let output = output(args, program, &workspace)?;
    let (agents, option) = (workspace.agents(), option(args));
    let mend = |slot: &Slot, path: &TreePath, _| command(&agents, slot, path, &option);
    let Browsed {
        pages,
        written,
        removed,
    } = browse(&workspace, &store, &root, &output, &mend)?;
    let index = output.join(START);
    if args.open {
        open(&index, &program.environment)?;
    }
    let bytes = index.as_os_str().as_encoded_bytes();
    if program.ui.is_json() {
        let document = Document {
            tree: root.tree.to_string(),
            commit: root.commit.map(|commit| commit.to_string()),
            index: json::path(bytes),
            pages,
            written,
            removed,
        };
        program.ui.write_json("browse", &document)?;
        return Ok(Exit::Done);
    }
    let mut note = format!(
        "{}, {} written",
        counted(pages as u64, "page", "pages"),
        counted(written as u64, "file", "files")
    );
    if removed > 0 {
        let _ = write!(
            note,
            ", {} removed",
            counted(removed as u64, "file", "files")
        );
    }
    program.ui.note(&note);
    let shown = program.ui.path(bytes).into_owned();
    program.ui.write_bytes(&shown)?;
    program.ui.end_record()?;
    Ok(Exit::Done)
}

/// Where the pages go.
fn output(args: &Args, program: &Program, workspace: &Workspace) -> Result<PathBuf, CliError> {
    if let Some(output) = &args.output {
        return Ok(program.global.resolve(output));
    }
    let folder = workspace.state.folder(SITE);
    folder
        .create()
        .map_err(|error| CliError::io("cannot make the folder of the pages", error))?;
    Ok(folder.shown())
}

/// The revision as an option of another command.
fn option(args: &Args) -> String {
    let revision = args.revision.as_deref().filter(|name| *name != "HEAD");
    revision.map_or_else(String::new, |name| format!(" --rev {}", shell_word(name)))
}

/// The command that brings what a slot says of a path up to date; of what a person says, the one that confirms it.
fn command(agents: &Registry, slot: &Slot, path: &TreePath, option: &str) -> Option<String> {
    let agent = agents.get(slot.agent.as_str()).ok()?;
    // A path that is shown with escapes is not one that can be copied into a shell.
    let text = std::str::from_utf8(path.as_bytes()).ok()?;
    let is_shown = text
        .chars()
        .all(|c| is_safe(c) && !matches!(c, '\n' | '\t'));
    let word = if text.is_empty() {
        ".".to_owned()
    } else {
        shell_word(text)
    };
    let word = is_shown.then_some(word)?;
    let name = &agent.id;
    Some(match agent.maker {
        _ if agent.frame_type != slot.frame_type && !matches!(agent.maker, Maker::Person) => {
            format!(
                "git merkle regenerate --agent {name} --type {}{option} {word}",
                slot.frame_type
            )
        }
        Maker::Outline => format!("git merkle regenerate{option} {word}"),
        Maker::Model(_) => format!("git merkle regenerate --agent {name}{option} {word}"),
        Maker::Person if name.as_str() == HUMAN => format!("git merkle affirm {word}"),
        Maker::Person => format!("git merkle affirm --agent {name} {word}"),
    })
}

/// Hands the page to the user's desktop, and does not wait for it.
fn open(page: &Path, environment: &Environment) -> Result<(), CliError> {
    for path in OPENERS.iter().filter_map(|name| program::find(name)) {
        let started = outside::command(&path, environment)
            .arg(page)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn();
        if started.is_ok() {
            return Ok(());
        }
    }
    Err(CliError::new(
        Exit::Refused,
        format!(
            "the pages are written, and no program opens them: {} is not installed",
            OPENERS[0]
        ),
    )
    .hint(format!("open '{}' in a browser", page.display())))
}
