//! A question to a snapshot: reads what is known of its files and of its past, and ranks them.
//!
//! Each content and each commit is read once and kept under its id, so a question costs what has changed since the last one,
//! and a look at what is kept.

use std::collections::{BinaryHeap, HashMap, HashSet};
use std::sync::Arc;

use super::carried::{self, Carried};
use super::files::{Content, Files, FilesError};
use super::lexicon::Lexicon;
use super::{payload, refresh};
use crate::agent::OUTLINE;
use crate::base::cores::{beside, on_all_cores};
use crate::base::path::quote;
use crate::base::printable::one_line;
use crate::base::{Digest, NodeId, Shelf};
use crate::find::{
    Candidate, Definitions, FIELDS, Hit, Hits, Past, Query, Ranked, Term, Terms, Weights, Words,
    rank, read, words_of,
};
use crate::frame::entry::read_blob;
use crate::frame::{BasisKind, Frame, Head, Slot, Store, StoreError};
use crate::git::{ObjectError, Repository, StateDir};
use crate::node::SnapshotRoot;
use crate::regen::record::{Blob, Records, object_cache, with_blob};
use crate::secret::{Allowed, Scanner, redact};
use crate::symbol::ObjectCache;
use crate::synthesis::outline;
use crate::workspace::Workspace;

/// Most files of one snapshot that are looked at.
pub const FILES_MAX: usize = 500_000;
/// How many commits back the past goes.
pub const COMMITS_MAX: usize = 2_000;

/// Why there is no answer.
#[derive(Debug, thiserror::Error)]
pub enum FindError {
    /// The files cannot be read.
    #[error(transparent)]
    Files(#[from] FilesError),
    /// What is said cannot be read.
    #[error(transparent)]
    Store(#[from] StoreError),
}

/// What is known of the contents of a snapshot; shared by threads.
pub(super) struct Corpus {
    pub(super) files: Arc<Files>,
    records: Records,
    words: Arc<ObjectCache<Words>>,
    definitions: Arc<ObjectCache<Definitions>>,
    /// The words of the contents by term, in a process that is asked again.
    lexicon: Option<Arc<Lexicon>>,
    shelf: Shelf,
}

/// The files of a snapshot, ready to be asked about.
pub struct Findable<'w> {
    repository: &'w Repository,
    /// The root of the snapshot.
    pub tree: NodeId,
    corpus: Corpus,
    /// The newest commits first.
    past: Vec<Past>,
    /// By the number of a file, what people and models say about it.
    said: Arc<SaidOfFiles>,
    /// True when there are more files than are looked at.
    pub is_cut: bool,
}

/// By the number of a file, what people and models say about it.
type SaidOfFiles = HashMap<u32, Vec<FileStatement>>;

/// A statement about a file.
struct FileStatement {
    /// With its author and state, on one line.
    shown: String,
    words: Words,
}

/// The rank of files for a question.
pub struct Ranking {
    /// The best first.
    pub files: Vec<Ranked>,
    /// What each term of the question says.
    pub terms: Terms,
    /// Files whose content this clone does not hold.
    pub absent: usize,
}

impl Ranking {
    /// The numbers of the best files.
    #[must_use]
    pub fn best(&self, count_max: usize) -> Vec<u32> {
        let best = self.files.iter().take(count_max);
        best.map(|ranked| ranked.number).collect()
    }
}

/// Reads the paths of a root tree and the past of a commit; what is ignored, links and submodules are left out.
pub fn findable<'w>(
    repo: &'w Repository,
    state: &StateDir,
    tree: NodeId,
    history: Option<NodeId>,
) -> Result<Findable<'w>, FindError> {
    let cache = state.cache();
    std::thread::scope(|scope| {
        let words = beside(scope, || object_cache::<Words>(&cache));
        let shelf = state.shelf();
        let past = past(repo, history, &cache);
        let (definitions, files, records) = (
            object_cache(&cache),
            Files::read(repo, shelf, tree, FILES_MAX)?,
            Records::of(&cache),
        );
        let is_cut = files.is_cut;
        let corpus = Corpus {
            records,
            words: words.join(),
            definitions,
            shelf: shelf.clone(),
            lexicon: shelf
                .lasts()
                .then(|| Lexicon::on(shelf, files.contents.len())),
            files,
        };
        Ok(Findable {
            repository: repo,
            tree,
            corpus,
            past,
            said: Arc::default(),
            is_cut,
        })
    })
}

/// Adds what people and models say about the files of a snapshot; what a fixed rule made says nothing new.
pub fn add_said(
    workspace: &Workspace,
    findable: &mut Findable<'_>,
    root: &SnapshotRoot,
    store: &Store<'_>,
) -> Result<(), FindError> {
    if store.tree().is_none() {
        return Ok(());
    }
    let shelf = workspace.state.shelf();
    let agents = workspace.agents_digest();
    let fits = |kept: &KeptSaid| {
        (kept.tree, kept.history, kept.store) == (root.tree, root.history, store.commit())
            && kept.agents == agents
    };
    if let Some(kept) = shelf.find(fits) {
        findable.said = Arc::clone(&kept.said);
        return Ok(());
    }
    findable.said = Arc::new(said_of_files(workspace, findable, root, store)?);
    // Entries that are passed over are told about each time.
    if workspace.skipped.is_empty() {
        let kept = KeptSaid {
            tree: root.tree,
            history: root.history,
            store: store.commit(),
            agents,
            said: Arc::clone(&findable.said),
        };
        shelf.put(Arc::new(kept), 1);
    }
    Ok(())
}

/// What is said about the files of a snapshot, on the shelf with all that it depends on.
struct KeptSaid {
    tree: NodeId,
    history: Option<NodeId>,
    store: Option<NodeId>,
    agents: Digest,
    said: Arc<SaidOfFiles>,
}

fn said_of_files(
    workspace: &Workspace,
    findable: &Findable<'_>,
    root: &SnapshotRoot,
    store: &Store<'_>,
) -> Result<SaidOfFiles, FindError> {
    let mut index = refresh::index(&workspace.state, store, 0)?;
    let is_spoken = |(_, slot): &(usize, &Slot)| slot.agent.as_str() != OUTLINE;
    let slots: Vec<u16> = index
        .slots()
        .iter()
        .enumerate()
        .filter(is_spoken)
        .map(|(at, _)| at as u16)
        .collect();
    let people = carried::people_say(&workspace.repository, &workspace.state, store, root)?;
    let mut all = SaidOfFiles::new();
    if slots.is_empty() && people.is_silent() {
        return Ok(all);
    }
    index.prepare(findable.corpus.files.contents.len());
    for number in 0..findable.corpus.files.paths.len() as u32 {
        let (node, path) = (findable.object(number), findable.path(number));
        let notes = people.notes(&node, path).map(|(frame, carried)| {
            let state = carried.map_or_else(|| "fresh".to_owned(), Carried::age);
            said(frame, &state)
        });
        let mut of_file: Vec<FileStatement> = notes.collect();
        for record in slots
            .iter()
            .filter_map(|slot| index.find_head(&node, *slot))
        {
            if record.has_policy
                || record.is_invalidated()
                || record.basis_kind != BasisKind::Generated
            {
                continue;
            }
            let Ok(frame) = read_blob(&workspace.repository, &record.blob) else {
                continue;
            };
            let head = Head {
                frame,
                invalidated: false,
                seq_max: record.seq,
            };
            of_file.push(said(
                &head.frame,
                payload::state_word(workspace, store, root.tree, &head),
            ));
        }
        if !of_file.is_empty() {
            all.insert(number, of_file);
        }
    }
    Ok(all)
}

/// The newest commits that lead to a commit, itself first.
fn past(repo: &Repository, history: Option<NodeId>, cache: &StateDir) -> Vec<Past> {
    let Some(tip) = history else {
        return Vec::new();
    };
    let known = object_cache::<Past>(cache);
    let read = |id: NodeId| match known.get(id, None) {
        Some(past) => past,
        // A partial clone may not hold the trees of every commit: what it does not say, it does not say. A commit
        // without parents may be the edge of a shallow clone, which moves, so it is read each time.
        None => {
            let keep = |past: &Past| {
                if !past.parents.is_empty() {
                    known.put(id, None, past);
                }
            };
            Past::read(repo, &id).inspect(keep).unwrap_or_default()
        }
    };
    let (mut found, mut seen) = (Vec::new(), HashSet::from([tip]));
    let mut waiting = BinaryHeap::from([Waiting(0, tip, read(tip))]);
    while let Some(Waiting(_, _, past)) = waiting.pop().filter(|_| found.len() < COMMITS_MAX) {
        for parent in past.parents.iter().filter(|parent| seen.insert(**parent)) {
            let past = read(*parent);
            waiting.push(Waiting(past.seconds, *parent, past));
        }
        found.push(past);
    }
    found
}

/// A commit whose turn comes by its time, then by its id.
struct Waiting(u64, NodeId, Past);

impl PartialEq for Waiting {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other).is_eq()
    }
}

impl Eq for Waiting {}

impl PartialOrd for Waiting {
    fn partial_cmp(&self, other: &Self) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Waiting {
    fn cmp(&self, other: &Self) -> std::cmp::Ordering {
        (self.0, &self.1).cmp(&(other.0, &other.1))
    }
}

impl Corpus {
    fn hits_of(
        &self,
        repo: &Repository,
        content: &Content,
        terms: &[Term],
    ) -> Result<Option<Hits>, ObjectError> {
        let known = self.words.look(content.id, content.language, |bytes| {
            Words::hits_in(bytes, terms)
        });
        if known.is_some() {
            return Ok(known);
        }
        Ok(self
            .read(repo, content)?
            .map(|(words, _)| words.hits(terms)))
    }

    /// The words of a content; `None` for what this clone does not hold.
    pub(super) fn words_of(
        &self,
        repo: &Repository,
        content: &Content,
    ) -> Result<Option<Words>, ObjectError> {
        match self.words.get(content.id, content.language) {
            Some(known) => Ok(Some(known)),
            None => Ok(self.read(repo, content)?.map(|(words, _)| words)),
        }
    }

    fn definitions_of(
        &self,
        repo: &Repository,
        content: &Content,
    ) -> Result<Definitions, ObjectError> {
        match self.definitions.get(content.id, content.language) {
            Some(known) => Ok(known),
            None => Ok(self
                .read(repo, content)?
                .map(|(_, found)| found)
                .unwrap_or_default()),
        }
    }

    /// Reads a content and keeps what is found; `None` for what this clone does not hold.
    fn read(
        &self,
        repo: &Repository,
        content: &Content,
    ) -> Result<Option<(Words, Definitions)>, ObjectError> {
        let Content { id, language, .. } = content;
        let found = with_blob(repo, id, |blob| match blob {
            Blob::Absent => None,
            Blob::TooLarge(_) => Some(Default::default()),
            Blob::Data(data) => {
                let shown = outline::shown(data);
                Some(read(
                    &self.records.read(id, self.files.name(content), &shown),
                    &shown,
                ))
            }
        });
        let found = match found {
            // What is damaged is in no other file's way.
            Err(ObjectError::Damaged { .. }) => None,
            found => found?,
        };
        if let Some((words, definitions)) = &found {
            self.definitions.put(*id, *language, definitions);
            self.words.put(*id, *language, words);
        }
        Ok(found)
    }
}

impl Findable<'_> {
    /// The paths of the files, in their order.
    pub fn paths(&self) -> impl Iterator<Item = &[u8]> {
        self.corpus
            .files
            .paths
            .iter()
            .map(|(path, _)| path.as_slice())
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, number: u32) -> &[u8] {
        self.corpus.files.at(number).0
    }

    /// The object of a file.
    #[must_use]
    pub fn object(&self, number: u32) -> NodeId {
        self.content(number).id
    }

    fn content(&self, number: u32) -> &Content {
        self.corpus.files.at(number).1
    }

    /// What each content has of some terms; what was not read before is read now. `None` for what this clone does not hold.
    pub fn hits(&self, terms: &[Term]) -> Result<Vec<Option<Hits>>, FindError> {
        let (repo, corpus) = (self.repository, &self.corpus);
        if let Some(lexicon) = &corpus.lexicon {
            return lexicon.hits(repo, corpus, terms, &corpus.shelf);
        }
        let work =
            |repo: &Repository, at: usize| corpus.hits_of(repo, &corpus.files.contents[at], terms);
        let read = on_all_cores(corpus.files.contents.len(), repo, || repo.fork(), work);
        let contents = corpus.files.contents.iter();
        let failed = |source, content| FindError::from(corpus.files.failed(content, source));
        read.into_iter()
            .zip(contents)
            .map(|(hits, content)| hits.map_err(|source| failed(source, content)))
            .collect()
    }

    /// Leaves out the commits with a first line: what says the same as a question would answer it.
    pub fn forget(&mut self, subject: u32) {
        self.past.retain(|past| past.subject != subject);
    }

    /// Ranks the files that are wanted.
    pub fn rank(
        &self,
        question: &Query,
        wanted: &dyn Fn(&[u8]) -> bool,
        weights: &Weights,
    ) -> Result<Ranking, FindError> {
        let hits = self.hits(&question.terms)?;
        let (none, path_terms) = (Hits::default(), self.corpus.files.path_terms());
        let numbers: Vec<u32> = (0..self.corpus.files.paths.len() as u32)
            .filter(|number| wanted(self.path(*number)))
            .collect();
        let said = self.said.iter();
        let said: HashMap<u32, Hits> = said
            .map(|(number, said)| (*number, sum(said, question)))
            .collect();
        let candidates: Vec<Candidate<'_>> = numbers
            .iter()
            .map(|number| {
                let (path, content) = &self.corpus.files.paths[*number as usize];
                Candidate {
                    path,
                    path_terms: path_terms.get(*number as usize),
                    hits: hits[*content as usize].as_ref().unwrap_or(&none),
                    said: said.get(number),
                }
            })
            .collect();
        let past: Vec<&Past> = self.past.iter().collect();
        let (mut files, terms) = rank(question, &candidates, &past, weights);
        for ranked in &mut files {
            ranked.number = numbers[ranked.number as usize];
        }
        let absent = self
            .corpus
            .files
            .paths
            .iter()
            .filter(|(_, content)| hits[*content as usize].is_none())
            .count();
        Ok(Ranking {
            files,
            terms,
            absent,
        })
    }

    /// How often each sort of a file's text has each term of a question.
    pub fn counts(&self, number: u32, question: &Query) -> Result<Vec<[u8; FIELDS]>, FindError> {
        let content = self.content(number);
        let failed = |source| self.corpus.files.failed(content, source);
        let hits = self
            .corpus
            .hits_of(self.repository, content, &question.terms)
            .map_err(failed)?;
        Ok(hits.map(|hits| hits.counts).unwrap_or_default())
    }

    /// Files by their numbers, with what can be shown of them.
    pub fn found(&self, numbers: &[u32]) -> Result<Vec<Hit>, FindError> {
        let (repo, corpus, said) = (self.repository, &self.corpus, &self.said);
        let work = |repo: &Repository, at: usize| {
            let number = numbers[at];
            let (path, content) = corpus.files.at(number);
            let definitions = corpus
                .definitions_of(repo, content)
                .map_err(|source| corpus.files.failed(content, source))?;
            let said = said.get(&number).into_iter().flatten();
            Ok(Hit {
                path: one_line(&quote(path, false)),
                said: said.map(|said| said.shown.clone()).collect(),
                definitions,
            })
        };
        let found = on_all_cores(numbers.len(), repo, || repo.fork(), work);
        found.into_iter().collect()
    }
}

/// What several statements together have of a question.
fn sum(said: &[FileStatement], question: &Query) -> Hits {
    let mut sum = Hits {
        counts: vec![Default::default(); question.terms.len()],
        ..Hits::default()
    };
    for hits in said.iter().map(|said| said.words.hits(&question.terms)) {
        for (sum, more) in sum.counts.iter_mut().zip(hits.counts) {
            for (sum, more) in sum.iter_mut().zip(more) {
                *sum = sum.saturating_add(more);
            }
        }
    }
    sum
}

/// A statement as it is shown and searched.
fn said(frame: &Frame, state: &str) -> FileStatement {
    // Markers go in first: some secrets are known by their lines.
    let content = redact(&frame.content, Scanner::built_in(), &Allowed::default()).text;
    let text = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = format!("{}, {state}: {text}", frame.speaker());
    FileStatement {
        shown,
        words: words_of(&content),
    }
}
