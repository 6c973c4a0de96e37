//! Sessions of this work tree: which one is meant, beginning, branching, and finishing what a kill left half done.
//!
//! `session.yaml` names a profile and providers. What this machine wrote there, or its user, is taken at its word; what
//! came with the repository is not: a repository never chooses a provider.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use super::folder::{self, HISTORY, REPORT, SESSION_FILE, Session};
use super::history::{self, History};
use super::record::VERSION;
use super::report::{self, Written};
use super::{SessionError, SessionFolder, SessionLimits, SessionName, SessionRecord, TurnNumber};
use crate::base::hash;
use crate::base::limit::FILE_BYTES_MAX;
use crate::context::people::SESSION_LIST;
use crate::git::{EntryMode, Lock, ObjectKind, Repository, StateDir, file};
use crate::node::Snapshot;
use crate::workspace::Workspace;

/// Where this machine remembers which sessions are its own, below the state directory.
const OWN_FOLDER: &str = "sessions";
/// Records of one name that are remembered: of several work trees, and as they were edited.
const OWN_DIGESTS_MAX: usize = 100;
const OWN_BYTES_MAX: u64 = OWN_DIGESTS_MAX as u64 * 65;
/// URLs that are remembered of one session.
const TYPED_MAX: usize = 1_000;
const TYPED_BYTES_MAX: u64 = 4 << 20;
/// Keeps the files of sessions out of snapshots: what is said about the repository is not a part of it.
const IGNORE_FILE: &str = ".teddy/.teddyignore";
const IGNORE_TEXT: &str = "# Sessions are said about the repository; they are no part of what is known of it.\n/sessions/\n";

/// Why there is no session to work on.
#[derive(Debug, thiserror::Error)]
pub enum ChoiceError {
    /// Its files cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// A name was given that is none.
    #[error(transparent)]
    Name(#[from] super::name::NameError),
    /// There is no session yet.
    #[error("there is no session yet")]
    None,
    /// Several could be meant.
    #[error("several sessions could be meant: {}", .0.join(", "))]
    Several(Vec<String>),
    /// Another process is at work on it.
    #[error("another command is at work on session '{0}'")]
    Busy(SessionName),
    /// The machine's own state cannot be written.
    #[error("cannot write '{0}'")]
    State(PathBuf, #[source] std::io::Error),
}

/// A session that no other process changes meanwhile, with everything that was left half done finished.
pub struct OpenSession {
    /// Where its files are.
    pub folder: SessionFolder,
    /// What they say.
    pub session: Session,
    /// What the user says in `session.yaml`: without the names and limits that came with the repository.
    pub own: SessionRecord,
    /// What is odd about it.
    pub warnings: Vec<String>,
    _lock: Lock,
}

/// All sessions, by name.
pub fn sessions(repo: &Repository) -> Result<Vec<SessionFolder>, SessionError> {
    SessionFolder::list(repo.work_dir().ok_or(SessionError::Bare)?)
}

/// The session of a name; without one the only session, or the only one that is not complete.
pub fn session_folder(
    repo: &Repository,
    named: Option<&str>,
) -> Result<SessionFolder, ChoiceError> {
    let work_dir = repo.work_dir().ok_or(SessionError::Bare)?;
    if let Some(name) = named {
        let folder = SessionFolder::new(work_dir, name.parse()?);
        return if folder.exists() {
            Ok(folder)
        } else {
            Err(SessionError::NotThere(folder.name).into())
        };
    }
    let mut all = sessions(repo)?;
    if all.len() > 1 {
        let is_open = |folder: &SessionFolder| {
            folder
                .load()
                .is_ok_and(|session| session.next() != super::Next::Complete)
        };
        let open: Vec<_> = all
            .iter()
            .filter(|folder| is_open(folder))
            .cloned()
            .collect();
        if open.len() == 1 {
            all = open;
        }
    }
    match all.len() {
        0 => Err(ChoiceError::None),
        1 => Ok(all.remove(0)),
        _ => Err(ChoiceError::Several(
            all.iter().map(|folder| folder.name.to_string()).collect(),
        )),
    }
}

/// Takes a session for changing it, and finishes what was left half done.
pub fn open_session(
    workspace: &Workspace,
    folder: SessionFolder,
) -> Result<OpenSession, ChoiceError> {
    let lock = lock_session(&workspace.repository, &folder.name)?;
    let session = folder.load()?;
    let mut warnings = settle(&folder, &session)?;
    let own = own_part(workspace, &folder, &session.record)?;
    if own == session.record {
        // What the user has edited stays the user's when it is committed.
        remember_own(&workspace.state, &folder)?;
    } else if own.profile != session.record.profile || own.providers != session.record.providers {
        warnings.push(format!(
            "'{}' came with the repository, so the profile and providers that it names are not used",
            folder.relative(None, SESSION_FILE).display()
        ));
    }
    Ok(OpenSession {
        folder,
        session,
        own,
        warnings,
        _lock: lock,
    })
}

/// Begins a session; `entries` are the lines of its context list.
pub fn begin_session(
    repo: &Repository,
    state: &StateDir,
    name: &SessionName,
    record: SessionRecord,
    entries: &[String],
) -> Result<SessionFolder, ChoiceError> {
    let work_dir = repo.work_dir().ok_or(SessionError::Bare)?;
    let folder = SessionFolder::new(work_dir, name.clone());
    let _lock = lock_session(repo, name)?;
    folder.check_vacant()?;
    let list = entries.iter().fold(
        String::from("# What every turn of this session sees, one entry a line.\n"),
        |mut text, entry| {
            let _ = writeln!(text, "{entry}");
            text
        },
    );
    folder.create(
        &SessionRecord {
            version: VERSION,
            ..record
        },
        &list,
    )?;
    keep_out_of_snapshots(repo)?;
    remember_own(state, &folder)?;
    remember_typed(state, name, entries)?;
    Ok(folder)
}

/// Begins a session with the turns of another, as far as `last`.
pub fn branch_session(
    repo: &Repository,
    state: &StateDir,
    from: &OpenSession,
    name: &SessionName,
    last: Option<TurnNumber>,
) -> Result<SessionFolder, ChoiceError> {
    let turns = &from.session.turns;
    let last = last.or_else(|| turns.last().map(|(number, _)| *number));
    if let Some(last) = last.filter(|last| from.session.turn(*last).is_none()) {
        return Err(SessionError::NoTurn(from.folder.name.clone(), last).into());
    }
    let parent = last.map_or_else(
        || from.folder.name.to_string(),
        |last| format!("{}/{last}", from.folder.name),
    );
    let limits = from.session.record.limits;
    let record = SessionRecord {
        parent: Some(parent),
        version: VERSION,
        limits,
        ..from.own.clone()
    };
    let (to, _lock) = take_name(repo, name)?;
    for (number, turn) in turns.iter().take_while(|(number, _)| Some(*number) <= last) {
        for name in from
            .folder
            .files(*number)?
            .iter()
            .filter(|name| *name != REPORT && *name != "meta.yaml")
        {
            if let Some(bytes) = from.folder.read_raw(*number, name)? {
                to.write(Some(*number), name, bytes)?;
            }
        }
        to.save_turn(*number, turn)?;
    }
    let list = from.folder.read(None, SESSION_LIST)?.unwrap_or_default();
    to.create(&record, &list)?;
    remember_own(state, &to)?;
    remember_typed(
        state,
        name,
        &typed_pages(state, from.folder.name.as_str())
            .into_iter()
            .collect::<Vec<_>>(),
    )?;
    settle(&to, &to.load()?)?;
    Ok(to)
}

/// Deletes a session with its turns; its lock shows that no other process is at work on it.
pub fn remove_session(open: &OpenSession) -> Result<(), ChoiceError> {
    let folder = open.folder.place()?;
    fs::remove_dir_all(&folder).map_err(|error| SessionError::Io(folder, error).into())
}

/// Gives a session another name.
pub fn rename_session(
    workspace: &Workspace,
    from: &OpenSession,
    name: &SessionName,
) -> Result<SessionFolder, ChoiceError> {
    let (repo, state) = (&workspace.repository, &workspace.state);
    let (to, _lock) = take_name(repo, name)?;
    let pages = typed_pages(state, from.folder.name.as_str());
    let place = from.folder.place()?;
    let target = place.with_file_name(name.as_str());
    fs::rename(&place, target).map_err(|error| SessionError::Io(place, error))?;
    // What was the user's own stays so, and nothing else becomes it.
    if from.own == from.session.record {
        remember_own(state, &to)?;
    }
    remember_typed(state, name, &pages.into_iter().collect::<Vec<_>>())?;
    Ok(to)
}

/// The folder of a session that there is not yet, and the lock on its name.
fn take_name(repo: &Repository, name: &SessionName) -> Result<(SessionFolder, Lock), ChoiceError> {
    let work_dir = repo.work_dir().ok_or(SessionError::Bare)?;
    let to = SessionFolder::new(work_dir, name.clone());
    // Looked at before it is locked as well: a session is never branched into itself.
    to.check_vacant()?;
    let lock = lock_session(repo, name)?;
    to.check_vacant()?;
    Ok((to, lock))
}

fn lock_session(repo: &Repository, name: &SessionName) -> Result<Lock, ChoiceError> {
    // Of this work tree: the sessions of another are other files.
    let (folder, file) = (
        StateDir::of_worktree(repo).folder(OWN_FOLDER),
        format!("{name}.lock"),
    );
    let lock = folder.lock(&file, Duration::ZERO);
    let lock = lock.map_err(|error| ChoiceError::State(folder.shown_file(&file), error))?;
    lock.ok_or_else(|| ChoiceError::Busy(name.clone()))
}

fn keep_out_of_snapshots(repo: &Repository) -> Result<(), ChoiceError> {
    let path = repo.work_dir().ok_or(SessionError::Bare)?.join(IGNORE_FILE);
    if fs::symlink_metadata(&path).is_ok() {
        return Ok(());
    }
    file::replace(&path, |open| open.write_all(IGNORE_TEXT.as_bytes()))
        .map_err(|error| ChoiceError::State(path, error))
}

/// False when the ignore file of this work tree leaves sessions among what is known of the repository.
#[must_use]
pub fn leaves_out_sessions(repo: &Repository) -> bool {
    let path = repo.work_dir().map(|root| root.join(IGNORE_FILE));
    let text = path
        .and_then(|path| fs::read_to_string(path).ok())
        .unwrap_or_default();
    text.lines().any(|line| {
        matches!(
            line.trim(),
            "/sessions/" | "/sessions" | "sessions/" | "sessions" | "*"
        )
    })
}

/// The digests of a session's records that this machine wrote. Sealed: what came with the repository says nothing.
fn own_digests(state: &StateDir, name: &SessionName) -> String {
    state
        .folder(OWN_FOLDER)
        .kept_text(&own_file(name), OWN_BYTES_MAX)
}

/// True when this machine wrote the record that has this digest.
fn wrote(state: &StateDir, name: &SessionName, digest: &str) -> bool {
    own_digests(state, name).lines().any(|line| line == digest)
}

/// Remembers that this machine wrote the session's record as it stands.
fn remember_own(state: &StateDir, folder: &SessionFolder) -> Result<(), ChoiceError> {
    let digest = digest(folder)?;
    let (own, file) = (state.folder(OWN_FOLDER), own_file(&folder.name));
    let known = own_digests(state, &folder.name);
    if known.lines().any(|line| line == digest) {
        return Ok(());
    }
    // Linked work trees have sessions of the same name.
    let newest: Vec<&str> = std::iter::once(digest.as_str())
        .chain(known.lines())
        .take(OWN_DIGESTS_MAX)
        .collect();
    let written = own.keep(&file, newest.join("\n").as_bytes());
    written.map_err(|error| ChoiceError::State(own.shown_file(&file), error))
}

/// URLs that the user typed for a session on this machine: with `session new -c`, or with `turn new --add`.
#[must_use]
pub fn typed_pages(state: &StateDir, name: &str) -> BTreeSet<String> {
    let Ok(name) = name.parse::<SessionName>() else {
        return BTreeSet::new();
    };
    typed_lines(state, &name)
        .lines()
        .map(str::to_owned)
        .collect()
}

fn typed_lines(state: &StateDir, name: &SessionName) -> String {
    state
        .folder(OWN_FOLDER)
        .kept_text(&typed_file(name), TYPED_BYTES_MAX)
}

/// Remembers the URLs among entries that the user typed, the newest last.
pub(super) fn remember_typed(
    state: &StateDir,
    name: &SessionName,
    entries: &[String],
) -> Result<(), ChoiceError> {
    let known = typed_lines(state, name);
    let mut lines: Vec<&str> = known.lines().collect();
    let before = lines.len();
    let urls = entries
        .iter()
        .map(String::as_str)
        .filter(|entry| entry.starts_with("https://"));
    for url in urls {
        if !lines.contains(&url) {
            lines.push(url);
        }
    }
    if lines.len() == before {
        return Ok(());
    }
    let kept = lines[lines.len().saturating_sub(TYPED_MAX)..].join("\n") + "\n";
    let (own, file) = (state.folder(OWN_FOLDER), typed_file(name));
    let written = own
        .create()
        .and_then(|()| own.write_sealed(&file, kept.as_bytes()));
    written.map_err(|error| ChoiceError::State(own.shown_file(&file), error))
}

/// True for a session that came with the repository: HEAD has its record, and this machine did not write it.
#[must_use]
pub fn is_delivered(workspace: &Workspace, folder: &SessionFolder) -> bool {
    let is_own = digest(folder).is_ok_and(|digest| wrote(&workspace.state, &folder.name, &digest));
    !is_own && !matches!(committed_record(workspace, folder), Committed::Nothing)
}

/// The same by name; false where there is no such session.
#[must_use]
pub fn is_delivered_session(workspace: &Workspace, name: &str) -> bool {
    let folder = name
        .parse()
        .ok()
        .zip(workspace.repository.work_dir())
        .map(|(name, root)| SessionFolder::new(root, name));
    folder.is_some_and(|folder| is_delivered(workspace, &folder))
}

/// What of a record is the user's: all of one that this machine wrote or that HEAD does not have, else what HEAD has
/// not just so. Values are compared, not bytes: the repository chooses how git writes its files to the work tree.
pub(super) fn own_part(
    workspace: &Workspace,
    folder: &SessionFolder,
    record: &SessionRecord,
) -> Result<SessionRecord, ChoiceError> {
    let digest = digest(folder)?;
    if wrote(&workspace.state, &folder.name, &digest) {
        return Ok(record.clone());
    }
    let unknown = SessionRecord {
        profile: None,
        scope: None,
        providers: BTreeMap::new(),
        limits: SessionLimits::default(),
        ..record.clone()
    };
    let committed = match committed_record(workspace, folder) {
        Committed::Nothing => return Ok(record.clone()),
        Committed::Record(committed) => committed,
        Committed::Unreadable => return Ok(unknown),
    };
    let mut own = unknown;
    own.profile = record
        .profile
        .clone()
        .filter(|_| record.profile != committed.profile);
    own.scope = record
        .scope
        .clone()
        .filter(|_| record.scope != committed.scope);
    own.providers = record.providers.clone();
    own.providers
        .retain(|role, name| committed.providers.get(role) != Some(name));
    if record.limits != committed.limits {
        own.limits = record.limits;
    }
    Ok(own)
}

/// What HEAD has in the place of a session's record.
fn committed_record(workspace: &Workspace, folder: &SessionFolder) -> Committed {
    let Ok(root) = workspace.root(&Snapshot::Revision("HEAD".to_owned())) else {
        return Committed::Nothing;
    };
    let path = folder.relative(None, SESSION_FILE);
    // A submodule on the way is the repository's as well.
    for above in path
        .ancestors()
        .skip(1)
        .filter(|above| !above.as_os_str().is_empty())
    {
        match workspace
            .repository
            .find_entry(&root.tree, above.as_os_str().as_encoded_bytes())
        {
            Ok(None | Some((EntryMode::Directory, _))) => {}
            _ => return Committed::Unreadable,
        }
    }
    let id = match workspace
        .repository
        .find_entry(&root.tree, path.as_os_str().as_encoded_bytes())
    {
        Ok(None) => return Committed::Nothing,
        Ok(Some((_, id))) => id,
        Err(_) => return Committed::Unreadable,
    };
    let mut bytes = Vec::new();
    if workspace
        .repository
        .read_at_most(&id, ObjectKind::Blob, FILE_BYTES_MAX, &mut bytes)
        .is_err()
    {
        return Committed::Unreadable;
    }
    SessionRecord::decode(&String::from_utf8_lossy(&bytes))
        .map_or(Committed::Unreadable, Committed::Record)
}

/// What HEAD has in the place of a session's record.
enum Committed {
    Nothing,
    Record(SessionRecord),
    Unreadable,
}

/// The digest of a session's record as it stands.
fn digest(folder: &SessionFolder) -> Result<String, SessionError> {
    Ok(hash::sha256_hex(
        folder
            .read(None, SESSION_FILE)?
            .unwrap_or_default()
            .as_bytes(),
    ))
}

/// Writes reports and history lines that a kill kept from being written; says which answers were edited since.
pub(super) fn settle(
    folder: &SessionFolder,
    session: &Session,
) -> Result<Vec<String>, SessionError> {
    let (mut warnings, mut said) = (Vec::new(), Vec::new());
    for (number, turn) in session
        .turns
        .iter()
        .filter(|(_, turn)| turn.closed.is_some())
    {
        let file = folder::response_file(turn.phase);
        let response = folder.read(Some(*number), &file)?;
        match &response {
            Some(response) if !turn.is_as_judged(response) => {
                warnings.push(format!(
                    "'{}' was edited after it was judged",
                    folder.relative(Some(*number), &file).display()
                ));
            }
            Some(_) => {}
            None => warnings.push(format!(
                "'{}' is gone",
                folder.relative(Some(*number), &file).display()
            )),
        }
        said.extend(history::said(*number, turn, response.as_deref()));
        if folder.read(Some(*number), REPORT)?.is_none() {
            write_report(folder, *number, turn)?;
        }
    }
    append_history(folder, said)?;
    Ok(warnings)
}

fn append_history(
    folder: &SessionFolder,
    said: Vec<history::HistoryEntry>,
) -> Result<(), SessionError> {
    append_to_history(folder, |history| {
        history.lines_for(said, history::TOKENS_MAX)
    })
}

/// Appends lines that follow from what the history has.
pub(super) fn append_to_history(
    folder: &SessionFolder,
    lines_of: impl FnOnce(&History) -> String,
) -> Result<(), SessionError> {
    let mut text = folder.read_history()?;
    let lines = lines_of(&History::decode(&text));
    if lines.is_empty() {
        return Ok(());
    }
    if !text.is_empty() && !text.ends_with('\n') {
        text.push('\n');
    }
    // Replaced as a whole, so that no reader meets half a line; what stood there stands there still.
    folder.write(None, HISTORY, &(text + &lines))
}

/// Writes the report of a turn from its record and its files.
pub(super) fn write_report(
    folder: &SessionFolder,
    number: TurnNumber,
    turn: &super::TurnRecord,
) -> Result<(), SessionError> {
    let mut files = Vec::new();
    for name in folder.files(number)?.iter().filter(|name| *name != REPORT) {
        files.push(Written::new(
            name,
            &folder.read_raw(number, name)?.unwrap_or_default(),
        ));
    }
    folder.write(
        Some(number),
        REPORT,
        report::render(&folder.name, number, turn, &files),
    )
}

fn typed_file(name: &SessionName) -> String {
    format!("{name}.urls")
}

fn own_file(name: &SessionName) -> String {
    format!("{name}.sha256")
}
