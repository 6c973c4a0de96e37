//! Resources: what the entries of all lists stand for, each once, in the order in which it was first named.
//!
//! A file is known by its path, a page by its URL, a path of another tree by that tree and the path, a frame by its node's path, agent
//! and type, anything that cannot be had by what was written. Only trees are read here, and the heads of frames; no
//! file's content.

mod frame;

use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use super::pages::{Shown, Wanted};
use super::pattern::Pattern;
use super::people::{DIRECTORY, PeopleFiles};
use super::scope::{List, NESTING_MAX, Scope, ScopeSet};
use super::tree::{PathEntry, Tree, WalkedPath};
use super::{markdown, pattern};
use crate::base::printable::chain;
use crate::base::{AgentId, FrameType, NodeId, NodeKind, Shelf, TreePath};
use crate::frame::{Head, Store};
use crate::git::{EntryMode, ObjectKind, Repository};
use crate::node::{IgnoreRules, Snapshot, looks_like_secret};
use crate::page::link;
use crate::view::LocatedNode;

/// The most resources of one document.
pub const RESOURCES_MAX: usize = 500_000;
/// The most revisions that the lists of one document may name; each costs a walk.
pub const REVISIONS_MAX: usize = 100;

const NO_MATCH: &str = "matches nothing in the snapshot";

/// Something that the document shows, or says why not.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Resource {
    /// The name under which it is shown: a path, `dir/`, `<rev>:<path>`, `frame:…`, or what was written.
    pub name: Vec<u8>,
    /// What it is.
    pub body: Body,
    /// The scopes that name it.
    pub scopes: ScopeSet,
    /// Whether the frame that is shown of it still holds; `None` when that was not looked up.
    pub state: Option<&'static str>,
    /// What people said about it besides.
    pub notes: Vec<Note>,
}

/// What stands behind a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Body {
    /// A file's content.
    File(NodeId),
    /// A symbolic link, which is not followed.
    Symlink(NodeId),
    /// A submodule's commit, which is not entered.
    Submodule(NodeId),
    /// A head frame.
    Frame(NodeId, AgentId, FrameType),
    /// An outline of a node that has no frame, made for this document.
    Outline(Arc<str>),
    /// A page of the web.
    Page(Shown),
    /// A part of the default payload.
    Part(Part),
    /// Nothing, for this reason.
    Refused(String),
}

/// A text that was put together for the document, under a line of its own.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Part {
    /// How a message names it.
    pub name: String,
    /// The line above it, as Markdown.
    pub title: String,
    /// The language of its fence.
    pub language: &'static str,
    /// The text.
    pub text: Arc<str>,
}

/// What a person said about a resource.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Note {
    /// The frame's node, agent and type.
    pub slot: (NodeId, AgentId, FrameType),
    /// Who, in words.
    pub speaker: String,
    /// Whether it still holds, or what it is carried from, as Markdown.
    pub state: String,
    /// The words.
    pub text: Arc<str>,
}

impl Resource {
    /// The last name of its path, without revision and directories.
    #[must_use]
    pub fn file_name(&self) -> &[u8] {
        self.name
            .rsplit(|byte| matches!(byte, b'/' | b':'))
            .next()
            .unwrap_or_default()
    }

    /// The slot of the frame that it is; `None` for anything else.
    pub(super) fn slot(&self) -> Option<(NodeId, AgentId, FrameType)> {
        let Body::Frame(node, agent, frame_type) = &self.body else {
            return None;
        };
        Some((*node, agent.clone(), frame_type.clone()))
    }

    /// How git knows it, for a message about its name.
    pub(super) fn object(&self) -> String {
        match &self.body {
            Body::File(id) | Body::Symlink(id) | Body::Submodule(id) | Body::Frame(id, ..) => {
                id.to_string()
            }
            Body::Page(_) | Body::Part(_) | Body::Outline(_) | Body::Refused(_) => {
                "an entry of a context list".to_owned()
            }
        }
    }

    /// The target of a link to it.
    #[must_use]
    pub fn target(&self) -> String {
        let is_path = match self.body {
            Body::File(_) | Body::Symlink(_) | Body::Submodule(_) => true,
            Body::Frame(..) | Body::Outline(_) => self.name.ends_with(b"/"),
            Body::Page(_) | Body::Part(_) => false,
            Body::Refused(_) => Pattern::parse(&self.name).is_ok(),
        };
        if is_path && !self.name.contains(&b':') {
            markdown::path_target(&self.name)
        } else {
            markdown::target(&self.name)
        }
    }
}

/// Makes the outline of a node that has no frame: nothing is stored. An error is the reason in words.
pub type OutlineSource<'s> = &'s dyn Fn(&LocatedNode) -> Result<String, String>;

/// Finds what was said of what the last commit has at a path, where something else stands there now.
pub type EarlierSource<'s> = &'s dyn Fn(&TreePath) -> Option<Head>;
/// The state of a statement about what the last commit has.
pub const STALE: &str = "stale, it is about what the last commit has here";

/// Turns lists into resources.
pub struct Resolver<'r> {
    repo: &'r Repository,
    store: &'r Store<'r>,
    people: &'r PeopleFiles<'r>,
    outlines: OutlineSource<'r>,
    earlier: EarlierSource<'r>,
    /// The type whose heads are added to every file and directory.
    frames: Option<FrameType>,
    /// The snapshot.
    tree: Rc<Tree>,
    /// The root trees of revisions that were named, or why there are none.
    revisions: HashMap<String, Result<NodeId, String>>,
    /// The tree that was used last besides the snapshot: lists name several paths of one revision in a row.
    other: Option<Rc<Tree>>,
    places: HashMap<Vec<u8>, usize>,
    resources: Vec<Resource>,
    is_full: bool,
    /// Pages among the resources.
    wanted: Vec<Wanted>,
    /// True while a list is read that the user says now.
    is_personal: bool,
}

/// A tree, and what stands before its paths in the names of its resources: nothing for the snapshot.
struct At {
    tree: Rc<Tree>,
    prefix: Vec<u8>,
}

/// Where a resolver gets what stands in no file.
#[derive(Clone, Copy)]
pub struct Sources<'r> {
    /// Outlines of nodes without a frame.
    pub outlines: OutlineSource<'r>,
    /// What was said about earlier contents.
    pub earlier: EarlierSource<'r>,
}

impl<'r> Resolver<'r> {
    /// Starts with no resources.
    #[must_use]
    pub fn new(
        store: &'r Store<'r>,
        people: &'r PeopleFiles<'r>,
        tree: Tree,
        frames: Option<FrameType>,
        sources: Sources<'r>,
    ) -> Self {
        let Sources { outlines, earlier } = sources;
        Self {
            repo: store.repository(),
            store,
            people,
            outlines,
            earlier,
            frames,
            tree: Rc::new(tree),
            revisions: HashMap::new(),
            other: None,
            places: HashMap::new(),
            resources: Vec::new(),
            is_full: false,
            wanted: Vec::new(),
            is_personal: false,
        }
    }

    /// Adds what the lists name.
    pub fn add_lists(&mut self, lists: &[List]) {
        for list in lists {
            let mut above = vec![
                Pattern::parse(list.name.as_bytes())
                    .map_or_else(|_| TreePath::root(), |pattern| pattern.path),
            ];
            self.add_list(list, &mut above);
        }
    }

    /// True when no list named anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.resources.is_empty()
    }

    /// All resources, those that are pages, and the tree of the snapshot for the section that shows it.
    #[must_use]
    pub fn finish(self) -> (Vec<Resource>, Vec<Wanted>, Rc<Tree>) {
        (self.resources, self.wanted, self.tree)
    }

    /// Adds what is shown where nothing is named and little is wanted: the root directory's head frame and the README.
    pub fn add_defaults(&mut self) {
        self.add_entry(Scope::Global, b"./", &mut Vec::new());
        if let Some(readme) = self.tree.readme().map(<[u8]>::to_vec) {
            self.add_entry(Scope::Global, &readme, &mut Vec::new());
        }
    }

    fn add_list(&mut self, list: &List, above: &mut Vec<TreePath>) {
        for entry in &list.entries {
            // A list that this one names may have been read in between.
            self.is_personal = list.is_personal;
            self.add_entry(list.scope, entry, above);
        }
        if let Some(fault) = &list.fault {
            self.refuse(list.scope, list.name.as_bytes(), fault.clone());
        }
    }

    /// Adds what one entry stands for. `above` are the lists that are being read, outermost first.
    fn add_entry(&mut self, scope: Scope, entry: &[u8], above: &mut Vec<TreePath>) {
        if pattern::is_url(entry) {
            return self.add_page(scope, entry);
        }
        if let Some(frame) = entry.strip_prefix(b"frame:") {
            return self.add_frame_entry(scope, entry, frame);
        }
        let parsed = match Pattern::parse(entry) {
            Ok(parsed) => parsed,
            Err(refusal) => return self.refuse(scope, entry, refusal.to_string()),
        };
        if parsed.path.as_bytes().ends_with(b".context") {
            return self.add_nested(scope, &parsed.path, above);
        }
        if self.tree.find(&parsed.path).is_none()
            && let Some((revision, path)) = pattern::parse_revision(entry)
        {
            return self.add_revision(scope, entry, revision, path);
        }
        let at = At {
            tree: Rc::clone(&self.tree),
            prefix: Vec::new(),
        };
        self.add_pattern(scope, entry, &parsed, &at);
    }

    fn add_page(&mut self, scope: Scope, entry: &[u8]) {
        let url = match link::parse(entry) {
            Ok(url) => url,
            Err(error) => return self.refuse(scope, entry, format!("failed URL: {error}")),
        };
        let known = self.resources.len();
        let key = [b"u", url.as_str().as_bytes()].concat();
        self.add(
            scope,
            key.clone(),
            || entry.to_vec(),
            Body::Refused("not fetched".to_owned()),
        );
        let Some(at) = self.places.get(&key).copied() else {
            return;
        };
        if at == known && !self.is_full {
            self.wanted.push(Wanted {
                url: url.into(),
                is_personal: self.is_personal,
                at,
            });
        } else if let Some(wanted) = self.wanted.iter_mut().find(|wanted| wanted.at == at) {
            wanted.is_personal |= self.is_personal;
        }
    }

    fn add_revision(&mut self, scope: Scope, entry: &[u8], revision: &str, path: &[u8]) {
        let parsed = match Pattern::parse(path) {
            Ok(parsed) => parsed,
            Err(refusal) => return self.refuse(scope, entry, refusal.to_string()),
        };
        match self.tree_of(revision) {
            // Another way to write a path of the snapshot.
            Ok(tree) if tree.id == self.tree.id => self.add_pattern(
                scope,
                path,
                &parsed,
                &At {
                    tree,
                    prefix: Vec::new(),
                },
            ),
            Ok(tree) => {
                let prefix = format!("{revision}:").into_bytes();
                self.add_pattern(scope, entry, &parsed, &At { tree, prefix });
            }
            Err(reason) => self.refuse(scope, entry, reason),
        }
    }

    /// The tree of a revision.
    fn tree_of(&mut self, revision: &str) -> Result<Rc<Tree>, String> {
        let id = self.root_of(revision)?;
        if let Some(known) = [Some(&self.tree), self.other.as_ref()]
            .into_iter()
            .flatten()
            .find(|tree| tree.id == id)
        {
            return Ok(Rc::clone(known));
        }
        let tree = Tree::read(self.repo, &Shelf::default(), id)
            .map_err(|error| format!("unreadable: {}", chain(&error)))?;
        Ok(Rc::clone(self.other.insert(Rc::new(tree))))
    }

    /// The id of a revision's root directory; git is asked once about each, and about no more than a few.
    fn root_of(&mut self, revision: &str) -> Result<NodeId, String> {
        if !self.revisions.contains_key(revision) && self.revisions.len() == REVISIONS_MAX {
            return Err(format!(
                "the lists name more than {REVISIONS_MAX} revisions"
            ));
        }
        let repo = self.repo;
        let ask = || match Snapshot::Revision(revision.to_owned()).root(repo) {
            Ok(root) => Ok(root.tree),
            Err(error) => Err(format!("no such file, and {}", chain(&error))),
        };
        self.revisions
            .entry(revision.to_owned())
            .or_insert_with(ask)
            .clone()
    }

    /// Adds what a path or glob stands for in a tree.
    fn add_pattern(&mut self, scope: Scope, entry: &[u8], pattern: &Pattern, at: &At) {
        match at.tree.find(&pattern.path) {
            Some(found) if found.mode == EntryMode::Directory => {
                self.add_directory(scope, &pattern.path, found, at);
            }
            Some(_) if pattern.is_directory => {
                self.refuse(scope, entry, "not a directory".to_owned());
            }
            Some(found) => self.add_file(scope, pattern.path.as_bytes(), found, at),
            None if pattern.is_glob() => self.add_glob(scope, entry, pattern, at),
            None => {
                let is_there = self
                    .repo
                    .find_entry(&at.tree.id, pattern.path.as_bytes())
                    .is_ok_and(|found| found.is_some());
                let reason = if is_there {
                    "left out by .teddyignore"
                } else {
                    "no such file in the snapshot"
                };
                self.refuse(scope, entry, reason.to_owned());
            }
        }
    }

    fn add_glob(&mut self, scope: Scope, entry: &[u8], pattern: &Pattern, at: &At) {
        let base = pattern.base();
        let mut rules = IgnoreRules::default();
        if !pattern.path.as_bytes().contains(&b'\n') {
            let _ = rules.push(TreePath::root(), &[b"/", pattern.path.as_bytes()].concat());
        }
        let wants = |path: &[u8], is_directory: bool| {
            is_directory == pattern.is_directory
                && (pattern.is_all_below()
                    || rules.matched(&TreePath::new(path), is_directory) == Some(true))
        };
        let Some(directory) = at.tree.find(&base) else {
            return self.refuse(scope, entry, NO_MATCH.to_owned());
        };
        let mut below = at.tree.below(&base, directory);
        let (mut matches, mut met) = (0, 0);
        while let Some(WalkedPath {
            path, entry: found, ..
        }) = below.next_path()
        {
            met += 1;
            let paths_max = at.tree.paths_max();
            if met > paths_max || self.is_full {
                return self.refuse(
                    scope,
                    entry,
                    format!("only the first {paths_max} paths were looked at"),
                );
            }
            if !wants(path, found.mode == EntryMode::Directory) {
                continue;
            }
            matches += 1;
            if found.mode == EntryMode::Directory {
                self.add_directory(scope, &TreePath::new(path), found, at);
            } else {
                self.add_file(scope, path, found, at);
            }
        }
        if matches == 0 {
            self.refuse(scope, entry, NO_MATCH.to_owned());
        }
    }

    fn add_file(&mut self, scope: Scope, path: &[u8], entry: PathEntry, at: &At) {
        let body = match entry.mode {
            EntryMode::Symlink => Body::Symlink(entry.id),
            EntryMode::Submodule => Body::Submodule(entry.id),
            _ => Body::File(entry.id),
        };
        let is_file = matches!(body, Body::File(_));
        self.add(
            scope,
            key(b'p', &at.tree.id, path),
            || [&at.prefix, path].concat(),
            body,
        );
        if is_file {
            self.add_heads(scope, path, entry.id, at);
        }
    }

    /// Adds a directory's head frame, and the heads of the type that is added to everything.
    fn add_directory(&mut self, scope: Scope, path: &TreePath, entry: PathEntry, at: &At) {
        let shown = if path.is_root() {
            b".".as_slice()
        } else {
            path.as_bytes()
        };
        let name = [&at.prefix, shown, b"/"].concat();
        let place = LocatedNode {
            id: entry.id,
            kind: NodeKind::Directory,
            found_in: Some((at.tree.id, path.clone())),
        };
        self.add_frame(scope, name, &place, None);
        self.add_heads(scope, path.as_bytes(), entry.id, at);
    }

    fn add_heads(&mut self, scope: Scope, path: &[u8], node: NodeId, at: &At) {
        let Some(wanted) = self.frames.clone() else {
            return;
        };
        let heads = match self.store.heads(&node) {
            Ok(heads) => heads,
            Err(error) => {
                let name = [b"frame:", at.prefix.as_slice(), path].concat();
                return self.refuse(scope, &name, format!("unreadable: {}", chain(&error)));
            }
        };
        for head in heads {
            let (agent, frame_type) = (head.frame.agent, head.frame.frame_type);
            if frame_type == wanted && !head.invalidated {
                let key = frame_key(&at.tree.id, path, &agent, &frame_type);
                let slot = format!("@{agent}.{frame_type}");
                let name = [b"frame:", at.prefix.as_slice(), path, slot.as_bytes()].concat();
                self.add(scope, key, || name, Body::Frame(node, agent, frame_type));
            }
        }
    }

    fn add_nested(&mut self, scope: Scope, path: &TreePath, above: &mut Vec<TreePath>) {
        let name = path.as_bytes();
        if above.contains(path) {
            return self.refuse(
                scope,
                name,
                "this list names itself, directly or through others; not followed again".to_owned(),
            );
        }
        if above.len() > NESTING_MAX {
            return self.refuse(
                scope,
                name,
                format!("lists are nested deeper than {NESTING_MAX} levels"),
            );
        }
        // A list says the same at each mention; following it once for each scope is enough.
        if self
            .places
            .insert([b"l", &[scope as u8][..], name].concat(), usize::MAX)
            .is_some()
        {
            return;
        }
        match self.read_list(path) {
            Ok(text) => {
                above.push(path.clone());
                self.add_list(&List::parse(scope, path.to_text(), &text), above);
                above.pop();
            }
            Err(reason) => self.refuse(scope, name, reason),
        }
    }

    /// Reads a list that a list names: people's files from the work tree, all others from the snapshot.
    fn read_list(&mut self, path: &TreePath) -> Result<Vec<u8>, String> {
        if path.names().next() == Some(DIRECTORY) {
            return self
                .people
                .read(path)?
                .ok_or_else(|| "no such list".to_owned());
        }
        let found = self
            .tree
            .find(path)
            .ok_or_else(|| "no such list in the snapshot".to_owned())?;
        if !found.mode.is_file() {
            return Err("not a file".to_owned());
        }
        let header = self.repo.header(&found.id).map_err(|error| chain(&error))?;
        if header.is_some_and(|header| header.size_bytes > crate::base::limit::FILE_BYTES_MAX) {
            return Err("this list is too large".to_owned());
        }
        let mut text = Vec::new();
        self.repo
            .read(&found.id, ObjectKind::Blob, &mut text)
            .map_err(|error| chain(&error))?;
        Ok(text)
    }

    fn refuse(&mut self, scope: Scope, entry: &[u8], reason: String) {
        self.add(
            scope,
            [b"r", entry].concat(),
            || entry.to_vec(),
            Body::Refused(reason),
        );
    }

    /// Adds a resource, or a scope to one that is there.
    fn add(&mut self, scope: Scope, key: Vec<u8>, name: impl FnOnce() -> Vec<u8>, body: Body) {
        if let Some(at) = self.places.get(&key) {
            return self.resources[*at].scopes.insert(scope);
        }
        if self.is_full {
            return;
        }
        let (name, body) = if self.resources.len() + 1 < RESOURCES_MAX {
            (name(), body)
        } else {
            self.is_full = true;
            (
                b"**".to_vec(),
                Body::Refused(format!(
                    "the lists name more than {RESOURCES_MAX} resources; the rest is left out"
                )),
            )
        };
        let mut scopes = ScopeSet::default();
        scopes.insert(scope);
        self.places.insert(key, self.resources.len());
        self.resources.push(Resource {
            name,
            body,
            scopes,
            state: None,
            notes: Vec::new(),
        });
    }
}

/// The place of an entry of a tree; an error in words for what has no frames.
fn place_of(
    mode: EntryMode,
    id: NodeId,
    tree: NodeId,
    path: TreePath,
) -> Result<LocatedNode, String> {
    let kind = mode
        .node_kind()
        .ok_or("a symbolic link or submodule has no frame")?;
    Ok(LocatedNode {
        id,
        kind,
        found_in: Some((tree, path)),
    })
}

/// Which of a node's heads to show when none is named, smallest first; see [`Resolver`]'s `frame_of`.
#[must_use]
pub fn weight(head: &Head) -> (bool, u8) {
    let by_type = match head.frame.frame_type.as_str() {
        "summary" => 0,
        "outline" => 2,
        _ => 1,
    };
    (head.invalidated, by_type)
}

/// Files among the resources whose names look like those of secrets.
pub fn secrets(resources: &[Resource]) -> impl Iterator<Item = &[u8]> {
    let is_secret = |resource: &&Resource| {
        matches!(resource.body, Body::File(_)) && looks_like_secret(resource.file_name())
    };
    resources
        .iter()
        .filter(is_secret)
        .map(|resource| resource.name.as_slice())
}

fn key(tag: u8, tree: &NodeId, path: &[u8]) -> Vec<u8> {
    [&[tag], tree.as_bytes(), path].concat()
}

fn frame_key(tree: &NodeId, path: &[u8], agent: &AgentId, frame_type: &FrameType) -> Vec<u8> {
    let slot = format!("\0{agent}.{frame_type}");
    [key(b'f', tree, path).as_slice(), slot.as_bytes()].concat()
}
