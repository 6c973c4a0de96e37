//! Reading what a review compares: the files that differ between two trees, what they declare, and who refers to it.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use super::beside::leave_out_declared_beside;
use super::files::FilesError;
use super::headers::Headers;
use super::map::{self, SnapshotSymbols};
use super::modules::{Modules, ReadModule};
use super::refers::Question;
use super::version::{Placed, Reading};
use crate::base::cores::on_all_cores;
use crate::base::limit::DIFF_PATHS_MAX;
use crate::base::{NodeId, TreePath};
use crate::git::{EntryMode, ObjectError, Repository, Side, diff_trees};
use crate::review::{
    self, Changes, Code, Content, Declaration, Exposed, File, FileRole, How, Refers, Version,
};
use crate::symbol::map::{EntryNumber, FileNumber, MapEntry, MapFile, MapFiles, Mark};
use crate::symbol::{Kind, Language, Visibility};
use crate::workspace::Workspace;

/// Why two trees cannot be reviewed.
#[derive(Debug, thiserror::Error)]
pub enum ReviewError {
    /// A tree cannot be read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The files that may refer to what changed cannot be read.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// There is more than a person could read.
    #[error("the trees differ in more than {DIFF_PATHS_MAX} paths")]
    TooMany,
}

/// What changed between two trees, in the order in which a reviewer reads.
pub fn review(workspace: &Workspace, old: NodeId, new: NodeId) -> Result<Changes, ReviewError> {
    let pairs = pairs(&workspace.repository, old, new)?;
    let reading = Reading::of(&workspace.state.cache());
    let work = |repo: &Repository, at: usize| {
        let (old, new) = &pairs[at];
        let read = |side: &Option<Placed>| {
            side.as_ref()
                .map(|(path, side)| reading.version(repo, path, *side))
                .transpose()
        };
        Ok::<_, ObjectError>(File {
            old: read(old)?,
            new: read(new)?,
        })
    };
    let repo = &workspace.repository;
    let files = on_all_cores(pairs.len(), repo, || repo.fork(), work);
    let mut files: Vec<File> = files.into_iter().collect::<Result<_, _>>()?;
    leave_out_declared_beside(repo, &reading, [old, new], &mut files)?;
    narrow(repo, &reading, [old, new], &mut files)?;
    let mut changes = review::compare(files);
    add_references(workspace, old, new, &mut changes)?;
    changes.order();
    Ok(changes)
}

/// Marks what others cannot name as visible to its package or file alone, whatever the source says: in modules of Rust and
/// Python, in headers and sources of C, and in packages of Go that others cannot import.
fn narrow(
    repo: &Repository,
    reading: &Reading,
    trees: [NodeId; 2],
    files: &mut [File],
) -> Result<(), ObjectError> {
    let outer: Vec<[OuterNames; 2]> = files.iter().map(OuterNames::of).collect();
    let mut headers = trees.map(|tree| Headers::of(repo, reading, tree));
    for (side, tree) in trees.into_iter().enumerate() {
        let mut modules = Modules::default();
        for (file, outer) in files.iter_mut().zip(&outer) {
            let version = if side == 0 {
                &mut file.old
            } else {
                &mut file.new
            };
            let Some(Version { path, content, .. }) = version else {
                continue;
            };
            let Content::Code(code) = content else {
                continue;
            };
            if !code.declarations.iter().any(Declaration::is_public) {
                continue;
            }
            match path.as_bytes().rsplit(|byte| *byte == b'.').next() {
                Some(b"c") => {
                    let given = headers[side].given(path)?;
                    let names = given.names.as_deref();
                    review::narrow_to_linked(&mut code.declarations, &code.text, names);
                    if names.is_some() {
                        let other = headers[1 - side].given(path)?;
                        code.declared_elsewhere.clone_from(&other.names);
                    }
                }
                _ if review::is_header(path.name()) && !headers[side].given(path)?.has(path) => {
                    review::narrow_to_package(&mut code.declarations);
                }
                Some(b"go") if review::is_internal_package(path, code) => {
                    review::narrow_to_package(&mut code.declarations);
                }
                Some(b"rs" | b"py" | b"pyi") => {
                    let mut read = |path: &TreePath| reading.code(repo, tree, path);
                    narrow_module(&mut modules, path, code, &outer[1 - side], &mut read)?;
                }
                _ => {}
            }
        }
    }
    Ok(())
}

/// Marks what others cannot name in a module of Rust or Python as visible to its package or file alone; `other` is what the
/// other side has in a file of Rust.
fn narrow_module(
    modules: &mut Modules,
    path: &TreePath,
    code: &mut Code,
    other: &OuterNames,
    read: &mut ReadModule<'_, ObjectError>,
) -> Result<(), ObjectError> {
    let is_rust = code.language == Some(Language::Rust);
    if is_rust {
        modules.spell_out(path, &mut code.declarations, &other.exports, read)?;
    }
    let exposed = modules.exposed(path, read)?;
    exposed.narrow(&mut code.declarations);
    if is_rust {
        if *exposed != Exposed::All {
            review::narrow_links(&mut code.declarations, &other.names);
        }
        let hidden = modules.hidden(path, &code.declarations, read)?;
        review::narrow_implementations(&mut code.declarations, &hidden);
    }
    Ok(())
}

/// What stands in a file of Rust and in nothing else of it.
#[derive(Default)]
struct OuterNames {
    names: BTreeSet<String>,
    /// The signatures of what it passes on.
    exports: BTreeSet<String>,
}

impl OuterNames {
    /// Those of both sides.
    fn of(file: &File) -> [Self; 2] {
        [&file.old, &file.new].map(|version| {
            let mut outer = Self::default();
            let code = version.as_ref().and_then(Version::code);
            let code = code.filter(|code| code.language == Some(Language::Rust));
            let declarations = code.into_iter().flat_map(|code| &code.declarations);
            for one in declarations.filter(|one| one.owner.is_none()) {
                outer.names.insert(one.own.clone());
                if one.kind == Kind::Export {
                    outer.exports.insert(one.signature.clone());
                }
            }
            outer
        })
    }
}

/// A file on both sides, as far as it stands there.
type Pair = (Option<Placed>, Option<Placed>);

/// The files that differ, those that git finds renamed as one.
fn pairs(repo: &Repository, old: NodeId, new: NodeId) -> Result<Vec<Pair>, ReviewError> {
    let mut pairs: Vec<Pair> = Vec::new();
    let mut count = 0;
    diff_trees(repo, Some(old), Some(new), &mut |change| {
        count += 1;
        let file = |side: Option<Side>| side.filter(|side| side.0 != EntryMode::Directory);
        let (old, new) = (file(change.old), file(change.new));
        if old.is_some() || new.is_some() {
            let placed = |side| (change.path.clone(), side);
            pairs.push((old.map(placed), new.map(placed)));
        }
        count <= DIFF_PATHS_MAX
    })?;
    if count > DIFF_PATHS_MAX {
        return Err(ReviewError::TooMany);
    }
    let is_gone = pairs.iter().any(|pair| pair.1.is_none());
    let is_new = pairs.iter().any(|pair| pair.0.is_none());
    if is_gone && is_new {
        // Without git's answer a renamed file is one that went and one that came.
        join(&mut pairs, repo.renames(&old, &new).unwrap_or_default());
    }
    Ok(pairs)
}

fn join(pairs: &mut Vec<Pair>, renames: Vec<(TreePath, TreePath)>) {
    // Between a test and the program a rename is told as a file that went and one that came.
    let is_test = |path: &TreePath| review::role(path.as_bytes()) == FileRole::Test;
    let renames = renames.into_iter();
    let renames = renames.filter(|(from, to)| is_test(from) == is_test(to));
    let to_from: HashMap<TreePath, TreePath> = renames.map(|(from, to)| (to, from)).collect();
    let sources: HashSet<&TreePath> = to_from.values().collect();
    let mut gone: HashMap<TreePath, Placed> = HashMap::new();
    pairs.retain(|pair| match pair {
        (Some(old), None) if sources.contains(&old.0) => {
            gone.insert(old.0.clone(), old.clone());
            false
        }
        _ => true,
    });
    for (old, new) in pairs {
        if let (None, Some((path, _))) = (&old, &new) {
            *old = to_from.get(path).and_then(|from| gone.remove(from));
        }
    }
}

/// Says who refers to what changed: to what is gone in the old tree, to everything else in the new one.
fn add_references(
    workspace: &Workspace,
    old: NodeId,
    new: NodeId,
    changes: &mut Changes,
) -> Result<(), ReviewError> {
    let is_told = |how: How| how == How::Removed;
    for (tree, is_old) in [(old, true), (new, false)] {
        let mut wanted: BTreeMap<TreePath, Vec<usize>> = BTreeMap::new();
        for (number, change) in changes.list.iter().enumerate() {
            let file = &changes.files[change.file];
            if is_told(change.how) == is_old && file.role() != FileRole::Test {
                let version = if is_old { &file.old } else { &file.new };
                let path = version.as_ref().map(|version| version.path.clone());
                wanted
                    .entry(path.unwrap_or_default())
                    .or_default()
                    .push(number);
            }
        }
        if wanted.is_empty() {
            continue;
        }
        for (number, refers) in refers(workspace, tree, &wanted, changes)? {
            changes.list[number].refers = refers;
        }
    }
    Ok(())
}

/// The same of one tree, from the cache where this was looked for before.
fn refers(
    workspace: &Workspace,
    tree: NodeId,
    wanted: &BTreeMap<TreePath, Vec<usize>>,
    changes: &Changes,
) -> Result<Vec<(usize, Refers)>, FilesError> {
    let numbers: Vec<usize> = wanted.values().flatten().copied().collect();
    let declared = wanted.iter().flat_map(|(path, numbers)| {
        let declaration = move |number: &usize| (path, changes.list[*number].declaration());
        numbers.iter().map(declaration)
    });
    let (question, cache) = (Question::of(&tree, declared), workspace.state.cache());
    if let Some(known) = question.recall(&cache) {
        let number = |(place, refers)| Some((*numbers.get(place)?, refers));
        return Ok(known.into_iter().filter_map(number).collect());
    }
    let symbols = map::symbols(&workspace.repository, &workspace.state, tree)?;
    let found = referring(&symbols, wanted, changes);
    // What is not in this clone may come later.
    if symbols.absent.is_empty() {
        let places: HashMap<usize, usize> = numbers
            .into_iter()
            .enumerate()
            .map(|(place, number)| (number, place))
            .collect();
        let answer: Vec<(usize, Refers)> = found
            .iter()
            .map(|(number, refers)| (places[number], refers.clone()))
            .collect();
        question.keep(&cache, &answer);
    }
    Ok(found)
}

fn referring(
    symbols: &SnapshotSymbols,
    wanted: &BTreeMap<TreePath, Vec<usize>>,
    changes: &Changes,
) -> Vec<(usize, Refers)> {
    let files = symbols.files();
    let references = symbols.references(&files);
    let mut entries: HashMap<(FileNumber, EntryNumber), Vec<usize>> = HashMap::new();
    for (path, numbers) in wanted {
        let Ok(at) = files.binary_search_by(|file| file.path.cmp(path.as_bytes())) else {
            continue;
        };
        for number in numbers {
            if let Some(entry) = entry(&files[at], changes.list[*number].declaration()) {
                entries.entry((at, entry)).or_default().push(*number);
            }
        }
        if path.as_bytes().ends_with(b".c") {
            let function = |number: &usize| {
                let one = changes.list[*number].declaration();
                let is_linked =
                    one.kind == Kind::Function && one.own_visibility == Visibility::Public;
                is_linked.then_some((&one.own[..], *number))
            };
            let functions = numbers.iter().filter_map(function).collect();
            let included = &references.of(at).imports;
            for (entry, number) in prototypes(&files, included, &functions) {
                entries.entry(entry).or_default().push(number);
            }
        }
    }
    let mut found: BTreeMap<usize, Refers> = BTreeMap::new();
    for (from, file) in files.indices().zip(references.looks()) {
        let targets = file.targets.iter();
        let numbers = targets.filter_map(|target| entries.get(target)).flatten();
        // Several headers may declare one function.
        for number in numbers.collect::<BTreeSet<_>>() {
            let refers = found.entry(*number).or_default();
            let path = files[from].path;
            if review::role(path) == FileRole::Test {
                refers.tests += 1;
            } else {
                refers.files.push(TreePath::new(path));
            }
        }
    }
    found.into_iter().collect()
}

/// The entries of the headers that a source of C includes, where they declare its functions: who calls one refers to the header.
fn prototypes(
    files: &MapFiles<'_>,
    included: &[FileNumber],
    functions: &HashMap<&str, usize>,
) -> Vec<((FileNumber, EntryNumber), usize)> {
    let mut found = Vec::new();
    for header in included.iter().filter(|_| !functions.is_empty()) {
        let entries = &files[*header].look().entries;
        for (number, entry) in entries.numbers().zip(entries.iter()) {
            let is_function = entry.form.mark == Mark::Function && entry.form.depth == 0;
            let function = functions.get(entry.name).filter(|_| is_function);
            found.extend(function.map(|of| ((*header, number), *of)));
        }
    }
    found
}

/// The number of a declaration in a map's list of its file.
fn entry(file: &MapFile<'_>, declaration: &Declaration) -> Option<EntryNumber> {
    let is_it =
        |entry: MapEntry<'_>| entry.form.line == declaration.line && entry.name == declaration.own;
    let entries = &file.symbols().entries;
    entries.iter().position(is_it).map(EntryNumber::new)
}
