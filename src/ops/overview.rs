//! What the default payload of `context` is chosen from: notes, statements from the top, the map, the README, the branch.
//!
//! Outlines are made for the root and its directories that have no statement; below these, only what was said is
//! shown. What was said of the last commit's state of a directory that has changed since is shown as stale.

use std::cell::{Cell, RefCell};
use std::cmp::Reverse;
use std::sync::Arc;

use super::branch;
use super::carried::{Carried, PeopleSay};
use super::earlier::{best_head, head_tree, said_earlier};
use super::files::FilesError;
use super::input::{InputError, PayloadOptions, note, plan_payload};
use super::map::{self, SnapshotSymbols};
use super::outline::outline;
use super::staleness::state_word;
use super::{find, signing};
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{Digest, NodeId, TreePath};
use crate::config::table;
use crate::context::markdown::{code, plain, text};
use crate::context::overview::{CountedPart, MapPart, Overview, Readme, readme_text};
use crate::context::resource::{Note, Part, STALE};
use crate::context::tree::Tree;
use crate::context::{ContextError, Document};
use crate::find::{Ladder, Query, Weights};
use crate::frame::{Frame, NodeKind, Store};
use crate::git::{EntryMode, ObjectKind, Repository};
use crate::node::SnapshotRoot;
use crate::symbol::map::{Detail, FileNumber, SymbolMap};
use crate::sync::Attested;
use crate::view::LocatedNode;
use crate::workspace::{Settings, Workspace};

/// Directories that are looked at, from the top.
const DIRECTORIES_MAX: usize = 2_000;
/// Directories below the root for which an outline is made.
const OUTLINES_MAX: usize = 24;
/// Files that are looked into for a question.
const FOUND_MAX: usize = 2_000;
/// Notes that are gathered.
const NOTES_MAX: usize = 200;

/// The budget of a default payload, and whether it says something about the machine.
pub fn context_settings(settings: &Settings) -> Result<(u64, bool), InputError> {
    let stack = settings.stack();
    let budget = stack.tokens(&table::CONTEXT_BUDGET)?.unwrap_or_default();
    Ok((
        budget,
        stack.boolean(&table::CONTEXT_SYSTEM)?.unwrap_or_default(),
    ))
}

/// Plans the default payload.
pub(super) fn plan_overview<'w>(
    workspace: &'w Workspace,
    options: PayloadOptions<'_>,
    store: &Store<'_>,
    said: &PeopleSay,
) -> Result<Document<'w>, InputError> {
    if let Some(question) = options.question.clone() {
        return plan_found(workspace, &question, options, store, said);
    }
    let root = options.root;
    let found =
        map::symbols(&workspace.repository, &workspace.state, root.tree).map_err(|error| {
            match error {
                FilesError::Scan(error) => InputError::from(ContextError::from(error)),
                FilesError::Object { source, .. } => InputError::History(source),
            }
        })?;
    let files = found.files();
    let map = found.map(&files);
    // A file that declares nothing stands in the structure.
    let says = |number: &FileNumber| map.declares(*number);
    let all: Vec<FileNumber> = files.indices().filter(says).collect();
    let map = |tokens_max: u64| map_part(&map, &all, tokens_max, &found);
    plan_with(
        workspace,
        options,
        store,
        said,
        &MapSource {
            map: &map,
            absent: found.absent.len(),
        },
    )
}

/// A map within any number of tokens, or what a question chose in the place of one.
struct MapSource<'m> {
    map: &'m dyn Fn(u64) -> MapPart,
    /// Files that it says nothing of, as this clone does not hold them.
    absent: usize,
}

/// Plans it around a map.
fn plan_with<'w>(
    workspace: &'w Workspace,
    options: PayloadOptions<'_>,
    store: &Store<'_>,
    said: &PeopleSay,
    source: &MapSource<'_>,
) -> Result<Document<'w>, InputError> {
    let root = options.root;
    let tree = Tree::read(&workspace.repository, workspace.state.shelf(), root.tree)
        .map_err(ContextError::from)?;
    let attested = signing::attested(workspace, store);
    let overview = Overview {
        notes: note_parts(said, &tree, &attested)
            .into_iter()
            .map(CountedPart::from)
            .collect(),
        statements: kept_statements(workspace, store, &tree, &attested)?,
        map: source.map,
        readme: readme(&workspace.repository, &tree),
        branch: branch_lines(workspace, root)?,
        absent: source.absent,
    };
    plan_payload(workspace, options, said, &attested, Some(&overview))
}

/// Plans it around what is found for a question.
fn plan_found<'w>(
    workspace: &'w Workspace,
    question: &Query,
    options: PayloadOptions<'_>,
    store: &Store<'_>,
    said: &PeopleSay,
) -> Result<Document<'w>, InputError> {
    let root = options.root;
    let mut findable = find::findable(
        &workspace.repository,
        &workspace.state,
        root.tree,
        root.history,
    )?;
    find::add_said(workspace, &mut findable, root, store)?;
    let ranking = findable.rank(question, &|_| true, FOUND_MAX, &Weights::default())?;
    let all = ranking.files.len();
    let best = RefCell::new(ranking.best_files(FOUND_MAX));
    let failed = Cell::new(None);
    let part = |tokens_max: u64| {
        let answer = findable.answer(question, &ranking, &mut best.borrow_mut(), tokens_max);
        let ladder = answer.unwrap_or_else(|error| {
            failed.set(Some(error));
            Ladder::default()
        });
        let files = ladder.shown();
        MapPart {
            is_whole: ladder.is_whole && ladder.files.len() == all,
            text: ladder.text,
            files,
            left: (all - files).saturating_sub(best.borrow().without_name()),
            is_found: true,
        }
    };
    let source = MapSource {
        map: &part,
        absent: findable.absent(),
    };
    let planned = plan_with(workspace, options, store, said, &source);
    failed.take().map_or(planned, |error| Err(error.into()))
}

/// The statements about the directories of a tree, on the shelf with all that they depend on.
struct KeptStatements {
    tree: NodeId,
    head: Option<NodeId>,
    store: Option<NodeId>,
    signers: Option<Digest>,
    agents: Digest,
    parts: Arc<Vec<CountedPart>>,
}

/// The best statement about each directory, from the shelf where they are there.
fn kept_statements(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: &Tree,
    attested: &Attested<'_>,
) -> Result<Arc<Vec<CountedPart>>, InputError> {
    let shelf = workspace.state.shelf();
    let (head, agents) = (head_tree(workspace), workspace.agents_digest());
    let fits = |kept: &KeptStatements| {
        (kept.tree, kept.head, kept.store) == (tree.id, head, store.commit())
            && (kept.agents, kept.signers) == (agents, attested.signers())
    };
    if let Some(kept) = shelf.find(fits) {
        return Ok(Arc::clone(&kept.parts));
    }
    let parts = statement_parts(workspace, store, tree, attested)?.into_iter();
    let parts = Arc::new(parts.map(CountedPart::from).collect());
    // Entries that are passed over are told about each time.
    if workspace.skipped.is_empty() {
        let kept = KeptStatements {
            tree: tree.id,
            head,
            store: store.commit(),
            signers: attested.signers(),
            agents,
            parts: Arc::clone(&parts),
        };
        shelf.put(Arc::new(kept), 1);
    }
    Ok(parts)
}

/// The best statement about each directory, from the top.
fn statement_parts(
    workspace: &Workspace,
    store: &Store<'_>,
    tree: &Tree,
    attested: &Attested<'_>,
) -> Result<Vec<Part>, InputError> {
    let counts = tree.file_counts();
    let mut directories = vec![((0, false, Reverse(0)), TreePath::root(), tree.id)];
    let (mut all, mut looked_at) = (tree.all(), 0);
    while let Some(walked) = all.next_path().filter(|_| looked_at < tree.paths_max()) {
        looked_at += 1;
        if walked.entry.mode == EntryMode::Directory {
            // From the top, at each depth the largest first, those of tools last.
            let files = walked
                .entry
                .number()
                .and_then(|number| counts.get(number))
                .copied()
                .unwrap_or_default();
            let is_dot =
                walked.path.starts_with(b".") || walked.path[walked.name_at..].starts_with(b".");
            directories.push((
                (walked.depth + 1, is_dot, Reverse(files)),
                TreePath::new(walked.path),
                walked.entry.id,
            ));
        }
    }
    directories.sort_by(|one, other| (one.0, &one.1).cmp(&(other.0, &other.1)));
    let (mut parts, mut outlines) = (Vec::new(), 0);
    for ((depth, ..), path, node) in directories.into_iter().take(DIRECTORIES_MAX) {
        let said = store.heads(&node).map_err(ContextError::from)?;
        if let Some(head) = best_head(said, false) {
            let state = state_word(workspace, store, tree.id, &head);
            parts.push(part(
                &path,
                NodeKind::Directory,
                "Statement",
                &source(&attested.speaker(&head.frame), state),
                head.frame.content,
            ));
        } else if let Some(head) = said_earlier(workspace, store, tree.id, &path) {
            parts.push(part(
                &path,
                NodeKind::Directory,
                "Statement",
                &source(&attested.speaker(&head.frame), STALE),
                head.frame.content,
            ));
        } else if depth < 2 && outlines <= OUTLINES_MAX {
            outlines += 1;
            let place = LocatedNode {
                id: node,
                kind: NodeKind::Directory,
                found_in: Some((tree.id, path.clone())),
            };
            // What cannot be outlined is in the structure and the map all the same.
            if let Ok(content) = outline(workspace, &place) {
                let source = source("agent outline, made by a fixed rule", "fresh");
                let kind = NodeKind::Directory;
                parts.push(part(&path, kind, "Statement", &source, content));
            }
        }
    }
    Ok(parts)
}

fn readme(repo: &Repository, tree: &Tree) -> Option<Readme> {
    let name = tree.readme()?;
    let found = tree.find(&TreePath::new(name))?;
    let mut data = Vec::new();
    repo.read_at_most(&found.id, ObjectKind::Blob, FILE_BYTES_MAX, &mut data)
        .ok()?;
    let (first, whole) = readme_text(&String::from_utf8(data).ok()?);
    (!first.is_empty()).then(|| Readme {
        name: plain(name),
        first,
        whole,
    })
}

/// The snapshot's own line and those about the branch.
fn branch_lines(workspace: &Workspace, root: &SnapshotRoot) -> Result<Vec<String>, InputError> {
    branch::branch(workspace, root).map_err(InputError::History)
}

/// What people said about files and directories, in the order of paths.
fn note_parts(said: &PeopleSay, tree: &Tree, attested: &Attested<'_>) -> Vec<Part> {
    if said.standing.is_empty() {
        return Vec::new();
    }
    let mut nodes = vec![(TreePath::root(), tree.id)];
    let (mut all, mut looked_at) = (tree.all(), 0);
    while let Some(walked) = all.next_path().filter(|_| looked_at < tree.paths_max()) {
        looked_at += 1;
        let path = TreePath::new(walked.path);
        if said.standing.contains_key(&walked.entry.id) || said.carried.contains_key(&path) {
            nodes.push((path, walked.entry.id));
        }
    }
    let notes = nodes.iter().flat_map(|(path, node)| {
        said.notes(node, path.as_bytes())
            .map(move |note| (path, note))
    });
    let part = |(path, said): (&TreePath, (&Frame, Option<&Carried>))| {
        let (
            kind,
            Note {
                speaker,
                state,
                text,
                ..
            },
        ) = (said.0.kind, note(said.0, path.as_bytes(), said.1, attested));
        part(path, kind, "Note", &source(&speaker, &state), text)
    };
    notes.take(NOTES_MAX).map(part).collect()
}

/// Who says something, and whether it still holds.
fn source(speaker: &str, state: &str) -> String {
    format!("{}; {state}", text(speaker.as_bytes()))
}

fn part(
    path: &TreePath,
    kind: NodeKind,
    what: &str,
    source: &str,
    content: impl Into<Arc<str>>,
) -> Part {
    let name = match (path.is_root(), kind) {
        (true, _) => "./".to_owned(),
        (_, NodeKind::Directory) => format!("{}/", plain(path.as_bytes())),
        (_, NodeKind::File) => plain(path.as_bytes()),
    };
    let about = if path.is_root() {
        "the root directory".to_owned()
    } else {
        code(&name)
    };
    let title = format!("**{what}** about {about} by {source}.");
    Part {
        name,
        title,
        language: "markdown",
        text: content.into(),
    }
}

fn map_part(
    map: &SymbolMap<'_>,
    all: &[FileNumber],
    tokens_max: u64,
    found: &SnapshotSymbols,
) -> MapPart {
    let chosen = map.within(all, tokens_max, Detail::PRINTED);
    let is_whole = chosen.is_whole && !found.is_cut;
    MapPart {
        text: chosen.text,
        files: chosen.files.len(),
        left: chosen.left,
        is_whole,
        is_found: false,
    }
}
