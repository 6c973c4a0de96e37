//! Sessions of this work tree: which one is meant, beginning, branching, and finishing what a kill left half done.
//!
//! `session.yaml` names a profile and providers. One that this machine wrote, or that its user edited, is taken at its
//! word; one that came with the repository is not: a repository never chooses who is asked.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Duration;

use super::open::Workspace;
use crate::base::hash;
use crate::git::{Lock, ObjectKind, file};
use crate::node::Snapshot;
use crate::session::folder::{self, HISTORY, REPORT, SESSION_LIST, Session};
use crate::session::history::{self, History};
use crate::session::record::VERSION;
use crate::session::report::{self, Written};
use crate::session::{SessionError, SessionFolder, SessionName, SessionRecord, TurnNumber};

/// Where this machine remembers which sessions are its own, below the state directory.
const OWN_FOLDER: &str = "sessions";
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
    Name(#[from] crate::session::name::NameError),
    /// Nobody has begun one.
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

/// A session that nobody else changes meanwhile, with everything that was left half done finished.
pub struct OpenSession {
    /// Where its files are.
    pub folder: SessionFolder,
    /// What they say.
    pub session: Session,
    /// True when what `session.yaml` names may be used.
    pub is_own: bool,
    /// What is odd about it.
    pub warnings: Vec<String>,
    _lock: Lock,
}

impl Workspace {
    /// All sessions, by name.
    pub fn sessions(&self) -> Result<Vec<SessionFolder>, SessionError> {
        SessionFolder::list(self.repository.work_dir().ok_or(SessionError::Bare)?)
    }

    /// The session of a name; without one the only session, or the only one that is not complete.
    pub fn session_folder(&self, named: Option<&str>) -> Result<SessionFolder, ChoiceError> {
        let work_dir = self.repository.work_dir().ok_or(SessionError::Bare)?;
        if let Some(name) = named {
            let folder = SessionFolder::new(work_dir, name.parse()?);
            return if folder.exists() { Ok(folder) } else { Err(SessionError::NotThere(folder.name).into()) };
        }
        let mut all = self.sessions()?;
        if all.len() > 1 {
            let is_open =
                |folder: &SessionFolder| folder.load().is_ok_and(|session| session.next() != crate::session::Next::Complete);
            let open: Vec<_> = all.iter().filter(|folder| is_open(folder)).cloned().collect();
            if open.len() == 1 {
                all = open;
            }
        }
        match all.len() {
            0 => Err(ChoiceError::None),
            1 => Ok(all.remove(0)),
            _ => Err(ChoiceError::Several(all.iter().map(|folder| folder.name.to_string()).collect())),
        }
    }

    /// Takes a session for changing it, and finishes what was left half done.
    pub fn open_session(&self, folder: SessionFolder) -> Result<OpenSession, ChoiceError> {
        let lock = self.lock_session(&folder.name)?;
        let session = folder.load()?;
        let mut warnings = settle(&folder, &session)?;
        let is_own = self.is_own(&folder)?;
        if !is_own && (session.record.profile.is_some() || !session.record.providers.is_empty()) {
            warnings.push(format!(
                "'{}' came with the repository, so the profile and providers that it names are not used",
                folder.relative(None, "session.yaml").display()
            ));
        }
        Ok(OpenSession { folder, session, is_own, warnings, _lock: lock })
    }

    /// Begins a session; `entries` are the lines of its context list.
    pub fn begin_session(
        &self,
        name: &SessionName,
        record: SessionRecord,
        entries: &[String],
    ) -> Result<SessionFolder, ChoiceError> {
        let work_dir = self.repository.work_dir().ok_or(SessionError::Bare)?;
        let folder = SessionFolder::new(work_dir, name.clone());
        let _lock = self.lock_session(name)?;
        let list = entries.iter().fold(
            String::from("# What every turn of this session sees, one entry a line.\n"),
            |mut text, entry| {
                let _ = writeln!(text, "{entry}");
                text
            },
        );
        folder.create(&SessionRecord { version: VERSION, ..record }, &list)?;
        self.keep_out_of_snapshots()?;
        self.remember_own(&folder)?;
        Ok(folder)
    }

    /// Begins a session with the turns of another, as far as `last`.
    pub fn branch_session(
        &self,
        from: &OpenSession,
        name: &SessionName,
        last: Option<TurnNumber>,
    ) -> Result<SessionFolder, ChoiceError> {
        let turns = &from.session.turns;
        let last = last.or_else(|| turns.last().map(|(number, _)| *number));
        if let Some(last) = last.filter(|last| from.session.turn(*last).is_none()) {
            return Err(SessionError::NoTurn(from.folder.name.clone(), last).into());
        }
        let parent = last.map_or_else(|| from.folder.name.to_string(), |last| format!("{}/{last}", from.folder.name));
        let own = if from.is_own {
            from.session.record.clone()
        } else {
            SessionRecord { phase: from.session.record.phase, ..SessionRecord::default() }
        };
        let record = SessionRecord { parent: Some(parent), version: VERSION, ..own };
        let work_dir = self.repository.work_dir().ok_or(SessionError::Bare)?;
        let to = SessionFolder::new(work_dir, name.clone());
        let _lock = self.lock_session(name)?;
        if to.exists() {
            return Err(SessionError::Exists(name.clone()).into());
        }
        for (number, turn) in turns.iter().take_while(|(number, _)| Some(*number) <= last) {
            for name in from.folder.files(*number)?.iter().filter(|name| *name != REPORT && *name != "meta.yaml") {
                if let Some(text) = from.folder.read(Some(*number), name)? {
                    to.write(Some(*number), name, &text)?;
                }
            }
            to.save_turn(*number, turn)?;
        }
        let list = from.folder.read(None, SESSION_LIST)?.unwrap_or_default();
        to.create(&record, &list)?;
        self.remember_own(&to)?;
        settle(&to, &to.load()?)?;
        Ok(to)
    }

    fn lock_session(&self, name: &SessionName) -> Result<Lock, ChoiceError> {
        let path = self.state.root().join(OWN_FOLDER).join(format!("{name}.lock"));
        let lock = Lock::acquire(&path, Duration::ZERO).map_err(|error| ChoiceError::State(path, error))?;
        lock.ok_or_else(|| ChoiceError::Busy(name.clone()))
    }

    fn keep_out_of_snapshots(&self) -> Result<(), ChoiceError> {
        let path = self.repository.work_dir().ok_or(SessionError::Bare)?.join(IGNORE_FILE);
        if fs::symlink_metadata(&path).is_ok() {
            return Ok(());
        }
        file::replace(&path, |open| open.write_all(IGNORE_TEXT.as_bytes())).map_err(|error| ChoiceError::State(path, error))
    }

    fn own_path(&self, name: &SessionName) -> PathBuf {
        self.state.root().join(OWN_FOLDER).join(format!("{name}.sha256"))
    }

    /// Remembers that this machine wrote the session's record as it stands.
    fn remember_own(&self, folder: &SessionFolder) -> Result<(), ChoiceError> {
        let text = folder.read(None, "session.yaml")?.unwrap_or_default();
        let path = self.own_path(&folder.name);
        let written = file::replace(&path, |open| open.write_all(hash::sha256_hex(text.as_bytes()).as_bytes()));
        written.map_err(|error| ChoiceError::State(path, error))
    }

    /// False for a record that stands in HEAD just so and was not written by this machine.
    fn is_own(&self, folder: &SessionFolder) -> Result<bool, ChoiceError> {
        let text = folder.read(None, "session.yaml")?.unwrap_or_default();
        if fs::read_to_string(self.own_path(&folder.name)).is_ok_and(|known| known == hash::sha256_hex(text.as_bytes())) {
            return Ok(true);
        }
        let Ok(root) = self.root(&Snapshot::Revision("HEAD".to_owned())) else { return Ok(true) };
        let path = folder.relative(None, "session.yaml");
        let Ok(Some((_, id))) = self.repository.find_entry(&root.tree, path.as_os_str().as_encoded_bytes()) else {
            return Ok(true);
        };
        let mut committed = Vec::new();
        let is_read = self.repository.read(&id, ObjectKind::Blob, &mut committed).is_ok();
        Ok(is_read && committed != text.as_bytes())
    }
}

/// Writes reports and history lines that a kill kept from being written; says which answers were edited since.
pub(super) fn settle(folder: &SessionFolder, session: &Session) -> Result<Vec<String>, SessionError> {
    let mut warnings = Vec::new();
    for (number, turn) in session.turns.iter().filter(|(_, turn)| turn.closed.is_some()) {
        let file = folder::response_file(turn.phase());
        let response = folder.read(Some(*number), &file)?;
        match &response {
            Some(response) if !turn.is_as_judged(response) => {
                warnings.push(format!("'{}' was edited after it was judged", folder.relative(Some(*number), &file).display()));
            }
            Some(_) => {}
            None => warnings.push(format!("'{}' is gone", folder.relative(Some(*number), &file).display())),
        }
        append_history(folder, history::said(*number, turn, response.as_deref()))?;
        if folder.read(Some(*number), REPORT)?.is_none() {
            write_report(folder, *number, turn)?;
        }
    }
    Ok(warnings)
}

fn append_history(folder: &SessionFolder, said: Vec<history::Entry>) -> Result<(), SessionError> {
    let mut text = folder.read(None, HISTORY)?.unwrap_or_default();
    let lines = History::decode(&text).lines_for(said, history::TOKENS_MAX);
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
    turn: &crate::session::TurnRecord,
) -> Result<(), SessionError> {
    let mut files = Vec::new();
    for name in folder.files(number)?.iter().filter(|name| *name != REPORT) {
        let text = folder.read(Some(number), name)?.unwrap_or_default();
        files.push(Written::new(name, &text));
    }
    folder.write(Some(number), REPORT, &report::render(&folder.name, number, turn, &files))
}
