//! Signing what this clone has said: one manifest for all statements that wait.
//!
//! A statement waits from the moment in which it is stored. The command that stores it signs it, where that asks nothing of a
//! process in the background; what could not be signed then the next `push` or `sync` signs.

use crate::base::clock;
use crate::base::count::counted;
use crate::frame::commit::{self, CommitError};
use crate::frame::entry::read_entry;
use crate::frame::manifest::{Manifest, ManifestLine, STATEMENTS_MAX, digest_of, text};
use crate::frame::unsigned::{self, Waiting};
use crate::frame::{Entry, StatementKey, Store, StoreError};
use crate::git::{ObjectError, Prompt, Repository, Signer, SshError, StateDir};

/// Why statements were not signed; they wait.
#[derive(Debug, thiserror::Error)]
pub enum SignError {
    /// The program did not sign.
    #[error(transparent)]
    Ssh(#[from] SshError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The store cannot be written.
    #[error(transparent)]
    Commit(#[from] CommitError),
}

impl From<ObjectError> for SignError {
    fn from(error: ObjectError) -> Self {
        Self::Store(error.into())
    }
}

/// How many statements wait for a signature.
#[must_use]
pub fn waiting(state: &StateDir) -> usize {
    unsigned::list(state).len()
}

/// Signs what waits; how many statements that were.
pub fn sign(
    repo: &Repository,
    state: &StateDir,
    own_key: Option<&str>,
    prompt: Prompt,
) -> Result<usize, SignError> {
    let waiting = unsigned::list(state);
    if waiting.is_empty() {
        return Ok(0);
    }
    let lines = lines(repo, &waiting)?;
    let mut manifests = Vec::new();
    if !lines.is_empty() {
        let signer = Signer::of(repo, own_key)?;
        for lines in lines.chunks(STATEMENTS_MAX) {
            let seconds = clock::now_seconds();
            let signature = signer.sign(text(seconds, lines).as_bytes(), prompt)?;
            manifests.push(
                Manifest {
                    seconds,
                    lines: lines.to_vec(),
                    signature,
                }
                .encode(),
            );
        }
    }
    let message = counted(lines.len(), "statement signed", "statements signed");
    commit::add_manifests(repo, state, &manifests, &waiting, &message)?;
    Ok(lines.len())
}

/// What is signed of what waits, in order: statements that the store has as they were said.
fn lines(repo: &Repository, waiting: &[Waiting]) -> Result<Vec<ManifestLine>, SignError> {
    let store = Store::open(repo)?;
    let Some(tree) = store.tree() else {
        return Ok(Vec::new());
    };
    let mut lines = Vec::new();
    for Waiting { name, blob } in waiting {
        let found = repo.find_entry(&tree, name.path().as_bytes())?;
        if found.is_none_or(|(_, found)| found != *blob) {
            continue;
        }
        let Ok(frame) = read_entry(
            repo,
            &Entry {
                name: name.clone(),
                blob: *blob,
            },
        ) else {
            continue;
        };
        lines.extend(digest_of(&frame).map(|digest| (StatementKey::of(&frame), digest)));
    }
    lines.sort_unstable();
    lines.dedup_by_key(|(key, _)| *key);
    Ok(lines)
}
