//! The payload `input.md`, put together in one place: whoever shows it or sends it gets the same bytes.

use std::path::Path;

use super::open::Workspace;
use super::pages::PageOptions;
use crate::base::{FrameType, NodeId, TreePath};
use crate::context::pages::Wanted;
use crate::context::people::GLOBAL_LIST;
use crate::context::{ContextError, Document, List, PeopleFiles, Request, Scope, System};

/// Where sessions stand, each in a directory with its name.
const SESSIONS: &str = ".teddy/sessions";
/// A session's list, and that of one of its turns.
const SESSION_LIST: &[u8] = b"session.context";
const TURN_LIST: &[u8] = b"turn.context";

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
}

/// What a payload is made of.
#[derive(Debug, Clone)]
pub struct PayloadOptions<'o> {
    /// The root tree of the snapshot that files are read from.
    pub tree: NodeId,
    /// What the caller lists, before all lists of sessions.
    pub lists: Vec<List>,
    /// A session whose lists are read as well.
    pub session: Option<&'o str>,
    /// A turn of that session whose list is read as well.
    pub turn: Option<&'o str>,
    /// A type whose head frames are added to everything that is listed.
    pub frames: Option<FrameType>,
    /// The most tokens that the document may take, by estimate.
    pub tokens_max: Option<u64>,
    /// How pages of the web are got.
    pub pages: PageOptions<'o>,
    /// The machine, as [`Workspace::system`] sees it.
    pub system: System,
}

impl Workspace {
    /// Plans the document: the caller's lists, then those of turn, session and everybody, strongest scope first.
    pub fn payload(&self, options: PayloadOptions<'_>) -> Result<Document<'_>, InputError> {
        let repo = &self.repository;
        let PayloadOptions { tree, lists: mut all, session, turn, frames, tokens_max, pages, system } = options;
        let people = PeopleFiles::new(repo, tree);
        if let Some(session) = session {
            all.extend(session_lists(&people, session, turn)?);
        }
        all.extend(read_list(&people, Scope::Global, &TreePath::from(GLOBAL_LIST)));
        let pages = |wanted: &[Wanted]| self.pages(wanted, pages);
        Ok(Document::plan(&Request { repo, tree, lists: &all, frames, tokens_max, pages: &pages, system })?)
    }

    /// What a payload says about this machine, for a process that works in `directory`, seen from its own.
    #[must_use]
    pub fn system(&self, directory: &Path) -> System {
        let name = match std::env::consts::OS {
            "linux" => "Linux",
            "macos" => "Darwin",
            "freebsd" => "FreeBSD",
            other => other,
        };
        let release = std::fs::read_to_string("/proc/sys/kernel/osrelease").unwrap_or_default();
        let here = std::env::current_dir().unwrap_or_default();
        System {
            cwd: if directory.as_os_str().is_empty() { here } else { here.join(directory) },
            os: format!("{name} {}", release.trim()).trim_end().to_owned(),
            shell: self.environment.text("SHELL").map(ToOwned::to_owned),
        }
    }
}

/// The lists of a session that exist, that of the turn first.
fn session_lists(people: &PeopleFiles<'_>, session: &str, turn: Option<&str>) -> Result<Vec<List>, InputError> {
    let directory = TreePath::from(SESSIONS).join(checked_name(session)?.as_bytes());
    let turn = turn.map(checked_name).transpose()?;
    let of_turn = turn.map(|turn| directory.join(turn.as_bytes()).join(TURN_LIST));
    let found: Vec<List> = [(Scope::Turn, of_turn), (Scope::Session, Some(directory.join(SESSION_LIST)))]
        .into_iter()
        .filter_map(|(scope, path)| read_list(people, scope, &path?))
        .collect();
    if found.is_empty() { Err(InputError::NoList(session.to_owned())) } else { Ok(found) }
}

fn read_list(people: &PeopleFiles<'_>, scope: Scope, path: &TreePath) -> Option<List> {
    match people.read(path) {
        Ok(text) => text.map(|text| List::parse(scope, path.to_text(), &text)),
        Err(reason) => Some(List::unreadable(scope, path.to_text(), reason)),
    }
}

fn checked_name(name: &str) -> Result<&str, InputError> {
    let is_word = !name.is_empty() && !name.starts_with('.') && !name.contains(['/', '\0', '\n']);
    if is_word { Ok(name) } else { Err(InputError::Name(name.to_owned())) }
}
