//! Which remote is meant, and under which names its frames stand here and there.

use crate::frame::FRAMES_REF;
use crate::git::Repository;

/// Which frames are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// What people and models said. Outlines and syntheses are made again from the objects, for nothing.
    #[default]
    Said,
    /// All frames.
    All,
}

impl Share {
    /// Reads `merkle.share`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "said" => Some(Self::Said),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// Why no remote can be chosen.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RemoteError {
    /// The repository has none.
    #[error("no remote is configured")]
    None,
    /// It has several, and neither the branch nor a setting names one.
    #[error("several remotes are configured: {}", .0.join(", "))]
    Several(Vec<String>),
    /// There is no remote of this name. A URL is refused: it has no tracking ref and no branches of its own here.
    #[error("no remote is named '{0}'")]
    Unknown(String),
}

/// A remote by its configured name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Remote {
    name: String,
}

impl Remote {
    /// The remote that is named, else that of `merkle.remote`, else the current branch's, else the only one.
    pub fn choose(repo: &Repository, named: Option<&str>, setting: Option<&str>) -> Result<Self, RemoteError> {
        let remotes = repo.remotes();
        if let Some(name) = named.or(setting) {
            let is_known = remotes.iter().any(|remote| remote == name);
            return if is_known { Ok(Self::of(name)) } else { Err(RemoteError::Unknown(name.to_owned())) };
        }
        let of_branch = repo.branch_remote().filter(|name| remotes.contains(name));
        match (of_branch, remotes.as_slice()) {
            (Some(name), _) => Ok(Self::of(&name)),
            (None, [only]) => Ok(Self::of(only)),
            (None, []) => Err(RemoteError::None),
            (None, _) => Err(RemoteError::Several(remotes)),
        }
    }

    fn of(name: &str) -> Self {
        Self { name: name.to_owned() }
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ref of this clone under which the remote's frames stand, as of the last fetch.
    #[must_use]
    pub fn tracking_ref(&self) -> String {
        format!("refs/merkle-remote/{}/frames", self.name)
    }

    /// What the refs begin with that a fetch writes to; the tracking ref is moved from there, and they are deleted.
    #[must_use]
    pub fn incoming_refs(&self) -> String {
        format!("refs/merkle-remote/{}/incoming-", self.name)
    }

    /// The ref over there.
    #[must_use]
    pub fn frames_ref(&self) -> &'static str {
        FRAMES_REF
    }

    /// What the refs of the remote's branches begin with in this clone.
    #[must_use]
    pub fn branches(&self) -> String {
        format!("refs/remotes/{}/", self.name)
    }
}
