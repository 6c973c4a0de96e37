//! The document `input.md` of lists that were read: what it is made of, and what is done about secrets in it.
//!
//! Which lists these are, `payload` says; what stands in the place of lists, `overview`.

use std::collections::BTreeSet;

use super::carried::{Carried, PeopleSay};
use super::earlier::said_earlier;
use super::find::FindError;
use super::machine::system;
use super::outline::outline;
use super::pages::{self, PageOptions};
use super::staleness::state_word;
use crate::base::printable::chain;
use crate::base::{FrameType, NodeId, TreePath};
use crate::config::ValueError;
use crate::context::markdown::{code, plain};
use crate::context::overview::Overview;
use crate::context::pages::Wanted;
use crate::context::people::{GLOBAL_LIST, MEMOS};
use crate::context::resource::Note;
use crate::context::secrets::{Clean, Guard};
use crate::context::{
    Accepted, ContextError, Document, DocumentRequest, List, Markup, PeopleFiles, System,
};
use crate::find::Query;
use crate::frame::commit::CommitError;
use crate::frame::{Frame, Head, Store};
use crate::git::ObjectError;
use crate::node::SnapshotRoot;
use crate::secret::{Allowed, SecretFound};
use crate::sync::Attested;
use crate::view::LocatedNode;
use crate::workspace::{RulesError, Workspace};

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

/// Plans the document of lists that were read.
pub(super) fn plan_payload<'w>(
    workspace: &'w Workspace,
    options: PayloadOptions<'_>,
    said: &PeopleSay,
    attested: &Attested<'_>,
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
    let earlier = |path: &TreePath| said_earlier(workspace, &Store::open(repo).ok()?, tree, path);
    let state_of = |store: &Store<'_>, head: &Head| state_word(workspace, store, tree, head);
    let attests = |frame: &Frame| attested.words(frame);
    let notes = |node: &NodeId, name: &[u8]| {
        let path = name.strip_suffix(b"/").unwrap_or(name);
        said.notes(node, path)
            .map(|(frame, carried)| note(frame, path, carried, attested))
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
        attests: attested.may_say().then_some(&attests),
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

/// What a person says, as it is shown beside a body.
pub(super) fn note(
    frame: &Frame,
    path: &[u8],
    carried: Option<&Carried>,
    attested: &Attested<'_>,
) -> Note {
    let slot = (frame.node, frame.agent.clone(), frame.frame_type.clone());
    let state = match (carried, frame.made_elsewhere(path)) {
        (Some(carried), _) => carried.origin(),
        (None, Some(made_at)) => format!("fresh, made at {}", code(&plain(made_at.shown()))),
        (None, None) => "fresh".to_owned(),
    };
    Note {
        slot,
        speaker: attested.speaker(frame),
        state,
        text: frame.content.as_str().into(),
    }
}
