//! Why frames could not be exchanged.

use super::remote::Remote;
use super::retain::RetainError;
use crate::frame::StoreError;
use crate::frame::commit::CommitError;
use crate::git::{ChildError, ObjectError, RefError, SshError, WriteError};
use crate::secret::SecretFound;

/// What git says of a connection that broke off, in any of its transports.
const BROKEN: [&str; 21] = [
    // A ref that is refused is named in the report, which then is there.
    "failed to push some refs",
    "hung up",
    "early EOF",
    "unexpected disconnect",
    "onnection reset",
    "onnection refused",
    "unable to connect",
    "Broken pipe",
    "timed out",
    "unpack-objects",
    "index-pack",
    "expected ",
    "protocol error",
    "bad line length",
    "bad pack header",
    "pack has bad object",
    "invalid server response",
    "sideband demultiplexer",
    "pack-objects died",
    "unexpected flush packet",
    "RPC failed",
];

/// What git says of one that broke off before a word was said, and also of a server that does not know the user.
const SILENT: &str = "Could not read from remote repository";

/// How often a transfer that broke off is tried again.
const BROKEN_TRIES_MAX: u32 = 4;

/// How often one is that may have been refused: each asks for a password again.
const SILENT_TRIES_MAX: u32 = 2;

/// Why frames could not be exchanged. What was united by then stays.
#[derive(Debug, thiserror::Error)]
pub enum SyncError {
    /// git could not reach the remote, or the remote refused to talk.
    #[error("cannot reach remote '{remote}'")]
    Transfer {
        /// Its name.
        remote: String,
        /// What git said.
        #[source]
        source: ChildError,
    },
    /// Its ref holds something else.
    #[error("'{name}' of remote '{remote}' is no store of frames")]
    NoStore {
        /// The remote's name.
        remote: String,
        /// The ref.
        name: String,
        /// What is wrong with it.
        #[source]
        source: StoreError,
    },
    /// The remote does not take the ref.
    #[error("remote '{remote}' refuses '{name}': {reason}")]
    Refused {
        /// Its name.
        remote: String,
        /// The ref.
        name: String,
        /// Its own words.
        reason: String,
    },
    /// Other pushes were faster, each time.
    #[error(
        "other pushes to remote '{remote}' were faster, {tries} times in a row; nothing is lost"
    )]
    Busy {
        /// Its name.
        remote: String,
        /// Attempts.
        tries: u32,
    },
    /// The remote refuses a push as one that is behind, and no other push has moved what it holds.
    #[error(
        "remote '{remote}' does not take a push of frames, though no other push has moved them: {reason}"
    )]
    Stuck {
        /// Its name.
        remote: String,
        /// Its own words.
        reason: String,
    },
    /// It is fetched from one address and pushed to another, and the second holds frames that the first lacks.
    #[error(
        "remote '{0}' is pushed to another address than it is fetched from, which has frames of its own"
    )]
    TwoPlaces(String),
    /// The other side ended before it said what came of a push.
    #[error("remote '{remote}' broke off: {reason}")]
    Broken {
        /// Its name.
        remote: String,
        /// Its own words, or git's.
        reason: String,
    },
    /// Another process of this clone exchanges frames.
    #[error("another process exchanges frames")]
    Locked,
    /// The state directory or the lock file cannot be written.
    #[error("cannot lock the exchange of frames")]
    Lock(#[source] std::io::Error),
    /// What goes cannot be chosen.
    #[error(transparent)]
    Select(#[from] SelectError),
    /// What goes from a store cannot be chosen.
    #[error(transparent)]
    Retain(#[from] RetainError),
    /// The remote has branches or tags that this clone has not fetched.
    #[error("remote '{0}' has branches or tags that this clone lacks")]
    Unfetched(String),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
    /// The commit for the remote cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// Signatures cannot be checked.
    #[error(transparent)]
    Ssh(#[from] SshError),
    /// A ref cannot be read or moved.
    #[error(transparent)]
    Ref(#[from] RefError),
}

impl From<ObjectError> for SyncError {
    fn from(error: ObjectError) -> Self {
        Self::Store(error.into())
    }
}

impl SyncError {
    pub(super) fn transfer(remote: &Remote, source: ChildError) -> Self {
        Self::Transfer {
            remote: remote.name().to_owned(),
            source,
        }
    }

    /// How often the same transfer is worth another try: not at all, unless the connection broke off.
    pub(super) fn tries_left(&self, tries: u32) -> u32 {
        let most = match self {
            Self::Transfer {
                source: ChildError::Failed { message, .. },
                ..
            } => match message.as_str() {
                message if BROKEN.iter().any(|sign| message.contains(sign)) => BROKEN_TRIES_MAX,
                message if message.contains(SILENT) => SILENT_TRIES_MAX,
                _ => 0,
            },
            Self::Broken { .. } => BROKEN_TRIES_MAX,
            _ => 0,
        };
        most.saturating_sub(tries)
    }
}

/// Why a selection cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum SelectError {
    /// This store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// git could not walk the remote's branches.
    #[error(transparent)]
    Git(#[from] ChildError),
    /// The remote's branches cannot be read.
    #[error(transparent)]
    Ref(#[from] RefError),
    /// A statement holds what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
}
