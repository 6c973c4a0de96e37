//! The payload `input.md`, put together in one place: every command that shows or sends it gets the same bytes.

use std::collections::BTreeSet;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::branch;
use super::carried::{self, Carried, PeopleSay};
use super::find::FindError;
use super::outline::outline;
use super::overview;
use super::pages::{self, PageOptions};
use super::refresh;
use crate::base::printable::chain;
use crate::base::{FrameType, NodeId, TreePath};
use crate::config::ValueError;
use crate::context::overview::Overview;
use crate::context::pages::Wanted;
use crate::context::people::{GLOBAL_LIST, MEMOS, SESSION_LIST, SESSIONS, TURN_LIST};
use crate::context::resource::Note;
use crate::context::secrets::{Clean, Guard};
use crate::context::{
    Accepted, ContextError, Document, DocumentRequest, List, Markup, PeopleFiles, Scope, System,
};
use crate::find::Query;
use crate::frame::commit::CommitError;
use crate::frame::{Frame, Head, Store};
use crate::git::{ObjectError, Repository};
use crate::node::SnapshotRoot;
use crate::secret::{Allowed, SecretFound};
use crate::view::LocatedNode;
use crate::workspace::{RulesError, Target, Workspace};

/// Why there is no payload.
#[derive(Debug, thiserror::Error)]
pub enum InputError {
    /// Neither a session nor a turn is called so.
    #[error("'{0}' is not the name of a session or turn")]
    Name(String),
    /// A session was named that lists nothing.
    #[error("session '{0}' has no context list")]
    NoList(String),
    /// The document cannot be planned.
    #[error(transparent)]
    Document(#[from] ContextError),
    /// A question chooses nothing where a list does.
    #[error("a context list says what is shown, so a question cannot choose")]
    Listed,
    /// The question cannot be answered.
    #[error(transparent)]
    Find(#[from] FindError),
    /// The frames cannot be read.
    #[error(transparent)]
    Store(Box<CommitError>),
    /// A setting makes no sense.
    #[error(transparent)]
    Value(#[from] ValueError),
    /// What has changed since the last commit cannot be read.
    #[error(transparent)]
    History(ObjectError),
    /// A file of rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// It holds what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
}

/// What is done about what looks like a secret in a payload.
#[derive(Debug, Clone)]
pub enum SecretPolicy {
    /// There is no payload: where a person waits.
    Stop(Allowed),
    /// A marker stands in its place: in the background, or when the caller wants it so.
    Redact(Allowed),
    /// The same for a document of which no bodies are written: only its names are searched.
    Names(Box<Self>),
}

/// What a payload is made of.
#[derive(Debug, Clone)]
pub struct PayloadOptions<'o> {
    /// The snapshot that files are read from.
    pub root: &'o SnapshotRoot,
    /// What the caller lists, before all lists of sessions.
    pub lists: Vec<List>,
    /// A session whose lists are read as well.
    pub session: Option<&'o str>,
    /// A turn of that session whose list is read as well.
    pub turn: Option<&'o str>,
    /// URLs in those lists that the user typed on this machine, in this turn or an earlier one.
    pub typed: &'o BTreeSet<String>,
    /// True when the session did not come with the repository.
    pub is_session_own: bool,
    /// A type whose head frames are added to everything that is listed.
    pub frames: Option<FrameType>,
    /// The most tokens that the document may take, by estimate.
    pub tokens_max: Option<u64>,
    /// True for the default payload where no list names anything; else it is the root's statement and the README.
    pub has_overview: bool,
    /// What the default payload is to be about; else it is about everything.
    pub question: Option<Query>,
    /// True when nothing is said about the machine.
    pub is_brief: bool,
    /// How the document is marked up.
    pub style: Markup,
    /// What is done about what looks like a secret.
    pub secrets: SecretPolicy,
    /// How pages of the web are got.
    pub pages: PageOptions<'o>,
}

/// Plans the document: the caller's lists, then those of turn, session and all sessions, strongest scope first.
pub fn payload<'w>(
    workspace: &'w Workspace,
    mut options: PayloadOptions<'_>,
) -> Result<Document<'w>, InputError> {
    let people = PeopleFiles::new(&workspace.repository, options.root.tree);
    if let Some(session) = options.session {
        let lists = session_lists(&people, session, options.turn)?.into_iter();
        options
            .lists
            .extend(lists.flat_map(|list| by_author(list, options.typed)));
    }
    options.lists.extend(read_list(
        &people,
        Scope::Global,
        &TreePath::from(GLOBAL_LIST),
    ));
    let names_nothing = options
        .lists
        .iter()
        .all(|list| list.entries.is_empty() && list.fault.is_none());
    if options.question.is_some() && !names_nothing {
        return Err(InputError::Listed);
    }
    let store = workspace
        .store()
        .map_err(|error| InputError::Store(Box::new(error)))?;
    let said = carried::people_say(
        &workspace.repository,
        &workspace.state,
        &store,
        options.root,
    )
    .map_err(ContextError::from)?;
    if options.has_overview && names_nothing {
        let (tokens_max, _) = overview::context_settings(&workspace.settings)?;
        options.tokens_max.get_or_insert(tokens_max);
        return overview::plan_overview(workspace, options, &store, &said);
    }
    plan_payload(workspace, options, &said, None)
}

/// Plans the document of lists that were read.
pub(super) fn plan_payload<'w>(
    workspace: &'w Workspace,
    options: PayloadOptions<'_>,
    said: &PeopleSay,
    overview: Option<&Overview<'_>>,
) -> Result<Document<'w>, InputError> {
    let repo = &workspace.repository;
    let PayloadOptions {
        root,
        lists: all,
        is_session_own,
        frames,
        tokens_max,
        is_brief,
        style,
        secrets,
        pages,
        ..
    } = options;
    let tree = root.tree;
    let people = PeopleFiles::new(repo, tree);
    let accepts = |file: &str| {
        workspace.vouches_for(file) || matches!(people.read(&TreePath::from(file)), Ok(None))
    };
    let pages =
        |wanted: &[Wanted]| pages::pages(&workspace.state, &workspace.settings, wanted, pages);
    let outlines = |place: &LocatedNode| outline(workspace, place).map_err(|error| chain(&error));
    let earlier =
        |path: &TreePath| overview::said_earlier(workspace, &Store::open(repo).ok()?, tree, path);
    let state_of = |store: &Store<'_>, head: &Head| state_word(workspace, store, tree, head);
    let notes = |node: &NodeId, name: &[u8]| {
        said.notes(node, name.strip_suffix(b"/").unwrap_or(name))
            .map(|(frame, carried)| note(frame, carried))
            .collect()
    };
    let mut document = Document::plan(&DocumentRequest {
        repo,
        shelf: workspace.state.shelf(),
        tree,
        lists: &all,
        frames,
        tokens_max,
        pages: &pages,
        outlines: &outlines,
        earlier: &earlier,
        notes: &notes,
        overview,
        state_of: &state_of,
        skipped: workspace.skipped.clone(),
        accepted: Accepted {
            memos: accepts(MEMOS),
            global: accepts(GLOBAL_LIST),
            session: is_session_own,
        },
        style,
        system: System {
            is_brief,
            ..system(workspace, root).map_err(InputError::History)?
        },
    })?;
    guard(workspace, &mut document, secrets)?;
    Ok(document)
}

/// Whether a head still holds at its node, wherever that stands in the snapshot.
pub(super) fn state_word(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    head: &Head,
) -> &'static str {
    let target = Target {
        id: head.frame.node,
        kind: head.frame.kind,
        path: None,
        root: Some(tree),
    };
    match refresh::staleness(workspace, store, &target, head) {
        Ok(None) => "fresh",
        Ok(Some(_)) => "outdated",
        Err(_) => "not checked",
    }
}

/// Looks for secrets, and does what is to be done about them.
fn guard<'w>(
    workspace: &'w Workspace,
    document: &mut Document<'w>,
    policy: SecretPolicy,
) -> Result<(), InputError> {
    let (policy, has_bodies) = match policy {
        SecretPolicy::Names(policy) => (*policy, false),
        policy => (policy, true),
    };
    let (allowed, stops) = match policy {
        SecretPolicy::Stop(allowed) => (allowed, true),
        SecretPolicy::Redact(allowed) => (allowed, false),
        SecretPolicy::Names(_) => return guard(workspace, document, policy),
    };
    let scanner = workspace.scanner()?;
    let cache = workspace.state.cache();
    let clean = Clean::read(
        &cache,
        scanner.digest().to_owned(),
        document.tree_id().as_bytes().len(),
    );
    let guard = Guard {
        scanner,
        allowed,
        clean,
    };
    let mut found = document.find_secret_names(&guard);
    if has_bodies && !(stops && found.all().next().is_some()) {
        let (bodies, more) = document.find_secrets(&guard).map_err(ContextError::Read)?;
        found.bodies = bodies.bodies;
        if !more.is_empty() {
            // Where it cannot be kept it is found out again.
            let _ = cache
                .create()
                .and_then(|()| guard.clean.write(&cache, &more));
        }
    }
    let rest: usize = found.all().skip(1).map(|secret| secret.more + 1).sum();
    let Some(first) = found.all().next() else {
        return Ok(());
    };
    if stops {
        return Err(SecretFound {
            more: first.more + rest,
            ..first.clone()
        }
        .into());
    }
    document.redact(guard, found);
    Ok(())
}

/// What a payload says about this machine and the snapshot. No path of the machine is in it: that is of no use to a
/// reader elsewhere.
fn system(workspace: &Workspace, root: &SnapshotRoot) -> Result<System, ObjectError> {
    let name = match std::env::consts::OS {
        "linux" => "Linux",
        "macos" => "Darwin",
        "freebsd" => "FreeBSD",
        other => other,
    };
    let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
    let prefix = workspace.prefix();
    let below: &[u8] = if prefix.is_root() { b"" } else { b"/" };
    let shell = workspace
        .environment
        .text("SHELL")
        .and_then(|shell| Path::new(shell).file_name()?.to_str());
    Ok(System {
        cwd: [
            &directory_name(&workspace.repository),
            below,
            prefix.as_bytes(),
        ]
        .concat(),
        snapshot: branch::snapshot_words(workspace, root)?,
        os: format!("{name} {}", release.trim()).trim_end().to_owned(),
        shell: shell.map(ToOwned::to_owned),
        is_brief: false,
    })
}

/// The name of the repository's directory.
fn directory_name(repo: &Repository) -> Vec<u8> {
    let directory = repo.work_dir().unwrap_or_else(|| repo.git_dir());
    let directory = directory
        .canonicalize()
        .unwrap_or_else(|_| directory.to_owned());
    directory
        .file_name()
        .map(|name| name.as_bytes().to_vec())
        .unwrap_or_default()
}

/// What a person says, as it is shown beside a body.
pub(super) fn note(frame: &Frame, carried: Option<&Carried>) -> Note {
    let slot = (frame.node, frame.agent.clone(), frame.frame_type.clone());
    let state = carried.map_or_else(|| "fresh".to_owned(), Carried::origin);
    Note {
        slot,
        speaker: frame.speaker(),
        state,
        text: frame.content.as_str().into(),
    }
}

/// The lists of a session that exist, that of the turn first.
fn session_lists(
    people: &PeopleFiles<'_>,
    session: &str,
    turn: Option<&str>,
) -> Result<Vec<List>, InputError> {
    let directory = TreePath::from(SESSIONS).join(checked_name(session)?.as_bytes());
    let turn = turn.map(checked_name).transpose()?;
    let of_turn = turn.map(|turn| directory.join(turn.as_bytes()).join(TURN_LIST.as_bytes()));
    let found: Vec<List> = [
        (Scope::Turn, of_turn),
        (
            Scope::Session,
            Some(directory.join(SESSION_LIST.as_bytes())),
        ),
    ]
    .into_iter()
    .filter_map(|(scope, path)| read_list(people, scope, &path?))
    .collect();
    if found.is_empty() {
        Err(InputError::NoList(session.to_owned()))
    } else {
        Ok(found)
    }
}

/// A list as stretches of what the user typed and of what only the file says: only pages among the first are fetched.
fn by_author(list: List, typed: &BTreeSet<String>) -> Vec<List> {
    let is_typed =
        |entry: &[u8]| std::str::from_utf8(entry).is_ok_and(|entry| typed.contains(entry));
    let mut stretches: Vec<List> = Vec::new();
    for entry in list.entries.iter().cloned() {
        let is_personal = is_typed(&entry);
        match stretches
            .last_mut()
            .filter(|last| last.is_personal == is_personal)
        {
            Some(last) => last.entries.push(entry),
            None => stretches.push(List {
                entries: vec![entry],
                is_personal,
                fault: None,
                ..list.clone()
            }),
        }
    }
    match stretches.last_mut() {
        Some(last) => last.fault = list.fault,
        None => stretches.push(list),
    }
    stretches
}

fn read_list(people: &PeopleFiles<'_>, scope: Scope, path: &TreePath) -> Option<List> {
    match people.read(path) {
        Ok(text) => text.map(|text| List::parse(scope, path.to_text(), &text)),
        Err(reason) => Some(List::unreadable(scope, path.to_text(), reason)),
    }
}

fn checked_name(name: &str) -> Result<&str, InputError> {
    let is_word = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0', '\n']);
    if is_word {
        Ok(name)
    } else {
        Err(InputError::Name(name.to_owned()))
    }
}
