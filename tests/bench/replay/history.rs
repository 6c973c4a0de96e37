//! A history as a row of requests: before each commit, somebody asks a model for just that change.
//!
//! The files that the commit is about to touch are the working files, in full text; every other file is there as
//! reference. The conversation so far goes along and is cleared every twenty requests. The first quarter of the commits is
//! only evidence. A file that is binary or very large is not there.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::path::Path;

use git_merkle::base::{Digest, NodeId, TreePath, token};
use git_merkle::git::{EntryMode, Location, ObjectKind, Repository, diff_trees};
use git_merkle::symbol::{detect, extract, render};
use git_merkle::tier::{Content, Item, Key, Request};
use git_merkle::workspace::Evidence;
use git_merkle::workspace::evidence::COMMITS_MAX;

use crate::measure::Failure;

/// Requests in the newest part of a history.
const REQUESTS_MAX: usize = 200;
const CONVERSATION_REQUESTS: usize = 20;
const FILE_BYTES_MAX: usize = 128 * 1024;
const SYSTEM_TOKENS: u64 = 1_500;
/// The answer of a model: a quarter of the touched text, no more than this for a file, and for all.
const ANSWER_TOKENS_MAX: (u64, u64) = (500, 3_000);

/// What stands for a file that is not worked on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Reference {
    /// Its outline; the full text comes in its place while it is worked on.
    Outline,
    /// Its full text, always.
    Text,
}

impl Reference {
    pub(crate) fn as_str(self) -> &'static str {
        match self {
            Self::Outline => "outline",
            Self::Text => "full text",
        }
    }
}

pub(crate) struct History {
    pub(crate) requests: Vec<Moment>,
    pub(crate) system: Content,
    components: Vec<Vec<TreePath>>,
}

/// One request.
pub(crate) struct Moment {
    pub(crate) items: Vec<Item>,
    commits: u32,
    /// What the commit is about to touch.
    pub(crate) working: BTreeSet<TreePath>,
    /// The working files stand for themselves and not as reference, so what is seen to change is the next request's.
    pub(crate) is_working_apart: bool,
    /// The list of files and the question: never cached.
    pub(crate) tail_tokens: u64,
}

impl Moment {
    pub(crate) fn request<'a>(&'a self, history: &'a History) -> Request<'a> {
        Request { system: history.system, items: &self.items, components: &history.components, commits: self.commits }
    }

    /// Everything but the tail.
    pub(crate) fn tokens(&self, history: &History) -> u64 {
        history.system.tokens + self.items.iter().map(|item| item.content.tokens).sum::<u64>()
    }
}

fn failure(error: impl std::fmt::Display) -> Failure {
    Failure(error.to_string())
}

impl History {
    /// Reads the newest commits of `HEAD` along first parents.
    pub(crate) fn read(path: &Path, reference: Reference) -> Result<Self, Failure> {
        let repo = Repository::open(&Location { directory: path.to_owned(), ..Location::default() }).map_err(failure)?;
        let head = repo.resolve_commit("HEAD").map_err(failure)?;
        let mut commits = repo.first_parents(&head).collect::<Result<Vec<_>, _>>().map_err(failure)?;
        commits.reverse();
        let first = (commits.len() / 4).max(1).max(commits.len().saturating_sub(REQUESTS_MAX));
        let mut reader = Reader { repo: &repo, reference, contents: HashMap::new() };
        let mut history = Self { requests: Vec::new(), system: content(b"system", SYSTEM_TOKENS), components: Vec::new() };
        let mut conversation: Vec<Content> = Vec::new();
        for pair in commits.windows(2).skip(first - 1) {
            let [(parent, before), (commit, after)] = [pair[0], pair[1]];
            if history.requests.len().is_multiple_of(CONVERSATION_REQUESTS) {
                conversation.clear();
            }
            let (mut moment, exchange) = reader.moment((parent, before), (commit, after))?;
            let messages = conversation.iter().enumerate().map(|(number, content)| item(Key::Message(number as u32), *content));
            moment.items.extend(messages);
            conversation.extend(exchange);
            history.requests.push(moment);
        }
        if let Some(first) = history.requests.first() {
            history.components = directories(first);
        }
        Ok(history)
    }
}

/// Without an index of references, files of one directory stand for files that refer to one another.
fn directories(first: &Moment) -> Vec<Vec<TreePath>> {
    let mut directories: BTreeMap<Option<TreePath>, Vec<TreePath>> = BTreeMap::new();
    for path in first.items.iter().filter_map(|item| item.key.path()) {
        directories.entry(path.parent()).or_default().push(path.clone());
    }
    directories.into_values().collect()
}

fn item(key: Key, content: Content) -> Item {
    Item { key, content, touches: git_merkle::tier::Touches::default() }
}

fn content(text: &[u8], tokens: u64) -> Content {
    Content { digest: Digest::of("git-merkle 2026 replay/1", text), tokens }
}

/// A file as reference and in full text.
type Both = (Content, Content);

struct Reader<'a> {
    repo: &'a Repository,
    reference: Reference,
    /// Files that were read before; `None` for what is left out.
    contents: HashMap<(NodeId, Vec<u8>), Option<Both>>,
}

impl Reader<'_> {
    /// The request before a commit, and what was said then.
    fn moment(&mut self, parent: (NodeId, NodeId), commit: (NodeId, NodeId)) -> Result<(Moment, [Content; 2]), Failure> {
        let evidence = Evidence::of_history(self.repo, &parent.0, COMMITS_MAX).map_err(failure)?;
        let touched: BTreeSet<TreePath> = self.files(Some(parent.1), commit.1)?.into_iter().map(|(path, _)| path).collect();
        let (mut items, mut working, mut tree_tokens, mut answer) = (Vec::new(), BTreeSet::new(), 0, 100);
        for (path, id) in self.files(None, parent.1)? {
            tree_tokens += token::estimate(&path.to_text()) + 1;
            let Some((reference, full)) = self.contents(id, &path)? else { continue };
            let (key, content) = if touched.contains(&path) {
                working.insert(path.clone());
                answer += (full.tokens / 4).min(ANSWER_TOKENS_MAX.0);
                (Key::File(path.clone()), full)
            } else if self.reference == Reference::Text {
                (Key::File(path.clone()), full)
            } else {
                (Key::Symbols(path.clone()), reference)
            };
            items.push(Item { key, content, touches: evidence.touches(&path) });
        }
        let mut body = Vec::new();
        self.repo.read(&commit.0, ObjectKind::Commit, &mut body).map_err(failure)?;
        let text = String::from_utf8_lossy(&body);
        let question = token::estimate(text.split_once("\n\n").map_or("", |(_, message)| message)) + 30;
        let said = [content(&body, question), content(&[body.as_slice(), b"answer"].concat(), answer.min(ANSWER_TOKENS_MAX.1))];
        let commits = evidence.commits;
        let is_working_apart = self.reference == Reference::Outline;
        Ok((Moment { items, commits, working, is_working_apart, tail_tokens: tree_tokens + question }, said))
    }

    /// The files in which a tree differs from another, or all of its files, as they are in the new tree or were in the old.
    fn files(&self, old: Option<NodeId>, new: NodeId) -> Result<Vec<(TreePath, NodeId)>, Failure> {
        let mut files = Vec::new();
        diff_trees(self.repo, old, Some(new), &mut |change| {
            let side = change.new.or(change.old);
            files.extend(
                side.filter(|side| matches!(side.0, EntryMode::File | EntryMode::Executable)).map(|side| (change.path, side.1)),
            );
            true
        })
        .map_err(failure)?;
        Ok(files)
    }

    fn contents(&mut self, id: NodeId, path: &TreePath) -> Result<Option<Both>, Failure> {
        let key = (id, path.name().to_vec());
        if let Some(known) = self.contents.get(&key) {
            return Ok(*known);
        }
        let mut data = Vec::new();
        self.repo.read(&id, ObjectKind::Blob, &mut data).map_err(failure)?;
        let known = std::str::from_utf8(&data).ok().filter(|text| text.len() <= FILE_BYTES_MAX && !text.is_empty()).map(|text| {
            let outline = render(&extract(detect(path.name(), &data), &data));
            let named = |text: &str| content(&[path.as_bytes(), b"\0", text.as_bytes()].concat(), token::estimate(text) + 8);
            (named(&outline), named(text))
        });
        self.contents.insert(key, known);
        Ok(known)
    }
}
