//! What is said of a session after a turn of it has changed.

use serde::Serialize;

use crate::cli::commands::session::next_words;
use crate::cli::program::Program;
use crate::cli::{CliError, Exit};
use crate::session::apply::WORK;
use crate::session::folder::REPORT;
use crate::session::{OpenSession, Status};

#[derive(Serialize)]
struct StateDocument<'a> {
    session: &'a str,
    turn: String,
    phase: &'static str,
    status: &'static str,
    /// Where the report is, below the work tree, once the turn has ended.
    report: Option<String>,
    next: String,
}

/// Says where the last turn stands and what comes next.
pub(super) fn tell_state(open: &OpenSession, program: &mut Program) -> Result<Exit, CliError> {
    let Some((number, turn)) = open.session.turns.last() else {
        return Ok(Exit::Done);
    };
    let next = next_words(&open.folder, &open.session);
    let report = turn.closed.is_some().then(|| {
        open.folder
            .relative(Some(*number), REPORT)
            .display()
            .to_string()
    });
    let ui = &mut program.ui;
    let (phase, status) = (turn.phase.as_str(), turn.status().as_str());
    if ui.is_json() {
        let (session, turn) = (open.folder.name.as_str(), number.to_string());
        ui.write_json(
            "turn-state",
            &StateDocument {
                session,
                turn,
                phase,
                status,
                report,
                next,
            },
        )?;
        return Ok(Exit::Done);
    }
    writeln!(ui, "turn {number} ({phase}): {status}")?;
    if WORK.contains(&turn.phase) && turn.status() == Status::Approved {
        ui.note("write its files with 'git merkle turn apply'");
    }
    ui.note(&next);
    Ok(Exit::Done)
}
