//! Arguments and lookups that commands about nodes share: which snapshot, which node, whose frames.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;

use super::exit::Exit;
use super::shell::shell_word;
use super::{CliError, Ui};
use crate::base::{AgentId, FrameType};
use crate::frame::{Head, Store};
use crate::git::PathFilter;
use crate::node::{Snapshot, SnapshotRoot};
use crate::ops;
use crate::workspace::{
    NamedTarget, Target, TargetError, Workspace, find_object, find_target, find_targets,
    snapshot_filter,
};

/// Which state of the repository is meant.
#[derive(Debug, Clone, Default, clap::Args)]
pub struct SnapshotArgs {
    /// Use this commit or tree
    #[arg(long, value_name = "rev", conflicts_with_all = ["index", "worktree"])]
    rev: Option<String>,
    /// Use the index: what the next commit would hold
    #[arg(long, conflicts_with = "worktree")]
    index: bool,
    /// Use the files on disk: tracked ones, and untracked ones that are not ignored
    #[arg(long)]
    worktree: bool,
}

/// Whose frames of which type are meant; all of them when nothing is said.
#[derive(Debug, clap::Args)]
pub struct SlotArgs {
    /// Only frames of this agent
    #[arg(long, value_name = "agent")]
    pub agent: Option<AgentId>,
    /// Only frames of this type
    #[arg(long = "type", value_name = "type")]
    pub frame_type: Option<FrameType>,
}

impl SlotArgs {
    /// True for frames that the command line does not leave out.
    #[must_use]
    pub fn has(&self, agent: &AgentId, frame_type: &FrameType) -> bool {
        self.agent.as_ref().is_none_or(|one| one == agent)
            && self.frame_type.as_ref().is_none_or(|one| one == frame_type)
    }

    /// The same for a head: a synthesis is shown where its type is named and nowhere else.
    #[must_use]
    pub fn shows(&self, head: &Head) -> bool {
        self.has(&head.frame.agent, &head.frame.frame_type)
            && (self.frame_type.is_some() || head.frame.policy().is_none())
    }

    /// For a command that has found nothing: see [`check_agent`].
    pub fn check(&self, workspace: &Workspace, store: &Store<'_>) -> Result<(), CliError> {
        let agent = self.agent.as_ref();
        agent.map_or(Ok(()), |agent| check_agent(workspace, store, agent))
    }
}

/// An error for an agent that is not defined here and has no frame in the store: its name is mistyped.
pub fn check_agent(
    workspace: &Workspace,
    store: &Store<'_>,
    agent: &AgentId,
) -> Result<(), CliError> {
    let agents = workspace.agents();
    let Err(unknown) = agents.get(agent.as_str()) else {
        return Ok(());
    };
    let index = ops::refresh::index(&workspace.state, store, 0)?;
    let has_frames = index.slots().iter().any(|slot| slot.agent == *agent);
    if has_frames {
        Ok(())
    } else {
        Err(unknown.into())
    }
}

impl SnapshotArgs {
    /// The snapshot, for people.
    #[must_use]
    pub fn name(&self) -> &str {
        match (self.index, self.worktree) {
            (true, _) => "the index",
            (_, true) => "the work tree",
            _ => self.rev.as_deref().unwrap_or("HEAD"),
        }
    }

    /// The revision that the snapshot is or differs from, as git takes it.
    #[must_use]
    pub fn revision(&self) -> &str {
        self.rev.as_deref().unwrap_or("HEAD")
    }

    /// The options that name the snapshot, each with a space before it, as they stand in a command.
    #[must_use]
    pub fn option(&self) -> String {
        match (self.index, self.worktree, &self.rev) {
            (true, _, _) => " --index".to_owned(),
            (_, true, _) => " --worktree".to_owned(),
            (_, _, Some(revision)) => format!(" --rev {}", shell_word(revision)),
            _ => String::new(),
        }
    }

    /// The snapshot's root; files that were let in and look like secrets are warned about.
    pub fn root(&self, workspace: &Workspace, ui: &Ui) -> Result<SnapshotRoot, CliError> {
        self.root_or(Snapshot::Revision("HEAD".to_owned()), workspace, ui)
    }

    /// The same, of the work tree where no snapshot is named: for what shows files rather than what is known of them.
    ///
    /// Where the work tree cannot be written as a tree, as on a disk that takes no writes, that is said, and it is HEAD.
    pub fn root_of_files(&self, workspace: &Workspace, ui: &Ui) -> Result<SnapshotRoot, CliError> {
        let seen = self.root_or(workspace.default_snapshot(), workspace, ui);
        let Some(failed) = seen.as_ref().err().filter(|_| !self.is_named()) else {
            return seen;
        };
        let Ok(head) = self.root(workspace, ui) else {
            return seen;
        };
        ui.warn(&format!(
            "this is HEAD: the work tree cannot be looked at: {failed}"
        ));
        Ok(head)
    }

    /// The snapshot as the record of a turn names it: `None` for what is looked at by default.
    pub fn recorded(&self, workspace: &Workspace, ui: &Ui) -> Result<Option<String>, CliError> {
        let root = self.root_or(workspace.default_snapshot(), workspace, ui)?;
        Ok(match (self.index, &self.rev) {
            (true, _) => Some("index".to_owned()),
            (_, Some(_)) => Some(root.tree.to_string()),
            _ => None,
        })
    }

    /// True when a snapshot is named.
    #[must_use]
    pub fn is_named(&self) -> bool {
        self.index || self.worktree || self.rev.is_some()
    }

    /// Same, with another snapshot where none is named.
    pub fn root_or(
        &self,
        default: Snapshot,
        workspace: &Workspace,
        ui: &Ui,
    ) -> Result<SnapshotRoot, CliError> {
        let snapshot = match (self.index, self.worktree, &self.rev) {
            (true, _, _) => Snapshot::Index,
            (_, true, _) => Snapshot::Worktree,
            (_, _, Some(revision)) => Snapshot::Revision(revision.clone()),
            _ => default,
        };
        let root = workspace.root(&snapshot)?;
        for secret in &root.secrets {
            ui.warn(&format!(
                "'{}' looks like a secret and takes part because .teddyignore lets it in",
                secret.to_text()
            ));
        }
        Ok(root)
    }
}

/// The root of HEAD, for commands that look nowhere else.
pub fn head(workspace: &Workspace) -> Result<SnapshotRoot, CliError> {
    Ok(workspace.root(&Snapshot::Revision("HEAD".to_owned()))?)
}

/// The node that an argument names.
pub fn find(workspace: &Workspace, root: &SnapshotRoot, spec: &str) -> Result<Target, CliError> {
    let found = find_target(&workspace.repository, root.tree, &workspace.prefix(), spec);
    found.map_err(|error| not_found(workspace, root, error))
}

/// The error for what is not found; a file that waits for its first commit is told from one that is not there.
fn not_found(workspace: &Workspace, root: &SnapshotRoot, error: TargetError) -> CliError {
    let listing = match &root.snapshot {
        Snapshot::Index => Some("'git ls-files' lists what is there"),
        Snapshot::Worktree => Some("'git ls-files -co --exclude-standard' lists what is there"),
        Snapshot::Revision(_) => None,
    };
    let is_absent = matches!(
        error,
        TargetError::Unknown(_) | TargetError::NoPath { .. } | TargetError::NoMatch(_)
    );
    if let Some(listing) = listing.filter(|_| is_absent) {
        return CliError::from_source(Exit::Git, error).hint(listing);
    }
    let TargetError::Unknown(written) = &error else {
        return error.into();
    };
    let is_head = matches!(&root.snapshot, Snapshot::Revision(revision) if revision == "HEAD");
    let prefix = workspace.prefix();
    let on_disk = workspace.repository.work_dir().map(|root| {
        root.join(OsStr::from_bytes(prefix.as_bytes()))
            .join(written)
    });
    if !is_head || on_disk.is_none_or(|file| file.symlink_metadata().is_err()) {
        return error.into();
    }
    let word = shell_word(written);
    CliError::new(Exit::Git, format!("'{written}' is not committed yet")).hint(format!(
        "commit it first: git add {word} && git commit {word}"
    ))
}

/// The nodes that arguments name: nodes as they are written, and the files that patterns match.
pub fn find_all(
    workspace: &Workspace,
    root: &SnapshotRoot,
    specs: &[String],
) -> Result<Vec<NamedTarget>, CliError> {
    let (repo, prefix) = (&workspace.repository, workspace.prefix());
    find_targets(repo, root.tree, &prefix, specs).map_err(|error| not_found(workspace, root, error))
}

/// The snapshot in which a node stands that was found in another one: its own revision's for `<rev>:<path>`.
pub fn root_of(
    workspace: &Workspace,
    root: &SnapshotRoot,
    found: &NamedTarget,
) -> Result<SnapshotRoot, CliError> {
    let NamedTarget { written, target } = found;
    if target.root.is_none_or(|tree| tree == root.tree) {
        return Ok(root.clone());
    }
    let revision = written
        .split_once(':')
        .map_or(written.as_str(), |(revision, _)| revision);
    Ok(workspace.root(&Snapshot::Revision(revision.to_owned()))?)
}

/// Which paths of a snapshot arguments let in.
pub fn filter(
    workspace: &Workspace,
    root: &SnapshotRoot,
    specs: &[String],
) -> Result<PathFilter, CliError> {
    let (repo, prefix) = (&workspace.repository, workspace.prefix());
    Ok(snapshot_filter(repo, root.tree, &prefix, specs)?)
}

/// The node that an argument of a command without snapshot names: below HEAD where there is one.
pub fn find_at_head(workspace: &Workspace, spec: &str) -> Result<Target, CliError> {
    match head(workspace) {
        Ok(root) => find(workspace, &root, spec),
        // Without a commit an object can still be named by its id.
        Err(unborn) => {
            find_object(&workspace.repository, &workspace.prefix(), spec).map_err(|_| unborn)
        }
    }
}
