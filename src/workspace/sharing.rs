//! What the settings say about other copies of the store.

use super::open::Workspace;
use super::settings::SettingsError;
use crate::config::Key;
use crate::sync::{AcceptFrames, Publish, Remote, RemoteError, Share, parse_remote_ref};

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
                .read("share", "'said' or 'all'", Share::parse)?
                .unwrap_or_default(),
            publish: stack
                .read("publish", "'shared' or 'own'", Publish::parse)?
                .unwrap_or_default(),
            remote_ref: stack.read(
                "remoteref",
                "ref for frames (below refs/merkle/, or in a folder _merkle)",
                parse_remote_ref,
            )?,
        })
    }

    /// Whose statements count of those that come from a remote: `merkle.<remote>.acceptFrames`, else
    /// `merkle.acceptFrames`.
    pub fn accept(workspace: &Workspace, remote: &Remote) -> Result<AcceptFrames, SettingsError> {
        let stack = workspace.settings.stack();
        let read = |key: &str| stack.read(key, "'all', 'signed' or 'self'", AcceptFrames::parse);
        // The spelling of a key: a name that makes none has no setting of its own.
        let own = Key::new(&format!("{}.acceptframes", remote.name()));
        let of_remote = own.map(|key| read(key.as_str())).transpose()?.flatten();
        Ok(of_remote
            .map_or_else(|| read("acceptframes"), |accept| Ok(Some(accept)))?
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
            workspace.settings.stack().text("remote"),
        )?;
        Ok(remote.keeping_frames_at(self.remote_ref.clone()))
    }
}
