//! The message array of a session, put together: what is in it, where it stands, and what the session remembers of it.
//!
//! Full texts are what the context lists name; every other file is there as its symbols, as many as fit; the list of all
//! files is always whole. Tiers are remembered below `<common git dir>/merkle/tiers/`, and move on only when a request is
//! said to be sent: looking changes nothing.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use super::history::History;
use crate::base::{Digest, NodeId, TreePath, token};
use crate::chat::{Image, Message, Role};
use crate::context::resource::Body;
use crate::git::{EntryMode, ObjectError, StateDir, diff_trees};
use crate::node::Snapshot;
use crate::secret::{Allowed, SecretFound, guard};
use crate::symbol::map::{Detail, Level, Shown, SymbolMap, references};
use crate::tier::cache::{Bill, predict};
use crate::tier::{
    CacheTerms, Content, Item, Key, Layout, Notice, Policy, Reason, Request, State, Texts, Touches, advance, array, decode,
    encode, explain, item_text,
};
use crate::workspace::evidence::{COMMITS_MAX, Evidence};
use crate::workspace::payload::{InputError, PayloadOptions};
use crate::workspace::{MapError, RulesError, Workspace};

/// Where the tiers of sessions are remembered, below the state directory.
const FOLDER: &str = "tiers";
/// Far more than the state of the largest request.
const FILE_BYTES_MAX: u64 = 64 << 20;
/// What is remembered for requests without a session; no session can have this name.
const NO_SESSION: &str = "-";
/// The context of digests of texts.
const DIGEST: &str = "git-merkle 2026 item/1";

/// Why there is no array.
#[derive(Debug, thiserror::Error)]
pub enum ArrayError {
    /// What the lists name cannot be put together.
    #[error(transparent)]
    Input(#[from] InputError),
    /// The symbols cannot be read.
    #[error(transparent)]
    Map(#[from] MapError),
    /// The history of the repository cannot be read.
    #[error("cannot read the history")]
    History(#[source] ObjectError),
    /// A file of rules about secrets cannot be used.
    #[error(transparent)]
    Rules(#[from] RulesError),
    /// The words hold what looks like a secret.
    #[error(transparent)]
    Secret(#[from] SecretFound),
    /// What is remembered cannot be written.
    #[error("cannot write '{0}'")]
    State(PathBuf, #[source] std::io::Error),
}

/// What an array is made of.
pub struct ArrayOptions<'o> {
    /// The lists, the snapshot and what is done about secrets, as for a payload.
    pub payload: PayloadOptions<'o>,
    /// What is wanted.
    pub request: &'o str,
    /// What goes along with it.
    pub images: Vec<Image>,
    /// The conversation so far.
    pub history: &'o History,
    /// How items are put into tiers.
    pub policy: Policy,
    /// What the provider's cache costs and takes.
    pub terms: CacheTerms,
    /// The most tokens of all symbols together.
    pub symbol_tokens_max: u64,
    /// What may pass though it looks like a secret.
    pub allowed: &'o Allowed,
}

/// An array, and why it is as it is.
pub struct Assembled {
    /// What is sent.
    pub messages: Vec<Message>,
    /// Where everything stands.
    pub layout: Layout,
    /// Why, for each item in the order of their keys.
    pub reasons: Vec<Reason>,
    /// What a provider that still holds the last request would read.
    pub predicted: Bill,
    /// Requests that were sent before, as far as is remembered.
    pub requests: u32,
    /// What is left out, reduced or odd.
    pub notes: Vec<String>,
    state: State,
    session: String,
}

/// Texts by key, and what git says of their files.
#[derive(Default)]
struct Gathered {
    texts: BTreeMap<Key, String>,
    legend: String,
    components: Vec<Vec<TreePath>>,
    tree: Vec<String>,
    notes: Vec<String>,
}

impl Workspace {
    /// Puts the array of a request together; nothing is sent, and nothing remembered.
    pub fn array(&self, options: ArrayOptions<'_>) -> Result<Assembled, ArrayError> {
        let session = options.payload.session.unwrap_or(NO_SESSION).to_owned();
        let tree = options.payload.tree;
        let mut gathered = self.gather(options.payload, options.symbol_tokens_max)?;
        let system_prompt = self.array_system_prompt(&mut gathered.notes);
        let scanner = self.scanner()?;
        guard(options.request.as_bytes(), "request", scanner, options.allowed)?;
        guard(system_prompt.as_bytes(), "system prompt", scanner, options.allowed)?;
        let history = messages(options.history);
        for message in &history {
            guard(message.text.as_bytes(), "conversation", scanner, options.allowed)?;
        }
        let (evidence, dirty) = self.evidence(tree).map_err(ArrayError::History)?;
        let items = items(&gathered.texts, &history, (&evidence, &dirty));
        let (before, notice) = load(&self.state.folder(FOLDER), &session);
        gathered.notes.extend(notice.map(|notice| notice.to_string()));
        let system = content(&[system_prompt.as_str(), &gathered.legend].join("\n\n"));
        let request = Request { system, items: &items, components: &gathered.components, commits: evidence.commits };
        let step = advance(options.policy, &before, &request, &options.terms);
        let texts = Texts {
            system_prompt: &system_prompt,
            legend: &gathered.legend,
            items: gathered.texts,
            history,
            tree: Some(gathered.tree),
            request: options.request,
            images: options.images,
        };
        Ok(Assembled {
            messages: array(&step.layout, &texts),
            reasons: explain(&before, &request, &step),
            predicted: predict(&before, &step.layout, &request, &options.terms),
            requests: before.requests,
            notes: gathered.notes,
            layout: step.layout,
            state: step.state,
            session,
        })
    }

    /// Remembers that an array was sent, so that the next one finds its tiers.
    pub fn remember_array(&self, assembled: &Assembled) -> Result<(), ArrayError> {
        let (folder, name) = (self.state.folder(FOLDER), &assembled.session);
        let written = folder.create().and_then(|()| folder.write_sealed(name, &encode(&assembled.state)));
        written.map_err(|error| ArrayError::State(folder.shown_file(name), error))
    }

    /// The full texts that the lists name, and the symbols of all other files, as many as fit.
    fn gather(&self, payload: PayloadOptions<'_>, symbol_tokens_max: u64) -> Result<Gathered, ArrayError> {
        let tree = payload.tree;
        let document = self.payload(payload)?;
        let mut gathered = Gathered::default();
        let mut shown = BTreeSet::new();
        for (resource, body) in document.bodies().map_err(InputError::from)? {
            let name = String::from_utf8_lossy(&resource.name);
            match (body, &resource.body) {
                (Ok(text), Body::Page(page)) => {
                    let title = page.note.as_ref().map(|note| format!("{note}\n\n")).unwrap_or_default();
                    let shown = format!("{name}\n\n{title}{text}");
                    gathered.texts.insert(Key::Url(name.into_owned()), shown);
                }
                (Ok(text), _) => {
                    shown.insert(resource.name.clone());
                    gathered.texts.insert(Key::File(TreePath::new(resource.name.clone())), text);
                }
                (Err(reason), _) => gathered.notes.push(format!("'{name}' is not included: {reason}")),
            }
        }
        self.gather_symbols(tree, &shown, symbol_tokens_max, &mut gathered)?;
        Ok(gathered)
    }

    fn gather_symbols(
        &self,
        tree: NodeId,
        shown: &BTreeSet<Vec<u8>>,
        tokens_max: u64,
        gathered: &mut Gathered,
    ) -> Result<(), ArrayError> {
        let found = self.symbols(tree)?;
        let files = found.files();
        let references = references(&files);
        let map = SymbolMap::new(&files, &references);
        let says = |number: &u32| {
            let file = &files[*number as usize];
            !file.symbols.entries.is_empty() && !shown.contains(file.path)
        };
        let wanted: Vec<u32> = (0..files.len() as u32).filter(says).collect();
        let chosen = map.within(&wanted, tokens_max, Detail::KEPT);
        if chosen.left > 0 {
            let many = if chosen.left == 1 { "1 file is".to_owned() } else { format!("{} files are", chosen.left) };
            gathered.notes.push(format!("the symbols of {many} left out: they do not fit into {tokens_max} tokens"));
        }
        let numbers: Vec<u32> = chosen.files.iter().map(|file| file.number).collect();
        let legend = map.legend(&numbers);
        gathered.legend = if numbers.is_empty() { String::new() } else { legend.text() };
        for Shown { number, level } in chosen.files.iter().filter(|file| file.level != Level::Name) {
            let path = TreePath::new(files[*number as usize].path);
            let block = map.block(*number, &legend, Detail { level: *level, ..Detail::KEPT });
            gathered.texts.insert(Key::Symbols(path), block);
        }
        let paths = |group: Vec<u32>| group.into_iter().map(|number| TreePath::new(files[number as usize].path)).collect();
        gathered.components = references.components().into_iter().map(paths).collect();
        gathered.tree = (0..files.len() as u32).map(|number| map.shown_path(number).to_owned()).collect();
        gathered.notes.extend(self.absent_note(found.absent.len(), "HEAD"));
        if found.is_cut {
            gathered.notes.push(format!("only the first {} files are listed", gathered.tree.len()));
        }
        Ok(())
    }

    /// What history says of files, and which of them are not as they were committed.
    fn evidence(&self, tree: NodeId) -> Result<(Evidence, BTreeSet<TreePath>), ObjectError> {
        let Ok(head) = self.root(&Snapshot::Revision("HEAD".to_owned())) else { return Ok(Default::default()) };
        let evidence = match head.commit {
            Some(commit) => Evidence::of_history(&self.repository, &commit, COMMITS_MAX)?,
            None => Evidence::default(),
        };
        let mut dirty = BTreeSet::new();
        diff_trees(&self.repository, Some(head.tree), Some(tree), &mut |change| {
            if change.new.is_some_and(|(mode, _)| mode != EntryMode::Directory) {
                dirty.insert(change.path);
            }
            true
        })?;
        Ok((evidence, dirty))
    }

    /// The system prompt with the project's own behind it: `system.md`, a blank line, `system_extra.md`.
    fn array_system_prompt(&self, notes: &mut Vec<String>) -> String {
        let prompt = self.system_prompt(notes);
        let extra = self.personal_folder().text("system_extra.md");
        let extra = extra.or(self.folder.text("system_extra.md").filter(|_| self.trust.is_trusted()));
        match extra {
            Some(extra) => format!("{}\n\n{}", prompt.trim_end(), extra.trim_end()),
            None => prompt.trim_end().to_owned(),
        }
    }
}

/// The items of a request with what is known of their chance to change.
fn items(texts: &BTreeMap<Key, String>, history: &[Message], (evidence, dirty): (&Evidence, &BTreeSet<TreePath>)) -> Vec<Item> {
    let touches = |key: &Key| {
        let Some(path) = key.path() else { return Touches::default() };
        Touches { dirty: dirty.contains(path), ..evidence.touches(path) }
    };
    let reference =
        texts.iter().map(|(key, text)| Item { key: key.clone(), content: content(&item_text(key, text)), touches: touches(key) });
    let said = history.iter().enumerate().map(|(number, message)| Item {
        key: Key::Message(number as u32),
        content: content(&format!("{}\n{}", message.role.as_str(), message.text)),
        touches: Touches::default(),
    });
    reference.chain(said).collect()
}

fn content(text: &str) -> Content {
    Content { digest: Digest::of(DIGEST, text.as_bytes()), tokens: token::estimate(text) }
}

/// The conversation as a model takes it; summaries stand for what they sum up.
fn messages(history: &History) -> Vec<Message> {
    let role = |role: &str| if role == Role::Assistant.as_str() { Role::Assistant } else { Role::User };
    history.view().into_iter().map(|entry| Message::new(role(&entry.role), entry.content.clone())).collect()
}

/// What a session remembers; an empty state, and why, where that cannot be read.
fn load(folder: &StateDir, session: &str) -> (State, Option<Notice>) {
    match folder.read_sealed(session, FILE_BYTES_MAX) {
        Some(bytes) => decode(&bytes),
        None if folder.open(session, u64::MAX).is_ok() => (State::default(), Some(Notice::Damaged)),
        None => (State::default(), None),
    }
}
