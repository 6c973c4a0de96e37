//! Whether statements are signed here, signing them, and what signatures say about frames.

use super::open::Workspace;
use super::settings::{Settings, SettingsError};
use crate::config::{table, value};
use crate::frame::{Frame, Store};
use crate::git::{Prompt, Repository};
use crate::sync::error::SyncError;
use crate::sync::{SignError, Signature, Signatures, sign};

/// `merkle.sign`, else what git does with commits where it signs with SSH.
pub(super) fn signs(repository: &Repository, settings: &Settings) -> Result<bool, SettingsError> {
    let of_commits = || {
        let is_on = |key: &str| {
            repository
                .protected_string(key)
                .is_some_and(|text| value::boolean(&text) == Some(true))
        };
        is_on("commit.gpgsign")
            && repository.protected_string("gpg.format").as_deref() == Some("ssh")
    };
    Ok(settings
        .stack()
        .boolean(&table::SIGN)?
        .unwrap_or_else(of_commits))
}

impl Workspace {
    /// Signs what this clone has said and waits for a signature; how many statements that were.
    pub fn sign(&self, prompt: Prompt) -> Result<usize, SignError> {
        if !self.state.lists_unsigned() {
            return Ok(0);
        }
        sign::sign(
            &self.repository,
            &self.state,
            self.settings.stack().text(&table::SIGNING_KEY),
            prompt,
        )
    }

    /// How many statements wait for a signature.
    #[must_use]
    pub fn unsigned(&self) -> usize {
        sign::waiting(&self.state)
    }

    /// What signatures say about frames of the store, in their order; none about what any clone can make.
    ///
    /// Where the user names no file of allowed signers, nothing is looked at and nothing is known.
    pub fn signatures(
        &self,
        store: &Store<'_>,
        frames: &[&Frame],
    ) -> Result<Vec<Option<Signature>>, SyncError> {
        match Signatures::of(&self.repository, &self.state) {
            Ok(None) => Ok(vec![None; frames.len()]),
            Ok(Some(signatures)) => signatures.of_frames(store.tree(), frames),
            Err(error) => Err(error.into()),
        }
    }
}
