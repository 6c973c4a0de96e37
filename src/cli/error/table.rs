//! Which failure ends how: errors of lower modules are turned into [`CliError`] here and in the files beside it.

use std::io;

use super::CliError;
use crate::agent::AgentError;
use crate::cli::exit::Exit;
use crate::cli::ui::OutputError;
use crate::config::{Mistake, SourceError};
use crate::context::ContextError;
use crate::frame::commit::CommitError;
use crate::frame::{FRAMES_REF, StoreError};
use crate::git::{
    ChildError, ObjectError, OpenError, RefError, RevisionError, SshError, WriteError,
};
use crate::hook::install::{EditError, InstallError, InstallRecordError};
use crate::hook::watch::WatchError;
use crate::node::{ScanError, SnapshotError};
use crate::ops::rendered::RenderError;
use crate::ops::{
    ComposeError, EvaluateError, FilesError, FindError, InputError, RefreshError, StatementError,
};
use crate::profile::{FitError, ProfileError};
use crate::prompt::PayloadError;
use crate::provider::ProviderError;
use crate::regen::RunError;
use crate::secret::SecretFound;
use crate::sync::error::SelectError;
use crate::sync::retain::RetainError;
use crate::sync::{RemoteError, SignError, SyncError};
use crate::workspace::{RulesError, SettingsError, TrustError, WorkspaceError};

passed_on! {
    WorkspaceError: Open Settings;
    FindError: Files Store;
    EvaluateError: Find Map;
    SignError: Ssh Store Commit;
    RenderError: Object Store Agent Refresh Write Ref;
}

/// Errors that all end the program in one way.
macro_rules! ends_as {
    ($($error:ty: $exit:ident;)+) => {$(
        impl From<$error> for CliError {
            fn from(error: $error) -> Self {
                Self::from_source(Exit::$exit, error)
            }
        }
    )+};
}

ends_as! {
    WriteError: Io;
    FitError: Refused;
    PayloadError: Refused;
    RulesError: Config;
}

impl From<OutputError> for CliError {
    fn from(error: OutputError) -> Self {
        match error {
            OutputError::Closed => Self {
                silent: true,
                ..Self::new(Exit::ReaderGone, "standard output is closed")
            },
            OutputError::Failed(source) => Self::io("cannot write standard output", source),
        }
    }
}

impl From<OpenError> for CliError {
    fn from(error: OpenError) -> Self {
        let hint = match &error {
            OpenError::NotFound(_) => Some("run 'git init' to make one here".to_owned()),
            OpenError::NotThere(_) => {
                Some("name one that is there, behind '--git-dir' or in GIT_DIR".to_owned())
            }
            OpenError::NoFolder(_) => Some("name one that is there behind '-C'".to_owned()),
            OpenError::Untrusted(path) => Some(format!(
                "if you trust it, run 'git config --global --add safe.directory {}'",
                path.display()
            )),
            OpenError::Bare(path)
            | OpenError::Embedded { git_dir: path, .. }
            | OpenError::WorkTree { git_dir: path, .. } => Some(format!(
                "if you trust it, name it: --git-dir={}",
                path.display()
            )),
            OpenError::Damaged { .. }
            | OpenError::Io { .. }
            | OpenError::Setting(_)
            | OpenError::Extension(_) => None,
        };
        let kind = if matches!(error, OpenError::Setting(_)) {
            Exit::Usage
        } else {
            Exit::Git
        };
        Self::from_source(kind, error).hint_any(hint)
    }
}

impl From<SourceError> for CliError {
    fn from(error: SourceError) -> Self {
        let kind = if matches!(error, SourceError::Io { .. }) {
            Exit::Io
        } else {
            Exit::Config
        };
        Self::from_source(kind, error)
    }
}

impl From<SettingsError> for CliError {
    fn from(error: SettingsError) -> Self {
        match error {
            SettingsError::Source(error) => error.into(),
            SettingsError::Value(error) => Self::from_source(Exit::Config, error)
                .hint("see 'git merkle config list --show-origin'"),
            SettingsError::Mistakes { first, others } => mistakes(*first, &others),
        }
    }
}

fn mistakes(first: Mistake, others: &[Mistake]) -> CliError {
    let meant = match &first {
        Mistake::Unknown { meant, .. } => {
            meant.as_ref().map(|name| format!("did you mean '{name}'?"))
        }
        Mistake::Value(_) => None,
    };
    let also = others.iter().map(|other| format!("also: {other}"));
    let failed = CliError::from_source(Exit::Config, first);
    meant
        .into_iter()
        .chain(also)
        .fold(failed, CliError::hint)
        .hint("'git merkle config list --all' lists every setting")
}

impl From<RevisionError> for CliError {
    fn from(error: RevisionError) -> Self {
        let hint = matches!(error, RevisionError::Unborn).then_some("run 'git commit' first");
        Self::from_source(Exit::Git, error).hint_any(hint)
    }
}

impl From<ContextError> for CliError {
    fn from(error: ContextError) -> Self {
        match error {
            ContextError::Scan(inner) => inner.into(),
            ContextError::Store(inner) => inner.into(),
            ContextError::Read(_) => Self::from_source(Exit::Io, error),
            ContextError::Budget { needed, .. } => {
                let hint = format!("list less, or allow more with '--budget {needed}'");
                Self::from_source(Exit::Budget, error).hint(hint)
            }
        }
    }
}

impl From<InputError> for CliError {
    fn from(error: InputError) -> Self {
        match error {
            InputError::Name(_) => Self::from_source(Exit::Usage, error),
            InputError::NoList(_) => Self::from_source(Exit::Refused, error),
            InputError::Listed => Self::from_source(Exit::Usage, error)
                .hint("git merkle find \"<question>\" answers by itself"),
            InputError::Find(error) => error.into(),
            InputError::Document(error) => error.into(),
            InputError::History(error) => error.into(),
            InputError::Store(error) => (*error).into(),
            InputError::Value(_) => Self::from_source(Exit::Config, error)
                .hint("see 'git merkle config list --show-origin'"),
            InputError::Rules(error) => error.into(),
            InputError::Secret(error) => {
                Self::from(error).hint("'--redact' puts markers in the places of all of them")
            }
        }
    }
}

/// How it ends that git did not do what it was started for, and the way out where there is one.
fn child_end(error: &ChildError) -> (Exit, Option<String>) {
    match error {
        ChildError::Filter { allow, .. } | ChildError::Program { allow, .. } => {
            let hint =
                format!("if you trust the program, name it in your own configuration:\n{allow}");
            (Exit::NotTrusted, Some(hint))
        }
        ChildError::Copy(_) => (Exit::Io, None),
        _ => (Exit::Git, None),
    }
}

impl From<ChildError> for CliError {
    fn from(error: ChildError) -> Self {
        let (exit, hint) = child_end(&error);
        Self::from_source(exit, error).hint_any(hint)
    }
}

impl From<RefError> for CliError {
    fn from(error: RefError) -> Self {
        let kind = match &error {
            RefError::Moved(_) => Exit::Busy,
            RefError::Failed { source, .. } if source.is::<io::Error>() => Exit::Io,
            RefError::Failed { .. }
            | RefError::Symbolic { .. }
            | RefError::Linked { .. }
            | RefError::Quarantine(_) => Exit::Git,
        };
        let hint = match &error {
            RefError::Symbolic { name, .. } => Some(format!(
                "this program did not make it so; 'git symbolic-ref --delete {name}' takes it away, and nothing else"
            )),
            RefError::Linked { path, .. } => Some(format!(
                "this program did not make it; 'rm {}' takes the link away, and nothing else",
                path.display()
            )),
            RefError::Quarantine(_) => Some(
                "'pre-receive' and 'update' run before git accepts a push; call it from 'post-receive'".to_owned(),
            ),
            RefError::Moved(_) | RefError::Failed { .. } => None,
        };
        Self::from_source(kind, error).hint_any(hint)
    }
}

impl From<SnapshotError> for CliError {
    fn from(error: SnapshotError) -> Self {
        match error {
            SnapshotError::Revision(inner) => inner.into(),
            SnapshotError::Object(inner) => inner.into(),
            SnapshotError::Child(inner) => inner.into(),
            SnapshotError::Bare => {
                Self::from_source(Exit::Git, error).hint("name a commit with --rev <rev>")
            }
        }
    }
}

/// What to do about an object that cannot be read.
fn object_hint(error: &ObjectError) -> String {
    match error {
        ObjectError::Missing(id) => format!(
            "in a partial clone 'git cat-file -e {id}' fetches it, and 'git ls-tree -r HEAD' brings what is missing of HEAD; elsewhere 'git fsck' says what is wrong"
        ),
        _ => "'git fsck' says what is wrong with the repository".to_owned(),
    }
}

impl From<ObjectError> for CliError {
    fn from(error: ObjectError) -> Self {
        let hint = object_hint(&error);
        Self::from_source(Exit::Git, error).hint(hint)
    }
}

impl From<ScanError> for CliError {
    fn from(error: ScanError) -> Self {
        let hint = match &error {
            ScanError::Object { source, .. } => object_hint(source),
            ScanError::Rules(_) => {
                "shorten it: a pattern for a directory or an ending does the work of many lines"
                    .to_owned()
            }
            _ => {
                "leave parts out with a .teddyignore, or name a smaller part of the tree".to_owned()
            }
        };
        let kind = if matches!(error, ScanError::Object { .. }) {
            Exit::Git
        } else {
            Exit::Refused
        };
        Self::from_source(kind, error).hint(hint)
    }
}

impl From<FilesError> for CliError {
    fn from(error: FilesError) -> Self {
        match error {
            FilesError::Scan(inner) => inner.into(),
            FilesError::Object { ref source, .. } => {
                let hint = object_hint(source);
                Self::from_source(Exit::Git, error).hint(hint)
            }
        }
    }
}

/// The way back from a store that cannot be read.
const EARLIER_STORES: &str = "'git log refs/merkle/frames' lists earlier stores; 'git update-ref refs/merkle/frames <commit>' goes back to one";

impl From<StoreError> for CliError {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Ref(inner) => inner.into(),
            StoreError::NoCommit(_) => Self::from_source(Exit::Git, error).hint(format!(
                "this program did not put it there; 'git update-ref -d {FRAMES_REF}' takes it away"
            )),
            StoreError::Faults | StoreError::Entries | StoreError::Full(_) => {
                Self::from_source(Exit::Refused, error)
                    .hint("'git merkle doctor --fix' sets aside what is no frame")
                    .hint(EARLIER_STORES)
            }
            StoreError::Snapshot(ref inner) => {
                let hint = object_hint(inner);
                Self::from_source(Exit::Git, error).hint(hint)
            }
            StoreError::Object(_) => {
                let is_missing = matches!(error, StoreError::Object(ObjectError::Missing(_)));
                let mut failed = Self::from_source(Exit::Git, error).damage_hint();
                if is_missing {
                    failed = failed
                        .hint("in a partial clone 'git merkle fetch' brings the frames as a whole");
                }
                if failed.exit() == Exit::Io {
                    failed
                } else {
                    failed.hint(EARLIER_STORES)
                }
            }
        }
    }
}

impl From<CommitError> for CliError {
    fn from(error: CommitError) -> Self {
        match error {
            CommitError::Busy => {
                let failed = Self::from_source(Exit::Busy, error)
                    .hint("try again when the other command is done");
                failed.hint("where none is running, 'git merkle doctor' says what holds it")
            }
            CommitError::Lock(_) => Self::from_source(Exit::Io, error),
            CommitError::Store(inner) => inner.into(),
            CommitError::Write(inner) => inner.into(),
            CommitError::Ref(inner) => inner.into(),
            CommitError::Vanished(_) => {
                Self::from_source(Exit::Busy, error).hint("try again when 'git gc' is done")
            }
        }
    }
}

impl From<RemoteError> for CliError {
    fn from(error: RemoteError) -> Self {
        let hint = match &error {
            RemoteError::None => "git remote add origin <url>".to_owned(),
            RemoteError::Several(names) => format!("git merkle sync {}", names[0]),
            RemoteError::Unknown(_) => {
                "'git remote' lists the remotes of this repository".to_owned()
            }
        };
        Self::from_source(Exit::Refused, error).hint(hint)
    }
}

impl From<SyncError> for CliError {
    fn from(error: SyncError) -> Self {
        match error {
            SyncError::Busy { .. } | SyncError::Locked => {
                Self::from_source(Exit::Busy, error).hint("run the same command again")
            }
            SyncError::Lock(inner) => Self::io("cannot lock the exchange of frames", inner),
            SyncError::Refused { ref name, .. } => {
                let is_custom = !name.starts_with("refs/heads/");
                let failed = Self::from_source(Exit::Git, error)
                    .hint("nothing is lost; the frames stay here");
                let way = "where a host takes branches alone: git config --global merkle.remoteRef refs/heads/_merkle/frames";
                if is_custom { failed.hint(way) } else { failed }
            }
            SyncError::Stuck { .. } => Self::from_source(Exit::Git, error).hint(
                "a killed process may have left a lock there, 'refs/merkle/frames.lock' in the remote's repository",
            ),
            SyncError::TwoPlaces(_) => Self::from_source(Exit::Refused, error).hint(
                "give the other address a name, and exchange with that: git remote add fork <url>; git merkle sync fork",
            ),
            SyncError::Broken { .. } => {
                Self::from_source(Exit::Git, error).hint("run the same command again")
            }
            SyncError::Transfer {
                ref remote,
                ref source,
            } => {
                let (exit, hint) = child_end(source);
                let connection = || {
                    format!(
                        "'git ls-remote {remote}' tries the connection alone; 'git remote get-url {remote}' shows the address"
                    )
                };
                let hint = hint.or_else(|| (exit == Exit::Git).then(connection));
                Self::from_source(exit, error).hint_any(hint)
            }
            SyncError::NoStore { .. } => {
                let hint = "a push has replaced the frames of the remote; restore the ref there, or delete it";
                Self::from_source(Exit::Git, error).hint(hint)
            }
            SyncError::Retain(RetainError::Incomplete(kind)) => {
                let way = if kind == "shallow" {
                    "git fetch --unshallow"
                } else {
                    "git clone"
                };
                Self::from_source(Exit::Refused, error)
                    .hint(format!("run it in a whole clone, such as '{way}' gives"))
            }
            SyncError::Unfetched(ref remote) => {
                let hint = format!("git fetch {remote}");
                Self::from_source(Exit::Refused, error).hint(hint)
            }
            SyncError::Select(SelectError::Store(inner))
            | SyncError::Retain(RetainError::Store(inner))
            | SyncError::Store(inner) => inner.into(),
            SyncError::Select(SelectError::Git(inner))
            | SyncError::Retain(RetainError::Git(inner)) => inner.into(),
            SyncError::Select(SelectError::Secret(inner)) => inner.into(),
            SyncError::Select(SelectError::Ref(inner)) | SyncError::Ref(inner) => inner.into(),
            SyncError::Commit(inner) => inner.into(),
            SyncError::Write(inner) => inner.into(),
            SyncError::Ssh(inner) => inner.into(),
        }
    }
}

impl From<SshError> for CliError {
    fn from(error: SshError) -> Self {
        let hint = match &error {
            SshError::Format(_) => {
                "openpgp and x509 are not supported; git config --global merkle.signingKey ~/.ssh/id_ed25519.pub"
            }
            SshError::NoKey => "git config --global merkle.signingKey ~/.ssh/id_ed25519.pub",
            SshError::NoSigners => {
                "git config --global gpg.ssh.allowedSignersFile ~/.ssh/allowed_signers"
            }
            SshError::Relative { .. } => "write the whole path, or one that begins with '~/'",
            SshError::File { .. } => return Self::from_source(Exit::Config, error),
            SshError::Start { .. } => {
                return Self::from_source(Exit::Io, error)
                    .hint("install OpenSSH, or set gpg.ssh.program");
            }
            SshError::Failed { .. } => "'git merkle sync' on a terminal may ask for a passphrase",
        };
        Self::from_source(Exit::Config, error).hint(hint)
    }
}

impl From<InstallError> for CliError {
    fn from(error: InstallError) -> Self {
        let hint = match &error {
            InstallError::Git(_) => return Self::from_source(Exit::Git, error),
            InstallError::OldGit(_) => "run 'git merkle hooks install --mode=hookdir'".to_owned(),
            InstallError::Bare => {
                "run 'git merkle hooks install --bare' to have it told of pushes".to_owned()
            }
            InstallError::WrongEvent(_) => "see 'git merkle hooks install -h'".to_owned(),
            InstallError::Record(InstallRecordError::Damaged { path }) => {
                format!(
                    "run 'rm {}', then run the command again: it finds the hooks that are installed",
                    path.display()
                )
            }
            InstallError::Edit(EditError::Changed(_)) => "run the command again".to_owned(),
            InstallError::Edit(EditError::Locked(path)) => {
                format!(
                    "if no other program is at work on it, run 'rm {}.lock'",
                    path.display()
                )
            }
            InstallError::Edit(_) | InstallError::Record(_) | InstallError::Read { .. } => {
                "'git merkle hooks status' says how the hooks stand".to_owned()
            }
        };
        let kind = match &error {
            InstallError::OldGit(_) => Exit::No,
            InstallError::Bare | InstallError::WrongEvent(_) => Exit::Refused,
            InstallError::Edit(EditError::Changed(_) | EditError::Locked(_)) => Exit::Busy,
            _ => Exit::Io,
        };
        Self::from_source(kind, error).hint(hint)
    }
}

impl From<AgentError> for CliError {
    fn from(error: AgentError) -> Self {
        let hint = match &error {
            AgentError::Unknown(_) => {
                Some("'git merkle agent list' lists those there are".to_owned())
            }
            AgentError::Faulty(id) => Some(format!("'git merkle agent validate {id}' names them")),
            AgentError::Disabled(_)
            | AgentError::Reader(_)
            | AgentError::DirectoriesOnly(_)
            | AgentError::BuiltIn(_) => None,
        };
        Self::from_source(Exit::Refused, error).hint_any(hint)
    }
}

impl From<ProfileError> for CliError {
    fn from(error: ProfileError) -> Self {
        let hint = match &error {
            ProfileError::Unknown(_) => {
                "'git merkle profile list' lists those there are".to_owned()
            }
            ProfileError::Faulty(name) => {
                format!("'git merkle profile validate {name}' names them")
            }
        };
        Self::from_source(Exit::Config, error).hint(hint)
    }
}

impl From<RefreshError> for CliError {
    fn from(error: RefreshError) -> Self {
        match error {
            RefreshError::Agent(inner) => inner.into(),
            RefreshError::Scan(inner) => inner.into(),
            RefreshError::Store(inner) => inner.into(),
            RefreshError::Object(inner) => inner.into(),
            RefreshError::Revision(inner) => inner.into(),
            RefreshError::Run(RunError::Commit(inner)) => inner.into(),
            RefreshError::Rules(inner) => inner.into(),
            RefreshError::Run(RunError::Spool(_) | RunError::Runtime(_) | RunError::Batches(_)) => {
                Self::from_source(Exit::Io, error)
            }
            RefreshError::Run(RunError::BatchesBusy) => Self::from_source(Exit::Busy, error)
                .hint("wait for it to end; 'git merkle status' says what is under way"),
            RefreshError::Run(RunError::Queue(ProviderError::QueueBusy)) => {
                Self::from_source(Exit::Busy, error).hint("wait for it to end")
            }
            RefreshError::Run(RunError::Queue(_)) => Self::from_source(Exit::Unavailable, error)
                .hint("'-c merkle.queue=' sends the requests from here"),
            RefreshError::Run(RunError::NoBody(_)) => Self::from_source(Exit::No, error),
        }
    }
}

impl From<TrustError> for CliError {
    fn from(error: TrustError) -> Self {
        Self::from_source(Exit::NotTrusted, error)
            .hint("look at what it brings, and accept it, with 'git merkle trust'")
    }
}

impl From<SecretFound> for CliError {
    fn from(error: SecretFound) -> Self {
        let way_out = if error.object.is_some() {
            "rename it"
        } else {
            "take it out"
        };
        let hint = format!(
            "{way_out}, or if it is none let it pass with '--allow-secret {}'",
            error.id
        );
        Self::from_source(Exit::Config, error).hint(hint)
    }
}

impl From<WatchError> for CliError {
    fn from(error: WatchError) -> Self {
        Self::from_source(Exit::Io, error)
            .hint("on Linux 'sysctl fs.inotify.max_user_watches' says how many directories can be watched")
    }
}

impl From<StatementError> for CliError {
    fn from(error: StatementError) -> Self {
        match error {
            StatementError::Agent(inner) => inner.into(),
            StatementError::Commit(inner) => inner.into(),
            StatementError::Waiting { file, source } => {
                let waits = format!("nothing is lost: it waits in '{}', and the next command stores it", file.display());
                // Another writer ends by itself, so that trying again is no advice; anything else in the way has its own.
                let is_busy = matches!(source, CommitError::Busy);
                let mut failed = Self::from(source);
                if is_busy {
                    failed.hints.clear();
                }
                failed.hint(waits)
            }
            StatementError::Refresh(inner) => inner.into(),
            StatementError::Secret(inner) => inner.into(),
            StatementError::Rules(inner) => inner.into(),
            StatementError::Spool(_) => Self::from_source(Exit::Io, error),
            StatementError::Node(inner) => ComposeError::Node(inner).into(),
            StatementError::OwnType(..) => Self::from_source(Exit::Usage, error).hint("choose another with '--into <type>'"),
            StatementError::Codec(_) | StatementError::NotDirectory(_) => Self::from_source(Exit::Refused, error),
            StatementError::NoAuthor => Self::from_source(Exit::Refused, error)
                .hint("git config --global user.name \"Your Name\"")
                .hint("git config --global user.email you@example.com"),
            StatementError::NotShown(_) => Self::from_source(Exit::Refused, error)
                .hint("'git merkle list-frames' lists what the store holds; 'git merkle doctor' looks for what is wrong with it"),
        }
    }
}
