//! `git merkle turn apply`: the files of an accepted answer into the work tree, or back.

use std::str::FromStr as _;

use serde::Serialize;

use crate::cli::commands::session::open_named;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit, json};
use crate::git::WorkChange;
use crate::session::TurnNumber;
use crate::session::apply::{self, Application};
use crate::workspace::Workspace;

/// Arguments of `turn apply`.
#[derive(Debug, clap::Args)]
pub(super) struct Apply {
    /// The turn (default: the newest with accepted work; with --undo the newest that is applied)
    #[arg(value_name = "number", value_parser = TurnNumber::from_str)]
    number: Option<TurnNumber>,
    /// Only say what would be written, and whether all of it fits
    #[arg(long)]
    check: bool,
    /// Take an applied answer back; refused where a file was changed since
    #[arg(long)]
    undo: bool,
    /// The session (default: the only one, or the only one that is not complete)
    #[arg(long, short = 's', value_name = "name")]
    session: Option<String>,
}

#[derive(Serialize)]
struct ApplyDocument<'a> {
    session: &'a str,
    turn: String,
    /// `fits`, `applied`, `already-applied` or `undone`.
    state: &'static str,
    changes: Vec<ChangeDocument>,
    notes: &'a [String],
}

#[derive(Serialize)]
struct ChangeDocument {
    path: String,
    /// `create`, `change` or `delete`.
    act: &'static str,
    is_executable: bool,
}

/// Runs the subcommand.
pub(super) fn run(
    args: &Apply,
    workspace: &Workspace,
    program: &mut Program,
) -> Result<Exit, CliError> {
    let open = open_named(args.session.as_deref(), workspace, program)?;
    let repo = &workspace.repository;
    let done = if args.undo {
        apply::undo(repo, &open, args.number, args.check)?
    } else {
        apply::apply(repo, &open, args.number, args.check)?
    };
    let state = match (args.undo, args.check) {
        _ if done.is_already => "already-applied",
        (_, true) => "fits",
        (true, _) => "undone",
        (false, _) => "applied",
    };
    if program.ui.is_json() {
        let document = ApplyDocument {
            session: open.folder.name.as_str(),
            turn: done.turn.to_string(),
            state,
            changes: done.changes.iter().map(document).collect(),
            notes: &done.notes,
        };
        program.ui.write_json("turn-apply", &document)?;
        return Ok(Exit::Done);
    }
    tell(&done, state, args, program)?;
    Ok(Exit::Done)
}

fn tell(
    done: &Application,
    state: &str,
    args: &Apply,
    program: &mut Program,
) -> Result<(), CliError> {
    for note in &done.notes {
        program.ui.warn(note);
    }
    for change in &done.changes {
        let act = act(change);
        let path = program.ui.path(change.path.as_bytes()).into_owned();
        let mode = match &change.after {
            Some(after)
                if change
                    .before
                    .as_ref()
                    .is_some_and(|file| file.is_executable != after.is_executable) =>
            {
                if after.is_executable {
                    " (executable)"
                } else {
                    " (not executable)"
                }
            }
            Some(after) if change.before.is_none() && after.is_executable => " (executable)",
            _ => "",
        };
        let verb = if args.check {
            format!("would {act} ")
        } else {
            format!("{act}d ")
        };
        program
            .ui
            .write_bytes(&[verb.as_bytes(), &path, mode.as_bytes(), b"\n"].concat())?;
    }
    let turn = done.turn;
    program.ui.note(&match state {
        "already-applied" => format!("turn {turn} is applied already"),
        "fits" => format!("turn {turn} fits; nothing was written"),
        "undone" => format!("turn {turn} is taken back"),
        _ => format!("turn {turn} is applied; take it back with 'git merkle turn apply --undo'"),
    });
    Ok(())
}

fn act(change: &WorkChange) -> &'static str {
    match (&change.before, &change.after) {
        (None, _) => "create",
        (_, None) => "delete",
        _ => "change",
    }
}

fn document(change: &WorkChange) -> ChangeDocument {
    ChangeDocument {
        path: json::path(change.path.as_bytes()),
        act: act(change),
        is_executable: change.after.as_ref().is_some_and(|file| file.is_executable),
    }
}
