//! `git merkle validate`: checks every frame, name and digest of the store, and that nothing it needs is missing.

use serde::Serialize;

use crate::base::printable;
use crate::cli::program::Program;
use crate::cli::progress::{Progress, Step};
use crate::cli::{CliError, Exit, json};
use crate::frame::{spool, verify};

/// Arguments of `validate`.
#[derive(Debug, clap::Args)]
pub struct Args {}

#[derive(Serialize)]
struct Document {
    checked: u64,
    faults: Vec<FaultDocument>,
}

#[derive(Serialize)]
struct FaultDocument {
    path: String,
    message: String,
}

/// Prints each fault, and how many frames there are.
pub fn run(_: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let store = workspace.store()?;
    let mut progress = Progress::new(&program.ui);
    let verdict = verify::verify(&store, &mut |done| {
        progress.show(Step { position: done, total: None, message: "frames checked" });
    })?;
    drop(progress);
    let (_, damaged) = spool::list(&workspace.state).map_err(|err| CliError::io("cannot read the spool", err))?;
    let in_store = verdict.faults.iter().map(|(path, fault)| (path.as_bytes().to_vec(), printable::chain(fault)));
    let in_spool = damaged.iter().map(|name| (format!("spool/{name}").into_bytes(), "not a frame".to_owned()));
    let faults: Vec<(Vec<u8>, String)> = in_store.chain(in_spool).collect();
    let is_sound = faults.is_empty();
    let ui = &mut program.ui;
    if ui.is_json() {
        let faults = faults.into_iter().map(|(path, message)| FaultDocument { path: json::path(&path), message });
        ui.write_json("validate", &Document { checked: verdict.checked, faults: faults.collect() })?;
    } else {
        for (path, message) in &faults {
            let path = ui.path(path).into_owned();
            ui.write_bytes(&path)?;
            write!(ui, ": {}", printable(message))?;
            ui.end_record()?;
        }
        ui.note(&format!("{} frames checked, {} faults", verdict.checked, faults.len()));
    }
    Ok(if is_sound { Exit::Done } else { Exit::No })
}
