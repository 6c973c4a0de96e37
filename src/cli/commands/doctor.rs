//! `git merkle doctor`: looks for what a killed process, a full disk or a stray hand can leave behind.

mod check;
mod remote;

use std::io;
use std::time::Duration;

use serde::Serialize;

use self::check::Check;
use crate::base::count::counted;
use crate::base::{TreePath, printable};
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, Style};
use crate::frame::commit::{LOCK_FILE, SET_ASIDE_REF, clear_leftovers, set_aside};
use crate::frame::verify::{self, Verification};
use crate::frame::{FRAMES_REF, Store, StoreError, spool};
use crate::git::{Lock, LockOwner, Refused};
use crate::ops;
use crate::workspace::Workspace;

/// The lock's file is empty.
const LOCK_BYTES_MAX: u64 = 4096;
/// How many things are named that are not this program's.
const STRANGE_NAMED: usize = 3;

/// Arguments of `doctor`.
#[derive(Debug, clap::Args)]
pub struct Args {
    /// Repair what can be repaired without losing anything
    #[arg(long)]
    fix: bool,
    /// Also check that a remote can be reached, has frames, and accepts a push (default: merkle.remote, else the branch's,
    /// else the only one)
    #[arg(long, value_name = "remote", num_args = 0..=1, default_missing_value = "")]
    remote: Option<String>,
}

#[derive(Serialize)]
struct Document {
    checks: Vec<Check>,
}

/// Prints every check; exit 1 while something is wrong.
pub fn run(args: &Args, program: &mut Program) -> Result<Exit, CliError> {
    let workspace = program.open()?;
    let mut checks = vec![
        check_state(&workspace),
        check_writers(&workspace, args.fix),
        check_lock(&workspace)?,
        check_ref(&workspace, args.fix)?,
        check_spool(&workspace, args.fix)?,
        check_cache(&workspace, args.fix)?,
        check_settings(&workspace),
    ];
    checks.extend(check_ref_locks(&workspace, args.fix)?);
    checks.extend(check_signing(program, &workspace, args.fix));
    checks.extend(remote::check_lost(&workspace, args.fix)?);
    checks.extend(remote::check_settings(&workspace));
    checks.extend(remote::check_publishing(&workspace)?);
    if let Some(named) = &args.remote {
        checks.push(remote::ask(
            &workspace,
            Some(named.as_str()).filter(|named| !named.is_empty()),
        )?);
    }
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
            let word = ui.styled(style, word);
            writeln!(
                ui,
                "{:<9} {word}: {}",
                check.what,
                printable(&check.message)
            )?;
        }
    }
    Ok(Exit::no_if(!is_well))
}

/// What stands below the state directory and cannot have been made by this program. It is named, and left as it is.
fn check_state(workspace: &Workspace) -> Check {
    let strange = workspace.strange_state();
    if strange.is_empty() {
        return Check::good("state", "nothing that this program cannot have made");
    }
    let named: Vec<String> = strange
        .iter()
        .take(STRANGE_NAMED)
        .map(ToString::to_string)
        .collect();
    let more = strange.len().saturating_sub(STRANGE_NAMED);
    let more = if more == 0 {
        String::new()
    } else {
        format!("; and {more} more")
    };
    Check::bad(
        "state",
        format!(
            "{}{more}; it is not used: look at it, and remove it",
            named.join("; ")
        ),
    )
}

/// What killed writers have left among the packs; git calls it garbage, and clears only a part of it.
fn check_writers(workspace: &Workspace, fix: bool) -> Check {
    let left = workspace.repository.writers_leftovers();
    let Some(first) = left.first() else {
        return Check::good("writers", "none was killed");
    };
    let name = first.file_name().unwrap_or_default().to_string_lossy();
    let found = Check::bad(
        "writers",
        format!(
            "{} of writers that were killed, or are at work, such as '{name}'",
            counted(left.len(), "file", "files")
        ),
    );
    let is_cleared = fix && clear_leftovers(&workspace.repository, &workspace.state).is_ok();
    if is_cleared && workspace.repository.writers_leftovers().is_empty() {
        found.fixed()
    } else {
        found
    }
}

fn check_lock(workspace: &Workspace) -> Result<Check, CliError> {
    // Opened for reading only: a disk that cannot be written is no reason to say nothing.
    let lock = match workspace.state.open(LOCK_FILE, LOCK_BYTES_MAX) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            return Ok(Check::good("lock", "never taken"));
        }
        Err(error) if Refused::of(&error).is_some() => {
            return Ok(Check::bad("lock", error.to_string()));
        }
        file => file.and_then(|file| Lock::on(file, Duration::ZERO)),
    };
    Ok(
        match lock.map_err(|error| CliError::io("cannot open the lock", error))? {
            Some(_) => Check::good("lock", "free"),
            None => Check::good(
                "lock",
                "held by a command that is running; the kernel frees it when that ends",
            ),
        },
    )
}

/// Git's own locks on the refs, which stay when a git is killed; nothing is said where there is none.
fn check_ref_locks(workspace: &Workspace, fix: bool) -> Result<Option<Check>, CliError> {
    let repository = &workspace.repository;
    let mut kept = Vec::new();
    let mut removed = Vec::new();
    for lock in repository.ref_locks_left() {
        let name = lock.path.display();
        let is_gone = fix
            && lock
                .remove(repository)
                .map_err(|err| CliError::io(format!("cannot remove '{name}'"), err))?;
        let whose = match lock.owner {
            LockOwner::Process(process) => {
                format!("'{name}' is there, and process {process} is at work here")
            }
            LockOwner::DeadChild => {
                format!("'{name}' was left by a git that this program started and that was killed")
            }
            LockOwner::Unknown => format!(
                "'{name}' is there, and nothing says whose it is; remove it if no git is running"
            ),
        };
        if is_gone {
            removed.push(whose);
        } else {
            kept.push((lock.owner, whose));
        }
    }
    // A git that runs has its locks rightly.
    let is_good = removed.is_empty()
        && kept
            .iter()
            .all(|(owner, _)| matches!(owner, LockOwner::Process(_)));
    let is_fixed = !removed.is_empty() && kept.is_empty();
    let told: Vec<String> = kept
        .into_iter()
        .map(|(_, whose)| whose)
        .chain(removed)
        .collect();
    if told.is_empty() {
        return Ok(None);
    }
    let message = told.join("; ");
    let check = if is_good {
        Check::good("refs", message)
    } else {
        Check::bad("refs", message)
    };
    Ok(Some(if is_fixed { check.fixed() } else { check }))
}

fn check_ref(workspace: &Workspace, fix: bool) -> Result<Check, CliError> {
    let store = match Store::open(&workspace.repository) {
        Ok(store) => store,
        Err(err) => {
            let told = printable::chain(&err);
            let is_ref = matches!(err, StoreError::Ref(_) | StoreError::NoCommit(_));
            let way_out = CliError::from(err)
                .hints()
                .first()
                .filter(|_| is_ref)
                .cloned();
            let way_out = way_out.unwrap_or_else(|| "'git fsck' says more".to_owned());
            return Ok(Check::bad("store", format!("{told}; {way_out}")));
        }
    };
    let Some(commit) = store.commit() else {
        return Ok(Check::good(
            "store",
            format!("'{FRAMES_REF}' does not exist yet"),
        ));
    };
    let at = format!("'{FRAMES_REF}' at {}", commit.short());
    let verdict = match verify::verify(&store, &|_| None, &mut |_| ()) {
        Ok(verdict) => verdict,
        Err(err) => {
            return Ok(Check::bad(
                "store",
                format!("{at}: {}", printable::chain(&err)),
            ));
        }
    };
    check_entries(workspace, &verdict, &at, fix)
}

/// Whether every entry of the store is what it should be; `fix` sets those aside that never will be.
fn check_entries(
    workspace: &Workspace,
    verdict: &Verification,
    at: &str,
    fix: bool,
) -> Result<Check, CliError> {
    let Some(first) = verdict.faults.first() else {
        let frames = counted(verdict.checked, "frame", "frames");
        return Ok(Check::good("store", format!("{at}, {frames} readable")));
    };
    let bad: Vec<TreePath> = verdict
        .faults
        .iter()
        .filter(|bad| bad.fault.is_lasting())
        .map(|bad| bad.path.clone())
        .collect();
    let more = if verdict.is_cut { " or more" } else { "" };
    let faults = verdict.faults.len();
    let are = if faults == 1 { "is" } else { "are" };
    let found = format!(
        "{at}: {faults}{more} of {} {are} bad, the first: {}: {}",
        counted(verdict.checked, "entry", "entries"),
        first.path.to_text(),
        printable::chain(&first.fault)
    );
    if !fix || bad.is_empty() {
        let hint = if bad.is_empty() {
            ""
        } else {
            "; 'git merkle doctor --fix' sets them aside"
        };
        return Ok(Check::bad("store", format!("{found}{hint}")));
    }
    let count = set_aside(&workspace.repository, &workspace.state, &bad)?;
    let check = Check::bad(
        "store",
        format!("{found}; {count} are set aside at '{SET_ASIDE_REF}'"),
    );
    Ok(if count == verdict.faults.len() && !verdict.is_cut {
        check.fixed()
    } else {
        check
    })
}

/// What this clone has said and could not be signed yet.
fn check_signing(program: &Program, workspace: &Workspace, fix: bool) -> Option<Check> {
    let waiting = workspace.unsigned();
    if waiting == 0 {
        return None;
    }
    let waiting = counted(waiting, "statement waits", "statements wait");
    let found = Check::bad(
        "signing",
        format!("{waiting} for a signature ('git merkle push' signs)"),
    );
    // What cannot be signed now is told, and waits.
    if fix && program.sign(workspace) > 0 && workspace.unsigned() == 0 {
        return Some(found.fixed());
    }
    Some(found)
}

fn check_spool(workspace: &Workspace, fix: bool) -> Result<Check, CliError> {
    let (waiting, damaged) = match spool::list(&workspace.state) {
        Err(error) if Refused::of(&error).is_some() => {
            return Ok(Check::bad("spool", error.to_string()));
        }
        listed => listed.map_err(|error| CliError::io("cannot read the spool", error))?,
    };
    if !waiting.is_empty() {
        let found = Check::bad(
            "spool",
            format!(
                "{} to be stored",
                counted(waiting.len(), "frame waits", "frames wait")
            ),
        );
        if fix && workspace.replay(crate::frame::commit::LOCK_WAIT).is_ok() {
            return Ok(found.fixed());
        }
        return Ok(found);
    }
    if damaged.is_empty() {
        return Ok(Check::good("spool", "empty"));
    }
    let damaged_files = counted(damaged.len(), "file is no frame", "files are no frames");
    let found = Check::bad("spool", damaged_files.clone());
    if !fix {
        return Ok(found);
    }
    let (spool, aside) = (workspace.state.spool(), workspace.state.folder("damaged"));
    let refused: Vec<io::Error> = damaged
        .iter()
        .filter_map(|file| spool.set_aside(file, &aside).err())
        .collect();
    Ok(match refused.first() {
        None => Check::bad(
            "spool",
            format!("{damaged_files}, and in '{}' now", aside.shown().display()),
        )
        .fixed(),
        Some(first) => Check::bad(
            "spool",
            format!("{} of {} files stay: {first}", refused.len(), damaged.len()),
        ),
    })
}

fn check_cache(workspace: &Workspace, fix: bool) -> Result<Check, CliError> {
    let cache = workspace.state.cache();
    if !fix {
        let names = cache.names().unwrap_or_default();
        let files = names
            .iter()
            .filter_map(|name| cache.open(name, u64::MAX).ok()?.metadata().ok());
        let size: u64 = files.map(|found| found.len()).sum();
        return Ok(Check::good(
            "cache",
            format!("{size} bytes of derived data, rebuilt when missing"),
        ));
    }
    // A store that cannot be read was named above; nothing could be built from it.
    let Ok(store) = Store::open(&workspace.repository) else {
        return Ok(Check::good("cache", "left as it is"));
    };
    let _ = workspace.clear_cache();
    ops::refresh::index(&workspace.state, &store, 0)?;
    Ok(Check::good("cache", "thrown away and built again"))
}

fn check_settings(workspace: &Workspace) -> Check {
    let warnings = workspace.settings.warnings();
    let agents = workspace.agents();
    let all: Vec<&String> = warnings.iter().chain(&agents.warnings).collect();
    match all.as_slice() {
        [] => Check::good("settings", "all are understood"),
        all => Check::bad(
            "settings",
            all.iter()
                .map(|text| text.as_str())
                .collect::<Vec<_>>()
                .join("; "),
        ),
    }
}
