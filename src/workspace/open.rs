//! Opening a repository together with everything that is configured for it.

use std::sync::OnceLock;
use std::time::Duration;

use super::seen;
use super::settings::{Settings, SettingsError, signs};
use super::trust::{JudgedFolder, Trust, TrustError};
use crate::agent::{AgentOrigin, Registry};
use crate::base::{Digest, FieldHasher, TreePath};
use crate::config::{Environment, Folder, locate};
use crate::frame::commit::{self, CommitError};
use crate::frame::{Skipped, Store, spool};
use crate::git::{Location, OpenError, Repository, StateDir};
use crate::node::{Snapshot, SnapshotError, SnapshotRoot};
use crate::profile::Profiles;
use crate::secret::Scanner;

/// Why there is no workspace to work in.
#[derive(Debug, thiserror::Error)]
pub enum WorkspaceError {
    /// No repository.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// A repository, but its settings cannot be used.
    #[error(transparent)]
    Settings(#[from] SettingsError),
}

/// A repository, its settings, and this machine's state for it.
pub struct Workspace {
    /// The repository.
    pub repository: Repository,
    /// What is configured for it.
    pub settings: Settings,
    /// Where this machine keeps locks, spool and derived data.
    pub state: StateDir,
    /// The repository's own files, `.teddy`, read once: what is judged is what is used.
    pub folder: Folder,
    /// Whether the user has accepted the repository's.
    pub trust: Trust,
    /// Entries of the frame store that were passed over, for the user to hear of once.
    pub skipped: Skipped,
    /// The variables of the process, as they stood when it began.
    pub(crate) environment: Environment,
    personal: OnceLock<Folder>,
    registry: OnceLock<Registry>,
    /// The rules about secrets with those of both folders; read when they are first needed.
    pub(super) added_rules: OnceLock<Scanner>,
}

impl Workspace {
    /// Finds the repository and reads its settings; `options` are the `-c` of the command line, `given` its `--trust`.
    pub fn open<'a>(
        location: &Location,
        environment: &Environment,
        options: impl IntoIterator<Item = (&'a str, Option<&'a str>)>,
        given: Option<&str>,
    ) -> Result<Self, WorkspaceError> {
        let repository = Repository::open(location)?;
        let judged = JudgedFolder::read(&repository, environment, given);
        let settings = Settings::load(&repository, &judged, environment, options)?;
        let is_signing = signs(&repository, &settings)?;
        let state = StateDir::of(&repository)
            .sealed(locate::state_folder(environment))
            .listing_unsigned(is_signing);
        let JudgedFolder { folder, trust } = judged;
        Ok(Self {
            repository,
            settings,
            state,
            folder,
            trust,
            skipped: Skipped::default(),
            environment: environment.clone(),
            personal: OnceLock::new(),
            registry: OnceLock::new(),
            added_rules: OnceLock::new(),
        })
    }

    /// The user's own files, read once, when first needed.
    pub fn personal_folder(&self) -> &Folder {
        let read = || {
            locate::user_folder(&self.environment)
                .map_or_else(Folder::default, |path| Folder::of_user(&path))
        };
        self.personal.get_or_init(read)
    }

    /// All agents that can be named here.
    #[must_use]
    pub fn agents(&self) -> Registry {
        let mut registry = Registry::built_in();
        registry.add_folder(&self.folder, |file| AgentOrigin::Team(file.to_owned()));
        registry.add_folder(self.personal_folder(), |file| {
            AgentOrigin::Personal(file.to_owned())
        });
        registry
    }

    /// The same, put together once: for looking at many frames.
    pub(crate) fn known_agents(&self) -> &Registry {
        self.registry.get_or_init(|| self.agents())
    }

    /// A digest of what defines the agents, for what is kept in memory.
    pub(crate) fn agents_digest(&self) -> Digest {
        FieldHasher::new("git-merkle 2026 agents in memory/1")
            .field(self.folder.digest().as_bytes())
            .field(self.personal_folder().digest().as_bytes())
            .finish()
    }

    /// All profiles that can be named here: the user's own over the repository's over the built-in one.
    #[must_use]
    pub fn profiles(&self) -> Profiles {
        Profiles::load(&[&self.folder, self.personal_folder()])
    }

    /// The root of a snapshot; for a work tree that this process has seen before, and that has not changed, without git.
    pub fn root(&self, snapshot: &Snapshot) -> Result<SnapshotRoot, SnapshotError> {
        if *snapshot == Snapshot::Worktree && self.state.shelf().lasts() {
            return seen::work_tree(&self.repository, self.state.shelf());
        }
        snapshot.root(&self.repository)
    }

    /// What is looked at where no snapshot is named: the work tree; HEAD of a bare repository, and of one that has never been
    /// checked out, whose work tree says nothing of what is committed.
    #[must_use]
    pub fn default_snapshot(&self) -> Snapshot {
        let head = "HEAD";
        let has_files =
            || self.repository.has_index() || self.repository.resolve_commit(head).is_err();
        if self.repository.work_dir().is_some() && has_files() {
            Snapshot::Worktree
        } else {
            Snapshot::Revision(head.to_owned())
        }
    }

    /// The current directory within the work tree.
    #[must_use]
    pub fn prefix(&self) -> TreePath {
        self.repository.prefix()
    }

    /// Stores what a killed process left in the spool; how many frames that were.
    ///
    /// Where nothing waits, a look at two directories is all it costs. `wait` is for another writer to finish.
    pub fn replay(&self, wait: Duration) -> Result<usize, CommitError> {
        let (waiting, _) = spool::list(&self.state).map_err(CommitError::Lock)?;
        if waiting.is_empty() {
            // Nor is anything left of writers that were killed; while one is at work its own files look like it.
            if !self.repository.writers_leftovers().is_empty() {
                let _ = commit::clear_leftovers(&self.repository, &self.state);
            }
            return Ok(0);
        }
        let committed = commit::commit_spooled(&self.repository, &self.state, None, wait)?;
        Ok(committed.frames.len())
    }

    /// The frame store as it is now, with what was waiting in the spool.
    pub fn store(&self) -> Result<Store<'_>, CommitError> {
        match self.replay(Duration::ZERO) {
            // A reader neither waits nor fails because a writer is at work, or because the disk is full.
            Ok(_) | Err(CommitError::Busy | CommitError::Lock(_) | CommitError::Write(_)) => {}
            Err(err) => return Err(err),
        }
        Ok(Store::open(&self.repository)?.noting(self.skipped.clone()))
    }

    /// Refuses when something of the repository's own files is to be used that the user has not accepted.
    ///
    /// `what` goes into the message, such as `agent 'docs'`.
    pub fn require_trust(&self, what: &str) -> Result<(), TrustError> {
        match &self.trust {
            Trust::Trusted | Trust::NothingToTrust => Ok(()),
            Trust::Untrusted { digest } => Err(TrustError {
                what: what.to_owned(),
                digest: digest.clone(),
            }),
        }
    }

    /// True when the user has accepted a file of `.teddy` as it stands, such as `.teddy/memos.yaml`.
    ///
    /// False for a file that was not judged: one that is too large, and what a bare repository has in its snapshot.
    #[must_use]
    pub fn vouches_for(&self, path: &str) -> bool {
        let name = path.strip_prefix(".teddy/").unwrap_or(path);
        self.trust == Trust::Trusted && self.folder.files.contains_key(name)
    }

    /// Refuses to send what a file of `.teddy` says, unless the user has accepted it or there is none.
    pub fn require_trusted_file(&self, path: &str) -> Result<(), TrustError> {
        let is_there = self
            .repository
            .work_dir()
            .is_some_and(|root| root.join(path).symlink_metadata().is_ok());
        if !is_there || self.vouches_for(path) {
            return Ok(());
        }
        Err(TrustError {
            what: format!("'{path}'"),
            digest: self.folder.digest(),
        })
    }
}
