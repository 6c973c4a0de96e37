//! Which remote is meant, and under which names its frames stand here and there.

use super::writer::Writer;
use crate::base::hash::FieldHasher;
use crate::frame::FRAMES_REF;
use crate::frame::commit::SET_ASIDE_REF;
use crate::git::{Repository, is_ref_name};

/// Which frames are shared.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Share {
    /// Frames of people and models. Outlines and syntheses are made again from the objects, for nothing.
    #[default]
    Statements,
    /// All frames.
    All,
}

impl Share {
    /// Reads `merkle.share`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "said" => Some(Self::Statements),
            "all" => Some(Self::All),
            _ => None,
        }
    }
}

/// Which ref of a remote a clone moves.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Publish {
    /// The one that all clones move. A push that another one overtook is made again.
    #[default]
    Shared,
    /// One of its own, which no other clone writes.
    Own,
    /// The shared one, with what clones have published by themselves: the choice of `--collect`, and of no setting.
    Collect,
}

impl Publish {
    /// Reads `merkle.publish`.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        match text {
            "shared" => Some(Self::Shared),
            "own" => Some(Self::Own),
            _ => None,
        }
    }
}

/// Reads `merkle.remoteRef`: a ref below `refs/merkle/`, or with a folder `_merkle`, so that it is no branch of people.
#[must_use]
pub fn parse_remote_ref(text: &str) -> Option<String> {
    let parts: Vec<&str> = text.split('/').collect();
    let (_, folders) = parts.split_last()?;
    let is_ours = folders.starts_with(&["refs", "merkle"])
        || folders.len() > 2 && folders[2..].contains(&"_merkle");
    let is_taken = parts.contains(&OWN_FOLDER) || text == SET_ASIDE_REF;
    (is_ref_name(text) && is_ours && !is_taken).then(|| text.to_owned())
}

/// The folder, beside the shared ref, of the refs that one clone each moves.
const OWN_FOLDER: &str = "by";

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
    /// The addresses that the configuration has for it.
    urls: Vec<String>,
    frames_ref: String,
    place: String,
}

impl Remote {
    /// The remote that is named, else that of `merkle.remote`, else the current branch's, else the only one.
    pub fn choose(
        repo: &Repository,
        named: Option<&str>,
        setting: Option<&str>,
    ) -> Result<Self, RemoteError> {
        let remotes = repo.remotes();
        if let Some(name) = named.or(setting) {
            let is_known = remotes.iter().any(|remote| remote == name);
            return if is_known {
                Ok(Self::of(repo, name))
            } else {
                Err(RemoteError::Unknown(name.to_owned()))
            };
        }
        let of_branch = repo.branch_remote().filter(|name| remotes.contains(name));
        match (of_branch, remotes.as_slice()) {
            (Some(name), _) => Ok(Self::of(repo, &name)),
            (None, [only]) => Ok(Self::of(repo, only)),
            (None, []) => Err(RemoteError::None),
            (None, _) => Err(RemoteError::Several(remotes)),
        }
    }

    fn of(repo: &Repository, name: &str) -> Self {
        Self::at(name, &repo.remote_urls(name))
    }

    pub(super) fn at(name: &str, urls: &[impl AsRef<str>]) -> Self {
        let urls = urls.iter().map(|url| url.as_ref().to_owned()).collect();
        let remote = Self {
            name: name.to_owned(),
            urls,
            frames_ref: String::new(),
            place: String::new(),
        };
        remote.keeping_frames_at(Some(FRAMES_REF.to_owned()))
    }

    /// The same with its frames at another ref over there; see [`parse_remote_ref`].
    #[must_use]
    pub fn keeping_frames_at(self, frames_ref: Option<String>) -> Self {
        let frames_ref = frames_ref.unwrap_or(self.frames_ref);
        let mut hasher = FieldHasher::new("git-merkle 2026 place/1");
        for part in self.urls.iter().chain([&frames_ref]) {
            hasher.add(part.as_bytes());
        }
        Self {
            place: hasher.finish().to_string(),
            frames_ref,
            ..self
        }
    }

    /// Where it is: a digest of its addresses and of the ref over there. A URL may hold a password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.place
    }

    /// The name.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The ref of this clone under which the remote's frames stand, as of the last fetch.
    #[must_use]
    pub fn tracking_ref(&self) -> String {
        format!("{}frames", self.tracking())
    }

    /// The ref of this clone under which stands what a clone has published by itself.
    #[must_use]
    pub fn tracking_ref_of(&self, writer: &Writer) -> String {
        format!("{}{writer}", self.tracking_by())
    }

    /// What the refs begin with of which [`Self::tracking_ref_of`] gives one.
    #[must_use]
    pub fn tracking_by(&self) -> String {
        format!("{}{OWN_FOLDER}/", self.tracking())
    }

    /// What the refs begin with that a fetch writes to; the tracking refs are moved from there, and they are deleted.
    #[must_use]
    pub fn incoming_refs(&self) -> String {
        format!("{}incoming-", self.tracking())
    }

    fn tracking(&self) -> String {
        format!("refs/merkle-remote/{}/", self.name)
    }

    /// The ref over there that clones share.
    #[must_use]
    pub fn frames_ref(&self) -> &str {
        &self.frames_ref
    }

    /// The ref over there that one clone alone moves.
    #[must_use]
    pub fn own_ref(&self, writer: &Writer) -> String {
        format!("{}{writer}", self.own_refs())
    }

    /// What such refs begin with.
    #[must_use]
    pub fn own_refs(&self) -> String {
        let (folder, _) = self
            .frames_ref
            .rsplit_once('/')
            .expect("a ref has a folder");
        format!("{folder}/{OWN_FOLDER}/")
    }

    /// What the refs of the remote's branches begin with in this clone.
    #[must_use]
    pub fn branches(&self) -> String {
        format!("refs/remotes/{}/", self.name)
    }

    /// True for a branch, as this clone names it, that holds frames: it is no branch of people.
    #[must_use]
    pub fn is_of_frames(&self, branch: &str) -> bool {
        let is_at = |name: &str| {
            name.strip_prefix("refs/heads/")
                .is_some_and(|name| branch == format!("{}{name}", self.branches()))
        };
        is_at(&self.frames_ref)
            || self
                .own_refs()
                .strip_prefix("refs/heads/")
                .is_some_and(|own| branch.starts_with(&format!("{}{own}", self.branches())))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A ref that people work on must never be one that frames are pushed to.
    #[test]
    fn a_remote_ref_is_no_branch_of_people() {
        for good in [
            "refs/merkle/frames",
            "refs/merkle/team/frames",
            "refs/heads/_merkle/frames",
            "refs/x/y/_merkle/z",
        ] {
            assert_eq!(parse_remote_ref(good).as_deref(), Some(good));
        }
        for bad in [
            "",
            "main",
            "refs/heads/main",
            "refs/merkle",
            "refs/merkle/",
            "refs/heads/_merkle",
            "refs/_merkle/x",
            "refs/heads/../_merkle/x",
            "refs/heads/_merkle/x.lock",
            "refs/heads/_merkle/a b",
            "refs/heads/_merkle/*",
            "refs/merkle/by/x",
            "refs/merkle/set-aside",
            "refs/tags/v1",
            "+refs/merkle/frames",
        ] {
            assert_eq!(parse_remote_ref(bad), None, "{bad}");
        }
    }

    #[test]
    fn own_refs_stand_beside_the_shared_one() {
        let writer = Writer::parse(&"ab".repeat(16)).expect("a name");
        let remote = Remote::at("origin", &["there"]);
        assert_eq!(remote.own_ref(&writer), format!("refs/merkle/by/{writer}"));
        let remote = remote.keeping_frames_at(parse_remote_ref("refs/heads/_merkle/frames"));
        assert_eq!(
            remote.own_ref(&writer),
            format!("refs/heads/_merkle/by/{writer}")
        );
        assert!(remote.is_of_frames("refs/remotes/origin/_merkle/frames"));
        assert!(remote.is_of_frames(&format!("refs/remotes/origin/_merkle/by/{writer}")));
        assert!(!remote.is_of_frames("refs/remotes/origin/main"));
        assert_eq!(
            remote.tracking_ref_of(&writer),
            format!("refs/merkle-remote/origin/by/{writer}")
        );
    }
}
