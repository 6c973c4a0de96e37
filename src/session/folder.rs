//! The files of a session below `.teddy/sessions/`: where they stand, read and written without following a link.
//!
//! A turn is there once its `meta.yaml` is; a folder without one is what a kill left behind, and is used again. Every
//! file is replaced as a whole, so that a reader sees the old bytes or the new.

use std::fs::{self, DirBuilder};
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use super::flow::{self, Next};
use super::name::{SessionName, TurnNumber};
use super::record::{Charged, RecordError, SessionRecord, TurnRecord};
use crate::base::absent::is_absent;
use crate::base::limit::FILE_BYTES_MAX;
use crate::context::people::{SESSION_LIST, SESSIONS};
use crate::git::file;
use crate::profile::Phase;

/// What holds for all turns.
pub const SESSION_FILE: &str = "session.yaml";
/// What happened in a turn.
const TURN_FILE: &str = "meta.yaml";
/// The payload of a turn.
pub const INPUT: &str = "input.md";
/// The requests of a turn that others have replaced before there was an answer.
pub const REPLACED: &str = "replaced-requests.md";
/// What happened in a turn, for people.
pub const REPORT: &str = "report.md";
/// What was said in all turns.
pub const HISTORY: &str = "history.jsonl";

/// Why a session cannot be used.
#[derive(Debug, thiserror::Error)]
pub enum SessionError {
    /// There is no such session.
    #[error("there is no session '{0}'")]
    NotThere(SessionName),
    /// There is one of that name already.
    #[error("session '{0}' is there already")]
    Exists(SessionName),
    /// A session is files of a work tree.
    #[error("a bare repository has no work tree, and sessions are files in it")]
    Bare,
    /// Every number is taken.
    #[error("session '{0}' has as many turns as there can be")]
    Full(SessionName),
    /// Turns without a session: it was not finished, or lost its record.
    #[error("'{0}' has turns and no 'session.yaml'")]
    Remains(PathBuf),
    /// There is no such turn.
    #[error("session '{0}' has no turn {1}")]
    NoTurn(SessionName, TurnNumber),
    /// A link or a device stands where a file or folder should.
    #[error("'{0}' is neither a plain file nor a folder of its own")]
    Link(PathBuf),
    /// A file cannot be understood.
    #[error("cannot read '{0}'")]
    Record(PathBuf, #[source] RecordError),
    /// A file cannot be read or written.
    #[error("cannot use '{0}'")]
    Io(PathBuf, #[source] io::Error),
}

/// The folder of one session.
#[derive(Debug, Clone)]
pub struct SessionFolder {
    /// The session's name.
    pub name: SessionName,
    work_dir: PathBuf,
}

/// A session as its files have it.
#[derive(Debug, Clone, PartialEq)]
pub struct Session {
    /// What holds for all turns.
    pub record: SessionRecord,
    /// Its turns, oldest first.
    pub turns: Vec<(TurnNumber, TurnRecord)>,
}

impl Session {
    /// What comes next.
    #[must_use]
    pub fn next(&self) -> Next {
        flow::next(self.record.phase, &self.turns)
    }

    /// A turn by its number.
    #[must_use]
    pub fn turn(&self, number: TurnNumber) -> Option<&TurnRecord> {
        self.turns
            .iter()
            .find(|(other, _)| *other == number)
            .map(|(_, turn)| turn)
    }

    /// Tokens and dollars of all answers, as far as they are known.
    #[must_use]
    pub fn took(&self) -> (u64, f64) {
        let each = self.turns.iter().map(|(_, turn)| turn.took());
        each.fold((0, 0.0), |(tokens, cost), (more, dearer)| {
            (tokens.saturating_add(more), cost + dearer)
        })
    }

    /// What the ledger was charged for all turns; what limits hold against.
    #[must_use]
    pub fn charged(&self) -> Charged {
        let mut all = Charged::default();
        self.turns.iter().for_each(|(_, turn)| all += turn.charged);
        all
    }
}

/// What the files of a phase begin with.
#[must_use]
pub fn stem(phase: Phase) -> &'static str {
    match phase {
        Phase::Planning => "planning",
        Phase::Generating => "generation",
        Phase::Reviewing => "review",
        Phase::Revising => "revision",
    }
}

/// The file that is sent in a phase, or pasted into a chat.
#[must_use]
pub fn prompt_file(phase: Phase) -> String {
    format!("{}-prompt.md", stem(phase))
}

/// The file of the answer.
#[must_use]
pub fn response_file(phase: Phase) -> String {
    format!("{}-response.md", stem(phase))
}

/// The file of an answer that was cut at the limit of output tokens.
#[must_use]
pub fn partial_file(phase: Phase) -> String {
    format!("{}-partial.md", stem(phase))
}

/// The file of the messages that a provider with several turns has heard and said in a phase.
#[must_use]
pub fn conversation_file(phase: Phase) -> String {
    format!("{}-conversation.json", stem(phase))
}

impl SessionFolder {
    /// The folder of a session, whether it is there or not.
    #[must_use]
    pub fn new(work_dir: &Path, name: SessionName) -> Self {
        Self {
            name,
            work_dir: work_dir.to_owned(),
        }
    }

    /// All sessions of a work tree, by name.
    pub fn list(work_dir: &Path) -> Result<Vec<Self>, SessionError> {
        let folder = work_dir.join(SESSIONS);
        let entries = match fs::read_dir(&folder) {
            Err(error) if is_absent(&error) => return Ok(Vec::new()),
            entries => entries.map_err(|error| SessionError::Io(folder.clone(), error))?,
        };
        let mut names: Vec<SessionName> = entries
            .flatten()
            .filter_map(|entry| entry.file_name().to_str()?.parse().ok())
            .collect();
        names.sort();
        let folders = names.into_iter().map(|name| Self::new(work_dir, name));
        Ok(folders.filter(Self::exists).collect())
    }

    /// True when there is such a session.
    #[must_use]
    pub fn exists(&self) -> bool {
        matches!(self.read(None, SESSION_FILE), Ok(Some(_)))
    }

    /// Refuses where a session is, or where turns are that would be taken for those of a new one.
    pub fn check_vacant(&self) -> Result<(), SessionError> {
        if self.read(None, SESSION_FILE)?.is_some() {
            return Err(SessionError::Exists(self.name.clone()));
        }
        let folder = self.path(None, "");
        let entries = fs::read_dir(&folder).into_iter().flatten().flatten();
        let mut turns =
            entries.filter_map(|entry| TurnNumber::of_folder(entry.file_name().to_str()?));
        if turns.any(|turn| fs::symlink_metadata(self.path(Some(turn), TURN_FILE)).is_ok()) {
            return Err(SessionError::Remains(self.relative(None, "")));
        }
        Ok(())
    }

    /// Begins a session; the record is written last, and until then there is none.
    pub fn create(&self, record: &SessionRecord, list: &str) -> Result<(), SessionError> {
        if self.read(None, SESSION_FILE)?.is_some() {
            return Err(SessionError::Exists(self.name.clone()));
        }
        self.write(None, SESSION_LIST, list)?;
        self.save(record)
    }

    /// Writes what holds for all turns.
    pub fn save(&self, record: &SessionRecord) -> Result<(), SessionError> {
        self.write(None, SESSION_FILE, record.encode())
    }

    /// Writes what happened in a turn.
    pub fn save_turn(&self, number: TurnNumber, turn: &TurnRecord) -> Result<(), SessionError> {
        self.write(Some(number), TURN_FILE, turn.encode())
    }

    /// Reads a session with its turns.
    pub fn load(&self) -> Result<Session, SessionError> {
        let text = self
            .read(None, SESSION_FILE)?
            .ok_or_else(|| SessionError::NotThere(self.name.clone()))?;
        let record = SessionRecord::decode(&text)
            .map_err(|error| SessionError::Record(self.path(None, SESSION_FILE), error))?;
        let mut turns = Vec::new();
        let mut next = Some(TurnNumber::FIRST);
        // Turns follow one another without a gap: what stands behind one is no turn of this session.
        while let Some(number) = next {
            let Some(text) = self.read(Some(number), TURN_FILE)? else {
                break;
            };
            let turn = TurnRecord::decode(&text)
                .map_err(|error| SessionError::Record(self.path(Some(number), TURN_FILE), error))?;
            turns.push((number, turn));
            next = number.next();
        }
        Ok(Session { record, turns })
    }

    /// Where a file of the session, or of a turn, stands.
    #[must_use]
    pub fn path(&self, turn: Option<TurnNumber>, file: &str) -> PathBuf {
        self.work_dir.join(self.relative(turn, file))
    }

    /// Same, below the work tree.
    #[must_use]
    pub fn relative(&self, turn: Option<TurnNumber>, file: &str) -> PathBuf {
        let mut path = PathBuf::from(SESSIONS).join(self.name.as_str());
        if let Some(turn) = turn {
            path.push(turn.to_string());
        }
        path.join(file)
    }

    /// The folder itself, which is one and no link to another.
    pub fn place(&self) -> Result<PathBuf, SessionError> {
        let path = self.work_dir.join(SESSIONS).join(self.name.as_str());
        // Reading its record refuses links on the way to it.
        self.read(None, SESSION_FILE)?
            .ok_or_else(|| SessionError::NotThere(self.name.clone()))?;
        Ok(path)
    }

    /// A file's text; `None` when it is not there. What is not UTF-8 is read with marks in the place of bad bytes.
    pub fn read(
        &self,
        turn: Option<TurnNumber>,
        file: &str,
    ) -> Result<Option<String>, SessionError> {
        let bytes = self.read_bytes(turn, file, FILE_BYTES_MAX)?;
        Ok(bytes.map(|bytes| String::from_utf8_lossy(&bytes).into_owned()))
    }

    /// What was said in all turns, whose files each may be as large as a file can be.
    pub fn read_history(&self) -> Result<String, SessionError> {
        let bytes = self
            .read_bytes(None, HISTORY, u64::MAX)?
            .unwrap_or_default();
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// The bytes of a file of a turn, whatever it is; `None` when it is not there.
    pub fn read_raw(&self, turn: TurnNumber, file: &str) -> Result<Option<Vec<u8>>, SessionError> {
        self.read_bytes(Some(turn), file, u64::MAX)
    }

    fn read_bytes(
        &self,
        turn: Option<TurnNumber>,
        file: &str,
        bytes_max: u64,
    ) -> Result<Option<Vec<u8>>, SessionError> {
        let path = self.checked(turn, file)?;
        let failed = |error| SessionError::Io(path.clone(), error);
        match fs::symlink_metadata(&path) {
            Err(error) if is_absent(&error) => return Ok(None),
            Err(error) => return Err(failed(error)),
            Ok(found) if found.len() > bytes_max => {
                return Err(failed(io::Error::other("it is too large")));
            }
            Ok(_) => {}
        }
        fs::read(&path).map(Some).map_err(failed)
    }

    /// Replaces a file, durably, and makes the folders above it.
    pub fn write(
        &self,
        turn: Option<TurnNumber>,
        file: &str,
        content: impl AsRef<[u8]>,
    ) -> Result<(), SessionError> {
        let path = self.checked(turn, file)?;
        let failed = |error| SessionError::Io(path.clone(), error);
        let folder = path
            .parent()
            .expect("a file of a session stands in a folder");
        DirBuilder::new()
            .recursive(true)
            .create(folder)
            .map_err(failed)?;
        file::remove_abandoned(folder);
        file::replace_durably(&path, |open| open.write_all(content.as_ref())).map_err(failed)
    }

    /// The names of a turn's files, in order.
    pub fn files(&self, turn: TurnNumber) -> Result<Vec<String>, SessionError> {
        let folder = self
            .checked(Some(turn), TURN_FILE)?
            .parent()
            .map(Path::to_owned)
            .unwrap_or_default();
        let entries =
            fs::read_dir(&folder).map_err(|error| SessionError::Io(folder.clone(), error))?;
        let plain = entries
            .flatten()
            .filter(|entry| entry.file_type().is_ok_and(|found| found.is_file()));
        let names = plain
            .filter(|entry| !file::is_temporary(&entry.path()))
            .filter_map(|entry| entry.file_name().into_string().ok());
        let mut names: Vec<String> = names.collect();
        names.sort();
        Ok(names)
    }

    /// The path of a file, once nothing on the way to it leads elsewhere.
    fn checked(&self, turn: Option<TurnNumber>, file: &str) -> Result<PathBuf, SessionError> {
        let mut path = self.work_dir.clone();
        let relative = self.relative(turn, file);
        let mut parts = relative.components().peekable();
        while let Some(part) = parts.next() {
            path.push(part);
            let Ok(found) = fs::symlink_metadata(&path) else {
                continue;
            };
            let is_right = if parts.peek().is_some() {
                found.is_dir()
            } else {
                found.is_file()
            };
            if !is_right {
                return Err(SessionError::Link(path));
            }
        }
        Ok(path)
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;

    use super::*;
    use crate::session::flow::tests::turn;
    use crate::session::record::VERSION;

    fn folder() -> (tempfile::TempDir, SessionFolder) {
        let place = tempfile::tempdir().expect("a folder");
        let folder = SessionFolder::new(place.path(), "login".parse().expect("a name"));
        (place, folder)
    }

    #[test]
    fn a_session_is_what_its_files_say() {
        let (place, folder) = folder();
        assert!(matches!(folder.load(), Err(SessionError::NotThere(_))));
        assert!(
            SessionFolder::list(place.path())
                .expect("no sessions")
                .is_empty()
        );
        let record = SessionRecord {
            version: VERSION,
            ..SessionRecord::default()
        };
        folder.create(&record, "src/\n").expect("writable");
        assert!(matches!(
            folder.create(&record, ""),
            Err(SessionError::Exists(_))
        ));
        let first = turn(Phase::Planning, 1, Some(true));
        folder
            .save_turn(TurnNumber::FIRST, &first)
            .expect("writable");
        // Without a record it is no turn, and neither is what stands behind the gap.
        fs::create_dir(folder.path(None, "02")).expect("writable");
        folder
            .save_turn("03".parse().expect("a number"), &first)
            .expect("writable");
        let session = folder.load().expect("readable");
        assert_eq!(
            session,
            Session {
                record,
                turns: vec![(TurnNumber::FIRST, first)]
            }
        );
        assert_eq!(session.next(), Next::Begin(Phase::Generating, 1));
        assert_eq!(
            folder.files(TurnNumber::FIRST).expect("readable"),
            [TURN_FILE]
        );
        assert_eq!(
            SessionFolder::list(place.path()).expect("readable").len(),
            1
        );
    }

    #[test]
    fn nothing_is_followed_out_of_the_folder() {
        let (place, folder) = folder();
        let outside = tempfile::tempdir().expect("a folder");
        fs::write(outside.path().join("session.yaml"), "version: 1\n").expect("writable");
        fs::create_dir_all(place.path().join(SESSIONS)).expect("writable");
        symlink(outside.path(), place.path().join(SESSIONS).join("login")).expect("a link");
        assert!(matches!(folder.load(), Err(SessionError::Link(_))));
        assert!(matches!(
            folder.write(None, INPUT, "x"),
            Err(SessionError::Link(_))
        ));
        assert!(matches!(
            folder.write(Some(TurnNumber::FIRST), INPUT, "x"),
            Err(SessionError::Link(_))
        ));
        assert!(!folder.exists());
        fs::remove_file(place.path().join(SESSIONS).join("login")).expect("there");
        folder
            .write(Some(TurnNumber::FIRST), INPUT, "x")
            .expect("writable");
        fs::remove_file(folder.path(Some(TurnNumber::FIRST), INPUT)).expect("there");
        symlink("/dev/zero", folder.path(Some(TurnNumber::FIRST), INPUT)).expect("a link");
        assert!(matches!(
            folder.read(Some(TurnNumber::FIRST), INPUT),
            Err(SessionError::Link(_))
        ));
    }
}
