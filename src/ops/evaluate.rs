//! Does it help? Real commits as questions: is what they changed found from their messages, in the state before them?
//!
//! | step | what is taken |
//! |---|---|
//! | commits | the newest that change one to five existing source files, with four words that say something; no merges, no bots |
//! | question | the message without names of files, see `find::truth` |
//! | content | the exact parent; ancestors' messages only, those with the same first line left out |
//! | right | the files that were changed, and the definitions around the changed lines that a map of the file names |
//!
//! Every row ranks the source files of the parent and fills the same tokens. Messages are not what people ask, and a file that
//! was not changed may matter as well: the figures compare rows, and promise nothing else.

use std::cell::RefCell;
use std::collections::{BTreeSet, HashMap};
use std::rc::Rc;

use serde::Serialize;

use super::files::FilesError;
use super::find::{FindError, Findable, Ranking};
use crate::base::number::{IndexSlice, IndexVec, define_index_type, to_f64, to_index, to_u32};
use crate::base::token::estimate;
use crate::base::{NodeId, TreePath};
use crate::find::score::{recall, reciprocal_rank};
use crate::find::{
    CandidateNumber, DefinitionNumber, Ladder, Line, Occurrences, Query, Searched, Steps, Weights,
    Words, path_terms, rank, words_of,
};
use crate::git::ObjectKind;
use crate::ops;
use crate::regen::record::Records;
use crate::symbol::map::{Detail, FileNumber, FileSymbols, Legend, MapFiles, SymbolMap};
use crate::symbol::{Symbol, render, shown_signature};
use crate::synthesis::outline;
use crate::workspace::Workspace;

mod case;

pub use case::{Case, cases};

use case::is_source;

/// Tokens of the answers.
pub const BUDGETS: [u64; 3] = [2_000, 8_000, 32_000];
/// How far down a ranking is looked.
pub const DEPTHS: [usize; 3] = [5, 10, 20];
/// The rows: what ranks, and what is shown.
pub const ROWS: [&str; 6] = [
    "paths",
    "map",
    "outlines",
    "full text",
    "find → map",
    "find",
];

/// How one row did for one commit.
#[derive(Debug, Clone, Copy, Default, Serialize)]
pub struct Figures {
    /// Share of the right files among the first 5, 10, 20.
    pub recall: [f64; 3],
    /// One through the place of the first right file.
    pub reciprocal_rank: f64,
    /// Share of the right files in 2,000, 8,000 and 32,000 tokens.
    pub files: [f64; 3],
    /// Share of the changed definitions that are named in these.
    pub named: [f64; 3],
    /// Share of those that are named with their signature.
    pub signed: [f64; 3],
}

/// How all rows did for one commit, in the order of [`ROWS`].
#[derive(Debug, Clone)]
pub struct CommitScore {
    /// The commit.
    pub commit: NodeId,
    /// Whether it changed definitions that can be found.
    pub has_definitions: bool,
    /// Of each row.
    pub rows: [Figures; ROWS.len()],
    /// The changed definitions, and those whose signature the whole outline of their file has: first of those that a map
    /// names, then of all.
    pub outlined: [SignatureShare; 2],
}

/// Some of a number.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct SignatureShare {
    /// How many.
    pub some: u32,
    /// Of how many.
    pub all: u32,
}

/// The outline and the full text of a content at a path.
type Texts = [Rc<Text>; 2];
/// These, and the signatures that the outline has, by name.
type KeptTexts = (Texts, Rc<BTreeSet<String>>);

/// A rendering of a content, its path in front, and what it costs.
struct Text {
    words: Words,
    shown: String,
    tokens: u64,
}

impl Text {
    fn of(shown: String) -> Rc<Self> {
        Rc::new(Self {
            words: words_of(&shown),
            tokens: estimate(&shown),
            shown,
        })
    }
}

/// Judges commits one after the other; what was read for one is kept for the next.
pub struct Judge<'w> {
    workspace: &'w Workspace,
    records: Records,
    texts: RefCell<HashMap<(NodeId, String), KeptTexts>>,
}

define_index_type! {
    /// The number of a source file of a parent.
    struct SourceNumber = u32;
}

type Sources = IndexSlice<SourceNumber, [Source]>;

/// A source file of a parent.
struct Source {
    path: String,
    number: CandidateNumber,
    in_map: FileNumber,
    texts: Texts,
    signatures: Rc<BTreeSet<String>>,
    block: Rc<Text>,
}

impl<'w> Judge<'w> {
    /// For the commits of a repository.
    #[must_use]
    pub fn new(workspace: &'w Workspace) -> Self {
        let records = Records::of(&workspace.state.cache());
        Self {
            workspace,
            records,
            texts: RefCell::default(),
        }
    }

    /// How all rows do for a commit.
    pub fn judge(&self, case: &Case) -> Result<CommitScore, EvaluateError> {
        let mut findable = ops::find::findable(
            &self.workspace.repository,
            &self.workspace.state,
            case.tree,
            Some(case.parent),
        )?;
        findable.forget(case.subject);
        let found =
            ops::map::symbols(&self.workspace.repository, &self.workspace.state, case.tree)?;
        let files = found.files();
        let map = found.map(&files);
        let sources = self.sources(&findable, &files, &map)?;
        let right: Vec<SourceNumber> = sources
            .indices()
            .filter(|at| case.files.contains(&sources[*at].path))
            .collect();
        let mut rows = [Figures::default(); ROWS.len()];
        let found = FoundSources::of(&findable, &sources, case)?;
        // Whole identifiers are a part of `find`.
        let words = case.question.of_words();
        let plain = |text: &dyn Fn(&Source) -> Rc<Text>| by_text(&sources, &words, text);
        let rankings = [
            by_path(&sources, &words),
            plain(&|source| Rc::clone(&source.block)),
            plain(&|source| Rc::clone(&source.texts[0])),
            plain(&|source| Rc::clone(&source.texts[1])),
            found.sources.clone(),
            found.sources.clone(),
        ];
        for (row, ranking) in rankings.iter().enumerate() {
            rows[row].recall = DEPTHS.map(|depth| recall(ranking, &right, depth));
            rows[row].reciprocal_rank = reciprocal_rank(ranking, &right);
            for (at, budget) in BUDGETS.into_iter().enumerate() {
                let shown = match row {
                    5 => found.ladder(&findable, case, budget)?,
                    _ => filled(&sources, ranking, row, budget),
                };
                let told = ScoredAnswer {
                    sources: &sources,
                    shown: &shown,
                    files: &files,
                    row,
                };
                rows[row].files[at] = told.files(&right);
                (rows[row].named[at], rows[row].signed[at]) = told.definitions(case);
            }
        }
        let (named, unnamed) = (
            outlined(&sources, &case.definitions),
            outlined(&sources, &case.unnamed),
        );
        let all = SignatureShare {
            some: named.some + unnamed.some,
            all: named.all + unnamed.all,
        };
        Ok(CommitScore {
            outlined: [named, all],
            commit: case.commit,
            has_definitions: !case.definitions.is_empty(),
            rows,
        })
    }

    fn sources(
        &self,
        findable: &Findable<'_>,
        files: &MapFiles<'_>,
        map: &SymbolMap<'_>,
    ) -> Result<IndexVec<SourceNumber, Source>, EvaluateError> {
        let in_map = files.iter_enumerated().map(|(at, file)| (file.path, at));
        let in_map: HashMap<&[u8], FileNumber> = in_map.collect();
        let mut sources = IndexVec::new();
        for (number, path) in findable.files().filter(|(_, path)| is_source(path)) {
            let (Ok(text), Some(in_map)) = (std::str::from_utf8(path), in_map.get(path)) else {
                continue;
            };
            let path = text.to_owned();
            let block = Text::of(map.block(*in_map, &Legend::default(), Detail::PRINTED));
            let (texts, signatures) = self.texts(findable.object(number)?, &path)?;
            sources.push(Source {
                path,
                number,
                in_map: *in_map,
                texts,
                signatures,
                block,
            });
        }
        Ok(sources)
    }

    fn texts(&self, id: NodeId, path: &str) -> Result<KeptTexts, EvaluateError> {
        if let Some(known) = self.texts.borrow().get(&(id, path.to_owned())) {
            return Ok(known.clone());
        }
        let mut data = Vec::new();
        let read = self
            .workspace
            .repository
            .read(&id, ObjectKind::Blob, &mut data);
        read.map_err(|source| FilesError::Object {
            path: TreePath::new(path),
            source,
        })?;
        let name = path.rsplit('/').next().unwrap_or_default();
        let outline = self
            .records
            .read(&id, name.as_bytes(), &outline::shown(&data));
        let rendered = render(&outline);
        let mut signatures = BTreeSet::new();
        add_signatures(&mut signatures, &outline.symbols, &rendered);
        let texts = [rendered, String::from_utf8_lossy(&data).into_owned()];
        let texts = texts.map(|text| Text::of(format!("{path}\n{text}\n")));
        let kept = (texts, Rc::new(signatures));
        self.texts
            .borrow_mut()
            .insert((id, path.to_owned()), kept.clone());
        Ok(kept)
    }
}

/// Adds the names of the symbols whose signatures a rendering has.
fn add_signatures(names: &mut BTreeSet<String>, symbols: &[Symbol], rendered: &str) {
    for symbol in symbols {
        let shown = shown_signature(symbol);
        let is_there = if shown == symbol.name {
            rendered.contains(&format!("`{shown}`"))
        } else {
            rendered.contains(&shown)
        };
        if is_there {
            let last = symbol.name.rsplit(['.', ':', '#']).next();
            names.extend([symbol.name.clone(), last.unwrap_or_default().to_owned()]);
        }
        add_signatures(names, &symbol.children, rendered);
    }
}

/// How many of some definitions have their signature in the outline of their file.
fn outlined(sources: &Sources, definitions: &[(String, String)]) -> SignatureShare {
    let has = |(path, name): &&(String, String)| {
        let mut there = sources.iter().filter(|source| source.path == *path);
        there.any(|source| source.signatures.contains(name))
    };
    SignatureShare {
        some: to_u32(definitions.iter().filter(has).count()),
        all: to_u32(definitions.len()),
    }
}

/// The source files as `find` ranks them, and what each term of the question counts.
struct FoundSources {
    sources: Vec<SourceNumber>,
    /// The same, with their scores.
    ranking: Ranking,
}

impl FoundSources {
    fn of(findable: &Findable<'_>, sources: &Sources, case: &Case) -> Result<Self, EvaluateError> {
        let places = sources
            .iter_enumerated()
            .map(|(at, source)| (source.number, at));
        let places: HashMap<CandidateNumber, SourceNumber> = places.collect();
        let mut ranking =
            findable.rank(&case.question, &is_source, usize::MAX, &Weights::default())?;
        let known = ranking.files.iter();
        let known = known.filter_map(|ranked| Some((*places.get(&ranked.number)?, *ranked)));
        let (sources, files) = known.unzip();
        ranking.files = files;
        Ok(Self { sources, ranking })
    }

    /// What an answer of `find` shows.
    fn ladder(
        &self,
        findable: &Findable<'_>,
        case: &Case,
        budget: u64,
    ) -> Result<Vec<ListedFile>, EvaluateError> {
        let files_max = to_index(budget / 4).min(self.ranking.files.len());
        let found = findable.found(&self.ranking, 0..files_max)?;
        let ladder = Ladder::within(
            &found,
            &case.question,
            &self.ranking.terms,
            budget,
            &Steps::default(),
        );
        let shown = ladder
            .files
            .iter()
            .enumerate()
            .filter(|(_, lines)| !lines.is_empty())
            .map(|(place, lines)| {
                let name = |at: &DefinitionNumber| found[place].definitions.list[*at].name.clone();
                let signed = lines.iter().filter_map(|line| {
                    if let Line::Signature(at) = line {
                        Some(name(at))
                    } else {
                        None
                    }
                });
                let named = lines.iter().filter_map(|line| Some(name(&line.named()?)));
                ListedFile {
                    at: self.sources[place],
                    ladder: Some((signed.collect(), named.collect())),
                }
            });
        Ok(shown.collect())
    }
}

/// A file in an answer; of a ladder with the names that it has with and without signature.
struct ListedFile {
    at: SourceNumber,
    ladder: Option<(Vec<String>, Vec<String>)>,
}

fn flat(
    question: &Query,
    sources: &Sources,
    words: &[Rc<Text>],
    weights: &Weights,
) -> Vec<SourceNumber> {
    let paths = sources
        .iter()
        .map(|source| path_terms(source.path.as_bytes()));
    let words = words.iter().map(|text| &text.words);
    let is_wanted = IndexVec::from_vec(vec![true; sources.len()]);
    let searched = Searched {
        occurrences: &Occurrences::of(&question.terms, words.zip(paths)),
        is_wanted: &is_wanted,
        path: &|number| sources[SourceNumber::from_foreign(number)].path.as_bytes(),
        find: &|_| None,
        past: &[],
        said: &HashMap::new(),
    };
    let (ranked, _) = rank(question, &searched, usize::MAX, weights);
    let numbers = ranked.iter().map(|ranked| ranked.number);
    numbers.map(SourceNumber::from_foreign).collect()
}

/// BM25 over one text, its path in front.
fn by_text(
    sources: &Sources,
    question: &Query,
    text: &dyn Fn(&Source) -> Rc<Text>,
) -> Vec<SourceNumber> {
    let words: Vec<Rc<Text>> = sources.iter().map(text).collect();
    let weights = Weights {
        fields: [0.0, 1.0, 1.0, 1.0],
        path: 0.0,
        path_alone: 0.0,
        length: 0.75,
        past: 0.0,
        tests: 1.0,
        ..Weights::default()
    };
    flat(question, sources, &words, &weights)
}

fn by_path(sources: &Sources, question: &Query) -> Vec<SourceNumber> {
    let none = Text::of(String::new());
    let words = vec![none; sources.len()];
    let weights = Weights {
        length: 0.75,
        past: 0.0,
        tests: 1.0,
        path: 1.0,
        path_alone: 0.0,
        ..Weights::default()
    };
    flat(question, sources, &words, &weights)
}

/// The files whose rendering fits, in the order of their rank; what does not fit is passed over.
fn filled(sources: &Sources, ranking: &[SourceNumber], row: usize, budget: u64) -> Vec<ListedFile> {
    let mut left = budget;
    let mut shown = Vec::new();
    for at in ranking {
        let source = &sources[*at];
        let tokens = match row {
            0 => estimate(&format!("{}\n", source.path)),
            2 => source.texts[0].tokens,
            3 => source.texts[1].tokens,
            _ => source.block.tokens,
        };
        if tokens <= left {
            left -= tokens;
            shown.push(ListedFile {
                at: *at,
                ladder: None,
            });
        }
    }
    shown
}

/// What an answer tells.
struct ScoredAnswer<'t> {
    sources: &'t Sources,
    shown: &'t [ListedFile],
    files: &'t MapFiles<'t>,
    row: usize,
}

impl ScoredAnswer<'_> {
    fn files(&self, right: &[SourceNumber]) -> f64 {
        let there = right
            .iter()
            .filter(|at| self.shown.iter().any(|shown| shown.at == **at))
            .count();
        to_f64(there as u64) / to_f64(right.len().max(1) as u64)
    }

    /// The shares of the changed definitions that are named, and that are named with their signature.
    fn definitions(&self, case: &Case) -> (f64, f64) {
        let (mut named, mut signed) = (0.0, 0.0);
        for (path, name) in &case.definitions {
            let Some(shown) = self
                .shown
                .iter()
                .find(|shown| self.sources[shown.at].path == *path)
            else {
                continue;
            };
            let (is_named, is_signed) = self.tells(shown, name);
            named += f64::from(is_named || is_signed);
            signed += f64::from(is_signed);
        }
        let count = to_f64(case.definitions.len().max(1) as u64);
        (named / count, signed / count)
    }

    fn tells(&self, shown: &ListedFile, name: &str) -> (bool, bool) {
        let source = &self.sources[shown.at];
        let in_map = |symbols: &FileSymbols| symbols.entries.iter().any(|entry| entry.name == name);
        match (&shown.ladder, self.row) {
            (Some((signed, named)), _) => (
                named.iter().any(|one| one == name),
                signed.iter().any(|one| one == name),
            ),
            (None, 0) => (false, false),
            (None, 2) => {
                let has = |line: &str| {
                    line.split(|c: char| !c.is_alphanumeric() && c != '_')
                        .any(|word| word == name)
                };
                let mut lines = source.texts[0]
                    .shown
                    .lines()
                    .skip(1)
                    .filter(|line| has(line))
                    .peekable();
                (
                    lines.peek().is_some(),
                    lines.any(|line| !line.starts_with("Private")),
                )
            }
            (None, _) => {
                let is_there = in_map(self.files[source.in_map].symbols());
                (is_there, is_there)
            }
        }
    }
}

/// Why there is no evaluation.
#[derive(Debug, thiserror::Error)]
pub enum EvaluateError {
    /// The parent, or a file, cannot be read.
    #[error(transparent)]
    Find(#[from] FindError),
    /// There is no map of the parent.
    #[error(transparent)]
    Map(#[from] FilesError),
}
