//! The files of a snapshot with their words by term: from an index on disk, and what has changed since it was written.
//!
//! | what there is | what a question reads |
//! |---|---|
//! | an index of this tree | the lists of its terms |
//! | one of a tree that differs in few files | the same, and the contents that differ |
//! | neither | all contents, once: an index is written |
//!
//! Two indexes are kept, so that a look at an old revision does not cost that of the newest. One that is damaged is made
//! anew. Where the disk takes none it is made in memory, for one answer. The answer is the same in each of these cases.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::io::{self, BufWriter, Write as _};
use std::sync::Arc;

use super::files::{Content, Files, FilesError};
use crate::base::cores::on_all_cores;
use crate::base::number::{IndexVec, to_u32};
use crate::base::path::last_name;
use crate::base::{HashKey, NodeId, TreePath};
use crate::find::{
    CandidateNumber, ContentReading, Definitions, IndexBytes, IndexDraft, IndexFile, IndexStamp,
    IndexedFile, IndexedTree, Occurrences, Term, WordIndex, Words, path_terms, read,
};
use crate::git::{EntryMode, ObjectError, Repository, StateDir, diff_trees};
use crate::node::{IgnoreRules, rules_above};
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::secret::{Allowed, Scanner, find_in_names};
use crate::symbol::map::FileNumber;
use crate::symbol::{Cached as _, Language, ObjectCache};
use crate::synthesis::outline;

/// Most files of one snapshot that are looked at.
pub const FILES_MAX: usize = 500_000;
/// The names of the indexes in the directory of caches.
const NAMES: [&str; 2] = ["index-1", "index-2"];
/// What no index is larger than, in bytes.
const INDEX_BYTES_MAX: u64 = 2 << 30;
/// Purpose of the key under which indexes are kept.
const KEY_CONTEXT: &str = "git-merkle 2026 find index/1";
/// Files that may differ from an index: a share of its own, and limits to that.
const CHANGED_SHARE: usize = 50;
const CHANGED_MIN: usize = 64;
const CHANGED_MAX: usize = 512;
/// The name of the files with rules of what is ignored.
const RULES_NAME: &[u8] = b".teddyignore";

/// The files of a snapshot, by number: those of an index, then those that are not in it.
pub(super) struct Listing {
    tree: NodeId,
    index: Arc<WordIndex>,
    /// Whether a file of the index is there no more.
    is_gone: IndexVec<CandidateNumber, bool>,
    new: Vec<NewFile>,
    /// Files whose content this clone does not hold.
    pub(super) absent: usize,
}

/// A file that is not in the index.
struct NewFile {
    path: Vec<u8>,
    content: FoundContent,
    words: Words,
}

/// A content with what its name says.
#[derive(Clone, Copy)]
struct FoundContent {
    id: NodeId,
    language: Option<Language>,
}

/// What is kept of contents.
pub(super) struct Contents {
    cache: StateDir,
    records: Records,
    words: Arc<ObjectCache<Words>>,
    definitions: Arc<ObjectCache<Definitions>>,
    /// Of contents that are in no index yet.
    readings: Arc<ObjectCache<ContentReading>>,
}

impl Contents {
    pub(super) fn of(cache: StateDir) -> Self {
        Self {
            records: Records::of(&cache),
            words: object_cache(&cache),
            definitions: object_cache(&cache),
            readings: object_cache(&cache),
            cache,
        }
    }

    /// The words of a content; `None` for what this clone does not hold.
    fn words_of(
        &self,
        repo: &Repository,
        content: &Content,
        name: &[u8],
    ) -> Result<Option<Words>, ObjectError> {
        if let Some(known) = self.words.get(content.id, content.language) {
            return Ok(Some(known));
        }
        let content = FoundContent {
            id: content.id,
            language: content.language,
        };
        Ok(self.keep(repo, content, name)?.map(|reading| reading.words))
    }

    /// Reads a content and keeps what is found for the next index.
    fn keep(
        &self,
        repo: &Repository,
        content: FoundContent,
        name: &[u8],
    ) -> Result<Option<ContentReading>, ObjectError> {
        let found = reading(repo, content, name, &self.records)?;
        if let Some(reading) = &found {
            self.definitions
                .put(content.id, content.language, &reading.definitions);
            self.words.put(content.id, content.language, &reading.words);
        }
        Ok(found)
    }

    /// Reads a content that is in no index. The large caches stay closed: opening them costs more than a few contents.
    fn reading(
        &self,
        repo: &Repository,
        content: FoundContent,
        name: &[u8],
    ) -> Result<Option<ContentReading>, ObjectError> {
        if let Some(known) = self.readings.get(content.id, content.language) {
            return Ok(Some(known));
        }
        let found = reading(repo, content, name, &Records::unkept())?;
        if let Some(reading) = &found {
            self.readings.put(content.id, content.language, reading);
        }
        Ok(found)
    }
}

/// Reads a content; `None` for what this clone does not hold.
fn reading(
    repo: &Repository,
    content: FoundContent,
    name: &[u8],
    records: &Records,
) -> Result<Option<ContentReading>, ObjectError> {
    let found = with_blob(repo, &content.id, |blob| match blob {
        Blob::Absent => None,
        Blob::TooLarge(_) => Some(ContentReading::default()),
        Blob::Data(data) => {
            let shown = outline::shown(data);
            Some(read(&records.read(&content.id, name, &shown), &shown))
        }
    });
    sound(found)
}

/// A damaged file is as one that is not there: it must not stop the others.
fn sound<T>(found: Result<Option<T>, ObjectError>) -> Result<Option<T>, ObjectError> {
    match found {
        Err(ObjectError::Damaged { .. }) => Ok(None),
        found => found,
    }
}

impl Listing {
    /// The files of a root tree.
    pub(super) fn of(
        repo: &Repository,
        state: &StateDir,
        contents: &Contents,
        tree: NodeId,
    ) -> Result<Arc<Self>, FilesError> {
        let shelf = state.shelf();
        if let Some(kept) = shelf.find(|kept: &Self| kept.tree == tree && kept.absent == 0) {
            return Ok(kept);
        }
        let mut found = indexes(contents);
        found.sort_by_key(|file| {
            (
                file.snapshot().tree != tree,
                std::cmp::Reverse(file.sequence()),
            )
        });
        let known = found.into_iter().find_map(|file| {
            let changes = Changes::since(repo, &file.snapshot(), tree)?;
            let of_file = |index: &WordIndex| index.snapshot() == file.snapshot();
            let index = shelf
                .find(of_file)
                .or_else(|| Some(shelf.put(Arc::new(file.read()?), 2)))?;
            Some((index, changes))
        });
        let (index, changes) = match known {
            Some(known) => known,
            None => (
                shelf.put(Arc::new(make(repo, state, contents, tree)?), 2),
                Changes::default(),
            ),
        };
        let listing = Self::from(repo, contents, index, changes, tree)?;
        Ok(shelf.put(Arc::new(listing), 2))
    }

    fn from(
        repo: &Repository,
        contents: &Contents,
        index: Arc<WordIndex>,
        changes: Changes,
        tree: NodeId,
    ) -> Result<Self, FilesError> {
        let mut is_gone = IndexVec::from_vec(vec![false; index.len()]);
        let Changes { gone, mut added } = changes;
        for number in gone.iter().filter_map(|path| index.find(path)) {
            is_gone[number] = true;
        }
        let mut absent = 0;
        if index.snapshot().absent > 0 {
            for (number, file) in index.files().unwrap_or_default().iter_enumerated() {
                let is_asked = !file.is_there && !is_gone[number];
                if is_asked && matches!(repo.header(&file.id), Ok(Some(_))) {
                    is_gone[number] = true;
                    added.push((index.path(number).to_vec(), file.id));
                }
                absent += usize::from(is_asked && !is_gone[number]);
            }
        }
        // In this order a path is found among them.
        added.sort_unstable();
        let work = |repo: &Repository, at: usize| {
            let (path, id) = &added[at];
            let content = FoundContent {
                id: *id,
                language: outline::language(last_name(path), b""),
            };
            let reading = contents.reading(repo, content, last_name(path));
            reading
                .map(|reading| (content, reading.map(|reading| reading.words)))
                .map_err(|source| failed(path, source))
        };
        let read = on_all_cores(added.len(), repo, || repo.fork(), work);
        let mut new = Vec::new();
        for ((path, _), read) in added.iter().zip(read) {
            let (content, words) = read?;
            absent += usize::from(words.is_none());
            new.push(NewFile {
                path: path.clone(),
                content,
                words: words.unwrap_or_default(),
            });
        }
        Ok(Self {
            tree,
            index,
            is_gone,
            new,
            absent,
        })
    }

    /// How many numbers there are: of files, and of those that are gone.
    pub(super) fn len(&self) -> usize {
        self.index.len() + self.new.len()
    }

    /// True where there are more files than are looked at.
    pub(super) fn is_cut(&self) -> bool {
        self.index.snapshot().is_cut
    }

    /// The numbers of the files with their paths.
    pub(super) fn paths(&self) -> impl Iterator<Item = (CandidateNumber, &[u8])> {
        let is_there = |number: &CandidateNumber| self.is_gone.get(*number) != Some(&true);
        (0..self.len())
            .map(CandidateNumber::new)
            .filter(is_there)
            .map(|number| (number, self.path(number)))
    }

    /// The path of a file.
    pub(super) fn path(&self, number: CandidateNumber) -> &[u8] {
        match self.new_file(number) {
            Some(new) => &new.path,
            None => self.index.path(number),
        }
    }

    /// The file behind those of the index.
    fn new_file(&self, number: CandidateNumber) -> Option<&NewFile> {
        let at = number.index().checked_sub(self.index.len())?;
        self.new.get(at)
    }

    /// The file at a path.
    pub(super) fn find(&self, path: &[u8]) -> Option<CandidateNumber> {
        match self.new.binary_search_by(|new| new.path[..].cmp(path)) {
            Ok(at) => Some(CandidateNumber::new(self.index.len() + at)),
            Err(_) => self
                .index
                .find(path)
                .filter(|number| !self.is_gone[*number]),
        }
    }

    /// What the files have of some terms.
    pub(super) fn occurrences(
        &self,
        repo: &Repository,
        state: &StateDir,
        contents: &Contents,
        terms: &[Term],
    ) -> Result<Occurrences, FilesError> {
        let lists = |index: &WordIndex| {
            terms
                .iter()
                .map(|term| index.list(*term))
                .collect::<Option<_>>()
        };
        let lists: Vec<_> = match lists(&self.index) {
            Some(lists) => lists,
            // Made anew it has the same numbers.
            None => lists(&make(repo, state, contents, self.index.snapshot().tree)?)
                .unwrap_or_else(|| vec![Vec::new(); terms.len()]),
        };
        let mut all = Occurrences {
            lengths: self.index.lengths().clone(),
            lists,
        };
        for new in &self.new {
            all.push(terms, &new.words, &path_terms(&new.path));
        }
        Ok(all)
    }

    /// The object of a file.
    pub(super) fn object(
        &self,
        repo: &Repository,
        number: CandidateNumber,
    ) -> Result<NodeId, FilesError> {
        Ok(self.file(repo, number)?.0.id)
    }

    /// Does something with the text of a file, as it is shown, and its language; `None` for what is none or not there.
    pub(super) fn with_text<T>(
        &self,
        repo: &Repository,
        number: CandidateNumber,
        work: impl FnOnce(&str, Option<Language>) -> T,
    ) -> Result<Option<T>, FilesError> {
        let (content, _) = self.file(repo, number)?;
        let found = with_blob(repo, &content.id, |blob| {
            let Blob::Data(data) = blob else { return None };
            let shown = outline::shown(data);
            let text = std::str::from_utf8(&shown).ok()?;
            Some(work(text, content.language))
        });
        sound(found).map_err(|source| failed(self.path(number), source))
    }

    /// What a file defines.
    pub(super) fn definitions(
        &self,
        repo: &Repository,
        contents: &Contents,
        number: CandidateNumber,
    ) -> Result<Definitions, FilesError> {
        let (content, kept) = self.file(repo, number)?;
        let path = self.path(number);
        let (read, name) = (|source| failed(path, source), last_name(path));
        let Some(kept) = kept else {
            let reading = contents.reading(repo, content, name).map_err(read)?;
            return Ok(reading.unwrap_or_default().definitions);
        };
        let known = contents
            .definitions
            .look_at(kept.definitions, Definitions::decode);
        if let Some(known) =
            known.or_else(|| contents.definitions.get(content.id, content.language))
        {
            return Ok(known);
        }
        let reading = contents.keep(repo, content, name).map_err(read)?;
        Ok(reading.unwrap_or_default().definitions)
    }

    /// The content of a file, and what the index has of it, if it is in there.
    fn file(
        &self,
        repo: &Repository,
        number: CandidateNumber,
    ) -> Result<(FoundContent, Option<IndexedFile>), FilesError> {
        if let Some(new) = self.new_file(number) {
            return Ok((new.content, None));
        }
        let path = self.index.path(number);
        let language = outline::language(last_name(path), b"");
        if let Some(file) = self.index.file(number) {
            return Ok((
                FoundContent {
                    id: file.id,
                    language,
                },
                Some(file),
            ));
        }
        // What the index says of it is damaged.
        let found = repo
            .find_entry(&self.tree, path)
            .map_err(|source| failed(path, source))?;
        let id = found.map_or(self.tree, |(_, id)| id);
        Ok((FoundContent { id, language }, None))
    }
}

/// The files that differ between the tree of an index and another.
#[derive(Default)]
struct Changes {
    gone: Vec<Vec<u8>>,
    added: Vec<(Vec<u8>, NodeId)>,
}

impl Changes {
    /// `None` where there are too many, or where one of them may change what is said of others.
    fn since(repo: &Repository, old: &IndexedTree, tree: NodeId) -> Option<Self> {
        let mut changes = Self::default();
        if old.tree == tree {
            return Some(changes);
        }
        if old.is_fixed {
            return None;
        }
        let limit = (old.files as usize / CHANGED_SHARE).clamp(CHANGED_MIN, CHANGED_MAX);
        let mut is_too_much = false;
        let differ = diff_trees(repo, Some(old.tree), Some(tree), &mut |change| {
            let is_file = |side: &(EntryMode, NodeId)| side.0.is_file();
            if change.old.as_ref().is_some_and(is_file) {
                changes.gone.push(change.path.as_bytes().to_vec());
            }
            if let Some((_, id)) = change.new.filter(|side| is_file(side)) {
                changes.added.push((change.path.as_bytes().to_vec(), id));
            }
            is_too_much |= change.path.name() == RULES_NAME
                || changes.gone.len().max(changes.added.len()) > limit;
            !is_too_much
        });
        if differ.is_err() || is_too_much {
            return None;
        }
        changes.leave_out_ignored(repo, tree)?;
        let names = || {
            changes
                .added
                .iter()
                .flat_map(|(path, _)| path.split(|byte| *byte == b'/'))
        };
        find_in_names(names, Scanner::built_in(), &Allowed::default())
            .is_none()
            .then_some(changes)
    }

    fn leave_out_ignored(&mut self, repo: &Repository, tree: NodeId) -> Option<()> {
        let mut rules: HashMap<Vec<u8>, IgnoreRules> = HashMap::new();
        let mut kept = Vec::new();
        for (path, id) in std::mem::take(&mut self.added) {
            let above = path[..path.len() - last_name(&path).len()].to_vec();
            let tree_path = TreePath::new(path.as_slice());
            let rules = match rules.entry(above) {
                Entry::Occupied(known) => known.into_mut(),
                Entry::Vacant(new) => new.insert(rules_above(repo, tree, &tree_path).ok()?),
            };
            if !rules.is_ignored(&tree_path, false) {
                kept.push((path, id));
            }
        }
        self.added = kept;
        Some(())
    }
}

/// The indexes on disk.
fn indexes(contents: &Contents) -> Vec<IndexFile> {
    let opened = |name: &&str| {
        let file = contents.cache.open(name, INDEX_BYTES_MAX).ok()?;
        IndexFile::open(IndexBytes::File(file), key(contents))
    };
    NAMES.iter().filter_map(opened).collect()
}

fn key(contents: &Contents) -> HashKey {
    contents.cache.key(KEY_CONTEXT)
}

/// Makes the index of a tree, and writes it in the place of the older one where that can be.
fn make(
    repo: &Repository,
    state: &StateDir,
    contents: &Contents,
    tree: NodeId,
) -> Result<WordIndex, FilesError> {
    let read = ReadFiles::of(repo, state, contents, tree)?;
    let (draft, snapshot) = read.draft()?;
    let name = NAMES.map(|name| {
        let file = contents.cache.open(name, INDEX_BYTES_MAX).ok();
        let known = file.and_then(|file| IndexFile::open(IndexBytes::File(file), key(contents)));
        (known.map_or(0, |known| known.sequence()), name)
    });
    let (newest, (_, oldest)) = (
        name.iter().max(),
        name.iter().min().copied().unwrap_or((0, NAMES[0])),
    );
    let sequence = newest.map_or(0, |(sequence, _)| *sequence) + 1;
    let stamp = IndexStamp { snapshot, sequence };
    let write = |out: &mut dyn io::Write| {
        let mut words = |number| read.words(number).map_err(io::Error::other);
        draft.write(out, &mut words, &key(contents), stamp)
    };
    let on_disk = || {
        contents.cache.create().ok()?;
        let written = contents.cache.replace(oldest, |file| {
            let mut out = BufWriter::with_capacity(1 << 20, file);
            write(&mut out)?;
            out.flush()
        });
        let file = written
            .and_then(|()| contents.cache.open(oldest, INDEX_BYTES_MAX))
            .ok()?;
        IndexFile::open(IndexBytes::File(file), key(contents))?.read()
    };
    if let Some(index) = on_disk() {
        return Ok(index);
    }
    let mut bytes = Vec::new();
    write(&mut bytes).map_err(|error| {
        let error = error.downcast::<FilesError>();
        error.expect("memory takes all bytes, so words were not read")
    })?;
    let index = IndexFile::open(IndexBytes::Bytes(bytes), key(contents)).and_then(IndexFile::read);
    Ok(index.expect("what was just written reads back"))
}

/// The files of a tree, in the order of their paths, with what is to be indexed of them.
struct ReadFiles<'r> {
    repo: &'r Repository,
    contents: &'r Contents,
    tree: NodeId,
    files: Arc<Files>,
    /// In the order in which they are indexed.
    order: IndexVec<CandidateNumber, FileNumber>,
    words: IndexVec<CandidateNumber, ReadWords>,
}

/// The words of one file.
enum ReadWords {
    /// In the cache.
    Cached,
    /// No cache takes them.
    Kept(Words),
    /// This clone does not hold the file.
    Absent,
}

impl<'r> ReadFiles<'r> {
    /// Reads all contents that are not in the cache; what was found stays there, and not in memory.
    fn of(
        repo: &'r Repository,
        state: &StateDir,
        contents: &'r Contents,
        tree: NodeId,
    ) -> Result<Self, FilesError> {
        let files = Files::read(repo, state.shelf(), tree, FILES_MAX)?;
        let mut order: IndexVec<CandidateNumber, FileNumber> = files.paths.indices().collect();
        order.sort_unstable_by_key(|number| &files.paths[*number].0);
        let work = |repo: &Repository, at: usize| -> Result<ReadWords, FilesError> {
            let (path, content) = files.at(order[CandidateNumber::new(at)]);
            let is_cached = || contents.words.has(content.id, content.language);
            if is_cached() {
                return Ok(ReadWords::Cached);
            }
            let words = contents.words_of(repo, content, last_name(path));
            Ok(match words.map_err(|source| failed(path, source))? {
                None => ReadWords::Absent,
                Some(_) if is_cached() => ReadWords::Cached,
                Some(words) => ReadWords::Kept(words),
            })
        };
        let words = on_all_cores(order.len(), repo, || repo.fork(), work);
        let words = words.into_iter().collect::<Result<_, _>>()?;
        Ok(Self {
            repo,
            contents,
            tree,
            files,
            order,
            words,
        })
    }

    /// The words of the file at a place of the order; none where this clone does not hold it.
    fn words(&self, at: CandidateNumber) -> Result<Words, FilesError> {
        match &self.words[at] {
            ReadWords::Kept(words) => Ok(words.clone()),
            ReadWords::Absent => Ok(Words::default()),
            ReadWords::Cached => {
                let (path, content) = self.files.at(self.order[at]);
                let words = self.contents.words_of(self.repo, content, last_name(path));
                words
                    .map_err(|source| failed(path, source))
                    .map(Option::unwrap_or_default)
            }
        }
    }

    fn draft(&self) -> Result<(IndexDraft, IndexedTree), FilesError> {
        let mut draft = IndexDraft::default();
        let mut absent = 0;
        for (at, number) in self.order.iter_enumerated() {
            let (path, content) = self.files.at(*number);
            let is_there = !matches!(self.words[at], ReadWords::Absent);
            absent += u32::from(!is_there);
            let definitions = &self.contents.definitions;
            let definitions = definitions.place(content.id, content.language);
            let file = IndexedFile {
                id: content.id,
                is_there,
                definitions: definitions.unwrap_or_default(),
            };
            draft.add(path, &self.words(at)?, file);
        }
        let snapshot = IndexedTree {
            tree: self.tree,
            files: to_u32(self.order.len()),
            absent,
            is_cut: self.files.is_cut,
            is_fixed: self.files.is_cut || self.files.is_redacted,
        };
        Ok((draft, snapshot))
    }
}

fn failed(path: &[u8], source: ObjectError) -> FilesError {
    FilesError::Object {
        path: TreePath::new(path),
        source,
    }
}
