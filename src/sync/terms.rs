//! What an exchange needs: both sides, and the rules between them.

use super::accept::AcceptFrames;
use super::remote::{Publish, Remote, Share};
use crate::git::{Prompt, Repository, StateDir};

/// What an exchange needs.
pub struct Exchange<'a> {
    /// The repository.
    pub repo: &'a Repository,
    /// Its lock and spool.
    pub state: &'a StateDir,
    /// The other side.
    pub remote: &'a Remote,
    /// Which frames are shared, in both directions.
    pub share: Share,
    /// Whose statements count of those that come.
    pub accept: AcceptFrames,
    /// Which ref of the other side this clone moves.
    pub publish: Publish,
    /// Whether git may ask for a password.
    pub prompt: Prompt,
    /// Whether to say what would go instead of pushing it. What comes is united all the same.
    pub dry_run: bool,
}
