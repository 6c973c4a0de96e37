//! What the settings say about other copies of the store, and signing statements for them.

use super::open::Workspace;
use super::settings::SettingsError;
use crate::config::table;
use crate::git::Prompt;
use crate::sync::{
    AcceptFrames, Publish, Remote, RemoteError, Share, SignError, parse_remote_ref, sign,
};

/// The settings about sharing.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Sharing {
    /// `merkle.share`: which frames are shared.
    pub share: Share,
    /// `merkle.publish`: which ref of a remote this clone moves.
    pub publish: Publish,
    /// `merkle.remoteRef`: the shared ref over there, where it is not the usual one.
    pub remote_ref: Option<String>,
}

impl Sharing {
    /// Reads them.
    pub fn of(workspace: &Workspace) -> Result<Self, SettingsError> {
        let stack = workspace.settings.stack();
        Ok(Self {
            share: stack
                .read(&table::SHARE, "", Share::parse)?
                .unwrap_or_default(),
            publish: stack
                .read(&table::PUBLISH, "", Publish::parse)?
                .unwrap_or_default(),
            remote_ref: stack.read(&table::REMOTE_REF, "", parse_remote_ref)?,
        })
    }

    /// Whose statements count of those that come from a remote: `merkle.<remote>.acceptFrames`, else
    /// `merkle.acceptFrames`.
    pub fn accept(workspace: &Workspace, remote: &Remote) -> Result<AcceptFrames, SettingsError> {
        let stack = workspace.settings.stack();
        let own = stack.read(
            &table::REMOTE_ACCEPT_FRAMES,
            remote.name(),
            AcceptFrames::parse,
        )?;
        let of_all = || stack.read(&table::ACCEPT_FRAMES, "", AcceptFrames::parse);
        Ok(own
            .map_or_else(of_all, |accept| Ok(Some(accept)))?
            .unwrap_or_default())
    }

    /// The remote that is meant; see [`Remote::choose`].
    pub fn remote(
        &self,
        workspace: &Workspace,
        named: Option<&str>,
    ) -> Result<Remote, RemoteError> {
        let remote = Remote::choose(
            &workspace.repository,
            named,
            workspace.settings.stack().text(&table::REMOTE),
        )?;
        Ok(remote.keeping_frames_at(self.remote_ref.clone()))
    }
}

impl Workspace {
    /// Signs what this clone has said and waits for a signature; how many statements that were.
    pub fn sign(&self, prompt: Prompt) -> Result<usize, SignError> {
        if !self.state.lists_unsigned() {
            return Ok(0);
        }
        let key = self.settings.stack().text(&table::SIGNING_KEY);
        sign::sign(&self.repository, &self.state, key, prompt)
    }

    /// How many statements wait for a signature.
    #[must_use]
    pub fn unsigned(&self) -> usize {
        sign::waiting(&self.state)
    }
}
