//! Builds the world of a turn: the one place where it is put together from the repository, the session and the user.
//!
//! Full texts are what the context lists name; every other file is there as its symbols, as many as fit, and the map of the
//! last request stays as far as that is true and fits; the list of all files is whole, or folded by directories where it would
//! take too much. Where the map leaves files out, what `find` chooses for the request stands beside it. Nothing is written
//! but caches.

use std::collections::BTreeSet;
use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt as _;
use std::path::Path;

use super::conversation::{EarlierMessages, said_again};
use super::task::Task;
use super::turn_error::TurnError;
use super::world::{Reference, World, content};
use super::{SessionFolder, SessionRecord, TurnNumber, TurnRecord, open, tiers};
use crate::base::count::counted;
use crate::base::limit::FILE_BYTES_MAX;
use crate::base::{NodeId, TreePath, token};
use crate::chat::Image;
use crate::config::table;
use crate::context::resource::Body;
use crate::context::tree::Tree;
use crate::context::{Document, List, Markup, Scope};
use crate::find::{Ladder, Query, Weights};
use crate::frame::Store;
use crate::git::{EntryMode, ObjectError, ObjectKind, Repository};
use crate::node::{Snapshot, SnapshotRoot};
use crate::ops::evidence::{COMMITS_MAX, Evidence};
use crate::ops::input::{InputError, PayloadOptions, SecretPolicy};
use crate::ops::{self, FindError, PageOptions};
use crate::profile::{Profile, Standards};
use crate::prompt::SYSTEM_PROMPT;
use crate::secret::{Allowed, guard};
use crate::symbol::map::{Detail, FileNumber, KeptFile, Legend, Level, Previous, SymbolMap};
use crate::tier::{FileList, Key, State};
use crate::workspace::Workspace;

/// Tokens of all symbols, at most, where nothing else is said.
const SYMBOL_TOKENS_MAX: u64 = 32_000;
/// The part of a window that symbols take at most, and the list of files: one token in this number.
const SYMBOL_SHARE: u64 = 4;
const FILES_SHARE: u64 = 5;
/// The same of what is found for a request.
const FOUND_SHARE: u64 = 16;
/// Files that are looked into for a request.
const FOUND_FILES_MAX: usize = 500;
/// Most tokens of the list of files, whatever the window: behind that, directories stand with the number of their files.
const FILES_TOKENS_MAX: u64 = 8_000;

/// How much of everything there may be, in tokens by estimate.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Sizes {
    /// The document; `None` for as much as the lists name.
    pub document: Option<u64>,
    /// The document has nothing but names, and cannot be smaller.
    pub is_least: bool,
    /// The symbol map.
    pub symbols: u64,
    /// The standards; `None` for all of them.
    pub standards: Option<u64>,
    /// The list of files.
    pub files: u64,
    /// What is found for the request.
    pub found: u64,
    /// What has changed may be sent as it was, with an update behind it.
    pub lags: bool,
}

impl Sizes {
    /// What there may be where `input_max` tokens can be sent at most.
    #[must_use]
    pub fn new(document: Option<u64>, symbols: Option<u64>, input_max: Option<u64>) -> Self {
        let share = input_max.map_or(SYMBOL_TOKENS_MAX, |max| {
            (max / SYMBOL_SHARE).min(SYMBOL_TOKENS_MAX)
        });
        let files = input_max.map_or(FILES_TOKENS_MAX, |max| {
            (max / FILES_SHARE).min(FILES_TOKENS_MAX)
        });
        Self {
            document,
            is_least: false,
            symbols: symbols.unwrap_or(share),
            standards: None,
            files,
            found: input_max.map_or(u64::MAX, |max| max / FOUND_SHARE),
            lags: true,
        }
    }
}

/// A session as far as a world is made of it.
#[derive(Clone, Copy)]
pub struct SessionView<'s> {
    /// Its files.
    pub folder: &'s SessionFolder,
    /// The turns before this one.
    pub turns: &'s [(TurnNumber, TurnRecord)],
    /// What the user says in `session.yaml`.
    pub own: &'s SessionRecord,
}

/// What a world is made of.
pub struct Ingredients<'i> {
    /// The snapshot.
    pub root: &'i SnapshotRoot,
    /// The session; `None` for a request by itself.
    pub session: Option<SessionView<'i>>,
    /// The turn whose own list counts.
    pub number: Option<TurnNumber>,
    /// The request; what the session says of it is added.
    pub task: Task,
    /// What the user names for this request only.
    pub named: &'i [String],
    /// What goes along with the request.
    pub images: &'i [(String, Image)],
    /// The parameters of requests.
    pub profile: &'i Profile,
    /// What may pass though it looks like a secret.
    pub allowed: &'i Allowed,
}

/// Builds a world. It holds nothing that looks like a secret, unless the user lets that pass.
pub fn world<'w>(
    workspace: &'w Workspace,
    made_of: &Ingredients<'_>,
    sizes: Sizes,
) -> Result<World<'w>, TurnError> {
    let mut notes = Vec::new();
    let mut task = made_of.task.clone();
    let said = match made_of.session {
        Some(view) => said_again(view.folder, view.turns, &mut task)?,
        None => EarlierMessages::default(),
    };
    let scope = made_of.session.and_then(|view| view.own.scope.as_deref());
    task.scope = scope.and_then(|name| made_of.profile.scope_words(name));
    let document = list_document(workspace, made_of, sizes.document)?;
    notes.extend(document.remarks().map_err(InputError::from)?);
    let (standards, examples) =
        read_profile_files(&workspace.repository, made_of, sizes.standards, &mut notes);
    let system_prompt = system_prompt(workspace, &mut notes);
    let mut last = tiers::last_request(
        &workspace.state,
        made_of.session.map(|view| view.folder.name.as_str()),
    );
    let reference = reference(workspace, &document, &last, sizes, &mut notes)?;
    if reference.unmapped > 0 && task.is_searching() {
        task.found = found(workspace, made_of.root, &task.request, sizes.found)?;
    }
    let mut world = World {
        system_prompt,
        standards,
        examples,
        memos: document.memos(),
        people: document.people_notes(),
        reference,
        system: made_of
            .session
            .map(|_| document.system_information())
            .unwrap_or_default(),
        task,
        said,
        images: made_of.images.to_vec(),
        notes,
        document,
    };
    let scanner = workspace.scanner()?;
    for (name, text) in world.named_texts() {
        guard(text.as_bytes(), name, scanner, made_of.allowed)?;
    }
    if sizes.lags {
        // What was sent before may be judged otherwise now: then it is not sent again.
        let mut earlier = std::mem::take(&mut last.texts);
        earlier.retain(|key, text| {
            let has_changed = match (world.reference.texts.get(key), key) {
                (Some(now), _) => now != text,
                (None, Key::Symbols(path)) => {
                    is_gone(&workspace.repository, made_of.root.tree, path)
                }
                (None, _) => false,
            };
            has_changed && guard(text.as_bytes(), "symbol map", scanner, made_of.allowed).is_ok()
        });
        world.reference.earlier = earlier;
    }
    Ok(world)
}

/// Plans the document that the lists of the session and the command make.
pub(super) fn list_document<'w>(
    workspace: &'w Workspace,
    made_of: &Ingredients<'_>,
    tokens_max: Option<u64>,
) -> Result<Document<'w>, TurnError> {
    let named = made_of.named.join("\n");
    let number = made_of.number.map(|number| number.to_string());
    let typed = match made_of.session {
        Some(view) => open::typed_pages(&workspace.state, view.folder.name.as_str()),
        None => BTreeSet::new(),
    };
    Ok(ops::payload::payload(
        workspace,
        PayloadOptions {
            root: made_of.root,
            lists: vec![List {
                is_personal: true,
                ..List::parse(Scope::Turn, "", named.as_bytes())
            }],
            session: made_of.session.map(|view| view.folder.name.as_str()),
            turn: number.as_deref(),
            typed: &typed,
            is_session_own: made_of
                .session
                .is_none_or(|view| !open::is_delivered(workspace, view.folder)),
            frames: None,
            tokens_max,
            has_overview: false,
            question: None,
            is_brief: false,
            style: Markup::default(),
            secrets: SecretPolicy::Stop(made_of.allowed.clone()),
            pages: PageOptions {
                is_foreground: true,
                ..PageOptions::default()
            },
        },
    )?)
}

/// The standards and the examples of the profile; those that do not stand in its folder are read in the snapshot.
fn read_profile_files(
    repo: &Repository,
    made_of: &Ingredients<'_>,
    tokens_max: Option<u64>,
    notes: &mut Vec<String>,
) -> (String, Vec<String>) {
    let profile = made_of.profile;
    let read = |path: &str| file_text(repo, made_of.root.tree, path);
    let standards = Standards::compose(&profile.standards, &read, tokens_max);
    let missing = |what: &str, path: &str| {
        format!(
            "{what} '{path}' of profile '{}' does not exist",
            profile.name
        )
    };
    notes.extend(
        standards
            .missing
            .iter()
            .map(|path| missing("standard", path)),
    );
    if standards.is_condensed {
        notes.push(format!(
            "the standards of profile '{}' are condensed to fit",
            profile.name
        ));
    }
    let mut examples = Vec::new();
    for example in &profile.examples {
        match example.text.clone().or_else(|| read(&example.path)) {
            Some(text) => examples.push(text),
            None => notes.push(missing("example", &example.path)),
        }
    }
    (standards.text, examples)
}

/// True for a file that is neither in a snapshot nor in the work tree; one that is ignored now is not gone.
fn is_gone(repo: &Repository, tree: NodeId, path: &TreePath) -> bool {
    let found = repo.find_entry(&tree, path.as_bytes());
    let root = repo.work_dir();
    let is_on_disk = |root: &Path| {
        root.join(OsStr::from_bytes(path.as_bytes()))
            .symlink_metadata()
            .is_ok()
    };
    matches!(found, Ok(None)) && !root.is_some_and(is_on_disk)
}

/// A text file of a snapshot.
#[must_use]
pub fn file_text(repo: &Repository, tree: NodeId, path: &str) -> Option<String> {
    let (EntryMode::File | EntryMode::Executable, id) =
        repo.find_entry(&tree, path.as_bytes()).ok()??
    else {
        return None;
    };
    let mut data = Vec::new();
    repo.read_at_most(&id, ObjectKind::Blob, FILE_BYTES_MAX, &mut data)
        .ok()?;
    String::from_utf8(data).ok()
}

/// The user's system prompt, else the repository's once it is trusted, else the built-in one; behind it a blank line and
/// `system_extra.md`.
fn system_prompt(workspace: &Workspace, notes: &mut Vec<String>) -> String {
    let trusted = |name: &str| {
        workspace
            .folder
            .text(name)
            .filter(|_| workspace.trust.is_trusted())
    };
    let own = |name: &str| workspace.personal_folder().text(name);
    for name in ["system.md", "system_extra.md"] {
        if own(name).is_none()
            && workspace.folder.text(name).is_some()
            && !workspace.trust.is_trusted()
        {
            notes.push(format!(
                "'.teddy/{name}' is not used: this repository is not trusted"
            ));
        }
    }
    let prompt = own("system.md")
        .or_else(|| trusted("system.md"))
        .unwrap_or(SYSTEM_PROMPT);
    match own("system_extra.md").or_else(|| trusted("system_extra.md")) {
        Some(extra) => format!("{}\n\n{}", prompt.trim_end(), extra.trim_end()),
        None => prompt.trim_end().to_owned(),
    }
}

/// The bodies that the document shows, the symbols of all other files, and the list of files.
fn reference(
    workspace: &Workspace,
    document: &Document<'_>,
    last: &State,
    sizes: Sizes,
    notes: &mut Vec<String>,
) -> Result<Reference, TurnError> {
    let tree = document.tree_id();
    let (evidence, dirty) = history_evidence(workspace, tree).map_err(TurnError::History)?;
    let mut reference = Reference {
        evidence,
        dirty,
        ..Reference::default()
    };
    let mut shown = BTreeSet::new();
    for (resource, body) in document.bodies().map_err(InputError::from)? {
        let Ok(text) = body else { continue };
        if let Body::Page(page) = &resource.body {
            let name = String::from_utf8_lossy(&resource.name).into_owned();
            let title = page
                .note
                .as_ref()
                .map(|note| format!("{note}\n\n"))
                .unwrap_or_default();
            reference
                .texts
                .insert(Key::Url(name.clone()), format!("{name}\n\n{title}{text}"));
        } else {
            let path = TreePath::new(resource.name.clone());
            if resource.scopes.strongest() == Scope::Turn {
                reference.passing.insert(path.clone());
            }
            // What the last map says of a file stays in it: to take it out and put it back breaks a tier twice.
            if !last.items.contains_key(&Key::Symbols(path)) {
                shown.insert(resource.name.clone());
            }
            reference
                .texts
                .insert(Key::File(TreePath::new(resource.name.clone())), text);
        }
    }
    let tree = document.tree();
    let from = MapOf { tree, shown, last };
    add_symbols(workspace, &from, sizes, &mut reference, notes)?;
    Ok(reference)
}

/// A tree whose symbols are shown, the files whose full texts are shown instead, and the last request.
struct MapOf<'m> {
    tree: &'m Tree,
    shown: BTreeSet<Vec<u8>>,
    last: &'m State,
}

fn add_symbols(
    workspace: &Workspace,
    from: &MapOf<'_>,
    sizes: Sizes,
    reference: &mut Reference,
    notes: &mut Vec<String>,
) -> Result<(), TurnError> {
    let MapOf { tree, shown, last } = from;
    let found = ops::map::symbols_in(&workspace.repository, &workspace.state, tree)?;
    let files = found.files();
    let map = found.map(&files);
    let says = |number: &FileNumber| map.declares(*number) && !shown.contains(files[*number].path);
    let wanted: Vec<FileNumber> = files.indices().filter(says).collect();
    let costs = found.brief_costs(&map, &wanted);
    let brief_cost = |number: FileNumber| costs[number];
    let (legend, chosen) = choose(&map, last, &|known| {
        map.again(&wanted, sizes.symbols, known, &brief_cost)
    });
    let left = wanted.len() - chosen.len();
    reference.unmapped = left;
    if left > 0 {
        let many = counted(left, "file is", "files are");
        notes.push(format!(
            "the symbols of {many} left out: they do not fit into {} tokens",
            sizes.symbols
        ));
    }
    reference.legend = if chosen.is_empty() {
        String::new()
    } else {
        legend.text()
    };
    reference.aliases = legend.directories().to_vec();
    for KeptFile { number, level } in &chosen {
        let path = TreePath::new(files[*number].path);
        let block = map.block(
            *number,
            &legend,
            Detail {
                level: *level,
                ..Detail::KEPT
            },
        );
        reference.texts.insert(Key::Symbols(path), block);
    }
    reference.components = components(&map, &chosen);
    let lines: Vec<String> = files
        .indices()
        .map(|number| map.shown_path(number))
        .collect();
    notes.extend(ops::absent::note(
        &workspace.repository,
        found.absent.len(),
        "HEAD",
    ));
    if found.is_cut {
        notes.push(format!("only the first {} files are listed", lines.len()));
    }
    reference.files = file_list(lines, sizes.files, notes);
    Ok(())
}

/// The list of files, folded by directories where there is no room for all of them.
fn file_list(lines: Vec<String>, tokens_max: u64, notes: &mut Vec<String>) -> FileList {
    let folded = folded(&lines, tokens_max);
    if folded.is_some() {
        notes.push("the list of files is folded by directories to fit".to_owned());
    }
    FileList {
        count: lines.len(),
        lines: folded.unwrap_or(lines),
    }
}

/// What `find` chooses for a request, in as many tokens as the setting and the window allow; empty where nothing fits it.
fn found(
    workspace: &Workspace,
    root: &SnapshotRoot,
    request: &str,
    tokens_max: u64,
) -> Result<String, TurnError> {
    let stack = workspace.settings.stack();
    let budget = stack
        .tokens(&table::FIND_BUDGET)
        .map_err(InputError::from)?;
    let tokens_max = tokens_max.min(budget.unwrap_or_default());
    let Some(question) = Query::of(request).filter(|_| tokens_max > 0) else {
        return Ok(String::new());
    };
    let store = workspace
        .store()
        .map_err(|error| InputError::Store(Box::new(error)))?;
    let ladder = ladder(workspace, &store, root, &question, tokens_max);
    Ok(ladder.map_err(InputError::from)?.text)
}

fn ladder(
    workspace: &Workspace,
    store: &Store<'_>,
    root: &SnapshotRoot,
    question: &Query,
    tokens_max: u64,
) -> Result<Ladder, FindError> {
    let repo = &workspace.repository;
    let mut findable = ops::find::findable(repo, &workspace.state, root.tree, root.history)?;
    ops::find::add_said(workspace, &mut findable, root, store)?;
    let ranking = findable.rank(question, &|_| true, FOUND_FILES_MAX, &Weights::default())?;
    findable.answer(
        question,
        &ranking,
        &mut ranking.best_files(FOUND_FILES_MAX),
        tokens_max,
    )
}

/// The files that refer to each other, and each of the chosen ones that has no such partner.
fn components(map: &SymbolMap<'_>, chosen: &[KeptFile]) -> Vec<Vec<TreePath>> {
    let mut groups = map.references().partners().to_vec();
    let in_group: BTreeSet<FileNumber> = groups.iter().flatten().copied().collect();
    let alone = chosen.iter().map(|file| file.number);
    let alone = alone.filter(|number| !in_group.contains(number));
    groups.extend(alone.map(|number| vec![number]));
    let paths = |group: Vec<FileNumber>| group.into_iter().map(|number| map.path(number)).collect();
    groups.into_iter().map(paths).collect()
}

/// What history says of files, and which of them are not as they were committed.
fn history_evidence(
    workspace: &Workspace,
    tree: NodeId,
) -> Result<(Evidence, BTreeSet<TreePath>), ObjectError> {
    let Ok(head) = workspace.root(&Snapshot::Revision("HEAD".to_owned())) else {
        return Ok(Default::default());
    };
    let evidence = match head.commit {
        Some(commit) => Evidence::of_history(&workspace.repository, &commit, COMMITS_MAX)?,
        None => Evidence::default(),
    };
    let changed = ops::branch::changed_files(&workspace.repository, Some(head.tree), tree)?;
    Ok((
        evidence,
        changed
            .into_iter()
            .filter(|file| file.is_there)
            .map(|file| file.path)
            .collect(),
    ))
}

/// Chooses files by what is known of each.
type Again<'a> = dyn Fn(&dyn Fn(FileNumber) -> Previous) -> Vec<KeptFile> + 'a;

/// The files of the map, and its legend: those of the last request as far as they fit, so that its tiers hold.
fn choose(map: &SymbolMap<'_>, last: &State, again: &Again<'_>) -> (Legend, Vec<KeptFile>) {
    if last.requests == 0 {
        let chosen = again(&|_| Previous::New);
        let numbers: Vec<FileNumber> = chosen.iter().map(|file| file.number).collect();
        return (map.legend(&numbers), chosen);
    }
    let legend = Legend::of(&last.aliases);
    let known = |number: FileNumber| {
        let path = map.path(number);
        let update = last.items.get(&Key::Update(path.clone()));
        let Some(before) = update.or_else(|| last.items.get(&Key::Symbols(path))) else {
            return Previous::New;
        };
        let same = |level: &Level| {
            let block = map.block(
                number,
                &legend,
                Detail {
                    level: *level,
                    ..Detail::KEPT
                },
            );
            content(&block) == before.content
        };
        [Level::Full, Level::Public, Level::Brief]
            .into_iter()
            .find(same)
            .map_or(Previous::Changed, Previous::Same)
    };
    let chosen = again(&known);
    (legend, chosen)
}

/// A list of files with directories in the place of theirs, as deep as fits; `None` where the list itself fits.
fn folded(files: &[String], tokens_max: u64) -> Option<Vec<String>> {
    if token::fits(files, tokens_max) {
        return None;
    }
    let mut best = Vec::new();
    for depth in 0.. {
        let lines = at_depth(files, depth);
        if !token::fits(&lines, tokens_max) || lines == best {
            break;
        }
        best = lines;
    }
    Some(best)
}

/// Files of at most `depth` directories, and in the place of deeper ones their directory with their number.
fn at_depth(files: &[String], depth: usize) -> Vec<String> {
    let mut lines: Vec<(String, usize)> = Vec::new();
    for file in files {
        let end = file.match_indices('/').nth(depth).map(|(at, _)| at + 1);
        let name = &file[..end.unwrap_or(file.len())];
        match lines
            .last_mut()
            .filter(|(last, _)| end.is_some() && last == name)
        {
            Some((_, count)) => *count += 1,
            None => lines.push((name.to_owned(), usize::from(end.is_some()))),
        }
    }
    let line = |(name, count): (String, usize)| match count {
        0 => name,
        count => format!("{name} ({})", counted(count, "file", "files")),
    };
    lines.into_iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_that_is_too_long_is_folded_and_counts_its_files() {
        let files: Vec<String> = ["a/b/c.rs", "a/b/d.rs", "a/e.rs", "f.rs"]
            .map(str::to_owned)
            .into();
        assert_eq!(at_depth(&files, 0), ["a/ (3 files)", "f.rs"]);
        assert_eq!(at_depth(&files, 1), ["a/b/ (2 files)", "a/e.rs", "f.rs"]);
        assert_eq!(at_depth(&files, 2), files);
        assert_eq!(folded(&files, 1_000), None);
        assert_eq!(folded(&files, 0), Some(Vec::new()));
        let all: usize = files.iter().map(String::len).sum();
        assert!(
            folded(&files, token::estimate(&files.join("\n")) - 1)
                .is_some_and(|lines| lines.concat().len() < all + 20)
        );
    }
}
