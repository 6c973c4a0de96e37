//! The files of an accepted answer in the work tree: all of them or none, and back again.
//!
//! | step | what |
//! |---|---|
//! | read | the answer, by [`super::edit`] |
//! | check | every path: within the repository, no link, no submodule, not ignored, no session; and that all of it fits |
//! | write | by [`git::work_change`](crate::git::work_change): a journal first, then the files |
//! | undo | each file as it was, if it is still as it was written |
//!
//! A journal belongs to a turn of this work tree. What a kill left half done is taken back before it is done again.

use std::collections::BTreeMap;
use std::io;

use super::edit::{self, Act, Demand, Misfit, Reading, Wrong};
use super::flow;
use super::folder::{INPUT, prompt_file, response_file};
use super::{OpenSession, SessionError, Status, TurnNumber, TurnRecord};
use crate::base::TreePath;
use crate::base::path::quote;
use crate::git::{Applied, ChildError, JournalState, Repository, WorkChange, WorkFile, work_file};
use crate::profile::Phase;

/// Where sessions are, in any case that a file system may take for the same.
const SESSIONS: &[u8] = b".teddy/sessions/";
/// The phases whose answers hold files.
pub const WORK: [Phase; 2] = [Phase::Generating, Phase::Revising];

/// Why an answer is not applied, or not taken back.
#[derive(Debug, thiserror::Error)]
pub enum ApplyError {
    /// The session's files cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// There is no accepted answer with files.
    #[error("session '{0}' has no accepted work yet")]
    NoWork(String),
    /// The turn is about something else.
    #[error("turn {0} is {word}: its answer holds no files", word = .1.as_str())]
    NoFiles(TurnNumber, Phase),
    /// The answer is not accepted.
    #[error("turn {0} is {word}", word = .1.as_str())]
    Status(TurnNumber, Status),
    /// The answer changes nothing.
    #[error("the answer of turn {0} changes no file")]
    Nothing(TurnNumber),
    /// Something of it does not fit.
    #[error("the answer of turn {0} does not fit, and nothing was written")]
    Misfits(TurnNumber, Vec<Misfit>),
    /// Its files were changed since.
    #[error("turn {turn} was applied, and was changed since in {}", paths(.files))]
    Changed {
        /// The turn.
        turn: TurnNumber,
        /// The files.
        files: Vec<TreePath>,
        /// True where it should be taken back.
        is_undo: bool,
    },
    /// There is nothing to take back.
    #[error("no answer of session '{0}' is applied")]
    NotApplied(String),
    /// Another process applies an answer.
    #[error("another command changes the work tree")]
    Busy,
    /// Git cannot be asked.
    #[error(transparent)]
    Git(#[from] ChildError),
    /// The work tree cannot be read or written.
    #[error("cannot change the work tree")]
    Io(#[from] io::Error),
}

/// What became of an answer.
#[derive(Debug)]
pub struct Application {
    /// The turn.
    pub turn: TurnNumber,
    /// What it did, or would do.
    pub changes: Vec<WorkChange>,
    /// True when it was there already, and nothing was done.
    pub is_already: bool,
    /// What is odd about it.
    pub notes: Vec<String>,
}

/// Applies the answer of a turn, by default that of the newest accepted work; a dry run only says what it would do.
pub fn apply(
    repo: &Repository,
    open: &OpenSession,
    turn: Option<TurnNumber>,
    is_dry: bool,
) -> Result<Application, ApplyError> {
    let (turn, record) = chosen(open, turn, is_dry)?;
    let applied = Applied::open(repo)?.ok_or(ApplyError::Busy)?;
    let name = journal(open, turn);
    let (standing, known) = applied.standing(&name)?;
    let mut notes = Vec::new();
    let mut half = BTreeMap::new();
    match standing {
        JournalState::Whole => {
            return Ok(Application {
                turn,
                changes: Vec::new(),
                is_already: true,
                notes,
            });
        }
        JournalState::Half => {
            notes.push(format!(
                "turn {turn} was applied in part, and is applied again as a whole"
            ));
            half = known
                .into_iter()
                .map(|change| (change.path, change.before))
                .collect();
        }
        JournalState::Changed(files, true) => {
            let is_undo = false;
            return Err(ApplyError::Changed {
                turn,
                files,
                is_undo,
            });
        }
        // Nothing of it is here: it was taken back by hand, or another commit is checked out.
        JournalState::Changed(_, false) | JournalState::Absent => {}
    }
    let said = said(open, turn, record)?;
    notes.extend(said.notes.iter().cloned());
    let read = |path: &TreePath| match half.get(path) {
        Some(before) => Ok(before.clone()),
        None => applied.files().read(path),
    };
    let misfits = faults(repo, &said.wanted, &read)?;
    let changes =
        fitted(said, &misfits, &read).map_err(|misfits| ApplyError::Misfits(turn, misfits))?;
    if changes.is_empty() {
        return Err(ApplyError::Nothing(turn));
    }
    notes.extend(unseen(open, turn, record, &changes)?);
    if !is_dry {
        if !half.is_empty() {
            applied.undo(&name)?;
        }
        applied.apply(&name, &changes)?;
    }
    Ok(Application {
        turn,
        changes,
        is_already: false,
        notes,
    })
}

/// Takes an applied answer back, by default the newest; nothing is written where a file was changed since.
pub fn undo(
    repo: &Repository,
    open: &OpenSession,
    turn: Option<TurnNumber>,
    is_dry: bool,
) -> Result<Application, ApplyError> {
    let applied = Applied::open(repo)?.ok_or(ApplyError::Busy)?;
    let names = applied.names()?;
    let turns = open.session.turns.iter().rev().map(|(number, _)| *number);
    let mut wanted = turns.filter(|number| turn.is_none_or(|turn| turn == *number));
    let turn = wanted
        .find(|number| names.contains(&journal(open, *number)))
        .ok_or_else(|| ApplyError::NotApplied(open.folder.name.to_string()))?;
    let name = journal(open, turn);
    let (standing, changes) = applied.standing(&name)?;
    if let JournalState::Changed(files, _) = standing {
        let is_undo = true;
        return Err(ApplyError::Changed {
            turn,
            files,
            is_undo,
        });
    }
    let now = |path: &TreePath| applied.files().read(path).ok().flatten();
    let changes: Vec<WorkChange> = changes
        .into_iter()
        .map(|change| WorkChange {
            before: now(&change.path),
            after: change.before,
            path: change.path,
        })
        .filter(|change| change.before != change.after)
        .collect();
    if !is_dry {
        applied.undo(&name)?;
    }
    Ok(Application {
        turn,
        changes,
        is_already: false,
        notes: Vec::new(),
    })
}

/// The turn whose answer is meant. A dry run may look at an answer that waits for its verdict.
fn chosen(
    open: &OpenSession,
    turn: Option<TurnNumber>,
    is_dry: bool,
) -> Result<(TurnNumber, &TurnRecord), ApplyError> {
    let turns = &open.session.turns;
    let waits = |turn: &TurnRecord| turn.status() == Status::Answered && WORK.contains(&turn.phase);
    let found = match turn {
        Some(number) => turns.iter().find(|(other, _)| *other == number),
        None => turns
            .last()
            .filter(|(_, turn)| is_dry && waits(turn))
            .or_else(|| flow::accepted(turns, &WORK)),
    };
    let (number, record) = match (found, turn) {
        (Some(found), _) => found,
        (None, Some(number)) => {
            return Err(SessionError::NoTurn(open.folder.name.clone(), number).into());
        }
        (None, None) => return Err(ApplyError::NoWork(open.folder.name.to_string())),
    };
    if !WORK.contains(&record.phase) {
        return Err(ApplyError::NoFiles(*number, record.phase));
    }
    match record.status() {
        Status::Approved => Ok((*number, record)),
        Status::Answered if is_dry => Ok((*number, record)),
        other => Err(ApplyError::Status(*number, other)),
    }
}

fn said(open: &OpenSession, turn: TurnNumber, record: &TurnRecord) -> Result<Reading, ApplyError> {
    let file = response_file(record.phase);
    let text = open.folder.read(Some(turn), &file)?.unwrap_or_default();
    let said = edit::answer::read(&text);
    if said.wanted.is_empty() && said.misfits.is_empty() {
        return Err(ApplyError::Nothing(turn));
    }
    Ok(said)
}

/// Everything that is wrong with the paths of an answer, whatever it wants of them.
fn faults(
    repo: &Repository,
    wanted: &[Demand],
    read: &dyn Fn(&TreePath) -> Result<Option<WorkFile>, crate::git::Unreachable>,
) -> Result<Vec<Misfit>, ApplyError> {
    let submodules = repo.tracked_submodules()?;
    let mut lines: BTreeMap<&TreePath, usize> = BTreeMap::new();
    for one in wanted {
        lines.entry(&one.path).or_insert(one.line);
        if let Act::Rename(to) = &one.act {
            lines.entry(to).or_insert(one.line);
        }
    }
    let (mut misfits, mut plain) = (Vec::new(), Vec::new());
    let misfit = |path: &TreePath, wrong| Misfit {
        path: Some(path.clone()),
        place: None,
        line: lines[path],
        wrong,
    };
    for path in lines.keys() {
        let wrong = work_file::check(path).map_err(Wrong::from).and_then(|()| {
            check_own(path, &submodules)?;
            Ok(read(path).map(drop)?)
        });
        match wrong {
            Ok(()) => plain.push((*path).clone()),
            Err(wrong) => misfits.push(misfit(path, wrong)),
        }
    }
    misfits.extend(
        repo.ignored(&plain)?
            .iter()
            .map(|path| misfit(path, Wrong::Ignored)),
    );
    for (path, attribute) in repo.converted(&plain)? {
        misfits.push(misfit(&path, Wrong::Filtered(attribute)));
    }
    Ok(misfits)
}

/// Refuses what belongs to a submodule, and what sessions are made of: an answer is not to judge itself.
fn check_own(path: &TreePath, submodules: &[Vec<u8>]) -> Result<(), Wrong> {
    let bytes = [path.as_bytes(), b"/"].concat();
    let starts = |folder: &[u8]| {
        let head = bytes.get(..folder.len());
        head.is_some_and(|head| head.eq_ignore_ascii_case(folder))
    };
    if starts(SESSIONS) {
        return Err(Wrong::Session);
    }
    let within = submodules
        .iter()
        .find(|submodule| starts(&[submodule, &b"/"[..]].concat()));
    match within {
        Some(submodule) => Err(Wrong::Submodule(quote(submodule, false))),
        None => Ok(()),
    }
}

/// What changes, where nothing is wrong with the answer, its paths and its parts.
fn fitted(
    said: Reading,
    faults: &[Misfit],
    read: &dyn Fn(&TreePath) -> Result<Option<WorkFile>, crate::git::Unreachable>,
) -> Result<Vec<WorkChange>, Vec<Misfit>> {
    let is_refused = |path: &TreePath| faults.iter().any(|fault| fault.path.as_ref() == Some(path));
    let is_possible = |wanted: &Demand| {
        let target = match &wanted.act {
            Act::Rename(to) => Some(to),
            _ => None,
        };
        !is_refused(&wanted.path) && !target.is_some_and(is_refused)
    };
    let mut wanted = said.wanted;
    wanted.retain(is_possible);
    let planned = edit::plan(&wanted, read);
    let mut misfits = said.misfits;
    misfits.extend(faults.iter().cloned());
    match planned {
        Ok(changes) if misfits.is_empty() => return Ok(changes),
        Ok(_) => {}
        Err(more) => misfits.extend(more),
    }
    misfits.sort_by_key(|misfit| misfit.line);
    Err(misfits)
}

/// Says which files are replaced though the prompt did not show them as they are now.
fn unseen(
    open: &OpenSession,
    turn: TurnNumber,
    record: &TurnRecord,
    changes: &[WorkChange],
) -> Result<Vec<String>, ApplyError> {
    let mut shown = String::new();
    for file in [prompt_file(record.phase), INPUT.to_owned()] {
        shown += &open.folder.read(Some(turn), &file)?.unwrap_or_default();
    }
    let is_shown = |file: &WorkFile| {
        let text = String::from_utf8_lossy(&file.bytes).replace("\r\n", "\n");
        shown.contains(text.trim_end())
    };
    let unseen = changes.iter().filter(|change| {
        change.after.is_some()
            && change
                .before
                .as_ref()
                .is_some_and(|before| !is_shown(before))
    });
    Ok(unseen
        .map(|change| {
            let path = quote(change.path.as_bytes(), false);
            format!("the prompt of turn {turn} does not show '{path}' as it is now")
        })
        .collect())
}

/// The name of a turn's journal.
fn journal(open: &OpenSession, turn: TurnNumber) -> String {
    format!("{}-{turn}", open.folder.name)
}

fn paths(files: &[TreePath]) -> String {
    let paths = files
        .iter()
        .map(|path| format!("'{}'", quote(path.as_bytes(), false)));
    paths.collect::<Vec<_>>().join(", ")
}
