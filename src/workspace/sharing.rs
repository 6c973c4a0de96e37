//! What the settings say about other copies of the store.

use super::open::Workspace;
use super::settings::SettingsError;
use crate::sync::{Publish, Remote, RemoteError, Share, parse_remote_ref};

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
            share: stack.read("share", "'said' or 'all'", Share::parse)?.unwrap_or_default(),
            publish: stack.read("publish", "'shared' or 'own'", Publish::parse)?.unwrap_or_default(),
            remote_ref: stack.read(
                "remoteref",
                "ref for frames (below refs/merkle/, or in a folder _merkle)",
                parse_remote_ref,
            )?,
        })
    }

    /// The remote that is meant; see [`Remote::choose`].
    pub fn remote(&self, workspace: &Workspace, named: Option<&str>) -> Result<Remote, RemoteError> {
        let remote = Remote::choose(&workspace.repository, named, workspace.settings.stack().text("remote"))?;
        Ok(remote.keeping_frames_at(self.remote_ref.clone()))
    }
}
