//! What was installed, so that it can be taken out again: `<common git dir>/merkle/hooks/installed`, mode 0600.
//!
//! One JSON object with its format's name; see `docs/formats.md`. Paths below the common git directory are relative to
//! it, so that a repository can be moved; those that are not UTF-8 are lists of bytes.

use std::ffi::OsString;
use std::io;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};

use serde::{Deserialize, Serialize};

use super::event::HookEvent;
use crate::git::StateDir;

const FORMAT: &str = "git-merkle/hooks/1";
const FILE_NAME: &str = "installed";
/// Far more than a record with the longest paths.
const FILE_BYTES_MAX: u64 = 256 * 1024;

/// What was installed and how.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct InstallRecord {
    /// By which way.
    pub mode: Mode,
    /// What the hooks call.
    pub binary: PathBuf,
    /// Which events have a hook.
    pub events: Vec<HookEvent>,
    /// What agents that cost something may spend in a day, in billionths of a dollar; nothing when not given.
    pub budget_nano_dollars: Option<u64>,
    /// The hooks folder that was written, in hookdir mode.
    pub directory: Option<PathBuf>,
    /// Hooks that are ours alone.
    pub created: Vec<HookEvent>,
    /// Directories that were made, in this order.
    pub made: Vec<PathBuf>,
    /// True when the last line of the configuration file had no end, and was given one.
    pub ended_line: bool,
}

/// How git is told to run the hooks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Mode {
    /// By its configuration.
    Config,
    /// By files in its hooks folder.
    Hookdir,
}

impl Mode {
    /// The word on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Config => "config",
            Self::Hookdir => "hookdir",
        }
    }
}

/// Why it is not known what was installed.
#[derive(Debug, thiserror::Error)]
pub enum InstallRecordError {
    /// The file is there and cannot be read.
    #[error("cannot read '{path}'")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It says something that this version does not understand.
    #[error("'{path}' is damaged or of another version")]
    Damaged {
        /// The file.
        path: PathBuf,
    },
}

#[derive(Serialize, Deserialize)]
struct Document {
    format: String,
    mode: Mode,
    binary: PathText,
    events: Vec<String>,
    budget_nano_usd: Option<u64>,
    directory: Option<PathText>,
    created: Vec<String>,
    made: Vec<PathText>,
    ended_line: bool,
}

#[derive(Serialize, Deserialize)]
#[serde(untagged)]
enum PathText {
    Text(String),
    Bytes(Vec<u8>),
}

impl PathText {
    fn of(path: &Path, base: &Path) -> Self {
        let path = path.strip_prefix(base).unwrap_or(path);
        path.to_str().map_or_else(
            || Self::Bytes(path.as_os_str().as_bytes().to_vec()),
            |text| Self::Text(text.to_owned()),
        )
    }

    fn path(self, base: &Path) -> PathBuf {
        match self {
            Self::Text(text) => base.join(text),
            Self::Bytes(bytes) => base.join(OsString::from_vec(bytes)),
        }
    }
}

impl InstallRecord {
    /// The file's path.
    #[must_use]
    pub fn file(state: &StateDir) -> PathBuf {
        state.hooks().shown_file(FILE_NAME)
    }

    /// Reads what was installed; `None` when nothing was.
    pub fn load(state: &StateDir) -> Result<Option<Self>, InstallRecordError> {
        let path = Self::file(state);
        match state.hooks().read(FILE_NAME, FILE_BYTES_MAX) {
            Ok(bytes) => Self::decode(&bytes, base(state))
                .map(Some)
                .ok_or(InstallRecordError::Damaged { path }),
            Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(None),
            Err(source) => Err(InstallRecordError::Read { path, source }),
        }
    }

    /// The bytes of the file.
    #[must_use]
    pub fn encode(&self, state: &StateDir) -> Vec<u8> {
        self.encode_below(base(state))
    }

    fn encode_below(&self, base: &Path) -> Vec<u8> {
        let names =
            |events: &[HookEvent]| events.iter().map(|event| event.name().to_owned()).collect();
        let document = Document {
            format: FORMAT.to_owned(),
            mode: self.mode,
            binary: PathText::of(&self.binary, base),
            events: names(&self.events),
            budget_nano_usd: self.budget_nano_dollars,
            directory: self
                .directory
                .as_deref()
                .map(|path| PathText::of(path, base)),
            created: names(&self.created),
            made: self
                .made
                .iter()
                .map(|path| PathText::of(path, base))
                .collect(),
            ended_line: self.ended_line,
        };
        let mut bytes =
            serde_json::to_vec(&document).expect("a document is a struct with string keys");
        bytes.push(b'\n');
        bytes
    }

    fn decode(bytes: &[u8], base: &Path) -> Option<Self> {
        let document: Document = serde_json::from_slice(bytes).ok()?;
        let events = |names: &[String]| {
            names
                .iter()
                .map(|name| HookEvent::parse(name))
                .collect::<Option<Vec<_>>>()
        };
        (document.format == FORMAT).then_some(())?;
        Some(Self {
            mode: document.mode,
            binary: document.binary.path(base),
            events: events(&document.events)?,
            budget_nano_dollars: document.budget_nano_usd,
            directory: document.directory.map(|path| path.path(base)),
            created: events(&document.created)?,
            made: document
                .made
                .into_iter()
                .map(|path| path.path(base))
                .collect(),
            ended_line: document.ended_line,
        })
    }
}

/// The common git directory.
fn base(state: &StateDir) -> &Path {
    state.git_dir()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_record_reads_back_and_damage_is_seen() {
        let record = InstallRecord {
            mode: Mode::Hookdir,
            binary: OsString::from_vec(b"/a\n\xff/git-merkle".to_vec()).into(),
            events: vec![HookEvent::PostCommit, HookEvent::PrePush],
            budget_nano_dollars: Some(1_500_000_000),
            directory: Some("/r/.git/hooks".into()),
            created: vec![HookEvent::PrePush],
            made: vec!["/r/.git/merkle".into()],
            ended_line: true,
        };
        let git_dir = Path::new("/r/.git");
        let bytes = record.encode_below(git_dir);
        assert_eq!(InstallRecord::decode(&bytes, git_dir), Some(record));
        let moved = InstallRecord::decode(&bytes, Path::new("/s")).unwrap();
        assert_eq!(
            (moved.directory, moved.made),
            (Some("/s/hooks".into()), vec!["/s/merkle".into()])
        );
        for bad in ["", "{}", r#"{"format":"git-merkle/hooks/2"}"#] {
            assert_eq!(InstallRecord::decode(bad.as_bytes(), git_dir), None);
        }
    }
}
