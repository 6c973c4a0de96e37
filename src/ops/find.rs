//! A question to a snapshot: reads what is known of its files and of its past, and ranks them.
//!
//! Each content and each commit is read once and kept under its id, and the words of a snapshot by term (`ops/index.rs`): a
//! question costs what has changed since the last one, and a look at what is kept of its own words.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, HashMap, HashSet};
use std::ops::Range;
use std::sync::Arc;

use super::carried::{self, PeopleSay};
use super::files::FilesError;
use super::index::{Contents, Listing};
use super::refresh;
use super::signing;
use super::staleness::state_word;
use crate::agent::OUTLINE;
use crate::base::cores::{beside, on_all_cores};
use crate::base::number::IndexVec;
use crate::base::path::quote;
use crate::base::printable::one_line;
use crate::base::{Digest, NodeId, NodeKind, TreePath};
use crate::find::{
    CandidateNumber, Definitions, FIELDS, Hit, Hits, Ladder, Mentions, Name, NameUse, NamingFile,
    Occurrences, Past, PhraseFit, Phrases, Query, Ranked, Searched, Steps, Terms, Weights, Words,
    add_looked_into, rank, words_of,
};
use crate::frame::entry::read_blob;
use crate::frame::{BasisKind, Frame, Head, Slot, Store, StoreError};
use crate::git::{Repository, StateDir};
use crate::node::SnapshotRoot;
use crate::regen::record::object_cache;
use crate::secret::{Allowed, Scanner, redact};
use crate::sync::Attested;
use crate::workspace::Workspace;

pub use super::index::FILES_MAX;

/// Files that are looked into at once.
const LOOKED_INTO: usize = 64;
/// Files that are looked into for a name however small the answer, unless fewer are enough.
const NAMED_IN_MIN: usize = 128;
/// Notes on directories that are shown.
const DIRECTORY_NOTES_MAX: usize = 3;
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

/// The files of a snapshot, ready for questions.
pub struct Findable<'w> {
    repository: &'w Repository,
    state: &'w StateDir,
    /// The root of the snapshot.
    pub tree: NodeId,
    contents: Contents,
    listing: Arc<Listing>,
    /// The newest commits first.
    past: Vec<Past>,
    said: Arc<AllSaid>,
}

/// What is said about a snapshot.
#[derive(Default)]
struct AllSaid {
    /// By the number of a file, what people and models say about it.
    files: HashMap<CandidateNumber, Vec<FileStatement>>,
    /// What people say about directories: no file has these words.
    directories: Vec<(TreePath, FileStatement)>,
}

/// A statement about a file or directory.
struct FileStatement {
    /// With its author and state, on one line.
    shown: String,
    words: Words,
}

/// The rank of files for a question.
pub struct Ranking {
    /// The best first, as many as were wanted; behind them the others in no order.
    pub files: Vec<Ranked>,
    /// What each term of the question says.
    pub terms: Terms,
    occurrences: Occurrences,
    /// What the files define that were looked into for their rank.
    definitions: HashMap<CandidateNumber, Arc<Definitions>>,
    /// Where the files have much of the question word by word.
    phrases: HashMap<CandidateNumber, u32>,
    /// True when one of these defines the name of the question for the owner that it names: others are left out.
    is_owned: bool,
}

impl Ranking {
    /// How often each sort of a file's text has each term of the question.
    #[must_use]
    pub fn counts(&self, number: CandidateNumber) -> Vec<[u8; FIELDS]> {
        let count = self.occurrences.lists.len();
        let of_text = |term| {
            let [names, prose, quoted, code, _] = self.occurrences.counts(number, term);
            [names, prose, quoted, code]
        };
        (0..count).map(of_text).collect()
    }

    /// The best files, of which nothing is known yet.
    #[must_use]
    pub fn best_files(&self, count_max: usize) -> Best {
        // Files that have the words of a name, and not the name, take no room in an answer.
        let count_min = if self.terms.is_declared {
            NAMED_IN_MIN
        } else {
            0
        };
        Best {
            count: count_max.max(count_min).min(self.files.len()),
            hits: Vec::new(),
        }
    }
}

/// The best files, and what an answer has looked into: the next one about the same goes on from there.
pub struct Best {
    count: usize,
    /// The files at the front with what can be shown of them.
    pub hits: Vec<Hit>,
}

impl Best {
    /// How many of these have the words of the name that the question is, and not the name: no answer shows them.
    #[must_use]
    pub fn without_name(&self) -> usize {
        let mentions = self.hits.iter().filter_map(|hit| hit.mentions.as_ref());
        mentions.filter(|mentions| mentions.is_empty()).count()
    }
}

/// Reads the paths of a root tree and the past of a commit; what is ignored, links and submodules are left out.
pub fn findable<'w>(
    repo: &'w Repository,
    state: &'w StateDir,
    tree: NodeId,
    history: Option<NodeId>,
) -> Result<Findable<'w>, FindError> {
    let cache = state.cache();
    std::thread::scope(|scope| {
        let (other, cache) = (repo.fork(), &cache);
        let past = beside(scope, move || past(&other, history, cache));
        let contents = Contents::of(cache.clone());
        let listing = Listing::of(repo, state, &contents, tree)?;
        Ok(Findable {
            repository: repo,
            state,
            tree,
            contents,
            listing,
            past: past.join(),
            said: Arc::default(),
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
    let (shelf, attested) = (workspace.state.shelf(), signing::attested(workspace, store));
    let agents = workspace.agents_digest();
    let fits = |kept: &KeptSaid| {
        (kept.tree, kept.history, kept.store) == (root.tree, root.history, store.commit())
            && (kept.agents, kept.signers) == (agents, attested.signers())
    };
    if let Some(kept) = shelf.find(fits) {
        findable.said = Arc::clone(&kept.said);
        return Ok(());
    }
    let said = said_of_files(workspace, findable, root, store, &attested)?;
    findable.said = Arc::new(said);
    // Entries that are passed over are told about each time.
    if workspace.skipped.is_empty() {
        let kept = KeptSaid {
            tree: root.tree,
            history: root.history,
            store: store.commit(),
            signers: attested.signers(),
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
    signers: Option<Digest>,
    agents: Digest,
    said: Arc<AllSaid>,
}

fn said_of_files(
    workspace: &Workspace,
    findable: &Findable<'_>,
    root: &SnapshotRoot,
    store: &Store<'_>,
    attested: &Attested<'_>,
) -> Result<AllSaid, FindError> {
    let mut index = refresh::index(&workspace.state, store, 0)?;
    let is_spoken = |(_, slot): &(usize, &Slot)| slot.agent.as_str() != OUTLINE;
    let slots: Vec<u16> = index
        .slots()
        .iter()
        .enumerate()
        .filter(is_spoken)
        .filter_map(|(at, _)| u16::try_from(at).ok())
        .collect();
    let people = carried::people_say(&workspace.repository, &workspace.state, store, root)?;
    let mut all = AllSaid::default();
    if slots.is_empty() && people.is_silent() {
        return Ok(all);
    }
    all.directories = directories_said(&people, attested);
    index.prepare(findable.listing.len() * slots.len());
    for (number, path) in findable.files() {
        let node = findable.object(number)?;
        let notes = people.notes(&node, path).map(|(frame, carried)| {
            let state = match (carried, frame.made_elsewhere(path)) {
                (Some(carried), _) => carried.age(),
                (None, Some(made_at)) => {
                    format!("fresh, made at {}", quote(made_at.shown(), false))
                }
                (None, None) => "fresh".to_owned(),
            };
            said(frame, &attested.speaker(frame), &state)
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
                &attested.speaker(&head.frame),
                state_word(workspace, store, root.tree, &head),
            ));
        }
        if !of_file.is_empty() {
            all.files.insert(number, of_file);
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

impl Findable<'_> {
    /// The numbers of the files with their paths, in no order that means anything.
    pub fn files(&self) -> impl Iterator<Item = (CandidateNumber, &[u8])> {
        self.listing.paths()
    }

    /// True when there are more files than are looked at.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.listing.is_cut()
    }

    /// How many files' content this clone does not hold.
    #[must_use]
    pub fn absent(&self) -> usize {
        self.listing.absent
    }

    /// The path of a file.
    #[must_use]
    pub fn path(&self, number: CandidateNumber) -> &[u8] {
        self.listing.path(number)
    }

    /// The object of a file.
    pub fn object(&self, number: CandidateNumber) -> Result<NodeId, FindError> {
        Ok(self.listing.object(self.repository, number)?)
    }

    /// Leaves out the commits with a first line: what says the same as a question would answer it.
    pub fn forget(&mut self, subject: u32) {
        self.past.retain(|past| past.subject != subject);
    }

    /// Ranks the files that are wanted, the best `sorted` of them in order.
    pub fn rank(
        &self,
        question: &Query,
        wanted: &dyn Fn(&[u8]) -> bool,
        sorted: usize,
        weights: &Weights,
    ) -> Result<Ranking, FindError> {
        let (repo, contents) = (self.repository, &self.contents);
        let occurrences = self
            .listing
            .occurrences(repo, self.state, contents, &question.terms)?;
        let mut is_wanted = IndexVec::from_vec(vec![false; self.listing.len()]);
        for (number, _) in self.files().filter(|(_, path)| wanted(path)) {
            is_wanted[number] = true;
        }
        let said = self.said.files.iter();
        let said: HashMap<CandidateNumber, Hits> = said
            .map(|(number, said)| (*number, sum(said, question)))
            .collect();
        let searched = Searched {
            occurrences: &occurrences,
            is_wanted: &is_wanted,
            path: &|number| self.path(number),
            find: &|path| self.listing.find(path.as_bytes()),
            past: &self.past,
            said: &said,
        };
        let (mut files, terms) = rank(question, &searched, sorted.max(NAMED_IN_MIN), weights);
        let best = files.len().min(LOOKED_INTO);
        let best = &mut files[..best];
        let definitions = self.definitions_of(best)?;
        let numbers = best.iter().map(|ranked| ranked.number);
        let definitions: HashMap<_, _> = numbers.zip(definitions).collect();
        let name = terms.name_in(question);
        let fit = |ranked: &Ranked| {
            let list = definitions[&ranked.number].list.iter();
            let fits = list.map(|definition| match name {
                // A class is where most of it stands, wherever it is opened again.
                Some(name) => f64::from(name.lines_of(definition)),
                None => definition.fit(question, &terms),
            });
            fits.fold(0.0, f64::max)
        };
        let found = match name {
            Some(_) => vec![None; best.len()],
            None => self.phrases_of(question, &terms, best)?,
        };
        let share = |found: &Option<PhraseFit>| found.map_or(0.0, |found| found.share);
        let fits: Vec<(f64, f64)> = best.iter().map(fit).zip(found.iter().map(share)).collect();
        let told = best.iter().zip(&found).filter_map(|(ranked, found)| {
            let found = found.filter(|found| found.is_told())?;
            Some((ranked.number, found.line))
        });
        let phrases = told.collect();
        add_looked_into(best, &fits, &|number| self.path(number), weights);
        let mut is_owned = false;
        if let Some(name) = name {
            let is_of_owner = |ranked: &Ranked| {
                let path = String::from_utf8_lossy(self.path(ranked.number));
                let mut list = definitions[&ranked.number].list.iter();
                list.any(|definition| name.is_owned(definition, &path))
            };
            is_owned = best.iter().any(is_of_owner);
            best.sort_by_cached_key(|ranked| {
                let mut list = definitions[&ranked.number].list.iter();
                let is_whole = list.any(|definition| name.is_whole_owner(definition));
                (!is_whole, !is_of_owner(ranked), fit(ranked) <= 0.0)
            });
        }
        Ok(Ranking {
            files,
            terms,
            occurrences,
            definitions,
            phrases,
            is_owned,
        })
    }

    /// The answer within a number of tokens.
    ///
    /// Further files are looked into until none could have a line in it.
    pub fn answer(
        &self,
        question: &Query,
        ranking: &Ranking,
        best: &mut Best,
        tokens_max: u64,
    ) -> Result<Ladder, FindError> {
        let steps = Steps::default();
        let mut count = best.hits.len().max(LOOKED_INTO);
        loop {
            count = count.min(best.count);
            let from = best.hits.len();
            best.hits.extend(self.found(ranking, from..count)?);
            if let Some(name) = ranking.terms.name_in(question) {
                self.add_mentions(name, ranking, &mut best.hits, from)?;
            }
            let ladder = Ladder::within(&best.hits, question, &ranking.terms, tokens_max, &steps);
            // What declares a name comes first, so what follows may have more words of it.
            let left = ranking.files[count..best.count]
                .iter()
                .map(|left| left.score);
            let share =
                left.fold(0.0, f64::max) / ranking.files.first().map_or(1.0, |first| first.score);
            if count == best.count || ladder.cut > steps.most(count + 1, share.min(1.0)) {
                return Ok(ladder);
            }
            count *= 2;
        }
    }

    /// The notes on directories that have half of a question's words or more, those with the most first: each as its path and
    /// what is said, on one line.
    #[must_use]
    pub fn directory_notes(&self, question: &Query) -> Vec<(String, &str)> {
        let has = |counts: &[u8; FIELDS]| counts.iter().any(|count| *count > 0);
        let words = question.word_count;
        let fits = |(path, said): &'_ (TreePath, FileStatement)| {
            let counts = said.words.hits(&question.terms).counts;
            let found = counts
                .iter()
                .take(words)
                .filter(|counts| has(counts))
                .count();
            let name = if path.is_root() {
                "./".to_owned()
            } else {
                quote(path.as_bytes(), false) + "/"
            };
            (2 * found >= words.max(1)).then(|| (found, one_line(&name)))
        };
        let notes = self.said.directories.iter();
        let mut notes: Vec<_> = notes
            .filter_map(|note| Some((fits(note)?, &*note.1.shown)))
            .collect();
        notes.sort_by_key(|((found, _), _)| Reverse(*found));
        let notes = notes.into_iter().take(DIRECTORY_NOTES_MAX);
        notes.map(|((_, path), shown)| (path, shown)).collect()
    }

    /// Leaves out the files that have the words of the name that the question is, and not the name.
    pub fn keep_named(&self, question: &Query, ranking: &mut Ranking) -> Result<(), FindError> {
        let Some(name) = ranking.terms.name_in(question) else {
            return Ok(());
        };
        let mut hits = self.found(ranking, 0..ranking.files.len())?;
        self.add_mentions(name, ranking, &mut hits, 0)?;
        let mut has_name = hits.iter().map(|hit| {
            let mentions = hit.mentions.as_ref();
            mentions.is_some_and(|mentions| !mentions.is_empty())
        });
        ranking
            .files
            .retain(|_| has_name.next().expect("one for each file"));
        Ok(())
    }

    /// Adds what the files from a place on have of a name.
    fn add_mentions(
        &self,
        name: &Name,
        ranking: &Ranking,
        hits: &mut [Hit],
        from: usize,
    ) -> Result<(), FindError> {
        let listing = &self.listing;
        let known: Vec<(CandidateNumber, &Hit)> = ranking
            .files
            .iter()
            .map(|ranked| ranked.number)
            .zip(&*hits)
            .skip(from)
            .collect();
        let work = |repo: &Repository, at: usize| {
            let (number, hit) = known[at];
            let read = |text: &str, language| {
                let file = NamingFile {
                    path: &hit.path,
                    definitions: &hit.definitions,
                    text,
                    language,
                };
                Mentions::of(name, &file, ranking.is_owned)
            };
            listing.with_text(repo, number, read)
        };
        let repo = self.repository;
        let found = on_all_cores(known.len(), repo, || repo.fork(), work);
        for (hit, found) in hits[from..].iter_mut().zip(found) {
            hit.mentions = Some(found?.unwrap_or_default());
        }
        Ok(())
    }

    /// Some of the files of a rank, of which the best is the first, with what can be shown of them.
    pub fn found(&self, ranking: &Ranking, some: Range<usize>) -> Result<Vec<Hit>, FindError> {
        let Ranking {
            files,
            definitions: known,
            ..
        } = ranking;
        let wanted = &files[some];
        let is_new = |ranked: &&Ranked| !known.contains_key(&ranked.number);
        let new: Vec<Ranked> = wanted.iter().filter(is_new).copied().collect();
        let mut new = self.definitions_of(&new)?.into_iter();
        let mut definitions = |ranked: &Ranked| match known.get(&ranked.number) {
            Some(known) => Arc::clone(known),
            None => new.next().expect("one for each that was not known"),
        };
        let mut hit = |ranked: &Ranked| {
            let definitions = definitions(ranked);
            let phrase = ranking.phrases.get(&ranked.number);
            let phrase = phrase.map(|line| NameUse::at(&definitions, *line));
            Hit {
                path: one_line(&quote(self.listing.path(ranked.number), false)),
                // What declares a name comes before what writes it more often.
                share: (ranked.score / files[0].score).min(1.0),
                said: self
                    .said
                    .files
                    .get(&ranked.number)
                    .into_iter()
                    .flatten()
                    .map(|said| said.shown.clone())
                    .collect(),
                definitions,
                mentions: None,
                phrase,
            }
        };
        Ok(wanted.iter().map(&mut hit).collect())
    }

    /// The phrase of a question that says most in each of some files.
    fn phrases_of(
        &self,
        question: &Query,
        terms: &Terms,
        some: &[Ranked],
    ) -> Result<Vec<Option<PhraseFit>>, FindError> {
        let Some(phrases) = Phrases::of(question, terms, self.listing.len()) else {
            return Ok(vec![None; some.len()]);
        };
        let listing = &self.listing;
        let work = |repo: &Repository, at: usize| {
            let fit = |text: &str, language| phrases.fit(text, language);
            let found = listing.with_text(repo, some[at].number, fit)?;
            Ok(found.flatten())
        };
        let repo = self.repository;
        let found = on_all_cores(some.len(), repo, || repo.fork(), work);
        found.into_iter().collect()
    }

    /// What some files define, in their order.
    fn definitions_of(&self, ranked: &[Ranked]) -> Result<Vec<Arc<Definitions>>, FindError> {
        let (listing, contents) = (&self.listing, &self.contents);
        let work = |repo: &Repository, at: usize| {
            let found = listing.definitions(repo, contents, ranked[at].number)?;
            Ok(Arc::new(found))
        };
        let repo = self.repository;
        let found = on_all_cores(ranked.len(), repo, || repo.fork(), work);
        found.into_iter().collect()
    }
}

/// What people say about directories, where these stand.
fn directories_said(people: &PeopleSay, attested: &Attested<'_>) -> Vec<(TreePath, FileStatement)> {
    let of = |frame: &Frame, state: &str| said(frame, &attested.speaker(frame), state);
    let is_directory = |frame: &&Frame| frame.kind == NodeKind::Directory;
    let standing = people.standing.values().flatten().filter(is_directory);
    let standing = standing.filter_map(|frame| Some((frame.path.clone()?, of(frame, "fresh"))));
    let carried = people.carried.iter().flat_map(|(path, all)| {
        let all = all.iter().filter(|one| is_directory(&&one.frame));
        all.map(|one| (path.clone(), of(&one.frame, &one.age())))
    });
    let mut said: Vec<_> = standing.chain(carried).collect();
    said.sort_by(|one, other| one.0.cmp(&other.0));
    said
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
fn said(frame: &Frame, speaker: &str, state: &str) -> FileStatement {
    // Markers go in first: some secrets are known by their lines.
    let content = redact(&frame.content, Scanner::built_in(), &Allowed::default()).text;
    let text = content.split_whitespace().collect::<Vec<_>>().join(" ");
    let shown = format!("{speaker}, {state}: {text}");
    FileStatement {
        shown,
        words: words_of(&content),
    }
}
