//! A question to a snapshot: reads what is known of its files and of its past, and ranks them.
//!
//! Each content and each commit is read once and kept under its id, so a question costs what has changed since the last one,
//! and a look at what is kept.

use std::collections::{BinaryHeap, HashMap, HashSet};

use super::carried::{self, Carried};
use super::files::{Content, Files, FilesError};
use super::payload;
use super::refresh;
use crate::agent::OUTLINE;
use crate::base::NodeId;
use crate::base::cores::{beside, on_all_cores};
use crate::base::path::quote;
use crate::base::printable::one_line;
use crate::context::tree::Tree;
use crate::find::{
    Candidate, Definitions, FIELDS, Hit, Hits, Past, Query, Ranked, Term, Terms, Weights, Words,
    rank, read, words_of,
};
use crate::frame::store::read_blob;
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
struct Corpus {
    files: Files,
    records: Records,
    words: ObjectCache<Words>,
    definitions: ObjectCache<Definitions>,
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
    said: HashMap<u32, Vec<FileStatement>>,
    /// True when there are more files than are looked at.
    pub is_cut: bool,
}

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
        let past = past(repo, history, &cache);
        let paths = Tree::read(repo, tree).map_err(FilesError::from)?;
        let (definitions, files, records) = (
            object_cache(&cache),
            Files::of(&paths, FILES_MAX),
            Records::of(&cache),
        );
        let is_cut = files.is_cut;
        let corpus = Corpus {
            files,
            records,
            words: words.join(),
            definitions,
        };
        Ok(Findable {
            repository: repo,
            tree,
            corpus,
            past,
            said: HashMap::new(),
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
    let index = refresh::index(
        &workspace.state,
        store,
        findable.corpus.files.contents.len(),
    )?;
    let is_spoken = |(_, slot): &(usize, &Slot)| slot.agent.as_str() != OUTLINE;
    let slots: Vec<u16> = index
        .slots()
        .iter()
        .enumerate()
        .filter(is_spoken)
        .map(|(at, _)| at as u16)
        .collect();
    let people = carried::people_say(&workspace.repository, &workspace.state, store, root)?;
    for number in 0..findable.corpus.files.paths.len() as u32 {
        let (node, path) = (findable.object(number), findable.path(number));
        let notes = people.notes(&node, path).map(|(frame, carried)| {
            let state = carried.map_or_else(|| "fresh".to_owned(), Carried::age);
            said(frame, &state)
        });
        let mut all: Vec<FileStatement> = notes.collect();
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
            all.push(said(
                &head.frame,
                payload::state_word(workspace, store, root.tree, &head),
            ));
        }
        if !all.is_empty() {
            findable.said.insert(number, all);
        }
    }
    Ok(())
}

/// The newest commits that lead to a commit, itself first.
fn past(repo: &Repository, history: Option<NodeId>, cache: &StateDir) -> Vec<Past> {
    let Some(tip) = history else {
        return Vec::new();
    };
    let known: ObjectCache<Past> = object_cache(cache);
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
        })?;
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
        &self.corpus.files.paths[number as usize].0
    }

    /// The object of a file.
    #[must_use]
    pub fn object(&self, number: u32) -> NodeId {
        self.content(number).id
    }

    fn content(&self, number: u32) -> &Content {
        &self.corpus.files.contents[self.corpus.files.paths[number as usize].1 as usize]
    }

    /// What each content has of some terms; what was not read before is read now. `None` for what this clone does not hold.
    pub fn hits(&self, terms: &[Term]) -> Result<Vec<Option<Hits>>, FindError> {
        let (repo, corpus) = (self.repository, &self.corpus);
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
        let none = Hits::default();
        let numbers: Vec<u32> = (0..self.corpus.files.paths.len() as u32)
            .filter(|number| wanted(self.path(*number)))
            .collect();
        let said = |number: &u32| self.said.get(number).map(|said| sum(said, question));
        let said: Vec<Option<Hits>> = numbers.iter().map(said).collect();
        let candidates: Vec<Candidate<'_>> = numbers
            .iter()
            .zip(&said)
            .map(|(number, said)| {
                let (path, content) = &self.corpus.files.paths[*number as usize];
                Candidate {
                    path,
                    hits: hits[*content as usize].as_ref().unwrap_or(&none),
                    said: said.as_ref(),
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

    /// A file with what can be shown of it.
    pub fn found(&self, number: u32) -> Result<Hit, FindError> {
        let content = self.content(number);
        let failed = |source| self.corpus.files.failed(content, source);
        let definitions = match self.corpus.definitions.get(content.id, content.language) {
            Some(known) => known,
            None => self
                .corpus
                .read(self.repository, content)
                .map_err(failed)?
                .map(|(_, found)| found)
                .unwrap_or_default(),
        };
        let said = self
            .said
            .get(&number)
            .into_iter()
            .flatten()
            .map(|said| said.shown.clone())
            .collect();
        Ok(Hit {
            path: one_line(&quote(self.path(number), false)),
            said,
            definitions,
        })
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
