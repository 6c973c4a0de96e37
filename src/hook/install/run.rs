//! Installing and taking out: looks, has it decided, shows the decision, and then does it.
//!
//! [`prepare`] and [`uninstall`] write nothing: they return what would be done, as [`Prepared`], for a person to see
//! first. [`install`] does it.

use std::io;
use std::path::{Path, PathBuf};

use super::edit::{Edit, EditError, HookContent, apply, present};
use super::event::HookEvent;
use super::folder::HookFolder;
use super::include;
use super::place::{FolderOwner, HooksPath};
use super::plan::{self, FOLDER_MODE, HookStep, WantedHooks};
use super::record::{InstallRecord, InstallRecordError, Mode};
use crate::git::{ChildError, ConfigScope, Repository, StateDir};

/// The mode of files that are the user's own business.
const PRIVATE_FILE: u32 = 0o600;
const PRIVATE_FOLDER: u32 = 0o700;

/// What the user wants installed.
#[derive(Debug, Clone)]
pub struct InstallRequest {
    /// By which way; the best one that git offers when not given.
    pub mode: Option<Mode>,
    /// For which events; what was installed before, else the usual ones, when not given.
    pub events: Option<Vec<HookEvent>>,
    /// The daily budget of agents that cost something; as before when not given.
    pub budget_nano_dollars: Option<u64>,
    /// What the hooks call.
    pub binary: PathBuf,
    /// Writes folders that are not this repository's own.
    pub force: bool,
    /// Installs into a bare repository.
    pub bare: bool,
}

/// What would be done.
#[derive(Debug, Clone)]
pub struct Prepared {
    /// By which way.
    pub mode: Mode,
    /// The events that are installed afterwards.
    pub events: Vec<HookEvent>,
    /// The daily budget.
    pub budget_nano_dollars: Option<u64>,
    /// The folder that git runs hooks from.
    pub place: HooksPath,
    /// Why that folder is not written.
    pub blocked: Option<Blocked>,
    /// Hook by hook.
    pub steps: Vec<HookStep>,
    /// All that changes; empty when all is as it should be.
    pub edits: Vec<Edit>,
    /// True when git itself has to take the line out of its configuration.
    unset: bool,
}

/// Why a hooks folder is not written.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Blocked {
    /// It belongs to the project.
    InWorkTree,
    /// It belongs to all repositories of the user or the machine.
    Shared,
    /// It was set for this one command.
    OneCommand,
    /// Its owner has closed it for writing.
    ReadOnly,
    /// It is no folder: hooks are turned off.
    NoFolder,
}

/// Why nothing was done.
#[derive(Debug, thiserror::Error)]
pub enum InstallError {
    /// Git could not be asked.
    #[error(transparent)]
    Git(#[from] ChildError),
    /// What was installed before is not known.
    #[error(transparent)]
    Record(#[from] InstallRecordError),
    /// A change was refused.
    #[error(transparent)]
    Edit(#[from] EditError),
    /// A file could not be looked at.
    #[error("cannot read '{path}'")]
    Read {
        /// The file.
        path: PathBuf,
        /// Why not.
        #[source]
        source: io::Error,
    },
    /// It would be ignored.
    #[error("'{0}' runs no hooks of its configuration")]
    OldGit(String),
    /// On a server the user has to ask for this.
    #[error("this is a bare repository")]
    Bare,
    /// These events do not happen here.
    #[error("'{0}' does not happen in this repository")]
    WrongEvent(&'static str),
}

/// Finds out what installing takes; writes nothing.
pub fn prepare(repo: &Repository, request: &InstallRequest) -> Result<Prepared, InstallError> {
    let state = StateDir::of(repo);
    let old = InstallRecord::load(&state)?;
    let events = events(repo, request, old.as_ref())?;
    let mode = mode(repo, request)?;
    let place = HooksPath::of(repo)?;
    let budget_nano_dollars = request
        .budget_nano_dollars
        .or(old.as_ref().and_then(|old| old.budget_nano_dollars));
    let mut prepared = Prepared {
        mode,
        events,
        budget_nano_dollars,
        place,
        blocked: None,
        steps: Vec::new(),
        edits: Vec::new(),
        unset: false,
    };
    let directory = (mode == Mode::Hookdir).then(|| prepared.place.directory.clone());
    let mut record = InstallRecord {
        mode,
        binary: request.binary.clone(),
        events: prepared.events.clone(),
        budget_nano_dollars,
        directory,
        created: Vec::new(),
        made: old.as_ref().map(|old| old.made.clone()).unwrap_or_default(),
        ended_line: false,
    };
    let kept = old
        .as_ref()
        .filter(|old| old.mode == mode && old.directory == record.directory);
    match mode {
        Mode::Hookdir => hookdir(&mut prepared, &mut record, kept, request)?,
        Mode::Config => config(repo, &mut prepared, &mut record, kept)?,
    }
    if prepared.blocked.is_some() {
        return Ok(prepared);
    }
    if let Some(left) = old.as_ref().filter(|_| kept.is_none()) {
        let away = take_out(repo, Some(left), None)?;
        prepared.unset = away.unset;
        prepared.edits.splice(0..0, away.edits);
    }
    let remembered = remember(&state, &mut record)?;
    prepared.edits.splice(0..0, remembered);
    Ok(prepared)
}

/// Does what [`prepare`] found out.
pub fn install(repo: &Repository, prepared: &Prepared) -> Result<(), InstallError> {
    apply(&prepared.edits)?;
    if prepared.unset {
        repo.unset_local(include::KEY, include::FILE)?;
    }
    Ok(())
}

/// Finds out what taking everything out takes; `None` when nothing is in. Done by [`install`].
pub fn uninstall(repo: &Repository) -> Result<Option<Prepared>, InstallError> {
    let state = StateDir::of(repo);
    let old = InstallRecord::load(&state)?;
    let place = HooksPath::of(repo)?;
    let own = (place.verdict == FolderOwner::Own).then(|| place.directory.clone());
    let mut away = take_out(repo, old.as_ref(), own.as_deref())?;
    let file = InstallRecord::file(&state);
    if let Some(before) = look(&file)? {
        away.edits.push(Edit::Write {
            path: file,
            before: Some(before),
            after: None,
        });
    }
    if away.edits.is_empty() && !away.unset {
        return Ok(None);
    }
    let made = old
        .iter()
        .flat_map(|old| old.made.iter().rev())
        .filter(|path| !path.starts_with(state.shown()));
    let made = made.filter(|path| may_be_removed(path, repo.common_dir(), &place));
    away.edits.extend(made.map(|path| Edit::RemoveDirectory {
        path: path.clone(),
        mode: FOLDER_MODE,
    }));
    // These may be from any run, also one that was killed before it could write that down: an empty one is of no use.
    for path in [state.hooks().shown(), state.shown()] {
        away.edits.push(Edit::RemoveDirectory {
            path,
            mode: PRIVATE_FOLDER,
        });
    }
    let mode = old.as_ref().map_or(Mode::Hookdir, |old| old.mode);
    let (events, budget_nano_dollars, blocked) = (Vec::new(), None, None);
    let Away {
        steps,
        edits,
        unset,
    } = away;
    Ok(Some(Prepared {
        mode,
        events,
        budget_nano_dollars,
        place,
        blocked,
        steps,
        edits,
        unset,
    }))
}

/// The parts of taking out.
#[derive(Default)]
struct Away {
    steps: Vec<HookStep>,
    edits: Vec<Edit>,
    unset: bool,
}

/// Takes out what a record says, and what is found in a folder besides; the record itself stays.
fn take_out(
    repo: &Repository,
    record: Option<&InstallRecord>,
    folder: Option<&Path>,
) -> Result<Away, InstallError> {
    let mut away = Away::default();
    let recorded = record.and_then(|record| record.directory.as_deref());
    for path in recorded
        .into_iter()
        .chain(folder.filter(|folder| Some(*folder) != recorded))
    {
        let (edits, steps) = plan::uninstall(
            &read_folder(path)?,
            record.filter(|_| Some(path) == recorded),
        );
        away.edits.extend(edits);
        away.steps.extend(steps);
    }
    let path = config_file(repo);
    if let Some(content) = look(&path)? {
        match include::remove(
            &content.bytes,
            record.is_some_and(|record| record.ended_line),
        ) {
            Some(bytes) => {
                let after = Some(HookContent {
                    bytes,
                    mode: content.mode,
                });
                away.edits.push(Edit::Write {
                    path,
                    before: Some(content),
                    after,
                });
            }
            None => {
                away.unset =
                    super::script::find(&content.bytes, include::FILE.as_bytes()).is_some();
            }
        }
    }
    let file = repo.common_dir().join(include::FILE);
    if let Some(before) = look(&file)? {
        away.edits.push(Edit::Write {
            path: file,
            before: Some(before),
            after: None,
        });
    }
    Ok(away)
}

fn hookdir(
    prepared: &mut Prepared,
    record: &mut InstallRecord,
    old: Option<&InstallRecord>,
    request: &InstallRequest,
) -> Result<(), InstallError> {
    let folder = read_folder(&prepared.place.directory)?;
    prepared.blocked = blocked(&prepared.place, &folder, request.force);
    let target = WantedHooks {
        binary: &request.binary,
        events: &prepared.events,
        force: request.force,
    };
    (prepared.edits, prepared.steps) = plan::install(&folder, target, old);
    let is_created = |event: &HookEvent| match folder.hook(*event) {
        None => folder.chained(*event).is_none(),
        Some(_) => old.is_some_and(|old| old.created.contains(event)),
    };
    record.created = prepared.events.iter().copied().filter(is_created).collect();
    if folder.mode.is_none() {
        record.made.push(folder.path);
    }
    Ok(())
}

fn config(
    repo: &Repository,
    prepared: &mut Prepared,
    record: &mut InstallRecord,
    old: Option<&InstallRecord>,
) -> Result<(), InstallError> {
    let path = config_file(repo);
    let before = look(&path)?;
    let (bytes, mode) = before.as_ref().map_or((&[][..], PRIVATE_FILE), |content| {
        (&content.bytes[..], content.mode)
    });
    let (bytes, ended_line) = include::add(bytes);
    record.ended_line = ended_line || old.is_some_and(|old| old.ended_line);
    let file = repo.common_dir().join(include::FILE);
    let hooks = HookContent {
        bytes: include::file(&record.binary, &record.events),
        mode,
    };
    let found = look(&file)?;
    let action = match &found {
        None => plan::Action::Created,
        Some(found) if *found == hooks => plan::Action::Kept,
        Some(_) => plan::Action::Updated,
    };
    prepared.steps = record
        .events
        .iter()
        .map(|event| HookStep {
            event: *event,
            action,
            path: file.clone(),
        })
        .collect();
    for (path, before, after) in [
        (file, found, hooks),
        (path, before, HookContent { bytes, mode }),
    ] {
        if before.as_ref() != Some(&after) {
            prepared.edits.push(Edit::Write {
                path,
                before,
                after: Some(after),
            });
        }
    }
    Ok(())
}

/// The edits that write down what is installed, with the directories for it.
fn remember(state: &StateDir, record: &mut InstallRecord) -> Result<Vec<Edit>, InstallError> {
    let mut edits = Vec::new();
    for folder in [state.clone(), state.hooks()] {
        let path = folder.shown();
        if !folder.exists().map_err(|source| InstallError::Read {
            path: path.clone(),
            source,
        })? {
            edits.push(Edit::MakeDirectory {
                path: path.clone(),
                mode: PRIVATE_FOLDER,
            });
            record.made.insert(edits.len() - 1, path);
        }
    }
    let file = InstallRecord::file(state);
    let (before, after) = (
        look(&file)?,
        HookContent {
            bytes: record.encode(state),
            mode: PRIVATE_FILE,
        },
    );
    if before.as_ref() != Some(&after) {
        edits.push(Edit::Write {
            path: file,
            before,
            after: Some(after),
        });
    }
    Ok(edits)
}

/// True for a folder that a record may say was made here: the hooks folder that git names, or one in the git directory.
///
/// The record came with the git directory, so it may name any folder of the user.
fn may_be_removed(path: &Path, common_dir: &Path, place: &HooksPath) -> bool {
    let parent = path.parent().and_then(|parent| parent.canonicalize().ok());
    let is_below = || {
        parent.is_some_and(|parent| {
            common_dir
                .canonicalize()
                .is_ok_and(|common| parent.starts_with(common))
        })
    };
    path == place.directory || (path.file_name().is_some() && is_below())
}

fn events(
    repo: &Repository,
    request: &InstallRequest,
    old: Option<&InstallRecord>,
) -> Result<Vec<HookEvent>, InstallError> {
    let is_bare = repo.work_dir().is_none();
    if is_bare && !request.bare {
        return Err(InstallError::Bare);
    }
    let usual = if is_bare {
        vec![HookEvent::PostReceive]
    } else {
        HookEvent::USUAL.to_vec()
    };
    let asked = request
        .events
        .clone()
        .or_else(|| old.map(|old| old.events.clone()))
        .unwrap_or(usual);
    match asked
        .iter()
        .find(|event| (**event == HookEvent::PostReceive) != is_bare)
    {
        Some(event) => Err(InstallError::WrongEvent(event.name())),
        None => Ok(HookEvent::ALL
            .into_iter()
            .filter(|event| asked.contains(event))
            .collect()),
    }
}

fn mode(repo: &Repository, request: &InstallRequest) -> Result<Mode, InstallError> {
    let version = repo.git_version()?;
    match (request.mode, include::understands(&version)) {
        (Some(Mode::Config), false) => Err(InstallError::OldGit(version)),
        (Some(mode), _) => Ok(mode),
        (None, true) => Ok(Mode::Config),
        (None, false) => Ok(Mode::Hookdir),
    }
}

fn blocked(place: &HooksPath, folder: &HookFolder, force: bool) -> Option<Blocked> {
    if place.directory.exists() && !place.directory.is_dir() {
        return Some(Blocked::NoFolder);
    }
    if folder.is_read_only() {
        return Some(Blocked::ReadOnly);
    }
    match place.verdict {
        FolderOwner::Shared(ConfigScope::Command) => Some(Blocked::OneCommand),
        _ if force => None,
        FolderOwner::Own => None,
        FolderOwner::InWorkTree => Some(Blocked::InWorkTree),
        FolderOwner::Shared(_) => Some(Blocked::Shared),
    }
}

/// Git's own file, without links on the way, as git itself writes it.
fn config_file(repo: &Repository) -> PathBuf {
    let path = repo.common_dir().join("config");
    path.canonicalize().unwrap_or(path)
}

fn look(path: &Path) -> Result<Option<HookContent>, InstallError> {
    present(path).map_err(|source| InstallError::Read {
        path: path.to_owned(),
        source,
    })
}

fn read_folder(path: &Path) -> Result<HookFolder, InstallError> {
    HookFolder::read(path).map_err(|source| InstallError::Read {
        path: path.to_owned(),
        source,
    })
}
