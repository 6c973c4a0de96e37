//! `git merkle doctor`: looks for what a killed process, a full disk or a stray hand can leave behind.

use std::time::Duration;

use serde::Serialize;

use crate::base::{NodeId, printable};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style};
use crate::frame::{FRAMES_REF, Store, spool};
use crate::git::{Lock, ObjectError};
use crate::workspace::Workspace;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Mend what can be mended without losing anything
    #[arg(long)]
    fix: bool,
}

#[derive(Serialize)]
struct Document {
    checks: Vec<Check>,
}

/// One thing that was looked at.
#[derive(Serialize)]
struct Check {
    what: &'static str,
    ok: bool,
    fixed: bool,
    message: String,
}

impl Check {
    fn good(what: &'static str, message: impl Into<String>) -> Self {
        Self { what, ok: true, fixed: false, message: message.into() }
    }

    fn bad(what: &'static str, message: impl Into<String>) -> Self {
        Self { ok: false, ..Self::good(what, message) }
    }

    fn fixed(self) -> Self {
        Self { fixed: true, ..self }
    }
}

/// Prints every check; exit 1 while something is wrong.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let checks = vec![
        check_lock(&workspace)?,
        check_ref(&workspace),
        check_spool(&workspace, args.fix)?,
        check_cache(&workspace, args.fix)?,
        check_settings(&workspace),
    ];
    let is_well = checks.iter().all(|check| check.ok || check.fixed);
    let ui = &mut program.ui;
    if ui.is_json() {
        ui.write_json("doctor", &Document { checks })?;
    } else {
        for check in &checks {
            let (word, style) = match (check.ok, check.fixed) {
                (true, _) => ("ok", Style::Good),
                (_, true) => ("fixed", Style::Caution),
                _ => ("wrong", Style::Bad),
            };
            let word = ui.styled(style, word).to_string();
            writeln!(ui, "{:<9} {word}: {}", check.what, printable(&check.message))?;
        }
    }
    Ok(if is_well { Exit::Done } else { Exit::No })
}

fn check_lock(workspace: &Workspace) -> Result<Check, CliError> {
    let file = workspace.state.lock();
    if !file.exists() {
        return Ok(Check::good("lock", "never taken"));
    }
    let lock = Lock::acquire(&file, Duration::ZERO).map_err(|err| CliError::io("cannot open the lock", err))?;
    Ok(match lock {
        Some(_) => Check::good("lock", "free"),
        None => Check::good("lock", "held by a command that is running; the kernel frees it when that ends"),
    })
}

fn check_ref(workspace: &Workspace) -> Check {
    match Store::open(&workspace.repository) {
        Err(err) => Check::bad("store", format!("{}; 'git fsck' says more", printable::chain(&err))),
        Ok(store) => match store.commit() {
            None => Check::good("store", format!("'{FRAMES_REF}' does not exist yet")),
            Some(commit) => match connected(workspace, &store) {
                Ok(trees) => Check::good("store", format!("'{FRAMES_REF}' at {}, {trees} directories readable", commit.short())),
                Err(err) => Check::bad("store", format!("'{FRAMES_REF}' at {}: {err}", commit.short())),
            },
        },
    }
}

/// Reads all trees of the store and looks every frame's blob up, without reading frames: that is for `validate`.
fn connected(workspace: &Workspace, store: &Store<'_>) -> Result<u64, ObjectError> {
    let mut missing: Option<NodeId> = None;
    let mut trees = 0;
    crate::git::diff_trees(&workspace.repository, None, store.tree(), &mut |change| {
        if let Some((mode, id)) = change.new {
            if mode == crate::git::EntryMode::Directory {
                trees += 1;
            } else if missing.is_none() && !matches!(workspace.repository.header(&id), Ok(Some(_))) {
                missing = Some(id);
            }
        }
        missing.is_none()
    })?;
    missing.map_or(Ok(trees), |id| Err(ObjectError::Missing(id)))
}

fn check_spool(workspace: &Workspace, fix: bool) -> Result<Check, CliError> {
    let io = |err| CliError::io("cannot read the spool", err);
    let (waiting, damaged) = spool::list(&workspace.state).map_err(io)?;
    if !waiting.is_empty() {
        let found = Check::bad("spool", format!("{} frames wait to be stored", waiting.len()));
        if fix && workspace.replay(crate::frame::commit::LOCK_WAIT).is_ok() {
            return Ok(found.fixed());
        }
        return Ok(found);
    }
    if damaged.is_empty() {
        return Ok(Check::good("spool", "empty"));
    }
    let found = Check::bad("spool", format!("{} files are no frames", damaged.len()));
    if fix {
        for file in &damaged {
            let aside = file.with_extension("damaged");
            std::fs::create_dir_all(workspace.state.root().join("damaged")).map_err(io)?;
            let name = aside.file_name().unwrap_or_default();
            std::fs::rename(file, workspace.state.root().join("damaged").join(name)).map_err(io)?;
        }
        return Ok(found.fixed());
    }
    Ok(found)
}

fn check_cache(workspace: &Workspace, fix: bool) -> Result<Check, CliError> {
    let cache = workspace.state.cache();
    let store = Store::open(&workspace.repository)?;
    let count = |sum: u64, file: std::io::Result<std::fs::DirEntry>| {
        sum + file.ok().and_then(|f| f.metadata().ok()).map_or(0, |m| m.len())
    };
    let size = std::fs::read_dir(&cache).map_or(0, |files| files.fold(0, count));
    if !fix {
        return Ok(Check::good("cache", format!("{size} bytes of derived data, rebuilt when missing")));
    }
    let _ = std::fs::remove_dir_all(&cache);
    workspace.index(&store, 0)?;
    Ok(Check::good("cache", "thrown away and built again"))
}

fn check_settings(workspace: &Workspace) -> Check {
    let warnings = workspace.settings.warnings();
    let agents = workspace.agents();
    let all: Vec<&String> = warnings.iter().chain(&agents.warnings).collect();
    match all.first() {
        None => Check::good("settings", "all are understood"),
        Some(first) => Check::bad("settings", format!("{} are ignored, the first: {first}", all.len())),
    }
}
