//! Why a step of a turn failed.

use std::path::PathBuf;

use super::folder::SessionError;
use super::name::TurnNumber;
use super::open::ChoiceError;
use super::record::Status;
use crate::chat::ImageError;
use crate::git::ObjectError;
use crate::node::SnapshotError;
use crate::ops::input::InputError;
use crate::ops::{AskingError, FilesError};
use crate::profile::{FitError, OutputKey, Phase};
use crate::provider::call::CallError;
use crate::secret::SecretFound;
use crate::workspace::RulesError;

/// Why a step of a turn cannot be done.
#[derive(Debug, thiserror::Error)]
pub enum TurnError {
    /// The session's files cannot be used.
    #[error(transparent)]
    Session(#[from] SessionError),
    /// The payload cannot be put together.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The snapshot cannot be read.
    #[error(transparent)]
    Snapshot(#[from] SnapshotError),
    /// The symbols cannot be read.
    #[error(transparent)]
    Map(#[from] FilesError),
    /// The history of the repository cannot be read.
    #[error("cannot read the history")]
    History(#[source] ObjectError),
    /// What the machine remembers of the session cannot be written.
    #[error(transparent)]
    Choice(#[from] ChoiceError),
    /// An image of the turn is none.
    #[error("cannot use '{0}'")]
    Image(String, #[source] ImageError),
    /// The payload was edited, and what is sent is not made of that file.
    #[error("'{0}' was edited, and is not what is sent")]
    Edited(PathBuf),
    /// No provider can answer.
    #[error(transparent)]
    Asking(#[from] AskingError),
    /// The words do not fit.
    #[error(transparent)]
    Fit(#[from] FitError),
    /// The words hold what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
    /// A file of rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// There is no answer.
    #[error(transparent)]
    Call(#[from] CallError),
    /// The answer was cut at the limit of output tokens.
    #[error("the answer was cut at the limit of {limit} output tokens; the answer is kept in '{}'", file.display())]
    Cut {
        /// The limit.
        limit: u64,
        /// The file with what came.
        file: PathBuf,
        /// The phase, and the profile with its parameters.
        phase: Phase,
        /// See `phase`.
        profile: String,
        /// Which setting limits the answer.
        key: OutputKey,
    },
    /// The turn is not where this step begins.
    #[error("turn {0} is {word}", word = .1.as_str())]
    Status(TurnNumber, Status),
    /// A review has accepted the work, and the next step is not chosen.
    #[error("session '{0}' is complete")]
    Complete(String),
    /// The session has no turn yet.
    #[error("session '{0}' has no turn yet")]
    NoTurns(String),
    /// The first turn says what is wanted.
    #[error("nothing was said about what is wanted")]
    NoRequest,
    /// A limit of the session is reached.
    #[error("session '{session}' is at its limit of {limit}")]
    Limit {
        /// Its name.
        session: String,
        /// The limit, in words.
        limit: String,
    },
    /// The answer is empty.
    #[error("the answer is empty")]
    Empty,
    /// An answer came, and there is no place for it; nothing else has it.
    #[error("the answer came and cannot be kept in '{}'", path.display())]
    NotKept {
        /// Where it should be.
        path: PathBuf,
        /// All of it.
        text: String,
        /// What failed.
        #[source]
        source: std::io::Error,
    },
    /// The machine's own state cannot be read or written.
    #[error("cannot use '{0}'")]
    State(PathBuf, #[source] std::io::Error),
}
