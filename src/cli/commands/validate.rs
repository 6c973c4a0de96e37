//! `git merkle validate`: checks every frame, name and digest of the store, and that nothing it needs is missing.

use serde::Serialize;

use crate::base::count::counted;
use crate::base::{NodeId, NodeKind, TreePath, printable};
use crate::cli::program::Program;
use crate::cli::progress::{Progress, ProgressStep};
use crate::cli::snapshot::head;
use crate::cli::{CliError, Exit, Ui, json};
use crate::frame::{BadEntry, Fault, Store, spool, verify};
use crate::node::{IgnoreRules, Scan, scan};
use crate::ops;
use crate::workspace::Workspace;

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Check the frames of this commit of a store, such as one that a hook of a server is given (default: the store)
    #[arg(value_name = "commit", conflicts_with = "remake")]
    commit: Option<String>,
    /// Rebuild the outlines and syntheses of HEAD, and name those that differ
    #[arg(long)]
    remake: bool,
}

#[derive(Serialize)]
struct Document {
    checked: u64,
    faults: Vec<FaultDocument>,
    /// Frames of newer formats, which are no faults and which this program cannot check.
    newer: Vec<FaultDocument>,
}

#[derive(Serialize)]
struct FaultDocument {
    path: String,
    message: String,
}

/// The path of an entry, and what is told of it.
type Entry = (Vec<u8>, String);

/// Prints each fault, and how many frames there are.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = store_of(args, &workspace)?;
    let mut progress = Progress::new(&program.ui);
    let nodes = nodes_of_head(&workspace);
    let known = |id: &NodeId| kind_in(&nodes, id);
    let verdict = verify::verify(&store, &known, &mut |done| {
        progress.show(ProgressStep {
            position: done,
            total: None,
            message: "frames checked",
        });
    })?;
    drop((progress, nodes));
    let damaged = damaged_of(args, &workspace)?;
    let told = |bad: &BadEntry| (bad.path.as_bytes().to_vec(), printable::chain(&bad.fault));
    let in_spool = damaged.iter().map(|name| {
        (
            format!("spool/{name}").into_bytes(),
            "not a frame".to_owned(),
        )
    });
    let (remade, forged) = if args.remake {
        ops::remake::remake(&workspace, &store, head(&workspace)?.tree)?
    } else {
        Default::default()
    };
    let in_words = forged
        .iter()
        .map(|name| (name.path().into_bytes(), printable::chain(&Fault::Forged)));
    let in_store = verdict.faults.iter().map(told);
    let faults: Vec<Entry> = in_store.chain(in_spool).chain(in_words).collect();
    let newer: Vec<Entry> = verdict.newer.iter().map(told).collect();
    let is_sound = faults.is_empty();
    let ui = &mut program.ui;
    if ui.is_json() {
        let document = Document {
            checked: verdict.checked,
            faults: documents(faults),
            newer: documents(newer),
        };
        ui.write_json("validate", &document)?;
        return Ok(Exit::no_if(!is_sound));
    }
    write_entries(ui, &faults, &newer)?;
    if args.remake {
        ui.note(&format!(
            "{} of {} outlines and syntheses of HEAD made again and compared",
            remade.checked, remade.of
        ));
    }
    let more = if verdict.is_cut {
        " or more; the check ended early"
    } else {
        ""
    };
    ui.note(&format!(
        "{} checked, {}{more}",
        counted(verdict.checked, "frame", "frames"),
        counted(faults.len(), "fault", "faults")
    ));
    Ok(Exit::no_if(!is_sound))
}

fn documents(entries: Vec<Entry>) -> Vec<FaultDocument> {
    let document = |(path, message): Entry| FaultDocument {
        path: json::path(&path),
        message,
    };
    entries.into_iter().map(document).collect()
}

fn store_of<'w>(args: &Args, workspace: &'w Workspace) -> Result<Store<'w>, CliError> {
    let Some(commit) = &args.commit else {
        return Ok(workspace.store()?);
    };
    let commit = workspace.repository.resolve_commit(commit)?;
    Ok(Store::at(&workspace.repository, Some(commit))?)
}

/// The nodes of `HEAD`: most frames are about one of them, and their trees say what each is. None where there is no `HEAD`.
fn nodes_of_head(workspace: &Workspace) -> Scan {
    let scanned = |tree| {
        scan(
            &workspace.repository,
            tree,
            &TreePath::root(),
            IgnoreRules::default(),
            None,
        )
    };
    let found = head(workspace).ok().map(|head| scanned(head.tree));
    found.and_then(Result::ok).unwrap_or_default()
}

fn kind_in(nodes: &Scan, id: &NodeId) -> Option<NodeKind> {
    Some(nodes.node(nodes.find(id)?).kind())
}

/// Damaged files of the spool. What waits here is no part of another commit.
fn damaged_of(args: &Args, workspace: &Workspace) -> Result<Vec<String>, CliError> {
    if args.commit.is_some() {
        return Ok(Vec::new());
    }
    let listed = spool::list(&workspace.state);
    let (_, damaged) = listed.map_err(|err| CliError::io("cannot read the spool", err))?;
    Ok(damaged)
}

/// A line for each fault, and a note for each entry of a newer format.
fn write_entries(ui: &mut Ui, faults: &[Entry], newer: &[Entry]) -> Result<(), CliError> {
    for (path, message) in faults {
        let path = ui.path(path).into_owned();
        ui.write_bytes(&path)?;
        write!(ui, ": {}", printable(message))?;
        ui.end_record()?;
    }
    for (path, message) in newer {
        ui.note(&format!(
            "carried, not checked: {}: {message}",
            TreePath::new(path.as_slice()).to_text()
        ));
    }
    Ok(())
}
