//! `git merkle scan`: walks a snapshot and says what is in it.

use serde::Serialize;

use crate::base::count::{counted, files_and_directories};
use crate::cli::program::Program;
use crate::cli::snapshot::SnapshotArgs;
use crate::cli::{CliError, Exit, Style};
use crate::node::Counts;
use crate::ops;
use crate::workspace::Target;

/// Arguments of `scan`.
#[derive(Debug, clap::Args)]
pub struct Args {
    #[command(flatten)]
    snapshot: SnapshotArgs,
    /// Discard derived data and rebuild it
    #[arg(long)]
    force: bool,
}

#[derive(Serialize)]
struct Document {
    root: String,
    commit: Option<String>,
    #[serde(flatten)]
    counts: Counts,
}

/// Prints the root id and the counts.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    if args.force {
        workspace
            .clear_cache()
            .map_err(|err| CliError::io("cannot clear the cache", err))?;
        let store = workspace.store()?;
        ops::refresh::index(&workspace.state, &store, 0)?;
    }
    let root = args.snapshot.root(&workspace, &program.ui)?;
    let counts =
        ops::refresh::scan(&workspace.repository, &Target::root_of(root.tree), None)?.counts;
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json(
            "scan",
            &Document {
                root: root.tree.to_string(),
                commit: root.commit.map(|commit| commit.to_string()),
                counts,
            },
        )?;
        return Ok(Exit::Done);
    }
    let id = ui.styled(Style::Id, &root.tree.to_string());
    writeln!(ui, "root {id} ({})", args.snapshot.name())?;
    let nodes = files_and_directories(counts.files, counts.directories);
    write!(ui, "{nodes}")?;
    for (count, one, many) in [
        (counts.symlinks, "symlink", "symlinks"),
        (counts.submodules, "submodule", "submodules"),
        (
            counts.ignored,
            "entry left out by .teddyignore",
            "entries left out by .teddyignore",
        ),
    ] {
        if count > 0 {
            write!(ui, ", {}", counted(count, one, many))?;
        }
    }
    writeln!(ui, "{}", super::status::paths(counts.files, counts.paths))?;
    Ok(Exit::Done)
}
