//! What is known on both sides of a branch, as two commits: each file and directory of which they know different things is a
//! Markdown file, so that any view of two commits (stock git's, a forge's) shows what the branch changes in it.
//!
//! | in the source | in the commits |
//! |---|---|
//! | the file `src/lib.rs` | `src/lib.rs.md` |
//! | the directory `src` | `src/_.md` |
//!
//! Where such a name is taken, `_` is put before `.md` until it is free. The commits depend on the two sides, on their times and
//! on what the store says of them, so every clone with the same statements makes the same two.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fmt::Write as _;

use super::refresh::{self, Refresh, RefreshError};
use super::touched::{Touch, TouchedNode, touches};
use crate::agent::{Agent, AgentError, OUTLINE};
use crate::base::NodeId;
use crate::base::cores::on_all_cores;
use crate::base::path::quote;
use crate::frame::{BasisKind, Head, Store, StoreError};
use crate::git::{
    Batch, Encoded, EntryMode, Expected, HashKind, ObjectError, ObjectKind, RefError, Repository,
    TreeEntry, WriteError, commit_body,
};
use crate::node::NodeNumber;
use crate::regen::Runner;
use crate::secret::{Allowed, Scanner, redact};
use crate::workspace::Workspace;

/// Where the head of such a pair is kept.
pub const RENDER_REFS: &str = "refs/merkle/render/";

/// Author and committer of both commits.
const AUTHOR: [&str; 2] = ["git merkle", "git-merkle@localhost"];

/// Why the commits cannot be made.
#[derive(Debug, thiserror::Error)]
pub enum RenderError {
    /// A tree or a commit cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The store cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
    /// The outline builder is not there.
    #[error(transparent)]
    Agent(#[from] AgentError),
    /// Outlines cannot be planned.
    #[error(transparent)]
    Refresh(#[from] RefreshError),
    /// The commits cannot be written.
    #[error(transparent)]
    Write(#[from] WriteError),
    /// The ref cannot be moved.
    #[error(transparent)]
    Ref(#[from] RefError),
}

/// Two commits that are written.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RenderedCommits {
    /// What was known.
    pub base: NodeId,
    /// What is known; a child of the other.
    pub head: NodeId,
    /// The ref that keeps both.
    pub name: String,
    /// How many files differ between them.
    pub files: usize,
}

/// Writes the commits for what differs between two commits of the source; `None` where nothing that is known does.
pub fn render_commits(
    workspace: &Workspace,
    store: &Store<'_>,
    sources: [NodeId; 2],
) -> Result<Option<RenderedCommits>, RenderError> {
    let repo = &workspace.repository;
    let [old, new] = [repo.log_entry(&sources[0])?, repo.log_entry(&sources[1])?];
    let touches = touches(workspace, old.tree, new.tree)?;
    let before = texts(workspace, store, old.tree, &touches, |touch| touch.old)?;
    let after = texts(workspace, store, new.tree, &touches, |touch| touch.new)?;
    let differs = |at: &usize| before[*at] != after[*at];
    let differing: Vec<usize> = (0..touches.len()).filter(differs).collect();
    if differing.is_empty() {
        return Ok(None);
    }
    let names = names(&touches, &differing);
    let (mut batch, mut commits) = (Batch::default(), Vec::new());
    let sides = [
        (&before, sources[0], old.seconds),
        (&after, sources[1], new.seconds),
    ];
    for (texts, source, seconds) in sides {
        let texts = differing.iter().map(|at| texts[*at].as_deref());
        let files = add_files(&mut batch, repo.hash_kind(), names.iter().zip(texts));
        let tree = add_trees(&mut batch, repo.hash_kind(), files);
        let message = format!("What is known at {}\n\n{source}", source.short());
        let body = commit_body(&tree, &commits, AUTHOR, &message, seconds);
        let commit = Encoded::new(repo.hash_kind(), ObjectKind::Commit, &body);
        commits.push(commit.id);
        batch.add(commit);
    }
    let name = format!("{RENDER_REFS}{}-{}", sources[0], sources[1]);
    let _held = repo.write(&batch)?;
    let current = repo.find_ref(&name)?;
    if current != Some(commits[1]) {
        let expected = current.map_or(Expected::Absent, Expected::At);
        repo.update_ref(&name, &commits[1], expected)?;
    }
    Ok(Some(RenderedCommits {
        base: commits[0],
        head: commits[1],
        name,
        files: differing.len(),
    }))
}

/// What is known of one side of each path, as Markdown; `None` for what is not there, or of which nothing is known.
fn texts(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    touches: &[Touch],
    side: fn(&Touch) -> Option<TouchedNode>,
) -> Result<Vec<Option<String>>, RenderError> {
    let nodes: BTreeSet<NodeId> = touches
        .iter()
        .filter_map(|touch| side(touch).map(|node| node.id))
        .collect();
    let nodes: Vec<NodeId> = nodes.into_iter().collect();
    let outlines = outlines(workspace, store, tree, &nodes)?;
    let store = store.state();
    let text_of = |repo: &Repository, at: usize| {
        let mut text = statements(&store.open(repo), &nodes[at])?;
        if let Some(outline) = outlines.get(&nodes[at]) {
            add_section(&mut text, "Outline", outline);
        }
        Ok::<_, StoreError>(text)
    };
    let repo = &workspace.repository;
    let texts = on_all_cores(nodes.len(), repo, || repo.fork(), text_of);
    let known = nodes.iter().zip(texts);
    let known = known.map(|(node, text)| Ok((*node, text?)));
    let known: HashMap<NodeId, String> = known.collect::<Result<_, StoreError>>()?;
    let text = |touch: &Touch| {
        let known = known.get(&side(touch)?.id)?;
        let title = if touch.path.is_root() {
            ".".to_owned()
        } else {
            quote(touch.path.as_bytes(), false)
        };
        (!known.is_empty()).then(|| format!("# {title}\n{known}"))
    };
    Ok(touches.iter().map(text).collect())
}

/// What the outline builder says of some nodes of a tree: the store's frames, else made now and stored nowhere.
fn outlines(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: NodeId,
    nodes: &[NodeId],
) -> Result<HashMap<NodeId, String>, RenderError> {
    let agents = workspace.agents();
    let agent: &Agent = agents.get(OUTLINE)?;
    let mut planned = refresh::plan_tree(workspace, store, tree, agent)?;
    let request = Refresh::of(agent);
    let inputs = refresh::inputs(&request, &planned.root, &planned.outlines);
    let runner = Runner {
        repo: &workspace.repository,
        state: &workspace.state,
        scan: &planned.scan,
        inputs: &inputs,
    };
    // What is ignored has no number in the scan.
    let numbers: Vec<NodeNumber> = nodes
        .iter()
        .filter_map(|node| planned.scan.find(node))
        .collect();
    let bodies = runner.bodies(planned.plan, &mut planned.index, &numbers);
    let named = numbers.iter().zip(bodies);
    Ok(named
        .filter_map(|(number, body)| Some((planned.scan.node(*number).id, body.ok()?.to_string())))
        .collect())
}

/// What people and models say of a node, each with its author.
fn statements(store: &Store<'_>, node: &NodeId) -> Result<String, StoreError> {
    let is_told = |head: &Head| !head.invalidated && head.frame.basis_kind != BasisKind::Written;
    let mut entries = store.entries(node)?;
    let people = store.voices_of(&entries).heads.into_iter();
    entries.retain(|entry| entry.name.agent.as_str() != OUTLINE);
    let others = store.heads_of(&entries).into_iter().filter(is_told);
    let mut text = String::new();
    for Head { frame, .. } in people.chain(others) {
        let title = format!("{} ({})", frame.frame_type, frame.speaker());
        add_section(&mut text, &title, &frame.content);
    }
    Ok(text)
}

fn add_section(text: &mut String, title: &str, content: &str) {
    // A statement may hold what its store's rules did not know as a secret, and these commits are made to be pushed.
    let content = redact(content, Scanner::built_in(), &Allowed::default()).text;
    let _ = write!(text, "\n## {title}\n\n{}\n", content.trim_end());
}

/// The path of each file in the commits, the same on both sides.
fn names(touches: &[Touch], differing: &[usize]) -> Vec<Vec<u8>> {
    // No file may stand where a directory has to.
    let mut taken: HashSet<Vec<u8>> = HashSet::new();
    for touch in differing.iter().map(|at| &touches[*at]) {
        let own = touch.is_directory().then(|| touch.path.clone());
        let mut above = own.or_else(|| touch.path.parent());
        while let Some(directory) = above.filter(|above| !above.is_root()) {
            above = directory.parent();
            if !taken.insert(directory.as_bytes().to_vec()) {
                break;
            }
        }
    }
    let mut name = |at: &usize| {
        let touch = &touches[*at];
        let mut name = touch.path.as_bytes().to_vec();
        if touch.is_directory() {
            if !touch.path.is_root() {
                name.push(b'/');
            }
            name.push(b'_');
        }
        while !taken.insert([&name[..], b".md"].concat()) {
            name.push(b'_');
        }
        [&name[..], b".md"].concat()
    };
    differing.iter().map(&mut name).collect()
}

/// Adds the blobs of the files that are there, and gives their paths.
fn add_files<'f>(
    batch: &mut Batch,
    hash: HashKind,
    files: impl Iterator<Item = (&'f Vec<u8>, Option<&'f str>)>,
) -> BTreeMap<&'f [u8], NodeId> {
    let mut added = BTreeMap::new();
    for (path, text) in files {
        if let Some(text) = text {
            let blob = Encoded::new(hash, ObjectKind::Blob, text.as_bytes());
            added.insert(path.as_slice(), blob.id);
            batch.add(blob);
        }
    }
    added
}

/// Adds the trees that hold the files, the deepest first; the id is that of the root.
fn add_trees(batch: &mut Batch, hash: HashKind, files: BTreeMap<&[u8], NodeId>) -> NodeId {
    let mut directories: BTreeMap<(Reverse<usize>, &[u8]), Vec<TreeEntry<'_>>> = BTreeMap::new();
    let entry = |name, mode, id| TreeEntry { mode, name, id };
    let place = |path: &'_ [u8]| match path.iter().rposition(|byte| *byte == b'/') {
        Some(at) => (at, at + 1),
        None => (0, 0),
    };
    let depth = |path: &[u8]| {
        let names = path.split(|byte| *byte == b'/');
        Reverse(names.filter(|name| !name.is_empty()).count())
    };
    for (path, id) in files {
        let (end, from) = place(path);
        let above = &path[..end];
        let entries = directories.entry((depth(above), above)).or_default();
        entries.push(entry(&path[from..], EntryMode::File, id));
    }
    loop {
        let Some(((_, path), entries)) = directories.pop_first() else {
            return batch.add_tree(hash, Vec::new());
        };
        let id = batch.add_tree(hash, entries);
        if path.is_empty() {
            return id;
        }
        let (end, from) = place(path);
        let above = &path[..end];
        let entries = directories.entry((depth(above), above)).or_default();
        entries.push(entry(&path[from..], EntryMode::Directory, id));
    }
}
